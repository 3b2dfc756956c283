"""What is said of a unit: units rows, unit columns, suffixes in cells, the profile; agreeing, alone, or in dispute."""

from __future__ import annotations

from corpus.boards import bench, node, rails
from corpus.cases import Sheet, around, between, family, header, rows, written
from corpus.units import STEMS


def _stem(rng, quantity="voltage"):
    return rng.choice([stem for stem in STEMS[quantity] if stem not in ("value", "DMM")])


@family("clean", "the unit stands in a units row only")
def clean_units_row(rng):
    s = Sheet(rng, rows(rng))
    unit, value = rng.choice([("V", 5.0), ("mV", 5000.0), ("Volt", 3.3)])
    raw = "V" if unit == "Volt" else unit
    s.measured(_stem(rng), around(rng, s.n, value, 0.01), raw, "leave", declared=raw, units_row=unit)
    return s.case(bench())


@family("clean", "header and units row agree in different spellings")
def clean_units_row_agrees(rng):
    s = Sheet(rng, rows(rng))
    row = rng.choice(["V", "Volt", "Volts", "VDC"])
    s.measured(header(rng, "V"), around(rng, s.n, 5.0, 0.01), "V", "leave", declared="V", units_row=row)
    return s.case(bench())


@family("decidable", "scenario 13: the units row says mV and only that fits; few rows suffice")
def units_row_against_header(rng):
    s = Sheet(rng, rng.choice([1, 2, 5, rows(rng, 3, 40)]))
    values = around(rng, s.n, rng.choice([5000, 3300, 1800, -12000]), 0.003)
    s.measured(header(rng, "V"), values, "mV", "correct", declared="V", units_row=rng.choice(["mV", "millivolts"]))
    return s.case(bench())


@family("clean", "the header says mV, the units row V, and only mV fits: the header was right")
def clean_units_row_wrong(rng):
    s = Sheet(rng, rows(rng, 3, 60))
    s.measured(header(rng, "mV"), around(rng, s.n, 5000, 0.005), "mV", "leave", declared="mV", units_row="V")
    return s.case(bench())


@family("refuse", "two labels that both fit the absolute range; the expected range alone decides nothing")
def labels_in_dispute(rng):
    s = Sheet(rng, rows(rng, 3, 60))
    numbers = around(rng, s.n, 5.0, 0.005)
    s.measured(header(rng, "V"), numbers, rng.choice(["V", "mV"]), "refuse", declared="V", units_row="mV")
    return s.case(bench())


@family("refuse", "no board, and header and units row differ")
def labels_in_dispute_without_board(rng):
    s = Sheet(rng, rows(rng, 3, 60))
    s.measured(header(rng, "V"), around(rng, s.n, 5.0, 0.005), "V", "refuse", declared="V", units_row="mV")
    return s.case(None)


def _mixed(rng, s, middle, spread=0.004):
    units = [rng.choice(["mV", "V"]) for _ in range(s.n - 2)] + ["mV", "V"]
    volts = around(rng, s.n, middle, spread)
    texts = [format(v * 1000, ".2f") if u == "mV" else format(v, ".5f") for v, u in zip(volts, units, strict=True)]
    return units, texts


@family("decidable", "scenario 15: a unit column says mV or V row by row, the header V")
def unit_per_row(rng):
    s = Sheet(rng, rows(rng, 6, 200))
    units, texts = _mixed(rng, s, rng.choice([5.0, 3.3]))
    name = s.column(rng.choice(["V", "Voltage (V)", "value_v", "Reading (V)"]), texts)
    s.column(rng.choice(["Unit", "Units", "UOM"]), units)
    s.truth(name, texts, units, "correct", declared="V")
    return s.case(bench())


@family("decidable", "a unit column alone: one unit for the column, every row true in it")
def unit_per_row_without_header(rng):
    s = Sheet(rng, rows(rng, 6, 200))
    units, texts = _mixed(rng, s, rng.choice([5.0, 3.3]))
    name = s.column(rng.choice(["Reading", "value", "Measured Value"]), texts)
    s.column("Unit", units)
    s.truth(name, texts, units, "correct", units=("V", "mV"))
    return s.case(bench())


