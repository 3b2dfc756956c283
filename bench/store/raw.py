"""Raw: the exports' bytes, and the texts of columns that were changed, cleared or refused, by the export's key."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from bench.bulk import BATCH_ROWS, quote
from bench.export import LINE, ROW
from bench.store import schema
from bench.store.database import RAW, Connection, append, asked
from bench.store.judging import Judged, JudgedTable
from bench.store.state import Known

Keyed = tuple[int, Judged]


def write_raw(con: Connection, known: Known, batch: Sequence[Keyed]) -> None:
    """Write what raw keeps of the exports. Bytes that an earlier version of an export brought are there already."""
    first = batch[0][0]
    kept = [(key, judged.identity.sha256, first) for key, judged in batch]
    append(con, f"{RAW}.guard.kept", pl.DataFrame(kept, ["export", "sha256", "batch"], orient="row"))
    for key, judged in batch:
        if judged.identity.sha256 not in known.held:
            _write_bytes(con, known, judged, key)
    there = _columns(con)
    for key, judged in batch:
        for table in judged.tables:
            _write_text(con, table, key, there.setdefault(table.report.name.lower(), {}))


def _write_bytes(con: Connection, known: Known, judged: Judged, key: int) -> None:
    content = judged.compressed()
    if known.part_bytes > schema.PART_BYTES:
        known.part, known.part_bytes = known.part + 1, 0
        con.execute(f"USE {RAW}")  # so that the view names no database, and works under any name
        for statement in schema.new_part(RAW, known.part):
            con.execute(statement)
        con.execute("USE memory")
    con.execute(
        f"INSERT INTO {RAW}.guard.files_{known.part} VALUES (?, ?, ?, ?, 'zstd', ?)",
        [key, judged.identity.sha256, judged.found.name, judged.size, content],
    )
    known.part_bytes += len(content)


def _write_text(con: Connection, table: JudgedTable, key: int, there: dict[str, str]) -> None:
    if table.raw is None:
        return
    target = f"{RAW}.main.{quote(table.report.name)}"
    if not there:
        con.execute(f"CREATE TABLE {target} ({schema.EXPORT} BIGINT, {ROW} BIGINT, {LINE} BIGINT)")
        there |= {name: name for name in (schema.EXPORT, ROW, LINE)}
    lazy = table.raw.lazy()
    names = lazy.collect_schema().names()
    # The reader keeps `_row` and `_line` free, but an export may have a column with the name of a store's key.
    places = {name: f"{name} (text)" if name.lower() == schema.EXPORT else name for name in names}
    for place in places.values():
        if place.lower() not in there:
            con.execute(f"ALTER TABLE {target} ADD COLUMN {quote(place)} VARCHAR")
            there[place.lower()] = place
    chosen = [
        pl.lit(key, pl.Int64).alias(schema.EXPORT),
        *(pl.col(name).alias(there[place.lower()]) for name, place in places.items()),
    ]
    for rows in lazy.select(chosen).collect_batches(chunk_size=BATCH_ROWS, maintain_order=True):
        append(con, target, rows)


def _columns(con: Connection) -> dict[str, dict[str, str]]:
    """Return {table: {column in lower case: column}} of the texts that are kept."""
    query = (
        f"SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = '{RAW}' AND schema_name = 'main' "
        "AND table_name <> 'files'"
    )
    found: dict[str, dict[str, str]] = {}
    for table, column in asked(con, query).iter_rows():
        found.setdefault(table.lower(), {})[column.lower()] = column
    return found
