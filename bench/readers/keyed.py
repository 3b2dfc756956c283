"""Keys and values above a small table (`Product,PSU-24`), which look like a table of two columns themselves.

They are told by the first column: words down to the names, each another one, and behind the names serials, numbers or
times of one form. What could be a table of its own (`Name,Value` above values) is not taken for keys.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.readers import cells, labels
from bench.readers.head import Record

_MOST_KEYS = 100
_FEWEST_KEYS = 2
_LOOKED_AT = 20  # rows below the names


def count_above(rows: Sequence[Record]) -> int:
    """Return how many of the first rows are titles or keys with values above a table, 0 where that is not sure."""
    keys: set[str] = set()
    for at, row in enumerate(rows[:_MOST_KEYS]):
        if at and _are_names(row) and _is_body(row, rows[at + 1 : at + 2 + _LOOKED_AT], keys):
            return at if _are_values(rows[:at], row) else 0
        key = row.cells[0].strip()
        if not row.width:
            continue
        if row.width > 2 or cells.kind(key) != "text" or key in keys:
            return 0
        keys.add(key)
    return 0


def _are_names(row: Record) -> bool:
    if labels.is_units(row):
        return False
    named = [cell.strip() for cell in row.cells[: row.width]]
    distinct = len(set(named)) == len(named) > 1
    return distinct and all(cells.kind(cell) == "text" for cell in named) and not any(map(str.isdigit, named[0]))


def _is_body(names: Record, below: Sequence[Record], keys: set[str]) -> bool:
    """Return whether rows stand below the names, each with a number, and none with a first cell such as a key."""
    if below and (labels.are_units_below(names, below[0]) or labels.is_units(below[0])):
        below = below[1:]
    body = below[:_LOOKED_AT]
    forms = {cells.form(row.cells[0]) for row in body}
    counted = len(forms) == 1 and any("9" in form for form in forms)
    timed = bool(body) and all(cells.kind(row.cells[0]) in ("number", "time") for row in body)
    full = all(row.width == names.width and any(map(_is_number, row.cells)) for row in body)
    return (counted or timed) and full and forms.isdisjoint(map(cells.form, keys))


def _is_number(cell: str) -> bool:
    return cells.kind(cell) == "number"


def _are_values(rows: Sequence[Record], names: Record) -> bool:
    """Return whether these are titles, or no names above values: the first has a digit, or a later one is a word."""
    values = [row.cells[1] for row in rows if row.width == 2]
    if not values:
        return True
    if any(map(labels.names_unit, values)) or not set(names.cells[: names.width]).isdisjoint(values):
        return False
    words = any(cells.kind(value) == "text" for value in values[1:])
    return len(values) >= _FEWEST_KEYS and (words or any(map(str.isdigit, values[0])))
