"""Reports and runs as text for a person: one line a column, in plain words, also for columns that passed.

A run is printed as Markdown blocks, so that it can be pasted into a report as it stands.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import polars as pl

from bench import caveats
from bench.errors import BenchError
from bench.releases import cells_of
from bench.render.profile import speaks, unmatched_lines
from bench.render.values import json_safe, lines_text
from bench.render.values import printable as printable  # noqa: PLC0414 (front ends take it from here)

if TYPE_CHECKING:
    from bench.export import Export
    from bench.guarded import GuardedExport, GuardedTable
    from guards import ColumnReport, TableReport
    from runner import RunResult

# Corrected and refused columns say in their reason what was done.
_VERDICT_WORDS = {"kept": "Kept as it is.", "unverified": "Unverified."}
_NO_VALUE = "end the snippet with an expression, set `result`, or print"
SHOWN_QUARANTINED = 3
SHOWN_ROWS = 8
_OUTCOMES = {
    "clean": "nothing to correct",
    "unverified": "nothing was changed, but not every column could be judged",
    "corrected": "corrected",
    "refused": "refused in part: the refused rows are null, the rest can be used",
}


def guard_text(guarded: GuardedExport, *, kept: bool = True) -> str:
    """Return what the guard found and did in one export; without `kept` no line for columns that stayed as they are."""
    return lines_text(_guard_lines(guarded, kept))


def line_starts(tables: Iterable[TableReport]) -> Iterator[tuple[str, str]]:
    """Yield how the line of each judged column begins, and its verdict."""
    for table in tables:
        parts = Counter(column.name for column in table.columns)
        yield from (
            (lines_text([f"  {_title(column, parts)}:"]), column.verdict) for column in table.columns if column.judged
        )


def board_hint(guarded: GuardedExport) -> str | None:
    """Return the command that would settle a refusal for want of a board, or None when a board said anything."""
    if speaks(guarded):
        return None
    return f"bench-analyze {shlex.quote(str(guarded.export.path))} --board BOARD.toml"


def approve_hint(guarded: GuardedExport) -> str | None:
    """Return the command by which a person settles the first refused column that has a proposal, None without one."""
    for column in (column for table in guarded.report.tables for column in table.columns):
        if column.verdict == "refused" and column.proposal is not None:
            rows = [] if column.measurement is None else ["--measurement", column.measurement]
            rows += [
                word for name, value in (column.segment or {}).items() for word in ("--segment", f"{name}={value}")
            ]
            words = ["--column", column.name, *rows, "--unit", column.proposal.unit, "--why", "REASON"]
            return f"bench-analyze approve {shlex.join([str(guarded.export.path), *words])}"
    return None


def _release_hint(guarded: GuardedExport) -> str | None:
    """Return the command that makes a quarantined line a row, None where none of the first ones can be one."""
    for table in guarded.tables:
        for line in table.raw.quarantine["_line"].drop_nulls().head(SHOWN_QUARANTINED):
            with suppress(BenchError):
                cells_of(guarded.export, line)
                words = [str(guarded.export.path), "--line", str(line), "--why", "REASON"]
                return f"bench-analyze approve {shlex.join(words)}"
    return None


def way_out(guarded: GuardedExport) -> str | None:
    """Return what would settle a refusal: a board where none spoke, else a person's word on the proposal."""
    return board_hint(guarded) or approve_hint(guarded)


def run_text(code: str, run: RunResult, tables: Sequence[TableReport]) -> str:
    """Return a code block, an output block, the value, the warnings, and the corrections to what was read."""
    return "\n".join([*code_blocks(code, run), result_text(run, tables)])


def result_text(run: RunResult, tables: Sequence[TableReport]) -> str:
    """Return the same for somebody who has the code and the output before their eyes."""
    return lines_text(_result_lines(run, tables))


def _guard_lines(guarded: GuardedExport, kept: bool) -> Iterator[str]:
    export, report = guarded.export, guarded.report
    empty = not any(table.report.rows_read for table in guarded.tables)
    yield f"{export.path.name}: {'it has a header and no rows' if empty else _OUTCOMES[report.outcome]}"
    if guarded.board is None:
        yield "board: none given, and no board.toml beside the export"
    else:
        beside = ", found beside the export" if guarded.board.origin == "beside" else ""
        yield f"board: {guarded.board.board.name} ({guarded.board.path}{beside})"
        if not speaks(guarded):
            yield "profile: it has no nodes and no columns, so that it says nothing"
    yield from unmatched_lines(guarded)
    for table in guarded.tables:
        yield from table_lines(table.report, kept=kept)
        yield from _identity_lines(table)
        yield from _quarantine_lines(table)
    yield from _release_lines(export)
    if command := _release_hint(guarded):
        yield f"Hint: where a quarantined line is a row after all, a person releases it: {command}"
    if report.outcome == "refused" and (command := board_hint(guarded)):
        yield f"Hint: a board profile lets the guard decide: {command}"
    elif report.outcome == "refused" and (command := approve_hint(guarded)):
        yield f"Hint: where the proposal is right, a person approves it: {command}"


