"""Quarantined lines that a person has released: they are rows after all, and the guard judges them like any other.

A release is bound to the export's bytes and to one line. The line's own fields become the cells, those that it lacks at
its end are empty; a line with more fields than the table has columns stays where it is, because nobody can tell which
of them belong where.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from bench.errors import UsageError
from bench.export import LINE, ROW, Export, RawTable
from bench.readers import fields
from bench.readers.dialect import DELIMITERS
from guards import Approval


@dataclass(frozen=True, slots=True)
class Release:
    """A person's word that the quarantined record at `line` (1-based, of the file) is a row. `who` and `why`: for the
    record."""

    line: int
    who: str
    why: str


Word = Approval | Release
"""What a person may say about an export."""


def release(export: Export, words: Sequence[Word]) -> Export:
    """Return the export with the released lines as rows; `dialect["released"]` lists them, `row` None if not used.

    Raises:
        UsageError: a line cannot be a row (see `cells_of`).
    """
    given = {word.line: word for word in words if isinstance(word, Release)}
    if not given:
        return export
    tables = tuple(_with_rows(export, table, set(given)) for table in export.tables)
    used = {line: row for table in export.tables for row, line in table.quarantine.select(ROW, LINE).iter_rows()}
    said = [{"line": line, "row": used.get(line), "who": w.who, "why": w.why} for line, w in sorted(given.items())]
    dialect = {**export.dialect, "released": said}
    if isinstance(lines := dialect.get("lines"), dict):
        moved = sum(_height(table, set(given)) for table in export.tables)
        dialect["lines"] = {**lines, "rows": lines["rows"] + moved, "quarantined": lines["quarantined"] - moved}
    return replace(export, tables=tables, dialect=dialect)


def cells_of(export: Export, line: int) -> dict[str, str | None]:
    """Return {column: cell} that a quarantined line would give; None where it is empty.

    Raises:
        UsageError: the line is not in quarantine, has more fields than there are columns, or is no delimited text.
    """
    for table in export.tables:
        found = table.quarantine.filter(pl.col(LINE) == line)
        if found.height:
            return dict(zip([column.name for column in table.columns], _cells(export, table, found, 0), strict=True))
    lines = [str(number) for table in export.tables for number in table.quarantine[LINE]]
    shown = ", ".join(lines[:12]) + (f" and {len(lines) - 12} more" if len(lines) > 12 else "")
    raise UsageError(
        f"line {line} is not in quarantine", file=export.path, hint=f"quarantined here: {shown or 'nothing'}"
    )


def _with_rows(export: Export, table: RawTable, lines: set[int]) -> RawTable:
    found = table.quarantine.filter(pl.col(LINE).is_in(lines))
    if not found.height:
        return table
    columns = [column.name for column in table.columns]
    rows = pl.DataFrame(
        [_cells(export, table, found, number) for number in range(found.height)],
        schema=dict.fromkeys(columns, pl.String), orient="row",
    )  # fmt: skip
    numbered = pl.concat([found.select(ROW, LINE), rows], how="horizontal")
    frame = table.frame.select(ROW, LINE, *columns).merge_sorted(numbered.lazy(), key=ROW)
    left = table.quarantine.filter(~pl.col(LINE).is_in(lines))
    return replace(table, frame=frame, quarantine=left, plain=None)


def _cells(export: Export, table: RawTable, found: pl.DataFrame, number: int) -> list[str | None]:
    delimiter = DELIMITERS.get(str(export.dialect.get("delimiter")))
    line, text = found[LINE][number], found["text"][number]
    if delimiter is None:
        raise UsageError(
            "only a line of delimited text can be released", file=export.path, line=line,
            hint="mend the export and read it again",
        )  # fmt: skip
    cells = [cell or None for cell in fields.split(text, delimiter)]
    width = len(table.columns)
    if any(cells[width:]):
        raise UsageError(
            f"it has {len(cells)} fields, and the table has {width} columns: which belong where is in no file",
            file=export.path, line=line, hint="mend that line in a copy of the export, and read the copy",
        )  # fmt: skip
    return (cells + [None] * width)[:width]


def _height(table: RawTable, lines: set[int]) -> int:
    """Return how many lines of the file the released records span."""
    texts = table.quarantine.filter(pl.col(LINE).is_in(lines))["text"]
    return sum(text.count("\n") + 1 for text in texts)
