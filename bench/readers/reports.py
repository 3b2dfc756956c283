"""Test reports as one long table: one row a measurement, under the names that test executives use.

A step without a measurement is a row without a value, so that the rows account for the report. Numbers go to `value`,
texts to `text_value`: a string result is a result, not a number that could not be read. Columns that a report never
fills are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import polars as pl

from bench.export import LINE, ROW, RawTable, no_quarantine
from bench.readers import names
from guards import ExportColumn


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measurement of a report, every field as text; `line` is where it stands in the file, if that is known."""

    line: int | None = None
    serial: str | None = None
    part_number: str | None = None
    lot: str | None = None
    station: str | None = None
    site: str | None = None
    timestamp: str | None = None
    test_number: str | None = None
    step_group: str | None = None
    step_type: str | None = None
    measurement: str | None = None
    value: str | None = None
    text_value: str | None = None
    unit: str | None = None
    lower_limit: str | None = None
    upper_limit: str | None = None
    comparison: str | None = None
    result: str | None = None


_ALWAYS = ("measurement", "value", "unit", "result")


def long_table(name: str, found: Sequence[Measurement], decimal: str | None = None) -> RawTable:
    """Return measurements as a table. A report with a localized decimal mark has commas and no points in its values."""
    columns = [item.name for item in fields(Measurement) if item.name != "line"]
    used = [column for column in columns if column in _ALWAYS or any(getattr(row, column) is not None for row in found)]
    cells = [[getattr(row, column) for row in found] for column in used]
    values = "".join(row.value or "" for row in found)
    mark = decimal or ("," if "," in values and "." not in values else ".")
    return text_table(name, used, cells, lines=[row.line for row in found], decimal=mark)


def text_table(
    name: str,
    headers: Sequence[str],
    cells: Sequence[Sequence[str | None]],
    *,
    lines: Iterable[int | None] | None = None,
    units: Sequence[str | None] | None = None,
    decimal: str = ".",
) -> RawTable:
    """Return columns of text as a table; `cells` has one sequence for each header."""
    unique = names.column_names(headers)
    height = len(cells[0]) if cells else 0
    frame = pl.DataFrame([pl.Series(name, column, dtype=pl.String) for name, column in zip(unique, cells, strict=True)])
    where = pl.Series(LINE, list(lines) if lines is not None else [None] * height, dtype=pl.Int64)
    rows = pl.int_range(1, height + 1, eager=True, dtype=pl.Int64).alias(ROW)
    given = units or [None] * len(unique)
    return RawTable(
        name=name,
        frame=pl.DataFrame([rows, where]).hstack(frame).lazy() if height else _empty(unique),
        columns=tuple(ExportColumn(*both) for both in zip(unique, headers, given, strict=True)),
        rows_read=height,
        quarantine=no_quarantine(),
        decimal=decimal,
    )


def _empty(columns: Sequence[str]) -> pl.LazyFrame:
    return pl.LazyFrame(schema={ROW: pl.Int64, LINE: pl.Int64, **dict.fromkeys(columns, pl.String)})


def bounds(comparison: str | None, low: str | None, high: str | None) -> tuple[str | None, str | None]:
    """Return lower and upper limit. A one-sided "less than" keeps its bound in the low limit (NI TestStand, WATS)."""
    if comparison in ("LT", "LE") and high is None:
        return None, low
    if comparison in ("EQ",) and high is None:
        return low, low
    return (None, None) if comparison in ("LOG", "NE") and high is None else (low, high)
