"""What people confuse with what: the units that a column's raw values could be in, given the declared one.

One table for each quantity. *Automatic* candidates may correct a column (SI prefixes, percent against fraction,
seconds against milliseconds); all others are proposals for an engineer: factors of 10 and 100 (a probe's attenuation
or a wrong decade, which no label records), offset units (only a profile's `offsets = true` makes them automatic),
minutes and hours, ppm. A logarithmic unit is never scaled, and only proposed against its linear one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from guards.units import PREFIXES, Unit, find_unit

_PREFIX_STEPS = (3, 6, 9)
_RATIO = {"1": True, "%": True, "ppm": False}  # unit: automatic
_TIME_PROPOSALS = ("min", "h")
_TEMPERATURE = ("degC", "degF", "K")
_LOGARITHMIC = {"power": ("dBm",), "power level": ("W", "mW")}
_DECADES = (Fraction(10), Fraction(100), Fraction(1, 10), Fraction(1, 100))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of a column's raw values. value in the quantity's base unit = raw * scale + offset.

    `label` names it in witnesses: the unit's symbol, or "x10" for a decade that is no unit. `automatic`: may correct.
    `kind` is "declared", "prefix", "ratio", "time", "offset", "decade" or "logarithmic".
    """

    label: str
    unit: Unit
    kind: str
    automatic: bool

    @property
    def affine(self) -> bool:
        """Whether the reading is a scale and an offset (everything but a logarithmic unit)."""
        return self.kind != "logarithmic"

    @lru_cache(maxsize=4096)  # noqa: B019 - a table of many columns asks the same few over and over; they are small
    def raw_interval(
        self, lower: Fraction | None, upper: Fraction | None, *, level: bool = False
    ) -> tuple[float, float]:
        """Return the interval of raw values that this reading puts into [lower, upper] of the base unit.

        `level`: the range is one of levels (dBm), so that a linear reading meets it through the logarithm, and a
        logarithmic reading directly.
        """
        if self.unit.logarithmic != level:
            return self._across(lower, upper)
        low, high = ((None if edge is None else (edge - self.unit.offset) / self.unit.scale) for edge in (lower, upper))
        return (-math.inf if low is None else float(low)), (math.inf if high is None else float(high))

    def _across(self, lower: Fraction | None, upper: Fraction | None) -> tuple[float, float]:
        if self.unit.logarithmic:  # raw is dBm, the range is in W
            low = -math.inf if lower is None or lower <= 0 else 10 * math.log10(float(lower) * 1000)
            high = math.inf if upper is None else (10 * math.log10(float(upper) * 1000) if upper > 0 else -math.inf)
            return low, high
        scale = float(self.unit.scale)  # raw is W or mW, the range is in dBm
        low = 0.0 if lower is None else 10 ** (float(lower) / 10) / 1000 / scale
        return low, math.inf if upper is None else 10 ** (float(upper) / 10) / 1000 / scale


@lru_cache(maxsize=1024)
def candidates(declared: Unit, *, offsets: bool = False) -> tuple[Candidate, ...]:
    """Return every reading of values declared as `declared`, the declared one first.

    `offsets`: the column's profile lets offset and decade candidates correct.
    """
    found = [Candidate(declared.symbol, declared, "declared", True)]
    found += _prefixes(declared)
    found += _named(declared, offsets)
    if not declared.logarithmic and declared.quantity not in ("temperature", "time", "ratio"):
        found += _decades(declared, offsets)
    found += [
        Candidate(symbol, _unit(symbol), "logarithmic", False) for symbol in _LOGARITHMIC.get(declared.quantity, ())
    ]
    return tuple(found)


def _unit(symbol: str) -> Unit:
    unit = find_unit(symbol)
    assert unit is not None, symbol
    return unit


def _split(unit: Unit) -> tuple[str, str] | None:
    """Return (prefix, base symbol) of a unit that takes prefixes; for a compound, of its first factor."""
    for prefix in sorted(PREFIXES, key=len, reverse=True):
        rest = unit.symbol[len(prefix) :]
        sibling = "m" if prefix == "" else ""
        if unit.symbol.startswith(prefix) and rest and (found := find_unit(sibling + rest)):
            exact = (
                found.quantity == unit.quantity
                and found.scale * Fraction(10) ** (PREFIXES[prefix] - PREFIXES[sibling]) == unit.scale
            )
            if exact:
                return prefix, rest
    return None


def _prefixes(declared: Unit) -> Iterator[Candidate]:
    if declared.logarithmic or declared.quantity in ("temperature", "ratio", "rotation", "acceleration"):
        return
    split = _split(declared)
    if split is None:
        return
    own, base = split
    for prefix, exponent in PREFIXES.items():
        if abs(exponent - PREFIXES[own]) in _PREFIX_STEPS and (unit := find_unit(prefix + base)):
            yield Candidate(unit.symbol, unit, "prefix", True)


def _named(declared: Unit, offsets: bool) -> Iterator[Candidate]:
    if declared.quantity == "ratio":
        for symbol, automatic in _RATIO.items():
            if symbol != declared.symbol:
                yield Candidate(symbol, _unit(symbol), "ratio", automatic and declared.symbol != "ppm")
    elif declared.quantity == "time":
        symbols = ("s", "ms", *_TIME_PROPOSALS) if declared.symbol in _TIME_PROPOSALS else _TIME_PROPOSALS
        for symbol in symbols:
            if symbol != declared.symbol:
                yield Candidate(symbol, _unit(symbol), "time", False)
    elif declared.quantity == "temperature":
        for symbol in _TEMPERATURE:
            if symbol != declared.symbol:
                yield Candidate(symbol, _unit(symbol), "offset", offsets)


def _decades(declared: Unit, offsets: bool) -> Iterator[Candidate]:
    for factor in _DECADES:
        label = f"x{factor}" if factor >= 1 else f"/{1 / factor}"
        unit = Unit(declared.symbol, declared.quantity, declared.scale * factor, declared.offset)
        yield Candidate(label, unit, "decade", offsets)
