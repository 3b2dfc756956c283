"""Receipts: what a figure came from, in one canonical JSON document, enough to give the same figure again.

Canonical means sorted keys, no blanks, UTF-8, no NaN: equal content has equal bytes, and so an equal hash. `id` is the
SHA-256 of everything but `id` and `made_at`. Hashes stand for what is large (export, ledger); the snippet and the
value are kept, because a receipt that cannot be read answers nobody.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.errors import EnvironmentProblem
from bench.guarded import GuardedExport
from bench.render.values import json_safe
from guards import RULES_VERSION
from runner import RunResult

FORMAT = 1
_PACKAGES = ("bench-analyze", "polars", "duckdb", "pandera", "pint", "deno")


def canonical(value: object) -> bytes:
    """Return the value as canonical JSON; non-finite numbers become null."""
    return json.dumps(
        json_safe(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def sha256(data: bytes) -> str:
    """Return the SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def make(
    exports: Sequence[GuardedExport], *, code: str | None, run: RunResult | None, made_at: datetime
) -> dict[str, object]:
    """Return the receipt of one analysis, with a run or without. `made_at` is UTC."""
    body: dict[str, object] = {
        "format": FORMAT,
        "exports": [_export(guarded) for guarded in exports],
        "ledger_sha256": sha256(canonical([guarded.report.to_dict() for guarded in exports])),
        "rules_version": RULES_VERSION,
        "run": None if run is None else _run(code or "", run),
        "versions": _versions(),
    }
    return {"id": sha256(canonical(body)), "made_at": made_at.isoformat(timespec="seconds"), **body}


def write(receipt: Mapping[str, object], path: Path) -> Path:
    """Write the receipt whole or not at all, and return its path.

    Raises:
        EnvironmentProblem: the folder cannot be made or written.
    """
    building = path.with_name(f".{path.name}.{secrets.token_hex(4)}.building")
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


def default_path(folder: Path, receipt: Mapping[str, object]) -> Path:
    """Return where a receipt goes when no file is named: by time, then by content."""
    stamp = str(receipt["made_at"]).replace(":", "").replace("+0000", "Z")
    return folder / f"{stamp}-{str(receipt['id'])[:12]}.json"


def _export(guarded: GuardedExport) -> dict[str, object]:
    export, board = guarded.export, guarded.board
    return {
        "path": str(export.path),
        "sha256": export.sha256,
        "bytes": export.bytes,
        "tables": [table.name for table in guarded.tables],
        "dialect": dict(export.dialect),
        "profile": None if board is None else {"path": str(board.path), "sha256": board.sha256},
    }


def _run(code: str, run: RunResult) -> dict[str, object]:
    found = run.to_dict()
    value = found.get("value")
    return {
        "snippet": code,
        "snippet_sha256": sha256(code.encode()),
        "status": run.status,
        "value": value,
        "value_sha256": sha256(canonical(value)),
        "stdout_sha256": sha256(str(found.get("stdout") or "").encode()),
        "image": found.get("image", getattr(run, "image", None)),
        **{name: found.get(name) for name in ("limits", "layers", "reads", "warnings")},
    }


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
