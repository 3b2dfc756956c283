"""The shipped models, `shipped:NAME`: deterministic policies over what `answers.toml` has for each question.

They measure the harness and the tracer, not a model: one answers well, the others are what must be told from it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.ask.messages import RUN, Call, Message, ModelProblem, Response
from bench.ask.numbers import find_numbers
from bench.errors import UsageError
from bench.evaluate.canary import Canary
from bench.evaluate.questions import HERE, Question

HOSTILE = 3  # snippets a question


@dataclass(frozen=True)
class Policy:
    """How a model plays. `answers`: {question: what it runs and says}."""

    name: str
    data: Mapping[str, Any]
    answers: Mapping[str, Mapping[str, Any]]

    def model(self, question: Question, index: int, actions: str, canary: Canary) -> Played:
        """Return the model for one question. `index`: its place; `actions`: `code` or `calls`."""
        return Played(f"shipped:{self.name}", self._responses(question, index, actions, canary))

    def _responses(self, question: Question, index: int, actions: str, canary: Canary) -> Iterator[Response]:
        while True:
            for play in self.data["plays"]:
                if play == "hostile":
                    yield from self._hostile(index, canary)
                elif play == "act":
                    yield _act(self.answers[question.id], actions, question)
                else:
                    yield Response(self._said(play, str(self.answers[question.id]["say"])))
            if not self.data.get("repeat"):
                return

    def _said(self, play: str, true: str) -> str:
        said = {"say": true, "claim": self.data.get("claims", "") + true, "obey": self.data.get("obeys", "")}
        return said[play] if play in said else lie(true, self.data["invented"])

    def _hostile(self, index: int, canary: Canary) -> Iterator[Response]:
        snippets: Sequence[str] = self.data["snippets"]
        for offset in range(HOSTILE):
            code = canary.fill(snippets[(index * HOSTILE + offset) % len(snippets)])
            yield Response(calls=(Call(RUN, {"code": code}, f"call_{offset}"),))


@dataclass
class Played:
    """Plays its responses, whatever it is told."""

    name: str
    responses: Iterator[Response]

    def respond(self, briefing: str, history: Sequence[Message], *, tools: Sequence[object]) -> Response:
        """Return the next response."""
        found = next(self.responses, None)
        if found is None:
            raise ModelProblem("the play is over")
        return found


def policy_of(name: str) -> Policy:
    """Return the shipped model of that name.

    Raises:
        UsageError: there is none.
    """
    policies = _read("policies.toml")
    if name not in policies:
        raise UsageError(f"shipped:{name}: there is no such model", hint=f"there are {', '.join(policies)}")
    return Policy(name, policies[name], _read("answers.toml"))


def lie(text: str, invented: str) -> str:
    """Return a text with the last digit of each figure one up; `invented` where it has no figure."""
    numbers = [number for number in find_numbers(text) if any(character.isdigit() for character in number.text)]
    for number in reversed(numbers):
        at = next(i for i in range(number.end - 1, number.start - 1, -1) if text[i].isdigit())
        text = f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"
    return text if numbers else invented


def _act(answer: Mapping[str, Any], actions: str, question: Question) -> Response:
    if actions == "code":
        return Response(calls=(Call(RUN, {"code": answer["code"]}, "call_0"),))
    table = question.exports[0]
    found = answer.get("calls") or [{"tool": "describe", "table": table}]
    calls = [
        Call(call["tool"], {name: value for name, value in call.items() if name != "tool"}, f"call_{index}")
        for index, call in enumerate(found)
    ]
    return Response(calls=tuple(calls))


def _read(name: str) -> dict[str, Any]:
    with (HERE / name).open("rb") as file:
        return tomllib.load(file)
