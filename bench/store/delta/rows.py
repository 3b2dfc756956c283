"""The corrected rows as a Delta table has them: each column in its place, its unit and verdicts in its metadata.

`_day` is the day on which the export was last written (UTC), which `--since` chooses by. `_station` is what the export
itself says: a column of that name, else its metadata; else the folder of the inbox that it lies in; else null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from bench.bulk import BATCH_ROWS
from bench.export import LINE, ROW
from bench.store import schema
from bench.store.columns import EXACT, Extent, Incoming, Place, Stored, place_all
from bench.store.delta.ledger import TEXTS
from bench.store.judging import Judged, JudgedTable

KEYS: dict[str, pl.DataType] = {
    schema.EXPORT: pl.Int64(), ROW: pl.Int64(), schema.DAY: pl.Date(), schema.STATION: pl.String(),
}  # fmt: skip
_DELTA = {"long": "BIGINT", "double": "DOUBLE", "string": "VARCHAR", "boolean": "BOOLEAN", "timestamp_ntz": "TIMESTAMP",
          "date": "DATE"}  # fmt: skip
_COLUMN = re.compile(r"(test[ _-]?)?(station|tester|stand)([ _-]?(id|name|number|no))?", re.IGNORECASE)
_METADATA = re.compile(rf"{_COLUMN.pattern}|node", re.IGNORECASE)  # STDF's node is the tester
_STATIONS = 100  # more values than that in one export are no stations
Described = Mapping[str, tuple[str, Mapping[str, str]]]


def stored_of(described: Described) -> list[Stored]:
    """Return the columns of a Delta table, with units and names by their metadata; the keys hold their names only."""
    found = []
    for name, (type_, metadata) in described.items():
        units = dict(json.loads(metadata.get("bench.units", "[]")))
        source = "" if name in KEYS else metadata.get("bench.source", name)
        found.append(Stored(name, source, _DELTA.get(type_, type_), units))
    return found


def verdicts_of(described: Described) -> dict[str, set[str]]:
    """Return the verdicts that each column has had."""
    return {name: set(filter(None, each.get("bench.verdicts", "").split(","))) for name, (_, each) in described.items()}


def metadata_of(stored: Stored, verdicts: set[str]) -> dict[str, str]:
    """Return what a column's metadata says: `comment` for people, the others for programs."""
    units = ", ".join(
        f"{'' if part is None else f'{part}: '}unit {unit or 'none'}" for part, unit in stored.units.items()
    )
    told = ", ".join(sorted(verdicts))
    only = set(stored.units.values())
    return {
        "comment": f"{units or 'unit none'}{f'; {told}' if told else ''}",
        "bench.unit": (next(iter(only)) or "") if len(only) == 1 else "",
        "bench.units": json.dumps(list(stored.units.items()), ensure_ascii=False),
        "bench.source": stored.source,
        "bench.verdicts": ",".join(sorted(verdicts)),
    }


def places(table: JudgedTable, stored: Sequence[Stored]) -> list[Place]:
    """Return where each column of an export's table goes. No type of the store's changes."""
    incoming = [
        Incoming(name, _type(type_, table.units.get(name, {}), table.extents[name]), table.units.get(name, {}),
                 table.extents[name])
        for name, type_ in table.schema.items()
        if name != ROW
    ]  # fmt: skip
    return place_all(incoming, stored, None)


def verdicts(table: JudgedTable, found: Sequence[Place]) -> dict[str, set[str]]:
    """Return the verdicts of this export, by the store's columns."""
    by_name: dict[str, set[str]] = {}
    for column in table.report.columns:
        by_name.setdefault(column.name, set()).add(column.verdict)
    return {place.stored.name: by_name.get(place.name, set()) for place in found}


def _type(type_: pl.DataType, units: Mapping[str | None, str | None], extent: Extent) -> str:
    if type_.is_integer():
        return "DOUBLE" if any(units.values()) and extent.magnitude <= EXACT else "BIGINT"
    if type_.is_float():
        return "DOUBLE"
    if isinstance(type_, pl.Datetime):
        return "TIMESTAMP"
    return "BOOLEAN" if type_ == pl.Boolean else "DATE" if type_ == pl.Date else "VARCHAR"


def rows(
    judged: Judged, table: JudgedTable, key: int, found: Sequence[Place], wanted: pl.Schema, inbox: Path | None
) -> Iterator[pl.DataFrame]:
    """Yield an export's rows as the Delta table has them: `wanted` is its schema."""
    from_ = {place.stored.name: place.name for place in found}
    made: dict[str, pl.Expr] = {
        schema.EXPORT: pl.lit(key), ROW: pl.col(ROW), schema.DAY: pl.lit(day(judged).date()),
        schema.STATION: _station(judged, table, inbox),
    }  # fmt: skip
    chosen = [
        (made[name] if name in made else pl.col(from_[name]) if name in from_ else pl.lit(None)).cast(type_).alias(name)
        for name, type_ in wanted.items()
    ]
    yield from table.corrected.lazy().select(chosen).collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)


def texts(table: JudgedTable, key: int) -> Iterator[pl.DataFrame]:
    """Yield the texts that raw keeps of a table."""
    if table.raw is None:
        return
    lazy = table.raw.lazy()
    names = [name for name in lazy.collect_schema().names() if name not in (ROW, LINE)]
    # By number, since a column of an export may itself be called `text` or `column_name`.
    numbered = {str(number): name for number, name in enumerate(names)}
    cells = lazy.select(ROW, LINE, *(pl.col(name).alias(number) for number, name in numbered.items())).unpivot(
        list(numbered), index=[ROW, LINE], variable_name="column_name", value_name="text"
    )
    keyed = cells.with_columns(
        pl.lit(key).alias(schema.EXPORT),
        pl.lit(table.report.name).alias("table_name"),
        pl.col("column_name").replace(numbered),
    )
    chosen = [pl.col(name).cast(type_) for name, type_ in TEXTS.items()]
    yield from keyed.select(chosen).collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)


def day(judged: Judged) -> datetime:
    """Return when an export was last written."""
    return datetime.fromtimestamp(judged.found.mtime_ns / 1e9, UTC)


def _station(judged: Judged, table: JudgedTable, inbox: Path | None) -> pl.Expr:
    named = [name for name, type_ in table.schema.items() if type_ == pl.String and _COLUMN.fullmatch(name)]
    for name in named:
        if table.corrected.lazy().select(pl.col(name).n_unique()).collect().item() <= _STATIONS:
            return pl.col(name)
    metadata = judged.export.get("metadata")
    for name, value in (metadata if isinstance(metadata, Mapping) else {}).items():
        if _METADATA.fullmatch(name) and isinstance(value, str) and value.strip():
            return pl.lit(value.strip())
    folder = (judged.found.named or judged.found.path).parent
    if inbox is not None and folder != inbox and folder.is_relative_to(inbox):
        return pl.lit(folder.relative_to(inbox).parts[0])
    return pl.lit(None)
