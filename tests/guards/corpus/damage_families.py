"""Damage and codes: locale, autorange, overloads, RKM, bad input; limits and results beside the values."""

from __future__ import annotations

from corpus.boards import bench, node
from corpus.cases import Sheet, around, between, family, header, ramp, rows, written


@family("refuse", "scenario 16: an autoranging meter whose prefix was lost row by row")
def autorange_log(rng):
    s = Sheet(rng, rows(rng, 8, 80))
    texts, units = [], []
    for _ in range(s.n):
        unit, text = rng.choice([
            ("mA", f"{rng.uniform(3.2, 9.9):05.1f}"), ("mA", f"{rng.uniform(10, 59):05.1f}"),
            ("A", f"{rng.uniform(0, 0.99):05.2f}"), ("uA", f"{rng.uniform(100, 590):05.1f}"), ("A", "0.000"),
        ])  # fmt: skip
        texts.append(text)
        units.append(unit)
    texts[:4], units[:4] = ["005.8", "00.01", "012.7", "046.3"], ["mA", "A", "mA", "mA"]
    name = s.column(header(rng, "A"), texts)
    s.truth(name, texts, units, "refuse", declared="A")
    return s.case(bench(), decorate=False)


@family("clean", "a meter that changes its range without redundant zeros is healthy")
def clean_autorange(rng):
    s = Sheet(rng, rows(rng, 8, 80))
    texts = [rng.choice([f"{rng.uniform(300, 900):.1f}", f"{rng.uniform(0.02, 0.09):.4f}"]) for _ in range(s.n)]
    s.measured(header(rng, "mA"), None, "mA", "leave", texts=texts, declared="mA")
    return s.case(bench())


@family("open", "ranges of amps, tens of milliamps and microamps in one healthy mA column: looks like a mixture")
def autorange_in_three_scales(rng):
    s = Sheet(rng, rows(rng, 8, 80))
    texts = [
        rng.choice([f"{rng.uniform(300, 900):.1f}", f"{rng.uniform(20, 90):.2f}", f"{rng.uniform(0.02, 0.09):.4f}"])
        for _ in range(s.n)
    ]
    s.measured(header(rng, "mA"), None, "mA", "leave", also=("refuse",), texts=texts, declared="mA")
    return s.case(bench())


def _damaged(rng, s, low, high, decimals=3):
    """Numbers whose decimal point was read as a thousands mark where three digits followed; at least one escaped."""
    values = [f"{rng.uniform(low, high):.{decimals}f}" for _ in range(s.n)]
    escaped = set(rng.sample(range(s.n), max(1, int(s.n * rng.choice([0.02, 0.1, 0.2])))))
    texts, units = [], []
    for i, text in enumerate(values):
        if i in escaped:
            texts.append(text[:-1])
            units.append("A")
        else:
            texts.append(str(int(text.replace(".", ""))))
            units.append("mA")
    return texts, units


@family("refuse", "scenario 17: 0.673 became 673, 0.62 stayed; most rows look like mA")
def locale_damage_in_amps(rng):
    s = Sheet(rng, rows(rng, 8, 120))
    texts, units = _damaged(rng, s, 0.52, 0.94)
    name = s.column(header(rng, "A"), texts)
    s.truth(name, texts, units, "refuse", declared="A")
    return s.case(bench(), decorate=False)


@family("refuse", "the same in volts: 4987 beside 5.01")
def locale_damage_in_volts(rng):
    s = Sheet(rng, rows(rng, 8, 120))
    texts, units = _damaged(rng, s, 4.951, 5.049)
    name = s.column(header(rng, "V"), texts)
    s.truth(name, texts, ["mV" if u == "mA" else "V" for u in units], "refuse", declared="V")
    return s.case(bench(), decorate=False)


@family("clean", "a German export: decimal commas everywhere")
def clean_decimal_comma(rng):
    s = Sheet(rng, rows(rng))
    texts = written(rng, around(rng, s.n, rng.choice([5.0, 3.3]), 0.004), 5, "fixed")
    cells = [t.replace(".", ",") + rng.choice(["", "", " "]) for t in texts]
    s.measured(header(rng, "V"), None, "V", "leave", texts=texts, cells=cells, declared="V")
    return s.case(bench(), decimal=",")


