"""The kinds of mislabel that benches produce, each with the one answer a test engineer would accept."""

from fractions import Fraction

import polars as pl
import pytest

from guards import ExportColumn, guard, parse_board


def column(name, values):
    return "\n".join([name, *map(str, values)])


def ramp(start, stop, n=200):
    return [round(start + (stop - start) * i / (n - 1), 6) for i in range(n)]


def only(guarded, name=None):
    reports = [c for c in guarded.report.columns if c.judged and (name is None or c.name == name)]
    assert len(reports) == 1, reports
    return reports[0]


CORRECTED = {
    "1 millivolts under volts": ("volts", ramp(4987, 5013), "mV", 1e-3),
    "10 a negative rail in millivolts": ("V", ramp(-12031, -11960), "mV", 1e-3),
    "23 microvolts under volts": ("V", [4_990_000, 5_000_000, 5_010_000], "uV", 1e-6),
    "2 a sibling rail in mV": ("Volts", [1800, 1810, 1790, 3300, 3310], "mV", 1e-3),
    "a current in mA": ("A", [410, 500, 930.5], "mA", 1e-3),
}


@pytest.mark.parametrize("name", CORRECTED)
def test_corrected_by_the_only_unit_that_explains_the_values(judge, name):
    header, values, unit, factor = CORRECTED[name]
    guarded = judge(column(header, values))
    report = only(guarded)
    assert (report.verdict, report.rule, report.resolved_unit, report.factor) == ("corrected", "e", unit, factor)
    assert guarded.corrected.collect()[header].to_list() == pytest.approx([v * factor for v in values], rel=1e-15)
    assert f"the values are {unit}" in report.reason
    assert guarded.report.rows_changed == len(values)


KEPT = {
    "5 a rail at its nominal": ("V", ramp(3.29, 3.31)),
    "18 amps that could be milliamps": ("A", ramp(0.41, 0.93)),
    "22 microvolts under their own header": ("uV", [4_990_000, 5_010_000, 5_000_000]),
    "28 a level in dBm": ("Pout_dBm", ramp(-62, 14)),
    "a rail that is merely low": ("five", ramp(3.9, 4.1)),
    "a column with no node of its quantity": ("freq_hz", ramp(1000, 2000)),
}


@pytest.mark.parametrize("name", KEPT)
def test_left_as_it_is(judge, name):
    header, values = KEPT[name]
    guarded = judge(column(header, values))
    report = only(guarded)
    assert report.verdict in ("kept", "unverified")
    assert (report.factor, report.offset, report.faults) == (1.0, 0.0, 0)
    assert guarded.corrected.collect()[header].to_list() == [float(v) for v in values]
    assert (guarded.report.rows_changed, guarded.raw_columns) == (0, ())


