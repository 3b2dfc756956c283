"""Beside single runs: a job that watches, several processes, and an archive."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench import tables

from .conftest import Write, asked, command_of, entries, frame

Cli = Callable[..., Any]
ROOT = Path(__file__).parents[3]


@contextmanager
def watching(inbox: Path, store: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A job that watches the inbox."""
    command = [sys.executable, "-m", "bench", *command_of(inbox, store, *more, settle=0.2)]
    environment = os.environ | {"BENCH_ANALYZE_DATA": str(store.parent / "data"), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=store.parent
    ) as job:
        try:
            yield job
        finally:
            job.kill()


def next_entry(job: subprocess.Popen[str]) -> dict[str, Any]:
    assert job.stdout is not None
    line = job.stdout.readline()
    assert line, job.stderr and job.stderr.read()
    found: dict[str, Any] = json.loads(line)
    return found


@pytest.mark.parametrize("how", [["--watch"], ["--poll", "0.1"]], ids=["told", "polling"])
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_what_comes_is_taken_until_the_job_is_stopped(
    inbox: Path, store: Path, write: Write, how: list[str], end: signal.Signals
) -> None:
    write("a.csv")
    with watching(inbox, store, *how) as job:
        assert Path(next_entry(job)["export"]["path"]).name == "a.csv"
        write("b.csv", first=50)
        assert Path(next_entry(job)["export"]["path"]).name == "b.csv"
        assert asked(store, "SELECT count(*) FROM guard.exports") == [(2,)]
        (inbox / "bad.csv").write_bytes(b"\x00\x01\x02")
        bad = next_entry(job)
        assert (Path(bad["export"]["path"]).name, bad["ingest"]) == ("bad.csv", "failed")
        write("new/c.csv", first=100)
        assert Path(next_entry(job)["export"]["path"]).name == "c.csv"
        job.send_signal(end)
        out, errors = job.communicate(timeout=30)
    assert (out, errors) == ("", "")
    assert job.returncode == 2  # a file failed
    assert asked(store, "SELECT sum(added), sum(failed) FROM guard.runs") == [(3, 1)]


def test_an_archive_inside_a_watched_inbox_is_left_alone(inbox: Path, store: Path, write: Write) -> None:
    write("a.csv")
    with watching(inbox, store, "--watch", "--archive", str(inbox / "done")) as job:
        assert next_entry(job)["ingest"] == "added"
        for number in range(3):
            write(f"{number}.csv", first=50 + number * 20)
            entry = next_entry(job)
            assert (Path(entry["export"]["path"]).name, entry["ingest"]) == (f"{number}.csv", "added")
        job.send_signal(signal.SIGTERM)
        out, _ = job.communicate(timeout=30)
    assert (out, job.returncode) == ("", 0)
    assert sorted(path.name for path in (inbox / "done").iterdir()) == ["0.csv", "1.csv", "2.csv", "a.csv"]


