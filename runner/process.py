"""The only module of the package that starts processes and reads clocks.

Threads carry the bytes, because they work on pipes everywhere. A process is ended by SIGKILL only: code inside can trap
everything else. Its process group is its own, so that the kill reaches what it may have left.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, Queue

from runner.errors import UnavailableError
from runner.folders import Folder
from runner.policy import LAYERS, Launch, below

try:
    import fcntl
except ImportError:  # Windows, where there is no launcher either
    fcntl = None  # type: ignore[assignment]

CHUNK = 1 << 16
WAITING = 128  # chunks: what a process says beyond them waits in its pipe, not in the host's memory
STDERR_BYTES = 16_384
UNHEARD = 97  # host.mjs ends with it where the next request cannot be read
REAP_S = 5.0
_MEMORY_SIGNS = (b"out of memory", b"OOM", b"memory allocation of", b"Cannot allocate memory", b"Allocation failed")

# No snippet can send a signal; what it can die of by itself is SIGABRT, SIGSEGV and the like.
_FROM_OUTSIDE = {getattr(signal, f"SIG{name}", 0) for name in ("TERM", "INT", "HUP", "QUIT")} - {0}
_HINTS = {
    errno.EMFILE: "allow this process more open files (ulimit -n)",
    errno.ENFILE: "close files: the system has too many open",
    errno.EAGAIN: "allow this user more processes (ulimit -u)",
    errno.ENOMEM: "free memory: the system has too little for another process",
}

clock = time.monotonic


def wall_clock_ms() -> int:
    """Return milliseconds since 1970 (UTC)."""
    return time.time_ns() // 1_000_000


def random_id() -> str:
    """Return 128 random bits as hexadecimal text."""
    return secrets.token_hex(16)


def _supports_launcher() -> bool:
    return os.name == "posix" and bool(sys.executable) and not getattr(sys, "frozen", False)


class Worker:
    """One running process with its folder, its pipes and its end."""

    def __init__(
        self,
        launch: Launch,
        folder: Folder,
        *,
        data_bytes: int,
        cpu_time_s: float | None,
        layers: tuple[str, ...] = LAYERS,
    ) -> None:
        """Start it, below those of `layers` that the system has.

        Raises:
            UnavailableError: the system refused.
        """
        self._folder = folder
        self._chunks: Queue[tuple[float, bytes]] = Queue(WAITING)
        self._tail = bytearray()
        self._ended = False
        self._is_cpu_bounded = cpu_time_s is not None
        self._report = self._lifeline = -1
        self._layers: tuple[str, ...] | None = None
        self.missing: dict[str, str] = {}
        self._threads: list[threading.Thread] = []
        try:
            cpu_s = 0 if cpu_time_s is None else max(1, math.ceil(cpu_time_s))
            self._process = self._spawn(launch, layers, data_bytes, cpu_s)
        except OSError as error:
            self._close_pipes()
            folder.remove()
            hint = _HINTS.get(error.errno or 0, "reinstall the deno package")
            raise UnavailableError(f"the sandbox's process does not start: {error}", hint=hint) from None
        try:
            self._listen()
        except RuntimeError as error:
            self.end()
            raise UnavailableError(
                f"the sandbox's process cannot be listened to: {error}", hint="allow this user more threads (ulimit -u)"
            ) from None

    def _listen(self) -> None:
        for work in (self._read_stdout, self._read_stderr):
            thread = threading.Thread(target=work, daemon=True, name="sandbox-output")
            thread.start()
            self._threads.append(thread)

    def _spawn(self, launch: Launch, layers: tuple[str, ...], data_bytes: int, cpu_s: int) -> subprocess.Popen[bytes]:
        if not _supports_launcher():
            return _popen(launch, ())
        self._report, report = _pipe()
        try:
            lifeline, self._lifeline = _pipe()
        except OSError:
            os.close(report)
            raise
        try:
            pipes = (report, lifeline)
            folder, python = self._folder.path, sys.executable
            command = below(launch, python, folder, layers=layers, data_bytes=data_bytes, cpu_s=cpu_s, pipes=pipes)
            return _popen(command, pipes)
        finally:
            os.close(report)
            os.close(lifeline)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that hold; waits until the launcher has reported. `missing` has the reasons against others."""
        if self._layers is None:
            lines = []
            if self._report >= 0:
                with open(self._report, encoding="utf-8", errors="replace", closefd=False) as report:
                    lines = [line.split(maxsplit=2) for line in report]
            held = {words[1] for words in lines if words[0] == "held"}
            self.missing = {words[1]: " ".join(words[2:]).strip() for words in lines if words[0] == "missing"}
            self._layers = ("deno", *(layer for layer in LAYERS if layer in held))
        return self._layers

    def _close_pipes(self) -> None:
        for descriptor in (self._report, self._lifeline):
            if descriptor >= 0:
                os.close(descriptor)
        self._report = self._lifeline = -1

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def resident_mb(self) -> int | None:
        """Megabytes (2**20 bytes) of memory that Deno's process holds; None where the system does not tell."""
        with contextlib.suppress(OSError, IndexError, ValueError):
            children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
            pages = int(Path(f"/proc/{children[0]}/statm").read_text().split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE") // 2**20
        return None

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return not self._ended and self._process.poll() is None

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        with contextlib.suppress(OSError):
            while data := os.read(descriptor, CHUNK):
                self._chunks.put((clock(), data))
        self._chunks.put((clock(), b""))

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        descriptor = self._process.stderr.fileno()
        with contextlib.suppress(OSError):
            while data := os.read(descriptor, CHUNK):
                self._tail = (self._tail + data)[-STDERR_BYTES:]

    def send(self, *parts: bytes | memoryview) -> None:
        """Hand bytes over from a thread of their own: a process that does not read must not hold the caller.

        A broken pipe is not reported here: the end of the process is.
        """
        if sum(map(len, parts)) <= CHUNK // 2:  # fits into the pipe of a process that waits for it
            self._write(parts)
        else:
            threading.Thread(target=self._write, args=(parts,), daemon=True, name="sandbox-stdin").start()

    def _write(self, parts: Sequence[bytes | memoryview]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            for part in parts:
                view = memoryview(part)
                while view:
                    view = view[self._process.stdin.write(view[: 1 << 20]) :]

    def receive(self, deadline: float) -> bytes | None:
        """Return the next bytes, or None at the end of the stream.

        Raises:
            TimeoutError: nothing came until the deadline (on this module's clock).
        """
        try:
            came, data = self._chunks.get(timeout=max(0.0, deadline - clock()))
        except Empty:
            raise TimeoutError from None
        if data and came > deadline:  # who never stops talking is late too
            raise TimeoutError
        return data or None

    @property
    def has_spoken(self) -> bool:
        """Whether bytes have come that nobody has received yet."""
        return not self._chunks.empty()

    def end(self) -> str:
        """Kill the process, reap it, remove its folder, and return what it died of.

        Returns `memory` if it ran out of memory, `cpu` if it used up its processor time, `unheard` if requests could
        not reach it any more, `exit` if it ended itself otherwise, `killed` if it still ran.
        """
        if self._ended:
            return "killed"
        self._ended = True
        code = self._reap()
        self.kill()
        self._process.wait()
        self._stop_listening()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        _ = self.layers  # what the launcher told is still in its pipe
        self._close_pipes()
        self._folder.remove()
        return _cause(code, bytes(self._tail), is_cpu_bounded=self._is_cpu_bounded)

    def _stop_listening(self) -> None:
        deadline = clock() + REAP_S
        for thread in self._threads:
            while thread.is_alive() and clock() < deadline:
                with contextlib.suppress(Empty):  # it may wait for room
                    self._chunks.get_nowait()
                thread.join(0.01)

    def _reap(self) -> int | None:
        """The exit code, if the process has closed its output on its own and is about to be gone."""
        if not self._threads or self._threads[0].is_alive():
            return self._process.poll()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(REAP_S)
        return None

    def kill(self) -> None:
        """Kill the process, from any thread; `end` still has to be called."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    @property
    def complaint(self) -> str:
        """The line of the process's stderr that says what went wrong."""
        lines = bytes(self._tail).decode(errors="replace").strip().splitlines()
        told = [line for line in lines if line.lower().startswith(("error", "fatal", "#"))] or lines
        return told[-1][:300] if told else ""


def _cause(code: int | None, tail: bytes, *, is_cpu_bounded: bool) -> str:
    if code is None:
        return "killed"
    if -code in _FROM_OUTSIDE:
        return "killed"
    if code == UNHEARD:
        return "unheard"
    if any(sign in tail for sign in _MEMORY_SIGNS):
        return "memory"
    if hasattr(signal, "SIGXCPU") and code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "cpu" if is_cpu_bounded else "killed"
    return "exit"


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are none of the standard streams, which a host without them has free."""
    ends = os.pipe()
    if min(ends) > 2:
        return ends
    try:
        reading, writing = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends)
    finally:
        for end in ends:
            os.close(end)
    return reading, writing


def _popen(launch: Launch, pass_fds: tuple[int, ...]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        launch.argv,
        env=dict(launch.environment),
        cwd=launch.cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        close_fds=True,
        pass_fds=pass_fds,
        start_new_session=True,
    )


def run_to_end(
    launch: Launch,
    *,
    stdin: bytes = b"",
    inherit_environment: bool = False,
    on_line: Callable[[str], None] | None = None,
    timeout_s: float | None = None,
) -> tuple[int, bytes, str]:
    """Run a helper process of the installation and return (exit code, stdout, stderr); `on_line` sees stderr as it
    comes. After `timeout_s` it is killed."""
    environment = {**(os.environ if inherit_environment else {}), **dict(launch.environment)}
    with subprocess.Popen(
        launch.argv,
        env=environment,
        cwd=launch.cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        lines: list[str] = []

        def listen() -> None:
            assert process.stderr is not None
            for line in process.stderr:
                lines.append(line.decode(errors="replace"))
                if on_line is not None:
                    on_line(lines[-1])

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        timer = None if timeout_s is None else threading.Timer(timeout_s, process.kill)
        if timer is not None:
            timer.start()
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.write(stdin)
            process.stdin.close()
        output = process.stdout.read()
        listener.join()
        if timer is not None:
            timer.cancel()
    return process.returncode, output, "".join(lines)
