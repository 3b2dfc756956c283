"""The arithmetic evaluator: what it computes, and which bound each refusal names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.ask.arithmetic import ArithmeticProblem, evaluate


@pytest.mark.parametrize(
    ("text", "value"),
    [("38.50 + 41.00", 79.5), ("-(2 - 5) * 4 / 3", 4.0), ("1e3/4", 250.0), ("2--3", 5.0), (".5*4", 2.0),
     ("10 - 4 - 3", 3.0), ("100 / 5 / 2", 10.0), ("+".join(["1"] * 32), 32.0)],
)  # fmt: skip
def test_it_computes(text: str, value: float) -> None:
    assert evaluate(text) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 ** 10", "'**' is not allowed: numbers, + - * / and parentheses are allowed"),
        ("__import__('os').listdir('.')", "'_' is not allowed"),
        (" + ".join(["1"] * 40), "has 40 numbers, at most 32 are allowed"),
        ("1" * 201, "has 201 characters, at most 200 are allowed"),
        ("(" * 30 + "1" + ")" * 30, "nested deeper than 20 levels"),
        ("-" * 30 + "1", "nested deeper than 20 levels"),
        ("1 / 0", "divides by zero"),
        ("1e308 * 10", "a step of the expression is not finite"),
        ("1e999", "a step of the expression is not finite"),
        ("7 // 2", "'//' is not allowed"),
        ("(1 + 2", "a parenthesis is not closed"),
        ("1 2", "2.0 is not expected there"),
        ("", "a number is expected, and the end stands there"),
        ("1 +", "a number is expected, and the end stands there"),
        ("x + 1", "'x' is not allowed"),
        ("5 % 2", "'%' is not allowed"),
    ],
)
def test_a_refusal_names_its_bound(text: str, said: str) -> None:
    with pytest.raises(ArithmeticProblem) as problem:
        evaluate(text)
    assert said in str(problem.value)


@given(st.text(alphabet="0123456789.+-*/() e", max_size=60))
def test_any_text_is_a_finite_number_or_a_refusal(text: str) -> None:
    try:
        value = evaluate(text)
    except ArithmeticProblem:
        return
    assert abs(value) < float("inf")


@given(st.floats(min_value=-1e6, max_value=1e6), st.floats(min_value=1e-3, max_value=1e6))
def test_it_agrees_with_python(left: float, right: float) -> None:
    assert evaluate(f"({left!r}) * 2 - {right!r} / 3") == left * 2 - right / 3
