"""Where a value stands on an axis, and which round values the axis names. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICKS = 4
LOG_FROM = 50.0  # how many times the largest is the smallest where a logarithmic axis tells more


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` to `high`; `log` where both are positive and decades are drawn alike."""

    low: float
    high: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return where the value stands: 0 at `low`, 1 at `high`."""
        if self.log:
            if value <= 0:
                return 0.0
            return (math.log10(value) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        return (value - self.low) / (self.high - self.low)

    def shows(self, value: float) -> bool:
        """Return whether the value stands on the axis."""
        return (value > 0 or not self.log) and 0 <= self.at(value) <= 1

    def ticks(self) -> list[float]:
        """Return the values that the axis names."""
        if self.log:
            first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
            decades = range(first, last + 1, max(1, (last - first) // _TICKS))
            if len(decades) >= 2:
                return [10.0**exponent for exponent in decades]
            return [self.low, self.high]
        step = _step((self.high - self.low) / _TICKS)
        first = math.ceil(self.low / step)
        return [number * step for number in range(first, math.floor(self.high / step) + 1)]


def scale_for(values: Iterable[float], marks: Iterable[float]) -> Scale:
    """Return the axis for values and for the marks (limits, ranges) that should be in sight.

    A mark farther off than twice the values' own width (or their size, if that is wider) would flatten them and is left
    out; whoever draws says so in words.
    """
    found = [value for value in values if math.isfinite(value)]
    if not found:
        return Scale(0.0, 1.0)
    low, high = min(found), max(found)
    positive = [value for value in found if value > 0]
    if len(positive) == len(found) and high / low >= LOG_FROM:
        return Scale(low / 1.5, high * 1.5, log=True)
    reach = 2 * max(high - low, abs(high) / 10, abs(low) / 10, 1e-12)
    near = [mark for mark in marks if low - reach <= mark <= high + reach]
    low, high = min([low, *near]), max([high, *near])
    edge = max((high - low) * 0.06, abs(high) * 1e-9, 1e-12)
    return Scale(low - edge, high + edge)


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in _ROUND if factor * power >= rough * 0.999)


def number_text(value: float, digits: int = 6) -> str:
    """Return a number as an engineer writes it."""
    found = f"{value:.{digits}g}"
    return "0" if found in ("-0", "0") else found
