"""All figures in one table, each a ratio against a peer or a limit measured beside it in the same run.

    python tests/perf/suite.py [--rows 1000000] [--rounds 3] [--only load,guarding,checks,sandbox,command,growth]
                               [--peers FOLDER] [--json FILE] [--baseline FILE]

The peers (pandera alone, dataframely, Pointblank, Great Expectations, pint-pandas) live in a virtual environment of
their own, made in FOLDER on first use; without `--peers` they are left out, and the table says so. `--json` keeps the
figures with the machine's description; `--baseline` sets them beside those of an earlier file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench_load import BOARD, DUCKDB, OURS, TIMED

HERE = Path(__file__).parent
PEERS = ("pandera", "dataframely", "pointblank", "great_expectations", "pint_pandas")
PACKAGES = (
    "pandera[polars]>=0.35,<1", "dataframely>=3,<4", "pointblank>=1.1,<2", "great_expectations>=1.24,<2",
    "pint-pandas>=0.8,<1", "polars>=2,<3", "pandas>=3,<4", "pyarrow",
)  # fmt: skip
SIZES = (10_000, 100_000, 1_000_000, 5_000_000, 10_000_000)
EXPORTS = (10, 100, 1000)
POLARS = """
import polars as pl
pl.scan_csv(sys.argv[1]).sink_parquet(sys.argv[3])
"""
WRITE = """
import sys, pathlib, bench_load, polars as pl
path = pathlib.Path(sys.argv[1])
bench_load.write_export(path, int(sys.argv[2]))
if int(sys.argv[3]):
    pl.scan_csv(path).with_columns((pl.col("vout_v") * 1000).round(2)).collect().write_csv(path)
"""
WIDE = """
import sys, polars as pl
columns, rows = int(sys.argv[2]), int(sys.argv[3])
i = pl.int_range(rows)
values = {f"vout{n}_v": (4.95 + (i * 7919 + n * 31) % 1000 / 10000).round(5) for n in range(columns)}
pl.select(serial=pl.format("SN-{}", i), **values).write_csv(sys.argv[1])
"""
SEGMENTED = """
import sys, polars as pl
i = pl.int_range(100_000)
group = i % int(sys.argv[2])
scale = pl.when(group % 2 == 1).then(1000.0).otherwise(1.0)
value = ((4.95 + i * 7919 % 1000 / 10000) * scale).round(5)
pl.select(serial=pl.format("SN-{}", i), fixture=pl.format("FIX-{}", group), vout_v=value).write_csv(sys.argv[1])
"""
GUARD = """
import json
import bench, bench.pipeline
from guards import guard
took = []
def timed(*given, **named):
    began = time.perf_counter()
    found = guard(*given, **named)
    took.append(time.perf_counter() - began)
    return found
bench.pipeline.guard = timed
with bench.analyze(sys.argv[1], board=sys.argv[2], db=sys.argv[3]) as analysis:
    columns = analysis.guard.tables[0].columns
    start = time.perf_counter() - took[0]
    found = {c.name: c.verdict for c in columns if c.judged}
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table: a ratio, what it is a ratio of, and the goal that it is held against."""

    name: str
    ratio: float
    spread: float
    detail: str
    goal: float | None = None
    at_most: bool = True

    @property
    def met(self) -> str:
        """Whether the goal is met, in a word."""
        if self.goal is None:
            return ""
        return "met" if (self.ratio <= self.goal if self.at_most else self.ratio >= self.goal) else "NOT met"

    def line(self, before: float | None) -> str:
        """The line as text; `before`: the ratio in the baseline."""
        goal = "" if self.goal is None else f"{'at most' if self.at_most else 'at least'} {self.goal:g}"
        than = "" if before is None else f"  was {before:.2f}"
        return f"{self.name:44} {self.ratio:8.2f} ±{self.spread:4.2f}  {goal:13} {self.met:8} {self.detail}{than}"


@dataclass(frozen=True, slots=True)
class Setup:
    """Where a run works: rounds, rows of the larger sections, the peers' Python (or None), a scratch folder."""

    rounds: int
    rows: int
    peers: Path | None
    folder: Path

    @property
    def board(self) -> Path:
        """The board of the exports."""
        path = self.folder / "board.toml"
        path.write_text(BOARD)
        return path

    def export(self, rows: int, *, mislabelled: bool = False) -> Path:
        """Return an export of so many rows; mislabelled: `vout_v` holds millivolts."""
        path = self.folder / f"{'mislabelled' if mislabelled else 'clean'}-{rows}.csv"
        return self._written(path, WRITE, rows, int(mislabelled))

    def wide(self, columns: int, rows: int) -> Path:
        """Return an export of so many columns of volts."""
        return self._written(self.folder / f"wide-{columns}-{rows}.csv", WIDE, columns, rows)

    def segmented(self, segments: int) -> Path:
        """Return an export of as many fixtures and 100,000 rows, those of every other fixture in millivolts."""
        return self._written(self.folder / f"segments-{segments}.csv", SEGMENTED, segments)

    def _written(self, path: Path, code: str, *numbers: int) -> Path:
        """Write a file in a process of its own: this one's memory would count as the peak of those that it starts."""
        if not path.exists():
            command = [sys.executable, "-c", code, str(path), *map(str, numbers)]
            subprocess.run(command, check=True, cwd=HERE)
        return path


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Return the ratio of the medians, and half the distance of the extreme ratios of a round."""
    each = [a / b for a, b in zip(ours, theirs, strict=True)]
    return statistics.median(ours) / statistics.median(theirs), (max(each) - min(each)) / 2


def run(work: str, *arguments: Path, python: Path | str = sys.executable) -> tuple[float, float]:
    """Return seconds and peak megabytes of one run in a fresh process (imports count)."""
    for path in arguments[2:]:
        for old in path.parent.glob(f"{path.stem}*"):
            old.unlink()
    command = [str(python), "-c", TIMED.format(work=work), *map(str, arguments)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(out[0]), float(out[1])


def in_turns(rounds: int, *acts: Callable[[], tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """Return what each act gave in each round; the acts take turns, so that the machine's mood cancels out."""
    found: list[list[tuple[float, float]]] = [[] for _ in acts]
    for _ in range(rounds):
        for act, kept in zip(acts, found, strict=True):
            kept.append(act())
    return found


