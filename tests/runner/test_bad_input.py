"""What callers hand over by mistake: a message and a fitting status each, never an exception of another kind."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

from runner import Image, Sandbox, UnavailableError


@pytest.mark.parametrize(
    ("code", "status", "names"),
    [
        ("x = 1\n" * 1_700_000, "error", "10200000 bytes, more than 1000000"),
        ("#" * 10_000_000, "error", "10000000 bytes"),
        ("x = 1\x00", "error", "null bytes"),
        ("'\ud800'", "error", "surrogate"),
        ("é" * 3 + " = 1\nééé", "ok", ""),
        ("\ufeffx = 1\nx", "ok", ""),
        ("x = 1\r\nx", "ok", ""),
        ("  x = 1", "error", "unexpected indent"),
        ("(" * 1000, "error", "too many nested parentheses"),
    ],
    ids=["10 MB", "10 MB comment", "NUL", "surrogate", "NFC", "BOM", "CRLF", "indent", "parentheses"],
)
def test_snippets(sandbox: Sandbox, code: str, status: str, names: str) -> None:
    result = sandbox.run(code)
    assert result.status == status, result.error
    assert names in (result.error.message if result.error else "")
    assert sandbox.run("1 + 1").value == 2


def test_a_snippet_that_is_no_text(sandbox: Sandbox) -> None:
    with pytest.raises(TypeError, match="a snippet is text, got bytes"):
        sandbox.run(b"1 + 1")  # type: ignore[arg-type]


def test_deno_is_missing(image: Image, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "deno", None)  # as on a machine without the package
    with Sandbox(image=image) as sandbox:
        result = sandbox.run("1")
    assert result.status == "sandbox_unavailable"
    assert result.error is not None
    assert result.error.message == "Deno is not installed. pip install 'deno>=2.9.8,<2.10'"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("#!/bin/sh\necho 'error: unexpected argument --deny-import found' >&2\nexit 1\n", "--deny-import found"),
        ("#!/bin/sh\nexit 0\n", "did not start (exit)"),
        ("no executable at all", "did not start (exit)"),
    ],
    ids=["too old", "ends at once", "no program"],
)
@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for another Deno")
def test_deno_is_another_one(
    image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, says: str
) -> None:
    other = tmp_path / "deno"
    other.write_text(script)
    other.chmod(0o755)
    monkeypatch.setattr("runner.session.deno_binary", lambda: other)
    with Sandbox(image=image, layers=("deno",)) as sandbox:
        result = sandbox.run("1")
    assert result.status == "sandbox_unavailable"
    assert result.error is not None
    assert says in result.error.message
    assert "deno>=2.9.8,<2.10" in result.error.message


def test_a_database_that_is_none(image: Image, tmp_path: Path) -> None:
    path = tmp_path / "notes.duckdb"
    path.write_text("not a database " * 1000)
    with Sandbox(path, image=image) as sandbox:
        result = sandbox.run("1")
    assert result.status == "sandbox_unavailable"
    assert result.error is not None
    assert "the database cannot be opened" in result.error.message
    assert "valid DuckDB database file" in result.error.message


def test_a_database_that_is_not_there(image: Image, tmp_path: Path) -> None:
    with pytest.raises(
        UnavailableError, match=r"none\.duckdb cannot be read: No such file or directory\. name a DuckDB"
    ):
        Sandbox(tmp_path / "none.duckdb", image=image)


def test_an_image_of_another_shape(image: Image, tmp_path: Path) -> None:
    with Sandbox(image=dataclasses.replace(image, path=tmp_path)) as sandbox:
        result = sandbox.run("1")
    assert result.status == "sandbox_unavailable"
    assert result.error is not None
    assert "did not start" in result.error.message
