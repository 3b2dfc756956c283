"""Snippets from the command line: what is printed, what is warned about, and every way that a run can end."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bench
from bench import tables

Cli = Callable[..., Any]
ROOT = Path(__file__).parents[2]
RUN_FIELDS = {
    "status", "value", "stdout", "stderr", "error", "artifacts", "reads", "warnings", "duration_s", "limits", "layers",
    "state",
}  # fmt: skip
MEAN = "con.sql(\"select avg(value_v) from retest where result = 'PASS'\").fetchone()[0]"


def test_code_output_value_warnings_and_corrections_are_printed(cli: Cli, export: Path, board: Path) -> None:
    done = cli(export, "--board", board, "-c", f"print('hello')\n{MEAN}")
    assert done.exit_code == 0
    _, printed = done.stdout.split("\n\n")
    value, *rest = printed.split("value: ")[1].splitlines()
    assert printed.startswith(f"```python\nprint('hello')\n{MEAN}\n```\n```text\nhello\n```\nvalue: ")
    assert float(value) == pytest.approx(4.986214285714286, rel=1e-12)
    assert rest[0] == "warnings: none"
    assert rest[1] == "corrections that apply:"
    assert rest[2].startswith("- retest.value_v")
    assert rest[2].endswith("Divided by 1000.")


def test_the_document_holds_the_run_and_the_receipt_its_figures(cli: Cli, export: Path, board: Path) -> None:
    done = cli(export, "--board", board, "-c", MEAN, "--json")
    document = done.document
    (run,) = document["runs"]
    assert set(run) == RUN_FIELDS
    assert {"table": "retest", "column": "value_v"} in run["reads"]
    receipt = json.loads(Path(document["receipt"]).read_text())
    assert f"receipt: {document['receipt']}" in done.stderr
    (kept,) = receipt["runs"]
    assert (kept["value"], kept["snippet"]) == (run["value"], MEAN)
    assert kept["image"]
    assert receipt["exports"][0]["sha256"] == document["export"]["sha256"]


def test_a_snippet_has_units_and_limits(cli: Cli, export: Path, board: Path, tmp_path: Path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text("import duckdb\nresult = [limits['VOUT'], units['retest']['value_v']]\n", encoding="utf-8-sig")
    (run,) = cli(export, "--board", board, "--snippet", snippet, "--json").document["runs"]
    assert run["value"][0] == {"lower": 4.95, "upper": 5.05, "unit": "V"}
    assert "V" in json.dumps(run["value"][1])


def test_macros_agree_between_host_and_sandbox(export: Path, board: Path) -> None:
    macros = "cpk(value_v, 4.95, 5.05), robust_sigma(value_v), first_pass_yield(serial, 1, result = 'PASS')"
    query = f"select {macros} from retest"
    with bench.analyze(export, board=board) as analysis:
        with tables.open_database(analysis.db) as con:
            (host,) = con.execute(query).fetchall()
        assert analysis.run(f'con.sql("{query}").fetchone()').value == pytest.approx(list(host), rel=1e-12)


def test_state_lives_from_run_to_run(export: Path, board: Path) -> None:
    with bench.analyze(export, board=board) as analysis:
        analysis.run("rows = con.sql('select count(*) from retest').fetchone()[0]")
        assert analysis.run("rows").value == 10


def test_a_warning_stays_as_long_as_the_values_may(export: Path) -> None:
    with bench.analyze(export) as analysis:
        first = analysis.run("kept = con.sql('select value_v from retest').fetchall()")
        later = analysis.run("len(kept)")
        assert [warning in later.warnings[0] for warning in first.warnings] == [True]
        assert later.warnings[0].endswith("It was read in an earlier run of this session.")
        analysis.run("import os; os._exit(1)")
        assert analysis.run("1").warnings == ()


ENDINGS = [
    ("1 +", (), "error", 1, "SyntaxError"),
    ("undefined", (), "error", 1, "NameError"),
    ("con.sql('select * from nowhere')", (), "error", 1, "nowhere"),
    ("import os; os._exit(3)", (), "crashed", 1, ""),
    ("while True: pass", ("--wall-time", "1"), "time_limit", 4, "1 s"),
    ("x = []\nwhile True: x.append(bytearray(2**20))", ("--memory-mb", "300"), "memory_limit", 4, ""),
    ("print('x' * 10_000_000)", (), "output_limit", 4, ""),
]


@pytest.mark.parametrize(
    ("code", "options", "status", "exit_code", "words"), ENDINGS, ids=lambda value: str(value)[:20]
)
def test_every_ending_is_an_answer(
    cli: Cli, export: Path, board: Path, code: str, options: tuple[str, ...], status: str, exit_code: int, words: str
) -> None:
    done = cli(export, "--board", board, "-c", code, *options, "--json")
    document = done.document
    (run,) = document["runs"]
    assert (run["status"], done.exit_code) == (status, exit_code)
    assert document["error"]["kind"] == status
    assert words in document["error"]["message"]
    assert document["guard"]["outcome"] == "corrected"


def test_a_failing_snippet_shows_its_own_lines(cli: Cli, export: Path, board: Path) -> None:
    done = cli(export, "--board", board, "-c", "a = 1\nb = a / 0")
    assert done.exit_code == 1
    assert "error: ZeroDivisionError" in done.stdout
    assert "line 2" in done.stdout
    assert "ZeroDivisionError" in done.stderr


def test_files_that_a_snippet_wrote_are_named(cli: Cli, export: Path, board: Path) -> None:
    done = cli(export, "--board", board, "-c", "open('/out/note.txt', 'w').write('four')")
    assert "- note.txt (text/plain, 4 bytes)" in done.stdout


def test_an_unverified_column_says_so_beside_its_figure(cli: Cli, tmp_path: Path) -> None:
    export = tmp_path / "soak.csv"
    export.write_text("serial,iout_a\nA,1.0\nB,1.1\nC,1.2\nD,1.1\n")
    done = cli(export, "-c", "con.sql('select avg(iout_a) from soak').fetchone()[0]")
    assert done.exit_code == 0
    assert "- soak.iout_a is unverified" in done.stdout


def test_a_database_too_large_for_the_memory_limit(cli: Cli, export: Path, board: Path) -> None:
    done = cli(export, "--board", board, "-c", "1", "--memory-mb", "40", "--json")
    document = done.document
    assert done.exit_code == 4
    assert document["runs"][0]["status"] == "memory_limit"
    assert "does not fit into a limit of memory_mb=40" in document["error"]["message"]
    assert "--memory-mb" in document["error"]["hint"]


def test_limits_that_nothing_can_run_with_are_usage(cli: Cli, export: Path) -> None:
    done = cli(export, "-c", "1", "--memory-mb", "1000000")
    assert done.exit_code == 2
    assert "memory_mb" in done.stderr


def test_without_an_image_and_without_a_registry_the_tables_are_there(
    cli: Cli, export: Path, board: Path, tmp_path: Path
) -> None:
    environment = {"BENCH_ANALYZE_CACHE": str(tmp_path / "cache"), "NPM_CONFIG_REGISTRY": "http://127.0.0.1:9/"}
    done = cli(export, "--board", board, "-c", MEAN, "--json", environment=environment)
    assert done.exit_code == 5
    assert done.document["runs"][0]["status"] == "sandbox_unavailable"
    assert "bench-analyze sandbox install" in done.document["error"]["message"] + done.document["error"]["hint"]
    assert done.document["guard"]["outcome"] == "corrected"


def test_status_of_the_image(cli: Cli, tmp_path: Path) -> None:
    assert cli("sandbox", "install").exit_code == 0
    there = cli("sandbox", "status", "--json")
    assert (there.exit_code, len(there.document["image"]), there.document["error"]) == (0, 64, None)
    assert Path(there.document["path"]).is_dir()
    absent = cli("sandbox", "status", "--json", environment={"BENCH_ANALYZE_CACHE": str(tmp_path / "cache")})
    assert (absent.exit_code, absent.document["image"]) == (5, None)
    assert absent.document["error"]["hint"] == "bench-analyze sandbox install"


CLOSED = "unshare -rn true"


@pytest.mark.skipif(
    shutil.which("unshare") is None or subprocess.run(CLOSED.split(), check=False, capture_output=True).returncode != 0,
    reason="this machine allows no network namespace (unshare -rn)",
)
def test_after_set_up_everything_runs_with_no_network(cli: Cli, export: Path, board: Path, tmp_path: Path) -> None:
    assert cli(export, "--board", board, "-c", "1").exit_code == 0  # the image is there
    command = ["unshare", "-rn", sys.executable, "-m", "bench", str(export), "--board", str(board), "-c", MEAN]
    environment = {"PYTHONPATH": str(ROOT), "BENCH_ANALYZE_DATA": str(tmp_path / "data"), "HOME": str(Path.home())}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "value: 4.98" in done.stdout


def test_the_sandbox_is_handed_no_text_that_only_raw_holds(export: Path, board: Path) -> None:
    """Every cell of the export that the guard changed is searched for in the bytes that `attach` hands over."""
    with bench.analyze(export, board=board) as analysis:
        handed, raw = analysis.db.read_bytes(), analysis.raw_db.read_bytes()
    texts = [line.split(",")[3].encode() for line in export.read_text().splitlines()[1:]]
    texts = [text for text in texts if len(text) > 3]
    assert texts
    assert all(text in raw for text in texts)
    assert [text for text in texts if text in handed] == []
