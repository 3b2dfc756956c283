"""The values behind each plot, counted together in DuckDB: however long the table, a plot is a few hundred marks.

Raw values are the export's own text, read as plain numbers from the raw file, where the guard changed, cleared or
refused the column; elsewhere the corrected values are the raw ones. A cell that the guard cleared is in neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bench import tables
from bench.bulk import literal, quote
from bench.export import ROW
from guards.declared import MEASUREMENT_NAMES, stem_of

if TYPE_CHECKING:
    from pathlib import Path

    from guards import ColumnReport, TableReport

GROUPS = 12  # more values than this of a segment column would be too narrow to look at
_SENTINEL = 1e36  # what instruments file for an overload; no raw value that is drawn
_WIDEST_WORD = 60


@dataclass(frozen=True, slots=True)
class Mark:
    """The values of some neighbouring rows: at `x` (0 to 1 of the plot's width), from `low` to `high`."""

    x: float
    low: float
    high: float
    mean: float


@dataclass(frozen=True, slots=True)
class Series:
    """What is drawn of one column (or of one measurement or segment of it).

    `corrected`, `raw`: the marks; `raw` is empty where it would be the same. `counts`: values, and their extremes.
    `groups`: the segment column's values from left to right, `by` its name; empty where the table has none.
    """

    corrected: tuple[Mark, ...] = ()
    raw: tuple[Mark, ...] = ()
    rows: int = 0
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    by: str | None = None
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A column's report with the table that it stands in."""

    table: TableReport
    column: ColumnReport


@dataclass
class Seen:
    """One table as it is in the database: its columns, what the raw file has of it, what may split it."""

    columns: Mapping[str, str]
    raw: frozenset[str] = frozenset()
    measurement: str | None = None
    segments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def parts_to_draw(reports: Iterable[TableReport], most: int) -> tuple[list[Part], int]:
    """Return the judged parts, those first that the guard did something to, and how many were left out."""
    order = {"refused": 0, "corrected": 1, "unverified": 2, "kept": 3}
    found = [Part(table, column) for table in reports for column in table.columns if column.judged]
    kept = sorted(range(len(found)), key=lambda n: (order[found[n].column.verdict], -found[n].column.faults, n))[:most]
    return [found[number] for number in sorted(kept)], len(found) - len(kept)


def series_of(database: Path, parts: Sequence[Part], segments: Sequence[str], marks: int) -> Iterator[Series]:
    """Yield what is drawn of each part, with about `marks` marks at most. `segments`: columns that may split tables."""
    seen: dict[str, Seen] = {}
    with tables.explained(database), tables.open_database(database) as con:
        for part in parts:
            name = part.table.name
            if name not in seen:
                seen[name] = _seen(con, part.table, segments)
            yield _series(con, part, seen[name], marks)


def _seen(con: tables.Connection, table: TableReport, segments: Sequence[str]) -> Seen:
    columns = _described(con, "analysis", table.name)
    raw = frozenset(_described(con, "raw", table.name))
    roles = {column.name: column.role for column in table.columns}
    measurement = next(
        (name for name in columns if columns[name] == "VARCHAR" and stem_of(name) in MEASUREMENT_NAMES), None
    )
    wanted = [name for name in segments if name in columns and roles.get(name) not in ("measured", "unit")]
    groups = {name: values for name in wanted if (values := _values(con, table.name, name))}
    return Seen(columns, raw, measurement, groups)


def _described(con: tables.Connection, database: str, table: str) -> dict[str, str]:
    """Return {column: type} of a table in the corrected or the raw file, empty where it is not there."""
    rows = con.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = ? AND schema_name = 'main' "
        "AND table_name = ? ORDER BY column_index",
        [database, table],
    ).fetchall()
    return {str(column): str(kind) for column, kind in rows}


def _values(con: tables.Connection, table: str, column: str) -> tuple[str, ...]:
    name = quote(column)
    rows = con.execute(
        f"SELECT DISTINCT CAST({name} AS VARCHAR) FROM main.{quote(table)} WHERE {name} IS NOT NULL LIMIT {GROUPS + 1}"
    ).fetchall()
    return tuple(sorted(str(value) for (value,) in rows)) if 2 <= len(rows) <= GROUPS else ()


