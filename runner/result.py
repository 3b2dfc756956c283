"""`RunResult`: what one run gave, and how events and ends become one. Pure."""

from __future__ import annotations

import base64
import codecs
from dataclasses import dataclass, field
from typing import Any

from runner.limits import ResourceLimits
from runner.messages import Answer, ArtifactFile, Event, Output

KEPT = "kept"
LOST = "lost"


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run is not ok: type, message, and the traceback with the snippet's own lines (None where there is none)."""

    type: str
    message: str
    traceback: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        """Return it as plain data."""
        return {"type": self.type, "message": self.message, "traceback": self.traceback}


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file or chart that a snippet made."""

    name: str
    media_type: str
    data: bytes

    def to_dict(self) -> dict[str, str]:
        """Return it as plain data, bytes in base64."""
        return {"name": self.name, "media_type": self.media_type, "bytes": base64.b64encode(self.data).decode()}


@dataclass(frozen=True, slots=True)
class RunResult:
    """What one run of a snippet gave.

    status: `ok`; `error` (the snippet raised); `time_limit`, `memory_limit`, `output_limit`; `crashed` (the process
        ended); `sandbox_unavailable` (it could not start); `protocol` (it said what it must not).
    value: None, bool, int, float, str, list or dict; a frame is {"columns", "rows", "truncated"}.
    state: `kept` if the next run finds the variables of this one, else `lost`.
    seed, clock_ms: what chance and the clocks began with (None: they were the true ones). Not in the JSON document,
        whose members are fixed; receipts hold them.
    snippet: the code that ran, None where it is not known. Not in the JSON document either.
    """

    status: str
    value: Any = None
    stdout: str = ""
    stderr: str = ""
    error: RunError | None = None
    artifacts: tuple[Artifact, ...] = ()
    reads: tuple[dict[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    duration_s: float = 0.0
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    layers: tuple[str, ...] = ()
    image: str | None = None
    state: str = KEPT
    seed: int | None = 0
    clock_ms: int | None = None
    snippet: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the snippet ran to its end."""
        return self.status == "ok"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-safe data."""
        return {
            "status": self.status,
            "value": self.value,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "error": None if self.error is None else self.error.to_dict(),
            "artifacts": [artifact.to_dict() for artifact in self.artifacts],
            "reads": [dict(read) for read in self.reads],
            "warnings": list(self.warnings),
            "duration_s": self.duration_s,
            "limits": self.limits.to_dict(),
            "layers": list(self.layers),
            "image": self.image,
            "snippet": self.snippet,
            "state": self.state,
        }


class Transcript:
    """Folds the events of one run. Text is decoded as it comes, so that a character cut in two by a frame is whole."""

    def __init__(self) -> None:
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in ("stdout", "stderr")}
        self._texts: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self._artifacts: list[Artifact] = []
        self._warnings: list[str] = []
        self.answer: Answer | None = None

    def warn(self, text: str) -> None:
        """Add a warning of the host's own."""
        self._warnings.append(text)

    def add(self, event: Event) -> tuple[str, str] | None:
        """Take an event; return (stream, text) if it is output."""
        if isinstance(event, Output):
            text = self._decoders[event.stream].decode(event.data)
            self._texts[event.stream].append(text)
            return event.stream, text
        if isinstance(event, ArtifactFile):
            self._artifacts.append(Artifact(event.name, event.media_type, event.data))
        elif isinstance(event, Answer):
            self.answer = event
        return None

    def result(self, **more: Any) -> RunResult:
        """Return the result of a run that was answered, or with `status` and `error` given, of one that was not."""
        for name, decoder in self._decoders.items():
            self._texts[name].append(decoder.decode(b"", final=True))
        texts = {name: "".join(parts) for name, parts in self._texts.items()}
        answered: dict[str, Any] = {} if self.answer is None else _answered(self.answer)
        found = {**texts, "artifacts": tuple(self._artifacts), **answered, **more}
        return RunResult(**{**found, "warnings": (*found.get("warnings", ()), *self._warnings)})


def _answered(answer: Answer) -> dict[str, Any]:
    return {
        "status": answer.status,
        "value": answer.value,
        "error": None if answer.error is None else RunError(*answer.error),
        "reads": tuple({"table": table, "column": column} for table, column in answer.reads),
        "warnings": answer.warnings,
    }
