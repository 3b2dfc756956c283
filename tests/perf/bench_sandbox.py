"""The sandbox's figures beside each other in one run: python tests/perf/bench_sandbox.py [ROUNDS]

`sandbox`: from `Sandbox()` to the answer of the first snippet, no tables, all layers. `bare`: Deno loading the same
memory snapshot from the same files and adding 1 and 1, with a compile cache of its own and no permission taken away.
`usual`: the same without the snapshot, as Pyodide is started usually. `monty` and `smolagents` are measured where they
can be imported (`pip install pydantic-monty smolagents` into an environment of their own). What they do not isolate:
monty runs its own interpreter, a part of Python without DuckDB, in a worker process that keeps its user's rights, so
the interpreter is the only boundary; smolagents' local executor walks the syntax tree on the host's own objects under
lists of allowed names, with the host's memory, files and network behind them, and bounds no memory. `cpython_process`:
a plain interpreter in a process of its own isolates nothing but crashes: the unsafe limit.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from runner import Image, Sandbox, install_image
from runner.image import deno_binary

SCRIPT = """
import { loadPyodide } from "./pyodide.mjs";
import createPyodideModule from "./pyodide.asm.mjs";
const here = new URL(".", import.meta.url).pathname;
const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
const options = { indexURL: here, packageBaseUrl: here, createPyodideModule, lockFileContents: { info, packages: {} } };
if (Deno.args[0] === "snapshot") options._loadSnapshot = Deno.readFileSync(here + "snapshot.bin");
const python = await loadPyodide(options);
console.log(python.runPython("1 + 1"));
"""
MILLION = "select range as a, range * 1.5e0 as b, range % 7 as c, {fourth} as d from range(1000000)"
FETCH = "import time\nt = time.perf_counter()\nn = len(con.sql({sql!r}).fetchall())\n[n, time.perf_counter() - t]"
SQL = "SELECT serial, avg(vout), quantile_cont(iout, 0.9) FROM log GROUP BY serial ORDER BY 2 LIMIT 5"
TIMED_SQL = f"import time\nt = time.perf_counter()\ncon.sql({SQL!r}).fetchall()\ntime.perf_counter() - t"
WARM_UP = 20  # V8 compiles what the first runs needed anew, better, while they go on
WORK = "x = 0\nfor n in range(3_000_000): x += n\nx"
SMALL = "sum([v * v for v in [4.98, 4.97, 5.01]]) / 3"


def seconds(act: Callable[[], object]) -> float:
    """How long one call takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def first_answer(image: Image, database: Path | None = None, *, code: str = "1 + 1", **options: Any) -> float:
    """Seconds from the start of a sandbox to the answer of its first snippet; its end is not counted."""
    began = time.perf_counter()
    with Sandbox(database, image=image, **options) as sandbox:
        run = sandbox.run(code)
        took = time.perf_counter() - began
        assert run.value in (2, 5_000_000), run
    return took


def first_query(image: Image, database: Path) -> float:
    """Seconds to the first answer of a sandbox with a database."""
    return first_answer(image, database, code="con.sql('select count(*) from log').fetchone()[0]")


def bare(folder: Path, how: str) -> float:
    """Seconds until Deno, with Pyodide and nothing of ours, has answered."""
    command = [str(deno_binary()), "run", "--no-prompt", "--allow-read=.", "bare.mjs", how]
    environment = {"DENO_DIR": str(folder / "deno"), "DENO_NO_UPDATE_CHECK": "1"}
    began = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        answer = process.stdout.readline()
        took = time.perf_counter() - began
    assert answer.strip() == "2"
    return took


@contextmanager
def bare_folder(image: Image) -> Iterator[Path]:
    """The image's files beside a script of a few lines, its compile cache filled."""
    folder = Path(tempfile.mkdtemp())
    try:
        for path in image.path.glob("*"):
            if path.is_file():
                same = path.stat().st_dev == folder.stat().st_dev
                os.link(path, folder / path.name) if same else shutil.copy(path, folder)
        (folder / "bare.mjs").write_text(SCRIPT)
        for how in ("snapshot", "snapshot", "usual"):
            bare(folder, how)
        yield folder
    finally:
        shutil.rmtree(folder)


def make_database(path: Path) -> None:
    """A table of 5 million rows, about 70 MB."""
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{path}' AS made (STORAGE_VERSION 'v1.4.0')")
        con.execute(
            "CREATE TABLE made.log AS SELECT range::INTEGER AS _row, 4.9 + random() / 10 AS vout, random() AS iout, "
            "'SN' || (range % 5000) AS serial FROM range(5000000)"
        )


