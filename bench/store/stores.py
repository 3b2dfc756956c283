"""What a store is to those who fill and read it: one small interface, which the DuckDB file and Delta tables answer to.

Reading is the same for both: a connection in which the store's ledger and tables stand attached as `store`, in the
layout of `schema`. The DuckDB file is attached as it is; a Delta store is brought into that form, with no more of it
than was asked for. So status, selections and working copies exist once.

`tests/bench/store/test_contract.py` runs every promise against each kind of store.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bench.errors import EnvironmentProblem, UsageError
from bench.store.locking import Patience
from bench.tables import raw_path

if TYPE_CHECKING:
    from bench.store.commit import Committed
    from bench.store.database import Connection
    from bench.store.inbox import Found
    from bench.store.judging import Judged
    from bench.store.seeing import Notes
    from bench.store.state import Known
    from bench.store.working import Selection

DELTA = "delta:"
Versions = Mapping[str, int]
_MISSPELT = re.compile(r"(delta[ _-]?lake|delta):", re.IGNORECASE)
_LEDGER_LOG = Path("guard", "exports", "_delta_log")
_ONE_SLASH = re.compile(r"^([a-z][a-z0-9+.-]+):/(?=[^/])")


class Store(Protocol):
    """What `ingest` fills. `location`: as a person names it.

    Whatever does work on it raises `UsageError` where it is no store, and `EnvironmentProblem` where it is in use for
    too long, cannot be reached, or cannot be written.
    """

    @property
    def location(self) -> str:
        """How a person names it, so that it is found from any folder."""

    def work_folder(self) -> AbstractContextManager[Path]:
        """A folder for what is too large to wait in memory, for the time of a run."""

    def load(self) -> Known:
        """Return what a run must know; the store is made if it is not there."""

    def commit(self, known: Known, batch: Sequence[Judged], notes: Notes) -> list[Committed]:
        """Write exports, each once and whole, and return what became of each. `known` and `notes` are kept up."""

    def record(self, notes: Notes, run: Mapping[str, object]) -> None:
        """Write which files were looked at, and what a run did (a row of `guard.runs`)."""

    def bring_back(self, keys: Sequence[int], folder: Path) -> list[tuple[Found, str]]:
        """Write the bytes of held exports below `folder`, each under its own name; return them with their hashes."""

    def reading(self, selection: Selection | None = None) -> AbstractContextManager[Connection]:
        """Open it as `store`: with `selection` at least the rows and all of the ledger that it may choose, else what
        `status` needs of the ledger."""

    def sizes(self) -> tuple[int, int | None]:
        """Return the bytes of tables and ledger, and of what raw keeps."""

    @property
    def raw_path(self) -> Path:
        """Where what was in the exports is kept; a folder or a file."""

    def told(self) -> Mapping[str, object]:
        """Return what `status` says of this kind of store alone."""

    def versions(self) -> Versions | None:
        """Return which state of it was read last, by table; None where the exports' keys say that."""


def store_of(
    location: str | PathLike[str],
    patience: Patience,
    *,
    versions: Versions | None = None,
    inbox: Path | None = None,
) -> Store:
    """Return the store that a location names: a DuckDB file, or `delta:PATH-OR-URL`. Nothing is opened yet.

    `versions`: the state to read, as a receipt names it. `inbox`: where exports come from; its folders are stations.

    Raises:
        EnvironmentProblem: the package for that kind of store is not installed. UsageError: nothing is named.
    """
    text = fspath(location)
    if not text.startswith(DELTA):
        refuse_misspelt(text)
        from bench.store.embedded import DuckDBStore  # noqa: PLC0415 - a Delta store needs no more than its own

        return DuckDBStore(Path(text), patience)
    # A path has lost one of the slashes of an address.
    place = _ONE_SLASH.sub(r"\1://", text.removeprefix(DELTA))
    if not place:
        raise UsageError("delta: names no place", hint="--db delta:FOLDER, or --db delta:s3://BUCKET/FOLDER")
    try:
        from bench.store.delta.store import DeltaStore  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("deltalake", "arro3"):  # arro3 comes with deltalake
            raise
        raise EnvironmentProblem(
            f"a Delta store needs the package {package}, which is not installed",
            file=text,
            hint="pip install 'bench-analyze[delta]'",
        ) from error
    return DeltaStore(place if "://" in place else str(Path(place).absolute()), patience, pinned=versions, inbox=inbox)


def refuse_misspelt(text: str) -> None:
    """Raise UsageError where a location nearly says `delta:`; a file of that very name is one."""
    misspelt = _MISSPELT.match(text)
    if misspelt and misspelt[0] != DELTA and not os.path.lexists(text):
        raise UsageError(
            f"{misspelt[0]!r} names no kind of store", file=text, hint=f"did you mean delta:{text[misspelt.end() :]}"
        )


def own_files(location: str | PathLike[str]) -> list[Path]:
    """Return the files of a store that lie beside each other, which no inbox around them holds as exports."""
    if is_delta(location):
        return []
    path = Path(location)
    return [path, raw_path(path)]


def holds_store(folder: Path) -> bool:
    """Return whether a folder is that of a Delta store."""
    return os.path.isdir(folder / _LEDGER_LOG)  # noqa: PTH112 - what may not be looked at is none


def name_of(folder: Path) -> str | None:
    """Return how `--db` and `--from` name the Delta store that a folder holds, None where it holds none."""
    return f"{DELTA}{folder}" if holds_store(folder) else None


def folder_of(location: str | PathLike[str]) -> Path | None:
    """Return the folder that a location names as a Delta store, None where it names none of this machine."""
    place = fspath(location).removeprefix(DELTA)
    return Path(place) if is_delta(location) and place and ":/" not in place else None


def is_delta(location: str | PathLike[str]) -> bool:
    """Return whether a location names a Delta store."""
    return fspath(location).startswith(DELTA)
