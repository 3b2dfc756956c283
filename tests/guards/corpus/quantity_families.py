"""Other quantities: resistance, temperature, ratios, levels, frequency, capacitance, time."""

from __future__ import annotations

import datetime as dt

from corpus.boards import bench, node
from corpus.cases import Sheet, around, between, family, header, rows, written


@family("clean", "ohms on a board of resistors")
def clean_ohms(rng):
    s = Sheet(rng, rows(rng))
    s.measured(
        header(rng, "ohm"), around(rng, s.n, rng.choice([47, 4990, 120e3]), 0.01), "ohm", "leave", declared="ohm"
    )
    return s.case(bench())


@family("decidable", "ohms under a kilohm header, beyond the largest resistor")
def ohms_under_kilohms(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "kohm")
    r12 = node("resistance", absolute=("0 ohm", "20 kohm"), expected=("4.7 kohm", "5.3 kohm"), columns=(head,))
    s.measured(head, around(rng, s.n, 4990, 0.01), "ohm", "correct", declared="kohm")
    return s.case(bench(nodes={"R12": r12}))


@family("decidable", "ohms under a megohm header")
def ohms_under_megohms(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "Mohm")
    iso = node("resistance", absolute=("100 kohm", "2 Gohm"), expected=("0.5 Mohm", "50 Mohm"), columns=(head,))
    s.measured(head, between(rng, s.n, 1e6, 9e6), "ohm", "correct", declared="Mohm")
    return s.case(bench(nodes={"ISO": iso}))


@family("decidable", "isolation in megohms under an ohm header, below the least the board can have")
def megohms_under_ohms(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "ohm")
    iso = node("resistance", absolute=("100 kohm", "2 Gohm"), expected=("0.5 Mohm", "50 Mohm"), columns=(head,))
    s.measured(head, between(rng, s.n, 1, 45), "Mohm", "correct", declared="ohm")
    return s.case(bench(nodes={"ISO": iso}))


@family("refuse", "kilohms under an ohm header: inside the absolute range, so only a proposal")
def kilohms_under_ohms_claimed(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "ohm")
    r12 = node("resistance", absolute=("0 ohm", "2 Mohm"), expected=("4.7 kohm", "5.3 kohm"), columns=(head,))
    s.measured(head, around(rng, s.n, 4.99, 0.005), "kohm", "refuse", declared="ohm", proposal="kohm")
    return s.case(bench(nodes={"R12": r12}))


@family("refuse", "scenario 34: values and limits can share a wrong unit, and differ by 1000")
def kilohms_with_limits_in_ohms(rng):
    s = Sheet(rng, rows(rng))
    s.measured("R (ohm)", around(rng, s.n, 4.99, 0.003), "kohm", "refuse", declared="ohm", proposal="kohm")
    names = rng.choice([("LowLimit", "HighLimit"), ("LSL", "USL"), ("LoLim", "HiLim")])
    s.column(names[0], ["4750"] * s.n)
    s.column(names[1], ["5250"] * s.n)
    return s.case(bench())


@family("refuse", "no board: a resistance below zero")
def negative_resistance_without_board(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "ohm"), around(rng, s.n, -5, 0.01), "ohm", "refuse", also=("leave",), declared="ohm")
    return s.case(None)


@family("clean", "scenario 37 without a thermostat: a DUT hotter than its ambient is normal")
def clean_hot_device(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "degC"), between(rng, s.n, 68, 77), "degC", "leave", declared="degC")
    return s.case(bench())


@family("clean", "a device's case beside its ambient, both in Celsius and unrelated by 9/5 x + 32")
def clean_case_and_ambient(rng):
    s = Sheet(rng, rows(rng, 12, 200))
    ambient = between(rng, s.n, 20, 25)
    rise = rng.uniform(35, 60)
    s.measured("T_case (C)", [a + rise + rng.gauss(0, 2) for a in ambient], "degC", "leave", declared="degC")
    s.measured("T_amb (C)", ambient, "degC", "leave", declared="degC")
    return s.case(bench())


