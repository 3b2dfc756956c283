"""Files that a snippet wrote to /out, and charts, as artifacts of its run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

OUT = Path("/out")
_MEDIA = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
VEGA_LITE = "application/vnd.vegalite.v5+json"


def prepare() -> None:
    """Make the folder: the interpreter's file system is in memory and not part of the snapshot."""
    if OUT.is_symlink() or (OUT.exists() and not OUT.is_dir()):
        OUT.unlink()
    OUT.mkdir(exist_ok=True)


def collect(charts: Sequence[str], limits: dict[str, Any], warn: Callable[[str], None]) -> list[tuple[str, str, bytes]]:
    """Take (name, media type, bytes) of every chart and file of this run; a warning names what a limit left out."""
    found = [(f"chart-{number}.vl.json", VEGA_LITE, text.encode()) for number, text in enumerate(charts, 1)]
    for path in sorted(path for path in OUT.rglob("*") if path.is_file() and not path.is_symlink()):
        found.append(
            (
                path.relative_to(OUT).as_posix(),
                _MEDIA.get(path.suffix.lower(), "application/octet-stream"),
                path.read_bytes(),
            )
        )
        path.unlink()
    kept: list[tuple[str, str, bytes]] = []
    total = 0
    for name, media, data in found:
        reason = _refusal(len(kept), total, len(data), limits)
        if reason:
            warn(f"artifact {name} was left out: {reason}")
        else:
            kept.append((name, media, data))
            total += len(data)
    return kept


def _refusal(count: int, total: int, size: int, limits: dict[str, Any]) -> str:
    if count >= limits["artifacts"]:
        return f"more than {limits['artifacts']} artifacts (limit `artifacts`)"
    if size > limits["artifact_bytes"]:
        return f"{size} bytes are more than {limits['artifact_bytes']} (limit `artifact_bytes`)"
    if total + size > limits["artifacts_bytes"]:
        return f"more than {limits['artifacts_bytes']} bytes in all (limit `artifacts_bytes`)"
    return ""
