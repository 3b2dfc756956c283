"""A control group of the sandbox's own, on systems that hand one out; elsewhere the reason is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runner import Image, Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")

if sys.platform == "linux":
    from runner import cgroups

# Any controller shows how a group is made, entered and removed; the sandbox's own need two that few systems hand out.
HARMLESS = [{"pids.max": "50"}, {"hugetlb.2MB.max": "0"}, {"memory.max": "1000000000"}]
ENTERS = """
import sys
sys.path.insert(0, sys.argv[1])
import cgroups
group = cgroups.Group({sys.argv[2]: sys.argv[3]})
print(group.path)
group.enter()
print(open("/proc/self/cgroup").read())
print(open(f"{group.path}/{sys.argv[2]}").read())
if sys.argv[4] == "stay":
    input()
"""


@pytest.fixture
def bound() -> tuple[str, str]:
    for one in HARMLESS:
        try:
            cgroups.Group(one).remove()
        except OSError:
            continue
        return next(iter(one.items()))
    pytest.skip("this system hands no control group (v2) to this user")


def entering(bound: tuple[str, str], then: str) -> subprocess.Popen[str]:
    folder = str(Path(cgroups.__file__).parent)
    return subprocess.Popen(
        [sys.executable, "-c", ENTERS, folder, *bound, then], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_a_group_is_made_bounded_entered_and_removed(bound: tuple[str, str]) -> None:
    with entering(bound, "leave") as process:
        told, _ = process.communicate()
    path, *rest = told.split()
    assert Path(path).name == f"{cgroups.PREFIX}{process.pid}"
    assert any(word.startswith("0::") and word.endswith(Path(path).name) for word in rest)
    assert rest[-1] == bound[1]
    cgroups.sweep(str(Path(path).parent))
    assert not Path(path).exists()


def test_a_group_with_a_process_in_it_is_not_swept(bound: tuple[str, str]) -> None:
    with entering(bound, "stay") as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        process.stdout.readline()
        while path.name not in Path(f"/proc/{process.pid}/cgroup").read_text():
            os.sched_yield()
        cgroups.sweep(str(path.parent))
        assert path.exists()
        process.communicate("\n")
    cgroups.sweep(str(path.parent))
    assert not path.exists()


def test_a_controller_that_nobody_hands_out_is_named() -> None:
    with pytest.raises(OSError, match="no control group with the controllers nonsense is handed to this user"):
        cgroups.Group({"nonsense.max": "1"})


def test_the_sandbox_says_whether_its_group_holds(image: Image) -> None:
    with Sandbox(image=image) as sandbox:
        held = "cgroup" in sandbox.run("1").layers
        assert sandbox._session is not None
        reason = sandbox._session.missing.get("cgroup", "")
    assert held or "no control group with the controllers memory and pids" in reason
    with Sandbox(image=image, require_layers=("cgroup",)) as sandbox:
        run = sandbox.run("1")
    assert run.status == ("ok" if held else "sandbox_unavailable")
    assert held or (run.error is not None and "cgroup (no control group" in run.error.message)
