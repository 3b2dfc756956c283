"""Points in time: which texts are some, what they are read as, and where day and month cannot be told apart."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
import pytest

from guards import ExportColumn, guard

AT, HALF = datetime(2026, 8, 31, 22, 5, 7), datetime(2026, 8, 31, 22, 5, 7, 500_000)


def read(*texts: str | None, head: int = 0) -> tuple[pl.Series, str]:
    """Return how the guard reads a column of these cells, and why."""
    cells = [*([texts[0]] * head), *texts]
    frame = pl.DataFrame(
        {"_row": range(1, len(cells) + 1), "when": cells}, schema={"_row": pl.Int64, "when": pl.String}
    )
    found = guard(frame.lazy(), [ExportColumn("when", "when")], None, table="t")
    return found.corrected.collect()["when"], found.report.columns[0].reason


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["2026-08-31T22:05:07", "2026-08-31T22:05:07"], [AT, AT]),
        (["2026-08-31 22:05", "2026-08-31 22:06"], [AT.replace(second=0), AT.replace(second=0, minute=6)]),
        (["2026/08/31 22:05:07", "2026/8/31 22:05:07.5"], [AT, HALF]),
        (["31.08.2026 22:05:07", "31.08.2026 22:05:07.500"], [AT, HALF]),
        (["08/31/2026 10:05:07 PM", None, "08/31/2026 10:05:07.5 pm"], [AT, None, HALF]),
        (["8/31/2026 22:05:07", "8/1/2026 22:05:07"], [AT, AT.replace(day=1)]),
        (["31/08/2026 22:05:07", "01/08/2026 22:05:07"], [AT, AT.replace(day=1)]),
        (["31-08-2026 22:05", "01-08-2026 22:05"], [AT.replace(second=0), AT.replace(second=0, day=1)]),
        (["31-Aug-2026 22:05:07", "31-AUG-2026 22:05:07.5"], [AT, HALF]),
        (["08/31/2026 22:05:07:000", "08/31/2026 22:05:07:500"], [AT, HALF]),
        ([" 2026-08-31 22:05:07,000", "2026-08-31 22:05:07,500 "], [AT, HALF]),
        (["2026/08/31", "2026/09/01"], [date(2026, 8, 31), date(2026, 9, 1)]),
    ],
)  # fmt: skip
def test_what_is_a_point_in_time(texts: list[str | None], values: list[object]) -> None:
    column, reason = read(*texts)
    assert column.to_list() == values
    assert reason == "time: not judged."


@pytest.mark.parametrize(
    "texts",
    [
        ["2026-08-31T22:05:07Z", "2026-09-01T00:05:07.5+02:00"],
        ["2026-08-31 17:05:07-0500", "2026-08-31 22:05:07.5Z"],
        ["2026-08-31 22:05:07 UTC", "2026-08-31 22:05:07.5 UTC"],
    ],
)
def test_stated_zones_become_utc_and_that_is_said(texts: list[str]) -> None:
    column, reason = read(*texts)
    assert column.to_list() == [AT, HALF]
    assert reason == "time: not judged; its zones are stated, kept as UTC."


@pytest.mark.parametrize(
    "texts",
    [
        ["08/03/2026 22:05:07", "09/04/2026 22:05:07"],
        ["08/31/2026 22:05:07", "31/08/2026 22:05:07"],
        ["8/31/26 22:05:07"],
        ["12-08-26 10:05:07", "13-08-26 10:05:07"],
        ["26-08-31T10:05:07"],
        ["31-08-26"],
        ["01/31/0001 00:00:00"],
        ["10.12.2023", "11.12.2023"],
        ["2026/08/31 22:05:07", "soon"],
        ["22:05:07"],
    ],
    ids=[
        "either way",
        "both ways",
        "two digits",
        "day first",
        "year first",
        "a day",
        "no date",
        "a version",
        "a word",
        "a clock",
    ],
)
def test_what_stays_text(texts: list[str]) -> None:
    column, _ = read(*texts)
    assert column.to_list() == texts


def test_a_later_row_that_is_none_keeps_the_column_text() -> None:
    column, _ = read("31.08.2026 22:05:07", "later", head=3_000)
    assert column.dtype == pl.String
    assert column[-1] == "later"
