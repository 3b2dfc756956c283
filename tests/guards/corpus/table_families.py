"""Long tables and segments: one value column, many measurements; one column, many fixtures."""

from __future__ import annotations

from corpus.boards import bench, board, node
from corpus.cases import Sheet, around, between, family, header, rows, written

SRB = {
    "VIN": node("voltage", absolute=("-0.3 V", "40 V"), expected=("9 V", "36 V"), measurements=("VIN",)),
    "VOUT": node("voltage", absolute=("-0.3 V", "6 V"), expected=("4.9 V", "5.1 V"), limits=("4.95 V", "5.05 V"),
                 measurements=("VOUT",)),
    "IIN": node("current", absolute=("0 A", "3 A"), expected=("10 mA", "1.4 A"), measurements=("IQ_NL",)),
    "RIPPLE": node("voltage", absolute=("0 mV", "500 mV"), expected=("5 mV", "60 mV"), measurements=("RIPPLE",)),
    "R_OUT": node("resistance", absolute=("0 ohm", "1 Mohm"), limits=("500 ohm", "600 ohm"), measurements=("R_OUT",)),
    "EFF": node("ratio", absolute=("0 %", "100 %"), expected=("80 %", "97 %"), measurements=("EFF_FL",)),
}  # fmt: skip
_MEASURES = {
    # name: (unit, low, high, lower limit, upper limit)
    "VOUT": ("V", 4.96, 5.04, "4.95", "5.05"),
    "IQ_NL": ("mA", 10.5, 19.0, "", "25"),
    "RIPPLE": ("mV", 20.0, 48.0, "", "50"),
    "R_OUT": ("ohm", 505.0, 560.0, "500", "600"),
    "EFF_FL": ("%", 88.5, 93.0, "88", ""),
}
_NAMES = (
    ("measurement", "value", "unit", "low_limit", "high_limit", "result"),
    ("Test Name", "Measured Value", "Units", "Low Limit", "High Limit", "Status"),
    ("parameter", "reading", "uom", "LSL", "USL", "PassFail"),
    ("Step Name", "Data", "Unit", "LowLim", "HiLim", "Result"),
)


def _long(rng, boards, *, wrong=None, unit=None, scale=1.0, with_unit=True, with_limits=True, with_header=None):
    """Build a long table; `wrong` is the measurement whose values are scaled while its label stays."""
    names = rng.choice(_NAMES)
    order = [m for _ in range(boards) for m in _MEASURES]
    s = Sheet(rng, len(order))
    s.column("serial", [f"SN{i // len(_MEASURES):04d}" for i in range(s.n)])
    s.column(names[0], order)
    factor = [scale if m == wrong else 1.0 for m in order]
    texts = [format(rng.uniform(*_MEASURES[m][1:3]) * f, ".6g") for m, f in zip(order, factor, strict=True)]
    value = s.column(with_header or names[1], texts)
    if with_unit:
        s.column(names[2], [_MEASURES[m][0] for m in order])
    if with_limits:
        s.column(names[3], [_MEASURES[m][3] or None for m in order])
        s.column(names[4], [_MEASURES[m][4] or None for m in order])
        s.column(names[5], ["PASS"] * s.n)
    for m in _MEASURES:
        where = [i for i in range(s.n) if order[i] == m]
        due = "correct" if m == wrong else "leave"
        s.truth(value, texts, unit if m == wrong else _MEASURES[m][0], due, rows=where, measurement=m,
                declared=_MEASURES[m][0])  # fmt: skip
    return s


@family("clean", "a production table: measurement, value, unit, limits, result")
def clean_long(rng):
    return _long(rng, rng.randrange(4, 60)).case(board(SRB), decorate=False)


@family("clean", "a production table without a board")
def clean_long_without_board(rng):
    return _long(rng, rng.randrange(4, 60)).case(None, decorate=False)


@family("clean", "a production table without limits or results")
def clean_long_without_limits(rng):
    return _long(rng, rng.randrange(4, 60), with_limits=False).case(board(SRB), decorate=False)


