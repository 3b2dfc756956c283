"""What a cluster costs and gives: small and large exports on this machine, and on 1 and 2 workers on loopback.

    python tests/perf/bench_cluster.py [SMALL] [LARGE]

SMALL exports of 20 rows (400) and LARGE ones of 1,000,000 rows (3), into a DuckDB file and into Delta tables. For each
run: exports a second by the clock, and milliseconds of processor an export of the command itself and of the workers.
What the command itself spends an export is what no number of workers takes away: from it follows the last column, the
exports a second at which more workers are of no use, and from both how many workers that is. More machines then mean
more commands: last come two writers on one Delta store, and what each step of a commit takes there.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench_ingest import LARGE_ROWS, ROWS, inbox_in, ingest, make

from bench.store.delta.writer import Writer
from bench.store.ingest import Ingestion
from bench.store.told import Wish

ADDRESS = "tcp://127.0.0.1:18786"
_TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def cluster(folder: Path, number: int) -> Iterator[list[int]]:
    """Run a scheduler and workers; give the workers' process numbers."""
    dask = [sys.executable, "-m", "dask"]
    more = ["--host", "127.0.0.1", "--no-dashboard"]
    commands = [[*dask, "scheduler", "--port", ADDRESS.rpartition(":")[2], *more]]
    commands += [[*dask, "worker", ADDRESS, "--nthreads", "1", "--no-nanny", *more]] * number
    with (folder / "cluster.log").open("ab") as log:
        begun = [subprocess.Popen(command, stdout=log, stderr=log) for command in commands]
    try:
        yield [process.pid for process in begun[1:]]
    finally:
        for process in begun:
            process.kill()
        for process in begun:
            process.wait()


def processor(pids: list[int]) -> float:
    """Return the seconds of processor that processes have had."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / _TICKS


def place(folder: Path, kind: str, name: str) -> Path:
    """Return a store of a kind that is not there yet."""
    name = f"store-{name}"
    return folder / f"{name}.duckdb" if kind == "duckdb" else Path(f"delta:{folder / name}")


def told(what: str, number: int, seconds: float, own: float, workers: float = 0.0) -> None:
    """Print a line. `own` and `workers`: seconds of processor."""
    bound = f"; bound {number / own:.1f} exports/s, {(own + workers) / own:.1f} workers" if workers else ""
    print(
        f"{what}: {number / seconds:.2f} exports/s; {own / number * 1000:.1f} ms of processor an export here, "
        f"{workers / number * 1000:.1f} ms on the workers{bound}",
        flush=True,
    )


def run(folder: Path, name: str, number: int, rows: int) -> None:
    """Measure exports of a size."""
    inbox = inbox_in(folder, name)
    make(inbox, 0, number, rows)
    idle = inbox_in(folder, f"{name}-idle")
    for kind in ("duckdb", "delta"):
        _, start = ingest(idle, place(folder, kind, f"{name}-idle"))
        for jobs in (1, 2):
            seconds, own = ingest(inbox, place(folder, kind, f"{name}-{jobs}"), "--jobs", str(jobs))
            told(f"{name}, {kind}, here, {jobs} jobs", number, seconds, own - start)
        for workers in (1, 2):
            with cluster(folder, workers) as pids:
                _, start_there = ingest(idle, place(folder, kind, f"{name}-idle"), "--cluster", ADDRESS)
                time.sleep(1)  # until the second worker has joined
                before = processor(pids)
                store = place(folder, kind, f"{name}-cluster-{workers}")
                seconds, own = ingest(inbox, store, "--cluster", ADDRESS)
                there = processor(pids) - before
            told(f"{name}, {kind}, {workers} workers", number, seconds, own - start_there, there)


def writers(folder: Path, number: int) -> None:
    """Measure what one and two writers bring into one Delta store, each from an inbox of its own."""
    for several in (1, 2):
        inboxes = [inbox_in(folder, f"writer-{several}-{each}") for each in range(several)]
        for each, inbox in enumerate(inboxes):
            make(inbox, each * number, number, ROWS)
        store = place(folder, "delta", f"writers-{several}")
        before, began = own_processor(), time.perf_counter()
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda inbox: ingest(inbox, store), inboxes))  # noqa: B023 - all are done here
        seconds, spent = time.perf_counter() - began, own_processor() - before
        told(f"{several} writers, delta", several * number, seconds, spent)


def steps(folder: Path, number: int) -> None:
    """Measure what each step of a commit to Delta tables takes, where nobody else writes."""
    inbox = inbox_in(folder, "steps")
    make(inbox, 0, number, ROWS)
    spent: dict[str, list[float]] = {}

    def timed(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: Any, **more: Any) -> object:
            began = time.perf_counter()
            try:
                return function(*arguments, **more)
            finally:
                spent.setdefault(name, []).append(time.perf_counter() - began)

        return call

    for name, what in (("_write_claims", "claim"), ("_write_files", "bytes"), ("_write_texts", "texts"),
                       ("_write_rows", "rows"), ("_advance", "look for other claims")):  # fmt: skip
        setattr(Writer, name, timed(what, getattr(Writer, name)))
    with Ingestion(Wish(inbox, str(place(folder, "delta", "steps")), inbox / "board.toml")) as run:
        added = sum(entry.ingest == "added" for entry in run.once())
    commits = len(spent["claim"])
    times = ", ".join(f"{what} {sum(each) / len(each) * 1000:.0f} ms" for what, each in spent.items())
    print(f"a commit to Delta of {added / commits:.0f} exports: {times}", flush=True)


def own_processor() -> float:
    """Return the seconds of processor that the commands have had."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def main() -> None:
    """Measure both sizes."""
    given = [int(text) for text in sys.argv[1:]]
    small, large = given + [400, 3][len(given) :]
    with tempfile.TemporaryDirectory() as name:
        for what, number, rows in (("small", small, ROWS), ("large", large, LARGE_ROWS)):
            if number:
                run(Path(name), what, number, rows)
        if small:
            writers(Path(name), small)
            steps(Path(name), small)


if __name__ == "__main__":
    main()
