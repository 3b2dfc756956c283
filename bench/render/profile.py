"""What of a board profile found nothing in an export: a misspelt column would leave a node without its values.

Said in the summary and never an error, because one profile serves many exports that each hold some of its columns.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from bench.guarded import GuardedExport
from guards import Node


def speaks(guarded: GuardedExport) -> bool:
    """Whether a profile was used that says anything of any node or column."""
    return guarded.board is not None and bool(guarded.board.board.nodes or guarded.board.board.columns)


def unmatched_lines(guarded: GuardedExport) -> Iterator[str]:
    """Yield a line for the nodes, and one for the column tables, that name nothing in the export."""
    if guarded.board is None:
        return
    board = guarded.board.board
    columns = [column.name for table in guarded.tables for column in table.raw.columns]
    measurements = [r.measurement for table in guarded.tables for r in table.report.columns if r.measurement]
    idle = [node for node in board.nodes if _names(node) and not _names(node) & {*columns, *measurements}]
    if idle:
        named = ", ".join(f"{node.name} ({', '.join(sorted(_names(node)))})" for node in idle)
        yield f"profile: nothing in the export is named by {named}{_close(idle, [*columns, *measurements])}"
    words = [name for name in board.columns if name not in columns]
    if words:
        yield f"profile: the export has no column {', '.join(words)}"


def _names(node: Node) -> set[str]:
    return {*node.columns, *node.measurements}


def _close(idle: Sequence[Node], known: Sequence[str]) -> str:
    found = {name for node in idle for name in _names(node) for name in difflib.get_close_matches(name, known, 1, 0.75)}
    return f"; did it mean {', '.join(sorted(found))}?" if found else ""
