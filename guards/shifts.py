"""Powers of ten by arithmetic on the numbers that were read, where that gives bit for bit what the text would give.

A decimal of at most 15 digits is n / 10**d with an integer n below 10**15, and n and 10**d (d up to 22) are floats
without error: one division of the two is the float nearest to the decimal (Clinger, "How to Read Floating Point Numbers
Accurately", 1990). So round(x * 10**d) is n, and n / 10**(d - k) is the float nearest to the decimal times 10**k. That
x has no more digits is seen from its value (n / 10**d is x again) and from its text, which whoever uses this checks:
`LONGEST` characters hold no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from guards.cells import Cells
from guards.corrections import MeasuredColumn
from guards.units import conversion, power_of_ten

LONGEST = 17  # a sign, a point and 15 digits
_MOST = 1e15
_DECIMALS = 12
_SAMPLE = 1000


@dataclass(frozen=True, slots=True)
class Shift:
    """The corrected value of each cell x is round(x * 10**decimals) / 10**(decimals - exponent)."""

    decimals: int
    exponent: int


def shifts(cells: Cells, columns: Sequence[MeasuredColumn]) -> Mapping[str, Shift | None]:
    """Return, for columns that are changed as a whole, how: by a shift, or None where every value becomes null."""
    found: dict[str, Shift | None] = {}
    for column in columns:
        if len(column.rulings) != 1 or column.clears:
            continue
        if column.rulings[0].decision.verdict == "refused":
            found[column.name] = None
        elif (exponent := _exponent(column)) is not None:
            decimals = _decimals(cells.get_column(column.name))
            if decimals is not None and abs(decimals - exponent) <= 22:
                found[column.name] = Shift(decimals, exponent)
    return found


def _exponent(column: MeasuredColumn) -> int | None:
    (ruling,) = column.rulings
    resolved, target = ruling.decision.resolved, ruling.target
    plain = not column.kind.careful and column.decimal == "." and not ruling.doubtful
    if ruling.decision.verdict != "corrected" or resolved is None or target is None or not plain:
        return None
    factor, offset = conversion(resolved, target)
    return None if offset else power_of_ten(factor)


def _decimals(values: pl.Series) -> int | None:
    """Return how many decimals give every value back, None where no number of them does."""
    values = values.drop_nulls()
    sample = values.head(_SAMPLE)
    most = max(abs(float(values.max() or 0)), abs(float(values.min() or 0)))  # type: ignore[arg-type]
    for decimals in range(_DECIMALS + 1):
        if most * 10**decimals >= _MOST:
            return None
        if _exact(sample, decimals) and _exact(values, decimals):
            return decimals
    return None


def _exact(values: pl.Series, decimals: int) -> bool:
    x, power = pl.col(values.name), 10.0**decimals
    # By a column: polars multiplies by the reciprocal of a scalar, which rounds twice.
    back = (x * power).round() / (x * 0.0 + power)
    return bool(values.to_frame().lazy().select((back == x).all()).collect(engine="streaming").item())
