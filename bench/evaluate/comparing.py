"""Two results side by side: the same questions by another model, another day, or calls instead of code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.cli.reply import Reply
from bench.errors import UsageError
from bench.render.terminal import printable

Results = Mapping[str, Any]


def compare_reply(first: Path, second: Path) -> Reply:
    """Compare two files of results. Raises `UsageError` where one is none."""
    return Reply(text=printable("\n".join(_lines(_read(first), _read(second)))))


def _read(path: Path) -> Results:
    hint = "name a file that python -m bench.evaluate kept"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"the results cannot be read: {error.strerror or error}", file=path, hint=hint) from error
    except ValueError as error:
        raise UsageError("these are no results", file=path, hint=hint) from error
    if not isinstance(found, dict) or not {"model", "actions", "kinds", "scores", "questions"} <= found.keys():
        raise UsageError("these are no results", file=path, hint=hint)
    return found


def _lines(first: Results, second: Results) -> Iterator[str]:
    for number, found in enumerate((first, second), 1):
        yield f"{number}: {found['model']}, by {found['actions']}, {found['made_at']}"
    yield ""
    yield f"{'right':<14}{'1':>8}{'2':>8}{'asked':>8}"
    for kind, asked in _asked(first, second).items():
        right = [found["kinds"].get(kind, {}).get("right", 0) for found in (first, second)]
        yield f"{kind:<14}{right[0]:>8}{right[1]:>8}{asked:>8}"
    for name, of in (("exact figures", ("figures", "exact")), ("wrong, unmarked", ("verdicts", "wrong"))):
        yield f"{name:<14}" + "".join(f"{found['scores'][of[0]][of[1]]:>8}" for found in (first, second))
    for name in ("turns", "seconds"):
        yield f"{name:<14}" + "".join(f"{found['scores'][name]:>8.0f}" for found in (first, second))
    others = {row["id"]: row["verdict"] for row in second["questions"]}
    differ = [row for row in first["questions"] if others.get(row["id"], row["verdict"]) != row["verdict"]]
    yield f"verdicts that differ: {len(differ) or 'none'}"
    yield from (f"- {row['id']}: {row['verdict']}, {others[row['id']]}" for row in differ)


def _asked(first: Results, second: Results) -> dict[str, int]:
    """Return {kind: how many questions of it the larger of both asked}."""
    kinds = [*first["kinds"], *(kind for kind in second["kinds"] if kind not in first["kinds"])]
    return {kind: max(sum(found["kinds"].get(kind, {}).values()) for found in (first, second)) for kind in kinds}
