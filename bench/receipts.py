"""Receipts: what figures came from, in one canonical JSON document, enough to give the same figures again.

Canonical means sorted keys, no blanks, UTF-8, no NaN: equal content has equal bytes. `id` is the SHA-256 of the
document without it, and `read` accepts canonical bytes only, so that a receipt altered in one byte is found out. It is
a seal against damage and careless editing, not a signature: who makes a new receipt can give it a new id.

Hashes stand for what is large: export, profile, ledger, tables, artifacts. The snippet, the value and what was printed
are kept, because a receipt that cannot be read answers nobody, and figures of a text are traced to them; so is a
model's answer with its figures. Approvals, and what earlier exports held, are kept whole: another machine has neither.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bench import publishing
from bench.errors import BenchError, EnvironmentProblem, UsageError
from bench.guarded import GuardedExport
from bench.render.values import json_safe
from guards import RULES_VERSION, GuardReport
from runner import RunResult

if TYPE_CHECKING:
    from bench.readers.options import ReadOptions

FORMAT = 4
_PACKAGES = ("bench-analyze", "polars", "duckdb", "pandera", "pint", "deno")
_MEMBERS = frozenset(
    "id format made_at exports options tables units ledger_sha256 rules_version".split()
    + "limits runs answer repeatable versions store".split()
)


class ReceiptError(BenchError):
    """The receipt is not what was written: it was altered or damaged."""

    kind: ClassVar[str] = "receipt"
    exit_code: ClassVar[int] = 1


def canonical(value: object) -> bytes:
    """Return the value as canonical JSON; non-finite numbers become null."""
    return json.dumps(
        json_safe(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def sha256(data: bytes) -> str:
    """Return the SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def make(
    exports: Sequence[GuardedExport],
    runs: Sequence[Mapping[str, object]],
    *,
    options: ReadOptions,
    contents: Mapping[str, object],
    made_at: datetime,
    reports: Sequence[GuardReport],
    limits: Mapping[str, object] | None = None,
    answer: Mapping[str, object] | None = None,
    store: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Return the receipt of an analysis. `runs`: a `run_entry` each; `contents`: by `fingerprints.contents`; `made_at`
    is UTC; `reports`: the guard's; `limits`: as a snippet has them; `answer`: of a model, with its question; `store`:
    where the tables came from instead of exports."""
    body: dict[str, object] = {
        "format": FORMAT,
        "made_at": made_at.isoformat(timespec="seconds"),
        "exports": [_export(guarded) for guarded in exports],
        "options": asdict(options),
        "tables": dict(contents),
        "ledger_sha256": sha256(canonical([report.to_dict() for report in reports])),
        "rules_version": RULES_VERSION,
        "limits": dict(limits or {}),
        "units": _units(reports),
        "runs": list(runs),
        "answer": answer,
        "repeatable": all(run["seed"] is not None for run in runs),
        "versions": _versions(),
        "store": store,
    }
    return {"id": sha256(canonical(body)), **body}


def run_entry(code: str, run: RunResult) -> dict[str, object]:
    """Return what a receipt says of one run."""
    found = run.to_dict()
    error = found["error"]
    return {
        "snippet": code,
        "snippet_sha256": sha256(_utf8(code)),
        "status": run.status,
        "value": json_safe(found["value"]),
        "value_sha256": sha256(canonical(found["value"])),
        "stdout": json_safe(run.stdout),
        "stdout_sha256": sha256(_utf8(run.stdout)),
        "stderr_sha256": sha256(_utf8(run.stderr)),
        "error": None if error is None else {name: error[name] for name in ("type", "message")},
        "artifacts": [_artifact(item) for item in found["artifacts"]],
        "seed": run.seed,
        "clock_ms": run.clock_ms,
        **{name: found[name] for name in ("image", "limits", "layers", "reads", "warnings", "state")},
    }


def tables_read(names: Sequence[str], runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the tables that a receipt must name: those that its runs read or mention; without a run, all."""
    if not runs:
        return list(names)
    reads = {str(read["table"]).lower() for run in runs for read in run["reads"]}
    code = "\n".join(str(run["snippet"]) for run in runs).lower()
    return [name for name in names if name.lower() in reads or name.lower() in code]


def write(receipt: Mapping[str, object], path: Path) -> Path:
    """Write the receipt whole or not at all, and return its path.

    Raises:
        EnvironmentProblem: the folder cannot be made or written.
    """
    building = publishing.building(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with building.open("wb") as file:
            file.write(canonical(receipt) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        building.replace(path)
    except OSError as error:
        with suppress(OSError):
            building.unlink(missing_ok=True)
        raise EnvironmentProblem(
            f"the receipt could not be written: {error.strerror or error}",
            file=path,
            hint="name a file that you may write with --receipt FILE",
        ) from error
    return path


def read(path: Path) -> dict[str, Any]:
    """Return a receipt that is byte for byte what was written.

    Raises:
        UsageError: it cannot be read, is no receipt, or was written by another version of the format.
        ReceiptError: it was altered.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"the receipt cannot be read: {error.strerror}", file=path, hint="name a receipt; the run printed its path"
        ) from error
    try:
        found = json.loads(data)
    except ValueError as error:
        raise _altered(path, f"it is no JSON ({error})") from error
    if not isinstance(found, dict) or "id" not in found or "runs" not in found:
        raise UsageError("this is no receipt", file=path, hint="name a file that --receipt wrote")
    if found.get("format") != FORMAT:
        hint = "replay it with the version that it names in `versions`"
        raise UsageError(f"its format is {found.get('format')!r:.20}, expected {FORMAT}", file=path, hint=hint)
    body = {name: value for name, value in found.items() if name != "id"}
    if found["id"] != sha256(canonical(body)) or data != canonical(found) + b"\n" or found.keys() != _MEMBERS:
        raise _altered(path, "its content does not have the hash that stands in `id`")
    return found


def _altered(path: Path, why: str) -> ReceiptError:
    return ReceiptError(
        f"the receipt is not what was written: {why}", file=path, hint="take the original, or make a new one"
    )


def default_path(folder: Path, receipt: Mapping[str, object]) -> Path:
    """Return where a receipt goes when no file is named: by time, then by content."""
    stamp = str(receipt["made_at"]).replace(":", "").replace("+0000", "Z")
    return folder / f"{stamp}-{str(receipt['id'])[:12]}.json"


def _export(guarded: GuardedExport) -> dict[str, object]:
    export, board = guarded.export, guarded.board
    return {
        "path": str(export.path.absolute()),
        "sha256": export.sha256,
        "bytes": export.bytes,
        "format": export.format,
        "tables": [table.name for table in guarded.tables],
        "dialect": dict(export.dialect),
        "profile": None if board is None else {"path": str(board.path.absolute()), "sha256": board.sha256},
        "approvals": [asdict(word) for word in guarded.words],
        "history": [asdict(past) for past in guarded.past],
    }


def _units(reports: Sequence[GuardReport]) -> dict[str, dict[str, list[str]]]:
    """Return {table: {column: its units}}; where they differ by measurement, `column [measurement]` has its own."""
    found: dict[str, dict[str, list[str]]] = {}
    for table in (table for report in reports for table in report.tables):
        for column in table.columns:
            own = [] if column.measurement is None else [f"{column.name} [{column.measurement}]"]
            for name in (column.name, *own):
                units = found.setdefault(table.name, {}).setdefault(name, [])
                if column.unit is not None and column.unit not in units:
                    units.append(column.unit)
    return found


def _artifact(item: Mapping[str, Any]) -> dict[str, object]:
    data = base64.b64decode(item["bytes"])
    return {"name": item["name"], "media_type": item["media_type"], "bytes": len(data), "sha256": sha256(data)}


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
