"""Whether an identity of the profile can hold at all: both sides must have one dimension, which pint knows.

Asked once, when the profile is read. A column's quantity is that of the node that claims it, of its settled unit, or of
the unit in its name; a column of none is not checked. A bare number in a sum or a comparison stands for whatever the
other side is (`vin_v >= 3`), because the profile writes it in the header's unit.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from guards.units import base_unit, registry

_PINT_WORDS = {"1": "dimensionless", "ohm": "ohm", "g_0": "meter/second**2", "dB": "dimensionless"}
Dimension = Mapping[str, Fraction]  # powers of "[mass]", "[length]" ..., none of them zero
_ENERGY = {"[mass]": 1, "[length]": 2, "[time]": -2}
EXACT: dict[str, Mapping[str, int]] = {
    "V": {**_ENERGY, "[time]": -3, "[current]": -1},
    "A": {"[current]": 1},
    "W": {**_ENERGY, "[time]": -3},
    "ohm": {**_ENERGY, "[time]": -3, "[current]": -2},
    "s": {"[time]": 1},
    "Hz": {"[time]": -1},
    "degC": {"[temperature]": 1},
    "1": {},
}
"""The dimensions of the units that identities are mostly about, as pint gives them: loading pint costs 0.2 s."""


class DimensionError(ValueError):
    """Two sides of a sum or a comparison that differ; the text says what each is."""


def check_dimensions(identity: ast.Compare, quantities: Mapping[str, str]) -> None:
    """Check that the identity's sides and sums are of one dimension, as far as the columns' quantities are known.

    Raises:
        DimensionError: they are not.
    """
    _joined(identity, identity.left, identity.comparators[0], quantities)


def _dimension(node: ast.expr, quantities: Mapping[str, str]) -> Dimension | None:
    match node:
        case ast.Name(id=name):
            unit = base_unit(quantities[name]) if name in quantities else None
            return None if unit is None or unit.logarithmic else _of_unit(unit.symbol)
        case ast.UnaryOp(operand=operand):
            return _dimension(operand, quantities)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _joined(node, left, right, quantities)
        case ast.BinOp(left=left, op=op, right=right):
            first, second = (_factor(side, quantities) for side in (left, right))
            if first is None or second is None:
                return None
            return _product(first, second, 1 if isinstance(op, ast.Mult) else -1)
    return None


def _factor(node: ast.expr, quantities: Mapping[str, str]) -> Dimension | None:
    return _of_unit("1") if isinstance(node, ast.Constant) else _dimension(node, quantities)


def _joined(whole: ast.expr, left: ast.expr, right: ast.expr, quantities: Mapping[str, str]) -> Dimension | None:
    first, second = _dimension(left, quantities), _dimension(right, quantities)
    if first is not None and second is not None and first != second:
        sides = " and ".join(f"{ast.unparse(side)} is {_words(d)}" for side, d in ((left, first), (right, second)))
        raise DimensionError(f"in {ast.unparse(whole)}, {sides}")
    return first if first is not None else second


def _product(first: Dimension, second: Dimension, power: int) -> Dimension:
    powers = {name: first.get(name, Fraction(0)) + power * second.get(name, 0) for name in (*first, *second)}
    return {name: found for name, found in powers.items() if found}


def _of_unit(symbol: str) -> Dimension:
    found = EXACT[symbol] if symbol in EXACT else by_pint(symbol)
    return {name: Fraction(power) for name, power in found.items()}


def by_pint(symbol: str) -> Mapping[str, Any]:
    """Return the powers of a unit's dimensions as pint knows them."""
    return dict(registry().Unit(_PINT_WORDS.get(symbol, symbol)).dimensionality)


def _words(dimension: Dimension) -> str:
    powers = [name if power == 1 else f"{name}^{power}" for name, power in sorted(dimension.items())]
    return " ".join(powers) or "a plain number"
