"""Traces: beside the receipt, with who decided each step; shown, and exported as conversations."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
LONG = "print('y' * 6000)\nresult = con.sql(\"select count(*) from retest where result = 'PASS'\").fetchone()[0]"
RESPONSES = [
    {"text": "15 boards pass."},
    {"tool": "run_python", "code": LONG},
    {"tool": "arithmetic", "arguments": {"expression": "7 + 0"}},
    {"text": "7 boards pass."},
]


@pytest.fixture
def trace(here: Cli, export: Path, board: Path, tmp_path: Path) -> Path:
    """The trace of a question that was answered in two attempts."""
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(response) + "\n" for response in RESPONSES))
    done = here(export, "--board", board, "--ask", "Do they pass?", "--model", f"scripted:{script}", "--receipt",
                tmp_path / "receipt.json")  # fmt: skip
    assert done.exit_code == 0, done.said
    path = tmp_path / "receipt.trace.jsonl"
    assert f"trace: {path}" in done.stderr
    return path


def test_each_step_says_who_decided_it_and_holds_all_of_it(trace: Path) -> None:
    steps = [json.loads(line) for line in trace.read_text().splitlines()]
    assert [(step["step"], step["kind"], step["by"], step["title"]) for step in steps] == [
        (1, "guard", "code", "the tables were checked before the question"),
        (2, "question", "code", "the question and the tables' schema"),
        (3, "response", "model", "answers"),
        (4, "mend", "code", "asked to mend its answer"),
        (5, "response", "model", "run_python"),
        (6, "code", "model", "the snippet"),
        (7, "tool", "code", "run_python"),
        (8, "response", "model", "arithmetic"),
        (9, "tool", "code", "arithmetic"),
        (10, "response", "model", "answers"),
        (11, "verdict", "code", "traced"),
    ]
    assert steps[5]["text"] == LONG
    assert steps[6]["data"]["run"]["stdout"] == "y" * 6000 + "\n"
    assert steps[6]["duration_s"] > 0
    assert steps[10]["data"]["figures"][0]["traced_to"] == "run 1: value"
    assert "value_v" in steps[1]["data"]["briefing"]


def test_it_is_shown_whole(here: Cli, trace: Path) -> None:
    shown = here("trace", "show", trace).stdout
    for part in ("1. guard by code", "retest-2026-10-30.csv: corrected", "6. code by model: the snippet", "y" * 6000,
                 'arithmetic({"expression": "7 + 0"})', "11. verdict by code: traced"):  # fmt: skip
        assert part in shown


def test_it_becomes_a_conversation(here: Cli, trace: Path, tmp_path: Path) -> None:
    done = here("trace", "export", trace, "--status", "traced")
    found = json.loads(done.stdout)
    assert [message["role"] for message in found["messages"]] == [
        "system", "user", "assistant", "user", "assistant", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    call = found["messages"][4]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"code": LONG}
    assert found["messages"][5]["tool_call_id"] == call["id"]
    names = [tool["function"]["name"] for tool in found["tools"]]
    assert names == ["run_python", "arithmetic", "approve", "release", "withdraw"]
    assert found["metadata"]["statuses"] == ["traced"]
    assert (found["metadata"]["figures"], found["metadata"]["traced"]) == (1, 1)
    out = tmp_path / "out.jsonl"
    assert "0 trajectories, 1 left out" in here("trace", "export", trace, "--status", "marked", "--out", out).stderr
    assert out.read_text() == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "has no steps"), ("{}\n", ":1: is no step of a trace"), ('{"kind"', ":1: is no JSON")],
)
def test_what_is_no_trace_is_told(here: Cli, tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(content)
    done = here("trace", "show", path)
    assert (done.exit_code, said in done.stderr) == (2, True)
    assert here("trace", "show", tmp_path / "none.jsonl").exit_code == 2
