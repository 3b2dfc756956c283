"""Ratios of the sandbox's start, all measured in one run: python tests/perf/bench_sandbox.py [ROUNDS]

`sandbox`: from `Sandbox()` to the answer of the first snippet, no tables. `bare`: Deno loading the same memory snapshot
from the same files and adding 1 and 1, with a compile cache of its own and no permission taken away. `plain`: the same
without the snapshot.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

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


def seconds(act: Callable[[], None]) -> float:
    """How long one call takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def first_answer(image: Image) -> None:
    """Start a sandbox and run one snippet."""
    with Sandbox(image=image) as sandbox:
        assert sandbox.run("1 + 1").value == 2


def bare(folder: Path, how: str) -> None:
    """Start Deno with Pyodide and nothing of ours."""
    command = [str(deno_binary()), "run", "--no-prompt", "--allow-read=.", "bare.mjs", how]
    environment = {"DENO_DIR": str(folder / "deno"), "DENO_NO_UPDATE_CHECK": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2"


def warm_runs(image: Image, rounds: int) -> list[float]:
    """Seconds of trivial runs in one session."""
    with Sandbox(image=image) as sandbox:
        sandbox.run("1")
        return [seconds(lambda: sandbox.run("1 + 1") and None) for _ in range(rounds)]


def main(rounds: int) -> None:
    """Print the medians and the ratios."""
    image = install_image()
    folder = Path(tempfile.mkdtemp())
    try:
        for path in image.path.glob("*"):
            if path.is_file():
                os.link(path, folder / path.name) if path.stat().st_dev == folder.stat().st_dev else shutil.copy(
                    path, folder
                )
        (folder / "bare.mjs").write_text(SCRIPT)
        for how in ("snapshot", "plain"):
            bare(folder, how)
        found: dict[str, list[float]] = {"sandbox": [], "bare": [], "plain": []}
        for _ in range(rounds):
            found["sandbox"].append(seconds(lambda: first_answer(image)))
            found["bare"].append(seconds(lambda: bare(folder, "snapshot")))
            found["plain"].append(seconds(lambda: bare(folder, "plain")))
    finally:
        shutil.rmtree(folder)
    median = {name: statistics.median(times) for name, times in found.items()}
    figures = {
        "sandbox_s": round(median["sandbox"], 3),
        "bare_snapshot_s": round(median["bare"], 3),
        "without_snapshot_s": round(median["plain"], 3),
        "sandbox_to_bare": round(median["sandbox"] / median["bare"], 2),
        "without_snapshot_to_sandbox": round(median["plain"] / median["sandbox"], 2),
        "warm_run_ms": round(statistics.median(warm_runs(image, 50)) * 1000, 2),
    }
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
