"""What the export says each column is: the labels of its unit, and the role that its name gives it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from guards.board import Board, ColumnWord
from guards.headers import header_unit, in_context
from guards.report import Role
from guards.spelling import bare
from guards.units import Unit


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """One column as the export wrote it. `name` is its unique name in the frame, `text` the header cell verbatim,
    `units_row` the cell of a units row below it, `preamble` a unit that the preamble gives for it.
    """

    name: str
    text: str
    units_row: str | None = None
    preamble: str | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """One statement of the export or the engineer about a column's unit: its text, the unit, and where it stands."""

    text: str
    unit: Unit
    source: str  # "header", "units row", "preamble", "unit column", "cells", "profile", "node"

    @property
    def statement(self) -> str:
        """The label in a sentence: "header says V"."""
        verb = "say" if self.source == "cells" else "says"
        return f"{self.source} {verb} {self.unit.words}"


def labels_of(column: ExportColumn, word: ColumnWord | None) -> tuple[Label, ...]:
    """Return what is said about the column's unit apart from its cells; the engineer's settled unit alone if given."""
    labels = []
    parsed = header_unit(column.text)
    if parsed:
        labels.append(Label(parsed[1], parsed[2], "header"))
    stem = parsed[0] if parsed else column.text
    for text, source in ((column.units_row, "units row"), (column.preamble, "preamble")):
        unit = in_context(stem, bare(text)) if text else None
        if text and unit:
            labels.append(Label(text.strip(), unit, source))
    if word and word.unit:
        labels.append(Label(word.unit.symbol, word.unit, "profile"))
    return tuple(labels)


_LOWER_NAMES = frozenset(
    """lowerlimit lowlimit lolimit lolim lowlim lsl limitlow limlow limitlo lower ll minlimit limitmin
    lowerspec""".split()
)
_UPPER_NAMES = frozenset(
    """upperlimit highlimit hilimit hilim highlim usl limithigh limhigh limithi upper ul maxlimit limitmax
    upperspec""".split()
)
_ROLE_NAMES: dict[Role, frozenset[str]] = {
    "identifier": frozenset(
        """serial serialnumber serialno sn lot lotnumber batch batchnumber fixture fixtureid station stationid tester
        testerid operator shift partnumber pn id uuid guid board boardid dut dutid unitid unitserial revision rev note
        notes comment comments message site socket slot panel barcode workorder job user host name""".split()
    ),
    "result": frozenset("result status passfail outcome verdict pass passed passorfail teststatus stepstatus".split()),
    "limit": _LOWER_NAMES | _UPPER_NAMES | {"nominal", "target", "nominalvalue"},
    "unit": frozenset(
        "unit units uom measunit valueunit unitofmeasure limitunit limitunits limitsunit unitlimit".split()
    ),
    "index": frozenset(
        """index idx n no number step stepno stepnumber stepindex seq sequence record recno rec rownum row point pointno
        sample sampleno cycle cycleindex cyclenumber readingn readingno reading# scan sweep count loop run testno
        testnumber line lineno es rec# cyc# record# datapoint cyclecount cyclec cyclep""".split()
    ),
    "time": frozenset("timestamp datetime date time elapsed elapsedtime testtime steptime dptime clock".split()),
}
_IN_THE_ROWS_UNIT = _ROLE_NAMES["limit"] | frozenset(
    """min max minimum maximum low high specmin specmax minspec maxspec speclow spechigh lowspec highspec limit expected
    expectedvalue nom set mean average avg typ typical lo hi""".split()
)
"""What a row says of its value besides: in the row's unit, where it has none of its own."""
_ROLES_WITHOUT_READINGS: frozenset[Role] = frozenset(("identifier", "index", "time"))
_OF_READINGS = frozenset(
    ("voltage", "current", "power", "power level", "resistance", "frequency", "capacitance", "inductance", "charge",
     "energy", "apparent power", "reactive power", "conductance")
)  # fmt: skip
"""Nothing is numbered or named in these: `Line (V)` is a voltage though `Line` is an index."""
MEASUREMENT_NAMES = frozenset(
    """measurement measurementname test testname stepname parameter parametername meas measname item testitem
    characteristic variable signal quantity""".split()
)
VALUE_NAMES = frozenset(
    "value data reading measured measuredvalue measvalue measurementvalue resultvalue val meas numericvalue".split()
)
_RANGE = re.compile(r"(?i)(^|_|\s)range($|_|\s|\()")


def stem_of(text: str) -> str:
    """Return the header without its unit, lower case, letters and digits only: "LowLimit (V)" is "lowlimit"."""
    parsed = header_unit(text)
    stem = parsed[0] if parsed and parsed[0] else text
    return re.sub(r"[^0-9a-z#]", "", stem.lower())


def is_range(column: ExportColumn) -> bool:
    """Whether the column names the instrument's measuring range."""
    return bool(_RANGE.search(column.text))