def starts(image: Image, database: Path, rounds: int) -> dict[str, float]:
    """Median seconds of every kind of start, taken in turns."""
    with bare_folder(image) as folder:
        acts: dict[str, Callable[[], float]] = {
            "sandbox_s": lambda: first_answer(image),
            "bare_snapshot_s": lambda: bare(folder, "snapshot"),
            "deno_alone_s": lambda: first_answer(image, layers=("deno",)),
            "usual_pyodide_s": lambda: bare(folder, "usual"),
            "with_database_s": lambda: first_query(image, database),
        }
        found: dict[str, list[float]] = {name: [] for name in acts}
        for _ in range(rounds):
            for name, act in acts.items():
                found[name].append(act())
    return {name: statistics.median(times) for name, times in found.items()}


def session(image: Image) -> dict[str, float]:
    """What a running session costs."""
    with Sandbox(image=image, seed=None) as sandbox:
        sandbox.run("1")
        idle = sandbox._session.resident_mb if sandbox._session else None
        for _ in range(WARM_UP):
            sandbox.run("1 + 1")
        warm = statistics.median(seconds(lambda: sandbox.run("1 + 1")) for _ in range(200))
        sandbox.run("con.sql('select 1').fetchall()")
        own = sandbox._session.resident_mb if sandbox._session else None
        numbers = sandbox.run(FETCH.format(sql=MILLION.format(fourth="range * 2"))).value
        texts = sandbox.run(FETCH.format(sql=MILLION.format(fourth="'SN' || range"))).value
    return {
        "warm_run_ms": warm * 1000,
        "idle_mb": idle or 0,
        "idle_with_engine_mb": own or 0,
        "million_by_four_numbers_s": numbers[1],
        "million_by_four_with_text_s": texts[1],
    }


def engine(image: Image, database: Path, rounds: int) -> dict[str, float]:
    """The same query in the sandbox and by DuckDB itself on one thread, the table in memory in both."""
    with Sandbox(database, image=image, seed=None) as sandbox, duckdb.connect(config={"threads": 1}) as con:
        con.execute(f"ATTACH '{database}' AS made (READ_ONLY)")
        con.execute("USE made")
        inside = [float(sandbox.run(TIMED_SQL).value) for _ in range(rounds + 1)][1:]
        native = [seconds(lambda: con.execute(SQL).fetchall()) for _ in range(rounds + 1)][1:]
    return {
        "sql_s": statistics.median(inside),
        "sql_to_native": statistics.median(inside) / statistics.median(native),
    }


def side_by_side(image: Image, rounds: int) -> dict[str, float]:
    """A calculation in one sandbox, and in two at once: how many times as long both take."""
    with Sandbox(image=image) as one, Sandbox(image=image) as other, ThreadPoolExecutor(2) as pool:
        for sandbox in (one, other):
            sandbox.run(WORK)
        alone, both = [], []
        for _ in range(rounds):
            alone.append(seconds(lambda: one.run(WORK)))
            both.append(seconds(lambda: list(pool.map(lambda each: each.run(WORK), (one, other)))))
    return {"two_at_once_to_one": statistics.median(both) / statistics.median(alone)}


def others() -> dict[str, float | str]:
    """A small calculation elsewhere, from nothing to the answer; see the module's docstring for what they isolate."""
    return {
        "monty_ms": _attempt(_monty),
        "smolagents_ms": _attempt(_smolagents),
        "cpython_process_ms": _attempt(_process),
    }


def _attempt(act: Callable[[], object]) -> float | str:
    try:
        act()
        return statistics.median(seconds(act) for _ in range(20)) * 1000
    except ImportError as error:
        return f"not installed ({error.name})"


def _monty() -> None:
    with importlib.import_module("pydantic_monty").Monty() as pool, pool.checkout() as session:
        session.feed_run(SMALL)


def _process() -> None:
    subprocess.run([sys.executable, "-I", "-S", "-c", f"print({SMALL})"], check=True, capture_output=True)


def _smolagents() -> None:
    executor = importlib.import_module("smolagents.local_python_executor").LocalPythonExecutor([])
    executor.send_tools({})
    executor(SMALL)


def main(rounds: int) -> None:
    """Print the figures."""
    image = install_image()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "log.duckdb"
        make_database(database)
        figures: dict[str, float | str] = {"database_mb": database.stat().st_size / 2**20}
        figures |= starts(image, database, rounds)
        figures |= engine(image, database, rounds)
    figures |= side_by_side(image, rounds)
    figures["sandbox_to_bare"] = float(figures["sandbox_s"]) / float(figures["bare_snapshot_s"])
    figures["usual_to_sandbox"] = float(figures["usual_pyodide_s"]) / float(figures["sandbox_s"])
    figures |= session(image)
    figures |= others()
    shown = {name: round(value, 3) if isinstance(value, float) else value for name, value in figures.items()}
    sys.stdout.write(json.dumps(shown, indent=1) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
