"""The labels of a column and of its rows: what the export, the engineer and the board say of their units.

A label that is there and not understood is a problem of its own: the values are withheld, and never taken for the
board's unit.
"""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl

from guards.board import Board
from guards.cells import key
from guards.declared import ExportColumn, Label, Layout, labels_of
from guards.headers import header_unit
from guards.kinds import Kind
from guards.parts import Part
from guards.rows import OHM, units_of
from guards.spelling import PREFIX_MARKS, cell_unit, says_something, unread_unit, written_unit
from guards.units import Unit

_SENSING = re.compile(r"(?i)sens|wire|terminal|connect|mode")


def column_labels(column: ExportColumn, kind: Kind, board: Board | None) -> tuple[Label, ...]:
    """The labels of header, units row, preamble and profile, and the one unit that stands behind its numbers."""
    labels, stated = labels_of(column, board.columns.get(column.name) if board else None), stated_unit(column, board)
    wires = _counts_wires(column, kind)
    found = {unit: text for text in kind.suffixes if (unit := cell_unit(text, stated)) and not wires}
    if len(found) == 1:
        ((unit, text),) = found.items()
        if text in PREFIX_MARKS:  # it multiplies what the header says, and contradicts nothing
            return (Label(text, unit, "cells"), *(label for label in labels if label.source == "profile"))
        labels += (Label(text, unit, "cells"),)
    if kind.marks and not found:
        labels += (Label("/".join(kind.marks), OHM, "cells"),)
    return labels


def _counts_wires(column: ExportColumn, kind: Kind) -> bool:
    """Return whether cells say how many wires a meter senses with, `2W` and `4W`, and no power."""
    wires = set(kind.suffixes) == {"W"} and {kind.lower, kind.upper} <= {2.0, 4.0}
    return wires and _SENSING.search(column.text) is not None


def stated_unit(column: ExportColumn, board: Board | None) -> Unit | None:
    """Return the unit that is said of a column apart from its cells: the export's, else its node's."""
    labels = labels_of(column, board.columns.get(column.name) if board else None)
    node = board.claiming(column.name, None) if board else None
    return labels[-1 if labels[-1].source == "profile" else 0].unit if labels else node.unit if node else None


def with_one_unit(part: Part, kind: Kind, stated: Unit | None) -> Part:
    """Return the part with a problem where its cells say several units, or what cannot be understood."""
    units = {text: cell_unit(text, stated) for text in kind.suffixes}
    told = ", ".join(sorted(units))
    if None in units.values():
        beside = f", and the column is in {stated.words}" if stated else ""
        return replace(part, problem=part.problem or f"the cells say {told}{beside}: nothing tells what that means")
    if len(set(units.values())) < 2:
        return part
    return replace(part, problem=f"the cells carry different units: {told}")


def row_problem(part: Part, text: str | None, *, in_cells: bool) -> str | None:
    """Return why rows with this unit text cannot be judged, None where they can."""
    if in_cells and text and not any(label.source == "cells" for label in part.labels):
        return _not_known("the cells say", text)
    if in_cells:
        return None if part.labels else "cells without a unit stand beside cells with one"
    if text and part.declared and written_unit(text) is None and says_something(text):
        return _not_known("the unit column says", text)
    return None


def _not_known(who: str, text: str) -> str:
    return f"{who} {text!r}, which is no unit the guard knows"


def unread_problem(column: ExportColumn, part: Part) -> str | None:
    """Return the problem of a column that would get its node's unit although the file names one that is not known."""
    label = part.declared_label
    if label is None or label.source != "node":
        return None
    for what, text in (("units row", column.units_row), ("preamble", column.preamble)):
        if text and says_something(text):
            return _not_known(f"the {what} says", text.strip())
    found = unread_unit(column.text, label.unit)
    return _not_known("the header says", found) if found else None


def row_labels(
    column: ExportColumn, kind: Kind, board: Board | None, text: str | None, *, in_cells: bool
) -> tuple[Label, ...]:
    """Return the labels of rows. A unit that was written with each value says more than the one header over them."""
    unit = _row_unit(text, stated_unit(column, board), in_cells=in_cells)
    if text is not None and unit is not None and in_cells:
        return (Label(text, unit, "cells"),)  # the profile settles what says nothing itself
    if in_cells:
        return labels_of(column, board.columns.get(column.name) if board else None)
    labels = column_labels(column, kind, board)
    return labels if text is None or unit is None else (Label(text, unit, "unit column"), *labels)


def _row_unit(text: str | None, stated: Unit | None, *, in_cells: bool) -> Unit | None:
    if not text:
        return None
    return cell_unit(text, stated) if in_cells else written_unit(text)


def row_targets(
    cells: pl.DataFrame, column: ExportColumn, layout: Layout, board: Board | None
) -> dict[str | None, Unit]:
    """Return the one unit that each measurement's values shall stand in, where its row labels differ.

    The profile's where it settles one, else the header's, else the node's where labels differ, else the most frequent
    label: a correctly labelled mV column stays mV.
    """
    if not layout.unit:
        return {}
    header = header_unit(column.text)
    in_cells, stated = layout.unit == units_of(column.name), stated_unit(column, board)
    measurements = pl.col(key(layout.measurement)).cast(pl.String) if layout.measurement else pl.lit(None, pl.String)
    counted = cells.group_by(m=measurements, u=pl.col(key(layout.unit)).cast(pl.String)).len()
    labels: dict[str | None, list[Unit]] = {}
    for measurement, text, _ in counted.sort("len", "u", descending=[True, False]).iter_rows():
        if unit := _row_unit(text, stated, in_cells=in_cells):
            labels.setdefault(measurement, []).append(unit)
    settled = board.columns[column.name].unit if board and column.name in board.columns else None
    targets: dict[str | None, Unit] = {}
    for measurement, units in labels.items():
        node = board.claiming(column.name, measurement) if board else None
        if any(unit.quantity != units[0].quantity for unit in units):
            continue
        if settled and settled.quantity == units[0].quantity:
            targets[measurement] = settled
        elif header and header[2].quantity == units[0].quantity:
            targets[measurement] = header[2]
        elif len(set(units)) > 1 and node and node.quantity == units[0].quantity:
            targets[measurement] = node.unit
        else:
            targets[measurement] = units[0]
    return targets
