"""Errors by who must act. A failing snippet is never one of them: it is a `RunResult` with its status."""

from __future__ import annotations


class RunnerError(Exception):
    """Base of the runner's errors. `hint` says what to do."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = message
        self.hint = hint
        super().__init__(message, hint)

    def __str__(self) -> str:
        return f"{self.message}. {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.hint))


def _rebuild(kind: type[RunnerError], message: str, hint: str) -> RunnerError:
    return kind(message, hint=hint)


class ImageError(RunnerError):
    """The sandbox image cannot be made, is damaged or is not there: the machine's owner must act."""


class UnavailableError(RunnerError):
    """The sandbox cannot start on this machine as asked for: Deno is missing, or a required layer does not hold."""


class LimitsError(RunnerError):
    """The limits cannot be met as given: the caller must act."""


class ProtocolError(RunnerError):
    """The sandbox's process said something that the protocol does not allow; it is killed for it."""
