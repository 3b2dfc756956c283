"""Tables drawn with pipes and rules, as people paste them: Markdown, and what command-line tools print.

    | Serial | VOUT (V) |            Serial | VOUT (V)          +--------+----------+
    |--------|---------:|           --------+---------          | Serial | VOUT (V) |
    | SN1    | 4.993    |            SN1    | 4.993             +--------+----------+

The rule below the names is part of the header; the other rules, and the text around the table, are comments. Blanks
around a cell, and the marks that make it bold or code, are drawing and go. Boxes (`│ 4.993 │`) are the same in other
characters. A console that prints the first and last rows draws a row of dots for those between: it is quarantined.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from bench.export import LINE, Export, RawTable
from bench.readers import head, labels, names, preambles
from bench.readers.content import Content
from bench.readers.encoding import open_text
from bench.readers.footers import read_text
from bench.readers.options import ReadOptions
from bench.readers.parts import read_parts
from bench.readers.ruled import in_ascii, is_drawn, only_draws, rule
from bench.source import Source

_LINE_END = re.compile(r"\r+\n?|\n")
_PIPE = re.compile(r"(?<!\\)\|")
_MARKED = re.compile(r"^(\*\*|__|`)(?P<inner>(?:(?!\1).)+)\1$")
_COUNT = re.compile(r"^\s*\|\s*[\d,._]+ rows?\b[^|]*\|\s*$")  # DuckDB closes its box with it
_LEFT_OUT = re.compile(r"[.…·⋮:]+")
_NO_CELL = "\x1f"


@dataclass(frozen=True, slots=True)
class _Drawing:
    """One table: the lines (1-based) of its names, of the rule below them, of its rows, of rules elsewhere."""

    header: tuple[int, ...]
    rule: int
    rows: tuple[int, ...]
    borders: tuple[int, ...]


def read_bordered(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return the text's tables, one for each that is drawn.

    Raises:
        ExportError: no text, or a text that can be read two ways with different numbers.
    """
    text = open_text(source, encoding=options.encoding, content=content)
    lines = _LINE_END.split(bytes(text.data[text.start :]).decode("utf-8", "replace"))
    lines = lines if lines[-1] else lines[:-1]
    drawn = [in_ascii(line) for line in lines]
    drawings = list(_drawings(drawn))
    if not drawings:
        return read_parts(source, options, content)
    base = options.table or names.table_name(Path(content.name))
    counts: Counter[str] = Counter()
    tables: list[RawTable] = []
    for number, drawing in enumerate(drawings, start=1):
        given = replace(options, table=base if number == 1 else f"{base}_{number}", delimiter="\t", encoding="utf-8")
        read = _read(source, given, content.name, lines, drawing)
        tables += read.tables
        held = read.dialect["lines"]
        assert isinstance(held, dict)
        counts.update(held)
        counts["header"] += 1
        counts["comment"] += len(drawing.borders)
    first = drawings[0].header[0]
    taken = {line for found in drawings for line in (*found.header, found.rule, *found.rows, *found.borders)}
    prose = [(at, line) for at, line in enumerate(lines, start=1) if at not in taken]
    counts["preamble"] += sum(at < first for at, _ in prose)
    counts["blank"] += sum(at > first and not line.strip() for at, line in prose)
    counts["comment"] += sum(at > first and bool(line.strip()) for at, line in prose)
    said = [head.Record(at, 1, line, (line,)) for at, line in prose if not only_draws(line)]
    return Export(
        path=source.path, format="markdown", tables=tuple(tables), source=source,
        metadata=preambles.metadata(said, _NO_CELL),
        dialect={"delimiter": "pipe", "encoding": text.encoding, "header_line": first, "lines": dict(counts)},
    )  # fmt: skip


def _drawings(lines: Sequence[str]) -> Iterator[_Drawing]:
    begin = 0
    for end in range(len(lines) + 1):
        inside = end < len(lines) and ("|" in lines[end] or rule(lines[end]))
        closed = inside and end - 1 > begin and rule(lines[end]) and rule(lines[end - 1])  # the next one begins here
        if inside and not closed:
            continue
        found = _drawing(lines, begin, end)
        if found is not None:
            yield found
        begin = end if closed else end + 1


