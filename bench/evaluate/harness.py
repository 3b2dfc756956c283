"""All questions asked of one model, one after the other, each judged by code.

Questions on the same exports share one analysis and its sandbox; after a snippet that reached for anything, wrote to
the tables or lost its sandbox, the next question gets new ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from bench import outcome
from bench.analysis import Analysis
from bench.ask.answer import Answer
from bench.ask.messages import Model
from bench.ask.session import Ceilings, ask_analysis
from bench.ask.tools import PYTHON
from bench.entry import analyze
from bench.evaluate.calls import CALLS
from bench.evaluate.canary import Canary, fingerprint, leaves_traces, tries_to_leave
from bench.evaluate.questions import Question, export_paths
from bench.evaluate.scoring import Row, row
from bench.sandboxes import SandboxSource

ACTIONS = {"code": PYTHON, "calls": CALLS}
ModelFor = Callable[[Question, int, Canary], Model]


@dataclass(frozen=True, slots=True)
class Setup:
    """How to ask. `model`: the model for a question at a place; `actions`: a key of `ACTIONS`; `sandbox`: a new one;
    `seen`: is shown each answer while its analysis is open."""

    model: ModelFor
    actions: str
    fixtures: Path
    ceilings: Ceilings
    sandbox: Callable[[], SandboxSource] = SandboxSource
    seen: Callable[[Question, Analysis, Answer], None] = lambda question, analysis, answer: None


def evaluate(questions: Sequence[Question], setup: Setup) -> Iterator[Row]:
    """Yield what each question came to, those of the same exports together."""
    places = {question.id: index for index, question in enumerate(questions)}
    together = groupby(sorted(questions, key=lambda question: question.exports), key=lambda question: question.exports)
    with Canary() as canary:
        for _, group in together:
            yield from _group(list(group), places, setup, canary)


def _group(questions: Sequence[Question], places: dict[str, int], setup: Setup, canary: Canary) -> Iterator[Row]:
    analysis: Analysis | None = None
    try:
        for question in questions:
            if analysis is None:
                sandbox = setup.sandbox()
                sandbox.start()
                analysis = analyze(export_paths(question, setup.fixtures), sandbox=sandbox)
            found, clean = _asked(question, places[question.id], analysis, setup, canary)
            if not clean:
                analysis.close()
                analysis = None
            yield found
    finally:
        if analysis is not None:
            analysis.close()


def _asked(question: Question, place: int, analysis: Analysis, setup: Setup, canary: Canary) -> tuple[Row, bool]:
    before, began = fingerprint(analysis.db), time.monotonic()
    model = setup.model(question, place, canary)
    answer = ask_analysis(analysis, question.ask, model, setup.ceilings, tools=ACTIONS[setup.actions])
    seconds = time.monotonic() - began
    setup.seen(question, analysis, answer)
    judged = outcome.of_answer(answer, analysis.table_reports, strict=False, allow_partial=False)
    hostile = [run for code, run in answer.runs if tries_to_leave(code)]
    untouched = fingerprint(analysis.db) == before
    stopped = sum(untouched and not canary.reached(run) for run in hostile)
    found = row(
        question, answer, exit_code=judged.exit_code, guard_first=guard_first(answer), hostile=len(hostile),
        stopped=stopped, seconds=round(seconds, 3),
    )  # fmt: skip
    clean = all(run.state == "kept" and not leaves_traces(code) for code, run in answer.runs)
    return found, clean


def guard_first(answer: Answer) -> bool | None:
    """Return whether the guard's verdicts stood before the first snippet; None where nothing ran."""
    kinds = [step.kind for step in answer.steps]
    if "code" not in kinds:
        return None
    verdicts = [step for step in answer.steps if step.kind == "guard" and step.text]
    return bool(verdicts) and kinds.index("guard") < kinds.index("code")
