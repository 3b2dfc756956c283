"""Kills at random moments, many threads, many runs. Few of each here; all of them with the counts in the environment:

CHAOS_KILLS=500 CHAOS_HOSTS=500 CHAOS_THREADS=8 CHAOS_RUNS=50 CHAOS_SESSION=1000
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner import Image, Sandbox
from runner.folders import sweep

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc")
KILLS, HOSTS, THREADS, RUNS, SESSION = (
    int(os.environ.get(f"CHAOS_{name}", few))
    for name, few in (("KILLS", 8), ("HOSTS", 3), ("THREADS", 4), ("RUNS", 5), ("SESSION", 100))
)
DEADLINE_S = 10.0


def running_in(names: set[str]) -> list[int]:
    """Processes of ours that work with one of these folders (Deno has it in its environment, the launcher in argv)."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            text = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if any(name.encode() in text for name in names):
            found.append(int(process.name))
    return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where this test's private folders are made, apart from those of other sandboxes of the machine. When the test
    ends no process works in one, and none is there: but for a host killed in the few milliseconds between making the
    folder and starting the launcher, whose folder goes with the next sandbox."""
    monkeypatch.setattr("runner.folders._SHARED_MEMORY", tmp_path)
    yield tmp_path
    deadline = time.monotonic() + DEADLINE_S
    while (running_in({str(tmp_path)}) or list(tmp_path.iterdir())) and time.monotonic() < deadline:
        pass
    assert running_in({str(tmp_path)}) == []
    left = len(list(tmp_path.iterdir()))
    sweep(older_than_s=0.0)
    assert list(tmp_path.iterdir()) == []
    assert left <= 1 + HOSTS // 50


def deno_of(launcher: int) -> int:
    return int(Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()[0])


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # gone already, by the kill before, which came when its run had ended
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("victim", ["launcher", "deno"])
def test_a_worker_killed_at_a_random_moment_costs_its_own_run_at_most(image: Image, place: Path, victim: str) -> None:
    chance = random.Random(2026)
    outcomes = {"ok": 0, "crashed": 0}
    with Sandbox(image=image) as sandbox:
        for number in range(KILLS):
            while sandbox.run("0").state == "lost":  # the kill before came when its run had ended
                pass
            assert sandbox._session is not None
            launcher = sandbox._session._worker.pid
            pid = launcher if victim == "launcher" else deno_of(launcher)
            timer = threading.Timer(chance.uniform(0, 0.03), kill, (pid,))
            timer.start()
            result = sandbox.run(f"import time\nt = time.monotonic()\nfor _ in range({number} + 20000): pass\n{number}")
            timer.join()
            outcomes[result.status] += 1
            assert result.value == (number if result.status == "ok" else None)
            if result.status == "crashed":
                assert result.state == "lost"
    assert sum(outcomes.values()) == KILLS


HOST = """
import sys
from pathlib import Path
from runner import Sandbox, folders
folders._SHARED_MEMORY = Path(sys.argv[1][:-1])
with Sandbox() as sandbox:
    print(sandbox.run("1").status, flush=True)
    while True:
        sandbox.run("sum(range(10**6))")
"""


def test_a_host_that_is_killed_leaves_no_process_and_no_folder(image: Image, place: Path) -> None:
    chance = random.Random(2026)
    for _ in range(HOSTS):
        command = [sys.executable, "-c", HOST, f"{place}/"]
        host = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2])
        assert host.stdout is not None
        if chance.random() < 0.7:
            assert host.stdout.readline() == b"ok\n"
        moment = time.monotonic() + chance.uniform(0, 0.3)
        while time.monotonic() < moment:
            pass
        host.kill()
        host.wait()
        host.stdout.close()


def test_a_folder_whose_host_and_launcher_were_killed_goes_with_the_next_sandbox(image: Image) -> None:
    code = "from runner.folders import Folder; import os; print(Folder().path, flush=True); os.kill(os.getpid(), 9)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    left = Path(done.stdout.strip())
    assert left.is_dir()
    sweep(older_than_s=0)
    assert not left.exists()


def test_a_folder_in_use_is_not_swept(image: Image) -> None:
    with Sandbox(image=image) as sandbox:
        sandbox.run("1")
        sweep(older_than_s=0)
        assert sandbox._session is not None
        assert sandbox._session._worker._folder.path.is_dir()


def test_threads_side_by_side_get_their_own_answers(image: Image, place: Path) -> None:
    wrong: list[object] = []

    def work(thread: int) -> None:
        with Sandbox(image=image) as sandbox:
            for number in range(RUNS):
                result = sandbox.run(f"total = globals().get('total', 0) + 1\n[{thread}, {number}, total]")
                if result.value != [thread, number, number + 1]:
                    wrong.append(result)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_one_sandbox_used_by_many_threads_loses_and_doubles_nothing(image: Image) -> None:
    seen: list[object] = []
    with Sandbox(image=image) as sandbox:
        code = "total = globals().get('total', 0) + 1\ntotal"
        threads = [
            threading.Thread(target=lambda: [seen.append(sandbox.run(code).value) for _ in range(RUNS)])
            for _ in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(map(int, map(str, seen))) == list(range(1, THREADS * RUNS + 1))


def test_many_runs_in_one_session_keep_memory_flat(image: Image) -> None:
    with Sandbox(image=image) as sandbox:
        code = "x = [i for i in range(1000)]\nprint(len(x))\ncon.sql('select 1').fetchall()"
        for _ in range(50):
            assert sandbox.run(code).status == "ok"
        assert sandbox._session is not None
        before = sandbox._session.resident_mb
        for _ in range(SESSION):
            assert sandbox.run(code).status == "ok"
        after = sandbox._session.resident_mb
    assert before is not None
    assert after is not None
    assert after - before < 40, (before, after)
