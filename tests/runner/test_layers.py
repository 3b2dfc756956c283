"""What holds below Deno, judged from outside (the kernel's own words on the process) and from inside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner import LAYERS, Image, LimitsError, Sandbox
from runner.confine import refused
from runner.image import deno_binary

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers below Deno are Linux's")


@pytest.fixture(scope="module")
def layered(image: Image) -> Iterator[Sandbox]:
    with Sandbox(image=image) as sandbox:
        sandbox.run("1")
        yield sandbox


def deno_pid(sandbox: Sandbox) -> int:
    assert sandbox._session is not None
    launcher = sandbox._session._worker.pid
    return int(Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()[0])


def need(sandbox: Sandbox, layer: str) -> None:
    if layer not in sandbox.run("1").layers:
        pytest.skip(f"this system does not offer the layer {layer}: {sandbox._session.missing.get(layer)}")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("layer", "name"), [("user", "user"), ("network", "net"), ("pid", "pid"), ("ipc", "ipc"), ("mount", "mnt")]
)
def test_namespaces_are_its_own(layered: Sandbox, layer: str, name: str) -> None:
    need(layered, layer)
    pid = deno_pid(layered)
    assert Path(f"/proc/{pid}/ns/{name}").readlink() != Path(f"/proc/self/ns/{name}").readlink()


def test_seccomp_no_new_rights_no_capabilities(layered: Sandbox) -> None:
    need(layered, "seccomp")
    status = Path(f"/proc/{deno_pid(layered)}/status").read_text()
    assert re.search(r"^Seccomp:\t2$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\t1$", status, re.MULTILINE)
    assert re.search(r"^CapEff:\t0+$", status, re.MULTILINE)


def test_its_root_holds_libraries_deno_and_the_image(layered: Sandbox, image: Image) -> None:
    need(layered, "mount")
    root = Path(f"/proc/{deno_pid(layered)}/root")
    assert not (root / "etc/passwd").exists()
    assert not (root / "bin/sh").exists()
    assert (root / str(image.path)[1:] / "host.mjs").exists()
    with pytest.raises(OSError, match="Read-only"):
        (root / str(image.path)[1:] / "new").touch()


def test_limits_of_the_process(layered: Sandbox) -> None:
    need(layered, "rlimits")
    limits = Path(f"/proc/{deno_pid(layered)}/limits").read_text()
    assert re.search(r"^Max data size +(\d+) ", limits, re.MULTILINE)
    assert re.search(r"^Max core file size +0 +0 ", limits, re.MULTILINE)


def test_descriptors_are_its_own(layered: Sandbox) -> None:
    pid = deno_pid(layered)
    links = [str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()]
    outside = [link for link in links if link.startswith("/") and not link.startswith(("/dev/null", "/dev/urandom"))]
    ours = (str(layered._session._worker._folder.path), str(layered._session.image.path))  # type: ignore[union-attr]
    assert [link for link in outside if not link.startswith(ours)] == []
    assert os.getsid(pid) != os.getsid(0)


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer != "deno"])
def test_a_layer_switched_off_is_not_claimed_and_can_be_required(image: Image, layer: str) -> None:
    others = tuple(name for name in LAYERS if name != layer)
    with Sandbox(image=image, layers=others) as sandbox:
        result = sandbox.run("1 + 1")
        assert (result.value, layer in result.layers) == (2, False)
    with Sandbox(image=image, layers=others, require_layers=(layer,)) as sandbox:
        result = sandbox.run("1 + 1")
    assert (result.status, result.state) == ("sandbox_unavailable", "lost")
    assert result.error is not None
    assert result.error.message.startswith(f"required isolation layers do not hold here: {layer} (")


def test_deno_alone_works_and_says_what_is_not_bounded(image: Image) -> None:
    with Sandbox(image=image, layers=("deno",)) as sandbox:
        result = sandbox.run("1 + 1")
    assert (result.value, result.layers) == (2, ("deno",))
    assert result.warnings == (
        "the sandbox's memory beside Python's is not bounded on this system (layer `rlimits` does not hold)",
    )


def test_where_deno_does_not_start_below_the_layers_it_holds_alone_and_says_so(
    image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = tmp_path / "deno"  # needs a shell, which the layers keep from it
    wrapper.write_text(f'#!/bin/sh\nexec {deno_binary()} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setattr("runner.session.deno_binary", lambda: wrapper)
    with Sandbox(image=image) as sandbox:
        result = sandbox.run("1 + 1")
        assert (result.value, result.layers) == (2, ("deno", "rlimits"))
        assert "held by Deno and the process's limits alone" in result.warnings[0]
    with Sandbox(image=image, require_layers=("seccomp",)) as sandbox:
        assert sandbox.run("1 + 1").status == "sandbox_unavailable"


def test_without_user_namespaces_the_other_layers_hold(image: Image) -> None:
    """As in a container: namespaces are refused there."""
    code = "from runner import Sandbox\nwith Sandbox() as sandbox: print(*sandbox.run('1').layers)"
    inside = f'echo 0 > /proc/sys/user/max_user_namespaces && exec {sys.executable} -c "{code}"'
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", inside]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system does not let a test take namespaces away")
    assert done.stdout.split() == [name for name in ("deno", "rlimits", "landlock", "seccomp") if name in done.stdout]
    assert "rlimits" in done.stdout


def test_a_name_that_is_no_layer(image: Image) -> None:
    with pytest.raises(LimitsError, match=r"no isolation layer is called 'selinux'\. there are deno, rlimits, cgroup"):
        Sandbox(image=image, require_layers=("selinux",))


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_names_what_a_reviewer_looks_for(machine: str) -> None:
    names = refused(machine)
    assert {"socket", "connect", "bind", "ptrace", "mount", "bpf", "io_uring_setup", "unshare", "userfaultfd"} <= set(
        names
    )
    assert len(set(names.values())) == len(names)