def test_watching_without_its_package_says_how(
    here: Cli, inbox: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    done = here("ingest", inbox, "--db", store, "--watch")
    assert done.exit_code == 2
    assert "pip install 'bench-analyze[watch]'" in done.stderr


def test_several_processes_give_what_one_gives(
    here: Cli, inbox: Path, store: Path, write: Write, tmp_path: Path
) -> None:
    for number in range(12):
        write(f"{number}/a.csv", first=number * 20, scale=1000 if number % 4 == 0 else 1)
    (inbox / "bad.csv").write_bytes(b"\x00\x01\x02")
    one = here("ingest", inbox, "--db", store, "--settle", 0, "--json")
    other = tmp_path / "other.duckdb"
    two = here("ingest", inbox, "--db", other, "--settle", 0, "--json", "--jobs", 2)
    assert one.exit_code == two.exit_code == 2

    def told(done: Any) -> dict[str, Any]:
        return {each["export"]["path"]: {**each, "key": None, "alerts": None} for each in entries(done.stdout)}

    assert told(one) == told(two)
    rows = "SELECT * EXCLUDE (_export) FROM a ORDER BY serial"
    assert frame(store, rows).equals(frame(other, rows))
    counts = "SELECT count(*), count(DISTINCT _export) FROM a"
    assert asked(tables.raw_path(store), counts) == asked(tables.raw_path(other), counts) == [(60, 3)]


def test_a_process_that_dies_costs_one_export_at_most(
    here: Cli, inbox: Path, store: Path, write: Write, tmp_path: Path
) -> None:
    """The system ends one that takes too much memory; here the reader of a site does it."""
    site = tmp_path / "site"
    info = site / "killer-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: killer\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[bench_analyze.readers]\nkiller = killer:FORMAT\n")
    (site / "killer.py").write_text(
        "import os\nfrom bench.readers import Format\n"
        "FORMAT = Format('killer', 'ends it', ('.kill',), lambda head, name: name.endswith('.kill'), 'killer:end')\n"
        "def end(*_):\n    os.kill(os.getpid(), 9)\n"
    )
    (inbox / "x.kill").write_text("x")
    for number in range(6):
        write(f"{number}/a.csv", first=number * 20)
    command = [sys.executable, "-m", "bench", *command_of(inbox, store, "--jobs", "2")]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{site}"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert "Traceback" not in done.stderr
    found = {Path(each["export"]["path"]).name: each for each in entries(done.stdout)}
    assert found["x.kill"]["ingest"] == "failed"
    assert "was ended from outside" in found["x.kill"]["error"]["message"]
    assert asked(store, "SELECT count(*) FROM guard.exports") == [(6,)]


def test_an_archive_takes_what_the_store_holds_and_nothing_else(
    here: Cli, inbox: Path, store: Path, write: Write, tmp_path: Path
) -> None:
    write("a.csv"), write("sub/b.csv", first=50)
    (inbox / "a.csv.done").touch()
    (inbox / "bad.csv").write_bytes(b"\x00\x01\x02")
    archive = tmp_path / "archive"
    content = (inbox / "a.csv").read_bytes()
    assert here("ingest", inbox, "--db", store, "--settle", 0, "--archive", archive).exit_code == 2
    left = sorted(path.relative_to(inbox).as_posix() for path in inbox.rglob("*") if path.is_file())
    assert left == ["bad.csv", "board.toml"]
    moved = sorted(path.relative_to(archive).as_posix() for path in archive.rglob("*") if path.is_file())
    assert moved == ["a.csv", "a.csv.done", "sub/b.csv"]
    assert (archive / "a.csv").read_bytes() == content
    write("a.csv")  # the same bytes again
    write("c.csv", first=90)
    done = here("ingest", inbox, "--db", store, "--settle", 0, "--archive", archive, "--json")
    assert {Path(each["export"]["path"]).name: each["ingest"] for each in entries(done.stdout)} == {
        "a.csv": "skipped", "bad.csv": "failed", "c.csv": "added",
    }  # fmt: skip
    assert (archive / "a_2.csv").read_bytes() == content
    assert asked(store, "SELECT count(*) FROM guard.exports") == [(3,)]


def test_an_archive_inside_the_inbox_is_no_inbox(here: Cli, inbox: Path, store: Path, write: Write) -> None:
    write("a.csv")
    for _ in range(2):
        assert here("ingest", inbox, "--db", store, "--settle", 0, "--archive", inbox / "done").exit_code == 0
    assert (inbox / "done" / "a.csv").exists()
    assert "names the inbox itself" in here("ingest", inbox, "--db", store, "--archive", inbox).stderr


def test_an_archive_that_cannot_be_written_leaves_the_file(here: Cli, inbox: Path, store: Path, write: Write) -> None:
    write("a.csv")
    done = here("ingest", inbox, "--db", store, "--settle", 0, "--archive", "/proc/archive")
    assert done.exit_code == 2
    assert "the store holds it" in done.stderr
    assert (inbox / "a.csv").exists()
    assert here("ingest", inbox, "--db", store, "--settle", 0).exit_code == 0
    assert asked(store, "SELECT count(*) FROM guard.exports") == [(1,)]
