"""What the sandbox may say, every field checked. A field too many or of another type is a protocol error, never
ignored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from runner.errors import ProtocolError
from runner.frames import parse_object

STATUSES: Final = frozenset(["ok", "error", "time_limit", "memory_limit", "output_limit"])
_NAME_BYTES = 512
_DEPTH = 64  # of a value: the guest cuts at 32, and whoever shows it recurses
_ENVELOPE = frozenset(["type", "generation", "request", "sequence"])
_FIELDS = {
    "ready": frozenset(["type", "generation"]),
    "attached": _ENVELOPE,
    "output": _ENVELOPE | {"stream"},
    "artifact": _ENVELOPE | {"name", "media"},
    "result": _ENVELOPE | {"intact"},
}


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has loaded and given its permissions away."""


@dataclass(frozen=True, slots=True)
class Attached:
    """The database is open."""


@dataclass(frozen=True, slots=True)
class Output:
    """A piece of what the snippet printed."""

    stream: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """A file or chart that the snippet made."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a run."""

    status: str
    value: object
    error: tuple[str, str, str | None] | None
    reads: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    artifacts: int
    intact: bool = True  # whether the process can be trusted with another run, by its own word


Event = Ready | Attached | Output | ArtifactFile | Answer


def parse(header: Mapping[str, object], payload: bytes) -> Event:
    """Return the event of a frame whose envelope was checked.

    Raises:
        ProtocolError: the kind is unknown, or a field is missing, too many or of another type.
    """
    kind = header.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise ProtocolError(f"a message of unknown kind {kind!r:.40}")
    if header.keys() != _FIELDS[kind]:
        raise ProtocolError(f"a message {kind} with the fields {sorted(header)!r:.200}")
    if kind == "output":
        if not payload:
            raise ProtocolError("an output of nothing")
        stream = header.get("stream")
        if stream not in ("stdout", "stderr"):
            raise ProtocolError(f"output on a stream {stream!r:.40}")
        return Output(str(stream), payload)
    if kind == "artifact":
        return ArtifactFile(_name(header.get("name")), _text(header.get("media"), "media type"), payload)
    if kind == "result":
        return _answer(parse_object(payload), header.get("intact"))
    if payload:
        raise ProtocolError(f"a payload of {len(payload)} bytes where none belongs")
    return Ready() if kind == "ready" else Attached()


def value_bytes(value: object) -> int:
    """Return how long a value is as JSON in UTF-8.

    Raises:
        ProtocolError: it holds what the guest never sends: a number that is not finite (1e999 is valid JSON), half a
            surrogate pair, or nesting so deep that whoever shows it would exhaust the stack.
    """
    level = [value]
    for _ in range(_DEPTH):
        level = [item for found in level for item in _items(found) if type(item) in (list, dict)]
    if level:
        raise ProtocolError(f"a value nested deeper than {_DEPTH}")
    try:
        return len(json.dumps(value, allow_nan=False, ensure_ascii=False).encode())
    except ValueError as error:
        raise ProtocolError(f"a value that is no plain data: {type(error).__name__}") from None


def _items(found: object) -> Iterable[object]:
    return found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ProtocolError(f"{what} is a {type(value).__name__}")
    return value.encode("utf-8", "backslashreplace").decode()


def _name(value: object) -> str:
    """An artifact's name becomes part of a path one day: it stays below its folder."""
    name = _text(value, "an artifact's name")
    parts = name.split("/")
    if len(name.encode()) > _NAME_BYTES or any(part in ("", ".", "..") for part in parts) or _unprintable(name):
        raise ProtocolError(f"an artifact's name {name!r:.60}")
    return name


def _unprintable(name: str) -> bool:
    return not name.isprintable() or "\\" in name or ":" in name


def _answer(found: dict[str, object], intact: object) -> Answer:
    if not isinstance(intact, bool):
        raise ProtocolError(f"an answer that is intact: {intact!r:.40}")
    if set(found) != {"status", "value", "error", "artifacts", "reads", "warnings"}:
        raise ProtocolError(f"an answer with the fields {sorted(found)!r:.200}")
    status, count = found["status"], found["artifacts"]
    if status not in STATUSES:
        raise ProtocolError(f"an answer with the status {status!r:.40}")
    if not isinstance(count, int) or isinstance(count, bool):
        raise ProtocolError("a number of artifacts that is none")
    error = _error(found["error"])
    if (error is None) != (status == "ok"):
        raise ProtocolError(f"status {status} with{'out' if error is None else ''} an error")
    reads, warnings = _reads(found["reads"]), _texts(found["warnings"])
    return Answer(str(status), found["value"], error, reads, warnings, count, intact)


def _error(found: object) -> tuple[str, str, str | None] | None:
    if found is None:
        return None
    if not isinstance(found, dict) or set(found) != {"type", "message", "traceback"}:
        raise ProtocolError("an error of another shape")
    trace = found["traceback"]
    return (
        _text(found["type"], "an error's type"),
        _text(found["message"], "an error's message"),
        None if trace is None else _text(trace, "a traceback"),
    )


def _texts(found: object) -> tuple[str, ...]:
    if not isinstance(found, list):
        raise ProtocolError("warnings that are no list")
    return tuple(_text(text, "a warning") for text in found)


def _reads(found: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(found, list) or not all(
        isinstance(read, dict) and set(read) == {"table", "column"} for read in found
    ):
        raise ProtocolError("reads of another shape")
    return tuple((_text(read["table"], "a table"), _text(read["column"], "a column")) for read in found)
