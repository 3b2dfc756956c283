"""What lies in an inbox: odd names, loops, what may not be read, and what is still being written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.render.ingest import SHOWN, Summary
from bench.store import told
from bench.store.inbox import Found, Settling, look, scan
from bench.store.told import Counts

from .conftest import Write, asked, entries

Cli = Callable[..., Any]


def test_names_need_no_care(ingest: Cli, inbox: Path, store: Path, write: Write) -> None:
    names = [
        "new\nline.csv",
        "it's; DROP TABLE x.csv",
        '"quoted".csv',
        "ünïcode.csv",
        "-dash.csv",
        "a%20b.csv",
        "x" * 200 + ".csv",
    ]
    for number, name in enumerate(names):
        write(name, first=number * 20)
    write("latin.csv", first=500).rename(inbox / os.fsdecode(b"caf\xe9.csv"))
    done = ingest("--json")
    assert done.exit_code == 0, done.said
    found = {entry["export"]["path"]: entry["ingest"] for entry in entries(done.stdout)}
    assert set(found.values()) == {"added"}
    assert str(inbox / "new\nline.csv") in found
    assert str(inbox / "caf\\udce9.csv") in found
    assert asked(store, "SELECT count(*), sum(rows_kept) FROM guard.exports") == [(8, 160)]
    assert {entry["ingest"] for entry in entries(ingest("--json").stdout)} == {"skipped"}


def test_links_are_followed_once_and_loops_end(ingest: Cli, inbox: Path, tmp_path: Path, write: Write) -> None:
    write("sub/a.csv")
    (inbox / "sub" / "up").symlink_to(inbox)
    (inbox / "again").symlink_to(inbox / "sub")
    (inbox / "self.csv").symlink_to(inbox / "self.csv")
    (inbox / "gone.csv").symlink_to(tmp_path / "nothing.csv")
    outside = tmp_path / "outside"
    outside.mkdir()
    write("b.csv", first=50).rename(outside / "b.csv")
    (inbox / "share").symlink_to(outside)
    done = ingest("--json")
    found = {str(Path(entry["export"]["path"]).relative_to(inbox)): entry for entry in entries(done.stdout)}
    assert {name: entry["ingest"] for name, entry in found.items()} == {
        "again/a.csv": "added", "gone.csv": "failed", "self.csv": "failed", "share/b.csv": "added",
    }  # fmt: skip
    assert "Too many levels of symbolic links" in found["self.csv"]["error"]["message"]


def test_status_lists_what_could_not_be_opened_until_it_can(
    ingest: Cli, here: Cli, inbox: Path, store: Path, write: Write, tmp_path: Path
) -> None:
    (inbox / "a.csv").symlink_to(tmp_path / "a.csv")
    for _ in range(2):
        assert ingest().exit_code == 2, "it is tried each time"
    (failed,) = here("status", "--db", store, "--json").document["failed"]
    assert failed["path"].endswith("a.csv")
    assert failed["error"]["message"] == "No such file or directory"
    assert asked(store, "SELECT count(*) FROM guard.seen") == [(1,)], "the same failure is noted once"
    write("b.csv").rename(tmp_path / "a.csv")
    assert ingest().exit_code == 0
    assert here("status", "--db", store, "--json").document["failed"] == []


def test_a_pipe_never_blocks_the_job(ingest: Cli, inbox: Path, write: Write) -> None:
    os.mkfifo(inbox / "pipe.csv")
    write("a.csv")
    found = {Path(entry["export"]["path"]).name: entry for entry in entries(ingest("--json").stdout)}
    assert found["pipe.csv"]["error"]["message"] == "this is no regular file"
    assert found["a.csv"]["ingest"] == "added"


@pytest.mark.skipif(sys.platform != "linux", reason="a file that nobody can read is taken from /proc")
def test_what_cannot_be_read_is_listed(ingest: Cli, inbox: Path, write: Write) -> None:
    (inbox / "a.csv").symlink_to("/proc/self/mem")
    write("b.csv")
    done = ingest("--json")
    assert [entry["ingest"] for entry in entries(done.stdout)] == ["failed", "added"]
    assert entries(done.stdout)[0]["error"]["message"] == "Input/output error"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_listed(ingest: Cli, inbox: Path, write: Write) -> None:
    write("a.csv").chmod(0)
    write("closed/b.csv", first=50).parent.chmod(0)
    try:
        found = entries(ingest("--json").stdout)
    finally:
        (inbox / "closed").chmod(0o700)
    assert [entry["ingest"] for entry in found] == ["failed", "failed"]
    assert "Permission denied" in found[0]["error"]["message"]


def test_what_is_no_export_is_left_alone(inbox: Path, write: Write) -> None:
    for name in (
        ".hidden.csv",
        "a.csv.part",
        "b.csv.tmp",
        "c.csv~",
        "x.duckdb",
        "x.duckdb.wal",
        "~$open.xlsx",
        "a.csv.done",
    ):
        (inbox / name).write_text("x")
    write("a.csv")
    assert [found.path.name for found in scan(inbox)] == ["a.csv"]


def test_a_file_settles_by_its_age_its_marker_or_by_being_watched(inbox: Path, write: Write) -> None:
    path = write("a.csv")
    settling = Settling(0.05)
    os.utime(path, (1e9, 1e9))
    assert settling.settled(look(path))
    os.utime(path)
    assert not Settling(60).settled(look(path))
    (inbox / "a.csv.done").touch()
    assert Settling(60).settled(look(path))
    (inbox / "a.csv.done").unlink()
    future = path.stat().st_mtime + 1e6
    os.utime(path, (future, future))
    assert not settling.settled(look(path))
    while settling.soonest() > 0:
        pass
    assert settling.settled(look(path))


def test_a_fresh_file_is_waited_for_in_the_same_run(ingest: Cli, store: Path, write: Write) -> None:
    write("a.csv")
    done = ingest("--json", settle=0.3)
    assert [entry["ingest"] for entry in entries(done.stdout)] == ["added"]


GROW = """
import sys, time
with open(sys.argv[1], "a", buffering=1) as file:
    for number in range(10**9):
        file.write(f"SN-9{number:07d},FIX-01,4.99\\n")
        if number == 5:
            print("growing", flush=True)