@family("refuse", "scenario 37: every row is the thermostat's own temperature in Fahrenheit")
def fahrenheit_beside_a_thermostat(rng):
    s = Sheet(rng, rows(rng, 12, 200))
    ambient = between(rng, s.n, 20, 25)
    fahrenheit = [a * 9 / 5 + 32 + rng.uniform(-0.3, 0.3) for a in ambient]
    s.measured("T (C)", fahrenheit, "degF", "refuse", declared="degC", proposal="degF")
    name = rng.choice(["thermostat (C)", "T_amb (C)", "Ambient (degC)", "Chamber / degC"])
    s.measured(name, ambient, "degC", "leave", also=("refuse",), declared="degC")
    return s.case(bench(), decorate=False)


@family("refuse", "scenario 38: kelvin under Celsius; an offset is never automatic")
def kelvin_under_celsius(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "degC"), between(rng, s.n, 293, 312), "K", "refuse", declared="degC", proposal="K")
    return s.case(bench())


@family("decidable", "scenario 38 with offsets allowed for the column")
def kelvin_with_offsets_allowed(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "degC")
    s.measured(head, between(rng, s.n, 293, 312), "K", "correct", declared="degC")
    return s.case(bench(columns={head: {"offsets": True}}))


@family("clean", "Fahrenheit and kelvin under their own headers on a board in Celsius")
def clean_fahrenheit_and_kelvin(rng):
    s = Sheet(rng, rows(rng))
    s.measured(f"T1 ({rng.choice(['°F', 'degF'])})", between(rng, s.n, 68, 99), "degF", "leave", declared="degF")
    s.measured("T2 (K)", between(rng, s.n, 293, 318), "K", "leave", declared="K")
    return s.case(bench())


@family("clean", "open thermocouples and a logger's own error code are no temperatures")
def clean_open_sensors(rng):
    s = Sheet(rng, rows(rng, 10, 200))
    head = header(rng, "degC")
    texts = written(rng, between(rng, s.n, 22, 60), 5, "fixed")
    cells = list(texts)
    for i in range(0, s.n, 7):
        cells[i], texts[i] = rng.choice(["-2497.3", "-9999.99", "9.9E+37"]), None
    s.measured(head, None, "degC", "leave", texts=texts, cells=cells, declared="degC")
    return s.case(bench(sentinels={"nan": [-9999.99], "overload": [9.9e37]}))


_EFFICIENCY = {"absolute": ("0 %", "100 %"), "expected": ("70 %", "98 %")}


