"""From a model's name to a model: `scripted:FILE`, `stub`, or `PROVIDER:NAME` by the optional part `ask`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.ask.messages import Model
from bench.ask.scripted import Stub, read_script
from bench.errors import UsageError

HOW = (
    "name one: --model anthropic:NAME, openai:NAME, google:NAME, ollama:NAME (its key in the environment variable that "
    "the provider's own library reads), or scripted:FILE; without a model, -c CODE and --snippet FILE work"
)


@dataclass(frozen=True, slots=True)
class Connection:
    """How a provider is asked. `base_url`: of another server; `timeout_s`: of one request; `stream`: let it stream its
    responses, for what cuts off long silences; `spans`: emit OpenTelemetry spans, without texts."""

    base_url: str | None = None
    timeout_s: float = 120.0
    stream: bool = False
    spans: bool = False


def model_of(name: str | None, connection: Connection | None = None) -> Model:
    """Return the model of that name.

    Raises:
        UsageError: no name, an unknown provider, a script that cannot be read, a missing key or optional part.
    """
    if not name or not name.strip():
        raise UsageError("a question needs a model", hint=HOW)
    kind, _, rest = name.partition(":")
    if name == "stub":
        return Stub()
    if kind == "scripted" and rest:
        return read_script(Path(rest))
    if not rest:
        raise UsageError(f"{name!r} is no model", hint=HOW)
    from bench.ask.providers import provided  # noqa: PLC0415 - an optional part, and seconds to import

    return provided(name, connection or Connection())
