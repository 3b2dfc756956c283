"""Rows that begin with a number of their own, which the header has no name for: R and pandas write them so.

    "serial","vout","iout"            serial  vout  iout
    "1","SN1",4.993,0.5            0     SN1  4.99   0.5

Read from the left, every value would stand under its neighbour's name. Where the numbers are quoted and others are
not, where blanks separate, or where a name with a unit would stand over words, that is sure. Where it is not, and the
first name is none that counts (`Scan`, `Board`) or words stand behind it, both readings are shown and none is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from bench.errors import ExportAmbiguous
from bench.readers import cells, labels
from bench.readers.head import Record

_FEWEST = 2  # rows, and names
_COUNTS = re.compile(
    r"(?i)^\W*(?:no|nr|num(?:ber)?|ind(?:ex|ice)|idx|samples?|points?|pt|pos(?:ition)?|rec(?:ord)?|rows?|scan|reading|step"
    r"|cycle|count|seq(?:uence)?|id|n|i|x|t|time|sec(?:onds?)?|s|ms|elapsed|zeit|ch(?:annel)?|frame|shot|trigger|loop|run"
    r"|serial|sn|unit|dut|uut|test|board|lot|panel|site|slot|socket|part|cell|item|pin|day|data[ _]?point|lfd)(?![a-z])"
)


def alignment(names: Record, body: Sequence[Record], delimiter: str) -> Literal["left", "right", "unsure"]:
    """Return whether names stand over the first columns, or over the last, each row's own number having no name."""
    rows = [row for row in body if row.width == names.width + 1]
    if names.width < _FEWEST or not all(map(str.strip, names.cells[: names.width])):
        return "left"
    if len(rows) < _FEWEST or len(rows) < len(body):
        return "left"
    if _are_quoted(names, rows):
        return "right"
    if not _counts([row.cells[0].strip() for row in rows]):
        printed = delimiter == " " and all(row.cells[0].isdecimal() for row in rows)
        return "unsure" if (printed or _are_words(rows)) and not _COUNTS.match(names.cells[0]) else "left"
    if delimiter == " " or _clashes(names, rows):
        return "right"
    worded = any(cells.kind(row.cells[at]) == "text" for row in rows for at in range(1, names.width))
    return "left" if _COUNTS.match(names.cells[0]) and not worded else "unsure"


def _counts(first: Sequence[str]) -> bool:
    if not all(cell.isdecimal() for cell in first) or first[0] not in ("0", "1"):
        return False
    begin = int(first[0])
    return [int(cell) for cell in first] == list(range(begin, begin + len(first)))


def _are_quoted(names: Record, rows: Sequence[Record]) -> bool:
    """Return whether what each row begins with is quoted as the names are, and nothing else but words: R writes the
    names of rows so, whether they count, are what a filter left of a count, or are words.
    """
    first = [row.cells[0] for row in rows]
    quoted = all(row.text.startswith(f'"{cell}"') for row, cell in zip(rows, first, strict=True))
    named = all(f'"{name}"' in names.text for name in names.cells[: names.width])
    bare = [cell for cell in rows[0].cells[1:] if cells.kind(cell) == "number" and f'"{cell}"' not in rows[0].text]
    words = any(cells.kind(cell) == "text" for cell in first) and len(bare) < rows[0].width - 1
    return quoted and named and bool(bare) and len(set(first)) == len(first) and not words


def _are_words(rows: Sequence[Record]) -> bool:
    """Return whether each row begins with a word of its own, and numbers alone follow."""
    first = [row.cells[0].strip() for row in rows]
    others = [cell for row in rows for cell in row.cells[1:]]
    words = all(cells.kind(cell) == "text" for cell in first) and len(set(first)) == len(first)
    return words and all(cells.kind(cell) == "number" for cell in others)


def _clashes(names: Record, rows: Sequence[Record]) -> bool:
    """Return whether a name with a unit would stand over words from the left, and none does from the right."""
    united = [at for at in range(names.width) if labels.names_unit(names.cells[at])]
    words = [at for at in range(names.width + 1) if all(cells.kind(row.cells[at]) == "text" for row in rows)]
    return any(at in words for at in united) and not any(at + 1 in words for at in united)


def ambiguous(names: Record, row: Record, path: Path) -> ExportAmbiguous:
    """Return the error that shows both readings."""
    last = names.cells[names.width - 1].strip()
    left, right = row.cells[names.width - 1].strip(), row.cells[names.width].strip()
    return ExportAmbiguous(
        f"its rows have one field more than the {names.width} names, and begin with numbers that count: the first row's"
        f" {last} is {left!r} if the last field has no name, and {right!r} if the first has none",
        file=path, line=names.line,
        hint="give each column a name, or say --header-rows 1 if the last field is the one without.",
    )  # fmt: skip
