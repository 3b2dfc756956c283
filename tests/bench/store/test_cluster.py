"""`--cluster`: a real scheduler and real workers on loopback, killed and ill-equipped ones among them.

A few exports here; 500 with CLUSTER_EXPORTS=500.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import bench

from .conftest import Write, command_of, entries

distributed = pytest.importorskip("distributed", reason="the extra cluster is not installed")
Cli = Callable[..., Any]
EXPORTS = int(os.environ.get("CLUSTER_EXPORTS", "60"))
BARE = "import sys; sys.path.append({site!r}); from dask.__main__ import main; main()"
# A worker that does a few exports and never ends the next, which it tells by opening a pipe: it is then killed in the
# middle of its work, however fast the machine is.
STUCK = """
import itertools, os, threading
from concurrent.futures import ThreadPoolExecutor

class Stuck(ThreadPoolExecutor):
    begun = itertools.count(1)

    def submit(self, function, /, *arguments, **named):
        return super().submit(stay if next(self.begun) == 4 else function, *arguments, **named)

def stay(*_, **__):
    os.close(os.open({told!r}, os.O_WRONLY))
    threading.Event().wait()

def dask_setup(worker):
    worker.executors["default"] = Stuck(1)
"""
# Commits after every second export, and tells them then.
JOB = """
import sys
from bench.cli import main
from bench.store import ingest
ingest._BATCH = 2
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


