"""What tempts a guard: real faults that another unit would explain, few rows, nodes without an expected range, and
boards drawn at random.
"""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

from corpus.boards import bench, board, node
from corpus.cases import Sheet, around, between, family, header, rows, written
from corpus.units import UNITS, from_base, to_base


@family("refuse", "a load dump of 41..58 V on a 30 V board that has a ripple node of 5..60 mV: volts, not millivolts")
def overvoltage_that_fits_another_node(rng):
    s = Sheet(rng, rows(rng))
    claims = rng.choice([{"columns": ("ripple_mv",)}, {"measurements": ("RIPPLE",)}, {}])
    ripple = node("voltage", absolute=("0 mV", "500 mV"), expected=("5 mV", "60 mV"), **claims)
    s.measured(header(rng, "V"), between(rng, s.n, 41, 58), "V", "refuse", also=("leave",), declared="V")
    return s.case(bench(nodes={"RIPPLE": ripple}))


@family(
    "refuse", "shorted boards draw 12..90 A where 3 A is the maximum; the sleep node makes them look like microamps"
)
def overcurrent_that_fits_the_sleep_node(rng):
    s = Sheet(rng, rows(rng))
    sleep = node("current", expected=("5 uA", "500 uA"), measurements=("I_SLEEP",))
    s.measured(header(rng, "A"), between(rng, s.n, 12, 90), "A", "refuse", also=("leave",), declared="A")
    return s.case(bench(nodes={"SLEEP": sleep}))


@family("refuse", "an efficiency of 1.02..1.08 is a fault of the power analyser, not 1 %")
def ratio_over_one(rng):
    s = Sheet(rng, rows(rng))
    head = "efficiency (ratio)"
    expected = rng.choice([{}, {"expected": ("0 ratio", "1 ratio")}, {"expected": ("0.7 ratio", "0.98 ratio")}])
    eff = node("ratio", absolute=("0 ratio", "1 ratio"), columns=(head,), **expected)
    s.measured(head, between(rng, s.n, 1.02, 1.08), "1", "refuse", also=("leave",), declared="1")
    return s.case(bench(nodes={"EFF": eff}))


@family("decidable", "scenario 32 with an absolute range alone: 100 % out of 0..1, only 1/100 fits, a named factor")
def percent_under_ratio_by_absolute_range(rng):
    s = Sheet(rng, rows(rng))
    head = "efficiency (ratio)"
    s.measured(head, between(rng, s.n, 87, 93), "%", "correct", declared="1")
    return s.case(bench(nodes={"EFF": node("ratio", absolute=("0 ratio", "1 ratio"), columns=(head,))}))


@family("refuse", "a node with an absolute range alone: mV and uV fit it both")
def absolute_range_alone(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "V")
    out = node("voltage", absolute=("-0.3 V", "6 V"), columns=(head,))
    s.measured(head, around(rng, s.n, 4990, 0.01), "mV", "refuse", also=("correct",), declared="V", proposal="mV")
    return s.case(board({"OUT": out}))


@family("clean", "nodes with limits or a range alone, and values that fit")
def clean_bare_nodes(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "V")
    body = rng.choice(
        [{"absolute": ("-0.3 V", "6 V")}, {"limits": ("4.9 V", "5.1 V")}, {"expected": ("4.5 V", "5.5 V")}]
    )
    s.measured(head, around(rng, s.n, 5, 0.006), "V", "leave", declared="V")
    return s.case(board({"OUT": node("voltage", columns=(head,), **body)}))


@family(
    "refuse", "one row in twenty in volts under millivolts: refused, or corrected with those rows withheld one by one"
)
def few_rows_in_volts(rng):
    s = Sheet(rng, rows(rng, 60, 300))
    some = set(rng.sample(range(s.n), max(3, int(s.n * rng.uniform(0.03, 0.08)))))
    units = ["V" if i in some else "mV" for i in range(s.n)]
    numbers = [x * (1 if u == "V" else 1000) for x, u in zip(around(rng, s.n, 5, 0.004), units, strict=True)]
    name = s.column(header(rng, "V"), texts := written(rng, numbers, 6, "general"))
    s.truth(name, texts, units, "refuse", also=("correct",), declared="V")
    return s.case(bench(), decorate=False)


