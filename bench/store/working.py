"""The working copy of a store that a reader takes: a database like that of one analysis, with what was chosen.

Its tables hold the current versions (or those that a receipt names), export after export, in rows that are numbered
anew: `_row` is `first_row` of the export (in `guard.exports`) plus the row's number there, so that flags and quarantine
fit. The ledger of columns is summed over the exports that agree; witnesses and earlier limits stay in the store.
`_export` is the export's key in `guard.exports`.

A filter is the user's own SQL. It is held to one expression, and runs where no file can be reached and no setting
changed; the store is attached read-only. Of an export that it thins out, the rows changed are those of what is left
(see `thinned`); the columns' counts stay those of the whole export.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from bench.bulk import literal, quote
from bench.errors import UsageError
from bench.macros import MACROS
from bench.receipts import canonical, sha256
from bench.store.conditions import refused_condition
from bench.store.database import (
    MAIN,
    REFUSED_CONDITION,
    Connection,
    asked,
    attach_new,
    locked_down,
    refuse_no_expression,
)
from bench.store.keys import keys_of, ranges
from bench.store.schema import PARTITIONS
from bench.store.stores import Store
from bench.store.thinned import count_changed
from bench.tables import explained

WORK = "work"


@dataclass(frozen=True, slots=True)
class Selection:
    """What a reader wants of a store. None means everything.

    `tables`: their names. `since`: exports that were last written then or later (ISO 8601, UTC). `where`: one SQL
    condition over the columns of every chosen table, of Delta tables also over `_day` and `_station`. `keys`: exactly
    these exports ("1-200,205"), also versions that others have taken the place of; a receipt names them.
    """

    tables: tuple[str, ...] | None = None
    since: str | None = None
    where: str | None = None
    keys: str | None = None


@dataclass(frozen=True, slots=True)
class Working:
    """What was copied. `version`: the hash of everything that decides what the tables hold; `keys`: of the exports."""

    tables: tuple[str, ...]
    exports: int
    keys: str
    version: str
    limits_differ: tuple[str, ...]


def build(store: Store, target: Path, selection: Selection) -> Working:
    """Copy what was chosen into a new database.

    Raises:
        UsageError: no such store or table, nothing that was chosen is there, or the filter is none.
        EnvironmentProblem: the store was in use for too long, or the copy cannot be written.
    """
    if selection.where is not None:
        refuse_no_expression(selection.where)
    with store.reading(selection) as con, explained(target):
        attach_new(con, target, WORK)
        locked_down(con)
        names = _choose(con, store.location, selection)
        for name in names:
            _copy(con, name, selection.where)
        _ledger(con, names, filtered=selection.where is not None)
        found = _working(con, names, selection)
        con.execute(f"DETACH {WORK}")
    return found


def _choose(con: Connection, store: str, selection: Selection) -> list[str]:
    """Fill `chosen`: the exports of each table, with the number that their first row follows. Return the tables."""
    there = {
        name.lower(): name
        for name in asked(con, f"SELECT DISTINCT table_name FROM {MAIN}.guard.exports ORDER BY 1")["table_name"]
    }
    for name in selection.tables or ():
        if name.lower() not in there:
            raise UsageError(
                f"there is no table {name!r}",
                file=store,
                hint="the tables are " + (", ".join(there.values()) or "none yet"),
            )
    wanted = [there[name.lower()] for name in selection.tables] if selection.tables else list(there.values())
    conditions = [f"table_name IN ({', '.join(map(literal, wanted)) or 'NULL'})"]
    conditions.append(keys_of(selection.keys, "export") if selection.keys is not None else "superseded_by IS NULL")
    if selection.since is not None:
        conditions.append(f"modified_at >= TIMESTAMP {literal(moment(selection.since).isoformat(sep=' '))}")
    con.execute(
        "CREATE TEMP TABLE chosen AS SELECT *, (sum(rows_read) OVER (PARTITION BY table_name ORDER BY export "
        f"ROWS UNBOUNDED PRECEDING) - rows_read)::BIGINT AS first_row FROM {MAIN}.guard.exports "
        f"WHERE {' AND '.join(conditions)}"
    )
    found = list(asked(con, "SELECT DISTINCT table_name FROM temp.chosen ORDER BY 1")["table_name"])
    if not found:
        what = f" since {selection.since}" if selection.since is not None and there else ""
        raise UsageError(f"it holds no export{what}", file=store, hint=f"bench-analyze status --db {store}")
    return found


def moment(text: str) -> datetime:
    """Return a date of `--since` in UTC, without a zone.

    Raises:
        UsageError: it is none.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no date", hint="--since 2026-10-30, or 2026-10-30T14:00") from error
    return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found


