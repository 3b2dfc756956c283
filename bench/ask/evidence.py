"""What runs gave, as cells: each number with the place where it stands, the keys of its row, its label and its unit.

Numbers of printed text count as much as those of the value. The text cells of a row are its keys, and so are members of
a mapping that look like names; how many items a list holds is a figure as well.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from bench.ask.labels import kept_apart
from bench.ask.lineage import lineage
from bench.ask.numbers import Number, find_numbers
from bench.ask.quantities import Unit, unit_of_label

_NAME = re.compile(r"(?<![\w.-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*(?![\w-])")
_QUOTED = re.compile(r"""(["'])([\w][\w .-]{1,40})\1""")
_LETTER, _DIGIT, _INDEX = re.compile(r"[A-Za-z]"), re.compile(r"\d"), re.compile(r"\[\d+\]")
_NUMERIC = re.compile(r"[-+−–±~≈<>]?\s*\.?\d")
_LONGEST_KEY = 60
_MOST_CELLS = 200_000


@dataclass(frozen=True, slots=True)
class Key:
    """The name of a row. `slot` says which column of which run it stands in; keys of a slot exclude each other."""

    slot: str
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A number that a run gave. `label`: words that say what it is; `unit`: where the label or the text names one;
    `columns`: of the query that it comes from, None where that is not plain; `product`: of several of them."""

    value: float
    run: int
    where: str
    keys: tuple[Key, ...] = ()
    label: str = ""
    unit: Unit | None = None
    count: bool = False
    columns: frozenset[str] | None = None
    product: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """A run as evidence. `number` counts from 1; `code` is None where only the result is known."""

    number: int
    status: str
    value: Any
    stdout: str
    reads: tuple[tuple[str, str], ...]
    refused: bool
    code: str | None
    cells: tuple[Cell, ...] = field(default=())
    arithmetic: bool = False

    @property
    def ran(self) -> bool:
        """Whether anything was executed at all."""
        return self.status not in ("sandbox_unavailable", "refused")


def run_of(found: Any, number: int) -> Run:
    """Return a `RunResult`, its dict, or a receipt's entry as evidence."""
    member = found.get if isinstance(found, Mapping) else lambda name, default=None: getattr(found, name, default)
    code = member("snippet") if isinstance(member("snippet"), str) else member("code")
    reads = tuple((str(read["table"]), str(read["column"])) for read in member("reads") or ())
    warnings = [str(text) for text in member("warnings") or ()]
    refused = any("was refused and is null" in text and "in an earlier run" not in text for text in warnings)
    value, stdout = member("value"), str(member("stdout") or "")
    arithmetic = bool(member("arithmetic", False)) if isinstance(found, Mapping) else False
    code = code if isinstance(code, str) else None
    run = Run(number, str(member("status")), value, stdout, reads, refused, code, (), arithmetic)
    cells = tuple(cell for cell, _ in zip(_cells(run), range(_MOST_CELLS), strict=False))
    return Run(number, run.status, value, stdout, reads, refused, code, cells, arithmetic)


def names_in(text: str) -> list[tuple[int, str]]:
    """Return (position, name) of the names with digits in a text: serials, fixtures, lots."""
    return [(match.start(), match[0]) for match in _NAME.finditer(text)]


def shape(name: str) -> str:
    """Return what names of one kind share: FIX-01 and FIX-03 have one shape."""
    return _LETTER.sub("A", _DIGIT.sub("9", name))


def _cells(run: Run) -> Iterator[Cell]:
    shared = _keys_of_code(run)
    names = _names_of_result(run.code or "")
    items = lineage(run.code or "")
    for cell in (*_of_value(run.value, run.number, "value", (), ""), *_printed(run)):
        item = (
            None
            if cell.count or not items
            else items.get(cell.where) or items.get(_INDEX.sub("[]", cell.where, count=1))
        )
        label = cell.label or names.get(cell.where, "") or (item.label if item else "")
        known = replace(cell, keys=cell.keys or shared, label=label, unit=cell.unit or unit_of_label(label))
        yield known if item is None else replace(known, columns=item.columns, product=item.product)


def _names_of_result(code: str) -> dict[str, str]:
    """Return {place: name} where a snippet's result is a list of variables, or one of them."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    last = tree.body[-1] if tree.body else None
    value = last.value if isinstance(last, ast.Assign | ast.Expr) else None
    if isinstance(value, ast.List | ast.Tuple):
        return {f"value[{n}]": item.id for n, item in enumerate(value.elts) if isinstance(item, ast.Name)}
    return {"value": value.id} if isinstance(value, ast.Name) else {}


def _keys_of_code(run: Run) -> tuple[Key, ...]:
    """Return the names that a snippet selects by, where it names only one of their kind."""
    names = {match[2] for match in _QUOTED.finditer(run.code or "") if _NAME.fullmatch(match[2])}
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(shape(name), []).append(name)
    return tuple(Key(f"code of run {run.number}: {kind}", found[0]) for kind, found in kinds.items() if len(found) == 1)


def _of_value(value: Any, run: int, where: str, keys: tuple[Key, ...], label: str) -> Iterator[Cell]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield from _number(value, run, where, keys, label)
    elif isinstance(value, str):
        yield from _of_text(value, run, where, keys, label)
    elif isinstance(value, Mapping):
        yield from _of_frame(value, run, where) if _is_frame(value) else _of_mapping(value, run, where, keys, label)
    elif isinstance(value, Sequence):
        yield from _of_list(value, run, where, keys, label)


def _number(value: float, run: int, where: str, keys: tuple[Key, ...], label: str) -> Iterator[Cell]:
    try:
        number = float(value)
    except OverflowError:
        return
    if math.isfinite(number):
        yield Cell(number, run, where, keys, label, unit_of_label(label))


def _of_text(value: str, run: int, where: str, keys: tuple[Key, ...], label: str) -> Iterator[Cell]:
    """A text that is nothing but a number, perhaps with its unit, is that number."""
    if (found := _number_of(value)) is not None:
        yield Cell(found.value, run, where, keys, label, found.unit or unit_of_label(label))


def _number_of(text: str) -> Number | None:
    plain = text.strip()
    if len(text) > _LONGEST_KEY or not (_NUMERIC.match(plain) or plain.isalpha()):
        return None
    return _parsed(plain)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Number | None:
    found = find_numbers(text)
    return found[0] if len(found) == 1 and found[0].text.strip() == text else None


def _is_frame(value: Mapping[Any, Any]) -> bool:
    return {"columns", "rows"} <= value.keys() and isinstance(value["rows"], list)


def _of_frame(value: Mapping[Any, Any], run: int, where: str) -> Iterator[Cell]:
    names = [str(column["name"] if isinstance(column, Mapping) else column) for column in value["columns"]]
    if not value.get("truncated"):
        yield Cell(float(len(value["rows"])), run, f"{where}: number of rows", count=True)
    for index, row in enumerate(value["rows"]):
        cells = list(row.values()) if isinstance(row, Mapping) else list(row)
        yield from _of_row(cells, names, run, where, f"row {index + 1}")


def _of_row(cells: Sequence[Any], names: Sequence[str], run: int, where: str, row: str) -> Iterator[Cell]:
    keys = tuple(_keys(cells, names, f"run {run} {where}"))
    for name, cell in zip(names, cells, strict=False):
        named = ", ".join(key.text for key in keys) or row
        yield from _of_value(cell, run, f"{where}, {named}, {name}", keys, name)


def _keys(cells: Sequence[Any], names: Sequence[str], where: str) -> Iterator[Key]:
    for name, cell in zip(names, cells, strict=False):
        if isinstance(cell, str) and 1 < len(cell) <= _LONGEST_KEY and _number_of(cell) is None:
            yield Key(f"{where} {name}", cell)


def _of_mapping(value: Mapping[Any, Any], run: int, where: str, keys: tuple[Key, ...], label: str) -> Iterator[Cell]:
    if len(value) > 1 and all(_NAME.fullmatch(str(name)) for name in value):
        yield Cell(float(len(value)), run, f"{where}: number of members", keys, label, count=True)
    own = tuple(_keys(list(value.values()), [str(name) for name in value], f"run {run} {_slot(where)}"))
    apart = _apart(value)
    for name, item in value.items():
        text = str(name)
        named_whole = bool(_NAME.fullmatch(text) or text.isupper())
        named = [Key(f"run {run} {_slot(where)}", text)] if named_whole else []
        named += [Key(f"run {run} {_slot(where)} labels", apart[text])] if text in apart else []
        yield from _of_value(item, run, f"{where}[{text!r}]", (*keys, *own, *named), label if named_whole else text)


def _apart(value: Mapping[Any, Any]) -> dict[str, str]:
    """Return names of the members that hold numbers in one and the same unit."""
    units = {str(name): unit_of_label(str(name)) for name, item in value.items() if isinstance(item, int | float)}
    shared = [name for name, unit in units.items() if unit is not None and list(units.values()).count(unit) > 1]
    return kept_apart(shared) if len({units[name] for name in shared}) == 1 else {}


def _of_list(value: Sequence[Any], run: int, where: str, keys: tuple[Key, ...], label: str) -> Iterator[Cell]:
    if (
        value
        and not re.search(r"\[\d+\]$", where)
        and all(isinstance(item, str | Sequence | Mapping) for item in value)
    ):
        yield Cell(float(len(value)), run, f"{where}: number of items", keys, label, count=True)
    names = [str(position) for position in range(len(value))]
    own = tuple(_keys(value, names, f"run {run} {_slot(where)}")) if not all(isinstance(v, str) for v in value) else ()
    for position, item in enumerate(value):
        yield from _of_value(item, run, f"{where}[{position}]", (*keys, *own), label)


def _slot(where: str) -> str:
    """Rows of one list share their slots: the last index is left out, earlier ones are of other lists."""
    return re.sub(r"\[[^\[\]]*\]$", "[]", where)


def _printed(run: Run) -> Iterator[Cell]:
    for index, line in enumerate(run.stdout.splitlines(), 1):
        keys = tuple(Key(f"run {run.number} printed {shape(name)}", name) for _, name in names_in(line))
        position = 0
        for number in find_numbers(line):
            label = line[position : number.start].strip(" \t:=,;|()[]'\"")[-_LONGEST_KEY:]
            last = label.rpartition(" ")[2]
            named = (Key(f"run {run.number} printed", last),) if last.isupper() and len(last) > 1 else ()
            unit = number.unit or unit_of_label(last)
            yield Cell(number.value, run.number, f"printed, line {index}", (*keys, *named), label, unit)
            position = number.end
