"""The SQL by which DuckDB loads a plain export itself, and proves that its reading is the guard's.

DuckDB parses and stores plain text faster than anything that is handed to it (5,000,000 rows x 7 columns: 1.2 s,
against 2.5 s through Arrow), so a large plain export is loaded first, typed as its head promises, and the guard reads
the numbers back. Where the head broke its promise DuckDB refuses the cast. Columns that the guard changes are shifted
in place where arithmetic is exact (`guards.shifts`), and written again where it is not. What DuckDB would read
otherwise than the guard's grammar is ruled out: an underscore within digits (`1_000`) is the only such text, so every
underscore must stand in a column of text. Blanks around a number mean nothing to either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from bench.export import LINE, ROW, PlainText
from guards import Shift, TypedCells
from guards.moments import PLAIN_FORMS, YEARS

BATCH_ROWS = 4 * 122_880  # whole row groups of DuckDB: each batch is compressed once
TEXT_ROWS = 2 * 122_880

_GLOB = frozenset("*?[")
_WIDE, _FETCHED_CELLS = 200, 4_000_000  # more columns than that are counted here, where so many cells are fetched
_MOMENTS = {form: form.replace("%.f", ".%f") for form in PLAIN_FORMS}
"""polars' strptime formats, and DuckDB's for the same texts."""


POLARS: dict[str, pl.DataType] = {
    "BIGINT": pl.Int64(), "DOUBLE": pl.Float64(), "VARCHAR": pl.String(), "BOOLEAN": pl.Boolean(),
    "TIMESTAMP": pl.Datetime("us"), "DATE": pl.Date(),
}  # fmt: skip
"""polars' type for each of DuckDB's that a table can have."""
TYPES = {type_: name for name, type_ in POLARS.items() if name not in ("VARCHAR", "BOOLEAN")}
"""DuckDB's type for what a column of a loaded table can turn out to be."""

Extremes = dict[str, tuple[float | None, float | None]]


def quote(name: str) -> str:
    """Return the name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str | Path) -> str:
    """Return the text as an SQL string."""
    return "'" + str(text).replace("'", "''") + "'"


def loadable(text: PlainText) -> bool:
    """Return whether DuckDB takes the path for the one file that it names."""
    return not _GLOB & set(str(text.path))


def column_types(columns: Sequence[str], kinds: Mapping[str, str]) -> dict[str, str]:
    """Return DuckDB's type for each column. One load knows one form of moments: the columns of others stay text."""
    form = next((kind for kind in kinds.values() if kind in _MOMENTS), None)
    types = {"number": "DOUBLE", form: "TIMESTAMP"}
    return {name: types.get(kinds.get(name, ""), "VARCHAR") for name in columns}


def load(target: str, text: PlainText, kinds: Mapping[str, str]) -> str:
    """Return the statement that creates the table `target` (quoted) from the text, its `_row` still to be numbered.

    Each line has to be one record of exactly these fields, and each filled cell a text of its column's type.
    """
    return f"CREATE TABLE {target} AS SELECT 0::BIGINT AS {ROW}, * FROM {_source(text, kinds)}"


def texts(target: str, columns: Sequence[str]) -> str:
    """Return the statement that creates the table `target` (quoted): `_row`, `_line` and the texts of some columns.

    zstd takes half the time of DuckDB's own choice for texts of numbers, which are all different, and a quarter more
    space.
    """
    kept = [f"{quote(name)} VARCHAR USING COMPRESSION zstd" for name in columns]
    return f"CREATE TABLE {target} ({', '.join([f'{ROW} BIGINT', f'{LINE} BIGINT', *kept])})"


def _source(text: PlainText, kinds: Mapping[str, str]) -> str:
    """Return the reading of a text, its columns typed by `kinds`."""
    types = column_types(text.columns, kinds)
    forms = [_MOMENTS[kind] for kind in kinds.values() if kind in _MOMENTS]
    fields = ", ".join(f"{literal(name)}: '{type_}'" for name, type_ in types.items())
    options = [
        "compression = 'none'", f"columns = {{{fields}}}", "header = false",
        f"delim = {literal(text.delimiter)}", f"skip = {text.skip_lines}",
        "auto_detect = false", "quote = ''", "escape = ''",
        "comment = ''", "nullstr = ''", "strict_mode = true", *(f"timestampformat = '{form}'" for form in forms[:1]),
    ]  # fmt: skip
    return f"read_csv({literal(text.path)}, {', '.join(options)})"


def number_rows(target: str) -> str:
    """Return the statement that numbers the rows of a committed table in the order of the file, from 1."""
    return f"UPDATE {target} SET {ROW} = rowid + 1"


def shifts(target: str, changes: Mapping[str, Shift | None]) -> Iterator[str]:
    """Yield the statements that change columns as a whole; None: to null.

    A change of type rewrites a column's segments one by one (5,000,000 rows: 0.06 s). UPDATE keeps every old value
    until the transaction ends, which takes three times as long and 100 MB.
    """
    for name, change in changes.items():
        yield f"ALTER TABLE {target} ALTER {quote(name)} TYPE DOUBLE USING ({_shifted(quote(name), change)})"


