"""The command `replay`: same, or what differs."""

from __future__ import annotations

import json as jsons
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import receipts
from bench.cli.reply import Reply
from bench.outcome import DONE, FAILED, UNAVAILABLE
from bench.render.values import json_safe
from bench.replay import Difference, Replay, replay

_SHOWN = 200  # characters of a value


@dataclass(frozen=True, slots=True)
class Again:
    """What was asked for: a receipt, and where its export and profile are now."""

    receipt: Path
    exports: Sequence[Path]
    board: Path | None


def replay_reply(asked: Again, progress: Callable[[str, int, int], None] | None, *, json: bool) -> Reply:
    """Replay a receipt: exit code 0 for the same figures, 1 for others, 5 where the sandbox could not start."""
    receipt = receipts.read(asked.receipt)
    found = replay(receipt, asked.receipt, exports=asked.exports, board=asked.board, progress=progress)
    unavailable = [run.error for run in found.runs if run.status == "sandbox_unavailable" and run.error is not None]
    code = UNAVAILABLE if unavailable else DONE if found.same else FAILED
    notes = [unavailable[0].message] if unavailable else []
    if not found.same and not receipt["repeatable"]:
        notes.append("the receipt was made with --fresh-random: figures of chance and of the clock cannot come again")
    if json:
        return Reply(document=_document(asked, receipt, found, code), notes=tuple(notes), exit_code=code)
    return Reply(text=_text(receipt, found), notes=tuple(notes), exit_code=code)


def _document(asked: Again, receipt: dict[str, object], found: Replay, code: int) -> dict[str, object]:
    return {
        "receipt": str(asked.receipt),
        "id": receipt["id"],
        "same": found.same,
        "differences": [each.to_dict() for each in found.differences],
        "circumstances": [each.to_dict() for each in found.circumstances],
        "runs": [{"status": run.status, "value": json_safe(run.value)} for run in found.runs],
        "error": None,
        "exit_code": code,
    }


def _text(receipt: dict[str, object], found: Replay) -> str:
    lines = [f"same: receipt {str(receipt['id'])[:12]}"] if found.same else [f"differs: {len(found.differences)}"]
    lines += [_line(each) for each in found.differences]
    if found.circumstances:
        lines.append("other than then, which changes no figure by itself:")
        lines += [_line(each) for each in found.circumstances]
    if found.same:
        lines += [f"value: {_shown(run.value)}" for run in found.runs]
    return "\n".join(lines)


def _line(each: Difference) -> str:
    return f"  {each.what}: {_shown(each.then)} then, {_shown(each.now)} now"


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else jsons.dumps(json_safe(value), ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
