"""Who judges, continued: the workers of a Dask cluster. Only this module imports distributed.

The guard is pure, so a task is one export: nothing is kept between two, and a task that is done again gives the same.
What goes to a worker is the export's path (workers see the inbox under the same path; bytes that were brought back from
a store travel with the task), its profile and what people said of it, which the worker's machine need not have; what
comes back is the whole answer, so that only this process writes the store. A worker that dies costs time: the scheduler
gives its tasks to another. Results are taken in the order in which exports were given, since history is made by it.

A worker that has not the same package would judge by other rules or fail at odd places; so every task first asks
whether it has (see `remote`).
"""

from __future__ import annotations

import logging
import pickle
import platform
import re
import time
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from distributed import Client
from distributed.scheduler import KilledWorker

from bench.errors import BenchError, EnvironmentProblem, ExportMissing, UsageError
from bench.store.inbox import Found, look
from bench.store.judging import Failed, Judge, Judged, spooled, still_written
from bench.store.remote import Answer, by_value, task, versions

_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://[^/\s:]+:\d{1,5}")
_CONNECT_S = 20.0
_LOOK_S = 1.0
_WAITING = 4  # exports for each worker: under way, or ready for it


class Cluster:
    """The workers behind a scheduler's address. `patience_s`: how long to wait where no worker is left.

    Raises:
        UsageError: the text is no address.
        EnvironmentProblem: no scheduler answers, there is no worker, or one that is not like us.
    """

    def __init__(self, judge: Judge, address: str, inbox: Path, patience_s: float) -> None:
        self._judge, self._address, self._patience_s = judge, checked(address), patience_s
        self._expected: dict[str, object] = {"versions": versions(), "inbox": str(inbox)}
        self._count, self._counted_at = 0, 0.0
        self._given: deque[tuple[Any, Found, str]] = deque()  # a future, or what is known already
        self._client: Any = _connected(self._address)
        try:
            self._check_workers()
        except BaseException:
            self._client.close()
            raise
        self._task = by_value(task)

    @property
    def full(self) -> bool:
        """Whether every worker has its next export."""
        return len(self._given) >= _WAITING * max(1, self._workers())

    def give(self, found: Found, sha256: str) -> None:
        """Take an export."""
        try:
            around = self._judge.surroundings(found, sha256)
        except BenchError as error:  # its profile cannot be used: no worker needs to find that out
            self._given.append((Failed(found, sha256, error.to_dict()), found, sha256))
            return
        data = found.path.read_bytes() if found.named is not None else None
        payload = pickle.dumps((replace(self._judge, work=None), found, sha256, around, data))
        self._given.append((self._client.submit(self._task, payload, self._expected, pure=False), found, sha256))

    def results(self, *, all_: bool) -> Iterator[Judged | Failed]:
        """Yield what is ready, in order."""
        while self._given:
            yield self._result(*self._given.popleft())
            if not all_ and not self._ready():
                return

    def close(self) -> None:
        """Let go what was not asked for."""
        for given, _, _ in self._given:
            if not isinstance(given, Failed):
                with suppress(Exception):
                    given.cancel()
        self._client.close()

    def _ready(self) -> bool:
        first = self._given[0][0] if self._given else None
        return first is not None and (isinstance(first, Failed) or bool(first.done()))

    def _result(self, future: Any, found: Found, sha256: str) -> Judged | Failed:
        if isinstance(future, Failed):
            return future
        try:
            kind, value = self._answer(future)
        except KilledWorker:
            problem = BenchError(
                "the workers that judged it were ended one after the other",
                file=found.name,
                hint="give workers more memory (dask worker --memory-limit), or judge it here, without --cluster",
            )
            return Failed(found, sha256, problem.to_dict())
        except BenchError:
            raise
        except Exception as error:
            raise self._lost(error) from error
        finally:
            future.release()
        if kind == "blind" and look(found.path).state != found.state:  # it has gone from here as well
            return Failed(found, sha256, ExportMissing(value["problem"], file=found.path).to_dict(), growing=True)
        if kind != "done":
            raise _differs(kind, value)
        judged: Judged | Failed = pickle.loads(value)
        assert self._judge.work is not None
        if not isinstance(judged, Failed):
            return spooled(judged, found, self._judge.work)
        # Asked here, since times and numbers of a file may be others there.
        return replace(judged, found=found, growing=still_written(found, judged.error["kind"]))

    def _answer(self, future: Any) -> Answer:
        """Return a task's answer. A worker that dies with it leaves us waiting: the task is then done again."""
        fetch_s = _CONNECT_S
        while True:
            self._wait(future)
            with suppress(TimeoutError):
                answer: Answer = future.result(timeout=fetch_s)
                return answer
            fetch_s *= 2

    def _wait(self, future: Any) -> None:
        """Wait for a result, for as long as there is somebody to give it."""
        alone_since: float | None = None
        while not future.done():
            with suppress(TimeoutError):
                future.exception(timeout=_LOOK_S)
                return
            if self._client.status != "running":
                raise ConnectionError("the scheduler has gone")
            alone_since = None if self._workers(0) else alone_since or time.monotonic()
            if alone_since is not None and time.monotonic() - alone_since > self._patience_s:
                raise EnvironmentProblem(
                    f"no worker was left for {self._patience_s:.3g} s; what is committed stays",
                    file=self._address,
                    hint=f"start workers with dask worker {self._address} --nthreads 1, and run again",
                )

    def _workers(self, age_s: float = _LOOK_S) -> int:
        """Return how many workers there are, as the scheduler said `age_s` seconds ago or later."""
        if time.monotonic() - self._counted_at >= age_s:
            self._count = len(self._client.scheduler_info(n_workers=-1)["workers"])
            self._counted_at = time.monotonic()
        return self._count

    def _lost(self, error: Exception) -> EnvironmentProblem:
        return EnvironmentProblem(
            f"the cluster was lost: {_first_line(error)}; what is committed stays",
            file=self._address,
            hint="see that the scheduler runs, and run again",
        )

    def _check_workers(self) -> None:
        """See that every worker is like us, and sees the inbox."""
        try:
            self._client.wait_for_workers(1, timeout=_CONNECT_S)
        except TimeoutError as error:
            raise EnvironmentProblem(
                "the scheduler has no worker",
                file=self._address,
                hint=f"start some with dask worker {self._address} --nthreads 1",
            ) from error
        pythons = self._asked(platform.python_version)
        for worker, found in pythons.items():
            mine = platform.python_version()
            if str(found).split(".")[:2] != mine.split(".")[:2]:
                raise _differs("differs", {"worker": worker, "differences": {"python": (found, mine)}})
        for worker, (kind, value) in self._asked(by_value(task), None, self._expected).items():
            if kind != "done":
                raise _differs(kind, value | {"worker": worker})

    def _asked(self, function: Any, *arguments: object) -> Mapping[str, Any]:
        try:
            found: Mapping[str, Any] = self._client.run(function, *arguments)
        except Exception as error:
            raise self._lost(error) from error
        return found


