"""Structured calls instead of code: describe, query and aggregate, each made into one statement of SQL.

Names are quoted and values are parameters, so that no argument is ever SQL. The statement runs as a snippet in the same
sandbox, so that results, receipts and tracing do not differ from those of code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bench.ask.tools import CallProblem, Toolset, object_schema

FUNCTIONS = {
    "count": "count({})", "count_distinct": "count(distinct {})", "sum": "sum({})", "avg": "avg({})",
    "min": "min({})", "max": "max({})", "median": "median({})", "stddev": "stddev_samp({})",
}  # fmt: skip
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "like", "is null", "is not null")
MOST_ROWS = 200
_RULES = """\
You have three tools and no code. describe: columns and types of a table. query: rows of a table. aggregate: count,
count_distinct, sum, avg, min, max, median and stddev of columns, by group. All three filter by `where` and may join a
second table on a column that both have; columns are then written table.column. Call them until you have every figure,
then answer. A result is a list of rows, each {column: value}; an aggregate of a column is named function_column."""


def snippet_of_describe(arguments: Mapping[str, Any]) -> str:
    """Return the snippet that lists a table's columns."""
    return _snippet(f"select column_name, column_type from (describe {_name(_text(arguments, 'table'))})", [])


def snippet_of_query(arguments: Mapping[str, Any]) -> str:
    """Return the snippet that selects rows."""
    columns = [_column(name) for name in _texts(arguments, "columns")]
    where, values = _where(arguments)
    rest = _ordered(arguments) + f" limit {_limit(arguments)}"
    return _snippet(f"select {', '.join(columns) or '*'} from {_source(arguments)}{where}{rest}", values)


def snippet_of_aggregate(arguments: Mapping[str, Any]) -> str:
    """Return the snippet that aggregates columns by group."""
    groups = [_column(name) for name in _texts(arguments, "group_by")]
    measures = [_measure(found) for found in _objects(arguments, "measures")]
    if not measures:
        raise CallProblem("aggregate needs 'measures', a list of {function, column}")
    where, values = _where(arguments)
    grouped = f" group by {', '.join(groups)}" if groups else ""
    ordered = _ordered(arguments) or (f" order by {', '.join(groups)}" if groups else "")
    statement = f"select {', '.join([*groups, *measures])} from {_source(arguments)}{where}{grouped}{ordered}"
    return _snippet(f"{statement} limit {_limit(arguments)}", values)


def _snippet(statement: str, values: Sequence[object]) -> str:
    return (
        f"rows = con.execute({statement!r}, {list(values)!r})\n"
        "names = [column[0] for column in rows.description]\n"
        "result = [dict(zip(names, row)) for row in rows.fetchall()]"
    )


def _measure(found: Mapping[str, Any]) -> str:
    function, column = found.get("function"), found.get("column", "*")
    if function not in FUNCTIONS or not isinstance(column, str):
        raise CallProblem(f"there is no function {function!r:.40}; there are {', '.join(FUNCTIONS)}")
    if column == "*":
        return "count(*) as count"
    return f"{FUNCTIONS[function].format(_column(column))} as {_name(f'{function}_{column}')}"


def _source(arguments: Mapping[str, Any]) -> str:
    table, join = _name(_text(arguments, "table")), arguments.get("join")
    if join is None:
        return table
    if not isinstance(join, Mapping):
        raise CallProblem("'join' is {table, on}")
    other, on = _name(_text(join, "table")), _name(_text(join, "on"))
    return f"{table} join {other} on {table}.{on} = {other}.{on}"


def _where(arguments: Mapping[str, Any]) -> tuple[str, list[object]]:
    conditions, values = [], []
    for found in _objects(arguments, "where"):
        column, comparison = _column(_text(found, "column")), found.get("op")
        if comparison not in COMPARISONS:
            raise CallProblem(f"there is no comparison {comparison!r:.40}; there are {', '.join(COMPARISONS)}")
        if str(comparison).startswith("is"):
            conditions.append(f"{column} {comparison}")
            continue
        if not isinstance(found.get("value"), str | int | float | bool):
            raise CallProblem(f"{comparison} needs 'value', a text or a number")
        conditions.append(f"{column} {comparison} ?")
        values.append(found["value"])
    return (f" where {' and '.join(conditions)}" if conditions else ""), values


def _ordered(arguments: Mapping[str, Any]) -> str:
    keys = []
    for text in _texts(arguments, "order_by"):
        name, _, direction = text.rpartition(" ")
        descending = direction.lower() in ("asc", "desc") and bool(name)
        keys.append(f"{_column(name if descending else text)}{' desc' if direction.lower() == 'desc' and name else ''}")
    return f" order by {', '.join(keys)}" if keys else ""


def _limit(arguments: Mapping[str, Any]) -> int:
    wanted = arguments.get("limit", MOST_ROWS)
    return wanted if isinstance(wanted, int) and 0 < wanted < MOST_ROWS else MOST_ROWS


def _column(text: str) -> str:
    table, dot, column = text.partition(".")
    return f"{_name(table)}.{_name(column)}" if dot and re.fullmatch(r"\w+", table) else _name(text)


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise CallProblem(f"{name!r} is missing, a text")
    return value


def _texts(arguments: Mapping[str, Any], name: str) -> list[str]:
    found = arguments.get(name) or []
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise CallProblem(f"{name!r} is a list of texts")
    return found


def _objects(arguments: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = arguments.get(name) or []
    if not isinstance(found, list) or not all(isinstance(item, Mapping) for item in found):
        raise CallProblem(f"{name!r} is a list of objects")
    return found


_STRING: Mapping[str, object] = {"type": "string"}
_STRINGS: Mapping[str, object] = {"type": "array", "items": _STRING}
_CONDITION = object_schema(
    {"column": _STRING, "op": {"enum": list(COMPARISONS)}, "value": {"type": ["string", "number", "boolean"]}},
    ["column", "op"],
)
_SHARED: Mapping[str, object] = {
    "table": _STRING, "where": {"type": "array", "items": _CONDITION}, "order_by": _STRINGS,
    "limit": {"type": "integer"}, "join": object_schema({"table": _STRING, "on": _STRING}, ["table", "on"]),
}  # fmt: skip
_MEASURE = object_schema({"function": {"enum": list(FUNCTIONS)}, "column": _STRING}, ["function", "column"])
CALLS = Toolset(
    (
        ("describe", "List the columns of a table with their types.", object_schema({"table": _STRING}, ["table"])),
        ("query", f"Select rows of a table, at most {MOST_ROWS}.",
         object_schema({**_SHARED, "columns": _STRINGS}, ["table", "columns"])),
        ("aggregate", "Aggregate columns of a table, by group.",
         object_schema({**_SHARED, "measures": {"type": "array", "items": _MEASURE}, "group_by": _STRINGS},
                       ["table", "measures"])),
    ),
    {"describe": snippet_of_describe, "query": snippet_of_query, "aggregate": snippet_of_aggregate},
    _RULES,
)  # fmt: skip
