"""Where the table is in the head: preamble, header rows, first data row, and what each header row says.

The rows decide. From the lower part of the head each column's kind is taken (numbers, times, or text); a line that has
no such value in any of those columns is not data. The last such lines before the data are the header: names, and below
them a units row, an aggregation row or limit rows. What stands above is the preamble. With no column to tell by (text
only) the first row of full width is the header.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench.readers import cells, preambles
from bench.readers.head import Record

_MOST_HEADER_ROWS = 4
_LIMIT_WORDS = re.compile(
    r"(?i)^\s*(?:lsl|usl|lcl|ucl|units?|einheit|"
    r"(?:lower|low|upper|high|hi|lo)[ _]?(?:spec(?:ification)?[ _]?)?(?:limit|lim)s?)\s*:?\s*$"
)
_BESIDE_LIMITS = re.compile(r"(?i)^\s*(?:min(?:imum)?|max(?:imum)?|nominal|nom|target|typ(?:ical)?|spec)\s*:?\s*$")
_UNIT_WORDS = re.compile(r"(?i)^\s*(?:units?|einheit(?:en)?|\[units?\])\s*:?\s*$")
_AGGREGATIONS = frozenset("smp avg min max std tot totalize sample average samples med median mean count".split())
_COMMENT_MARKS = ("#", "%", "//", "!", ";")


@dataclass(frozen=True, slots=True)
class Layout:
    """What the head says. Lines are 1-based; `data_line` is the first line after the header.

    `names`, `units` and `others` (kind -> cells) are as wide as the table, which is `width` fields; `trailing` tells
    that every line ends in a delimiter, so that the last field is nobody's. `evidence` says why, for the dialect.
    `axes` are the positions of the columns that hold values.
    """

    width: int
    names: tuple[str, ...]
    data_line: int
    header_line: int | None = None
    header_lines: int = 0
    units: tuple[str, ...] | None = None
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    preamble_lines: int = 0
    comment: str | None = None
    header_text: str | None = None
    trailing: bool = False
    evidence: str = ""
    axes: tuple[int, ...] = ()


def find(records: Sequence[Record], *, delimiter: str = ",", header_rows: int | None = None) -> Layout:
    """Return the layout of a head. At least one record is not blank."""
    everything = [record for record in records if not record.blank]
    comment = _comment_mark(everything, delimiter)
    rows = [row for row in everything if comment is None or not row.text.startswith(comment)]
    body_width = _body_width(rows)
    typed = _typed_columns(rows, body_width)
    first, count, evidence = (
        _header(rows, body_width, typed) if header_rows is None else _told_header(rows, body_width, header_rows)
    )
    header = rows[first : first + count]
    body = rows[first + count :]
    if not header and comment is not None and body and header_rows is None:
        header = _commented_header(everything, body[0], comment, body_width)
    kinds = [_row_kind(row, typed) for row in header]
    start = (header or body or everything)[0].line
    preamble = [row for row in everything if row.line < start]
    found = _layout(preamble, header, kinds, body, records, comment, evidence)
    beside = {} if header else preambles.beside(body, min(typed, default=0))
    return replace(found, axes=tuple(sorted(typed)), metadata={**beside, **found.metadata})


def _commented_header(rows: Sequence[Record], data: Record, mark: str, width: int) -> list[Record]:
    """Return the comment line above the data if it has a name for each column: `# time,voltage`."""
    above = [row for row in rows if row.line < data.line][-1:]
    if not above or not above[0].text.startswith(mark):
        return []
    names = (above[0].cells[0].removeprefix(mark).strip(), *above[0].cells[1:])
    names = names[1:] if not names[0] and len(names) == width + 1 else names
    return [replace(above[0], cells=names)] if len(names) == width and width > 1 else []


def _comment_mark(rows: Sequence[Record], delimiter: str) -> str | None:
    for mark in _COMMENT_MARKS:
        if mark == delimiter:
            continue
        marked = [row for row in rows if row.text.startswith(mark)]
        plain = [row for row in rows if not row.text.startswith(mark)]
        if marked and plain and (rows[0].text.startswith(mark) or len(marked) > 1) and len(marked) < len(rows):
            return mark
    return None


def _body_width(rows: Sequence[Record]) -> int:
    """Return the number of fields that most of the lower rows have, empty ones at the end not counted."""
    lower = rows[len(rows) // 3 :] if len(rows) > 6 else rows
    full = Counter(len(row.cells) for row in lower if not preambles.is_key_value(row)) or Counter(
        len(row.cells) for row in lower
    )
    width, _ = max(full.items(), key=lambda item: (item[1] ** 1.5 * min(item[0], 50), item[0]))
    return width


def _typed_columns(rows: Sequence[Record], width: int) -> dict[int, frozenset[str]]:
    """Return columns that nearly always hold numbers or times in the lower rows, with the kinds that prove a value."""
    lower = [row for row in rows if len(row.cells) == width]
    lower = lower[len(lower) * 6 // 10 :] if len(lower) > 3 else lower[1:] or lower
    found: dict[int, frozenset[str]] = {}
    for position in range(width):
        kinds = Counter(cells.kind(row.cells[position]) for row in lower)
        filled = sum(kinds.values()) - kinds["empty"]
        if not filled:
            continue
        if kinds["number"] and (kinds["number"] + kinds["sentinel"]) >= 0.8 * filled:
            found[position] = frozenset(("number", "sentinel"))
        elif kinds["time"] >= 0.8 * filled:
            found[position] = frozenset(("time",))
    return found


def _value_share(row: Record, typed: Mapping[int, frozenset[str]]) -> float | None:
    """Return how many of a row's filled typed cells hold a value, None without any."""
    filled = [(position, row.cells[position]) for position in typed if position < len(row.cells)]
    kinds = [(position, cells.kind(cell)) for position, cell in filled if cell.strip()]
    if not kinds:
        return None
    return sum(found in typed[position] for position, found in kinds) / len(kinds)