@family("clean", "a meter's buffer: Reading, Unit `Volt DC`, the meter's range")
def clean_meter_buffer(rng):
    s = Sheet(rng, rows(rng, 6, 200))
    s.column("Index", [str(i + 1) for i in range(s.n)])
    unit, raw, value = rng.choice([("Volt DC", "V", 5.0), ("Amp DC", "A", 0.7), ("Ohm", "ohm", 4990.0)])
    s.measured("Reading", around(rng, s.n, value, 0.003), raw, "leave", units=(raw,), style="plus")
    s.column("Unit", [unit] * s.n)
    s.column("Range Digits", [rng.choice(["10", "100"]) if raw == "V" else "1" for _ in range(s.n)])
    return s.case(bench())


@family("clean", "UNECE codes in the unit column")
def clean_unece_codes(rng):
    s = Sheet(rng, rows(rng, 6, 200))
    code, raw, value = rng.choice([("VLT", "V", 5.0), ("2Z", "mV", 5000.0), ("4K", "mA", 600.0), ("AMP", "A", 0.6)])
    s.measured("value", around(rng, s.n, value, 0.003), raw, "leave", units=(raw,))
    s.column("uom", [code] * s.n)
    return s.case(bench())


@family("refuse", "rows labelled V hold both 5 and 5000: the label itself lies")
def unit_per_row_lies(rng):
    s = Sheet(rng, rows(rng, 12, 200))
    units, texts = _mixed(rng, s, 5.0)
    units[:6] = ["mV", "V"] * 3
    texts[:6] = ["5001.2", "5.0013"] * 3
    name = s.column("Reading (V)", texts)
    s.column("Unit", ["V"] * s.n)
    s.truth(name, texts, units, "refuse", declared="V")
    return s.case(bench(), decorate=False)


@family("clean", "the unit behind every number: 4.9930V, 6.00 V")
def clean_suffix_in_cell(rng):
    s = Sheet(rng, rows(rng, 3, 100))
    unit, raw, value = rng.choice([("V", "V", 5.0), (" V", "V", 3.3), ("mV", "mV", 5000.0), (" VDC", "V", 12.0)])
    texts = written(rng, around(rng, s.n, value, 0.003), 5, "fixed")
    cells = [f"{t}{unit}" for t in texts]
    head = rng.choice(["Voltage", "Rail", header(rng, raw, "Voltage")])
    s.measured(head, None, raw, "leave", texts=texts, cells=cells, units=(raw,))
    return s.case(bench())


@family("decidable", "cells say mV, the header says V, and only mV fits")
def suffix_against_header(rng):
    s = Sheet(rng, rows(rng, 3, 100))
    texts = written(rng, around(rng, s.n, rng.choice([5000, 3300]), 0.003), 5, "fixed")
    s.measured(header(rng, "V"), None, "mV", "correct", texts=texts, cells=[f"{t} mV" for t in texts], declared="V")
    return s.case(bench())


@family("open", "cells with different units in one column: each says its own, so each may be brought into one")
def suffixes_differ(rng):
    s = Sheet(rng, rows(rng, 6, 100))
    units, texts = _mixed(rng, s, 5.0)
    cells = [f"{t} {u}" for t, u in zip(texts, units, strict=True)]
    name = s.column("Voltage", cells)
    s.truth(name, texts, units, "correct", also=("refuse",), units=("V", "mV"))
    return s.case(bench())


@family("clean", "some cells carry their unit, some do not")
def clean_suffix_in_some_cells(rng):
    s = Sheet(rng, rows(rng, 6, 100))
    texts = written(rng, around(rng, s.n, 5.0, 0.003), 5, "fixed")
    cells = [f"{t}V" if rng.random() < 0.5 else t for t in texts]
    s.measured(header(rng, "V"), None, "V", "leave", texts=texts, cells=cells, declared="V")
    return s.case(bench())


@family("clean", "no unit anywhere and no node: unknown is left as unknown")
def clean_no_unit_at_all(rng):
    s = Sheet(rng, rows(rng))
    s.measured(_stem(rng), around(rng, s.n, rng.choice([5.0, 5000.0, 41.0]), 0.01), "V", "leave", units=())
    return s.case(rng.choice([bench(), None]))


