"""The corrected table as a file of its own: CSV with a units row, or Parquet with the units in its metadata.

The columns are those of the export, without `_row`: what is written here reads back as the same table. A cell of the
units row is empty where a column has no unit or several, or no values; where all of them would be, there is no units
row, because a reader would take an empty row for data. CSV is written in batches; both appear under their name only
when whole.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import polars as pl

from bench import publishing, tables
from bench.analysis import Analysis
from bench.errors import EnvironmentProblem, UsageError
from bench.export import ROW
from guards.units import FRACTION

_FRACTION = "fraction"
Write = Callable[[Analysis, str, Path], None]


def write_table(analysis: Analysis, path: Path) -> Path:
    """Write the corrected table of a single-table analysis, replacing a file that is there.

    Raises:
        UsageError: the suffix is neither .csv nor .parquet, or there are several tables.
        EnvironmentProblem: the file cannot be written.
    """
    write = writer_for(path)
    if len(analysis.tables) != 1:
        raise UsageError(
            f"one file holds one table, and there are {len(analysis.tables)}: {', '.join(analysis.tables)}",
            file=path,
            hint="name one export, or keep all tables with --db FILE",
        )
    building = publishing.building(path)
    try:
        write(analysis, analysis.tables[0], building)
        building.replace(path)
    except OSError as error:
        raise EnvironmentProblem(
            f"the table could not be written: {error.strerror or error}", file=path, hint="name another --out"
        ) from error
    finally:
        with suppress(OSError):
            building.unlink(missing_ok=True)
    return path


def writer_for(path: Path) -> Write:
    """Return what writes this kind of file; see `write_table`."""
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise UsageError("the suffix says neither CSV nor Parquet", file=path, hint="end --out with .csv or .parquet")
    return write


def _write_csv(analysis: Analysis, table: str, path: Path) -> None:
    units = _units_of_values(analysis, table)
    with path.open("wb") as file:
        for number, batch in enumerate(tables.table_batches(analysis.db, table)):
            columns = batch.drop(ROW)
            if number == 0:
                file.write(_head(columns.columns, units))
            # A row that is empty altogether would be no row for whoever reads it.
            empty = '""' if columns.width == 1 else None
            columns.write_csv(file, include_header=False, datetime_format=_datetime_format(columns), null_value=empty)


def _datetime_format(frame: pl.DataFrame) -> str | None:
    """ISO 8601 without the six zeros that polars would write; its own form where a time zone must be kept."""
    zones = any(isinstance(kind, pl.Datetime) and kind.time_zone for kind in frame.dtypes)
    return None if zones else "%Y-%m-%dT%H:%M:%S%.f"


def _units_of_values(analysis: Analysis, table: str) -> dict[str, str]:
    """Return the unit of each column that has one and holds values."""
    report = next(found for found in analysis.table_reports if found.name == table)
    filled = {column.name for column in report.columns if column.nulls < column.rows}
    return {name: unit for name, unit in analysis.units(table).items() if unit and name in filled}


def _head(columns: list[str], units: Mapping[str, str]) -> bytes:
    text = io.StringIO()
    # As a cell of its own the 1 of a plain ratio would be a number, and the row the first one of the data.
    row = [_FRACTION if units.get(name) == FRACTION else units.get(name, "") for name in columns]
    csv.writer(text, lineterminator="\n").writerows([columns, row] if any(row) else [columns])
    return text.getvalue().encode()


def _write_parquet(analysis: Analysis, table: str, path: Path) -> None:
    report = next(found for found in analysis.table_reports if found.name == table)
    metadata = {
        "units": json.dumps(dict(analysis.units(table)), ensure_ascii=False),
        "guard": json.dumps(report.to_dict(), ensure_ascii=False),
    }
    tables.read_table(analysis.db, table).drop(ROW).write_parquet(path, metadata=metadata)


_WRITERS: dict[str, Write] = {".csv": _write_csv, ".parquet": _write_parquet}
