"""What a question leaves beside its answer: the trace, as JSON lines."""

from __future__ import annotations

from pathlib import Path

from bench.ask.answer import Answer
from bench.errors import EnvironmentProblem
from bench.render.values import dumps


def write_trace(answer: Answer, path: Path) -> Path:
    """Write each step of an answer as a line of JSON, and return the path.

    Raises:
        EnvironmentProblem: the file cannot be written.
    """
    lines = [dumps({"step": number, **step.to_dict()}) for number, step in enumerate(answer.steps, 1)]
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        message = f"the trace could not be written: {error.strerror or error}"
        raise EnvironmentProblem(message, file=path, hint="name another file with --trace") from error
    return path
