"""`bench-analyze approve`: a person's word on a unit, shown, confirmed, recorded and used again."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bench.tables import read_table

Cli = Callable[..., Any]
ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
ANN = ("--who", "Ann", "--why", "the logger was set so")


@pytest.fixture
def take(tmp_path: Path) -> Callable[[str], Path]:
    """Copy a fixture's export with its board away from the repository."""

    def copy(name: str) -> Path:
        (export,) = (FIXTURES / name).glob("*.csv")
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(FIXTURES / name / "board.toml", folder)
        return Path(shutil.copy(export, folder))

    return copy


def columns(here: Cli, export: Path, name: str) -> list[dict[str, Any]]:
    document = here(export, "--json").document
    return [c for table in document["guard"]["tables"] for c in table["columns"] if c["name"] == name]


def lines(tmp_path: Path) -> list[dict[str, Any]]:
    file = tmp_path / "data" / "approvals.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_an_offset_is_approved_and_later_runs_use_it(here: Cli, take: Callable[[str], Path]) -> None:
    export = take("kelvin")
    assert here(export).exit_code == 3
    done = here("approve", export, "--column", "tcase_c", "--unit", "K", *ANN, "--yes")
    assert done.exit_code == 0
    for said in ("column: tcase_c", "rows: 20", "degC = value in K * 1 - 273.15", "approved by: Ann"):
        assert said in done.stdout
    (column,) = columns(here, export, "tcase_c")
    assert (column["verdict"], column["rule"], column["unit"], column["offset"]) == ("corrected", "s", "degC", -273.15)
    assert column["reason"] == (
        "header says degC, the values are K (Ann approved K: the logger was set so). Subtracted 273.15."
    )
    assert here(export).exit_code == 0


def test_the_record_says_who_when_why_and_what(here: Cli, take: Callable[[str], Path], tmp_path: Path) -> None:
    export = take("kelvin")
    here("approve", export, "--column", "tcase_c", "--unit", "K", *ANN, "--yes")
    (entry,) = lines(tmp_path)
    assert entry.pop("when").endswith("+00:00")
    bound = entry.pop("export")
    assert bound["bytes"] == export.stat().st_size
    assert bound["sha256"] == here(export, "--json").document["export"]["sha256"]
    assert entry == {
        "who": "Ann", "why": "the logger was set so", "column": "tcase_c", "measurement": None, "segment": None,
        "unit": "K",
    }  # fmt: skip


def test_an_approval_is_bound_to_the_bytes_of_the_export(here: Cli, take: Callable[[str], Path]) -> None:
    export = take("kelvin")
    here("approve", export, "--column", "tcase_c", "--unit", "K", *ANN, "--yes")
    data = export.read_bytes()
    export.write_bytes(data.replace(b"296.50", b"296.51"))  # of the same size
    assert columns(here, export, "tcase_c")[0]["verdict"] == "refused"


def test_without_a_terminal_nothing_is_approved_unasked(here: Cli, take: Callable[[str], Path], tmp_path: Path) -> None:
    done = here("approve", take("kelvin"), "--column", "tcase_c", "--unit", "K", *ANN)
    assert done.exit_code == 2
    assert "--yes" in done.stderr
    assert "degC = value in K * 1 - 273.15" in done.stderr
    assert lines(tmp_path) == []


@pytest.mark.parametrize(("answer", "exit_code", "recorded"), [("y\n", 0, 1), ("\n", 2, 0), ("no\n", 2, 0)])
def test_on_a_terminal_the_act_is_shown_and_asked_about(
    take: Callable[[str], Path], tmp_path: Path, answer: str, exit_code: int, recorded: int
) -> None:
    outside, inside = pty.openpty()
    command = [sys.executable, "-m", "bench", "approve", str(take("kelvin")), "--column", "tcase_c", "--unit", "K"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "BENCH_ANALYZE_DATA": str(tmp_path / "data")}
    os.write(outside, answer.encode())
    done = subprocess.run(
        [*command, *ANN], stdin=inside, stderr=inside, stdout=subprocess.PIPE, env=environment, timeout=60, check=False
    )
    os.close(inside)
    shown = os.read(outside, 65536).decode()
    os.close(outside)
    assert done.returncode == exit_code, shown
    assert "degC = value in K * 1 - 273.15" in shown
    assert "Approve this? [y/N]" in shown
    assert len(lines(tmp_path)) == recorded