class Cluster:
    """A scheduler, and workers that are started as a test asks."""

    def __init__(self, folder: Path) -> None:
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._folder = folder
        self._begun: list[subprocess.Popen[bytes]] = []
        self._pipes: list[int] = []
        self.scheduler = self._start(
            [sys.executable, "-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
        )

    def worker(
        self,
        *,
        bare: bool = False,
        environment: dict[str, str] | None = None,
        more: Sequence[str] = (),
        folder: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a worker; `bare`: one that has what we need but not us; `folder`: where it stands."""
        python = [sys.executable, "-m", "dask"]
        if bare:  # without site, the link to this checkout is not followed
            python = [sys.executable, "-S", "-c", BARE.format(site=sysconfig.get_path("purelib"))]
        usual = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        return self._start([*python, "worker", self.address, *usual, *more], environment or {}, folder)

    def stuck_worker(self) -> tuple[subprocess.Popen[bytes], int]:
        """Start a worker that does not end its fourth task; return it and a pipe that is readable from then on."""
        told, code = self._folder / "stuck", self._folder / "stuck.py"
        os.mkfifo(told)
        code.write_text(STUCK.format(told=str(told)))
        pipe = os.open(told, os.O_RDONLY | os.O_NONBLOCK)
        self._pipes.append(pipe)
        return self.worker(more=["--preload", str(code)]), pipe

    def wait_for(self, workers: int) -> None:
        """Wait until so many workers are there."""
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)

    def close(self) -> None:
        """End everything."""
        for process in self._begun:
            process.kill()
        for process in self._begun:
            process.wait()
        for pipe in self._pipes:
            os.close(pipe)

    def _start(
        self, command: list[str], environment: dict[str, str] | None = None, folder: Path | None = None
    ) -> subprocess.Popen[bytes]:
        with (self._folder / f"{len(self._begun)}.log").open("wb") as log:
            # Its own data folder: a worker's machine has not this user's approvals.
            given = os.environ | {"BENCH_ANALYZE_DATA": str(self._folder / "data")} | (environment or {})
            process = subprocess.Popen(command, cwd=folder or self._folder, stdout=log, stderr=log, env=given)
        self._begun.append(process)
        return process


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler without a worker yet."""
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    yield found
    found.close()


@pytest.fixture
def on(cli: Cli, cluster: Cluster, inbox: Path, tmp_path: Path) -> Cli:
    """Run `ingest` on the cluster."""

    def run(*arguments: object, inbox: Path = inbox) -> Any:
        place = tmp_path / "store.duckdb"
        return cli("ingest", inbox, "--db", place, "--settle", 0, "--cluster", cluster.address, *arguments)

    return run


def judged(text: str) -> dict[str, Any]:
    """Return what was said of each file, without what differs between two stores."""
    found = {each["export"]["path"]: each for each in entries(text)}
    return {path: {name: each[name] for name in ("ingest", "export", "guard", "error")} for path, each in found.items()}


@pytest.mark.parametrize("kind", ["duckdb", "delta"])
def test_a_worker_killed_in_the_middle_costs_no_export(
    here: Cli, cluster: Cluster, inbox: Path, tmp_path: Path, write: Write, kind: str
) -> None:
    for number in range(EXPORTS):
        write(f"{number}/test.csv", first=number * 20, scale=1000 if number % 5 == 0 else 1)
    (inbox / "bad.csv").write_bytes(b"\x00\x01\x02")
    place = str(tmp_path / "store.duckdb") if kind == "duckdb" else f"delta:{tmp_path / 'lake'}"
    if kind == "delta":
        pytest.importorskip("deltalake", reason="the extra delta is not installed")
    worker, stuck = cluster.stuck_worker()
    cluster.worker()
    cluster.wait_for(2)
    board = ["--board", str(inbox / "board.toml")]
    command = [sys.executable, "-c", JOB, *command_of(inbox, Path("x"), *board, "--cluster", cluster.address)]
    command[command.index("x")] = place
    environment = os.environ | {"PYTHONPATH": str(Path(bench.__file__).parents[1])}
    said = tmp_path / "stderr.txt"
    with (
        said.open("w") as stderr,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment) as run,
    ):
        assert run.stdout is not None
        first = run.stdout.readline()
        assert select.select([stuck], [], [], 60)[0]
        worker.send_signal(signal.SIGKILL)
        out = first + run.stdout.read()  # communicate would pass over what readline has buffered
    errors = said.read_text()
    assert run.returncode == 2, errors  # for the bad one
    assert "Traceback" not in errors
    assert "Hint: " not in errors, errors
    found = judged(out)
    assert sorted(each["ingest"] for each in found.values()) == ["added"] * EXPORTS + ["failed"]
    local = here("ingest", inbox, "--db", tmp_path / "local.duckdb", "--settle", 0, "--json", *board)
    assert found == judged(local.stdout)
    with bench.open(place) as analysis, bench.open(tmp_path / "local.duckdb") as alone:
        mine, theirs = analysis.table("test").sort("serial"), alone.table("test").sort("serial")
        assert mine.height == EXPORTS * 20
        assert mine.drop("_row", "_export").equals(theirs.drop("_row", "_export"))


def test_what_this_machine_knows_travels_with_the_task(
    on: Cli, here: Cli, cli: Cli, cluster: Cluster, inbox: Path, tmp_path: Path
) -> None:
    cluster.worker()
    (inbox / "board.toml").unlink()
    path = inbox / "log.csv"
    path.write_text("serial,tcase_c\n" + "".join(f"SN-{n},{298 + n / 10}\n" for n in range(12)))
    assert cli("approve", path, "--column", "tcase_c", "--unit", "K", "--why", "in K", "--yes").exit_code == 0
    (entry,) = entries(on("--json").stdout)
    assert entry["guard"]["tables"][0]["columns"][1]["verdict"] == "corrected"
    board = tmp_path / "elsewhere.toml"
    board.write_text('[board]\nname = "X"\n')
    path.rename(tmp_path / "away.csv")  # its bytes travel too
    (again,) = entries(on("--json", "--reguard", "--board", board).stdout)
    assert again["reason"] == "judged again, in place of version 1"
    assert again["export"]["path"] == str(path)


def test_large_tables_come_back_whole(
    on: Cli, cluster: Cluster, tmp_path: Path, write: Write
) -> None:  # above what waits in memory
    path = write("a.csv", rows=120_000, scale=1000)
    cluster.worker()
    assert on().exit_code == 0
    with bench.analyze(path) as alone, bench.open(tmp_path / "store.duckdb") as held:
        assert held.table().drop("_export").equals(alone.table())


def test_no_scheduler(cli: Cli, inbox: Path) -> None:
    done = cli("ingest", inbox, "--db", "s.duckdb", "--cluster", "tcp://127.0.0.1:9")
    assert done.exit_code == 2
    assert "tcp://127.0.0.1:9: no scheduler answered within 20 s" in done.stderr
    assert "Hint: start one with dask scheduler, or leave --cluster out" in done.stderr


def test_no_worker(on: Cli, cluster: Cluster, tmp_path: Path) -> None:
    done = on("--json")
    assert done.exit_code == 2
    assert "the scheduler has no worker" in done.stderr
    assert not (tmp_path / "store.duckdb").exists()
    assert f"dask worker {cluster.address} --nthreads 1" in json.loads(done.stdout)["error"]["hint"]


def test_a_worker_without_the_package(on: Cli, cluster: Cluster, write: Write) -> None:
    write("a.csv")
    cluster.worker(bare=True)
    done = on()
    assert done.exit_code == 2
    assert "bench-analyze: tcp://127.0.0.1:" in done.stderr
    assert "has not what it takes to judge: No module named 'bench'" in done.stderr
    assert "pip install 'bench-analyze[cluster]==" in done.stderr


def test_a_worker_with_another_version(on: Cli, cluster: Cluster, tmp_path: Path, write: Write) -> None:
    write("a.csv")
    other = tmp_path / "other" / "bench_analyze-9.9.9.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: bench-analyze\nVersion: 9.9.9\n")
    cluster.worker(environment={"PYTHONPATH": str(other.parent)})
    done = on()
    assert done.exit_code == 2
    assert "has other versions: bench-analyze 9.9.9 (here " in done.stderr


