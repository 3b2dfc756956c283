"""Which character is the decimal mark. The wrong answer is a factor of a thousand, so a doubt is an error.

A point and a comma can both group thousands. Proof of a decimal comma is a number that a thousands mark could not
have made: `0,62`, `1,2345`. Where a table has only numbers such as `1,234`, either reading is possible, and no guess
is made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from bench.errors import ExportAmbiguous
from bench.readers import cells

_PLAIN_COMMA = cells.COMMA_NUMBER
_MIXED_COMMA = cells.COMMA_GROUPS
_DECISIVE = re.compile(r"^\s*[+-]?(?:0*,\d+|0\d*,\d+|\d+,(?:\d{1,2}|\d{4,})(?:[eE][+-]?\d+)?|\d{4,},\d+)\s*$")
_POINTED = r"^\s*[+-]?\d*\.\d+(?:[eE][+-]?\d+)?\s*$"


def decimal_mark(frame: pl.LazyFrame, columns: Sequence[str], head_cells: Sequence[str], path: Path) -> str:
    """Return "." or ",".

    Raises:
        ExportAmbiguous: every number with a comma could be one with grouped thousands as well.
    """
    numbers = [cell for cell in head_cells if cells.kind(cell) == "number"]
    commas = [cell for cell in numbers if "," in cell]
    if not commas:
        return "."
    if len(commas) == len([cell for cell in numbers if not cell.strip().lstrip("+-").isdigit()]) and any(
        _DECISIVE.match(cell) for cell in commas
    ):
        return ","  # no number in the head has a point, and some of the commas can only be decimal marks
    counted = _count(frame, columns)
    if counted["mixed_comma"] or counted["comma"] > counted["three"]:
        return "," if counted["comma"] + counted["mixed_comma"] > counted["pointed"] else "."
    if counted["pointed"] or counted["mixed_point"] or not counted["three"]:
        return "."
    sample = commas[0]
    bare = sample.strip().replace(",", "")
    raise ExportAmbiguous(
        f"a comma in a number can be read two ways here: {sample.strip()!r} as {sample.strip().replace(',', '.')} "
        f"(decimal comma) or as {bare} (thousands mark); all {counted['three']} numbers with a comma have exactly "
        "three digits behind it",
        file=path, hint="say which it is: --decimal , or --decimal .",
    )  # fmt: skip


def _count(frame: pl.LazyFrame, columns: Sequence[str]) -> dict[str, int]:
    patterns = {
        "comma": _PLAIN_COMMA, "three": cells.THREE_AFTER_COMMA, "mixed_comma": _MIXED_COMMA,
        "mixed_point": r"^\s*[+-]?\d{1,3}(?:,\d{3})+\.\d+\s*$|^\s*[+-]?\d{1,3}(?:,\d{3}){2,}\s*$", "pointed": _POINTED,
    }  # fmt: skip
    sums = [
        pl.sum_horizontal(pl.col(name).str.contains(pattern).sum() for name in columns).alias(what)
        for what, pattern in patterns.items()
    ]
    row = frame.select(sums).collect(engine="streaming").row(0, named=True)
    return {what: int(found or 0) for what, found in row.items()}
