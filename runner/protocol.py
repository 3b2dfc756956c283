"""The conversation with one process of the sandbox, without any I/O: bytes in, events out, requests as bytes.

| state    | the host may send | the process may say                         |
|----------|-------------------|---------------------------------------------|
| new      | start             | nothing                                     |
| starting |                   | ready                                       |
| idle     | attach, run       | nothing: a byte here is an anomaly          |
| attaching|                   | attached                                    |
| running  |                   | output and artifact any times, then result  |
| broken   | nothing           | nothing                                     |

Rules for every frame: it names the process's generation (a secret of the host until the start), the request's id (made
anew for every request), and its sequence number within the request, from 0 without a gap. Sums of bytes are bounded
beside the size of each frame. The first anomaly breaks the protocol for good; the owner kills the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from runner import messages
from runner.errors import ProtocolError
from runner.frames import Decoder, encode
from runner.limits import ResourceLimits

_TEXT_ROOM = 2_000_000  # error, traceback, warnings and reads of an answer, beside its value
_ALLOWED = {"attaching": ("attached",), "running": ("output", "artifact", "result"), "starting": ("ready",)}


class State(Enum):
    """Where the conversation stands."""

    NEW = "new"
    STARTING = "starting"
    IDLE = "idle"
    ATTACHING = "attaching"
    RUNNING = "running"
    BROKEN = "broken"


class Protocol:
    """One process's side of the table above."""

    def __init__(self, generation: str, limits: ResourceLimits) -> None:
        self.state = State.NEW
        self._generation = generation
        self._limits = limits
        self._request = ""
        self._sequence = 0
        self._output = 0
        self._artifacts: list[int] = []
        self._decoder = Decoder(max(limits.result_bytes, limits.artifact_bytes) + _TEXT_ROOM)

    # ---- what the host says
    def start(self, *, eager: bool, seed: int | None = 0) -> bytes:
        """Return the first message; `eager` has the engine load at once, `seed` None leaves clocks and chance as they
        are."""
        self._move((State.NEW,), State.STARTING)
        limits = {**self._limits.to_dict(), "database_mb": self._limits.engine_mb}
        header = {"type": "start", "mode": "serve", "generation": self._generation, "eager": eager, "seed": seed}
        return _message(header, {"limits": limits})

    def attach(self, request: str, database_bytes: int) -> bytes:
        """Return the message after which the database's bytes follow."""
        self._begin(request, State.ATTACHING)
        return encode({"type": "attach", "request": request}, database_bytes)

    def run(self, request: str, code: str, *, soft_deadline_ms: float, clock_ms: int = 0) -> bytes:
        """Return the message that has a snippet run; `clock_ms` is the time that a repeatable run begins at."""
        self._begin(request, State.RUNNING)
        payload = code.encode("utf-8", "surrogatepass")
        header = {"type": "run", "request": request, "soft_deadline_ms": soft_deadline_ms, "clock_ms": clock_ms}
        return encode(header, len(payload)) + payload

    def _begin(self, request: str, state: State) -> None:
        self._move((State.IDLE,), state)
        self._request = request
        self._sequence = 0
        self._output = 0
        self._artifacts = []

    def _move(self, allowed: tuple[State, ...], state: State) -> None:
        if self.state not in allowed:
            raise ValueError(f"a request in the state {self.state.value}")
        self.state = state

    # ---- what the process says
    def receive(self, data: bytes) -> Iterator[messages.Event]:
        """Take bytes in chunks of any size and give the events that are whole now.

        Raises:
            ProtocolError: the first anomaly; from then on every call raises.
        """
        if self.state is State.BROKEN:
            raise ProtocolError("the protocol was broken before")
        try:
            for header, payload in self._decoder.feed(data):
                yield self._event(header, payload)
            if self.state is State.IDLE and self._decoder.incomplete:
                raise ProtocolError("bytes after the answer")
        except ProtocolError:
            self.state = State.BROKEN
            raise

    def _event(self, header: Mapping[str, object], payload: bytes) -> messages.Event:
        self._check_envelope(header)
        if header["type"] == "result" and len(payload) > self._limits.result_bytes + _TEXT_ROOM:
            raise ProtocolError(f"an answer of {len(payload)} bytes")
        event = messages.parse(header, payload)
        self._account(event)
        if isinstance(event, messages.Ready | messages.Attached | messages.Answer):
            self.state = State.IDLE
        return event

    def _check_envelope(self, header: Mapping[str, object]) -> None:
        kind = header.get("type")
        if kind not in _ALLOWED.get(self.state.value, ()):
            raise ProtocolError(f"a message {kind!r:.40} in the state {self.state.value}")
        if header.get("generation") != self._generation:
            raise ProtocolError("a message of another process")
        if self.state is State.STARTING:
            return
        if header.get("request") != self._request:
            raise ProtocolError("a message for another request")
        sequence = header.get("sequence")
        if sequence != self._sequence or isinstance(sequence, bool | float):
            raise ProtocolError(f"message {sequence!r:.20} in the place of {self._sequence}")
        self._sequence += 1

    def _account(self, event: messages.Event) -> None:
        limits = self._limits
        if isinstance(event, messages.Output):
            self._output += len(event.data)
            if self._output > limits.output_bytes:
                raise ProtocolError(f"output of more than {limits.output_bytes} bytes")
        elif isinstance(event, messages.ArtifactFile):
            self._artifacts.append(len(event.data))
            if len(self._artifacts) > limits.artifacts or sum(self._artifacts) > limits.artifacts_bytes:
                raise ProtocolError("more artifacts than the limits allow")
        elif isinstance(event, messages.Answer):
            if event.artifacts != len(self._artifacts):
                raise ProtocolError(f"{len(self._artifacts)} artifacts came, the answer counts {event.artifacts}")
            if messages.value_bytes(event.value) > limits.result_bytes:
                raise ProtocolError(f"a value of more than {limits.result_bytes} bytes")


def _message(header: Mapping[str, object], more: Mapping[str, object]) -> bytes:
    """The start message is longer than a header may be when it comes from the sandbox; the host's own has no cap."""
    return encode({**header, **more})
