"""The tools of a question: what a model may call, and the snippet that code makes of a call.

A tool that computes is a snippet in the end, so that every way to ask has the same sandbox, receipt and tracing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.ask.messages import APPROVE, ARITHMETIC, RELEASE, RUN, WITHDRAW, Call
from bench.errors import BenchError

Schema = tuple[str, str, Mapping[str, Any]]  # name, description, JSON schema of the arguments
Snippet = Callable[[Mapping[str, Any]], str]


class CallProblem(BenchError):  # noqa: N818 - as in bench.errors
    """The arguments of a call cannot be used; the model is told why."""

    kind = "call"
    exit_code = 1


@dataclass(frozen=True, slots=True)
class Toolset:
    """Tools. `snippets`: {name: what makes its snippet, raising `CallProblem`}; `rules`: what the model is told of
    them, instead of the rules for `run_python`."""

    schemas: tuple[Schema, ...]
    snippets: Mapping[str, Snippet]
    rules: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names."""
        return tuple(name for name, _, _ in self.schemas)


def text_of(call: Call, name: str) -> str:
    """Return an argument that must be a text.

    Raises:
        CallProblem: it is missing, or no text.
    """
    value = call.arguments.get(name)
    if not isinstance(value, str):
        raise CallProblem(f"{call.tool} needs {name!r}, a text")
    return value


def object_schema(properties: Mapping[str, object], required: list[str]) -> dict[str, Any]:
    """Return the JSON schema of an object with these members and no others."""
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


_TEXT = {"type": "string"}
_ROWS = ("table", "column", "measurement", "segment", "why")
PYTHON = Toolset(
    (
        (RUN, "Run Python in the sandbox against the tables; returns value, output and errors.",
         object_schema({"code": _TEXT}, ["code"])),
        (ARITHMETIC, "Evaluate one expression of numbers, + - * / and parentheses.",
         object_schema({"expression": _TEXT}, ["expression"])),
        (APPROVE, "Propose that a column's refused values are in a unit; with `always`, by a change of the board's "
         "profile, for every export from now on. A person decides; nothing changes now.",
         object_schema({**dict.fromkeys(_ROWS, _TEXT), "unit": _TEXT, "always": {"type": "boolean"}},
                       ["column", "unit", "why"])),
        (RELEASE, "Propose that a quarantined line of the export (guard.quarantine has `_line`) is a row after all. A "
         "person decides; nothing changes now.",
         object_schema({"table": _TEXT, "line": {"type": "integer"}, "why": _TEXT}, ["line", "why"])),
        (WITHDRAW, "Propose to take back what was approved for rows. A person decides; nothing changes now.",
         object_schema(dict.fromkeys(_ROWS, _TEXT), ["column", "why"])),
    ),
    {RUN: lambda arguments: text_of(Call(RUN, arguments), "code")},
)  # fmt: skip
