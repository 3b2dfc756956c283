"""Labelled answers judged by results alone, without snippets, units or limits; written before the tracer saw them.

When first judged, 5 of 43 true ones were marked and 7 of 42 wrong ones passed; what is left is listed as `SEEN`.
"""

from __future__ import annotations

from typing import Any

import pytest

import bench


def R(value: Any = None, stdout: str = "", reads: str = "") -> dict[str, Any]:  # noqa: N802 - short, in long lists
    pairs = [pair.split(".") for pair in reads.split()]
    read = [{"table": table, "column": column} for table, column in pairs]
    return {"status": "ok", "value": value, "stdout": stdout, "warnings": [], "reads": read}


COUNTS = R(
    {"total": 18, "passed": 15, "failed": 3, "mean": 4.984046666, "min": 4.9678, "max": 5.0077},
    reads="retest.value_v retest.result",
)
ROW = R([15, 18, 4.984046666], reads="retest.value_v")
PRINTED = R(None, "pass: 15\nfail: 3\nmean: 4.984046666666667\n")
DROPS = R([["SRB5030-2608-0121", 75.5], ["SRB5030-2608-0044", 2.5], ["SRB5030-2608-0166", 1.2]])
LOTS = R({"L2608A": {"mean": 30.1, "cpk": 1.4}, "L2608B": {"mean": 44.41, "cpk": 0.5}})
FIXTURES = R([{"fixture": "FIX-01", "vout": 4.9841, "n": 66}, {"fixture": "FIX-03", "vout": 4.9640, "n": 63}])
SHARE = R(0.92)
NUMBER = R(655)
YIELD = R([184, 200])
FAILS = R([["VOUT", 0], ["RIPPLE", 6], ["EFF_FL", 10]])
ROWS = R(1586)
RANGES = R({"range_100V": 413.9, "range_10V": 58.6})
NAME = R("SRB5030-2608-0142")
BOOL = R(True)
DAYS = R([["2026-08-31", "L2608A", 12], ["2026-09-01", "L2608B", 7]])
TRUE = [
    (COUNTS, "Of the 18 boards retested, 15 pass."),
    (COUNTS, "Fifteen out of eighteen boards passed the retest; three did not."),
    (COUNTS, "Result: PASS 15, FAIL 3, total 18."),
    (COUNTS, "Average output: 4.98 V; spread 4.9678–5.0077 V."),
    (COUNTS, "Mean VOUT = 4.984 V (min = 4.968 V, max = 5.008 V)"),
    (COUNTS, "The 15 passing boards average 4.9840 V, ranging from 4.9678 V up to 5.0077 V."),
    (COUNTS, "3/18 failed"),
    (COUNTS, "There were 3 failures among 18 boards."),
    (COUNTS, "Pass: 15\nFail: 3\nMean: 4.984 V"),
    (COUNTS, "The values run from 4967.8 mV to 5007.7 mV."),
    (ROW, "15 of 18 boards are within limits and the mean is 4.984 V."),
    (ROW, "15 boards out of 18."),
    (PRINTED, "15 boards pass and 3 fail, mean 4.984 V."),
    (PRINTED, "The mean of the 15 good boards is 4.984."),
    (DROPS, "The worst is SRB5030-2608-0121, which sags by 75.5 mV; the next is SRB5030-2608-0044 at 2.5 mV."),
    (DROPS, "SRB5030-2608-0121: 75.5 mV"),
    (DROPS, "Board 0121 drops 75.5 mV."),
    (DROPS, "Serial -0121 lost 75.5 mV, while -0166 lost just 1.2 mV."),
    (DROPS, "* SRB5030-2608-0121 – 75.5 mV\n* SRB5030-2608-0044 – 2.5 mV\n* SRB5030-2608-0166 – 1.2 mV"),
    (LOTS, "Lot L2608B has a mean of 44.41 mV with Cpk = 0.50, compared with 30.1 mV (Cpk 1.40) for L2608A."),
    (LOTS, "L2608B is not capable: Cpk 0.5 versus 1.4."),
    (LOTS, "Cpk: L2608A 1.4, L2608B 0.5."),
    (LOTS, "In lot L2608B, ripple averages 44.41 mV."),
    (FIXTURES, "FIX-01 → 4.9841 V (n = 66); FIX-03 → 4.9640 V (n = 63)"),
    (FIXTURES, "FIX-03's mean, 4.9640 V, is below FIX-01's 4.9841 V."),
    (FIXTURES, "Compared to FIX-01 (4.9841 V), FIX-03 reads 4.9640 V."),
    (FIXTURES, "The fixture FIX-03 had 63 boards and a mean of 4.964 V, FIX-01 had 66 and 4.984 V."),
    (SHARE, "The yield is 92 %."),
    (SHARE, "Yield = 0.92"),
    (SHARE, "92.0% of boards passed on the first attempt."),
    (NUMBER, "The output was `655`."),
    (NUMBER, "655"),
    (YIELD, "184 of the 200 boards pass."),
    (YIELD, "184 boards passed out of a total of 200."),
    (FAILS, "VOUT never fails; RIPPLE fails 6 times and EFF_FL 10 times."),
    (FAILS, "RIPPLE has 6 failures, EFF_FL has 10."),
    (ROWS, "There are 1,586 rows."),
    (ROWS, "1586 measurements were recorded on 2026-08-31."),
    (RANGES, "The 100 V range is noisier: 413.9 µV against 58.6 µV on the 10 V range."),
    (NAME, "It is SRB5030-2608-0142."),
    (BOOL, "Yes, they all pass."),
    (DAYS, "On 2026-08-31 there were 12, on 2026-09-01 there were 7."),
    (DAYS, "L2608A had 12 and L2608B had 7."),
]
WRONG = [
    (COUNTS, "Of 18 boards, 16 pass."),
    (COUNTS, "The pass rate is 83.4 %."),
    (COUNTS, "The mean is 4.986 V."),
    (COUNTS, "Twelve boards pass."),
    (COUNTS, "15 boards are dead."),
    (COUNTS, "Min 5.0077 V, max 4.9678 V."),
    (COUNTS, "Failed: 15, passed: 3."),
    (COUNTS, "The mean is 4.984 µV."),
    (COUNTS, "The mean is 49.84 V."),
    (COUNTS, "the lowest board reads 5.0077 V"),
    (ROW, "17 of 18 boards."),
    (ROW, "The mean is 4.99 V"),
    (PRINTED, "15 boards fail."),
    (PRINTED, "3 boards pass and 15 fail."),
    (PRINTED, "The mean is 4.48 V."),
    (DROPS, "Board 0044 drops 75.5 mV."),
    (DROPS, "SRB5030-2608-0166 sags by 2.5 mV."),
    (DROPS, "* SRB5030-2608-0121 – 2.5 mV\n* SRB5030-2608-0044 – 75.5 mV"),
    (DROPS, "SRB5030-2608-0122 drops 75.5 mV."),
    (DROPS, "The drop is 75.5 V."),
    (DROPS, "-0121 drops 7.55 mV."),
    (LOTS, "Lot L2608A has a mean of 44.41 mV."),
    (LOTS, "Cpk: L2608A 0.5, L2608B 1.4."),
    (LOTS, "L2608A is not capable: Cpk 0.5."),
    (LOTS, "The mean of L2608B is 0.5 and its Cpk is 44.41."),
    (FIXTURES, "FIX-03's mean, 4.9841 V, is below FIX-01's 4.9640 V."),
    (FIXTURES, "Compared to FIX-03 (4.9841 V), FIX-01 reads 4.9640 V."),
    (FIXTURES, "FIX-02 reads 4.9640 V."),
    (FIXTURES, "FIX-01 had 63 boards."),
    (SHARE, "The yield is 0.92 %."),
    (SHARE, "The yield is 93 %."),
    (NUMBER, "It printed 42."),
    (NUMBER, "It printed 656."),
    (YIELD, "186 of 200."),
    (YIELD, "200 boards pass, 184 were tested."),
    (FAILS, "RIPPLE fails 10 times."),
    (FAILS, "VOUT fails 6 times."),
    (ROWS, "There are 1,568 rows."),
    (ROWS, "There are 1.586 rows."),
    (RANGES, "413.9 mV"),
    (DAYS, "L2608A had 7 and L2608B had 12."),
    (BOOL, "Yes, all 18 pass."),
]
# The number is a run's, and nothing in the run or the sentence says that it belongs elsewhere.
SEEN = ["The drop is 75.5 V.", "200 boards pass, 184 were tested.", "413.9 mV"]


def wrongly_marked(run: Any, text: str) -> list[Any]:
    return [(figure.text, figure.mark) for figure in bench.verify(text, [run]).figures if figure.mark]


@pytest.mark.parametrize(("run", "text"), TRUE)
def test_a_true_answer_is_traced(run: Any, text: str) -> None:
    assert wrongly_marked(run, text) == []


@pytest.mark.parametrize(("run", "text"), WRONG)
def test_a_wrong_answer_is_marked_but_for_those_that_say_too_little(run: Any, text: str) -> None:
    assert bool(wrongly_marked(run, text)) is (text not in SEEN)
