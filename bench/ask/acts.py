"""Acts with consequences that a model may propose, with exact arguments: a person does them, or nobody.

An approval settles the unit of refused rows; with `always` it changes the board's profile too; a release makes a
quarantined line a row; a withdrawal takes approvals back. Each proposal is checked against the tables and becomes one
command; code in the sandbox has no way to any of them.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.ask.messages import APPROVE, RELEASE, WITHDRAW, Call
from bench.ask.tools import CallProblem, text_of

_LONGEST = 400
_OPTIONS = ("column", "measurement", "segment", "line", "unit", "why")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table comes from: its export, its board profile where that must be named, and its columns."""

    export: Path
    board: Path | None
    columns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Proposal:
    """An act with its exact arguments. `flags`: options without a value; `place`: None where any export is meant."""

    tool: str
    arguments: Mapping[str, str]
    flags: tuple[str, ...] = ()
    place: Place | None = field(default=None, compare=False)

    def command(self, export: str) -> str:
        """Return the command by which a person does it. `export`: taken where the proposal has no place."""
        board = self.place.board if self.place else None
        options = [part for name in _OPTIONS if (value := self.arguments.get(name)) for part in (f"--{name}", value)]
        options += [f"--{flag}" for flag in self.flags] + (["--board", str(board)] if board else [])
        return shlex.join(["bench-analyze", APPROVE, str(self.place.export) if self.place else export, *options])


def proposal(call: Call, tables: Mapping[str, Place]) -> Proposal:
    """Return what a call proposes. `tables`: where each comes from; none of them is known where it is empty.

    Raises:
        CallProblem: an argument is missing, too long, or names no table or column.
    """
    if call.tool == RELEASE:
        return _release(call, tables)
    wanted = ("column", "why") if call.tool == WITHDRAW else ("column", "unit", "why")
    for name in wanted:
        if not text_of(call, name).strip():
            raise CallProblem(f"{call.tool} needs {name!r}, a text")
    texts = {name: value for name, value in call.arguments.items() if isinstance(value, str)}
    if too_long := [name for name, value in texts.items() if len(value) > _LONGEST]:
        raise CallProblem(f"{too_long[0]!r} has more than {_LONGEST} characters")
    if "segment" in texts and "=" not in texts["segment"]:
        raise CallProblem("'segment' is NAME=VALUE, such as fixture=FIX-03")
    flags = ("withdraw",) if call.tool == WITHDRAW else ("always",) if call.arguments.get("always") is True else ()
    arguments = {name: value for name, value in texts.items() if name in _OPTIONS}
    if call.tool == WITHDRAW:
        arguments.pop("unit", None)
    return Proposal(call.tool, arguments, flags, _place(texts, tables) if tables else None)


def _release(call: Call, tables: Mapping[str, Place]) -> Proposal:
    line, why = call.arguments.get("line"), text_of(call, "why")
    if not isinstance(line, int) or isinstance(line, bool) or line < 1:
        raise CallProblem("release needs 'line', the number of a quarantined line")
    if not why.strip() or len(why) > _LONGEST:
        raise CallProblem(f"'why' is a text of 1 to {_LONGEST} characters")
    table = call.arguments.get("table")
    exports = {place.export: place for name, place in tables.items() if table in (None, name)}
    if tables and len(exports) != 1:
        raise CallProblem(f"name 'table', one of {', '.join(tables)}")
    place = next(iter(exports.values()), None)
    return Proposal(RELEASE, {"line": str(line), "why": why}, (), place)


def _place(texts: Mapping[str, str], tables: Mapping[str, Place]) -> Place:
    table, column = texts.get("table"), texts["column"]
    if table is not None and table not in tables:
        raise CallProblem(f"there is no table {table!r:.80}; there are {', '.join(tables)}")
    having = [name for name in ([table] if table else tables) if column in tables[name].columns]
    if not having:
        raise CallProblem(f"no such table has a column {column!r:.80}")
    if len(having) > 1:
        raise CallProblem(f"several tables have a column {column!r:.80}: name 'table', one of {', '.join(having)}")
    return tables[having[0]]
