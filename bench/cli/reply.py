"""What a command answers: text or a document for stdout, notes for stderr, and the exit code. Nothing here prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reply:
    """`document` is printed instead of `text` when JSON was asked for; `verdicts`: how lines of `text` begin, and
    the verdict that colours them on a terminal."""

    text: str = ""
    document: Mapping[str, object] | None = None
    notes: tuple[str, ...] = field(default=())
    verdicts: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    exit_code: int = 0
