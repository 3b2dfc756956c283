"""What an answer comes to, once the model has stopped: its status, and what is to be told beside it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.ask.figures import Verification

if TYPE_CHECKING:
    from runner import RunResult

_LIMITS = ("time_limit", "memory_limit", "output_limit")
RAISE = "raise the ceiling (--turns, --max-tokens, --seconds, --cost), or ask for less"


@dataclass(frozen=True, slots=True)
class Ending:
    """A status of `Answer`, with its problem, hint and kind; these are empty where all is well."""

    status: str
    problem: str = ""
    hint: str | None = None
    kind: str = ""


def limit(problem: str) -> Ending:
    """Return the ending at a ceiling."""
    return Ending("limit", problem, RAISE, "limit")


def ending(question: str, text: str, found: Verification, runs: Sequence[RunResult]) -> Ending:
    """Return what an answer comes to. `runs`: those of this question.

    An answer without figures stands on its runs: one that succeeded vouches for it, none at all leaves it marked.
    """
    if _words(text) == _words(question):
        problem = "the model only repeated the question, and that is refused as an answer"
        return Ending("failed", problem, "name a model: --model PROVIDER:NAME", "no_answer")
    if not text.strip():
        return Ending("failed", "the model gave an empty answer", "ask again", "no_answer")
    if found.status == "no_figures":
        return _without_figures(runs)
    problem = {
        "marked": f"{len(found.marked)} of {len(found.figures)} figures of the answer are marked",
        "claims_run": "the answer says that something was run, and nothing was",
    }.get(found.status, "")
    return Ending(found.status, problem)


def _without_figures(runs: Sequence[RunResult]) -> Ending:
    if any(run.ok for run in runs):
        return Ending("traced")
    if not runs:
        return Ending("marked", "nothing was run, so that nothing vouches for this answer")
    status = "limit" if runs[-1].status in _LIMITS else "failed"
    return Ending(status, f"no run succeeded: the last ended with {runs[-1].status}")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
