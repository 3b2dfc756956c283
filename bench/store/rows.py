"""The corrected rows of exports into a store's tables, each column in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import polars as pl

from bench.bulk import BATCH_ROWS, literal, quote
from bench.export import ROW
from bench.store import schema
from bench.store.columns import Extent, Incoming, Place, Stored, place_all
from bench.store.database import MAIN, Connection, append, types_of
from bench.store.judging import JudgedTable
from bench.store.raw import Keyed
from bench.store.state import NOTHING, Known, extent_of
from guards import TableReport

Places = Mapping[tuple[int, str], Sequence[Place]]  # by the export's key and the table's own name
_KEYS = {schema.EXPORT: "BIGINT", ROW: "BIGINT"}


def write_rows(con: Connection, known: Known, batch: Sequence[Keyed]) -> Places:
    """Write the corrected rows: small tables of one form together, large ones batch by batch. Return the places."""
    places: dict[tuple[int, str], Sequence[Place]] = {}
    small: dict[tuple[str, tuple[tuple[str, pl.DataType], ...]], list[pl.DataFrame]] = {}

    def write_small(of: str | None = None) -> None:
        for form in [form for form in small if of in (None, form[0])]:
            append(con, f"{MAIN}.main.{quote(form[0])}", pl.concat(small.pop(form)))

    for key, table in ((key, table) for key, judged in batch for table in judged.tables):
        name = _table(con, known, table.report)
        found = places[key, table.report.name] = _prepare(con, known, name, table, partial(write_small, name))
        chosen = [
            pl.lit(key, pl.Int64).alias(schema.EXPORT), pl.col(ROW),
            *(pl.col(place.name).alias(place.stored.name) for place in found),
        ]  # fmt: skip
        if isinstance(table.corrected.rows, pl.DataFrame):
            rows = table.corrected.rows.select(chosen)
            small.setdefault((name, tuple(rows.schema.items())), []).append(rows)
        else:
            for rows in table.corrected.lazy().select(chosen).collect_batches(
                chunk_size=BATCH_ROWS, maintain_order=True
            ):  # fmt: skip
                append(con, f"{MAIN}.main.{quote(name)}", rows)
    write_small()
    return places


def supersede(con: Connection, old: int, new: int) -> None:
    """Move the rows of a version into schema `superseded`; its ledger stays, with the key of what took its place."""
    con.execute(f"UPDATE {MAIN}.guard.exports SET superseded_by = {new} WHERE export = {old}")
    names = con.execute(f"SELECT table_name FROM {MAIN}.guard.exports WHERE export = {old}").fetchall()
    for (name,) in names:
        table, aside = f"{MAIN}.main.{quote(name)}", f"{MAIN}.superseded.{quote(name)}"
        con.execute(f"CREATE TABLE IF NOT EXISTS {aside} AS FROM {table} LIMIT 0")
        there = {row[0] for row in con.execute(f"DESCRIBE {aside}").fetchall()}
        for column, type_, *_ in con.execute(f"DESCRIBE {table}").fetchall():
            if column not in there:
                con.execute(f"ALTER TABLE {aside} ADD COLUMN {quote(column)} {type_}")
        con.execute(f"INSERT INTO {aside} BY NAME FROM {table} WHERE {schema.EXPORT} = {old}")
        con.execute(f"DELETE FROM {table} WHERE {schema.EXPORT} = {old}")


def _table(con: Connection, known: Known, report: TableReport) -> str:
    name = known.tables.setdefault(report.name.lower(), report.name)
    if report.name.lower() not in known.columns:
        columns = ", ".join(f"{key} {type_}" for key, type_ in _KEYS.items())
        con.execute(f"CREATE TABLE IF NOT EXISTS {MAIN}.main.{quote(name)} ({columns})")
        known.columns[report.name.lower()] = []
    return name


def _prepare(con: Connection, known: Known, name: str, table: JudgedTable, write: Callable[[], None]) -> list[Place]:
    """Find the columns' places, and add or widen what is needed.

    `write` writes the table's rows that wait: what a column holds is seen when they are there.
    """
    stored = known.columns[name.lower()]
    types = types_of(con, table.schema)
    incoming = [
        Incoming(column, types[column], table.units.get(column, {}), table.extents[column])
        for column in table.schema
        if column != ROW
    ]
    keys = [Stored(key, "", type_) for key, type_ in _KEYS.items()]  # their names are taken

    def extent(column: Stored) -> Extent:
        write()
        return extent_of(con, name, column)

    places = place_all(incoming, [*keys, *stored], extent)
    target = f"{MAIN}.main.{quote(name)}"
    by_name = {each.name: each for each in stored}
    for place in places:
        column = quote(place.stored.name)
        if place.new:
            con.execute(f"ALTER TABLE {target} ADD COLUMN {column} {place.stored.type}")
        elif place.widened:
            con.execute(f"ALTER TABLE {target} ALTER {column} TYPE {place.stored.type}")
        if place.new or place.units:
            _register(con, name, place)
        by_name[place.stored.name] = place.stored
    known.columns[name.lower()] = list(by_name.values())
    return places


def _register(con: Connection, table: str, place: Place) -> None:
    units = dict(place.units) or {None: NOTHING}
    rows: list[dict[str, object]] = [
        {
            "table_name": table, "column_name": place.stored.name, "source_name": place.stored.source,
            "measurement": measurement, "unit": unit,
        }
        for measurement, unit in units.items()
    ]  # fmt: skip
    append(con, f"{MAIN}.guard.stored_columns", schema.frame("stored_columns", rows))
    told = "; ".join(
        f"{'' if measurement is None else measurement + ': '}unit {unit or 'none'}"
        for measurement, unit in place.stored.units.items()
    )
    target = f"{MAIN}.main.{quote(table)}.{quote(place.stored.name)}"
    con.execute(f"COMMENT ON COLUMN {target} IS {literal(told or 'unit none')}")
