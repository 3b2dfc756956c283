"""The board profile: what the board is, from a parsed TOML mapping, with every quantity exact.

Everything that an engineer can mistype is named with its key, its value and what was expected; an unknown key is a
mistake, not a comment, because a misspelt `absolut` would silently leave a node without its range.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast, get_args

from guards.dimensions import DimensionError, check_dimensions
from guards.errors import BoardError, UnitError
from guards.headers import header_unit
from guards.identities import columns_of, parse_identity
from guards.quantities import parse_quantity
from guards.report import Role
from guards.units import QUANTITIES, Unit, base_unit, find_unit

DEFAULT_SEGMENTS = ("fixture", "station", "tester", "lot")
_TOP_KEYS = ("board", "nodes", "columns", "sentinels", "identities", "revisions")
_BOARD_KEYS = ("name", "segments", "revision", "revisions", "description")
_NODE_KEYS = ("quantity", "absolute", "expected", "nominal", "limits", "columns", "measurements", "unit", "description")
_COLUMN_KEYS = ("role", "unit", "correct", "offsets", "limits_unit", "sentinels", "description")


@dataclass(frozen=True, slots=True)
class Range:
    """A closed interval in the base unit of a quantity; None is unbounded. `unit` is the unit it was written in."""

    lower: Fraction | None
    upper: Fraction | None
    unit: Unit

    @lru_cache(maxsize=1024)  # noqa: B019 - said for every column that a node claims
    def text(self) -> str:
        """The range in the unit it was written in, for messages."""
        edges = [None if edge is None else _short(self.written(edge)) for edge in (self.lower, self.upper)]
        if edges[1] is None:
            return f"at least {edges[0]} {self.unit}"
        if edges[0] is None:
            return f"at most {edges[1]} {self.unit}"
        return f"{edges[0]}..{edges[1]} {self.unit}"

    def written(self, edge: Fraction) -> Fraction:
        """Return an edge in the unit that the range was written in."""
        return (edge - self.unit.offset) / self.unit.scale


def _short(value: Fraction) -> str:
    return f"{float(value):.12g}"


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the board. Ranges are in the base unit of `quantity`; `unit` is the unit the engineer wrote."""

    name: str
    quantity: str
    unit: Unit
    absolute: Range | None = None
    expected: Range | None = None
    limits: Range | None = None
    columns: tuple[str, ...] = ()
    measurements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnWord:
    """The engineer's word on one column: what it is, and what the guard may do to it."""

    role: Role | None = None
    unit: Unit | None = None
    correct: bool = True
    offsets: bool = False
    limits_unit: Unit | None = None
    sentinel_numbers: tuple[float, ...] = ()
    sentinel_texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Identity:
    """A relation between columns that physics demands, as the profile wrote it."""

    expression: str
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """A board profile. `segments` are columns by which one column may differ in unit."""

    name: str
    nodes: tuple[Node, ...] = ()
    segments: tuple[str, ...] = DEFAULT_SEGMENTS
    columns: Mapping[str, ColumnWord] = field(default_factory=dict)
    sentinel_numbers: tuple[float, ...] = ()
    sentinel_texts: Mapping[str, str] = field(default_factory=dict)
    identities: tuple[Identity, ...] = ()

    def nodes_of(self, quantity: str) -> tuple[Node, ...]:
        """Return the nodes of one quantity."""
        return tuple(node for node in self.nodes if node.quantity == quantity)

    def claiming(self, column: str, measurement: str | None) -> Node | None:
        """Return the node that claims this measurement (which outranks) or this column."""
        for node in self.nodes:
            if measurement is not None and measurement in node.measurements:
                return node
        return next((node for node in self.nodes if column in node.columns), None)

    def widest(self, quantity: str) -> Range | None:
        """Return the lowest lower to the highest upper bound of all nodes of the quantity, None without nodes."""
        ranges = [node.absolute or node.expected for node in self.nodes_of(quantity)]
        known = [r for r in ranges if r is not None]
        if not known:
            return None
        lower = None if any(r.lower is None for r in known) else min(cast(Fraction, r.lower) for r in known)
        upper = None if any(r.upper is None for r in known) else max(cast(Fraction, r.upper) for r in known)
        return Range(lower, upper, known[0].unit)


