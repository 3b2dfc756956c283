"""What can go wrong at the edges, by who must act.

An exception holds fields; its text is built from them, one paragraph that says where, what, and the way out. The class
answers "who must act" and fixes the exit code, so that a front end maps errors with one handler and no table of its
own: `UsageError` (the caller), `ExportError` (whoever wrote the export, or chose it), `ProfileError` (who wrote the
board profile), `EnvironmentProblem` (who runs the machine).
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar


class BenchError(Exception):
    """Base of everything that `bench` raises.

    Fields: `message` (a sentence: what was found, what was expected), `file`, `line` (1-based), `column` (a column's
    name), `hint` (what to do), `kind` (a stable word for programs), `exit_code` (design.md, "Contracts").
    """

    kind: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        column: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = None if file is None else str(file)
        self.line = line
        self.column = column
        self.hint = hint

    def __str__(self) -> str:
        where = self.file or ""
        if self.line is not None:
            where = f"{where}:{self.line}" if where else f"line {self.line}"
        if self.column is not None:
            where = f"{where}: column {self.column!r}" if where else f"column {self.column!r}"
        text = f"{where}: {self.message}" if where else self.message
        return with_hint(text, self.hint)

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (type(self), self.message, self.file, self.line, self.column, self.hint))

    def to_dict(self) -> dict[str, object]:
        """Return the `error` member of the JSON document."""
        return {
            "kind": self.kind, "message": self.message, "file": self.file,
            "line": self.line, "column": self.column, "hint": self.hint,
        }  # fmt: skip


def with_hint(text: str, hint: object) -> str:
    """Return what happened and what to do as one text; the hint may be missing."""
    return f"{text if text.endswith(('.', '?', '!')) else text + '.'} Hint: {hint}" if hint else text


def _restore(
    kind: type[BenchError], message: str, file: str | None, line: int | None, column: str | None, hint: str | None
) -> BenchError:
    return kind(message, file=file, line=line, column=column, hint=hint)


class UsageError(BenchError):
    """The caller asked for something that cannot be: a wrong option, two options that exclude each other."""

    kind = "usage"


class StoreMissing(UsageError):  # noqa: N818 - see ExportMissing
    """There is no store at the place that was named."""


class ExportError(BenchError):
    """The export cannot be read as what it claims to be, or not without a guess that would change numbers."""

    kind = "export"


class ExportMissing(ExportError):  # noqa: N818 - the kind, not "Error", is what callers tell apart
    """There is no file to read: it does not exist, or is a directory."""

    kind = "export_missing"


class ExportEmpty(ExportError):  # noqa: N818 - see ExportMissing
    """The file is there and holds nothing to read."""

    kind = "export_empty"


class ExportChanged(ExportError):  # noqa: N818 - see ExportMissing
    """The file changed while it was read, so its hash and its rows may not belong together."""

    kind = "export_changed"


class ExportAmbiguous(ExportError):  # noqa: N818 - see ExportMissing
    """Two readings of the same text give different numbers; the message shows both."""

    kind = "export_ambiguous"


class ProfileError(BenchError):
    """The board profile cannot be used; the message names key, value and what was expected."""

    kind = "profile"


class EnvironmentProblem(BenchError):  # noqa: N818 - see ExportMissing
    """The machine stands in the way: disk full, permissions, a missing optional part."""

    kind = "environment"
