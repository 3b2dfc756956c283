"""How many rows a filter left of those that the guard changed: from the ledger, which says it of whole exports.

A row counts as changed where a cell of it was cleared (it has a flag) or lies in a part that was corrected or refused.
Two things the ledger does not tell, and there a row is counted rather than not: whether a refused cell was empty, and
which rows are meant where one measurement has both kept and corrected rows. The count is held between what the whole
exports allow: never more than they had, and no fewer than must be left of those.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from bench.bulk import literal, quote
from bench.store.database import MAIN, Connection, asked
from bench.store.schema import EXPORT

_NOT_CHANGED = ("fault", "identity")  # flags of cells that stay as they are
_PARTS = f"""
    SELECT g.export, g.column_name, g.measurement, g.segment, g.verdict = 'refused' AS refused
    FROM {MAIN}.guard.columns g JOIN temp.chosen c USING (export, table_name)
    WHERE table_name = {{name}} AND g.verdict IN ('corrected', 'refused')"""
_MOVED = f"""
    SELECT g.export, g.source_name, g.column_name
    FROM {MAIN}.guard.columns g JOIN temp.chosen c USING (export, table_name)
    WHERE table_name = {{name}} AND g.source_name <> g.column_name"""
_NULL = "\x1e"
_NEXT = "\x1f"


def count_changed(con: Connection, work: str, name: str) -> None:
    """Set `rows_changed` of a filtered table's exports in the working copy's ledger to that of the rows left.

    `work`: the working copy as it is attached; `temp.chosen` holds the whole exports.
    """
    table = f"{work}.main.{quote(name)}"
    con.execute("CREATE OR REPLACE TEMP TABLE changed_parts (part INTEGER, key VARCHAR)")
    conditions = [
        f"r._row IN (SELECT f._row FROM {work}.guard.flags f WHERE f.table_name = {literal(name)} "
        f"AND f.kind NOT IN ({', '.join(map(literal, _NOT_CHANGED))}))",
        *_part_conditions(con, work, name),
    ]
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE changed_rows AS SELECT r.{EXPORT} AS export, count(*) AS rows_left, "
        f"count(*) FILTER (WHERE {' OR '.join(conditions)}) AS changed FROM {table} r GROUP BY ALL"
    )
    con.execute(
        f"UPDATE {work}.guard.exports e SET rows_changed = coalesce((SELECT greatest(least(n.changed, e.rows_changed), "
        "e.rows_changed - (e.rows_kept - n.rows_left)) FROM temp.changed_rows n WHERE n.export = e.export), 0) "
        f"WHERE e.table_name = {literal(name)}"
    )


def _part_conditions(con: Connection, work: str, name: str) -> list[str]:
    """Return conditions that hold for the rows of corrected and refused parts; fills `changed_parts`."""
    columns = _columns(con, work, name)
    moved = {
        (export, source): column for export, source, column in asked(con, _MOVED.format(name=literal(name))).rows()
    }
    measurements = _measurement_column(con, work, name, columns)
    parts: dict[tuple[str, bool, tuple[str, ...]], set[str]] = {}
    for export, column, measurement, segment, refused in asked(con, _PARTS.format(name=literal(name))).iter_rows():
        found: Mapping[str, str | None] = json.loads(segment) if segment else {}
        keys = {moved.get((export, source), source): value for source, value in found.items()}
        if measurement is not None and measurements is not None:
            keys[measurements] = measurement
        keys = {key: value for key, value in keys.items() if key in columns}
        values = [str(export), *(_NULL if value is None else value for value in keys.values())]
        parts.setdefault((column, refused, tuple(keys)), set()).add(_NEXT.join(values))
    conditions = []
    for number, ((column, refused, names), found_keys) in enumerate(parts.items()):
        con.execute("INSERT INTO temp.changed_parts SELECT ?, unnest(?)", [number, sorted(found_keys)])
        texts = [f"r.{EXPORT}::VARCHAR", *(f"coalesce(r.{quote(key)}::VARCHAR, {literal(_NULL)})" for key in names)]
        key = f" || {literal(_NEXT)} || ".join(texts)
        inside = f"{key} IN (SELECT p.key FROM temp.changed_parts p WHERE p.part = {number})"
        conditions.append(inside if refused else f"(r.{quote(column)} IS NOT NULL AND {inside})")
    return conditions


def _columns(con: Connection, work: str, name: str) -> dict[str, str]:
    query = (
        f"SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = {literal(work)} "
        f"AND schema_name = 'main' AND table_name = {literal(name)}"
    )
    return dict(asked(con, query).iter_rows())


def _measurement_column(con: Connection, work: str, name: str, columns: Mapping[str, str]) -> str | None:
    """Return the column of a long table that says what was measured: the one with most cells that are such names."""
    texts = [column for column, type_ in columns.items() if type_ == "VARCHAR"]
    names = (
        f"SELECT DISTINCT g.measurement FROM {MAIN}.guard.columns g JOIN temp.chosen c USING (export, table_name) "
        f"WHERE table_name = {literal(name)} AND g.measurement IS NOT NULL"
    )
    if not texts or not asked(con, f"{names} LIMIT 1").height:
        return None
    counts = [f"count(*) FILTER (WHERE r.{quote(column)} IN ({names}))" for column in texts]
    found = asked(con, f"SELECT unnest([{', '.join(counts)}]) AS cells FROM {work}.main.{quote(name)} r")["cells"]
    largest = found.arg_max()
    return None if largest is None or not found[largest] else texts[largest]