def checked(address: str) -> str:
    """Return the address of a scheduler.

    Raises:
        UsageError: the text is none.
    """
    if not _ADDRESS.fullmatch(address):
        raise UsageError(f"{address!r} is no address of a Dask scheduler", hint="--cluster tcp://HOST:8786")
    return address


def _connected(address: str) -> Any:
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what they would log we say in one sentence
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # versions are compared by us
            return Client(
                address,  # type: ignore[no-untyped-call]
                timeout=_CONNECT_S,
                set_as_default=False,
                name="bench-analyze",
            )
    except (OSError, TimeoutError, ValueError) as error:
        raise EnvironmentProblem(
            f"no scheduler answered within {_CONNECT_S:.3g} s: {_first_line(error)}",
            file=address,
            hint="start one with dask scheduler, or leave --cluster out to judge on this machine",
        ) from error


def _differs(kind: str, value: Mapping[str, Any]) -> EnvironmentProblem:
    where = value["worker"]
    if kind == "lacks":
        return EnvironmentProblem(
            f"{where} has not what it takes to judge: {value['what']}",
            hint=f"pip install 'bench-analyze[cluster]=={version('bench-analyze')}' there, and start it again",
        )
    if kind == "blind":
        what = (
            f"{value['file']} of the inbox ({value['problem']})" if "file" in value else f"the inbox {value['inbox']}"
        )
        return EnvironmentProblem(
            f"{where} does not see {what}",
            hint="mount it there under the same path, so that workers read what benches write",
        )
    told = ", ".join(f"{name} {theirs} (here {mine})" for name, (theirs, mine) in value["differences"].items())
    return EnvironmentProblem(
        f"{where} has other versions: {told}",
        hint="install the same on every worker, so that verdicts do not depend on who judges, and start it again",
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
