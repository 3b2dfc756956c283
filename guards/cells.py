"""Reading the cells of a table once: numbers as floats, keys as categories, and what each column's cells are.

Parsing text is what a guard costs, so the export is read in one streaming pass and every later step counts floats in
memory (8 bytes a number). Only columns with cells that are no plain number (blanks around them, a unit behind them,
"OL") are read a second time, alone, by the careful grammar.

A column becomes numbers when nearly all its cells are (nine in ten; half where its header names a unit or a node claims
it), so that one number in a column of remarks stays a remark and one "OL" in a column of volts stays a reading that is
missing. The head of the export only rules out casts that cannot succeed; every count comes from every row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from guards import clocks, moments
from guards.clocks import Joined
from guards.heads import guess_kinds
from guards.kinds import NO_ODD, Kind
from guards.quantities import (
    OVERLOAD_LIMIT,
    SENTINEL_TEXTS,
    cell_text,
    finite,
    number,
    rkm_mark,
    unit_suffix,
    without_rkm,
    without_suffix,
)
from guards.spelling import PREFIX_MARKS, cell_unit
from guards.units import Unit, find_unit

_SHARE_UNLABELLED = 0.9
_SHARE_LABELLED = 0.5
_PASS = ("pass", "passed", "p", "ok", "true", "good", "1")
_FAIL = ("fail", "failed", "f", "ng", "false", "bad", "0")


@dataclass(frozen=True)
class Cells:
    """A table's cells as they were read, of `rows` rows.

    `source`: a Float64 column for each column of numbers (overflow codes and NaN still in it), a Datetime or Date for
    each of moments, `key(name)` a Categorical for each key column, `passed(name)` a Boolean for each result column.
    """

    source: pl.LazyFrame
    kinds: Mapping[str, Kind]
    rows: int

    @cached_property
    def _held(self) -> dict[str, pl.Series]:
        return {}

    def select(self, names: Collection[str]) -> pl.DataFrame:
        """Return these columns, fetched when they are first asked for: what extremes alone settle never is."""
        missing = [name for name in names if name not in self._held]
        if missing:
            self._held.update(self.source.select(missing).collect().to_dict())
        return pl.DataFrame([self._held[name] for name in names])

    def get_column(self, name: str) -> pl.Series:
        """Return one column."""
        return self.select([name]).to_series()

    @property
    def frame(self) -> pl.DataFrame:
        """Every column."""
        return self.select(self.source.collect_schema().names())

    @property
    def height(self) -> int:
        """How many rows there are, as a frame calls it."""
        return self.rows

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names of the frame's columns."""
        return frozenset(self.source.collect_schema().names())

    def beside(self, others: pl.DataFrame) -> Cells:
        """Return the cells with more columns of the same rows."""
        return replace(self, source=pl.concat([self.frame, others], how="horizontal").lazy())


@dataclass(frozen=True, slots=True)
class TypedCells:
    """A table that was read already.

    `frame`: the same rows and columns, of which those that are expected to be numbers or moments (`plain_kinds`) are
    Float64 or Datetime("us"), each the value of its text, the others String. `head`: the texts of about the first
    `HEAD_ROWS`. `rows`: how many there are; `filled`: for every column how many cells are not empty; `extremes`: the
    least and the greatest value of each column of numbers, NaN above all others, None where it is empty.
    """

    frame: pl.LazyFrame
    head: pl.DataFrame
    rows: int
    filled: Mapping[str, int]
    extremes: Mapping[str, tuple[float | None, float | None]]

    def counted(self, name: str, kind: str) -> bool:
        """Return whether what is counted of a column says all that reading its cells would."""
        if kind == "text":
            return True
        if kind == "number":
            least, most = self.extremes.get(name, (None, None))
            return least is not None and most is not None and least > -OVERLOAD_LIMIT and most < OVERLOAD_LIMIT
        return self.frame.collect_schema()[name] == pl.Datetime("us")


def key(name: str) -> str:
    """Name the category column of a key column; the unit separator keeps it apart from every header."""
    return f"{name}\x1fkey"


def passed(name: str) -> str:
    """Name the pass/fail column of a result column."""
    return f"{name}\x1fpassed"


