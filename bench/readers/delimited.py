"""Delimited text: find the dialect in the head, prove the rest plain or read it with care, account for every line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from bench.errors import EnvironmentProblem, ExportEmpty, ExportError
from bench.export import QUARANTINE_SCHEMA, Export, PlainText, RawTable, no_quarantine
from bench.readers import cells, decimals, dialect, head, indexed, layout, names, plain, preambles
from bench.readers.content import Content
from bench.readers.encoding import NotUtf8, Text, open_text
from bench.readers.options import ReadOptions
from bench.readers.plain import Shape
from bench.readers.records import Careful, Piece, Tally
from bench.readers.second import expected
from bench.source import Source
from guards import ExportColumn

NO_DELIMITER = "\x1f"  # a one-column file: commas in its lines are text
_IN_MEMORY_BYTES = 64 << 20
_NUMBERS = itertools.count()  # of files in the scratch folder, which the tables of one export share
_MOST_COLUMNS = 10_000
_LONG_HEAD = 16  # times the usual head


@dataclass(frozen=True, slots=True)
class Rows:
    """A table's rows, where their lines went, and by which path they were read."""

    frame: pl.LazyFrame
    quarantine: pl.DataFrame
    tally: Tally
    path: str
    plain: PlainText | None = None


def read_delimited(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return the export's table. `content` is what was in the file's wrapping, if it had one.

    Raises:
        ExportError: no text, or a text that can be read two ways with different numbers.
    """
    text = open_text(source, encoding=options.encoding, content=content, whole=False)
    try:
        return _read(source, options, content, text)
    except NotUtf8:
        return _read(source, options, content, open_text(source, encoding=options.encoding, content=content))


def _read(source: Source, options: ReadOptions, content: Content, text: Text) -> Export:
    found, records, shape_of, character = _understood(source, text, options)
    if shape_of.unsure is not None:
        raise indexed.ambiguous(*shape_of.unsure, source.path)
    columns = _columns(shape_of)
    shape = Shape(
        character, shape_of.width + shape_of.trailing, tuple(column.name for column in columns), shape_of.comment,
        shape_of.header_texts,
    )  # fmt: skip
    if shape_of.lean and character != " ":
        end = f"{re.escape(character)}{cells.NUMBER_AT_END}"
        shape = replace(shape, optional=1, short_end=end)
    if options.header_rows != 0:
        like = expected(_body(records, shape_of), shape_of.numbers, shape_of.names)
        shape = replace(shape, expected=like)
    rows = _loaded(text, source, shape_of.data_line, shape, records, columns) or read_rows(
        text, source, shape_of.data_line, shape
    )
    decimal, why = (options.decimal, None) if options.decimal else _decimal(rows, records, shape_of, shape, source.path)
    table = RawTable(
        name=options.table or names.table_name(Path(content.name)), frame=rows.frame, columns=columns,
        rows_read=rows.tally.rows + rows.tally.quarantined, quarantine=rows.quarantine, decimal=decimal,
        plain=rows.plain if decimal == "." else None,
    )  # fmt: skip
    return Export(
        path=source.path, format="delimited", dialect=_dialect(text, found, shape_of, shape, rows, decimal, why),
        tables=(table,), source=source, metadata=shape_of.metadata,
    )  # fmt: skip


def _understood(
    source: Source, text: Text, options: ReadOptions
) -> tuple[dialect.Delimiter, list[head.Record], layout.Layout, str]:  # fmt: skip
    """Return delimiter, head and layout. Where the head holds no values, a preamble may be longer than it: look on."""
    for factor in (1, _LONG_HEAD):
        lines, whole = head.head_lines(text, factor)
        told = dialect.told(lines)
        if not any(line.strip() for line in lines[1 if told else 0 :]):
            if not whole and factor == 1:
                continue
            raise ExportEmpty(
                "the file holds no lines of text", file=source.path, hint="export it again from the bench."
            )  # fmt: skip
        _refuse_endless(source, lines, whole=whole)
        found = dialect.sniff(lines[1:] if told else lines, options.delimiter or told)
        if found.width > _MOST_COLUMNS:
            raise ExportError(
                f"its lines have {found.width} fields, and a table may have {_MOST_COLUMNS} columns",
                file=source.path,
                hint="export each reading as a row of its own, or name the right --delimiter.",
            )
        character = found.character if found.width > 1 or options.delimiter else NO_DELIMITER
        if character == " ":
            lines = [dialect.single_spaced(line, found.width) for line in lines]
        records = head.records(lines, character)
        laid = layout.find(records[1:] if told else records, delimiter=character, header_rows=options.header_rows)
        if whole or laid.axes:
            break
    return found, records, laid, character


def _refuse_endless(source: Source, lines: list[str], *, whole: bool) -> None:
    if not whole and len(lines) < 2:
        raise ExportError(
            "its first line does not end within the first MB, so this is no table of lines",
            file=source.path,
            line=1,
            hint="check that it is an export; export it again as text with a line for each row.",
        )


def _columns(found: layout.Layout) -> tuple[ExportColumn, ...]:
    unique = names.column_names(found.names)
    units = found.units or (None,) * found.width
    preamble = preambles.units(found.metadata, unique, found.axes)
    return tuple(
        ExportColumn(name, text, (unit.strip() or None) if unit is not None else None, preamble.get(name))
        for name, text, unit in zip(unique, found.names, units, strict=True)
    )


def _loaded(
    text: Text, source: Source, data_line: int, shape: Shape, records: list[head.Record],
    columns: tuple[ExportColumn, ...],
) -> Rows | None:  # fmt: skip
    """Return rows that somebody loads while they are proved plain here, None where they are not, or nobody does."""
    start = _offset(text, data_line)
    stored = plain.in_file(text, start, data_line, shape)
    first = [record.cells for record in records if record.line >= data_line]
    exact = all(len(row) == shape.fields for row in first) and shape.fields > 1 and not shape.optional
    if source.begin_load is None or stored is None or not exact or not _lines_end_in_lf(text, start, data_line):
        return None
    top = pl.DataFrame(first, schema=dict.fromkeys(shape.columns, pl.String), orient="row")
    loaded = source.begin_load(stored, top.with_columns(pl.all().replace("", None)), columns)
    proof = plain.prove(text, start, shape)
    if proof is None or loaded() != proof.rows:
        return None
    return _proved(plain.scan(text, start, data_line, shape), proof, stored)


def _proved(frame: pl.LazyFrame, proof: plain.Proof, stored: PlainText | None) -> Rows:
    found = None if stored is None else replace(stored, underscores=proof.underscores)
    return Rows(frame, no_quarantine(), Tally(rows=proof.rows, row_lines=proof.rows), "plain", found)


def read_rows(text: Text, source: Source, data_line: int, shape: Shape, *, number_from: int | None = None) -> Rows:
    """Return the rows from line `data_line` on, by the fast path where the text is proved plain.

    `number_from` is the number of that line in the file, where the text is only a piece of it.
    """
    start, first_line = _offset(text, data_line), number_from or data_line
    if text.path is None or _lines_end_in_lf(text, start, data_line):
        for narrow in _plain_shapes(text, start, shape):
            proof = plain.prove(text, start, narrow)
            if proof is not None:
                missing = [pl.lit(None, pl.String).alias(name) for name in shape.columns[len(narrow.columns) :]]
                frame = plain.scan(text, start, first_line, narrow).with_columns(missing)
                stored = None if missing else plain.in_file(text, start, first_line, narrow)
                return _proved(frame, proof, stored)
    return read_careful(text, source, start, first_line, shape)


def _plain_shapes(text: Text, start: int, shape: Shape) -> Iterator[Shape]:
    """Yield the shapes that a plain text could have: without its optional columns, with quoted columns."""
    quoted = text.data.find(b'"', start, start + (1 << 16)) >= 0
    for columns in dict.fromkeys((shape.columns, shape.columns[: len(shape.columns) - shape.optional])):
        fields = shape.fields - len(shape.columns) + len(columns)
        yield replace(shape, columns=columns, fields=fields, quoted=quoted)


def read_careful(text: Text, source: Source, start: int, data_line: int, shape: Shape) -> Rows:
    """Return the rows by the careful path, kept in the scratch folder if they are many."""
    text.check()
    careful = Careful(text, start, data_line, shape)
    store = _Store(source, shape)
    store.take(careful.pieces())
    return Rows(store.frame(), store.quarantined(), careful.tally, "careful")


class _Store:
    """Collects pieces: in memory while they are small, as Parquet files in the scratch folder beyond that."""

    def __init__(self, source: Source, shape: Shape, *, in_memory_bytes: int = _IN_MEMORY_BYTES) -> None:
        self._in_memory_bytes = in_memory_bytes
        self._source = source
        self._shape = shape
        self._frames: list[pl.DataFrame] = []
        self._files: list[Path] = []
        self._refused: list[pl.DataFrame] = []

    def take(self, pieces: Iterator[Piece]) -> None:
        size = 0
        for piece in pieces:
            if piece.kept.height:
                self._frames.append(piece.kept)
                size += int(piece.kept.estimated_size())
            if piece.quarantine.height:
                self._refused.append(piece.quarantine)
            if size > self._in_memory_bytes:
                self._spill()
                size = 0

    def _spill(self) -> None:
        path = self._source.scratch() / f"rows-{next(_NUMBERS)}.parquet"
        try:
            pl.concat(self._frames).write_parquet(path, compression="lz4")
        except (OSError, pl.exceptions.ComputeError) as problem:
            raise EnvironmentProblem(
                f"the rows could not be kept in {path.parent} ({problem})",
                hint="free space there, or point TMPDIR elsewhere.",
            ) from problem
        self._files.append(path)
        self._frames = []

    def frame(self) -> pl.LazyFrame:
        schema = {"_row": pl.Int64, "_line": pl.Int64, **dict.fromkeys(self._shape.columns, pl.String)}
        rest = pl.concat(self._frames, rechunk=True) if self._frames else pl.DataFrame(schema=schema)
        if not self._files:
            return rest.lazy()
        return pl.concat([pl.scan_parquet(self._files, glob=False), rest.lazy()])

    def quarantined(self) -> pl.DataFrame:
        return pl.concat(self._refused).cast(QUARANTINE_SCHEMA) if self._refused else no_quarantine()


def _offset(text: Text, line: int) -> int:
    """Return the byte at which a line (1-based) begins."""
    if line == 1:
        return text.start
    return next(itertools.islice(head.line_ends(text.data, text.start), line - 2, None), len(text.data))


def _lines_end_in_lf(text: Text, start: int, data_line: int) -> bool:
    """Return whether polars counts the lines before `start` as this module does (it knows LF only)."""
    return bytes(text.data[:start]).count(b"\n") == data_line - 1


def _decimal(
    rows: Rows, records: list[head.Record], found: layout.Layout, shape: Shape, path: Path
) -> tuple[str, str | None]:  # fmt: skip
    body = _body(records, found)
    if shape.delimiter == ",":
        _refuse_double_comma(records, found, path)
        if rows.path == "plain":
            return ".", None  # no comma is within a cell
    complete = len(body) >= rows.tally.rows
    date = decimals.dotted_date(records, shape.delimiter)
    return decimals.decimal_mark(rows.frame, shape.columns, body, path, complete=complete, date=date)


def _body(records: list[head.Record], found: layout.Layout) -> list[head.Record]:
    return [record for record in records if record.line >= found.data_line]


def _refuse_double_comma(records: list[head.Record], found: layout.Layout, path: Path) -> None:
    """Refuse a comma that is both delimiter and decimal mark: the rows have more fields than the header has names."""
    filled = [record for record in records if not record.blank]
    above = [record for record in filled if record.line < found.data_line]
    body = [record for record in filled if record.line >= found.data_line]
    if not above and body and cells.kind(body[0].cells[0]) == "text":
        above, body = body[:1], body[1:]  # names that are numbers, and too few of them, were no header: "Time(s),0,1"
    if not above:
        return
    names_row = above[-1]
    wide = [record for record in body if record.width > names_row.width and _whole_numbers(record)]
    if wide and len(wide) * 2 > len(body):
        sample = wide[0]
        raise ExportError(
            f"a comma is both the delimiter and the decimal mark: {sample.text[:80]!r} has {sample.width} fields under "
            f"{names_row.width} names", file=path, line=sample.line,
            hint="export again with a semicolon or tab as delimiter, or a point as decimal mark.",
        )  # fmt: skip


def _whole_numbers(record: head.Record) -> bool:
    return all(cell.strip().lstrip("+-").isdigit() for cell in record.cells[: record.width])


def _dialect(
    text: Text, found: dialect.Delimiter, laid: layout.Layout, shape: Shape, rows: Rows, decimal: str, why: str | None
) -> dict[str, object]:  # fmt: skip
    tally = rows.tally
    said: dict[str, object] = {
        "delimiter": dialect.name_of(found.character) if shape.delimiter != NO_DELIMITER else None,
        "delimiter_why": found.why, "encoding": text.encoding, "decimal": decimal,
        "header_line": laid.header_line, "header_lines": laid.header_lines, "header_why": laid.evidence,
        "units_row": laid.units is not None, "comment": laid.comment, "trailing_delimiter": laid.trailing > 0,
        "path": rows.path,
        "lines": {
            "preamble": laid.preamble_lines, "header": laid.header_lines, "rows": tally.row_lines,
            "quarantined": tally.quarantined_lines, "blank": tally.blank_lines, "comment": tally.comment_lines,
            "between": laid.data_line - 1 - laid.preamble_lines - laid.header_lines,
        },
    }  # fmt: skip
    if why is not None:
        said["decimal_why"] = why
    if text.note:
        said["encoding_note"] = text.note
    if tally.trimmed_rows:
        said["rows_trimmed"] = tally.trimmed_rows
    if tally.headers:
        said["further_headers"] = tally.headers
    if laid.others:
        said["header_rows"] = {what: list(row) for what, row in laid.others.items()}
    return said