def table_lines(table: TableReport, *, kept: bool = True) -> Iterator[str]:
    """Yield one line for a table, and one for each column (without `kept`: that did not stay as it is)."""
    yield (
        f"table {table.name}: {table.rows_read} rows read, {table.rows_kept} kept, "
        f"{table.rows_quarantined} quarantined, {table.rows_changed} changed"
    )
    parts = Counter(column.name for column in table.columns)
    for column in table.columns:
        if kept or column.verdict != "kept" or column.sentinels or column.faults:
            yield f"  {_title(column, parts)}: {_column_words(column)}"


def _title(column: ColumnReport, parts: Mapping[str, int]) -> str:
    """The only entry of its column needs no measurement beside its name."""
    return column.label if parts[column.name] > 1 else column.name


def _identity_lines(table: GuardedTable) -> Iterator[str]:
    broken = table.guarded.flags.filter(pl.col("kind") == "identity")
    for (expression,), rows in broken.group_by(["column"], maintain_order=True):
        numbers = rows["_row"].head(SHOWN_ROWS).to_list()
        more = f" and {rows.height - SHOWN_ROWS} more" if rows.height > SHOWN_ROWS else ""
        named = ", ".join(map(str, numbers))
        yield f"  flagged: {rows.height} rows break {expression} (rows {named}{more}); their values stay"


def _quarantine_lines(table: GuardedTable) -> Iterator[str]:
    rows = table.raw.quarantine
    for line, reason in rows.select("_line", "reason").head(SHOWN_QUARANTINED).iter_rows():
        yield f"  quarantined: line {line}: {reason}"
    if rows.height > SHOWN_QUARANTINED:
        yield f"  quarantined: {rows.height - SHOWN_QUARANTINED} more; all are in guard.quarantine of --db FILE"


def _release_lines(export: Export) -> Iterator[str]:
    released = export.dialect.get("released", [])
    assert isinstance(released, list)
    for each in released:
        now = f"is row {each['row']}" if each["row"] else "is not in quarantine as the export is read now"
        yield f"released: line {each['line']} {now} ({each['who']}: {each['why']})"


def _column_words(column: ColumnReport) -> str:
    parts = [column.reason or f"{column.verdict}."]
    if column.judged and column.verdict in _VERDICT_WORDS:
        parts.append(_VERDICT_WORDS[column.verdict])
    if noted := caveats.notes(column):
        parts.append(noted)
    return " ".join(parts)


def _result_lines(run: RunResult, tables: Sequence[TableReport]) -> Iterator[str]:
    if run.error is not None:
        first, _, more = run.error.message.partition("\n")
        yield f"{run.status}: {run.error.type}: {first}"
        if whole := run.error.traceback or more:
            yield from _block(whole, "text")
    elif run.status != "ok":
        yield run.status
    else:
        yield from _value_lines(run)
    if run.artifacts:
        files = [f"{found.name} ({found.media_type}, {len(found.data)} bytes)" for found in run.artifacts]
        yield from _list("files and charts (their bytes are in --json)", files)
    yield from _list("warnings", list(run.warnings))
    yield from _list("corrections that apply", list(caveats.corrections(caveats.columns_read(tables, run.reads))))


def block(text: str, language: str = "text") -> str:
    """Return text as one Markdown block of code, which no line of it ends."""
    return lines_text(_block(text, language))


def code_blocks(code: str, run: RunResult) -> tuple[str, str]:
    """Return a snippet and what it printed, each as a block."""
    output = run.stdout + (
        run.stderr if not run.stderr or not run.stdout or run.stdout.endswith("\n") else "\n" + run.stderr
    )
    return block(code, "python"), block(output)


def _value_lines(run: RunResult) -> Iterator[str]:
    text = value_text(run.value)
    if "\n" in text:
        yield "value:"
        yield from _block(text, "text")
        return
    silent = run.value is None and not run.stdout and not run.stderr and not run.artifacts
    yield f"value: {text}" + (f" ({_NO_VALUE})" if silent else "")


def value_text(value: object) -> str:
    """Return a snippet's value as a person reads it: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(json_safe(value), ensure_ascii=False)


def _block(text: str, language: str) -> Iterator[str]:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    yield fence + language
    if text.rstrip("\n"):
        yield from text.rstrip("\n").split("\n")
    yield fence


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"- {line}" for line in lines)
    else:
        yield f"{title}: none"
