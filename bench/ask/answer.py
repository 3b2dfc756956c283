"""An answer with its evidence: plain data that front ends render."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.ask.acts import Proposal
from bench.ask.figures import Figure
from bench.ask.messages import Message, Tokens

__all__ = ["Answer", "Proposal", "Step"]

if TYPE_CHECKING:
    from runner import RunResult


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the loop. `by`: `model` where it chose the act, its arguments or the stop; else `code`. `data`: what
    the step has beside its text: a run whole, a response's calls, the verdict's figures."""

    kind: str
    by: str
    title: str
    text: str
    duration_s: float = 0.0
    tokens: Tokens | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "kind": self.kind, "by": self.by, "title": self.title, "text": self.text, "duration_s": self.duration_s,
            "tokens": self.tokens.to_dict() if self.tokens else None, **({"data": self.data} if self.data else {}),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What `Analysis.ask` gives.

    status: `traced` (every figure comes from a run, the limits or the question), `marked`, `claims_run` (it says that
        something was run, and nothing was), `declined` (the tables do not hold it), `failed`, `limit`.
    text: the answer, with a note behind each marked figure. turns: calls of a tool, at least 1.
    history, evidence: what was said and run, also for earlier questions of the conversation.
    cost: in US dollars; None where no price is known.
    problem, hint, kind: why it is not `traced`, what to do, and a stable word for programs; empty where all is well.
    """

    question: str
    text: str
    status: str
    figures: tuple[Figure, ...]
    model: str
    turns: int
    tokens: Tokens
    runs: tuple[tuple[str, RunResult], ...] = ()
    steps: tuple[Step, ...] = field(default=(), repr=False)
    proposals: tuple[Proposal, ...] = ()
    history: tuple[Message, ...] = field(default=(), repr=False)
    evidence: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    problem: str = ""
    hint: str | None = None
    kind: str = ""
    cost: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the `answer` member of the JSON document."""
        return {
            "text": self.text, "status": self.status, "figures": [figure.to_dict() for figure in self.figures],
            "model": self.model, "turns": self.turns, "tokens": self.tokens.to_dict(),
        }  # fmt: skip
