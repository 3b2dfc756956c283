"""By which factors a number of a run may be read in the unit that a sentence gives it.

A cell's own unit decides (its label, or the text beside it). Else the columns that it may come from do: those of its
item of the query where the snippet shows it, else all that the run read; of a column with several units, those of the
measurements that the row or the snippet names. Unit prefixes are free; other conversions only by factors that the
snippet itself multiplies or divides by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from bench.ask.evidence import Cell, Run
from bench.ask.figures import Context
from bench.ask.literals import conversions_in
from bench.ask.quantities import Unit, derivable, unit_of, unit_of_label

_CONDITIONS = re.compile(r"\b(?:where|having)\b.*?(?=\bgroup\s+by\b|\border\s+by\b|\blimit\b|[\"']{1,3}\s*[,)]|\Z)",
                         re.IGNORECASE | re.DOTALL)  # fmt: skip


class Scales:
    """The factors for cells of these runs."""

    def __init__(self, runs: Sequence[Run], context: Context) -> None:
        self._runs = {run.number: run for run in runs}
        self._context = context
        self._quoted = {
            run.number: frozenset(
                name for name in context.measured if re.search(rf"['\"]{re.escape(name)}['\"]", run.code or "")
            )
            for run in runs
        }
        self._columns = cache(self._columns_of)
        self._conversions = cache(self._conversions_of)

    def of(self, unit: Unit | None, cell: Cell) -> list[float]:
        """Return the factors; empty where the cell cannot be in that unit."""
        if unit is None:
            return [1.0]
        if cell.count:
            return []
        if cell.unit is not None:
            return [cell.unit.factor / unit.factor] if cell.unit.quantity == unit.quantity else []
        columns = self._columns(cell.run, self._measurements(cell), cell.columns)
        known = self._context.units is not None and bool(self._runs[cell.run].reads)
        if unit.quantity == "ratio":
            return self._ratios(unit, cell, columns, known=known)
        if not columns:
            return [] if known else _plain(unit)
        same = [] if cell.product else [column for column in columns if column.quantity == unit.quantity]
        if same:
            return [column.factor / times / unit.factor for column in same for times in self._conversions(cell.run)]
        if not derivable(unit.quantity, {column.quantity for column in columns}):
            return []
        bases = {1.0, *(column.factor for column in columns)}
        return [base / times / unit.factor for base in bases for times in self._conversions(cell.run)]

    def _ratios(self, unit: Unit, cell: Cell, columns: Sequence[Unit], *, known: bool) -> list[float]:
        ratios = [column.factor for column in columns if column.quantity == "ratio"]
        stated = 1 / unit.factor in self._conversions(cell.run)
        if not (known or columns):
            stated = stated or bool(cell.label or self._runs[cell.run].reads) or abs(cell.value) > 1
        return [ratio / unit.factor for ratio in (*ratios, 1.0)] + ([1.0] if stated else [])

    def _measurements(self, cell: Cell) -> frozenset[str]:
        named = frozenset(key.text for key in cell.keys if key.text in self._context.measured)
        return named or self._quoted[cell.run]

    def _columns_of(self, number: int, measurements: frozenset[str], only: frozenset[str] | None) -> tuple[Unit, ...]:
        """Return the units of the columns that a cell may come from."""
        found: list[Unit | None] = []
        for table, column in self._runs[number].reads:
            if only is not None and column.lower() not in only:
                continue
            texts = (self._context.units or {}).get((table.lower(), column.lower()))
            if texts and len(texts) > 1 and measurements:
                texts = [text for name in measurements for text in self._context.measured[name]]
            found += [unit_of(text) for text in texts] if texts else [unit_of_label(column)]
        return tuple(unit for unit in found if unit is not None)

    def _conversions_of(self, number: int) -> tuple[float, ...]:
        """Return the factors by which a snippet may have converted; without 1 where its one column of numbers is
        converted."""
        run = self._runs[number]
        every = conversions_in(run.code)
        certain = conversions_in(_CONDITIONS.sub(" ", run.code or ""))
        only = len(every) == 1 and certain == every and len(_places(run.cells)) == 1
        return tuple(every) if only else (1.0, *every)


def _places(cells: Iterable[Cell]) -> set[str]:
    """Return the columns of numbers that a result has."""
    return {re.sub(r"\[\d+\]", "[]", cell.where, count=1) for cell in cells if not cell.count}


def _plain(unit: Unit) -> list[float]:
    return [1.0, 1.0 / unit.factor] if unit.factor != 1.0 else [1.0]