def read_cells(
    frame: pl.LazyFrame,
    head: pl.DataFrame,
    *,
    decimal: str,
    labelled: Collection[str],
    text: Collection[str],
    keys: Collection[str],
    results: Collection[str],
    stated: Mapping[str, Unit] | None = None,
    typed: TypedCells | None = None,
    said: Mapping[str, str] | None = None,
) -> Cells:
    """Read the String columns of `head`, the first rows of the frame.

    `labelled`: columns whose header names a unit or that a node claims; `text`: columns that stay text whatever they
    hold (serials, remarks); `keys`: columns to keep as categories; `results`: columns to read as pass or fail.
    `stated`: the unit that is said of a column apart from its cells. `typed`: what somebody has read of the same rows
    already. `said`: what a row of units says of columns.
    """
    names = head.columns
    guesses = guess_kinds(head.drop(name for name in names if name in text), decimal, said) | dict.fromkeys(
        text, "text"
    )
    joined = clocks.join_days(head, [name for name in names if guesses[name] == "text" and name not in text])
    guesses |= {day: form for day, form in clocks.forms_of_days(joined).items() if guesses[day] == "text"}
    guesses |= {name: found.form for name, found in joined.items()}
    if typed is not None and all(typed.counted(name, guesses[name]) for name in names):
        return _as_counted(typed, guesses, keys, results)
    source = frame if typed is None else typed.frame
    filled = {} if typed is None else {name: typed.filled[name] for name in names}
    plain = {name for name, kind in source.collect_schema().items() if kind != pl.String}
    plain -= {name for name in plain if guesses.get(name) in clocks.SERIALS}
    counted = {name for name in filled if name in plain or guesses[name] == "text"}
    wanted = [pl.col(name) for name in names if name in plain]
    wanted += [
        expression
        for name in names
        if name not in counted
        for expression in _first_reading(name, guesses[name], decimal, joined.get(name))
    ]
    wanted += map(_category, keys)
    wanted += [_passed(name) for name in results]
    read = source.select(wanted).collect(engine="streaming") if wanted else pl.DataFrame(height=_height(source))
    cells = _filled(read, names) | filled
    careful = [n for n in names if guesses[n] == "number" and read[n].null_count() > read.height - cells[n]]
    if careful:
        read, odd = _careful_reading(frame, read, careful, decimal, stated or {})
    else:
        odd = {}
    marked = {name for name in names if f"{name}\x1fdateless" in read.columns}
    wanted = [expression for name in names for expression in _counts(name, guesses[name], name in marked)]
    counts = read.lazy().select(wanted).collect().row(0, named=True) if wanted else {}
    kinds = {n: _decide(n, guesses[n], cells[n], counts, odd.get(n), labelled=n in labelled) for n in names}
    kinds |= {n: replace(kinds[n], beside=found.columns) for n, found in joined.items() if kinds[n].temporal}
    drop = [f"{name}\x1f{mark}" for name in names for mark in ("cell", "dateless")] + [
        name for name, kind in kinds.items() if not (kind.numeric or kind.temporal)
    ]
    return Cells(read.drop(drop, strict=False).lazy(), kinds, read.height)


def _as_counted(
    typed: TypedCells, guesses: Mapping[str, str], keys: Collection[str], results: Collection[str]
) -> Cells:
    """Return the cells of a table of which everything that reading would count is known."""
    kinds = {name: _counted_kind(typed, name, guess) for name, guess in guesses.items()}
    wanted = [pl.col(name) for name, kind in kinds.items() if kind.numeric or kind.temporal]
    wanted += [*map(_category, keys), *map(_passed, results)]
    return Cells(typed.frame.select(wanted), kinds, typed.rows)


def _counted_kind(typed: TypedCells, name: str, guess: str) -> Kind:
    n = typed.filled[name]
    if guess == "text":
        return Kind("text", n)
    if guess == "number":
        lower, upper = typed.extremes[name]
        return Kind("number", n, n, n, lower=lower, upper=upper)
    return Kind("datetime", n, format=guess)


def _height(frame: pl.LazyFrame) -> int:
    return int(frame.select(pl.len()).collect().item())


def _first_reading(name: str, guess: str, decimal: str, joined: Joined | None) -> list[pl.Expr]:
    cell = pl.col(name).is_not_null().alias(f"{name}\x1fcell")
    if guess == "text":
        return [cell]
    text = pl.col(name).str.replace(",", ".", literal=True) if decimal == "," else pl.col(name)
    if guess == "number":
        return [cell, number(text).alias(name)]
    if joined is not None:
        return [cell, joined.read(name).alias(name)]
    if guess in (*clocks.DURATIONS, *clocks.SERIALS):
        return [cell, clocks.read(pl.col(name), guess).alias(name)]
    dateless = moments.no_date(pl.col(name)).alias(f"{name}\x1fdateless")
    return [cell, moments.read(pl.col(name), guess).alias(name), dateless]


def _category(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Categorical).alias(key(name))


def _passed(name: str) -> pl.Expr:
    text = pl.col(name).str.strip_chars().str.to_lowercase()
    known = pl.when(text.is_in(list(_PASS))).then(True).when(text.is_in(list(_FAIL))).then(False)
    return known.otherwise(None).alias(passed(name))


def _filled(read: pl.DataFrame, names: Sequence[str]) -> dict[str, int]:
    """Return how many cells of each column are not empty, where the reading marked them."""
    read_columns = set(read.columns)
    marked = [name for name in names if f"{name}\x1fcell" in read_columns]
    sums = read.select(pl.col(f"{name}\x1fcell").sum() for name in marked).row(0) if marked else ()
    return dict(zip(marked, sums, strict=True))


@dataclass(frozen=True, slots=True)
class _Careful:
    """What the second reading of one column found."""

    odd: pl.DataFrame
    suffixes: tuple[str, ...]
    suffixed: int
    marks: tuple[str, ...]


