"""What the export says each column is: the unit in its header, and the role that its name gives it.

Header styles read here were all seen in real exports: `Voltage (mV)`, `Cap. [Ah]`, `Voltage / V`, `voltage_volt`,
`value_v`, `Volts`, `mAmps`, `Ch 101 (VDC)`. A lower-case suffix is a spelling of its own with a meaning listed here
(`_mw` is milliwatt), because a unit is never case-folded; where two meanings are common (`_mohm`) it has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from guards.board import Board, ColumnWord
from guards.report import Role
from guards.units import Unit, find_unit


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


_BRACKETS = re.compile(r"^(?P<stem>.*?)[\s_]*[(\[{]\s*(?P<unit>[^()\[\]{}]{1,24}?)\s*[)\]}]\s*$")
_SLASH = re.compile(r"^(?P<stem>.*\S)\s+/\s*(?P<unit>\S+(?: \S+)?)\s*$")
_COMMA = re.compile(r"^(?P<stem>.*\S)\s*,\s*(?P<unit>\S+)\s*$")
_SUFFIX = re.compile(r"^(?P<stem>.+)_(?P<unit>[A-Za-z%µμΩ]+)$")

_SUFFIXES = {
    "v": "V", "mv": "mV", "uv": "uV", "nv": "nV", "kv": "kV", "vdc": "V", "vac": "V", "mvdc": "mV",
    "a": "A", "ma": "mA", "ua": "uA", "na": "nA", "ka": "kA", "adc": "A", "mamp": "mA", "mamps": "mA",
    "w": "W", "mw": "mW", "uw": "uW", "kw": "kW", "va": "VA", "ohm": "ohm", "ohms": "ohm", "kohm": "kohm",
    "s": "s", "sec": "s", "secs": "s", "ms": "ms", "us": "us", "ns": "ns", "min": "min", "mins": "min", "hr": "h",
    "hrs": "h", "hz": "Hz", "khz": "kHz", "mhz": "MHz", "ghz": "GHz", "c": "degC", "degc": "degC", "degf": "degF",
    "pct": "%", "percent": "%", "perc": "%", "ppm": "ppm", "db": "dB", "dbm": "dBm", "ratio": "1", "frac": "1",
    "ah": "Ah", "mah": "mAh", "wh": "Wh", "mwh": "mWh", "pf": "pF", "nf": "nF", "uf": "uF", "uh": "uH", "nh": "nH",
    "pa": "Pa", "kpa": "kPa", "psi": "psi", "rpm": "rpm",
}  # fmt: skip
_TIME_SUFFIXES = {"h": "h", "d": "d", "m": "min"}
_TEMPERATURE_SUFFIXES = {"k": "K", "f": "degF"}
_TIME_WORDS = re.compile(r"(?i)(time|elapsed|duration|uptime)")
_TEMPERATURE_WORDS = re.compile(r"(?i)^(t|t\d+|ta|tc|tj)$|temp|tamb|tcase|ambient|thermo|(^|_)t(_|$)")
# What stands before a letter that numbers a thing rather than naming a unit: phase_a, channel_c, rev_c.
_NUMBERED = re.compile(
    r"(?i)(^|_)(phase|winding|coil|sensor|probe|lane|string|pin|ch|chan|channel|side|port|bank|leg|line|rev|revision|ver|slot|site|group|lot)$"
)
_WHOLE_HEADER = re.compile(r"^(?:[VAW]|%|.{2,})$")


@lru_cache(maxsize=16_384)
def header_unit(text: str) -> tuple[str, str, Unit] | None:
    """Return (stem, unit text as written, unit) of a header that names its unit, else None."""
    text = text.strip()
    for pattern in (_BRACKETS, _SLASH, _COMMA):
        match = pattern.match(text)
        unit = _in_context(match["stem"], match["unit"]) if match else None
        if match and unit:
            return match["stem"], match["unit"], unit
    match = _SUFFIX.match(text)
    unit = _suffix(match["stem"], match["unit"]) if match else None
    if match and unit:
        return match["stem"], match["unit"], unit
    unit = find_unit(text) if _WHOLE_HEADER.match(text) else None
    return ("", text, unit) if unit and unit.quantity in _WHOLE_QUANTITIES else None


_WHOLE_QUANTITIES = {"voltage", "current", "power", "resistance", "ratio", "frequency", "charge", "energy", "time",
                     "temperature", "capacitance", "inductance", "power level"}  # fmt: skip


def _in_context(stem: str, text: str) -> Unit | None:
    if text in ("F", "K") and _TEMPERATURE_WORDS.search(stem):
        return find_unit("degF" if text == "F" else "K")
    if text == "g" and re.search(r"(?i)acc", stem):
        return find_unit("g_0")
    return find_unit(text)


def _suffix(stem: str, text: str) -> Unit | None:
    if len(text) == 1 and _NUMBERED.search(stem):
        return None
    if _TIME_WORDS.search(stem) and text in _TIME_SUFFIXES:
        return find_unit(_TIME_SUFFIXES[text])
    if _TEMPERATURE_WORDS.search(stem) and text.lower() in _TEMPERATURE_SUFFIXES:
        return find_unit(_TEMPERATURE_SUFFIXES[text.lower()])
    if text in _SUFFIXES:
        return find_unit(_SUFFIXES[text])
    if len(text) == 1 and text not in "VAWΩ":
        return None
    return find_unit(text)


def labels_of(column: ExportColumn, word: ColumnWord | None) -> tuple[Label, ...]:
    """Return what is said about the column's unit apart from its cells; the engineer's settled unit alone if given."""
    labels = []
    parsed = header_unit(column.text)
    if parsed:
        labels.append(Label(parsed[1], parsed[2], "header"))
    stem = parsed[0] if parsed else column.text
    for text, source in ((column.units_row, "units row"), (column.preamble, "preamble")):
        unit = _in_context(stem, text) if text else None
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
    "unit": frozenset("unit units uom measunit valueunit unitofmeasure".split()),
    "index": frozenset(
        """index idx n no number step stepno stepnumber stepindex seq sequence record recno rec rownum row point pointno
        sample sampleno cycle cycleindex cyclenumber readingn readingno reading# scan sweep count loop run testno
        testnumber line lineno es rec# cyc# record# datapoint cyclecount cyclec cyclep""".split()
    ),
    "time": frozenset("timestamp datetime date time elapsed elapsedtime testtime steptime dptime clock".split()),
}
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
    stem = stem_of(column.text)
    for role, names in _ROLE_NAMES.items():
        if stem in names:
            return role
    if is_range(column):
        return "range"
    parsed = header_unit(column.text)
    if parsed and parsed[2].quantity == "time":
        return "time"
    return None


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns with a part to play beside the measured ones; None where the table has none.

    A table is *long* when `measurement` names what each row of the one value column measures.
    """

    measurement: str | None
    value: str | None
    unit: str | None
    lower: str | None
    upper: str | None
    result: str | None
    segments: tuple[str, ...]


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
    value = first(VALUE_NAMES, measured) or (measured[0] if len(measured) == 1 else None)
    if measurement is None or value is None:
        measurement = None
        value = measured[0] if len(measured) == 1 else first(VALUE_NAMES, measured)
    wanted = board.segments if board else None
    present = [name for name in (wanted if wanted is not None else _default_segments(stems)) if name in stems]
    return Layout(
        measurement=measurement, value=value,
        unit=next((name for name in texts if roles[name] == "unit"), None),
        lower=first(_LOWER_NAMES, [name for name in stems if name in numeric]),
        upper=first(_UPPER_NAMES, [name for name in stems if name in numeric]),
        result=next((name for name in texts if roles[name] == "result"), None),
        segments=tuple(name for name in present if roles[name] != "measured"),
    )  # fmt: skip


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
