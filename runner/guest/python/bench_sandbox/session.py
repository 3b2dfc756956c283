"""One session: runs snippets one after the other in one namespace and answers each with one JSON text."""

from __future__ import annotations

import ast
import builtins
import copy
import datetime
import json
import os
import random
import sys
import time
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import CodeType
from typing import Any

import duckdb

from bench_sandbox import artifacts, environment, failures, packages, statements
from bench_sandbox.engine import Account, Connection, Engine
from bench_sandbox.integrity import Baseline
from bench_sandbox.values import ValueTooLarge, as_json, is_inert

NAME = "<snippet>"
_dumps, _loads = json.dumps, json.loads  # a snippet may replace what the module holds


class Session:
    """Made by the host script, which calls `attached` once and `run` for every request."""

    def __init__(self, bridge: Any, limits: str) -> None:
        self._bridge = bridge
        self._limits: dict[str, Any] = json.loads(limits)
        self._account = Account(self._limits["queries"], self._limits["rows"])
        self._engine = Engine(bridge, self._account)
        self._warnings: list[str] = []
        duckdb.default_connection = Connection(self._engine)
        self._names: dict[str, Any] = {}
        self._given: dict[str, Any] = {"con": Connection(self._engine), "limits": {}, "units": {}, "chart": self._chart}
        self._charts: list[str] = []
        self._copies: dict[str, Any] = {}  # of what is given, which a run may have changed
        self._is_settled = False
        environment.explain(self._warnings.append)
        packages.provide(bridge)
        self._baseline = Baseline(self._rehearse)
        self._baseline.restore()

    def attached(self) -> None:
        """Take up the database that was handed in."""
        self._engine.attached()
        self._given["limits"] = environment.limits(self._engine.internal)
        self._given["units"] = environment.units(self._engine.internal)

    def _rehearse(self) -> object:
        """A run in small: what it gives is compared with what it gave before the first snippet."""
        artifacts.prepare()
        body, last, _ = parts("import json\nx = [1, 2.5, 'a']\nx")
        names: dict[str, Any] = {"__builtins__": builtins}
        exec(body, names)
        values = [
            eval(last, names) if last else None,
            Decimal("1.5"),
            Fraction(1, 2),
            datetime.date(2026, 1, 2),
            {"a": {None}},
            b"x",
            (1,),
        ]
        failed = failures.outcome(ZeroDivisionError("division by zero"), "", self._limits)
        written = [sys.stdout.write(""), sys.stderr.write(""), os.stat(1).st_mode, os.stat(2).st_mode]
        shared = bytes(range(256)), str([-5, -4, -3, -2, -1, 256])  # integers that the interpreter keeps one of
        return as_json(values, 1000), _answer(failed), written, statements.literal([1, 2.5, "a", None]), shared

    def _chart(self, spec: Mapping[str, object] | str) -> None:
        """Keep a Vega-Lite specification as an artifact of the run."""
        text = spec if isinstance(spec, str) else json.dumps(spec, default=str)
        if not isinstance(json.loads(text), dict):
            raise TypeError("chart(spec) takes a Vega-Lite specification: a dict, or its JSON text")
        self._charts.append(text)

    def run(self, payload: Any) -> str:
        """Run the snippet (UTF-8 bytes of a JavaScript array) and return the answer as JSON text."""
        self._begin()
        self._is_settled = False
        answer: dict[str, Any] = {"status": "ok", "value": None, "error": None}
        try:
            value = self._execute(payload.to_bytes().decode("utf-8", "surrogatepass"))
        except BaseException as error:  # noqa: BLE001 (a snippet may raise anything; it is its answer)
            why = self._disarm()
            changed, _ = self._baseline.restore()
            answer |= failures.outcome(error, why, self._limits)
        else:
            self._disarm()
            changed, touched = self._baseline.restore()
            answer |= self._valued(value)
            self._is_settled = not touched and not self._charts and is_inert(value)
        if changed:
            self._warnings.append(_undone(changed))
        self._warnings += self._engine.settle()
        answer["artifacts"] = self._artifacts()
        answer["reads"] = [{"table": table, "column": column} for table, column in sorted(self._account.reads)]
        answer["warnings"] = list(dict.fromkeys(self._warnings))
        return _answer(answer)

    def intact(self) -> bool:
        """Whether the next run will find the interpreter as this one did. A value's own methods may have run since."""
        if not self._is_settled:
            self._baseline.restore()
        return self._engine.holds() and self._baseline.holds()

    def _begin(self) -> None:
        self._account.reset()
        self._warnings.clear()
        self._charts.clear()
        self._names |= {"__name__": "__main__", "__builtins__": builtins}
        for name, value in self._given.items():
            if name not in self._names or (
                self._names[name] is self._copies.get(name) and _differs(value, self._names[name])
            ):
                self._copies[name] = self._names[name] = copy.deepcopy(value) if type(value) is dict else value

    def _disarm(self) -> str:
        """End the deadline. An interrupt may come until it has ended."""
        while True:
            try:
                return str(self._bridge.disarm())
            except KeyboardInterrupt:
                continue

    def _execute(self, code: str) -> object:
        failures.remember(NAME, code)
        body, last, assigns = parts(code)
        value = None
        before = self._names.get("result")
        exec(body, self._names)
        if last is not None:
            value = eval(last, self._names)
        if assigns or self._names.get("result") is not before:
            value = self._names.get("result")
        return value

    def _valued(self, value: object) -> dict[str, Any]:
        try:
            return {"value": _loads(as_json(value, self._limits["result_bytes"]))}
        except ValueTooLarge:
            return failures.too_large(value, self._limits["result_bytes"])
        except BaseException as error:  # noqa: BLE001 (a value's own methods may raise anything)
            return failures.outcome(error, "value", self._limits)

    def _artifacts(self) -> int:
        found = artifacts.collect(self._charts, self._limits, self._warnings.append)
        for name, media, data in found:
            self._bridge.artifact(name, media, data)
        return len(found)


def _differs(given: object, held: object) -> bool:
    """Whether a run has changed what it was given: limits, units."""
    try:
        return given is not held and given != held
    except BaseException:  # noqa: BLE001 (what a snippet put there is asked)
        return True


def _undone(changed: list[str]) -> str:
    shown = ", ".join(changed[:5]) + (f" and {len(changed) - 5} more" if len(changed) > 5 else "")
    return f"undone after the run, so that the next one works: changes to {shown}"


def _answer(answer: dict[str, Any]) -> str:
    return _dumps(answer, allow_nan=False)


def parts(code: str) -> tuple[CodeType, CodeType | None, bool]:
    """Return the snippet's statements, its last expression if it ends in one, and whether it sets `result`."""
    tree = ast.parse(code, NAME)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = compile(ast.Expression(tree.body.pop().value), NAME, "eval")  # type: ignore[attr-defined]
    return compile(tree, NAME, "exec"), last, any(_sets_result(node) for node in tree.body)


def _sets_result(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return node.__class__ is not ast.Lambda and node.name == "result"  # type: ignore[union-attr]
    if isinstance(node, ast.Name):
        return node.id == "result" and isinstance(node.ctx, ast.Store)
    return any(map(_sets_result, ast.iter_child_nodes(node)))


_ = (random, time)  # in the snapshot: a repeated run draws the same numbers
