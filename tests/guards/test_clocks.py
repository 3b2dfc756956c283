"""Durations, times of day beside their days, and a spreadsheet's days: what each is read as, and what stays text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards import ExportColumn, Guarded, guard

Texts = Sequence[str | None]


def judged(columns: Mapping[str, Texts]) -> Guarded:
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)).with_row_index("_row", offset=1)
    frame = frame.with_columns(pl.col("_row").cast(pl.Int64))
    return guard(frame.lazy(), [ExportColumn(name, name) for name in columns], None, table="t")


def read(name: str, texts: Texts, **others: Texts) -> tuple[list[object], str, str | None]:
    """Return how a column is read, why, and in which unit."""
    found = judged({name: texts, **others})
    report = found.report.columns[0]
    return found.corrected.collect()[name].to_list(), report.reason, report.unit


@pytest.mark.parametrize(
    ("name", "texts", "seconds"),
    [
        (
            "TestTime",
            ["  0d 00:00:0", " 0d 00:00:5.05000019073486", "12d 01:00:00.5"],
            [0, 5.05000019073486, 1040400.5],
        ),
        ("t", ["1 day, 0:00:01", None, "2 days 00:00:00"], [86401, None, 172800]),
        ("t", ["00:00:01", "1.00:00:01.5000000", "10.23:59:59"], [1, 86401.5, 950399]),
        ("t", ["23:59:59", "24:00:00", "100:00:00,25"], [86399, 86400, 360000.25]),
        ("Time", ["00:00:00", "00:01:00", "00:00:30"], [0, 60, 30]),
        ("Relative Time(h:min:s.ms)", ["0:00:10.000", "0:00:20.125"], [10, 20.125]),
        ("Elapsed", ["14:03:07", "14:03:08"], [50587, 50588]),
        ("Delay time", ["-0:00:01.5", "+30:00:00"], [-1.5, 108000]),
        ("Load_On_Time", ["14:03:07"], [50587]),
        ("column_3", ["0d 00:00:00", "0d 00:00:05"], [0, 5]),
        ("StepTime", ["0:00:00", "0:00:05", "0:00:00"], [0, 5, 0]),
    ],
)
def test_durations_become_seconds(name: str, texts: Texts, seconds: list[float | None]) -> None:
    values, reason, unit = read(name, texts)
    assert values == seconds
    assert reason == "time: not judged; its hours, minutes and seconds are kept in s."
    assert unit == "s"


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("Time", ["22:05:07", "22:05:08"]),
        ("Time", ["00:00:00", "later"]),
        ("Time", ["00:61:00", "00:00:00"]),
        ("Elapsed", ["35:29.7", "35:30.7"]),
        ("Elapsed", ["-1 day, 23:59:59", "0:00:01"]),
        ("Elapsed", ["200000000000000d 00:00:01"]),
        ("Elapsed (h)", ["00:00:30", "26:30:00"]),
        ("Elapsed Time (min:sec:ms)", ["30:10:05"]),
        ("Time (mm:ss:ff)", ["30:10:05", "00:00:00"]),
        ("Time (HH:MM:SS)", ["22:05:07"]),
        ("Time", ["00:00:00", "12:00:00", "23:59:59", "00:00:00"]),
        ("Time", ["23:00:00", "24:00:00", "01:00:00"]),
        ("Time of Day", ["00:00:00", "00:15:00"]),
        ("Uhrzeit", ["00:00:00", "00:15:00"]),
        ("Start Time", ["00:00:00", "14:15:00"]),
        ("Duration Start", ["14:03:07"]),
        ("Uptime since", ["14:00:00"]),
        ("On Time", ["14:00:00"]),
        ("Calibration Time", ["22:05:07"]),
        ("ratio", ["1:2:3", "2:3:4"]),
        ("alloy", ["60:30:10", "0:0:0"]),
        ("alloy", ["96.5:3:0.5"]),
        ("mix ratio", ["1.5:10:10"]),
        ("channel", ["1.01:00:01"]),
        ("Leakage [uA]", ["0:00:00", "0:00:01"]),
        ("Average angle", ["45:30:10"]),
        ("Time Step", ["0:00:00", "1:02:03"]),
        ("Period R:G:B", ["60:30:10"]),
        ("relative composition", ["60:30:10"]),
        ("Cumulative P:F:S", ["120:30:10"]),
        ("column_2", ["60:30:10", "70:20:10"]),
        ("Duration (dd:hh:mm)", ["00:01:50"]),
        ("Uptime (days:hrs:mins)", ["00:01:50"]),
        ("Time", ["00:00:00", "06:00:00", "12:00:00", "18:00:00", "00:00:00", "06:00:00"]),
        ("Time", [f"{n * 45 // 3600 % 24:02}:{n * 45 // 60 % 60:02}:{n * 45 % 60:02}" for n in range(4_000)]),
    ],
)
def test_what_is_no_duration_stays_text(name: str, texts: Texts) -> None:
    values, reason, unit = read(name, texts)
    assert values == texts
    assert reason.endswith("text: not judged.") or reason == "time: not judged."
    assert unit is None


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=20), st.booleans())
def test_a_duration_is_the_float_nearest_to_its_text(microseconds: list[int], days: bool) -> None:
    texts = []
    for total in microseconds:
        (minutes, part), hours = divmod(total, 60_000_000), 0
        hours, minutes = divmod(minutes, 60)
        day, hour = divmod(hours, 24) if days else (0, hours)
        texts.append(f"{f'{day}d ' if days else ''}{hour:02}:{minutes:02}:{part // 1_000_000:02}.{part % 1_000_000:06}")
    values, _, _ = read("elapsed", texts)
    assert values == [float(f"{total // 1_000_000}.{total % 1_000_000:06}") for total in microseconds]


def test_date_time_and_fraction_in_three_columns_are_one_point_in_time() -> None:
    found = judged(
        {
            "Date": ["05/26/2023", "05/26/2023"],
            "Time": ["16:20:00", "16:20:01"],
            "Fractional Seconds": [".645358344", ".1"],
        }
    )
    table = found.corrected.collect()
    assert table["Time"].to_list() == [
        datetime(2023, 5, 26, 16, 20, 0, 645_358),
        datetime(2023, 5, 26, 16, 20, 1, 100_000),
    ]
    assert table["Date"].to_list() == [date(2023, 5, 26)] * 2
    assert table["Fractional Seconds"].to_list() == [0.645358344, 0.1]
    reasons = {report.name: report.reason for report in found.report.columns}
    assert reasons["Time"] == "time: not judged; read together with Date and Fractional Seconds."
    assert "Time" not in reasons["Fractional Seconds"]  # it is part of that clock, and no witness of it


@pytest.mark.parametrize(
    ("days", "clocks", "moments"),
    [
        (["31.08.2026", "01.09.2026"], ["22:05:07", "00:00:00.5"], ["2026-08-31 22:05:07", "2026-09-01 00:00:00.5"]),
        (["2026/08/31"] * 2, ["10:05:07 PM", "11:05:07 PM"], ["2026-08-31 22:05:07", "2026-08-31 23:05:07"]),
        (["31-Aug-2026"] * 2, ["22:05", "22:06"], ["2026-08-31 22:05", "2026-08-31 22:06"]),
        (["8/31/2026"] * 2, ["00:00:00", "00:00:01"], ["2026-08-31 00:00:00", "2026-08-31 00:00:01"]),
    ],
)
def test_a_time_of_day_has_its_day_beside_it(days: Texts, clocks: Texts, moments: list[str]) -> None:
    values, reason, _ = read("Time", clocks, Date=days)
    assert values == [datetime.fromisoformat(text) for text in moments]
    assert reason == "time: not judged; read together with Date."


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        (("Start Date", "Start Time", "End Date", "End Time"), {"Start Time": "Start Date", "End Time": "End Date"}),
        (("StartTime", "StartDate", "EndTime", "EndDate"), {"StartTime": "StartDate", "EndTime": "EndDate"}),
        (("Date", "Time", "Cal Date"), {"Time": "Date"}),
        (("Cal Date", "Time", "Date"), {"Time": "Date"}),
        (("Cal Date", "Time"), {}),
        (("Test Date", "serial", "Time"), {}),
        (("Date", "Clock", "Time"), {"Clock": "Date"}),
        (("Date", "serial", "Time", "lot", "Day"), {}),
        (("Date", "Time", "End Time"), {"Time": "Date"}),
        (("column_1", "column_2"), {"column_2": "column_1"}),
    ],
)  # fmt: skip
def test_a_time_goes_with_the_date_of_the_same_thing(names: Sequence[str], joined: Mapping[str, str]) -> None:
    is_time = [name for name in names if "Time" in name or name in ("Clock", "column_2")]
    cells = {name: ["22:05:07"] if name in is_time else ["2026-08-31"] for name in names}
    found = judged(cells | {name: ["L7"] for name in names if name in ("serial", "lot")})
    reasons = {report.name: report.reason for report in found.report.columns if report.name in is_time}
    pairs = {name: reason.split("read together with ")[-1][:-1] for name, reason in reasons.items() if "with" in reason}
    assert pairs == joined


@pytest.mark.parametrize(
    ("name", "cells"),
    [("Void Fraction", ["0.25", "0.5"]), ("Fraction (%)", ["0.25", "0.5"]), ("Diffraction", ["0.3", "0.2"]),
     ("Fractional ms", ["0.25", "0.5"]), ("ms", ["12", "15"]), ("Fractional Seconds", ["0.5", "1.5"])],
)  # fmt: skip
def test_only_the_fraction_of_a_second_is_added_to_a_clock(name: str, cells: Texts) -> None:
    found = judged({"Date": ["2026-08-31"] * 2, "Time": ["22:05:07"] * 2, name: cells})
    assert found.corrected.collect()["Time"].to_list() == [datetime(2026, 8, 31, 22, 5, 7)] * 2
    assert found.report.columns[1].reason == "time: not judged; read together with Date."


def test_a_fraction_that_is_none_later_leaves_the_clock_text() -> None:
    n = 2_500
    parts = ["0.5"] * n + ["5"]
    found = judged({"Date": ["2026-08-31"] * (n + 1), "Time": ["22:05:07"] * (n + 1), "Fractional Seconds": parts})
    assert found.corrected.collect()["Time"].to_list() == ["22:05:07"] * (n + 1)


def test_a_clock_that_passes_midnight_while_its_day_stays_is_text() -> None:
    times = ["23:59:59", "00:00:01"]
    assert read("Time", times, Date=["2026-08-31"] * 2)[0] == times
    assert read("Time", times, Date=["2026-08-31", "2026-09-01"])[0] == [
        datetime(2026, 8, 31, 23, 59, 59), datetime(2026, 9, 1, 0, 0, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("days", "seconds"),
    [
        ({}, True),
        ({"Date": ["2026-08-31 00:00:01"] * 2}, True),
        ({"Cal Date": ["2026-08-31"] * 2, "Firmware": ["1.2.3"] * 2}, True),
        ({"Date": ["2026-08-31"] * 2}, False),
        ({"Date": ["20260831"] * 2}, False),
        ({"Date": ["46265"] * 2}, False),
        ({"Date": ["2026-08-31 00:00:00"] * 2}, False),
        ({"Date": ["31 August 2026"] * 2}, False),
    ],
)
def test_a_count_from_zero_beside_a_date_may_be_a_clock(days: Mapping[str, Texts], seconds: bool) -> None:
    values, _, _ = read("Time", ["00:00:00", "00:00:10"], **days)
    assert (values == [0, 10]) == seconds


@pytest.mark.parametrize(
    "times",
    [["18:00:00", "00:00:00", "06:00:00"], ["12:59:59", "01:00:00"]],
    ids=["a reading each six hours", "twelve hours without am and pm"],
)
def test_a_clock_that_goes_back_within_its_day_is_text(times: Texts) -> None:
    assert read("Time", times, Date=["2026-08-31"] * len(times))[0] == times


def test_a_clock_beside_a_whole_time_stamp_or_of_another_form_is_not_joined() -> None:
    stamps = {"Timestamp": ["2026-08-31 08:00:00"] * 2, "Date": ["2026-08-31"] * 2}
    assert read("Time", ["00:00:01", "00:00:02"], **stamps)[0] == ["00:00:01", "00:00:02"]
    assert read("Time (mm:ss)", ["05:30", "05:31"], Date=["2026-08-31"] * 2)[0] == ["05:30", "05:31"]


@pytest.mark.parametrize(
    ("unit", "seconds"),
    [("s", 60), ("hh:mm:ss", 60), (None, 60), ("-", 60), ("h", None), ("min", None), ("[min:s]", None)],
)
def test_a_row_of_units_says_what_a_duration_is_in(unit: str | None, seconds: float | None) -> None:
    frame = pl.DataFrame({"_row": [1], "Elapsed": ["00:01:00"]})
    found = guard(frame.lazy(), [ExportColumn("Elapsed", "Elapsed", unit)], None, table="t")
    assert found.corrected.collect()["Elapsed"].to_list() == [seconds if seconds else "00:01:00"]


def test_how_long_a_test_took_is_not_when_it_was() -> None:
    dates = {"Test Date": ["2026-08-31"] * 2}
    assert read("Test Time", ["00:01:30", "00:02:10"], **dates)[0] == ["00:01:30", "00:02:10"]
    assert read("Time", ["00:01:30", "00:02:10"], **dates)[0] == ["00:01:30", "00:02:10"]
    assert read("UTC Time", ["03:30:00"], Date=["2026-08-31"])[0] == ["03:30:00"]
    assert read("Test Time", ["14:30:00"], **{"Sample Date": ["2026-08-31"]})[0] == ["14:30:00"]


def test_a_time_of_day_is_not_joined_with_a_day_that_can_be_read_either_way() -> None:
    values, _, _ = read("Time", ["22:05:07", "22:05:08"], Date=["03/04/2026", "03/04/2026"])
    assert values == ["22:05:07", "22:05:08"]
    _, reason, _ = read("Date", ["03/04/2026", "03/04/2026"])
    assert reason == "time: not judged; its dates fit day first and month first: they stay text."


def test_a_spreadsheets_days_are_points_in_time_under_a_date() -> None:
    values, reason, _ = read("Date", ["45234", "45235"])
    assert values == [date(2023, 11, 4), date(2023, 11, 5)]
    assert reason == "time: not judged; a spreadsheet's count of days since 1899-12-30."
    values, _, _ = read("Date/Time", ["45234.5", None, "45235.123456"])
    assert values == [datetime(2023, 11, 4, 12), None, datetime(2023, 11, 5, 2, 57, 46, 598_000)]


@pytest.mark.parametrize(
    ("name", "texts"),
    [("Date", [text]) for text in ("20260831", "26243", "40426", "50126", "040126", "50000", "52640", "37001")]
    + [("speed", ["45234"]), ("Timestamp", ["45234.5"])],
)
def test_other_numbers_are_no_days(name: str, texts: list[str]) -> None:
    values, _, _ = read(name, texts)
    assert values == [float(text) for text in texts]


def test_a_count_of_days_that_ends_is_no_date() -> None:
    for odd in ("0", "20260831", "45000.5"):
        days = [str(45_000 + n % 500) for n in range(2_500)]
        values, reason, _ = read("Date", [*days, odd])
        assert values == [*days, odd]
        assert reason == "time: not judged."


@pytest.mark.parametrize(
    ("name", "texts", "values"),
    [
        ("Date [DD/MM/YYYY]", ["03/04/2026"], [date(2026, 4, 3)]),
        ("Date (MM/DD/YYYY)", ["03/04/2026"], [date(2026, 3, 4)]),
        ("Date (MM.DD.YYYY hh:mm)", ["03.04.2026 10:00"], ["03.04.2026 10:00"]),
        ("Date (YYYY-DD-MM)", ["2026-03-04"], ["2026-03-04"]),
        ("slot", ["1/16/1001", "2/14/1002"], ["1/16/1001", "2/14/1002"]),
    ],
)
def test_a_header_says_the_order_of_its_dates(name: str, texts: Texts, values: list[object]) -> None:
    assert read(name, texts)[0] == values


def test_the_least_date_of_all_stands_for_none() -> None:
    found = judged({"End": ["31/12/2026 10:00:00", "01/01/0001 00:00:00", None]})
    assert found.corrected.collect()["End"].to_list() == [datetime(2026, 12, 31, 10), None, None]
    assert found.report.columns[0].reason == "time: not judged; cells without a date (the year 1): 1."
    assert found.raw_columns == ("End",)
