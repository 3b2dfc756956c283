"""Where the time of a guarded load goes, as a timeline: python tests/perf/phases.py [ROWS]

Each line is one phase of `bench.analyze` on the export of `bench_load.py`, once clean and once with its output column
in millivolts: when it began and ended, and how much processor time the whole process used between (phases overlap:
the export's bytes are hashed and compressed, and raw texts written, beside the rest). The last lines are what bounds
it: DuckDB's own load of the same text into a file, and one column's texts written to a file by DuckDB alone.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import bench_load
import duckdb

import bench
import bench.building
import bench.pipeline
import bench.source

PHASES: tuple[tuple[Any, str, str], ...] = (
    (bench.source.Source, "_pass", "hash and compress the export's bytes"),
    (bench.pipeline, "read", "find the dialect, prove the text plain (the load runs beside it)"),
    (bench.building, "_load", "DuckDB loads the text, counts, numbers the rows"),
    (bench.pipeline, "guard", "judge every column"),
    (bench.building.Build, "_write_files", "write the export's bytes"),
    (bench.building.Build, "_write_texts", "write the texts of changed columns"),
    (bench.building, "_write_main", "change what is to be changed; ledger and comments"),
    (bench.building.Build, "publish", "all of the writing, until both files are in place"),
)


@contextmanager
def watched(said: list[tuple[float, float, float, str]]) -> Iterator[None]:
    """Note the begin, the end and the processor time of each phase while it runs."""
    began = time.perf_counter()

    def around(act: Callable[..., Any], what: str) -> Callable[..., Any]:
        def called(*arguments: Any, **more: Any) -> Any:
            wall, cpu = time.perf_counter() - began, time.process_time()
            try:
                return act(*arguments, **more)
            finally:
                said.append((wall, time.perf_counter() - began, time.process_time() - cpu, what))

        return called

    patches = [patch.object(where, name, around(getattr(where, name), what)) for where, name, what in PHASES]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()


def timeline(export: Path, board: Path, database: Path) -> None:
    """Print the phases of one load."""
    said: list[tuple[float, float, float, str]] = []
    wall, cpu = time.perf_counter(), time.process_time()
    with watched(said):
        bench.analyze(export, board=board, db=database).close()
    for begin, end, used, what in sorted(said):
        print(f"  {begin:5.2f} to {end:5.2f} s  cpu {used:5.2f} s  {what}")
    print(f"  {'':5}    {time.perf_counter() - wall:5.2f} s  cpu {time.process_time() - cpu:5.2f} s  in all")


def bound(what: str, act: Callable[[], object]) -> None:
    """Print what one step costs by itself."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    print(f"  {'':5}    {time.perf_counter() - wall:5.2f} s  cpu {time.process_time() - cpu:5.2f} s  {what}")


def main(rows: int) -> None:
    """Print both timelines and the bounds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clean, board, wrong = folder / "clean.csv", folder / "board.toml", folder / "wrong.csv"
        bench_load.write_export(clean, rows)
        board.write_text(bench_load.BOARD)
        millivolts = f"SELECT * REPLACE (round(vout_v * 1000, 2) AS vout_v) FROM read_csv('{clean}')"
        duckdb.sql(f"COPY ({millivolts}) TO '{wrong}' (HEADER)")
        for export in (clean, wrong):
            for _ in range(2):
                print(f"{export.name}, {rows:,} rows")
                timeline(export, board, folder / "x.duckdb")
        print("bounds")
        with duckdb.connect(folder / "alone.duckdb") as con:
            bound("DuckDB's own load", lambda: con.execute(f"CREATE TABLE t AS FROM read_csv('{clean}')"))
            texts = f"SELECT vout_v FROM read_csv('{wrong}', all_varchar = true)"
            made = "CREATE TABLE u (v VARCHAR USING COMPRESSION zstd)"
            con.execute(made)
            bound("one column's texts, by DuckDB", lambda: con.execute(f"INSERT INTO u {texts}"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
