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
from bench.readers.records import RAGGED, REPEATED
from bench.source import WHOLE_BYTES, Source

_NUMBERS = itertools.count()  # of files in the scratch folder
_MOST_TABLES = 500
_MOST_RUNS = 1000  # of quarantined lines, which are looked at for a table
_FEWEST_LINES = 5  # a preamble of so few lines is no table


def read_parts(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return the export's tables.

    Raises:
        ExportError: no text, or a text that can be read two ways with different numbers.
    """
    whole = read_text(source, options, content)
    delimiter = {**DELIMITERS, "space": " "}.get(str(whole.dialect["delimiter"]))
    if delimiter is None or not (_suspected(whole, content) or _below_table(whole, content, delimiter)):
        return whole
    text = open_text(source, encoding=options.encoding, content=content)
    lines = Lines(text)
    found = {*_begins(whole, text, lines, delimiter, searched=options.header_rows is None)}
    if options.header_rows is None and _below_table(whole, content, delimiter):
        found.add(lines.offset(_first_line(whole)))
    begins = sorted(found - {text.start})
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
        if number > 1 and cuts.is_units(text, begin, delimiter):
            parts[-1] = _renamed(parts[-1], parts[0])
    return _joined(whole, parts)


def _suspected(whole: Export, content: Content) -> bool:
    """Return whether there may be more than one table. In a short text blank lines may be above the table as well."""
    counts = whole.dialect["lines"]
    assert isinstance(counts, dict)
    short = content.data is not None and len(content.data) <= head.HEAD_BYTES
    return short or bool(counts["blank"] or counts["quarantined"])


def _first_line(whole: Export) -> int:
    """Return the line behind the preamble."""
    counts = whole.dialect["lines"]
    assert isinstance(counts, dict)
    return int(counts["preamble"]) + 1


def _below_table(whole: Export, content: Content, delimiter: str) -> bool:
    """Return whether what was taken for the preamble is a table: columns were added to a log that went on."""
    line = _first_line(whole)
    if line < _FEWEST_LINES:
        return False
    encoding = "utf-8-sig" if whole.dialect["encoding"] == "utf-8" else str(whole.dialect["encoding"])
    above = cuts.LINE_END.split(content.head(head.HEAD_BYTES).decode(encoding, "replace"))[: line - 1]
    return cuts.is_table(head.records(above, delimiter))


def _begins(whole: Export, text: Text, lines: Lines, delimiter: str, *, searched: bool) -> Iterator[int]:
    tagged = cuts.blocks(text)
    if tagged:
        yield from tagged
        return
    further = whole.dialect.get("further_headers", [])
    assert isinstance(further, list)
    repeated = set(whole.tables[0].quarantine.filter(pl.col("reason") == REPEATED).get_column(LINE))
    for line in further:
        if cuts.has_values(text, lines.offset(line), delimiter):
            yield lines.offset(line - 1 if line - 1 in repeated else line)  # the same names above other units
    for line in repeated:  # the first table's again, below another one
        below = further and line > min(further) and line + 1 not in further and line - 1 not in repeated
        if below and cuts.has_values(text, lines.offset(line), delimiter):
            yield lines.offset(line)
    ragged = whole.tables[0].quarantine.filter(pl.col("reason").str.contains(RAGGED)).get_column(LINE)
    runs = ragged.filter(ragged.diff().fill_null(2) != 1).head(_MOST_RUNS)
    yield from (
        offset for offset in map(lines.offset, runs) if delimiter != " " and cuts.begins(text, offset, delimiter)
    )
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


def _renamed(part: Export, first: Export) -> Export:
    """Return a part that begins with a row of units alone under the names that stand above the first one."""
    table, names_of = part.tables[0], first.tables[0].columns
    if len(table.columns) != len(names_of):
        return part
    columns = tuple(
        replace(named, units_row=column.text or None) for named, column in zip(names_of, table.columns, strict=True)
    )
    frame = table.frame.rename({old.name: new.name for old, new in zip(table.columns, columns, strict=True)})
    return replace(part, tables=(replace(table, frame=frame, columns=columns, plain=None),))


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
