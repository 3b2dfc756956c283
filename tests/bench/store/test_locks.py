"""Whose turn it is: foreign programs that hold a store, one after the other, and a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

import bench
from bench import tables
from bench.store.locking import Patience, lock_path, turn

from .conftest import Write, asked, command_of, entries

Cli = Callable[..., Any]
HOLD = """
import sys, duckdb
con = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "reading")
con.execute("SELECT 1").fetchall()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(path: Path, how: str) -> Iterator[subprocess.Popen[str]]:
    """A foreign program that holds a database file, until its standard input ends."""
    command = [sys.executable, "-c", HOLD, str(path), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield holder
        finally:
            holder.stdin.close()


@pytest.fixture
def one(here: Cli, inbox: Path, store: Path, write: Write) -> Path:
    """A store of one export; another waits in the inbox."""
    write("a.csv")
    assert here("ingest", inbox, "--db", store, "--settle", 0).exit_code == 0
    write("b.csv", first=50)
    return store


@pytest.mark.parametrize("how", ["reading", "writing"])
@pytest.mark.parametrize("part", ["main", "raw"])
def test_a_foreign_program_is_waited_for_and_nothing_is_lost(
    here: Cli, inbox: Path, one: Path, how: str, part: str
) -> None:
    with held(one if part == "main" else tables.raw_path(one), how) as holder:
        done = here("ingest", inbox, "--db", one, "--settle", 0, "--lock-timeout", 0.2)
        assert done.exit_code == 2
        assert "is in use" in done.stderr
        assert f"PID {holder.pid}" in done.stderr
        assert "nothing is lost" in done.stderr
        assert "--lock-timeout" in done.stderr
    assert asked(one, "SELECT count(*) FROM guard.exports") == [(1,)]
    again = here("ingest", inbox, "--db", one, "--settle", 0)
    assert again.exit_code == 0, again.said
    assert asked(one, "SELECT count(*) FROM guard.exports") == [(2,)]


def test_the_job_goes_on_when_the_foreign_program_lets_go(here: Cli, inbox: Path, one: Path) -> None:
    with held(one, "reading") as holder:
        assert holder.stdin is not None
        timer = threading.Timer(0.3, holder.stdin.close)
        timer.start()
        assert here("ingest", inbox, "--db", one, "--settle", 0, "--lock-timeout", 60).exit_code == 0
    assert asked(one, "SELECT count(*) FROM guard.exports") == [(2,)]


def test_readers_share_a_store_with_a_foreign_reader_and_wait_for_a_writer(here: Cli, one: Path) -> None:
    with held(one, "reading"), bench.open(one) as analysis:
        assert analysis.table("a").height == 20
    said: list[str] = []
    with held(one, "writing") as holder, pytest.raises(bench.EnvironmentProblem, match=r"in use for 0\.2 s"):
        bench.open(one, lock_timeout_s=0.2, note=said.append)
    assert len(said) == 1
    assert f"PID {holder.pid}" in said[0]


def test_a_notebook_that_holds_the_store_itself_is_told_so(one: Path) -> None:
    with duckdb.connect(one), pytest.raises(bench.EnvironmentProblem, match="held in this process"):
        bench.open(one, lock_timeout_s=0)


def test_turns_are_taken_one_after_the_other(store: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work(number: int) -> None:
        for _ in range(20):
            with turn(store, Patience()):
                inside.append(number)
                most.append(len(inside))
                inside.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert len(most) == 80
    assert lock_path(store).exists()


def test_a_store_in_a_folder_that_may_only_be_read_can_be_read(one: Path) -> None:
    lock_path(one).unlink()
    one.parent.chmod(0o500)
    try:
        with bench.open(one) as analysis:
            assert analysis.table("a").height == 20
    finally:
        one.parent.chmod(0o700)


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from bench.cli import main
from bench.store import ingest
ingest._BATCH = 2
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("room", [20_000, 1_000_000, 1_600_000, 3_000_000])
def test_a_disk_that_fills_in_the_middle_loses_nothing(
    here: Cli, inbox: Path, store: Path, write: Write, room: int
) -> None:
    """A limit on file size stands for the full disk: a write fails somewhere in the two files."""
    for number in range(8):
        path = write(f"{number}/a.csv", first=number * 2000, rows=2000)
        path.write_text(path.read_text().replace("SN-", f"{os.urandom(200).hex()}-"))
    command = [sys.executable, "-c", FULL, str(room), *command_of(inbox, store)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    if done.returncode:
        assert done.returncode == 2
        assert entries(done.stdout)[-1]["error"]["kind"] == "environment"
        assert "could not be written" in done.stderr or "no room to work in" in done.stderr
    again = here("ingest", inbox, "--db", store, "--settle", 0)
    assert again.exit_code == 0, again.said
    assert asked(store, "SELECT count(*), count(DISTINCT sha256), sum(rows_kept) FROM guard.exports") == [(8, 8, 16000)]
    assert asked(store, "SELECT count(*), count(DISTINCT serial) FROM a") == [(16000, 16000)]
    assert asked(tables.raw_path(store), "SELECT count(*), count(DISTINCT sha256) FROM files") == [(8, 8)]
