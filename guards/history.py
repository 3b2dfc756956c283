"""What earlier exports held: a witness for a column that the board says nothing about.

A bench measures the same node of the same product again and again, so its values keep their size: a column that is a
thousand times what it was for years is in another unit, or the bench has changed. Which of both, no history can tell,
so this witness never corrects. It is asked like a row check (`checks`).
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from guards.candidates import Candidate
from guards.checks import Check, in_base
from guards.units import find_unit

_STEP = 10.0
"""How far sizes may wander, each way: two of these are still nearer than the next prefix."""
_SPAN_K = 10.0


@dataclass(frozen=True, slots=True)
class Past:
    """Where nearly all earlier values of a column or measurement lay: `low` to `high` in `unit`, of `rows` values.

    Of temperatures these are values, of all other quantities sizes (without sign, zeros apart), as the 1st and the 99th
    percentile.
    """

    table: str
    column: str
    measurement: str | None
    unit: str
    low: float
    high: float
    rows: int


def history(value: pl.Expr, past: Past) -> Check | None:
    """Values have the size that they had in earlier exports (soft); None where sizes say nothing (logarithmic units).

    Decides between prefixes, and between offset units of temperature. A supply that was switched off, a new range or
    another product looks like another unit, so it refuses with a proposal and never corrects.
    """
    unit = find_unit(past.unit)
    if unit is None or unit.logarithmic:
        return None
    scale, offset = float(unit.scale), float(unit.offset)
    if unit.quantity == "temperature":
        span = max((past.high - past.low) * scale, _SPAN_K)
        low, high = past.low * scale + offset - span, past.high * scale + offset + span
    else:
        low, high = past.low * scale / _STEP, past.high * scale * _STEP

    def fits(reading: Candidate) -> pl.Expr:
        found = in_base(value, reading)
        if reading.unit.quantity != unit.quantity or reading.kind == "decade":  # a decade is what sizes may wander
            return pl.lit(None, pl.Boolean)
        size = found if unit.quantity == "temperature" else found.abs()
        return pl.when(value != 0).then(size.is_between(low, high))

    words = f"where {past.rows} earlier values were ({past.low:.6g}..{past.high:.6g} {past.unit})"
    return Check("history", False, fits, words)
