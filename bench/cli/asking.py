"""What a question leaves beside its answer: the trace, as JSON lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.ask.answer import Answer
from bench.ask.trace import lines
from bench.errors import EnvironmentProblem


def trace_path(receipt: Path) -> Path:
    """Return where a trace goes when no file is named: beside the receipt."""
    return receipt.with_name(f"{receipt.name.removesuffix('.json')}.trace.jsonl")


def write_trace(answers: Sequence[Answer], path: Path) -> Path:
    """Write each step of answers as a line of JSON, and return the path.

    Raises:
        EnvironmentProblem: the file cannot be written.
    """
    try:
        path.write_text(lines(answers), encoding="utf-8")
    except OSError as error:
        message = f"the trace could not be written: {error.strerror or error}"
        raise EnvironmentProblem(message, file=path, hint="name another file with --trace") from error
    return path
