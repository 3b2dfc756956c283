"""Which character is the decimal mark. The wrong answer is a factor of a thousand, so a doubt is an error.

A point and a comma can both group thousands. Proof of a decimal comma is a number that a thousands mark could not
have made: `0,62`, `1,2345`, `4 980,500`. Where a table has only numbers such as `1,234`, either reading is possible,
and no guess is made, unless the way in which dates are written tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from bench.errors import ExportAmbiguous
from bench.readers import cells
from bench.readers.head import Record

_PLAIN_COMMA = cells.COMMA_NUMBER
_MIXED_COMMA = cells.COMMA_GROUPS
_DECISIVE = re.compile(r"^\s*[+-]?(?:0*,\d+|0\d*,\d+|\d+,(?:\d{1,2}|\d{4,})(?:[eE][+-]?\d+)?|\d{4,},\d+)\s*$")
_SPACED_COMMA = r"^\s*[+-]?\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+,\d+\s*$"  # 4 980,5
_DOTTED_DATE = re.compile(r"(?:^|(?<=\s))(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.\d{4}(?=\s|$)")
_SPACED = re.compile(_SPACED_COMMA)
_POINTED = r"^\s*[+-]?\d*\.\d+(?:[eE][+-]?\d+)?\s*$"


def decimal_mark(
    frame: pl.LazyFrame, columns: Sequence[str], body: Sequence[Record], path: Path, *, complete: bool,
    date: str | None = None,
) -> tuple[str, str | None]:  # fmt: skip
    """Return "." or ",", and why where the numbers do not tell.

    `body` is the head of the rows; `complete` tells that there are no others. `date` is a date of the file by which a
    comma is the decimal mark (`dotted_date`).

    Raises:
        ExportAmbiguous: every number with a comma could be one with grouped thousands as well.
    """
    numbers = [cell for record in body for cell in record.cells if cells.kind(cell) == "number"]
    commas = [cell for cell in numbers if "," in cell]
    if not commas and (complete or any("." in cell for cell in numbers)):
        return ".", None
    broken = [cell for cell in numbers if not cell.strip().lstrip("+-").isdigit()]
    if len(commas) == len(broken) and any(_DECISIVE.match(cell) or _SPACED.match(cell) for cell in commas):
        return ",", None  # no number in the head has a point, and some of the commas can only be decimal marks
    counted = _count(frame, columns)
    grouped = counted["mixed_comma"] + counted["spaced_comma"]
    if grouped or counted["comma"] > counted["three"]:
        return ("," if counted["comma"] + grouped > counted["pointed"] else "."), None
    if counted["pointed"] or counted["mixed_point"] or not counted["three"]:
        return ".", None
    if date is not None:
        return ",", f"dates such as {date} between semicolons go with a decimal comma"
    raise _ambiguous(body, commas, counted["three"], path)


def dotted_date(records: Sequence[Record], delimiter: str) -> str | None:
    """Return a date such as 05.10.2026 among semicolons: who writes so writes a decimal comma, and groups by points."""
    if delimiter != ";":
        return None
    return next((found[0] for record in records for cell in record.cells if (found := _DOTTED_DATE.search(cell))), None)


def _ambiguous(body: Sequence[Record], commas: Sequence[str], count: int, path: Path) -> ExportAmbiguous:
    """Return the error that shows both readings of the first such number, and its line."""
    where = next((record for record in body if commas and commas[0] in record.cells), None)
    sample = commas[0].strip() if commas else "1,234"
    shown = "" if where is None else f"; the line {where.text.strip()[:_SHOWN]!r} reads " + " or ".join(
        " | ".join(_read(cell, mark) for cell in where.cells[:_CELLS]) + f" (--decimal {mark})" for mark in (",", ".")
    )  # fmt: skip
    return ExportAmbiguous(
        f"a comma in a number can be read two ways here: {sample!r} as {sample.replace(',', '.')} (decimal comma) or "
        f"as {sample.replace(',', '')} (thousands mark); all {count} numbers with a comma have exactly three digits "
        f"behind it{shown}",
        file=path,
        line=where.line if where else None,
        hint="say which it is: --decimal , or --decimal .",
    )


_SHOWN, _CELLS = 120, 12


def _read(cell: str, mark: str) -> str:
    """Return a cell of the sample line as it would be read."""
    text = cell.strip()
    return text.replace(",", "." if mark == "," else "") if cells.kind(text) == "number" else text


def _count(frame: pl.LazyFrame, columns: Sequence[str]) -> dict[str, int]:
    patterns = {
        "comma": _PLAIN_COMMA, "three": cells.THREE_AFTER_COMMA, "mixed_comma": _MIXED_COMMA,
        "spaced_comma": _SPACED_COMMA,
        "mixed_point": r"^\s*[+-]?\d{1,3}(?:,\d{3})+\.\d+\s*$|^\s*[+-]?\d{1,3}(?:,\d{3}){2,}\s*$", "pointed": _POINTED,
    }  # fmt: skip
    sums = [
        pl.sum_horizontal(pl.col(name).str.contains(pattern).sum() for name in columns).alias(what)
        for what, pattern in patterns.items()
    ]
    row = frame.select(sums).collect(engine="streaming").row(0, named=True)
    return {what: int(found or 0) for what, found in row.items()}
