"""`import duckdb` in a snippet: the sandbox's own engine under the names of DuckDB's Python API."""

from __future__ import annotations

from typing import Any

from bench_sandbox import errors as _errors
from bench_sandbox.engine import Connection as DuckDBPyConnection
from bench_sandbox.errors import *  # noqa: F403
from bench_sandbox.relation import Relation as DuckDBPyRelation

apilevel = "2.0"
paramstyle = "qmark"
threadsafety = 1
__version__ = "1.4.3"
default_connection: DuckDBPyConnection | None = None


def connect(database: str = ":memory:", read_only: bool = False, config: object = None) -> DuckDBPyConnection:
    """Return the sandbox's connection; there are no files to open, so another name is refused."""
    if database not in (":memory:", "", ":default:"):
        raise _errors.IOException(
            f"IO Error: cannot open {database!r}: the sandbox has no files of the host; the tables are in `con` "
            "and in duckdb.connect()"
        )
    assert default_connection is not None
    return default_connection.cursor()


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(default_connection, name)


__all__ = ["DuckDBPyConnection", "DuckDBPyRelation", "connect"]
