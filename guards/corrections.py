"""Verdicts to polars expressions: the typed, corrected columns, what was flagged, and how many rows changed.

A cell is flagged when it stands for no reading (an overflow code, "OL", NaN), when it cannot be read, and when its part
was refused; its value is null then and its row stays. A corrected value comes from the text by one cast
(`quantities.scaled`).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from guards.kinds import Kind
from guards.parts import OPEN_SENSOR, Part
from guards.quantities import cell_text, finite, number, scaled, sentinel_kind, sentinel_number_kind, without_suffix
from guards.tally import Tally
from guards.units import Unit, conversion
from guards.verdict import Decision


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision on the rows where `where` holds (all rows if None): a part, or one segment of it.

    `segment` names those rows for people; `units` are the unit texts that cells of these rows may carry.
    """

    part: Part
    decision: Decision
    where: pl.Expr | None = None
    segment: dict[str, str] | None = None
    tally: Tally | None = None

    @property
    def target(self) -> Unit | None:
        """The unit in which the values of these rows stand afterwards."""
        return self.part.target or self.part.declared

    @property
    def changes(self) -> bool:
        """Whether values of these rows change by more than sentinels."""
        return self.decision.verdict in ("corrected", "refused")


def select(rulings: Sequence[Ruling], choose: dict[int, pl.Expr], otherwise: pl.Expr) -> pl.Expr:
    """Return the expression of each ruling where its rows are, `otherwise` elsewhere."""
    if len(rulings) == 1 and rulings[0].where is None:
        return choose[0]
    chosen = otherwise
    for i in reversed(range(len(rulings))):
        where = rulings[i].where
        chosen = choose[i] if where is None else pl.when(where).then(choose[i]).otherwise(chosen)
    return chosen


@dataclass(frozen=True, slots=True)
class MeasuredColumn:
    """A measured column with its rulings: the expressions that make its values, flags and changes."""

    name: str
    kind: Kind
    decimal: str
    rulings: tuple[Ruling, ...]

    @property
    def text(self) -> pl.Expr:
        """The cell's number text: blanks, decimal mark and unit suffix off."""
        text = cell_text(pl.col(self.name), self.decimal)
        return without_suffix(text, self.kind.suffixes)

    def values(self) -> pl.Expr:
        """Return the corrected Float64 values; refused rows, sentinels and unreadable cells are null."""
        choose = {i: self._values(ruling) for i, ruling in enumerate(self.rulings)}
        return select(self.rulings, choose, pl.lit(None, pl.Float64)).alias(self.name)

    def _values(self, ruling: Ruling) -> pl.Expr:
        if ruling.decision.verdict == "refused":
            return pl.lit(None, pl.Float64)
        raw = finite(number(self.text), ruling.part.sentinel_numbers)
        if ruling.part.quantity == "temperature":
            raw = pl.when(~raw.is_between(*OPEN_SENSOR)).then(raw)
        if ruling.decision.resolved is None or ruling.target is None:
            return raw
        factor, offset = conversion(ruling.decision.resolved, ruling.target)
        return raw if factor == 1 and not offset else pl.when(raw.is_not_null()).then(scaled(self.text, factor, offset))

    def flag(self) -> pl.Expr:
        """Return the kind of flag that each cell gets, null for a plain reading, an empty cell or a refused row."""
        texts: dict[str, str] = {}
        for ruling in self.rulings:
            texts |= dict(ruling.part.word.sentinel_texts)
        nothing = pl.lit(None, pl.String)
        choose = {
            i: nothing if ruling.decision.verdict == "refused" else self._cell_flag(ruling, texts)
            for i, ruling in enumerate(self.rulings)
        }
        return select(self.rulings, choose, nothing)

    def _cell_flag(self, ruling: Ruling, texts: dict[str, str]) -> pl.Expr:
        value = number(self.text)
        plain = sentinel_number_kind(value, ruling.part.sentinel_numbers)
        if ruling.part.quantity == "temperature":
            plain = pl.when(value.is_between(*OPEN_SENSOR)).then(pl.lit("open sensor")).otherwise(plain)
        if not self.kind.odd:
            return plain
        word = sentinel_kind(cell_text(pl.col(self.name), self.decimal), texts)
        unreadable = pl.when(value.is_null() & pl.col(self.name).is_not_null()).then(pl.lit("unreadable"))
        return pl.coalesce(word, plain, unreadable.otherwise(None))

    @property
    def clears(self) -> bool:
        """Whether any cell of the column can be cleared with a flag, by what the statistics saw."""
        return bool(self.kind.odd) or self._has_codes

    @property
    def touched(self) -> bool:
        """Whether any cell of the column can be changed, cleared or refused: its text is then kept as raw."""
        return self.clears or any(ruling.changes for ruling in self.rulings)

    @property
    def _has_codes(self) -> bool:
        open_sensor = (
            any(r.part.quantity == "temperature" for r in self.rulings) and (self.kind.lower or 0) < OPEN_SENSOR[1]
        )
        return (
            self.kind.numbers > self.kind.readings or open_sensor or any(r.part.sentinel_numbers for r in self.rulings)
        )

    def changed(self) -> pl.Expr:
        """Return whether the cell's value is changed or cleared."""
        choose = {i: pl.lit(ruling.changes) for i, ruling in enumerate(self.rulings)}
        rewritten = select(self.rulings, choose, pl.lit(False)) & pl.col(self.name).is_not_null()
        return rewritten | self.flag().is_not_null()


def typed(name: str, kind: Kind, decimal: str) -> pl.Expr:
    """Return a column that is not judged, in the type of its cells: text stays verbatim."""
    column = pl.col(name)
    text = cell_text(column, decimal)
    if kind.kind == "integer":
        return text.cast(pl.Int64, strict=False).alias(name)
    if kind.kind == "number":
        return finite(number(without_suffix(text, kind.suffixes))).alias(name)
    if kind.kind == "datetime":
        assert kind.format is not None
        return text.str.to_datetime(kind.format, strict=False, time_unit="us").alias(name)
    if kind.kind == "date":
        return text.str.to_date("%Y-%m-%d", strict=False).alias(name)
    return column


def any_changed(columns: Sequence[MeasuredColumn]) -> pl.Expr:
    """Return whether any judged cell of the row is changed or cleared."""
    return functools.reduce(operator.or_, [column.changed().fill_null(False) for column in columns], pl.lit(False))
