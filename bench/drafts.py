"""A board profile drafted from one export: `bench-analyze profile`. Pure: a guarded export in, TOML text out.

The draft says only what the export says itself: names, quantities, units, segment columns and roles. The ranges that
it saw stand in comments and never in force, because a range taken from the values under test would prove them right
whatever they are. So a draft that is used as it stands corrects nothing that the export alone would not correct.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from bench.guarded import GuardedExport, GuardedTable
from guards import ColumnReport
from guards.declared import find_layout
from guards.report import Role
from guards.units import find_unit

_QUIET_ROLES = ("measured", "text")  # what a column is without being told
_OVERFLOW = 9.9e37  # SCPI's number for "no reading"
_TRAILING_UNIT = re.compile(r"[\s_]*[(\[{/].*$")


@dataclass(frozen=True, slots=True)
class Seen:
    """The lowest and highest finite value of a column or measurement, in the unit it is declared in."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Found:
    """A column or a measurement that can be a node."""

    name: str
    report: ColumnReport
    seen: Seen | None

    @property
    def unit(self) -> str:
        """The unit that its values stand in as far as the export says: the header's, or the rows' own label."""
        return self.report.unit or self.report.declared_unit or ""

    @property
    def claim(self) -> tuple[str, str]:
        """The key and the name by which a node claims it."""
        if self.report.measurement is not None:
            return "measurements", self.report.measurement
        return "columns", self.report.name


def draft(guarded: GuardedExport) -> str:
    """Return a profile for the board of an export that was guarded without one."""
    found: dict[tuple[str, str], Found] = {}
    doubtful: dict[str, str] = {}
    for table in guarded.tables:
        for item in _found(table):
            if find_unit(item.unit) is None or item.report.quantity is None:
                doubtful.setdefault(item.report.label, item.report.reason)
            else:
                found.setdefault(item.claim, item)
    lines = [*_head(guarded), *_nodes(list(found.values())), *_doubtful(doubtful), *_roles(guarded)]
    return "\n".join(lines).rstrip("\n")


def _found(table: GuardedTable) -> Iterator[Found]:
    judged = [report for report in table.report.columns if report.judged]
    ranges = _ranges(table, judged)
    for report in judged:
        stem = report.measurement if report.measurement is not None else _TRAILING_UNIT.sub("", report.name)
        yield Found(stem or report.name, report, ranges.get((report.name, report.measurement)))


def _ranges(table: GuardedTable, judged: Iterable[ColumnReport]) -> dict[tuple[str, str | None], Seen]:
    """Measure each judged column by its measurements. A refused column is null, and read from its text as declared."""
    layout = find_layout(table.raw.columns, _roles_of(table), _numeric(table), None)
    refused = {report.name for report in judged if report.verdict == "refused"}
    found: dict[tuple[str, str | None], Seen] = {}
    for name in dict.fromkeys(report.name for report in judged):
        frame = table.raw.frame if name in refused else table.guarded.corrected
        value = _as_number(pl.col(name), table.raw.decimal) if name in refused else pl.col(name)
        by_measurement = layout.measurement if name == layout.value else None
        group = pl.col(by_measurement).cast(pl.String) if by_measurement else pl.lit(None, pl.String)
        usable = pl.col("x").is_finite() & (pl.col("x").abs() < _OVERFLOW)
        counted = (
            frame.select(group=group, x=value.cast(pl.Float64, strict=False))
            .filter(usable)
            .group_by("group", maintain_order=True)
            .agg(lower=pl.col("x").min(), upper=pl.col("x").max())
            .collect()
        )
        found |= {(name, measurement): Seen(lower, upper) for measurement, lower, upper in counted.rows()}
    return found


def _roles_of(table: GuardedTable) -> dict[str, Role]:
    return {report.name: report.role for report in table.report.columns}


def _numeric(table: GuardedTable) -> frozenset[str]:
    schema = table.guarded.corrected.collect_schema()
    return frozenset(name for name, kind in schema.items() if kind.is_numeric())


def _as_number(text: pl.Expr, decimal: str) -> pl.Expr:
    plain = text.str.replace(",", ".", literal=True) if decimal == "," else text
    return plain.str.strip_chars()


def _head(guarded: GuardedExport) -> Iterator[str]:
    segments = dict.fromkeys(
        name
        for table in guarded.tables
        for name in find_layout(table.raw.columns, _roles_of(table), _numeric(table), None).segments
    )
    yield f"# Drafted from {_quoted(guarded.export.path.name)}. Every commented range is what the values were, right or"
    yield "# wrong: replace it from the datasheet and remove its #. Until then the profile corrects nothing."
    yield ""
    yield "[board]"
    yield f"name = {_quoted(guarded.export.path.stem)}   # the board's name"
    if segments:
        yield f"segments = [{', '.join(map(_quoted, segments))}]   # columns by which one column may differ in unit"
    yield ""


def _nodes(found: list[Found]) -> Iterator[str]:
    used: set[str] = set()
    for item in found:
        name, number = item.name, 2
        while name in used:
            name, number = f"{item.name}_{number}", number + 1
        used.add(name)
        key, claimed = item.claim
        yield f"[nodes.{_key(name)}]"
        yield f"quantity = {_quoted(item.report.quantity or '')}"
        yield f"unit = {_quoted(item.unit)}"
        yield f"{key} = [{_quoted(claimed)}]"
        yield from _seen(item)
        yield ""


def _seen(item: Found) -> Iterator[str]:
    if item.seen is None:
        yield "# seen: no value; from the datasheet: absolute, expected"
        return
    lower, upper = (f"{edge:.12g} {item.unit}" for edge in (item.seen.lower, item.seen.upper))
    refused = ", and the guard refused the column" if item.report.verdict == "refused" else ""
    yield f"# seen: {lower} .. {upper}{refused}; replace from the datasheet:"
    for key in ("absolute", "expected"):
        yield f"# {key} = [{_quoted(lower)}, {_quoted(upper)}]"


def _doubtful(found: Mapping[str, str]) -> Iterator[str]:
    if found:
        yield "# No unit is known for these; give each a node with a quantity, or [columns.NAME] with a unit:"
        yield from (f"# {_quoted(name)}: {_quoted(reason)[1:-1]}" for name, reason in found.items())
        yield ""


def _roles(guarded: GuardedExport) -> Iterator[str]:
    roles = {name: role for table in guarded.tables for name, role in _roles_of(table).items()}
    for name, role in roles.items():
        if role not in _QUIET_ROLES:
            yield f"[columns.{_key(name)}]"
            yield f"role = {_quoted(role)}"
            yield ""


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are TOML's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
