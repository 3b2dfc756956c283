"""Several tables in one text or sheet, one below the other with a blank line between: each is a table of its own.

A new table begins behind a blank line with a row of names, over two or more rows that hold a number in the same column.
Only texts that are a head as a whole are searched; in a longer one such lines are rows or quarantined, never lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from bench.export import LINE, Export, RawTable
from bench.readers import cells, head, labels, names
from bench.readers.content import Content
from bench.readers.footers import DELIMITERS, read_text
from bench.readers.head import Record
from bench.readers.options import ReadOptions
from bench.source import Source

_LINE_END = re.compile(r"\r+\n?|\n")
_GAP = re.compile(r'(?:\r|\n)[ ,;|\t"]*(?:\r|\n)')
_FEWEST_ROWS = 2
_FEWEST_ABOVE = 4  # what stands above the table that was found is a table of its own with so many rows


def read_parts(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return the export's tables.

    Raises:
        ExportError: no text, or a text that can be read two ways with different numbers.
    """
    whole = read_text(source, options, content)
    counts = whole.dialect["lines"]
    assert isinstance(counts, dict)
    delimiter = DELIMITERS.get(str(whole.dialect["delimiter"]))
    if content.data is None or len(content.data) > head.HEAD_BYTES or delimiter is None or options.header_rows:
        return whole
    encoding = "utf-8-sig" if whole.dialect["encoding"] == "utf-8" else str(whole.dialect["encoding"])
    text = content.data.decode(encoding, "replace").lstrip("\ufeff")
    if not _GAP.search(text):
        return whole
    lines = _LINE_END.split(text)
    start = whole.dialect["header_line"]
    cuts = _cuts(head.records(lines if lines[-1] else lines[:-1], delimiter), start if isinstance(start, int) else 1)
    if not cuts:
        return whole
    base = options.table or names.table_name(Path(content.name))
    tables: list[RawTable] = []
    dialects: list[dict[str, object]] = []
    metadata: dict[str, str] = {}
    for number, (begin, end) in enumerate(zip([1, *cuts], [*cuts, len(lines) + 1], strict=True), start=1):
        text = "\n".join(lines[begin - 1 : end - 1]) + ("\n" if end <= len(lines) else "")
        given = replace(
            options, table=base if number == 1 else f"{base}_{number}", delimiter=delimiter, encoding="utf-8"
        )
        part = read_text(source, given, Content(content.name, text.encode("utf-8", "replace"), None))
        tables.extend(_moved(table, begin - 1) for table in part.tables)
        dialects.append(dict(part.dialect))
        metadata = {**part.metadata, **metadata}
    held = [found for said in dialects if isinstance(found := said["lines"], dict)]
    total = {key: sum(found[key] for found in held) for key in counts}
    dialect = {**dialects[0], "encoding": whole.dialect["encoding"], "lines": total, "tables_below": dialects[1:]}
    return replace(whole, tables=tuple(tables), dialect=dialect, metadata=metadata)


def _cuts(records: Sequence[Record], start: int) -> list[int]:
    """Return the lines at which a further table begins."""
    found: list[int] = []
    segments = [at for at, record in enumerate(records) if _filled(record) and not (at and _filled(records[at - 1]))]
    above = [at for at in segments if records[at].line < start and _begins(records[at:], _FEWEST_ABOVE)]
    start = records[above[0]].line if above else start
    heads = [record.cells for record in records if record.line == start]
    rows = 0
    for at, record in enumerate(records):
        if record.line <= start or not _filled(record):
            continue
        if at in segments and rows >= _FEWEST_ROWS and record.cells not in heads and _begins(records[at:]):
            found.append(record.line)
            heads.append(record.cells)
            rows = 0
        else:
            rows += 1
    return found


def _filled(record: Record) -> bool:
    return not record.blank and record.width > 0


def _begins(records: Sequence[Record], fewest: int = _FEWEST_ROWS) -> bool:
    """Return whether a table begins here: names, then rows of which one column holds numbers only."""
    until = next((at for at, record in enumerate(records) if not _filled(record)), len(records))
    first, body = records[0], records[1:until]
    filled = first.cells[: first.width]
    if first.width < 2 or len(body) < fewest or any(row.width > first.width for row in body):
        return False
    if any(cells.kind(cell) != "text" for cell in filled) or labels.aggregate(first) or labels.limit_rows(records[:9]):
        return False
    return any(
        all(at < len(row.cells) and cells.kind(row.cells[at]) == "number" for row in body) for at in range(first.width)
    )


def _moved(table: RawTable, lines: int) -> RawTable:
    """Return a table whose text begins so many lines further down in the file."""
    frame = table.frame.with_columns(pl.col(LINE) + lines)
    quarantine = table.quarantine.with_columns(pl.col(LINE) + lines)
    return RawTable(table.name, frame, table.columns, table.rows_read, quarantine, table.decimal)
