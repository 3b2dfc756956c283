"""Which rows of the head are its header: the columns that hold values decide.

From the lower part of the head each column's kind is taken (numbers, times, or text). A row without such a value in any
of those columns is not data; the last such rows before the data are the header. Rows that hold values only beside a key
(`Vertical Scale,0.05,0.1`) are neither: they are a preamble that looks like data.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import overload

from bench.readers import cells, labels, preambles
from bench.readers.head import Record
from bench.readers.likeness import Likeness

_MOST_HEADER_ROWS = 4
_FEWEST_KEYS = 3
_FEWEST_BELOW = 3
_LABELLED_ROWS = 100  # limit rows and keys are looked for so far
_LATER_ROWS = 60  # a header below rows that look like data is looked for so far
_KEYED = 0.25  # the share of a row that is neither header nor data
_TAGS = ("DataName", "DataValue")  # Keysight EasyExpert (B1500) names the kind of each line in its first cell
_AXIS = re.compile(r"(?i)^\s*(?:time|samples?|index|x|t|freq(?:uency)?)\b|.*[(\[]\w+[)\]]\s*$")
_DIGITS = re.compile(r"\d+")
Typed = Mapping[int, frozenset[str]]


def body_width(rows: Sequence[Record]) -> int:
    """Return the number of fields that most of the lower rows have, empty ones at the end not counted."""
    lower = rows[len(rows) // 3 :] if len(rows) > 6 else rows
    full = Counter(len(row.cells) for row in lower if not preambles.is_key_value(row)) or Counter(
        len(row.cells) for row in lower
    )
    width, _ = max(full.items(), key=lambda item: (item[1] ** 1.5 * min(item[0], 50), item[0]))
    return width


def typed_columns(rows: Sequence[Record], width: int) -> dict[int, frozenset[str]]:
    """Return columns that nearly always hold numbers or times in the lower rows, with the kinds that prove a value."""
    again = {*_repeats(rows), *_renamed(rows)}
    lower = _lower([row for at, row in enumerate(rows) if at not in again], width)
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


def _renamed(rows: Sequence[Record]) -> list[int]:
    """Return the rows below values that hold none and name units: a header with other names, above another block."""
    found, valued = [], False
    for at, row in enumerate(rows):
        filled = [cell for cell in row.cells if cell.strip()]
        if _holds_value(row):
            valued = True
        elif valued and len(filled) > 1 and any(map(labels.names_unit, filled)):
            found.append(at)
    return found


def _repeats(rows: Sequence[Record]) -> list[int]:
    """Return the rows that hold no value and stood there before: the header again, above the next of several blocks."""
    counts = Counter(row.text for row in rows)
    seen: set[str] = set()
    found = []
    for at, row in enumerate(rows):
        if counts[row.text] > 1 and not _holds_value(row):
            if row.text in seen:
                found.append(at)
            seen.add(row.text)
    return found


def _holds_value(row: Record) -> bool:
    return any(cells.kind(cell) in ("number", "time") for cell in row.cells)


def _lower(rows: Sequence[Record], width: int) -> list[Record]:
    full = [row for row in rows if len(row.cells) == width]
    pairs = itertools.pairwise(full[:_LABELLED_ROWS])
    full = full[next((at for at, pair in enumerate(pairs, start=1) if labels.are_units_below(*pair)), 0) :]
    return full[len(full) * 6 // 10 :] if len(full) > 3 else full[1:] or full


def locate(rows: Sequence[Record], width: int, typed: Typed) -> tuple[int, int, str]:
    """Return the index of the first header row, the number of header rows, and why."""
    tagged = next((at for at, row in enumerate(rows[:-1]) if (row.cells[0], rows[at + 1].cells[0]) == _TAGS), None)
    if tagged is not None:
        return tagged, 1, f"line {rows[tagged].line} says of itself that it holds the names"
    if not typed:
        return _textual(rows, width)
    shares = _Shares(rows, width, typed)
    data = next((at for at in range(len(rows)) if _begins_data(shares, at)), len(rows))
    data = _below_keys(rows, shares, data, width)
    if data < len(rows) and _above_channels(rows[data], rows[data + 1 :], width, typed):
        return data, 1, f"line {rows[data].line} names columns of values, and channels by their numbers"
    last = _last(shares, data)
    likeness = Likeness(rows, shares, data, width, typed)
    while (begin := likeness.first_row(last)) < last:
        data, last = begin, _last(shares, begin)
    if last == 0 and (numbered := _numbered(rows, data, width, typed)) is not None:
        line = rows[numbered].line
        return numbered, 1, f"line {line} holds names, some of them whole numbers, above rows of values"
    if (
        last == 0
        or _is_marker(rows[last - 1], width)
        or not _wide(rows[last - 1], width)
        or sum(share == _KEYED for share in shares[last:data]) >= _FEWEST_KEYS
        or _keyed_between(rows[last:data], rows, data, width, typed)
    ):
        return data, 0, "the first full row holds values already: no header"
    first = _first(rows, shares, last, width, typed)
    while last < len(rows) - 1 and not rows[last].width:  # `,,` below the names: units that nobody gave
        last += 1
    why = f"rows below line {rows[last - 1].line} hold values in {len(typed)} columns, the header none"
    return first, last - first, why


def _last(shares: Sequence[float | None], data: int) -> int:
    """Return the index behind the last row above the data that may be header."""
    return next((at for at in range(data, 0, -1) if shares[at - 1] == 0), 0)


def _is_marker(row: Record, width: int) -> bool:
    """Return whether a row only says that data follow, `Data:` above two columns, or something of all of them."""
    if width == 1:
        return row.width == 2
    return (row.width == 1 and preambles.is_key_value(row)) or preambles.is_measured(row)


def told(rows: Sequence[Record], width: int, count: int) -> tuple[int, int, str]:
    """Return the same for a number of header rows that the user gave."""
    first = next((at for at, row in enumerate(rows) if len(row.cells) == width), 0)
    if first and len(rows[first - 1].cells) == width - 1 > 1 and _are_names_above(rows[first - 1], rows[first]):
        first -= 1  # the last field, or the first, has no name
    return first, min(count, len(rows) - first), f"{count} header rows, as given"


def _are_names_above(row: Record, below: Record) -> bool:
    """Return whether a row holds words only, just above one with a number."""
    words = all(cells.kind(cell) == "text" for cell in row.cells)
    return words and row.line + row.lines == below.line and any(cells.kind(cell) == "number" for cell in below.cells)


def _textual(rows: Sequence[Record], width: int) -> tuple[int, int, str]:
    first = next(at for at, row in enumerate(rows) if len(row.cells) == width)
    following = rows[first + 1 : first + 2]
    if _like_below(rows[first], rows[first + 1 : first + 4]):
        return first, 0, "the first row has the form of those below it: no header"
    count = (
        2 if following and _all_units(following[0]) and not _all_units(rows[first]) and len(rows) == first + 2 else 1
    )
    return first, count, "no column of numbers or times: the first row of full width is the header"


def _like_below(row: Record, below: Sequence[Record]) -> bool:
    """Return whether a cell differs from those below it in its digits only: `VOUT=5.01V`, `SN0001`."""
    forms = [[_DIGITS.sub("9", cell.strip()) for cell in each.cells] for each in (row, *below)]
    columns = list(zip(*forms, strict=False))
    return len(below) > 1 and any("9" in column[0] and len(set(column)) == 1 for column in columns)


def _all_units(row: Record) -> bool:
    filled = [cell for cell in row.cells if cell.strip()]
    return bool(filled) and all(cells.is_unit(cell) and any(map(str.isalpha, cell)) for cell in filled)


class _Shares(Sequence["float | None"]):
    """How much of each row is values: 0 for what may be header, None for what is too narrow to tell.

    Only the rows down to the data are asked for, so each is looked at when it is.
    """

    def __init__(self, rows: Sequence[Record], width: int, typed: Typed) -> None:
        self._rows, self._width, self._typed = rows, width, typed
        self._known: dict[int, float | None] = {}
        lower = _lower(rows, width)
        unnamed = min(typed) == 1 and bool(lower) and not any(row.cells[0].strip() for row in lower)
        self._known = dict.fromkeys(self._keyed_rows(), _KEYED) | dict.fromkeys(_repeats(rows), None)
        for at, row in enumerate(rows[:_LABELLED_ROWS]):
            if unnamed and row.cells[0].strip() and self[at]:
                self._known[at] = _KEYED
            count = labels.limit_rows(rows[at : at + 9]) if width > 1 else 0
            if count and (at == 0 or labels.label(rows[at - 1]) is None):
                self._known |= dict.fromkeys(range(at, at + count), 0.0)

    def _keyed_rows(self) -> list[int]:
        """Return the first rows that hold values beside a key, above rows that begin with a number or a time."""
        if self._width < 2 or 0 not in self._typed:
            return []
        rows = self._rows[:_LABELLED_ROWS]
        begins = (at for at, row in enumerate(rows) if cells.kind(row.cells[0]) in self._typed[0])
        above = rows[: next(begins, 0)]
        keyed = [
            at
            for at, row in enumerate(above)
            if cells.kind(row.cells[0]) == "text" and (self[at] or any(cells.kind(c) == "time" for c in row.cells[1:]))
        ]
        keys = {above[at].cells[0].strip() for at in keyed}
        narrow = any(1 < row.width < max(above[at].width for at in keyed) for row in above) if keyed else False
        return keyed if narrow and len(keys) == len(keyed) >= _FEWEST_KEYS else []

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> float | None: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[float | None]: ...
    def __getitem__(self, at: int | slice) -> float | Sequence[float | None] | None:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if at not in self._known:
            row = self._rows[at]
            self._known[at] = _value_share(row, self._typed) if _wide(row, self._width) else None
        return self._known[at]


def _value_share(row: Record, typed: Typed) -> float | None:
    """Return how many of a row's filled typed cells hold a value, None without any.

    Words such as Error, Open and NaN are names as well: beside other words, with no number, they are.
    """
    filled = [(position, row.cells[position]) for position in typed if position < len(row.cells)]
    kinds = [(position, cells.kind(cell)) for position, cell in filled if cell.strip()]
    if not kinds:
        return None
    values = sum(found in typed[position] for position, found in kinds)
    words = sum(found == "text" for _, found in kinds)
    sentinels = sum(found == "sentinel" for _, found in kinds)
    if values and values == sentinels <= words:
        return 0.0
    if not values and not words and not sentinels:
        return _KEYED
    return values / len(kinds)


def _begins_data(shares: Sequence[float | None], at: int) -> bool:
    following = shares[at : at + 6]
    full = [share for share in following if share is not None]
    if (shares[at] or 0) <= 0.5 or len(full) * 2 < len(following) or shares[at + 1 : at + 2] == [0]:
        return False
    return sum(share > 0.5 for share in full) >= 0.6 * len(full)


def _below_keys(rows: Sequence[Record], shares: Sequence[float | None], data: int, width: int) -> int:
    """Return where data begins below a preamble whose rows hold values beside their keys, up to a row of names."""
    for at in range(data, min(data + _LATER_ROWS, len(rows) - 1)):
        if shares[at] == 1 and len(rows[at].cells) >= width:
            break
        if shares[at] == 0 and len(rows[at].cells) == width and _begins_data(shares, at + 1) and shares[at + 1] == 1:
            return at + 1
    return data


def _keyed_between(between: Sequence[Record], rows: Sequence[Record], data: int, width: int, typed: Typed) -> bool:
    """Return whether the rows between what looks like a header and the data are keys with values, so that it is one.

    In a table of two or three columns only where there are many such rows: a first reading may be broken.
    """
    if not between or data >= len(rows):
        return False
    if width > 3:
        return 0 not in typed and not rows[data].cells[0].strip() and bool(between[0].cells[0].strip())
    keys = [row for row in rows[:data] if cells.kind(row.cells[0]) == "text" and row.width > 1]
    worded = 0 in typed and any(cells.kind(row.cells[0]) == "text" for row in between)
    unnamed = not rows[data].cells[0].strip() and any(row.cells[0].strip() for row in between)
    return (worded or unnamed) and len(keys) >= _FEWEST_KEYS


def _first(rows: Sequence[Record], shares: Sequence[float | None], last: int, width: int, typed: Typed) -> int:
    """Return the index of the first header row, when `last` is the index behind the last one."""
    first, plain = last - 1, 1
    while first and plain < _MOST_HEADER_ROWS:
        if _is_label_alone(rows, first - 1) and first > 1 and shares[first - 2] == 0 and width > 2:
            first -= 1
            continue
        if shares[first - 1] != 0 or not _belongs(rows, first - 1, width):
            break
        labelled = width > 1 and any(labels.label(row) is not None for row in rows[first - 1 : first + 1])
        units = labels.is_units(rows[first], typed) or labels.are_units_below(rows[first - 1], rows[first])
        if width <= 2 and not (labelled or labels.is_rule(rows[first]) or units):
            break  # what stands above the names of two columns looks like a key and a value
        first -= 1
        plain += labels.label(rows[first]) is None and not labels.is_rule(rows[first])
    units = first > 0 and first == last - 1 and labels.is_units(rows[first], typed)
    if units and _wide(rows[first - 1], width) and _may_name(rows[first - 1], rows[first]):
        first -= 1  # names that are numbers: "x-axis,1,2" above "second,Volt,Volt"
    return first


def _may_name(row: Record, units: Record) -> bool:
    """Return whether a row above units may hold names: one for each, each another, and no key of a scope's."""
    filled = [cell.strip() for cell in row.cells if cell.strip()]
    return len(set(filled)) == len(filled) and row.width >= units.width and not preambles.names_units(row)


