"""The guard, and three simpler methods that people use instead, each as a function from a case to a result."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import pandera.polars as pa
import polars as pl
from corpus.cases import Case, Column, Truth
from corpus.scoring import Result
from corpus.units import UNITS

from guards import ExportColumn, Guarded, Past, guard, parse_board


def guarded(case: Case) -> Guarded:
    """Run the guard as the pipeline does: all texts in, a corrected frame and a report out."""
    frame = pl.DataFrame({c.name: c.cells for c in case.columns}, schema={c.name: pl.String for c in case.columns})
    numbered = frame.with_row_index("_row", 1).with_columns(pl.col("_row").cast(pl.Int64))
    columns = [ExportColumn(c.name, c.header or c.name, units_row=c.units_row) for c in case.columns]
    board = parse_board(case.board) if case.board is not None else None
    past = [Past(table="t", **each) for each in case.past]
    return guard(numbered.lazy(), columns, board, table="t", decimal=case.decimal, metadata=case.metadata, past=past)


def by_guard(case: Case) -> Result:
    """Return what the guard made of a case."""
    found = guarded(case)
    corrected = found.corrected.collect()
    values = {name: corrected[name].to_list() for name in {truth.column for truth in case.truths}}
    flags = found.flags.filter(pl.col("kind") != "fault").group_by("column").agg(pl.col("_row") - 1)
    flagged = {column: frozenset(rows) for column, rows in flags.iter_rows()}
    return Result(values, [column.to_dict() for column in found.report.columns], flagged)


def written_again(case: Case) -> Case:
    """Return the corrected table as an export of its own: the same headers over what the guard made of the cells."""
    frame = guarded(case).corrected.collect().drop("_row")
    texts = frame.select(pl.all().cast(pl.String))
    headers = {column.name: column.header for column in case.columns}
    columns = [Column(name, texts[name].to_list(), header=headers[name]) for name in texts.columns]
    return Case(columns, [], case.board)


def shuffled(case: Case, rng: random.Random) -> Case:
    """Return the export with its rows in another order."""
    order = list(range(case.rows))
    rng.shuffle(order)
    columns = [Column(c.name, [c.cells[i] for i in order], c.units_row, c.header) for c in case.columns]
    return Case(columns, [], case.board, case.decimal, case.metadata, case.past)


def by_widest(case: Case) -> Result:
    """Divide a column by 1000 when anything in it exceeds the board's widest node."""
    return _scaled(case, lambda values, top: any(abs(x) > top for x in values))


def by_share(case: Case) -> Result:
    """Divide a column by 1000 when more than half of its rows exceed the board's widest node."""
    return _scaled(case, lambda values, top: 2 * sum(abs(x) > top for x in values) > len(values))


def by_pandera(case: Case) -> Result:
    """Refuse a column when any value lies outside its node's range, else outside the widest node: pandera alone."""
    values, reports = {}, []
    for truth, column in _by_truth(case):
        limits = _limits(case, truth)
        refused = limits is not None and not _in_range([x for x in column if x is not None], *limits)
        reports.append(_report(truth, "refused" if refused else "kept"))
        merged = values.setdefault(truth.column, [None] * case.rows)
        for row, value in zip(truth.rows, column, strict=True):
            merged[row] = None if refused else value
    return Result(values, reports)


METHODS: dict[str, Callable[[Case], Result]] = {
    "guard": by_guard,
    "/1000 if any": by_widest,
    "/1000 if most": by_share,
    "pandera range": by_pandera,
}


def _scaled(case: Case, exceeds: Callable[[Sequence[float], float], bool]) -> Result:
    values: dict[str, list[float | None]] = {}
    reports = []
    for truth, column in _by_truth(case):
        limits = _limits(case, truth, widest=True)
        known = [x for x in column if x is not None]
        scale = 1000 if limits and known and exceeds(known, max(abs(limits[0]), abs(limits[1]))) else 1
        reports.append(_report(truth, "corrected" if scale > 1 else "kept"))
        merged = values.setdefault(truth.column, [None] * case.rows)
        for row, value in zip(truth.rows, column, strict=True):
            merged[row] = None if value is None else value / scale
    return Result(values, reports)


def _by_truth(case: Case) -> Iterator[tuple[Truth, list[float | None]]]:
    """Give each truth with its raw numbers; a baseline gets its sentinels and cells read for nothing."""
    for truth in case.truths:
        yield truth, [None if x is None else float(x) for x in truth.raw]


def _report(truth: Truth, verdict: str) -> dict[str, Any]:
    return {"name": truth.column, "measurement": truth.measurement, "segment": None, "verdict": verdict,
            "unit": truth.declared, "reason": "", "proposal": None, "faults": 0}  # fmt: skip


def _in_range(values: list[float], low: float, high: float) -> bool:
    schema = pa.DataFrameSchema({"x": pa.Column(pl.Float64, pa.Check.in_range(low, high))})
    try:
        schema.validate(pl.DataFrame({"x": values}, schema={"x": pl.Float64}), lazy=True)
    except pa.errors.SchemaErrors:
        return False
    return True


def _limits(case: Case, truth: Truth, *, widest: bool = False) -> tuple[float, float] | None:
    """Return the range, in the unit that the header declares, of the claiming node or of all nodes of the quantity."""
    if case.board is None or truth.declared is None:
        return None
    quantity, scale, offset = UNITS[truth.declared]
    nodes = [n for n in case.board["nodes"].values() if n["quantity"] == quantity]
    claiming = [
        n for n in nodes if {truth.column, truth.measurement} & {*n.get("columns", ()), *n.get("measurements", ())}
    ]
    edges = [_edges(n) for n in (claiming if claiming and not widest else nodes)]
    lows = [low for low, _ in filter(None, edges)]
    highs = [high for _, high in filter(None, edges)]
    if not lows:
        return None
    return float((min(lows) - offset) / scale), float((max(highs) - offset) / scale)


def _edges(node: dict[str, Any]) -> tuple[Fraction, Fraction] | None:
    given = node.get("absolute") or node.get("expected") or node.get("limits")
    if given:
        low, high = (_base(text) for text in given)
        return low, high
    if "nominal" in node:
        middle = _base(node["nominal"])
        return middle - abs(middle) / 10, middle + abs(middle) / 10
    return None


def _base(text: str) -> Fraction:
    number, unit = text.split()
    _, scale, offset = UNITS["1" if unit == "ratio" else unit]
    return Fraction(number) * scale + offset
