"""What stands above the table, or left of it: keys and values, and the units that they name for the columns."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from bench.readers import cells
from bench.readers.head import Record

_X_UNIT = re.compile(r"(?i)^(?:horizontal|x|h)[ _-]?units?$")
_Y_UNIT = re.compile(r"(?i)^(?:vertical|y|v)[ _-]?units?$")
_UNIT = re.compile(r"(?i)^(?:units?|einheit(?:en)?)$")
_NAMED_UNIT = re.compile(r"(?i)^(?:units?[ _](?:of )?(?P<after>.+)|(?P<before>.+?)[ _](?:units?|vertical units?))$")
_BY_CHANNEL = re.compile(r"(\w+)\s*[:=]\s*([^\s,;]+)")
_COUNTING = re.compile(r"(?i)^(?:index|sample|no\.?|nr\.?|point|#|record)$")
_TRACE_NAMES = re.compile(r"(?i)^(?:trace[ _]?names?|source)$")
_MACCOR = re.compile(
    r"(?:^|(?<=[\s,;]))(Today'{1,2}s Date|Date of Test|File ?name|Tester (?:Channel|#)|Procedure|Description|"
    r"Comment/Barcode|Barcode|Test Type|Serial (?:Number|#))(?=[\s:,;]|$)"
)
_MACCOR_OPENS = re.compile(r"Today'{1,2}s Date")
_RULE = re.compile(r"^\s*(?:-{3,}|={3,})[-=\s]*$")
_SECONDS = {"S": "s", "Sec": "s", "SEC": "s"}  # no scope's horizontal axis is in siemens
_MEASURED = re.compile(r"^[A-Za-z][\w-]*=[+-]?[\d.]+(?:[eE][+-]?\d+)?\s*[A-Za-z%µμΩ°]{0,4}$")
_OPENING = "#%!/~; "
_LONGEST_KEY = 60
_LONGEST_UNITS = 80


def units(said: Mapping[str, str], columns: Sequence[str], axes: Sequence[int]) -> dict[str, str]:
    """Return column -> unit; `axes` are the positions of the columns that hold values.

    A scope's only vertical unit belongs to the first channel, because it is given for one trace, unless it names its
    channels (`CH1:V,CH2:A`) or there is one for each.
    """
    found: dict[str, str] = {}
    values = [columns[at] for at in axes if at < len(columns)]
    by_name = {column.strip().lower(): column for column in columns}
    for key, value in said.items():
        text = value.strip()
        if not text or len(text) > _LONGEST_UNITS:
            continue
        about = _NAMED_UNIT.match(key)
        if _X_UNIT.match(key):
            if len(values) > 1 and not _COUNTING.match(values[0].strip()):
                parts = [_SECONDS.get(part.strip(), part.strip()) for part in text.split(",")]
                for column, unit in zip(_abscissas(values, parts), parts, strict=False):
                    found.setdefault(column, unit)
        elif _Y_UNIT.match(key) or _UNIT.match(key):
            for column, unit in _each(text, values, by_name, sure=_Y_UNIT.match(key) is not None).items():
                found.setdefault(column, unit)
        elif about is not None:
            column = by_name.get((about["after"] or about["before"] or "").strip().lower(), "")
            if column:
                found.setdefault(column, text)
    return found


def _abscissas(values: Sequence[str], parts: Sequence[str]) -> Sequence[str]:
    """Return the columns that a horizontal unit is about: the first, or every other where each trace has its own."""
    return values[::2] if _paired(values, parts) else values[:1]


def _paired(values: Sequence[str], parts: Sequence[str]) -> bool:
    """Return whether there is a unit for each trace, and each trace has an X column: `TIME, CH1, TIME_2, CH2`."""
    again = {re.sub(r"_\d+$", "", value) for value in values[::2]}
    return len(parts) > 1 and len(values) == 2 * len(parts) and len(again) == 1


def _each(text: str, values: Sequence[str], by_name: Mapping[str, str], *, sure: bool) -> dict[str, str]:
    named = {channel.lower(): each for channel, each in _BY_CHANNEL.findall(text)}
    if named:
        return {by_name[channel]: each for channel, each in named.items() if channel in by_name}
    parts = [part.strip() for part in text.split(",")]
    whole = all(map(cells.is_unit, parts))
    if whole and len(parts) > 1 and len(parts) in (len(values), len(values) - 1):
        return dict(zip(values[len(values) - len(parts) :], parts, strict=True))
    if whole and _paired(values, parts):
        return dict(zip(values[1::2], parts, strict=True))
    if len(values) == 1 and (sure or whole):
        return {values[0]: parts[0]}
    return {values[1]: parts[0]} if sure and len(values) > 1 else {}


def metadata(preamble: Sequence[Record], delimiter: str = ",", comment: str | None = None) -> dict[str, str]:
    """Return a preamble's keys and values; a line without a key is kept under its line number."""
    found: dict[str, str] = {}
    maccor = any(_MACCOR_OPENS.match(row.text) for row in preamble)
    for row in preamble:
        prose = delimiter == " " or (comment is not None and row.text.startswith(comment))
        pairs = (_known_pairs(row.text, delimiter) if maccor else []) or _pairs(row)
        for key, value in pairs or [_key_value(row, delimiter, prose=prose)]:
            found[key if key not in found else f"{key} (line {row.line})"] = value
    return found


