"""What each row of a column says of its own unit: a unit column beside the values, or a unit inside each cell.

Cells of an autoranging meter carry their own prefix ("4.99V" above "4990mV"). Such a column gets a unit column of its
own, which no export has and no table keeps, so that both are judged by one path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from guards.cells import Cells, Kind, key
from guards.declared import Layout
from guards.quantities import cell_text, unit_suffix
from guards.spelling import cell_unit, written_unit
from guards.units import Unit


def units_of(name: str) -> str:
    """Name the column of units that stand inside a column's cells; the unit separator keeps it from every header."""
    return f"{name}\x1funit"


def carries_units(kind: Kind, stated: Unit | None) -> bool:
    """Whether the column's cells carry different units of one quantity, or some of them one that is not its own.

    `stated`: the unit that is said of the column apart from its cells.
    """
    units = {cell_unit(text, stated) for text in kind.suffixes}
    if None in units or len({unit.quantity for unit in units if unit}) > 1:
        return False
    return len(units) > 1 or (stated is not None and units != {stated} and 0 < kind.suffixed < kind.numbers)


def with_cell_units(
    frame: pl.LazyFrame, cells: Cells, layout: Layout, decimal: str, stated: Mapping[str, Unit]
) -> tuple[pl.LazyFrame, Cells]:
    """Return both tables with the unit column of each column whose cells carry different units.

    Where rows have a unit column already, the two kinds of label are not compared: such a value column stays refused.
    """
    found = [
        unit_suffix(cell_text(pl.col(name), decimal)).alias(units_of(name))
        for name, kind in cells.kinds.items()
        if kind.suffixes and carries_units(kind, stated.get(name)) and not (name == layout.value and layout.unit)
    ]
    if not found:
        return frame, cells
    frame = frame.with_columns(found)
    names = [unit.meta.output_name() for unit in found]
    read = frame.select(pl.col(name).cast(pl.Categorical).alias(key(name)) for name in names).collect()
    return frame, cells.beside(read)


MOST_NAMES = 20_000
"""More distinct texts than this name rows, not what they measure: judging each alone would take hours."""
_MOST_UNITS = 1_000


def with_known_units(layout: Layout, cells: Cells) -> Layout:
    """Return the layout without a column that only has the name of a unit or measurement column.

    A unit column has a unit in some cell, and no more spellings than there are; a measurement column repeats its names.
    """
    if layout.measurement and cells.get_column(key(layout.measurement)).n_unique() > MOST_NAMES:
        layout = replace(layout, measurement=None)
    if layout.unit is None:
        return layout
    texts = cells.get_column(key(layout.unit)).unique().cast(pl.String).drop_nulls()
    known = texts.len() <= _MOST_UNITS and any(written_unit(text) for text in texts)
    return layout if known else replace(layout, unit=None)