@family("refuse", "one row in twenty in millivolts under volts: kept with its faults flagged, or refused")
def few_rows_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 60, 300))
    some = set(rng.sample(range(s.n), max(3, int(s.n * rng.uniform(0.03, 0.08)))))
    units = ["mV" if i in some else "V" for i in range(s.n)]
    numbers = [x * (1 if u == "V" else 1000) for x, u in zip(around(rng, s.n, 5, 0.004), units, strict=True)]
    name = s.column(header(rng, "V"), texts := written(rng, numbers, 6, "general"))
    s.truth(name, texts, units, "refuse", also=("leave",), declared="V", faults=len(some))
    return s.case(bench(), decorate=False)


@family("open", "three rows, one of them dead: two readings are too few for a range to correct by")
def three_rows_one_dead(rng):
    s = Sheet(rng, 3)
    s.measured(header(rng, "V"), [4990.1, 5003.2, 0.3], "mV", "refuse", also=("correct",), declared="V", style="fixed")
    return s.case(bench())


@family("open", "a fixture with two rows in millivolts: refused there, or corrected by the whole; the others stand")
def tiny_segment(rng):
    n = rng.randrange(20, 80)
    s = Sheet(rng, n)
    places = ["A" if i % 2 else "B" for i in range(n - 2)] + ["C", "C"]
    s.column("fixture", places)
    numbers = [rng.gauss(5, 0.01) * (1000 if p == "C" else 1) for p in places]
    name = s.column(header(rng, "V"), texts := written(rng, numbers, 6, "general"))
    for place in "ABC":
        where = [i for i in range(n) if places[i] == place]
        bad = place == "C"
        s.truth(name, texts, "mV" if bad else "V", "refuse" if bad else "leave", rows=where, declared="V",
                segment=("fixture", place), also=("correct", "leave") if bad else ())  # fmt: skip
    return s.case(bench(), decorate=False)


@family("open", "a column that separates the scales but that the board does not name as a segment")
def segment_column_not_named(rng):
    n = rng.randrange(20, 80)
    s = Sheet(rng, n)
    places = [rng.choice(["north", "south"]) for _ in range(n - 6)] + ["north", "south"] * 3
    s.column(rng.choice(["hall", "bench name", "shift"]), places)
    units = ["mV" if p == "north" else "V" for p in places]
    numbers = [rng.gauss(5, 0.01) * (1000 if u == "mV" else 1) for u in units]
    name = s.column(header(rng, "V"), texts := written(rng, numbers, 6, "general"))
    s.truth(name, texts, units, "refuse", declared="V")
    return s.case(bench(segments=["fixture"]), decorate=False)


@family("clean", "input power and output voltage and current: P is not V I, and nothing is wrong")
def clean_power_that_is_not_volts_times_amps(rng):
    s = Sheet(rng, rows(rng, 6, 100))
    volts, amps = around(rng, s.n, 5, 0.004), between(rng, s.n, 0.41, 0.93)
    efficiency = rng.choice([0.6, 0.85, 0.7])
    s.measured("Voltage (V)", volts, "V", "leave", declared="V", sig=6)
    s.measured("Current (A)", amps, "A", "leave", declared="A", sig=6)
    watts = [v * i / efficiency for v, i in zip(volts, amps, strict=True)]
    s.measured("Input power (W)", watts, "W", "leave", declared="W", sig=6)
    return s.case(bench())


@family("clean", "P = V I across prefixes: V, mA, mW, each under its own header")
def clean_power_across_prefixes(rng):
    s = Sheet(rng, rows(rng, 6, 100))
    volts, amps = around(rng, s.n, 5, 0.004), between(rng, s.n, 0.41, 0.93)
    unit, scale = rng.choice([("mW", 1e3), ("W", 1)])
    s.measured(header(rng, "V", "Voltage"), volts, "V", "leave", declared="V", sig=6)
    s.measured(header(rng, "mA", "Current"), [i * 1e3 for i in amps], "mA", "leave", declared="mA", sig=6)
    watts = [v * i * scale for v, i in zip(volts, amps, strict=True)]
    s.measured(header(rng, unit, "Power"), watts, unit, "leave", declared=unit, sig=6)
    return s.case(bench())