def test_the_direction_that_no_rule_may_take_is_taken_on_a_persons_word(here: Cli, take: Callable[[str], Path]) -> None:
    export = take("limits_disagree")
    done = here("approve", export, "--column", "VOUT (mV)", "--unit", "V", *ANN, "--yes")
    assert done.exit_code == 0
    (column,) = columns(here, export, "VOUT (mV)")
    assert (column["verdict"], column["rule"], column["factor"], column["unit"]) == ("corrected", "s", 1000.0, "mV")


def test_rows_of_two_units_are_not_settled_by_one(here: Cli, take: Callable[[str], Path], tmp_path: Path) -> None:
    done = here("approve", take("two_scales"), "--column", "vout_v", "--unit", "mV", *ANN, "--yes")
    assert done.exit_code == 3
    assert "the values are of two units" in done.stdout
    assert "not recorded" in done.stderr
    assert lines(tmp_path) == []


def test_hard_evidence_contradicts_an_approval(here: Cli, take: Callable[[str], Path], tmp_path: Path) -> None:
    export = take("mixed_fixtures")
    done = here("approve", export, "--column", "vout_v", "--segment", "fixture=FIX-03", "--unit", "V", *ANN, "--yes")
    assert done.exit_code == 3
    assert "Ann approved V: the logger was set so, but 12 of 12 are above 6 V of VOUT as V" in done.stdout
    assert lines(tmp_path) == []


def test_a_segment_is_settled_alone(here: Cli, take: Callable[[str], Path]) -> None:
    export = take("mixed_fixtures")
    before = {str(c["segment"]): c for c in columns(here, export, "iin_a")}
    done = here("approve", export, "--column", "iin_a", "--segment", "fixture=FIX-03", "--unit", "mA", *ANN, "--yes")
    assert done.exit_code == 0
    assert "column: iin_a (fixture FIX-03)" in done.stdout
    after = {str(c["segment"]): c for c in columns(here, export, "iin_a")}
    assert after.keys() == before.keys()
    changed = str({"fixture": "FIX-03"})
    assert {name: c for name, c in after.items() if name != changed} == {
        name: c for name, c in before.items() if name != changed
    }
    assert (after[changed]["rule"], after[changed]["factor"]) == ("s", 0.001)


def test_a_column_that_was_judged_whole_is_cut_by_the_segment(here: Cli, take: Callable[[str], Path]) -> None:
    export = take("mixed_fixtures")
    done = here("approve", export, "--column", "vin_v", "--segment", "lot=L2610A", "--unit", "x10", *ANN, "--yes")
    assert done.exit_code == 3, done.stdout  # 24 V tenfold is beyond what the board stands
    done = here("approve", export, "--column", "vin_v", "--segment", "fixture=FIX-02", "--unit", "/10", *ANN, "--yes")
    assert done.exit_code == 0, done.stderr
    found = {c["segment"]["fixture"]: c for c in columns(here, export, "vin_v")}
    assert {name: (c["verdict"], c["factor"]) for name, c in found.items()} == {
        "FIX-01": ("kept", 1.0), "FIX-02": ("corrected", 0.1), "FIX-03": ("kept", 1.0),
    }  # fmt: skip
    assert sum(c["rows"] for c in found.values()) == 36


