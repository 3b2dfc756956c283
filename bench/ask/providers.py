"""Models of providers, by pydantic-ai (optional part `ask`): Anthropic, OpenAI, Google, Ollama, compatible servers.

Each request is one call of the provider's own client; the loop, the tools and the judgement stay here. Keys are read
from the environment by the provider's library; where it finds none, from the keyring. Errors are told without what was
sent.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from bench import settings
from bench.ask.messages import Call, Message, ModelProblem, Response, Tokens, Told
from bench.ask.models import Connection
from bench.ask.tools import Schema
from bench.errors import EnvironmentProblem, UsageError

_LONGEST = 300
_KEY = re.compile(r"\b([A-Z][A-Z0-9_]*_(?:API_KEY|TOKEN))\b")
_KNOWN = ("anthropic", "openai", "google", "ollama")
SERVICE = "bench-analyze"  # under which the keyring holds keys


def provided(name: str, connection: Connection) -> Provided:
    """Return the model `PROVIDER:NAME`. With a base URL, openai:NAME means chat completions.

    Raises:
        EnvironmentProblem: pydantic-ai, or the provider's own library, is not installed.
        UsageError: the provider is not known, or its key is neither in the environment nor in the keyring.
    """
    try:
        from pydantic_ai import exceptions  # noqa: PLC0415
    except ImportError as error:
        raise EnvironmentProblem(
            f"{name} needs an optional part that is not installed", hint="pip install 'bench-analyze[ask]'"
        ) from error
    provider, _, model = name.partition(":")
    base_url = connection.base_url
    if provider == "ollama" and base_url is None:
        base_url = settings.ollama_url()
    try:
        return Provided(name, _model(name, base_url), connection)
    except TypeError as error:
        raise UsageError(f"{provider} takes no --base-url", hint=f"leave it out, or name openai:{model}") from error
    except (exceptions.UserError, ValueError) as error:
        raise _unusable(name, error) from error
    except ImportError as error:
        raise EnvironmentProblem(
            f"{name} cannot be used: {provider}'s own library is not installed",
            hint=f"pip install 'pydantic-ai-slim[{provider}]'",
        ) from error


def _unusable(name: str, error: Exception) -> UsageError:
    """Return what to do about a model that pydantic-ai does not make: its key is missing, or nobody knows it."""
    provider = name.partition(":")[0]
    said = _said(error)
    if wanted := _KEY.search(said):
        hint = f"set {wanted[1]} in the environment, or keep it by: keyring set {SERVICE} {provider}"
        return UsageError(f"{name} needs a key, and there is none", hint=hint)
    if said.startswith(("Unknown model", "Unknown provider")):
        hint = f"PROVIDER:NAME, with {', '.join(_KNOWN)}; or openai:NAME --base-url URL for a server of your own"
        return UsageError(f"{name} cannot be used: no provider is called {provider!r}", hint=hint)
    return UsageError(f"{name} cannot be used: {said}", hint="name another model")


def _model(name: str, base_url: str | None) -> Any:
    """Return pydantic-ai's model: with the environment's key, else with the keyring's. A key that is kept for a
    provider goes to no other address: that one has a key under its own URL, or none."""
    from pydantic_ai import exceptions, models  # noqa: PLC0415
    from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415

    provider, _, model = name.partition(":")
    key = _kept_key(base_url) if base_url else None
    given = {"base_url": base_url, **({"api_key": key} if key else {})}
    if base_url is not None and provider == "openai":  # servers that speak OpenAI's language know its chat completions
        return _compatible(model, given)
    if base_url is not None:
        return models.infer_model(name, lambda kind: infer_provider_class(kind)(**given))
    try:
        return models.infer_model(name)
    except exceptions.UserError:
        kept = _kept_key(provider)
        if kept is None:
            raise
        return models.infer_model(name, lambda kind: infer_provider_class(kind)(api_key=kept))  # type: ignore[call-arg]


def _compatible(model: str, given: dict[str, Any]) -> Any:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    return OpenAIChatModel(model, provider=OpenAIProvider(**given))


def _kept_key(user: str) -> str | None:
    """Return a key from the keyring (optional part `keys`); None where there is none, or no keyring."""
    try:
        import keyring  # noqa: PLC0415
        from keyring.errors import KeyringError  # noqa: PLC0415
    except ImportError:
        return None
    try:
        return keyring.get_password(SERVICE, user)
    except KeyringError:
        return None


@dataclass(frozen=True)
class Provided:
    """A provider's model. `model` is pydantic-ai's."""

    name: str
    model: Any
    connection: Connection

    def respond(self, briefing: str, history: Sequence[Message], *, tools: Sequence[Schema]) -> Response:
        """Ask the provider once.

        Raises:
            ModelProblem: it refused, failed, timed out, or could not be reached.
        """
        from pydantic_ai import ToolDefinition, exceptions, models  # noqa: PLC0415

        offered = [
            ToolDefinition(name=name, parameters_json_schema=dict(schema), description=text)
            for name, text, schema in tools
        ]
        parameters = models.ModelRequestParameters(function_tools=offered, allow_text_output=True)
        try:
            found = _outside_loops(lambda: asyncio.run(self._request(_messages(briefing, history), parameters)))
        except (exceptions.AgentRunError, exceptions.UserError, OSError) as error:
            raise _problem(self.name, error) from error
        return _response(found)

    async def _request(self, messages: list[Any], parameters: Any) -> Any:
        """Make one request with connections of its own, closed with it: the next one runs in another event loop."""
        from pydantic_ai import direct  # noqa: PLC0415

        asked: dict[str, Any] = {
            "model_request_parameters": parameters, "model_settings": {"timeout": self.connection.timeout_s},
            "instrument": _spans() if self.connection.spans else False,
        }  # fmt: skip
        async with self.model:
            if not self.connection.stream:
                return await direct.model_request(self.model, messages, **asked)
            async with direct.model_request_stream(self.model, messages, **asked) as stream:
                async for _ in stream:
                    pass
                return stream.get()


def _spans() -> Any:
    """Return pydantic-ai's instrumentation without what was said: no text leaves by a span."""
    from pydantic_ai.models.instrumented import InstrumentationSettings  # noqa: PLC0415

    return InstrumentationSettings(include_content=False)


