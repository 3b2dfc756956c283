"""What else than a run may vouch for a number: the limits, the guard's ledger, the question."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.ask.figures import Context
from bench.ask.numbers import Number, find_numbers
from bench.ask.quantities import Unit, unit_of

EXACT = 1e-9
_BOUNDS = re.compile(
    r"limit|spec|between|within|above|below|under|over|outside|inside|window|band|range|toleran|pass|fail|exceed"
    r"|[<>≤≥]|at least|at most",
    re.IGNORECASE,
)
_LEDGER = re.compile(r"\b(?:rows?|cells?|lines?|values?|readings?|records?)\b", re.IGNORECASE)
_GUARDED = re.compile(
    r"\b(?:read|kept|multipl\w*|scal\w*|correct\w*|chang\w*|quarantin\w*|refus\w*|flag\w*|clear\w*|divid\w*|convert\w*|guard|export"
    r"|table|file)\b",
    re.IGNORECASE,
)


class Vouchers:
    """The limits, counts and question of one context."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._asked = find_numbers(context.question)
        self._plain = {float(found) for found in re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])", context.question)}

    @property
    def known(self) -> set[float]:
        """The absolute values of all numbers of the question and the limits."""
        return self.asked | {abs(value) for value, _, _ in self._limits()}

    @property
    def asked(self) -> set[float]:
        """The absolute values of the numbers of the question."""
        return {abs(number.value) for number in self._asked} | self._plain

    def limit(self, number: Number, sentence: str) -> str | None:
        """Return the limit that a number states: exactly, in a sentence about passing or bounds. A whole number without
        a unit is a count, unless it is called a limit."""
        if not number.limit and (not _BOUNDS.search(sentence) or (number.unit is None and number.whole)):
            return None
        return next((what for value, unit, what in self._limits() if _equal(number, value, unit)), None)

    def vouches(self, number: Number) -> bool:
        """Return whether a number is one of the question's or, in its unit, of the limits."""
        if any(_same(abs(number.value), value) for value in self.asked):
            return True
        if number.unit is None and number.whole:
            return False
        return any(_equal(number, value, unit) for value, unit, _ in self._limits())

    def count(self, number: Number, sentence: str, clause: str) -> str | None:
        """Return the factor or count of the guard's ledger that a number states, in a clause about the guard's work."""
        if number.unit is not None or not _GUARDED.search(clause):
            return None
        for what, factor in self._context.factors.items():
            if any(abs(abs(number.value) - value) <= EXACT * value for value in (factor, 1 / factor)):
                return f"guard: {what}"
        if not _LEDGER.search(sentence):
            return None
        return next((f"guard: {what}" for what, count in self._context.counts.items() if count == number.value), None)

    def question(self, number: Number) -> bool:
        """Return whether the question has the number, in any prefix of its unit."""
        if number.unit is None and number.value in self._plain:
            return True
        return any(_equal(number, asked.value, asked.unit) for asked in self._asked)

    def _limits(self) -> Iterator[tuple[float, Unit | None, str]]:
        for node, limit in (self._context.limits or {}).items():
            for side in ("lower", "upper"):
                if limit.get(side) is not None:
                    yield float(limit[side]), unit_of(str(limit.get("unit") or "")), f"limits: {node} {side}"


def _equal(number: Number, value: float, unit: Unit | None) -> bool:
    if number.unit is not None and unit is not None:
        if number.unit.quantity != unit.quantity:
            return False
        value *= unit.factor / number.unit.factor
    return _same(number.value, value)


def _same(value: float, other: float) -> bool:
    return abs(value - other) <= EXACT * max(abs(value), 1e-30)
