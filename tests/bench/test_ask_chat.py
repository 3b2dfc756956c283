"""`bench-analyze chat`: one session over several questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]
COUNT = "passed = con.sql(\"select count(*) from retest where result = 'PASS'\").fetchone()[0]\npassed"
RESPONSES = [
    {"tool": "run_python", "code": COUNT},
    {"text": "7 boards pass."},
    {"tool": "run_python", "code": "result = passed * 10"},
    {"text": "Ten times 7 is 70."},
    {"text": "As said, 7 boards pass; 8 do not."},
]  # fmt: skip


def test_questions_share_tables_variables_and_evidence(cli: Cli, export: Path, board: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(response) + "\n" for response in RESPONSES))
    done = cli("chat", export, "--board", board, "--model", f"scripted:{script}", "--receipt", tmp_path / "r.json",
               input="How many pass?\n\nTen times that?\nAnd the rest?\n")  # fmt: skip
    assert "- 7: run 1: value" in done.stdout
    assert "- 70: run 2: value" in done.stdout
    assert "8 [not from a run] do not." in done.stdout
    assert done.exit_code == 1
    receipt = json.loads((tmp_path / "r.json").read_text())
    assert [run["value"] for run in receipt["runs"]] == [7, 70]
    assert receipt["answer"]["question"] == "And the rest?"


def test_nothing_asked_and_no_model(cli: Cli, export: Path, board: Path) -> None:
    done = cli("chat", export, "--board", board, "--model", "stub", input="")
    assert (done.exit_code, "no question was asked" in done.stderr) == (0, True)
    assert cli("chat", export, input="x\n").exit_code == 2
