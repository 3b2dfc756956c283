"""What a command came to: the exit code, and the error that goes with it. Pure.

Exit codes (design.md, "Contracts"): 0 done; 1 the snippet or the answer failed; 2 usage, or a file that cannot be read;
3 refused; 4 a limit stopped the run; 5 the sandbox could not start. In the JSON document `error` is null exactly when
the code is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench import caveats
from guards import ColumnReport, GuardReport, TableReport
from runner import RunResult

if TYPE_CHECKING:
    from bench.ask.answer import Answer

DONE, FAILED, USAGE, REFUSED, LIMIT, UNAVAILABLE = range(6)
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
_STATUS_CODES = {
    "ok": DONE, "error": FAILED, "crashed": FAILED, "protocol": FAILED,
    "time_limit": LIMIT, "memory_limit": LIMIT, "output_limit": LIMIT, "sandbox_unavailable": UNAVAILABLE,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """An exit code with its error: kind (a stable word), message, hint; the last two are empty when all is well."""

    exit_code: int
    kind: str = ""
    message: str = ""
    hint: str | None = None

    def to_dict(self) -> dict[str, object] | None:
        """Return the `error` member of the JSON document."""
        if self.exit_code == DONE:
            return None
        return {
            "kind": self.kind,
            "message": self.message,
            "file": None,
            "line": None,
            "column": None,
            "hint": self.hint,
        }


def of_guard(reports: Sequence[GuardReport], *, strict: bool, hint: str | None = None) -> Outcome:
    """Judge an analysis with no snippet. `hint` is the way out of a refusal."""
    tables = [table for report in reports for table in report.tables]
    columns = [caveats.ReadColumn(table, column) for table in tables for column in table.columns]
    return _judge(columns, tables, strict=strict, hint=hint) or Outcome(DONE)


def of_run(
    run: RunResult, tables: Sequence[TableReport], *, strict: bool, allow_partial: bool, hint: str | None = None
) -> Outcome:
    """Judge an analysis with a snippet by the run's status, then by the columns that it read."""
    code = _STATUS_CODES.get(run.status, FAILED)
    if code != DONE:
        return Outcome(code, run.status, run_message(run), None if code == FAILED else _RUN_HINTS.get(run.status))
    if allow_partial:
        return Outcome(DONE)
    columns = caveats.columns_read(tables, run.reads)
    read_tables = [table for table in tables if any(column.table is table for column in columns)]
    return _judge(columns, read_tables, strict=strict, hint=hint) or Outcome(DONE)


def of_answer(
    answer: Answer, tables: Sequence[TableReport], *, strict: bool, allow_partial: bool, hint: str | None = None
) -> Outcome:
    """Judge a model's answer: by its status, then by the columns that its runs read."""
    runs = [run for _, run in answer.runs]
    if any(run.status == "sandbox_unavailable" for run in runs):
        return Outcome(UNAVAILABLE, "sandbox_unavailable", answer.problem, answer.hint)
    if answer.kind == "interrupted":
        return Outcome(INTERRUPTED, answer.kind, answer.problem)
    columns = caveats.columns_read(tables, [read for run in runs for read in run.reads])
    read_tables = [table for table in tables if any(column.table is table for column in columns)]
    only_refused = all(figure.traced_to or figure.mark == "refused" for figure in answer.figures)
    judged = _judge(columns, read_tables, strict=strict, hint=hint)
    if answer.status in ("traced", "declined", "marked") and only_refused and answer.runs:
        if judged and not allow_partial:
            return judged
        if allow_partial and answer.figures:
            return Outcome(DONE)
    code = _ANSWER_CODES[answer.status]
    return Outcome(code) if code == DONE else Outcome(code, answer.kind, answer.problem, answer.hint)


_ANSWER_CODES = {
    "traced": DONE, "declined": DONE, "marked": FAILED, "claims_run": FAILED, "failed": FAILED, "limit": LIMIT,
}  # fmt: skip


def run_message(run: RunResult) -> str:
    """Return one sentence on how a run ended."""
    if run.error is not None:
        return f"the snippet ended with {run.status}: {run.error.type}: {run.error.message}"
    return f"the snippet ended with {run.status}"


_RUN_HINTS = {
    "time_limit": "give it longer with --wall-time SECONDS",
    "memory_limit": "give it more with --memory-mb MB, or let SQL aggregate before Python holds the rows",
    "output_limit": "print less, or write a file to /out",
    "sandbox_unavailable": "bench-analyze sandbox status; bench-analyze sandbox install",
}


def _judge(
    columns: Sequence[caveats.ReadColumn], tables: Sequence[TableReport], *, strict: bool, hint: str | None
) -> Outcome | None:
    if refused := caveats.refused(columns):
        return Outcome(
            REFUSED, "refused", _sentence("refused", [_with_reason(c.name, c.report) for c in refused]), hint
        )
    if not strict:
        return None
    if unverified := caveats.unverified(columns):
        names = [_with_reason(column.name, column.report) for column in unverified]
        return Outcome(REFUSED, "unverified", _sentence("unverified (--strict)", names), hint)
    if quarantined := [table for table in tables if table.rows_quarantined]:
        names = [f"{table.name}: {table.rows_quarantined} of {table.rows_read} rows" for table in quarantined]
        return Outcome(
            REFUSED, "quarantined", _sentence("quarantined (--strict)", names), "see guard.quarantine in --db FILE"
        )
    return None


def _sentence(what: str, names: Sequence[str]) -> str:
    return f"{what}: " + "; ".join(names)


def _with_reason(name: str, report: ColumnReport) -> str:
    return f"{name} ({report.reason.rstrip('.')})" if report.reason else name
