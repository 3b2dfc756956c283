"""Witnesses that look at the columns beside the values: clocks, power, the meter's range, the thermostat."""

import tomllib
from datetime import datetime, timedelta

import pytest

from guards import parse_board

START = datetime(2026, 8, 27, 9, 0, 0)


def only(guarded, name):
    return next(c for c in guarded.report.columns if c.name == name)


def log(header, steps, clock, n=20, start=0.0):
    rows = [f"{(START + timedelta(seconds=i * clock)).isoformat()},{start + i * steps:g}" for i in range(n)]
    return f"DateTime,{header}\n" + "\n".join(rows)


@pytest.mark.parametrize(
    ("header", "step", "clock", "unit", "factor"),
    [("t (s)", 10_000, 10, "ms", 1e-3), ("elapsed_ms", 0.5, 0.5, "s", 1e3), ("t (s)", 2_000_000, 2, "us", 1e-6)],
)
def test_40_elapsed_time_against_the_clock(judge, header, step, clock, unit, factor):
    report = only(judge(log(header, step, clock)), header)
    assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", unit, factor)
    assert f"19 of 19 rows fit the steps of DateTime as {unit}" in report.reason


@pytest.mark.parametrize(("step", "clock"), [(10, 10), (10, 20), (7, 3)])
def test_a_ratio_that_is_no_units_says_nothing(judge, step, clock):
    report = only(judge(log("t (s)", step, clock)), "t (s)")
    assert (report.factor, report.verdict in ("kept", "unverified")) == (1.0, True)


def test_minutes_under_seconds_are_proposed(judge):
    report = only(judge(log("t (s)", 5, 300)), "t (s)")
    assert (report.verdict, report.proposal.unit) == ("refused", "min")


def test_fewer_than_ten_steps_decide_nothing(judge):
    assert only(judge(log("t (s)", 10_000, 10, n=8)), "t (s)").verdict == "unverified"


def test_elapsed_time_that_starts_again_for_each_board(judge):
    table = log("t (s)", 10_000, 10, n=15) + "\n" + log("t (s)", 10_000, 10, n=15).split("\n", 1)[1]
    assert only(judge(table), "t (s)").resolved_unit == "ms"


@pytest.mark.parametrize(
    ("header", "step", "rows_a_second", "tick"),
    [
        ("t_ms", 1, 1000, 1),
        ("t_s", 0.001, 1000, 1),
        ("t (us)", 1, 1e6, 0.001),
        ("t (s)", 1, 1, 60),
        ("t_ms", 10, 100, 1),
        ("t_s", 0.7, 1 / 0.7, 1),
    ],
)
@pytest.mark.parametrize("phase", [0, 0.3, 0.95])
def test_a_clock_that_is_coarser_than_the_rows_makes_no_other_unit(judge, header, step, rows_a_second, tick, phase):
    n = int(13.2 * tick * rows_a_second) + 13
    stamps = [START + timedelta(seconds=tick * int(phase + i / rows_a_second / tick + 1e-9)) for i in range(n)]
    rows = "\n".join(f"{stamp.isoformat(timespec='milliseconds')},{i * step:g}" for i, stamp in enumerate(stamps))
    report = only(judge(f"DateTime,{header}\n{rows}", None), header)
    assert (report.factor, report.verdict in ("kept", "unverified")) == (1.0, True)


@pytest.mark.parametrize(("header", "step", "unit"), [("t_s", 1, "ms"), ("t_ms", 0.001, "s")])
def test_a_wrong_unit_beside_a_coarse_clock_is_found(judge, header, step, unit):
    rows = "\n".join(f"{(START + timedelta(seconds=i // 1000)).isoformat()},{i * step:g}" for i in range(12500))
    report = only(judge(f"DateTime,{header}\n{rows}", None), header)
    assert (report.verdict, report.resolved_unit) == ("corrected", unit)
    assert f"11 of 11 rows fit the steps of DateTime as {unit}" in report.reason


POWER_NODE = (
    '[nodes.PIN]\nquantity = "power"\nabsolute = ["0 W", "20 W"]\nexpected = ["2 W", "5 W"]\ncolumns = ["P (W)"]\n'
)


def power_table():
    amps = [0.41 + i * 0.52 / 19 for i in range(20)]
    return "V,mA,P (W)\n" + "\n".join(f"5.0,{a:.4f},{5 * a:.4f}" for a in amps)


def test_21_power_decides_once_it_is_itself_supported(judge, profile):
    guarded = judge(power_table(), profile(POWER_NODE.replace("P (W)", "P (W)")))
    report = only(guarded, "mA")
    assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", "A", 1e3)
    assert "rows fit power == voltage * current" in report.reason
    assert only(guarded, "V").verdict == only(guarded, "P (W)").verdict == "kept"


