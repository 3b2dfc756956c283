"""Where lines begin in a text of any size: line numbers to bytes and back, counted block by block."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right

from bench.readers.encoding import Text

_LINE_END = re.compile(rb"\r+\n?|\n")
_BLOCK_BYTES = 1 << 20


class Lines:
    """The lines of a text. Numbers are 1-based, offsets count from the first byte of `text.data`."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._begins = [text.start]  # of each block, which is at a line's beginning
        self._before = [0]  # line ends before it
        while self._begins[-1] < len(text.data):
            begin = self._begins[-1]
            cut = text.data.rfind(b"\n", begin, begin + _BLOCK_BYTES)
            cut = cut if cut >= 0 else text.data.find(b"\n", begin)
            end = len(text.data) if cut < 0 else cut + 1
            self._before.append(self._before[-1] + len(_LINE_END.findall(text.data[begin:end])))
            self._begins.append(end)
        text.release()

    def offset(self, line: int) -> int:
        """Return where a line begins; the end of the text for a line behind it."""
        at = bisect_left(self._before, line - 1) - 1
        if at < 0 or at + 1 >= len(self._begins):
            return self._begins[0] if line <= 1 else len(self._text.data)
        ends = _LINE_END.finditer(self._text.data[self._begins[at] : self._begins[at + 1]])
        found = next(itertools.islice(ends, line - 2 - self._before[at], None))
        return self._begins[at] + found.end()

    def number(self, offset: int) -> int:
        """Return the number of the line that begins at this byte."""
        at = bisect_right(self._begins, offset) - 1
        return self._before[at] + len(_LINE_END.findall(self._text.data[self._begins[at] : offset])) + 1
