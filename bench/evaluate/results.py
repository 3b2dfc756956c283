"""What an evaluation came to: one JSON document, kept as a file by time and model, and a table for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench import publishing
from bench.ask.answer import Answer
from bench.ask.trace import lines
from bench.errors import EnvironmentProblem
from bench.evaluate.scoring import VERDICTS, Row, by_kind, sums
from bench.render.values import dumps
from guards import RULES_VERSION


def document(rows: Sequence[Row], *, model: str, actions: str, made_at: datetime, asked: int) -> dict[str, Any]:
    """Return the results. `asked`: how many questions there were; `complete` is false where it was interrupted."""
    return {
        "model": model, "actions": actions, "made_at": made_at.isoformat(timespec="seconds"),
        "complete": len(rows) == asked, "scores": sums(rows), "kinds": by_kind(rows),
        "versions": {"bench-analyze": _version(), "rules": RULES_VERSION},
        "questions": [row.to_dict() for row in rows],
    }  # fmt: skip


def write(found: Mapping[str, Any], folder: Path) -> Path:
    """Write the results into a folder, named by time, model and actions, and return the file.

    Raises:
        EnvironmentProblem: the folder cannot be made or written.
    """
    stamp = re.sub(r"[:-]|\+00:00", "", found["made_at"])
    model = re.sub(r"[^\w.-]+", "-", found["model"]).strip("-")[-80:]
    path = folder / f"{stamp}Z-{model}-{found['actions']}.json"
    building = publishing.building(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        building.write_text(dumps(found) + "\n", encoding="utf-8")
        building.replace(path)
    except OSError as error:
        message = f"the results could not be written: {error.strerror or error}"
        raise EnvironmentProblem(message, file=path, hint="name a folder with --results FOLDER") from error
    return path


def write_trace(name: str, answer: Answer, folder: Path | None) -> None:
    """Write the trace of one answer into a folder, if there is one.

    Raises:
        EnvironmentProblem: the folder cannot be made or written.
    """
    if folder is None:
        return
    path = folder / f"{name}.trace.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(lines([answer]), encoding="utf-8")
    except OSError as error:
        message = f"the trace could not be written: {error.strerror or error}"
        raise EnvironmentProblem(message, file=path, hint="name a folder with --traces FOLDER") from error


def text(found: Mapping[str, Any]) -> str:
    """Return the results for a person."""
    return "\n".join(_lines(found))


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    scores = found["scores"]
    yield f"{found['model']}, by {found['actions']}, {found['made_at']}" + (
        "" if found["complete"] else ", interrupted"
    )
    yield ""
    yield f"{'kind':<14}" + "".join(f"{name:>10}" for name in VERDICTS)
    for kind, counts in {**found["kinds"], "all": scores["verdicts"]}.items():
        yield f"{kind:<14}" + "".join(f"{counts[name] or '-':>10}" for name in VERDICTS)
    yield ""
    for name, of, held in _PAIRS:
        yield f"{name}: {scores[of[0]][of[1]]} of {scores[held[0]][held[1]]}"
    for name in ("declines", "refusals"):
        yield f"{name}: {scores[name]['right']} of {scores[name]['wanted']} right, {scores[name]['wrong']} wrong"
    yield f"claims of a run that did not happen: {scores['claims_run']}"
    tokens = scores["tokens"]
    yield (
        f"turns {scores['turns']}, actions {scores['actions']}, tokens {tokens['input']} in and "
        f"{tokens['output']} out, {scores['seconds']:.1f} s"
    )
    wrong = [row for row in found["questions"] if row["verdict"] == "wrong"]
    if wrong:
        yield "wrong, and nothing says so:"
        yield from (f"- {row['id']}: {' '.join(row['text'].split())[:160]}" for row in wrong)


_PAIRS = (
    ("figures exact", ("figures", "exact"), ("figures", "expected")),
    ("figures in prose that a run gave", ("prose", "traced"), ("prose", "figures")),
    ("guard before the first snippet", ("guard_first", "held"), ("guard_first", "asked")),
    ("hostile snippets stopped", ("hostile", "stopped"), ("hostile", "snippets")),
)


def _version() -> str:
    try:
        return version("bench-analyze")
    except PackageNotFoundError:  # run from a source tree
        return "unknown"
