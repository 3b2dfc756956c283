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

_POSITIVE = validators.Number(gt=0)
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
    turns: Annotated[int, Parameter(name="--turns", validator=_POSITIVE)] = 4,
    max_tokens: Annotated[int, Parameter(name="--max-tokens", validator=_POSITIVE)] = 200_000,
    seconds: Annotated[float, Parameter(name="--seconds", validator=_POSITIVE)] = 600.0,
    cost: Annotated[float | None, Parameter(name="--cost", validator=_POSITIVE)] = None,
    wall_time: Annotated[float | None, Parameter(name="--wall-time", validator=_POSITIVE)] = None,
    memory_mb: Annotated[int | None, Parameter(name="--memory-mb", validator=_POSITIVE)] = None,
    stream: Annotated[bool, Parameter(name="--stream", negative=())] = False,
    otel: Annotated[bool, Parameter(name="--otel", negative=())] = False,
    allow_partial: Annotated[bool, Parameter(name="--allow-partial", negative=())] = False,
    receipt: Annotated[Path | None, Parameter(name="--receipt")] = None,
    trace: Annotated[Path | None, Parameter(name="--trace")] = None,
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
    max_tokens
        How many tokens one answer may cost, in and out.
    seconds
        How long one answer may take.
    cost
        How many US dollars one answer may cost, by published prices.
    wall_time
        Seconds that a snippet may take.
    memory_mb
        Megabytes that a snippet may use.
    stream
        Let the provider stream its responses, for servers and proxies that cut off long silences.
    otel
        Emit OpenTelemetry spans of the requests, without texts.
    allow_partial
        Exit with 0 although a snippet of the last answer read a refused column.
    receipt
        Write the receipt here instead of the user's data folder.
    trace
        Write the steps of all answers here instead of beside the receipt.
    """
    from bench.cli.chatting import chat_reply

    options = Options(
        ask="chat", model=model, board=board, base_url=base_url, turns=turns, max_tokens=max_tokens, seconds=seconds,
        cost=cost, wall_time=wall_time, memory_mb=memory_mb, stream=stream, otel=otel, allow_partial=allow_partial,
        receipt=receipt, trace=trace,
    )  # fmt: skip
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
