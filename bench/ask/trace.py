"""A trace: the steps of answers as JSON lines, shown to people, and as a chat-format trajectory for fine-tuning.

A line is a step: `kind` (guard, question, response, call, code, tool, mend, verdict), `by` (`model` only where the
model chose the act, its arguments or the stop), `title`, `text`, `duration_s`, `tokens`, `data`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bench.ask.answer import Answer, Step
from bench.ask.messages import RUN
from bench.errors import BenchError
from bench.render.values import dumps

Line = Mapping[str, Any]


class TraceProblem(BenchError):  # noqa: N818 - as in bench.errors
    """The file is no trace."""

    kind = "trace"


def lines(answers: Iterable[Answer]) -> str:
    """Return the steps of answers as JSON lines."""
    steps = (step for answer in answers for step in answer.steps)
    return "".join(dumps(_line(number, step)) + "\n" for number, step in enumerate(steps, 1))


def _line(number: int, step: Step) -> dict[str, object]:
    return {"step": number, **step.to_dict()}


def parse(text: str, file: str) -> list[Line]:
    """Return the steps of a trace.

    Raises:
        TraceProblem: a line is no step; the message names it.
    """
    found: list[Line] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            step = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TraceProblem(f"is no JSON ({error})", file=file, line=number, hint=_HINT) from error
        if not isinstance(step, dict) or not {"kind", "by", "title", "text"} <= step.keys():
            raise TraceProblem("is no step of a trace", file=file, line=number, hint=_HINT)
        found.append(step)
    if not found:
        raise TraceProblem("the file has no steps", file=file, hint=_HINT)
    return found


_HINT = "name a file that --trace wrote, or the .trace.jsonl beside a receipt"


def shown(steps: Sequence[Line]) -> str:
    """Return a trace for a person: each step with who decided it, its whole text, tokens and seconds."""
    return "\n\n".join(_shown(step) for step in steps)


def _shown(step: Line) -> str:
    cost = [f"{step['duration_s']:.2f} s"] if step.get("duration_s") else []
    if tokens := step.get("tokens"):
        cost.append(f"{tokens['input']} tokens in, {tokens['output']} out")
    head = f"{step.get('step', '-')}. {step['kind']} by {step['by']}: {step['title']}"
    head += f" ({', '.join(cost)})" if cost else ""
    calls = [call for call in _calls(step) if call["tool"] != RUN]  # its code is a step of its own
    body = [str(step["text"]), *(f"{call['tool']}({json.dumps(call['arguments'])})" for call in calls), *_whole(step)]
    head = head.replace("\n", "\\n")  # a tool's name is the model's choice
    return "\n".join([head, *("    " + line for text in body for line in text.splitlines())])


def _whole(step: Line) -> Iterator[str]:
    """Yield what a run gave and the model was not shown, because it was cut."""
    run = step.get("data", {}).get("run")
    if run and "not shown" in step["text"]:
        yield f"whole value: {json.dumps(run.get('value'), ensure_ascii=False)}"
        if run.get("stdout"):
            yield f"whole stdout:\n{run['stdout']}"


def trajectory(steps: Sequence[Line]) -> dict[str, Any]:
    """Return a trace as one conversation: `messages` with roles and tool calls, `tools`, and `metadata` by code: the
    statuses of its answers in order, the model, and how many figures were traced."""
    verdicts = [step for step in steps if step["kind"] == "verdict"]
    figures = [figure for step in verdicts for figure in step.get("data", {}).get("figures", ())]
    question = next((step for step in steps if step["kind"] == "question"), {})
    return {
        "messages": list(_messages(steps)),
        "tools": [{"type": "function", "function": tool} for tool in question.get("data", {}).get("tools", ())],
        "metadata": {
            "model": verdicts[-1].get("data", {}).get("model") if verdicts else None,
            "statuses": [step["title"] for step in verdicts],
            "figures": len(figures),
            "traced": sum(figure["traced_to"] is not None for figure in figures),
        },
    }


def statuses(steps: Sequence[Line]) -> list[str]:
    """Return the status of each answer of a trace."""
    return [str(step["title"]) for step in steps if step["kind"] == "verdict"]


def _messages(steps: Sequence[Line]) -> Iterator[dict[str, Any]]:
    briefed = False
    for step in steps:
        data = step.get("data", {})
        if step["kind"] == "question" and not briefed and "briefing" in data:
            briefed = True
            yield {"role": "system", "content": data["briefing"]}
        if step["kind"] in ("question", "mend"):
            yield {"role": "user", "content": step["text"]}
        elif step["kind"] == "response":
            yield _said(step)
        elif step["kind"] == "tool":
            yield {"role": "tool", "tool_call_id": data.get("call", ""), "content": step["text"]}


def _said(step: Line) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step["text"]}
    if calls := _calls(step):
        message["tool_calls"] = [
            {"id": call["id"], "type": "function",
             "function": {"name": call["tool"], "arguments": json.dumps(call["arguments"], ensure_ascii=False)}}
            for call in calls
        ]  # fmt: skip
    return message


def _calls(step: Line) -> Sequence[Mapping[str, Any]]:
    found = step.get("data", {}).get("calls", ())
    return found if isinstance(found, list) else ()
