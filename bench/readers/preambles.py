"""What stands above the table: keys and values, and the units that they name for the columns below."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bench.readers.head import Record

_X_UNIT = re.compile(r"(?i)^(?:horizontal|x)[ _]?units?$")
_Y_UNIT = re.compile(r"(?i)^(?:vertical|y)[ _]?units?$")
_NAMED_UNIT = re.compile(r"(?i)^(?:units?[ _](?:of )?(?P<after>.+)|(?P<before>.+?)[ _](?:units?|vertical units?))$")


_BY_CHANNEL = re.compile(r"(\w+):([^\s,]+)")


def units(said: Mapping[str, str], columns: Sequence[str], axes: Sequence[int]) -> dict[str, str]:
    """Return column -> unit; `axes` are the positions of the columns that hold values.

    A scope's vertical unit belongs to the first channel, because it is given for one trace only, unless it names its
    channels (`CH1:V,CH2:A`).
    """
    found: dict[str, str] = {}
    values = [columns[at] for at in axes if at < len(columns)]
    by_name = {column.strip().lower(): column for column in columns}
    for key, value in said.items():
        unit = value.strip()
        if not unit or len(unit) > 24:
            continue
        if _X_UNIT.match(key) and values:
            found.setdefault(values[0], unit)
        elif _Y_UNIT.match(key) and len(values) > 1:
            named = {channel.lower(): each for channel, each in _BY_CHANNEL.findall(unit)}
            for channel, each in named.items():
                if channel in by_name:
                    found.setdefault(by_name[channel], each)
            if not named:
                found.setdefault(values[1], unit.split(",")[0].strip())
        elif about := _NAMED_UNIT.match(key):
            column = by_name.get((about["after"] or about["before"] or "").strip().lower())
            if column is not None:
                found.setdefault(column, unit)
    return found


def metadata(preamble: Sequence[Record]) -> dict[str, str]:
    """Return a preamble's keys and values; a line without a key is kept under its line number."""
    found: dict[str, str] = {}
    for row in preamble:
        for key, value in _pairs(row) or [_key_value(row)]:
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


def _key_value(row: Record) -> tuple[str, str]:
    filled = [cell.strip() for cell in row.cells]
    while filled and not filled[-1]:
        filled.pop()
    text = row.text.strip().lstrip("#%!/ ").strip()
    if len(filled) > 1 or (filled and len(row.cells) > 1):
        key = filled[0].lstrip("#%! ").rstrip(":= ")
        return key or f"line {row.line}", ", ".join(cell for cell in filled[1:] if cell)
    for mark in (":", "="):
        key, found, value = text.partition(mark)
        if found and key.strip() and len(key) < 60:
            return key.strip(), value.strip()
    return f"line {row.line}", text


def is_key_value(row: Record) -> bool:
    """Return whether a line is a key and its value, told by the mark behind the key."""
    return row.width <= 2 and row.cells[0].rstrip().endswith((":", "="))


def beside(body: Sequence[Record], first_value: int) -> dict[str, str]:
    """Return keys and values that stand in the first columns of the first rows, left of the data (Tektronix TDS).

    `first_value` is the position of the first column that holds values.
    """
    if first_value < 2:
        return {}
    keyed = [row for row in body if row.cells[0].strip() and len(row.cells) > 1]
    if not keyed or len(keyed) * 2 > len(body) or keyed[-1].line > body[len(keyed) - 1].line:
        return {}
    return {row.cells[0].strip(): row.cells[1].strip() for row in keyed}
