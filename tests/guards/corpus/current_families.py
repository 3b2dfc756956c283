"""Currents and powers: amperes and milliamperes live on the same board, so a range is often blind."""

from __future__ import annotations

from corpus.boards import bench, board, cell, node
from corpus.cases import Sheet, around, between, family, header, rows, written


@family("clean", "scenario 18: amps that could be milliamps; the header is trusted")
def clean_amps(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "A"), between(rng, s.n, 0.41, 0.93), "A", "leave", declared="A")
    return s.case(bench())


@family("clean", "milliamps under their own header")
def clean_milliamps(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "mA"), between(rng, s.n, 150, 1900), "mA", "leave", declared="mA")
    return s.case(bench())


@family("clean", "a sleep current in microamps, as a power profiler writes it")
def clean_sleep_current(rng):
    s = Sheet(rng, rows(rng, 20, 300))
    s.column("Timestamp(ms)", [f"{i * 0.01:.2f}" for i in range(s.n)])
    values = [rng.uniform(6, 60) if rng.random() < 0.8 else rng.uniform(2e5, 4e5) for _ in range(s.n)]
    s.measured("Current(uA)", values, "uA", "leave", declared="uA", sig=8)
    return s.case(bench())


@family("clean", "sleep and active in turn, in amps: four decades in one healthy column")
def clean_sleep_and_active_in_amps(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    values = [rng.uniform(10e-6, 80e-6) if i % 2 else rng.uniform(0.3, 1.2) for i in range(s.n)]
    s.measured(header(rng, "A"), values, "A", "leave", declared="A", style=rng.choice(["sci", "general"]))
    return s.case(bench())


@family("clean", "a logarithmic sweep from microamps to amps, in amps")
def clean_logarithmic_sweep(rng):
    s = Sheet(rng, rows(rng, 20, 200))
    values = [10 ** (-6 + 6.3 * i / (s.n - 1)) for i in range(s.n)]
    s.measured(header(rng, "A"), values, "A", "leave", declared="A", style=rng.choice(["sci", "general"]))
    return s.case(bench())


@family("decidable", "milliamps under an amps header, beyond what the board can carry")
def milliamps_under_amps(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "A"), between(rng, s.n, 520, 1900), "mA", "correct", declared="A")
    return s.case(bench())


@family("refuse", "both directions in milliamps: a range that holds zero explains microamps as well; may be corrected")
def milliamps_in_both_directions(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    values = [rng.choice([-1, 1]) * rng.uniform(1500, 5500) if rng.random() < 0.8 else 0.0 for _ in range(s.n - 4)]
    s.measured(
        header(rng, "A"),
        [*values, -2500.0, 2500.0, 2000.0, -3000.0],
        "mA",
        "refuse",
        also=("correct",),
        declared="A",
        proposal="mA",
    )
    return s.case(cell())


@family("decidable", "a claimed sleep current in microamps under an amps header")
def microamps_under_amps_claimed(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "A")
    sleep = node("current", absolute=("0 A", "5 mA"), expected=("5 uA", "500 uA"), columns=(head,))
    s.measured(head, between(rng, s.n, 8, 90), "uA", "correct", declared="A")
    return s.case(bench(nodes={"SLEEP": sleep}))


@family("decidable", "leakage in nanoamps under a microamps header")
def nanoamps_under_microamps(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "uA", "leak")
    leak = node("current", absolute=("0 A", "1 uA"), expected=("1 nA", "100 nA"), columns=(head,))
    s.measured(head, between(rng, s.n, 5, 90), "nA", "correct", declared="uA")
    return s.case(bench(nodes={"LEAK": leak}))


@family("refuse", "120..480 under amps: milliamps of the input and microamps of the sleep current fit both")
def two_units_explain(rng):
    s = Sheet(rng, rows(rng))
    texts = written(rng, between(rng, s.n, 120, 480))
    s.measured(header(rng, "A"), None, rng.choice(["mA", "uA"]), "refuse", texts=texts, declared="A")
    return s.case(bench())


@family("refuse", "amps under a milliamps header: a soft witness may only refuse")
def amps_under_milliamps(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "mA")
    claimed = node("current", absolute=("-3 A", "3 A"), expected=("0.1 A", "2 A"), columns=(head,))
    s.measured(head, between(rng, s.n, 0.41, 0.93), "A", "refuse", also=("leave",), declared="mA", proposal="A")
    return s.case(bench(nodes={"INPUT": claimed}))


@family("open", "milliamps of a claimed load that is off: indistinguishable from amps")
def milliamps_that_could_be_amps(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "mA"), between(rng, s.n, 0.41, 0.93), "mA", "leave", also=("refuse",), declared="mA")
    return s.case(bench())