def _header(rows: Sequence[Record], width: int, typed: Mapping[int, frozenset[str]]) -> tuple[int, int, str]:
    """Return the index of the first header row, the number of header rows, and why."""
    if not typed:
        first = next(at for at, row in enumerate(rows) if len(row.cells) == width)
        return first, 1, "no column of numbers or times: the first row of full width is the header"
    shares = [_value_share(row, typed) if _wide(row, width) else None for row in rows]
    data = next((at for at in range(len(rows)) if _begins_data(shares, at)), len(rows))
    last = data
    while last and shares[last - 1] not in (0, 0.0):
        last -= 1
    if last == 0 and data and _numbered_names(rows[data - 1], width):
        return data - 1, 1, f"line {rows[data - 1].line} holds names, some of them whole numbers, above rows of values"
    if last == 0 or not _wide(rows[last - 1], width):
        return data, 0, "the first full row holds values already: no header"
    first = last - 1
    while first and last - first < _MOST_HEADER_ROWS and shares[first - 1] == 0 and _belongs(rows, first - 1, width):
        if width <= 2 and not _is_units(rows[first], typed):
            break  # what stands above the names of two columns looks like a key and a value
        first -= 1
    if first and _is_units(rows[last - 1], typed) and first == last - 1 and _wide(rows[first - 1], width):
        first -= 1  # names that are numbers: "x-axis,1,2" above "second,Volt,Volt"
    last += _limit_rows(rows[last : last + 6])
    why = f"rows below line {rows[last - 1].line} hold values in {len(typed)} columns, the header none"
    return first, last - first, why


def _belongs(rows: Sequence[Record], at: int, width: int) -> bool:
    """Return whether a row without values is one more header row: full, just above the next, no key and value."""
    row = rows[at]
    full = len(row.cells) >= min(width, rows[at + 1].width)
    return full and _wide(row, width) and row.line + row.lines == rows[at + 1].line and not preambles.is_key_value(row)


def _begins_data(shares: Sequence[float | None], at: int) -> bool:
    following = shares[at : at + 6]
    full = [share for share in following if share is not None]
    if (shares[at] or 0) <= 0.5 or len(full) * 2 < len(following) or shares[at + 1 : at + 2] == [0]:
        return False
    return sum(share > 0.5 for share in full) >= 0.6 * len(full)


def _numbered_names(row: Record, width: int) -> bool:
    """Return whether a row of full width holds a name, and else names or whole numbers, each once: `Time(s),0,1`."""
    filled = [cell.strip() for cell in row.cells if cell.strip()]
    named = [cell for cell in filled if cells.kind(cell) == "text"]
    numbered = [cell for cell in filled if cell.isdigit()]
    whole = len(filled) == len(named) + len(numbered) == len(set(filled))
    return len(row.cells) == width and bool(named) and whole


def _wide(row: Record, width: int) -> bool:
    return max(len(row.cells), 1) * 2 > width and (width < 3 or row.width > 1 or width <= 2)


def _told_header(rows: Sequence[Record], width: int, count: int) -> tuple[int, int, str]:
    first = next((at for at, row in enumerate(rows) if len(row.cells) == width), 0)
    return first, min(count, len(rows) - first), f"{count} header rows, as given"


def _is_units(row: Record, typed: Mapping[int, frozenset[str]] | None = None) -> bool:
    positions = range(len(row.cells)) if typed is None else [p for p in typed if p < len(row.cells)]
    filled = [row.cells[p] for p in positions if row.cells[p].strip()]
    return bool(filled) and sum(map(cells.is_unit, filled)) * 5 >= len(filled) * 3


