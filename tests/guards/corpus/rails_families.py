"""Supply rails: the voltage column as most exports have it, right and wrong."""

from __future__ import annotations

import random

from corpus.boards import bench, board, node, rails
from corpus.cases import Sheet, around, between, family, header, ramp, rows, written


def _rail(rng: random.Random, r, *, least: float = 0.0):
    """Pick a rail whose size is above `least`."""
    return rng.choice([(name, volts) for name, volts in r.rails.items() if abs(volts) > least])


@family("clean", "scenario 5: a rail at its nominal")
def clean_rail(rng):
    r = rails(rng)
    s = Sheet(rng, rows(rng))
    _, volts = _rail(rng, r)
    s.measured(header(rng, "V"), around(rng, s.n, volts, 0.006), "V", "leave", declared="V")
    return s.case(r.toml())


@family("clean", "a column in mV whose header says so stays in mV")
def clean_rail_in_millivolts(rng):
    r = rails(rng)
    s = Sheet(rng, rows(rng))
    _, volts = _rail(rng, r)
    s.measured(header(rng, "mV"), around(rng, s.n, volts * 1000, 0.006), "mV", "leave", declared="mV")
    return s.case(r.toml())


@family("clean", "scenario 22: microvolts under their own header")
def clean_rail_in_microvolts(rng):
    s = Sheet(rng, rows(rng))
    volts = rng.choice([5.0, 3.3, 1.8])
    s.measured(header(rng, "uV"), around(rng, s.n, volts * 1e6, 0.005), "uV", "leave", declared="uV", sig=7)
    return s.case(bench())


@family("clean", "a claimed rail that is merely low, or high, is a finding")
def clean_claimed_rail_off_nominal(rng):
    r = rails(rng)
    s = Sheet(rng, rows(rng))
    name, volts = _rail(rng, r)
    head = header(rng, "V")
    s.measured(head, around(rng, s.n, volts * rng.choice([0.7, 0.8, 0.88]), 0.01), "V", "leave", declared="V")
    return s.case(r.toml(claims={name: head}))


@family("clean", "no board: a plain voltage is nobody's business")
def clean_rail_without_board(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "V"), around(rng, s.n, rng.choice([5, 12, 48, 230, 3.3]), 0.01), "V", "leave", declared="V")
    return s.case(None)


@family("decidable", "scenario 1: millivolts under a volts header, claimed by nothing")
def millivolts_under_volts(rng):
    r = rails(rng)
    s = Sheet(rng, rows(rng))
    _, volts = _rail(rng, r, least=r.widest * 1.3 / 1000)
    s.measured(header(rng, "V"), around(rng, s.n, volts * 1000, 0.004), "mV", "correct", declared="V")
    return s.case(r.toml())


@family("decidable", "millivolts under a volts header of a claimed column")
def millivolts_under_volts_claimed(rng):
    r = rails(rng)
    s = Sheet(rng, rows(rng))
    name, volts = _rail(rng, r, least=r.widest * 1.3 / 1000)
    head = header(rng, "V")
    s.measured(head, around(rng, s.n, volts * 1000, 0.02), "mV", "correct", declared="V")
    return s.case(r.toml(claims={name: head}))


@family("decidable", "scenario 23: microvolts under a volts header")
def microvolts_under_volts(rng):
    r = rails(rng)
    s = Sheet(rng, rows(rng))
    _, volts = _rail(rng, r)
    s.measured(header(rng, "V"), around(rng, s.n, volts * 1e6, 0.004), "uV", "correct", declared="V", sig=7)
    return s.case(r.toml())


@family("decidable", "nanovolts under a millivolts header, the shunt claimed")
def nanovolts_under_millivolts(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "mV", "shunt")
    shunt = node("voltage", absolute=("-100 mV", "100 mV"), expected=("10 mV", "80 mV"), columns=(head,))
    s.measured(head, between(rng, s.n, 20e6, 70e6), "nV", "correct", declared="mV", sig=8)
    return s.case(bench(nodes={"SHUNT": shunt}))


@family("decidable", "volts under a kilovolts header of a 400 V bus")
def volts_under_kilovolts(rng):
    s = Sheet(rng, rows(rng))
    bus = node("voltage", absolute=("0 V", "600 V"), expected=("340 V", "420 V"))
    s.measured(header(rng, "kV", "Bus"), between(rng, s.n, 370, 410), "V", "correct", declared="kV")
    return s.case(board({"BUS": bus, "AUX": node("voltage", nominal="24 V")}))


@family("decidable", "scenario 10: a negative rail in millivolts, sign kept")
def negative_rail_in_millivolts(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "V"), around(rng, s.n, -12000, 0.004), "mV", "correct", declared="V")
    return s.case(bench())


