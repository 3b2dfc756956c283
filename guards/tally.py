"""Counting, for each part and each reading of it, the rows that speak for or against.

Every reading's range is turned into an interval of raw values once, exactly, so that a row costs two comparisons a
reading and no conversion. Counts are taken by segment where the table has segments and added up for the whole, so that
a column which splits by fixture needs no second pass.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import polars as pl

from guards.board import Range
from guards.candidates import Candidate
from guards.cells import Cells, key
from guards.checks import Check, inside_limits
from guards.parts import OPEN_SENSOR, Part
from guards.quantities import finite
from guards.units import Unit

LIMIT_SCALES = (-9, -6, -3, 0, 3, 6, 9)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a part's rows have their values and what stands beside them, as expressions over the frame of `Cells`.

    `lower` and `upper` are the row's own limits as written; `limits_unit` their unit where it is known apart from the
    values. `checks` are the row checks that can be asked of these rows.
    """

    value: pl.Expr
    passed: pl.Expr | None = None
    lower: pl.Expr | None = None
    upper: pl.Expr | None = None
    limits_unit: Unit | None = None
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """What one row check counted: of `rows` that it could be asked in, how many fit each reading."""

    check: Check
    rows: int
    fits: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts for one part (or one segment of it). Sequences are by reading, the declared one first.

    `judged`: finite values that are not zero; `explained`: of those, in an expected range; `outside`: of those,
    outside the absolute range; `only_declared` and `only_rival`: explained by the declared reading and no automatic
    rival, and by this reading and not the declared one; `log_declared` and `log_rival`: sums of log10 of those raw
    values' sizes; `log_size`: its mean over all judged; `any_automatic`: explained by any automatic reading;
    `elsewhere`: in the expected range of another node as declared; `agree`: rows whose result agrees with known
    limits, of `results`, of which `passes` passed, `passed_inside` of them inside the limits; `in_limits`: rows inside
    their own two-sided limits of unknown unit when scaled by 10**LIMIT_SCALES, of `limited`. `lower` and `upper` are
    the extremes of the raw values, `smallest` the least size of a judged one.
    """

    judged: int
    readings: int
    lower: float | None
    upper: float | None
    smallest: float | None
    explained: tuple[int, ...]
    outside: tuple[int, ...]
    only_rival: tuple[int, ...]
    only_declared: int
    log_rival: tuple[float, ...]
    log_declared: float
    log_size: float
    any_automatic: int
    elsewhere: int
    results: int
    passes: int
    agree: tuple[int, ...]
    passed_inside: tuple[int, ...]
    limited: int
    in_limits: tuple[int, ...]
    checks: tuple[Checked, ...] = ()


def readings_of(part: Part, value: pl.Expr) -> pl.Expr:
    """Return the values that are readings: overflow codes, sentinels and open sensors are null."""
    value = finite(value, part.sentinel_numbers)
    if part.quantity == "temperature":
        value = pl.when(~value.is_between(*OPEN_SENSOR)).then(value)
    return value


def value_of(part: Part) -> pl.Expr:
    """Return the part's raw readings over the cells."""
    return readings_of(part, pl.col(part.column))


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted for one part, by group: the group columns' values, and the counts that `read_tally` adds up."""

    groups: tuple[dict[str, str | None], ...]
    rows: tuple[dict[str, float | None], ...]

    def values(self, group: str) -> list[str | None]:
        """Return the values of a group column, in order."""
        return list(dict.fromkeys(found[group] for found in self.groups))

    def where(self, group: str, value: str | None) -> Counts:
        """Return the counts of the rows whose group column has this value."""
        kept = [i for i, found in enumerate(self.groups) if found[group] == value]
        return Counts(tuple(self.groups[i] for i in kept), tuple(self.rows[i] for i in kept))


_IN_MEMORY_ROWS = 200_000
"""Below this the streaming engine's set-up costs more than it saves."""
PARTS_A_PASS = 32
"""How many parts are counted in one pass: what a query costs to plan grows faster than its expressions."""


def tally_each(
    frames: Sequence[pl.DataFrame | Cells], parts: Sequence[tuple[Part, Evidence]], groups: Sequence[str]
) -> list[Counts]:
    """Return the counts for each part in its frame, by group (one group of all rows where `groups` is empty)."""
    alike = _alike(frames, parts)
    found = {at: counts for same in alike for at, counts in _stacked(frames, parts, same, groups)}
    rest = [at for at in range(len(parts)) if at not in found]
    start = 0
    while start < len(rest):
        frame = frames[rest[start]]
        some = [at for at in rest[start : start + PARTS_A_PASS] if frames[at] is frame]
        found |= zip(some, _tally(frame, [parts[at] for at in some], groups), strict=True)
        start += len(some)
    return [found[at] for at in range(len(parts))]


