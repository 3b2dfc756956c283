"""A run is ended from another thread, and the sandbox is used again."""

from __future__ import annotations

import threading

from runner import CANCELLED, ResourceLimits, Sandbox


def test_a_cancelled_run_says_so_and_the_next_one_works(image):
    spoke = threading.Event()
    with Sandbox(image=image, limits=ResourceLimits(wall_time_s=120)) as sandbox:
        found = []
        snippet = "print('on', flush=True)\nwhile True: pass"
        thread = threading.Thread(
            target=lambda: found.append(sandbox.run(snippet, on_output=lambda *_: spoke.set())), daemon=True
        )
        thread.start()
        assert spoke.wait(60)
        sandbox.cancel()
        thread.join(30)
        (run,) = found
        assert (run.status, run.state) == ("crashed", "lost")
        assert run.error.type == CANCELLED
        assert "cancelled from outside" in run.error.message
        assert sandbox.run("1 + 1").value == 2


def test_cancelling_where_nothing_runs_changes_nothing(image):
    with Sandbox(image=image) as sandbox:
        sandbox.cancel()
        sandbox.run("x = 7")
        sandbox.cancel()
        assert sandbox.run("x").value == 7
