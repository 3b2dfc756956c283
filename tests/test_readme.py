"""The README's blocks do what they say: each command ends as stated, each Python block runs, the API list is whole."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SHELL = [body.strip() for language, body in BLOCKS if language == "sh"]
# The first two blocks set up an environment: the test run itself is inside the second one.
COMMANDS = SHELL[2:]


@pytest.fixture
def checkout(tmp_path):
    """A folder that looks like the checkout, in which commands may leave files."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split("--")[-1][:40])
def test_each_command_of_the_readme_runs(command, checkout):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", command],
        cwd=checkout,
        env=os.environ | {"PATH": path, "BENCH_ANALYZE_DATA": str(checkout / "data")},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("body", [body for language, body in BLOCKS if language == "python"], ids=["python"])
def test_each_python_block_runs(body, checkout):
    done = subprocess.run(
        [sys.executable, "-c", body], cwd=checkout, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "corrected" in done.stdout
    assert "ok [15]" in done.stdout


def test_the_first_two_blocks_are_one_line_each_and_use_nothing_but_python():
    for command in SHELL[:2]:
        assert "\n" not in command
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install")


def test_what_the_readme_says_the_guard_prints_is_what_it_prints():
    said = " ".join(next(body for language, body in BLOCKS if language == "text").split())
    export = "fixtures/retest_mv/retest-2026-10-30.csv"
    done = subprocess.run(
        [sys.executable, "-m", "bench", export, "--board", "fixtures/srb5030.toml"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert said in " ".join(done.stdout.split())


def test_every_file_that_the_readme_names_is_there():
    for name in re.findall(r"(?:\]\(|`|\s)((?:bench|guards|runner|fixtures|tests)/[\w/.-]+\.\w+)", README):
        assert (ROOT / name).exists(), name