def test_a_worker_that_does_not_see_the_inbox(cli: Cli, cluster: Cluster, inbox: Path) -> None:
    cluster.worker()
    mine = f"/proc/self/cwd/{inbox.name}"  # another folder for each process
    done = cli("ingest", mine, "--db", "s.duckdb", "--cluster", cluster.address)
    assert done.exit_code == 2
    assert f"does not see the inbox {mine}" in done.stderr


@pytest.mark.parametrize("seeing", [False, True], ids=["alone", "beside one that sees"])
def test_a_worker_that_does_not_see_the_files(
    cli: Cli, cluster: Cluster, inbox: Path, write: Write, tmp_path_factory: pytest.TempPathFactory, seeing: bool
) -> None:
    for number in range(12):
        write(f"{number}.csv", first=number * 20)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / inbox.name).mkdir()
    cluster.worker(folder=elsewhere)
    if seeing:
        cluster.worker(folder=inbox.parent)
    cluster.wait_for(1 + seeing)
    mine = f"/proc/self/cwd/{inbox.name}"  # another folder for each process
    done = cli("ingest", mine, "--db", "s.duckdb", "--settle", 0, "--cluster", cluster.address)
    assert done.exit_code == 2, done.said
    said = rf"tcp://127\.0\.0\.1:\d+ does not see {mine}/\d+\.csv of the inbox \(No such file or directory\)"
    assert re.search(said, done.stderr), done.stderr
    assert "Hint: mount it there under the same path" in done.stderr
    assert "still being written" not in done.said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cluster", "scheduler"], "'scheduler' is no address of a Dask scheduler"),
        (["--cluster", "http://x:1"], "Hint: --cluster tcp://HOST:8786"),
        (["--cluster", "tcp://x:1", "--jobs", "2"], "--jobs and --cluster were both given"),
    ],
)
@pytest.mark.parametrize("place", ["s.duckdb", "delta:lake"])
def test_options_that_cannot_be(here: Cli, inbox: Path, place: str, arguments: list[str], said: str) -> None:
    done = here("ingest", inbox, "--db", place, *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert [
        path.name for path in inbox.parent.iterdir() if path.name not in ("inbox", "data")
    ] == []  # no store is left


@pytest.mark.parametrize("lost", ["workers", "scheduler"])
def test_a_cluster_that_goes_is_told_and_nothing_is_lost(
    cli: Cli, cluster: Cluster, inbox: Path, tmp_path: Path, write: Write, lost: str
) -> None:
    for number in range(40):
        write(f"{number}/test.csv", first=number * 20)
    worker, stuck = cluster.stuck_worker()
    store = tmp_path / "store.duckdb"
    command = [sys.executable, "-c", JOB, *command_of(inbox, store, "--cluster", cluster.address)]
    environment = os.environ | {"PYTHONPATH": str(Path(bench.__file__).parents[1])}
    with subprocess.Popen(
        [*command, "--lock-timeout", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as run:
        assert run.stdout is not None
        assert json.loads(run.stdout.readline())["ingest"] == "added"
        assert select.select([stuck], [], [], 60)[0]
        (worker if lost == "workers" else cluster.scheduler).kill()
        _, errors = run.communicate(timeout=60)
    said = "no worker was left for 2 s" if lost == "workers" else "the cluster was lost"
    assert run.returncode == 2, errors
    assert said in errors
    assert "Traceback" not in errors
    assert cli("ingest", inbox, "--db", store, "--settle", 0).exit_code == 0
    with bench.open(store) as analysis:
        assert analysis.table().height == analysis.table()["serial"].n_unique() == 800
