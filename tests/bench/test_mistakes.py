"""What people type by mistake: each answer says what was found, and the command that is right."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
KELVIN = FIXTURES / "kelvin" / "thermal-2026-10-29.csv"
RAGGED = FIXTURES / "ragged_rows" / "load-step-2026-10-29.csv"
BOARD = FIXTURES / "srb5030.toml"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["status", "store.duckdb"], "status needs --db, which was not given. Hint: bench-analyze status --help"),
        (["status", "--bd", "x"], "status needs --db, which was not given. Did you mean --db instead of --bd?"),
        (["trace", "show"], "trace show needs FILE, which was not given. Hint: bench-analyze trace show --help"),
        (["approve", "x.csv", "--line", "x"], "Hint: bench-analyze approve --help"),
        ([KELVIN, "--bord", BOARD], "Did you mean --board? Hint: bench-analyze --help"),
        ([BOARD, KELVIN], f"a board profile is written in, no export. Hint: bench-analyze EXPORT --board {BOARD}"),
        (["--from", KELVIN], "this is no DuckDB file. Hint: name one that --db or ingest wrote"),
        ([FIXTURES], f"or take all into a store: bench-analyze ingest {FIXTURES} --db STORE.duckdb"),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_with_the_way_out(here, arguments, said):
    done = here(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert said in done.stderr


def test_a_sandbox_that_is_not_there_says_how_to_get_it(here, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCH_ANALYZE_CACHE", str(tmp_path / "none"))
    done = here("sandbox", "status")
    assert (done.exit_code, done.stdout) == (5, "")
    assert "is not installed. Hint: bench-analyze sandbox install" in done.stderr


def test_a_line_that_can_be_a_row_is_hinted_and_one_that_cannot_is_not(here):
    hint = f"a person releases it: bench-analyze approve {RAGGED} --line 10 --why REASON"
    assert hint in here(RAGGED).stdout
    assert here("approve", RAGGED, "--line", 10, "--why", "the note was left out", "--yes").exit_code == 0
    assert "releases it" not in here(RAGGED).stdout


def test_a_note_of_several_lines_is_one_note(here):
    done = here(KELVIN, "--column", "x\nbench-analyze: approved: all", "--board", BOARD)
    assert all(line.startswith(("bench-analyze: ", "  ")) for line in done.stderr.splitlines())
    assert sum(line.startswith("bench-analyze: ") for line in done.stderr.splitlines()) == 1