def _is_label_alone(rows: Sequence[Record], at: int) -> bool:
    """Return whether a row just above units, which say that they are, has a label and nothing else: `Alarm Status`."""
    row, below = rows[at], rows[at + 1]
    adjacent = row.line + row.lines == below.line and len(row.cells) == len(below.cells)
    return row.width == 1 and bool(row.cells[0].strip()) and adjacent and labels.says_units(below)


def _belongs(rows: Sequence[Record], at: int, width: int) -> bool:
    """Return whether a row without values is one more header row: full, just above the next, no key and value."""
    row = rows[at]
    full = len(row.cells) >= min(width, rows[at + 1].width) and not preambles.names_units(row)
    return full and _wide(row, width) and row.line + row.lines == rows[at + 1].line and not preambles.is_key_value(row)


def _numbered(rows: Sequence[Record], data: int, width: int, typed: Typed) -> int | None:
    """Return the index of a header of names and whole numbers: `Time(s),0,1` or `Freq,1000,2000`."""
    if data and _numbered_names(rows[data - 1], width):
        return data - 1
    if data == 1 and _dated_names(rows[0], width):
        return 0
    if data or len(rows) < 4 or not _numbered_names(rows[0], width):
        return None
    if _channels(rows[0], typed):
        return 0
    row, body = rows[0], [below for below in rows[1:] if len(below.cells) == width]
    whole = [at for at in typed if row.cells[at].strip().isdigit()]
    parts = [below.cells[at] for below in body for at in whole]
    numbers = [int(row.cells[at]) for at in whole]
    rising = len(numbers) > 1 and numbers == sorted(numbers) and len(whole) == len(typed)
    broken = sum(not cell.strip().lstrip("+-").isdigit() for cell in parts) >= 0.9 * len(parts)
    words = [at for at in range(width) if at not in typed and row.cells[at].strip()]
    other = all(not any(map(str.isdigit, row.cells[at])) for at in words)
    told_apart = any(any(map(str.isdigit, below.cells[at])) for below in body for at in words)
    return 0 if rising and broken and words and other and told_apart else None