@family("clean", "a negative rail in volts")
def clean_negative_rail(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "V"), around(rng, s.n, -12, 0.01), "V", "leave", declared="V")
    return s.case(bench())


@family("clean", "scenario 3: one true over-voltage in many rows is flagged, nothing is rescaled")
def single_overvoltage(rng):
    s = Sheet(rng, rows(rng, 20, 1500))
    values = around(rng, s.n, 5.0, 0.003)
    values[rng.randrange(s.n)] = rng.uniform(31, 60)
    s.measured(header(rng, "V"), values, "V", "leave", declared="V", faults=1)
    return s.case(bench())


@family("clean", "a few faults under 10 % of the rows are findings")
def some_overvoltages(rng):
    s = Sheet(rng, rows(rng, 30, 400))
    values = around(rng, s.n, rng.choice([5.0, 3.3, 12.5]), 0.003)
    bad = max(1, int(s.n * rng.uniform(0.01, 0.09)))
    for i in rng.sample(range(s.n), bad):
        values[i] = rng.uniform(32, 48) if rng.random() < 0.7 else rng.uniform(-40, -20)
    s.measured(header(rng, "V"), values, "V", "leave", declared="V", faults=bad)
    return s.case(bench())


@family("open", "over 10 % of the rows beyond the absolute range, yet no unit: kept or refused, never rescaled")
def many_overvoltages(rng):
    s = Sheet(rng, rows(rng, 20, 300))
    values = around(rng, s.n, 5.0, 0.003)
    for i in rng.sample(range(s.n), int(s.n * rng.uniform(0.13, 0.6)) + 1):
        values[i] = rng.uniform(31, 45)
    s.measured(header(rng, "V"), values, "V", "leave", also=("refuse",), declared="V")
    return s.case(bench())


@family("open", "every row a true over-voltage: no unit explains it")
def all_overvoltage(rng):
    s = Sheet(rng, rows(rng))
    s.measured(
        header(rng, "V"), around(rng, s.n, rng.uniform(32, 42), 0.01), "V", "refuse", also=("leave",), declared="V"
    )
    return s.case(bench())


