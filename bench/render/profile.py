"""What of a board profile found nothing in an export: a misspelt column would leave a node without its values.

Said in the summary and never an error, because one profile serves many exports that each hold some of its columns: by
name where a name is nearly one of the export's, or where the profile and the export have nothing in common.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence

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
    known = [*columns, *measurements]
    naming = [node for node in board.nodes if _names(node)]
    idle = [node for node in naming if not _names(node) & set(known)]
    misspelt = [node for node in idle if _close(_names(node), known)]
    nothing = len(idle) == len(naming)
    if idle and (misspelt or nothing):
        shown = misspelt or idle
        named = ", ".join(f"{node.name} ({', '.join(sorted(_names(node)))})" for node in shown)
        close = sorted({name for node in misspelt for name in _close(_names(node), known)})
        hint = f"; did it mean {', '.join(close)}?" if close else ""
        yield f"profile: nothing in the export is named by {named}{hint}"
    elif idle:
        yield f"profile: {len(naming) - len(idle)} of its {len(naming)} nodes name something in this export"
    words = [name for name in board.columns if name not in columns and (nothing or _close([name], columns))]
    if words:
        yield f"profile: the export has no column {', '.join(words)}"


def _names(node: Node) -> set[str]:
    return {*node.columns, *node.measurements}


def _close(names: Iterable[str], known: Sequence[str]) -> list[str]:
    return [found for name in names for found in difflib.get_close_matches(name, known, 1, 0.75)]
