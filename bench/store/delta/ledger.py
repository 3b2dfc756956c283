"""`guard/exports`: an export's table a row, its ledger as nested lists, so that one commit holds all that was said.

Pure: frames in, frames out. Names and types of the nested columns are those of the DuckDB store's `guard.*`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from bench.store import schema
from bench.store.history import Part, Reading

PARTS = ("columns", "units", "corrections", "flags", "quarantine", "limits", "alerts", "readings")
"""`readings`: how each judged column was read, for the history: a small part of `columns`, which is large."""
_KEYS = ("export", "table_name")
_TEXT = pl.String()
_READINGS: dict[str, pl.DataType] = {
    "export": pl.Int64(), "table_name": _TEXT, "source_name": _TEXT, "measurement": _TEXT, "verdict": _TEXT,
    "resolved_unit": _TEXT, "unit": _TEXT, "factor": pl.Float64(),
}  # fmt: skip
_TABLES = schema.LEDGER | schema.OWN | {"readings": _READINGS}
_STAMPS = ("ingested_at", "modified_at")
_UTC = pl.Datetime("us", "UTC")
OWN: dict[str, pl.DataType] = {
    name: _UTC if name in _STAMPS else type_
    for name, type_ in schema.LEDGER["exports"].items()
    if name != "superseded_by"
}
"""What stands in a row beside the ledger."""
_PROFILE = pl.Struct(schema.LEDGER["profile"])


def _inner(part: str) -> dict[str, pl.DataType]:
    found = {name: type_ for name, type_ in _TABLES[part].items() if name not in _KEYS}
    return {name: _UTC if isinstance(type_, pl.Datetime) else type_ for name, type_ in found.items()}


SCHEMA = pl.Schema(
    OWN | {part: pl.List(pl.Struct(_inner(part))) for part in PARTS} | {"profile": _PROFILE, "settled": pl.Int64()}
)
SEEN = pl.Schema({name: _UTC if name == "seen_at" else type_ for name, type_ in schema.OWN["seen"].items()})
RUNS = pl.Schema({name: _UTC if name.endswith("_at") else type_ for name, type_ in schema.OWN["runs"].items()})
FILES = pl.Schema(
    {"sha256": pl.String(), "path": pl.String(), "bytes": pl.Int64(), "encoding": pl.String(), "content": pl.Binary()}
)
TEXTS = pl.Schema(
    {"_export": pl.Int64(), "table_name": pl.String(), "column_name": pl.String(), "_row": pl.Int64(),
     "_line": pl.Int64(), "text": pl.String()}
)  # fmt: skip


def reading_rows(batch: Iterable[tuple[int, Iterable[tuple[Part, Reading]]]]) -> pl.DataFrame:
    """Return exports' readings, by their keys, as rows."""
    rows = [
        (key, table, column, measurement, *reading)
        for key, readings in batch
        for (table, column, measurement), reading in readings
    ]
    return pl.DataFrame(rows, schema=_READINGS, orient="row")


def nested(rows: Mapping[str, pl.DataFrame], settled: int) -> pl.DataFrame:
    """Return the ledger's flat tables (`entries.ledger_rows`, and `alerts`) as rows of `guard/exports`.

    `settled`: every export whose newest claim has this key or a lower one was there when the writer looked.
    """
    found = rows["exports"].with_columns(pl.lit(settled).alias("settled"))
    for part in PARTS:
        flat = (
            rows.get(part, pl.DataFrame(schema=_TABLES[part]))
            .select(*_KEYS, *_inner(part))
            .cast(pl.Schema(_inner(part)))
        )
        lists = flat.group_by(_KEYS, maintain_order=True).agg(pl.struct(*_inner(part)).alias(part))
        found = found.join(lists, on=_KEYS, how="left").with_columns(pl.col(part).fill_null([]))
    profile = rows.get("profile", pl.DataFrame(schema=schema.LEDGER["profile"]))
    structs = profile.select(pl.col("sha256").alias("profile_sha256"), pl.struct(pl.all()).alias("profile"))
    found = found.join(structs, on="profile_sha256", how="left")
    return found.select(*SCHEMA).cast(SCHEMA)


def flat(rows: pl.DataFrame, part: str) -> pl.DataFrame:
    """Return one of the ledger's tables as the DuckDB store has it, from rows of `guard/exports`."""
    if part == "profile":
        found = rows.select(pl.col("profile").struct.unnest()).drop_nulls("sha256").unique(maintain_order=True)
        return found.cast(pl.Schema(schema.LEDGER["profile"]))
    if part == "exports":
        return naive(rows.select(*OWN))
    listed = rows.select(*_KEYS, part).explode(part).drop_nulls(part).unnest(part)
    return naive(listed.select(*_TABLES[part]))


def naive(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with times as a DuckDB store holds them: UTC, without a zone."""
    return rows.with_columns(pl.selectors.datetime(time_zone="*").dt.replace_time_zone(None))


def frame(rows: list[dict[str, Any]], wanted: pl.Schema) -> pl.DataFrame:
    """Return rows of one of the store's own tables; naive times are UTC."""
    plain = {name: pl.Datetime("us") if type_ == _UTC else type_ for name, type_ in wanted.items()}
    return pl.DataFrame(rows, schema=plain, orient="row").cast(wanted)
