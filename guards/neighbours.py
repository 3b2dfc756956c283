"""Which row checks a table offers for a part: what stands beside its values that can speak about their unit."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from guards.board import Board
from guards.candidates import Candidate, candidates
from guards.cells import Cells
from guards.checks import (
    IDENTITY_TOLERANCE,
    Check,
    contradicted,
    elapsed_time,
    identity,
    in_base,
    instrument_range,
    thermostat,
)
from guards.corrections import Ruling
from guards.declared import ExportColumn, is_range
from guards.headers import header_unit
from guards.identities import columns_of, parse_identity
from guards.parts import Part
from guards.quantities import finite
from guards.tally import value_of
from guards.units import Unit, conversion
from guards.witnesses import TOLERATED

_AMBIENT = re.compile(r"(?i)ambient|t_?amb|thermostat|chamber|oven|bath|setpoint")


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The columns of a table that can speak about others: `moments` (datetimes), and numbers with a unit that are
    instrument ranges or ambient temperatures. `judged` counts the judged columns of each quantity.
    """

    moments: tuple[str, ...]
    ranges: tuple[tuple[str, Unit], ...]
    ambients: tuple[tuple[str, Unit], ...]
    judged: Mapping[str, int]


def find_neighbours(columns: Sequence[ExportColumn], judged: Sequence[ExportColumn], cells: Cells) -> Neighbours:
    """Return the columns that can speak about others."""
    numeric = [(c, parsed[2]) for c in columns if cells.kinds[c.name].numeric and (parsed := header_unit(c.text))]
    counted = Counter(parsed[2].quantity for c in judged if (parsed := header_unit(c.text)))
    return Neighbours(
        moments=tuple(c.name for c in columns if cells.kinds[c.name].kind == "datetime"),
        ranges=tuple((c.name, unit) for c, unit in numeric if is_range(c)),
        ambients=tuple((c.name, unit) for c, unit in numeric if unit.quantity == "temperature" and _is_ambient(c.name)),
        judged=counted,
    )


def row_checks_for(part: Part, value: pl.Expr, beside: Neighbours) -> tuple[Check, ...]:
    """Return the checks that need nothing but the columns beside the part's values.

    A range column speaks about the one judged column of its quantity, or about the one that it names (vout_range_v).
    """
    if part.declared is None or part.problem or part.measurement is not None:
        return ()
    checks: list[Check] = []
    if part.quantity == "time":
        checks += [elapsed_time(value, pl.col(name), name) for name in beside.moments[:1]]
    for name, unit in beside.ranges:
        stem = part.column.split("_")[0].split(" ")[0].lower()
        belongs = beside.judged[unit.quantity] == 1 or name.lower().startswith(stem)
        if unit.quantity == part.quantity and name != part.column and belongs:
            checks.append(instrument_range(value, finite(pl.col(name)), unit, name))
    if part.quantity == "temperature" and not _is_ambient(part.column):
        for name, unit in beside.ambients:
            checks.append(thermostat(value, in_base(finite(pl.col(name)), candidates(unit)[0]), name))
    return tuple(checks)


def _is_ambient(name: str) -> bool:
    return bool(_AMBIENT.search(name))


def identity_checks(
    rulings: Mapping[str, tuple[Ruling, ...]], cells: Cells, board: Board | None
) -> dict[str, tuple[Part, tuple[Check, ...]]]:
    """Return, for each column of an identity that does not hold, its part with all its readings and the checks.

    Asked after every column has its first verdict, because a relation can only speak about one of its columns when the
    others are settled: each of them by a witness of its own makes the check hard, none of them refused makes it soft.
    An identity that holds in nine rows of ten contradicts nothing, and costs one pass.
    """
    whole = {name: found[0] for name, found in rulings.items() if len(found) == 1 and not found[0].rows}
    found: dict[str, list[Check]] = {}
    for relation, tolerance, names in [*_written(whole, board), *_power(whole)]:
        values = {role: _value(whole[name]) for role, name in names.items()}
        if _holds(relation, tolerance, values, cells):
            continue
        for role, name in names.items():
            others = {other: whole[n] for other, n in names.items() if other != role}
            if _settled(others):
                hard = all(_supported(ruling) for ruling in others.values())
                rest = {other: values[other] for other in others}
                check = identity(relation, tolerance, role, rest, _own(whole[name].part), hard=hard)
                found.setdefault(name, []).append(check)
    return {name: (with_all_readings(whole[name].part), tuple(checks)) for name, checks in found.items()}