@family("decidable", "one measurement in mV under the label V, the others right")
def long_millivolts_under_volts(rng):
    s = _long(rng, rng.randrange(4, 60), wrong="VOUT", unit="mV", scale=1000.0, with_limits=rng.random() < 0.5)
    return s.case(board(SRB), decorate=False)


@family("decidable", "ripple in microvolts under the label mV")
def long_microvolts_under_millivolts(rng):
    s = _long(rng, rng.randrange(4, 60), wrong="RIPPLE", unit="uV", scale=1000.0, with_limits=False)
    return s.case(board(SRB), decorate=False)


@family("open", "a fraction under % in one measurement")
def long_fraction_under_percent(rng):
    s = _long(rng, rng.randrange(4, 60), wrong="EFF_FL", unit="1", scale=0.01, with_limits=False)
    s.truths[-1] = type(s.truths[-1])(**{**vars(s.truths[-1]), "due": "refuse", "proposal": "1"})
    return s.case(board(SRB), decorate=False)


@family("decidable", "a long table whose prefix is chosen value by value: 99 mV, 0.11 V; brought into one unit")
def long_prefix_per_value(rng):
    n = rng.randrange(12, 120)
    s = Sheet(rng, n)
    s.column("measurement", ["DROPOUT" if i % 2 else "VREF" for i in range(n)])
    volts = [rng.uniform(0.08, 0.12) if i % 2 else rng.uniform(0.9, 1.1) for i in range(n)]
    units = ["V" if v >= 1 or (i % 2 and v >= 0.1) else "mV" for i, v in enumerate(volts)]
    texts = [format(v * (1000 if u == "mV" else 1), ".6g") for v, u in zip(volts, units, strict=True)]
    s.column("value", texts)
    s.column("unit", units)
    for i, m in enumerate(("VREF", "DROPOUT")):
        s.truth("value", texts, units, "correct", rows=list(range(i, n, 2)), measurement=m, units=("V", "mV"))
    return s.case(bench(), decorate=False)


@family("decidable", "values and limits mislabelled together: pass stays pass, the absolute range knows")
def limits_wrong_with_values(rng):
    n = rng.randrange(6, 60)
    s = Sheet(rng, n)
    s.column("measurement", ["VOUT"] * n)
    texts = written(rng, around(rng, n, 5000, 0.002), 6, "fixed")
    s.column("value", texts)
    s.column("unit", ["V"] * n)
    s.column("low_limit", ["4950"] * n)
    s.column("high_limit", ["5050"] * n)
    s.column("result", ["PASS"] * n)
    s.truth("value", texts, "mV", "correct", measurement="VOUT", declared="V")
    return s.case(board(SRB), decorate=False)


@family("decidable", "a long table, one fixture logs milliamps")
def long_one_fixture_in_milliamps(rng):
    boards = rng.randrange(8, 50)
    n = boards * 2
    s = Sheet(rng, n)
    fixture = [f"FIX-0{1 + (i // 2) % 3}" for i in range(n)]
    s.column("fixture", fixture)
    s.column("measurement", ["VOUT" if i % 2 else "IIN" for i in range(n)])
    wrong = [not i % 2 and fixture[i] == "FIX-02" for i in range(n)]
    values = [rng.uniform(4.96, 5.04) if i % 2 else rng.uniform(0.5, 1.3) * (1000 if wrong[i] else 1) for i in range(n)]
    texts = [format(v, ".6g") for v in values]
    s.column("value", texts)
    s.column("unit", ["V" if i % 2 else "A" for i in range(n)])
    s.truth("value", texts, "V", "leave", rows=range(1, n, 2), measurement="VOUT", declared="V")
    for fix in sorted(set(fixture)):
        where = [i for i in range(0, n, 2) if fixture[i] == fix]
        bad = fix == "FIX-02"
        s.truth("value", texts, "mA" if bad else "A", "correct" if bad else "leave", rows=where, measurement="IIN",
                segment=("fixture", fix), declared="A")  # fmt: skip
    nodes = SRB | {"IIN": node("current", absolute=("0 A", "3 A"), expected=("0.4 A", "1.4 A"), measurements=("IIN",))}
    return s.case(board(nodes, segments=["fixture"]), decorate=False)


