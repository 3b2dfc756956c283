"""One question: the model writes, code runs, the answer is judged. The order of the steps, and nothing else.

A turn is one call of a tool and what it gave; after `turns` of them the model is asked once more, for its answer. A
failing snippet's traceback, a limit's message or a result goes back. An answer with marked figures goes back once, to
be mended. Ceilings of tokens and seconds end the loop as a limit does. Steps are traced with who decided them: `model`
only where the model chose the act, its arguments or the stop.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.ask.acts import Place, Proposal, proposal
from bench.ask.answer import Answer, Step
from bench.ask.arithmetic import ArithmeticProblem, evaluate
from bench.ask.ending import Ending, ending, limit
from bench.ask.figures import Context, Verification
from bench.ask.messages import ARITHMETIC, RUN, Call, Message, Model, ModelProblem, Response, Returned, Tokens, Told
from bench.ask.prompt import result_text
from bench.ask.tools import PYTHON, CallProblem, Toolset, text_of
from bench.ask.verify import verify
from bench.receipts import run_entry

if TYPE_CHECKING:
    from runner import RunResult

_LONGEST = 400  # characters of an expression; the evaluator allows fewer, and says so
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_EXPRESSION = re.compile(r"[\d\s.+\-*/()eE]*\d\s*[-+*/]\s*[\d\s.+\-*/()eE]*")


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What one question may cost. `turns`: calls of a tool; `tokens`: in and out; `seconds`: from its start; `cost`: in
    US dollars, by published prices."""

    turns: int = 4
    tokens: int = 200_000
    seconds: float = 600.0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with all that it needs. `run` runs a snippet; `clock` gives seconds; `earlier` is the last answer
    of a conversation: what was said and run before it is known to this one; `guarded`: what the guard found before the
    model was asked anything; `tables`: where each comes from, for proposals."""

    question: str
    model: Model
    briefing: str
    context: Context
    run: Callable[[str], RunResult]
    clock: Callable[[], float]
    ceilings: Ceilings = field(default_factory=Ceilings)
    earlier: Answer | None = None
    tools: Toolset = PYTHON
    guarded: str = ""
    tables: Mapping[str, Place] = field(default_factory=dict)


def ask(job: Ask) -> Answer:
    """Return the model's answer, judged. A model that fails, a limit and Ctrl-C are answers with their status."""
    return _Loop(job).answer()