def load(setup: Setup) -> Iterator[Figure]:
    """An export to the finished DuckDB file, against DuckDB's own load and polars' scan to Parquet."""
    out = setup.folder / "out.duckdb"
    for mislabelled in (False, True):
        export = setup.export(setup.rows, mislabelled=mislabelled)
        sides = [partial(run, work, export, setup.board, out) for work in (OURS, DUCKDB, POLARS)]
        ours, duckdb, polars = in_turns(setup.rounds, *sides)
        seconds = [[s for s, _ in side] for side in (ours, duckdb, polars)]
        peaks = [max(peak for _, peak in side) for side in (ours, duckdb)]
        kind = "mislabelled" if mislabelled else "clean"
        about = f"{statistics.median(seconds[0]):.2f} s, {setup.rows:,} x 7, {kind}"
        yield Figure(f"load, {kind} / DuckDB", *ratio(seconds[0], seconds[1]), about, 1.3 if mislabelled else 1.8)
        yield Figure(f"load, {kind} / polars to Parquet", *ratio(seconds[0], seconds[2]), about)
        yield Figure(f"peak memory, {kind} / DuckDB", peaks[0] / peaks[1], 0.0, f"{peaks[0]:.0f} MB", 1.2)


def guarding(setup: Setup) -> Iterator[Figure]:
    """What the guard takes of a load, what a correction costs, and many columns against many rows."""
    out = setup.folder / "out.duckdb"
    clean, wrong = (setup.export(setup.rows, mislabelled=each) for each in (False, True))
    sides = [partial(run, work, export, setup.board, out)
             for export in (clean, wrong) for work in (OURS, GUARD)]  # fmt: skip
    whole, own, whole_wrong, own_wrong = ([s for s, _ in side] for side in in_turns(setup.rounds, *sides))
    for kind, total, part in (("clean", whole, own), ("mislabelled", whole_wrong, own_wrong)):
        without = [a - b for a, b in zip(total, part, strict=True)]
        about = f"{statistics.median(part):.2f} s of {statistics.median(total):.2f} s"
        yield Figure(f"guard / the rest of the load, {kind}", *ratio(part, without), about, 0.4)
    yield Figure("load, mislabelled / clean", *ratio(whole_wrong, whole), "raw texts kept, values changed")
    few, many = setup.wide(20, 100_000), setup.wide(2000, 1000)
    for name, work in (("whole load", OURS), ("guard alone", GUARD)):
        sides = [partial(run, work, export, setup.board, out) for export in (many, few)]
        taken = [[s for s, _ in side] for side in in_turns(setup.rounds, *sides)]
        about = f"{statistics.median(taken[0]):.2f} s and {statistics.median(taken[1]):.2f} s"
        yield Figure(f"2,000 x 1,000 / 20 x 100,000, {name}", *ratio(*taken), about, 3.0)


