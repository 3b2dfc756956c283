"""What instruments write beside and inside the values: probes, prefixes in cells, fixed widths, typographic signs."""

from __future__ import annotations

from corpus.boards import bench
from corpus.cases import Sheet, around, family, header, ramp, rows, written


@family("refuse", "scenario 43: a scope that was told of no probe, on a channel that no node claims")
def probe_unknown_to_the_scope(rng):
    s = Sheet(rng, rows(rng, 20, 200))
    s.measured("CH1", around(rng, s.n, rng.choice([0.5, 1.2]), 0.003), "V", "refuse", declared="V", units_row="Volt",
               proposal="x10")  # fmt: skip
    told = rng.choice([{"Probe Attenuation": "1"}, {"CH1 Probe": "1X"}, {"Probe Atten": "1.0e+00"}])
    return s.case(bench(), decorate=False, metadata=told)


@family("clean", "a scope that was told of its probe has multiplied already")
def clean_probe_known_to_the_scope(rng):
    s = Sheet(rng, rows(rng, 20, 200))
    s.measured("CH1", around(rng, s.n, rng.choice([0.5, 5.0]), 0.003), "V", "leave", declared="V", units_row="Volt")
    return s.case(bench(), decorate=False, metadata={"Probe Attenuation": "10", "CH2 Probe": "1X"})


@family("clean", "a signal where nodes are, whatever the probe")
def clean_direct_probe(rng):
    s = Sheet(rng, rows(rng, 20, 200))
    s.measured("CH1", around(rng, s.n, rng.choice([5.0, 3.3]), 0.003), "V", "leave", declared="V", units_row="V")
    return s.case(bench(), decorate=False, metadata={"Probe Attenuation": "1"})


def _cells(rng, s, middle, spread, units):
    """Values of one node, each cell in a unit of its own choice: texts, cells and units."""
    factor = {"V": 1.0, "mV": 1e3, "uV": 1e6, "A": 1.0, "mA": 1e3, "uA": 1e6}
    used = [*units, *(rng.choice(units) for _ in range(s.n - len(units)))]
    rng.shuffle(used)
    texts = [f"{x * factor[u]:.5g}" for x, u in zip(around(rng, s.n, middle, spread), used, strict=True)]
    gap = rng.choice(["", " "])
    return texts, [f"{t}{gap}{u}" for t, u in zip(texts, used, strict=True)], used


@family("decidable", "a meter that writes its prefix with each value: every cell says what it is")
def prefix_in_each_cell(rng):
    s = Sheet(rng, rows(rng, 4, 120))
    texts, cells, used = _cells(rng, s, rng.choice([5.0, 3.3, 1.8]), 0.01, ["V", "mV"])
    name = s.column(rng.choice(["vout", "Voltage (V)", "DMM reading"]), cells)
    s.truth(name, texts, used, "correct", units=["V", "mV"])
    return s.case(bench())


@family("decidable", "the same without any board: the labels alone decide")
def prefix_in_each_cell_without_board(rng):
    s = Sheet(rng, rows(rng, 4, 120))
    texts, cells, used = _cells(rng, s, 0.35, 0.3, ["A", "mA"])
    name = s.column(rng.choice(["iout", "Current (A)", "I [mA]"]), cells)
    s.truth(name, texts, used, "correct", units=["A", "mA"])
    return s.case(None)


@family("refuse", "scenario 16: redundant zeros with a moving point, all values inside the range")
def autorange_log_inside_the_range(rng):
    s = Sheet(rng, rows(rng, 8, 80))
    texts = [rng.choice([f"{rng.uniform(0.1, 2.9):05.1f}", f"{rng.uniform(0, 0.99):05.2f}"]) for _ in range(s.n)]
    texts[:2] = ["002.8", "00.01"]
    name = s.column(header(rng, "A"), texts)
    s.truth(name, texts, "A", "refuse", declared="A")
    return s.case(bench(), decorate=False)


@family("clean", "a fixed width with leading zeros and a point that stands still is no autoranging")
def clean_fixed_width(rng):
    s = Sheet(rng, rows(rng, 8, 80))
    texts = [f"{x:08.4f}" for x in around(rng, s.n, rng.choice([5.0, 12.0, 3.3]), 0.01)]
    s.measured(header(rng, "V"), None, "V", "leave", texts=texts, declared="V")
    return s.case(bench())


@family("decidable", "a fixed width with leading zeros, in millivolts")
def fixed_width_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 8, 80))
    texts = [f"{x:08.1f}" for x in around(rng, s.n, rng.choice([5000.0, 3300.0]), 0.01)]
    s.measured(header(rng, "V"), None, "mV", "correct", texts=texts, declared="V")
    return s.case(bench())


@family("decidable", "a negative rail in millivolts with typographic minus signs")
def typographic_minus_in_millivolts(rng):
    s = Sheet(rng, rows(rng, 4, 80))
    texts = [f"{x:.1f}" for x in around(rng, s.n, -12000.0, 0.003)]
    cells = [text.replace("-", "\u2212") for text in texts]
    s.measured(header(rng, "V"), None, "mV", "correct", texts=texts, cells=cells, declared="V")
    return s.case(bench())


@family("clean", "a regulation of some tenths of a per cent beside an efficiency node that it does not belong to")
def clean_regulation_beside_efficiency(rng):
    s = Sheet(rng, rows(rng, 8, 80))
    s.measured("line regulation (%)", ramp(s.n, 0.05, rng.choice([0.4, 0.95])), "%", "leave", declared="%")
    node = {"quantity": "ratio", "absolute": ["0 %", "100 %"], "expected": ["70 %", "98 %"], "columns": ["eff (%)"]}
    return s.case(bench(nodes={"EFF": node}))


@family("clean", "a column that has the name of a unit column and holds board numbers")
def clean_unit_numbers(rng):
    s = Sheet(rng, rows(rng, 8, 80))
    s.column(rng.choice(["Unit", "unit"]), [f"U{rng.randrange(100, 999)}" for _ in range(s.n)])
    s.measured(header(rng, "V"), around(rng, s.n, 5.0, 0.01), "V", "leave", declared="V")
    return s.case(bench(), decorate=False)


@family("decidable", "the same with millivolts under volts")
def millivolts_beside_unit_numbers(rng):
    s = Sheet(rng, rows(rng, 8, 80))
    s.column("Unit", [f"U{rng.randrange(100, 999)}" for _ in range(s.n)])
    texts = written(rng, around(rng, s.n, 5000.0, 0.01))
    s.measured(header(rng, "V"), None, "mV", "correct", texts=texts, declared="V")
    return s.case(bench(), decorate=False)
