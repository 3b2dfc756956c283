"""The order of the guard's steps, and nothing else: declared -> cells -> parts -> tallies -> verdicts -> values.

The export is read once; everything is counted on the cells in memory, and the corrected table stays lazy for the caller
to write in a second pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from guards import moments
from guards.approvals import Approval
from guards.board import Board
from guards.cells import Cells, TypedCells, as_integer, read_cells
from guards.clocks import DURATION, SERIALS
from guards.corrections import MeasuredColumn, from_cells, typed
from guards.declared import (
    MEASUREMENT_NAMES,
    VALUE_NAMES,
    ExportColumn,
    Label,
    find_layout,
    key_columns,
    labels_of,
    role_of,
    stem_of,
)
from guards.effects import Effects, count_effects
from guards.headers import header_unit
from guards.heads import HEAD_ROWS, codes, plain_kinds
from guards.hexes import hexes
from guards.history import Past
from guards.identities import broken, columns_of, parse_identity
from guards.judging import judge
from guards.kinds import Kind
from guards.labels import stated_unit
from guards.report import JUDGED_ROLES, ColumnReport, Role, TableReport
from guards.rows import with_cell_units, with_known_units
from guards.shifts import Shift, shifts
from guards.spelling import cell_unit
from guards.units import Unit, find_unit

_TEXT_ROLES: frozenset[Role] = frozenset({"identifier", "result", "unit", "text"})


@dataclass(frozen=True, slots=True)
class Guarded:
    """A table after the guard.

    `corrected`: `_row` (Int64), then every export column under its name, typed, in the export's order; lazy.
    `raw_columns`: columns whose text must be kept because a cell was changed, cleared or refused.
    `flags`: _row, column, measurement, kind, detail. `units`: column, measurement, segment (JSON text), unit, verdict.
    `limits`: node, lower, upper, unit. `changed`: columns of which some value is not its cell read plainly, so that
    a table that was loaded from the text without the guard holds the same; `shifts`: how arithmetic on such a table
    makes some of them (see `guards.shifts`).
    """

    report: TableReport
    corrected: pl.LazyFrame
    raw_columns: tuple[str, ...]
    flags: pl.DataFrame
    units: pl.DataFrame
    limits: pl.DataFrame
    changed: tuple[str, ...]
    shifts: Mapping[str, Shift | None] = field(default_factory=dict)


def head_of(frame: pl.LazyFrame, columns: Sequence[ExportColumn]) -> pl.DataFrame:
    """Return the texts of the rows that show what each column looks like."""
    return frame.select(column.name for column in columns).head(HEAD_ROWS).collect()


def expected_kinds(head: pl.DataFrame, columns: Sequence[ExportColumn], board: Board | None) -> dict[str, str]:
    """Return, for the columns that the guard would read as numbers or moments by the head of the text, what they are.

    "number", or the strptime format of the moments. Columns that are not in it are text, or need the guard's grammar.
    """
    guesses = _guessed_roles(columns, board, head)
    return plain_kinds(head.select(name for name, role in guesses.items() if role not in _TEXT_ROLES))


def guard(
    frame: pl.LazyFrame,
    columns: Sequence[ExportColumn],
    board: Board | None,
    *,
    table: str,
    decimal: str = ".",
    approvals: Sequence[Approval] = (),
    typed: TypedCells | None = None,
    metadata: Mapping[str, str] | None = None,
    past: Sequence[Past] = (),
) -> Guarded:
    """Judge every column of a table of texts, and return it corrected with the report.

    `frame` has `_row` (Int64), may have `_line`, and one String column for each of `columns`, verbatim, null where the
    cell is empty. `approvals`: what a person has settled for this export. `typed`: the same table where it was
    read already, so that text is read only where it is needed. `metadata`: what the preamble says.
    `past`: what earlier exports of this table held. Nothing is written, and the input is not changed.
    """
    head = typed.head if typed else head_of(frame, columns)
    cells, roles = _read(frame, head, columns, board, decimal, typed)
    kinds, rows = cells.kinds, cells.rows
    layout = find_layout(columns, roles, frozenset(name for name, kind in kinds.items() if kind.numeric), board)
    layout = with_known_units(layout, cells)
    stated = {c.name: unit for c in columns if kinds[c.name].suffixes and (unit := stated_unit(c, board))}
    frame, cells = with_cell_units(frame, cells, layout, decimal, stated)
    judged = [c for c in columns if _is_judged(c, kinds, roles)]
    rulings = judge(frame, head, cells, judged, columns, layout, board, decimal, approvals, metadata, past)
    measured = [MeasuredColumn(c.name, kinds[c.name], decimal, rulings[c.name]) for c in judged]
    effects = count_effects(frame, cells, measured, layout, decimal)
    by_name = {column.name: column for column in measured}
    either_way = moments.either_way(head.select(name for name, kind in kinds.items() if kind.kind == "text"))
    reports = [
        report
        for column in columns
        for report in (
            effects.reports(by_name[column.name], roles[column.name])
            if column.name in by_name
            else [_unjudged(column, kinds[column.name], roles[column.name], rows, board, column.name in either_way)]
        )
    ]
    report = TableReport(table, rows, effects.rows_changed, tuple(reports))
    raw = tuple(
        c.name for c in columns
        if c.name in effects.rewritten or (c.name in by_name and by_name[c.name].touched) or kinds[c.name].dateless
    )  # fmt: skip
    flags = pl.concat([effects.flags, *_broken_identities(frame, cells, by_name, board)])
    coded = [
        name for name, kind in kinds.items()
        if name not in by_name and kind.numeric and kind.numbers != kind.readings and name not in raw
    ]  # fmt: skip
    corrected = _corrected(frame, cells.source, cells.kinds, columns, by_name, effects)
    known = {} if typed is None else shifts(cells, [column for column in measured if column.touched])
    return Guarded(
        report, corrected, raw, flags, _units(reports), _limits(board, reports), changed=(*raw, *coded),
        shifts={name: shift for name, shift in known.items() if name not in effects.rewritten},
    )  # fmt: skip


def _corrected(
    frame: pl.LazyFrame,
    cells: pl.LazyFrame,
    kinds: Mapping[str, Kind],
    columns: Sequence[ExportColumn],
    measured: Mapping[str, MeasuredColumn],
    effects: Effects,
) -> pl.LazyFrame:
    """Put the corrected table together: from the cells where they hold the values, else from the text."""
    texts: list[pl.Expr] = [pl.col("_row")]
    read: list[pl.Expr] = []
    for name, kind in ((column.name, kinds[column.name]) for column in columns):
        own = measured.get(name)
        known = from_cells(name, kind) if own is None else own.numbers() if own.read_exactly else None
        if name in effects.rewritten:
            texts.append(effects.rewritten[name])
        elif known is not None:
            read.append(known.alias(name))
        else:
            texts.append(typed(name, kind) if own is None else own.values())
    names = ["_row", *(column.name for column in columns)]
    if not read:
        return frame.select(texts).select(names)
    return pl.concat([frame.select(texts), cells.select(read)], how="horizontal").select(names)


def _broken_identities(
    frame: pl.LazyFrame, cells: Cells, measured: Mapping[str, MeasuredColumn], board: Board | None
) -> Iterator[pl.DataFrame]:
    """Flag the rows that break an identity of the board, for the identities whose columns this table has."""
    for identity in board.identities if board else ():
        relation = parse_identity(identity.expression)
        names = columns_of(relation)
        if names <= set(measured):
            values = {name: measured[name].numbers() for name in names}
            found = cells.select(sorted({n for e in values.values() for n in e.meta.root_names()})).select(
                broken=broken(relation, identity.tolerance, values)
            )
            if found["broken"].any():
                yield (
                    frame.select("_row")
                    .collect()
                    .filter(found["broken"])
                    .with_columns(
                        column=pl.lit(identity.expression),
                        measurement=pl.lit(None, pl.String),
                        kind=pl.lit("identity"),
                        detail=pl.lit("the row breaks this identity; its values stay"),
                    )
                )


def _guessed_roles(columns: Sequence[ExportColumn], board: Board | None, head: pl.DataFrame) -> dict[str, Role | None]:
    """Return the roles by what is said of the columns; digits that nothing is said of may be an identifier."""
    words = dict(board.columns) if board else {}
    claimed = _claimed(columns, board)
    roles = {c.name: role_of(c, words.get(c.name), claimed=c.name in claimed) for c in columns}
    unsaid = head.select(c.name for c in columns if roles[c.name] is None and not labels_of(c, words.get(c.name)))
    return roles | dict.fromkeys((*codes(unsaid), *hexes(unsaid)), "identifier")


def _claimed(columns: Sequence[ExportColumn], board: Board | None) -> set[str]:
    return {c.name for c in columns if board and board.claiming(c.name, None)}


def _valued(columns: Sequence[ExportColumn]) -> set[str]:
    """Return the value column of a long table, whose rows may hold words as well: its numbers are readings even so."""
    stems = {column.name: stem_of(column.text) for column in columns}
    long = any(stem in MEASUREMENT_NAMES for stem in stems.values())
    return {name for name, stem in stems.items() if long and stem in VALUE_NAMES}


def _read(
    frame: pl.LazyFrame,
    head: pl.DataFrame,
    columns: Sequence[ExportColumn],
    board: Board | None,
    decimal: str,
    typed: TypedCells | None,
) -> tuple[Cells, dict[str, Role]]:
    words = dict(board.columns) if board else {}
    claimed, valued = _claimed(columns, board), _valued(columns)
    guesses = _guessed_roles(columns, board, head)
    results = [name for name, role in guesses.items() if role == "result"]
    stated = {c.name: unit for c in columns if (unit := stated_unit(c, board))}
    cells = read_cells(
        frame,
        head,
        decimal=decimal,
        labelled=claimed | valued | {c.name for c in columns if labels_of(c, words.get(c.name))},
        text={name for name, role in guesses.items() if role in _TEXT_ROLES},
        keys=key_columns(columns, guesses, board),
        results=results,
        stated=stated,
        typed=typed,
        said={c.name: c.units_row for c in columns if c.units_row},
    )
    kinds = {
        name: replace(kind, kind="integer")
        if guesses[name] == "index" and kind.numeric and as_integer(cells, name)
        else kind
        for name, kind in cells.kinds.items()
    }
    kinds |= {
        name: Kind("text", kind.cells, kind.numbers)
        for name, kind in kinds.items()
        if kind.suffixes and guesses[name] not in (None, *JUDGED_ROLES) and not _in_own_unit(kind, stated.get(name))
    }
    roles = {
        name: guess or ("measured" if name in valued and kinds[name].numbers else _role_by_cells(kinds[name]))
        for name, guess in guesses.items()
    }
    return replace(cells, kinds=kinds), roles


def _in_own_unit(kind: Kind, stated: Unit | None) -> bool:
    """Return whether cells that carry units all carry the column's own: nobody converts what is not judged, and `12ms`
    beside `450us` stays text.
    """
    return stated is not None and {cell_unit(text, stated) for text in kind.suffixes} == {stated}


def _is_judged(column: ExportColumn, kinds: Mapping[str, Kind], roles: Mapping[str, Role]) -> bool:
    """Measured columns and setpoints are judged, and an elapsed time that time stamps of others stand beside."""
    role = roles[column.name]
    if kinds[column.name].kind != "number" or role in JUDGED_ROLES:
        return kinds[column.name].kind == "number"
    return (
        role == "time" and header_unit(column.text) is not None
        and any(kind.kind == "datetime" and column.name not in kind.beside for kind in kinds.values())
    )  # fmt: skip


def _role_by_cells(kind: Kind) -> Role:
    return "measured" if kind.kind == "number" else "time" if kind.temporal else "text"


def _unjudged(
    column: ExportColumn, kind: Kind, role: Role, rows: int, board: Board | None, either_way: bool
) -> ColumnReport:
    parsed = header_unit(column.text)
    labels: tuple[Label, ...] = labels_of(column, board.columns.get(column.name) if board else None)
    unit = labels[0].unit if labels and kind.kind == "number" else None
    unit = find_unit("s") if kind.kind == DURATION else unit
    dates = "; its dates fit day first and month first: they stay text" if either_way else ""
    few = f"; {kind.numbers} of {kind.cells} cells are numbers" if kind.kind == "text" and kind.numbers else ""
    judged = role in JUDGED_ROLES
    return ColumnReport(
        column.name,
        role,
        quantity=unit.quantity if unit else None,
        declared_text=parsed[1] if parsed else None,
        declared_unit=unit.symbol if unit else None,
        resolved_unit=unit.symbol if unit else None,
        unit=unit.symbol if unit else None,
        verdict="unverified" if judged else "kept",
        rule="a" if judged else "n",
        reason=_why_unjudged(kind, role) + few + dates + ".",
        rows=rows,
        nulls=rows - kind.cells,
    )


def _why_unjudged(kind: Kind, role: Role) -> str:
    read = "".join(f"; {words}" for words in _how_read(kind))
    if role not in JUDGED_ROLES:
        return f"{role}: not judged{read}"
    return f"its cells are text, not numbers{read}" if kind.cells else "it is empty"


def _how_read(kind: Kind) -> Iterator[str]:
    """Yield how points in time and durations were read, where their cells alone do not say it."""
    if kind.kind == DURATION:
        yield "its hours, minutes and seconds are kept in s"
    if kind.format in SERIALS:
        yield "a spreadsheet's count of days since 1899-12-30"
    if kind.beside:
        yield f"read together with {' and '.join(kind.beside)}"
    if kind.format and moments.has_zone(kind.format):
        yield "its zones are stated, kept as UTC"
    if kind.dateless:
        yield f"cells without a date (the year 1): {kind.dateless}"


def _units(reports: Sequence[ColumnReport]) -> pl.DataFrame:
    schema = dict.fromkeys(("column", "measurement", "segment", "unit", "verdict"), pl.String)
    rows = [
        (r.name, r.measurement, json.dumps(dict(r.segment), sort_keys=True) if r.segment else None, r.unit, r.verdict)
        for r in reports
        if r.unit is not None or r.judged
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _limits(board: Board | None, reports: Sequence[ColumnReport]) -> pl.DataFrame:
    """The nodes' limits, in the unit that the node's column holds in this table: a comparison needs no conversion."""
    schema = {"node": pl.String, "lower": pl.Float64, "upper": pl.Float64, "unit": pl.String}
    held = {report.node: find_unit(report.unit) for report in reversed(reports) if report.node and report.unit}
    rows = []
    for node in board.nodes if board else ():
        if node.limits:
            column = held.get(node.name)
            unit = column if column and column.quantity == node.quantity else node.unit
            edges = (node.limits.lower, node.limits.upper)
            numbers = [None if e is None else float((e - unit.offset) / unit.scale) for e in edges]
            rows.append((node.name, *numbers, unit.symbol))
    return pl.DataFrame(rows, schema=schema, orient="row")
