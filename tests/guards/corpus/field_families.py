"""Cases as reports from the field and the written scenarios have them, with the board as loosely written as there."""

from __future__ import annotations

from corpus.boards import bench, board, cell, node
from corpus.cases import Sheet, around, between, family, header, rows, written


@family("decidable", "scenario 2 on the board of rails: only some rows are at a nominal, and only in mV")
def cycler_on_a_board_of_rails(rng):
    s = Sheet(rng, rows(rng, 20, 200))
    s.measured("Volts", sorted(between(rng, s.n, 1300, 3802)), "mV", "correct", declared="V")
    s.measured("mAmps", between(rng, s.n, 120, 1900), "mA", "leave", declared="mA")
    return s.case(bench())


@family("decidable", "scenario 32 as written: ratios 0..1 on the board, claimed by nothing")
def percent_under_unclaimed_ratio(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(["efficiency (ratio)", "eff_ratio", "Efficiency (fraction)"])
    s.measured(head, between(rng, s.n, 87, 93), "%", "correct", declared="1")
    more = rng.choice([{}, {"expected": ("0.5 ratio", "0.99 ratio")}])
    return s.case(bench(nodes={"RATIO": node("ratio", absolute=("0 ratio", "1 ratio"), **more)}))


@family("clean", "ratios under their own header on the same boards")
def clean_ratio(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(["efficiency (ratio)", "eff_ratio", "Efficiency (fraction)"])
    s.measured(head, between(rng, s.n, 0.87, 0.93), "1", "leave", declared="1")
    more = rng.choice([{}, {"expected": ("0.5 ratio", "0.99 ratio")}])
    return s.case(bench(nodes={"RATIO": node("ratio", absolute=("0 ratio", "1 ratio"), **more)}))


@family("refuse", "scenario 16 as written: three to six rows")
def autorange_log_short(rng):
    s = Sheet(rng, rng.randrange(3, 7))
    known = [("mA", "005.8"), ("A", "00.01"), ("A", "0.000"), ("mA", "010.2"), ("mA", "004.9"), ("A", "00.02")][: s.n]
    texts = [text for _, text in known]
    name = s.column(header(rng, "A"), texts)
    s.truth(name, texts, [unit for unit, _ in known], "refuse", declared="A")
    return s.case(bench(), decorate=False)


@family("refuse", "scenario 17 as written: nine whole numbers and one with two decimals")
def locale_damage_as_reported(rng):
    texts = ["606", "606", "636", "641", "655", "658", "661", "667", "673", "0.62"]
    rng.shuffle(texts)
    s = Sheet(rng, len(texts))
    name = s.column(header(rng, "A"), texts)
    s.truth(name, texts, ["A" if "." in t else "mA" for t in texts], "refuse", declared="A")
    return s.case(bench(), decorate=False)


@family("clean", "scenario 36: a lone 1M among plain numbers is null and flagged, the column stands")
def clean_lone_mega(rng):
    s = Sheet(rng, rows(rng, 10, 60))
    texts = written(rng, around(rng, s.n, 4990, 0.01), 5, "fixed")
    cells = list(texts)
    cells[3], texts[3] = "1M", None
    s.measured("R (ohm)", None, "ohm", "leave", texts=texts, cells=cells, declared="ohm")
    return s.case(bench())


@family("refuse", "scenario 43 as written: a scope's units row, a rail claimed by its channel")
def probe_factor_of_a_scope(rng):
    s = Sheet(rng, rows(rng, 20, 300))
    s.column("x-axis", [f"{i * 1e-6:.6E}" for i in range(s.n)], "second")
    s.measured("CH1", around(rng, s.n, 0.5, 0.008), "V", "refuse", declared="V", units_row="Volt", proposal="x10")
    five = node("voltage", absolute=("-0.3 V", "6 V"), nominal="5 V", columns=("CH1",))
    return s.case(bench(nodes={"5V0": five}), decorate=False)


@family("decidable", "a smart meter: 233000 V on the mains")
def mains_in_millivolts(rng):
    s = Sheet(rng, rows(rng))
    mains = node("voltage", absolute=("0 V", "300 V"), expected=("207 V", "253 V"))
    s.measured(header(rng, "V"), around(rng, s.n, 233e3, 0.01), "mV", "correct", declared="V", sig=6)
    return s.case(board({"L1": mains, "AUX": node("voltage", nominal="24 V")}))


@family("decidable", "milliwatt-hours under a Wh header")
def milliwatt_hours_under_wh(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(["Energy (Wh)", "Energy [Wh]", "Energy / Wh"])
    energy = node("energy", absolute=("0 Wh", "20 Wh"), expected=("5 Wh", "12 Wh"))
    s.measured(head, between(rng, s.n, 6000, 11500), "mWh", "correct", declared="Wh")
    return s.case(cell(nodes={"E": energy}))


@family("refuse", "a logger drops the prefix of uA, mA and A alike: three scales under A")
def three_scales_under_amps(rng):
    s = Sheet(rng, rows(rng, 15, 120))
    units = [["uA", "mA", "A"][i % 3] for i in range(s.n)]
    spans = {"uA": (30, 480), "mA": (110, 900), "A": (0.2, 1.9)}
    texts = written(rng, [rng.uniform(*spans[u]) for u in units], 5, "general")
    name = s.column(header(rng, "A"), texts)
    s.truth(name, texts, units, "refuse", declared="A")
    return s.case(bench(), decorate=False)


@family("open", "a meter off by 5.25: a calibration error is no unit")
def calibration_error(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "uA")
    claimed = node("current", absolute=("0 A", "1 mA"), expected=("40 uA", "70 uA"), columns=(head,))
    s.measured(head, around(rng, s.n, 294, 0.02), "uA", "leave", also=("refuse",), declared="uA")
    return s.case(bench(nodes={"SLEEP": claimed}))


@family("open", "a third of the rows in Fahrenheit among Celsius: both are possible temperatures")
def mixed_fahrenheit(rng):
    s = Sheet(rng, rows(rng, 12, 100))
    units = ["degF" if rng.random() < 0.33 else "degC" for _ in range(s.n)]
    celsius = between(rng, s.n, 30, 38)
    texts = written(
        rng, [c * 9 / 5 + 32 if u == "degF" else c for c, u in zip(celsius, units, strict=True)], 4, "fixed"
    )
    name = s.column(header(rng, "degC"), texts)
    s.truth(name, texts, units, "refuse", also=("leave",), declared="degC")
    return s.case(bench(), decorate=False)


@family("clean", "columns numbered a, b, c by a name that is no unit: coil_a is not in amps")
def clean_lettered_columns(rng):
    s = Sheet(rng, rows(rng))
    stem = rng.choice(["phase", "coil", "winding", "probe", "bank"])
    low = rng.choice([5.0, 12.0, 230.0])
    for letter in "abc":
        s.measured(f"{stem}_{letter}", around(rng, s.n, low, 0.02), "V", "leave", units=())
    return s.case(bench())


@family("decidable", "a setpoint in millivolts under volts is judged like a measured column")
def setpoint_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 8, 100))
    texts = [str(1000 * (9 + i % 20)) for i in range(s.n)]
    s.measured("vin_set_v", None, "mV", "correct", texts=texts, declared="V")
    return s.case(bench(columns={"vin_set_v": {"role": "setpoint"}}))


@family("clean", "one board per row: every measurement of a long table has one value only")
def clean_one_row_each(rng):
    s = Sheet(rng, 4)
    s.column("measurement", ["5V0", "3V3", "IIN", "TEMP"])
    texts = ["5.013", "3.297", "0.512", "31.5"]
    units = ["V", "V", "A", "degC"]
    s.column("value", texts)
    s.column("unit", ["V", "V", "A", "C"])
    for i, name in enumerate(("5V0", "3V3", "IIN", "TEMP")):
        s.truth("value", texts, units[i], "leave", rows=[i], measurement=name, declared=units[i])
    return s.case(bench())


@family("refuse", "one row of a long table in millivolts under V: too few to correct")
def one_row_each_in_millivolts(rng):
    s = Sheet(rng, 3)
    s.column("measurement", ["VOUT", "IIN", "TEMP"])
    texts = ["5013", "0.512", "31.5"]
    s.column("value", texts)
    s.column("unit", ["V", "A", "C"])
    s.truth("value", texts, "mV", "refuse", rows=[0], measurement="VOUT", declared="V", proposal="mV")
    s.truth("value", texts, "A", "leave", rows=[1], measurement="IIN", declared="A")
    return s.case(bench())


@family("clean", "an empty column, one of nothing but overloads, one of nothing but words")
def clean_nothing_to_judge(rng):
    s = Sheet(rng, rows(rng, 3, 60))
    for head, cell_text in (("Rail (V)", None), ("Shunt (mV)", "9.9E+37"), ("Load (A)", "OL")):
        s.measured(head, None, "V", "leave", texts=[None] * s.n, cells=[cell_text] * s.n)
    s.measured("Vout (V)", around(rng, s.n, 5, 0.01), "V", "leave", declared="V")
    return s.case(bench())


@family("decidable", "millivolts under volts in a German table with units in the cells of its limits")
def german_table_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 6, 80))
    texts = [f"{x:.2f}" for x in around(rng, s.n, 3300, 0.004)]
    s.column("Prüfling", [f"A{i:03d}" for i in range(s.n)])
    s.measured(
        "Spannung (V)", None, "mV", "correct", texts=texts, cells=[t.replace(".", ",") for t in texts], declared="V"
    )
    s.column("Ergebnis", ["i.O."] * s.n)
    return s.case(bench(), decimal=",")