@family("open", "elapsed minutes under seconds, beside a clock: minutes are a proposal")
def minutes_under_seconds_with_clock(rng):
    s = Sheet(rng, rows(rng, 20, 100))
    start = dt.datetime(2026, 8, 31, 7, 0, 5)
    s.column("DateTime", [f"{start + dt.timedelta(minutes=2 * i):%Y-%m-%d %H:%M:%S}" for i in range(s.n)])
    s.measured(
        "Elapsed (s)", None, "min", "refuse", also=("correct",), texts=[str(2 * i) for i in range(s.n)], declared="s"
    )
    return s.case(bench(), decorate=False)


@family("clean", "every board starts its own elapsed time; the clock runs on")
def clean_elapsed_time_restarts(rng):
    s = Sheet(rng, rows(rng, 40, 200))
    start = dt.datetime(2026, 8, 31, 7, 0, 5)
    s.column("timestamp", [f"{start + dt.timedelta(seconds=10 * i):%Y-%m-%d %H:%M:%S}" for i in range(s.n)])
    s.measured("Elapsed (s)", None, "s", "leave", texts=[str(10 * (i % 13)) for i in range(s.n)], declared="s")
    return s.case(bench(), decorate=False)


@family("clean", "numbers with a comma where a point is declared are not numbers: 4,987 must not become 4987")
def clean_foreign_commas(rng):
    s = Sheet(rng, rows(rng, 5, 60))
    cells = [f"{x:.3f}".replace(".", ",") for x in around(rng, s.n, 5, 0.004)]
    s.measured(header(rng, "V"), None, "V", "leave", texts=[None] * s.n, cells=cells, declared="V")
    return s.case(bench())


@family("clean", "a power node in watts claims a column in dBm, which stays in dBm")
def clean_dbm_on_a_power_node(rng):
    s = Sheet(rng, rows(rng))
    head = "Pout (dBm)"
    pout = node("power", absolute=("0 W", "1 W"), expected=("0.1 mW", "100 mW"), columns=(head,))
    s.measured(head, between(rng, s.n, -9, 19), "dBm", "leave", declared="dBm")
    return s.case(bench(nodes={"POUT": pout}))


@family("clean", "a dead oscillator picks up the mains: 50 Hz is a finding")
def clean_few_dead_oscillators(rng):
    s = Sheet(rng, rows(rng, 30, 200))
    values = around(rng, s.n, 4e5, 0.01)
    for i in rng.sample(range(s.n), max(1, s.n // 15)):
        values[i] = rng.gauss(50, 0.01)
    clock = node("frequency", absolute=("100 kHz", "1 MHz"), expected=("380 kHz", "420 kHz"))
    s.measured(header(rng, "Hz"), values, "Hz", "leave", declared="Hz", style="general")
    return s.case(bench(nodes={"FSW": clock}))


@family("clean", "a rail at a tenth of its nominal in some rows: a brown-out, not a probe")
def clean_brown_out(rng):
    s = Sheet(rng, rows(rng, 20, 200))
    head = header(rng, "V")
    values = [rng.gauss(0.5, 0.01) if rng.random() < 0.3 else rng.gauss(5, 0.02) for _ in range(s.n)]
    five = node("voltage", absolute=("-0.3 V", "6 V"), nominal="5 V", columns=(head,))
    s.measured(head, values, "V", "leave", declared="V")
    return s.case(bench(nodes={"5V0": five}))


@family("clean", "a soft start: the rail ramps from nothing to its nominal, and most samples lie below it")
def clean_soft_start(rng):
    s = Sheet(rng, rows(rng, 30, 300))
    head = header(rng, "V")
    up = int(s.n * rng.uniform(0.4, 0.9))
    values = [5 * i / up if i < up else rng.gauss(5, 0.01) for i in range(s.n)]
    five = node("voltage", absolute=("-0.3 V", "6 V"), nominal="5 V", columns=(head,))
    s.measured(head, values, "V", "leave", declared="V")
    return s.case(bench(nodes={"5V0": five} if rng.random() < 0.5 else {}))


@family("decidable", "a soft start in millivolts under volts")
def soft_start_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 40, 300))
    head = header(rng, "V")
    up = int(s.n * rng.uniform(0.2, 0.5))
    values = [5000 * i / up if i < up else rng.gauss(5000, 10) for i in range(s.n)]
    five = node("voltage", absolute=("-0.3 V", "6 V"), nominal="5 V", columns=(head,))
    s.measured(head, values, "mV", "correct", declared="V")
    return s.case(bench(nodes={"5V0": five}))


