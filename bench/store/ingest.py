"""`ingest`: inbox -> judged exports -> store, once each. The order of the steps.

Everything that is known is looked up in memory, so that a file costs the same in a store of ten exports and of ten
thousand. Results are committed when some have gathered or a moment has passed, whichever comes first.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import settings
from bench.approvals import recorded
from bench.boards import read_board
from bench.errors import BenchError
from bench.store import told
from bench.store.archive import archive
from bench.store.commit import Committed, HeldAlready
from bench.store.entries import now
from bench.store.inbox import Found, Settling, look, scan
from bench.store.judging import Failed, Judge, Judged
from bench.store.seeing import Notes, failure, hashed, seen_as_it_is
from bench.store.state import Held, Known
from bench.store.stores import own_files, store_of
from bench.store.told import Counts, Entry, Wish
from bench.store.watching import changes
from bench.store.workers import Workers, workers
from guards import RULES_VERSION, GuardReport

Progress = Callable[[str, int, int], None]
_BATCH, _BATCH_BYTES, _BATCH_S = 64, 64 << 20, 1.0
_CHANGES = 2  # how often a file may turn out to have changed before it is left for the next run


class Ingestion:
    """A run, or one after the other (`watch`). Use it as a context manager; setting `stop` ends it after what is begun.

    `counts`: of all that was done; `tables_before`: the store's, in lower case.

    Raises:
        ProfileError: the profile cannot be used. UsageError: the file is no store.
        EnvironmentProblem: the store cannot be written, or was in use for too long.
    """

    def __init__(self, wish: Wish, progress: Progress | None = None) -> None:
        self.wish = wish
        self._store = store_of(wish.store, wish.patience, inbox=wish.inbox)
        self.counts = Counts()
        self.tables_before: frozenset[str] = frozenset()
        self.stop = threading.Event()
        self._run = Counts()
        self._progress = progress
        self._began = now()
        self._known = Known()
        self._settling = Settling(wish.settle_s)
        self._notes = Notes()
        self._ready: list[Judged] = []
        self._ready_since = 0.0
        self._under_way: set[str] = set()
        self._met: set[str] = set()  # hashes of what lay in the inbox
        self._later: list[Found] = []
        self._open = ExitStack()

    def __enter__(self) -> Ingestion:
        wish = self.wish
        if wish.board is not None:
            read_board(wish.board, "given")  # one that cannot be used ends the run before it begins
        with ExitStack() as opened:
            folder = opened.enter_context(self._store.work_folder())
            self._approved = {each.sha256 for each in recorded(settings.load().approvals)}
            self._work = folder
            self._judge = Judge(wish.board, wish.options, folder)
            self._workers: Workers = workers(self._judge, wish.jobs, wish.cluster, wish.inbox, wish.patience.timeout_s)
            opened.callback(self._workers.close)
            self._known = self._store.load()  # last, since it makes the store: nothing is left of a run that cannot be
            self.tables_before = frozenset(self._known.tables)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def once(self, files: Sequence[Found] | None = None) -> Iterator[Entry]:
        """Take what lies in the inbox (or `files` of it), the oldest first, and yield what became of each file.

        Raises:
            EnvironmentProblem: the store cannot be written, or was in use for too long. What is committed stays.
        """
        given = self._listing() if files is None else files
        for entry in self._all(sorted(given, key=lambda found: (found.mtime_ns, found.path))):
            self.counts.add(entry)
            self._run.add(entry)
            yield entry
        if self.wish.reguard and files is None:
            for entry in self._again():
                self.counts.add(entry)
                self._run.add(entry)
                yield entry

    def watch(self, poll_s: float | None = None) -> Iterator[Entry]:
        """Take what lies in the inbox, then what comes, until `stop` is set; each time is recorded as a run.

        What was looked at already, and files that are still being written, are not told again and again.

        Raises:
            EnvironmentProblem: as `once`, or the folder cannot be watched (see `watching.changes`).
        """
        yield from self.once()
        self.record()
        for told_of in changes(self.wish.inbox, self.stop, poll_s):
            files = self._listing() if told_of is None else told_of
            new = [each for each in files if seen_as_it_is(self._known, each) is None and not self._archived(each)]
            entries = [entry for entry in self.once(new) if entry.reason != told.GROWING] if new else []
            if entries:
                self.record()
            yield from entries

    def _archived(self, found: Found) -> bool:
        folder = self.wish.archive
        return folder is not None and found.path.resolve().is_relative_to(folder.resolve())

    def scan(self) -> Iterator[Found]:
        """Yield what lies in the inbox."""
        wish = self.wish
        apart = [path for path in (wish.board, wish.archive, *own_files(wish.store)) if path is not None]
        return scan(wish.inbox, apart=apart)

    def _listing(self) -> list[Found]:
        found = list(self.scan())
        self._notes.add_missing(self._known, self.wish.inbox, found)
        return found

    def record(self) -> None:
        """Write what this run did into the store."""
        counts, self._run = self._run, Counts()
        row: dict[str, object] = {
            "started_at": self._began, "ended_at": now(), "inbox": Found(self.wish.inbox.absolute()).name,
            "added": counts.added, "skipped": counts.skipped, "failed": counts.failed, "rows": counts.rows,
            "alerts": len(counts.alerts),
        }  # fmt: skip
        self._store.record(self._notes, row)
        self._began = now()

    def _all(self, files: Sequence[Found]) -> Iterator[Entry]:
        young = []
        for number, listed in enumerate(files):
            if self.stop.is_set():
                break
            if self._progress:
                self._progress("Ingesting", number, len(files))
            found = listed if listed.problem else look(listed.path)  # it may have been listed long ago
            if self._settling.settled(found):
                yield from self._consider(found)
            else:
                young.append(found)
        yield from self._finish()
        yield from self._wait_for(young)
        if self._progress:
            self._progress("Ingesting", len(files), len(files))

    def _wait_for(self, young: Sequence[Found]) -> Iterator[Entry]:
        """Take files that were written a moment ago once they have settled; leave those that keep changing."""
        changes = {found.path: 0 for found in young}
        waiting = list(young)
        while waiting and not self.stop.wait(self._settling.soonest() + 0.01):
            again = []
            for before in waiting:
                found = look(before.path)
                changes[found.path] += found.state != before.state
                if self._settling.settled(found):
                    yield from self._consider(found)
                elif changes[found.path] > _CHANGES:
                    yield told.growing(found)
                else:
                    again.append(found)
            waiting = again
            yield from self._finish()

    def _consider(self, found: Found) -> Iterator[Entry]:
        """Tell what is known of a file already, or give it to be judged."""
        if found.problem is not None:
            if found.path.exists() or found.path.is_symlink():  # else it was taken away meanwhile
                yield self._unreadable(found, found.problem)
            return
        seen = seen_as_it_is(self._known, found)
        if seen is not None and (error := failure(seen)) is not None:
            yield told.failed(found, seen.sha256, error, tried=False)
            return
        try:
            sha256 = (seen.sha256 if seen is not None else None) or hashed(found.path)
        except FileNotFoundError:
            return
        except OSError as error:
            yield self._unreadable(found, error.strerror or str(error))
            return
        self._met.add(sha256)
        held = self._known.held.get(sha256)
        if held is not None and not self._to_be_judged_again(found, sha256, held):
            if seen is None or seen.error is not None:
                self._notes.add(self._known, found, sha256)
            yield self._skipped(found, sha256, held.path)
        elif sha256 in self._under_way:
            self._later.append(found)
        else:
            self._under_way.add(sha256)
            self._workers.give(found, sha256)
            if self._workers.full:
                yield from self._take(all_=False)

    def _again(self) -> Iterator[Entry]:
        """Judge again what the store holds and the inbox does not, where a profile for it is known."""
        keys = [
            held.export
            for sha256, held in self._known.held.items()
            if sha256 not in self._met and self._to_be_judged_again(Found(Path(held.path)), sha256, held, kept=True)
        ]
        for first in range(0, len(keys), _BATCH):
            with TemporaryDirectory(dir=self._work) as folder:
                for found, sha256 in self._store.bring_back(keys[first : first + _BATCH], Path(folder)):
                    self._workers.give(found, sha256)
                    if self._workers.full:
                        yield from self._take(all_=False)
                yield from self._finish()

    def _to_be_judged_again(self, found: Found, sha256: str, held: Held, *, kept: bool = False) -> bool:
        """`kept`: only the store has it, so that a profile that stood beside it may be gone as well."""
        if not self.wish.reguard:
            return False
        try:
            board = self._judge.board_of(found)
        except BenchError:
            return True  # judging tells why
        if kept and board is None and held.identity.profile_sha256 is not None:
            return False
        rules = (board.sha256 if board else None, RULES_VERSION)
        same = rules == (held.identity.profile_sha256, held.identity.rules_version)
        return not same or sha256 in self._approved or held.identity.approvals is not None

    def _take(self, *, all_: bool) -> Iterator[Entry]:
        for judged in self._workers.results(all_=all_):
            if isinstance(judged, Failed):
                self._under_way.discard(judged.sha256)
                yield self._failed(judged)
                continue
            if not self._ready:
                self._ready_since = time.monotonic()
            self._ready.append(judged)
            size = sum(each.size for each in self._ready)
            late = time.monotonic() - self._ready_since > _BATCH_S
            if late or len(self._ready) >= _BATCH or size > _BATCH_BYTES:
                yield from self._commit()

    def _finish(self) -> Iterator[Entry]:
        """Commit everything that was given; then come those whose bytes were under way under another name."""
        while True:
            yield from self._take(all_=True)
            yield from self._commit()
            later, self._later = self._later, []
            if not later:
                return
            for found in later:
                yield from self._consider(found)

    def _commit(self) -> Iterator[Entry]:
        if not self._ready:
            return
        batch, self._ready = self._ready, []
        done = self._store.commit(self._known, batch, self._notes)
        self._under_way -= {judged.identity.sha256 for judged in batch}
        for each in done:
            yield self._done(each)

    def _done(self, done: Committed) -> Entry:
        if isinstance(done, Failed):
            return self._failed(done)
        judged = done.judged
        if isinstance(done, HeldAlready):
            return self._skipped(judged.found, judged.identity.sha256, done.path)
        self._archive(judged.found)
        report = GuardReport(tuple(table.report for table in judged.tables))
        reason = "" if done.superseded is None else f"judged again, in place of version {done.superseded}"
        return Entry(
            judged.found.name, "added", reason, judged.export, report, key=done.export, alerts=done.alerts
        )  # fmt: skip

    def _failed(self, failed: Failed) -> Entry:
        if failed.growing:
            return told.growing(failed.found)
        if failed.found.named is None:
            passing = not str(failed.error["kind"]).startswith("export")  # it was not the file's fault
            self._notes.add(self._known, failed.found, failed.sha256, failed.error, passing=passing)
        return told.failed(failed.found, failed.sha256, failed.error)

    def _unreadable(self, found: Found, problem: str) -> Entry:
        entry = told.unreadable(found, problem)
        self._notes.add(self._known, found, None, entry.error, passing=True)
        return entry

    def _skipped(self, found: Found, sha256: str, first: str) -> Entry:
        self._archive(found)
        return told.skipped(found, sha256, first)

    def _archive(self, found: Found) -> None:
        if self.wish.archive is not None and found.named is None:
            archive(found, self.wish.inbox, self.wish.archive)
