"""What a snippet finds around it: `limits`, `units`, and explanations instead of `input()` and sleeping."""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable
from typing import Any, NoReturn

from bench_sandbox import errors

Rows = Callable[[str], list[tuple[Any, ...]]]


def limits(rows: Rows) -> dict[str, dict[str, Any]]:
    """Return {node: {"lower", "upper", "unit"}} as the guard wrote it, empty where it wrote none."""
    found = _guard(rows, "select node, lower, upper, unit from guard.limits order by all")
    return {node: {"lower": lower, "upper": upper, "unit": unit} for node, lower, upper, unit in found}


def units(rows: Rows) -> dict[str, dict[str, Any]]:
    """Return {table: {column: unit}}; {table: {column: {measurement: unit}}} where a column has one unit a measurement.

    A column whose segments were judged apart holds one unit after the guard; where they differ nevertheless the unit is
    None. A refused column has no unit.
    """
    found = _guard(
        rows,
        "select table_name, column_name, measurement, case when count(distinct unit) = 1 then min(unit) end "
        "from guard.units group by all order by all",
    )
    tables: dict[str, dict[str, Any]] = {}
    for table, column, measurement, unit in found:
        columns = tables.setdefault(table, {})
        if measurement is None:
            columns.setdefault(column, unit)
        else:
            by_measurement = columns.get(column)
            if not isinstance(by_measurement, dict):
                by_measurement = columns[column] = {}
            by_measurement[measurement] = unit
    return tables


def _guard(rows: Rows, sql: str) -> list[tuple[Any, ...]]:
    try:
        return rows(sql)
    except errors.CatalogException:
        return []


def explain(warn: Callable[[str], None]) -> None:
    """Replace what would wait for somebody or something."""

    def no_input(prompt: object = "", /) -> NoReturn:
        raise RuntimeError("input() has nobody to answer it in the sandbox: write the value into the snippet")

    def no_sleep(seconds: float, /) -> None:
        warn("time.sleep() returned at once: nothing in the sandbox changes while a snippet waits")

    builtins.input = no_input
    time.sleep = no_sleep  # type: ignore[assignment]