@family("clean", "thousands blanks and apostrophes are no numbers that we know")
def clean_foreign_thousands(rng):
    s = Sheet(rng, rows(rng, 5, 40))
    mark = rng.choice([" ", "'", "\u00a0", "\u202f"])
    ends = [rng.randrange(950, 999) for _ in range(s.n)]
    texts = [None if mark == " " else f"4{end}" for end in ends]  # a plain blank may part two numbers
    cells = [f"4{mark}{end}" for end in ends]
    s.measured(header(rng, "mV"), None, "mV", "leave", texts=texts, cells=cells, declared="mV")
    return s.case(bench())


@family("clean", "a spread of healthy prefixes in one table")
def clean_all_prefixes(rng):
    s = Sheet(rng, rows(rng, 5, 100))
    for head, unit, value in (
        ("VIN [kV]", "kV", 0.024),
        ("5V0 (V)", "V", 5.0),
        ("3V3 / mV", "mV", 3300),
        ("offset (uV)", "uV", 40),
        ("Iin (A)", "A", 0.6),
        ("Iq (mA)", "mA", 300),
        ("Isleep (uA)", "uA", 40),
        ("Ileak (nA)", "nA", 2),
    ):
        s.measured(head, around(rng, s.n, value, 0.01), unit, "leave", declared=unit)
    return s.case(bench())


