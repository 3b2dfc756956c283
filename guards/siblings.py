"""Channels of one kind beside each other: "Cell 1 (mV)", "Cell 2 (mV)", "Cell 3 (V)".

Numbered columns of one name and one quantity measure alike things. Where all but one carry the same unit, and only
under that unit's reading has the last one their size, its label is the odd one. Numbers can coincide, so this witness
refuses with a proposal, or supports, and never corrects.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from guards.candidates import Candidate
from guards.checks import Check, in_base
from guards.corrections import Ruling
from guards.declared import stem_of
from guards.neighbours import with_all_readings
from guards.parts import Part
from guards.tally import value_of
from guards.units import Unit

_FEWEST = 2
_ALIKE = 1.25
"""Sizes within this factor are alike: shunts of 6.3 mV beside a rail of 3.3 V are not, channels of one kind are."""
_NUMBER = re.compile(r"\d+")


def sibling_checks(
    rulings: Mapping[str, tuple[Ruling, ...]], headers: Mapping[str, str]
) -> dict[str, tuple[Part, tuple[Check, ...]]]:
    """Return, for each column whose siblings all carry another unit, its part with all its readings and the check."""
    found: dict[str, tuple[Part, tuple[Check, ...]]] = {}
    for family in _families(rulings, headers):
        for ruling in family:
            others = [other for other in family if other is not ruling]
            check = _check(ruling.part, others) if len(others) >= _FEWEST and ruling.part.node is None else None
            if check is not None:
                found[ruling.part.column] = (with_all_readings(ruling.part), (check,))
    return found


def _families(rulings: Mapping[str, tuple[Ruling, ...]], headers: Mapping[str, str]) -> Iterator[list[Ruling]]:
    """Yield the columns judged whole whose names differ by a number only, where they do not all carry one unit."""
    found: dict[tuple[str, str | None], list[Ruling]] = {}
    for name, decided in rulings.items():
        part, stem = decided[0].part, stem_of(headers[name])
        whole = len(decided) == 1 and not decided[0].rows
        if whole and _NUMBER.search(stem) and part.declared and not part.problem and not part.declared.logarithmic:
            found.setdefault((_NUMBER.sub("#", stem), part.quantity), []).append(decided[0])
    for family in found.values():
        if len({ruling.part.declared for ruling in family}) > 1:
            yield family


def _check(part: Part, others: Sequence[Ruling]) -> Check | None:
    unit = others[0].part.declared
    settled = all(o.part.declared == unit and o.decision.verdict in ("kept", "unverified") for o in others)
    sizes = [_size(other) for other in others]
    known = [size for size in sizes if size is not None]
    if unit is None or unit == part.declared or not settled or len(known) < len(sizes):
        return None
    return _same_size(part, [other.part.column for other in others], known, unit) if _alike(known) else None


def _alike(sizes: Sequence[float]) -> bool:
    return max(sizes) <= _ALIKE * min(sizes)


def _size(ruling: Ruling) -> float | None:
    """Return the typical size of a column's raw values, None where they have none."""
    tally = ruling.tally
    if tally is None or not tally.judged or tally.lower is None or tally.upper is None:
        return None
    return math.sqrt(tally.lower * tally.upper) if tally.lower * tally.upper > 0 else None


def _same_size(part: Part, names: Sequence[str], sizes: Sequence[float], unit: Unit) -> Check:
    """The odd one's values have its siblings' size (soft)."""
    value, scale = value_of(part), float(unit.scale)
    low, high = min(sizes) * scale / _ALIKE, max(sizes) * scale * _ALIKE

    def fits(reading: Candidate) -> pl.Expr:
        if reading.kind not in ("declared", "prefix"):
            return pl.lit(None, pl.Boolean)
        return pl.when(value != 0).then(in_base(value, reading).abs().is_between(low, high))

    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return Check("sibling prefixes", False, fits, f"the size of {shown} (about {min(sizes):.4g} {unit})")