def _limit_rows(rows: Sequence[Record]) -> int:
    """Return how many rows below the header hold limits or units by their label: LSL, USL, nominal, units.

    A table of statistics has rows called min and max too, so those count only beside a row that names a limit.
    """
    count = 0
    while count < len(rows) and _label(rows[count]) is not None:
        count += 1
    return count if any(_LIMIT_WORDS.match(_label(row) or "") for row in rows[:count]) else 0


def _label(row: Record) -> str | None:
    return next((cell for cell in row.cells[:3] if _LIMIT_WORDS.match(cell) or _BESIDE_LIMITS.match(cell)), None)


def _row_kind(row: Record, typed: Mapping[int, frozenset[str]]) -> str:
    filled = [cell.strip().lower() for cell in row.cells if cell.strip()]
    label = next((cell for cell in row.cells[:1] if _LIMIT_WORDS.match(cell) or _BESIDE_LIMITS.match(cell)), None)
    label = label or (_label(row) if any(cells.kind(cell) == "number" for cell in row.cells) else None)
    if label is not None and not _UNIT_WORDS.match(label):
        return label.strip().strip(":").lower()
    if filled and sum(cell in _AGGREGATIONS for cell in filled) * 3 >= len(filled) * 2:
        return "aggregation"
    return "units" if label is not None or _is_units(row, typed or None) else "names"


def _layout(
    preamble: Sequence[Record], header: Sequence[Record], kinds: list[str], body: Sequence[Record],
    records: Sequence[Record], comment: str | None, evidence: str,
) -> Layout:  # fmt: skip
    if header and "names" not in kinds:
        kinds[0] = "names"
    named = [row for row, what in zip(header, kinds, strict=True) if what == "names"]
    names_row = named[-1] if named else None
    units_row = next((row for row, what in zip(header, kinds, strict=True) if what == "units"), None)
    width, trailing = _table_width(names_row, units_row, body)
    names = _padded(names_row.cells, width) if names_row else ("",) * width
    units = units_row.cells if units_row else None
    others = {
        what: _padded(row.cells, width)
        for row, what in zip(header, kinds, strict=True) if what not in ("names", "units")
    }  # fmt: skip
    metadata = preambles.metadata(preamble) | _beyond(names_row, units, width)
    data_line = _data_line(header, body, records)
    lines_before = header[0].line - 1 if header else data_line - 1
    for row in named[:-1]:
        others[f"header above line {names_row.line if names_row else 0}"] = _padded(row.cells, width)
    return Layout(
        width=width, names=names, data_line=data_line, header_line=names_row.line if names_row else None,
        header_lines=sum(row.lines for row in header), units=_padded(units, width) if units else None,
        others=others, metadata=metadata, preamble_lines=lines_before, comment=comment,
        header_text=names_row.text if names_row else None, trailing=trailing, evidence=evidence,
    )  # fmt: skip


def _data_line(header: Sequence[Record], body: Sequence[Record], records: Sequence[Record]) -> int:
    if header:
        return header[-1].line + header[-1].lines
    return body[0].line if body else records[-1].line + records[-1].lines


def _table_width(names: Record | None, units: Record | None, body: Sequence[Record]) -> tuple[int, bool]:
    """Return the number of columns, and whether each line ends in a delimiter behind its last field."""
    if not body:
        return (len(names.cells) if names else 1), False
    full = _body_width(body)
    widths = Counter(len(row.cells) for row in body)
    if names is not None and widths[len(names.cells)] * 2 >= max(widths.values()):
        full = len(names.cells)
    alike = [row for row in body if len(row.cells) == full]
    trailing = full > 1 and all(not row.cells[-1].strip() for row in alike)
    if names is None:
        return (full - 1, True) if trailing else (full, False)
    named = names.width
    if trailing and len(names.cells) <= full and named < full:
        return full - 1, True  # "X,CH1," above "1,2,"
    beyond = units is not None and any(cells.kind(cell) == "number" for cell in units.cells[full:])
    if full < named and (beyond or len(body) > 4) and len(alike) * 10 >= len(body) * 9:
        return (full - 1, True) if trailing else (full, False)  # Rigol's Start and Increment stand in the header only
    return (full, False) if full > len(names.cells) else (len(names.cells), False)


def _padded(found: Sequence[str], width: int) -> tuple[str, ...]:
    return tuple(found[:width]) + ("",) * (width - len(found))


def _beyond(names: Record | None, units: Sequence[str] | None, width: int) -> dict[str, str]:
    """Return header cells beyond the table, with what stands below them."""
    if names is None:
        return {}
    below = units or ()
    return {
        name.strip(): below[at].strip() if at < len(below) else ""
        for at, name in enumerate(names.cells) if at >= width and name.strip()
    }  # fmt: skip