def checks(setup: Setup) -> Iterator[Figure]:
    """The same range rules by other tools, on the mislabelled export: what they take, and what they find."""
    if setup.peers is None:
        return
    export, out = setup.export(setup.rows, mislabelled=True), setup.folder / "out.duckdb"
    whole = partial(run, OURS, export, setup.board, out)
    alone = partial(run, GUARD, export, setup.board, out)
    ours, guard = in_turns(setup.rounds, whole, alone)
    for name in PEERS:
        found = [_peer(setup, name, export) for _ in range(setup.rounds)]
        rows = found[0]["failed"].get("vout_v", 0)
        about = f"{found[0]['check_s']:.2f} s to check, {found[0]['peak_mb']:.0f} MB; says {rows} rows of vout_v fail"
        goal = {"great_expectations": (20.0, False), "pandera": (1.5, True)}.get(name, (None, True))
        own, theirs = [s for s, _ in guard], [each["check_s"] for each in found]
        pair = (own, theirs) if goal[1] else (theirs, own)
        words = "guard / checks of" if goal[1] else "checks / guard of"
        yield Figure(f"{words} {name}", *ratio(*pair), about, *goal)
        total = [each["load_s"] + each["check_s"] for each in found]
        need = 3.0 if name in ("great_expectations", "pint_pandas") else None
        yield Figure(f"whole path: {name} / ours", *ratio(total, [s for s, _ in ours]), "imports count", need, False)


