"""One evaluation from its options to its reply: what is asked, of whom, what is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.ask.models import Connection, model_of
from bench.ask.session import Ceilings
from bench.cli.reply import Reply
from bench.evaluate import results as kept
from bench.evaluate.harness import ModelFor, Setup, evaluate
from bench.evaluate.questions import chosen, fixtures_folder, load_questions
from bench.evaluate.scoring import Row
from bench.evaluate.shipped import policy_of
from bench.outcome import DONE, INTERRUPTED
from bench.progress import Progress
from bench.settings import load


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked on the command line."""

    model: str
    actions: str
    json: bool
    only: tuple[str, ...]
    fixtures: Path | None
    results: Path | None
    traces: Path | None
    base_url: str | None
    turns: int


def evaluation_reply(wish: Wish, progress: Progress | None) -> Reply:
    """Ask the questions and keep the results; what was scored before an interrupt is kept too.

    Raises:
        UsageError: no such question, model or fixtures. EnvironmentProblem: the results cannot be written.
    """
    asked = chosen(load_questions(), wish.only)
    setup = Setup(
        _model_for(wish), wish.actions, fixtures_folder(wish.fixtures), Ceilings(turns=wish.turns),
        seen=lambda question, _, answer: kept.write_trace(question.id, answer, wish.traces),
    )  # fmt: skip
    rows: list[Row] = []
    interrupted = False
    try:
        for row in evaluate(asked, setup):
            rows.append(row)
            if progress is not None:
                progress("questions", len(rows), len(asked))
    except KeyboardInterrupt:
        interrupted = True
    order = {question.id: place for place, question in enumerate(asked)}
    rows.sort(key=lambda row: order[row.id])
    found = kept.document(rows, model=wish.model, actions=wish.actions, made_at=datetime.now(UTC), asked=len(asked))
    path = kept.write(found, wish.results or load().data / "evaluations")
    return Reply(
        text=kept.text(found), document=found if wish.json else None, notes=(f"results: {path}",),
        exit_code=INTERRUPTED if interrupted else DONE,
    )  # fmt: skip


def _model_for(wish: Wish) -> ModelFor:
    if wish.model.startswith("shipped:"):
        policy = policy_of(wish.model.removeprefix("shipped:"))
        return lambda question, place, canary: policy.model(question, place, wish.actions, canary)
    asked = model_of(wish.model, Connection(wish.base_url))
    return lambda question, place, canary: asked