def _copy(con: Connection, name: str, where: str | None) -> None:
    table = quote(name)
    old = (
        f"SELECT 1 FROM duckdb_tables() WHERE database_name = '{MAIN}' AND schema_name = 'superseded' "
        f"AND table_name = {literal(name)}"
    )
    source = f"FROM {MAIN}.main.{table}"
    if asked(con, old).height:
        source = f"{source} UNION ALL BY NAME FROM {MAIN}.superseded.{table}"
    kept = _columns(con, name)
    beside = [column for column in _beside(con, name) if column not in kept]  # for the condition alone
    columns = "".join(f", r.{quote(column)}" for column in [*kept, *beside])
    rows = (
        f"SELECT c.first_row + r._row AS _row, r._export{columns} FROM ({source}) r "
        f"JOIN temp.chosen c ON c.export = r._export AND c.table_name = {literal(name)}"
    )
    condition = f" WHERE ({where}\n)" if where is not None else ""
    every = f"* EXCLUDE ({', '.join(map(quote, beside))})" if beside else "*"
    try:
        con.execute(f"CREATE TABLE {WORK}.main.{table} AS SELECT {every} FROM ({rows}){condition} ORDER BY _row")
    except REFUSED_CONDITION as error:
        if where is None:
            raise
        raise refused_condition(name, [*kept, *beside], error) from error


def _beside(con: Connection, name: str) -> list[str]:
    """Return the columns by which a table of the store is partitioned; a DuckDB file has none."""
    query = (
        f"SELECT column_name FROM duckdb_columns() WHERE database_name = '{MAIN}' AND schema_name = 'main' "
        f"AND table_name = {literal(name)} AND column_name IN ({', '.join(map(literal, PARTITIONS))})"
    )
    return list(asked(con, query)["column_name"])


def _columns(con: Connection, name: str) -> list[str]:
    """Return the columns that the chosen exports have, in the store's order."""
    query = (
        f"SELECT column_name FROM duckdb_columns() WHERE database_name = '{MAIN}' AND schema_name = 'main' "
        f"AND table_name = {literal(name)} AND column_name IN (SELECT g.column_name FROM {MAIN}.guard.columns g "
        f"JOIN temp.chosen c USING (export, table_name) WHERE table_name = {literal(name)}) ORDER BY column_index"
    )
    return list(asked(con, query)["column_name"])


def _ledger(con: Connection, names: Sequence[str], *, filtered: bool) -> None:
    con.execute(f"CREATE SCHEMA {WORK}.guard")
    for name, query in _LEDGER.items():
        con.execute(f"CREATE TABLE {WORK}.guard.{name} AS {query}")
    if filtered:
        for name in names:
            con.execute(
                f"DELETE FROM {WORK}.guard.flags f WHERE table_name = {literal(name)} "
                f"AND NOT EXISTS (FROM {WORK}.main.{quote(name)} r WHERE r._row = f._row)"
            )
            count_changed(con, WORK, name)
    for signature, body in MACROS.items():
        con.execute(f"CREATE MACRO {WORK}.main.{signature} AS {body}")


