"""SQL text: split into statements, values as literals, and which columns a statement reads.

Parameters go through PREPARE and EXECUTE with literals, because the engine's own binding sends JSON: integers would
become DOUBLE, NaN null, and dates, decimals and bytes be refused.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal

_OPERATOR = 3  # duckdb.tokenize: identifier 0, number 1, string 2, operator 3, keyword 4, comment 5
_COMMENT = 5
_IDENTIFIER = re.compile(r'"((?:[^"]|"")*)"|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)')
_PLAIN_INSERT = re.compile(
    r'\s*insert\s+into\s+[\w."]+\s*(\([\w\s,"]*\)\s*)?values\s*\((\s|,|\?|\$\w+)*\)\s*', re.IGNORECASE
)
_QUERY_WORDS = frozenset(
    [
        "select",
        "with",
        "from",
        "values",
        "table",
        "pivot",
        "unpivot",
        "describe",
        "show",
        "summarize",
        "(",
        "desc",
        "explain",
    ]
)


def split(sql: str, tokens: str) -> list[str]:
    """Return the statements of an SQL text, given the engine's own tokens (JSON, offsets in UTF-8 bytes)."""
    data = sql.encode()
    found = json.loads(tokens)
    offsets, types = found["offsets"], found["types"]
    cuts = [at for at, kind in zip(offsets, types, strict=True) if kind == _OPERATOR and data[at : at + 1] == b";"]
    starts = [0, *(at + 1 for at in cuts)]
    parts = [data[start:end] for start, end in zip(starts, [*cuts, len(data)], strict=True)]
    real = [at for at, kind in zip(offsets, types, strict=True) if kind != _COMMENT and at not in set(cuts)]
    return [
        part.decode().strip()
        for start, part in zip(starts, parts, strict=True)
        if any(start <= at < start + len(part) for at in real)
    ]


def is_query(statement: str) -> bool:
    """Whether the statement gives rows and changes nothing."""
    return first_word(statement) in _QUERY_WORDS


def may_change_plans(statement: str) -> bool:
    """Whether queries may mean something else after the statement: it is neither a query nor a change of rows."""
    word = first_word(statement)
    if word == "explain":
        return "analyze" in identifiers(statement)  # it runs what it explains
    return not is_query(statement) and word not in ("insert", "update", "delete")


def is_plain_insert(statement: str) -> bool:
    """Whether the statement inserts its parameters and nothing else, so that it reads no column."""
    return _PLAIN_INSERT.fullmatch(statement) is not None


def first_word(statement: str) -> str:
    """Return the word that says what the statement does, in lower case, or a parenthesis."""
    word = re.match(r"(?:\s|--[^\r\n]*[\r\n]|/\*.*?\*/)*(\(|\w+)", statement, re.DOTALL)
    return "" if word is None else word.group(1).lower()


def identifiers(sql: str) -> set[str]:
    """Return every name in an SQL text in lower case, strings and comments left out."""
    bare = re.sub(r"--[^\r\n]*|/\*.*?\*/|'(?:[^']|'')*'", " ", sql, flags=re.DOTALL)
    return {(quoted.replace('""', '"') or plain).lower() for quoted, plain in _IDENTIFIER.findall(bare)}


