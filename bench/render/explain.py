"""Every witness of one column as text: what spoke for or against which unit, with its numbers."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bench.errors import UsageError
from bench.render.values import lines_text

if TYPE_CHECKING:
    from guards import ColumnReport, TableReport, Witness

_SPEAKS = {True: "for", False: "against", None: "silent"}
_SHOWN_NAMES = 12


def check_columns(names: Sequence[str], tables: Sequence[TableReport]) -> None:
    """Raise `UsageError` for a name that no table has; the message names the close ones, else what there is."""
    known = list(dict.fromkeys(column.name for table in tables for column in table.columns))
    for name in names:
        if name not in known:
            raise UsageError("no table has such a column", column=name, hint=_instead(name, known))


def _instead(name: str, known: Sequence[str]) -> str:
    folded = {found.lower(): found for found in reversed(known)}
    close = difflib.get_close_matches(name.lower(), folded, 3)
    if close:
        return "did you mean " + " or ".join(folded[found] for found in close) + "?"
    more = f" and {len(known) - _SHOWN_NAMES} more" if len(known) > _SHOWN_NAMES else ""
    return "the columns are " + ", ".join(known[:_SHOWN_NAMES]) + more


def explain_text(names: Sequence[str], tables: Sequence[TableReport]) -> str:
    """Return, for each column in the order asked, every part of it with the verdict, the rule and its witnesses."""
    lines = [
        line
        for name in dict.fromkeys(names)
        for table in tables
        for column in table.columns
        if column.name == name
        for line in _part_lines(table, column)
    ]
    return lines_text(lines)


def _part_lines(table: TableReport, column: ColumnReport) -> Iterator[str]:
    yield f"{table.name}.{column.label}: {column.verdict} by rule {column.rule}"
    yield f"  {column.reason}"
    yield f"  {_counts(column)}"
    if not column.witnesses:
        yield "  no witness spoke"
        return
    widths = [max(map(len, cells)) for cells in zip(*map(_cells, column.witnesses), strict=True)]
    for witness in column.witnesses:
        padded = (cell.ljust(width) for cell, width in zip(_cells(witness), widths, strict=True))
        yield f"  {'  '.join(padded)}  {witness.detail}"


def _cells(witness: Witness) -> tuple[str, str, str, str]:
    hardness = "hard" if witness.hard else "soft"
    return hardness, witness.name, f"as {witness.candidate}", _SPEAKS[witness.supports]


def _counts(column: ColumnReport) -> str:
    parts = [f"role {column.role}"]
    parts += [f"{word} {text}" for word, text in (("node", column.node), ("quantity", column.quantity)) if text]
    parts.append(f"declared {column.declared_unit or 'no unit'}")
    numbers = (("rows", column.rows), ("nulls", column.nulls), ("sentinels", column.sentinels),
               ("faults", column.faults))  # fmt: skip
    return "; ".join([*parts, *(f"{word} {number}" for word, number in numbers)])
