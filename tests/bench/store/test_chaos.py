"""Kills at random moments, two jobs at once, readers beside them: a store holds whole exports, each once, and all of
them in the end. A few of each here; the rest with the counts in the environment:

CHAOS_INGEST_KILLS=300 CHAOS_INGEST_EXPORTS=600
"""

from __future__ import annotations

import hashlib
import os
import random
import select
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

import bench
from bench import tables

from .conftest import Write

KILLS = int(os.environ.get("CHAOS_INGEST_KILLS", "6"))
EXPORTS = int(os.environ.get("CHAOS_INGEST_EXPORTS", "60"))
ROWS = 12
# A commit after every third export, so that a kill often comes while one is written.
JOB = """
import sys
from bench.cli import main
from bench.store import ingest, schema
ingest._BATCH = 3
schema.PART_BYTES = 4000
if __name__ == "__main__":
    sys.exit(main(["ingest", *sys.argv[1:], "--settle", "0", "--json"]))
"""


@pytest.fixture
def full(inbox: Path, write: Write) -> Path:
    """An inbox of exports of three tests, some in millivolts, some there twice, one bad."""
    for number in range(EXPORTS):
        write(
            f"{'abc'[number % 3]}/{number}/test.csv",
            first=number * ROWS,
            rows=ROWS,
            scale=1000 if number % 5 == 0 else 1,
        )
    write("copies/1.csv", first=0, rows=ROWS, scale=1000)
    (inbox / "bad.csv").write_bytes(b"\x00\x01\x02")
    return inbox


def job(inbox: Path, store: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", JOB, str(inbox), "--db", str(store), *more]
    environment = os.environ | {"BENCH_ANALYZE_DATA": str(store.parent / "data")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def hashes(inbox: Path) -> set[str]:
    return {hashlib.sha256(path.read_bytes()).hexdigest() for path in inbox.rglob("*.csv") if path.name != "bad.csv"}


def check_whole(store: Path) -> int:
    """Assert that the store, as it is now, holds whole exports, each once; return how many."""
    with duckdb.connect(store, read_only=True) as con:
        rows = con.execute(
            "SELECT e.export, e.sha256, e.rows_kept, count(t._row), count(DISTINCT t._row), count(DISTINCT t.serial) "
            "FROM guard.exports e LEFT JOIN test t ON t._export = e.export GROUP BY ALL"
        ).fetchall()
        strays = con.execute(
            "SELECT count(*) FROM test WHERE _export NOT IN (SELECT export FROM guard.exports)"
        ).fetchall()
        judged = con.execute("SELECT count(DISTINCT export) FROM guard.columns").fetchall()
    assert all(found[2:] == (ROWS, ROWS, ROWS, ROWS) for found in rows), rows
    assert strays == [(0,)]
    assert judged == [(len(rows),)]
    assert len({sha256 for _, sha256, *_ in rows}) == len(rows)
    with duckdb.connect(tables.raw_path(store), read_only=True) as con:
        kept = {sha256 for (sha256,) in con.execute("SELECT sha256 FROM files WHERE content IS NOT NULL").fetchall()}
    assert {sha256 for _, sha256, *_ in rows} <= kept
    return len(rows)


def finish(inbox: Path, store: Path) -> None:
    """Run once more, undisturbed, and assert that nothing is lost, doubled, or left behind."""
    done = job(inbox, store)
    out, errors = done.communicate(timeout=300)
    assert "Traceback" not in errors, errors
    assert len(out.splitlines()) == EXPORTS + 2
    wanted = hashes(inbox)
    assert check_whole(store) == len(wanted)
    with duckdb.connect(tables.raw_path(store), read_only=True) as con:
        found = con.execute("SELECT sha256 FROM files ORDER BY sha256").fetchall()
        assert found == [(sha256,) for sha256 in sorted(wanted)]
        changed = con.execute("SELECT count(*), count(DISTINCT (_export, _row)) FROM test").fetchall()
        assert changed == [(ROWS * len(range(0, EXPORTS, 5)),) * 2]
    assert sorted(path.name for path in store.parent.glob("*store*")) == [
        ".store.duckdb.lock", "store.duckdb", "store.raw.duckdb",
    ]  # fmt: skip


def test_jobs_killed_at_random_moments_lose_and_double_nothing(full: Path, store: Path) -> None:
    chance = random.Random(2026)
    for _ in range(KILLS):
        victim = job(full, store)
        with suppress(subprocess.TimeoutExpired):
            victim.wait(chance.uniform(0.5, 1.6))
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
        if store.exists() and _has_exports(store):
            check_whole(store)
    finish(full, store)


def _has_exports(store: Path) -> bool:
    with duckdb.connect(store, read_only=True) as con:
        found = con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'test'").fetchall()
    return found == [(1,)]


def test_two_jobs_and_three_readers_at_once_with_kills(full: Path, store: Path) -> None:
    chance = random.Random(7)
    over = threading.Event()
    seen: list[list[int]] = []
    wrong: list[object] = []

    def read() -> None:
        mine: list[int] = []
        seen.append(mine)
        while not over.is_set():
            try:
                with bench.open(store) as analysis:
                    table = analysis.table("test").group_by("_export").len()
                    mine.append(table.height)
                    if set(table["len"]) != {ROWS}:
                        wrong.append(table)
            except bench.UsageError as error:  # nothing is there yet
                if "there is no such store" not in str(error) and "holds no export" not in str(error):
                    wrong.append(error)
            except Exception as error:  # noqa: BLE001 - whatever a reader sees is told by the test
                wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for _ in range(max(2, KILLS // 2)):  # each kills both jobs
            first, second = job(full, store), job(full, store, "--jobs", "2")
            with suppress(subprocess.TimeoutExpired):
                first.wait(chance.uniform(0.8, 2))
            first.send_signal(signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                second.wait(chance.uniform(0, 0.5))
            second.send_signal(signal.SIGKILL)
            first.communicate(), second.communicate()
        finish(full, store)
        counts = [len(mine) for mine in seen]
        while any(len(mine) == count for mine, count in zip(seen, counts, strict=True)) and not wrong:
            over.wait(0.05)  # until each reader has seen the end
    finally:
        over.set()
        for reader in readers:
            reader.join()
    assert wrong == []
    assert [sorted(mine) for mine in seen] == seen
    assert {mine[-1] for mine in seen} == {len(hashes(full))}


def test_the_processes_of_a_killed_job_end_with_it(full: Path, store: Path) -> None:
    victim = job(full, store, "--jobs", "2", "--watch")  # it would not end by itself
    assert victim.stdout is not None
    victim.stdout.readline()
    children = Path(f"/proc/{victim.pid}/task/{victim.pid}/children")
    workers = [int(pid) for pid in children.read_text().split()]
    assert len(workers) >= 2
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    for pid in workers:
        with suppress(ProcessLookupError):
            process = os.pidfd_open(pid)
            assert select.select([process], [], [], 10)[0], f"process {pid} is still there"
            os.close(process)