def _peer(setup: Setup, name: str, export: Path) -> dict[str, Any]:
    command = [str(setup.peers), str(HERE / "peers.py"), name, str(export)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def sandbox(setup: Setup) -> Iterator[Figure]:
    """The sandbox's start and runs; bench_sandbox.py has them all."""
    out = subprocess.run(
        [sys.executable, str(HERE / "bench_sandbox.py"), str(max(3, setup.rounds))],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    found = json.loads(out)
    about = f"{found['sandbox_s']:.2f} s from nothing to the first answer"
    yield Figure("sandbox / bare Deno with the snapshot", found["sandbox_to_bare"], 0.0, about, 1.4)
    usual = 1 / found["usual_to_sandbox"]
    yield Figure("sandbox / Deno and Pyodide without it", usual, 0.0, f"{found['usual_pyodide_s']:.2f} s", 0.45)
    about = f"{found['sql_s']:.2f} s, grouping 5,000,000 rows; both on one thread"
    yield Figure("SQL in the sandbox / DuckDB itself", found["sql_to_native"], 0.0, about)
    yield Figure("two sandboxes at once / one", found["two_at_once_to_one"], 0.0, "a calculation in each")
    process = found["cpython_process_ms"] / 1000
    yield Figure("sandbox / a bare CPython process", found["sandbox_s"] / process, 0.0, "the unsafe limit")
    yield Figure("warm run, ms over the snippet", found["warm_run_ms"], 0.0, "a millisecond count, no ratio", 3.0)


def command(setup: Setup) -> Iterator[Figure]:
    """The command on 18 rows with a snippet, and what imports cost."""
    out = subprocess.run(
        [sys.executable, str(HERE / "bench_command.py"), str(max(3, setup.rounds))],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    yield Figure("18 rows with a snippet / sandbox's start", float(out.split("ratio ")[1].split()[0]), 0.0, "", 1.3)
    out, snippet = setup.folder / "out.duckdb", "con.sql('select avg(vout_v) from \"clean\"').fetchone()[0]"
    for rows in sorted({100_000, setup.rows}):
        export = setup.export(rows)
        whole = ["-m", "bench", str(export), "--board", str(setup.board), "--table", "clean", "-c", snippet, "--quiet"]
        with_snippet, alone = in_turns(
            setup.rounds, partial(_process, whole), partial(run, OURS, export, setup.board, out)
        )
        about = f"{statistics.median(s for s, _ in with_snippet):.2f} s"
        sides = [[s for s, _ in side] for side in (with_snippet, alone)]
        yield Figure(f"{rows:,} rows with a snippet / loading them", *ratio(*sides), about)
    pairs = (("--help / import cyclopts", ["-m", "bench", "--help"], ["-c", "import cyclopts"]),
             ("import bench / import polars", ["-c", "import bench"], ["-c", "import polars"]))  # fmt: skip
    for name, ours, theirs in pairs:
        sides = in_turns(max(5, setup.rounds), partial(_process, ours), partial(_process, theirs))
        yield Figure(name, *ratio(*[[s for s, _ in side] for side in sides]), f"{sides[0][0][0]:.2f} s", 3.0)


def _process(arguments: list[str]) -> tuple[float, float]:
    code = "import subprocess, sys, time\nstart = time.perf_counter()\n"
    code += "subprocess.run([sys.executable, *sys.argv[1:]], check=True, capture_output=True)\n"
    code += "print(time.perf_counter() - start)"
    out = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True).stdout
    return float(out), 0.0


def growth(setup: Setup) -> Iterator[Figure]:
    """How the load grows with rows: the exponent between the sizes, and twice the rows against the largest half."""
    sizes = [size for size in SIZES if size <= max(setup.rows * 2, SIZES[1])]
    out = setup.folder / "out.duckdb"
    taken = []
    for size in sizes:
        ((side),) = in_turns(setup.rounds, partial(run, OURS, setup.export(size), setup.board, out))
        taken.append(statistics.median(s for s, _ in side))
    for (few, short), (many, long) in zip(
        zip(sizes, taken, strict=True), zip(sizes[1:], taken[1:], strict=True), strict=False
    ):
        exponent = math.log(long / short) / math.log(many / few)
        yield Figure(f"growth, {few:,} to {many:,} rows: exponent", exponent, 0.0, f"{short:.2f} to {long:.2f} s", 1.07)
    yield from _grown(setup, "columns", {n: setup.wide(n, 1000) for n in (20, 200, 2000)})
    taken_by = {}
    for count in EXPORTS:
        inbox = setup.folder / f"inbox-{count}"
        inbox.mkdir()
        for number in range(count):
            values = "".join(f"S{number}-{row},{4.9 + row / 100}\n" for row in range(20))
            (inbox / f"soak-{number}.csv").write_text(f"serial,vout_v\n{values}")
        store = setup.folder / f"store-{count}.duckdb"
        job = ["-m", "bench", "ingest", str(inbox), "--db", str(store), "--board", str(setup.board), "--settle", "0"]
        taken_by[count] = _process(job)[0]
    for (few, short), (many, long) in itertools.pairwise(taken_by.items()):
        exponent = math.log(long / short) / math.log(many / few)
        yield Figure(f"growth, {few:,} to {many:,} exports: exponent", exponent, 0.0, f"{short:.2f} to {long:.2f} s")
    yield from _grown(setup, "segments", {n: setup.segmented(n) for n in (10, 100, 1000, 10_000)})


def _grown(setup: Setup, what: str, exports: dict[int, Path]) -> Iterator[Figure]:
    out = setup.folder / "out.duckdb"
    sides = [partial(run, OURS, export, setup.board, out) for export in exports.values()]
    taken = [statistics.median(s for s, _ in side) for side in in_turns(setup.rounds, *sides)]
    pairs = list(zip(exports, taken, strict=True))
    for (few, short), (many, long) in itertools.pairwise(pairs):
        exponent = math.log(long / short) / math.log(many / few)
        yield Figure(f"growth, {few:,} to {many:,} {what}: exponent", exponent, 0.0, f"{short:.2f} to {long:.2f} s")


SECTIONS: dict[str, Callable[[Setup], Iterator[Figure]]] = {
    "load": load, "guarding": guarding, "checks": checks, "sandbox": sandbox, "command": command, "growth": growth,
}  # fmt: skip


def peers_python(folder: Path | None) -> Path | None:
    """Return the Python of the peers' environment, made if it is not there."""
    if folder is None:
        return None
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def machine() -> dict[str, object]:
    """Return what the figures were measured on."""
    return {
        "system": platform.platform(terse=True), "processor": platform.machine(), "cores": os.cpu_count(),
        "python": platform.python_version(), "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }  # fmt: skip


def main() -> None:
    """Print the table line by line as it comes, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--baseline", type=Path)
    options = parser.parse_args()
    before = json.loads(options.baseline.read_text())["figures"] if options.baseline else []
    known = {each["name"]: each["ratio"] for each in before}
    found: list[Figure] = []
    print("  ".join(f"{name} {value}" for name, value in machine().items()), flush=True)
    with tempfile.TemporaryDirectory() as name:
        setup = Setup(options.rounds, options.rows, peers_python(options.peers), Path(name))
        for section in options.only.split(","):
            for figure in SECTIONS[section](setup):
                found.append(figure)
                print(figure.line(known.get(figure.name)), flush=True)
    if options.peers is None:
        print("other tools were left out: --peers FOLDER")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "figures": [asdict(f) for f in found]}, indent=1))


if __name__ == "__main__":
    main()
