"""What earlier exports held, read from a database that keeps them: an analysis (`--db`) or a store (`ingest`).

Only values whose unit was settled then count: kept or corrected columns. Verdicts on columns that nothing could judge
are no evidence for later ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import nullcontext
from pathlib import Path

from bench import tables
from bench.bulk import literal, quote
from bench.errors import UsageError
from bench.store.locking import Patience, lock_path, turn
from guards import Past

_FEWEST = 10
_OF_ANALYSIS = (
    "SELECT DISTINCT column_name, column_name, measurement, unit FROM guard.units "
    "WHERE verdict IN ('kept', 'corrected') AND unit IS NOT NULL AND table_name = ? ORDER BY ALL"
)
_OF_STORE = (
    "SELECT DISTINCT s.column_name, s.source_name, s.measurement, s.unit FROM guard.stored_columns s "
    "JOIN guard.units u ON u.table_name = s.table_name AND u.unit = s.unit "
    "AND u.measurement IS NOT DISTINCT FROM s.measurement "
    "WHERE u.verdict IN ('kept', 'corrected') AND s.table_name = ? ORDER BY ALL"
)


def read_past(database: Path, names: Collection[str]) -> tuple[Past, ...]:
    """Return what the tables of these names hold, by column and measurement; columns with few values say nothing.

    Raises:
        UsageError: there is no such database, or it is not ours.
        EnvironmentProblem: it cannot be opened.
    """
    if not database.is_file():
        raise UsageError("there is no such database", file=database, hint="name a file that --db or ingest wrote")
    if not tables.is_ours(database):
        raise UsageError("this was not written by bench-analyze", file=database, hint="name a file that --db wrote")
    # A store is read when it is our turn; the database of one analysis has no lock, and gets none.
    waiting = turn(database, Patience()) if lock_path(database).exists() else nullcontext()
    with tables.explained(database), waiting, tables.open_database(database) as con:
        known = {name.lower(): name for name in tables.tables_of(con)}
        found = [known[name.lower()] for name in dict.fromkeys(names) if name.lower() in known]
        parts = _OF_STORE if _is_store(con) else _OF_ANALYSIS
        return tuple(past for name in found for past in _of_table(con, name, parts))


def _is_store(con: tables.Connection) -> bool:
    query = "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND table_name = 'stored_columns'"
    return bool(con.execute(f"{query} AND schema_name = 'guard'").fetchall())


def _of_table(con: tables.Connection, table: str, query: str) -> Iterator[Past]:
    parts = con.execute(query, [table]).fetchall()
    types = dict(
        con.execute(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = current_database() "
            "AND schema_name = 'main' AND table_name = ?", [table],
        ).fetchall()
    )  # fmt: skip
    measured = {measurement for _, _, measurement, _ in parts if measurement is not None}
    by = _measurement_column(con, table, [name for name, type_ in types.items() if type_ == "VARCHAR"], measured)
    for column, source, measurement, unit in parts:
        if types.get(column) not in ("DOUBLE", "BIGINT") or (measurement is not None and by is None):
            continue
        value = quote(column) if unit in ("degC", "degF", "K") else f"abs({quote(column)})"
        here = "" if by is None or measurement is None else f" AND {quote(by)} = {literal(measurement)}"
        low, high, rows = con.execute(
            f"SELECT quantile_cont({value}, 0.01), quantile_cont({value}, 0.99), count({value}) FROM {quote(table)} "
            f"WHERE {quote(column)} <> 0{here}"
        ).fetchall()[0]
        if rows >= _FEWEST:
            yield Past(table, source, measurement, unit, low, high, rows)


def _measurement_column(
    con: tables.Connection, table: str, texts: Collection[str], measured: Collection[str]
) -> str | None:
    """Return the column whose texts are the names of the measurements."""
    names = ", ".join(map(literal, measured))
    for name in texts if measured else ():
        query = f"SELECT count(DISTINCT {quote(name)}) FROM {quote(table)} WHERE {quote(name)} IN ({names})"
        if con.execute(query).fetchall() == [(len(measured),)]:
            return name
    return None
