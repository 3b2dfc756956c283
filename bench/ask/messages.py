"""What passes between the loop and a model: plain data, the same for every provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from bench.errors import BenchError

RUN, ARITHMETIC, APPROVE, RELEASE, WITHDRAW = "run_python", "arithmetic", "approve", "release", "withdraw"


class ModelProblem(BenchError):  # noqa: N818 - as in bench.errors
    """The model gave no usable response: the provider refused, timed out, or its script ended."""

    kind = "model"
    exit_code = 1


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model wants called. `arguments` are the model's own and unchecked."""

    tool: str
    arguments: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a response cost, as the provider counts it."""

    input: int = 0
    output: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.input + other.input, self.output + other.output)

    def to_dict(self) -> dict[str, int]:
        """Return the JSON form."""
        return {"input": self.input, "output": self.output}


@dataclass(frozen=True, slots=True)
class Response:
    """One response: calls, or an answer's text. `native`: the provider's own form, to be sent back as it came;
    `cost`: in US dollars, None where the price is not known."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    native: Any = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What the model is told: the question, or a request to mend its answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Returned:
    """What a tool gave, for the call of that id."""

    call: Call
    text: str


Message = Told | Response | Returned


class Model(Protocol):
    """Anything that answers a conversation."""

    @property
    def name(self) -> str:
        """What the user called it by."""
        ...

    def respond(
        self, briefing: str, history: Sequence[Message], *, tools: Sequence[tuple[str, str, Mapping[str, Any]]]
    ) -> Response:
        """Return the next response. `tools`: (name, description, JSON schema); without any only a text is wanted.

        Raises:
            ModelProblem: there is none.
        """
        ...
