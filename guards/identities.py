"""Relations that physics demands between columns: read by a small grammar, evaluated as polars expressions.

The grammar is one comparison of sums, products and quotients of columns and numbers, such as
`vin_v * iin_a >= vout_v * iout_a`. A row that breaks an identity is flagged and stays: it may be a wrong condition, a
wrong cable or a discovery.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

import polars as pl

from guards.errors import UnitError

_ARITHMETIC: dict[type[ast.operator], Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_EXPECTED = 'one comparison of columns, such as "vin_v * iin_a >= vout_v * iout_a"'
_LONGEST = 500


def parse_identity(expression: str) -> ast.Compare:
    """Return the parsed comparison.

    Raises:
        UnitError: the text is not one comparison (>=, <=, >, <, ==) in the grammar.
    """
    try:
        tree = ast.parse(expression, mode="eval").body if len(expression) <= _LONGEST else None
    except (SyntaxError, ValueError):
        tree = None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or not _is_term(tree.left, tree.comparators[0]):
        raise UnitError(expression, _EXPECTED)
    if not isinstance(tree.ops[0], ast.GtE | ast.LtE | ast.Gt | ast.Lt | ast.Eq):
        raise UnitError(expression, _EXPECTED)
    return tree


def _is_term(*nodes: ast.expr) -> bool:
    for node in nodes:
        match node:
            case ast.Name():
                pass
            case ast.Constant(value=int() | float()):
                pass
            case ast.UnaryOp(op=ast.USub(), operand=operand) if _is_term(operand):
                pass
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC and _is_term(left, right):
                pass
            case _:
                return False
    return True


def columns_of(identity: ast.Compare) -> set[str]:
    """Return the names of the columns that an identity relates."""
    return {node.id for node in ast.walk(identity) if isinstance(node, ast.Name)}


def broken(identity: ast.Compare, tolerance: float | None, values: Mapping[str, pl.Expr] | None = None) -> pl.Expr:
    """Return whether a row breaks the identity; false where a value is missing.

    `values` gives the columns' values where they are not the frame's own. `tolerance` is a share of the larger side:
    0.02 lets an equality differ, or an inequality be missed, by 2 %.
    """
    left, right = _expression(identity.left, values or {}), _expression(identity.comparators[0], values or {})
    slack = pl.max_horizontal(left.abs(), right.abs()) * (tolerance or 0.0)
    match identity.ops[0]:
        case ast.GtE():
            holds = left >= right - slack
        case ast.LtE():
            holds = left <= right + slack
        case ast.Gt():
            holds = left > right - slack
        case ast.Lt():
            holds = left < right + slack
        case _:
            holds = (left - right).abs() <= slack
    return (~holds).fill_null(False)


def is_equality(identity: ast.Compare) -> bool:
    """Whether the identity is an equality: it holds under one unit alone, an inequality under many."""
    return isinstance(identity.ops[0], ast.Eq)


def far_broken(identity: ast.Compare, values: Mapping[str, pl.Expr], factor: float) -> pl.Expr:
    """Return whether a row breaks an inequality by more than a factor; false where a value is missing.

    Sides of different signs, or zero, are no factor apart: no unit is wrong there.
    """
    left, right = (_expression(side, values) for side in (identity.left, identity.comparators[0]))
    larger, smaller = pl.max_horizontal(left.abs(), right.abs()), pl.min_horizontal(left.abs(), right.abs())
    far = (left * right > 0) & (larger > smaller * factor)
    return broken(identity, None, values) & far.fill_null(False)


def _expression(node: ast.expr, values: Mapping[str, pl.Expr]) -> pl.Expr:
    match node:
        case ast.Name(id=name):
            return values[name] if name in values else pl.col(name)
        case ast.UnaryOp(operand=operand):
            return -_expression(operand, values)
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_expression(left, values), _expression(right, values))
        case ast.Constant(value=value):
            return pl.lit(float(value))  # type: ignore[arg-type]
    raise AssertionError(node)
