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

from guards.cells import key
from guards.kinds import Kind
from guards.parts import OPEN_SENSOR, Part
from guards.quantities import finite, number, rkm_mark, scaled, sentinel_kind, sentinel_number_kind
from guards.tally import Tally, only_declared, readings_of, value_of
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

    @property
    def doubtful(self) -> bool:
        """Whether some rows of a corrected part fit only as declared: no unit is sure for them, and they are nulled."""
        by_range = self.decision.verdict == "corrected" and self.decision.rule == "e"
        return by_range and self.tally is not None and self.tally.only_declared > 0

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
    for ruling, expression in zip(rulings, choose, strict=True):
        otherwise = otherwise if ruling.rows else expression
    alike: dict[bytes, tuple[pl.Expr, list[Ruling]]] = {}
    for ruling, expression in zip(rulings, choose, strict=True):
        if ruling.rows:
            alike.setdefault(expression.meta.serialize(), (expression, []))[1].append(ruling)
    if len(alike) <= _NESTED:
        chosen = otherwise
        for expression, same in alike.values():
            chosen = pl.when(_where_any(same, column)).then(expression).otherwise(chosen)
        return chosen
    wheres = [_where_any(same, column) for _, same in alike.values()]
    cases = [pl.when(where).then(e) for where, (e, _) in zip(wheres, alike.values(), strict=True)]
    return pl.coalesce(*cases, pl.when(~pl.any_horizontal(wheres)).then(otherwise))


_NESTED = 50
"""Deeper chains of when and otherwise cost more to plan than to evaluate side by side."""


def _where_any(rulings: Sequence[Ruling], column: Callable[[str], str]) -> pl.Expr:
    """Return the condition that picks the rows of any of the rulings: a set for each first key column."""
    found: dict[tuple[str, tuple[tuple[str, str | None], ...]], list[str | None]] = {}
    for ruling in rulings:
        (first, value), *others = ruling.rows.items()
        found.setdefault((first, tuple(others)), []).append(value)
    conditions = []
    for (first, rest), values in found.items():
        texts = pl.Series([value for value in values if value is not None], dtype=pl.String)
        here = pl.col(column(first)).cast(pl.String).is_in(texts.implode()).fill_null(None in values)
        for name, own in rest:
            here = here & pl.col(column(name)).eq_missing(pl.lit(own, pl.String))
        conditions.append(here)
    return functools.reduce(operator.or_, conditions)


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
        raw = readings_of(ruling.part, number(text))
        if ruling.decision.resolved is None or ruling.target is None:
            return raw
        factor, offset = conversion(ruling.decision.resolved, ruling.target)
        if factor == 1 and not offset:
            return raw
        sure = raw.is_not_null()
        if ruling.doubtful:
            sure = sure & ~only_declared(ruling.part, raw)
        return pl.when(sure).then(scaled(text, factor, offset))

    @property
    def read_exactly(self) -> bool:
        """Whether the cells as read hold the corrected values, so that no text need be cast again."""
        verdicts = {ruling.decision.verdict for ruling in self.rulings}
        return "corrected" not in verdicts and verdicts != {"refused"}

    def numbers(self) -> pl.Expr:
        """Return the corrected values over the cells: exact where `read_exactly`, else within one rounding."""
        return select(self.rulings, [self._numbers(ruling) for ruling in self.rulings], _NO_NUMBER, key).alias(
            self.name
        )

    def _numbers(self, ruling: Ruling) -> pl.Expr:
        if ruling.decision.verdict == "refused":
            return _NO_NUMBER
        raw = value_of(ruling.part)
        if ruling.decision.verdict == "kept" or ruling.decision.resolved is None or ruling.target is None:
            return raw
        factor, offset = conversion(ruling.decision.resolved, ruling.target)
        value = raw * float(factor) + float(offset)
        return pl.when(~only_declared(ruling.part, raw)).then(value) if ruling.doubtful else value

    @property
    def clears(self) -> bool:
        """Whether any cell of the column can be cleared with a flag, by what was read."""
        kind, parts = self.kind, [ruling.part for ruling in self.rulings]
        open_sensor = any(p.quantity == "temperature" for p in parts) and (kind.lower or 0) < OPEN_SENSOR[1]
        codes = kind.numbers > kind.readings or any(kind.holds(n) for part in parts for n in part.sentinel_numbers)
        return kind.odd.height > 0 or codes or open_sensor or any(ruling.doubtful for ruling in self.rulings)

    @property
    def touched(self) -> bool:
        """Whether any cell of the column can be changed, cleared or refused: its text is then kept as raw."""
        return self.clears or any(ruling.changes for ruling in self.rulings)

    def odd_kinds(self) -> pl.DataFrame:
        """Return `row` (position) and `odd` (kind of flag) of the cells that are no number."""
        texts: dict[str, str] = {}
        for ruling in self.rulings:
            texts |= dict(ruling.part.word.sentinel_texts)
        text = pl.col("text")
        ambiguous = pl.when(rkm_mark(text).is_not_null()).then(pl.lit("ambiguous"))
        kinds = pl.coalesce(sentinel_kind(text, texts), ambiguous, pl.lit("unreadable"))
        return self.kind.odd.select(pl.col("row").alias("\x1frow"), kinds.alias("\x1fodd"))

    def flag(self) -> pl.Expr:
        """Return each cell's flag over the cells joined with `odd_kinds`; null for a reading or an empty cell."""
        return select(self.rulings, [self._cell_flag(ruling) for ruling in self.rulings], _NO_TEXT, key)

    def _cell_flag(self, ruling: Ruling) -> pl.Expr:
        value = pl.col(self.name)
        plain = sentinel_number_kind(value, ruling.part.sentinel_numbers)
        if ruling.part.quantity == "temperature":
            plain = pl.when(value.is_between(*OPEN_SENSOR)).then(pl.lit("open sensor")).otherwise(plain)
        if ruling.doubtful:
            doubt = only_declared(ruling.part, finite(value, ruling.part.sentinel_numbers))
            plain = pl.coalesce(plain, pl.when(doubt).then(pl.lit("doubtful")))
        return pl.coalesce("\x1fodd", plain)

    def rewritten(self) -> pl.Expr:
        """Return, over the cells, whether the cell is in rows that are corrected or refused, and not empty."""
        filled = pl.col(self.name).is_not_null() | pl.col("\x1fodd").is_not_null()
        choose = [pl.lit(ruling.changes) for ruling in self.rulings]
        return select(self.rulings, choose, pl.lit(False), key) & filled


def from_cells(name: str, kind: Kind) -> pl.Expr | None:
    """Return a column that is not judged as the cells hold it, None where only its text will do."""
    if kind.kind == "number":
        return finite(pl.col(name))
    return pl.col(name) if kind.temporal else None


def typed(name: str, kind: Kind) -> pl.Expr:
    """Return a column of text or integers from its text: text stays verbatim."""
    column = pl.col(name)
    if kind.kind == "integer":
        return column.cast(pl.Int64, strict=False).alias(name)
    return column