def test_a_long_table_needs_its_measurement_only_where_there_are_several(
    here: Cli, make_export: Callable[..., Path]
) -> None:
    export = make_export("retest.csv")
    assert here("approve", export, "--column", "value_v", "--unit", "mV", *ANN, "--yes").exit_code == 0
    (column,) = columns(here, export, "value_v")
    assert (column["measurement"], column["verdict"], column["rule"]) == ("VOUT", "corrected", "s")
    wide = FIXTURES / "unit_column" / "bench-checks-2026-10-30.csv"
    name = next(c["name"] for c in here(wide, "--json").document["guard"]["tables"][0]["columns"] if c["measurement"])
    done = here("approve", wide, "--column", name, "--unit", "mV", *ANN, "--yes")
    assert done.exit_code == 2
    assert "several measurements" in done.stderr
    assert "VOUT" in done.stderr


def test_the_database_is_written_with_the_approval(here: Cli, take: Callable[[str], Path], tmp_path: Path) -> None:
    db = tmp_path / "thermal.duckdb"
    done = here("approve", take("kelvin"), "--column", "tcase_c", "--unit", "K", *ANN, "--yes", "--db", db)
    assert done.exit_code == 0
    assert read_table(db, "thermal").get_column("tcase_c").head(2).to_list() == pytest.approx([23.35, 30.66], abs=1e-9)
    assert read_table(db, "thermal").schema["tcase_c"] == pl.Float64


def test_always_writes_the_unit_into_the_profile(here: Cli, take: Callable[[str], Path]) -> None:
    export = take("kelvin")
    board = export.with_name("board.toml")
    old = board.read_text()
    done = here("approve", export, "--column", "tcase_c", "--unit", "K", *ANN, "--yes", "--always")
    assert done.exit_code == 0, done.stderr
    assert board.read_text().startswith(old.rstrip("\n"))
    assert '[columns."tcase_c"]\nunit = "K"' in board.read_text()
    other = export.with_name("thermal-2026-10-30.csv")
    other.write_bytes(export.read_bytes().replace(b"296.50", b"296.51"))
    (column,) = columns(here, other, "tcase_c")
    assert (column["verdict"], column["rule"], column["offset"]) == ("corrected", "s", -273.15)
    true = export.with_name("thermal-2026-10-31.csv")
    rows = [line.split(",") for line in export.read_text().splitlines()]
    true.write_text("\n".join(",".join([*row[:4], "60.5" if i else row[4]]) for i, row in enumerate(rows)) + "\n")
    assert columns(here, true, "tcase_c")[0]["verdict"] == "refused"  # 60.5 K is below what the board stands


