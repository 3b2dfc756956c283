"""The fast path: a proof that the text is plain, then polars' own scan.

Plain means that every line is one record of exactly `width` unquoted fields. The proof is one pass over the bytes:
with everything deleted but delimiters, line ends, quotes and NULs, a plain text is one pattern (`,,,,,,\\n`) over and
over. That is exact, block by block, where counting delimiters would let a long row hide a short one. polars then
scans the file lazily as often as the guard likes, and cannot fail on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from bench.export import LINE, ROW, PlainText
from bench.readers.encoding import Text
from bench.readers.fields import split
from bench.readers.second import Expected

_BLOCK_BYTES = 1 << 20
_BEYOND_ASCII = bytes(range(0x80, 0x100))


@dataclass(frozen=True, slots=True)
class Shape:
    """What a record looks like: `fields` delimited fields, of which the first `columns` are columns of the table.

    The last `optional` columns may be missing from a line, which then ends in `short_end` (a pattern) if that is given.
    `quoted`: the same columns of each row are quoted.
    `expected`: what the first rows are like, for telling a second header; None where none is looked for.
    """

    delimiter: str
    fields: int
    columns: tuple[str, ...]
    comment: str | None = None
    header_texts: tuple[str, ...] = ()
    optional: int = 0
    short_end: str | None = None
    quoted: bool = False
    expected: Expected | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """What was seen of rows that are plain: how many there are, and how many underscores they have."""

    rows: int
    underscores: int = 0


def prove(text: Text, start: int, shape: Shape) -> Proof | None:
    """Return what there is from byte `start` on if all rows are plain, else None.

    With a shape that is `quoted`, the same columns are quoted in every row, and no quoted cell holds a delimiter, a
    line end or a quote.

    Raises:
        NotUtf8: the text is none; it was taken for it by its beginning.
    """
    if start >= len(text.data):
        text.check()
        return Proof(0)
    if shape.fields < 2 or shape.delimiter == " " or _begins_specially(text, start, shape):
        return None  # a blank line in one column is no row, and the pattern cannot tell it from one
    ending = b"\r\n" if text.data.find(b"\r\n", start, start + (1 << 20)) >= 0 else b"\n"
    cells = _first_row(text, start, shape) if shape.quoted else [b""] * shape.fields
    if len(cells) != shape.fields or (shape.quoted and not any(cells)):
        return None
    period = shape.delimiter.encode().join(cells) + ending
    seen = _repeats(text, start, period, shape)
    if seen is None or not (shape.fields == len(shape.columns) or _ends_empty(text, start, shape)):
        return None
    structural, underscores = seen
    rows, rest = divmod(structural, len(period))
    last = text.data[-1:]
    if rest == len(period) - len(ending) and rest and last != b"\r":
        rows += 1  # the last line has no line end
    elif rest or last != b"\n":
        return None
    if shape.quoted and not _quotes_enclose(text, start, rows * sum(map(bool, cells)), shape):
        return None
    return None if _holds_header(text, start, shape) else Proof(rows, underscores)


def _special(shape: Shape, watched: bytes = b"") -> list[bytes]:
    """Return how a line begins that is no row (a comment, or the header again), behind the end of the one before it.

    What has a watched byte is left out.
    """
    marks = [mark.encode() for mark in (shape.comment, *shape.header_texts) if mark is not None]
    return [b"\n" + mark for mark in marks if not set(mark) & set(watched)]


def _begins_specially(text: Text, start: int, shape: Shape) -> bool:
    return any(text.data[start : start + len(mark) - 1] == mark[1:] for mark in _special(shape))


def _repeats(text: Text, start: int, period: bytes, shape: Shape) -> tuple[int, int] | None:
    """Return how many structural bytes there are if they are `period` over and over, and how many underscores; None
    where they are not, or a line is no row.

    Watched bytes stay in what is compared with the pattern, so that one comparison tells that a block has none: the
    letters by which a second header betrays itself, underscores, and what has to be checked as UTF-8.
    """
    structural = shape.delimiter.encode() + b'\n\r"\0'
    unchecked = text.unchecked(start)
    watched = _letters(shape) + b"_" + (b"" if unchecked is None else _BEYOND_ASCII)
    dropped, special = _without(structural + watched), _special(shape, watched)
    pattern = period * (_BLOCK_BYTES // len(period) + 2)
    reach = max(map(len, _special(shape)), default=1) - 1
    position, seen, underscores = start, 0, 0
    before = b""
    for block in text.blocks(start, _BLOCK_BYTES):
        skeleton = block.translate(None, dropped)
        phase = seen % len(period)
        if not pattern.startswith(skeleton, phase):
            new = bytes(byte for byte in watched if byte in skeleton)
            if _header_with(text, position, len(block), new, shape):
                return None
            if not new.isascii():
                new += _BEYOND_ASCII
            watched = bytes(byte for byte in watched if byte not in new)
            dropped, special = _without(structural + watched), _special(shape, watched)
            skeleton = block.translate(None, dropped)
        if not pattern.startswith(skeleton, phase) or _holds(before + block[:reach], block, special):
            return None
        if unchecked and not watched.endswith(_BEYOND_ASCII):
            unchecked.see(block)
        if b"_" not in watched:
            underscores += block.count(b"_")
        position += len(block)
        seen += len(skeleton)
        before = block[-reach:] if reach else b""
    if unchecked:
        unchecked.see(b"", final=True)
    return seen, underscores


def _letters(shape: Shape) -> bytes:
    """Return the letters of which a second header has at least one."""
    return b"" if shape.expected is None or shape.expected.wordy else shape.expected.unseen


def _holds(across: bytes, block: bytes, special: Sequence[bytes]) -> bool:
    """Return whether a line of the block, or one that begins before it, begins specially."""
    return any(mark in block or mark in across for mark in special)


def _without(kept: bytes) -> bytes:
    return bytes(byte for byte in range(256) if byte not in kept)


def _header_with(text: Text, position: int, size: int, letters: bytes, shape: Shape) -> bool:
    """Return whether one of these bytes' lines that hold one of the letters is a second header."""
    if not letters or shape.expected is None:
        return False
    begin = max(text.data.rfind(b"\n", 0, position), text.start - 1) + 1
    end = text.data.find(b"\n", position + size)
    lines = re.finditer(rb"[^\n]*[%s][^\n]*" % letters, text.data[begin : end if end >= 0 else len(text.data)])
    return any(_is_header(found[0], shape) for found in lines)


