from __future__ import annotations

import os
from pathlib import Path

import pytest

from runner import Image, ResourceLimits, Sandbox


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="private folders are elsewhere on this system")
def test_storage_does_not_survive_into_the_next_process(image: Image) -> None:
    store = "from pyodide_js import runPython as f\nF = f.constructor\n"
    with Sandbox(image=image, layers=("deno",)) as sandbox:
        stored = sandbox.run(store + "F('localStorage.setItem(`a`, `kept`)')()")
        assert stored.error is not None
        assert "disk I/O error" in stored.error.message  # no byte is written to a file
        assert sandbox.run("import os; os._exit(0)").status == "crashed"
        assert sandbox.run(store + "F('return localStorage.getItem(`a`)')()").value is None


def test_a_process_leaves_no_folder_and_no_process(image: Image) -> None:
    with Sandbox(image=image) as sandbox:
        sandbox.run("1")
        assert sandbox._session is not None
        worker = sandbox._session._worker
        folder = worker._folder.path
        assert folder.is_dir()
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(worker.pid, 0)


def test_a_timer_left_behind_does_not_run(image: Image) -> None:
    leave = "from pyodide_js import runPython as f\nf.constructor('setTimeout(() => Deno.exit(1), 1); return 1')()"
    with Sandbox(image=image) as sandbox:
        assert sandbox.run(leave).value == 1
        assert sandbox.run("import time\nt = time.monotonic()\nwhile time.monotonic() - t < 0.05: pass\n2").value == 2


def test_a_caught_memory_error_lets_the_snippet_go_on(image: Image) -> None:
    code = "x = []\ntry:\n    while True: x.append(bytearray(20_000_000))\nexcept MemoryError:\n    x = None\n'went on'"
    with Sandbox(limits=ResourceLimits(memory_mb=256), image=image) as sandbox:
        assert sandbox.run(code).value == "went on"


@pytest.mark.parametrize(("share", "status"), [(0.9, "ok"), (1.25, "memory_limit")])
@pytest.mark.parametrize("memory_mb", [256, 1024])
def test_memory_limit_is_what_a_snippet_may_allocate(image: Image, memory_mb: int, share: float, status: str) -> None:
    with Sandbox(limits=ResourceLimits(memory_mb=memory_mb), image=image) as sandbox:
        assert sandbox.run(f"len(bytearray({int(share * memory_mb * 2**20)})) > 0").status == status
        assert sandbox.run("1 + 1").value == 2
