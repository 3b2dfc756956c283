"""Labelled answers as models write them, judged by the tracer: rates of what passes and of what is marked wrongly."""

from __future__ import annotations

from typing import Any

import pytest

from bench.ask.figures import Context
from bench.ask.verify import verify

UNITS = {
    ("retest", "value_v"): ["V"], ("soak", "vout_v"): ["V"], ("soak", "tcase_c"): ["degC"],
    ("soak", "elapsed_min"): ["min"], ("production_run", "value"): ["V", "mV", "A", "ohm", "%"],
    ("sweep", "vin_v"): ["V"], ("sweep", "iin_a"): ["A"], ("sweep", "vout_v"): ["V"], ("sweep", "iout_a"): ["A"],
}  # fmt: skip
LIMITS = {
    "VOUT": {"lower": 4.95, "upper": 5.05, "unit": "V"}, "RIPPLE": {"lower": None, "upper": 50.0, "unit": "mV"},
    "EFF_FL": {"lower": 88.0, "upper": None, "unit": "%"},
}  # fmt: skip
FACTORS = {"retest.value_v, factor": 0.001}
COUNTS = {"retest, rows read": 18, "retest, rows changed": 18, "retest, rows quarantined": 2}


def made(code: str, reads: str, value: Any = None, stdout: str = "") -> dict[str, Any]:
    pairs = [pair.split(".") for pair in reads.split()]
    return {"status": "ok", "value": value, "stdout": stdout, "snippet": code, "warnings": [],
            "reads": [{"table": table, "column": column} for table, column in pairs]}  # fmt: skip