@family("open", "readings that scatter around the absolute limit are no unit")
def noise_around_the_absolute_limit(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    s.measured(header(rng, "V"), around(rng, s.n, 30.0, 0.004), "V", "leave", also=("refuse",), declared="V")
    return s.case(bench())


@family("clean", "readings that scatter around the limits of a claimed node, half of them failing")
def noise_around_the_limits(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    head = header(rng, "V")
    out = node(
        "voltage", absolute=("-0.3 V", "6 V"), expected=("4.9 V", "5.1 V"), limits=("4.95 V", "5.05 V"), columns=(head,)
    )
    s.measured(head, around(rng, s.n, 4.95, 0.004), "V", "leave", declared="V")
    return s.case(bench(nodes={"OUT": out}))


@family("clean", "scenario 8: exact zeros carry no scale")
def clean_zeros(rng):
    s = Sheet(rng, rows(rng))
    zero = rng.choice(["0", "0.0", "0.000", "0.0000E+00", "-0.0"])
    s.measured(header(rng, rng.choice(["V", "mV", "A", "W"])), None, "V", "leave", texts=[zero] * s.n)
    return s.case(bench())


@family("clean", "a rail with nothing on it reads microvolts of noise")
def clean_noise_about_zero(rng):
    s = Sheet(rng, rows(rng))
    texts = written(rng, [rng.gauss(0, 3e-6) for _ in range(s.n)], style="sci")
    s.measured(header(rng, "V"), None, "V", "leave", texts=texts, declared="V")
    return s.case(bench())


@family("clean", "dead boards among good ones, in volts")
def clean_dead_boards(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    volts = rng.choice([5.0, 3.3])
    values = [rng.uniform(-0.008, 0.008) if rng.random() < 0.12 else x for x in around(rng, s.n, volts, 0.004)]
    s.measured(header(rng, "V"), values, "V", "leave", declared="V")
    return s.case(bench())


@family("decidable", "the retest: millivolts, a few dead boards among them")
def millivolts_with_dead_boards(rng):
    s = Sheet(rng, rows(rng, 12, 300))
    volts = rng.choice([5000.0, 3300.0])
    dead = set(rng.sample(range(s.n), max(1, int(s.n * rng.uniform(0.02, 0.09)))))
    values = [rng.uniform(-8, 2.5) if i in dead else x for i, x in enumerate(around(rng, s.n, volts, 0.004))]
    s.measured(header(rng, "V"), values, "mV", "correct", declared="V", style=rng.choice(["fixed", "sci", "plus"]))
    return s.case(bench())


@family("clean", "scenario: VIN swept from zero to its maximum")
def clean_sweep(rng):
    s = Sheet(rng, rows(rng, 20, 400))
    s.measured(header(rng, "V"), ramp(s.n, 0, rng.uniform(24, 30)), "V", "leave", declared="V")
    return s.case(bench())


@family("decidable", "the same sweep in millivolts")
def sweep_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 30, 400))
    start = rng.choice([0, 1000, 9000])
    s.measured(header(rng, "V"), ramp(s.n, start, rng.uniform(24e3, 28e3)), "mV", "correct", declared="V")
    return s.case(bench())


@family("clean", "two rails in turn on one meter")
def clean_two_rails_in_turn(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    values = [around(rng, 1, [5.0, 1.8, 12.0][i % 3], 0.004)[0] for i in range(s.n)]
    s.measured(header(rng, "V"), values, "V", "leave", declared="V")
    return s.case(bench())


@family("refuse", "one or two rows are too few to correct by a range alone")
def too_few_rows(rng):
    s = Sheet(rng, rng.choice([1, 2]))
    s.measured(header(rng, "V"), around(rng, s.n, 5000, 0.004), "mV", "refuse", declared="V", proposal="mV")
    return s.case(bench())


@family("decidable", "a long column in millivolts with a few faults and overloads")
def long_column_in_millivolts(rng):
    s = Sheet(rng, 5000)
    texts = written(rng, around(rng, s.n, 5000, 0.004), 6, "fixed")
    cells = list(texts)
    for i in rng.sample(range(s.n), 250):
        cells[i] = texts[i] = f"{rng.uniform(31000, 45000):.2f}"
    for i in rng.sample(range(s.n), 100):
        cells[i], texts[i] = rng.choice(["9.9E+37", "-9.9E+37", "9.91E+37"]), None
    s.measured(header(rng, "V"), None, "mV", "correct", texts=texts, cells=cells, declared="V")
    return s.case(bench())


@family("refuse", "scenario 14: two scales in turn and nothing that separates them")
def two_scales_in_turn(rng):
    s = Sheet(rng, rows(rng, 10, 200))
    volts = rng.choice([5.0, 3.3])
    share = rng.choice([0.2, 0.5, 0.7])
    units = ["mV" if rng.random() < share or i < 3 else "V" for i in range(s.n)]
    if units.count("V") < 0.15 * s.n:
        units[3:] = ["V", "mV"] * (s.n // 2 + 1)
        units = units[: s.n]
    numbers = [x * (1000 if unit == "mV" else 1) for x, unit in zip(around(rng, s.n, volts, 0.004), units, strict=True)]
    style = rng.choice(["general", "sci", "fixed"])
    name = s.column(header(rng, "V"), texts := written(rng, numbers, 6, style))
    s.truth(name, texts, units, "refuse", declared="V")
    s.column("temperature (C)", written(rng, around(rng, s.n, 25, 0.01)))
    return s.case(bench(), decorate=False)


@family("refuse", "the first half of the rows in mV, the second in V: blocks are proposals only")
def two_scales_in_blocks(rng):
    s = Sheet(rng, rows(rng, 10, 200))
    cut = int(s.n * rng.uniform(0.3, 0.7))
    units = ["mV"] * cut + ["V"] * (s.n - cut)
    numbers = [x * (1000 if unit == "mV" else 1) for x, unit in zip(around(rng, s.n, 5.0, 0.004), units, strict=True)]
    name = s.column(header(rng, "V"), texts := written(rng, numbers, 6, "general"))
    s.truth(name, texts, units, "refuse", declared="V")
    return s.case(bench(), decorate=False)


@family("open", "a factor of ten that stays inside the widest node cannot be seen")
def probe_factor_inside_the_widest(rng):
    s = Sheet(rng, rows(rng))
    numbers = around(rng, s.n, 18.0, 0.005)
    name = s.column(header(rng, "V"), texts := written(rng, numbers))
    s.truth(name, texts, "V", "leave", also=("refuse",), declared="V")
    return s.case(bench())


@family("refuse", "scenario 43: a probe's attenuation not applied to a claimed rail")
def probe_factor_on_a_claimed_rail(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "V")
    up = rng.random() < 0.5
    five = node("voltage", absolute=("-0.3 V", "6 V"), nominal="5 V", columns=(head,))
    s.measured(
        head,
        around(rng, s.n, 50.0 if up else 0.5, 0.005),
        "V",
        "refuse",
        declared="V",
        proposal="x0.1" if up else "x10",
    )
    return s.case(bench(nodes={"5V0": five}))