@family("refuse", "scenario 31: an efficiency as a fraction under %")
def fraction_under_percent(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(["efficiency (%)", "eff_pct", "Efficiency [%]", "Efficiency / %"])
    s.measured(head, between(rng, s.n, 0.87, 0.93), "1", "refuse", declared="%", proposal="1")
    return s.case(bench(nodes={"EFF": node("ratio", columns=(head,), **_EFFICIENCY)}))


@family("open", "scenario 31 with P_out and P_in beside it, which may decide")
def fraction_under_percent_with_powers(rng):
    s = Sheet(rng, rows(rng, 10, 200))
    head = "efficiency (%)"
    pin = between(rng, s.n, 5, 40)
    eff = between(rng, s.n, 0.87, 0.93)
    s.measured(head, eff, "1", "refuse", also=("correct",), declared="%", sig=6)
    s.measured("P_in (W)", pin, "W", "leave", declared="W", sig=6)
    s.measured("P_out (W)", [p * e for p, e in zip(pin, eff, strict=True)], "W", "leave", declared="W", sig=6)
    power = {f"P{i}": node("power", absolute=("0 W", "50 W"), expected=("2 W", "45 W"), columns=(name,))
             for i, name in enumerate(("P_in (W)", "P_out (W)"))}  # fmt: skip
    return s.case(bench(nodes={"EFF": node("ratio", columns=(head,), **_EFFICIENCY), **power}))


@family("decidable", "scenario 32: percent under a ratio that cannot exceed one")
def percent_under_ratio(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(["efficiency (ratio)", "efficiency_ratio", "efficiency (fraction)"])
    s.measured(head, between(rng, s.n, 87, 93), "%", "correct", declared="1")
    ratio = node("ratio", absolute=("0 ratio", "1 ratio"), expected=("0.7 ratio", "0.98 ratio"), columns=(head,))
    return s.case(bench(nodes={"EFF": ratio}))


@family("clean", "percent, a small percentage and a ratio, each under its own header")
def clean_ratios(rng):
    s = Sheet(rng, rows(rng))
    s.measured("efficiency (%)", between(rng, s.n, 86, 95), "%", "leave", declared="%")
    s.measured(rng.choice(["line_reg (%)", "line_reg_pct"]), between(rng, s.n, 0.05, 0.29), "%", "leave", declared="%")
    s.measured("duty_ratio", between(rng, s.n, 0.2, 0.8), "1", "leave", declared="1")
    return s.case(bench(nodes={"EFF": node("ratio", columns=("efficiency (%)",), **_EFFICIENCY)}))


@family("clean", "scenario 31 without a node: 0.87..0.93 % may be a line regulation")
def clean_small_percentage(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "%"), between(rng, s.n, 0.87, 0.93), "%", "leave", declared="%")
    return s.case(bench())


@family("clean", "scenario 28: a level in dBm is never scaled")
def clean_dbm(rng):
    s = Sheet(rng, rows(rng))
    low, high = rng.choice([(-62, 14), (-88, -40), (0, 15)])
    s.measured(header(rng, "dBm"), between(rng, s.n, low, high), "dBm", "leave", declared="dBm")
    return s.case(bench())


@family("refuse", "scenario 29: levels in dBm under watts, negative power impossible")
def dbm_under_watts(rng):
    s = Sheet(rng, rows(rng, 5, 200))
    head = header(rng, "W")
    pout = node("power", absolute=("0 W", "50 W"), columns=(head,))
    texts = written(rng, between(rng, s.n, -62, 14), style="fixed")
    s.measured(head, None, "dBm", "refuse", texts=texts, declared="dBm", proposal="dBm")
    return s.case(bench(nodes={"POUT": pout}))


@family("open", "power beyond the absolute maximum of a dBm node, in mW: no scale")
def milliwatts_under_dbm(rng):
    s = Sheet(rng, rows(rng, 5, 200))
    s.measured("Pout (dBm)", between(rng, s.n, 30, 95), "dBm", "refuse", declared="dBm")
    return s.case(bench())


@family("clean", "a gain in dB, on no node")
def clean_gain(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "dB"), between(rng, s.n, -40, 23), "dB", "leave", declared="dB")
    return s.case(bench())


_CLOCK = {"absolute": ("100 kHz", "1 MHz"), "expected": ("380 kHz", "420 kHz")}


@family("clean", "a switching frequency, claimed")
def clean_frequency(rng):
    s = Sheet(rng, rows(rng))
    unit, value = rng.choice([("kHz", 400.0), ("Hz", 4e5), ("MHz", 0.4)])
    head = header(rng, unit)
    s.measured(head, around(rng, s.n, value, 0.01), unit, "leave", declared=unit)
    return s.case(bench(nodes={"FSW": node("frequency", columns=(head,), **_CLOCK)}))


@family("decidable", "hertz under kilohertz, above the absolute range")
def hertz_under_kilohertz(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "kHz"), around(rng, s.n, 4e5, 0.01), "Hz", "correct", declared="kHz")
    return s.case(bench(nodes={"FSW": node("frequency", **_CLOCK)}))


@family("decidable", "kilohertz under hertz, below the absolute range")
def kilohertz_under_hertz(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "Hz"), around(rng, s.n, 400, 0.01), "kHz", "correct", declared="Hz")
    return s.case(bench(nodes={"FSW": node("frequency", **_CLOCK)}))


