"""Whose turn it is: one lock file beside the store, for writers and readers of ours alike.

DuckDB lets one process write a file or several read it, and refuses the others at once. So ours queue at a lock of the
operating system, which ends with its holder, also by SIGKILL; the file itself stays, because removing it would let two
holders have one lock each. A foreign program knows no such file: DuckDB's refusal is waited out in the same way.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.errors import EnvironmentProblem

Note = Callable[[str], None]
TIMEOUT_S = 60.0
_TOLD_AFTER_S = 1.0
_TURN_S = (0.005, 0.05)


class Busy(Exception):  # noqa: N818 - what it says, not that something is broken
    """Somebody else holds the store; the text says who, where that is known."""


class Patience:
    """How long a store is waited for, and whom the waiting is told (`note`, once for each store that is waited for)."""

    def __init__(self, timeout_s: float = TIMEOUT_S, note: Note | None = None) -> None:
        self.timeout_s = timeout_s
        self._note = note

    def wait(self, store: str | Path, attempt: Callable[[], bool]) -> None:
        """Call `attempt` until it returns true or raises something other than `Busy`.

        Raises:
            EnvironmentProblem: the time is over.
        """
        began, told = time.monotonic(), False
        while True:
            holder = ""
            try:
                if attempt():
                    return
            except Busy as busy:
                holder = str(busy)
            waited = time.monotonic() - began
            if waited >= self.timeout_s:
                raise EnvironmentProblem(
                    f"the store was in use for {self.timeout_s:.3g} s{holder and f' ({holder})'}; nothing is lost",
                    file=store,
                    hint="close the program that holds it and run again, or wait longer with --lock-timeout SECONDS",
                )
            if not told and self._note and waited >= min(_TOLD_AFTER_S, self.timeout_s / 2):
                told = True
                self._note(f"{store} is in use{holder and f' ({holder})'}; waiting up to {self.timeout_s:.3g} s")
            time.sleep(random.uniform(*_TURN_S))


@contextmanager
def turn(store: Path, patience: Patience) -> Iterator[None]:
    """Hold the store's lock file. Where it cannot be made (a folder that may only be read) there is nothing to hold.

    Raises:
        EnvironmentProblem: somebody else held it for too long.
    """
    try:
        file = os.open(lock_path(store), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        yield
        return
    try:
        patience.wait(store, lambda: take(file))
        try:
            yield
        finally:
            release(file)
    finally:
        os.close(file)


def lock_path(store: Path) -> Path:
    """Return the lock file of a store."""
    return store.with_name(f".{store.name}.lock")


if sys.platform == "win32":
    import msvcrt

    def take(file: int) -> bool:
        """Take the lock of an open file, and return whether that was possible at once."""
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def release(file: int) -> None:
        """Give the lock of an open file back."""
        with suppress(OSError):
            msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def take(file: int) -> bool:
        """Take the lock of an open file, and return whether that was possible at once."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def release(file: int) -> None:
        """Give the lock of an open file back."""
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
