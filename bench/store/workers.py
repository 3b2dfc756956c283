"""Who judges: this process, or several of its own (or a cluster, see `cluster`).

Processes, because much of an export's way is Python's; each imports everything once and then takes one export after the
other. They end when this process does, also when it is killed. One that ends by itself (the system had no memory left)
costs its export only: what was under way with it is judged again, each alone.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Protocol

from bench.errors import BenchError, EnvironmentProblem
from bench.store.inbox import Found
from bench.store.judging import Failed, Judge, Judged

Task = tuple[Found, str]
_WAITING = 4  # for each process


class Workers(Protocol):
    """Takes exports with their hashes; gives what they were judged to be, in the same order: history is made by it."""

    @property
    def full(self) -> bool:
        """Whether results should be taken before more is given."""

    def give(self, found: Found, sha256: str) -> None:
        """Take an export."""

    def results(self, *, all_: bool) -> Iterator[Judged | Failed]:
        """Yield what comes next, after waiting for it; with `all_` everything that was given."""

    def close(self) -> None:
        """End, and let go what was not asked for."""


def workers(judge: Judge, jobs: int, cluster: str | None, inbox: Path, patience_s: float) -> Workers:
    """Return who judges in `jobs` processes; one means this one. `cluster`: a scheduler's address.

    Raises:
        UsageError, EnvironmentProblem: the cluster cannot be used; see `cluster.Cluster`.
    """
    if cluster is None:
        return Own(judge) if jobs == 1 else Several(judge, jobs)
    try:
        from bench.store.cluster import Cluster  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if error.name not in ("distributed", "dask"):
            raise
        raise EnvironmentProblem(
            "--cluster needs the package distributed, which is not installed",
            hint="pip install 'bench-analyze[cluster]'",
        ) from error
    return Cluster(judge, cluster, inbox, patience_s)


class Own:
    """This process."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._given: list[Task] = []

    @property
    def full(self) -> bool:
        """One export at a time."""
        return bool(self._given)

    def give(self, found: Found, sha256: str) -> None:
        """Take an export."""
        self._given.append((found, sha256))

    def results(self, *, all_: bool) -> Iterator[Judged | Failed]:
        """Judge what was given."""
        while self._given:
            yield self._judge(*self._given.pop(0))

    def close(self) -> None:
        """Nothing is to be ended."""


class Several:
    """Processes of their own; a few exports for each wait or are under way."""

    def __init__(self, judge: Judge, jobs: int) -> None:
        self._judge, self._jobs = judge, jobs
        self._pool = self._started(jobs)
        self._given: dict[Future[Judged | Failed], Task] = {}

    @property
    def full(self) -> bool:
        """Whether every process has its next export."""
        return len(self._given) >= _WAITING * self._jobs

    def give(self, found: Found, sha256: str) -> None:
        """Take an export."""
        try:
            self._given[self._pool.submit(_judged, found, sha256)] = (found, sha256)
        except BrokenProcessPool:
            broken: Future[Judged | Failed] = Future()
            broken.set_exception(BrokenProcessPool())
            self._given[broken] = (found, sha256)

    def results(self, *, all_: bool) -> Iterator[Judged | Failed]:
        """Yield what is ready."""
        while self._given:
            first = next(iter(self._given))
            if isinstance(first.exception(), BrokenProcessPool):
                yield from self._mended()
                return
            del self._given[first]
            yield first.result()
            if not all_:
                return

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _mended(self) -> Iterator[Judged | Failed]:
        tasks = list(self._given.values())
        self._given.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for task in tasks:
            yield self._alone(task)
        self._pool = self._started(self._jobs)

    def _alone(self, task: Task) -> Judged | Failed:
        with self._started(1) as pool:
            try:
                return pool.submit(_judged, *task).result()
            except BrokenProcessPool:
                found, sha256 = task
                problem = BenchError(
                    "the process that judged it was ended from outside",
                    file=found.name,
                    hint="give the machine more memory, or run with --jobs 1",
                )
                return Failed(found, sha256, problem.to_dict())

    def _started(self, jobs: int) -> ProcessPoolExecutor:
        # Not by fork: polars and DuckDB have threads, which a fork would not.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(self._judge,))


_HERE: list[Judge] = []


def _begin(judge: Judge) -> None:
    _HERE[:] = [judge]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells them too; the job says when they end
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _judged(found: Found, sha256: str) -> Judged | Failed:
    return _HERE[0](found, sha256)