def _drawing(lines: Sequence[str], begin: int, end: int) -> _Drawing | None:
    """Return the table in these lines (0-based), which all hold a pipe or a rule; None if no rule is below a row."""
    rules = [at for at in range(begin, end) if rule(lines[at])]
    rows = [at for at in range(begin, end) if at not in rules]
    below = next((at for at in rules if rows and at > rows[0]), None)
    if below is None or not (is_drawn(lines[below]) or below == begin + 1):
        return None
    second = next((at for at in rules if at > below), None)
    if second is not None and rows and _are_types(lines, [at for at in rows if below < at < second]):
        below = second
    above, under = [at + 1 for at in rows if at < below], [at + 1 for at in rows if at > below]
    if under and _COUNT.match(lines[under[-1] - 1]) and len(_cells(lines[rows[0]])) > 1:
        under.pop()
    return _Drawing(tuple(above), below + 1, tuple(under), tuple(at + 1 for at in rules if at != below))


def _are_types(lines: Sequence[str], rows: Sequence[int]) -> bool:
    """Return whether the only row here says what the columns hold (`str`, `f64`), as polars prints it."""
    return len(rows) == 1 and labels.are_types(_cells(lines[rows[0]]))


def _read(source: Source, options: ReadOptions, name: str, lines: Sequence[str], drawing: _Drawing) -> Export:
    where = [*drawing.header, *drawing.rows]
    written = io.StringIO()
    rows = (_cells(in_ascii(lines[line - 1])) for line in where)
    csv.writer(written, delimiter="\t", lineterminator="\n").writerows(
        row[:1] if _left_out(row) else row for row in rows
    )
    content = Content(name, written.getvalue().encode("utf-8", "replace"), None)
    found = read_text(source, options, content)
    lines_above, at = found.dialect["header_lines"], found.dialect["header_line"]
    fewer = isinstance(lines_above, int) and lines_above < len(drawing.header)
    if (fewer or at != len(drawing.header)) and options.header_rows is None:
        found = read_text(source, replace(options, header_rows=min(len(drawing.header), 4)), content)
    return replace(found, tables=tuple(_placed(table, where, lines) for table in found.tables))


def _left_out(row: Sequence[str]) -> bool:
    """Return whether a row only says that rows are left out: it is no row, and its one cell is quarantined."""
    return len(row) > 1 and all(_LEFT_OUT.fullmatch(cell) for cell in row)


def _cells(line: str) -> list[str]:
    text = line.strip()
    if text.startswith("|"):
        text = text[1:-1] if text.endswith("|") and not text.endswith("\\|") and len(text) > 1 else text[1:]
    return [_plain(cell) for cell in _PIPE.split(text)]


def _plain(cell: str) -> str:
    text = cell.strip().replace("\\|", "|")
    marked = _MARKED.match(text)
    return marked["inner"].strip() if marked else text


def _placed(table: RawTable, where: Sequence[int], lines: Sequence[str]) -> RawTable:
    """Return a table with the lines that its rows have in the file, and quarantined rows as they stand there."""
    at = pl.Series(where, dtype=pl.Int64)
    frame = table.frame.collect()
    quarantine = table.quarantine.with_columns(at.gather(table.quarantine.get_column(LINE) - 1).alias(LINE))
    texts = pl.Series("text", [lines[line - 1] for line in quarantine.get_column(LINE)], dtype=pl.String)
    left_out = pl.Series([_left_out(_cells(in_ascii(text))) for text in texts], dtype=pl.Boolean)
    reason = pl.when(left_out).then(pl.lit("rows are left out here")).otherwise("reason").alias("reason")
    return RawTable(
        table.name, frame.with_columns(at.gather(frame.get_column(LINE) - 1).alias(LINE)).lazy(), table.columns,
        table.rows_read, quarantine.with_columns(texts, reason), table.decimal,
    )  # fmt: skip
