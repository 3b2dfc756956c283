"""A store as Delta tables, as `stores.Store`: the order of the steps that the package's docstring explains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.store.again import written
from bench.store.commit import Committed, refused
from bench.store.database import Connection
from bench.store.delta import ledger
from bench.store.delta.compaction import compact, compact_whole
from bench.store.delta.image import bytes_of, image
from bench.store.delta.snapshot import FILES, LEDGER, RUNS, SEEN, TEXTS, Snapshot, check, made
from bench.store.delta.tables import Conflict, Lake, Unfit, append, explained, sizes
from bench.store.delta.writer import Writer
from bench.store.inbox import Found
from bench.store.judging import Judged
from bench.store.locking import Busy, Patience
from bench.store.schema import EXPORT
from bench.store.seeing import Notes
from bench.store.state import Known
from bench.store.working import Selection


class DeltaStore:
    """The tables below `root` (an absolute path, or an address). `pinned`: the versions to read; `inbox`: whose
    folders are stations."""

    def __init__(
        self, root: str, patience: Patience, *, pinned: Mapping[str, int] | None = None, inbox: Path | None = None
    ) -> None:
        self._lake = Lake(root, pinned)
        self._patience = patience
        self._writer = Writer(self._lake, inbox)
        self._read: Snapshot | None = None

    @property
    def location(self) -> str:
        """The place, as `--db` takes it."""
        return self._lake.location

    @contextmanager
    def work_folder(self) -> Iterator[Path]:
        """A temporary folder: the store may be on no disk of this machine."""
        with TemporaryDirectory(prefix="bench-analyze-") as folder:
            yield Path(folder)

    def load(self) -> Known:
        """Read what a run must know; make the tables that are not there."""
        with explained(self._lake):
            made(self._lake)
            return self._writer.load()

    def commit(self, known: Known, batch: Sequence[Judged], notes: Notes) -> list[Committed]:
        """Write exports; when other writers are faster, read what they wrote and try again, for as long as we wait."""
        with explained(self._lake):
            done = self._commit(known, batch)
        notes.add_committed(known, done)
        return done

    def _commit(self, known: Known, batch: Sequence[Judged]) -> list[Committed]:
        """Write exports, each alone where one of them cannot be written; that one fails alone."""
        try:
            return self._patient(known, batch)
        except Unfit as error:
            if len(batch) == 1:
                return [refused(batch[0], error)]
            return [found for judged in batch for found in self._commit(known, [judged])]

    def _patient(self, known: Known, batch: Sequence[Judged]) -> list[Committed]:
        done: list[Committed] = []

        def attempt() -> bool:
            try:
                done[:] = self._writer.commit(known, batch)
            except Conflict as error:
                raise Busy(f"other writers were faster each time: {str(error).splitlines()[0]}") from error
            return True

        self._patience.wait(self.location, attempt)
        return done

    def record(self, notes: Notes, run: Mapping[str, object]) -> None:
        """Write what a run looked at and did; then small files are made into large ones."""
        with explained(self._lake):
            if notes.rows:
                append(self._lake.table(SEEN), ledger.frame(notes.rows, ledger.SEEN))
                notes.rows = []
            append(self._lake.table(RUNS), ledger.frame([dict(run)], ledger.RUNS))
            self._compact()

    def _compact(self) -> None:
        """Join small files. Those of `raw/files` stay: its rows have no order, and are found by their hashes' range."""
        for name in self._lake.names():
            if name in (SEEN, RUNS):
                compact_whole(self._lake, name)
            elif name != FILES:
                compact(self._lake, name, "export" if name == LEDGER else EXPORT)

    def bring_back(self, keys: Sequence[int], folder: Path) -> list[tuple[Found, str]]:
        """Write the bytes of held exports below a folder."""
        with explained(self._lake):
            found = bytes_of(self._lake, keys)
        return written(found, folder)

    @contextmanager
    def reading(self, selection: Selection | None = None) -> Iterator[Connection]:
        """Bring what is asked for into a database of its own, and open that."""
        with TemporaryDirectory(prefix="bench-analyze-") as folder:
            with explained(self._lake):
                check(self._lake)
                self._read = Snapshot(self._lake)
                opened: AbstractContextManager[Connection] = image(self._read, selection, Path(folder) / "store.duckdb")
            with opened as con:
                yield con

    def sizes(self) -> tuple[int, int | None]:
        """Return the bytes of the current files of tables and ledger, and of bytes and texts."""
        with explained(self._lake):
            found = {name: sizes(table) for name in (LEDGER, FILES, TEXTS) if (table := self._lake.find(name))}
            rows = sum(sizes(self._lake.table(name)) for name in (self._read.tables if self._read else ()))
        return found.get(LEDGER, 0) + rows, found.get(FILES, 0) + found.get(TEXTS, 0)

    @property
    def raw_path(self) -> Path:
        """The folder of bytes and texts."""
        return Path(self._lake.uri("raw"))

    def told(self) -> Mapping[str, object]:
        """Return the versions that were read, and the exports that a killed run left half-way."""
        read = self._read
        return {"delta": self.versions(), "unfinished": [] if read is None else read.unfinished()}

    def versions(self) -> Mapping[str, int]:
        """Return the version of each table that was read last."""
        return {} if self._read is None else self._read.versions