@family("refuse", "centi-amperes: a factor of 100 is a proposal only")
def centiamps_under_amps(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "A")
    claimed = node("current", absolute=("-3 A", "3 A"), expected=("0.1 A", "2 A"), columns=(head,))
    texts = written(rng, between(rng, s.n, 14, 95))
    name = s.column(head, texts)
    s.truth(name, texts, "A", "refuse", declared="A", proposal="x0.01")
    return s.case(bench(nodes={"INPUT": claimed}))


def _power(rng, s, volts_unit="V", amps_unit="A", watts_unit="W", amps_declared="A", watts_declared="W", **due):
    """Three columns that satisfy P = V I; each truth as given."""
    volts, amps = around(rng, s.n, 5.0, 0.004), between(rng, s.n, 0.41, 0.93)
    watts = [v * i * (1 + rng.gauss(0, 1e-4)) for v, i in zip(volts, amps, strict=True)]
    scale = {"V": 1, "A": 1, "W": 1, "mA": 1e3, "mW": 1e3}
    names = (header(rng, "V", "Voltage"), header(rng, amps_declared, "Current"), header(rng, watts_declared, "Power"))
    s.measured(names[0], volts, volts_unit, "leave", declared="V", sig=7)
    s.measured(names[1], [x * scale[amps_unit] for x in amps], amps_unit, declared=amps_declared, sig=7,
               **due.get("amps", {"due": "leave"}))  # fmt: skip
    s.measured(names[2], [x * scale[watts_unit] for x in watts], watts_unit, declared=watts_declared, sig=7,
               **due.get("watts", {"due": "leave"}))  # fmt: skip
    return names


@family("clean", "P = V I holds")
def clean_power_identity(rng):
    s = Sheet(rng, rows(rng))
    names = _power(rng, s)
    pout = node("power", absolute=("0 W", "50 W"), expected=("2 W", "5 W"), columns=(names[2],))
    return s.case(bench(nodes=rng.choice([{}, {"POUT": pout}])))


@family("decidable", "scenario 21: P = V I agrees only with amps, and P is supported by a node of its own")
def amps_under_milliamps_with_power_node(rng):
    s = Sheet(rng, rows(rng, 5, 200))
    names = _power(rng, s, amps_declared="mA", amps={"due": "correct"})
    pout = node("power", absolute=("0 W", "50 W"), expected=("2 W", "5 W"), columns=(names[2],))
    return s.case(bench(nodes={"POUT": pout}))


@family("refuse", "scenario 21 without P's node: either I or P is wrong, and nothing says which")
def amps_under_milliamps_with_power(rng):
    s = Sheet(rng, rows(rng, 5, 200))
    _power(rng, s, amps_declared="mA", amps={"due": "refuse"}, watts={"due": "leave", "also": ("refuse",)})
    return s.case(bench())


@family("decidable", "milliwatts under a watts header, claimed")
def milliwatts_under_watts(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "W")
    pout = node("power", absolute=("0 W", "50 W"), expected=("2 W", "45 W"), columns=(head,))
    s.measured(head, between(rng, s.n, 2500, 24000), "mW", "correct", declared="W")
    return s.case(bench(nodes={"POUT": pout}))


@family("open", "milliwatts under watts, no node for power: V times I, both supported, may decide it")
def milliwatts_by_identity(rng):
    s = Sheet(rng, rows(rng, 10, 200))
    _power(rng, s, watts_unit="mW", watts={"due": "refuse", "also": ("correct",), "proposal": "mW"})
    return s.case(bench())


@family("decidable", "volts and amps both wrong in one table")
def two_wrong_columns(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "V", "Voltage"), around(rng, s.n, 5000, 0.004), "mV", "correct", declared="V")
    s.measured(header(rng, "A", "Current"), between(rng, s.n, 520, 1900), "mA", "correct", declared="A")
    s.measured(header(rng, "degC", "Temperature"), between(rng, s.n, 24, 60), "degC", "leave", declared="degC")
    return s.case(bench())