def _pairs(row: Record) -> list[tuple[str, str]]:
    """Return the pairs of a line that holds several: `Today's Date:<tab>14 December<tab>Filename:<tab>x`."""
    keys = [at for at, cell in enumerate(row.cells) if cell.strip().endswith((":", "="))]
    if len(keys) < 2 or keys[0] != 0:
        return []
    ends = [*keys[1:], len(row.cells)]
    return [
        (
            row.cells[at].strip().rstrip(":= "),
            ", ".join(cell.strip() for cell in row.cells[at + 1 : end] if cell.strip()),
        )
        for at, end in zip(keys, ends, strict=True)
    ]


def _known_pairs(text: str, delimiter: str) -> list[tuple[str, str]]:
    """Return the pairs of a line of Maccor's preamble, whose keys may have no colon: they are known by their words."""
    keys = list(_MACCOR.finditer(text))
    if not keys or keys[0].start():
        return []
    ends = [*(key.start() for key in keys[1:]), len(text)]
    drop = " :\t\0\xff" + delimiter
    return [(key[1].replace("''", "'"), text[key.end() : end].strip(drop)) for key, end in zip(keys, ends, strict=True)]


def _key_value(row: Record, delimiter: str, *, prose: bool) -> tuple[str, str]:
    """Return a line's key and value. In prose (a comment, words between spaces) the mark behind the key comes first."""
    text = row.text.strip().lstrip(_OPENING).strip()
    filled = [cell.strip() for cell in row.cells]
    while filled and not filled[-1]:
        filled.pop()
    several = len(filled) > 1 or (filled and len(row.cells) > 1)
    marks = ":=" if prose else "" if several else ":=,;\t"
    for mark in marks:
        key, found, value = text.partition(mark)
        if found and key.strip() and len(key) < _LONGEST_KEY and (delimiter == " " or delimiter not in key):
            return key.strip(), value.strip(" ,;\t")
    if several and not (prose and row.text.count(" ") >= len(filled) - 1 > 0 and "," not in row.text):
        key = filled[0].lstrip(_OPENING).rstrip(":= ")
        return key or f"line {row.line}", ", ".join(cell for cell in filled[1:] if cell)
    return f"line {row.line}", text


def names_units(row: Record) -> bool:
    """Return whether a line is a scope's key and the units of its axes: `Vertical Units,CH1:V`."""
    key = row.cells[0].strip()
    return row.width > 1 and (_X_UNIT.match(key) is not None or _Y_UNIT.match(key) is not None)


def is_measured(row: Record) -> bool:
    """Return whether a line is what a scope has measured of the whole record: `PK-PK,Vp=5.00V`."""
    return row.width == 2 and _MEASURED.match(row.cells[1].strip()) is not None


def is_key_value(row: Record) -> bool:
    """Return whether a line is a key and its value, told by the mark behind the key, or two of Maccor's known keys."""
    if row.width <= 2:
        return row.cells[0].rstrip().endswith((":", "="))
    known = (_MACCOR.fullmatch(cell.strip().rstrip(":")) is not None for cell in row.cells[:3])
    return next(known) and list(known) == [False, True]


def trace_names(preamble: Sequence[Record], axes: Sequence[int], width: int) -> tuple[str, ...] | None:
    """Return the names that a line of the preamble has for the columns, each above its own (Yokogawa, GW Instek)."""
    for row in preamble:
        if _TRACE_NAMES.match(row.cells[0].strip()) and all(at < len(row.cells) and row.cells[at] for at in axes):
            return ("", *(row.cells[at] if at in axes else "" for at in range(1, width)))
    return None


def ruled_names(preamble: Sequence[Record], width: int) -> tuple[str, ...] | None:
    """Return the names above a rule, between spaces where the rows have another delimiter (ngspice)."""
    if len(preamble) < 2 or width < 2 or not _RULE.match(preamble[-1].text):
        return None
    words = tuple(preamble[-2].text.split())
    named = len(words) == width == len(set(words)) and all(cells.kind(word) == "text" for word in words)
    return words if named else None


def beside(body: Sequence[Record], axes: Sequence[int]) -> tuple[dict[str, str], dict[int, str]]:
    """Return keys and values left of the data in the first rows (Tektronix TDS), and the units that they name.

    Each trace is two columns of values with its keys in the columns before them; a second trace's keys get a number.
    """
    said: dict[str, str] = {}
    found: dict[int, str] = {}
    begin = trace = 0
    for x, y in itertools.pairwise(axes):
        if y != x + 1 or x - begin < 2 or x < begin:
            continue
        trace += 1
        keyed = [row for row in body if len(row.cells) > y and row.cells[begin].strip()]
        if not keyed or len(keyed) * 2 > len(body) or keyed[-1] not in body[: 3 * len(keyed) + 8]:
            return {}, {}
        for row in keyed:
            key, value = row.cells[begin].strip(), row.cells[begin + 1].strip()
            said[key if key not in said else f"{key} ({trace})"] = value
            if (_X_UNIT.match(key) or _Y_UNIT.match(key)) and value:
                found[x if _X_UNIT.match(key) else y] = value
        begin = y + 1
    return said, found
