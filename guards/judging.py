"""From columns to rulings: which parts a column has, how each is counted, and by which segment it splits.

Wide columns are counted together in one pass over the export. The value column of a long table, and a column whose
unit stands in a unit column, is cut into its parts (measurement and row label) first. A part whose values do not agree
on a unit, or a segment of which disagrees with the rest, is judged by the segment column that separates it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import polars as pl

from guards.approvals import Approval, with_approvals
from guards.board import Board
from guards.cells import Cells, key, passed
from guards.checks import known_limits
from guards.corrections import Ruling
from guards.declared import ExportColumn, Layout
from guards.digits import autoranged, digit_pattern, rows_name_units
from guards.extremes import counts_by_extremes
from guards.history import Past, history
from guards.kinds import Kind
from guards.labels import (
    column_labels,
    row_labels,
    row_problem,
    row_targets,
    stated_unit,
    unread_problem,
    with_one_unit,
)
from guards.neighbours import SAMPLE_ROWS, Neighbours, find_neighbours, identity_checks, row_checks_for
from guards.pairs import limits_of
from guards.parts import Part, make_part
from guards.preamble import attenuation_of, attenuations
from guards.rows import units_of
from guards.siblings import sibling_checks
from guards.spelling import PREFIX_MARKS
from guards.standing import with_standing
from guards.tally import Counts, Evidence, Tally, read_tally, tally_each, value_of
from guards.verdict import Decision, decide
from guards.witnesses import MAJORITY, TOLERATED

_MOST_SEGMENTS = 1_000
_MINIMUM_ROWS = 3


@dataclass(frozen=True, slots=True)
class Court:
    """What every judgement of one table looks at: the raw texts, the cells read, the layout and the board."""

    frame: pl.LazyFrame
    cells: Cells
    neighbours: Neighbours
    layout: Layout
    board: Board | None
    decimal: str
    segments: Callable[[], tuple[str, ...]]
    approvals: Sequence[Approval] = ()
    probes: Mapping[str | None, float] = field(default_factory=dict)
    damaged: Mapping[str, str] = field(default_factory=dict)
    past: Mapping[tuple[str, str | None], Past] = field(default_factory=dict)
    claims: bool = False  # whether nodes of the board claim some column or measurement of this table


def judge(
    frame: pl.LazyFrame,
    head: pl.DataFrame,
    cells: Cells,
    columns: Sequence[ExportColumn],
    every: Sequence[ExportColumn],
    layout: Layout,
    board: Board | None,
    decimal: str,
    approvals: Sequence[Approval] = (),
    metadata: Mapping[str, str] | None = None,
    past: Sequence[Past] = (),
) -> dict[str, tuple[Ruling, ...]]:
    """Return the rulings of each of `columns` (the judged ones of `every`); together they cover every row.

    `head`: the first rows of `frame`.
    """
    damaged = autoranged(frame, head, {column.name: cells.kinds[column.name] for column in columns}, decimal)
    if damaged and rows_name_units(head, [c.name for c in every if cells.kinds[c.name].kind == "text"]):
        damaged = {}  # the prefix is not lost: it stands beside
    court = Court(
        frame, cells, find_neighbours(every, columns, cells), layout, board, decimal,
        cache(lambda: _named_too(_segments(cells, layout.segments), layout.segments, approvals)), approvals,
        attenuations(metadata or {}), damaged, {(each.column, each.measurement): each for each in past},
        _claims(cells, every, layout, board),
    )  # fmt: skip
    approved = {approval.column for approval in approvals}
    parts: list[tuple[Part, Evidence]] = []
    rulings: dict[str, tuple[Ruling, ...]] = {}
    for column in columns:
        kind = cells.kinds[column.name]
        by = _named_by_rows(column, cells, layout)
        if by.measurement or by.unit:
            rulings[column.name] = _judge_rows(replace(court, layout=by), column, kind)
        else:
            stated = stated_unit(column, board)
            multiplied = stated if PREFIX_MARKS.keys() >= set(kind.suffixes) and kind.suffixes else None
            part = make_part(column.name, column_labels(column, kind, board), board, target=multiplied)
            part = with_one_unit(part, kind, stated)
            part = replace(
                part, problem=part.problem or unread_problem(column, part), probe=_probe(court, part),
                digits=damaged.get(column.name),
                idle_result=layout.result is not None and layout.value is None,
            )  # fmt: skip
            part = with_standing(part, column.text, court.board, claims=court.claims)
            evidence = _evidence(court, part)
            asked = part if column.name in approved else _if_plain(part, kind, evidence)
            parts.append((asked, evidence))
    for (part, _), decided in zip(parts, _decide_all(court, parts), strict=True):
        rulings[part.column] = decided
    again = identity_checks(rulings, cells, board)
    for name, (part, checks) in sibling_checks(rulings, {column.name: column.text for column in columns}).items():
        again[name] = (part, (*again[name][1], *checks)) if name in again else (part, checks)
    retried = [
        (replace(part, readings=again_part.readings), replace(evidence, checks=(*evidence.checks, *checks)))
        for part, evidence in parts
        if part.column in again
        for again_part, checks in [again[part.column]]
    ]
    sampled = _on_a_sample(court, retried) if retried else []
    retried = [pair for pair, new in zip(retried, sampled, strict=True) if _differs(new, rulings)]
    for (part, _), decided in zip(retried, _decide_all(court, retried), strict=True):
        rulings[part.column] = decided
    return rulings


def _claims(cells: Cells, columns: Sequence[ExportColumn], layout: Layout, board: Board | None) -> bool:
    """Return whether some node claims a column of the table, or a measurement of its value column."""
    if board is None:
        return False
    if any(board.claiming(column.name, None) for column in columns):
        return True
    if layout.measurement is None or layout.value is None:
        return False
    names = cells.get_column(key(layout.measurement)).unique().cast(pl.String).drop_nulls()
    return any(board.claiming(layout.value, name) for name in names)


def _probe(court: Court, part: Part) -> float | None:
    return attenuation_of(part.column, court.probes) if court.probes and part.quantity == "voltage" else None


def _named_by_rows(column: ExportColumn, cells: Cells, layout: Layout) -> Layout:
    """Return the layout with the measurement and the unit column that are about this column."""
    unit = units_of(column.name) if key(units_of(column.name)) in cells.columns else None
    if column.name == layout.value:
        return replace(layout, unit=unit or layout.unit)
    return replace(layout, measurement=None, unit=unit or layout.pairs.get(column.name))


def _on_a_sample(court: Court, parts: Sequence[tuple[Part, Evidence]]) -> list[tuple[Ruling, ...]]:
    """Decide on evenly spaced rows: an identity asks every reading of every column, and rarely changes a verdict."""
    every = -(-court.cells.rows // SAMPLE_ROWS)
    sample = court.cells.frame.gather_every(every) if every > 1 else None
    return _decide_each(court, [(court.frame, sample, pair) for pair in parts])


def _differs(new: Sequence[Ruling], rulings: Mapping[str, tuple[Ruling, ...]]) -> bool:
    old = rulings[new[0].part.column]
    refused = all(ruling.decision.verdict == "refused" for ruling in old)  # an identity says more of why
    verdicts = [
        [(r.decision.verdict, r.decision.resolved, r.segment, r.decision.reason if refused else "") for r in found]
        for found in (old, new)
    ]
    return verdicts[0] != verdicts[1]


def _segments(cells: Cells, names: Sequence[str]) -> tuple[str, ...]:
    """Return the segment columns that have more than one value and not too many to be fixtures or lots."""
    return tuple(name for name in names if 1 < cells.get_column(key(name)).n_unique() <= _MOST_SEGMENTS)


def _named_too(found: Sequence[str], names: Sequence[str], approvals: Sequence[Approval]) -> tuple[str, ...]:
    """Return the segment columns found, and those that an approval names although the column has one value in them."""
    named = {approval.segment[0] for approval in approvals if approval.segment}
    return (*found, *(name for name in names if name in named and name not in found))


def _if_plain(part: Part, kind: Kind, evidence: Evidence) -> Part:
    """Leave only the declared reading where all values lie in its expected range: no rival can explain more."""
    disputed = len({label.unit for label in part.labels}) > 1
    disputed = disputed or part.digits is not None
    if part.declared is None or kind.lower is None or kind.upper is None or evidence.passed is not None or disputed:
        return part
    for limits in part.expected:
        low, high = part.readings[0].raw_interval(limits.lower, limits.upper, level=limits.unit.logarithmic)
        if low <= kind.lower and kind.upper <= high and evidence.lower is None and not evidence.checks:
            return replace(part, readings=part.readings[:1])
    return part


def _evidence(court: Court, part: Part) -> Evidence:
    """What stands beside the values: limits and results belong to the value column, or to the one measured column."""
    layout = court.layout
    value = value_of(part)
    checks = row_checks_for(part, value, court.neighbours)
    past = court.past.get((part.column, part.measurement))
    if past and part.declared and (remembered := history(value, past)):
        checks = (*checks, remembered)
    if part.column != layout.value:
        return Evidence(value, checks=checks)
    *limits, unit = limits_of(part, layout, court.cells)
    lower, upper = (pl.col(name) if name else None for name in limits)
    result = pl.col(passed(layout.result)) if layout.result else None
    if unit is not None and result is None and lower is not None and upper is not None:
        checks = (*checks, known_limits(value, lower, upper, unit))
    return Evidence(value, result, lower, upper, unit, checks)


def _judge_rows(court: Court, column: ExportColumn, kind: Kind) -> tuple[Ruling, ...]:
    """Judge the value column of a table whose rows say what they measure, in which unit, or both."""
    layout, board = court.layout, court.board
    names = [name for name in (layout.measurement, layout.unit) if name]
    in_cells = layout.unit == units_of(column.name)
    targets = row_targets(court.cells.frame, column, layout, board)
    rows: list[dict[str, str | None]] = []
    pieces: list[Piece] = []
    groups = _groups(court.cells.frame, [key(name) for name in names])
    spellings: dict[str | None, set[str | None]] = {}
    for values in groups:
        found = dict(zip(names, values, strict=True))
        spellings.setdefault(found.get(layout.measurement or ""), set()).add(found.get(layout.unit or ""))
    for values, group in groups.items():
        found = dict(zip(names, values, strict=True))
        measurement = found.get(layout.measurement) if layout.measurement else None
        text = found.get(layout.unit) if layout.unit else None
        labels = row_labels(column, kind, board, text, in_cells=in_cells)
        part = make_part(
            column.name, labels, board, measurement=measurement, row_label=text, target=targets.get(measurement)
        )
        part = replace(
            part, problem=part.problem or row_problem(part, text, in_cells=in_cells),
            digits=court.damaged.get(column.name),
        )  # fmt: skip
        part = with_standing(part, measurement or column.text, court.board, claims=court.claims)
        if in_cells and text is not None and len(spellings[measurement]) > 1:
            part = replace(part, readings=part.readings[:1], autoranged=True)
        texts = court.frame.filter(*(pl.col(name).eq_missing(pl.lit(v, pl.String)) for name, v in found.items()))
        rows.append(found)
        pieces.append((texts, group, (part, _evidence(court, part))))
    return tuple(
        replace(ruling, rows={**found, **ruling.rows})
        for found, decided in zip(rows, _decide_each(court, pieces), strict=True)
        for ruling in decided
    )


def _groups(cells: pl.DataFrame, keys: Sequence[str]) -> dict[tuple[str | None, ...], pl.DataFrame]:
    """Return the rows by their texts in the columns of `keys`; a single group is not copied."""
    if cells.height and all(cells.get_column(name).n_unique() == 1 for name in keys):
        return {tuple(cells.get_column(name)[0] for name in keys): cells}
    return cells.partition_by(keys, as_dict=True, maintain_order=True)


def _decide_all(court: Court, parts: Sequence[tuple[Part, Evidence]]) -> list[tuple[Ruling, ...]]:
    return _decide_each(court, [(court.frame, None, pair) for pair in parts])


Piece = tuple[pl.LazyFrame, pl.DataFrame | None, tuple[Part, Evidence]]
"""The texts of some rows, the cells that were read of them (None: of all rows), and what to judge there."""


def _decide_each(court: Court, pieces: Sequence[Piece]) -> list[tuple[Ruling, ...]]:
    """Decide each part on its own rows; cells in memory are asked for only where the extremes do not settle it."""
    known = [_known_counts(court, *piece) for piece in pieces]
    unknown = [piece for piece, have in zip(pieces, known, strict=True) if have is None]
    segments = court.segments() if unknown else ()
    frames = [court.cells if cells is None else cells for _, cells, _ in unknown]
    asked = iter(tally_each(frames, [pair for _, _, pair in unknown], segments))
    found = []
    for (texts, _, (part, evidence)), have in zip(pieces, known, strict=True):
        counts = have or next(asked)
        whole = read_tally(counts, part, evidence.checks)
        pattern = part.digits or digit_pattern(texts, part, court.cells.kinds[part.column], whole, court.decimal)
        decision = _honest_label(part, decide(part, whole, pattern))
        split = _by_segment(part, evidence, counts, segments, decision, pattern)
        rulings = split or (Ruling(part, decision, tally=whole),)
        found.append(with_approvals(court.approvals, part, evidence, counts, rulings))
    return found


def _known_counts(
    court: Court, texts: pl.LazyFrame, cells: pl.DataFrame | None, pair: tuple[Part, Evidence]
) -> Counts | None:
    """Return the counts of a part that the extremes of its column settle, unless its segments could tell more."""
    part, evidence = pair
    if cells is not None or court.approvals:
        return None
    kind = court.cells.kinds[part.column]
    counts = counts_by_extremes(part, evidence, kind, lambda: _log_sizes(court.cells, part))
    if counts is None or len(part.readings) == 1:
        return counts
    whole = read_tally(counts, part)
    decision = decide(part, whole, part.digits or digit_pattern(texts, part, kind, whole, court.decimal))
    return None if decision.verdict == "refused" else counts  # as a whole it may be what no segment is


def _log_sizes(cells: Cells, part: Part) -> float:
    """Return the sum of log10 of the sizes, in one stream: what is between would be as large as the column."""
    sizes = cells.select([part.column]).lazy().select(value_of(part).abs().log10().sum())
    return float(sizes.collect(engine="streaming").item())


def _honest_label(part: Part, decision: Decision) -> Decision:
    """Bring rows whose own label is believed into the unit that the column's values stand in."""
    same = part.declared is None or part.target is None or part.declared == part.target
    if same or decision.verdict not in ("kept", "unverified") or decision.rule in ("s", "b"):
        return decision
    reason = f"{decision.reason.rstrip('.')}; written in {part.target} like the rest of the column."
    return replace(decision, verdict="corrected", rule="r", resolved=part.declared, reason=reason)


