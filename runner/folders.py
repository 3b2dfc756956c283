"""The private folder of one process of the sandbox: made in memory where there is such a place, locked while it lives.

The lock is the system's own on the folder and goes with its holder, so whoever can take it knows that the host was
killed and its launcher too: such folders are removed when the next one is made.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from pathlib import Path

from runner.errors import UnavailableError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "bench-analyze-"
_SHARED_MEMORY = Path("/dev/shm")
_YOUNG_S = 60.0  # between its making and its lock a folder looks abandoned


def _place() -> Path:
    in_memory = os.access(_SHARED_MEMORY, os.W_OK | os.X_OK)
    return _SHARED_MEMORY if in_memory else Path(tempfile.gettempdir())


def private_folder() -> Path:
    """Return a new folder that only this user can enter."""
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=_place())).resolve()


class Folder:
    """A new folder with a copy of another's files; `remove` ends it."""

    def __init__(self, copy_of: Path | None = None) -> None:
        """Make it.

        Raises:
            UnavailableError: the system has no place for it.
        """
        sweep()
        self._lock = -1
        try:
            self.path = private_folder()
            if fcntl is not None:
                self._lock = os.open(self.path, os.O_RDONLY)
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UnavailableError(
                f"the sandbox's process gets no folder of its own: {error.strerror or error}",
                hint=f"free space or files in {_SHARED_MEMORY}, or name a folder that can be written to in TMPDIR",
            ) from None
        for path in copy_of.glob("*") if copy_of is not None else ():
            if path.is_file():
                _copy(path, self.path / path.name)

    def remove(self) -> None:
        """Remove it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _copy(path: Path, to: Path) -> None:
    """Copy a file, or leave nothing of it: what the folder begins with makes a start quick and is not needed."""
    try:
        shutil.copyfile(path, to)
    except OSError:
        with contextlib.suppress(OSError):
            to.unlink()


def sweep(older_than_s: float = _YOUNG_S) -> None:
    """Remove folders whose holders are gone."""
    if fcntl is None:
        return
    for path in _place().glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if path.is_symlink() or time.time() - path.stat().st_mtime < older_than_s:
                continue
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)
