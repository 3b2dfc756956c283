"""Many exports of many kinds, some bad, some growing, some there twice: every row accounted for, as single runs do.

A few of each here; 2,000 of them with MANY_EXPORTS=2000.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bench

from .conftest import asked, entries, frame

Cli = Callable[..., Any]
ROOT = Path(__file__).parents[3]
FIXTURES = sorted(path for path in (ROOT / "fixtures").glob("*/*.csv"))
EXPORTS = int(os.environ.get("MANY_EXPORTS", "40"))
GROW = """
import sys
print("growing", flush=True)
with open(sys.argv[1], "ab", buffering=0) as file:
    while True:
        file.write(b"A,1\\n")
"""


@pytest.fixture
def many(inbox: Path) -> tuple[list[Path], list[Path]]:
    """Exports that differ by repeated last rows, each kind in its folder; and copies of some of them."""
    chance = random.Random(2026)
    made, copies = [], []
    (inbox / "board.toml").unlink()
    for number in range(EXPORTS):
        source = FIXTURES[number % len(FIXTURES)]
        folder = inbox / source.parent.name / str(number)
        folder.mkdir(parents=True)
        beside = source.parent / "board.toml"
        if beside.exists():
            shutil.copy(beside, folder / "board.toml")
        data = source.read_bytes()
        last = data.rstrip(b"\r\n").rsplit(b"\n", 1)[-1].rstrip(b"\r") + (b"\r\n" if b"\r\n" in data else b"\n")
        path = folder / source.name
        path.write_bytes(data + last * (number // len(FIXTURES)))
        os.utime(path, (1.7e9 + number, 1.7e9 + number))
        made.append(path)
        if chance.random() < 0.1:
            copy = folder / f"copy-{source.name}"
            shutil.copy(path, copy)
            copies.append(copy)
    return made, copies


def test_many_exports_of_many_kinds(here: Cli, inbox: Path, store: Path, many: tuple[list[Path], list[Path]]) -> None:
    assert len({path.parent for path in FIXTURES}) >= 15
    made, copies = many
    bad = [inbox / f"bad-{number}.csv" for number in range(max(1, EXPORTS // 50))]
    for number, path in enumerate(bad):
        path.write_bytes(b"\x00\x01\x02" + bytes([number]))
    grows = inbox / "grows.csv"
    grows.write_text("serial,vout_v\n")
    with subprocess.Popen([sys.executable, "-c", GROW, str(grows)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        done = here("ingest", inbox, "--db", store, "--settle", 0.3, "--jobs", 2, "--json")
        writer.kill()
    found = {Path(entry["export"]["path"]): entry for entry in entries(done.stdout)}
    kinds = {"added": {*made}, "skipped": {*copies, grows}, "failed": {*bad}}
    for kind, paths in kinds.items():
        assert {path for path, entry in found.items() if entry["ingest"] == kind} == paths
    for path in made:
        with bench.analyze(path) as analysis:
            entry = found[path]
            assert entry["guard"] == analysis.guard.to_dict(), path
            for table in analysis.tables:
                rows = frame(store, f'SELECT * FROM "{table}" WHERE _export = {entry["key"]} ORDER BY _row')
                alone = analysis.table(table)
                mine = rows.select(column for column in rows.columns if column in alone.columns)
                others = set(alone.columns) - set(mine.columns)
                assert mine.height == alone.height
                if not others and mine.schema == alone.schema:
                    assert mine.select(alone.columns).equals(alone), path
    counts = asked(
        store, "SELECT count(DISTINCT export), sum(rows_read), sum(rows_kept + rows_quarantined) FROM guard.exports"
    )
    read = sum(table["rows_read"] for path in made for table in found[path]["guard"]["tables"])
    assert counts == [(len(made), read, read)]
    for name, rows in asked(store, "SELECT table_name, sum(rows_kept) FROM guard.exports GROUP BY ALL"):
        assert asked(store, f'SELECT count(*) FROM "{name}"') == [(rows,)]
    quarantined = asked(store, "SELECT count(*) FROM guard.quarantine")
    assert quarantined == asked(store, "SELECT sum(rows_quarantined)::BIGINT FROM guard.exports")