def _above_channels(row: Record, below: Sequence[Record], width: int, typed: Typed) -> bool:
    """Return whether a row names some columns of values by words and the others by rising numbers: `Scan,Time,101,102`.

    The numbers are whole, and what stands below them is not.
    """
    body = [each for each in below if len(each.cells) == width]
    if len(body) < _FEWEST_BELOW or not _numbered_names(row, width):
        return False
    numbered = [at for at in typed if row.cells[at].strip().isdigit()]
    numbers = [int(row.cells[at]) for at in numbered]
    named = [at for at in typed if cells.kind(row.cells[at]) == "text"]
    parts = [each.cells[at].strip().lstrip("+-") for each in body for at in numbered]
    broken = sum(not part.isdigit() for part in parts) >= 0.9 * len(parts)
    return len(numbers) > 1 and numbers == sorted(numbers) and bool(named) and broken


def _channels(row: Record, typed: Typed) -> bool:
    """Return whether a row names an axis, and then the channels of a logic analyser by number: `Time(s), 0, 1`."""
    numbers = [int(cell) for cell in row.cells[1:] if cell.strip().isdigit()]
    counted = len(numbers) == len(row.cells) - 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return counted and 0 in typed and _AXIS.match(row.cells[0]) is not None


def _numbered_names(row: Record, width: int) -> bool:
    """Return whether a row of full width holds a name, and else names or whole numbers, each once: `Time(s),0,1`."""
    filled = [cell.strip() for cell in row.cells if cell.strip()]
    named = [cell for cell in filled if cells.kind(cell) == "text"]
    numbered = [cell for cell in filled if cell.isdigit()]
    whole = len(filled) == len(named) + len(numbered) == len(set(filled))
    return len(row.cells) == width and bool(named) and whole


def _dated_names(row: Record, width: int) -> bool:
    """Return whether a row names its first column, and the others by a date or a time, each another one."""
    first, *others = (cell.strip() for cell in row.cells)
    dated = all(cells.kind(cell) == "time" for cell in others) and len(set(others)) == len(others) > 0
    return len(row.cells) == width and cells.kind(first) == "text" and dated


def _wide(row: Record, width: int) -> bool:
    return max(len(row.cells), 1) * 2 > width and (width < 3 or row.width > 1 or width <= 2)
