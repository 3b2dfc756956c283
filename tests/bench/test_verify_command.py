"""`bench-analyze verify`: a text from anywhere against a receipt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
CODE = """
passed = con.sql("select count(*) from retest where result = 'PASS'").fetchone()[0]
print("mean", con.sql("select avg(value_v) from retest where result = 'PASS'").fetchone()[0], "V")
result = {"passed": passed}
"""


@pytest.fixture
def receipt(here: Cli, export: Path, board: Path, tmp_path: Path) -> Path:
    path = tmp_path / "receipt.json"
    assert here(export, "--board", board, "-c", CODE, "--receipt", path).exit_code == 0
    return path


def test_a_text_is_judged_by_a_receipt(here: Cli, receipt: Path, tmp_path: Path) -> None:
    text = tmp_path / "answer.txt"
    for said, status, exit_code in (
        ("7 boards pass; the mean is 4.986 V and the limits are 4.95 V to 5.05 V.", "traced", 0),
        ("8 boards pass.", "marked", 1),
        ("The upper limit is 5.15 V.", "marked", 1),
        ("All is well.", "no_figures", 0),
        ("These tables do not hold it.", "declined", 0),
    ):
        text.write_text(said)
        done = here("verify", text, "--receipt", receipt, "--json")
        assert (done.document["status"], done.exit_code) == (status, exit_code), done.document
    text.write_text("8 boards pass, 7 of them twice.")
    done = here("verify", text, "--receipt", receipt)
    assert "8 [not from a run] boards pass, 7 of them twice." in done.stdout
    assert "- 7: run 1: value['passed']" in done.stdout
    assert "figures of the text come from no run" in done.stderr


def test_standard_input_and_a_receipt_without_runs(cli: Cli, export: Path, board: Path, tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    assert cli(export, "--board", board, "--receipt", path).exit_code == 0
    done = cli("verify", "-", "--receipt", path, input="I ran the query: 7 boards pass.")
    assert done.exit_code == 1
    assert done.stdout.startswith("claims_run: -")


def test_what_cannot_be_read_is_told(here: Cli, receipt: Path, tmp_path: Path) -> None:
    text = tmp_path / "answer.txt"
    assert "the text cannot be read" in here("verify", text, "--receipt", receipt).stderr
    text.write_bytes(b"\xff\xfe\xff")
    assert "is not UTF-8" in here("verify", text, "--receipt", receipt).stderr
    text.write_text("7 boards pass.")
    receipt.write_bytes(receipt.read_bytes().replace(b'"passed":7', b'"passed":8'))
    done = here("verify", text, "--receipt", receipt)
    assert (done.exit_code, "altered" in done.stderr or "not what was written" in done.stderr) == (1, True)


def test_a_receipt_knows_the_unit_of_each_measurement(here: Cli, tmp_path: Path) -> None:
    export = Path(__file__).parents[2] / "fixtures" / "unit_column" / "bench-checks-2026-10-30.csv"
    code = "con.sql(\"select avg(value) from bench_checks where measurement = 'RIPPLE'\").fetchone()[0]"
    receipt, text = tmp_path / "receipt.json", tmp_path / "answer.txt"
    assert here(export, "-c", code, "--receipt", receipt).exit_code == 0
    for said, exit_code in (("RIPPLE averages 23.8 mV.", 0), ("RIPPLE averages 23.8 V.", 1), ("It is 23.8 mA.", 1)):
        text.write_text(said)
        assert here("verify", text, "--receipt", receipt).exit_code == exit_code, said
