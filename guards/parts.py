"""A part is what is judged alone: a column, or one measurement of a long table, or one row label of either.

A part holds everything that is said about its values apart from the values: labels, the claiming node, the ranges that
its quantity may have, and the readings (candidates) that people confuse with the declared one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from guards.board import Board, ColumnWord, Node, Range
from guards.candidates import Candidate, candidates
from guards.declared import Label
from guards.units import Unit, base_unit

BUILT_IN: dict[str, tuple[Fraction | None, Fraction | None]] = {
    "voltage": (Fraction(-1500), Fraction(1500)),
    "current": (Fraction(-1000), Fraction(1000)),
    "temperature": (Fraction("-273.15"), None),
    "resistance": (Fraction(0), None),
}
"""What a bench can hold at all, in base units. Low voltage ends at 1.5 kV DC (IEC 60364-1); these may refuse with a
proposal where no board speaks, and never correct."""

OPEN_SENSOR = (-2600.0, -2400.0)
"""Thermocouple inputs read about -2500 degC when the sensor is open; seen in battery cyclers' auxiliary channels."""

NO_WORD = ColumnWord()


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to judge. `labels`: what is said of its unit, strongest first; `declared`: the unit it is judged as;
    `target`: the unit its header promises, in which corrected values stand. `row_label`: the text of the unit column in
    the rows of this part. `absolute` is hard when it comes from the board, soft when built in.
    """

    column: str
    measurement: str | None = None
    row_label: str | None = None
    labels: tuple[Label, ...] = ()
    declared: Unit | None = None
    target: Unit | None = None
    node: Node | None = None
    quantity: str | None = None
    absolute: Range | None = None
    absolute_is_board: bool = False
    expected: tuple[Range, ...] = ()
    readings: tuple[Candidate, ...] = ()
    word: ColumnWord = NO_WORD
    sentinel_numbers: tuple[float, ...] = ()
    probe: float | None = None  # the attenuation that a scope was told of
    idle_result: bool = False  # a result column stands beside several measured columns
    autoranged: bool = False  # each value carries its unit, as a meter that changes its range writes it
    stranger: bool = False  # no node claims it by its name, and nodes claim others
    generic: bool = False  # its name says no more than the quantity: Volts, CH1, value
    incomplete: bool = False  # some node of the quantity does not say where it is expected
    elsewhere: tuple[Range, ...] = ()  # where other nodes of the quantity are expected
    digits: str | None = None  # what the digits of the texts say about damage, whatever the values
    problem: str | None = None  # why it cannot be judged whatever its values are

    @property
    def claimed(self) -> bool:
        """Whether a node of the board names this column or measurement."""
        return self.node is not None

    @property
    def declared_label(self) -> Label | None:
        """The label that gave the declared unit."""
        return next((label for label in self.labels if label.unit == self.declared), None)


def make_part(
    column: str, labels: tuple[Label, ...], board: Board | None, *, measurement: str | None = None,
    row_label: str | None = None, target: Unit | None = None,
) -> Part:  # fmt: skip
    """Return the part with its node, ranges and readings filled in from the board."""
    word = (board.columns.get(column) if board else None) or NO_WORD
    node = board.claiming(column, measurement) if board else None
    settled = tuple(label for label in labels if label.source == "profile")
    stated = settled or labels
    if not stated and node:
        stated = (Label(node.unit.symbol, node.unit, "node"),)
    declared = stated[0].unit if stated else None
    quantity = node.quantity if node else (declared.quantity if declared else None)
    part = Part(
        column, measurement, row_label, labels or stated, declared, target or _target(labels, declared), node, quantity,
        word=word, sentinel_numbers=(board.sentinel_numbers if board else ()) + word.sentinel_numbers,
    )  # fmt: skip
    if declared is None:
        return part
    part = replace(part, readings=candidates(declared, offsets=word.offsets))
    if node and node.quantity != declared.quantity and not _is_level(node.quantity, declared.quantity):
        said = stated[0].statement
        contrary = f"but the board's node {node.name} is a {node.quantity}"
        return replace(part, problem=f"{said} ({declared.quantity}), {contrary}")
    return _with_ranges(part, board)


def _is_level(first: str, second: str) -> bool:
    return {first, second} in ({"power", "power level"}, {"ratio", "gain"})


def _target(labels: tuple[Label, ...], declared: Unit | None) -> Unit | None:
    """The header keeps its promise: corrected values stand in the header's unit where it names one."""
    header = next((label.unit for label in labels if label.source == "header"), None)
    if header and declared and header.quantity == declared.quantity:
        return header
    return declared