RUNS = {
    "retest": made(
        "passed = con.sql(\"select count(*) from retest where result = 'PASS'\").fetchone()[0]",
        "retest.value_v retest.result retest.serial",
        {"passed": 15, "failed": 3, "total": 18, "mean_v": 4.981833333333332, "min_v": 4.9678, "max_v": 5.0077,
         "failed_serials": {"SRB5030-2610-0052": 4.9449, "SRB5030-2610-0063": -0.0061, "SRB5030-2610-0178": 0.0005}},
    ),
    "soak": made(
        "con.sql('select serial, 1000 * (max(vout_v) - min(vout_v)), max(tcase_c) - min(tcase_c) from soak')",
        "soak.vout_v soak.tcase_c soak.serial",
        [["SRB5030-2610-0121", 75.5, 67.1], ["SRB5030-2610-0044", 2.5, 31.4], ["SRB5030-2610-0166", 1.2, 30.9]],
    ),
    "lots": made(
        "con.sql(\"select lot, avg(value), cpk(value, null, 50), count(*) from production_run group by lot\").df()",
        "production_run.value production_run.lot",
        {"columns": ["lot", "mean_ripple", "cpk", "n"], "truncated": False,
         "rows": [["L2610A", 31.27, 1.42, 66], ["L2610B", 44.41, 0.497, 67], ["L2610C", 30.85, 1.51, 64]]},
    ),
    "yield": made(
        "good, all_ = con.sql('select ...').fetchone()\nresult = [good, all_, good / all_]", "production_run.result",
        [184, 200, 0.92],
    ),
    "fixtures": made(
        "for name, mean, n in con.sql('select fixture, avg(value), count(*)').fetchall(): print(name, mean, 'V', n)",
        "production_run.value production_run.fixture", None,
        "FIX-01 4.98413 V 66\nFIX-02 4.98527 V 67\nFIX-03 4.96402 V 63\n",
    ),
    "power": made(
        "con.sql('select serial, avg(vin_v * iin_a), avg(vout_v * iout_a) from sweep group by serial').fetchall()",
        "sweep.vin_v sweep.iin_a sweep.vout_v sweep.iout_a sweep.serial",
        [["SRB5030-2610-0101", 8.0748, 14.9532], ["SRB5030-2610-0102", 15.7476, 14.9481]],
    ),
}  # fmt: skip
TRUE = [
    ("retest", "15 of 18 boards pass and 3 fail. The mean is 4.982 V (the column was in mV and was divided by 1000)."),
    ("retest", "Yes, mostly: 15 of the 18 retested boards pass; three fail."),
    ("retest", "No. Three boards fail: SRB5030-2610-0052 (4.9449 V), -0063 (-0.0061 V) and -0178 (0.0005 V)."),
    ("retest", "The passing boards lie between 4.9678 V and 5.0077 V, all inside the limits of 4.95 V to 5.05 V."),
    ("retest", "Mean 4.98 V, minimum 4.968 V, maximum 5.008 V."),
    ("retest", "| board | VOUT |\n|---|---|\n| SRB5030-2610-0052 | 4.9449 V |\n| SRB5030-2610-0178 | 0.5 mV |"),
    ("retest", "SRB5030-2610-0052 reads 4944.9 mV, which is below the lower limit of 4950 mV."),
    ("retest", "Fifteen boards pass. The lowest of them reads 4.9678 V."),
    ("retest", "On 30 October 2026, 15 boards passed (4.9678..5.0077 V)."),
    ("retest", "- passed: 15\n- failed: 3\n- mean: 4,981.8 mV"),
    ("retest", "Of 18 boards, 15 passed. Failures: 3. SRB5030-2610-0063 is dead at -6.1 mV."),
    ("retest", "15/18 pass. Board -0052 is marginal: 4.945 V against a limit of 4.95 V."),
    ("retest", "1. 15 boards pass.\n2. 3 boards fail.\n3. The mean is about 5 V."),
    ("retest", "All 18 rows were corrected from mV to V; 15 boards pass. 2 rows are quarantined."),
    ("retest", "15 boards pass, with an average of 4.982 V and a range from 4.9678 to 5.0077 V."),
    ("retest", "3 of 18 boards are outside the limits: one of them is marginal (4.9449 V)."),
    ("retest", "The retest shows 15 passes and 3 failures; the largest passing value is 5.0077 V."),
    ("retest", "**15** pass, **3** fail."),
    ("soak", "SRB5030-2610-0121 loses 75.5 mV of output while its case warms by 67.1 °C."),
    ("soak", "-0121 drops 75.5 mV and its case rises 67.1 degC; -0044 drops 2.5 mV, -0166 1.2 mV."),
    ("soak", "SRB5030-2610-0121 stands out: 75.5 mV, against 2.5 mV for SRB5030-2610-0044."),
    ("soak", "The drop of 75.5 mV (0.0755 V) on SRB5030-2610-0121 is the largest of the three boards."),
    ("soak", "SRB5030-2610-0044 and SRB5030-2610-0166 drop 2.5 mV and 1.2 mV respectively."),
    ("soak", "Only SRB5030-2610-0121 fails: it sags by 75.5 mV. Its case rises by 67.1 degC."),
    ("soak", "The other two boards move by 2.5 mV and 1.2 mV."),
    ("soak", "About 76 mV on SRB5030-2610-0121."),
    ("lots", "Lot L2610B has a mean ripple of 44.41 mV and a Cpk of 0.50; the others are near 31 mV."),
    ("lots", "L2610B: 44.4 mV, Cpk 0.497 (67 boards). L2610A: 31.3 mV, Cpk 1.42 (66 boards)."),
    ("lots", "The Cpk is 1.42 for L2610A, 0.497 for L2610B and 1.51 for L2610C."),
    ("lots", "The ripple limit is 50 mV; lot L2610B averages 44.41 mV, so its Cpk is only 0.5."),
    ("lots", "| lot | ripple (mV) | Cpk |\n|---|---|---|\n| L2610A | 31.27 | 1.42 |\n| L2610C | 30.85 | 1.51 |"),
    ("lots", "Ripple is worst in L2610B (44.41 mV) and best in L2610C (30.85 mV)."),
    ("lots", "L2610A, L2610B and L2610C average 31.27, 44.41 and 30.85 mV."),
    ("lots", "44.41 mV in lot L2610B against 31.27 mV in lot L2610A."),
    ("yield", "184 of 200 boards pass: a yield of 92.0 %."),
    ("yield", "The first-pass yield is 92% (184/200)."),
    ("yield", "Yield: 0.92, that is 184 boards of 200."),
    ("yield", "92 percent of the boards pass."),
    ("fixtures", "FIX-03 reads low: 4.9640 V, where FIX-01 has 4.9841 V and FIX-02 4.9853 V."),
    ("fixtures", "The mean of FIX-03 is 4.964 V over 63 readings."),
    ("fixtures", "FIX-01 and FIX-02 agree (4.984 V and 4.985 V); FIX-03 does not (4.964 V)."),
    ("fixtures", "At 4.964 V, FIX-03 is the lowest."),
    ("fixtures", "FIX-03:\n- mean 4.9640 V\n- 63 readings"),
    ("fixtures", "Fixture FIX-03 is suspicious. It averages 4.9640 V."),
    ("power", "SRB5030-2610-0101 puts out 14.95 W from 8.07 W, which cannot be."),
    ("power", "The block of SRB5030-2610-0101 shows 8.0748 W in and 14.9532 W out; -0102 has 15.75 W in."),
    ("power", "One block is impossible (SRB5030-2610-0101): more power out (14.95 W) than in (8.07 W)."),
    ("power", "Input power is 8,074.8 mW on SRB5030-2610-0101 at 25 degC, 12 V and 3 A."),
]  # fmt: skip
WRONG = [  # label, run, text: at least one figure must be marked
    ("digit", "retest", "16 of 18 boards pass."), ("digit", "retest", "15 of 19 boards pass."),
    ("digit", "retest", "14 boards pass and 3 fail."), ("digit", "retest", "15 boards pass and 4 fail."),
    ("digit", "retest", "The mean is 4.983 V."), ("digit", "retest", "The mean is 4.972 V."),
    ("digit", "retest", "The passing boards lie between 4.9679 V and 5.0077 V."),
    ("digit", "retest", "SRB5030-2610-0052 reads 4.9448 V."), ("digit", "retest", "SRB5030-2610-0063 reads -0.0062 V."),
    ("digit", "retest", "The largest is 5.0078 V."), ("digit", "retest", "Mean 4,981.7 mV."),
    ("digit", "soak", "SRB5030-2610-0121 drops 75.4 mV."), ("digit", "soak", "SRB5030-2610-0121 drops 76.5 mV."),
    ("digit", "soak", "Its case rises 67.2 degC."), ("digit", "soak", "-0044 drops 2.6 mV."),
    ("digit", "soak", "-0166 moves by 1.3 mV."), ("digit", "lots", "L2610B averages 44.42 mV."),
    ("digit", "lots", "L2610B averages 45.41 mV."), ("digit", "lots", "The Cpk of L2610B is 0.51."),
    ("digit", "lots", "The Cpk of L2610A is 1.43."), ("digit", "lots", "L2610A has 67.5 boards."),
    ("digit", "yield", "185 of 200 boards pass."), ("digit", "yield", "184 of 201 boards pass."),
    ("digit", "yield", "The yield is 92.1 %."), ("digit", "yield", "The yield is 91 %."),
    ("digit", "yield", "The yield is 0.93."), ("digit", "fixtures", "FIX-03 reads 4.9641 V."),
    ("digit", "fixtures", "FIX-01 reads 4.9842 V."), ("digit", "fixtures", "FIX-03 has 62 readings."),
    ("digit", "power", "SRB5030-2610-0101 takes 8.08 W."), ("digit", "power", "SRB5030-2610-0101 gives 14.96 W."),
    ("digit", "retest", "sixteen boards pass."), ("digit", "retest", "Two boards fail."),
    ("group", "retest", "15 boards fail."), ("group", "retest", "3 boards pass."),
    ("group", "retest", "The maximum is 4.9678 V."), ("group", "retest", "The minimum is 5.0077 V."),
    ("group", "retest", "The mean is 5.0077 V."), ("group", "retest", "SRB5030-2610-0063 reads 4.9449 V."),
    ("group", "retest", "SRB5030-2610-0052 reads 0.0005 V."), ("group", "retest", "-0178 reads -0.0061 V."),
    ("group", "retest", "Failures: 15."), ("group", "retest", "The highest passing value is 4.9678 V."),
    ("group", "soak", "SRB5030-2610-0044 drops 75.5 mV."), ("group", "soak", "-0121 drops 1.2 mV."),
    ("group", "soak", "-0166 drops 2.5 mV and -0044 1.2 mV."), ("group", "soak", "The case of -0044 rises 67.1 degC."),
    ("group", "soak", "75.5 mV for SRB5030-2610-0166."),
    ("group", "soak", "SRB5030-2610-0166 is odd. It drops 75.5 mV."),
    ("group", "soak", "-0044 and -0166 drop 1.2 mV and 2.5 mV respectively."),
    ("group", "lots", "Lot L2610A averages 44.41 mV."), ("group", "lots", "Lot L2610C has a Cpk of 0.50."),
    ("group", "lots", "L2610B: 31.27 mV."), ("group", "lots", "44.41 mV in lot L2610C."),
    ("group", "lots", "The Cpk is 0.497 for L2610A and 1.42 for L2610B."),
    ("group", "lots", "| L2610A | 44.41 | 0.497 |"), ("group", "lots", "Ripple is worst in L2610A (44.41 mV)."),
    ("group", "lots", "L2610A, L2610B and L2610C average 44.41, 31.27 and 30.85 mV."),
    ("group", "lots", "L2610C has 66 boards."), ("group", "lots", "Lot L2610D averages 44.41 mV."),
    ("group", "fixtures", "FIX-01 reads 4.9640 V."), ("group", "fixtures", "FIX-03 reads 4.9841 V."),
    ("group", "fixtures", "FIX-02 is low at 4.964 V."), ("group", "fixtures", "FIX-04 reads 4.9640 V."),
    ("group", "fixtures", "FIX-01 has 63 readings."), ("group", "fixtures", "FIX-02:\n- mean 4.9640 V"),
    ("group", "fixtures", "4.964 V on FIX-01, 4.984 V on FIX-03."),
    ("group", "fixtures", "At 4.964 V, FIX-01 is the lowest."),
    ("group", "power", "SRB5030-2610-0102 takes 8.07 W."), ("group", "power", "-0101 takes 15.75 W."),
    ("group", "power", "-0102 gives 14.9532 W."), ("group", "yield", "200 of 184 boards pass."),
    ("group", "yield", "184 boards fail."), ("group", "yield", "200 boards pass."),
    ("group", "retest", "18 boards pass."), ("group", "retest", "All 18 boards fail."),
    ("unit", "retest", "The mean is 4.982 mV."), ("unit", "retest", "The mean is 4982 V."),
    ("unit", "retest", "The mean is 4.982 A."), ("unit", "retest", "The mean is 4.982 kV."),
    ("unit", "retest", "The mean is 4.982 degC."), ("unit", "retest", "The mean is 4,981.8 V."),
    ("unit", "retest", "SRB5030-2610-0178 reads 0.0005 mV."), ("unit", "retest", "The mean is 49.8 %."),
    ("unit", "soak", "The case of -0121 rises 67.1 A."), ("unit", "soak", "-0121 drops 75.5 kV."),
    ("unit", "lots", "L2610B averages 44.41 GV."), ("unit", "lots", "L2610B averages 44.41 s."),
    ("unit", "yield", "The yield is 0.92 %."), ("unit", "yield", "184 V of 200 boards."),
    ("unit", "fixtures", "FIX-03 reads 4.964 mV."), ("unit", "fixtures", "FIX-03 reads 4964 V."),
    ("unit", "fixtures", "FIX-03 reads 4.964 A."), ("unit", "power", "-0101 gives 14.95 degC."),
    ("invented", "retest", "The standard deviation is 0.0113 V."), ("invented", "retest", "Cpk is 1.33."),
    ("invented", "retest", "The yield is 83.3 %."), ("invented", "retest", "99.9 % of all boards would pass."),
    ("invented", "retest", "The boards draw 0.673 A."), ("invented", "retest", "The 95th percentile is 5.004 V."),
    ("invented", "soak", "The soak took 57 minutes."), ("invented", "soak", "The ambient was 25.3 degC."),
    ("invented", "lots", "The process capability of the lot is 2.1."),
    ("invented", "lots", "The difference is 13.14 mV."),
    ("invented", "yield", "16 boards fail."), ("invented", "yield", "The scrap rate is 8 %."),
    ("invented", "fixtures", "FIX-03 is 20.1 mV low."), ("invented", "fixtures", "The spread is 0.0213 V."),
    ("invented", "power", "The efficiency is 185 %."), ("invented", "power", "The loss is 0.80 W."),
    ("invented", "retest", "The uncertainty is ±0.02 V."), ("invented", "retest", "A sample of 1,000 boards passed."),
    ("invented", "retest", "15 boards pass, so about 830,000 ppm."),
    ("invented", "yield", "Twelve boards were reworked."),
    ("limit", "retest", "The upper limit is 5.1 V."), ("limit", "retest", "The limits are 4.9 V to 5.05 V."),
    ("limit", "lots", "The ripple limit is 60 mV."), ("limit", "yield", "The lower limit of efficiency is 80 %."),
    ("sign", "retest", "SRB5030-2610-0063 reads 0.0061 V."), ("sign", "fixtures", "FIX-03 reads -4.9640 V."),
    ("zero", "retest", "0 boards fail."), ("zero", "fixtures", "The offset is 0.0000 V."),
]  # fmt: skip
LAUNDERED = ["result = {n}", "print('{n} boards pass')", "passed = {n}\nresult = passed", "result = {n} + 0",
             "con.sql('select {n}').fetchone()", "result = float('{n}')", "result = f'{n} boards'", "result = [{n}]",
             "result = {{'passed': {n}}}", "x = ({n})\nprint(x)"]  # fmt: skip


