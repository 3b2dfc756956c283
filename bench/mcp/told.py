"""What an assistant is told of tables: plain data without a cell in it. Pure; see the package's docstring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guards import ColumnReport, TableReport

COLUMNS = 300  # of one answer: more would fill an assistant's context
NAME_LENGTH = 120
_RULES = {
    "a": "nothing in the file or the board speaks about the unit",
    "b": "two labels on the same values differ",
    "c": "some rows fit only the declared unit and some only another",
    "d": "the declared unit explains the rows, and nothing hard contradicts it",
    "e": "hard evidence contradicts the declared unit, and exactly one other unit explains the rows",
    "f": "hard evidence contradicts the declared unit, or soft evidence does, and no single unit is certain",
    "g": "nothing speaks against the declared unit",
}


def cut(text: str, length: int = NAME_LENGTH) -> str:
    """Return a name that cannot fill an answer."""
    return text if len(text) <= length else f"{text[:length]}... ({len(text) - length} more characters)"


def tables_told(tables: Sequence[TableReport]) -> list[dict[str, Any]]:
    """Return each table with its counts, its outcome and how many columns have which verdict."""
    return [
        {
            "table": cut(table.name), "rows": table.rows_kept, "rows_read": table.rows_read,
            "rows_changed": table.rows_changed, "rows_quarantined": table.rows_quarantined, "outcome": table.outcome,
            "verdicts": dict(Counter(column.verdict for column in table.columns if column.judged)),
        }
        for table in tables
    ]  # fmt: skip


def columns_told(table: TableReport, named: frozenset[str]) -> dict[str, Any]:
    """Return a table's columns with role, unit and verdict. `named`: the measurements that a profile names."""
    shown = table.columns[:COLUMNS]
    return {
        **tables_told([table])[0],
        "columns": [_column(column, named) for column in shown],
        "columns_left_out": len(table.columns) - len(shown),
    }


def verdicts_told(tables: Iterable[TableReport], named: frozenset[str]) -> list[dict[str, Any]]:
    """Return the guard's report: each judged column's verdict with the evidence for and against each unit."""
    found = []
    for table in tables:
        judged = [column for column in table.columns if column.judged]
        found.append(
            {
                **tables_told([table])[0],
                "judged": [_column(column, named) | _evidence(column) for column in judged[:COLUMNS]],
                "judged_left_out": max(len(judged) - COLUMNS, 0),
            }
        )
    return found


def _column(column: ColumnReport, named: frozenset[str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "column": cut(column.name), "role": column.role, "unit": column.unit, "rows": column.rows,
        "nulls": column.nulls,
    }  # fmt: skip
    if column.measurement is not None:
        found["measurement"] = cut(column.measurement) if column.measurement in named else "(one that no profile names)"
    if column.segment:
        found["one_segment_by"] = [cut(name) for name in column.segment]
    if column.judged:
        found |= {
            "verdict": column.verdict, "node": column.node, "quantity": column.quantity,
            "declared_unit": column.declared_unit, "values_were_in": column.resolved_unit, "factor": column.factor,
            "offset": column.offset, "cleared_readings": column.sentinels, "out_of_range": column.faults,
        }  # fmt: skip
    return found


def _evidence(column: ColumnReport) -> dict[str, Any]:
    proposal = column.proposal
    return {
        "rule": column.rule,
        "rule_says": _RULES.get(column.rule, "see the table in guards/verdict.py"),
        "proposal": None if proposal is None else _scale(proposal.unit, proposal.factor, proposal.offset),
        "evidence": _witnesses(column),
    }


def _scale(unit: str, factor: float | None, offset: float | None) -> dict[str, object]:
    return {"unit": unit, "factor": factor, "offset": offset}


def _witnesses(column: ColumnReport) -> Mapping[str, dict[str, list[str]]]:
    """Return {unit: {"for": names of witnesses, "against": names}}; a hard witness says so."""
    found: dict[str, dict[str, list[str]]] = {}
    for witness in column.witnesses:
        if witness.supports is not None:
            name = f"{witness.name} (hard)" if witness.hard else witness.name
            sides = found.setdefault(witness.candidate, {"for": [], "against": []})
            sides["for" if witness.supports else "against"].append(name)
    return found