def role_of(column: ExportColumn, word: ColumnWord | None, *, claimed: bool) -> Role | None:
    """Return the role by the engineer's word, a node's claim or the column's name; None where the cells decide."""
    if word and word.role:
        return word.role
    if claimed:
        return "measured"
    stem, parsed, labels = stem_of(column.text), header_unit(column.text), labels_of(column, word)
    current = stem == "id" and bool(labels)  # a drain current, where a unit is said of it
    reading = current or any(label.unit.quantity in _OF_READINGS for label in labels)
    for role, names in _ROLE_NAMES.items():
        if stem in names and not (reading and role in _ROLES_WITHOUT_READINGS):
            return role
    if is_range(column):
        return "range"
    if parsed and parsed[2].quantity == "time":
        return "time"
    return None


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns with a part to play beside the measured ones; None where the table has none.

    A table is *long* when `measurement` names what each row of the one value column measures. `pairs`: the columns of
    numbers that each have a unit column just right of them, where a table has several unit columns. `bounds`: limits
    and the like of each row that are in the unit of its value.
    """

    measurement: str | None
    value: str | None
    unit: str | None
    lower: str | None
    upper: str | None
    result: str | None
    segments: tuple[str, ...]
    pairs: Mapping[str, str] = field(default_factory=dict)
    bounds: tuple[str, ...] = ()

    def unit_of(self, column: str) -> str | None:
        """Return the unit column that is about a column."""
        return self.unit if column == self.value else self.pairs.get(column)


def find_layout(
    columns: Sequence[ExportColumn], roles: dict[str, Role], numeric: frozenset[str], board: Board | None
) -> Layout:
    """Return the layout of a table whose columns have these roles; `numeric` names the columns of numbers."""
    stems = {column.name: stem_of(column.text) for column in columns}
    measured = [name for name in stems if roles[name] == "measured" and name in numeric]

    def first(names: frozenset[str], among: Sequence[str]) -> str | None:
        return next((name for name in among if stems[name] in names), None)

    texts = [name for name in stems if name not in numeric]
    measurement = first(MEASUREMENT_NAMES, texts)
    order = list(stems)
    units = [name for name in texts if roles[name] == "unit"]
    unit = next(iter(units), None)
    left_of_unit = [name for name in measured if unit is not None and order.index(name) < order.index(unit)]
    # "Reading, Value, Unit": the unit belongs to the value that is nearest to its left
    valued = first(VALUE_NAMES, left_of_unit[::-1]) or first(VALUE_NAMES, measured)
    value = valued or (measured[0] if len(measured) == 1 else None)
    if measurement is None or value is None:
        measurement = None
        value = measured[0] if len(measured) == 1 else valued
    amid = value is None and len(left_of_unit) == 1  # Vin,Unit,Vout: whose unit it is is plain
    pairs = _pairs(order, units, {name: roles[name] for name in numeric}) if len(units) > 1 or amid else {}
    if pairs:
        unit = pairs.get(value or "") or _behind_limits(value, order, units, roles)
    wanted = board.segments if board else None
    present = [name for name in (wanted if wanted is not None else _default_segments(stems)) if name in stems]
    return Layout(
        measurement=measurement, value=value,
        unit=unit,
        lower=first(_LOWER_NAMES, [name for name in stems if name in numeric]),
        upper=first(_UPPER_NAMES, [name for name in stems if name in numeric]),
        result=next((name for name in texts if roles[name] == "result"), None),
        segments=tuple(name for name in present if roles[name] != "measured"), pairs=pairs,
        bounds=tuple(
            column.name for column in columns
            if column.name in numeric and column.name != value and _has_the_rows_unit(column)
            and pairs.get(column.name, unit) == unit
        ),
    )  # fmt: skip


def _has_the_rows_unit(column: ExportColumn) -> bool:
    return stem_of(column.text) in _IN_THE_ROWS_UNIT and not (header_unit(column.text) or column.units_row)


def _pairs(order: Sequence[str], units: Sequence[str], numeric: Mapping[str, Role]) -> dict[str, str]:
    """Return the unit column of each column of values or limits that has one just right of it: a value with its limits
    between, or limits alone.
    """
    found: dict[str, str] = {}
    for unit in units:
        left = list(reversed(order[: order.index(unit)]))
        limits = list(itertools.takewhile(lambda name: numeric.get(name) == "limit", left))
        value = [name for name in left[len(limits) :][:1] if numeric.get(name) in ("measured", "setpoint")]
        found |= dict.fromkeys([*limits, *value], unit)
    return found


def _behind_limits(
    value: str | None, order: Sequence[str], units: Sequence[str], roles: Mapping[str, Role]
) -> str | None:
    """Return the unit column right of a value with nothing but its limits between: `Value,LSL,USL,Unit`."""
    behind = order[order.index(value) + 1 :] if value is not None else []
    found = next((name for name in behind if roles[name] != "limit"), None)
    return found if found in units else None


def key_columns(columns: Sequence[ExportColumn], guesses: dict[str, Role | None], board: Board | None) -> list[str]:
    """Return the columns that may say what a row measures, in which unit, and in which segment it stands."""
    stems = {column.name: stem_of(column.text) for column in columns}
    segments = set(board.segments) if board else set(_default_segments(stems))
    return [
        name
        for name, stem in stems.items()
        if name in segments or guesses[name] == "unit" or (guesses[name] is None and stem in MEASUREMENT_NAMES)
    ]


def _default_segments(stems: dict[str, str]) -> list[str]:
    wanted = ("fixture", "fixtureid", "station", "stationid", "tester", "testerid", "lot", "lotnumber", "batch")
    return [name for stem in wanted for name in stems if stems[name] == stem]