@family("clean", "inrush: a current far above its expected range for a few samples, and sleep for the rest")
def clean_inrush(rng):
    s = Sheet(rng, rows(rng, 50, 300))
    values = [2.9 * 0.7**i + rng.uniform(8e-6, 90e-6) for i in range(s.n)]
    s.measured(header(rng, "A"), values, "A", "leave", declared="A", style=rng.choice(["sci", "general"]))
    return s.case(bench())


@family("clean", "a diode's curve: current over five decades, voltage below a volt")
def clean_diode_curve(rng):
    s = Sheet(rng, rows(rng, 20, 100))
    volts = [0.3 + 0.45 * i / s.n for i in range(s.n)]
    s.measured(header(rng, "V", "Vf"), volts, "V", "leave", declared="V")
    s.measured(
        header(rng, "A", "If"), [1e-9 * 2.718 ** (v / 0.036) for v in volts], "A", "leave", declared="A", style="sci"
    )
    return s.case(bench())


_QUANTITIES = {"voltage": "V", "current": "A", "power": "W", "resistance": "ohm", "capacitance": "F", "frequency": "Hz"}
_STEPS = {"u": -6, "m": -3, "": 0, "k": 3}


def _random_node(rng, base, unit):
    low = float(f"{base * rng.uniform(0.3, 0.95):.3g}")
    high = float(f"{base * rng.uniform(1.05, 3):.3g}")
    least = 0.0 if rng.random() < 0.7 else -high
    quantity = UNITS[unit][0]
    text = [f"{float(from_base(Fraction(str(x)), unit)):.6g} {unit}" for x in (least, high * 1.5, low, high)]
    shape = rng.choice(["both", "both", "expected"])
    body = {"expected": (text[2], text[3])} | ({"absolute": (text[0], text[1])} if shape == "both" else {})
    return node(quantity, **body), low, high


def _random(rng, *, wrong):
    """A board of one to five random nodes of one quantity, and a column drawn from one of them."""
    quantity = rng.choice(list(_QUANTITIES))
    base_unit = _QUANTITIES[quantity]
    declared, raw = (prefix + base_unit for prefix in rng.sample(list(_STEPS), 2))
    if not wrong:
        raw = declared
    head = header(rng, declared)
    nodes, spans = {}, []
    for i in range(rng.randrange(1, 6)):
        magnitude = 10 ** rng.uniform(-6, 3)
        body, low, high = _random_node(rng, magnitude, rng.choice(["", "m", "k"]) + base_unit)
        nodes[f"N{i}"] = body
        spans.append((low, high))
    chosen = rng.randrange(len(spans))
    if rng.random() < 0.6:
        nodes[f"N{chosen}"]["columns"] = [head]
    s = Sheet(rng, rows(rng))
    low, high = spans[chosen]
    if rng.random() < 0.4:
        low, high = (low + high) / 2 * 0.98, (low + high) / 2 * 1.02
    scale = float(UNITS[raw][1])
    texts = written(rng, [x / scale for x in between(rng, s.n, low, high)], 6, rng.choice(["sci", "plus", "general"]))
    return s, head, texts, raw, declared, board(nodes)


@family("open", "boards at random, values where their node expects them, a right label: kept, or refused when unsure")
def random_board_right(rng):
    s, head, texts, raw, declared, profile = _random(rng, wrong=False)
    s.measured(head, None, raw, "leave", also=("refuse",), texts=texts, declared=declared)
    return s.case(profile)


@family("open", "boards at random, a wrong label: corrected by exactly the planted factor, refused or left")
def random_board_wrong(rng):
    s, head, texts, raw, declared, profile = _random(rng, wrong=True)
    s.measured(head, None, raw, "correct", also=("refuse", "leave"), texts=texts, declared=declared)
    return s.case(profile)


@family("open", "boards at random, values that are real faults beyond every range under a right label")
def random_board_faults(rng):
    s, head, texts, raw, declared, profile = _random(rng, wrong=False)
    factor = Fraction(str(round(10 ** rng.uniform(0.3, 1.2), 3)))
    texts = [f"{float(Fraction(t) * factor):.6g}" for t in texts]
    assert all(to_base(Fraction(t), raw) is not None for t in texts)
    s.measured(head, None, raw, "leave", also=("refuse",), texts=texts, declared=declared)
    return s.case(profile)
