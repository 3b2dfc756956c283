"""What a store holds, read in one go: counts, files that failed, refused columns, the last run, alerts."""

from __future__ import annotations

import json
from datetime import datetime

import polars as pl

from bench.store.database import MAIN, Connection, asked
from bench.store.seeing import told_error
from bench.store.state import SEEN
from bench.store.stores import Store

SHOWN = 100


def status(store: Store) -> dict[str, object]:
    """Return a store's counts, its last run, files that failed and have not changed since, the refused columns of its
    newest exports, and its newest alerts.

    Raises:
        UsageError: there is no such store. EnvironmentProblem: it was in use for too long, or cannot be reached.
    """
    with store.reading() as con:
        size, raw_size = store.sizes()
        return {
            "store": store.location,
            "bytes": size,
            "raw_bytes": raw_size,
            "counts": _counts(con),
            "tables": _rows(asked(con, _TABLES)),
            "failed": _failed(con),
            "refused": [_named(row) for row in _rows(asked(con, _REFUSED))],
            "last_run": next(iter(_rows(asked(con, f"FROM {MAIN}.guard.runs ORDER BY ended_at DESC LIMIT 1"))), None),
            "alerts": _rows(asked(con, _ALERTS)),
            **store.told(),
        }


_CURRENT = f"FROM {MAIN}.guard.exports WHERE superseded_by IS NULL"
_COUNTS = f"""
    SELECT count(DISTINCT export) AS exports, coalesce(sum(rows_read), 0)::BIGINT AS rows_read,
        coalesce(sum(rows_kept), 0)::BIGINT AS rows_kept, coalesce(sum(rows_changed), 0)::BIGINT AS rows_changed,
        coalesce(sum(rows_quarantined), 0)::BIGINT AS rows_quarantined
    {_CURRENT}"""
_OUTCOMES = f"""
    SELECT worst, count(*) FROM (
        SELECT CASE max(list_position(['clean', 'unverified', 'corrected', 'refused'], outcome))
            WHEN 1 THEN 'clean' WHEN 2 THEN 'unverified' WHEN 3 THEN 'corrected' ELSE 'refused' END AS worst
        {_CURRENT} GROUP BY export)
    GROUP BY worst ORDER BY worst"""
_TABLES = f"""
    SELECT table_name AS name, count(DISTINCT export) AS exports, sum(rows_kept)::BIGINT AS "rows",
        sum(rows_quarantined)::BIGINT AS quarantined
    {_CURRENT} GROUP BY table_name ORDER BY table_name"""
_REFUSED = f"""
    SELECT e.path, c.table_name AS "table", c.column_name AS "column", c.measurement, c.segment, c.reason
    FROM {MAIN}.guard.columns c
    JOIN (SELECT DISTINCT export, path {_CURRENT}) e USING (export)
    WHERE c.verdict = 'refused'
    ORDER BY c.export DESC, c.table_name, c.column_name, c.measurement, c.segment LIMIT {SHOWN}"""
_COUNT_REFUSED = f"""
    SELECT count(*) FROM {MAIN}.guard.columns c JOIN (SELECT DISTINCT export {_CURRENT}) e USING (export)
    WHERE c.verdict = 'refused'"""
_ALERTS = f"""
    SELECT a.raised_at, e.path, a.table_name AS "table", a.column_name AS "column", a.measurement, a.before, a.now,
        a.message
    FROM {MAIN}.guard.alerts a JOIN (SELECT DISTINCT export, path FROM {MAIN}.guard.exports) e USING (export)
    ORDER BY a.raised_at DESC, a.export DESC LIMIT {SHOWN}"""


def _counts(con: Connection) -> dict[str, object]:
    found = dict(asked(con, _COUNTS).row(0, named=True))
    outcomes = {"clean": 0, "unverified": 0, "corrected": 0, "refused": 0}
    outcomes |= dict(asked(con, _OUTCOMES).iter_rows())
    versions = asked(con, f"SELECT count(DISTINCT export) FROM {MAIN}.guard.exports").item()
    alerts = asked(con, f"SELECT count(*) FROM {MAIN}.guard.alerts").item()
    return found | {
        "versions": versions, "outcomes": outcomes, "failed": len(_failed(con)), "alerts": alerts,
        "refused_columns": asked(con, _COUNT_REFUSED).item(),
    }  # fmt: skip


def _failed(con: Connection) -> list[dict[str, object]]:
    found = asked(con, f"SELECT path, seen_at, error FROM ({SEEN}) WHERE error IS NOT NULL ORDER BY path")
    return [
        {"path": path, "failed_at": _text(seen_at), "error": told_error(error)}
        for path, seen_at, error in found.iter_rows()
    ]


def _named(row: dict[str, object]) -> dict[str, object]:
    return row | {"segment": json.loads(str(row["segment"])) if row["segment"] else None}


def _rows(found: pl.DataFrame) -> list[dict[str, object]]:
    return [{name: _text(value) for name, value in row.items()} for row in found.iter_rows(named=True)]


def _text(value: object) -> object:
    return value.isoformat(timespec="seconds") + "Z" if isinstance(value, datetime) else value
