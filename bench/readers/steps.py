"""Rows of several runs below one header, each run below a line that says what it is (LTspice's stepped simulations).

    time  V(out)
    Step Information: R=1K  (Run: 1/3)
    0.0   0.1

Every run begins its time anew, so a mean over all of them means nothing. Each row takes the text of the line that it
stands under into a column of its own, and the number of the run into another; the lines themselves are header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from bench.export import LINE, ROW, Export, RawTable
from bench.readers import names
from bench.readers.records import RAGGED
from guards import ExportColumn

_STEP = re.compile(
    r"^\s*(?P<what>[A-Za-z][A-Za-z ]*):\s*(?P<said>[^\s=]+=\S+(?:\s+[^\s=]+=\S+)*)"
    r"(?:\s+\((?P<name>[A-Za-z]+):\s*(?P<number>\d+)/\d+\))?\s*$"
)


def told_apart(export: Export) -> Export:
    """Return the export with the runs of its only table told apart, if all of them are headed by such lines."""
    (table,) = export.tables
    ragged = table.quarantine.filter(pl.col("reason").str.contains(RAGGED))
    found = [_STEP.match(text) for text in ragged.get_column("text")]
    steps = [step for step in found if step is not None]
    kinds = {(step["what"], step["name"], _keys(step["said"])) for step in steps}
    if len(kinds) != 1 or any(step["name"] is None for step in steps):
        return export
    lines = ragged.filter(pl.Series([step is not None for step in found], dtype=pl.Boolean))
    if not _above_all(table, lines):
        return export
    counts = export.dialect["lines"]
    assert isinstance(counts, dict)
    moved = {"quarantined": counts["quarantined"] - len(steps), "header": counts["header"] + len(steps)}
    dialect = {**export.dialect, "lines": {**counts, **moved}, "steps": len(steps)}
    return replace(export, tables=(_with_steps(table, lines, steps),), dialect=dialect)


def _keys(said: str) -> tuple[str, ...]:
    return tuple(re.findall(r"(\S+?)=", said))


def _above_all(table: RawTable, lines: pl.DataFrame) -> bool:
    """Return whether no row stands above the first of these lines."""
    first = table.frame.select(pl.col(LINE).min()).collect().item()
    return first is None or int(lines.get_column(LINE)[0]) < first


def _with_steps(table: RawTable, lines: pl.DataFrame, steps: Sequence[re.Match[str]]) -> RawTable:
    *_, number, said = names.column_names([*(c.name for c in table.columns), steps[0]["name"], steps[0]["what"]])
    marks = pl.DataFrame(
        {
            LINE: lines.get_column(LINE), "\0before": pl.int_range(1, len(steps) + 1, dtype=pl.Int64, eager=True),
            number: [step["number"] for step in steps], said: [" ".join(step["said"].split()) for step in steps],
        }
    ).set_sorted(LINE)  # fmt: skip
    row = (pl.col(ROW) - pl.col("\0before").fill_null(0)).alias(ROW)
    frame = table.frame.set_sorted(LINE).join_asof(marks.lazy(), on=LINE).with_columns(row).drop("\0before")
    rest = table.quarantine.join(lines.select(LINE), on=LINE, how="anti").sort(LINE).set_sorted(LINE)
    rest = rest.join_asof(marks.select(LINE, "\0before"), on=LINE).with_columns(row).drop("\0before")
    columns = (*table.columns, ExportColumn(number, steps[0]["name"]), ExportColumn(said, steps[0]["what"]))
    return RawTable(table.name, frame, columns, table.rows_read - len(steps), rest, table.decimal)
