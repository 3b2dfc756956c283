"""Several columns of units: each is about the column of numbers just left of it.

    Value,Unit,Limit,Unit        Aux #1, Units,Aux #2, Units

One column of units belongs to the value nearest to its left, wherever it stands (declared.py). Several would be
taken for the first value's all of them, were they not told apart by their place.

Limits with a unit of their own are compared through it, where it is not only the values' own label again: who labels
a value wrongly labels its limits so as well.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from guards.cells import Cells, key
from guards.declared import Layout
from guards.headers import header_unit
from guards.parts import Part
from guards.spelling import written_unit
from guards.units import Unit


def limits_of(part: Part, layout: Layout, cells: Cells) -> tuple[str | None, str | None, Unit | None]:
    """Return the limit columns that can speak about a part's values, and their unit where it is known apart from these.

    The unit is the profile's, or that of their own header, or that of their own unit column.
    """
    if part.word.limits_unit:
        return layout.lower, layout.upper, part.word.limits_unit
    for name in (layout.lower, layout.upper):
        parsed = header_unit(name) if name else None
        if parsed and part.declared and parsed[2].quantity == part.declared.quantity:
            return layout.lower, layout.upper, parsed[2]
    own = [layout.pairs[name] for name in (layout.lower, layout.upper) if name is not None and name in layout.pairs]
    if not own or all(_same(name, layout.unit, cells) for name in own):
        return layout.lower, layout.upper, None
    units = {unit for name in own for unit in _units(name, cells)}
    unit = units.pop() if len(units) == 1 else None
    known = unit is not None and part.declared is not None and unit.quantity == part.declared.quantity
    return (layout.lower, layout.upper, unit) if known else (None, None, None)


def _same(name: str, other: str | None, cells: Cells) -> bool:
    """Return whether two columns of units hold the same text wherever both hold one."""
    if other is None or name == other:
        return other is not None
    first, second = (cells.get_column(key(each)).cast(pl.String).str.strip_chars() for each in (name, other))
    return bool((first == second).fill_null(value=True).all())


def _units(name: str, cells: Cells) -> Collection[Unit | None]:
    texts = cells.get_column(key(name)).unique().cast(pl.String).drop_nulls()
    return {written_unit(text) for text in texts}
