"""Whether a row without values is one of the rows of data: a reading that failed (`S2,no contact,FAIL`) is no header.

Its other cells tell: names are unlike what stands below them, while a serial has the form of the serials below, and a
result is one of the results below. Where they do not tell, names with units above it do (`load,Vout (V)`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from bench.readers import cells, labels
from bench.readers.head import Record

_LOOKED_AT = 200


class Likeness:
    """What the rows of data hold in the columns that are not of numbers or times; `data` is the first of them."""

    def __init__(
        self, rows: Sequence[Record], shares: Sequence[float | None], data: int, width: int, typed: Collection[int]
    ) -> None:  # fmt: skip
        self._rows, self._shares, self._width, self._typed = rows, shares, width, typed
        below = [rows[at].cells for at in range(data, min(len(rows), data + _LOOKED_AT)) if self._holds_values(at)]
        others = [at for at in range(width) if at not in typed]
        self._texts = {at: Counter(cells.form(row[at]) for row in below) for at in others}
        self._codes = {at: Counter(cells.code_form(row[at]) for row in below) for at in others}

    def first_row(self, last: int) -> int:
        """Return where the rows of data begin, when `last` is the index behind what may be a header."""
        begin = last
        while begin and (self._is_row(begin - 1) or (begin < last and self._holds_values(begin - 1))):
            begin -= 1
        if begin == last and last > 1 and self._is_below_row(last - 1):
            begin = self.first_row(last - 1)
            begin = begin if begin and self._shares[begin - 1] == 0 else last
        return begin if begin < last else self._below_units(last)

    def _holds_values(self, at: int) -> bool:
        return len(self._rows[at].cells) == self._width and (self._shares[at] or 0) > 0.5

    def _is_row(self, at: int) -> bool:
        row = self._rows[at]
        if len(row.cells) != self._width or (labels.label(row) is not None and _has_number(row)) or self._units(at):
            return False
        return self._is_like(row, words=at > 0) or (at > 0 and self._repeats(row))

    def _is_like(self, row: Record, *, words: bool = True) -> bool:
        """Return whether a cell has the form of what stands below it: with digits in most rows, as a word in any.

        The first row may be names all the same where only a word of it stands below: `PASS` above `PASS`.
        """
        return any(
            _is_usual(cells.form(row.cells[at]), found, words=words)
            or _is_usual(cells.code_form(row.cells[at]), self._codes[at])
            for at, found in self._texts.items()
        )

    def _is_unlike(self, row: Record) -> bool:
        """Return whether a cell is a word above serials, of which each has digits."""
        return any(
            row.cells[at].strip()
            and "9" not in cells.form(row.cells[at])
            and found
            and all("9" in form for form in found)
            for at, found in self._texts.items()
        )

    def _repeats(self, row: Record) -> bool:
        """Return whether one word stands in all columns of values: `n.m.,n.m.`."""
        words = {row.cells[at].strip() for at in self._typed}
        once = len(words) == 1 < len(self._typed) and words != {""}
        return once and _is_wordy(row) and not self._is_unlike(row)

    def _is_below_row(self, at: int) -> bool:
        """Return whether the row just above holds values and is like those below."""
        return self._is_adjacent(at) and self._holds_values(at - 1) and self._is_like(self._rows[at - 1])

    def _is_adjacent(self, at: int) -> bool:
        above = self._rows[at - 1]
        return above.line + above.lines == self._rows[at].line

    def _below_units(self, last: int) -> int:
        """Return where the rows begin below names with units, of which there are none in the row above `last`."""
        begin = last
        while begin > 1 and not self._units(begin - 1) and self._is_adjacent(begin - 1):
            row = self._rows[begin - 1]
            if len(row.cells) != self._width or not (self._shares[begin - 1] == 1 or self._is_plain(row, begin - 1)):
                return last
            begin -= 1
        if begin == last or not begin or self._width < 2:
            return last
        between = last - begin > 1
        enough = len(self._typed) / 2 if between else len(self._typed)
        is_row = between or not self._is_unlike(self._rows[begin])
        return begin if is_row and self._units(begin - 1) >= enough else last

    def _is_plain(self, row: Record, at: int) -> bool:
        return self._shares[at] == 0 and _is_wordy(row)

    def _units(self, at: int) -> int:
        """Return how many columns of values this row has a name with a unit for."""
        row = self._rows[at]
        if len(row.cells) != self._width or self._shares[at] != 0:
            return 0
        return sum(labels.names_unit(row.cells[column]) for column in self._typed)


def _is_usual(form: str, found: Counter[str], *, words: bool = True) -> bool:
    if "9" in form or "#" in form:
        return found[form] * 2 > found.total() - found[""]
    return words and form != "" and found[form] > 0


def _is_wordy(row: Record) -> bool:
    """Return whether a row is none of those that belong to a header: units, limits with their numbers, a rule."""
    kind = labels.row_kind(row, {})
    return kind == "names" or not (_has_number(row) or kind in ("units", "aggregation", "types", "rule"))


def _has_number(row: Record) -> bool:
    return any(cells.kind(cell) == "number" for cell in row.cells)
