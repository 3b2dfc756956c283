"""What a node says of a column, in the unit that the corrected column holds: the lines that a plot is read against."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench import tables
from guards import Board, GuardError, parse_board
from guards.units import find_unit

if TYPE_CHECKING:
    from pathlib import Path

    from guards import ColumnReport
    from guards.board import Range
    from guards.units import Unit

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Ranges:
    """Lower and upper bound of each kind, None where there is none."""

    absolute: Bounds = (None, None)
    expected: Bounds = (None, None)
    limits: Bounds = (None, None)

    def edges(self) -> list[float]:
        """Return the bounds that values are read against; the absolute range is far off where all is well."""
        return [edge for pair in (self.limits, self.expected) for edge in pair if edge is not None]


def boards_in(database: Path) -> list[Board]:
    """Return the profiles that the database's tables were judged by; one that is no longer understood is left out."""
    with tables.explained(database), tables.open_database(database) as con:
        texts = [str(text) for (text,) in con.execute("SELECT text FROM guard.profile").fetchall()]
    found = []
    for text in texts:
        with suppress(GuardError, tomllib.TOMLDecodeError):
            found.append(parse_board(tomllib.loads(text), source="profile"))
    return found


def ranges_of(boards: Iterable[Board], column: ColumnReport) -> Ranges:
    """Return the ranges of the node that the column belongs to."""
    unit = find_unit(column.unit) if column.unit else None
    node = next((node for board in boards for node in board.nodes if node.name == column.node), None)
    if unit is None or node is None or unit.quantity != node.quantity:
        return Ranges()
    return Ranges(_in(node.absolute, unit), _in(node.expected, unit), _in(node.limits, unit))


def _in(found: Range | None, unit: Unit) -> Bounds:
    if found is None:
        return (None, None)
    lower, upper = (
        None if edge is None else float((edge - unit.offset) / unit.scale) for edge in (found.lower, found.upper)
    )
    return lower, upper
