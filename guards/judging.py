"""From columns to rulings: which parts a column has, how each is counted, and by which segment it splits.

Wide columns are counted together in one pass over the export. The value column of a long table, and a column whose
unit stands in a unit column, is cut into its parts (measurement and row label) first. A part whose values do not agree
on a unit, or a segment of which disagrees with the rest, is judged by the segment column that separates it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from guards.board import Board
from guards.corrections import Ruling
from guards.declared import ExportColumn, Label, Layout, header_unit, labels_of
from guards.digits import digit_pattern
from guards.kinds import Kind
from guards.parts import Part, make_part
from guards.quantities import cell_text, number
from guards.tally import Evidence, Tally, passed_of, read_tally, tally, value_of
from guards.units import Unit, find_unit
from guards.verdict import Decision, decide

_MOST_SEGMENTS = 1_000
_MINIMUM_ROWS = 3


def judge(
    frame: pl.LazyFrame, columns: Sequence[ExportColumn], kinds: Mapping[str, Kind], layout: Layout,
    board: Board | None, *, decimal: str,
) -> dict[str, tuple[Ruling, ...]]:  # fmt: skip
    """Return the rulings of each measured column; together they cover every row."""
    segments = _segments(frame, layout.segments)
    parts: list[tuple[Part, Evidence]] = []
    rulings: dict[str, tuple[Ruling, ...]] = {}
    for column in columns:
        if column.name == layout.value and (layout.measurement or layout.unit):
            rulings[column.name] = _judge_rows(frame, column, kinds[column.name], layout, segments, board, decimal)
        else:
            part = _one_unit(
                make_part(column.name, _labels(column, kinds[column.name], board), board), kinds[column.name]
            )
            evidence = _evidence(part, layout, kinds[column.name], decimal, columns_alone=column.name == layout.value)
            parts.append((_if_plain(part, kinds[column.name], evidence, segments), evidence))
    for (part, _), decided in zip(parts, _decide_all(frame, parts, segments, kinds, decimal), strict=True):
        rulings[part.column] = decided
    return rulings


def _segments(frame: pl.LazyFrame, names: Sequence[str]) -> tuple[str, ...]:
    """Return the segment columns that have more than one value and not too many to be fixtures or lots."""
    if not names:
        return ()
    counts = frame.select(pl.col(name).approx_n_unique() for name in names).collect(engine="streaming").row(0)
    return tuple(name for name, n in zip(names, counts, strict=True) if 1 < n <= _MOST_SEGMENTS)


def _labels(column: ExportColumn, kind: Kind, board: Board | None) -> tuple[Label, ...]:
    """The labels of header, units row, preamble and profile, and the one unit that stands behind its numbers."""
    labels = labels_of(column, board.columns.get(column.name) if board else None)
    units = {text: find_unit(text) for text in kind.suffixes}
    known = {unit for unit in units.values() if unit}
    if len(known) == 1:
        text = next(text for text, unit in units.items() if unit)
        labels += (Label(text, known.pop(), "cells"),)
    return labels


def _one_unit(part: Part, kind: Kind) -> Part:
    units = {unit.symbol: text for text in kind.suffixes if (unit := find_unit(text))}
    if len(units) < 2:
        return part
    return replace(part, problem="the cells carry different units: " + ", ".join(sorted(units.values())))


def _if_plain(part: Part, kind: Kind, evidence: Evidence, segments: Sequence[str]) -> Part:
    """Leave only the declared reading where all values lie in its expected range: no rival can explain more."""
    if part.declared is None or kind.lower is None or kind.upper is None or evidence.passed is not None:
        return part
    for limits in part.expected:
        low, high = part.readings[0].raw_interval(limits.lower, limits.upper)
        if low <= kind.lower and kind.upper <= high and evidence.lower is None:
            return replace(part, readings=part.readings[:1])
    return part


def _evidence(part: Part, layout: Layout, kind: Kind, decimal: str, *, columns_alone: bool) -> Evidence:
    value = value_of(part, part.column, decimal=decimal, suffixes=kind.suffixes)
    if not columns_alone:
        return Evidence(value)
    lower, upper = (number(cell_text(pl.col(name), decimal)) if name else None for name in (layout.lower, layout.upper))
    passed = passed_of(layout.result) if layout.result else None
    return Evidence(value, passed, lower, upper, _limits_unit(part, layout))


def _limits_unit(part: Part, layout: Layout) -> Unit | None:
    """The unit of the limit columns where it is known apart from the values: the profile's, or their own header's."""
    if part.word.limits_unit:
        return part.word.limits_unit
    for name in (layout.lower, layout.upper):
        parsed = header_unit(name) if name else None
        if parsed and part.declared and parsed[2].quantity == part.declared.quantity:
            return parsed[2]
    return None


def _judge_rows(
    frame: pl.LazyFrame, column: ExportColumn, kind: Kind, layout: Layout, segments: Sequence[str], board: Board | None,
    decimal: str,
) -> tuple[Ruling, ...]:  # fmt: skip
    """Judge the value column of a table whose rows say what they measure, in which unit, or both."""
    keys = [name for name in (layout.measurement, layout.unit) if name]
    needed = [*keys, column.name, *(n for n in (layout.lower, layout.upper, layout.result) if n), *segments]
    rows = frame.select(list(dict.fromkeys(needed))).collect(engine="streaming")
    targets = _targets(rows, column, layout, board)
    rulings: list[Ruling] = []
    for values, group in rows.partition_by(keys, as_dict=True, maintain_order=True).items():
        found = dict(zip(keys, values, strict=True))
        measurement = found.get(layout.measurement) if layout.measurement else None
        text = found.get(layout.unit) if layout.unit else None
        labels = _row_labels(column, kind, board, text)
        part = make_part(
            column.name, labels, board, measurement=measurement, row_label=text, target=targets.get(measurement)
        )
        if text and find_unit(text) is None:
            part = (
                replace(part, problem=f"the unit column says {text!r}, which is no unit the guard knows")
                if labels
                else part
            )
        evidence = _evidence(part, layout, kind, decimal, columns_alone=True)
        where = [pl.col(name).eq_missing(pl.lit(value, pl.String)) for name, value in found.items()]
        decided = _decide_all(group.lazy(), [(part, evidence)], segments, {column.name: kind}, decimal)[0]
        rulings += [replace(r, where=_all_of([*where, *([] if r.where is None else [r.where])])) for r in decided]
    return tuple(rulings)


def _all_of(conditions: Sequence[pl.Expr]) -> pl.Expr:
    return conditions[0] if len(conditions) == 1 else pl.all_horizontal(conditions)


def _row_labels(column: ExportColumn, kind: Kind, board: Board | None, text: str | None) -> tuple[Label, ...]:
    labels = _labels(column, kind, board)
    unit = find_unit(text) if text else None
    if text is None or unit is None:
        return labels
    return (Label(text, unit, "unit column"), *labels)


def _targets(rows: pl.DataFrame, column: ExportColumn, layout: Layout, board: Board | None) -> dict[str | None, Unit]:
    """Return the one unit that each measurement's values shall stand in, where its row labels differ.

    The profile's where it is one, else the most frequent label: a correctly labelled mV column stays mV.
    """
    if not layout.unit:
        return {}
    header = header_unit(column.text)
    counted = rows.group_by(
        [layout.measurement or pl.lit(None, pl.String).alias("measurement"), pl.col(layout.unit)]
    ).len()
    counted = counted.sort("len", layout.unit, descending=[True, False])
    labels: dict[str | None, dict[Unit, int]] = {}
    for measurement, text, n in counted.iter_rows():
        if text and (unit := find_unit(text)):
            labels.setdefault(measurement, {})[unit] = n
    targets: dict[str | None, Unit] = {}
    for measurement, units in labels.items():
        node = board.claiming(column.name, measurement) if board else None
        first = next(iter(units))
        if header and header[2].quantity == first.quantity:
            targets[measurement] = header[2]
        elif len(units) > 1 and node and node.quantity == first.quantity:
            targets[measurement] = node.unit
        elif all(unit.quantity == first.quantity for unit in units):
            targets[measurement] = first
    return targets


def _decide_all(
    frame: pl.LazyFrame, parts: Sequence[tuple[Part, Evidence]], segments: Sequence[str], kinds: Mapping[str, Kind],
    decimal: str,
) -> list[tuple[Ruling, ...]]:  # fmt: skip
    if not parts:
        return []
    found = []
    for (part, _), counts in zip(parts, tally(frame, parts, segments), strict=True):
        whole = read_tally(counts, part)
        pattern = digit_pattern(frame, part, whole, decimal, kinds[part.column].suffixes)
        decision = _honest_label(part, decide(part, whole, pattern))
        split = _by_segment(part, counts, segments, decision, pattern)
        found.append(split or (Ruling(part, decision, tally=whole),))
    return found


def _honest_label(part: Part, decision: Decision) -> Decision:
    """Bring rows whose own label is believed into the unit that the column's values stand in."""
    same = part.declared is None or part.target is None or part.declared == part.target
    if same or decision.verdict not in ("kept", "unverified") or decision.rule in ("s", "b"):
        return decision
    reason = f"{decision.reason.rstrip('.')}; written in {part.target} like the rest of the column."
    return replace(decision, verdict="corrected", rule="r", resolved=part.declared, reason=reason)


