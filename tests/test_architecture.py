"""The arrows between the packages, and the one module that owns each door to the outside."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("bench", "guards", "runner")
ALLOWED = {"bench": {"bench", "guards", "runner"}, "guards": {"guards"}, "runner": {"runner"}}
# The guest's files run inside Pyodide, where `duckdb` is the runner's own.
HOST_FILES = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py") if "guest" not in path.parts]


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def importers(module):
    return {
        path.relative_to(ROOT).as_posix()
        for path in HOST_FILES
        if any(name == module or name.startswith(module + ".") for name in imports(path))
    }


@pytest.mark.parametrize("path", HOST_FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_arrows_run_from_bench_to_guards_and_to_runner_only(path):
    package = path.relative_to(ROOT).parts[0]
    ours = {name.split(".")[0] for name in imports(path)} & set(PACKAGES)
    assert ours <= ALLOWED[package]


def test_two_modules_own_duckdb():
    """The file of one analysis, which is built and put in place whole, and the store, which lives on."""
    assert importers("duckdb") == {"bench/tables.py", "bench/store/database.py"}


def test_one_module_starts_processes():
    assert importers("subprocess") <= {"runner/process.py"}


def test_one_module_each_owns_a_large_optional_part():
    assert importers("mcp") <= {"bench/mcp/server.py"}
    assert importers("vl_convert") == set()  # it works in a process of its own
    assert importers("deltalake") == {"bench/store/delta/tables.py"}
    assert importers("distributed") == {"bench/store/cluster.py", "bench/store/remote.py"}  # here, and on a worker


def test_guards_do_no_io():
    forbidden = {"os", "pathlib", "io", "time", "datetime", "sqlite3", "socket", "subprocess", "tempfile", "shutil"}
    for path in (ROOT / "guards").glob("*.py"):
        assert not forbidden & {name.split(".")[0] for name in imports(path)}, path.name


def test_only_the_settings_read_the_environment():
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in HOST_FILES
        if path.is_relative_to(ROOT / "bench") and "os.environ" in path.read_text(encoding="utf-8")
    }
    assert readers <= {"bench/settings.py"}


def test_only_the_command_line_prints():
    for path in HOST_FILES:
        calls = [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Call)]
        prints = any(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls)
        assert not prints or path.is_relative_to(ROOT / "bench" / "cli"), path


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_lists_what_it_offers_sorted(package):
    module = importlib.import_module(package)
    assert list(module.__all__) == sorted(module.__all__, key=lambda name: (not name.isupper(), name))
    for name in module.__all__:
        assert getattr(module, name).__doc__, f"{package}.{name} has no docstring"


def test_modules_stay_small():
    long = {p.relative_to(ROOT).as_posix(): n for p in HOST_FILES if (n := len(p.read_text().splitlines())) > 400}
    assert not long


def test_importing_the_api_is_cheap():
    heavy = ("duckdb", "pandera", "pint", "cyclopts", "rich", "deltalake", "distributed")
    code = f"import sys, bench; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
