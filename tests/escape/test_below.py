"""The layers below Deno by themselves: a Deno with every right, as after a fault in it, still reaches nothing."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from runner import LAYERS
from runner.folders import Folder
from runner.image import deno_binary
from runner.policy import Launch
from runner.process import Worker, clock

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers below Deno are Linux's")

SCRIPT = """
const [canary, folder, port] = Deno.args;
const host = { hostname: "127.0.0.1", port: Number(port) };
const tries = {
  readFile: () => Deno.readTextFileSync(canary),
  readPasswd: () => Deno.readTextFileSync("/etc/passwd"),
  listHome: () => [...Deno.readDirSync(folder)].length,
  writeThere: () => Deno.writeTextFileSync(folder + "/out", "x"),
  writeTmp: () => Deno.writeTextFileSync("/tmp/bench-analyze-out", "x"),
  writeHere: () => Deno.writeTextFileSync("out", "x"),
  writeDevice: () => Deno.writeTextFileSync("/dev/shm/bench-analyze-out", "x"),
  run: () => new Deno.Command("/bin/sh", { args: ["-c", "id"] }).outputSync().code,
  runDeno: () => new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync().code,
  connect: () => Deno.connect(host),
  unix: () => Deno.connect({ transport: "unix", path: "/run/bench.sock" }),
  listen: () => Deno.listen({ port: 0 }).addr,
  datagram: () => Deno.listenDatagram({ port: 0, transport: "udp" }).addr,
  resolve: () => Deno.resolveDns("example.org", "A", { nameServer: { ipAddr: "127.0.0.1", port: Number(port) } }),
  fetch: () => fetch(`http://127.0.0.1:${port}/`),
  kill: () => Deno.kill(Number(Deno.args[3]), "SIGKILL"),
};
const found = {};
for (const [name, attempt] of Object.entries(tries)) {
  try {
    await attempt();
    found[name] = "done";
  } catch (error) {
    found[name] = "refused";
  }
}
console.log(JSON.stringify(found));
"""


def reached(tmp_path: Path, layers: tuple[str, ...]) -> tuple[dict[str, str], Worker]:
    """What a Deno with every right did below some layers."""
    here, watched = tmp_path / "here", tmp_path / "watched"
    for folder in (here, watched):
        folder.mkdir()
    (tmp_path / "canary.txt").write_text("the secret")
    (here / "try.mjs").write_text(SCRIPT)
    waiting = [sys.executable, "-c", "input()"]
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        subprocess.Popen(waiting, stdin=subprocess.PIPE) as bystander,
    ):
        listener.setblocking(False)
        arguments = (str(tmp_path / "canary.txt"), str(watched), str(listener.getsockname()[1]), str(bystander.pid))
        own = Folder()
        environment = (("DENO_DIR", str(own.path)), ("NO_COLOR", "1"))
        launch = Launch((str(deno_binary()), "run", "-A", "--no-config", "try.mjs", *arguments), environment, here)
        worker = Worker(launch, own, data_bytes=2 * 2**30, cpu_time_s=None, layers=layers)
        said = b""
        while (data := worker.receive(clock() + 60)) is not None:
            said += data
        worker.end()
        if "network" in worker.layers:
            with pytest.raises(BlockingIOError):
                listener.accept()
        assert bystander.poll() is None
        bystander.communicate(b"\n")
    assert list(watched.iterdir()) == []
    found: dict[str, str] = json.loads(said or b"{}")
    return found, worker


@pytest.mark.parametrize("without", [(), ("user", "network", "pid", "ipc", "mount"), ("landlock", "seccomp")],
                         ids=["all layers", "no namespaces", "namespaces alone"])  # fmt: skip
def test_a_deno_with_every_right_reaches_nothing(tmp_path: Path, without: tuple[str, ...]) -> None:
    wanted = tuple(layer for layer in LAYERS if layer not in without)
    found, worker = reached(tmp_path, wanted)
    if set(worker.layers) != set(wanted):
        pytest.skip(f"this system does not offer {worker.missing}")
    done = {name for name, outcome in found.items() if outcome == "done"}
    if without == ("landlock", "seccomp"):
        done -= {"runDeno", "listen", "datagram"}  # another Deno, and sockets that lead nowhere, in the same namespaces
    assert found
    assert done == set()
