"""What the verdicts did, counted in one pass: sentinels, faults, nulls and rows changed, and the flags row by row.

A long table's unit and limit cells are rewritten together with its values, so that every row of the corrected table is
true in itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from guards.cells import Cells, key
from guards.corrections import MeasuredColumn, Ruling, select
from guards.declared import Layout
from guards.quantities import cell_text, number, scaled
from guards.report import ColumnReport, Role
from guards.tally import HALF_STEP, LIMIT_SCALES, Tally
from guards.units import conversion
from guards.witnesses import MAJORITY

if TYPE_CHECKING:
    from guards.schema import Bounds

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
    frame: pl.LazyFrame, cells: Cells, columns: Sequence[MeasuredColumn], layout: Layout, decimal: str
) -> Effects:
    """Return what the rulings of all measured columns did to the table."""
    counts: dict[tuple[str, int], dict[str, int]] = {}
    changed: list[pl.Series] = []
    flags: list[pl.DataFrame] = []
    whole: list[str] = []  # columns in which every cell that is not empty is changed
    rows = frame.select("_row").collect().to_series() if any(c.clears for c in columns) else None
    for column in columns:
        if len(column.rulings) == 1 and not column.clears:
            counts[column.name, 0] = _plain_counts(column, cells)
            if column.touched:
                whole.append(column.name)
            continue
        seen = _seen(cells, column)
        if column.clears or len(column.rulings) > 1:
            counts |= _counts(seen, column)
        changed.append(
            seen.select((pl.col("\x1fflag").is_not_null() | pl.col("\x1frewritten")).alias(column.name)).to_series()
        )
        if rows is not None and column.clears:
            flags.append(_flags(seen.with_columns(rows), column))
    if whole:
        changed.append(
            cells.select(whole).select(pl.any_horizontal(pl.col(whole).is_not_null()).alias("\x1fwhole")).to_series()
        )
    faults = _faults(frame, cells, columns)
    for where, found in faults.items():
        counts[where]["faults"] = found.height
    all_flags = [*flags, *faults.values()]
    table = pl.concat(all_flags).sort("_row", "column") if all_flags else pl.DataFrame(schema=FLAG_SCHEMA)
    rows_changed = pl.DataFrame(changed).select(pl.any_horizontal(pl.all()).sum()).item() if changed else 0
    return Effects(int(rows_changed), counts, table, _rewritten(columns, layout, decimal))


def _plain_counts(column: MeasuredColumn, cells: Cells) -> dict[str, int]:
    refused = column.rulings[0].decision.verdict == "refused"
    nulls = cells.rows if refused else cells.rows - column.kind.cells
    return {"rows": cells.rows, "sentinels": 0, "nulls": nulls, "faults": 0, "unreadable": 0}


def _seen(cells: Cells, column: MeasuredColumn) -> pl.DataFrame:
    """Return the cells of one column with what becomes of each: `flag`, `rewritten`, and whether it ends as null."""
    odd = column.odd_kinds()
    keys = {key(name) for ruling in column.rulings for name in ruling.rows}
    joined = cells.select([column.name, *sorted(keys)]).with_row_index("\x1frow")
    joined = (
        joined.join(odd, on="\x1frow", how="left", maintain_order="left")
        if odd.height
        else joined.with_columns(_NONE.alias("\x1fodd"))
    )
    refused = [pl.lit(ruling.decision.verdict == "refused") for ruling in column.rulings]
    return joined.with_columns(
        column.flag().alias("\x1fflag"),
        column.rewritten().alias("\x1frewritten"),
        select(column.rulings, refused, pl.lit(False), key).alias("\x1frefused"),
    ).with_columns(
        (pl.col(column.name).is_null() | pl.col("\x1fflag").is_not_null() | pl.col("\x1frefused")).alias("\x1fempty")
    )


_NONE = pl.lit(None, pl.String)
_CLEARED = "the cell is null; its text is kept as raw"
_DETAILS = {
    "ambiguous": "the cell is null: M alone is mega in resistor codes and milli in SPICE; write 1000k or 1e-3",
    "doubtful": "the cell is null: it fits only in the unit that the header says, unlike the rest of the column",
}


def _counts(seen: pl.DataFrame, column: MeasuredColumn) -> dict[tuple[str, int], dict[str, int]]:
    sentinel = pl.col("\x1fflag").is_not_null() & ~pl.col("\x1fflag").is_in(["unreadable", *_DETAILS])
    wanted = []
    for i, ruling in enumerate(column.rulings):
        where = ruling.where(key)
        here = pl.lit(True) if where is None else where
        wanted += [
            (pl.len() if where is None else here.sum()).alias(f"{i}\x1frows"),
            (sentinel & here).sum().alias(f"{i}\x1fsentinels"),
            ((pl.col("\x1fflag") == "unreadable") & here).sum().alias(f"{i}\x1funreadable"),
            (pl.col("\x1fempty") & here).sum().alias(f"{i}\x1fnulls"),
        ]
    found = seen.select(wanted).row(0, named=True)
    return {
        (column.name, i): {"faults": 0}
        | {what: int(found[f"{i}\x1f{what}"] or 0) for what in ("rows", "sentinels", "nulls", "unreadable")}
        for i in range(len(column.rulings))
    }


def _flags(seen: pl.DataFrame, column: MeasuredColumn) -> pl.DataFrame:
    names = [pl.lit(ruling.part.measurement, pl.String) for ruling in column.rulings]
    return seen.filter(pl.col("\x1fflag").is_not_null()).select(
        "_row", column=pl.lit(column.name), measurement=select(column.rulings, names, _NONE, key),
        kind=pl.col("\x1fflag"),
        detail=pl.col("\x1fflag").replace_strict(_DETAILS, default=_CLEARED, return_dtype=pl.String),
    )  # fmt: skip


def _faults(
    frame: pl.LazyFrame, cells: Cells, columns: Sequence[MeasuredColumn]
) -> dict[tuple[str, int], pl.DataFrame]:
    """Return the rows that fail the final schema, by ruling: extremes first, then only the columns that fail there."""
    # pandera takes 0.2 s to import: whoever reads an export can import this meanwhile.
    from guards.schema import bounds_of, build_schema, columns_out_of_bounds, failing_rows  # noqa: PLC0415

    subjects = {
        f"{column.name}\x1f{i}": (column, i, ruling)
        for column in columns
        for i, ruling in enumerate(column.rulings)
        if ruling.decision.verdict != "refused" and ruling.tally and ruling.tally.readings
    }
    bounds = {subject: bound for subject, (_, _, ruling) in subjects.items() if (bound := bounds_of(ruling.part))}
    extremes = {subject: _extremes(subjects[subject][2]) for subject in bounds}
    found = {}
    for subject in columns_out_of_bounds(extremes, bounds):
        column, i, ruling = subjects[subject]
        where = ruling.where()
        values = frame if where is None else frame.filter(where)
        rows = values.select("_row", column.values().alias(subject)).collect(engine="streaming")
        failing = failing_rows(build_schema({subject: bounds[subject]}), rows.select(subject)).get(subject, [])
        found[column.name, i] = _fault_flags(rows[failing], subject, column.name, ruling)
    return found


def _extremes(ruling: Ruling) -> Bounds:
    """The extremes of the corrected values, widened by rounding so that the rows themselves decide at the edge."""
    assert ruling.tally is not None
    raw = (ruling.tally.lower or 0.0, ruling.tally.upper or 0.0)
    resolved, target = ruling.decision.resolved, ruling.target
    if resolved is None or target is None:
        return raw
    factor, offset = conversion(resolved, target)
    if factor == 1 and not offset:
        return raw
    low, high = sorted(float(factor) * value + float(offset) for value in raw)
    return low - abs(low) * 1e-9, high + abs(high) * 1e-9


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
    """Return the columns of units, of limits and the like, of a table whose values are rewritten row by row."""
    found: dict[str, pl.Expr] = {}
    for column in columns:
        name = layout.unit_of(column.name)
        if name is None or not any(ruling.decision.verdict == "corrected" for ruling in column.rulings):
            continue
        unit = pl.col(name)
        choose = [pl.lit(str(ruling.target)) if _rewrites(ruling) else unit for ruling in column.rulings]
        found[name] = select(column.rulings, choose, unit).alias(name)
        for limit in layout.bounds if column.name == layout.value else ():
            text = cell_text(pl.col(limit), decimal)
            value = None if limit in (layout.lower, layout.upper) else number(column.kind.text(column.name, decimal))
            each = [_limit(text, ruling, value) for ruling in column.rulings]
            found[limit] = select(column.rulings, each, number(text)).alias(limit)
    return found


def _rewrites(ruling: Ruling) -> bool:
    return ruling.decision.verdict == "corrected" and ruling.target is not None


def _limit(text: pl.Expr, ruling: Ruling, value: pl.Expr | None) -> pl.Expr:
    """Convert a row's limits: from the values' own unit where they share it, else from the row's label.

    `value`: the row's, beside what nothing was counted of (`Nominal`): what is nearer to it than half a step of 1000
    shares its unit.
    """
    target, resolved, declared = ruling.target, ruling.decision.resolved, ruling.part.declared
    if not _rewrites(ruling) or target is None or resolved is None or declared is None:
        return number(text)
    own, said = scaled(text, *conversion(resolved, target)), scaled(text, *conversion(declared, target))
    if value is None:
        return own if _limits_share_unit(ruling.tally) else said
    if resolved.offset != declared.offset:
        return said
    near = (number(text).abs() / value.abs()).is_between(1 / HALF_STEP, HALF_STEP)
    return pl.when(near).then(own).otherwise(said)


def _limits_share_unit(tally: Tally | None) -> bool:
    return bool(tally and tally.limited and tally.in_limits[LIMIT_SCALES.index(0)] >= MAJORITY * tally.limited)


def _report(ruling: Ruling, role: Role, counts: dict[str, int]) -> ColumnReport:
    part, decision = ruling.part, ruling.decision
    label = part.declared_label
    lost = counts["unreadable"]
    told = f" {lost} of {counts['rows']} cells could not be read as numbers and are null." if lost else ""
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
        factor=factor, offset=offset, verdict=decision.verdict, rule=decision.rule, reason=decision.reason + told,
        proposal=decision.proposal, witnesses=decision.witnesses,
        rows=counts["rows"], sentinels=counts["sentinels"], faults=counts["faults"], nulls=counts["nulls"],
    )  # fmt: skip