@family("decidable", "nanofarads under a microfarad header, beyond what the capacitor can be")
def nanofarads_under_microfarads(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "uF")
    cap = node("capacitance", absolute=("0 nF", "1 uF"), expected=("80 nF", "120 nF"), columns=(head,))
    s.measured(head, around(rng, s.n, 100, 0.02), "nF", "correct", declared="uF")
    return s.case(bench(nodes={"C4": cap}))


@family("clean", "farads written with an exponent")
def clean_farads(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(["C4 (F)", "Capacitance [F]", "Capacitance / F"])
    cap = node("capacitance", absolute=("0 nF", "1 uF"), expected=("80 nF", "120 nF"), columns=(head,))
    s.measured(head, around(rng, s.n, 1e-7, 0.02), "F", "leave", declared="F", style="sci")
    return s.case(bench(nodes={"C4": cap}))


@family("decidable", "microseconds under a milliseconds header of a claimed delay")
def microseconds_under_milliseconds(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(["delay (ms)", "delay_ms", "delay [ms]"])
    delay = node("time", absolute=("0 s", "100 ms"), expected=("1 ms", "20 ms"), columns=(head,))
    s.measured(head, between(rng, s.n, 2000, 9000), "us", "correct", declared="ms")
    return s.case(bench(nodes={"DELAY": delay}))


def _clock(rng, s, step):
    start = dt.datetime(2026, 8, 31, 7, 12, 5) + dt.timedelta(seconds=rng.randrange(9999))
    form = rng.choice(["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"])
    s.column(
        rng.choice(["DateTime", "timestamp", "Date"]),
        [f"{start + dt.timedelta(seconds=i * step):{form}}" for i in range(s.n)],
    )


@family("decidable", "scenario 40: elapsed steps of 10 000 beside a clock that steps 10 s")
def milliseconds_under_seconds_with_clock(rng):
    s = Sheet(rng, rows(rng, 14, 200))
    step = rng.choice([10, 5, 60])
    _clock(rng, s, step)
    texts = [str(i * step * 1000) for i in range(s.n)]
    s.measured(rng.choice(["t (s)", "Elapsed (s)", "Test time (s)"]), None, "ms", "correct", texts=texts, declared="s")
    s.measured("Voltage (V)", around(rng, s.n, 5, 0.01), "V", "leave", declared="V")
    return s.case(bench(), decorate=False)


@family("clean", "elapsed time that agrees with its clock, in s, ms or min")
def clean_elapsed_time(rng):
    s = Sheet(rng, rows(rng, 14, 200))
    step = rng.choice([10, 6, 60])
    _clock(rng, s, step)
    unit, scale = rng.choice([("s", 1), ("ms", 1000), ("min", 1 / 60)])
    texts = [format(i * step * scale, ".6g" if unit == "min" else ".0f") for i in range(s.n)]
    s.measured(f"Elapsed ({unit})", None, unit, "leave", texts=texts, declared=unit)
    return s.case(bench(), decorate=False)


@family("clean", "a clock with a resolution of one minute cannot judge steps of seconds")
def clean_elapsed_time_with_coarse_clock(rng):
    s = Sheet(rng, rows(rng, 20, 200))
    start = dt.datetime(2026, 8, 31, 7, 12)
    moments = [start + dt.timedelta(seconds=i * 25) for i in range(s.n)]
    s.column("DateTime", [f"{m.replace(second=0):%Y-%m-%d %H:%M:%S}" for m in moments])
    s.measured("t (s)", None, "s", "leave", texts=[str(i * 25) for i in range(s.n)], declared="s")
    return s.case(bench(), decorate=False)


@family("open", "elapsed time off its clock by a factor that is no unit")
def unknown_clock_ratio(rng):
    s = Sheet(rng, rows(rng, 20, 200))
    _clock(rng, s, 10)
    texts = [format(i * 10 * 3.7, ".1f") for i in range(s.n)]
    s.measured("t (s)", None, "s", "leave", also=("refuse",), texts=texts, declared="s")
    return s.case(bench(), decorate=False)
