"""The same truths in long tables: measured columns of a wide case become rows of measurement, value and unit.

Each case keeps its board; a node that claimed a column claims the measurement of that name. What was decidable in the
wide table is decidable in the long one, because it says the same.
"""

from __future__ import annotations

import random
from typing import Any

from corpus.cases import FAMILIES, Case, Column, Family, Truth, spell

_WIDE = (
    "clean_rail", "clean_rail_in_millivolts", "clean_claimed_rail_off_nominal", "clean_zeros", "clean_negative_rail",
    "clean_amps", "clean_milliamps", "clean_cycler", "clean_dbm", "clean_ratios", "clean_overload_codes", "clean_ohms",
    "clean_dead_boards", "clean_hot_device", "clean_shunt_and_rail", "clean_one_fixture_low", "single_overvoltage",
    "some_overvoltages", "millivolts_under_volts", "millivolts_under_volts_claimed", "microvolts_under_volts",
    "negative_rail_in_millivolts", "millivolts_with_dead_boards", "milliamps_under_amps",
    "cycler_millivolts_under_volts",
    "microamps_under_amps_claimed", "two_wrong_columns", "percent_under_ratio", "hertz_under_kilohertz",
    "ohms_under_megohms", "one_fixture_in_millivolts", "two_lots_in_milliamps", "millivolts_with_overloads",
    "two_scales_in_turn", "two_units_explain", "kelvin_under_celsius", "fraction_under_percent",
    "incomplete_separation",
    "locale_damage_in_volts", "autorange_log", "overvoltage_that_fits_another_node", "few_rows_in_volts",
    "millivolts_without_board", "kilohms_under_ohms_claimed", "probe_factor_on_a_claimed_rail",
)  # fmt: skip
_NAMES = (
    ("measurement", "value", "unit"),
    ("Test Name", "Measured Value", "Units"),
    ("parameter", "Reading", "UOM"),
    ("Step Name", "Data", "Unit"),
)


def _melt(case: Case, rng: random.Random) -> Case:
    names = rng.choice(_NAMES)
    measured = list(dict.fromkeys(truth.column for truth in case.truths))
    cells = {column.name: column.cells for column in case.columns}
    declared = {truth.column: truth.declared for truth in case.truths}
    order = [(row, name) for row in range(case.rows) for name in measured]
    if rng.random() < 0.3:
        order.sort(key=lambda pair: measured.index(pair[1]))
    where = {pair: i for i, pair in enumerate(order)}
    labels = {name: _label(rng, declared[name]) for name in measured}
    long = [Column(c.name, [c.cells[row] for row, _ in order]) for c in case.columns if c.name not in measured]
    long += [
        Column(names[0], [name for _, name in order]),
        Column(names[1], [cells[name][row] for row, name in order]),
        Column(names[2], [labels[name] for _, name in order]),
    ]
    truths = [_moved(truth, names[1], [where[row, truth.column] for row in truth.rows]) for truth in case.truths]
    return Case(long, truths, _claims_measurements(case.board, measured), case.decimal)


def _label(rng: random.Random, unit: str | None) -> str | None:
    return "ratio" if unit == "1" else unit and spell(rng, unit)


def _moved(truth: Truth, column: str, rows: list[int]) -> Truth:
    return Truth(**{**vars(truth), "column": column, "rows": rows, "measurement": truth.column})


def _claims_measurements(board: dict[str, Any] | None, measured: list[str]) -> dict[str, Any] | None:
    if board is None:
        return None
    nodes = {}
    for name, body in board["nodes"].items():
        moved = {key: value for key, value in body.items() if key != "columns"}
        claimed = [column for column in body.get("columns", ()) if column in measured]
        if claimed:
            moved["measurements"] = claimed
        nodes[name] = moved
    return {**board, "nodes": nodes}


def _register(wide: Family) -> None:
    def make(rng: random.Random) -> Case:
        return _melt(wide.make(rng), rng)

    name = f"long_table_of_{wide.name}"
    FAMILIES[name] = Family(name, wide.kind, f"in a long table: {wide.about}", make)


for _name in _WIDE:
    _register(FAMILIES[_name])
