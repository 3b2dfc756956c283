"""What stands in a store beside the tables: the ledger's tables with the key of their export, and the store's own.

`guard.exports` and the other tables of a ledger keep the columns that they have in the database of one analysis; those
of a store follow. Names that begin with an underscore are the tables' keys: `_export`, `_row`.
"""

from __future__ import annotations

import polars as pl

from bench.bulk import quote
from bench.ledger import SCHEMAS
from bench.macros import MACROS

FORMAT = 1
EXPORT = "_export"
DAY, STATION = "_day", "_station"
PARTITIONS = (DAY, STATION)  # of Delta tables
PART_BYTES = 16 << 20  # of compressed exports: what a commit may have to write again

_TEXT, _COUNT, _TIME = pl.String(), pl.Int64(), pl.Datetime("us")
_MORE: dict[str, dict[str, pl.DataType]] = {
    "exports": {
        "export": _COUNT, "approvals": _TEXT, "options": _TEXT, "modified_at": _TIME, "superseded_by": _COUNT,
    },
    "columns": {"export": _COUNT, "source_name": _TEXT},
    "units": {"export": _COUNT},
    "corrections": {"export": _COUNT},
    "flags": {"export": _COUNT},
    "quarantine": {"export": _COUNT},
    "limits": {"export": _COUNT},
    "profile": {},
}  # fmt: skip
LEDGER: dict[str, dict[str, pl.DataType]] = {name: {**SCHEMAS[name], **more} for name, more in _MORE.items()}
"""The ledger's tables as a store holds them. `export` is the key that the tables' rows have as `_export`."""

OWN: dict[str, dict[str, pl.DataType]] = {
    "stored_columns": {
        "table_name": _TEXT, "column_name": _TEXT, "source_name": _TEXT, "measurement": _TEXT, "unit": _TEXT,
    },
    "seen": {
        "path": _TEXT, "bytes": _COUNT, "mtime_ns": _COUNT, "ctime_ns": _COUNT, "inode": _COUNT, "sha256": _TEXT,
        "error": _TEXT, "seen_at": _TIME,
    },
    "alerts": {
        "export": _COUNT, "table_name": _TEXT, "column_name": _TEXT, "measurement": _TEXT, "before": _TEXT,
        "now": _TEXT, "message": _TEXT, "raised_at": _TIME,
    },
    "runs": {
        "started_at": _TIME, "ended_at": _TIME, "inbox": _TEXT, "added": _COUNT, "skipped": _COUNT, "failed": _COUNT,
        "rows": _COUNT, "alerts": _COUNT,
    },
}  # fmt: skip
"""The store's own tables: which column holds what, files that were looked at (`error`: JSON of why they failed), what
changed against the history, and what each run did."""

_TYPES = {_TEXT: "VARCHAR", _COUNT: "BIGINT", _TIME: "TIMESTAMP", pl.Float64(): "DOUBLE"}
_FILES = 'export BIGINT, sha256 VARCHAR, path VARCHAR, "bytes" BIGINT, encoding VARCHAR, content BLOB'


def frame(name: str, rows: list[dict[str, object]]) -> pl.DataFrame:
    """Return rows of one of the store's tables."""
    return pl.DataFrame(rows, schema=(LEDGER | OWN)[name], orient="row")


def make_main(database: str) -> list[str]:
    """Return the statements that make an empty store in an attached database."""
    created = [
        f"CREATE TABLE {database}.guard.{name} ({_columns(columns)})" for name, columns in (LEDGER | OWN).items()
    ]
    return [
        f"CREATE SCHEMA {database}.guard",
        f"CREATE SCHEMA {database}.superseded",
        f"CREATE TABLE {database}.guard.store AS SELECT {FORMAT} AS format",
        *created,
        *(f"CREATE MACRO {database}.main.{signature} AS {body}" for signature, body in MACROS.items()),
    ]


def make_raw(database: str) -> list[str]:
    """Return the statements that make the empty companion. Exports stand in `main`, ours in `guard`."""
    return [
        f"CREATE SCHEMA {database}.guard",
        f"CREATE TABLE {database}.guard.kept (export BIGINT, sha256 VARCHAR, batch BIGINT)",
        *new_part(database, 1),
    ]


def new_part(database: str, number: int) -> list[str]:
    """Return the statements that begin a new part for exports' bytes, and show all parts as `files`."""
    parts = " UNION ALL ".join(f"FROM {database}.guard.files_{each}" for each in range(1, number + 1))
    # The bytes are compressed already: DuckDB need not try.
    return [
        f"CREATE TABLE {database}.guard.files_{number} ({_FILES} USING COMPRESSION uncompressed)",
        f"CREATE OR REPLACE VIEW {database}.main.files AS {parts}",
    ]


def _columns(columns: dict[str, pl.DataType]) -> str:
    return ", ".join(f"{quote(name)} {_TYPES[type_]}" for name, type_ in columns.items())
