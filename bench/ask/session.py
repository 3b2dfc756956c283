"""What an analysis gives to a question: the briefing, and what may vouch for a number beside runs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bench.ask.acts import Place
from bench.ask.answer import Answer
from bench.ask.figures import Context
from bench.ask.loop import Ask, Ceilings, ask
from bench.ask.messages import Model
from bench.ask.models import Connection, model_of
from bench.ask.prompt import briefing
from bench.ask.tools import PYTHON, Toolset
from bench.errors import UsageError

if TYPE_CHECKING:
    from bench.analysis import Analysis


__all__ = ["Ceilings", "Connection", "ask_analysis", "model_of"]


def ask_analysis(
    analysis: Analysis,
    question: str,
    model: Model,
    ceilings: Ceilings,
    earlier: Answer | None = None,
    tools: Toolset = PYTHON,
) -> Answer:
    """Ask a model about the tables of an analysis. `earlier`: the last answer of a conversation to go on with.

    Raises:
        UsageError: the question is empty.
    """
    if not question.strip():
        raise UsageError("the question is empty", hint='--ask "Do the retested boards pass?"')
    context = context_of(analysis, question)
    told = briefing(analysis.table_reports, analysis.limits, analysis.named_measurements, tools.rules)
    return ask(
        Ask(
            question, model, told, context, analysis.run, time.monotonic, ceilings, earlier, tools,
            guarded_by(analysis), places_of(analysis),
        )
    )  # fmt: skip


def places_of(analysis: Analysis) -> dict[str, Place]:
    """Return where each table comes from; none for those of a store, whose exports are many."""
    found: dict[str, Place] = {}
    for guarded in analysis.exports:
        export, board = guarded.export.path, guarded.board
        named = board.path if board is not None and board.origin == "given" else None
        for table in guarded.report.tables:
            found[table.name] = Place(export, named, frozenset(column.name for column in table.columns))
    return found


def context_of(analysis: Analysis, question: str) -> Context:
    """Return what beside runs may vouch for a number of an answer."""
    return Context(
        question, analysis.limits, units_of(analysis), counts_of(analysis), factors_of(analysis),
        measured_of(analysis),
    )  # fmt: skip


def guarded_by(analysis: Analysis) -> str:
    """Return what the guard found, a line a column that it judged."""
    lines = [f"{export.export.path.name}: {export.report.outcome}" for export in analysis.exports]
    lines = lines or [report.outcome for report in analysis.reports]
    lines += [
        f"{table.name}.{column.label}: {column.verdict} (rule {column.rule})"
        for table in analysis.table_reports
        for column in table.columns
        if column.judged
    ]
    return "\n".join(lines)


def units_of(analysis: Analysis) -> Mapping[tuple[str, str], list[str]]:
    """Return the units of each column, several where they differ by measurement or segment."""
    found: dict[tuple[str, str], list[str]] = {}
    for table in analysis.table_reports:
        for column in table.columns:
            units = found.setdefault((table.name.lower(), column.name.lower()), [])
            if column.unit is not None and column.unit not in units:
                units.append(column.unit)
    return found


def measured_of(analysis: Analysis) -> dict[str, list[str]]:
    """Return the units of each measurement of the long tables."""
    found: dict[str, list[str]] = {}
    for column in (column for table in analysis.table_reports for column in table.columns):
        if column.measurement is not None and column.unit is not None:
            units = found.setdefault(column.measurement, [])
            if column.unit not in units:
                units.append(column.unit)
    return found


def counts_of(analysis: Analysis) -> dict[str, int]:
    """Return the guard's counts that the model was told, by what they count."""
    found: dict[str, int] = {}
    for table in analysis.table_reports:
        for word in ("read", "kept", "changed", "quarantined"):
            found[f"{table.name}, rows {word}"] = int(getattr(table, f"rows_{word}"))
        for column in table.columns:
            for word in ("rows", "nulls", "sentinels", "faults"):
                found[f"{table.name}.{column.label}, {word}"] = int(getattr(column, word))
    return found


def factors_of(analysis: Analysis) -> dict[str, float]:
    """Return the factors by which the guard corrected, by the column."""
    return {
        f"{table.name}.{column.label}, factor": abs(column.factor)
        for table in analysis.table_reports
        for column in table.columns
        if column.verdict == "corrected" and column.factor
    }
