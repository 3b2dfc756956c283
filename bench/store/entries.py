"""The ledger's rows of exports, under their keys, and the alerts that came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import polars as pl

from bench.store import schema
from bench.store.database import MAIN, Connection, append
from bench.store.history import Alert, Part, Reading
from bench.store.judging import Judged
from bench.store.raw import Keyed
from bench.store.rows import Places
from bench.store.state import Known


def write_ledger(con: Connection, known: Known, batch: Sequence[Keyed], places: Places) -> None:
    """Write everything that the guard said, `guard.exports` last."""
    parts = ledger_rows(known, batch, places)
    for name in sorted(parts, key=lambda name: name == "exports"):
        append(con, f"{MAIN}.guard.{name}", parts[name])


def ledger_rows(known: Known, batch: Sequence[Keyed], places: Places) -> dict[str, pl.DataFrame]:
    """Return the rows of each of the ledger's tables that has any; profiles that the store has not yet."""
    parts: dict[str, list[pl.DataFrame]] = {}
    for key, judged in batch:
        for name, rows in judged.ledger.items():
            if rows.height and name != "profile":
                parts.setdefault(name, []).append(_keyed(name, rows, key, judged, places))
        profile = judged.ledger["profile"]
        if profile.height and profile["sha256"][0] not in known.profiles:
            known.profiles.add(profile["sha256"][0])
            parts.setdefault("profile", []).append(profile)
    return {name: _spelled(known, pl.concat(rows)) for name, rows in parts.items()}


def _spelled(known: Known, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the tables' names as the store spells them."""
    if "table_name" not in rows.columns:
        return rows
    names = {each: known.tables[each.lower()] for each in rows["table_name"].unique()}
    return rows.with_columns(pl.col("table_name").replace(names))


def _keyed(name: str, rows: pl.DataFrame, key: int, judged: Judged, places: Places) -> pl.DataFrame:
    found = rows.with_columns(pl.lit(key, pl.Int64).alias("export"))
    if name == "exports":
        modified = datetime.fromtimestamp(judged.found.mtime_ns / 1e9, UTC).replace(tzinfo=None)
        return found.with_columns(
            pl.lit(judged.found.name).alias("path"),
            pl.lit(now(), pl.Datetime("us")).alias("ingested_at"),
            pl.lit(judged.identity.approvals, pl.String).alias("approvals"),
            pl.lit(judged.options).alias("options"),
            pl.lit(modified, pl.Datetime("us")).alias("modified_at"),
        )
    if name == "columns":
        found = found.with_columns(pl.col("column_name").alias("source_name"))
    return _in_places(found, key, judged, places) if "column_name" in rows.columns else found


def _in_places(rows: pl.DataFrame, key: int, judged: Judged, places: Places) -> pl.DataFrame:
    """Return the rows with columns by their names in the store's tables."""
    for table in judged.tables:
        moved = {
            each.name: each.stored.name for each in places[key, table.report.name] if each.name != each.stored.name
        }
        if moved:
            here = pl.col("table_name") == table.report.name
            stored = pl.when(here).then(pl.col("column_name").replace(moved)).otherwise("column_name")
            rows = rows.with_columns(stored.alias("column_name"))
    return rows


def readings(judged: Judged) -> list[tuple[Part, Reading]]:
    """Return how each judged column of an export was read, for the history."""
    return [
        (
            (table.report.name, column.name, column.measurement),
            (column.verdict, column.resolved_unit, column.unit, column.factor),
        )
        for table in judged.tables
        for column in table.report.columns
        if column.judged and not (column.verdict == "unverified" and column.nulls >= column.rows)
    ]


def write_alerts(con: Connection, alerts: Mapping[int, Sequence[Alert]]) -> None:
    """Write the alerts, by the exports' keys."""
    rows = alert_rows(alerts)
    if rows.height:
        append(con, f"{MAIN}.guard.alerts", rows)


def alert_rows(alerts: Mapping[int, Sequence[Alert]]) -> pl.DataFrame:
    """Return the rows of `guard.alerts`."""
    rows: list[dict[str, object]] = [
        {
            "export": key, "table_name": alert.table, "column_name": alert.column, "measurement": alert.measurement,
            "before": alert.before, "now": alert.now, "message": alert.message, "raised_at": now(),
        }
        for key, each in alerts.items()
        for alert in each
    ]  # fmt: skip
    return schema.frame("alerts", rows)


def now() -> datetime:
    """Return the time in UTC, without a zone, as the store's tables hold it."""
    return datetime.now(UTC).replace(tzinfo=None)