_STACKED = "\x1fstacked"
_PART = "\x1fpart"
_FEWEST_ALIKE = 8
_STACKED_CELLS = 4_000_000


def _alike(frames: Sequence[pl.DataFrame | Cells], parts: Sequence[tuple[Part, Evidence]]) -> list[list[int]]:
    """Return the positions of parts in few rows that are asked the very same things."""
    found: dict[object, list[int]] = {}
    for at, (part, evidence) in enumerate(parts):
        if frames[at].height <= _IN_MEMORY_ROWS and not evidence.checks:
            limits = part.node.limits if part.node else None
            asked = (part.readings, part.expected, part.absolute, part.quantity, part.sentinel_numbers, limits)
            found.setdefault((asked, tuple(_beside(evidence)), evidence.limits_unit), []).append(at)
    return [same for same in found.values() if len(same) >= _FEWEST_ALIKE]


def _beside(evidence: Evidence) -> list[str]:
    """Return the names of the limit and result columns, each prefixed with what it is."""
    known = {"lower": evidence.lower, "upper": evidence.upper, "passed": evidence.passed}
    return [f"{what}\x1f{name}" for what, e in known.items() if e is not None for name in e.meta.root_names()]


def _stacked(
    frames: Sequence[pl.DataFrame | Cells],
    parts: Sequence[tuple[Part, Evidence]],
    same: Sequence[int],
    groups: Sequence[str],
) -> Iterator[tuple[int, Counts]]:
    """Count parts that are alike as one column, one below the other: one query whatever their number."""
    first, evidence = parts[same[0]]
    part = replace(first, column=_STACKED)
    keys = [key(name) for name in groups]
    asked = _aggregates(part, evidence, pl.col("\x1fvalue"))
    aggregates = [expression.alias(name) for name, expression in asked.items()]
    taken = [*keys, *dict.fromkeys(name.split("\x1f", 1)[1] for name in _beside(evidence))]
    step = max(1, _STACKED_CELLS // max(1, *(frames[at].height for at in same)))
    for start in range(0, len(same), step):
        some = same[start : start + step]
        pieces = [_piece(frames[at], taken, parts[at][0].column) for at in some]
        ids = pl.DataFrame({_PART: some, "n": [piece.height for piece in pieces]}, schema_overrides={_PART: pl.Int32})
        whose = ids.select(pl.col(_PART).repeat_by("n").explode()).to_series()
        whole = pl.concat(pieces, rechunk=False).with_columns(whose)
        stacked = whole.lazy().with_columns(value_of(part).alias("\x1fvalue"))
        counted = stacked.group_by(_PART, *keys).agg(aggregates).collect()
        rows = counted.with_columns(pl.col(keys).cast(pl.String)).sort(_PART, *keys).to_dicts()
        by_part: dict[int, list[dict[str, Any]]] = {}
        for row in rows:
            by_part.setdefault(row[_PART], []).append(row)
        for at in some:
            own = by_part.get(at, [])
            named = tuple({name: row[key(name)] for name in groups} for row in own)
            yield at, Counts(named, tuple({name: row[name] for name in asked} for row in own))


def _piece(frame: pl.DataFrame | Cells, taken: Sequence[str], column: str) -> pl.DataFrame:
    """Return columns of a frame as they are: a query for each part would cost more than its counting."""
    return pl.DataFrame([*(frame.get_column(name) for name in taken), frame.get_column(column).alias(_STACKED)])


def _tally(frame: pl.DataFrame | Cells, parts: Sequence[tuple[Part, Evidence]], groups: Sequence[str]) -> list[Counts]:
    values = [evidence.value.alias(f"\x1fvalue{i}") for i, (_, evidence) in enumerate(parts)]
    asked = [_aggregates(part, evidence, pl.col(f"\x1fvalue{i}")) for i, (part, evidence) in enumerate(parts)]
    aggregates = [expression.alias(f"{i}\x1f{name}") for i, one in enumerate(asked) for name, expression in one.items()]
    keys = [key(name) for name in groups]
    used = {name for evidence in values for name in evidence.meta.root_names()} | set(keys)
    used |= {name for expression in aggregates for name in expression.meta.root_names()} & set(frame.columns)
    columns = frame.select(sorted(used)).lazy().with_columns(values)
    counted = columns.group_by(keys).agg(aggregates) if groups else columns.select(aggregates)
    result = counted.collect(engine="streaming" if frame.height > _IN_MEMORY_ROWS else "in-memory")
    found = (result.with_columns(pl.col(keys).cast(pl.String)).sort(keys) if groups else result).to_dicts()
    named = tuple({name: row[key(name)] for name in groups} for row in found)
    return [
        Counts(named, tuple({name: row[f"{i}\x1f{name}"] for name in one} for row in found))
        for i, one in enumerate(asked)
    ]


def _aggregates(part: Part, evidence: Evidence, x: pl.Expr) -> dict[str, pl.Expr]:
    readings = part.readings
    judged = x.is_not_null() & (x != 0)
    found: dict[str, pl.Expr] = {
        "judged": judged.sum(), "readings": x.count(), "lower": x.min(), "upper": x.max(),
        "smallest": pl.when(judged).then(x.abs()).min(), "log_size": pl.when(judged).then(x.abs().log10()).sum(),
    }  # fmt: skip
    explained = [_in_any(x, reading, telling(part, reading)) & judged for reading in readings]
    automatic = [e for e, reading in zip(explained, readings, strict=True) if reading.automatic]
    for i, (reading, inside) in enumerate(zip(readings, explained, strict=True)):
        if part.expected:
            found[f"explained{i}"] = inside.sum()
            if i:
                found[f"rival{i}"] = (inside & ~explained[0]).sum()
        if part.absolute:
            found[f"outside{i}"] = (~_inside(x, reading, part.absolute) & judged).sum()
    if part.expected:
        alone = functools.reduce(operator.and_, [~e for e in automatic[1:]], automatic[0])
        size = x.abs().log10()
        found["log_declared"] = pl.when(alone).then(size).sum()
        for i, (reading, inside) in enumerate(zip(readings, explained, strict=True)):
            if i and reading.automatic:
                found[f"log_rival{i}"] = pl.when(inside & ~explained[0]).then(size).sum()
        found["only_declared"] = alone.sum()
        found["any_automatic"] = functools.reduce(operator.or_, automatic).sum()
    if part.elsewhere:
        found["elsewhere"] = (_in_any(x, readings[0], part.elsewhere) & judged).sum()
    return found | _result_counts(part, evidence, x, readings) | _limit_counts(evidence, x) | _checks(part, evidence)


def _checks(part: Part, evidence: Evidence) -> dict[str, pl.Expr]:
    found = {}
    for c, check in enumerate(evidence.checks):
        fits = [check.fits(reading) for reading in part.readings]
        found[f"check{c}"] = fits[0].count()
        found |= {f"check{c}.{i}": (one & fits[0].is_not_null()).sum() for i, one in enumerate(fits)}
    return found


def only_declared(part: Part, x: pl.Expr) -> pl.Expr:
    """Return whether a raw value is explained by the declared reading and by no automatic rival."""
    explained = [_in_any(x, reading, telling(part, reading)) for reading in part.readings if reading.automatic]
    return functools.reduce(operator.and_, [~e for e in explained[1:]], explained[0]) & (x != 0)


def telling(part: Part, reading: Candidate) -> Sequence[Range]:
    """Return the expected ranges that can tell for a reading.

    A range that holds zero would explain every smaller unit, so for those only its outer part counts: from a thirtieth
    of its edge on, half a prefix step in decades.
    """
    if reading.kind not in ("prefix", "decade", "ratio") or reading.unit.scale >= part.readings[0].unit.scale:
        return part.expected
    return [piece for one in part.expected for piece in _away_from_zero(one)]


def _away_from_zero(one: Range) -> list[Range]:
    if (one.lower is not None and one.lower > 0) or (one.upper is not None and one.upper < 0):
        return [one]
    pieces = []
    if one.upper:
        pieces.append(Range(one.upper / HALF_STEP, one.upper, one.unit))
    if one.lower:
        pieces.append(Range(one.lower, one.lower / HALF_STEP, one.unit))
    return pieces


HALF_STEP = 30
"""Half a step of 1000 in decades: what is farther out than this is nearer to another unit than to a fault."""


def _inside(x: pl.Expr, reading: Candidate, limits: Range) -> pl.Expr:
    low, high = reading.raw_interval(limits.lower, limits.upper, level=limits.unit.logarithmic)
    return x.is_between(low, high)


def _in_any(x: pl.Expr, reading: Candidate, ranges: Sequence[Range]) -> pl.Expr:
    if not ranges:
        return pl.lit(False)
    return functools.reduce(operator.or_, [_inside(x, reading, one) for one in merged(ranges)])


def merged(ranges: Sequence[Range]) -> list[Range]:
    """Join overlapping ranges, so that a board with many nodes costs few comparisons."""
    low = [r for r in ranges if r.lower is None]
    ordered = low + sorted((r for r in ranges if r.lower is not None), key=lambda r: r.lower or Fraction(0))
    merged: list[Range] = []
    for one in ordered:
        last = merged[-1] if merged else None
        if last and (last.upper is None or one.lower is None or one.lower <= last.upper):
            upper = None if last.upper is None or one.upper is None else max(last.upper, one.upper)
            merged[-1] = Range(last.lower, upper, last.unit)
        else:
            merged.append(one)
    return merged


def _result_counts(part: Part, evidence: Evidence, x: pl.Expr, readings: Sequence[Candidate]) -> dict[str, pl.Expr]:
    """Recompute the result column under each reading, from limits whose unit is known apart from the values."""
    if evidence.passed is None:
        return {}
    limits = part.node.limits if part.node else None
    if limits:
        inside = [_inside(x, reading, limits) for reading in readings]
        usable = evidence.passed.is_not_null() & x.is_not_null()
    elif evidence.limits_unit is not None and (evidence.lower is not None or evidence.upper is not None):
        unit = evidence.limits_unit
        inside = [inside_limits(x, reading, evidence.lower, evidence.upper, unit) for reading in readings]
        edges = [edge.is_not_null() for edge in (evidence.lower, evidence.upper) if edge is not None]
        usable = evidence.passed.is_not_null() & x.is_not_null() & functools.reduce(operator.or_, edges)
    else:
        return {}
    agree = {f"agree{i}": ((one == evidence.passed) & usable).sum() for i, one in enumerate(inside)}
    passed = usable & evidence.passed
    kept = {f"passed_inside{i}": (one & passed).sum() for i, one in enumerate(inside)}
    return {"results": usable.sum(), "passes": passed.sum(), **agree, **kept}


def _limit_counts(evidence: Evidence, x: pl.Expr) -> dict[str, pl.Expr]:
    """Count the rows inside their own limits when the values are scaled: limits that share no known unit."""
    if evidence.lower is None or evidence.upper is None or evidence.limits_unit is not None:
        return {}
    usable = evidence.lower.is_not_null() & evidence.upper.is_not_null() & x.is_not_null() & (x != 0)
    counts = {"limited": usable.sum()}
    for exponent in LIMIT_SCALES:
        inside = (x * 10.0**exponent).is_between(evidence.lower, evidence.upper) & usable
        counts[f"scaled{exponent}"] = inside.sum()
    return counts


def read_tally(counts: Counts, part: Part, checks: Sequence[Check] = ()) -> Tally:
    """Return the tally of all the rows counted (one part, any selection of its groups)."""
    n = len(part.readings)
    summed: dict[str, float] = {}
    for row in counts.rows:
        for name, value in row.items():
            if value is not None:
                summed[name] = _combined(name, summed[name], value) if name in summed else value

    def count(name: str) -> int:
        return int(summed.get(name, 0))

    def each(name: str) -> tuple[int, ...]:
        return tuple(count(f"{name}{i}") for i in range(n))

    return Tally(
        judged=count("judged"),
        readings=count("readings"),
        lower=summed.get("lower"),
        upper=summed.get("upper"),
        smallest=summed.get("smallest"),
        explained=each("explained"),
        outside=each("outside"),
        only_rival=each("rival"),
        only_declared=count("only_declared"),
        log_rival=tuple(float(summed.get(f"log_rival{i}", 0.0)) for i in range(n)),
        log_declared=float(summed.get("log_declared", 0.0)),
        log_size=float(summed.get("log_size", 0.0)) / max(1, count("judged")),
        any_automatic=count("any_automatic"),
        elsewhere=count("elsewhere"),
        results=count("results"),
        passes=count("passes"),
        agree=each("agree"),
        passed_inside=each("passed_inside"),
        limited=count("limited"),
        in_limits=tuple(count(f"scaled{e}") for e in LIMIT_SCALES),
        checks=tuple(Checked(check, count(f"check{c}"), each(f"check{c}.")) for c, check in enumerate(checks)),
    )


def _combined(name: str, first: float, second: float) -> float:
    if name in ("lower", "smallest"):
        return min(first, second)
    return max(first, second) if name == "upper" else first + second
