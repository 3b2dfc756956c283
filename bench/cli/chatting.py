"""The command `chat`: questions from standard input, one a line, answered in one session.

Answers are printed as they come, because a person waits for each; the receipt at the end holds every run and the last
answer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bench import outcome, receipts, settings
from bench.analysis import Analysis
from bench.ask.answer import Answer
from bench.ask.messages import Model
from bench.cli.asking import trace_path, write_trace
from bench.cli.job import begin
from bench.cli.options import Options
from bench.cli.reply import Reply
from bench.entry import analyze
from bench.progress import Progress
from bench.render.answer import answer_text
from bench.render.terminal import guard_text


def chat_reply(exports: list[Path], options: Options, progress: Progress | None) -> Reply:
    """Answer questions until standard input ends. Raises as the main command does."""
    job = begin(exports, options, progress)
    with analyze(job.exports, board=options.board, progress=progress, sandbox=job.sandbox, begun=job.begun) as analysis:
        for guarded in analysis.exports:
            _show(guard_text(guarded))
        answers: list[Answer] = []
        assert job.model is not None
        for question in _questions():
            earlier = answers[-1] if answers else None
            answers.append(_asked(analysis, question, job.model, options, earlier))
            _show(answer_text(answers[-1], str(job.exports[0])))
            if answers[-1].kind == "interrupted":
                break
        return _ended(analysis, options, answers)


def _asked(analysis: Analysis, question: str, model: Model, options: Options, earlier: Answer | None) -> Answer:
    return analysis.ask(
        question, model=model, turns=options.turns, tokens=options.max_tokens, seconds=options.seconds,
        cost=options.cost, earlier=earlier,
    )  # fmt: skip


def _questions() -> Iterator[str]:
    asking = sys.stdin.isatty() and sys.stderr.isatty()
    while True:
        if asking:
            print("question: ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


def _show(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding) + "\n", flush=True)


def _ended(analysis: Analysis, options: Options, answers: list[Answer]) -> Reply:
    if not answers:
        return Reply(notes=("no question was asked",))
    last = answers[-1]
    receipt = analysis.receipt()
    path = receipts.write(receipt, options.receipt or receipts.default_path(settings.load().receipts, receipt))
    judged = outcome.of_answer(last, analysis.table_reports, strict=options.strict, allow_partial=options.allow_partial)
    trace = write_trace(answers, options.trace or trace_path(path))
    notes = (f"receipt: {path}", f"trace: {trace}", *([judged.message] if judged.message else []))
    return Reply(notes=notes, exit_code=judged.exit_code)
