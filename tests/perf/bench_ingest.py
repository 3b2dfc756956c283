"""What a store costs: exports and rows a second, what an export costs as the store grows, and how large the store is.

    python tests/perf/bench_ingest.py [SMALL] [LARGE] [GROWTH]

SMALL exports of 20 rows (400) and LARGE ones of 1,000,000 rows (3), each by one and by two processes; then GROWTH
exports (2,000; in full 20,000) in ten steps into one store, where the dearest of the last nine steps must not cost more
than 1.5 times the second. Times are those of whole commands; processor seconds stand beside them, since other work on
the machine does not change those as much.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from bench_load import BOARD

ROWS, LARGE_ROWS, STEPS = 20, 1_000_000, 10


def make(folder: Path, first: int, number: int, rows: int) -> int:
    """Write exports, every fifth in millivolts, and return their bytes."""
    size = 0
    for export in range(first, first + number):
        chance = pl.int_range(rows, eager=True).hash(seed=export)
        scale = 1000 if export % 5 == 0 else 1
        frame = pl.DataFrame(
            {
                "serial": "SN-" + (pl.int_range(rows, eager=True) + export * rows).cast(pl.String),
                "fixture": "FIX-0" + (chance % 4).cast(pl.String),
                "vin_v": (24 + (chance % 997) / 1000).round(3),
                "vout_v": ((4.96 + (chance % 811) / 10_000) * scale).round(4),
                "result": "PASS",
            }
        )
        path = folder / f"{export}" / "final-test.csv"
        path.parent.mkdir(parents=True)
        frame.write_csv(path)
        os.utime(path, (1e9, 1e9))
        size += path.stat().st_size
    return size


def ingest(inbox: Path, store: Path, *more: str) -> tuple[float, float]:
    """Run the command; return seconds by the clock and of the processor."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "bench",
        "ingest",
        str(inbox),
        "--db",
        str(store),
        "--board",
        str(inbox / "board.toml"),
    ]
    subprocess.run([*command, *more], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def inbox_in(folder: Path, name: str) -> Path:
    inbox = folder / name
    inbox.mkdir()
    (inbox / "board.toml").write_text(BOARD)
    return inbox


def rates(folder: Path, name: str, number: int, rows: int) -> None:
    inbox = inbox_in(folder, name)
    size = make(inbox, 0, number, rows)
    for jobs in (1, 2):
        store = folder / f"{name}-{jobs}.duckdb"
        seconds, processor = ingest(inbox, store, "--jobs", str(jobs))
        again, _ = ingest(inbox, store)
        raw = store.with_name(f"{store.stem}.raw.duckdb")
        print(
            f"{name}: {number} exports of {rows} rows, {jobs} jobs: {number / seconds:.2f} exports/s, "
            f"{number * rows / seconds:,.0f} rows/s, {processor / number * 1000:.1f} ms of processor an export; "
            f"nothing new {again:.2f} s; exports {size / 1e6:.1f} MB, store {store.stat().st_size / 1e6:.1f} MB, "
            f"raw {raw.stat().st_size / 1e6:.1f} MB",
            flush=True,
        )


def growth(folder: Path, number: int) -> None:
    inbox, store = inbox_in(folder, "growth"), folder / "growth.duckdb"
    step, costs = number // STEPS, []
    size = 0
    for first in range(0, step * STEPS, step):
        size += make(inbox, first, step, ROWS)
        seconds, processor = ingest(inbox, store)
        costs.append(processor / step)
        raw = store.with_name(f"{store.stem}.raw.duckdb")
        print(
            f"growth: {first:6d} to {first + step}: {seconds / step * 1000:.1f} ms, {processor / step * 1000:.1f} ms "
            f"of processor an export; exports {size / 1e6:.2f} MB, store {store.stat().st_size / 1e6:.1f} MB, "
            f"raw {raw.stat().st_size / 1e6:.1f} MB",
            flush=True,
        )
    print(f"growth: the dearest step costs {max(costs[1:]) / costs[1]:.2f} times the second (at most 1.5)")


def main() -> None:
    given = [int(text) for text in sys.argv[1:]]
    small, large, grown = given + [400, 3, 2000][len(given) :]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if small:
            rates(folder, "small", small, ROWS)
        if large:
            rates(folder, "large", large, LARGE_ROWS)
        if grown:
            growth(folder, grown)


if __name__ == "__main__":
    main()