def parse_board(document: Mapping[str, object], *, source: str = "board.toml") -> Board:
    """Return the board that a parsed TOML document describes.

    Raises:
        BoardError: a key is unknown, a value is of the wrong kind, or two declarations contradict each other.
    """
    reader = _Reader(source)
    reader.known("", document, _TOP_KEYS)
    head = reader.table("board", document.get("board", {}))
    reader.known("board", head, _BOARD_KEYS)
    nodes = tuple(
        reader.node(name, reader.table(f"nodes.{name}", body))
        for name, body in reader.table("nodes", document.get("nodes", {})).items()
    )
    reader.claims(nodes)
    words = {
        name: reader.column(name, reader.table(f"columns.{name}", body))
        for name, body in reader.table("columns", document.get("columns", {})).items()
    }
    numbers, texts = reader.sentinels("sentinels", reader.table("sentinels", document.get("sentinels", {})))
    segments = reader.strings("board.segments", head["segments"]) if "segments" in head else DEFAULT_SEGMENTS
    return Board(
        name=reader.string("board.name", head.get("name", "")),
        nodes=nodes, segments=segments, columns=words, sentinel_numbers=numbers, sentinel_texts=texts,
        identities=reader.identities(document.get("identities", []), _quantities(nodes, words)),
    )  # fmt: skip


