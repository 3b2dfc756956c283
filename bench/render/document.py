"""The JSON document of `--json` (design.md, "Contracts"): one document for every outcome, errors included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.guarded import GuardedExport
    from runner import RunResult

_RUN_FIELDS = (
    "status", "value", "stdout", "stderr", "error", "artifacts", "reads", "warnings", "duration_s", "limits", "layers",
    "state",
)  # fmt: skip


def document(
    exports: Sequence[GuardedExport] = (),
    *,
    runs: Sequence[RunResult] = (),
    answer: Mapping[str, object] | None = None,
    receipt: str | None = None,
    error: Mapping[str, object] | None = None,
    exit_code: int,
) -> dict[str, object]:
    """Return the document. `export` and `guard` are those of the first export; `exports` lists all of several."""
    parts = [{"export": export_dict(guarded), "guard": guarded.report.to_dict()} for guarded in exports]
    found: dict[str, object] = {
        "export": parts[0]["export"] if parts else None,
        "guard": parts[0]["guard"] if parts else None,
    }
    if len(parts) > 1:
        found["exports"] = parts
    return found | {
        "runs": [run_dict(run) for run in runs],
        "answer": answer,
        "receipt": receipt,
        "error": error,
        "exit_code": exit_code,
    }


def export_dict(guarded: GuardedExport) -> dict[str, object]:
    """Return the `export` member."""
    export = guarded.export
    return {
        "path": str(export.path),
        "sha256": export.sha256,
        "bytes": export.bytes,
        "format": export.format,
        "dialect": dict(export.dialect),
        "metadata": dict(export.metadata),
    }


def run_dict(run: RunResult) -> dict[str, object]:
    """Return one element of `runs`."""
    found = run.to_dict()
    return {name: found.get(name) for name in _RUN_FIELDS}
