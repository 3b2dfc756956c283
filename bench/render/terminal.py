"""Reports and runs as text for a person: one line a column, in plain words, also for columns that passed.

A run is printed as Markdown blocks, so that it can be pasted into a report as it stands.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bench import caveats
from bench.render.values import json_safe

if TYPE_CHECKING:
    from bench.guarded import GuardedExport
    from guards import ColumnReport, TableReport
    from runner import RunResult

# C0 and C1 but tab and newline, and the marks that reorder text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_OUTCOMES = {
    "clean": "nothing to correct",
    "unverified": "nothing was changed, but not every column could be judged",
    "corrected": "corrected",
    "refused": "refused in part: the refused rows are null, the rest can be used",
}
_TAKEN = {"identifier": "an identifier", "text": "text", "time": "time", "index": "an index", "result": "the result column",
          "unit": "the unit column", "limit": "limits", "range": "the instrument's range"}  # fmt: skip


def guard_text(guarded: GuardedExport) -> str:
    """Return what the guard found and did in one export."""
    return printable("\n".join(_guard_lines(guarded)))


def board_hint(guarded: GuardedExport) -> str | None:
    """Return the command that would settle a refusal for want of a board, or None when a board was used."""
    if guarded.board is not None:
        return None
    return f"bench-analyze {shlex.quote(str(guarded.export.path))} --board BOARD.toml"


def run_text(code: str, run: RunResult, tables: Sequence[TableReport]) -> str:
    """Return a code block, an output block, the value, the warnings, and the corrections that apply to what was read."""
    return printable("\n".join(_run_lines(code, run, tables)))


def printable(text: str) -> str:
    """Return the text with control characters spelled out: a header or a snippet's output never steers the terminal."""
    return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def _guard_lines(guarded: GuardedExport) -> Iterator[str]:
    export, report = guarded.export, guarded.report
    yield f"{export.path.name}: {_OUTCOMES[report.outcome]}"
    if guarded.board is None:
        yield "board: none given, and no board.toml beside the export"
    else:
        beside = ", found beside the export" if guarded.board.origin == "beside" else ""
        yield f"board: {guarded.board.board.name} ({guarded.board.path}{beside})"
    for table in report.tables:
        yield from _table_lines(table)
    if report.outcome == "refused" and (command := board_hint(guarded)):
        yield f"Hint: a board profile lets the guard decide: {command}"


def _table_lines(table: TableReport) -> Iterator[str]:
    yield (
        f"table {table.name}: {table.rows_read} rows read, {table.rows_kept} kept, {table.rows_quarantined} quarantined, "
        f"{table.rows_changed} changed"
    )
    parts = Counter(column.name for column in table.columns)
    for column in table.columns:
        # The only entry of its column needs no measurement beside its name.
        yield f"  {column.label if parts[column.name] > 1 else column.name}: {_column_words(column)}"


def _column_words(column: ColumnReport) -> str:
    parts = [column.reason or _without_reason(column)]
    if column.verdict == "refused" and column.proposal:
        proposal = column.proposal
        offset = f", offset {proposal.offset:g}" if proposal.offset else ""
        parts.append(f"Proposal: {proposal.unit} (factor {proposal.factor:g}{offset}): {proposal.why.rstrip('.')}.")
    if noted := caveats.notes(column):
        parts.append(noted)
    return " ".join(parts)


def _without_reason(column: ColumnReport) -> str:
    if column.role in _TAKEN:
        return f"{_TAKEN[column.role]}, as written."
    unit = f" in {column.unit}" if column.unit else ""
    return f"{column.verdict}{unit}."


def _run_lines(code: str, run: RunResult, tables: Sequence[TableReport]) -> Iterator[str]:
    yield from _block(code, "python")
    output = run.stdout + (
        run.stderr if not run.stderr or not run.stdout or run.stdout.endswith("\n") else "\n" + run.stderr
    )
    yield from _block(output, "text")
    if run.error is not None:
        yield f"{run.status}: {run.error.type}: {run.error.message}"
        if run.error.traceback:
            yield from _block(run.error.traceback, "text")
    elif run.status != "ok":
        yield run.status
    else:
        yield f"value: {value_text(run.value)}"
    yield from _list("warnings", list(run.warnings))
    yield from _list("corrections that apply", list(caveats.corrections(caveats.columns_read(tables, run.reads))))


def value_text(value: object) -> str:
    """Return a snippet's value as a person reads it: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(json_safe(value), ensure_ascii=False)


def _block(text: str, language: str) -> Iterator[str]:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    yield fence + language
    if text.rstrip("\n"):
        yield text.rstrip("\n")
    yield fence


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"- {line}" for line in lines)
    else:
        yield f"{title}: none"
