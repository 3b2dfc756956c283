"""What must be said beside a figure: which refused or unverified columns it rests on, and which corrections apply.

Silence is never a pass (design.md, promise 8), and the sandbox cannot know verdicts: this is where a run's `reads`
meet the guard's report. A read whose column is unknown (null or `*`) counts as a read of every column of its table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from guards import ColumnReport, TableReport

_OWN_PARTS = re.compile(r"\b(_engine|_bridge|bench_sandbox|note_reads|pyodide\w*)\b")


def touches_the_account(code: str) -> bool:
    """Return whether a snippet names the sandbox's own parts, which keep the account of what is read.

    What it may have changed there lasts as long as its process: until then every column counts as read. (A snippet that
    hides even those names can hide a read, but not what it reads: a refused column is null in the sandbox.)
    """
    return bool(_OWN_PARTS.search(code))


def every_column(tables: Iterable[TableReport]) -> list[dict[str, str]]:
    """Return reads that name every column of the tables."""
    return [{"table": table.name, "column": name} for table in tables for name in _names(table)]


def _names(table: TableReport) -> Iterable[str]:
    return dict.fromkeys(column.name for column in table.columns)


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column's report (or that of one of its measurements or segments) with the table that it stands in."""

    table: TableReport
    report: ColumnReport

    @property
    def name(self) -> str:
        """The column as `table.column`, with measurement and segment."""
        return f"{self.table.name}.{self.report.label}"


def columns_read(tables: Iterable[TableReport], reads: Iterable[Mapping[str, object]]) -> list[ReadColumn]:
    """Return the reports of every column that a run read, in the tables' order."""
    by_table: dict[str, set[str] | None] = {}
    for read in reads:
        table, column = str(read.get("table")).lower(), read.get("column")
        known = by_table.setdefault(table, set())
        if column in (None, "*"):
            by_table[table] = None
        elif known is not None:
            known.add(str(column).lower())
    return [
        ReadColumn(table, column)
        for table in tables
        if table.name.lower() in by_table
        for column in table.columns
        if (wanted := by_table[table.name.lower()]) is None or column.name.lower() in wanted
    ]


def refused(columns: Iterable[ReadColumn]) -> list[ReadColumn]:
    """Return those with a refused verdict: their rows are null."""
    return [column for column in columns if column.report.verdict == "refused"]


def unverified(columns: Iterable[ReadColumn]) -> list[ReadColumn]:
    """Return the measured columns that no rule could judge."""
    return [column for column in columns if column.report.verdict == "unverified" and column.report.judged]


def warnings(columns: Sequence[ReadColumn]) -> list[str]:
    """Return the sentences that a run carries for the columns that it read."""
    lines = [
        f"{column.name} was refused and is null: {_rows(column.report.rows)} missing from every figure "
        f"that uses it ({column.report.reason.rstrip('.')})."
        for column in refused(columns)
    ]
    lines += [
        f"{column.name} is unverified: nothing in the export or the board profile could confirm its unit"
        f"{f' ({column.report.unit})' if column.report.unit else ''}."
        for column in unverified(columns)
    ]
    return lines + _quarantine(columns)


def _quarantine(columns: Sequence[ReadColumn]) -> list[str]:
    tables = {column.table.name: column.table for column in columns}
    return [
        f"{_rows(table.rows_quarantined)} of {table.name} {_are(table.rows_quarantined)} in quarantine "
        f"and in no figure (guard.quarantine has reason and text)."
        for table in tables.values()
        if table.rows_quarantined
    ]


def corrections(columns: Iterable[ReadColumn]) -> Iterator[str]:
    """Yield what the guard changed in the columns that a run read: one sentence each."""
    for column in columns:
        changed = column.report.verdict == "corrected"
        noted = notes(column.report)
        if changed or noted:
            text = column.report.reason if changed else ""
            yield f"{column.name}: {' '.join(filter(None, [text, noted]))}"


def notes(report: ColumnReport) -> str:
    """Return what the guard flagged in a column, in words; empty when there is nothing to say."""
    parts = []
    if report.sentinels:
        parts.append(f"{_count(report.sentinels, 'overload or sentinel reading')} cleared to null")
    if report.faults:
        one = report.faults == 1
        parts.append(
            f"{_count(report.faults, 'value')} out of range flagged as {'a fault' if one else 'faults'} and kept"
        )
    if not parts:
        return ""
    text = ", ".join(parts)
    return text[0].upper() + text[1:] + "."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _rows(number: int) -> str:
    return _count(number, "row")


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
