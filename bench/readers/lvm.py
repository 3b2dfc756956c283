"""LabVIEW measurement files: two header blocks, each ended by `***End_of_Header***`, then channels as columns.

The header says the separator and the decimal mark, so nothing is guessed. A line may leave out its comment. A file
written in several pieces has a header block and a table for each. Channels may be declared with no samples: they are
empty columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bench.export import Export, RawTable
from bench.readers import names
from bench.readers.content import Content
from bench.readers.delimited import read_rows
from bench.readers.encoding import Text, open_text
from bench.readers.formats import unreadable
from bench.readers.options import ReadOptions
from bench.readers.plain import Shape
from bench.readers.records import Tally
from bench.source import Source
from guards import ExportColumn

_END = "***End_of_Header***"
_MARK = _END.encode()
_SEPARATORS = ((",", "Comma"), (";", "Semicolon"))


@dataclass(frozen=True, slots=True)
class _Segment:
    keys: dict[str, list[str]]
    names: list[str]
    names_line: int  # within the segment's text
    start: int
    end: int
    first_line: int


def read_lvm(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a measurement file's tables, one for each header block of channels.

    Raises:
        ExportError: the header has no end, or names no channels.
    """
    text = open_text(source, encoding=options.encoding, content=content)
    data = bytes(text.data)
    first = data.find(_MARK)
    if first < 0:
        raise unreadable(source, "a LabVIEW measurement file", f"no line says {_END}", line=1)
    head = data[text.start : first].decode("utf-8", "replace")
    delimiter = next((mark for mark, word in _SEPARATORS if re.search(rf"(?m)^Separator\W+{word}\b", head)), "\t")
    separated = next((mark for mark in (delimiter, "\t") if f"Separator{mark}" in head), "\t")
    declared = _keys(head.splitlines(), separated)
    decimal = options.decimal or _one(declared, "Decimal_Separator") or "."
    base = options.table or names.table_name(Path(content.name))
    tables, tallies = [], []
    for number, segment in enumerate(_segments(source, data, first, delimiter), start=1):
        table, tally = _table(
            source, text, data, segment, delimiter, base if number == 1 else f"{base}_{number}", decimal
        )
        tables.append(table)
        tallies.append(tally)
    if not tables:
        raise unreadable(source, "a LabVIEW measurement file", "no channels follow its header", line=1)
    metadata = {key: ", ".join(filter(None, values)) for key, values in declared.items()}
    return Export(
        path=source.path, format="lvm", tables=tuple(tables), source=source, metadata=metadata,
        dialect={
            "delimiter": "tab" if delimiter == "\t" else delimiter, "decimal": decimal, "encoding": text.encoding,
            "rows": sum(tally.rows for tally in tallies), "blank_lines": sum(tally.blank_lines for tally in tallies),
            "quarantined": sum(tally.quarantined for tally in tallies),
        },
    )  # fmt: skip


def _keys(lines: list[str], delimiter: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        cells = line.split(delimiter)
        if len(cells) > 1 and cells[0].strip():
            found[cells[0].strip()] = [cell.strip() for cell in cells[1:]]
    return found


def _one(keys: dict[str, list[str]], name: str) -> str:
    return next(iter(keys.get(name, [])), "")


def _segments(source: Source, data: bytes, first: int, delimiter: str) -> list[_Segment]:
    """Return the blocks of channels: from behind one end of header to the next block's `Channels` line."""
    marks = [found.start() for found in re.finditer(re.escape(_MARK), data)]
    found: list[_Segment] = []
    previous = first + len(_MARK)
    for number, mark in enumerate(marks[1:]):
        if b"Channels" not in data[previous:mark]:
            raise unreadable(
                source, "a LabVIEW measurement file", "a header block names no channels",
                line=data.count(b"\n", 0, mark) + 1,
            )  # fmt: skip
        begin = data.rfind(b"Channels", previous, mark)
        notes = data.rfind(b"Notes", previous, begin)
        begin = notes if notes >= 0 and data.count(b"\n", notes, begin) == 1 else begin
        if number and found:
            found[-1] = _until(found[-1], begin)
        keys = _keys(data[begin:mark].decode("utf-8", "replace").splitlines(), delimiter)
        line_end = data.find(b"\n", mark)
        names_start = line_end + 1 if line_end >= 0 else len(data)
        names_end = data.find(b"\n", names_start)
        names_end = len(data) if names_end < 0 else names_end + 1
        row = data[names_start:names_end].decode("utf-8", "replace").rstrip("\r\n").split(delimiter)
        line = data.count(b"\n", 0, names_end) + 1
        found.append(_Segment(keys, row, line - 1, names_end, len(data), line))
        previous = mark + len(_MARK)
    return found


def _until(segment: _Segment, end: int) -> _Segment:
    return _Segment(segment.keys, segment.names, segment.names_line, segment.start, end, segment.first_line)


def _table(
    source: Source, text: Text, data: bytes, segment: _Segment, delimiter: str, name: str, decimal: str
) -> tuple[RawTable, Tally]:
    cells = segment.names[:-1] if segment.names and not segment.names[-1].strip() else segment.names
    unique = names.column_names(cells)
    optional = 1 if cells and cells[-1].strip().lower() == "comment" else 0
    shape = Shape(delimiter, len(unique), unique, optional=optional)
    piece = Text(data[segment.start : segment.end], None, 0, text.encoding)
    rows = read_rows(piece, source, 1, shape, number_from=segment.first_line)
    units = _units(segment.keys, cells)
    table = RawTable(
        name=name, frame=rows.frame, rows_read=rows.tally.rows + rows.tally.quarantined,
        columns=tuple(ExportColumn(*both) for both in zip(unique, cells, units, strict=True)),
        quarantine=rows.quarantine, decimal=decimal,
    )  # fmt: skip
    return table, rows.tally


def _units(keys: dict[str, list[str]], cells: list[str]) -> list[str | None]:
    """Return units by column: `Y_Unit_Label` stands in the channel's own column, whichever have an X of their own.

    An X column whose dimension is time is in seconds.
    """
    labels, dimensions = ["", *keys.get("Y_Unit_Label", [])], keys.get("X_Dimension", [])
    found: list[str | None] = []
    for at, cell in enumerate(cells):
        if cell.strip().startswith("X_Value"):
            found.append("s" if dimensions[:1] == ["Time"] else None)
        else:
            label = labels[at] if at < len(labels) and cell.strip() not in ("", "Comment") else ""
            found.append(label or None)
    return found