def test_21_without_a_node_for_power_it_only_refuses(judge):
    report = only(judge(power_table().replace("P (W)", "P_w")), "mA")
    assert (report.verdict, report.proposal.unit) == ("refused", "A")


def test_power_that_agrees_changes_nothing(judge, profile):
    guarded = judge(power_table().replace("mA", "A"), profile(POWER_NODE))
    assert {c.verdict for c in guarded.report.columns} == {"kept"}


def test_an_identity_of_the_board_names_the_column_that_is_off(judge, profile):
    board = profile(
        '[[identities]]\nexpression = "p_w == five * mA * 0.001"\ntolerance = 0.05\n'
        + POWER_NODE.replace("P (W)", "p_w")
    )
    report = only(judge(power_table().replace("P (W)", "p_w").replace("V,", "five,", 1), board), "mA")
    assert (report.verdict, report.resolved_unit) == ("corrected", "A")
    assert any(w.name == "identity" and w.supports and w.candidate == "A" for w in report.witnesses)


EFFICIENT = """
[board]
name = "b"
[nodes.VIN]
quantity = "voltage"
absolute = ["-0.3 V", "40 V"]
expected = ["9 V", "36 V"]
columns = ["vin_v"]
[nodes.VOUT]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
expected = ["4.9 V", "5.1 V"]
columns = ["vout_v"]
[nodes.IIN]
quantity = "current"
absolute = ["-0.1 A", "5 A"]
expected = ["{lowest}", "3 A"]
columns = ["iin_a", "iin_ma"]
[nodes.IOUT]
quantity = "current"
absolute = ["-0.1 A", "8 A"]
expected = ["0.5 mA", "3 A"]
columns = ["iout_a"]
[[identities]]
expression = "vin_v * {iin} >= vout_v * iout_a"
"""


def efficiency(judge, factor, iin="iin_a", lowest="1 mA"):
    rows = [f"{12 + i / 100:.2f},{(0.40 + i / 1000) * factor:.7g},5.0{i % 3},{1 + i / 500:.3f}" for i in range(15)]
    board = parse_board(tomllib.loads(EFFICIENT.format(lowest=lowest, iin=iin + " * 0.001" * (iin == "iin_ma"))))
    return judge(f"vin_v,{iin},vout_v,iout_a\n" + "\n".join(rows), board)


@pytest.mark.parametrize("factor", [1.25, 1, 0.5, 0.1])
def test_an_inequality_that_a_meter_breaks_names_no_unit(judge, factor):
    guarded = efficiency(judge, factor)
    assert {c.verdict for c in guarded.report.columns} == {"kept"}
    assert guarded.flags.height == (0 if factor > 1 else 15)


def test_an_inequality_that_only_a_unit_can_break_contradicts_the_label(judge):
    guarded = efficiency(judge, 1e-3)
    assert {c.name: c.verdict for c in guarded.report.columns} == {
        "vin_v": "kept", "iin_a": "refused", "vout_v": "kept", "iout_a": "kept"
    }  # fmt: skip
    why = only(guarded, "iin_a").reason
    assert "0 of 15 rows fit vin_v * iin_a >= vout_v * iout_a within a factor of 30 as A" in why
    assert not any(w.name == "identity" and w.supports for c in guarded.report.columns for w in c.witnesses)


def test_the_expected_range_names_the_unit_that_an_inequality_contradicts(judge):
    report = only(efficiency(judge, 1.25, "iin_ma", "10 mA"), "iin_ma")
    assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", "A", 1e3)


def test_a_reading_beyond_its_meters_range_is_refused(judge):
    rows = "\n".join(f"{820 + i},1" for i in range(20))
    report = only(judge("reading (V),meter range (V)\n" + rows, None), "reading (V)")
    assert (report.verdict, report.rule) == ("refused", "f")
    assert "the meter's range" in report.reason


def test_37_a_thermostat_in_another_unit_proposes_fahrenheit(judge):
    rows = "\n".join(f"{c * 9 / 5 + 32:.2f},{c:.2f}" for c in [20 + i / 4 for i in range(20)])
    report = only(judge("T (C),chamber (C)\n" + rows), "T (C)")
    assert (report.verdict, report.proposal.unit) == ("refused", "degF")


def test_37_a_device_that_is_warmer_than_its_ambient_is_left(judge):
    rows = "\n".join(f"{71 + i / 2},{25 + i / 4}" for i in range(20))
    assert only(judge("T (C),chamber (C)\n" + rows), "T (C)").verdict == "kept"
