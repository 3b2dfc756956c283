"""Row checks: witnesses that compare a value with what stands beside it in its own row.

Each builds a `Check`: for every reading of the column's values, whether a row fits it, and in how many rows it can be
asked at all. They share one way of speaking (`witnesses.row_checks`): a reading that fits nine rows in ten is
supported; the others are contradicted, by a *decisive* check only when some reading is supported, because an unknown
ratio is not a unit.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from guards.candidates import Candidate
from guards.identities import broken, far_broken, is_equality
from guards.units import Unit

_OVERRANGE = 1.2
"""A meter reads at most 20 % over its range (Keysight 34465A and Keithley DMM6500 data sheets: 120 %)."""
_TIME_TOLERANCE = 0.05
"""Clock against elapsed time may differ by 5 %, the tolerance that the Battery Data Format tool settled on."""
IDENTITY_TOLERANCE = 0.1
"""P = V·I between columns of separate meters, or of averages: within 10 %, far from any prefix."""
_BEYOND_A_METER = 30.0
"""Half a step of 1000 in decades: what breaks an inequality by less is nearer to a wrong reading than to a unit."""
_FEWEST_PAIRS = 10
_FEWEST_ROWS = 3


@dataclass(frozen=True, slots=True)
class Check:
    """One witness that asks row by row.

    `fits` gives, for a reading, whether a row of `Cells` fits it (null: it cannot be asked). `needs` rows must be
    askable. `decisive`: it speaks only when it supports some reading. `words` names what the values are compared with:
    "12 of 12 rows fit {words} as A".
    """

    name: str
    hard: bool
    fits: Callable[[Candidate], pl.Expr]
    words: str
    needs: int = _FEWEST_ROWS
    decisive: bool = True


def in_base(value: pl.Expr, reading: Candidate) -> pl.Expr:
    """Return the value in the quantity's base unit under a reading."""
    scaled = value * float(reading.unit.scale)
    return scaled + float(reading.unit.offset) if reading.unit.offset else scaled


def elapsed_time(value: pl.Expr, moment: pl.Expr, column: str) -> Check:
    """Steps of an elapsed-time column against steps of the time stamps beside them (hard).

    Decides the unit of the time column, on 10 steps or more. Both are compared from one change of the clock to the
    next: rows between share a stamp, and a step of one row against a whole tick would make any ratio (battery-data-
    format issue 98). From change to change, rounding makes at most a factor of two, which is no unit's, and a ratio
    that is no unit's says nothing. Source of the rule: battery-data-format pull request 70.
    """
    known = value.is_not_null() & moment.is_not_null()
    stamp = moment.filter(known)
    changes = stamp.ne_missing(stamp.shift())
    # When the clock took its first value is known only where the next row has another one.
    changes &= stamp.shift().is_not_null() | (stamp != stamp.shift(-1))
    clock = stamp.filter(changes).diff().dt.total_microseconds().cast(pl.Float64) / 1e6
    step = value.filter(known).filter(changes).diff()

    def fits(reading: Candidate) -> pl.Expr:
        ratio = step * float(reading.unit.scale) / clock
        near = (ratio - 1).abs() <= _TIME_TOLERANCE
        return pl.when((step > 0) & (clock > 0)).then(near)

    return Check("elapsed time", True, fits, f"the steps of {column}", _FEWEST_PAIRS)


def instrument_range(value: pl.Expr, limit: pl.Expr, unit: Unit, column: str) -> Check:
    """The meter's own range beside the reading bounds it: a reading cannot exceed 1.2 times its range (soft).

    One-sided, like every range: it contradicts a unit that is too large and says nothing for one that is too small.
    """
    bound = limit.abs() * (float(unit.scale) * _OVERRANGE)

    def fits(reading: Candidate) -> pl.Expr:
        return pl.when(value != 0).then(in_base(value, reading).abs() <= bound)

    return Check("instrument range", False, fits, f"the meter's range in {column}", decisive=False)


def inside_limits(
    value: pl.Expr, reading: Candidate, lower: pl.Expr | None, upper: pl.Expr | None, unit: Unit
) -> pl.Expr:
    """Return whether a value lies inside its row's own limits under a reading; a missing limit bounds nothing."""
    scaled = value * float(reading.unit.scale / unit.scale)
    slack = scaled.abs() * 1e-12  # the product is rounded; a limit met exactly stays met
    above = pl.lit(True) if lower is None else (scaled + slack >= lower).fill_null(True)
    below = pl.lit(True) if upper is None else (scaled - slack <= upper).fill_null(True)
    return above & below


def known_limits(value: pl.Expr, lower: pl.Expr | None, upper: pl.Expr | None, unit: Unit) -> Check:
    """The row's own limits, in a unit that is known apart from the values, without a result beside them (hard).

    Tests are passed more often than failed: a reading that puts nine rows in ten inside, where the declared one puts
    none, is the unit. It cannot speak about a column of failures.
    """

    def fits(reading: Candidate) -> pl.Expr:
        edges = [edge.is_not_null() for edge in (lower, upper) if edge is not None]
        return pl.when(pl.all_horizontal(value != 0, *edges)).then(inside_limits(value, reading, lower, upper, unit))

    return Check("limits of known unit", True, fits, "their own limits")


def contradicted(relation: ast.Compare, tolerance: float | None, values: Mapping[str, pl.Expr]) -> pl.Expr:
    """Return whether a row breaks the relation by as much as a wrong unit would."""
    if is_equality(relation):
        return broken(relation, tolerance, values)
    return far_broken(relation, values, _BEYOND_A_METER)


def identity(relation: ast.Compare, tolerance: float | None, column: str, others: Mapping[str, pl.Expr],
             own: Callable[[Candidate], pl.Expr], *, hard: bool) -> Check:  # fmt: skip
    """A relation between columns (P = V·I) holds under one reading of a column and not under another.

    `others` gives the other columns' values, `own` this column's under a reading. Hard only when every other column is
    supported by a witness of its own; otherwise the wrong unit may be in any of them, and the check only refuses. An
    inequality (P_in >= P_out) names no unit, because it holds under every one that is small enough: it only
    contradicts the units under which it is broken by more than any meter is off.
    """

    def fits(reading: Candidate) -> pl.Expr:
        values = {**others, column: own(reading)}
        askable = pl.all_horizontal(value.is_not_null() & (value != 0) for value in values.values())
        return pl.when(askable).then(~contradicted(relation, tolerance, values))

    equality = is_equality(relation)
    within = "" if equality else f" within a factor of {_BEYOND_A_METER:g}"
    return Check("identity", hard, fits, ast.unparse(relation) + within, decisive=equality)


def thermostat(value: pl.Expr, beside: pl.Expr, column: str) -> Check:
    """A temperature that equals the thermostat's in another unit, row by row within 0.5 K (soft).

    Equality under conversion is strong evidence; being warmer than the ambient is not, so nothing is said otherwise.
    """

    def fits(reading: Candidate) -> pl.Expr:
        near: pl.Expr = (in_base(value, reading) - beside).abs() <= 0.5
        return near

    return Check("thermostat", False, fits, f"{column} within 0.5 K", _FEWEST_PAIRS)
