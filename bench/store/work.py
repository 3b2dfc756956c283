"""A run's own folder beside the store, for what is too large to wait in memory: on the store's disk, so that a full one
is found before a transaction.

Its owner holds a lock in it, which ends with the owner. So the next run tells a folder that is in use from what a
killed run left, and removes the latter.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from bench.errors import EnvironmentProblem
from bench.store.locking import take

_ALIVE = "alive"
_TRIES = 3


@contextmanager
def work_folder(store: Path) -> Iterator[Path]:
    """Make a folder for the time of a run, and remove those whose runs were killed.

    Raises:
        EnvironmentProblem: it cannot be made.
    """
    for left in store.parent.glob(f".{escape(store.name)}.*.work"):
        _sweep(left)
    folder, alive = _made(store)
    try:
        yield folder
    finally:
        os.close(alive)
        shutil.rmtree(folder, ignore_errors=True)


def _made(store: Path) -> tuple[Path, int]:
    folder = store.with_name(f".{store.name}.{secrets.token_hex(4)}.work")
    try:
        for _ in range(_TRIES):
            folder.mkdir(exist_ok=True)
            with suppress(FileNotFoundError):  # another run may take it for that of a killed one until its lock is held
                alive = os.open(folder / _ALIVE, os.O_RDWR | os.O_CREAT)
                if take(alive) and (folder / _ALIVE).exists():
                    return folder, alive
                os.close(alive)
        raise FileNotFoundError(f"{folder} goes again and again")
    except OSError as error:
        raise EnvironmentProblem(
            f"the folder cannot be written: {error.strerror or error}",
            file=store.parent,
            hint="make it, mend its permissions, or name another --db",
        ) from error


def _sweep(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()  # killed before it had anything
    with suppress(OSError):
        alive = os.open(folder / _ALIVE, os.O_RDWR)
        try:
            dead = take(alive)
        finally:
            os.close(alive)
        if dead:
            shutil.rmtree(folder, ignore_errors=True)
