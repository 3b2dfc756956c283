"""`bench-analyze` on an export of 18 rows with a snippet, against the sandbox's own cold start with the same tables.

    python tests/perf/bench_command.py [ROUNDS]

Both sides are whole processes, alternating; medians and their ratio are printed. The ratio must stay at or below 1.5:
the reading, judging and writing hide behind the sandbox's start, or are short.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bench

ROOT = Path(__file__).parents[2]
EXPORT = ROOT / "fixtures" / "retest_mv" / "retest-2026-10-30.csv"
CODE = "con.sql('select avg(value_v) from retest').fetchone()[0]"
SANDBOX = """
import sys
from pathlib import Path
from runner import Sandbox
with Sandbox(database=Path(sys.argv[1])) as sandbox:
    assert sandbox.run(sys.argv[2]).ok
"""


def timed(*command: str) -> float:
    """Return the seconds that a command took."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, capture_output=True, cwd=ROOT)
    return time.perf_counter() - start


def main() -> None:
    """Print both medians and the ratio."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "retest.duckdb"
        bench.analyze(EXPORT, db=database).close()
        receipt = str(Path(folder) / "receipt.json")
        ours, sandbox = [], []
        for _ in range(rounds):
            sandbox.append(timed("-c", SANDBOX, str(database), CODE))
            ours.append(timed("-m", "bench", str(EXPORT), "-c", CODE, "--receipt", receipt))
    for name, seconds in (("sandbox", sandbox), ("bench-analyze", ours)):
        print(f"{name}: median {statistics.median(seconds):.2f} s of {rounds}")
    print(f"ratio {statistics.median(ours) / statistics.median(sandbox):.2f} (at most 1.5)")


if __name__ == "__main__":
    main()