def _sheet_of_a_converter(rng, n):
    """vin, iin, vout, iout of a healthy converter with an efficiency of 90 %."""
    vin, iout = [[9.0, 12.0, 24.0][i % 3] for i in range(n)], [[0.5, 1.0, 1.8][(i // 3) % 3] for i in range(n)]
    iin = [5 * i / v / 0.9 for v, i in zip(vin, iout, strict=True)]
    return vin, iin, around(rng, n, 5, 0.002), iout


_INPUTS = {"absolute": ("0 A", "4 A"), "expected": ("10 mA", "2.5 A"), "columns": ("iin_a", "iout_a")}


@family("clean", "rows that break the energy balance are flagged and never corrected")
def clean_impossible_block(rng):
    s = Sheet(rng, rows(rng, 30, 200))
    vin, iin, vout, iout = _sheet_of_a_converter(rng, s.n)
    for i in range(4):
        iin[i] /= 2
    for head, values, unit in (("vin_v", vin, "V"), ("iin_a", iin, "A"), ("vout_v", vout, "V"), ("iout_a", iout, "A")):
        s.measured(head, values, unit, "leave", declared=unit, sig=6)
    balance = [{"expression": "vin_v * iin_a >= vout_v * iout_a"}]
    return s.case(bench(nodes={"INPUT": node("current", **_INPUTS)}, identities=balance))


@family("decidable", "the board's identity pout = vout iout decides where the ranges are blind")
def profile_identity_decides(rng):
    s = Sheet(rng, rows(rng, 12, 150))
    vout, iout = around(rng, s.n, 5, 0.002), between(rng, s.n, 0.5, 1.9)
    s.measured("vin_v", around(rng, s.n, 24, 0.002), "V", "leave", declared="V", sig=6)
    s.measured("vout_v", vout, "V", "leave", declared="V", sig=6)
    s.measured("iout_a", [i * 1000 for i in iout], "mA", "correct", declared="A", sig=6)
    s.measured("pout_w", [v * i for v, i in zip(vout, iout, strict=True)], "W", "leave", declared="W", sig=6)
    nodes = {
        "VIN": node("voltage", absolute=("-0.3 V", "40 V"), expected=("9 V", "36 V"), columns=("vin_v",)),
        "VOUT": node("voltage", absolute=("-0.3 V", "6 V"), expected=("4.9 V", "5.1 V"), columns=("vout_v",)),
        "ARC": node("current", absolute=("0 A", "5000 A"), columns=("iout_a",)),
        "POUT": node("power", absolute=("0 W", "60 W"), expected=("2 W", "12 W"), columns=("pout_w",)),
    }
    law = [{"expression": "pout_w == vout_v * iout_a", "tolerance": 0.02}]
    return s.case(board(nodes, identities=law), decorate=False)


_EFF = {"absolute": ("0 %", "100 %"), "expected": ("70 %", "98 %")}


@family("refuse", "half of the efficiencies as a fraction, half in percent, in turn")
def two_scales_of_percent(rng):
    s = Sheet(rng, rows(rng, 10, 100))
    units = ["%1"[i % 2] for i in range(s.n)]
    texts = [f"{rng.uniform(87, 93) / (100 if u == '1' else 1):.4f}" for u in units]
    name = s.column("efficiency (%)", texts)
    s.truth(name, texts, units, "refuse", declared="%")
    return s.case(bench(nodes={"EFF": node("ratio", columns=("efficiency (%)",), **_EFF)}), decorate=False)


@family("refuse", "one station writes the efficiency as a fraction: refused there, kept elsewhere")
def one_station_writes_fractions(rng):
    s = Sheet(rng, rows(rng, 18, 120))
    places = ["ABC"[i % 3] for i in range(s.n)]
    s.column("station", places)
    texts = [f"{rng.uniform(87, 93) / (100 if p == 'B' else 1):.4f}" for p in places]
    name = s.column("efficiency (%)", texts)
    for place in "ABC":
        where = [i for i in range(s.n) if places[i] == place]
        bad = place == "B"
        s.truth(
            name,
            texts,
            "1" if bad else "%",
            "refuse" if bad else "leave",
            rows=where,
            declared="%",
            segment=("station", place),
        )
    return s.case(bench(nodes={"EFF": node("ratio", columns=("efficiency (%)",), **_EFF)}), decorate=False)


@family("refuse", "rows labelled mV that hold volts: those rows are refused, the rows labelled V stand")
def unit_per_row_wrong_for_some(rng):
    s = Sheet(rng, rows(rng, 12, 120))
    units = ["mV" if i % 3 == 0 else "V" for i in range(s.n)]
    texts = written(rng, around(rng, s.n, 5, 0.004), 6, "fixed")
    name = s.column("Vout", texts)
    s.column("Unit", units)
    five = node("voltage", absolute=("-0.3 V", "6 V"), nominal="5 V", columns=("Vout",))
    for unit, due in (("mV", "refuse"), ("V", "leave")):
        s.truth(name, texts, "V", due, rows=[i for i in range(s.n) if units[i] == unit], units=("V", "mV"))
    return s.case(bench(nodes={"5V0": five}), decorate=False)


@family("decidable", "two columns of one header, the second of them in millivolts")
def equal_headers(rng):
    s = Sheet(rng, rows(rng, 4, 120))
    head = header(rng, "V")
    s.measured(head, around(rng, s.n, 5, 0.004), "V", "leave", declared="V")
    s.measured(head, around(rng, s.n, 3300, 0.004), "mV", "correct", declared="V")
    return s.case(bench())


@family("open", "ripple in millivolts that no node claims, in figures that another rail has in volts")
def ripple_that_looks_like_a_rail(rng):
    s = Sheet(rng, rows(rng))
    s.measured(
        rng.choice(["ripple (mV)", "ripple_mv", "Vpp [mV]"]),
        between(rng, s.n, 10, 27),
        "mV",
        "leave",
        also=("refuse",),
        declared="mV",
    )
    return s.case(bench())
