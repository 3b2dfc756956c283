"""What lies in an inbox, and whether it has been written to its end. Nothing here opens an export.

A file is settled when `NAME.done` stands beside it, or when its size and times have not changed for a while: by its
time stamp where the clock agrees with that; a stamp in the future (a clock that went back, a share with a clock of its
own) is not believed, and the file is watched for that long instead.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.boards import BESIDE
from bench.export import path_text
from bench.store.stores import holds_store

DONE = ".done"
SETTLE_S = 2.0
_UNFINISHED = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".filepart", ".swp")
_STORES = (".duckdb", ".wal")


@dataclass(frozen=True, slots=True)
class Found:
    """A file as its folder lists it. `problem`: why it cannot be looked at; the numbers are then zero.

    `named`: the path by which the export is known, where its bytes were brought back from the store.
    """

    path: Path
    bytes: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 0
    problem: str | None = None
    named: Path | None = None

    @property
    def name(self) -> str:
        """The path as text that every file can hold."""
        return path_text(self.named or self.path)

    @property
    def state(self) -> tuple[int, int, int, int]:
        """What changes when somebody writes to the file."""
        return (self.bytes, self.mtime_ns, self.ctime_ns, self.inode)


def scan(inbox: Path, *, apart: Collection[Path] = ()) -> Iterator[Found]:
    """Yield the exports of a folder and of those below it, in the order of their paths; a file is an inbox of one.

    Left out: hidden files, profiles, markers, unfinished transfers, stores with all that lies in them, and what is
    `apart`. A link to a folder is followed once. What cannot be looked at is yielded with its problem.
    """
    if not inbox.is_dir():
        yield look(inbox)
        return
    yield from _folder(inbox, set(), {os.path.realpath(path) for path in apart})


def look(path: Path) -> Found:
    """Return a file as it is now."""
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        return Found(path, problem=getattr(error, "strerror", None) or str(error))
    if not stat.S_ISREG(found.st_mode):
        return Found(path, problem="this is no regular file")
    return Found(path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _folder(folder: Path, visited: set[tuple[int, int]], apart: set[str]) -> Iterator[Found]:
    try:
        here = folder.stat()
        if (here.st_dev, here.st_ino) in visited:
            return
        visited.add((here.st_dev, here.st_ino))
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        yield Found(folder, problem=f"the folder cannot be read: {error.strerror}")
        return
    for entry in entries:
        path = folder / entry.name
        if entry.name.startswith(".") or (apart and os.path.realpath(path) in apart):
            continue
        if _is_folder(entry):
            if holds_store(path):
                continue
            yield from _folder(path, visited, apart)
        elif wanted(entry.name):
            yield look(path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def wanted(name: str) -> bool:
    """Return whether a file of this name is taken for an export."""
    lower = name.lower()
    return not (lower.endswith((DONE, *_UNFINISHED, *_STORES, "~")) or lower == BESIDE or lower.startswith((".", "~$")))


class Settling:
    """Which files have been written to their end. `seconds`: for how long they must not have changed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._watched: dict[Path, tuple[tuple[int, int, int, int], float]] = {}

    def settled(self, found: Found) -> bool:
        """Return whether a file, as it was just found, may be read."""
        if found.problem or not self._seconds or marker(found.path).exists():
            return True
        age = time.time() - found.mtime_ns / 1e9
        state, since = self._watched.get(found.path, (None, 0.0))
        if state != found.state:
            since = time.monotonic()
            self._watched[found.path] = (found.state, since)
        if age >= self._seconds or time.monotonic() - since >= self._seconds:
            self._watched.pop(found.path, None)
            return True
        return False

    def soonest(self) -> float:
        """Return after how many seconds the first of the files that are watched may be settled."""
        now = time.monotonic()
        return max(0.0, min((self._seconds - (now - since) for _, since in self._watched.values()), default=0.0))


def marker(path: Path) -> Path:
    """Return the file that says that another is complete."""
    return path.with_name(path.name + DONE)
