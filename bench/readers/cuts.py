"""Where a further table begins in a text: at the byte returned, which is the beginning of a line.

- Behind a blank line with a row of names, over two or more rows that hold a number in the same column; a title may
  stand above the names, which are then often those of the table before.
- At a further header that the rows' reader has met (second.py), with values below it.
- At a row of names among the lines that were quarantined for their number of fields, over rows of as many.
- Behind the values of a block, where each line says what it holds (Keysight EasyExpert: `DataName`, `DataValue`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from bench.readers import cells, head, keyed, labels
from bench.readers.encoding import Text
from bench.readers.head import Record
from bench.readers.lines import Lines

LINE_END = re.compile(r"\r+\n?|\n")
_GAP = re.compile(rb'(?:\r\n|\n|\r(?!\n))[ ,;|\t"]*(?:\r\n|\n|\r)')
_NAMES = re.compile(rb"(?:^|(?<=[\r\n]))DataName(?=\s*[,;\t])")
_DIGITS = re.compile(r"\d+")
_PAGE = re.compile(r"(?i)\W*(page|seite|sheet)\b")
_VALUES = b"\nDataValue"
_FEWEST_ROWS = 2
_FEWEST_ABOVE = 4  # what stands above the table that was found is a table of its own with so many rows
_LOOKED_AT = 16  # lines behind a gap in a long text
_LOOKED_AT_BYTES = 1 << 16
_MOST_GAPS = 10_000  # blank lines that many are spacing


def blocks(text: Text) -> list[int]:
    """Return where the further blocks of a text of tagged lines begin, nothing where lines are not tagged so."""
    names = [found.start() for found in _NAMES.finditer(text.data)]
    return [_behind_values(text, before, name) for before, name in itertools.pairwise(names)]


def _behind_values(text: Text, before: int, name: int) -> int:
    """Return where the next block's own lines begin, its names being at `name`."""
    last = text.data.rfind(_VALUES, before, name)
    end = text.data.find(b"\n", last + 1) if last >= 0 else text.data.find(b"\n", before)
    return end + 1 if 0 <= end < name else name


def is_table(above: Sequence[Record]) -> bool:
    """Return whether what stands above a table begins with one of its own, of other columns.

    A preamble has a key at the beginning of each line; rows have a number, a time, or a serial that counts.
    """
    if not above or not _filled(above[0]):
        return False
    rows = list(itertools.takewhile(lambda row: any(cells.kind(cell) == "number" for cell in row.cells), above[1:]))
    first = [row.cells[0].strip() for row in rows]
    counting = len({_DIGITS.sub("9", cell) for cell in first}) == 1 and any(map(str.isdigit, "".join(first)))
    keyless = counting or all(cells.kind(cell) in ("number", "time") for cell in first)
    return keyless and _begins([above[0], *rows], _FEWEST_ABOVE)


def gaps(text: Text, lines: Lines, delimiter: str, header_line: int) -> Iterator[int]:
    """Yield where further tables begin behind blank lines; `header_line` is that of the table that was found."""
    if len(text.data) > head.HEAD_BYTES:
        yield from _in_long(text, delimiter, lines.offset(header_line))
    elif _GAP.search(text.data):
        found = LINE_END.split(bytes(text.data[text.start :]).decode("utf-8", "replace"))
        records = head.records(found if found[-1] else found[:-1], delimiter)
        yield from map(lines.offset, _in_short(records, header_line))


def _in_short(records: Sequence[Record], start: int) -> Iterator[int]:
    """Yield the lines at which a further table begins, among all records of a text."""
    segments = [at for at, record in enumerate(records) if _filled(record) and not (at and _filled(records[at - 1]))]
    keys = keyed.count_above([record for record in records if _filled(record)])
    above = [at for at in segments if records[at].line < start and not keys and _begins(records[at:], _FEWEST_ABOVE)]
    start = records[above[0]].line if above else start
    heads = [record.cells for record in records if record.line == start]
    rows = 0
    for at, record in enumerate(records):
        if record.line <= start or not _filled(record):
            continue
        new = at in segments and rows >= _FEWEST_ROWS
        if new and _opens(records[at:], heads):
            yield record.line
            heads.append(record.cells)
            rows = 0
        else:
            rows += 1


def _in_long(text: Text, delimiter: str, start: int) -> Iterator[int]:
    """Yield the bytes at which a further table begins; only the lines behind each gap are looked at."""
    heads = [record.cells for record in _records(text, start, delimiter)[:1]]
    found = list(itertools.islice(_GAP.finditer(text.data, start), _MOST_GAPS + 1))
    if len(found) > _MOST_GAPS:
        return
    for gap in found:
        records = _records(text, gap.end(), delimiter)
        if records and _filled(records[0]) and _opens(records, heads):
            yield gap.end()
            heads.append(records[0].cells)


def has_values(text: Text, offset: int, delimiter: str) -> bool:
    """Return whether a number stands below the line at this byte: a closing remark is no header."""
    below = _records(text, offset, delimiter)[1:]
    return any(cells.kind(cell) == "number" for record in below for cell in record.cells)


def begins(text: Text, offset: int, delimiter: str) -> bool:
    """Return whether a table begins at this byte: names, and below them rows of as many fields."""
    records = _records(text, offset, delimiter)
    alike = len(records) > _FEWEST_ROWS and len({len(record.cells) for record in records[: _FEWEST_ROWS + 1]}) == 1
    return alike and _filled(records[0]) and _begins(records[: _FEWEST_ROWS + 1])


def is_units(text: Text, offset: int, delimiter: str) -> bool:
    """Return whether the line at this byte holds units alone, and values stand in the next one."""
    first, *below = [*_records(text, offset, delimiter)[:2], None]
    values = below[0] is not None and any(cells.kind(cell) == "number" for cell in below[0].cells)
    return first is not None and values and labels.is_units(first)


def _records(text: Text, offset: int, delimiter: str) -> list[Record]:
    block = bytes(text.data[offset : offset + _LOOKED_AT_BYTES]).decode("utf-8", "replace")
    return head.records(LINE_END.split(block)[:_LOOKED_AT], delimiter)


def _filled(record: Record) -> bool:
    return not record.blank and record.width > 0


def _opens(records: Sequence[Record], heads: Sequence[tuple[str, ...]]) -> bool:
    """Return whether a further table begins here: below a title, or with names that no table before has."""
    return _titled(records) or (records[0].cells not in heads and _begins(records))


def _titled(records: Sequence[Record]) -> bool:
    """Return whether a title stands here, of one cell, and a table begins below it. Pages of a report go on."""
    title = records[0].cells[0].strip()
    named = records[0].width == 1 and cells.kind(title) == "text" and not _PAGE.match(title)
    return named and len(records) > 1 and _filled(records[1]) and _begins(records[1:])


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