@family("decidable", "decimal commas and millivolts under volts")
def decimal_comma_in_millivolts(rng):
    s = Sheet(rng, rows(rng))
    texts = [f"{x:.1f}" for x in around(rng, s.n, 5000, 0.004)]
    s.measured(
        header(rng, "V"), None, "mV", "correct", texts=texts, cells=[t.replace(".", ",") for t in texts], declared="V"
    )
    return s.case(bench(), decimal=",")


_CODES = ("9.9E+37", "9.91E37", "-9.9E+37", "9.99999999e+37", "inf", "NaN")
_WORDS = ("OL", "----", "#N/A", "1.#INF", "overload", "-OL", "NaN", "O.L", "over range")


def _spoil(rng, texts, codes, share):
    cells, texts = list(texts), list(texts)
    for i in rng.sample(range(len(texts)), max(1, int(len(texts) * share))):
        cells[i], texts[i] = rng.choice(codes), None
    return cells, texts


@family("clean", "scenario 25: overload codes become null and count for nothing")
def clean_overload_codes(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    cells, texts = _spoil(rng, written(rng, around(rng, s.n, 5.01, 0.003)), _CODES, rng.choice([0.02, 0.1, 0.3]))
    s.measured(header(rng, "V"), None, "V", "leave", texts=texts, cells=cells, declared="V")
    return s.case(bench(sentinels={"overload": [9.9e37]}) if rng.random() < 0.5 else bench())


@family("clean", "scenario 27: words for no reading; the column must not become text")
def clean_overload_words(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    cells, texts = _spoil(rng, written(rng, around(rng, s.n, 5.01, 0.003)), _WORDS, rng.choice([0.05, 0.2, 0.4]))
    s.measured(header(rng, "V"), None, "V", "leave", texts=texts, cells=cells, declared="V")
    return s.case(bench())


@family("decidable", "millivolts under volts with overloads of both kinds")
def millivolts_with_overloads(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    cells, texts = _spoil(rng, written(rng, around(rng, s.n, 5010, 0.003)), (*_CODES, *_WORDS), 0.15)
    s.measured(header(rng, "V"), None, "mV", "correct", texts=texts, cells=cells, declared="V")
    return s.case(bench())


@family("clean", "a sentinel of the profile: a logger's own code")
def clean_profile_sentinels(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    head = header(rng, "A")
    cells, texts = _spoil(rng, written(rng, between(rng, s.n, 0.3, 1.2)), ("-9999", "32767", "TIMEOUT"), 0.2)
    s.measured(head, None, "A", "leave", texts=texts, cells=cells, declared="A")
    return s.case(bench(columns={head: {"sentinels": [-9999, 32767, "TIMEOUT"]}}))


@family("clean", "scenario 36: resistor codes, 4k99, 0R1, 10M")
def clean_resistor_codes(rng):
    s = Sheet(rng, rows(rng, 6, 60))
    codes = (
        ("4k99", "4990"),
        ("0R1", "0.1"),
        ("10M", "10000000"),
        ("47R", "47"),
        ("2k2", "2200"),
        ("1M5", "1500000"),
        ("100K", "100000"),
    )
    chosen = [codes[i] if i < 3 else rng.choice(codes) for i in range(s.n)]
    s.measured(
        rng.choice(["R", "R (ohm)", "R_nom (Ω)"]),
        None,
        "ohm",
        "leave",
        texts=[t for _, t in chosen],
        cells=[c for c, _ in chosen],
        units=("ohm",),
    )
    resistors = node("resistance", absolute=("0 ohm", "20 Mohm"))
    return s.case(bench(nodes={"R": resistors}), decorate=False)


@family("clean", "a column of remarks with one number stays text; empty columns and huge numbers do no harm")
def clean_bad_input(rng):
    s = Sheet(rng, rows(rng, 5, 60))
    s.column("remark (V)", ["5.01"] + ["see report"] * (s.n - 1))
    s.column("empty (V)", [None] * s.n)
    texts = written(rng, around(rng, s.n, 5, 0.003), 5, "fixed")
    cells = list(texts)
    cells[0], texts[0] = rng.choice([("nan", None), ("inf", None), ("-inf", None), ("4.9e-324", "4.9e-324")])
    s.measured("Rail (V)", None, "V", "leave", texts=texts, cells=cells, declared="V")
    return s.case(bench())


@family("open", "one reading of 1e308 and one denormal among fifty: faults, no unit")
def absurd_readings(rng):
    s = Sheet(rng, 50)
    texts = written(rng, around(rng, s.n, 5, 0.003), 5, "fixed")
    cells = list(texts)
    cells[7], texts[7] = "1e308", None
    s.measured(header(rng, "V"), None, "V", "leave", also=("refuse",), texts=texts, cells=cells, declared="V")
    return s.case(bench())


def _with_limits(rng, s, head, values, low, high, names, result):
    texts = written(rng, values, 6, "fixed")
    name = s.column(head, texts)
    s.column(names[0], [low] * s.n)
    s.column(names[1], [high] * s.n)
    if result:
        s.column(rng.choice(["Result", "status", "Pass/Fail"]), result)
    return name, texts


_LIMITS = (("LoLim", "HiLim"), ("LSL", "USL"), ("Low Limit", "High Limit"), ("lower_limit", "upper_limit"))


@family("refuse", "scenario 6: limits with no unit of their own, 1000 times the values")
def limits_of_no_unit(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    name, texts = _with_limits(
        rng, s, header(rng, "mV"), around(rng, s.n, 5, 0.004), "4900", "5100", rng.choice(_LIMITS), None
    )
    s.truth(name, texts, "V", "refuse", declared="mV", proposal="V")
    return s.case(bench())


@family("decidable", "scenario 6 where the profile knows the limits' unit")
def limits_of_known_unit(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    head = header(rng, "mV")
    result = ["PASS"] * s.n if rng.random() < 0.5 else None
    name, texts = _with_limits(rng, s, head, around(rng, s.n, 5, 0.004), "4900", "5100", rng.choice(_LIMITS), result)
    s.truth(name, texts, "V", "correct", declared="mV")
    return s.case(bench(columns={head: {"limits_unit": "mV"}}))


def _results(rng, values, low, high):
    words = rng.choice([("PASS", "FAIL"), ("P", "F"), ("pass", "fail"), ("Passed", "Failed")])
    return [words[0] if low <= v <= high else words[1] for v in values]


@family(
    "decidable", "range-blind volts under millivolts: the result column, recomputed from the node's limits, decides"
)
def result_column_decides(rng):
    s = Sheet(rng, rows(rng, 8, 100))
    head = header(rng, "mV")
    values = [float(f"{v:.4f}") for v in around(rng, s.n, 5, 0.006)]
    values[:2] = [5.0001, 4.99]
    out = node("voltage", absolute=("-0.3 V", "6 V"), limits=("4.95 V", "5.05 V"), columns=(head,))
    texts = [f"{v:.4f}" for v in values]
    s.measured(head, None, "V", "correct", texts=texts, declared="mV")
    s.column("result", _results(rng, values, 4.95, 5.05))
    return s.case(bench(nodes={"OUT": out}))


@family("decidable", "the retest: millivolts, dead and failing boards, the tester's own pass and fail")
def retest_with_results(rng):
    s = Sheet(rng, rows(rng, 12, 100))
    head = rng.choice(["value_v", "Voltage (V)", "Vout [V]"])
    values = [float(f"{v:.1f}") for v in around(rng, s.n, 4985, 0.003)]
    values[0], values[1], values[2] = 4944.9, -6.1, 0.5
    out = node(
        "voltage", absolute=("-0.3 V", "6 V"), expected=("4.9 V", "5.1 V"), limits=("4.95 V", "5.05 V"), columns=(head,)
    )
    s.measured(head, None, "mV", "correct", texts=[f"{v:.1f}" for v in values], declared="V")
    s.column("result", _results(rng, values, 4950, 5050))
    return s.case(
        bench(nodes={"VIN": node("voltage", absolute=("-0.3 V", "40 V"), expected=("9 V", "36 V")), "OUT": out})
    )


@family("decidable", "every board fails, in millivolts under volts")
def all_fail_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    head = header(rng, "V")
    out = node(
        "voltage", absolute=("-0.3 V", "6 V"), expected=("4.5 V", "5.5 V"), limits=("4.95 V", "5.05 V"), columns=(head,)
    )
    s.measured(head, around(rng, s.n, 4750, 0.005), "mV", "correct", declared="V")
    s.column("result", ["FAIL"] * s.n)
    return s.case(bench(nodes={"OUT": out}))


@family("clean", "every board fails: a bad lot is no unit")
def clean_all_fail(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    head = header(rng, "V")
    out = node(
        "voltage", absolute=("-0.3 V", "6 V"), expected=("4.9 V", "5.1 V"), limits=("4.95 V", "5.05 V"), columns=(head,)
    )
    s.measured(head, around(rng, s.n, rng.choice([4.7, 5.4, 0.02]), 0.005), "V", "leave", declared="V")
    s.column("result", ["FAIL"] * s.n)
    return s.case(bench(nodes={"OUT": out}))


@family("clean", "limits in millivolts, and they say so, beside volts")
def clean_limits_in_another_unit(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    values = around(rng, s.n, 5, 0.003)
    name, texts = _with_limits(
        rng, s, header(rng, "V"), values, "4900", "5100", ("LoLim (mV)", "HiLim (mV)"), ["PASS"] * s.n
    )
    s.truth(name, texts, "V", "leave", declared="V")
    return s.case(bench())


@family("clean", "limits without a unit that agree with the values")
def clean_limits_agree(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    values = around(rng, s.n, 5, 0.01)
    name, texts = _with_limits(
        rng, s, header(rng, "V"), values, "4.9", "5.1", rng.choice(_LIMITS), _results(rng, values, 4.9, 5.1)
    )
    s.truth(name, texts, "V", "leave", declared="V")
    return s.case(bench())


@family("clean", "the node's range knows the volts; limits of no unit that are written in mV do not unsettle it")
def clean_limits_of_no_unit_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    head = header(rng, "V")
    name, texts = _with_limits(rng, s, head, around(rng, s.n, 5, 0.003), "4900", "5100", rng.choice(_LIMITS), None)
    s.truth(name, texts, "V", "leave", declared="V")
    five = node("voltage", absolute=("-0.3 V", "6 V"), nominal="5 V", columns=(head,))
    return s.case(bench(nodes={"5V0": five}))


@family("decidable", "engineering notation of an oscilloscope, millivolts under volts")
def engineering_notation_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    s.column("second", [f"{t:+.5E}" for t in ramp(s.n, -1e-3, 1e-3)], "second")
    s.measured(header(rng, "V"), around(rng, s.n, 3300, 0.005), "mV", "correct", declared="V", style="plus")
    return s.case(bench(), decorate=False)


@family("decidable", "the meter's range column stands beside millivolts under volts")
def meter_range_beside(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    s.measured("vout_v", around(rng, s.n, 4990, 0.003), "mV", "correct", declared="V")
    s.column("meter_range_v", ["10"] * s.n)
    return s.case(bench())


@family("refuse", "a meter in its 1 V range cannot have read 500 V, and no board says more")
def meter_range_contradicts(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    s.measured(
        "vout_v", around(rng, s.n, rng.choice([330.0, 500.0, 750.0]), 0.01), "mV", "refuse", declared="V", proposal="mV"
    )
    s.column("vout_range_v", ["1"] * s.n)
    return s.case(None)


@family("clean", "the meter's range as healthy logs have it")
def clean_meter_range(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    s.measured("vout_v", around(rng, s.n, 5, 0.01), "V", "leave", declared="V")
    s.column("vout_range_v", ["10"] * s.n)
    return s.case(rng.choice([None, bench()]))
