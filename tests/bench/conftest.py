from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench.cli import main

ROOT = Path(__file__).parents[2]
SEED = ROOT.parent / "shared" / "data" / "seed"

BOARD = """
[board]
name = "SRB-5030"
segments = ["fixture", "lot"]

[nodes.VIN]
quantity = "voltage"
absolute = ["-0.3 V", "40 V"]
expected = ["9 V", "36 V"]
columns = ["vin_v"]

[nodes.VOUT]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
expected = ["4.9 V", "5.1 V"]
limits = ["4.95 V", "5.05 V"]
columns = ["vout_v"]
measurements = ["VOUT"]

[nodes.TCASE]
quantity = "temperature"
absolute = ["-55 degC", "150 degC"]
expected = ["-40 degC", "125 degC"]
columns = ["tcase_c"]
"""

# Good boards, a marginal fail and two dead ones, as a retest station files them; true volts.
RETEST = {
    "SRB5030-2610-0003": ("4.9735", "PASS"),
    "SRB5030-2610-0011": ("4.9713", "PASS"),
    "SRB5030-2610-0019": ("4.9449", "FAIL"),
    "SRB5030-2610-0027": ("-0.0061", "FAIL"),
    "SRB5030-2610-0035": ("4.9729", "PASS"),
    "SRB5030-2610-0043": ("4.9851", "PASS"),
    "SRB5030-2610-0051": ("0.0005", "FAIL"),
    "SRB5030-2610-0059": ("5.0077", "PASS"),
    "SRB5030-2610-0067": ("4.9984", "PASS"),
    "SRB5030-2610-0075": ("4.9946", "PASS"),
}
VOLTS = [float(value) for value, _ in RETEST.values()]
SCALED = {"V": "{:.4f}", "mV": "{:.1f}", "uV": "{:.0f}"}
FACTOR = {"V": 1, "mV": 1e3, "uV": 1e6}


def retest(unit: str = "mV", delimiter: str = ",", wild: str | None = None) -> str:
    """Return a retest log whose column says volts and holds `unit`; `wild` replaces the last good value."""
    rows = [["serial", "lot", "measurement", "value_v", "result"]]
    for serial, (value, result) in RETEST.items():
        rows.append([serial, "L2610A", "VOUT", SCALED[unit].format(float(value) * FACTOR[unit]), result])
    if wild is not None:
        rows[-1][3:] = [wild, "FAIL"]
    return "".join(delimiter.join(row) + "\n" for row in rows)


@dataclass(frozen=True)
class Finished:
    """One run of the command line."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on stdout; strict JSON, one line."""
        assert self.stdout.endswith("\n")
        assert self.stdout.count("\n") == 1, self.stdout
        return json.loads(self.stdout, parse_constant=_refuse)  # type: ignore[no-any-return]

    @property
    def said(self) -> str:
        """Everything that a person would see."""
        return self.stdout + self.stderr


def _refuse(name: str) -> object:
    raise AssertionError(f"{name} is no JSON")


Cli = Callable[..., Finished]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run `bench-analyze` in a process of its own, in `tmp_path`, with a data folder of its own."""

    def run(*arguments: object, **options: Any) -> Finished:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "BENCH_ANALYZE_DATA": str(tmp_path / "data")}
        environment |= options.pop("environment", {})
        command = [sys.executable, "-m", "bench", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False, **options
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run `bench-analyze` through `main()` in this process: the same answers as `cli`, in a tenth of the time."""
    monkeypatch.setenv("BENCH_ANALYZE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Finished:
        exit_code = main([str(argument) for argument in arguments])
        found = capsys.readouterr()
        return Finished(exit_code, found.out, found.err)

    return run


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A profile of the SRB-5030 away from the exports."""
    path = tmp_path / "profiles" / "srb5030.toml"
    path.parent.mkdir()
    path.write_text(BOARD)
    return path


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A retest log with millivolts under a volts header."""
    path = tmp_path / "retest-2026-10-30.csv"
    path.write_text(retest())
    return path


@pytest.fixture
def make_export(tmp_path: Path) -> Callable[..., Path]:
    """Write a retest log under a name: `make_export("b.csv", unit="V", encoding="utf-8-sig")`."""

    def make(name: str, *, encoding: str = "utf-8", **options: Any) -> Path:
        path = tmp_path / name
        path.write_bytes(retest(**options).encode(encoding))
        return path

    return make


@pytest.fixture(scope="session")
def volts() -> list[float]:
    """The true values of the retest log in volts, in its order."""
    return VOLTS


@pytest.fixture
def seed() -> Path:
    """The folder of the example's own exports."""
    if not SEED.is_dir():
        pytest.skip("the example's data are not here (../shared/data/seed)")
    return SEED
