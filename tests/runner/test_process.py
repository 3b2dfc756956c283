"""A process that floods, stalls or cannot be started, whatever it runs: here Python in Deno's place."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from runner.folders import Folder
from runner.policy import Launch
from runner.process import CHUNK, WAITING, Worker, clock

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
FLOOD = "import os\nwhile True: os.write(1, b'x' * 65536)"


def started(code: str) -> Worker:
    launch = Launch((sys.executable, "-I", "-S", "-c", code), (), Path.cwd())
    return Worker(launch, Folder(), data_bytes=0, cpu_time_s=None, layers=("deno",))


def consume(worker: Worker, deadline: float) -> None:
    while worker.receive(deadline) is not None:
        pass


def test_who_never_stops_talking_is_late_too() -> None:
    worker = started(FLOOD)
    deadline = clock() + 0.5
    with pytest.raises(TimeoutError):
        consume(worker, deadline)
    assert clock() - deadline < 2
    assert worker.end() == "killed"


def test_a_flood_that_nobody_receives_waits_in_its_pipe() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    worker = started(FLOOD)
    until = clock() + 1.0
    while clock() < until:
        worker.has_spoken  # noqa: B018 (what a host that has gone on to other things does: nothing)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    began = clock()
    worker.end()
    assert clock() - began < 2
    assert grown < 2 * WAITING * CHUNK + 2**23
    assert not any(thread.name == "sandbox-output" for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("raise SystemExit(97)", "unheard"),
        ("raise SystemExit(3)", "exit"),
        ("import os; os.kill(os.getpid(), 15)", "killed"),
        ("import os; os.abort()", "exit"),
    ],
)
def test_what_a_process_ended_of(code: str, cause: str) -> None:
    worker = started(code)
    assert worker.receive(clock() + 30) is None
    assert worker.end() == cause


def test_no_byte_is_written_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "written"
    worker = started(f"with open({str(path)!r}, 'w') as file: file.write('x')")
    assert worker.receive(clock() + 30) is None
    assert worker.end() == "exit"
    assert path.read_bytes() == b""
    assert worker.complaint == "OSError: [Errno 27] File too large"


REFUSED = """
import resource, sys
from runner import Sandbox
{}
with Sandbox() as sandbox:
    result = sandbox.run("1 + 1")
sys.__stderr__.write(f"{{result.status}} {{result.value}} {{result.error and result.error.message}}")
"""


def said(setting: str, **more: Any) -> str:
    """What a host of its own, that begins with a setting, said of its sandbox."""
    command = [sys.executable, "-c", REFUSED.format(setting)]
    done = subprocess.run(
        command, stderr=subprocess.PIPE, text=True, check=False, cwd=Path(__file__).parents[2], **more
    )
    return done.stderr


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("resource.setrlimit(resource.RLIMIT_NOFILE, (14, 14))", "Too many open files. allow this process more open"),
        (
            "import runner.folders as f; f._place = lambda: f.Path('/nowhere')",
            "gets no folder of its own: No such file",
        ),
    ],
)
def test_a_system_without_room_is_an_answer(setting: str, message: str) -> None:
    found = said(setting)
    assert found.startswith("sandbox_unavailable None ")
    assert message in found
    assert "Traceback" not in found


@pytest.mark.parametrize(
    "setting",
    [
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
        "import os; os.close(0); os.close(1)",
        "resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30))",
        "resource.setrlimit(resource.RLIMIT_CPU, (60, 60))",
    ],
)
def test_what_a_host_hands_down_does_not_hinder(setting: str) -> None:
    assert said(setting) == "ok 2 None"


def test_a_host_without_standard_streams_has_a_sandbox(tmp_path: Path) -> None:
    told = tmp_path / "told"
    close = "import os, sys; told = os.dup(2); [os.close(n) for n in (0, 1, 2)]; sys.__stderr__ = os.fdopen(told, 'w')"
    with told.open("w") as file:
        command = [sys.executable, "-c", REFUSED.format(close)]
        subprocess.run(command, stderr=file, check=True, cwd=Path(__file__).parents[2])
    assert told.read_text() == "ok 2 None"