Relation = tuple[ast.Compare, float | None, Mapping[str, str]]


def _written(whole: Mapping[str, Ruling], board: Board | None) -> Iterator[Relation]:
    """The board's identities whose columns this table has, in the units of its headers."""
    for item in board.identities if board else ():
        relation = parse_identity(item.expression)
        if columns_of(relation) <= set(whole):
            yield relation, item.tolerance, {name: name for name in sorted(columns_of(relation))}


def _power(whole: Mapping[str, Ruling]) -> Iterator[Relation]:
    """P = V·I, built in where a table has exactly one column of each."""
    by_quantity: dict[str, list[str]] = {}
    for name, ruling in whole.items():
        if ruling.part.quantity in ("power", "voltage", "current"):
            by_quantity.setdefault(ruling.part.quantity, []).append(name)
    if len(by_quantity) == len(_POWER_UNITS) and all(len(names) == 1 for names in by_quantity.values()):
        names = {quantity: found[0] for quantity, found in by_quantity.items()}
        units = [whole[name].target for name in names.values()]
        scale = {q: float(u.scale) if u else 1.0 for q, u in zip(names, units, strict=True)}
        factor = scale["voltage"] * scale["current"] / scale["power"]
        yield parse_identity(f"power == voltage * current * {factor!r}"), IDENTITY_TOLERANCE, names


_POWER_UNITS = ("power", "voltage", "current")


def _holds(relation: ast.Compare, tolerance: float | None, values: Mapping[str, pl.Expr], cells: Cells) -> bool:
    every = max(1, -(-cells.rows // SAMPLE_ROWS))
    sample = cells.frame.gather_every(every)
    missed = sample.select(contradicted(relation, tolerance, values).sum()).item()
    return bool(missed <= TOLERATED * sample.height)


SAMPLE_ROWS = 200_000
"""Evenly spaced rows that an identity is asked on first: enough to see one row in ten."""


def _settled(others: Mapping[str, Ruling]) -> bool:
    return all(ruling.decision.verdict != "refused" and ruling.part.declared for ruling in others.values())


def _supported(ruling: Ruling) -> bool:
    """Whether a witness that knows where this node normally is supports the unit that was found."""
    unit = ruling.decision.resolved
    labels = {reading.label for reading in ruling.part.readings if reading.unit == unit}
    named = any(w.supports and w.candidate in labels and w.name != "absolute range" for w in ruling.decision.witnesses)
    return ruling.decision.verdict in ("kept", "corrected") and (named or ruling.decision.rule in ("s", "b"))


def with_all_readings(part: Part) -> Part:
    """Return the part with every reading of its unit, where only the declared one was left."""
    if len(part.readings) > 1 or part.declared is None:
        return part
    return replace(part, readings=candidates(part.declared, offsets=part.word.offsets))


def _value(ruling: Ruling) -> pl.Expr:
    """The values in the header's unit as they stand after the first verdict; as declared where that was a refusal."""
    value = value_of(ruling.part)
    if ruling.decision.resolved is None or ruling.target is None:
        return value
    factor, offset = conversion(ruling.decision.resolved, ruling.target)
    return value if factor == 1 and not offset else value * float(factor) + float(offset)


def _own(part: Part) -> Callable[[Candidate], pl.Expr]:
    def under(reading: Candidate) -> pl.Expr:
        assert part.target is not None
        if not reading.affine or reading.unit.quantity != part.target.quantity:
            return pl.lit(None, pl.Float64)
        factor = reading.unit.scale / part.target.scale
        offset = (reading.unit.offset - part.target.offset) / part.target.scale
        return value_of(part) * float(factor) + float(offset)

    return under
