"""Counts that follow from a column's extremes are those that counting its rows gives."""

from __future__ import annotations

import math
import tomllib

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards import ExportColumn, guard, parse_board
from guards.cells import Cells
from guards.extremes import counts_by_extremes
from guards.kinds import Kind
from guards.labels import column_labels
from guards.parts import Part, make_part
from guards.tally import Evidence, read_tally, tally_each, value_of

BOARD = parse_board(
    tomllib.loads("""
[board]
name = "B"
[nodes.VIN]
quantity = "voltage"
absolute = ["-0.3 V", "40 V"]
expected = ["22 V", "26 V"]
columns = ["vin"]
[nodes.VOUT]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
expected = ["4.9 V", "5.1 V"]
columns = ["vout (V)"]
[nodes.RIPPLE]
quantity = "voltage"
absolute = ["0 V", "1 V"]
expected = ["0 V", "50 mV"]
[nodes.TCASE]
quantity = "temperature"
absolute = ["-40 degC", "125 degC"]
expected = ["20 degC", "80 degC"]
""")
)


def part_of(name: str, kind: Kind) -> Part:
    return make_part(name, column_labels(ExportColumn(name, name), kind, BOARD), BOARD)


def counted(name: str, values: list[float]) -> tuple[Part, Evidence, Kind, Cells]:
    n = len(values)
    kind = Kind("number", n, n, n, lower=min(values), upper=max(values))
    part = part_of(name, kind)
    cells = Cells(pl.LazyFrame({name: values}, schema={name: pl.Float64}), {name: kind}, n)
    return part, Evidence(value_of(part)), kind, cells


@given(
    st.sampled_from(["vout (V)", "probe (V)", "probe (mV)", "tcase (°C)", "tcase (K)"]),
    st.floats(1e-6, 1e6), st.lists(st.floats(1, 1.02), min_size=1, max_size=20), st.booleans(),
)  # fmt: skip
def test_extremes_settle_what_rows_would(name: str, size: float, spread: list[float], negative: bool) -> None:
    values = [size * one * (-1 if negative else 1) for one in spread]
    part, evidence, kind, cells = counted(name, values)
    logs = sum(math.log10(abs(value)) for value in values)
    found = counts_by_extremes(part, evidence, kind, lambda: logs)
    if found is None:
        return
    (rows,) = tally_each([cells], [(part, evidence)], ())
    known, asked = read_tally(found, part), read_tally(rows, part)
    for field in ("judged", "readings", "lower", "upper", "smallest", "explained", "outside", "only_rival", "elsewhere",
                  "only_declared", "any_automatic"):  # fmt: skip
        assert getattr(known, field) == getattr(asked, field), field
    if len(part.readings) > 1:
        assert known.log_size == pytest.approx(asked.log_size)
        assert known.log_rival == pytest.approx(asked.log_rival)
        assert known.log_declared == pytest.approx(asked.log_declared)


@pytest.mark.parametrize(
    ("values", "settled"),
    [([4990.0, 5020.0], True), ([4.99, 5.02], True), ([4.99, 4990.0], False), ([4990.0, 5120.0], False),
     ([0.0, 5.0], False), ([-5.0, 5.0], False)],
)  # fmt: skip
def test_what_lies_across_an_edge_or_zero_is_counted(values: list[float], settled: bool) -> None:
    part, evidence, kind, _ = counted("vout (V)", values)
    assert (counts_by_extremes(part, evidence, kind, lambda: 0.0) is not None) == settled


def test_overflow_codes_are_in_no_mean() -> None:
    readings = ["4990.0", "5010.0", "5000.0"]
    rows = [[*readings, *["1e308"] * 4], [*readings, *[None] * 4]]
    verdicts = []
    for cells in rows:
        frame = pl.DataFrame({"_row": range(7), "vout (V)": cells}, schema={"_row": pl.Int64, "vout (V)": pl.String})
        report = guard(frame.lazy(), [ExportColumn("vout (V)", "vout (V)")], BOARD, table="t").report.columns[0]
        verdicts.append((report.verdict, report.reason))
    assert verdicts[0] == verdicts[1]
    assert verdicts[0][0] == "corrected"
