"""`Sandbox`: the public door. A session of runs in one process, replaced when it is lost."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from runner.errors import LimitsError, ProtocolError, RunnerError, UnavailableError
from runner.image import COMMAND, DENO, Image, find_image
from runner.limits import ResourceLimits
from runner.messages import Event
from runner.policy import LAYERS
from runner.process import wall_clock_ms
from runner.result import KEPT, LOST, RunError, RunResult, Transcript
from runner.session import Lost, Session

OnOutput = Callable[[str, str], None]  # stream ("stdout", "stderr"), text

CANCELLED = "Cancelled"
_EXPLANATIONS = {
    "cancelled": ("crashed", CANCELLED, "the run was cancelled from outside; its variables are lost"),
    "time": (
        "time_limit",
        "TimeLimit",
        "the snippet took longer than {wall_time_s:g} s (limit `wall_time_s`) and was stopped",
    ),
    "cpu": ("time_limit", "TimeLimit", "the snippet used more processor time than the limit `cpu_time_s` allows"),
    "memory": (
        "memory_limit",
        "MemoryError",
        "the snippet needs more than {memory_mb} MB (limit `memory_mb`) and was stopped",
    ),
    "exit": (
        "crashed",
        "Crashed",
        "the snippet ended the sandbox's process (os._exit, a fatal error of the interpreter, or the like)",
    ),
    "killed": ("crashed", "Crashed", "the sandbox's process was killed from outside, or the system had no memory left"),
}
_EXPLANATIONS["unheard"] = _EXPLANATIONS["exit"]
SNIPPET_BYTES = 1_000_000
_NOT_INTACT = (
    "the snippet changed the interpreter in a way that cannot be undone: the next run gets a new process, without the "
    "variables of this one"
)
_GONE = "the sandbox's process ended between two runs: the variables of earlier runs are gone"
_LEAST = ("deno", "rlimits")
_FEWER = "Deno does not start below the layers of this system: the run was held by Deno and the process's limits alone"
_UNBOUNDED = "the sandbox's memory beside Python's is not bounded on this system (layer `rlimits` does not hold)"


def _known(layers: Iterable[str]) -> tuple[str, ...]:
    names = tuple(layers)
    for name in names:
        if name not in LAYERS:
            raise LimitsError(f"no isolation layer is called {name!r}", hint=f"there are {', '.join(LAYERS)}")
    return names


class Sandbox:
    """A place to run snippets: one session, usable after any status, from any thread (one run at a time).

    database: a DuckDB file (storage v1.4.0) whose `main` and `guard` schemas `con` sees; its bytes are handed over,
    the file itself is not. limits: of every run. image: as `find_image` gives it; without it the one in the user's
    cache. require_layers: isolation layers (names in `LAYERS`) that must hold, else every run is
    `sandbox_unavailable`. retire_mb: a process that holds more after a run is replaced.
    layers: those that are tried; all that there are without it.
    seed: what chance in Python and SQL begins with; None leaves it, and the clocks, to differ from run to run.
    """

    def __init__(
        self,
        database: Path | None = None,
        limits: ResourceLimits | None = None,
        *,
        image: Image | None = None,
        require_layers: tuple[str, ...] = (),
        layers: tuple[str, ...] = LAYERS,
        seed: int | None = 0,
        retire_mb: int | None = None,
    ) -> None:
        self.limits = limits or ResourceLimits()
        self._image = image
        self._seed = seed
        self._retire_mb = retire_mb
        self._required = _known(require_layers)
        self._layers = _known(layers)
        self._database: bytes | None = None
        self._session: Session | None = None
        self._lock = threading.RLock()
        self._closed = False
        self._running = self._cancelled = False
        self._gone = False  # a process that held variables is no more, and no result has said so
        if database is not None:
            self.attach(database)

    def attach(self, database: Path) -> None:
        """Hand over a database before the first run.

        Raises:
            LimitsError: it does not fit into the limits; the message names the smallest `memory_mb` that does.
            UnavailableError: it cannot be read, or a run has already begun.
        """
        try:
            data = Path(database).read_bytes()
        except OSError as error:
            raise UnavailableError(f"{database} cannot be read: {error.strerror}", hint="name a DuckDB file") from None
        self.limits.check_database(len(data))
        with self._lock:
            if self._session is not None and self._session.used:
                raise UnavailableError("a database is attached after the first run", hint="attach it to a new Sandbox")
            if self._session is not None and not self._session.eager:
                self._drop()
            self._database = data

    def start(self) -> None:
        """Begin to start the sandbox and return at once. Errors come with the first run."""
        with self._lock, contextlib.suppress(RunnerError):
            self._ready_session(eager=True)

    def run(self, code: str, *, on_output: OnOutput | None = None, clock_ms: int | None = None) -> RunResult:
        """Run a snippet and return what it gave; variables live on to the next run where the result says `kept`.

        `clock_ms` is the time (milliseconds since 1970, UTC) that the snippet's clocks begin at, now without it; the
        result names it, so that the run can be repeated. With `seed=None` the clocks are the true ones.

        `on_output(stream, text)` is called while it runs. Whatever the snippet does is a result, never an exception.
        """
        if not isinstance(code, str):
            raise TypeError(f"a snippet is text, got {type(code).__name__}")
        with self._lock:
            if self._closed:
                return self._unavailable(UnavailableError("the sandbox is closed", hint="make a new one"))
            size = len(code.encode("utf-8", "surrogatepass"))
            try:
                session = self._ready_session(eager=False)
                self._check_layers(session)
                if size > SNIPPET_BYTES:
                    return self._too_long(size)
                begin = wall_clock_ms() if clock_ms is None else clock_ms
                return self._run(session, code.removeprefix("\ufeff"), on_output, begin)
            except RunnerError as error:
                return self._unavailable(error)

    async def arun(self, code: str, *, on_output: OnOutput | None = None, clock_ms: int | None = None) -> RunResult:
        """Run a snippet like `run`, from a thread, so that an asyncio loop goes on meanwhile. `on_output` is called in
        that thread; a task that is cancelled does not stop the snippet, its limits do."""
        import asyncio  # noqa: PLC0415 (takes long to import, and few callers have a loop)

        return await asyncio.to_thread(self.run, code, on_output=on_output, clock_ms=clock_ms)

    def _run(self, session: Session, code: str, on_output: OnOutput | None, clock_ms: int) -> RunResult:
        transcript = Transcript()
        if self._gone:
            transcript.warn(_GONE)
            self._gone = False
        try:
            session.open(self._database)
        except (Lost, ProtocolError) as error:
            if not session.loaded and self._can_do_with_less(session):
                self._drop()
                self._layers = _LEAST
                return self._run(self._ready_session(eager=False), code, on_output, clock_ms)
            return self._not_opened(session, error)
        if self._layers is _LEAST:
            transcript.warn(_FEWER)

        def take(event: Event) -> None:
            output = transcript.add(event)
            if output is not None and on_output is not None:
                on_output(*output)

        more: dict[str, Any] = {"limits": self.limits, "layers": session.layers, "image": session.image.id}
        more["snippet"] = code
        if "rlimits" not in session.layers:
            transcript.warn(_UNBOUNDED)
        more |= {"seed": self._seed, "clock_ms": None if self._seed is None else clock_ms}
        try:
            self._cancelled, self._running = False, True
            duration = session.run(code, take, clock_ms=clock_ms)
            why = self._reason_to_replace(session, transcript)
            if why:
                self._drop()
                transcript.warn(why)
            return transcript.result(duration_s=duration, state=LOST if why else KEPT, **more)
        except Lost as lost:
            if lost.cause == "unheard" and session.answered:
                self._drop()
                self._gone = True
                return self._run(self._ready_session(eager=False), code, on_output, clock_ms)
            status, kind, text = _EXPLANATIONS["cancelled" if self._cancelled else lost.cause]
            reason = RunError(kind, text.format_map(self.limits.to_dict()))
            return self._lost(transcript, status, reason, lost.duration_s, more)
        except ProtocolError as anomaly:
            text = f"the sandbox's process broke the protocol and was killed: {anomaly}"
            return self._lost(transcript, "protocol", RunError("ProtocolError", text), session.elapsed, more)
        except BaseException:
            self._drop()  # the caller's own on_output, or Ctrl-C: the rest of the answer belongs to nobody
            raise
        finally:
            self._running = False

    def cancel(self) -> None:
        """End the run that is under way in another thread. Its result is `crashed` with the error type `CANCELLED`, its
        variables are lost, and the next run works; where none is under way nothing happens."""
        session = self._session  # without the lock, which the run holds
        if session is not None and self._running:
            self._cancelled = True
            session.kill()

    def _can_do_with_less(self, session: Session) -> bool:
        """Whether Deno may start where it did not below the layers that this system has: none of them is needed."""
        return len(set(session.layers) - set(_LEAST)) > 0 and set(self._required) <= set(_LEAST)

    def _reason_to_replace(self, session: Session, transcript: Transcript) -> str:
        if transcript.answer is None or not transcript.answer.intact:
            return _NOT_INTACT
        held = session.resident_mb if self._retire_mb is not None else None
        if held is not None and self._retire_mb is not None and held > self._retire_mb:
            return (
                f"the sandbox's process held {held} MB after the run, more than retire_mb={self._retire_mb}: the next "
                "run gets a new process, without the variables of this one"
            )
        return ""

    def _lost(
        self, transcript: Transcript, status: str, error: RunError, duration: float, more: dict[str, Any]
    ) -> RunResult:
        self._drop()
        transcript.answer = None
        return transcript.result(status=status, error=error, duration_s=duration, state=LOST, **more)

    def _not_opened(self, session: Session, error: Exception) -> RunResult:
        complaint = session.complaint
        self._drop()
        cause = error.cause if isinstance(error, Lost) else str(error)
        if cause == "memory" and self._database is not None:
            return self._unavailable(
                LimitsError("the database does not fit into the memory limit", hint="give a larger memory_mb")
            )
        if session.loaded:
            told = complaint.rpartition("Error: ")[2] or cause
            hint = "name a DuckDB file written with STORAGE_VERSION 'v1.4.0'"
            return self._unavailable(UnavailableError(f"the database cannot be opened: {told}", hint=hint))
        if cause == "memory":
            text = "the sandbox's process does not start in the memory that this system leaves it"
            return self._unavailable(UnavailableError(text, hint="free memory, or raise what ulimit -v allows"))
        text = f"the sandbox's process did not start ({cause}){': ' + complaint if complaint else ''}"
        hint = f"reinstall Deno (pip install '{DENO}') or the image ({COMMAND} --force)"
        return self._unavailable(UnavailableError(text, hint=hint))

    def _ready_session(self, *, eager: bool) -> Session:
        if self._session is not None and not self._session.idle:
            self._gone = self._session.used
            self._drop()
        if self._session is None:
            image = self._image or find_image()
            if image is None:
                raise UnavailableError("the sandbox image is not installed", hint=COMMAND)
            self._session = Session(
                image,
                self.limits,
                database_bytes=len(self._database or b""),
                eager=eager or self._database is not None,
                seed=self._seed,
                layers=self._layers,
            )
        return self._session

    def _check_layers(self, session: Session) -> None:
        missing = [layer for layer in self._required if layer not in session.layers]
        if missing:
            reasons = [f"{layer} ({session.missing.get(layer, 'not on this system')})" for layer in missing]
            self._drop()
            raise UnavailableError(
                f"required isolation layers do not hold here: {', '.join(reasons)}",
                hint="run on a system that has them, or do not require them",
            )

    def _too_long(self, size: int) -> RunResult:
        text = f"the snippet has {size} bytes, more than {SNIPPET_BYTES}: hand data over as a table, not in the code"
        return RunResult("error", error=RunError("SnippetTooLong", text), limits=self.limits)

    def _unavailable(self, error: RunnerError) -> RunResult:
        return RunResult(
            "sandbox_unavailable", error=RunError(type(error).__name__, str(error)), limits=self.limits, state=LOST
        )

    def _drop(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def close(self) -> None:
        """End the process and remove its folder. The sandbox cannot be used again."""
        with self._lock:
            self._closed = True
            self._drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Sandbox {'closed' if self._closed else 'idle' if self._session is None else 'started'}>"