def judged(name: str, text: str) -> list[Any]:
    context = Context("Do the boards pass at 25 degC, 12 V and 3 A?", LIMITS, UNITS, COUNTS, FACTORS)
    return list(verify(text, [RUNS[name]], context=context).figures)


@pytest.mark.parametrize(("name", "text"), TRUE)
def test_a_true_answer_is_traced(name: str, text: str) -> None:
    figures = judged(name, text)
    assert figures
    assert [(figure.text, figure.mark) for figure in figures if figure.mark] == []


@pytest.mark.parametrize(("label", "name", "text"), WRONG)
def test_a_wrong_answer_is_marked(label: str, name: str, text: str) -> None:
    figures = judged(name, text)
    assert any(figure.mark for figure in figures), figures


@pytest.mark.parametrize("code", LAUNDERED)
@pytest.mark.parametrize("number", [15, 184, 3])
def test_a_laundered_number_is_a_literal(code: str, number: int) -> None:
    snippet = code.format(n=number)
    run = made(snippet, "", number, f"{number} boards pass\n")
    assert [figure.mark for figure in verify(f"{number} boards pass.", [run]).figures] == ["literal"]


def test_there_are_enough_of_each() -> None:
    assert len(TRUE) + len(WRONG) + 3 * len(LAUNDERED) >= 150
    assert len({label for label, _, _ in WRONG}) == 7
