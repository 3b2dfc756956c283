"""What earlier exports held is a witness that refuses with a proposal, or supports, and never corrects."""

from __future__ import annotations

import pytest

from guards import Past

VOUT = Past("t", "aux_v", None, "V", 4.9, 5.1, 4000)


def column(name, values):
    return "\n".join([name, *map(str, values)])


def only(guarded):
    return next(report for report in guarded.report.columns if report.judged)


def witness(report, candidate):
    return next(w for w in report.witnesses if w.name == "history" and w.candidate == candidate)


@pytest.mark.parametrize(
    ("header", "values", "past", "unit", "factor"),
    [
        ("aux_v", [4990, 5010, 4985, 5001], VOUT, "mV", 1e-3),
        ("I_sense (mA)", [0.0012, 0.0013, 0.0011], Past("t", "I_sense (mA)", None, "mA", 1.0, 1.4, 90), "A", 1e3),
        ("T1 (C)", [298.1, 299.5, 301.0], Past("t", "T1 (C)", None, "degC", 20.0, 40.0, 500), "K", 1.0),
    ],
)  # fmt: skip
def test_another_size_than_ever_before_is_refused_with_the_unit_that_explains_it(
    judge, header, values, past, unit, factor
):
    report = only(judge(column(header, values), None, past=[past]))
    assert report.verdict == "refused"
    assert (report.proposal.unit, report.proposal.factor) == (unit, pytest.approx(factor))
    said = witness(report, report.declared_unit)
    assert (said.supports, said.hard) == (False, False)
    assert f"0 of {len(values)} rows fit where {past.rows} earlier values were" in said.detail


def test_the_size_that_it_always_had_keeps_a_column_that_nothing_else_speaks_about(judge):
    assert only(judge(column("aux_v", [4.99, 5.01, 4.985]), None)).verdict == "unverified"
    report = only(judge(column("aux_v", [4.99, 5.01, 4.985]), None, past=[VOUT]))
    assert (report.verdict, report.rule) == ("kept", "g")
    assert witness(report, "V").detail == "3 of 3 rows fit where 4000 earlier values were (4.9..5.1 V) as V"


def test_a_rail_that_is_off_says_nothing_about_units(judge):
    report = only(judge(column("aux_v", [0.2, 0.3, -0.25, 0.21]), None, past=[VOUT]))
    assert report.verdict == "unverified"


def test_the_board_outranks_history(judge):
    report = only(judge(column("volts", [4990, 5010, 4985, 5001]), past=[Past("t", "volts", None, "V", 4e3, 6e3, 50)]))
    assert (report.verdict, report.resolved_unit) == ("corrected", "mV")


def test_a_measurement_has_a_history_of_its_own(judge):
    rows = "\n".join(f"{name},{value}" for name, value in [("A", 4990), ("B", 4.9)] * 4)
    past = [Past("t", "value_v", "A", "V", 4.9, 5.1, 100), Past("t", "value_v", "B", "V", 4.9, 5.1, 100)]
    reports = {
        r.measurement: r for r in judge("measurement,value_v\n" + rows, None, past=past).report.columns if r.judged
    }
    assert (reports["A"].verdict, reports["A"].proposal.unit) == ("refused", "mV")
    assert reports["B"].verdict == "kept"
