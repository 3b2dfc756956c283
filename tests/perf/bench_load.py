"""From a CSV of 5,000,000 rows x 7 columns to the finished DuckDB file, against DuckDB's own load of the same file.

    python tests/perf/bench_load.py [ROWS] [ROUNDS]

Both sides run in processes of their own, alternating; medians and their ratio are printed. The ratio must stay at or
below 1.8 (it counts reading, judging, hashing and compressing the bytes, writing both files).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BOARD = """
[board]
name = "SRB-5030"
[nodes.VIN]
quantity = "voltage"
absolute = ["-0.3 V", "40 V"]
expected = ["9 V", "36 V"]
columns = ["vin_v"]
[nodes.VOUT]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
expected = ["4.9 V", "5.1 V"]
columns = ["vout_v"]
[nodes.IOUT]
quantity = "current"
absolute = ["0 A", "5 A"]
expected = ["0 A", "3 A"]
columns = ["iout_a"]
[nodes.TCASE]
quantity = "temperature"
absolute = ["-55 degC", "150 degC"]
expected = ["-40 degC", "125 degC"]
columns = ["tcase_c"]
"""
TIMED = """
import resource, sys, time
start = time.perf_counter()
{work}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(time.perf_counter() - start, peak)
"""
OURS = """
import bench
bench.analyze(sys.argv[1], board=sys.argv[2], db=sys.argv[3]).close()
"""
DUCKDB = """
import duckdb
con = duckdb.connect(sys.argv[3])
con.execute("set enable_progress_bar = false")
con.execute("create table t as from read_csv(?)", [sys.argv[1]])
con.close()
"""


def write_export(path: Path, rows: int) -> None:
    """Write a long soak of several boards: text, time and four measured columns, units right."""
    import polars as pl  # noqa: PLC0415 - only the process that writes pays for it

    i = pl.int_range(rows)
    frame = pl.select(
        serial=pl.format("SRB5030-2610-{}", (i % 5000).cast(pl.String).str.zfill(4)),
        fixture=pl.format("FIX-{}", i % 7),
        timestamp=(pl.datetime(2026, 10, 1) + pl.duration(seconds=i)).dt.strftime("%Y-%m-%dT%H:%M:%S"),
        vin_v=(24 + (i * 7919 % 1000) / 10000).round(4),
        vout_v=(4.95 + (i * 104729 % 1000) / 10000).round(5),
        iout_a=(1 + (i * 1299709 % 1000) / 1000).round(3),
        tcase_c=(40 + (i * 15485863 % 500) / 10).round(1),
    )
    frame.write_csv(path)


def timed(work: str, *arguments: Path) -> tuple[float, int]:
    """Return seconds and peak megabytes of one run in a fresh process (imports count)."""
    for path in arguments[2:]:
        for old in path.parent.glob(f"{path.stem}*"):
            old.unlink()
    code = TIMED.format(work=work)
    out = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], check=True, capture_output=True, text=True
    ).stdout.split()
    return float(out[0]), int(out[1])


def main() -> None:
    """Print one line for each side, and the ratio."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as folder:
        export, board, database = (Path(folder) / name for name in ("load.csv", "b.toml", "out.duckdb"))
        # In a process of its own: this one's memory would count as its children's peak.
        writing = "import sys, pathlib, bench_load as b; b.write_export(pathlib.Path(sys.argv[1]), int(sys.argv[2]))"
        subprocess.run([sys.executable, "-c", writing, export, str(rows)], check=True, cwd=Path(__file__).parent)
        board.write_text(BOARD)
        ours, duckdb = [], []
        for _ in range(rounds):
            duckdb.append(timed(DUCKDB, export, board, database))
            ours.append(timed(OURS, export, board, database))
        for name, found in (("duckdb", duckdb), ("bench-analyze", ours)):
            seconds, peak = statistics.median(s for s, _ in found), max(p for _, p in found)
            print(f"{name}: {seconds:.2f} s, peak {peak} MB")
        ratio = statistics.median(s for s, _ in ours) / statistics.median(s for s, _ in duckdb)
        size = export.stat().st_size / 1e6
        print(f"{rows} rows x 7 columns, {size:.0f} MB: ratio {ratio:.2f} (at most 1.8)")


if __name__ == "__main__":
    main()
