"""What each row of a column says of its own unit: a unit column beside the values, or a unit inside each cell.

Cells of an autoranging meter carry their own prefix ("4.99V" above "4990mV"). Such a column gets a unit column of its
own, which no export has and no table keeps, so that both are judged by one path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from guards.cells import Cells, key
from guards.declared import Layout
from guards.kinds import Kind
from guards.quantities import cell_text, rkm_mark, unit_suffix
from guards.spelling import cell_unit, written_unit
from guards.units import Unit, parse_unit

OHM = parse_unit("ohm")


def units_of(name: str) -> str:
    """Name the column of units that stand inside a column's cells; the unit separator keeps it from every header."""
    return f"{name}\x1funit"


def carries_units(kind: Kind, stated: Unit | None) -> bool:
    """Whether the column's cells carry different units of one quantity, or some of them one that is not its own.

    `stated`: the unit that is said of the column apart from its cells.
    """
    units = {cell_unit(text, stated) for text in kind.suffixes} | ({OHM} if kind.marks else set())
    if None in units or len({unit.quantity for unit in units if unit}) > 1:
        return False
    return len(units) > 1 or (stated is not None and units != {stated} and 0 < kind.suffixed < kind.numbers)


def with_cell_units(
    frame: pl.LazyFrame, cells: Cells, layout: Layout, decimal: str, stated: Mapping[str, Unit]
) -> tuple[pl.LazyFrame, Cells]:
    """Return both tables with the unit column of each column whose cells carry different units.

    The value column of a long table has one as soon as any cell carries a unit: each measurement has its own.
    """
    found = [
        _unit_texts(name, kind, layout.unit_of(name), decimal).alias(units_of(name))
        for name, kind in cells.kinds.items()
        if kind.suffixes and (_is_long(name, layout) or carries_units(kind, stated.get(name)))
    ]
    if not found:
        return frame, cells
    frame = frame.with_columns(found)
    names = [unit.meta.output_name() for unit in found]
    read = frame.select(pl.col(name).cast(pl.Categorical).alias(key(name)) for name in names).collect()
    return frame, cells.beside(read)


def _is_long(name: str, layout: Layout) -> bool:
    return layout.unit_of(name) is not None or (name == layout.value and layout.measurement is not None)


def _unit_texts(name: str, kind: Kind, beside: str | None, decimal: str) -> pl.Expr:
    """Return the text of each cell's unit. Among resistor codes a number alone is in ohm, as the codes are.

    `beside`: the unit column. Where both say something else, so does the text, which is then no unit.
    """
    text = cell_text(pl.col(name), decimal)
    suffix = unit_suffix(text)
    if kind.marks:
        coded = suffix.is_null() | suffix.is_in(kind.marks) | rkm_mark(text).is_in(kind.marks)
        suffix = pl.when(coded & text.is_not_null()).then(pl.lit(OHM.symbol)).otherwise(suffix)
    if beside is None:
        return suffix
    other = pl.col(beside).str.strip_chars()
    both = pl.when(suffix == other).then(suffix).otherwise(suffix + pl.lit(" beside ") + other)
    return pl.coalesce(both, suffix, other)


MOST_NAMES = 20_000
"""More distinct texts than this name rows, not what they measure: judging each alone would take hours."""
_MOST_UNITS = 1_000


def with_known_units(layout: Layout, cells: Cells) -> Layout:
    """Return the layout without a column that only has the name of a unit or measurement column.

    A unit column has a unit in some cell, and no more spellings than there are; a measurement column repeats its names.
    Of several unit columns, one that has units says of the others what they are, so that words there are no units.
    """
    if layout.measurement and cells.get_column(key(layout.measurement)).n_unique() > MOST_NAMES:
        layout = replace(layout, measurement=None)
    known = {name for name in {layout.unit, *layout.pairs.values()} if name and _holds_units(name, cells)}
    unit = layout.unit if layout.unit in known else None
    return replace(layout, unit=unit, pairs=layout.pairs if known else {})


def _holds_units(name: str, cells: Cells) -> bool:
    texts = cells.get_column(key(name)).unique().cast(pl.String).drop_nulls()
    return texts.len() <= _MOST_UNITS and any(written_unit(text) for text in texts)