def _by_segment(
    part: Part, counts: pl.DataFrame, segments: Sequence[str], whole: Decision, pattern: str | None
) -> tuple[Ruling, ...] | None:
    """Judge each segment alone, by the first segment column that leaves no mixture, where segments do not agree."""
    if part.declared is None or part.problem or pattern:
        return None
    for segment in segments:
        judged: list[tuple[str | None, Tally, Decision]] = []
        for value in counts[segment].unique(maintain_order=True).to_list():
            alone = read_tally(counts.filter(pl.col(segment).eq_missing(pl.lit(value, pl.String))), part)
            judged.append((value, alone, _honest_label(part, decide(part, alone))))
        if _separates(judged, whole):
            return tuple(
                Ruling(part, decision, where=pl.col(segment).eq_missing(pl.lit(value, pl.String)),
                       segment={segment: "" if value is None else value}, tally=alone)
                for value, alone, decision in judged
            )  # fmt: skip
    return None


def _separates(judged: Sequence[tuple[str | None, Tally, Decision]], whole: Decision) -> bool:
    """Whether the segments disagree on the unit and each of them alone agrees with itself."""
    sure = [d for _, alone, d in judged if alone.judged >= _MINIMUM_ROWS and d.verdict != "unverified"]
    if any(d.rule == "c" for d in sure):
        return False
    units = {d.resolved for d in sure}
    decided = {d.resolved for d in sure if d.verdict != "refused"}
    if whole.verdict == "refused":
        return len(decided) > 0 and len(units) > 1
    return len(units) > 1
