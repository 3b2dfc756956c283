"""What a run must know of a store, read once: what is held, which files were looked at, the columns, the history.

Another job may commit in between. Keys only grow, so one look at the last one tells whether this still stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bench.bulk import quote
from bench.store import schema
from bench.store.columns import Extent, Stored
from bench.store.database import MAIN, RAW, Connection, asked, last_key
from bench.store.history import REMEMBERED, History
from bench.store.judging import Identity

State = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Held:
    """The current version of an export in the store."""

    export: int
    identity: Identity
    path: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that was looked at. `error`: JSON of why it could not be read, None where the store holds its bytes, or
    where it has gone from the inbox since it failed (`state` is then zero)."""

    state: State
    sha256: str | None
    error: str | None


@dataclass
class Known:
    """The store as it was at its last key. Tables and columns are by their names in lower case."""

    last: int = 0
    held: dict[str, Held] = field(default_factory=dict)
    profiles: set[str] = field(default_factory=set)
    seen: dict[str, Seen] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    columns: dict[str, list[Stored]] = field(default_factory=dict)
    history: History = field(default_factory=History)
    part: int = 1
    part_bytes: int = 0

    def refresh(self, con: Connection, *, force: bool = False) -> None:
        """Read everything again if somebody has committed since."""
        if force or not self.tables or last_key(con) != self.last:
            fresh = load(con)
            for name in self.__dataclass_fields__:
                setattr(self, name, getattr(fresh, name))


def load(con: Connection) -> Known:
    """Read what a run must know."""
    part, part_bytes = _part(con)
    tables = {name.lower(): name for name in asked(con, _TABLES)["table_name"]}
    profiles = set(asked(con, f"SELECT sha256 FROM {MAIN}.guard.profile")["sha256"])
    return Known(
        last_key(con), _held(con), profiles, _seen(con), tables, _columns(con), _history(con), part, part_bytes
    )


_TABLES = f"SELECT table_name FROM duckdb_tables() WHERE database_name = '{MAIN}' AND schema_name = 'main'"
_CURRENT = f"""
    SELECT DISTINCT ON (export) export, sha256, path, profile_sha256, approvals, rules_version
    FROM {MAIN}.guard.exports WHERE superseded_by IS NULL"""
SEEN = f"""
    SELECT DISTINCT ON (path) path, "bytes", mtime_ns, ctime_ns, inode, sha256, error, seen_at
    FROM {MAIN}.guard.seen ORDER BY path, seen_at DESC, rowid DESC"""
_REGISTERED = f"""
    SELECT c.table_name, c.column_name, c.data_type, s.source_name, s.measurement, s.unit, s.table_name AS registered
    FROM duckdb_columns() c LEFT JOIN {MAIN}.guard.stored_columns s
    ON lower(s.table_name) = lower(c.table_name) AND s.column_name = c.column_name
    WHERE c.database_name = '{MAIN}' AND c.schema_name = 'main' AND c.column_name NOT IN ('{schema.EXPORT}', '_row')
    ORDER BY c.table_name, c.column_index"""
_READINGS = f"""
    SELECT table_name, source_name, measurement, export, verdict, resolved_unit, unit, factor
    FROM {MAIN}.guard.columns
    WHERE role IN ('measured', 'setpoint') AND NOT (verdict = 'unverified' AND nulls >= "rows")
    QUALIFY dense_rank() OVER (
        PARTITION BY lower(table_name), lower(source_name), measurement ORDER BY export DESC) <= {REMEMBERED}
    ORDER BY export"""


def _held(con: Connection) -> dict[str, Held]:
    found = asked(con, _CURRENT)
    return {
        sha256: Held(export, Identity(sha256, profile, approvals, rules), path)
        for export, sha256, path, profile, approvals, rules in found.iter_rows()
    }


def _seen(con: Connection) -> dict[str, Seen]:
    return {
        path: Seen((size, mtime, ctime, inode), sha256, error)
        for path, size, mtime, ctime, inode, sha256, error, _ in asked(con, SEEN).iter_rows()
    }


def _columns(con: Connection) -> dict[str, list[Stored]]:
    units: dict[tuple[str, str], dict[str | None, str | None]] = {}
    found: dict[tuple[str, str], Stored] = {}
    for table, name, type_, source, measurement, unit, registered in asked(con, _REGISTERED).iter_rows():
        key = (table.lower(), name)
        by_measurement = units.setdefault(key, {})
        if registered is not None and not (measurement is None and unit == NOTHING):
            by_measurement[measurement] = unit
        found[key] = Stored(name, source or name, type_, by_measurement)
    columns: dict[str, list[Stored]] = {}
    for (table, _), stored in found.items():
        columns.setdefault(table, []).append(stored)
    return columns


NOTHING = "(no value yet)"  # registered for a column that came without any value, so that its source is known


def _history(con: Connection) -> History:
    history = History()
    for frame in asked(con, _READINGS).partition_by("export", maintain_order=True):
        history.add(
            ((table, source, measurement), (verdict, resolved, unit, factor))
            for table, source, measurement, _, verdict, resolved, unit, factor in frame.iter_rows()
        )
    return history


def _part(con: Connection) -> tuple[int, int]:
    count = asked(
        con,
        "SELECT count(*) FROM duckdb_tables() "
        f"WHERE database_name = '{RAW}' AND schema_name = 'guard' AND table_name LIKE 'files\\_%' ESCAPE '\\'",
    ).item()
    size = asked(con, f"SELECT coalesce(sum(octet_length(content)), 0)::BIGINT FROM {RAW}.guard.files_{count}").item()
    return int(count), int(size)


def extent_of(con: Connection, table: str, column: Stored) -> Extent:
    """Return what a column of the store holds."""
    name = quote(column.name)
    magnitude = f"coalesce(max(abs({name})), 0)" if column.type == "BIGINT" else "0"
    query = f"SELECT count({name}), {magnitude}::HUGEINT::VARCHAR FROM {MAIN}.main.{quote(table)}"
    values, largest = asked(con, query).row(0)
    return Extent(values, int(largest))
