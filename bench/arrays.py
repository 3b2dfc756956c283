"""A corrected column as a pint quantity, for people who want units in their arithmetic."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import polars as pl

from bench import caveats, tables
from bench.errors import EnvironmentProblem, UsageError
from bench.render.explain import check_columns
from guards.declared import MEASUREMENT_NAMES, stem_of

if TYPE_CHECKING:
    from bench.analysis import Analysis
    from guards import TableReport

INSTALL = "pip install 'bench-analyze[jupyter]'"


def quantity(analysis: Analysis, column: str, table: str | None, measurement: str | None) -> Any:
    """Return the column as a quantity; see `Analysis.quantity`."""
    if find_spec("numpy") is None:
        raise EnvironmentProblem("arrays need numpy", hint=INSTALL)
    import pint  # noqa: PLC0415 - see `Analysis.quantity`

    report = _report(analysis, column, table)
    parts = [found for found in report.columns if found.name == column and measurement in (None, found.measurement)]
    if not parts:
        known = ", ".join(dict.fromkeys(str(found.measurement) for found in report.columns if found.name == column))
        raise UsageError(f"there is no measurement {measurement!r}", column=column, hint=f"there are {known}")
    units = sorted({found.unit or "" for found in parts})
    if len(units) > 1:
        raise UsageError(f"it holds several units: {', '.join(units)}", column=column, hint="name a measurement")
    if not units[0]:
        raise UsageError("it has no unit", column=column, hint=f"take analysis.table({report.name!r})[{column!r}]")
    read = [caveats.ReadColumn(report, found) for found in parts]
    for text in caveats.warnings(read):
        warnings.warn(text, UserWarning, stacklevel=3)
    values = _values(analysis, report, column, measurement)
    registry: Any = pint.get_application_registry  # untyped in pint
    return registry().Quantity(values.to_numpy(), units[0])


def _report(analysis: Analysis, column: str, table: str | None) -> TableReport:
    found = [report for report in analysis.table_reports if table in (None, report.name)]
    if not found:
        raise UsageError(f"there is no table {table!r}", hint="the tables are " + ", ".join(analysis.tables))
    check_columns([column], found)
    having = [report for report in found if any(each.name == column for each in report.columns)]
    if len(having) > 1:
        names = ", ".join(report.name for report in having)
        raise UsageError("several tables have it", column=column, hint=f"name one of {names}")
    return having[0]


def _values(analysis: Analysis, report: TableReport, column: str, measurement: str | None) -> pl.Series:
    if measurement is None:
        found = tables.read_table(analysis.db, report.name, columns=[column])
    else:
        names = dict.fromkeys(each.name for each in report.columns)
        key = next(name for name in names if stem_of(name) in MEASUREMENT_NAMES)
        frame = tables.read_table(analysis.db, report.name, columns=[key, column])
        found = frame.filter(pl.col(key) == measurement)
    values = found[column]
    if not values.dtype.is_numeric():
        raise UsageError("it holds no numbers", column=column, hint="take a measured column")
    return values.cast(pl.Float64).fill_null(float("nan"))
