"""A power of ten by arithmetic gives the float that the shifted text would give, or is not used."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import bulk
from bench.tables import from_stream
from guards.shifts import Shift, _decimals


@st.composite
def decimals_of_15_digits(draw: st.DrawFn) -> list[str]:
    digits = draw(st.integers(0, 12))
    largest = 10 ** draw(st.integers(1, 15)) - 1
    whole = draw(st.lists(st.integers(-largest, largest), min_size=1, max_size=40))
    return [f"{'-' if n < 0 else ''}{abs(n) // 10**digits}.{abs(n) % 10**digits:0{digits}d}".rstrip(".") for n in whole]


@settings(max_examples=300, deadline=None)
@given(decimals_of_15_digits(), st.sampled_from([-9, -6, -3, -2, -1, 1, 2, 3, 6]))
def test_arithmetic_in_duckdb_equals_the_shifted_text(texts: list[str], exponent: int) -> None:
    values = pl.Series("x", [float(text) for text in texts])
    decimals = _decimals(values)
    assert decimals is not None, "at most 15 digits come back with at most 12 decimals"
    with duckdb.connect() as con:
        from_stream(con, "CREATE TABLE t AS SELECT 0::BIGINT AS _row, * FROM batch", values.to_frame())
        con.execute(bulk.number_rows("t"))
        for statement in bulk.shifts("t", {"x": Shift(decimals, exponent)}):
            con.execute(statement)
        found = con.execute("SELECT _row, x FROM t ORDER BY rowid").fetchall()
    assert found == [(n, float(f"{text}e{exponent}")) for n, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([4973.5, 4998.07806], 5), ([5.0, -3.0], 0), ([0.0, -0.0, None], 0), ([], 0), ([1e-13, 1.0], None),
        ([4998.0780600000012], None), ([1e15], None), ([0.1 + 0.2], None), ([999999999999.999], 3),
    ],
)  # fmt: skip
def test_only_short_decimals_are_shifted(values: list[float | None], decimals: int | None) -> None:
    assert _decimals(pl.Series("x", values, dtype=pl.Float64)) == decimals


def test_the_sign_of_zero_stays() -> None:
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT 0::BIGINT AS _row, '-0.0'::DOUBLE AS x")
        for statement in bulk.shifts("t", {"x": Shift(1, -3)}):
            con.execute(statement)
        assert str(con.execute("SELECT x FROM t").fetchall()[0][0]) == "-0.0"
