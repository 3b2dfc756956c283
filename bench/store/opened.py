"""`bench.open`: a store as an analysis, by way of a working copy, so that the store itself is closed again at once."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import polars as pl

from bench import fingerprints, receipts, tables
from bench.analysis import Analysis, temporary_database, temporary_folder
from bench.sandboxes import SandboxSource
from bench.store.locking import TIMEOUT_S, Note, Patience
from bench.store.stores import Store, Versions, is_delta, store_of
from bench.store.working import Selection, Working, build, ledger_rows, rows_in
from guards import ColumnReport, GuardError, GuardReport, Proposal, TableReport, parse_board

if TYPE_CHECKING:
    from bench.pipeline import Progress
    from runner import ResourceLimits


@dataclass
class StoreAnalysis(Analysis):
    """What `bench.open` gives: an `Analysis` of what was chosen from a store. `exports` is empty: there are many.

    `store`: where it came from. `working`: what was copied from it; `selection`: by what.
    """

    store: Store = field(kw_only=True)
    selection: Selection = field(default_factory=Selection)
    working: Working | None = None
    _report: GuardReport = field(default_factory=lambda: GuardReport(()))
    _limits: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    _named: frozenset[str] = frozenset()

    @property
    def guard(self) -> GuardReport:
        """The guard's reports on all chosen exports as one: a column has an entry for each reading that it had."""
        return self._report

    @property
    def reports(self) -> tuple[GuardReport, ...]:
        """The one report."""
        return (self._report,)

    @property
    def source_name(self) -> str:
        """The name of the store's file or folder."""
        return PurePath(self.store.location).name

    @property
    def raw_db(self) -> Path:
        """Where the store itself keeps it."""
        return self.store.raw_path

    @property
    def limits(self) -> Mapping[str, Mapping[str, object]]:
        """{node: {"lower", "upper", "unit"}} of the newest export that has the node."""
        return self._limits

    @property
    def named_measurements(self) -> frozenset[str]:
        """The measurements that the exports' profiles name."""
        return self._named

    def receipt(self) -> dict[str, object]:
        """Return what the figures came from: the store, the exports' keys and what was chosen of them."""
        wanted = receipts.tables_read(self.tables, self._runs)
        return receipts.make(
            (), self._runs, options=self.options, contents=fingerprints.contents(self.db, wanted, ()),
            made_at=datetime.now(UTC), limits=self._limits, answer=self.answered(), reports=self.reports,
            store=self.provenance(),
        )  # fmt: skip

    def provenance(self) -> dict[str, object]:
        """Return the `store` member of a receipt: from it the same working copy can be made."""
        assert self.working is not None
        location, versions = self.store.location, self.store.versions()
        return {
            "path": location if is_delta(location) else str(Path(location).absolute()),
            "version": self.working.version, "exports": self.working.exports, "keys": self.working.keys,
            "tables": list(self.working.tables), "where": self.selection.where,
            **({} if versions is None else {"delta": dict(versions)}),
        }  # fmt: skip

    def __repr__(self) -> str:
        exports = 0 if self.working is None else self.working.exports
        return f"<Analysis of {exports} exports of {self.store.location}: {', '.join(self.tables)}>"


def open(
    store: str | PathLike[str],
    *,
    tables: Sequence[str] | None = None,
    since: str | None = None,
    where: str | None = None,
    limits: ResourceLimits | None = None,
    progress: Progress | None = None,
    lock_timeout_s: float = TIMEOUT_S,
    note: Note | None = None,
) -> Analysis:
    """Take a working copy of what a store holds, for snippets, questions and notebooks; the store is closed again.

    `store`: a DuckDB file that `ingest` fills, or `delta:PATH-OR-URL`.
    `tables`, `since` (a date in ISO 8601: exports last written then or later) and `where` (one SQL condition) choose;
    otherwise everything is copied. `limits` bound each later `run`. `lock_timeout_s`: how long to wait for a program
    that holds the store, of which `note` is told. Close it, or use it as a context manager: the copy goes.

    Raises:
        UsageError: no such store or table, nothing chosen is there, or the condition is none.
        EnvironmentProblem: the store was in use for too long, or cannot be reached.
    """
    chosen = Selection(None if tables is None else tuple(tables), since, where)
    return opened(store, chosen, SandboxSource(limits, progress), Patience(lock_timeout_s, note))


def opened(
    location: str | PathLike[str],
    selection: Selection,
    sandboxes: SandboxSource,
    patience: Patience,
    *,
    versions: Versions | None = None,
) -> StoreAnalysis:
    """Do what `open` does, in the state that `versions` names. When this fails `sandboxes` is closed."""
    with ExitStack() as undo:
        undo.callback(sandboxes.close)
        store = store_of(location, patience, versions=versions)
        folder = temporary_folder()
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        target = temporary_database(folder)
        working = build(store, target, selection)
        found = _analysis(store, target, selection, working, sandboxes, folder)
        undo.pop_all()
    return found


def _analysis(
    store: Store, target: Path, selection: Selection, working: Working, sandboxes: SandboxSource, folder: Path
) -> StoreAnalysis:
    with tables.explained(target), tables.open_database(target) as con:
        rows = rows_in(con, working.tables)
        exports, columns = ledger_rows(con, "exports"), ledger_rows(con, "columns")
        limits, profiles = ledger_rows(con, "limits"), ledger_rows(con, "profile")
    report = GuardReport(tuple(_table(name, rows[name], exports, columns) for name in working.tables))
    by_node = {row["node"]: {name: row[name] for name in ("lower", "upper", "unit")} for row in limits.to_dicts()}
    named = frozenset(name for text in profiles["text"] for name in _measurements(text))
    return StoreAnalysis(
        (), target, sandboxes, folder, store=store, selection=selection, working=working, _report=report,
        _limits=by_node, _named=named,
    )  # fmt: skip


def _measurements(profile: str) -> Iterable[str]:
    """Yield the measurements that a profile names; one that this version no longer understands names none."""
    with suppress(GuardError):
        for node in parse_board(tomllib.loads(profile), source="profile").nodes:
            yield from node.measurements


def _table(name: str, rows: int, exports: pl.DataFrame, columns: pl.DataFrame) -> TableReport:
    mine = exports.filter(pl.col("table_name") == name)
    entries = columns.filter(pl.col("table_name") == name).to_dicts()
    return TableReport(
        name, rows, int(mine["rows_changed"].sum()), tuple(_columns(entries, mine.height)),
        int(mine["rows_quarantined"].sum()),
    )  # fmt: skip


def _columns(entries: Iterable[dict[str, Any]], exports: int) -> Iterable[ColumnReport]:
    for entry in entries:
        number = entry.pop("exports")
        del entry["table_name"]
        proposal = entry.pop("proposal")
        segment = entry.pop("segment")
        several = f" In {number} of {exports} exports." if number < exports else ""
        entry |= {"name": entry.pop("column_name"), "reason": f"{entry['reason']}{several}".strip(), "witnesses": ()}
        yield ColumnReport(
            **entry,
            proposal=None if proposal is None else Proposal(**json.loads(proposal)),
            segment=None if segment is None else json.loads(segment),
        )
