"""Files that a snippet wrote to /out, and charts, as artifacts of its run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import count
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
MAX_NAME = 512
MAX_NAMED = 50  # of those that are left out
_NOT_IN_NAMES = "\\:"
VEGA_LITE = "application/vnd.vegalite.v5+json"


def prepare() -> None:
    """Make the folder: the interpreter's file system is in memory and not part of the snapshot."""
    if OUT.is_symlink() or (OUT.exists() and not OUT.is_dir()):
        OUT.unlink()
    OUT.mkdir(exist_ok=True)
    OUT.chmod(0o777)


def collect(charts: Sequence[str], limits: dict[str, Any], warn: Callable[[str], None]) -> list[tuple[str, str, bytes]]:
    """Take (name, media type, bytes) of every chart and file of this run; a warning names what a limit left out."""
    if not charts and _is_empty(OUT):
        return []
    prepare()
    _open_up()
    free = (name for name in (f"chart-{number}.vl.json" for number in count(1)) if not (OUT / name).exists())
    found = [(name, VEGA_LITE, text.encode()) for name, text in zip(free, charts, strict=False)]
    for path in _files(warn):
        try:
            data = path.read_bytes()
        except OSError as error:
            warn(f"{_shown(path)} could not be read: {error.strerror}")
            continue
        media = _MEDIA.get(path.suffix.lower(), "application/octet-stream")
        found.append((path.relative_to(OUT).as_posix(), media, data))
    _clear()
    kept: list[tuple[str, str, bytes]] = []
    total = refused = 0
    for name, media, data in found:
        reason = _refusal(name) or _excess(len(kept), total, len(data), limits)
        refused += bool(reason)
        if reason and refused <= MAX_NAMED:
            warn(f"artifact {_printable(name)} was left out: {reason}")
        elif not reason:
            kept.append((name, media, data))
            total += len(data)
    if refused > MAX_NAMED:
        warn(f"{refused - MAX_NAMED} more artifacts were left out")
    return kept


def _open_up() -> None:
    """Make what a run closed readable and removable again."""
    for folder, folders, names in os.walk(OUT):
        for path in (Path(folder, name) for name in (*folders, *names)):
            if not path.is_symlink():
                path.chmod(0o777)


def _files(warn: Callable[[str], None]) -> list[Path]:
    """Return the files in order of their names; a link is none."""
    found = []
    for folder, folders, names in os.walk(OUT):
        for name in (*folders, *names):
            path = Path(folder, name)
            if path.is_symlink():
                warn(f"{_shown(path)} was left out: it is a link")
            elif not path.is_dir():
                found.append(path)
    return sorted(found)


def _clear() -> None:
    """Leave an empty folder for the next run, whatever was made in it."""
    for folder, folders, names in os.walk(OUT, topdown=False):
        for name in (*folders, *names):
            path = Path(folder, name)
            if path.is_symlink() or not path.is_dir():
                path.unlink()
            else:
                path.rmdir()


def _shown(path: Path) -> str:
    return f"artifact {_printable(path.relative_to(OUT).as_posix())}"


def _printable(name: str) -> str:
    return f"{name if name.isprintable() else ascii(name):.300}"


def _is_empty(folder: Path) -> bool:
    try:
        return not os.listdir(folder)  # noqa: PTH208 (less of the interpreter is needed, and a tenth of the time)
    except OSError:
        return False


def _refusal(name: str) -> str:
    """The host ends a process that sends such a name."""
    if not name.isprintable() or any(mark in name for mark in _NOT_IN_NAMES):
        return f"a name may hold no line breaks, no control characters and none of {' '.join(_NOT_IN_NAMES)}"
    return f"its name has more than {MAX_NAME} bytes" if len(name.encode()) > MAX_NAME else ""


def _excess(number: int, total: int, size: int, limits: dict[str, Any]) -> str:
    if number >= limits["artifacts"]:
        return f"more than {limits['artifacts']} artifacts (limit `artifacts`)"
    if size > limits["artifact_bytes"]:
        return f"{size} bytes are more than {limits['artifact_bytes']} (limit `artifact_bytes`)"
    if total + size > limits["artifacts_bytes"]:
        return f"more than {limits['artifacts_bytes']} bytes in all (limit `artifacts_bytes`)"
    return ""
