from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

Cli = Callable[..., Any]
Write = Callable[..., Path]
BOARD = """
[board]
name = "SRB-5030"

[nodes.VOUT]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
expected = ["4.9 V", "5.1 V"]
limits = ["4.95 V", "5.05 V"]
columns = ["vout_v"]
measurements = ["VOUT"]
"""


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """A folder that benches write to, its profile in it."""
    folder = tmp_path / "inbox"
    folder.mkdir()
    (folder / "board.toml").write_text(BOARD)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where the store will be."""
    return tmp_path / "store.duckdb"


@pytest.fixture
def write(inbox: Path) -> Write:
    """Write an export of volts (or `scale` times that) into the inbox: `write("final-2026-10-01.csv", first=5)`."""

    def export(name: str, *, first: int = 0, rows: int = 20, header: str = "vout_v", scale: float = 1) -> Path:
        path = inbox / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"serial,fixture,{header}"]
        lines += [f"SN-{n:05d},FIX-0{n % 3},{(4.96 + n % 9 / 100) * scale:.7g}" for n in range(first, first + rows)]
        path.write_text("\n".join(lines) + "\n")
        return path

    return export


@pytest.fixture
def ingest(here: Cli, inbox: Path, store: Path) -> Cli:
    """Run `ingest` on the inbox; the files of a test are as old as they need be."""

    def run(*arguments: object, settle: float = 0) -> Any:
        return here("ingest", inbox, "--db", store, "--settle", settle, *arguments)

    return run


def command_of(inbox: Path, store: Path, *more: str, settle: float = 0) -> list[str]:
    """Return the arguments of an `ingest` that tells each file as JSON, for a process of its own."""
    return ["ingest", str(inbox), "--db", str(store), "--settle", str(settle), "--json", *more]


def asked(store: Path, query: str) -> list[tuple[Any, ...]]:
    """Ask a store as a notebook does: with duckdb alone."""
    with duckdb.connect(store, read_only=True) as con:
        return con.execute(query).fetchall()


def frame(store: Path, query: str) -> pl.DataFrame:
    """Ask a store for a frame."""
    with duckdb.connect(store, read_only=True) as con:
        return pl.DataFrame(con.sql(query))


def entries(text: str) -> list[dict[str, Any]]:
    """Return the documents that `ingest --json` printed, one a line."""
    return [json.loads(line) for line in text.splitlines()]
