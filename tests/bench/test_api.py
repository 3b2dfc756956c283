"""The Python API, as a notebook uses it (no snippet is run here)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bench


def test_all_lists_what_there_is_sorted() -> None:
    assert bench.__all__ == sorted(bench.__all__)
    assert all(getattr(bench, name) for name in bench.__all__)
    with pytest.raises(AttributeError, match="module 'bench' has no attribute 'nothing'"):
        _ = bench.nothing


def test_importing_bench_and_asking_for_help_loads_no_engine() -> None:
    code = (
        "import sys, bench\nfrom bench.cli import main\nmain(['--help'])\n"
        "sys.exit(', '.join({'polars', 'duckdb', 'pint', 'pandera', 'guards', 'runner'} & sys.modules.keys()) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n  bench-analyze retest.csv --board board.toml --db retest.duckdb\n" in done.stdout


def test_analyze_gives_the_guards_report_and_the_corrected_table(export: Path, board: Path, volts: list[float]) -> None:
    with bench.analyze(str(export), board=str(board)) as analysis:
        assert analysis.guard.outcome == "corrected"
        assert analysis.guard.to_dict()["tables"][0]["name"] == "retest"
        assert analysis.tables == ("retest",)
        assert analysis.table("retest")["value_v"].to_list() == volts
        assert analysis.table().equals(analysis.table("retest"))
        assert analysis.units("retest")["value_v"] == "V"
        assert repr(analysis) == f"<Analysis of {export}: retest>"


def test_a_temporary_database_lasts_as_long_as_the_analysis(export: Path) -> None:
    with bench.analyze(export) as analysis:
        assert analysis.db.exists()
        assert analysis.raw_db.exists()
    assert not analysis.db.parent.exists()


def test_a_failed_analysis_leaves_no_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (tmp_path / "empty.csv").touch()
    with pytest.raises(bench.ExportEmpty):
        bench.analyze(tmp_path / "empty.csv")
    assert list(scratch.iterdir()) == []


def test_progress_is_told_and_ends_at_the_total(export: Path, board: Path) -> None:
    told: list[tuple[str, int, int]] = []
    bench.analyze(export, board=board, progress=lambda *step: told.append(step)).close()
    assert told == [("Checking retest-2026-10-30.csv", 0, 1), ("Writing retest", 10, 10)]


def test_readers_options_go_by_name(tmp_path: Path) -> None:
    export = tmp_path / "soak.csv"
    export.write_text("serial|vin_v\nA|24,0\nB|24,5\n")
    with bench.analyze(export, delimiter="pipe", decimal=",", table="warm") as analysis:
        assert analysis.table("warm")["vin_v"].to_list() == [24.0, 24.5]


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [([], {}, "no export was named"), (["a.csv", "b.csv"], {"table": "t"}, "one table name was given")],
)
def test_wrong_calls(names: list[str], options: dict[str, str], message: str) -> None:
    with pytest.raises(bench.UsageError, match=message):
        bench.analyze(names, **options)


def test_several_tables_need_a_name(export: Path) -> None:
    with bench.analyze([export, export]) as analysis:
        with pytest.raises(bench.UsageError, match=r"several tables.*retest, retest_2"):
            analysis.table()
        with pytest.raises(bench.UsageError, match=r"no table 'soak'"):
            analysis.units("soak")
