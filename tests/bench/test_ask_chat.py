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
    exported = json.loads(cli("trace", "export", tmp_path / "r.trace.jsonl").stdout)
    assert exported["metadata"]["statuses"] == ["traced", "traced", "marked"]
    assert [message["role"] for message in exported["messages"]].count("system") == 1
    assert [m["content"] for m in exported["messages"] if m["role"] == "user"][:2] == [
        "How many pass?",
        "Ten times that?",
    ]


def test_ceilings_hold_for_each_answer(cli: Cli, export: Path, board: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"text": "7 boards pass."}) + "\n")
    done = cli("chat", export, "--board", board, "--model", f"scripted:{script}", "--seconds", "1e-9", input="x\ny\n")
    assert (done.exit_code, done.stdout.count("answer: limit")) == (4, 2), done.said


def test_nothing_asked_and_no_model(cli: Cli, export: Path, board: Path) -> None:
    done = cli("chat", export, "--board", board, "--model", "stub", input="")
    assert (done.exit_code, "no question was asked" in done.stderr) == (0, True)
    assert cli("chat", export, input="x\n").exit_code == 2
