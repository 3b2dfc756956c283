"""What a run of `ingest` says: a JSON document for each file, a summary for people; and a store's status."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from bench import outcome
from bench.errors import with_hint
from bench.render.document import document
from bench.render.values import lines_text

if TYPE_CHECKING:
    from bench.store.told import Counts, Entry

LONE = 5  # so many tables of one export each are nothing to speak of
SHOWN = 20  # files of a kind that a summary names
_FAILED = 2


def entry_document(entry: Entry, *, strict: bool) -> dict[str, object]:
    """Return the document of one file: that of a single analysis, and what became of it."""
    error, code = entry.error, _FAILED if entry.ingest == "failed" else outcome.DONE
    if entry.guard is not None:
        judged = outcome.of_guard([entry.guard], strict=strict)
        error, code = judged.to_dict(), judged.exit_code
    found = document(error=error, exit_code=code)
    found |= {"export": entry.export, "guard": None if entry.guard is None else entry.guard.to_dict()}
    return {
        "ingest": entry.ingest,
        "reason": entry.reason or None,
        "alerts": [alert.to_dict() for alert in entry.alerts],
        "key": entry.key,
        **found,
    }


def entry_text(entry: Entry) -> str:
    """Return what became of one file as a line."""
    name = lines_text([entry.path])
    if entry.error is not None:
        return f"{entry.ingest}: {name}: {lines_text([str(entry.error['message'])])}"
    if entry.guard is None:
        return f"{entry.ingest}: {name}: {entry.reason}"
    rows = sum(table.rows_kept for table in entry.guard.tables)
    alerts = "".join(f"; alert: {alert.message}" for alert in entry.alerts)
    return f"{entry.ingest}: {name}: {rows} rows, {entry.guard.outcome}{lines_text([alerts])}"


def exit_code(counts: Counts, *, strict: bool) -> int:
    """Return 2 where a file failed in this run; with `strict` 3 for alerts and refused columns; else 0."""
    if counts.tried:
        return _FAILED
    return outcome.REFUSED if strict and (counts.alerts or counts.refused) else outcome.DONE


class Summary:
    """Gathers what a person wants to read at the end; memory holds some names, never all of them."""

    def __init__(self) -> None:
        self._failed: list[str] = []
        self._alerts: list[str] = []
        self._growing: list[str] = []
        self._still_growing = self._repeated = 0

    def add(self, entry: Entry) -> None:
        """Take note of an entry."""
        name = PurePath(entry.path).name
        if entry.ingest == "failed" and not entry.tried:
            self._repeated += 1
        elif entry.ingest == "failed" and entry.error is not None and len(self._failed) < SHOWN:
            self._failed.append(with_hint(f"{entry.path}: {entry.error['message']}", entry.error.get("hint")))
        elif entry.ingest == "skipped" and "still being written" in entry.reason:
            self._still_growing += 1
            if len(self._growing) < SHOWN:
                self._growing.append(f"{entry.path}: {entry.reason}; the next run takes it")
        if len(self._alerts) < SHOWN:
            self._alerts += [f"{alert.message} ({name})" for alert in entry.alerts]

    def text(self, counts: Counts, store: str) -> str:
        """Return the summary."""
        return lines_text(self._lines(counts, store))

    def _lines(self, counts: Counts, store: str) -> Iterator[str]:
        yield f"{store}: {_exports(counts.added)} added with {counts.rows} rows, {counts.skipped} skipped, " + (
            f"{counts.failed} failed"
        )
        yield from _list("still being written", self._growing, self._still_growing)
        yield from _list("failed", self._failed, counts.tried)
        if self._repeated:
            yield f"failed before and not changed since: {self._repeated} (bench-analyze status --db lists them)"
        yield from _list("alerts", self._alerts, len(counts.alerts))
        if counts.refused:
            yield f"refused in part: {_exports(counts.refused)} (bench-analyze status --db {store} lists the columns)"


def lone_tables_note(counts: Counts, before: Collection[str]) -> str | None:
    """Return what to do where most exports that were added made a table of their own, None where they did not.

    `before`: the tables that the store had, in lower case.
    """
    lone = sorted(name for name, exports in counts.tables.items() if exports == 1 and name not in before)
    if len(lone) <= LONE or len(lone) * 2 <= counts.added:
        return None
    some = ", ".join(lone[:3])
    return with_hint(
        f"{len(lone)} tables of one export each were made ({some}, ...): a table is named after its file",
        "where the names carry times or counters, --table NAME puts all exports of a run into one table (of a new "
        "store: what this one holds it does not take again)",
    )


def status_text(found: Mapping[str, Any]) -> str:
    """Return a store's status for a person."""
    counts, last = found["counts"], found["last_run"]
    outcomes = ", ".join(f"{number} {word}" for word, number in counts["outcomes"].items() if number)
    size = f"{found['bytes'] / 1e6:.1f} MB, raw {(found['raw_bytes'] or 0) / 1e6:.1f} MB"
    lines = [
        f"{found['store']} ({size})",
        f"{_exports(counts['exports'])}: {outcomes or 'none yet'}; {counts['rows_kept']} rows kept, "
        f"{counts['rows_changed']} changed, {counts['rows_quarantined']} quarantined",
    ]
    if counts["versions"] > counts["exports"]:
        lines.append(f"{counts['versions'] - counts['exports']} earlier versions beside them")
    lines += [f"  {each['name']}: {each['rows']} rows of {_exports(each['exports'])}" for each in found["tables"]]
    if last is not None:
        lines.append(
            f"last run: {last['started_at']} to {last['ended_at']}: {last['added']} added, {last['skipped']} skipped, "
            f"{last['failed']} failed, {last['alerts']} alert{'' if last['alerts'] == 1 else 's'}"
        )
    failed = [f"{each['path']}: {each['error']['message']}" for each in found["failed"]]
    lines += _list("failed", failed[:SHOWN], len(failed))
    begun = found.get("unfinished", [])
    lines += _list("begun and not finished", begun[:SHOWN], len(begun))
    refused = [f"{PurePath(each['path']).name}: {_part(each)}: {each['reason']}" for each in found["refused"]]
    lines += _list("refused", refused[:SHOWN], counts["refused_columns"], of="column")
    alerts = [f"{each['raised_at']} {each['message']} ({PurePath(each['path']).name})" for each in found["alerts"]]
    lines += _list("alerts", alerts[:SHOWN], counts["alerts"])
    return lines_text(lines)


def _part(each: Mapping[str, Any]) -> str:
    """Return which column, and which part of it, as `table.column [measurement] fixture FIX-03`."""
    name = f"{each['table']}.{each['column']}" + (f" [{each['measurement']}]" if each["measurement"] else "")
    return " ".join([name, *(f"{key} {value}" for key, value in (each["segment"] or {}).items())])


def _list(title: str, lines: Sequence[str], number: int, *, of: str = "") -> Iterator[str]:
    if number:
        yield f"{title}: {number}" + (f" {of}{'' if number == 1 else 's'}" if of else "")
        yield from (f"  {line.replace(chr(10), chr(92) + 'n')}" for line in lines)
        if number > len(lines):
            yield f"  and {number - len(lines)} more"


def _exports(number: int) -> str:
    return f"{number} export{'' if number == 1 else 's'}"