def _segmented(rng, names, wrong, good, bad, *, column, least=3):
    """Return a sheet whose values come from `bad` in the wrong segments and from `good` elsewhere."""
    n = rng.randrange(len(names) * least, 200)
    s = Sheet(rng, n)
    places = [names[i % len(names)] for i in range(n)]
    if rng.random() < 0.5:
        places.sort()
    s.column(column, places)
    return s, places, [bad() if p in wrong else good() for p in places]


def _plant(s, head, numbers, places, column, wrong, raw, declared, due, **more):
    name = s.column(head, texts := written(s.rng, numbers, 6, "general"))
    for place in sorted(set(places)):
        where = [i for i in range(s.n) if places[i] == place]
        bad = place in wrong
        extra = more if bad else {}
        s.truth(name, texts, raw if bad else declared, due if bad else "leave", rows=where,
                segment=(column, place), declared=declared, **extra)  # fmt: skip


@family("decidable", "one fixture logs mV where the others log V; the segments are the board's")
def one_fixture_in_millivolts(rng):
    column = rng.choice(["fixture", "station", "tester", "lot"])
    wrong = {"B"}
    s, places, values = _segmented(
        rng, ["A", "B", "C"], wrong, lambda: rng.gauss(5, 0.01), lambda: rng.gauss(5000, 10), column=column
    )
    _plant(s, header(rng, "V"), values, places, column, wrong, "mV", "V", "correct")
    return s.case(bench(segments=[column]) if rng.random() < 0.5 else bench(), decorate=False)


@family("decidable", "two of four lots in milliamps")
def two_lots_in_milliamps(rng):
    wrong = {"L2608A", "L2608C"}
    s, places, values = _segmented(rng, ["L2608A", "L2608B", "L2608C", "L2608D"], wrong, lambda: rng.uniform(0.5, 1.9),
                                   lambda: rng.uniform(510, 1900), column="lot")  # fmt: skip
    _plant(s, header(rng, "A"), values, places, "lot", wrong, "mA", "A", "correct")
    return s.case(bench(segments=["fixture", "lot"]), decorate=False)


@family("clean", "a fixture that reads 0.7 % low is a finding about the fixture")
def clean_one_fixture_low(rng):
    s, places, values = _segmented(rng, ["FIX-01", "FIX-02", "FIX-03"], {"FIX-03"}, lambda: rng.gauss(5, 0.004),
                                   lambda: rng.gauss(4.964, 0.004), column="fixture")  # fmt: skip
    _plant(s, header(rng, "V"), values, places, "fixture", set(), "V", "V", "leave")
    return s.case(bench(), decorate=False)


@family("clean", "a lot of dead boards is no lot in another unit")
def clean_dead_lot(rng):
    s, places, values = _segmented(rng, ["A", "B", "C"], {"C"}, lambda: rng.gauss(5, 0.004),
                                   lambda: rng.uniform(-0.004, 0.004), column="lot")  # fmt: skip
    _plant(s, header(rng, "V"), values, places, "lot", set(), "V", "V", "leave")
    return s.case(bench(), decorate=False)


@family("clean", "fixtures measure different rails in one column, all in volts")
def clean_fixtures_with_rails_of_their_own(rng):
    s, places, values = _segmented(
        rng, ["A", "B"], {"B"}, lambda: rng.gauss(5, 0.01), lambda: rng.gauss(12, 0.02), column="fixture"
    )
    _plant(s, header(rng, "V"), values, places, "fixture", set(), "V", "V", "leave")
    return s.case(bench(), decorate=False)


