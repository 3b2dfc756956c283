"""A store in a DuckDB file and its companion, as `stores.Store`: for one machine, and the default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from bench import tables
from bench.store import schema
from bench.store.again import bring_back
from bench.store.commit import Committed, commit
from bench.store.database import MAIN, Connection, append, followed, reading, writing
from bench.store.inbox import Found
from bench.store.judging import Judged
from bench.store.locking import Patience
from bench.store.seeing import Notes
from bench.store.state import Known, load
from bench.store.work import work_folder
from bench.store.working import Selection


class DuckDBStore:
    """`path` and its companion beside it."""

    def __init__(self, path: Path, patience: Patience) -> None:
        self._path, self._patience = followed(path), patience

    @property
    def location(self) -> str:
        """The file."""
        return str(self._path)

    def work_folder(self) -> AbstractContextManager[Path]:
        """A folder beside the file, so that a full disk is found before a transaction."""
        return work_folder(self._path)

    def load(self) -> Known:
        """Read what a run must know."""
        with writing(self._path, self._patience) as con:
            return load(con)

    def commit(self, known: Known, batch: Sequence[Judged], notes: Notes) -> list[Committed]:
        """Write exports: raw first, then one transaction that decides."""
        with writing(self._path, self._patience) as con:
            done = commit(con, known, batch)
            notes.add_committed(known, done)
            _write(con, notes)
        return done

    def record(self, notes: Notes, run: Mapping[str, object]) -> None:
        """Write what a run did."""
        with writing(self._path, self._patience) as con:
            _write(con, notes)
            append(con, f"{MAIN}.guard.runs", schema.frame("runs", [dict(run)]))

    def bring_back(self, keys: Sequence[int], folder: Path) -> list[tuple[Found, str]]:
        """Write the bytes of held exports below a folder."""
        with reading(self._path, self._patience, raw=True) as con:
            return bring_back(con, keys, folder)

    @contextmanager
    def reading(self, selection: Selection | None = None) -> Iterator[Connection]:
        """Open the file as it is: what is chosen costs nothing more."""
        with reading(self._path, self._patience) as con:
            yield con

    def sizes(self) -> tuple[int, int | None]:
        """Return the bytes of the two files."""
        raw = self.raw_path
        return self._path.stat().st_size, raw.stat().st_size if raw.exists() else None

    @property
    def raw_path(self) -> Path:
        """The companion."""
        return tables.raw_path(self._path)

    def told(self) -> Mapping[str, object]:
        """Nothing more."""
        return {}

    def versions(self) -> None:
        """Keys only grow here, and versions before stay: they say what was read."""


def _write(con: Connection, notes: Notes) -> None:
    if notes.rows:
        append(con, f"{MAIN}.guard.seen", schema.frame("seen", notes.rows))
        notes.rows = []
