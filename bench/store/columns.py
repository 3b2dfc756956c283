"""Where a column of an export goes in a store's table: by name and unit, and by a type that loses nothing. Pure.

Years bring new columns, dropped ones, other types and other units. A column joins the store's column of its name where
the units agree (measurement by measurement, in a table that has those) and its values can be held there as they are;
else it gets a column of its own: `vout [mV]`, `vout (text)`. A column without any value agrees with everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

Units = Mapping[str | None, str | None]
"""The unit of each measurement; one entry under None where a column has no measurements."""
EXACT = 2**53  # beyond it a double holds only some integers
_WORDS = {"VARCHAR": "text", "BIGINT": "integer", "DOUBLE": "number", "BOOLEAN": "boolean", "TIMESTAMP": "time",
          "DATE": "date"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Extent:
    """What a column holds: how many values, and the largest magnitude of integers."""

    values: int
    magnitude: int = 0


@dataclass(frozen=True, slots=True)
class Incoming:
    """A column of an export. `type`: DuckDB's; `units`: of the values that are there."""

    name: str
    type: str
    units: Units
    extent: Extent


@dataclass(frozen=True, slots=True)
class Stored:
    """A column of a store's table. `source`: the name that exports give it."""

    name: str
    source: str
    type: str
    units: Units = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column goes. `new`: it has to be added; `widened`: its type has to be changed to this first.

    `units`: entries that the store did not have.
    """

    name: str
    stored: Stored
    new: bool = False
    widened: bool = False
    units: Units = field(default_factory=dict)


def place_all(
    incoming: Iterable[Incoming], stored: Sequence[Stored], extent_of: Callable[[Stored], Extent] | None
) -> list[Place]:
    """Return the place of each column, in order. `extent_of` is asked where types differ; None: no type changes."""
    known = list(stored)
    found: list[Place] = []
    for column in incoming:
        taken = {place.stored.name for place in found}
        place = _place(column, [each for each in known if each.name not in taken], extent_of)
        place = place or _new(column, {each.name.lower() for each in known})
        known = [each for each in known if each.name != place.stored.name] + [place.stored]
        found.append(place)
    return found


def _place(column: Incoming, stored: Sequence[Stored], extent_of: Callable[[Stored], Extent] | None) -> Place | None:
    for each in stored:
        if each.source.lower() == column.name.lower() and _agree(column.units, each.units):
            type_ = _common(column, each, extent_of)
            if type_ is not None:
                fresh = {key: unit for key, unit in column.units.items() if key not in each.units}
                kept = replace(each, type=type_, units={**each.units, **fresh})
                return Place(column.name, kept, widened=type_ != each.type, units=fresh)
    return None


def _agree(units: Units, others: Units) -> bool:
    if not units or not others:
        return True
    if (None in units) != (None in others):
        return len({*units.values(), *others.values()}) == 1
    return all(others.get(key, unit) == unit for key, unit in units.items())


def _common(column: Incoming, stored: Stored, extent_of: Callable[[Stored], Extent] | None) -> str | None:
    """Return the type that holds both without loss, None where there is none."""
    pair = (stored.type, column.type)
    unitless = not any((*column.units.values(), *stored.units.values()))
    if column.type == stored.type or not column.extent.values:
        return stored.type
    if pair == ("DOUBLE", "BIGINT") and column.extent.magnitude <= EXACT:
        return "DOUBLE"
    if pair == ("VARCHAR", "BIGINT") and unitless:
        return "VARCHAR"
    if extent_of is None:
        return None
    there = extent_of(stored)
    if not there.values or (pair == ("BIGINT", "DOUBLE") and there.magnitude <= EXACT):
        return column.type
    if pair == ("BIGINT", "VARCHAR") and unitless:
        return "VARCHAR"
    return None


def _new(column: Incoming, taken: set[str]) -> Place:
    stored = Stored(_free(column, taken), column.name, column.type, dict(column.units))
    return Place(column.name, stored, new=True, units=dict(column.units))


def _free(column: Incoming, taken: set[str]) -> str:
    units = {unit for unit in column.units.values() if unit is not None}
    labels = ["", *([f" [{', '.join(sorted(units))}]"] if units else []), f" ({_WORDS.get(column.type, column.type)})"]
    for label in labels:
        if (column.name + label).lower() not in taken:
            return column.name + label
    number = 2
    while (name := f"{column.name}{labels[-1]}_{number}").lower() in taken:
        number += 1
    return name
