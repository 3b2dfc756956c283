"""What is wrong with a `--where`, said so that whoever wrote it can mend it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from bench.bulk import quote
from bench.errors import UsageError
from bench.frames import first_line
from bench.store.schema import PARTITIONS

SHOWN = 40  # columns that a message lists
_UNKNOWN = re.compile(r'Referenced column "(.+?)" (?:that .*)?not found')
_SHUT = re.compile(r"permission error", re.IGNORECASE)


def refused_condition(table: str, columns: Sequence[str], error: Exception) -> UsageError:
    """Return what DuckDB said of a condition on a table, with the columns that there are.

    A text without its quotes is to SQL the name of a column, so that is asked where no column is called nearly so.
    """
    said = first_line(error)
    if _SHUT.search(said):
        return UsageError(
            f"--where may read the store's tables and nothing else: {said}",
            hint="give the values in the condition itself, such as \"serial in ('A1', 'A2')\"",
        )
    unknown = _UNKNOWN.search(said)
    if unknown is None:
        return UsageError(
            f"--where is no condition on the table {table!r}: {said}",
            hint="name columns of every chosen table, or choose with --tables",
        )
    name = unknown[1]
    return UsageError(
        f"--where is no condition on the table {table!r}: it has no column {name!r}",
        hint=f"{_meant(name, columns)}; the columns are {_listed(columns)}; --tables chooses those that have one",
    )


def _meant(name: str, columns: Sequence[str]) -> str:
    if name in PARTITIONS:
        return f"{' and '.join(PARTITIONS)} are columns of Delta tables only"
    by_lower = {column.lower(): column for column in columns}
    close = get_close_matches(name.lower(), by_lower, 1)
    return f"did you mean {_spelled(by_lower[close[0]])}" if close else f"a text stands in single quotes: '{name}'"


def _listed(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
    return ", ".join(_spelled(column) for column in columns[:SHOWN]) + more


def _spelled(column: str) -> str:
    """Return a column as SQL takes it."""
    return column if re.fullmatch(r"[A-Za-z_]\w*", column) else quote(column)
