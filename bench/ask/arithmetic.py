"""The arithmetic evaluator: one expression of numbers, + - * / and parentheses, without eval and within bounds.

Bounds: 200 characters, 32 numbers, parentheses and signs nested 20 deep, and every step finite. A refusal names the
bound that it met.
"""

from __future__ import annotations

import math
import re
from typing import ClassVar

from bench.errors import BenchError

LENGTH, NUMBERS, DEPTH = 200, 32, 20
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|(\*\*|//|[-+*/()])|(\S))")
_ALLOWED = "numbers, + - * / and parentheses are allowed"


class ArithmeticProblem(BenchError):  # noqa: N818 - as in bench.errors
    """The expression is not evaluated; the message names the bound or the character."""

    kind: ClassVar[str] = "arithmetic"
    exit_code: ClassVar[int] = 1


def evaluate(text: str) -> float:
    """Return the value of an arithmetic expression.

    Raises:
        ArithmeticProblem: it is longer, deeper or has more numbers than the bounds allow, holds anything but numbers,
            + - * / and parentheses, divides by zero, or a step is not finite.
    """
    if len(text) > LENGTH:
        raise ArithmeticProblem(f"the expression has {len(text)} characters, at most {LENGTH} are allowed")
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = [_token(match) for match in _TOKEN.finditer(text)]
        self._next = 0
        self._depth = 0
        numbers = sum(isinstance(token, float) for token in self._tokens)
        if numbers > NUMBERS:
            raise ArithmeticProblem(f"the expression has {numbers} numbers, at most {NUMBERS} are allowed")

    def whole(self) -> float:
        value = self._sum()
        if self._peek() is not None:
            raise ArithmeticProblem(f"{self._peek()!r} is not expected there: {_ALLOWED}")
        return value

    def _peek(self) -> float | str | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self, *wanted: str) -> str | None:
        token = self._peek()
        if isinstance(token, str) and token in wanted:
            self._next += 1
            return token
        return None

    def _sum(self) -> float:
        value = self._product()
        while sign := self._take("+", "-"):
            right = self._product()
            value = _finite(value + right if sign == "+" else value - right)
        return value

    def _product(self) -> float:
        value = self._signed()
        while sign := self._take("*", "/"):
            right = self._signed()
            if sign == "/" and right == 0:
                raise ArithmeticProblem("the expression divides by zero")
            value = _finite(value * right if sign == "*" else value / right)
        return value

    def _signed(self) -> float:
        self._depth += 1
        if self._depth > DEPTH:
            raise ArithmeticProblem(f"the expression is nested deeper than {DEPTH} levels")
        try:
            if sign := self._take("+", "-"):
                value = self._signed()
                return -value if sign == "-" else value
            if self._take("("):
                value = self._sum()
                if not self._take(")"):
                    raise ArithmeticProblem("a parenthesis is not closed")
                return value
            return self._number()
        finally:
            self._depth -= 1

    def _number(self) -> float:
        token = self._peek()
        if not isinstance(token, float):
            found = "the end" if token is None else repr(token)
            raise ArithmeticProblem(f"a number is expected, and {found} stands there: {_ALLOWED}")
        self._next += 1
        return _finite(token)


def _token(match: re.Match[str]) -> float | str:
    number, sign, other = match.groups()
    if number is not None:
        return float(number)
    if other is not None or sign in ("**", "//"):
        raise ArithmeticProblem(f"{other or sign!r} is not allowed: {_ALLOWED}")
    return str(sign)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ArithmeticProblem("a step of the expression is not finite")
    return value
