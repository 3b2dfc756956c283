"""Which columns of the query a number of the result comes from, where a snippet says so plainly.

Read are a snippet's last statement, if it is a query's rows (`con.sql("select ...").fetchall()`), and names that a
query's one row was unpacked to. What is not plain has no lineage, and any column that the run read may stand for it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_SELECT = re.compile(r"\A\s*select\s+(?:distinct\s+)?(.*?)\sfrom\s", re.IGNORECASE | re.DOTALL)
_ALIAS = re.compile(r"\s+as\s+\"?(\w+)\"?\s*\Z", re.IGNORECASE)
_NAME = re.compile(r'"([^"]+)"|(?<![\w.\'"])(?:\w+\.)?([A-Za-z_]\w*)(?!\w|\s*\()')
_PLAIN = re.compile(r"\s*(\w+)\s*\(\s*(?:\w+\.)?\"?(\w+)\"?\s*\)\s*\Z|\s*(?:\w+\.)?\"?(\w+)\"?\s*\Z")
_FACTOR = re.compile(r"(?<![\w.])[\d.]+(?:e-?\d+)?\s*\*|[*/]\s*[\d.]+(?:e-?\d+)?(?![\w.])", re.IGNORECASE)
_NO_NAMES = frozenset(
    "and or not case when then else end filter where over distinct null true false is in like".split()
)
_LONGEST = 20_000  # characters of a query; no regular expression here is asked about more
_FETCHES = frozenset({"fetchall", "fetchone"})


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a select list. `label`: its alias, or function and column where it is nothing else; `columns`: all
    names in it; `product`: it multiplies or divides columns, so that its unit is none of theirs."""

    label: str
    columns: frozenset[str]
    product: bool


def lineage(code: str) -> dict[str, Item]:
    """Return {place: item}. Places are as cells have them, with `[]` for the index of a row."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    named: dict[str, Item] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            named |= _unpacked(statement.targets[0], _rows(statement.value))
    last = tree.body[-1] if tree.body else None
    value = last.value if isinstance(last, ast.Assign | ast.Expr) else None
    if isinstance(value, ast.Dict):
        return dict(_members(value, named))
    return _places(_rows(value)) if value is not None else {}


@dataclass(frozen=True, slots=True)
class _Rows:
    """A query's items and how its rows are fetched; `index`: of `fetchone()[0]`."""

    items: tuple[Item, ...] = ()
    many: bool = False
    index: int | None = None


def _rows(value: ast.expr) -> _Rows:
    index: int | None = None
    if isinstance(value, ast.Subscript):
        position = value.slice.value if isinstance(value.slice, ast.Constant) else None
        if not isinstance(position, int):
            return _Rows()
        value, index = value.value, position
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _FETCHES):
        return _Rows()
    many, query = value.func.attr == "fetchall", value.func.value
    if not (isinstance(query, ast.Call) and query.args and isinstance(query.args[0], ast.Constant)):
        return _Rows()
    text = query.args[0].value
    if not isinstance(text, str) or (many and index is not None):
        return _Rows()
    return _Rows(tuple(items_of(text)), many, index)


def items_of(sql: str) -> Iterator[Item]:
    """Yield the items of a query's select list; none for a star, or where the query is no plain select."""
    found = _SELECT.match(" ".join(sql.split())) if len(sql) <= _LONGEST else None
    parts = list(_split(found[1])) if found else []
    if any(
        "*" in part and "count(*)" not in part.replace(" ", "").lower() and part.strip(" *.") == "" for part in parts
    ):
        return
    for part in parts:
        yield _item(part)


def _item(text: str) -> Item:
    alias = _ALIAS.search(text)
    bare = text[: alias.start()] if alias else text
    names = frozenset(
        (match[1] or match[2]).lower()
        for match in _NAME.finditer(re.sub(r"'[^']*'", " ", bare))
        if (match[1] or match[2]).lower() not in _NO_NAMES
    )
    plain = _PLAIN.match(bare)
    label = alias[1] if alias else " ".join(part for part in plain.groups() if part) if plain else ""
    if re.match(r"\s*count\s*\(", bare, re.IGNORECASE) and not alias:
        label, names = "count", frozenset()
    return Item(label, names, len(names) > 1 and bool(re.search(r"[*/]", _FACTOR.sub(" ", bare))))


def _split(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for match in re.finditer(r"'[^']*'|[(),]", text):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == "," and depth == 0:
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]


def _unpacked(target: ast.expr, rows: _Rows) -> dict[str, Item]:
    if isinstance(target, ast.Name) and rows.index is not None and rows.index < len(rows.items):
        return {target.id: rows.items[rows.index]}
    if not isinstance(target, ast.Tuple) or rows.many or rows.index is not None or len(target.elts) != len(rows.items):
        return {}
    return {name.id: item for name, item in zip(target.elts, rows.items, strict=True) if isinstance(name, ast.Name)}


def _members(value: ast.Dict, named: dict[str, Item]) -> Iterator[tuple[str, Item]]:
    for key, member in zip(value.keys, value.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(member, ast.Name) and member.id in named:
            yield f"value[{key.value!r}]", named[member.id]


def _places(rows: _Rows) -> dict[str, Item]:
    if rows.index is not None:
        return {"value": rows.items[rows.index]} if rows.index < len(rows.items) else {}
    start = "value[]" if rows.many else "value"
    return {f"{start}[{position}]": item for position, item in enumerate(rows.items)}
