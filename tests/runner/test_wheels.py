"""`sandbox build`: a wheel of the user's own, by pyodide-build under a Python that can."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runner import ImageError, Sandbox, find_image
from runner.wheels import OLDEST, build_wheel, builder

PROJECT = """
[project]
name = "our-filters"
version = "0.1"
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[tool.setuptools]
py-modules = ["our_filters"]
"""
NO_CROSS_BUILD = "cross-build"  # pyodide-build fetches an environment of its own, from no package registry

old_here = pytest.mark.skipif(sys.version_info >= OLDEST, reason="this Python can build by itself")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "our-filters"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "our_filters.py").write_text("def mean(values):\n    return sum(values) / len(values)\n")
    return folder


def pretending(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"there is no .*nothing"):
        build_wheel(tmp_path / "nothing")


@old_here
def test_without_a_python_that_can_the_command_that_helps_is_named(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ImageError, match=r"needs Python 3\.12 or later with pyodide-build") as caught:
        build_wheel(source)
    assert "python3.12 -m pip install pyodide-build" in caught.value.hint
    pretending(tmp_path, "python3.13", "exit 4")
    with pytest.raises(ImageError, match=r"python3\.13 can build wheels, and has no pyodide-build") as caught:
        build_wheel(source)
    assert caught.value.hint.endswith("python3.13 -m pip install pyodide-build")


@old_here
def test_what_a_failed_build_said_is_told(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretending(tmp_path, "python3.13", '[ "$1" = -c ] && exit 0; echo "error: no Fortran compiler"; exit 1')
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.defpath)
    with pytest.raises(ImageError, match=r"pyodide-build failed: error: no Fortran compiler"):
        build_wheel(source)


def test_a_wheel_is_built_and_imported_in_the_sandbox(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = (python for minor in range(16, 11, -1) if (python := shutil.which(f"python3.{minor}")))
    if all(subprocess.run([python, "-m", "venv", tmp_path / "v"], check=False).returncode for python in found):
        pytest.skip("no Python 3.12 or later that makes virtual environments is on the path")
    pip = subprocess.run([tmp_path / "v/bin/pip", "install", "--quiet", "pyodide-build"], check=False)
    if pip.returncode:
        pytest.skip("pyodide-build cannot be installed here")
    monkeypatch.setenv("PATH", f"{tmp_path / 'v/bin'}{os.pathsep}{os.environ['PATH']}")
    assert builder().startswith(str(tmp_path / "v/bin"))
    try:
        image = build_wheel(source, tmp_path / "cache")
    except ImageError as error:
        if NO_CROSS_BUILD in str(error):
            pytest.skip(f"pyodide-build cannot fetch its cross-build environment here: {error}")
        raise
    with Sandbox(image=image) as sandbox:
        assert sandbox.run("import our_filters\nour_filters.mean([1, 2, 6])").value == 3
    assert find_image(tmp_path / "cache") == image