def _careful_reading(
    frame: pl.LazyFrame, read: pl.DataFrame, names: Sequence[str], decimal: str, stated: Mapping[str, Unit]
) -> tuple[pl.DataFrame, dict[str, _Careful]]:
    """Read again the columns with cells that are no plain number."""
    found: dict[str, _Careful] = {}
    text = pl.col("text")
    for name in names:
        cells = frame.select(text=cell_text(pl.col(name), decimal)).collect(engine="streaming").with_row_index("row")
        odd = cells.filter(text.is_not_null() & number(text).is_null())
        own = stated.get(name)
        resistive = own is None or own.quantity == "resistance"
        coded = odd.select(text.unique()).select(rkm_mark(text)).to_series().drop_nulls() if resistive else ()
        marks = _readable_marks(set(coded))
        suffixes, suffixed = _suffixes(odd.select(text), marks, own, cells.get_column("text").count())
        plain = without_rkm(without_suffix(text, suffixes), marks)
        read = read.with_columns(cells.select(number(plain).alias(name)).to_series())
        found[name] = _Careful(odd.filter(number(plain).is_null()), suffixes, suffixed, marks)
    return read, found


def _suffixes(odd: pl.DataFrame, marks: Collection[str], own: Unit | None, filled: int) -> tuple[tuple[str, ...], int]:
    """Return the texts of units behind numbers, and how many cells have one.

    Few cells with a unit of another quantity than the column's have a remark behind the number (`4.89 F`, failed): they
    are no readings. So have those with a multiplying letter after a blank.
    """
    text = pl.col("text")
    seen = odd.select(unit=unit_suffix(text), tight=~text.str.contains(" ")).drop_nulls("unit")
    found = seen.group_by("unit").agg(pl.len(), pl.col("tight").all()).filter(~pl.col("unit").is_in(marks)).rows()
    known = {unit: n for unit, n, _ in found if find_unit(unit)}
    if own is not None:
        fitting = {unit: n for unit, n, tight in found if _fits(unit, own, tight=tight)}
        if fitting or sum(known.values()) * 2 < filled:
            known = fitting
    return tuple(sorted(known)), sum(known.values())


def _fits(text: str, own: Unit, *, tight: bool) -> bool:
    unit, written = cell_unit(text, own), find_unit(text)
    if text in PREFIX_MARKS and not (written and written.quantity == own.quantity):
        return tight
    return unit is not None and unit.quantity == own.quantity


def _readable_marks(marks: set[str]) -> tuple[str, ...]:
    """An R or a k shows resistor codes; without one M could be SPICE's milli, K kelvin, G gauss: none is read."""
    return tuple(sorted(marks)) if marks & {"R", "k"} else ()


def _counts(name: str, guess: str, marked: bool) -> list[pl.Expr]:
    found = []
    if guess != "text":
        found.append(pl.col(name).count().alias(f"{name}\x1fn"))
    if marked:
        found.append(pl.col(f"{name}\x1fdateless").sum().alias(f"{name}\x1fnone"))
    if guess == "number":
        values = finite(pl.col(name))
        found.append(values.count().alias(f"{name}\x1ffinite"))
        found += [values.min().alias(f"{name}\x1flow"), values.max().alias(f"{name}\x1fhigh")]
    return found


def _decide(
    name: str,
    guess: str,
    cells: int,
    counts: Mapping[str, Any],
    careful: _Careful | None,
    *,
    labelled: bool,
) -> Kind:
    if guess == "text":
        return Kind("text", cells)
    if guess != "number":
        dateless = counts.get(f"{name}\x1fnone", 0)
        whole = counts[f"{name}\x1fn"] + dateless == cells
        return Kind(clocks.kind_of(guess), cells, format=guess, dateless=dateless) if whole else Kind("text", cells)
    numbers = int(counts[f"{name}\x1fn"])
    found = careful or _Careful(NO_ODD, (), 0, ())
    sentinels = found.odd["text"].str.to_lowercase().is_in(list(SENTINEL_TEXTS)).sum() if careful else 0
    blanks = cells - numbers - found.odd.height if careful else 0  # nothing but blanks
    share = numbers / max(1, cells - sentinels - blanks)
    nothing_else = labelled and cells == sentinels
    if cells and not nothing_else and (not numbers or share < (_SHARE_LABELLED if labelled else _SHARE_UNLABELLED)):
        return Kind("text", cells, numbers)
    return Kind(
        "number",
        cells,
        numbers,
        int(counts[f"{name}\x1ffinite"]),
        odd=found.odd,
        suffixes=found.suffixes,
        suffixed=found.suffixed,
        marks=found.marks,
        careful=careful is not None,
        lower=counts[f"{name}\x1flow"],
        upper=counts[f"{name}\x1fhigh"],
    )


def as_integer(cells: Cells, name: str) -> bool:
    """Whether every cell of a column of numbers is an integer that Int64 holds, and none is missing a digit."""
    kind, column = cells.kinds[name], pl.col(name)
    whole = (column == column.floor()) & (column.abs() < 2**53)
    return not kind.careful and kind.cells > 0 and bool(cells.select([name]).select(whole.all()).item())
