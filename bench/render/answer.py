"""A model's answer as text: the answer, its figures with where each comes from, and what it proposed.

The answer's own lines are quoted (`> `), so that none can pass for a line of the tool's: "answer: traced" below the
quotation is the tool's word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bench.render.values import lines_text, quoted

if TYPE_CHECKING:
    from bench.ask.answer import Answer
    from bench.ask.figures import Figure


def answer_text(answer: Answer, export: str) -> str:
    """Return the answer for a person. `export`: its path, for the commands of proposals."""
    return lines_text(_lines(answer, export))


def figures_text(figures: tuple[Figure, ...]) -> str:
    """Return one line a figure: where it was traced to, or why it is marked."""
    if not figures:
        return "figures: none"
    lines = [f"- {figure.text}: {figure.traced_to or f'marked: {figure.mark}'}" for figure in figures]
    return lines_text(["figures:", *lines])


def _lines(answer: Answer, export: str) -> Iterator[str]:
    yield from quoted(answer.text.strip()) if answer.text.strip() else ["(no answer)"]
    yield ""
    turns = f"{answer.turns} turn{'' if answer.turns == 1 else 's'}"
    yield f"answer: {answer.status}, by {answer.model}, {turns}, {answer.tokens.input + answer.tokens.output} tokens"
    yield from figures_text(answer.figures).split("\n")
    if answer.proposals:
        yield "proposed, and not done (a person decides):"
        yield from (f"- {proposal.command(export)}" for proposal in answer.proposals)
