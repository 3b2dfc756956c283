"""Models without a provider: `scripted:FILE` plays responses from a file, `stub` echoes the question.

A line of the file is one response: {"tool": "run_python", "code": "..."}, {"tool": NAME, "arguments": {...}} or
{"text": "..."}.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.ask.messages import Call, Message, ModelProblem, Response, Told
from bench.errors import UsageError

_EXPECTED = 'expected {"tool": "run_python", "code": "..."}, {"tool": NAME, "arguments": {...}} or {"text": "..."}'


@dataclass
class Scripted:
    """Plays its responses in order, whatever it is told."""

    name: str
    responses: Sequence[Response]
    _next: int = field(default=0, init=False)

    def respond(self, briefing: str, history: Sequence[Message], *, tools: Sequence[object]) -> Response:
        """Return the next line's response."""
        if self._next >= len(self.responses):
            raise ModelProblem(
                f"the script has no response left after {len(self.responses)}", hint='add a line {"text": "..."}'
            )
        self._next += 1
        return self.responses[self._next - 1]


@dataclass(frozen=True)
class Stub:
    """Answers with the question. That is no answer, and is refused as one: it shows that nothing is believed unseen."""

    name: str = "stub"

    def respond(self, briefing: str, history: Sequence[Message], *, tools: Sequence[object]) -> Response:
        """Return the question."""
        return Response(next((message.text for message in history if isinstance(message, Told)), ""))


def read_script(path: Path) -> Scripted:
    """Return the model that a file scripts.

    Raises:
        UsageError: the file cannot be read, or a line is no response; the message names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise UsageError("the script is not UTF-8 text", file=path, hint="save it as UTF-8") from error
    except OSError as error:
        message = f"the script cannot be read: {error.strerror or error}"
        raise UsageError(message, file=path, hint="name a file of responses: --model scripted:FILE") from error
    found = [_response(line, path, number) for number, line in enumerate(lines, 1) if line.strip()]
    return Scripted(f"scripted:{path}", tuple(found))


def _response(line: str, path: Path, number: int) -> Response:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"is no JSON ({error})", file=path, line=number, hint=_EXPECTED) from error
    if isinstance(found, dict) and isinstance(found.get("text"), str):
        return Response(found["text"])
    if isinstance(found, dict) and isinstance(found.get("tool"), str):
        arguments = found.get("arguments", {"code": found["code"]} if "code" in found else {})
        if isinstance(arguments, dict):
            return Response(calls=(Call(found["tool"], arguments, f"call_{number}"),))
    raise UsageError("is no response of a model", file=path, line=number, hint=_EXPECTED)
