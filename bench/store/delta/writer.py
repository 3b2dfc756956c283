"""Exports into Delta tables: claim, bytes, texts, rows; each step once, and gone on with by whoever comes next.

What a writer knows is kept up from the ledger's new rows, so that a commit costs the same in a store of ten exports and
of ten thousand. A transaction is looked up only for an export that somebody claimed before; a fresh claim is ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import polars as pl

from bench.store.columns import Place
from bench.store.commit import Added, Committed, HeldAlready, apart
from bench.store.delta import ledger
from bench.store.delta.form import Form, form_schema
from bench.store.delta.rows import rows, texts
from bench.store.delta.snapshot import FILES, LEDGER, SEEN, TEXTS, Snapshot
from bench.store.delta.standing import unfinished
from bench.store.delta.tables import Lake, append_once, commit_next, file_name, not_done
from bench.store.entries import alert_rows, ledger_rows, readings
from bench.store.history import REMEMBERED, Alert
from bench.store.judging import Identity, Judged, JudgedTable
from bench.store.raw import Keyed
from bench.store.rows import Places
from bench.store.state import Held, Known, Seen

_CLAIM = ("export", "sha256", "path", "table_name", "rows_kept", "profile_sha256", "approvals", "rules_version")


@dataclass
class _Claims:
    """The claims on one export's bytes. `keys`: all, ascending; `newest`: the last; `tables`: those that it has rows
    in; `alerts`: what was new about it, where this run made the claim."""

    keys: list[int] = field(default_factory=list)
    newest: Held | None = None
    tables: set[str] = field(default_factory=set)
    alerts: Sequence[Alert] = ()

    @property
    def before(self) -> int | None:
        """The claim that the newest one takes the place of."""
        return self.keys[-2] if len(self.keys) > 1 else None


class Writer:
    """Writes to the tables of a lake. `inbox`: whose folders are stations."""

    def __init__(self, lake: Lake, inbox: Path | None) -> None:
        self._lake, self._inbox = lake, inbox
        self._claims: dict[str, _Claims] = {}
        self._own: set[int] = set()  # keys that the attempt under way has claimed
        self._wrote: set[int] = set()  # keys whose rows are written and not yet told, over all attempts
        self._version, self._settled = -1, 0

    def load(self) -> Known:
        """Read what a run must know."""
        known = Known(seen=self._seen())
        snapshot = Snapshot(self._lake)
        self._advance(known)
        begun = unfinished(snapshot.claims, snapshot.present)
        for sha256, claims in self._claims.items():
            assert claims.newest is not None
            if claims.newest.export not in begun:
                known.held[sha256] = claims.newest
        self._settled = min([known.last, *(key - 1 for key in begun)])
        return known

    def commit(self, known: Known, batch: Sequence[Judged]) -> list[Committed]:
        """Write exports, and return what became of each.

        Raises:
            Conflict: another writer was faster; what is done stays done, and the same call goes on from there.
        """
        self._own.clear()
        self._lake.table(LEDGER)
        self._advance(known)
        self._settle(known, batch)
        fresh, held = apart(known, batch)
        keyed = self._write(known, fresh) if fresh else []
        done: list[Committed] = [*map(self._told, held), *(self._added(known, key, judged) for key, judged in keyed)]
        self._wrote.difference_update(key for key, _ in keyed)
        return done

    def _write(self, known: Known, fresh: Sequence[Judged]) -> list[Keyed]:
        names = {file_name(table.report.name) for judged in fresh for table in judged.tables}
        found = self._prepare(known, fresh)
        for name in (FILES, TEXTS, *names):
            self._lake.table(name)  # before the claim: whoever takes it up from us is met as a conflict
        keyed = self._claim(known, fresh, found)
        self._write_files(keyed)
        self._write_texts(keyed)
        for name in sorted(names):
            self._write_rows(name, keyed, found)
        return keyed

    def _told(self, held: HeldAlready) -> Added | HeldAlready:
        """Return what became of an export that is there: an attempt before this one may have brought it."""
        claims = self._claims[held.judged.identity.sha256]
        key = claims.keys[-1]
        if key not in self._wrote:
            return held
        self._wrote.discard(key)
        return Added(held.judged, key, claims.alerts, claims.before)

    def _added(self, known: Known, key: int, judged: Judged) -> Added | HeldAlready:
        """Return what became of an export: another writer may have been faster with its rows."""
        claims = self._claims[judged.identity.sha256]
        known.held[judged.identity.sha256] = Held(key, judged.identity, judged.found.name)
        if claims.tables and key not in self._wrote:
            return HeldAlready(judged, judged.found.name if claims.newest is None else claims.newest.path)
        return Added(judged, key, claims.alerts, claims.before)

    def _seen(self) -> dict[str, Seen]:
        self._lake.table(SEEN)
        found = self._lake.scan(SEEN).sort("seen_at").unique("path", keep="last").collect()
        columns = ("path", "bytes", "mtime_ns", "ctime_ns", "inode", "sha256", "error")
        return {path: Seen(tuple(state), sha, told) for path, *state, sha, told in found.select(columns).iter_rows()}

    def _advance(self, known: Known) -> None:
        """Read the claims that came since the last look."""
        version = self._lake.versions()[LEDGER]
        if version == self._version:
            return
        new = self._lake.scan(LEDGER).filter(pl.col("export") > known.last).select(*_CLAIM, "readings").collect()
        for row in new.sort("export").drop("readings").iter_rows(named=True):
            known.tables.setdefault(row["table_name"].lower(), row["table_name"])
            claims = self._claims.setdefault(row["sha256"], _Claims())
            if claims.newest is None or claims.newest.export != row["export"]:
                identity = Identity(row["sha256"], row["profile_sha256"], row["approvals"], row["rules_version"])
                claims.newest, claims.tables = Held(row["export"], identity, row["path"]), set()
                claims.keys.append(row["export"])
            if row["rows_kept"]:
                claims.tables.add(row["table_name"].lower())
        self._remember(known, new)
        known.last = max([known.last, *new["export"]])
        self._version = version

    def _remember(self, known: Known, new: pl.DataFrame) -> None:
        found = ledger.flat(new, "readings")
        part = pl.concat_str("table_name", "source_name", pl.col("measurement").fill_null(""), separator="\x1f")
        age = pl.col("export").rank("dense", descending=True).over(part.str.to_lowercase())
        for each in found.filter(age <= REMEMBERED).sort("export").partition_by("export", maintain_order=True):
            known.history.add(
                ((table, source, measurement), (verdict, resolved, unit, factor))
                for _, table, source, measurement, verdict, resolved, unit, factor in each.iter_rows()
            )

    def _settle(self, known: Known, batch: Iterable[Judged]) -> None:
        """Find out which exports that others claimed are there by now."""
        for sha256 in {judged.identity.sha256 for judged in batch}:
            claims, held = self._claims.get(sha256), known.held.get(sha256)
            newest = claims.newest if claims else None
            if claims is None or newest is None or (held is not None and held.export == newest.export):
                continue
            done = {sha256: newest.export}
            if not any(not_done(self._lake.table(file_name(table)), done) for table in claims.tables):
                known.held[sha256] = newest

    def _prepare(self, known: Known, fresh: Sequence[Judged]) -> dict[tuple[str, str], Sequence[Place]]:
        """Find the places of all columns, by SHA-256 and table, and bring the tables into the form that they need."""
        forms: dict[str, Form] = {}
        found: dict[tuple[str, str], Sequence[Place]] = {}
        for judged in fresh:
            for table in judged.tables:
                title = known.tables.setdefault(table.report.name.lower(), table.report.name)
                name = file_name(title)
                form = forms.get(name) or forms.setdefault(name, Form(self._lake.find(name)))
                found[judged.identity.sha256, table.report.name] = form.take(table)
                form.title = title
        for name, form in forms.items():
            form.settle(self._lake, name)
        return found

    def _claim(
        self, known: Known, fresh: Sequence[Judged], found: Mapping[tuple[str, str], Sequence[Place]]
    ) -> list[Keyed]:
        """Give each export its key, with its ledger; an export that somebody claimed as it is keeps that key."""
        keyed: list[Keyed] = []
        new: list[Keyed] = []
        for judged in fresh:
            newest = self._claims.get(judged.identity.sha256, _Claims()).newest
            if newest is not None and newest.identity == judged.identity:
                keyed.append((newest.export, judged))
            else:
                new.append((known.last + 1 + len(new), judged))
        if new:
            self._write_claims(known, new, found)
        return [*keyed, *new]

    def _write_claims(
        self, known: Known, new: Sequence[Keyed], found: Mapping[tuple[str, str], Sequence[Place]]
    ) -> None:
        placed: Places = {
            (key, table.report.name): found[judged.identity.sha256, table.report.name]
            for key, judged in new
            for table in judged.tables
        }
        history, read = deepcopy(known.history), [(key, readings(judged)) for key, judged in new]
        news = {key: history.add(each) for key, each in read}
        again = {key for key, judged in new if judged.identity.sha256 in self._claims}
        # Who judges again by other rules expects other verdicts.
        alerts: dict[int, Sequence[Alert]] = {key: () if key in again else each for key, each in news.items()}
        known.profiles.clear()  # so that each batch has its own
        rows_ = ledger_rows(known, new, placed)
        rows_ |= {"alerts": alert_rows(alerts), "readings": ledger.reading_rows(read)}
        commit_next(self._lake.opened(LEDGER), ledger.nested(rows_, self._settled))
        known.history, known.last, self._version = history, new[-1][0], self._lake.versions()[LEDGER]
        for key, judged in new:
            claims = self._claims.setdefault(judged.identity.sha256, _Claims())
            claims.keys.append(key)
            claims.newest = Held(key, judged.identity, judged.found.name)
            claims.tables = {table.report.name.lower() for table in judged.tables if table.report.rows_kept}
            claims.alerts = alerts[key]
            if len(claims.keys) == 1:
                self._own.add(key)

    def _write_files(self, keyed: Sequence[Keyed]) -> None:
        missing = self._missing(FILES, {judged.identity.sha256: 1 for _, judged in keyed}, keyed)
        chosen = [judged for _, judged in keyed if judged.identity.sha256 in missing]
        parts = (
            pl.DataFrame(
                [(each.identity.sha256, each.found.name, each.size, "zstd", each.compressed())],
                schema=ledger.FILES, orient="row",
            )
            for each in chosen
        )  # fmt: skip
        if chosen:
            append_once(self._lake.opened(FILES), parts, ledger.FILES, dict.fromkeys(sorted(missing), 1))

    def _write_texts(self, keyed: Sequence[Keyed]) -> None:
        changed = [(key, judged) for key, judged in keyed if any(table.raw is not None for table in judged.tables)]
        missing = self._missing(TEXTS, {judged.identity.sha256: key for key, judged in changed}, keyed)
        chosen = [(key, judged) for key, judged in changed if judged.identity.sha256 in missing]
        if chosen:
            parts = chain.from_iterable(texts(table, key) for key, judged in chosen for table in judged.tables)
            done = {judged.identity.sha256: key for key, judged in chosen}
            append_once(self._lake.opened(TEXTS), parts, ledger.TEXTS, done)

    def _write_rows(self, name: str, keyed: Sequence[Keyed], found: Mapping[tuple[str, str], Sequence[Place]]) -> None:
        """Write the rows of one table: those of exports that were judged again in place of what was there."""
        mine = [
            (key, judged, table) for key, judged in keyed for table in judged.tables
            if file_name(table.report.name) == name
        ]  # fmt: skip
        missing = self._missing(name, {judged.identity.sha256: key for key, judged, _ in mine}, keyed)
        mine = [each for each in mine if each[1].identity.sha256 in missing]
        for again in (False, True):
            chosen = [each for each in mine if self._earlier(each[0], each[1]) == again]
            if again or any(table.report.rows_kept for _, _, table in chosen):
                self._append_rows(name, chosen, found)

    def _append_rows(
        self,
        name: str,
        chosen: Sequence[tuple[int, Judged, JudgedTable]],
        found: Mapping[tuple[str, str], Sequence[Place]],
    ) -> None:
        if not chosen:
            return
        delta = self._lake.opened(name)
        schema = form_schema(delta)
        parts = chain.from_iterable(
            rows(judged, table, key, found[judged.identity.sha256, table.report.name], schema, self._inbox)
            for key, judged, table in chosen
        )
        done = {judged.identity.sha256: key for key, judged, _ in chosen}
        replaced = [key for sha256, last in done.items() for key in self._claims[sha256].keys if key < last]
        append_once(delta, parts, schema, done, replaced=replaced)
        self._wrote.update(done.values())

    def _earlier(self, key: int, judged: Judged) -> bool:
        return self._claims[judged.identity.sha256].keys[0] < key

    def _missing(self, name: str, wanted: Mapping[str, int], keyed: Sequence[Keyed]) -> set[str]:
        """Return which transactions are still to be done; those of claims that this run has just made all are."""
        fresh = {judged.identity.sha256 for key, judged in keyed if key in self._own}
        old = {sha256: key for sha256, key in wanted.items() if sha256 not in fresh}
        return {sha256 for sha256 in wanted if sha256 in fresh} | not_done(self._lake.opened(name), old)
