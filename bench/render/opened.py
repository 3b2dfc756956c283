"""What was taken from a store, for people and as the `export` member of the JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.render.terminal import table_lines
from bench.render.values import lines_text

if TYPE_CHECKING:
    from bench.store.opened import StoreAnalysis


def store_text(analysis: StoreAnalysis, *, kept: bool = True) -> str:
    """Return what was taken from a store, column by column; a column has a line for each reading that it had."""
    working, selection = analysis.working, analysis.selection
    assert working is not None
    lines = [
        f"{analysis.store.location}: {working.exports} export{'' if working.exports == 1 else 's'}, "
        f"{analysis.guard.outcome}"
    ]
    if selection.where is not None:
        lines.append(f"where {selection.where} (the columns' counts are of the whole exports)")
    if working.limits_differ:
        lines.append(f"limits of {', '.join(working.limits_differ)} differ over the exports: those of the newest count")
    for table in analysis.table_reports:
        lines += table_lines(table, kept=kept)
    return lines_text(lines)


def store_dict(analysis: StoreAnalysis) -> dict[str, object]:
    """Return the `export` member: the store stands for its exports, its version for their bytes."""
    working, selection = analysis.working, analysis.selection
    assert working is not None
    return {
        "path": analysis.store.location,
        "sha256": working.version,
        "bytes": analysis.store.sizes()[0],
        "format": "store",
        "dialect": {
            "exports": working.exports, "keys": working.keys, "tables": list(working.tables), "since": selection.since,
            "where": selection.where,
        },
        "metadata": {},
    }  # fmt: skip
