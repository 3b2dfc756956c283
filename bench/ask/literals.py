"""The numbers that a snippet held before it ran: what it can print without computing anything.

A figure that stands in its own snippet proves nothing (`result = 15`), nor does one that constants alone make
(`7 + 8`, `int("15")`). Numbers of texts in the snippet count too, so that SQL (`select 15`) and f-strings hide none.
Left out are places from which a number does not reach a result by itself: an index, digits to round to, `limit 3`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from bench.ask.arithmetic import ArithmeticProblem, evaluate

_PLACES = re.compile(
    r"\blimit\s+\d+|\boffset\s+\d+|\b(?:order|group)\s+by\s+\d+(?:\s*,\s*\d+)*|\bdecimal\(\d+,\s*\d+\)"
    r"|(\bround\([^()]*(?:\([^()]*\)[^()]*)*,\s*)\d+\s*\)|:[+-]?\d*\.?\d+[fegd%]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)")
_CONVERSION = re.compile(
    r"([*/])?\s*(?<![\w.])(100(?:0|_?000|_?000_?000)?(?:\.0*)?|1(?:\.0)?[eE]-?[2369]|0\.0?01|0\.000_?001)(?![\w.])\s*(\*)?"
)
_BLANKS = re.compile(r"\s+")
_SIZES = frozenset({"fetchmany", "round", "head", "limit"})


def literal_numbers(code: str, known: Collection[float] = ()) -> frozenset[float]:
    """Return the absolute values of the numbers that a snippet holds. Code that does not parse is read as text.

    Sums and products of literals count as literals, unless all of them are `known`: then they compute something.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(_in_text(code))
    try:
        return frozenset(abs(value) for node in _wanted(tree) for value in _values(node, code, known))
    except RecursionError:
        return frozenset(_in_text(code))


def conversions_in(code: str | None) -> frozenset[float]:
    """Return the factors by which a snippet may convert a unit: 1000 for `1000 * v`, 0.001 for `v / 1000`.

    Where only the result of a run is known, its numbers are taken to be in the units that it read.
    """
    found: set[float] = set()
    for match in _CONVERSION.finditer(_BLANKS.sub(" ", code or "")):  # runs of blanks would take quadratic time
        factor = float(match[2].replace("_", ""))
        found |= {1 / factor} if match[1] == "/" else {factor} if match[1] or match[3] else {factor, 1 / factor}
    return frozenset(found)


def _wanted(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that can carry a number into a result, without indexes and sizes."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.Subscript) and child is node.slice and not _text(child):
            continue
        if isinstance(node, ast.Call) and child in _sizes(node):
            continue
        if isinstance(node, ast.FormattedValue) and child is node.format_spec:
            continue
        yield from _wanted(child)


def _text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _sizes(call: ast.Call) -> list[ast.expr]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in _SIZES:
        return []
    return call.args[1:] if name == "round" else call.args[:1]


def _values(node: ast.AST, code: str, known: Collection[float]) -> Iterator[float]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            return
        if isinstance(node.value, int | float):
            yield _as_float(node.value)
        elif isinstance(node.value, str):
            yield from _in_text(node.value)
    elif isinstance(node, ast.BinOp | ast.UnaryOp) and (text := ast.get_source_segment(code, node)):
        parts = [abs(value) for value in _in_text(text)]
        if parts and all(part in known for part in parts):
            return
        try:
            yield evaluate(text)
        except ArithmeticProblem:
            return


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _in_text(text: str) -> Iterator[float]:
    for match in _NUMBER.finditer(_PLACES.sub(" ", text)):
        yield float(match[0].replace("_", ""))