def test_always_names_the_line_where_the_profile_already_speaks(
    here: Cli, take: Callable[[str], Path], tmp_path: Path
) -> None:
    export = take("kelvin")
    board = export.with_name("board.toml")
    board.write_text(board.read_text() + "\n[columns.tcase_c]\nsentinels = [-1.0]\n")
    text = board.read_text()
    done = here("approve", export, "--column", "tcase_c", "--unit", "K", *ANN, "--yes", "--always")
    assert done.exit_code == 2
    assert f"board.toml:{text.splitlines().index('[columns.tcase_c]') + 1}: " in done.stderr
    assert board.read_text() == text
    assert lines(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--column", "tcase", "--unit", "K"), "did you mean tcase_c"),
        (("--column", "tcase_c", "--unit", "mV"), "--unit, one of: degC, degF, K"),
        (("--column", "serial", "--unit", "K"), "its role is identifier"),
        (("--column", "tcase_c", "--unit", "K", "--segment", "serial"), "is no column=value"),
        (("--column", "tcase_c", "--unit", "K", "--segment", "lot=A"), "there is no column 'lot'"),
        (("--column", "tcase_c", "--unit", "K", "--segment", "elapsed_min=99999"), "no row has elapsed_min = '99999'"),
        (("--column", "tcase_c", "--unit", "K", "--segment", "elapsed_min=2"), "is no segment column"),
        (("--column", "tcase_c", "--unit", "K", "--measurement", "X"), "there is no measurement 'X'"),
    ],
)
def test_what_cannot_be_approved_is_said_with_what_can(
    here: Cli, take: Callable[[str], Path], tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = here("approve", take("kelvin"), *arguments, *ANN, "--yes")
    assert done.exit_code == 2
    assert said in done.stderr
    assert lines(tmp_path) == []


def test_a_broken_record_is_named_and_not_skipped(here: Cli, take: Callable[[str], Path], tmp_path: Path) -> None:
    file = tmp_path / "data" / "approvals.jsonl"
    file.parent.mkdir()
    file.write_text('{"who": "Ann"}\n')
    done = here(take("kelvin"))
    assert done.exit_code == 2
    assert f"{file}:1: this line is no approval" in done.stderr


def test_an_approval_that_can_no_longer_be_used_is_said(here: Cli, take: Callable[[str], Path]) -> None:
    export = take("mixed_fixtures")
    here("approve", export, "--column", "iin_a", "--segment", "fixture=FIX-03", "--unit", "mA", *ANN, "--yes")
    board = export.with_name("board.toml")
    board.write_text(board.read_text().replace('segments = ["fixture", "lot"]', 'segments = ["lot"]'))
    for column in columns(here, export, "iin_a"):
        assert "An approval of mA by Ann was not used: fixture is no segment column." in column["reason"]


def test_a_withdrawal_lets_the_guard_decide_again_and_the_record_keeps_both(
    here: Cli, take: Callable[[str], Path], tmp_path: Path
) -> None:
    export = take("kelvin")
    here("approve", export, "--column", "tcase_c", "--unit", "K", *ANN, "--yes")
    done = here("approve", export, "--column", "tcase_c", "--withdraw", "--who", "Bo", "--why", "wrong logger", "--yes")
    assert done.exit_code == 0
    assert "withdraw: tcase_c as K, approved by Ann, because: the logger was set so" in done.stdout
    assert columns(here, export, "tcase_c")[0]["verdict"] == "refused"
    approved, withdrawn = lines(tmp_path)
    assert "withdrawn" not in approved
    assert (withdrawn["who"], withdrawn["why"], withdrawn["withdrawn"]) == ("Bo", "wrong logger", True)
    here("approve", export, "--column", "tcase_c", "--unit", "K", *ANN, "--yes")
    assert columns(here, export, "tcase_c")[0]["verdict"] == "corrected"


def test_what_was_never_approved_cannot_be_withdrawn(here: Cli, take: Callable[[str], Path]) -> None:
    done = here("approve", take("kelvin"), "--column", "tcase_c", "--withdraw", *ANN, "--yes")
    assert done.exit_code == 2
    assert "nothing was approved for it in this export" in done.stderr


@pytest.mark.parametrize("flags", [(), ("--unit", "K", "--withdraw")])
def test_a_unit_or_a_withdrawal_is_asked_for(here: Cli, take: Callable[[str], Path], flags: tuple[str, ...]) -> None:
    done = here("approve", take("kelvin"), "--column", "tcase_c", *flags, *ANN, "--yes")
    assert done.exit_code == 2
    assert "--withdraw" in done.stderr


def test_an_export_that_needs_a_readers_option_is_approved_with_it(here: Cli, tmp_path: Path) -> None:
    export = tmp_path / "log.csv"
    export.write_text("serial;vout_v\nA;4,990\nB;4,991\nC;5,003\n")
    command = ("approve", str(export), "--column", "vout_v", "--unit", "mV", "--why", "the logger", "--yes")
    refused = here(*command)
    assert refused.exit_code == 2
    assert "--decimal , or --decimal ." in refused.stderr
    done = here(*command, "--decimal", ",")
    assert done.exit_code == 0, done.stderr
    assert "vout_v" in done.stdout
    document = here(str(export), "--decimal", ",", "--json").document
    assert [c["verdict"] for c in document["guard"]["tables"][0]["columns"]][1] == "corrected"
