"""Labelled answers judged by results alone, without snippets, units or limits; written before the tracer saw them.

When first judged, 5 of 43 true ones of the first batch were marked and 7 of 42 wrong ones passed, then 1 of 23 and 4 of
26 of the second; what is left is listed as `SEEN`.
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
BATCH = R(
    {"n_boards": 24, "n_pass": 22, "yield_pct": 91.66666, "mean_mv": 4987.3, "std_mv": 11.42},
    reads="t.vout_mv t.result",
)
DATES = R([["2026-10-28", 12, 0.4], ["2026-10-29", 9, 0.7], ["2026-10-30", 15, 0.2]], reads="t.timestamp t.fail")
BOARDS = R(
    {
        "columns": ["board", "iin_a", "eff_pct"],
        "rows": [["B-101", 0.6734, 92.81], ["B-102", 1.3123, 90.17], ["B-103", 0.0112, 0.0]],
        "truncated": False,
    },
    reads="t.iin_a",
)
NAMED = R(None, "R_OUT: 1520.4 ohm (limit 500)\nIQ_NL: 11.2 mA\nVOUT: 4.9871 V\nRIPPLE: 31.4 mV\n")
LONG = R(
    [["FIX-01", "VOUT", 4.9841], ["FIX-01", "RIPPLE", 31.2], ["FIX-03", "VOUT", 4.9640], ["FIX-03", "RIPPLE", 30.8]],
    reads="t.value t.fixture t.measurement",
)
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
    (BATCH, "22 of the 24 boards pass, i.e. 91.7 %."),
    (BATCH, "The mean is 4987.3 mV (4.987 V) with a standard deviation of 11.4 mV."),
    (BATCH, "Yield: 91.67%. Mean: 4.9873 V. Sigma: 11.42 mV."),
    (BATCH, "We tested 24 boards, and 22 passed."),
    (BATCH, "$\\mu = 4.9873$ V, $\\sigma = 0.01142$ V"),
    (BATCH, "Roughly 92% of the boards pass."),
    (DATES, "There were 12 failures on 2026-10-28, 9 on 2026-10-29 and 15 on 2026-10-30."),
    (DATES, "The worst day was 2026-10-30 with 15 failures."),
    (DATES, "On October 29, 9 failed."),
    (BOARDS, "B-101 draws 673.4 mA at an efficiency of 92.81 %."),
    (BOARDS, "B-102 draws 1.31 A; B-101 0.673 A."),
    (BOARDS, "B-103 takes only 11.2 mA."),
    (BOARDS, "The efficiency of B-102 is 90.2 % versus 92.8 % for B-101."),
    (BOARDS, "Board B-102: 1.3123 A, 90.17 %"),
    (NAMED, "R_OUT is 1520 ohm, well above the limit of 500 ohm."),
    (NAMED, "R_OUT = 1.52 kΩ, IQ_NL = 11.2 mA, VOUT = 4.987 V and ripple = 31.4 mV."),
    (NAMED, "The ripple is 31 mV."),
    (NAMED, "The quiescent current is 11.2 mA."),
    (LONG, "FIX-03 reads 4.9640 V for VOUT and 30.8 mV of ripple."),
    (LONG, "VOUT on FIX-01 is 4.9841 V; on FIX-03 it is 4.9640 V."),
    (LONG, "RIPPLE is 31.2 mV on FIX-01 and 30.8 mV on FIX-03."),
    (LONG, "FIX-01: VOUT 4.9841 V, RIPPLE 31.2 mV."),
    (LONG, "VOUT: FIX-01 4.984 V, FIX-03 4.964 V. RIPPLE: FIX-01 31.2 mV, FIX-03 30.8 mV."),
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
    (BATCH, "24 of the 22 boards pass."),
    (BATCH, "23 of 24 boards pass."),
    (BATCH, "The mean is 11.42 mV."),
    (BATCH, "The standard deviation is 4987.3 mV."),
    (BATCH, "The yield is 91.5 %."),
    (BATCH, "2 boards fail."),
    (BATCH, "The mean is 4987.3 V."),
    (DATES, "There were 9 failures on 2026-10-28."),
    (DATES, "On 2026-10-30 there were 12 failures."),
    (DATES, "The worst day was 2026-10-29 with 15 failures."),
    (BOARDS, "B-101 draws 1.3123 A."),
    (BOARDS, "B-103 has an efficiency of 92.81 %."),
    (BOARDS, "B-102 draws 1.3123 mA."),
    (BOARDS, "B-101 draws 92.81 A."),
    (BOARDS, "The efficiency of B-101 is 90.2 % versus 92.8 % for B-102."),
    (NAMED, "R_OUT is 1520 mΩ."),
    (NAMED, "VOUT is 31.4 mV."),
    (NAMED, "RIPPLE is 11.2 mA."),
    (NAMED, "IQ_NL is 4.9871 V."),
    (NAMED, "R_OUT is 1524 ohm."),
    (LONG, "FIX-03 reads 4.9841 V for VOUT."),
    (LONG, "RIPPLE is 30.8 mV on FIX-01."),
    (LONG, "RIPPLE on FIX-03 is 4.9640 V."),
    (LONG, "VOUT on FIX-03 is 30.8 V."),
    (LONG, "FIX-01: VOUT 31.2 V."),
    (LONG, "FIX-03: VOUT 4.9841 V, RIPPLE 31.2 mV."),
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
