"""The command line without a snippet: what is said, what is written, what it exits with."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

Cli = Callable[..., Any]
Make = Callable[..., Path]
ROOT = Path(__file__).parents[2]
COLUMN_FIELDS = {
    "name", "role", "measurement", "segment", "node", "quantity", "declared_text", "declared_unit", "resolved_unit",
    "unit", "factor", "offset", "verdict", "rule", "reason", "proposal", "rows", "sentinels", "faults", "nulls",
    "witnesses",
}  # fmt: skip


def column(document: dict[str, Any], name: str, table: int = 0) -> dict[str, Any]:
    (found,) = [column for column in document["guard"]["tables"][table]["columns"] if column["name"] == name]
    return found  # type: ignore[no-any-return]


def test_a_correction_is_told_in_plain_words_and_so_is_what_passed(cli: Cli, export: Path, board: Path) -> None:
    done = cli(export, "--board", board)
    assert done.exit_code == 0
    assert done.stderr == ""
    (line,) = [line.strip() for line in done.stdout.splitlines() if "value_v" in line]
    assert line.startswith(
        "value_v: header says V, the values are mV (10 of 10 rows agree with the result column as mV"
    )
    assert line.endswith("Divided by 1000.")
    for name in ("serial", "lot", "measurement", "result"):
        assert f"  {name}: " in done.stdout
    assert "10 rows read, 10 kept, 0 quarantined, 10 changed" in done.stdout


def test_the_document_has_every_name_of_the_contract(cli: Cli, export: Path, board: Path) -> None:
    done = cli(export, "--board", board, "--json")
    document = done.document
    assert list(document) == ["export", "guard", "runs", "answer", "receipt", "error", "exit_code"]
    assert set(document["export"]) == {"path", "sha256", "bytes", "format", "dialect", "metadata"}
    assert document["export"]["bytes"] == export.stat().st_size
    (table,) = document["guard"]["tables"]
    assert set(table) == {"name", "rows_read", "rows_kept", "rows_changed", "rows_quarantined", "columns"}
    assert all(set(column) == COLUMN_FIELDS for column in table["columns"])
    assert (document["runs"], document["answer"], document["receipt"], document["error"]) == ([], None, None, None)
    value = column(document, "value_v")
    assert (value["verdict"], value["factor"], value["offset"], value["rows"]) == ("corrected", 0.001, 0.0, 10)
    assert (value["declared_unit"], value["resolved_unit"], value["unit"]) == ("V", "mV", "V")
    assert document["guard"]["outcome"] == "corrected"


def test_without_a_board_the_column_is_refused_with_a_proposal_and_the_command(cli: Cli, export: Path) -> None:
    done = cli(export)
    assert done.exit_code == 3
    assert f"bench-analyze {export} --board BOARD.toml" in done.stdout
    assert "refused: retest.value_v" in done.stderr
    document = cli(export, "--json").document
    assert column(document, "value_v")["proposal"]["unit"] == "mV"
    assert (document["guard"]["outcome"], document["exit_code"]) == ("refused", 3)
    assert "--board" in document["error"]["hint"]


def test_a_board_beside_the_export_is_used_and_named(cli: Cli, export: Path, board: Path) -> None:
    beside = export.with_name("board.toml")
    beside.write_bytes(board.read_bytes())
    done = cli(export)
    assert done.exit_code == 0
    assert f"board: SRB-5030 ({beside}, found beside the export)" in done.stdout
    assert "Divided by 1000." in done.stdout


@pytest.mark.parametrize(
    "options",
    [
        {"unit": "V"},
        {"unit": "uV"},
        {"unit": "mV", "delimiter": ";"},
        {"unit": "mV", "encoding": "utf-8-sig"},
        {"unit": "mV", "delimiter": "\t", "encoding": "utf-16"},
    ],
    ids=lambda options: "-".join(options.values()),
)
def test_the_same_values_come_out_however_they_were_written(
    here: Cli, make_export: Make, board: Path, tmp_path: Path, volts: list[float], options: dict[str, str]
) -> None:
    export, out = make_export("retest.csv", **options), tmp_path / "true.parquet"
    assert here(export, "--board", board, "--out", out).exit_code == 0
    assert pl.read_parquet(out)["value_v"].to_list() == volts


def test_one_true_over_voltage_is_kept_and_flagged(here: Cli, make_export: Make, board: Path) -> None:
    export = make_export("retest.csv", unit="V", wild="45.0")
    done = here(export, "--board", board, "--json")
    value = column(done.document, "value_v")
    assert (value["verdict"], value["faults"], value["factor"]) == ("kept", 1, 1.0)
    assert "1 value out of range flagged as a fault and kept." in here(export, "--board", board).stdout


def test_several_exports_are_tables_of_one_file(here: Cli, make_export: Make, board: Path, tmp_path: Path) -> None:
    first = make_export("retest-2026-10-30.csv")
    (tmp_path / "b").mkdir()
    second = make_export("b/retest-2026-10-31.csv", unit="V")
    document = here(first, second, "--board", board, "--json").document
    names = [part["guard"]["tables"][0]["name"] for part in document["exports"]]
    assert names == ["retest", "retest_2"]
    assert document["exports"][0] == {"export": document["export"], "guard": document["guard"]}


def test_a_column_that_passed_says_so(here: Cli, make_export: Make, board: Path) -> None:
    done = here(make_export("retest.csv", unit="V"), "--board", board)
    (line,) = [line for line in done.stdout.splitlines() if "value_v" in line]
    assert line.endswith("Kept as it is.")
    assert done.stdout.startswith("retest.csv: nothing to correct\n")


def test_table_names_the_table(here: Cli, export: Path, board: Path) -> None:
    document = here(export, "--board", board, "--table", "second_pass", "--json").document
    assert document["guard"]["tables"][0]["name"] == "second_pass"


def test_quarantined_rows_are_told_with_their_line_and_reason(here: Cli, export: Path, board: Path) -> None:
    export.write_text(export.read_text() + "SRB5030-2610-0083,L2610A,VOUT\n")
    done = here(export, "--board", board)
    assert done.exit_code == 0
    assert "11 rows read, 10 kept, 1 quarantined" in done.stdout
    assert "quarantined: line 12: " in done.stdout
    strict = here(export, "--board", board, "--strict", "--json").document
    assert (strict["exit_code"], strict["error"]["kind"]) == (3, "quarantined")


def test_strict_refuses_what_nothing_could_judge(here: Cli, tmp_path: Path) -> None:
    export = tmp_path / "soak.csv"
    export.write_text("serial,iout_a\nA,1.0\nB,1.1\nC,1.2\nD,1.1\n")
    assert here(export).exit_code == 0
    assert "Unverified." in here(export).stdout
    strict = here(export, "--strict")
    assert strict.exit_code == 3
    assert "soak.iout_a" in strict.stderr


def test_out_writes_csv_with_a_units_row(
    here: Cli, export: Path, board: Path, tmp_path: Path, volts: list[float]
) -> None:
    out = tmp_path / "true.csv"
    done = here(export, "--board", board, "--out", out)
    assert f"table: {out}" in done.stderr
    with out.open(newline="") as file:
        header, units, *rows = csv.reader(file)
    assert header == ["serial", "lot", "measurement", "value_v", "result"]
    assert units == ["", "", "", "V", ""]
    assert [float(row[3]) for row in rows] == volts


def test_what_out_wrote_reads_back_clean_with_the_same_values(
    here: Cli, export: Path, board: Path, tmp_path: Path, volts: list[float]
) -> None:
    first, second = tmp_path / "once.csv", tmp_path / "twice.parquet"
    here(export, "--board", board, "--out", first)
    again = here(first, "--board", board, "--out", second, "--json").document
    assert again["guard"]["outcome"] == "clean"
    assert pl.read_parquet(second)["value_v"].to_list() == volts


def test_out_writes_parquet_with_units_in_its_metadata(here: Cli, export: Path, board: Path, tmp_path: Path) -> None:
    out = tmp_path / "true.parquet"
    here(export, "--board", board, "--out", out)
    metadata = pl.read_parquet_metadata(out)
    assert json.loads(metadata["units"])["value_v"] == "V"
    assert json.loads(metadata["guard"])["name"] == "retest"


def test_receipt_is_written_where_it_is_asked_for(here: Cli, export: Path, board: Path, tmp_path: Path) -> None:
    path = tmp_path / "r" / "receipt.json"
    document = here(export, "--board", board, "--receipt", path, "--json").document
    receipt = json.loads(path.read_text())
    assert document["receipt"] == str(path)
    assert receipt["exports"][0]["sha256"] == document["export"]["sha256"]
    assert receipt["runs"] == []


def test_control_characters_in_an_export_do_not_reach_the_terminal(here: Cli, tmp_path: Path) -> None:
    export = tmp_path / "x.csv"
    export.write_text("serial,\x1b[31mvin_v\u202e\nA,1.0\nB,2.0\nC,3.0\n")
    done = here(export)
    assert "\x1b" not in done.said
    assert "\\x1b[31mvin_v\\u202e" in done.stdout


def test_formats_lists_what_can_be_read(here: Cli) -> None:
    done = here("formats", "--json")
    (delimited,) = [found for found in done.document["formats"] if found["name"] == "delimited"]
    assert ".csv" in delimited["suffixes"]
    assert delimited["available"] is True
    assert "delimited" in here("formats").stdout


def test_a_sites_own_board_is_never_overwritten(here: Cli, export: Path, board: Path) -> None:
    beside = export.with_name("board.toml")
    beside.write_bytes(board.read_bytes())
    done = here(export, "--receipt", beside)
    assert done.exit_code == 2
    assert "--receipt names a file that is read" in done.stderr
    assert beside.read_bytes() == board.read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_stdout_is_said_on_stderr(export: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bench", export],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "bench-analyze: the result could not be written to stdout: No space left on device"
    ]


def test_a_reader_that_goes_away_is_no_fault(export: Path) -> None:
    command = f"{sys.executable} -m bench '{export}' --json | true"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_an_interrupt_is_an_answer_too(tmp_path: Path) -> None:
    pipe = tmp_path / "slow.csv"
    os.mkfifo(pipe)  # an export that never ends
    command = [sys.executable, "-m", "bench", str(pipe), "--json"]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with pipe.open("w") as writer:  # opens when the other side reads
        writer.write("serial,vin_v\n")
        writer.flush()
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=30)
    assert running.returncode == 130
    assert json.loads(stdout)["error"]["message"] == "interrupted"
    assert stderr == "bench-analyze: interrupted\n"


def test_an_export_without_rows_says_so(cli: Cli, tmp_path: Path) -> None:
    export = tmp_path / "empty.csv"
    export.write_text("serial,vout_v,result\n")
    done = cli(export)
    assert done.exit_code == 0
    assert done.stdout.startswith("empty.csv: it has a header and no rows")