"""


def test_a_file_that_grows_is_left_for_the_next_run(ingest: Cli, inbox: Path, store: Path, write: Write) -> None:
    path = write("grows.csv")
    write("b.csv", first=50)
    with subprocess.Popen([sys.executable, "-c", GROW, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        done = ingest("--json", settle=0.2)
        writer.kill()
    found = {Path(entry["export"]["path"]).name: entry for entry in entries(done.stdout)}
    assert found["grows.csv"]["ingest"] == "skipped"
    assert found["grows.csv"]["reason"] == "it is still being written"
    assert found["b.csv"]["ingest"] == "added"
    assert done.exit_code == 0
    assert asked(store, "SELECT path FROM guard.exports") == [(str(inbox / "b.csv"),)]


def test_the_summary_counts_all_files_that_still_grow_and_names_some() -> None:
    summary, counts = Summary(), Counts()
    for number in range(SHOWN + 5):
        entry = told.growing(Found(Path(f"/inbox/{number}.csv")))
        summary.add(entry)
        counts.add(entry)
    lines = summary.text(counts, "store.duckdb").splitlines()
    assert lines[1] == f"still being written: {SHOWN + 5}"
    assert lines[2] == "  /inbox/0.csv: it is still being written; the next run takes it"
    assert lines[-1] == "  and 5 more"


def test_a_clock_that_goes_back_stops_nothing(ingest: Cli, store: Path, write: Write) -> None:
    path = write("a.csv")
    os.utime(path, (4e9, 4e9))
    assert [entry["ingest"] for entry in entries(ingest("--json", settle=0.1).stdout)] == ["added"]
    assert [entry["ingest"] for entry in entries(ingest("--json", settle=0.1).stdout)] == ["skipped"]


def test_many_files_that_are_known_cost_little(ingest: Cli, inbox: Path, store: Path, write: Write) -> None:
    first = write("0.csv")
    for number in range(1, 3000):
        os.link(first, inbox / f"{number}.csv")
    assert len(entries(ingest("--json").stdout)) == 3000
    assert asked(store, "SELECT count(*) FROM guard.exports") == [(1,)]
    assert {entry["ingest"] for entry in entries(ingest("--json").stdout)} == {"skipped"}
