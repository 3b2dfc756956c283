"""Whether a text holds a table drawn with pipes and rules (bordered.py), told by its head alone."""

from __future__ import annotations

import re

_DRAWN = re.compile(r"^[ \t]*[|+][ \t]*:?[-=]+:?[ \t]*(?:[|+][ \t]*:?[-=]+:?[ \t]*)*[|+]?[ \t]*$")
_BARE = re.compile(r"^[ \t]*(?::-*|-{3,}|-+(?=:)):?[ \t]*(?:[|+][ \t]*(?::-*|-{3,}|-+(?=:)):?[ \t]*)+$")
_BOX = re.compile(r"^\s*[┌╭╔┏]")


def rule(line: str) -> bool:
    """Return whether a line only draws a rule: `|---|--:|`, `----+----`, `+====+====+`."""
    return "-" in line or "=" in line if _DRAWN.match(line) else _BARE.match(line) is not None


def drawn(line: str) -> bool:
    """Return whether a rule has a mark at its beginning, so that it is no row of cells that are dashes."""
    return _DRAWN.match(line) is not None


def is_ruled(head: str) -> bool:
    """Return whether a text has a rule below its names: the first row with pipes, or what is in the frame above it."""
    lines = ["", *head.splitlines()]
    for before, above, line in zip(lines, lines[1:], lines[2:], strict=False):
        if "|" in above and rule(line) and not rule(above) and (drawn(line) or "|" not in before):
            return True
    return False
