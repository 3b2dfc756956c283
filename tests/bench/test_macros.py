import math
import statistics

import duckdb
import pytest

from bench.macros import MACROS


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    for signature, body in MACROS.items():
        con.execute(f"CREATE MACRO {signature} AS {body}")
    return con


def one(con: duckdb.DuckDBPyConnection, query: str) -> object:
    row = con.execute(query).fetchone()
    assert row is not None
    return row[0]


VALUES = [4.97, 4.98, 4.99, 5.01, 5.03]
TABLE = "(VALUES " + ", ".join(f"({value})" for value in VALUES) + ") AS t(v)"


def test_cp_and_cpk_are_those_of_the_sample_standard_deviation(con: duckdb.DuckDBPyConnection) -> None:
    sigma, mean = statistics.stdev(VALUES), statistics.fmean(VALUES)
    assert one(con, f"SELECT cp(v, 4.95, 5.05) FROM {TABLE}") == pytest.approx(0.1 / (6 * sigma))
    assert one(con, f"SELECT cpk(v, 4.95, 5.05) FROM {TABLE}") == pytest.approx(
        min(5.05 - mean, mean - 4.95) / (3 * sigma)
    )


def test_cpk_with_one_limit_uses_that_one(con: duckdb.DuckDBPyConnection) -> None:
    sigma, mean = statistics.stdev(VALUES), statistics.fmean(VALUES)
    assert one(con, f"SELECT cpk(v, NULL, 5.05) FROM {TABLE}") == pytest.approx((5.05 - mean) / (3 * sigma))


def test_robust_sigma_estimates_sigma_and_ignores_one_wild_value(con: duckdb.DuckDBPyConnection) -> None:
    normal = [statistics.NormalDist(5, 0.02).inv_cdf((i + 0.5) / 999) for i in range(999)]
    con.execute("CREATE TABLE t (v DOUBLE)")
    con.executemany("INSERT INTO t VALUES (?)", [[value] for value in [*normal, 9.9e37]])
    found = one(con, "SELECT robust_sigma(v) FROM t")
    assert isinstance(found, float)
    assert math.isclose(found, 0.02, rel_tol=0.02)


def test_first_pass_yield_counts_boards_by_their_first_attempt(con: duckdb.DuckDBPyConnection) -> None:
    rows = [
        ("A", 1, True), ("A", 1, True),                     # all of the first attempt passed
        ("B", 1, True), ("B", 1, False), ("B", 2, True),    # one test failed, the retest does not count
        ("C", 2, True), ("C", 1, False),                    # out of order
        ("D", 3, True),                                     # its first attempt is numbered 3
    ]  # fmt: skip
    con.execute("CREATE TABLE t (board VARCHAR, attempt INTEGER, passed BOOLEAN)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    assert one(con, "SELECT first_pass_yield(board, attempt, passed) FROM t") == 0.5


def test_first_pass_yield_is_linear_in_the_rows(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("SET memory_limit = '1GB'")
    query = "SELECT first_pass_yield(i // 2, i % 2, i % 4 < 2) FROM range(400000) t(i)"
    assert one(con, query) == 0.5