@family("decidable", "scenario 2: a cycler writes Volts over millivolts beside mAmps and mAmp-hr")
def cycler_millivolts_under_volts(rng):
    s = Sheet(rng, rows(rng, 10, 300))
    s.column("Rec#", [str(i + 1) for i in range(s.n)])
    s.measured("mAmps", between(rng, s.n, 100, 5000), "mA", "leave", declared="mA")
    s.measured("mAmp-hr", between(rng, s.n, 10, 3000), "mAh", "leave", declared="mAh")
    s.measured("Volts", sorted(between(rng, s.n, 2600, 4200)), "mV", "correct", declared="V")
    return s.case(cell())


@family("clean", "a cycler's healthy log with long rests of exact zero")
def clean_cycler(rng):
    s = Sheet(rng, rows(rng, 30, 400))
    rest = s.n // 2
    amps = [0.0] * rest + [rng.choice([-2.5, 2.5]) * rng.uniform(0.98, 1.02) for _ in range(s.n - rest)]
    s.measured(
        rng.choice(["Voltage(V)", "Voltage / V", "Volts"]), between(rng, s.n, 2.9, 4.2), "V", "leave", declared="V"
    )
    s.measured(rng.choice(["Current(A)", "Current / A", "Amps"]), amps, "A", "leave", declared="A")
    s.measured(
        rng.choice(["Capacity(Ah)", "Cap. [Ah]", "Amp-hr"]),
        sorted(between(rng, s.n, 0, 3.1)),
        "Ah",
        "leave",
        declared="Ah",
    )
    return s.case(cell())


@family("decidable", "milliampere-hours under an Ah header")
def milliampere_hours_under_ah(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(["Capacity (Ah)", "Cap. [Ah]", "Capacity / Ah", "Amp-hr", "capacity_Ah"])
    s.measured(head, between(rng, s.n, 2200, 3200), "mAh", "correct", declared="Ah")
    return s.case(cell(nodes={"QCELL": node("charge", absolute=("0 Ah", "5 Ah"), expected=("1.5 Ah", "3.4 Ah"))}))


@family("clean", "a shunt in millivolts beside a rail in volts")
def clean_shunt_and_rail(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "mV", "shunt")
    shunt = node("voltage", absolute=("-100 mV", "100 mV"), expected=("10 mV", "80 mV"), columns=(head,))
    s.measured(head, between(rng, s.n, 12, 70), "mV", "leave", declared="mV")
    s.measured(header(rng, "V", "Rail"), around(rng, s.n, 5, 0.01), "V", "leave", declared="V")
    return s.case(bench(nodes={"SHUNT": shunt}))


@family("refuse", "no board: kiloamperes are beyond any bench, which may refuse and never correct")
def milliamps_without_board(rng):
    s = Sheet(rng, rows(rng))
    s.measured(header(rng, "A"), between(rng, s.n, 1200, 2900), "mA", "refuse", declared="A", proposal="mA")
    return s.case(None)


@family("refuse", "no board: the retest is refused with the proposal mV")
def millivolts_without_board(rng):
    s = Sheet(rng, rows(rng))
    s.measured(
        header(rng, "V"),
        around(rng, s.n, rng.choice([4990, 3300, 12000]), 0.004),
        "mV",
        "refuse",
        declared="V",
        proposal="mV",
    )
    return s.case(None)


@family("open", "no board and a plausible wrong scale: nobody can know")
def millivolts_without_board_unseen(rng):
    s = Sheet(rng, rows(rng))
    s.measured(
        header(rng, "V"),
        around(rng, s.n, rng.choice([990, 330, 120]), 0.004),
        "mV",
        "leave",
        also=("refuse",),
        declared="V",
    )
    return s.case(None)


@family("open", "millivolts under volts, all inside the widest node: nothing decides")
def millivolts_inside_the_widest(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "V", "ripple")
    s.measured(head, between(rng, s.n, 1, 7), "mV", "leave", also=("refuse",), declared="V")
    return s.case(board({"VIN": node("voltage", absolute=("0 V", "40 V"), expected=("9 V", "36 V"))}))