def quote(name: str) -> str:
    """Return the name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: object) -> str:
    """Return a Python value as an SQL literal of the same type.

    Raises:
        TypeError: no literal stands for it.
    """
    for kinds, write in _LITERALS:
        if isinstance(value, kinds):
            return write(value)
    raise TypeError(f"a parameter of type {type(value).__name__} has no SQL form; pass a number, text, date or list")


def _float(value: float) -> str:
    text = repr(float(value)) if math.isfinite(value) else f"'{value}'"
    return f"{text}::DOUBLE"


def _integer(value: int) -> str:
    return str(int(value)) if -(2**127) <= value < 2**127 else f"'{int(value)}'::UHUGEINT"


def _string(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _bytes(value: bytes) -> str:
    return "'" + "".join(f"\\x{byte:02X}" for byte in bytes(value)) + "'::BLOB"


def _timestamp(value: dt.datetime) -> str:
    return f"'{value.isoformat(' ')}'::TIMESTAMP" + ("TZ" if value.tzinfo else "")


def _interval(value: dt.timedelta) -> str:
    return f"(INTERVAL '{value.days} days' + INTERVAL '{value.seconds * 10**6 + value.microseconds} microseconds')"


def _list(value: Iterable[object]) -> str:
    return "[" + ", ".join(map(literal, value)) + "]"


def _struct(value: Mapping[object, object]) -> str:
    return "{" + ", ".join(f"{_string(str(key))}: {literal(item)}" for key, item in value.items()) + "}"


_LITERALS: list[tuple[type | tuple[type, ...], Callable[..., str]]] = [
    (type(None), lambda value: "NULL"),
    (bool, lambda value: "TRUE" if value else "FALSE"),
    (int, _integer),
    (float, _float),
    (Decimal, lambda value: f"{value:f}"),
    (str, _string),
    ((bytes, bytearray, memoryview), _bytes),
    (dt.datetime, _timestamp),
    (dt.date, lambda value: f"'{value.isoformat()}'::DATE"),
    (dt.time, lambda value: f"'{value.isoformat()}'::TIME"),
    (dt.timedelta, _interval),
    (uuid.UUID, lambda value: f"'{value}'::UUID"),
    ((list, tuple), _list),
    (Mapping, _struct),
]


def arguments(parameters: Sequence[object] | Mapping[str, object]) -> str:
    """Return parameters as the argument list of EXECUTE."""
    if not isinstance(parameters, list | tuple) and isinstance(parameters, Mapping):
        return ", ".join(f"{quote(name)} := {literal(value)}" for name, value in parameters.items())
    return ", ".join(map(literal, parameters))


def scans(plan: str) -> list[tuple[str, set[str]]]:
    """Return (table, text pieces that name its columns) of every table scan in an EXPLAIN (FORMAT json) text."""
    found = []
    todo = json.loads(plan)
    while todo:
        node = todo.pop()
        todo += node.get("children", ())
        info = node.get("extra_info", {})
        if "Table" in info:
            pieces = [info.get("Projections", []), info.get("Filters", [])]
            texts = [text for piece in pieces for text in ([piece] if isinstance(piece, str) else piece)]
            found.append((info["Table"], set(texts)))
    return found


def columns_read(sql: str, plan: str, tables: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """Return the (table, column) pairs that a statement reads, rather one too many than one too few.

    The plan sees through views, stars and macros, but the optimiser answers some aggregates from statistics and leaves
    the scan out: so a column also counts when the text names it together with its table.
    """
    names = identifiers(sql)
    if _reads_everything(sql, plan, names):
        return {(table, column) for table, columns in tables.items() for column in columns}
    read = set()
    for table, columns in tables.items():
        if table.lower() in names:
            read |= {(table, column) for column in columns if column.lower() in names}
    for scanned, texts in scans(plan):
        words = {word for text in texts for word in identifiers(text)} | {text.lower() for text in texts}
        filters = "\n".join(texts).lower()
        for table, columns in tables.items():
            if f".{scanned.lower()}".endswith(f".{table.lower()}"):
                read |= {(table, column) for column in columns if _is_in(column.lower(), words, filters)}
    return read


def _is_in(column: str, words: set[str], filters: str) -> bool:
    """A plan's filters name columns without quotes: `Voltage (mV)>4.0`."""
    return column in words or (_IDENTIFIER.fullmatch(column) is None and column in filters)


def _reads_everything(sql: str, plan: str, names: set[str]) -> bool:
    """Whether it reads what no scan tells of: the extremes that a table's storage keeps, the copy of a database, rows
    that passed a filter."""
    text = sql.lower() + plan.lower()
    return (
        "storage_info" in text
        or "copy_database" in text
        or {"copy", "from", "database"} <= names
        or {"explain", "analyze"} <= names
    )