_RISE = re.compile(r"(?i)rise|delta|diff|(^|[^a-z])d[_ ]?t([^a-z]|$)|Δ")


_REACTANCE = re.compile(r"(?i)(^|[^a-z]|z)im(ag|[^a-z]|$)|react|(^|[^a-z])x[lcs]?([^a-z]|$)|z[\"″]|z''")


def _unlike_the_nodes(part: Part) -> bool:
    """Whether no node's range bounds it though the quantity is the same: the board's times are those of events, a
    rise in temperature begins at zero, and a reactance may be negative.
    """
    if part.quantity == "resistance" and _REACTANCE.search(part.measurement or part.column):
        return True
    return part.quantity == "time" or (part.quantity == "temperature" and _RISE.search(part.column) is not None)


def _with_ranges(part: Part, board: Board | None) -> Part:
    assert part.quantity is not None
    if part.node is None and _unlike_the_nodes(part):
        return part
    nodes = board.nodes_of(part.quantity) if board else ()
    absolute = (part.node.absolute if part.node else None) or (board.widest(part.quantity) if board else None)
    # What is expected is no bound: without one absolute range of the quantity the board knows nothing hard.
    if absolute and any(node.absolute for node in nodes):
        chosen = [part.node] if part.node else list(nodes)
        expected = tuple(r for r in (_explaining(node) for node in chosen) if r)
        readings = _plausible(part.readings, board.widest(part.quantity) if board else None)
        shorts = nodes if part.quantity == "voltage" and part.node else ()  # rails are shorted, currents are not
        others = tuple(r for node in shorts if node is not part.node and (r := _explaining(node)))
        return replace(
            part, absolute=absolute, absolute_is_board=True, expected=expected, readings=readings, elsewhere=others,
            incomplete=not all(map(_explaining, nodes)),
        )  # fmt: skip
    built_in, base = BUILT_IN.get(part.quantity), base_unit(part.quantity)
    expected = tuple(r for r in (_explaining(node) for node in ([part.node] if part.node else [])) if r)
    if built_in and base:
        return replace(part, absolute=Range(*built_in, base), expected=expected)
    return replace(part, expected=expected)


def _plausible(readings: tuple[Candidate, ...], widest: Range | None) -> tuple[Candidate, ...]:
    """Drop larger units in which everything on the board stays below a tenth: nobody logs a 28 V board in kV."""
    edges = [abs(edge) for edge in (widest.lower, widest.upper) if edge is not None] if widest else []
    if not edges or widest is None or widest.upper is None:
        return readings
    declared = readings[0].unit.scale
    return tuple(
        reading
        for reading in readings
        if reading.kind != "prefix" or reading.unit.scale <= declared or max(edges) / reading.unit.scale >= _SMALLEST
    )


_SMALLEST = Fraction(1, 10)


def _explaining(node: Node) -> Range | None:
    """The range in which a value is explained by the node: expected (or nominal), else limits with both ends."""
    if node.expected:
        return node.expected
    if node.quantity == "ratio" and node.absolute:
        return node.absolute  # a ratio's absolute range is its meaning: 87..93 can only be per cent of 0..1
    limits = node.limits
    return limits if limits and limits.lower is not None and limits.upper is not None else None
