"""The main command: exports or a store in, the guard's report and a snippet's figures out."""

# ruff: noqa: PLC0415 - only those who name a store pay for it

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench import outcome, outputs, receipts, settings
from bench.analysis import Analysis
from bench.ask.answer import Answer
from bench.cli.asking import trace_path, write_trace
from bench.cli.job import Job
from bench.cli.options import Options
from bench.cli.progress import note
from bench.cli.reply import Reply
from bench.entry import analyze
from bench.errors import BenchError, with_hint
from bench.guarded import GuardedExport
from bench.render.answer import answer_text
from bench.render.document import document
from bench.render.explain import check_columns, explain_text
from bench.render.terminal import guard_text, line_starts, run_text, way_out
from guards import TableReport
from runner import RunResult

if TYPE_CHECKING:
    from bench.store.opened import StoreAnalysis


@dataclass
class _Done:
    """How far the command came: what a reply shows even when a later step fails."""

    exports: tuple[GuardedExport, ...] = ()
    store: StoreAnalysis | None = None
    tables: tuple[TableReport, ...] = ()
    run: RunResult | None = None
    answer: Answer | None = None
    receipt: Path | None = None
    notes: list[str] = field(default_factory=list)


def analyse(job: Job) -> Reply:
    """Run the command; a `BenchError` becomes a reply that also shows what was done before it."""
    done = _Done()
    try:
        found = _steps(job, done)
    except BenchError as error:
        return _reply(job, done, exit_code=error.exit_code, error=error.to_dict(), message=str(error))
    message = with_hint(found.message, found.hint)
    return _reply(job, done, exit_code=found.exit_code, error=found.to_dict(), message=message)


def _steps(job: Job, done: _Done) -> outcome.Outcome:
    options = job.options
    if options.source is not None:
        done.store = _opened(options.source, job)
    with done.store or _analysis(job) as analysis:
        done.exports, done.tables = analysis.exports, analysis.table_reports
        check_columns(options.explain, analysis.table_reports)
        if options.db is not None:
            done.notes.append(f"tables: {analysis.db}, raw: {analysis.raw_db}")
        if options.out is not None:
            done.notes.append(f"table: {outputs.write_table(analysis, options.out)}")
        if job.code is not None:
            done.run = analysis.run(job.code)
        if job.model is not None and options.ask is not None:
            done.answer = analysis.ask(
                options.ask, model=job.model, turns=options.turns, tokens=options.max_tokens, seconds=options.seconds,
                cost=options.cost,
            )  # fmt: skip
        if done.run is not None or done.answer is not None or options.receipt is not None:
            _write_receipt(analysis, job, done)
        if options.report is not None:
            done.notes.append(f"report: {_write_report(analysis, job, done, options.report)}")
        return _judge(analysis, options, done)


def _analysis(job: Job) -> Analysis:
    options = job.options
    return analyze(
        job.exports,
        board=options.board,
        db=options.db,
        history=options.history,
        progress=job.progress,
        sandbox=job.sandbox,
        begun=job.begun,
        **asdict(options.read_options()),
    )


def _opened(store: str, job: Job) -> StoreAnalysis:
    from bench.store.locking import Patience
    from bench.store.opened import opened
    from bench.store.working import Selection

    options = job.options
    names = tuple(name for text in options.tables for name in text.split(",") if name)
    selection = Selection(names or None, options.since, options.where)
    return opened(store, selection, job.sandbox, Patience(options.lock_timeout, note))


def _write_receipt(analysis: Analysis, job: Job, done: _Done) -> None:
    receipt = analysis.receipt()
    path = job.options.receipt or receipts.default_path(settings.load().receipts, receipt)
    done.receipt = receipts.write(receipt, path)
    done.notes.append(f"receipt: {done.receipt}")
    if done.answer is not None:
        done.notes.append(f"trace: {write_trace([done.answer], job.options.trace or trace_path(path))}")


def _write_report(analysis: Analysis, job: Job, done: _Done, path: Path) -> Path:
    from bench.reporting import Contents, write_report

    made = None if done.receipt is None else (str(done.receipt), done.receipt.read_text(encoding="utf-8"))
    contents = Contents(_runs(job, done), done.answer, made)
    return write_report(analysis, path, contents, job.progress)


def _judge(analysis: Analysis, options: Options, done: _Done) -> outcome.Outcome:
    refused = [guarded for guarded in analysis.exports if guarded.report.outcome == "refused"]
    hint = next((hint for guarded in refused if (hint := way_out(guarded))), None)
    tables, strict, partial = analysis.table_reports, options.strict, options.allow_partial
    if done.answer is not None:
        return outcome.of_answer(done.answer, tables, strict=strict, allow_partial=partial, hint=hint)
    if done.run is None:
        return outcome.of_guard(analysis.reports, strict=strict, hint=hint)
    return outcome.of_run(done.run, tables, strict=strict, allow_partial=partial, hint=hint)


def _reply(job: Job, done: _Done, *, exit_code: int, error: dict[str, object] | None, message: str) -> Reply:
    receipt = str(done.receipt) if done.receipt else None
    kept = () if job.options.quiet else tuple(done.notes)
    notes = (*kept, *_held(job, done), *([message] if message else []))
    if job.options.json:
        answer = None if done.answer is None else done.answer.to_dict()
        found = document(
            done.exports, runs=[run for _, run in _runs(job, done)], answer=answer, receipt=receipt, error=error,
            exit_code=exit_code,
        )  # fmt: skip
        if done.store is not None:
            from bench.render.opened import store_dict

            found |= {"export": store_dict(done.store), "guard": done.store.guard.to_dict()}
        return Reply(document=found, notes=notes, exit_code=exit_code)
    blocks = [guard_text(guarded, kept=not job.options.quiet) for guarded in done.exports]
    if done.store is not None:
        from bench.render.opened import store_text

        blocks.append(store_text(done.store, kept=not job.options.quiet))
    if explained := explain_text(_explained(job, done), done.tables):
        blocks.append(explained)
    if done.answer is not None:
        blocks.append(answer_text(done.answer, str(job.options.source or job.exports[0])))
    blocks += [run_text(code, run, done.tables) for code, run in _runs(job, done)]
    return Reply(text="\n\n".join(blocks), notes=notes, exit_code=exit_code, verdicts=tuple(line_starts(done.tables)))


def _explained(job: Job, done: _Done) -> list[str]:
    """Return the columns whose witnesses are printed."""
    every = [column.name for table in done.tables for column in table.columns if column.judged]
    return [*job.options.explain, *(every if job.options.verbose else [])]


def _held(job: Job, done: _Done) -> Iterator[str]:
    """Yield what held each run, for those who want to know."""
    if job.options.verbose:
        for number, (_, run) in enumerate(_runs(job, done), 1):
            limits = ", ".join(f"{name} {value}" for name, value in run.limits.to_dict().items() if value is not None)
            layers = ", ".join(run.layers) or "none"
            yield f"run {number}: {run.duration_s:.2f} s; layers {layers}; image {run.image}; limits {limits}"


def _runs(job: Job, done: _Done) -> list[tuple[str, RunResult]]:
    if done.answer is not None:
        return list(done.answer.runs)
    return [] if done.run is None else [(job.code or "", done.run)]
