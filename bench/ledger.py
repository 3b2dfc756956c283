"""The guard's answer as tables: what `guard.*` of the DuckDB file holds. Pure: reports in, frames out.

Every frame keeps its schema when it is empty, so that a query against `guard.flags` works whatever was found. Segments,
proposals and witnesses are JSON text: the sandbox's DuckDB has no JSON functions, and Python there has `json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import polars as pl

from bench.export import path_text
from bench.guarded import GuardedExport, GuardedTable
from guards import RULES_VERSION, ColumnReport, outcome_of

_TEXT, _COUNT, _NUMBER = pl.String(), pl.Int64(), pl.Float64()
_PART: dict[str, pl.DataType] = {"table_name": _TEXT, "column_name": _TEXT, "measurement": _TEXT, "segment": _TEXT}
SCHEMAS: dict[str, dict[str, pl.DataType]] = {
    "exports": {
        "sha256": _TEXT, "path": _TEXT, "table_name": _TEXT, "rows_read": _COUNT, "rows_kept": _COUNT,
        "rows_changed": _COUNT, "rows_quarantined": _COUNT, "outcome": _TEXT, "profile_sha256": _TEXT,
        "rules_version": _TEXT, "ingested_at": pl.Datetime("us"),
    },
    "columns": {
        **_PART, "role": _TEXT, "node": _TEXT, "quantity": _TEXT, "declared_text": _TEXT, "declared_unit": _TEXT,
        "resolved_unit": _TEXT, "unit": _TEXT, "factor": _NUMBER, "offset": _NUMBER, "verdict": _TEXT, "rule": _TEXT,
        "reason": _TEXT, "proposal": _TEXT, "rows": _COUNT, "sentinels": _COUNT, "faults": _COUNT, "nulls": _COUNT,
        "witnesses": _TEXT,
    },
    "units": {**_PART, "unit": _TEXT, "verdict": _TEXT},
    "corrections": {
        **_PART, "from_unit": _TEXT, "to_unit": _TEXT, "factor": _NUMBER, "offset": _NUMBER, "rule": _TEXT,
        "rows": _COUNT, "reason": _TEXT,
    },
    "flags": {
        "table_name": _TEXT, "_row": _COUNT, "column_name": _TEXT, "measurement": _TEXT, "kind": _TEXT, "detail": _TEXT,
    },
    "quarantine": {"table_name": _TEXT, "_row": _COUNT, "_line": _COUNT, "reason": _TEXT, "text": _TEXT},
    "limits": {"table_name": _TEXT, "node": _TEXT, "lower": _NUMBER, "upper": _NUMBER, "unit": _TEXT},
    "profile": {"sha256": _TEXT, "path": _TEXT, "name": _TEXT, "text": _TEXT},
}  # fmt: skip


def ledger(exports: Sequence[GuardedExport], *, now: datetime) -> dict[str, pl.DataFrame]:
    """Return every table of schema `guard` by name. `now` (UTC, naive) becomes `ingested_at`."""
    tables = [table for export in exports for table in export.tables]
    columns = [(table.name, column) for table in tables for column in table.report.columns]
    return {
        "exports": _frame("exports", (row for export in exports for row in _export_rows(export, now))),
        "columns": _frame("columns", (_column_row(name, column) for name, column in columns)),
        "units": _stack("units", ((table.name, table.guarded.units) for table in tables), {"column": "column_name"}),
        "corrections": _frame(
            "corrections", (_correction_row(name, column) for name, column in columns if column.verdict == "corrected")
        ),
        "flags": _stack("flags", ((table.name, table.guarded.flags) for table in tables), {"column": "column_name"}),
        "quarantine": _stack("quarantine", ((table.name, table.raw.quarantine) for table in tables)),
        "limits": _stack("limits", ((table.name, table.guarded.limits) for table in tables)),
        "profile": _frame("profile", _profile_rows(exports)),
    }


def column_comment(columns: Iterable[ColumnReport]) -> str:
    """Return the comment of one column: unit and verdict of each of its measurements and segments."""
    return "; ".join(
        f"{_part(column)}unit {column.unit or 'none'}, {column.verdict}" for column in columns
    )  # fmt: skip


def _part(column: ColumnReport) -> str:
    words = [column.measurement] if column.measurement is not None else []
    words += [f"{key} {value}" for key, value in (column.segment or {}).items()]
    return ", ".join(words) + ": " if words else ""


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _frame(name: str, rows: Iterable[Mapping[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=SCHEMAS[name], orient="row")


def _stack(
    name: str, parts: Iterable[tuple[str, pl.DataFrame]], names: Mapping[str, str] | None = None
) -> pl.DataFrame:
    schema = SCHEMAS[name]
    frames = [
        part.rename(names or {}).with_columns(pl.lit(table).alias("table_name")).select(*schema).cast(pl.Schema(schema))
        for table, part in parts
    ]
    return pl.concat(frames) if frames else pl.DataFrame(schema=schema)


def _export_rows(guarded: GuardedExport, now: datetime) -> Iterable[dict[str, object]]:
    for table in guarded.tables:
        yield {
            "sha256": guarded.export.sha256,
            "path": path_text(guarded.export.path),
            "table_name": table.name,
            **_counts(table),
            "profile_sha256": guarded.board.sha256 if guarded.board else None,
            "rules_version": RULES_VERSION,
            "ingested_at": now,
        }


def _counts(table: GuardedTable) -> dict[str, object]:
    report = table.report
    return {
        "rows_read": report.rows_read,
        "rows_kept": report.rows_kept,
        "rows_changed": report.rows_changed,
        "rows_quarantined": report.rows_quarantined,
        "outcome": outcome_of([report]),
    }


def _column_row(table: str, column: ColumnReport) -> dict[str, object]:
    found = column.to_dict()
    found |= {"table_name": table, "column_name": found.pop("name")}
    for name in ("segment", "proposal", "witnesses"):
        found[name] = _json(found[name])
    return found


def _correction_row(table: str, column: ColumnReport) -> dict[str, object]:
    return {
        "table_name": table,
        "column_name": column.name,
        "measurement": column.measurement,
        "segment": _json(column.segment if column.segment is None else dict(column.segment)),
        "from_unit": column.resolved_unit,
        "to_unit": column.unit,
        "factor": column.factor,
        "offset": column.offset,
        "rule": column.rule,
        "rows": column.rows,
        "reason": column.reason,
    }


def _profile_rows(exports: Sequence[GuardedExport]) -> Iterable[dict[str, object]]:
    boards = {export.board.sha256: export.board for export in exports if export.board}
    for sha256, board in boards.items():
        yield {"sha256": sha256, "path": path_text(board.path), "name": board.board.name, "text": board.text}