@family("clean", "no unit in the header, and the claiming node's own unit fits")
def clean_claimed_without_unit(rng):
    r = rails(rng)
    s = Sheet(rng, rows(rng))
    name, volts = rng.choice(list(r.rails.items()))
    head = rng.choice(["VOUT", "rail", "Ch3"])
    unit, scale = ("mV", 1000) if "mV" in str(r.nodes[name]) else ("V", 1)
    s.measured(head, around(rng, s.n, volts * scale, 0.006), unit, "leave", units=(unit,))
    return s.case(r.toml(claims={name: head}))


@family("open", "no unit in the header, claimed, and only mV fits the node: corrected or refused")
def claimed_without_unit_in_millivolts(rng):
    s = Sheet(rng, rows(rng))
    five = node("voltage", absolute=("-0.3 V", "6 V"), nominal="5 V", columns=("VOUT",))
    s.measured("VOUT", around(rng, s.n, 5000, 0.006), "mV", "correct", also=("refuse",), units=("V",))
    return s.case(bench(nodes={"5V0": five}))


@family("decidable", "the profile settles the unit that the header gets wrong")
def settled_by_profile(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "V")
    s.measured(head, around(rng, s.n, 5000, 0.004), "mV", "correct", declared="V")
    return s.case(bench(columns={head: {"unit": "mV"}}))


@family("refuse", "the profile settles volts, the range contradicts it")
def settled_wrongly(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "V")
    s.measured(head, around(rng, s.n, 5000, 0.004), "mV", "refuse", declared="V")
    return s.case(bench(columns={head: {"unit": "V"}}))


@family("refuse", "the profile switches correction off for the column")
def correction_off(rng):
    s = Sheet(rng, rows(rng))
    head = header(rng, "V")
    s.measured(head, around(rng, s.n, 5000, 0.004), "mV", "refuse", declared="V", proposal="mV")
    return s.case(bench(columns={head: {"correct": False}}))


@family("clean", "a header of a voltage on a column whose node is a current: the table is another's")
def clean_numbers_that_are_no_measurement(rng):
    s = Sheet(rng, rows(rng))
    s.column("test number", [str(1000 + i) for i in range(s.n)])
    s.column("serial", [str(26080000 + i) for i in range(s.n)])
    s.measured(header(rng, "V"), around(rng, s.n, 5, 0.01), "V", "leave", declared="V")
    s.measured("Cycle", None, "1", "leave", texts=[str(5000 + i) for i in range(s.n)])
    s.measured("humidity", between(rng, s.n, 30, 60), "%", "leave")
    return s.case(bench())


def _channels(rng, s, units, numbers, truths, *, board=None):
    stem = rng.choice(["Cell {} ({})", "CH{} [{}]", "V{} ({})"])
    for number, (unit, values, truth) in enumerate(zip(units, numbers, truths, strict=True), start=1):
        s.measured(stem.format(number, unit), values, truth[0], truth[1], declared=unit, **truth[2])
    return s.case(board)


@family("refuse", "one of several numbered channels carries volts over the millivolts of its siblings")
def odd_label_among_channels(rng):
    s = Sheet(rng, rows(rng))
    level, n = rng.choice([0.35, 0.7, 1.1]), rng.randrange(3, 7)
    odd = rng.randrange(n)
    units = ["V" if i == odd else "mV" for i in range(n)]
    numbers = [around(rng, s.n, level * 1000, 0.004) for _ in range(n)]
    truths = [("mV", "refuse", {"proposal": "mV"}) if i == odd else ("mV", "leave", {}) for i in range(n)]
    return _channels(rng, s, units, numbers, truths)


@family("clean", "numbered channels with two honest units: shunts in millivolts beside a rail in volts")
def honest_channels_of_two_units(rng):
    s = Sheet(rng, rows(rng))
    shunt, rail = rng.choice([(48.0, 12.0), (6.3, 3.3), (75.0, 5.0)])
    numbers = [around(rng, s.n, shunt, 0.01), around(rng, s.n, shunt, 0.01), around(rng, s.n, rail, 0.01)]
    return _channels(rng, s, ["mV", "mV", "V"], numbers, [("mV", "leave", {})] * 2 + [("V", "leave", {})])
