"""Several tables in one text or sheet, one below the other: each is a table of its own (cuts.py says where it begins).

Only what the reader of one table met says that there may be more: blank lines, lines of another width, a further
header. So a plain text is not searched.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from bench.errors import EnvironmentProblem, ExportError
from bench.export import LINE, Export, RawTable
from bench.readers import cuts, head, names
from bench.readers.content import Content
from bench.readers.dialect import DELIMITERS
from bench.readers.encoding import Text, open_text
from bench.readers.footers import read_text
from bench.readers.lines import Lines
from bench.readers.options import ReadOptions
from bench.source import WHOLE_BYTES, Source

_NUMBERS = itertools.count()  # of files in the scratch folder
_MOST_TABLES = 500


def read_parts(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return the export's tables.

    Raises:
        ExportError: no text, or a text that can be read two ways with different numbers.
    """
    whole = read_text(source, options, content)
    delimiter = {**DELIMITERS, "space": " "}.get(str(whole.dialect["delimiter"]))
    if delimiter is None or not _suspected(whole, content):
        return whole
    text = open_text(source, encoding=options.encoding, content=content)
    lines = Lines(text)
    begins = sorted({*_begins(whole, text, lines, delimiter, searched=options.header_rows is None)} - {text.start})
    if not begins:
        return whole
    if len(begins) >= _MOST_TABLES:
        raise ExportError(
            f"the file holds {len(begins) + 1} tables one below the other, and an export may have {_MOST_TABLES}",
            file=source.path, line=lines.number(begins[0]),
            hint="export each measurement to a file of its own, or all of them as one table.",
        )  # fmt: skip
    base = options.table or names.table_name(Path(content.name))
    source.begin_load = None  # what could be loaded at once is one table
    parts: list[Export] = []
    for number, (begin, end) in enumerate(itertools.pairwise([text.start, *begins, len(text.data)]), start=1):
        given = replace(
            options, table=base if number == 1 else f"{base}_{number}", delimiter=delimiter, encoding="utf-8"
        )
        part = Content(content.name, *_held(source, text, begin, end))
        parts.append(_read(source, given, part, lines.number(begin) - 1))
    return _joined(whole, parts)


def _suspected(whole: Export, content: Content) -> bool:
    """Return whether there may be more than one table. In a short text blank lines may be above the table as well."""
    counts = whole.dialect["lines"]
    assert isinstance(counts, dict)
    short = content.data is not None and len(content.data) <= head.HEAD_BYTES
    return short or bool(counts["blank"] or counts["quarantined"])


def _begins(whole: Export, text: Text, lines: Lines, delimiter: str, *, searched: bool) -> Iterator[int]:
    tagged = cuts.blocks(text)
    if tagged:
        yield from tagged
        return
    further = whole.dialect.get("further_headers", [])
    assert isinstance(further, list)
    yield from (offset for offset in map(lines.offset, further) if cuts.has_values(text, offset, delimiter))
    start = whole.dialect["header_line"]
    if searched and delimiter != " ":
        yield from cuts.gaps(text, lines, delimiter, start if isinstance(start, int) else 1)


def _held(source: Source, text: Text, begin: int, end: int) -> tuple[bytes | None, Path | None]:
    """Return a part of the text in memory, or in a scratch file if it is large."""
    if end - begin <= WHOLE_BYTES:
        return bytes(text.data[begin:end]), None
    path = source.scratch() / f"part-{next(_NUMBERS)}.utf8"
    try:
        with path.open("wb") as file:
            for position in range(begin, end, WHOLE_BYTES):
                file.write(text.data[position : min(position + WHOLE_BYTES, end)])
    except OSError as problem:
        raise EnvironmentProblem(
            f"a part of the text could not be kept in {path.parent} ({problem.strerror})",
            hint="free space there, or point TMPDIR elsewhere.",
        ) from problem
    text.release()
    return None, path


def _read(source: Source, options: ReadOptions, content: Content, above: int) -> Export:
    """Return one part, its text `above` lines down in the file."""
    try:
        found = read_text(source, options, content)
    except ExportError as problem:
        if problem.line is not None:
            problem.line += above
        raise
    return replace(found, tables=tuple(_moved(table, above) for table in found.tables))


def _moved(table: RawTable, lines: int) -> RawTable:
    frame = table.frame.with_columns(pl.col(LINE) + lines)
    quarantine = table.quarantine.with_columns(pl.col(LINE) + lines)
    return RawTable(table.name, frame, table.columns, table.rows_read, quarantine, table.decimal)


def _joined(whole: Export, parts: list[Export]) -> Export:
    counts = [part.dialect["lines"] for part in parts]
    total = {key: sum(found[key] for found in counts if isinstance(found, dict)) for key in dict.fromkeys(
        key for found in counts if isinstance(found, dict) for key in found
    )}  # fmt: skip
    metadata = dict(parts[0].metadata)
    for part in parts[1:]:
        for key, value in part.metadata.items():
            if metadata.setdefault(key, value) != value:
                metadata[f"{part.tables[0].name}: {key}"] = value
    dialect = {
        **parts[0].dialect, "encoding": whole.dialect["encoding"], "lines": total,
        "tables_below": [dict(part.dialect) for part in parts[1:]],
    }  # fmt: skip
    return replace(whole, tables=tuple(table for part in parts for table in part.tables), dialect=dialect,
                   metadata=metadata)  # fmt: skip
