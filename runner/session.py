"""One process of the sandbox with its conversation: starts it, opens the database, runs snippets under deadlines."""

from __future__ import annotations

from collections.abc import Callable

from runner.folders import Folder
from runner.image import WARM, Image, deno_binary
from runner.limits import ResourceLimits
from runner.messages import Answer, Attached, Event, Ready
from runner.policy import LAYERS, launch
from runner.process import Worker, clock, random_id
from runner.protocol import Protocol

START_S = 60.0
GRACE_S = 1.0  # between the interrupt, which keeps the state, and SIGKILL


class Lost(Exception):  # noqa: N818 (an end, told by its cause)
    """The process is gone or was killed: `time`, or what `Worker.end` returns."""

    def __init__(self, cause: str, duration_s: float) -> None:
        self.cause = cause
        self.duration_s = duration_s
        super().__init__(cause)


class Session:
    """Made when it starts; `open` waits until it is ready, `run` any number of times, `close` ends it."""

    def __init__(
        self,
        image: Image,
        limits: ResourceLimits,
        *,
        database_bytes: int,
        eager: bool,
        seed: int | None = 0,
        layers: tuple[str, ...] = LAYERS,
    ) -> None:
        self.image = image
        self.eager = eager
        self.used = False
        self._limits = limits
        self._ready = False
        self.answered = False  # a run: what a snippet did to the process may show in the next
        self.loaded = False  # interpreter and engine are there: what fails next is the database
        self._began = clock()
        self._protocol = Protocol(random_id(), limits)
        folder = Folder(image.path / WARM)
        command = launch(deno_binary(), image.path, folder.path, wasm_pages=limits.wasm_pages)
        data_bytes = limits.data_bytes(database_bytes)
        self._worker = Worker(command, folder, data_bytes=data_bytes, cpu_time_s=limits.cpu_time_s, layers=layers)
        self._worker.send(self._protocol.start(eager=eager, seed=seed))

    @property
    def layers(self) -> tuple[str, ...]:
        """The isolation layers that hold; waits until that is known."""
        return self._worker.layers

    @property
    def missing(self) -> dict[str, str]:
        """Why each of the other layers does not hold, where the system told."""
        return self._worker.missing

    @property
    def idle(self) -> bool:
        """Whether the process runs and has said nothing unasked since its last answer."""
        return self._worker.alive and not (self._ready and self._worker.has_spoken)

    @property
    def resident_mb(self) -> int | None:
        """Megabytes that the process holds; None where the system does not tell."""
        return self._worker.resident_mb

    @property
    def complaint(self) -> str:
        """What the process wrote to stderr last."""
        return self._worker.complaint

    @property
    def elapsed(self) -> float:
        """Seconds since the last request."""
        return clock() - self._began

    def open(self, database: bytes | None) -> None:
        """Wait until the process is ready and hand the database over, once.

        Raises:
            Lost, ProtocolError: it did not come so far.
        """
        self.used = True
        if self._ready:
            return
        deadline = clock() + START_S
        self._until(Ready, deadline, _ignore)
        self.loaded = True
        if database is not None:
            self._worker.send(self._protocol.attach(random_id(), len(database)), memoryview(database))
            self._until(Attached, deadline, _ignore)
        self._ready = True

    def run(self, code: str, take: Callable[[Event], None], *, clock_ms: int = 0) -> float:
        """Run a snippet; every event goes to `take`. Return the seconds it took. `clock_ms`: see `Protocol.run`.

        Raises:
            Lost: the process is gone; it was killed if its time was over.
            ProtocolError: it said what it must not.
        """
        self._began = clock()
        wall = self._limits.wall_time_s
        request = self._protocol.run(random_id(), code, soft_deadline_ms=wall * 1000, clock_ms=clock_ms)
        self._worker.send(request)
        self._until(Answer, self._began + wall + GRACE_S, take)
        self.answered = True
        return self.elapsed

    def _until(self, last: type[Event], deadline: float, take: Callable[[Event], None]) -> None:
        while True:
            try:
                data = self._worker.receive(deadline)
            except TimeoutError:
                self._worker.end()
                raise Lost("time", self.elapsed) from None
            if data is None:
                raise Lost(self._worker.end(), self.elapsed)
            found = list(self._protocol.receive(data))
            for event in found:
                take(event)
            if found and isinstance(found[-1], last):
                return

    def kill(self) -> None:
        """Kill the process from any thread; who waits for its answer learns that it is lost."""
        self._worker.kill()

    def close(self) -> None:
        """Kill the process and remove what it had."""
        self._worker.end()


def _ignore(event: Event) -> None:
    """Ready and attached carry nothing."""