@family("refuse", "the fixture separates the scales only in part: the mixed fixture is refused")
def incomplete_separation(rng):
    n = rng.randrange(24, 200)
    s = Sheet(rng, n)
    places = ["AB"[i % 2] for i in range(n)]
    units = ["mV" if places[i] == "B" and (i // 2) % 2 else "V" for i in range(n)]
    numbers = [rng.gauss(5, 0.01) * (1000 if u == "mV" else 1) for u in units]
    s.column("fixture", places)
    name = s.column(header(rng, "V"), texts := written(rng, numbers, 6, "general"))
    for place, due in (("A", "leave"), ("B", "refuse")):
        where = [i for i in range(n) if places[i] == place]
        s.truth(name, texts, units, due, rows=where, segment=("fixture", place), declared="V",
                also=("refuse",) if place == "A" else ())  # fmt: skip
    return s.case(bench(), decorate=False)


@family("refuse", "one fixture logs amps under mA: the other segments are a soft witness")
def one_fixture_in_amps_under_milliamps(rng):
    head = header(rng, "mA")
    s, places, values = _segmented(
        rng, ["A", "B", "C"], {"C"}, lambda: rng.uniform(410, 930), lambda: rng.uniform(0.41, 0.93), column="fixture"
    )
    _plant(s, head, values, places, "fixture", {"C"}, "A", "mA", "refuse")
    claimed = node("current", absolute=("-3 A", "3 A"), expected=("0.1 A", "2 A"), columns=(head,))
    return s.case(bench(nodes={"INPUT": claimed}), decorate=False)


@family("decidable", "a wide table of forty columns, two of them in mV")
def wide_table(rng):
    s = Sheet(rng, rows(rng, 5, 60))
    wrong = set(rng.sample(range(40), 2))
    for i in range(40):
        bad = i in wrong
        value = rng.choice([5.0, 3.3, 1.8]) * (1000 if bad else 1)
        s.measured(
            f"TP{i + 1} (V)",
            around(rng, s.n, value, 0.004),
            "mV" if bad else "V",
            "correct" if bad else "leave",
            declared="V",
        )
    return s.case(bench())


@family("clean", "a sweep: setpoints, readings, efficiency, all right; the board claims its columns")
def clean_characterization(rng):
    currents = {"absolute": ("0 A", "4 A"), "expected": ("10 mA", "2.5 A"), "columns": ("iin_a", "iout_a")}
    ripple = {"absolute": ("0 mV", "500 mV"), "expected": ("5 mV", "60 mV"), "columns": ("ripple_mv",)}
    nodes = {"INPUT": node("current", **currents), "RIPPLE": node("voltage", **ripple)}
    return _characterization(rng, nodes)


@family("clean", "the same sweep on a board that claims nothing: currents between the nodes' expected ranges")
def clean_characterization_unclaimed(rng):
    return _characterization(rng, {})


def _characterization(rng, nodes):
    s = Sheet(rng, rows(rng, 24, 200))
    vin = [[9.0, 12.0, 24.0, 28.0][i % 4] for i in range(s.n)]
    iout = [[0.1, 0.5, 1.0, 2.0][(i // 4) % 4] for i in range(s.n)]
    s.column("vin_set_v", [f"{v:g}" for v in vin])
    s.measured("vin_v", [v * rng.gauss(1, 1e-3) for v in vin], "V", "leave", declared="V")
    s.measured("vout_v", around(rng, s.n, 5, 0.002), "V", "leave", declared="V")
    s.measured("iout_a", [i * rng.gauss(1, 1e-3) for i in iout], "A", "leave", declared="A")
    iin = [5 * i / v / 0.9 for v, i in zip(vin, iout, strict=True)]
    s.measured("iin_a", iin, "A", "leave", declared="A", style="general")
    s.measured("ripple_mv", between(rng, s.n, 29, 48), "mV", "leave", declared="mV")
    s.measured("t_case_c", between(rng, s.n, 25, 60), "degC", "leave", declared="degC")
    s.column("meter_range_v", [rng.choice(["10", "100"]) for _ in range(s.n)])
    ident = [{"expression": "vin_v * iin_a >= vout_v * iout_a", "tolerance": 0.05}]
    return s.case(bench(nodes=nodes, identities=ident if rng.random() < 0.5 else []))
