"""A process that floods, stalls or cannot be started, whatever it runs: here Python in Deno's place."""

from __future__ import annotations

import os
import resource
import sys
import threading
from pathlib import Path

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


@pytest.mark.parametrize(("code", "cause"), [("raise SystemExit(97)", "unheard"), ("raise SystemExit(3)", "exit")])
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