def _series(con: tables.Connection, part: Part, seen: Seen, marks: int) -> Series:
    column = part.column
    if not _numeric(seen.columns.get(column.name, "")):
        return Series()
    by = next((name for name in seen.segments if name not in (column.segment or {})), None)
    source = _source(part, seen, by)
    rows, low, high, mean, first, last = con.execute(
        f"SELECT count(c), min(c), max(c), avg(c), min(r), max(r) FROM ({source})"
    ).fetchall()[0]
    found = Series(rows=rows, low=low, high=high, mean=mean)
    if first is None:
        return found
    groups = seen.segments[by] if by else ()
    place = _Place(source, first, last, groups, marks)
    corrected = place.marks(con, "c")
    raw = place.marks(con, "w") if column.name in seen.raw else ()
    return replace(found, corrected=corrected, raw=raw, by=by, groups=groups)


def _source(part: Part, seen: Seen, by: str | None) -> str:
    """Return SQL for (r, c, w, g): row, corrected and raw value, group."""
    column, table = part.column, quote(part.table.name)
    name = quote(column.name)
    wanted = [f"{quote(key)} = {literal(value)}" for key, value in _filters(column, seen).items()]
    where = " AND ".join(f"t.{condition}" for condition in wanted) or "true"
    group = f"CAST(t.{quote(by)} AS VARCHAR)" if by else "NULL"
    if column.name not in seen.raw:
        return f"SELECT t.{ROW} r, CAST(t.{name} AS DOUBLE) c, NULL w, {group} g FROM main.{table} t WHERE {where}"
    cell = f"x.{name}"
    plain = (  # of two marks the last one is the decimal mark
        f"CASE WHEN {cell} LIKE '%,%.%' THEN replace({cell}, ',', '') "
        f"WHEN {cell} LIKE '%.%,%' THEN replace(replace({cell}, '.', ''), ',', '.') ELSE replace({cell}, ',', '.') END"
    )
    text = f"regexp_extract({plain}, '[-+]?[0-9]*\\.?[0-9]+([eE][-+]?[0-9]+)?')"
    raw = f"TRY_CAST({text} AS DOUBLE)"
    shown = f"CASE WHEN abs({raw}) < {_SENTINEL} THEN {raw} END"
    if column.verdict != "refused":  # null here means that the guard cleared the cell
        shown = f"CASE WHEN t.{name} IS NOT NULL THEN {shown} END"
    return (
        f"SELECT t.{ROW} r, CAST(t.{name} AS DOUBLE) c, {shown} w, {group} g "
        f"FROM main.{table} t JOIN raw.{table} x ON x.{ROW} = t.{ROW} WHERE {where}"
    )


def _filters(column: ColumnReport, seen: Seen) -> dict[str, str]:
    """Return the columns that choose this part's rows. A column that the guard rewrote (a unit) chooses none."""
    found = {key: value for key, value in (column.segment or {}).items() if key in seen.columns and key not in seen.raw}
    if column.measurement is not None and seen.measurement is not None:
        found[seen.measurement] = column.measurement
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """Where rows stand from left to right: in the export's order, side by side in one field for each group."""

    source: str
    first: int
    last: int
    groups: tuple[str, ...]
    most: int

    def marks(self, con: tables.Connection, value: str) -> tuple[Mark, ...]:
        width = max(self.last - self.first, 1)
        bins = max(self.most // max(len(self.groups), 1), 12)
        rows: list[tuple[Any, ...]] = con.execute(
            f"SELECT g, round((r - {self.first}) * {bins}::DOUBLE / {width}) b, "
            f"min({value}), max({value}), avg({value}) "
            f"FROM ({self.source}) WHERE isfinite({value}) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        number = {name: index for index, name in enumerate(self.groups)}
        share = 1 / max(len(self.groups), 1)
        return tuple(
            Mark((number.get(group, 0) + 0.06 + 0.88 * place / bins) * share, low, high, mean)
            for group, place, low, high, mean in rows
            if not self.groups or group in number
        )


def _numeric(kind: str) -> bool:
    return kind.startswith(("DOUBLE", "FLOAT", "BIGINT", "INTEGER", "SMALLINT", "TINYINT", "HUGEINT", "U", "DECIMAL"))


def short(word: str, longest: int = _WIDEST_WORD) -> str:
    """Return a name that fits beside a plot."""
    return word if len(word) <= longest else word[: longest - 1] + "…"
