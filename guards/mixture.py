"""Whether the values of one part are of two units at once: rule c."""

from __future__ import annotations

import math

from guards.parts import Part
from guards.tally import Tally
from guards.witnesses import TOLERATED


def mixed_with(part: Part, tally: Tally) -> int | None:
    """Return the automatic reading that rule c finds beside the declared one, None where the rows are of one kind.

    Each explains over 10 % of the rows that the other cannot, and the rival's raw numbers lie about as far from the
    declared one's as the units do: 5010 beside 5.01 is a mixture, a sweep through two nodes' ranges is not.
    """
    share = TOLERATED * tally.judged
    if not tally.judged or tally.only_declared <= share:
        return None
    for i, reading in enumerate(part.readings):
        if i and reading.automatic and tally.only_rival[i] > max(share, 1):
            apart = tally.log_rival[i] / tally.only_rival[i] - tally.log_declared / tally.only_declared
            units = math.log10(part.readings[0].unit.scale / reading.unit.scale)
            if abs(apart - units) <= _SAME_DISTANCE:
                return i
    return None


_SAME_DISTANCE = 0.75
"""In decades: how far the two groups' geometric means may differ from the distance between their units."""
