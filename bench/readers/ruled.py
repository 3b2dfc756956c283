"""Whether a text holds a table drawn with pipes and rules (bordered.py), told by its head alone."""

from __future__ import annotations

import re

_DRAWN = re.compile(r"^[ \t]*[|+][ \t]*:?[-=]+:?[ \t]*(?:[|+][ \t]*:?[-=]+:?[ \t]*)*[|+]?[ \t]*$")
_BARE = re.compile(r"^[ \t]*(?::-*|-{3,}|-+(?=:)):?[ \t]*(?:[|+][ \t]*(?::-*|-{3,}|-+(?=:)):?[ \t]*)+$")
_DRAWING = "".join(map(chr, range(0x2500, 0x2580)))
_UPRIGHT = "│┃║┆┇┊┋╎╏"
_LEVEL = "─━═┄┅┈┉╌╍╴╶╸╺"
_IN_ROW = str.maketrans(dict.fromkeys(_UPRIGHT, "|") | {"|": "\\|"})
_IN_RULE = str.maketrans({c: "|" if c in _UPRIGHT else "-" if c in _LEVEL else "+" for c in _DRAWING})
_ONLY_DRAWN = re.compile(rf"[\s|{_DRAWING}-]*")


def only_draws(line: str) -> bool:
    """Return whether a line has nothing but blanks and what draws boxes."""
    return _ONLY_DRAWN.fullmatch(line) is not None


def in_ascii(line: str) -> str:
    """Return a line that is drawn with the characters for boxes (`│ 4.99 │`, `├──┼──┤`) as it is in ASCII."""
    if not any(c in line for c in _UPRIGHT + _LEVEL):
        return line
    if only_draws(line):
        return line.translate(_IN_RULE)
    return line.translate(_IN_ROW) if any(c in line for c in _UPRIGHT) else line


def rule(line: str) -> bool:
    """Return whether a line only draws a rule: `|---|--:|`, `----+----`, `+====+====+`."""
    return "-" in line or "=" in line if _DRAWN.match(line) else _BARE.match(line) is not None


def is_drawn(line: str) -> bool:
    """Return whether a rule has a mark at its beginning, so that it is no row of cells that are dashes."""
    return _DRAWN.match(line) is not None


def is_ruled(head: str) -> bool:
    """Return whether a text has a rule below its names: the first row with pipes, or what is in the frame above it."""
    lines = ["", *map(in_ascii, head.splitlines())]
    for before, above, line in zip(lines, lines[1:], lines[2:], strict=False):
        if "|" in above and rule(line) and not rule(above) and (is_drawn(line) or "|" not in before):
            return True
    return False
