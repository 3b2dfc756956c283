"""A column may differ in unit by fixture or lot; a lot with dead boards is no lot in another unit."""

import pytest


def lots(values_by_lot):
    return "lot,V\n" + "\n".join(f"{lot},{v}" for lot, values in values_by_lot.items() for v in values)


def verdicts(guarded):
    return {str(dict(c.segment or {})): c.verdict for c in guarded.report.columns if c.judged}


def test_dead_boards_in_one_lot_do_not_split_a_column(judge):
    good = [5000 + i for i in range(6)]
    guarded = judge(lots({"A": good, "B": good, "C": [-6.1, 0.5, 4990.0, 0.4]}))
    assert verdicts(guarded) == {"{}": "corrected"}


def test_a_segment_without_readings_is_unverified_and_the_rest_is_judged(judge):
    guarded = judge(lots({"A": [5000, 5001, 5002], "B": [5.0, 5.01, 5.02], "C": [0.0, 0.0, 0.0]}))
    assert verdicts(guarded) == {"{'lot': 'A'}": "corrected", "{'lot': 'B'}": "kept", "{'lot': 'C'}": "unverified"}


def test_a_segment_that_nothing_explains_is_refused_alone(judge):
    guarded = judge(lots({"A": [5.0] * 20, "B": [44.0, 45.0, 46.0]}))
    assert verdicts(guarded) == {"{'lot': 'A'}": "kept", "{'lot': 'B'}": "refused"}


def test_rows_of_a_segment_that_is_refused_are_null_and_the_others_stay(judge):
    milli = [610.0, 700.0, 930.5]
    guarded = judge("fixture,mA\n" + "\n".join([f"A,{v}" for v in milli] * 2 + [f"B,{v / 1000}" for v in milli] * 2))
    frame = guarded.corrected.collect()
    assert verdicts(guarded) == {"{'fixture': 'A'}": "kept", "{'fixture': 'B'}": "refused"}
    assert frame.filter(frame["fixture"] == "B")["mA"].null_count() == 6
    assert frame.filter(frame["fixture"] == "A")["mA"].null_count() == 0


def test_many_measurements_are_judged_together_and_each_alone(judge):
    wrong = {3, 700}
    rows = [f"M{m},{5.0 + i / 1000 if m not in wrong else 5000 + i}" for m in range(900) for i in range(4)]
    guarded = judge("measurement,value_v\n" + "\n".join(rows))
    verdicts = {r.measurement: r.verdict for r in guarded.report.columns if r.judged}
    assert len(verdicts) == 900
    assert {name for name, verdict in verdicts.items() if verdict != "kept"} == {"M3", "M700"}
    values = guarded.corrected.collect()["value_v"]
    assert values.null_count() == 0
    assert values.max() == pytest.approx(5.003)


@pytest.mark.parametrize("name", ["fixture", "measurement", "unit", "lot"])
def test_a_name_for_every_row_is_judged_in_bounded_time(judge, name):
    rows = [f"N{i},{5.0 + i % 7 / 1000}" for i in range(50_000)]
    report = next(r for r in judge(f"{name},V\n" + "\n".join(rows)).report.columns if r.judged)
    assert (report.verdict, report.rows) == ("kept", 50_000)


@pytest.mark.parametrize(
    "cells", [["1e308", "-1e308", "1e307"], ["5e-324", "1e-310", "2e-320"], ["1e308", "5e-324", "5.0"]]
)
def test_the_ends_of_a_float_are_a_verdict_and_no_crash(judge, cells):
    (report,) = judge("V\n" + "\n".join(cells)).report.columns
    assert report.verdict in ("kept", "refused", "unverified")