_ROW = "(c.first_row + g._row)::BIGINT AS _row"
_JOINED = "JOIN temp.chosen c USING (export, table_name)"
_LEDGER = {
    "exports": "FROM temp.chosen ORDER BY table_name, export",
    "columns": f"""
        SELECT table_name, column_name, measurement, segment, arg_max(role, export) AS role,
            arg_max(node, export) AS node, arg_max(quantity, export) AS quantity,
            arg_max(declared_text, export) AS declared_text, arg_max(declared_unit, export) AS declared_unit,
            resolved_unit, unit, factor, "offset", verdict, arg_max(rule, export) AS rule,
            arg_max(reason, export) AS reason, arg_max(proposal, export) AS proposal,
            sum("rows")::BIGINT AS "rows", sum(sentinels)::BIGINT AS sentinels, sum(faults)::BIGINT AS faults,
            sum(nulls)::BIGINT AS nulls, '[]' AS witnesses, count(*)::BIGINT AS exports
        FROM {MAIN}.guard.columns g {_JOINED}
        GROUP BY table_name, column_name, measurement, segment, resolved_unit, unit, factor, "offset", verdict
        ORDER BY table_name, min(g.rowid), verdict""",
    "units": f"""
        SELECT DISTINCT table_name, column_name, measurement, segment, unit, verdict
        FROM {MAIN}.guard.units g {_JOINED} ORDER BY ALL""",
    "corrections": f"""
        SELECT table_name, column_name, measurement, segment, from_unit, to_unit, factor, "offset",
            arg_max(rule, export) AS rule, sum("rows")::BIGINT AS "rows", arg_max(reason, export) AS reason,
            count(*)::BIGINT AS exports
        FROM {MAIN}.guard.corrections g {_JOINED}
        GROUP BY table_name, column_name, measurement, segment, from_unit, to_unit, factor, "offset" ORDER BY ALL""",
    "flags": f"""
        SELECT table_name, {_ROW}, column_name, measurement, kind, detail, export
        FROM {MAIN}.guard.flags g {_JOINED} ORDER BY table_name, _row""",
    "quarantine": f"""
        SELECT table_name, {_ROW}, _line, reason, "text", export
        FROM {MAIN}.guard.quarantine g {_JOINED} ORDER BY table_name, _row""",
    "limits": f"""
        SELECT table_name, node, lower, upper, unit FROM {MAIN}.guard.limits g {_JOINED}
        QUALIFY row_number() OVER (PARTITION BY table_name, node ORDER BY export DESC) = 1 ORDER BY ALL""",
    "profile": f"""
        FROM {MAIN}.guard.profile WHERE sha256 IN (SELECT profile_sha256 FROM temp.chosen) ORDER BY ALL""",
}  # fmt: skip
"""The ledger's tables of a working copy, with the columns that those of one analysis have; a few follow."""

_IDENTITIES = (
    "SELECT DISTINCT export, sha256, profile_sha256, approvals, rules_version FROM temp.chosen ORDER BY export"
)
_LIMITS_DIFFER = f"""
    SELECT DISTINCT node FROM {MAIN}.guard.limits g {_JOINED}
    GROUP BY table_name, node HAVING count(DISTINCT (lower, upper, unit)) > 1 ORDER BY node"""


def _working(con: Connection, names: Sequence[str], selection: Selection) -> Working:
    exports = asked(con, _IDENTITIES)
    keys = exports["export"].to_list()
    identity = {"exports": exports.rows(), "tables": list(names), "where": selection.where}
    return Working(
        tuple(names), len(keys), ranges(keys), sha256(canonical(identity)),
        tuple(asked(con, _LIMITS_DIFFER)["node"]),
    )  # fmt: skip


def rows_in(con: Connection, names: Sequence[str]) -> dict[str, int]:
    """Return how many rows each table of an opened working copy has."""
    return {name: int(asked(con, f"SELECT count(*) FROM {quote(name)}").item()) for name in names}


def ledger_rows(con: Connection, name: str) -> pl.DataFrame:
    """Return a table of the ledger of an opened working copy."""
    return asked(con, f"FROM guard.{name}")