def emptied(target: str, name: str, type_: pl.DataType) -> str:
    """Return the statement that gives a column another type and no values; 5,000,000 rows: no time and no memory."""
    return f"ALTER TABLE {target} ALTER {quote(name)} TYPE {TYPES[type_]} USING (NULL::{TYPES[type_]})"


def _shifted(name: str, shift: Shift | None) -> str:
    if shift is None:
        return "NULL::DOUBLE"
    whole, power = f"round({name} * 1e{shift.decimals})", shift.decimals - shift.exponent
    return f"{whole} / 1e{power}" if power >= 0 else f"{whole} * 1e{-power}"


def read_back(
    ask: Callable[[str], pl.DataFrame], target: str, text: PlainText, kinds: Mapping[str, str], head: pl.DataFrame
) -> TypedCells:
    """Return the loaded table as the guard takes it.

    `head`: the first rows of the text.
    """
    types = column_types(text.columns, kinds)
    numbers = [name for name, type_ in types.items() if type_ == "DOUBLE"]
    rows = ask(f"SELECT count(*) FROM {target}").item()
    if len(types) > _WIDE and rows * len(types) <= _FETCHED_CELLS:
        filled, extremes = _counted_here(ask, target, list(types), numbers)
    else:
        filled, extremes = _counted_there(ask, target, list(types), numbers)
    schema = pl.Schema({name: POLARS[type_] for name, type_ in types.items()})
    return TypedCells(_scan(ask, target, schema, rows), head, rows, filled, extremes)


def dateless(ask: Callable[[str], pl.DataFrame], target: str, text: PlainText, kinds: Mapping[str, str]) -> bool:
    """Return whether some point in time is none to the guard, which knows no years so early or late (`moments`)."""
    stamps = [name for name, type_ in column_types(text.columns, kinds).items() if type_ == "TIMESTAMP"]
    years = ", ".join(f"year({end}({quote(name)}))" for name in stamps for end in ("min", "max"))
    found = ask(f"SELECT {years} FROM {target}").row(0) if stamps else ()
    return any(year is not None and not YEARS[0] <= year <= YEARS[1] for year in found)


def _counted_there(
    ask: Callable[[str], pl.DataFrame], target: str, names: Sequence[str], numbers: Sequence[str]
) -> tuple[dict[str, int], Extremes]:
    """Return how many cells of each column are filled, and the extremes of the numbers, by one query."""
    counts = [f"count({quote(name)})" for name in names]
    ends = [f"{end}({quote(name)})" for name in numbers for end in ("min", "max")]
    found = ask(f"SELECT {', '.join([*counts, *ends])} FROM {target}").row(0)
    lows, highs = found[len(names) :: 2], found[len(names) + 1 :: 2]
    return dict(zip(names, found, strict=False)), dict(zip(numbers, zip(lows, highs, strict=True), strict=True))


def _counted_here(
    ask: Callable[[str], pl.DataFrame], target: str, names: Sequence[str], numbers: Sequence[str]
) -> tuple[dict[str, int], Extremes]:
    """Return the same for a table of many columns and few rows: DuckDB takes longer to plan thousands of aggregates."""
    frame = ask(f"SELECT {', '.join(map(quote, names))} FROM {target}")
    filled = frame.select(pl.all().count()).row(0)
    lows, highs = frame.select(pl.col(numbers).min()).row(0), frame.select(pl.col(numbers).nan_max()).row(0)
    return dict(zip(names, filled, strict=True)), dict(zip(numbers, zip(lows, highs, strict=True), strict=True))


def _scan(ask: Callable[[str], pl.DataFrame], target: str, schema: pl.Schema, rows: int) -> pl.LazyFrame:
    """Return the table as a lazy frame that fetches the columns it is asked for, batch by batch, in order."""

    def batches(
        columns: list[str] | None, predicate: pl.Expr | None, most: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        chosen = ", ".join(map(quote, schema if columns is None else columns))
        last = rows if most is None else min(rows, most)
        for first in range(0, last, BATCH_ROWS):
            between = f"rowid >= {first} AND rowid < {min(first + BATCH_ROWS, last)}"
            batch = ask(f"SELECT {chosen} FROM {target} WHERE {between}")
            yield batch if predicate is None else batch.filter(predicate)

    return register_io_source(batches, schema=schema)


def underscores_in_numbers(ask: Callable[[str], pl.DataFrame], target: str, found: TypedCells, written: int) -> bool:
    """Return whether some of the `written` underscores stand in no column of text: then a number had one."""
    texts = [quote(name) for name, type_ in found.frame.collect_schema().items() if type_ == pl.String]
    counts = [f"coalesce(sum(length({name}) - length(replace({name}, '_', ''))), 0)" for name in texts]
    return bool(written and written != ask(f"SELECT ({' + '.join(counts) or '0'})::BIGINT FROM {target}").item())