def _is_header(line: bytes, shape: Shape) -> bool:
    text = line.decode("utf-8", "replace").rstrip("\r")
    return shape.expected is not None and shape.expected.is_header(split(text, shape.delimiter))


def _holds_header(text: Text, start: int, shape: Shape) -> bool:
    """Return whether a plain text whose letters tell nothing holds a second header."""
    if shape.expected is None or not shape.expected.wordy:
        return False
    rows = scan(text, start, text.data[:start].count(b"\n") + 1, shape)
    first = replace(shape.expected, axes=shape.expected.axes[:1]).maybe(shape.columns)
    if not rows.select(first.any()).collect(engine="streaming").item():
        return False
    found = rows.filter(shape.expected.maybe(shape.columns)).collect(engine="streaming")
    return shape.expected.found_in(found, shape.columns).height > 0


def _first_row(text: Text, start: int, shape: Shape) -> list[bytes]:
    """Return the quotes of each field of the first row, which every row must have."""
    end = text.data.find(b"\n", start)
    row = bytes(text.data[start : end if end >= 0 else len(text.data)])
    cells = [b'"' * cell.count(b'"') for cell in row.split(shape.delimiter.encode())]
    return cells if all(len(cell) in (0, 2) for cell in cells) else []


def _quotes_enclose(text: Text, start: int, pairs: int, shape: Shape) -> bool:
    """Return whether each pair of quotes stands around its whole field: as many begin and end a field as there are."""
    d = shape.delimiter.encode()
    opening = text.data[start : start + 1] == b'"'
    closing = text.data[-1:] == b'"'
    carry = b""
    opened, closed = int(opening), int(closing)
    for block in text.blocks(start, _BLOCK_BYTES):
        piece = carry + block
        opened += piece.count(d + b'"') + piece.count(b'\n"')
        closed += piece.count(b'"' + d) + piece.count(b'"\n') + piece.count(b'"\r\n')
        carry = _tail(piece)
    return opened == closed == pairs


def _tail(piece: bytes) -> bytes:
    """Return the end of a block that may be the beginning of what is counted: a lone last byte, or `"` before CR."""
    return piece[-2:] if piece[-2:] == b'"\r' else piece[-1:]


def _ends_empty(text: Text, start: int, shape: Shape) -> bool:
    """Return whether each line ends in delimiters, as many as there are fields too many."""
    empty = shape.delimiter.encode() * (shape.fields - len(shape.columns))
    lines = delimited = 0
    carry = b""
    for block in text.blocks(start):
        piece = carry + block
        lines += block.count(b"\n")
        delimited += piece.count(empty + b"\n") + piece.count(empty + b"\r\n")
        carry = piece[-len(empty) - 1 :] if not block.endswith(b"\n") else b""
    return lines == delimited and bytes(text.data[-len(empty) :]).endswith((b"\n", empty))


def scan(text: Text, start: int, first_line: int, shape: Shape) -> pl.LazyFrame:
    """Return the rows from byte `start`, the beginning of line `first_line`, as a lazy scan. They are plain."""
    if start >= len(text.data):
        return pl.LazyFrame(schema={ROW: pl.Int64, LINE: pl.Int64, **dict.fromkeys(shape.columns, pl.String)})
    fields = [*shape.columns, *(f"\0{extra}" for extra in range(shape.fields - len(shape.columns)))]
    in_memory = text.path is None
    frame = pl.scan_csv(
        bytes(text.data[start:]) if text.path is None else text.path,
        has_header=False, separator=shape.delimiter, quote_char='"' if shape.quoted else None,
        infer_schema=False, schema=dict.fromkeys(fields, pl.String), skip_lines=0 if in_memory else first_line - 1,
        row_index_name=ROW, row_index_offset=1, raise_if_empty=False, glob=False,
    )  # fmt: skip
    row = pl.col(ROW).cast(pl.Int64)
    return frame.select(row, (row + (first_line - 1)).alias(LINE), *(pl.col(name) for name in shape.columns))


def in_file(text: Text, start: int, first_line: int, shape: Shape) -> PlainText | None:
    """Return where plain rows stand in a file of their own, None where they need more than splitting at delimiters."""
    exact = shape.fields == len(shape.columns) and not shape.quoted
    if text.path is None or not exact or start >= len(text.data):
        return None
    return PlainText(text.path, first_line - 1, shape.columns, shape.delimiter)
