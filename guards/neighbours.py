"""Which row checks a table offers for a part: what stands beside its values that can speak about their unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from guards.board import Board
from guards.candidates import Candidate, candidates
from guards.cells import Cells
from guards.checks import IDENTITY_TOLERANCE, Check, elapsed_time, identity, in_base, instrument_range, thermostat
from guards.corrections import Ruling
from guards.declared import ExportColumn, header_unit, is_range
from guards.identities import columns_of, parse_identity
from guards.parts import Part
from guards.quantities import finite
from guards.tally import value_of
from guards.units import conversion

_AMBIENT = re.compile(r"(?i)ambient|tamb|thermostat|chamber|oven|bath|setpoint")
_POWER = "power == voltage * current"


def row_checks_for(part: Part, value: pl.Expr, cells: Cells, columns: Sequence[ExportColumn]) -> tuple[Check, ...]:
    """Return the checks that need nothing but the columns beside the part's values."""
    if part.declared is None or part.problem or part.measurement is not None:
        return ()
    checks: list[Check] = []
    if part.quantity == "time":
        moments = [c.name for c in columns if cells.kinds[c.name].kind == "datetime"]
        checks += [elapsed_time(value, pl.col(name), name) for name in moments[:1]]
    for column in columns:
        if column.name == part.column or not cells.kinds[column.name].numeric:
            continue
        parsed = header_unit(column.text)
        if parsed is None or parsed[2].quantity != part.quantity:
            continue
        if is_range(column):
            checks.append(instrument_range(value, finite(pl.col(column.name)), parsed[2], column.name))
        elif part.quantity == "temperature" and _AMBIENT.search(column.text) and not _AMBIENT.search(part.column):
            unit = candidates(parsed[2])[0]
            checks.append(thermostat(value, in_base(finite(pl.col(column.name)), unit), column.name))
    return tuple(checks)


def identity_checks(
    rulings: Mapping[str, tuple[Ruling, ...]], board: Board | None
) -> dict[str, tuple[Part, tuple[Check, ...]]]:
    """Return, for each column that an identity relates, its part with all its readings and the checks.

    Asked after every column has its first verdict, because a relation can only speak about one of its columns when the
    others are settled: each of them by a witness of its own makes the check hard, none of them refused makes it soft.
    """
    whole = {name: found[0] for name, found in rulings.items() if len(found) == 1 and not found[0].rows}
    found: dict[str, list[Check]] = {}
    for item in board.identities if board else ():
        relation = parse_identity(item.expression)
        if columns_of(relation) <= set(whole):
            for name in columns_of(relation):
                others = {other: whole[other] for other in columns_of(relation) if other != name}
                if _settled(others):
                    values = {other: _in_header_unit(ruling) for other, ruling in others.items()}
                    own = _own(whole[name].part)
                    hard = all(_supported(ruling) for ruling in others.values())
                    found.setdefault(name, []).append(identity(relation, item.tolerance, name, values, own, hard=hard))
    for name, check in _power(whole):
        found.setdefault(name, []).append(check)
    return {name: (_with_all_readings(whole[name].part), tuple(checks)) for name, checks in found.items()}


def _settled(others: Mapping[str, Ruling]) -> bool:
    return all(ruling.decision.verdict != "refused" and ruling.part.declared for ruling in others.values())


def _supported(ruling: Ruling) -> bool:
    """Whether a witness that knows where this node normally is supports the unit that was found."""
    unit = ruling.decision.resolved
    labels = {reading.label for reading in ruling.part.readings if reading.unit == unit}
    named = any(w.supports and w.candidate in labels and w.name != "absolute range" for w in ruling.decision.witnesses)
    return ruling.decision.verdict in ("kept", "corrected") and (named or ruling.decision.rule in ("s", "b"))


def _with_all_readings(part: Part) -> Part:
    if len(part.readings) > 1 or part.declared is None:
        return part
    return replace(part, readings=candidates(part.declared, offsets=part.word.offsets))


def _in_header_unit(ruling: Ruling) -> pl.Expr:
    value = value_of(ruling.part)
    if ruling.decision.resolved is None or ruling.target is None:
        return value
    factor, offset = conversion(ruling.decision.resolved, ruling.target)
    return value * float(factor) + float(offset)


def _own(part: Part) -> Callable[[Candidate], pl.Expr]:
    def under(reading: Candidate) -> pl.Expr:
        assert part.target is not None
        if not reading.affine or reading.unit.quantity != part.target.quantity:
            return pl.lit(None, pl.Float64)
        factor = reading.unit.scale / part.target.scale
        offset = (reading.unit.offset - part.target.offset) / part.target.scale
        return value_of(part) * float(factor) + float(offset)

    return under


def _power(whole: Mapping[str, Ruling]) -> list[tuple[str, Check]]:
    """P = V·I where a table has exactly one column of each: built in, in base units."""
    by_quantity: dict[str, list[str]] = {}
    for name, ruling in whole.items():
        if ruling.part.quantity in ("power", "voltage", "current"):
            by_quantity.setdefault(ruling.part.quantity, []).append(name)
    if sorted(by_quantity) != ["current", "power", "voltage"] or any(len(names) > 1 for names in by_quantity.values()):
        return []
    names = {quantity: found[0] for quantity, found in by_quantity.items()}
    relation = parse_identity(_POWER)
    checks = []
    for quantity, name in names.items():
        others = {q: whole[n] for q, n in names.items() if q != quantity}
        if not _settled(others):
            continue
        values = {q: _in_base_unit(ruling) for q, ruling in others.items()}
        part = whole[name].part
        hard = all(_supported(ruling) for ruling in others.values())
        own = _own_base(part)
        checks.append((name, identity(relation, IDENTITY_TOLERANCE, quantity, values, own, hard=hard)))
    return checks


def _in_base_unit(ruling: Ruling) -> pl.Expr:
    unit = ruling.decision.resolved or ruling.part.declared
    assert unit is not None
    return value_of(ruling.part) * float(unit.scale)


def _own_base(part: Part) -> Callable[[Candidate], pl.Expr]:
    return lambda reading: in_base(value_of(part), reading) if reading.affine else pl.lit(None, pl.Float64)
