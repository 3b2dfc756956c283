"""What the verdicts did, counted in one pass: sentinels, faults, nulls and rows changed, and the flags row by row.

A long table's unit and limit cells are rewritten together with its values, so that every row of the corrected table is
true in itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from guards.corrections import MeasuredColumn, Ruling, any_changed, select
from guards.declared import Layout
from guards.quantities import cell_text, number, scaled
from guards.report import ColumnReport, Role
from guards.schema import build_schema, failing_columns, range_check
from guards.tally import LIMIT_SCALES, Tally
from guards.units import conversion
from guards.witnesses import MAJORITY

FLAG_SCHEMA = {"_row": pl.Int64, "column": pl.String, "measurement": pl.String, "kind": pl.String, "detail": pl.String}


@dataclass(frozen=True, slots=True)
class Effects:
    """Counts by ruling (column name, position), flags, and the columns that are rewritten beside the values."""

    rows_changed: int
    counts: dict[tuple[str, int], dict[str, int]]
    flags: pl.DataFrame
    rewritten: dict[str, pl.Expr]

    def reports(self, column: MeasuredColumn, role: Role) -> list[ColumnReport]:
        """Return one report for each ruling of the column."""
        return [_report(ruling, role, self.counts[column.name, i]) for i, ruling in enumerate(column.rulings)]


def count_effects(
    frame: pl.LazyFrame, columns: Sequence[MeasuredColumn], layout: Layout, rows: int, decimal: str
) -> Effects:
    """Return what the rulings of all measured columns did to the table."""
    counts = _counts(frame, columns, rows)
    touched = [column for column in columns if column.touched]
    changed = frame.select(any_changed(touched).sum()).collect(engine="streaming").item() if touched else 0
    flags = [_flags(frame, column) for column in columns if column.clears]
    faults = _faults(frame, columns)
    for found, key in ((frame_, key) for key, frame_ in faults.items()):
        counts[key]["faults"] = found.height
    all_flags = [*flags, *faults.values()]
    table = pl.concat(all_flags).sort("_row", "column") if all_flags else pl.DataFrame(schema=FLAG_SCHEMA)
    return Effects(int(changed or 0), counts, table, _rewritten(columns, layout, decimal))


def _counts(frame: pl.LazyFrame, columns: Sequence[MeasuredColumn], rows: int) -> dict[tuple[str, int], dict[str, int]]:
    counts: dict[tuple[str, int], dict[str, int]] = {}
    wanted: dict[str, pl.Expr] = {}
    for column in columns:
        if len(column.rulings) == 1 and not column.clears:
            refused = column.rulings[0].decision.verdict == "refused"
            nulls = rows if refused else rows - column.kind.cells
            counts[column.name, 0] = {"rows": rows, "sentinels": 0, "nulls": nulls, "faults": 0}
            continue
        flag, values = column.flag(), column.values()
        sentinel = flag.is_not_null() & (flag != "unreadable")
        for i, ruling in enumerate(column.rulings):
            here = pl.lit(True) if ruling.where is None else ruling.where
            wanted[f"{column.name}|{i}|rows"] = pl.len() if ruling.where is None else here.sum()
            wanted[f"{column.name}|{i}|sentinels"] = (sentinel & here).sum()
            wanted[f"{column.name}|{i}|nulls"] = (values.is_null() & here).sum()
    if wanted:
        found = frame.select(e.alias(name) for name, e in wanted.items()).collect(engine="streaming").row(0, named=True)
        for name, n in found.items():
            column_name, position, what = name.rsplit("|", 2)
            counts.setdefault((column_name, int(position)), {"faults": 0})[what] = int(n or 0)
    return counts


def _flags(frame: pl.LazyFrame, column: MeasuredColumn) -> pl.DataFrame:
    names = {i: pl.lit(ruling.part.measurement, pl.String) for i, ruling in enumerate(column.rulings)}
    measurement = select(column.rulings, names, pl.lit(None, pl.String))
    flagged = frame.select("_row", column=pl.lit(column.name), measurement=measurement, kind=column.flag())
    return (
        flagged.filter(pl.col("kind").is_not_null())
        .with_columns(detail=pl.lit("the cell is null; its text is kept as raw"))
        .collect(engine="streaming")
    )


def _faults(frame: pl.LazyFrame, columns: Sequence[MeasuredColumn]) -> dict[tuple[str, int], pl.DataFrame]:
    """Return the rows that fail the final schema, by ruling: extremes first, then only the columns that fail there."""
    subjects = {
        f"{column.name}|{i}": (column, i, ruling)
        for column in columns
        for i, ruling in enumerate(column.rulings)
        if ruling.decision.verdict != "refused" and ruling.tally and ruling.tally.readings
    }
    checks = {key: check for key, (_, _, ruling) in subjects.items() if (check := range_check(ruling.part))}
    if not checks:
        return {}
    schema = build_schema(checks)
    extremes = pl.DataFrame(
        {key: _extremes(subjects[key][2]) for key in checks}, schema=dict.fromkeys(checks, pl.Float64)
    )
    found = {}
    for key in failing_columns(schema, extremes):
        column, i, ruling = subjects[key]
        values = frame.select(
            "_row", column.values().alias(key), where=pl.lit(True) if ruling.where is None else ruling.where
        )
        rows = values.filter(pl.col("where")).drop("where").collect(engine="streaming")
        failing = failing_columns(build_schema({key: checks[key]}), rows.select(key)).get(key, [])
        found[column.name, i] = _fault_flags(rows[failing], key, column.name, ruling)
    return found


def _extremes(ruling: Ruling) -> list[float]:
    """The extremes of the corrected values, widened by rounding so that the rows themselves decide at the edge."""
    assert ruling.tally is not None
    raw = [ruling.tally.lower or 0.0, ruling.tally.upper or 0.0]
    resolved, target = ruling.decision.resolved, ruling.target
    if resolved is None or target is None:
        return raw
    factor, offset = conversion(resolved, target)
    if factor == 1 and not offset:
        return raw
    low, high = sorted(float(factor) * value + float(offset) for value in raw)
    return [low - abs(low) * 1e-9, high + abs(high) * 1e-9]


def _fault_flags(rows: pl.DataFrame, key: str, name: str, ruling: Ruling) -> pl.DataFrame:
    limits = ruling.part.absolute
    assert limits is not None
    detail = pl.format("{} " + str(ruling.target) + " is outside the absolute range " + limits.text(), pl.col(key))
    return rows.select(
        "_row",
        column=pl.lit(name),
        measurement=pl.lit(ruling.part.measurement, pl.String),
        kind=pl.lit("fault"),
        detail=detail,
    )


def _rewritten(columns: Sequence[MeasuredColumn], layout: Layout, decimal: str) -> dict[str, pl.Expr]:
    """Return the unit and limit columns of a table whose values are rewritten row by row."""
    value = next((column for column in columns if column.name == layout.value), None)
    if value is None or not layout.unit or not any(r.decision.verdict == "corrected" for r in value.rulings):
        return {}
    unit = pl.col(layout.unit)
    choose = {i: pl.lit(str(r.target)) if _rewrites(r) else unit for i, r in enumerate(value.rulings)}
    found = {layout.unit: select(value.rulings, choose, unit).alias(layout.unit)}
    for name in (layout.lower, layout.upper):
        if name:
            text = cell_text(pl.col(name), decimal)
            limits = {i: _limit(text, ruling) for i, ruling in enumerate(value.rulings)}
            found[name] = select(value.rulings, limits, number(text)).alias(name)
    return found


def _rewrites(ruling: Ruling) -> bool:
    return ruling.decision.verdict == "corrected" and ruling.target is not None


def _limit(text: pl.Expr, ruling: Ruling) -> pl.Expr:
    """Convert a row's limits: from the values' own unit where they share it, else from the row's label."""
    target, resolved = ruling.target, ruling.decision.resolved
    if not _rewrites(ruling) or target is None or resolved is None or ruling.part.declared is None:
        return number(text)
    source = resolved if _limits_share_unit(ruling.tally) else ruling.part.declared
    return scaled(text, *conversion(source, target))


