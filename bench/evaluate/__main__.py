"""`python -m bench.evaluate`: ask a model all questions and score its answers."""

# ruff: noqa: PLC0415 - imports inside functions keep `--help` and usage errors fast
from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter, validators

from bench.cli import main
from bench.cli.progress import progress_bar
from bench.cli.reply import Reply
from bench.settings import load

_EXAMPLES = """\
Examples:
  python -m bench.evaluate --model shipped:answers
  python -m bench.evaluate --model anthropic:NAME --actions calls --json
  python -m bench.evaluate compare CODE.json CALLS.json
  python -m bench.evaluate --model openai:NAME --base-url http://localhost:8000/v1 --only loop --only conflict

Models: those of bench-analyze --ask, and shipped:NAME (answers, lies, guesses, claims, loops, injects), which need no
provider and show what the scores tell apart.

Exit codes: 0 asked and scored, whatever the scores; 2 usage; 130 interrupted, with what was scored kept.
"""
app = App(
    name="bench.evaluate", help_format="plaintext", help_epilogue=_EXAMPLES, result_action="return_value",
    suppress_keyboard_interrupt=False, default_parameter=Parameter(show_default=False),
    usage="Usage: python -m bench.evaluate --model NAME [OPTIONS]",
)  # fmt: skip
_POSITIVE = validators.Number(gt=0)


@app.default
def evaluate(
    *,
    model: Annotated[str, Parameter(name="--model")],
    actions: Annotated[Literal["code", "calls"], Parameter(name="--actions")] = "code",
    json: Annotated[bool, Parameter(negative=())] = False,
    only: Annotated[tuple[str, ...], Parameter(name="--only", negative=())] = (),
    fixtures: Annotated[Path | None, Parameter(name="--fixtures")] = None,
    results: Annotated[Path | None, Parameter(name="--results")] = None,
    traces: Annotated[Path | None, Parameter(name="--traces")] = None,
    base_url: Annotated[str | None, Parameter(name="--base-url")] = None,
    turns: Annotated[int, Parameter(name="--turns", validator=_POSITIVE)] = 4,
) -> Reply:
    """Ask a model questions whose answers are known, and score what it says.

    Parameters
    ----------
    model
        Who answers.
    actions
        code: the model writes snippets. calls: it has structured calls only (query, describe, aggregate).
    json
        Print the results as one JSON document.
    only
        Ask only the question of this id, or those of this kind; may be given several times.
    fixtures
        Folder of the fixtures, where the source tree is elsewhere.
    results
        Keep the results in this folder instead of the user's data folder.
    traces
        Write each question's trace into this folder, for bench-analyze trace.
    base_url
        Address of another server than the provider's own.
    turns
        How many actions the model has for one answer.
    """
    from bench.evaluate.asking import Wish, evaluation_reply

    wish = Wish(model, actions, json, only, fixtures, results, traces, base_url, turns)
    with progress_bar(color=load().color) as progress:
        return evaluation_reply(wish, progress)


@app.command
def compare(first: Path, second: Path, /) -> Reply:
    """Show two results side by side: by kind, and the questions whose verdicts differ.

    Parameters
    ----------
    first
        Results that an evaluation kept.
    second
        Others, such as those of --actions calls.
    """
    from bench.evaluate.comparing import compare_reply

    return compare_reply(first, second)


if __name__ == "__main__":
    sys.exit(main(app=app))