class _Loop:
    def __init__(self, job: Ask) -> None:
        self._job = job
        before = job.earlier
        self._history: list[Message] = [*(before.history if before else ()), Told(job.question)]
        self._runs: list[tuple[str, RunResult]] = []
        self._evidence: list[Mapping[str, Any]] = [*(before.evidence if before else ())]
        self._steps: list[Step] = [
            Step("guard", "code", "the tables were checked before the question", job.guarded),
            Step("question", "code", "the question and the tables' schema", job.question, data=_asked(job)),
        ]
        self._proposals: list[Proposal] = []
        self._tokens = Tokens()
        self._cost: float | None = None
        self._turns = 0
        self._began = job.clock()

    def answer(self) -> Answer:
        text = ""
        try:
            text = self._until_text()
            found = self._judged(text)
            if found.marked or found.status == "claims_run":
                mended = self._mended(found)
                text, found = mended or (text, found)
        except ModelProblem as error:
            late = self._spent() > self._job.ceilings.seconds
            end = limit(f"no answer after {self._spent():.0f} s") if late else None
            return self._ended(text, end or Ending("failed", error.message, error.hint, error.kind))
        except _Limit as error:
            return self._ended(text, limit(str(error)))
        except KeyboardInterrupt:
            return self._ended(text, Ending("failed", "interrupted", None, "interrupted"))
        return self._made(found, ending(self._job.question, text, found, [run for _, run in self._runs]))

    def _until_text(self) -> str:
        while True:
            more = self._turns < self._job.ceilings.turns
            response = self._respond(tools=more)
            if not response.calls:
                return self._computed(response.text)
            if not more:
                raise _Limit(f"no answer after {self._turns} turns")
            for call in response.calls:
                if self._turns >= self._job.ceilings.turns:
                    self._history.append(Returned(call, "not done: no turn is left; answer now"))
                    continue
                self._turns += 1
                self._history.append(Returned(call, self._called(call)))
                if self._runs and self._runs[-1][1].status == "sandbox_unavailable":
                    raise ModelProblem(
                        "the sandbox could not start",
                        hint="bench-analyze sandbox status; bench-analyze sandbox install",
                    )

    def _respond(self, *, tools: bool) -> Response:
        if self._spent() > self._job.ceilings.seconds:
            raise _Limit(f"no answer after {self._spent():.0f} s")
        if self._tokens.input + self._tokens.output > self._job.ceilings.tokens:
            raise _Limit(f"no answer within {self._job.ceilings.tokens} tokens")
        if self._job.ceilings.cost is not None and (self._cost or 0.0) > self._job.ceilings.cost:
            raise _Limit(f"no answer within {self._job.ceilings.cost:g} US dollars")
        before = self._job.clock()
        response = self._job.model.respond(
            self._job.briefing, self._history, tools=self._job.tools.schemas if tools else ()
        )
        self._tokens += response.tokens
        title = ", ".join(call.tool for call in response.calls) or "answers"
        calls = [{"id": call.id, "tool": call.tool, "arguments": call.arguments} for call in response.calls]
        data: dict[str, Any] = {"calls": calls} if calls else {}
        self._step("response", "model", title, response.text, before, response.tokens, data)
        self._history.append(response)
        self._paid(response)
        return response

    def _spent(self) -> float:
        return self._job.clock() - self._began

    def _paid(self, response: Response) -> None:
        if response.cost is not None:
            self._cost = (self._cost or 0.0) + response.cost
        elif self._job.ceilings.cost is not None and (response.tokens.input or response.tokens.output):
            raise ModelProblem(
                f"no price of {self._job.model.name} is known, so that a ceiling of cost cannot be kept",
                hint="leave --cost out, and set --max-tokens",
            )

    def _called(self, call: Call) -> str:
        before = self._job.clock()
        runs = len(self._runs)
        text = self._acted(call)
        data: dict[str, Any] = {"call": call.id}
        if len(self._runs) > runs:
            data["run"] = self._evidence[-1]
        self._step("tool", "code", call.tool, text, before, data=data)
        return text

    def _acted(self, call: Call) -> str:
        offered = self._job.tools
        if call.tool not in offered.names:
            return f"there is no tool {call.tool!r:.60}; there are {', '.join(offered.names)}"
        try:
            if call.tool in offered.snippets:
                return self._ran(call, offered.snippets[call.tool](call.arguments))
            return self._calculated(text_of(call, "expression")) if call.tool == ARITHMETIC else self._proposed(call)
        except CallProblem as error:
            return error.message

    def _ran(self, call: Call, code: str) -> str:
        if call.tool != RUN:
            self._steps.append(Step("call", "model", call.tool, json.dumps(call.arguments, ensure_ascii=False)))
        by = "model" if call.tool == RUN else "code"
        self._steps.append(Step("code", by, "the snippet", code))
        run = self._job.run(code)
        self._runs.append((code, run))
        self._evidence.append(evidence(code, run))
        return result_text(run)

    def _calculated(self, expression: str) -> str:
        try:
            value = evaluate(expression)
        except ArithmeticProblem as error:
            return f"not evaluated: {error}"
        self._evidence.append({"status": "ok", "value": value, "code": expression, "arithmetic": True})
        return f"{value:.15g}"

    def _proposed(self, call: Call) -> str:
        self._proposals.append(proposal(call, self._job.tables))
        return "proposed to the engineer; nothing has changed, and the rows stay as they are"

    def _computed(self, text: str) -> str:
        """An answer that is nothing but an expression is computed by code."""
        if len(text) > _LONGEST or _DATE.fullmatch(text.strip()) or not _EXPRESSION.fullmatch(text.strip()):
            return text
        value = self._calculated(text.strip())
        return text if value.startswith("not evaluated") else f"{text.strip()} = {value}"

    def _judged(self, text: str) -> Verification:
        return verify(text, self._evidence, context=self._job.context)

    def _mended(self, found: Verification) -> tuple[str, Verification] | None:
        """Ask once for a mended answer; a script that has ended, or a worse answer, leaves the first one."""
        listed = "; ".join(f"{figure.text!r} ({figure.mark})" for figure in found.marked)
        nothing = "You say that something was run, and nothing was. " if found.status == "claims_run" else ""
        told = Told(f"{nothing}These numbers of your answer were traced to no run: {listed}. "
                    "Run what is missing, or answer again without them.")  # fmt: skip
        self._history.append(told)
        self._step("mend", "code", "asked to mend its answer", told.text, self._job.clock())
        try:
            text = self._until_text()
        except (ModelProblem, _Limit):
            return None
        again = self._judged(text)
        return None if again.marked and len(again.marked) > len(found.marked) else (text, again)

    def _ended(self, text: str, end: Ending) -> Answer:
        return self._made(self._judged(text), end)

    def _made(self, found: Verification, end: Ending) -> Answer:
        verdict = {"model": self._job.model.name, "turns": self._turns, "tokens": self._tokens.to_dict(),
                   "cost_usd": self._cost, "problem": end.problem,
                   "figures": [figure.to_dict() for figure in found.figures]}  # fmt: skip
        self._step("verdict", "code", end.status, found.marked_text, self._job.clock(), data=verdict)
        return Answer(
            question=self._job.question, text=found.marked_text, status=end.status, figures=found.figures,
            model=self._job.model.name, turns=max(1, self._turns), tokens=self._tokens, runs=tuple(self._runs),
            steps=tuple(self._steps), proposals=tuple(self._proposals), history=tuple(self._history),
            evidence=tuple(self._evidence), problem=end.problem, hint=end.hint,
            kind=end.kind or (f"answer_{end.status}" if end.problem else ""), cost=self._cost,
        )  # fmt: skip

    def _step(
        self, kind: str, by: str, title: str, text: str, before: float, tokens: Tokens | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self._steps.append(Step(kind, by, title, text, self._job.clock() - before, tokens, data or {}))


class _Limit(Exception):  # noqa: N818 - never leaves this module
    pass


def evidence(code: str, run: RunResult) -> Mapping[str, Any]:
    """Return a run as `verify` takes it: with its snippet and what it printed."""
    return {**run_entry(code, run), "stdout": run.stdout}


def _asked(job: Ask) -> dict[str, Any]:
    """Return what the model is told beside the question, for the trace."""
    tools = [{"name": name, "description": text, "parameters": schema} for name, text, schema in job.tools.schemas]
    return {"briefing": job.briefing, "tools": tools}