def _limits_share_unit(tally: Tally | None) -> bool:
    return bool(tally and tally.limited and tally.in_limits[LIMIT_SCALES.index(0)] >= MAJORITY * tally.limited)


def _report(ruling: Ruling, role: Role, counts: dict[str, int]) -> ColumnReport:
    part, decision = ruling.part, ruling.decision
    label = part.declared_label
    factor: float | None = None
    offset: float | None = None
    if decision.verdict != "refused":
        exact = (
            (1, 0)
            if decision.resolved is None or ruling.target is None
            else conversion(decision.resolved, ruling.target)
        )
        factor, offset = float(exact[0]), float(exact[1])
    return ColumnReport(
        part.column, role, part.measurement, ruling.segment, part.node.name if part.node else None, part.quantity,
        declared_text=label.text if label and label.source != "node" else None,
        declared_unit=str(part.declared) if part.declared else None,
        resolved_unit=str(decision.resolved) if decision.resolved else None,
        unit=str(ruling.target) if ruling.target else None,
        factor=factor, offset=offset, verdict=decision.verdict, rule=decision.rule, reason=decision.reason,
        proposal=decision.proposal, witnesses=decision.witnesses,
        rows=counts["rows"], sentinels=counts["sentinels"], faults=counts["faults"], nulls=counts["nulls"],
    )  # fmt: skip