def _by_segment(
    part: Part,
    evidence: Evidence,
    counts: Counts,
    segments: Sequence[str],
    whole: Decision,
    pattern: str | None,
) -> tuple[Ruling, ...] | None:
    """Judge each segment alone, by the first segment column that leaves no mixture, where segments do not agree."""
    if part.declared is None or part.problem or pattern or len(part.readings) == 1 or counts.groups == ({},):
        return None
    for segment in segments:
        judged: list[tuple[str | None, Tally, Decision]] = []
        for value in counts.values(segment):
            alone = read_tally(counts.where(segment, value), part, evidence.checks)
            judged.append((value, alone, _honest_label(part, decide(part, alone))))
        if _separates(part, judged, whole):
            return tuple(
                Ruling(part, decision, {segment: value}, {segment: "" if value is None else value}, alone)
                for value, alone, decision in judged
            )
    return None


def _separates(part: Part, judged: Sequence[tuple[str | None, Tally, Decision]], whole: Decision) -> bool:
    """Whether the segments disagree on the unit and each of them alone agrees with itself.

    Where the column as a whole has a unit, a segment disagrees only by a unit of its own, or by rows that another
    reading explains and the whole's does not: a lot with two dead boards is no lot in another unit. A segment of too
    few rows to be sure of is withheld alone where it is what the others are not.
    """
    sure = [(alone, d) for _, alone, d in judged if alone.judged >= _MINIMUM_ROWS and d.verdict != "unverified"]
    few = [d for _, alone, d in judged if 0 < alone.judged < _MINIMUM_ROWS]
    if any(d.rule == "c" for _, _, d in judged):
        return False
    decided = {d.resolved for _, d in sure if d.verdict != "refused"}
    if whole.verdict == "refused":
        refused = any(d.verdict == "refused" for d in (*few, *(d for _, d in sure)))
        return len(decided) > 1 or (len(decided) == 1 and refused)
    foreign = any(_is_foreign(part, alone, whole) for alone, d in sure if d.verdict == "refused")
    return len(decided | {whole.resolved}) > 1 or foreign


def _is_foreign(part: Part, alone: Tally, whole: Decision) -> bool:
    own = next((i for i, reading in enumerate(part.readings) if reading.unit == whole.resolved), 0)
    others = [n for i, n in enumerate(alone.explained) if i != own and part.readings[i].automatic]
    return alone.explained[own] <= TOLERATED * alone.judged and max(others, default=0) >= MAJORITY * alone.judged
