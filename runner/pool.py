"""Sandboxes started ahead of their use, each for one session only."""

from __future__ import annotations

import threading
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from runner.errors import LimitsError, UnavailableError
from runner.sandbox import Sandbox


class Pool:
    """Keeps `size` processes waiting, from any thread. `take` gives one as a `Sandbox`, and another begins to start.

    A process that served a session is never given again: what one caller's snippets left in it would meet the next
    caller's. The other arguments are those of `Sandbox`; `retire_mb` replaces a session's process when it holds more
    than that after a run, because WebAssembly's memory never shrinks.

        with Pool(2) as pool, pool.take(database) as sandbox:
            sandbox.run(code)

    Raises:
        LimitsError: `size` is not a whole number from 1.
    """

    def __init__(self, size: int = 1, **options: Any) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise LimitsError(f"a pool of size {size!r}", hint="give a whole number from 1")
        self._size = size
        self._options = options
        self._lock = threading.Lock()
        self._closed = False
        self._waiting: deque[Sandbox] = deque(self._started() for _ in range(size))

    def _started(self) -> Sandbox:
        sandbox = Sandbox(**self._options)
        sandbox.start()
        return sandbox

    def take(self, database: Path | None = None) -> Sandbox:
        """Return a sandbox that nobody has used, with the database attached; closing it is the caller's.

        Raises:
            UnavailableError: the pool is closed, or the database cannot be read.
            LimitsError: the database does not fit into the limits.
        """
        with self._lock:
            if self._closed:
                raise UnavailableError("the pool is closed", hint="make a new one")
            sandbox = self._waiting.popleft() if self._waiting else self._started()
            while len(self._waiting) < self._size:
                self._waiting.append(self._started())
        if database is not None:
            try:
                sandbox.attach(database)
            except BaseException:
                sandbox.close()
                raise
        return sandbox

    def close(self) -> None:
        """End the processes that wait. Sandboxes that were taken live on."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = self._waiting, deque()
        for sandbox in waiting:
            sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Pool {'closed' if self._closed else f'of {self._size}'}>"
