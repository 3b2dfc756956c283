"""The plots of one column, as an object that a notebook shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.errors import UsageError
from bench.render.explain import check_columns
from bench.reporting.guard import SEGMENTS
from bench.reporting.markup import Markup, joined, tag
from bench.reporting.plot import figure
from bench.reporting.ranges import boards_in, ranges_of
from bench.reporting.series import Part, series_of

if TYPE_CHECKING:
    from bench.analysis import Analysis
    from guards import TableReport

MARKS = 400


@dataclass(frozen=True, slots=True)
class Plot:
    """Plots with their captions: `html` is escaped markup, `text` says the same in words."""

    html: Markup
    text: str

    def _repr_html_(self) -> str:
        from bench.jupyter.looks import page_part  # noqa: PLC0415 - only where somebody looks

        return page_part(self.html)

    def __repr__(self) -> str:
        return self.text


def plot(analysis: Analysis, column: str, table: str | None) -> Plot:
    """Return the plots of a column: one for each measurement or segment that was judged alone."""
    parts = [Part(report, found) for report in _tables(analysis, table) for found in report.columns
             if found.name == column and found.judged]  # fmt: skip
    if not parts:
        check_columns([column], _tables(analysis, table))
        raise UsageError("the guard does not judge this column", column=column, hint="plot measured columns")
    boards = boards_in(analysis.db)
    segments = list(dict.fromkeys([*(name for board in boards for name in board.segments), *SEGMENTS]))
    drawn = [
        tag("div", tag("strong", f"{part.table.name}: {part.column.label}, {part.column.verdict}"),
            figure(part.column, series, ranges_of(boards, part.column), number))
        for number, (part, series) in enumerate(zip(parts, series_of(analysis.db, parts, segments, MARKS), strict=True))
    ]  # fmt: skip
    words = "; ".join(f"{part.table.name}.{part.column.label}: {part.column.verdict}" for part in parts)
    return Plot(joined(drawn), f"<plots of {words}>")


def _tables(analysis: Analysis, table: str | None) -> list[TableReport]:
    found = [report for report in analysis.table_reports if table in (None, report.name)]
    if not found:
        raise UsageError(f"there is no table {table!r}", hint="the tables are " + ", ".join(analysis.tables))
    return found
