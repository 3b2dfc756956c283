"""Keys of exports as text: `1-200,205`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.errors import UsageError

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def ranges(keys: Sequence[int]) -> str:
    """Return ascending keys as text.

    >>> ranges([1, 2, 3, 7])
    '1-3,7'
    """
    found: list[list[int]] = []
    for key in keys:
        if found and key == found[-1][1] + 1:
            found[-1][1] = key
        else:
            found.append([key, key])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def keys_of(text: str, column: str) -> str:
    """Return the SQL condition that a column holds one of the keys of a text.

    Raises:
        UsageError: the text is none that `ranges` gives.
    """
    parts = []
    for each in text.split(","):
        match = _RANGE.fullmatch(each)
        if match is None:
            raise UsageError(f"{each!r} names no exports", hint="1-200,205")
        parts.append(f"{column} BETWEEN {match[1]} AND {match[2] or match[1]}")
    return f"({' OR '.join(parts)})"
