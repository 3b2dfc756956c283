"""Verdicts to polars expressions: the typed, corrected columns over the raw texts, and the flags over the cells read.

A cell is flagged when it stands for no reading (an overflow code, "OL", NaN) or cannot be read; its value is null then
and its row stays. A corrected value comes from the text by one cast (`quantities.scaled`), any other from the one cast
that reads it.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from guards.cells import Kind, key
from guards.parts import OPEN_SENSOR, Part
from guards.quantities import finite, number, scaled, sentinel_kind, sentinel_number_kind
from guards.tally import Tally
from guards.units import Unit, conversion
from guards.verdict import Decision


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision on the rows whose key columns have the values in `rows` (every row where that is empty).

    `segment` names those rows for people; `tally` is what was counted in them.
    """

    part: Part
    decision: Decision
    rows: Mapping[str, str | None] = field(default_factory=dict)
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

    def where(self, column: Callable[[str], str] = str) -> pl.Expr | None:
        """Return the condition that picks these rows; `column` names key columns (`cells.key` over cells)."""
        if not self.rows:
            return None
        matches = [pl.col(column(name)).eq_missing(pl.lit(value, pl.String)) for name, value in self.rows.items()]
        return functools.reduce(operator.and_, matches)


def select(
    rulings: Sequence[Ruling], choose: Sequence[pl.Expr], otherwise: pl.Expr, column: Callable[[str], str] = str
) -> pl.Expr:
    """Return the expression of each ruling where its rows are, `otherwise` elsewhere."""
    chosen = otherwise
    for ruling, expression in reversed(list(zip(rulings, choose, strict=True))):
        where = ruling.where(column)
        chosen = expression if where is None else pl.when(where).then(expression).otherwise(chosen)
    return chosen


_NO_TEXT = pl.lit(None, pl.String)
_NO_NUMBER = pl.lit(None, pl.Float64)


@dataclass(frozen=True, slots=True)
class MeasuredColumn:
    """A measured column with its rulings: the expressions that make its values, flags and changes."""

    name: str
    kind: Kind
    decimal: str
    rulings: tuple[Ruling, ...]

    def values(self) -> pl.Expr:
        """Return the corrected Float64 values over the raw frame; refused rows and cells without a reading are null."""
        return select(self.rulings, [self._values(ruling) for ruling in self.rulings], _NO_NUMBER).alias(self.name)

    def _values(self, ruling: Ruling) -> pl.Expr:
        if ruling.decision.verdict == "refused":
            return _NO_NUMBER
        text = self.kind.text(self.name, self.decimal)
        raw = _without_open_sensors(ruling.part, finite(number(text), ruling.part.sentinel_numbers))
        if ruling.decision.resolved is None or ruling.target is None:
            return raw
        factor, offset = conversion(ruling.decision.resolved, ruling.target)
        if factor == 1 and not offset:
            return raw
        return pl.when(raw.is_not_null()).then(scaled(text, factor, offset))

    @property
    def clears(self) -> bool:
        """Whether any cell of the column can be cleared with a flag, by what was read."""
        kind, parts = self.kind, [ruling.part for ruling in self.rulings]
        open_sensor = any(p.quantity == "temperature" for p in parts) and (kind.lower or 0) < OPEN_SENSOR[1]
        return (
            kind.odd.height > 0 or kind.numbers > kind.readings or open_sensor or any(p.sentinel_numbers for p in parts)
        )

    @property
    def touched(self) -> bool:
        """Whether any cell of the column can be changed, cleared or refused: its text is then kept as raw."""
        return self.clears or any(ruling.changes for ruling in self.rulings)

    def odd_kinds(self) -> pl.DataFrame:
        """Return `row` (position) and `odd` (kind of flag) of the cells that are no number."""
        texts: dict[str, str] = {}
        for ruling in self.rulings:
            texts |= dict(ruling.part.word.sentinel_texts)
        return self.kind.odd.select("row", odd=pl.coalesce(sentinel_kind(pl.col("text"), texts), pl.lit("unreadable")))

    def flag(self) -> pl.Expr:
        """Return each cell's flag over the cells joined with `odd_kinds`; null for a reading or an empty cell."""
        return select(self.rulings, [self._cell_flag(ruling) for ruling in self.rulings], _NO_TEXT, key)

    def _cell_flag(self, ruling: Ruling) -> pl.Expr:
        value = pl.col(self.name)
        plain = sentinel_number_kind(value, ruling.part.sentinel_numbers)
        if ruling.part.quantity == "temperature":
            plain = pl.when(value.is_between(*OPEN_SENSOR)).then(pl.lit("open sensor")).otherwise(plain)
        return pl.coalesce("odd", plain)

    def rewritten(self) -> pl.Expr:
        """Return, over the cells, whether the cell is in rows that are corrected or refused, and not empty."""
        filled = pl.col(self.name).is_not_null() | pl.col("odd").is_not_null()
        choose = [pl.lit(ruling.changes) for ruling in self.rulings]
        return select(self.rulings, choose, pl.lit(False), key) & filled


def _without_open_sensors(part: Part, value: pl.Expr) -> pl.Expr:
    return pl.when(~value.is_between(*OPEN_SENSOR)).then(value) if part.quantity == "temperature" else value


def typed(name: str, kind: Kind, decimal: str) -> pl.Expr:
    """Return a column that is not judged, in the type of its cells: text stays verbatim."""
    column = pl.col(name)
    if kind.kind == "integer":
        return column.cast(pl.Int64, strict=False).alias(name)
    if kind.kind == "number":
        return finite(number(kind.text(name, decimal))).alias(name)
    if kind.kind == "datetime":
        assert kind.format is not None
        return column.str.strip_chars().str.to_datetime(kind.format, strict=False, time_unit="us").alias(name)
    if kind.kind == "date":
        return column.str.strip_chars().str.to_date("%Y-%m-%d", strict=False).alias(name)
    return column