class _Reader:
    """Reads the pieces of one profile, and names the key in every complaint."""

    def __init__(self, source: str) -> None:
        self.source = source

    def fail(self, key: str, value: object, expected: str) -> BoardError:
        return BoardError(self.source, key, value, expected)

    def table(self, key: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self.fail(key, value, f"a table, [{key}]")
        return value

    def string(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.fail(key, value, "a text in quotes")
        return value

    def strings(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fail(key, value, 'a list of texts, such as ["vin_v"]')
        return tuple(value)

    def known(self, key: str, table: Mapping[str, object], names: Sequence[str]) -> None:
        for name in table:
            if name not in names:
                close = difflib.get_close_matches(name, names, 1)
                hint = f"{close[0]!r}?" if close else "one of " + ", ".join(names)
                raise self.fail(f"{key}.{name}" if key else name, table[name], f"a known key: {hint}")

    def node(self, name: str, body: Mapping[str, Any]) -> Node:
        key = f"nodes.{name}"
        self.known(key, body, _NODE_KEYS)
        quantity = self.string(f"{key}.quantity", body.get("quantity", ""))
        if quantity not in QUANTITIES:
            raise self.fail(f"{key}.quantity", quantity, "one of " + ", ".join(sorted(QUANTITIES)))
        absolute, expected, limits = (self.range(f"{key}.{part}", body.get(part), quantity) for part in
                                      ("absolute", "expected", "limits"))  # fmt: skip
        if expected is None and "nominal" in body:
            expected = self.nominal(f"{key}.nominal", body["nominal"], quantity)
        self.inside(key, absolute, expected)
        unit = self.unit(f"{key}.unit", body["unit"]) if "unit" in body else None
        if unit and unit.quantity != quantity:
            raise self.fail(f"{key}.unit", body["unit"], f"a unit of {quantity}")
        written = next((r.unit for r in (limits, expected, absolute) if r), None)
        fallback = unit or written or base_unit(quantity)
        assert fallback is not None
        return Node(
            name, quantity, fallback, absolute, expected, limits,
            self.strings(f"{key}.columns", body.get("columns", [])),
            self.strings(f"{key}.measurements", body.get("measurements", [])),
        )  # fmt: skip

    def edge(self, key: str, value: object, quantity: str) -> tuple[Fraction, Unit]:
        if not isinstance(value, str):
            raise self.fail(key, value, f'a quantity with its unit, such as "{_EXAMPLES.get(quantity, "1.5 V")}"')
        try:
            amount, unit = parse_quantity(value)
        except UnitError as error:
            raise self.fail(key, value, error.expected) from error
        if unit.quantity != quantity:
            raise self.fail(key, value, f"a {quantity}, but {unit} is a unit of {unit.quantity}")
        return amount * unit.scale + unit.offset, unit

    def range(self, key: str, value: object, quantity: str) -> Range | None:
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2:
            raise self.fail(key, value, 'a list of two quantities, such as ["-0.3 V", "40 V"] ("" for no bound)')
        edges = [None if item == "" else self.edge(f"{key}[{i}]", item, quantity) for i, item in enumerate(value)]
        given = [edge for edge in edges if edge is not None]
        if not given:
            raise self.fail(key, value, "at least one bound")
        lower, upper = (None if edge is None else edge[0] for edge in edges)
        if lower is not None and upper is not None and lower > upper:
            raise self.fail(key, value, "the lower bound first: it is above the upper one")
        return Range(lower, upper, given[-1][1])

    def nominal(self, key: str, value: object, quantity: str) -> Range:
        """A nominal stands for ±10 % around it: the width within which supply rails are commonly specified."""
        middle, unit = self.edge(key, value, quantity)
        width = abs(middle) / 10
        return Range(middle - width, middle + width, unit)

    def inside(self, key: str, absolute: Range | None, expected: Range | None) -> None:
        if absolute is None or expected is None:
            return
        low = absolute.lower is not None and expected.lower is not None and expected.lower < absolute.lower
        high = absolute.upper is not None and expected.upper is not None and expected.upper > absolute.upper
        if low or high:
            raise self.fail(f"{key}.expected", expected.text(), f"a range inside absolute, {absolute.text()}")

    def claims(self, nodes: tuple[Node, ...]) -> None:
        for kind in ("columns", "measurements"):
            owner: dict[str, str] = {}
            for node in nodes:
                for name in getattr(node, kind):
                    if name in owner:
                        raise self.fail(f"nodes.{node.name}.{kind}", name, f"a name that nodes.{owner[name]} does not "
                                        "claim too")  # fmt: skip
                    owner[name] = node.name

    def unit(self, key: str, value: object) -> Unit:
        unit = find_unit(self.string(key, value))
        if unit is None:
            raise self.fail(key, value, 'a unit such as "V", "mA" or "%"')
        return unit

    def flag(self, key: str, value: object) -> bool:
        if not isinstance(value, bool):
            raise self.fail(key, value, "true or false")
        return value

    def column(self, name: str, body: Mapping[str, Any]) -> ColumnWord:
        key = f"columns.{name}"
        self.known(key, body, _COLUMN_KEYS)
        role = body.get("role")
        if role is not None and role not in get_args(Role):
            raise self.fail(f"{key}.role", role, "one of " + ", ".join(get_args(Role)))
        numbers, texts = self.sentinels(f"{key}.sentinels", {"values": body.get("sentinels", [])})
        return ColumnWord(
            role=role,
            unit=self.unit(f"{key}.unit", body["unit"]) if "unit" in body else None,
            correct=self.flag(f"{key}.correct", body.get("correct", True)),
            offsets=self.flag(f"{key}.offsets", body.get("offsets", False)),
            limits_unit=self.unit(f"{key}.limits_unit", body["limits_unit"]) if "limits_unit" in body else None,
            sentinel_numbers=numbers, sentinel_texts=texts,
        )  # fmt: skip

    def sentinels(self, key: str, table: Mapping[str, Any]) -> tuple[tuple[float, ...], dict[str, str]]:
        numbers: list[float] = []
        texts: dict[str, str] = {}
        for kind, values in table.items():
            if not isinstance(values, list):
                raise self.fail(f"{key}.{kind}", values, 'a list of numbers or texts, such as [9.9e37, "OL"]')
            for value in values:
                if isinstance(value, str):
                    texts[value.strip().lower()] = "sentinel" if kind == "values" else kind
                elif isinstance(value, int | float) and not isinstance(value, bool):
                    numbers.append(float(value))
                else:
                    raise self.fail(f"{key}.{kind}", value, "numbers or texts")
        return tuple(numbers), texts

    def identities(self, value: object, quantities: Mapping[str, str]) -> tuple[Identity, ...]:
        if not isinstance(value, list):
            raise self.fail("identities", value, "[[identities]] tables")
        found = []
        for i, item in enumerate(value):
            key = f"identities[{i}]"
            body = self.table(key, item)
            self.known(key, body, ("expression", "tolerance", "description"))
            tolerance = body.get("tolerance")
            if tolerance is not None and (not isinstance(tolerance, int | float) or isinstance(tolerance, bool)):
                raise self.fail(f"{key}.tolerance", tolerance, "a share, such as 0.02 for 2 %")
            expression = self.string(f"{key}.expression", body.get("expression"))
            try:
                relation = parse_identity(expression)
                named = {name: q for name in columns_of(relation) if (q := quantities.get(name) or _by_name(name))}
                check_dimensions(relation, named)
            except UnitError as error:
                raise self.fail(f"{key}.expression", expression, error.expected) from error
            except DimensionError as error:
                raise self.fail(f"{key}.expression", expression, f"one dimension on both sides; {error}") from error
            found.append(Identity(expression, tolerance))
        return tuple(found)


def _quantities(nodes: Sequence[Node], words: Mapping[str, ColumnWord]) -> dict[str, str]:
    """Return what each named column is: by its settled unit, else by the node that claims it."""
    claimed = {column: node.quantity for node in nodes for column in node.columns}
    return claimed | {name: word.unit.quantity for name, word in words.items() if word.unit}


def _by_name(column: str) -> str | None:
    """Return the quantity of the unit in a column's name: vin_v is a voltage."""
    parsed = header_unit(column)
    return parsed[2].quantity if parsed and parsed[2].quantity in QUANTITIES else None


_EXAMPLES = {
    "voltage": "5.1 V",
    "current": "25 mA",
    "resistance": "500 ohm",
    "ratio": "0.3 %",
    "temperature": "60 degC",
}
