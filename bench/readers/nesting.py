"""Whether a text is nested rows (nested.py), told by its head alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.readers.fields import split

HEADS = re.compile(r'^\ufeff?[^\r\n,;\t"0-9][^\r\n,;\t]*(?P<d>[,;\t])[^\r\n]*\r?\n(?P=d)[^\r\n,;\t]')
MOST_LEVELS = 4


def is_nested(head: str) -> bool:
    """Return whether a text begins with header rows of which each is one empty cell further in than the last."""
    found = HEADS.match(head)
    if found is None:
        return False
    lines = [split(line, found["d"]) for line in head.splitlines()[:12]]
    count = levels(lines)
    depths = [_depth(cells) for cells in lines[count:] if any(cells)]
    return count > 1 and len(depths) > 1 and depths[:2] == [0, 1] and max(depths) < count


def levels(lines: Sequence[Sequence[str]]) -> int:
    """Return how many header rows there are, each one empty cell further in."""
    count = 0
    while count < min(len(lines), MOST_LEVELS) and _depth(lines[count]) == count:
        count += 1
    return count


def _depth(cells: Sequence[str]) -> int:
    return next((at for at, cell in enumerate(cells) if cell.strip()), len(cells))