REFUSED = {
    "29 negative watts": ("Pout (W)", ramp(-62, 14), "dBm", None),
    "31 an efficiency as a fraction under %": ("efficiency (%)", ramp(0.87, 0.93), "1", 100.0),
    "38 kelvin under celsius": ("T (C)", ramp(295, 298), "K", 1.0),
    "43 a probe of 10 not applied": ("five (V)", ramp(0.49, 0.51), "V", 10.0),
    "21 milliamps that only fit as amps": ("mA", ramp(0.41, 0.93), "A", 1000.0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_proposal(judge, profile, name):
    header, values, unit, factor = REFUSED[name]
    board = profile('[nodes.extra]\nquantity = "voltage"\nnominal = "5 V"\ncolumns = ["five (V)"]\n')
    guarded = judge(column(header, values), board)
    report = only(guarded)
    assert (report.verdict, report.factor, report.resolved_unit) == ("refused", None, None)
    assert report.proposal is not None
    assert (report.proposal.unit, report.proposal.factor) == (unit, factor)
    assert report.nulls == len(values)
    assert guarded.corrected.collect()[header].null_count() == len(values)
    assert guarded.raw_columns == (header,)
    assert "withheld" in report.reason


def test_3_one_true_overvoltage_is_flagged_and_nothing_is_rescaled(judge):
    guarded = judge(column("V", [4.998] * 1499 + [45.0]))
    report = only(guarded)
    assert (report.verdict, report.rule, report.faults) == ("kept", "d", 1)
    assert guarded.corrected.collect()["V"].max() == 45.0
    assert guarded.flags.select("_row", "kind").rows() == [(1500, "fault")]
    assert guarded.flags["detail"][0] == "45.0 V is outside the absolute range -15..30 V"


def test_a_single_wild_value_among_few_is_a_fault_and_no_unit(judge):
    report = only(judge(column("V", [5.0, 5.01, 4.99, 45.0])))
    assert (report.verdict, report.faults) == ("kept", 1)


def test_a_stray_row_that_fits_only_as_labelled_is_withheld_from_a_correction(judge):
    guarded = judge(column("V", [*ramp(4987, 5013, 57), 5.01]))
    report = only(guarded)
    assert (report.verdict, report.resolved_unit, report.nulls) == ("corrected", "mV", 1)
    assert guarded.flags.select("_row", "kind").rows() == [(58, "doubtful")]
    assert guarded.corrected.collect()["V"].to_list()[56:] == [5.013, None]


def test_several_rows_that_fit_only_as_labelled_forbid_a_correction(judge):
    report = only(judge(column("V", [*ramp(4987, 5013, 57), 5.01, 4.99, 5.0])))
    assert (report.verdict, report.rule, report.proposal.unit) == ("refused", "f", "mV")
    assert "3 of 60 fit only as V" in report.reason


def test_an_overvoltage_that_another_node_would_explain_in_millivolts_is_not_rescaled(judge, profile):
    board = profile(
        '[nodes.RIPPLE]\nquantity = "voltage"\nabsolute = ["0 mV", "100 mV"]\nexpected = ["5 mV", "60 mV"]\n'
    )
    report = only(judge(column("V", ramp(42, 58, 20)), board))
    assert (report.verdict, report.rule) == ("refused", "f")
    assert "a real fault of the board could be as large" in report.reason


def test_two_labels_that_both_fit_are_refused(board):
    frame = pl.LazyFrame({"_row": [1, 2, 3], "V": ["4.97", "5.0", "5.04"]})
    report = only(guard(frame, [ExportColumn("V", "V", units_row="mV")], board, table="t"))
    assert (report.verdict, report.rule) == ("refused", "b")
    assert "both fit what the board allows" in report.reason


def test_6_limits_of_no_unit_refuse_with_a_proposal(judge):
    rows = "\n".join(f"{v},4900,5100" for v in ramp(4.98, 5.02, 20))
    report = only(judge("mV,LoLim,HiLim\n" + rows))
    assert (report.verdict, report.rule, report.proposal.unit, report.proposal.factor) == ("refused", "f", "V", 1000.0)


def test_6_limits_whose_unit_the_profile_knows_correct_with_the_result_column(judge, profile):
    rows = "\n".join(f"{v},4900,5100,PASS" for v in ramp(4.98, 5.02, 20))
    board = profile('[columns.mV]\nlimits_unit = "mV"\n')
    report = only(judge("mV,LoLim,HiLim,Result\n" + rows, board))
    assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", "V", 1000.0)


def test_8_zeros_carry_no_scale(judge):
    report = only(judge(column("V", [0.0] * 20)))
    assert (report.verdict, report.rule) == ("unverified", "a")
    assert "every value is zero" in report.reason


def test_14_two_scales_without_a_label_are_refused(judge):
    report = only(judge(column("V", [5010, 5.01] * 10)))
    assert (report.verdict, report.rule, report.proposal) == ("refused", "c", None)
    assert "no segment column separates them" in report.reason


def test_14_two_scales_are_judged_by_the_segment_that_separates_them(judge):
    rows = "\n".join(f"{'FIX-01' if i % 2 else 'FIX-02'},{5010 + i if i % 2 else 5.01 + i / 1000}" for i in range(20))
    guarded = judge("fixture,V\n" + rows)
    reports = {r.segment["fixture"]: r for r in guarded.report.columns if r.judged}
    assert {k: (r.verdict, r.factor, r.rows) for k, r in reports.items()} == {
        "FIX-01": ("corrected", 1e-3, 10),
        "FIX-02": ("kept", 1.0, 10),
    }
    values = guarded.corrected.collect()["V"].to_list()
    assert values[:4] == [5.01, 5.011, 5.012, 5.013]


def test_a_small_segment_in_another_unit_is_found_below_the_share_that_a_column_tolerates(judge):
    rows = [f"FIX-0{1 + i % 4},{5 + i / 1000}" for i in range(96)] + [f"FIX-09,{5000 + i}" for i in range(4)]
    guarded = judge("fixture,V\n" + "\n".join(rows))
    verdicts = {r.segment["fixture"]: r.verdict for r in guarded.report.columns if r.judged}
    assert verdicts == {"FIX-01": "kept", "FIX-02": "kept", "FIX-03": "kept", "FIX-04": "kept", "FIX-09": "corrected"}


def test_15_a_unit_column_separates_two_scales_row_by_row(judge):
    rows = "\n".join(f"5V0,{5010},mV\n5V0,{5.01},V" for _ in range(10))
    guarded = judge("measurement,value,Unit\n" + rows)
    frame = guarded.corrected.collect()
    assert set(frame["value"].to_list()) == {5.01} or set(frame["value"].to_list()) == {5010.0}
    assert frame["Unit"].n_unique() == 1
    assert {r.verdict for r in guarded.report.columns if r.judged} == {"kept", "corrected"}


def test_16_an_autoranging_log_without_its_prefix_is_refused(judge):
    report = only(judge(column("A", ["005.8", "00.01", "0.000", "004.1", "00.32"])))
    assert (report.verdict, report.proposal) == ("refused", None)
    assert "autoranging meter" in report.reason


def test_17_locale_damage_is_named_and_never_called_a_unit(judge):
    report = only(judge(column("A", [606, 606, 636, 641, 650, 655, 660, 665, 673, 0.62])))
    assert (report.verdict, report.proposal) == ("refused", None)
    assert "thousands mark" in report.reason


def test_25_overflow_codes_are_cleared_before_anything_is_judged(judge):
    guarded = judge(column("V", [5.01] * 990 + ["9.9E+37"] * 9 + ["-9.9E37"]))
    report = only(guarded)
    assert (report.verdict, report.sentinels, report.nulls, report.faults) == ("kept", 10, 10, 0)
    assert guarded.flags["kind"].value_counts(sort=True).rows() == [("overload", 9), ("underload", 1)]
    assert guarded.corrected.collect()["V"].mean() == pytest.approx(5.01)
    assert guarded.report.outcome == "corrected"


def test_27_text_for_no_reading_leaves_a_column_of_numbers(judge):
    guarded = judge(column("V", ["5.01"] * 20 + ["OL", "----", "#N/A", "1.#INF", '"5,01"', "NaN"]))
    report = only(guarded)
    assert (report.verdict, report.rows, report.nulls, report.sentinels) == ("kept", 26, 6, 5)
    assert guarded.flags["kind"].to_list() == ["overload", "no reading", "no reading", "overload", "unreadable", "nan"]


def test_32_percent_under_a_fraction(judge):
    node = {"quantity": "ratio", "absolute": ["0 ratio", "1 ratio"], "expected": ["0.7 ratio", "0.98 ratio"]}
    board = parse_board({"nodes": {"EFF": node | {"columns": ["efficiency"]}}})
    guarded = judge(column("efficiency", [87, 90.5, 93]), board)
    report = only(guarded)
    assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", "%", 0.01)
    assert guarded.corrected.collect()["efficiency"].to_list() == [0.87, 0.905, 0.93]


def test_34_limits_of_no_unit_that_fit_kilohm_refuse(judge):
    rows = "\n".join(f"{v},4750,5250" for v in ramp(4.98, 5.02, 20))
    report = only(judge("R (ohm),LSL,USL\n" + rows))
    assert (report.verdict, report.proposal.unit) == ("refused", "kohm")


def test_36_resistor_codes_are_numbers_in_ohm(judge):
    guarded = judge(column("R", ["4k99", "0R1", "1M", "10M", "100R", "47"]))
    report = only(guarded)
    assert (report.verdict, report.unit, report.nulls, report.faults) == ("kept", "ohm", 0, 1)
    assert guarded.corrected.collect()["R"].to_list() == [4990.0, 0.1, 1e6, 1e7, 100.0, 47.0]


def test_36_a_lone_m_is_ambiguous_and_its_cells_are_null(judge):
    guarded = judge(column("R (ohm)", ["1M", *[str(n) for n in range(100, 120)]]))
    assert only(guarded).verdict in ("kept", "unverified")
    assert guarded.flags.select("_row", "kind").rows() == [(1, "ambiguous")]
    assert "mega in resistor codes and milli in SPICE" in guarded.flags["detail"][0]


def test_38_kelvin_is_corrected_only_where_the_engineer_allows_offsets(judge, profile):
    report = only(
        judge(column("T (C)", [295.15, 296.15, 297.15, 298.15]), profile('[columns."T (C)"]\noffsets = true\n'))
    )
    assert (report.verdict, report.resolved_unit, report.factor, report.offset) == ("corrected", "K", 1.0, -273.15)


def test_without_a_board_nothing_is_corrected(judge):
    report = only(judge(column("value_v", [4973.5, 4971.3, 4944.9, -6.1, 0.5]), None))
    assert (report.verdict, report.proposal.unit, report.proposal.factor) == ("refused", "mV", 1e-3)


def test_limits_are_in_the_unit_that_the_corrected_column_holds(judge, profile):
    node = '[nodes.ILED]\nquantity = "current"\nabsolute = ["0 A", "1 A"]\nexpected = ["330 mA", "370 mA"]\n'
    board = profile(node + 'limits = ["330 mA", "370 mA"]\ncolumns = ["iled_a"]\n')
    guarded = judge(column("iled_a", [349, 350.5, 351]), board)
    assert only(guarded).verdict == "corrected"
    assert guarded.limits.rows() == [("ILED", 0.33, 0.37, "A")]


def test_a_board_that_only_expects_corrects_nothing():
    node = {"quantity": "current", "expected": ["330 mA", "370 mA"], "columns": ["iled_ma"]}
    frame = pl.LazyFrame({"_row": [1, 2, 3], "iled_ma": ["0.35", "0.351", "0.349"]})
    guarded = guard(frame, [ExportColumn("iled_ma", "iled_ma")], parse_board({"nodes": {"ILED": node}}), table="t")
    report = only(guarded)
    assert (report.verdict, report.proposal.unit) == ("refused", "A")


def test_fahrenheit_becomes_the_nearest_celsius_where_offsets_are_allowed(judge, profile):
    tenths = [*range(750, 1250, 7)]
    board = profile('[columns."T (C)"]\noffsets = true\n[columns."U (C)"]\nunit = "degF"\n')
    guarded = judge(column("U (C)", [t / 10 for t in tenths]), board)
    assert only(guarded).resolved_unit == "degF"
    nearest = [float((Fraction(t, 10) - 32) * 5 / 9) for t in tenths]
    assert guarded.corrected.collect()["U (C)"].to_list() == nearest
