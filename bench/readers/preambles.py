"""Units that a preamble names for the columns below it, where it names them for a column and not for the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_X_UNIT = re.compile(r"(?i)^(?:horizontal|x)[ _]?units?$")
_Y_UNIT = re.compile(r"(?i)^(?:vertical|y)[ _]?units?$")
_NAMED_UNIT = re.compile(r"(?i)^(?:units?[ _](?:of )?(?P<after>.+)|(?P<before>.+?)[ _](?:units?|vertical units?))$")


def units(metadata: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    """Return column -> unit. A scope's vertical unit belongs to the first channel: it is given for one trace only."""
    found: dict[str, str] = {}
    by_name = {column.strip().lower(): column for column in columns}
    for key, value in metadata.items():
        unit = value.strip()
        if not unit or len(unit) > 24:
            continue
        if _X_UNIT.match(key):
            found.setdefault(columns[0], unit)
        elif _Y_UNIT.match(key) and len(columns) > 1:
            found.setdefault(columns[1], unit.split(",")[0].strip())
        elif named := _NAMED_UNIT.match(key):
            column = by_name.get((named["after"] or named["before"] or "").strip().lower())
            if column is not None:
                found.setdefault(column, unit)
    return found
