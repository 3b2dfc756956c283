"""The head of a text export: its first lines as records, for the reader to decide on. The rows come later."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bench.readers import fields
from bench.readers.encoding import Text

HEAD_BYTES = 1 << 20
HEAD_LINES = 2000
_LINE_END = re.compile(r"\r+\n?|\n")
_BYTE_LINE_END = re.compile(rb"\r+\n?|\n")
_LONGEST_CELL_LINES = 50


@dataclass(frozen=True, slots=True)
class Record:
    """One record of the head. `line` is its first line (1-based), `lines` how many it spans."""

    line: int
    lines: int
    text: str
    cells: tuple[str, ...]

    @property
    def blank(self) -> bool:
        """Whether there is nothing in it but white space."""
        return not self.text.strip()

    @property
    def width(self) -> int:
        """Number of fields, without the empty ones at the end."""
        cells = self.cells
        while cells and not cells[-1].strip():
            cells = cells[:-1]
        return len(cells)


def head_lines(text: Text, factor: int = 1) -> tuple[list[str], bool]:
    """Return the first lines of the text, without line ends, and whether they are all.

    The last line is left out if it may be cut. `factor` makes the head longer.
    """
    block = bytes(text.data[text.start : text.start + factor * HEAD_BYTES])
    whole = text.start + len(block) >= len(text.data)
    read = block.decode("utf-8", "ignore")
    lines = _LINE_END.split(read) if "\r" in read else read.split("\n")
    if not whole and len(lines) > 1:
        lines.pop()
    if lines and not lines[-1]:
        lines.pop()
    return lines[: factor * HEAD_LINES], whole and len(lines) <= factor * HEAD_LINES


def line_ends(data: bytes | mmap.mmap, start: int) -> Iterator[int]:
    """Yield the offset behind each line end from `start` on."""
    return (found.end() for found in _BYTE_LINE_END.finditer(data, start))


def records(lines: list[str], delimiter: str, *, first_line: int = 1) -> list[Record]:
    """Return lines as records; a quoted cell may go over several lines if it closes within 50."""
    found: list[Record] = []
    position = 0
    while position < len(lines):
        text, count = lines[position], 1
        if fields.opens(text, delimiter):
            text, count = _joined(lines, position, delimiter)
        found.append(Record(first_line + position, count, text, tuple(fields.split(text, delimiter))))
        position += count
    return found


def _joined(lines: list[str], position: int, delimiter: str) -> tuple[str, int]:
    for count in range(2, min(_LONGEST_CELL_LINES, len(lines) - position) + 1):
        text = "\n".join(lines[position : position + count])
        if not fields.opens(text, delimiter):
            return text, count
    return lines[position], 1
