"""Which exports stand: what the ledger of a Delta store claims against the rows that are there."""

from __future__ import annotations

import polars as pl
import pytest

pytest.importorskip("deltalake", reason="the extra delta is not installed")
from bench.store.delta.standing import standing, unfinished

Claim = tuple[int, str, str, int]  # key, bytes, table, rows
A, AGAIN = (1, "x", "a", 5), (2, "x", "a", 5)


@pytest.mark.parametrize(
    ("claims", "present", "stands", "begun"),
    [
        ([A], [("a", 1)], {(1, "a"): None}, []),
        ([A], [], {}, [1]),
        ([(1, "x", "a", 0)], [], {(1, "a"): None}, []),
        ([A, AGAIN], [("a", 1)], {(1, "a"): None}, [2]),
        ([A, AGAIN], [("a", 2)], {(1, "a"): 2, (2, "a"): None}, []),
        ([A, (2, "x", "a", 0)], [("a", 1)], {(1, "a"): None}, [2]),
        ([A, (2, "x", "a", 0)], [], {(1, "a"): 2, (2, "a"): None}, []),
        ([A, (1, "x", "b", 5)], [("a", 1)], {}, [1]),
        ([A, (1, "x", "b", 0)], [("a", 1)], {(1, "a"): None, (1, "b"): None}, []),
        (
            [A, (1, "x", "b", 5), AGAIN, (2, "x", "b", 5)], [("a", 2), ("b", 1)],
            {(1, "a"): 2, (2, "a"): None, (1, "b"): None}, [2],
        ),
        ([A, (2, "y", "a", 5)], [("a", 1)], {(1, "a"): None}, [2]),
        ([A], [("a", 1), ("a", 9)], {(1, "a"): None}, []),
    ],
    ids=[
        "whole", "claimed", "no rows to be there", "judged again and not yet there", "judged again",
        "soon without rows", "without rows", "one table of two", "a table without rows", "judged again in one table",
        "another's", "rows that came later",
    ],
)  # fmt: skip
def test_what_stands(
    claims: list[Claim], present: list[tuple[str, int]], stands: dict[tuple[int, str], int | None], begun: list[int]
) -> None:
    claimed = pl.DataFrame(claims, ["export", "sha256", "table_name", "rows_kept"], orient="row")
    there = pl.DataFrame(present, {"table_name": pl.String, "export": pl.Int64}, orient="row")
    found = standing(claimed, there)
    assert {(row["export"], row["table_name"]): row["superseded_by"] for row in found.to_dicts()} == stands
    assert unfinished(claimed, there) == begun
