"""The commands about answers, as cyclopts sees them: `chat`, `verify` and `trace`. See `app`."""

# ruff: noqa: PLC0415 - imports inside functions keep `--help` and usage errors fast
from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter, validators

from bench.cli.options import Options
from bench.cli.progress import progress_bar
from bench.cli.reply import Reply
from bench.settings import load

CHAT_EXAMPLES = """\
Examples:
  bench-analyze chat retest.csv --board board.toml --model PROVIDER:NAME

Exit codes: those of the last answer.
"""
VERIFY_EXAMPLES = """\
Examples:
  bench-analyze verify answer.txt --receipt receipt.json
  echo "15 of 18 boards pass" | bench-analyze verify - --receipt receipt.json --json

Exit codes:
  0  every figure is traced, or there is none
  1  a figure is marked, the text claims a run that did not happen, or the receipt was altered
  2  a file that is not there or cannot be read
"""
TRACE_EXAMPLES = """\
Examples:
  bench-analyze trace show receipt.trace.jsonl
  bench-analyze trace export *.trace.jsonl --status traced --out trajectories.jsonl
"""
Status = Literal["traced", "marked", "claims_run", "declined", "failed", "limit"]
trace = App(
    name="trace",
    help="What happened in a question, step by step, and who decided it.",
    help_format="plaintext",
    help_epilogue=TRACE_EXAMPLES,
)


def chat(
    exports: Annotated[list[Path], Parameter(name="EXPORT", negative=())],
    /,
    *,
    model: Annotated[str | None, Parameter(name="--model")] = None,
    board: Annotated[Path | None, Parameter(name="--board")] = None,
    base_url: Annotated[str | None, Parameter(name="--base-url")] = None,
    turns: Annotated[int, Parameter(name="--turns", validator=validators.Number(gt=0))] = 4,
    receipt: Annotated[Path | None, Parameter(name="--receipt")] = None,
) -> Reply:
    """Ask a model several questions about exports, one a line; tables, variables and answers are kept between them.

    Parameters
    ----------
    exports
        Files that a bench wrote.
    model
        Who answers, as with --ask.
    board
        Board profile (TOML); board.toml beside each export otherwise.
    base_url
        Address of another server than the provider's own.
    turns
        How many snippets the model may run for one answer.
    receipt
        Write the receipt here instead of the user's data folder.
    """
    from bench.cli.chatting import chat_reply

    options = Options(ask="chat", model=model, board=board, base_url=base_url, turns=turns, receipt=receipt)
    with progress_bar(color=load().color) as progress:
        return chat_reply(exports, options, progress)


def verify(
    answer: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    receipt: Annotated[Path, Parameter(name="--receipt")],
    json: Annotated[bool, Parameter(negative=())] = False,
) -> Reply:
    """Trace every figure of a text to the runs of a receipt.

    Parameters
    ----------
    answer
        File that holds the text; - reads it from standard input.
    receipt
        File that a run wrote; the run printed its path.
    json
        Print one JSON document.
    """
    from bench.cli.verifying import verify_reply

    return verify_reply(answer, receipt, json=json)


@trace.command
def show(file: Path, /) -> Reply:
    """Show every step with its whole text.

    Parameters
    ----------
    file
        The .trace.jsonl beside a receipt, or what --trace wrote.
    """
    from bench.cli.tracing import show_reply

    return show_reply(file)


@trace.command
def export(
    files: Annotated[list[Path], Parameter(name="FILE", negative=())],
    /,
    *,
    out: Annotated[Path | None, Parameter(name="--out")] = None,
    status: Annotated[tuple[Status, ...], Parameter(name="--status", negative=())] = (),
) -> Reply:
    """Print traces as chat-format trajectories for fine-tuning, one JSON line each.

    Parameters
    ----------
    files
        Traces.
    out
        Write them here instead.
    status
        Only traces whose answers have this status; may be given several times.
    """
    from bench.cli.tracing import export_reply

    return export_reply(files, out, status)