def _outside_loops(request: Callable[[], Any]) -> Any:
    """Call a request; in a thread of its own where an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return request()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(request).result()


def _messages(briefing: str, history: Sequence[Message]) -> list[Any]:
    from pydantic_ai import messages as m  # noqa: PLC0415

    found: list[Any] = [m.ModelRequest(parts=[m.SystemPromptPart(briefing)])]
    for message in history:
        if isinstance(message, Response):
            found.append(message.native)
            continue
        part = (
            m.UserPromptPart(message.text)
            if isinstance(message, Told)
            else m.ToolReturnPart(message.call.tool, message.text, message.call.id)
        )
        if isinstance(found[-1], m.ModelRequest):
            found[-1] = m.ModelRequest(parts=[*found[-1].parts, part])
        else:
            found.append(m.ModelRequest(parts=[part]))
    return found


def _response(found: Any) -> Response:
    from pydantic_ai import messages as m  # noqa: PLC0415

    calls = tuple(_call(part) for part in found.parts if isinstance(part, m.ToolCallPart))
    text = "".join(part.content for part in found.parts if isinstance(part, m.TextPart))
    return Response(text, calls, Tokens(found.usage.input_tokens, found.usage.output_tokens), found, _cost(found))


def _cost(found: Any) -> float | None:
    """Return what a response cost by the published prices; None for a model that has none."""
    try:
        return float(found.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None


def _call(part: Any) -> Call:
    try:
        arguments = part.args_as_dict()
    except (ValueError, AssertionError):  # what the model wrote is no JSON object: the tool says what it needs
        arguments = {}
    return Call(part.tool_name, arguments, part.tool_call_id)


def _problem(name: str, error: Exception) -> ModelProblem:
    status = getattr(error, "status_code", None)
    hints = {401: "check the key in the environment", 403: "check the key in the environment",
             404: "check the model's name", 429: "wait, or use another model"}  # fmt: skip
    hint = hints.get(status or 0, "try again, or use another model; -c CODE works without one")
    what = f"the provider answered with {status}" if status else "the provider gave no usable answer"
    return ModelProblem(f"{name}: {what}: {_said(error)}", hint=hint)


def _said(error: Exception) -> str:
    text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
