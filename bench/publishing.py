"""Two files put in place as one: a kill at any moment leaves the pair that was there before, or the whole new one.

A rename replaces one file at once, and there are two. So the companion goes first, and the one that it replaces stays
aside until the deciding file is in place too; whoever opens the pair next brings it back where that never happened.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from glob import escape
from pathlib import Path
from time import time

_STALE_S = 24 * 3600


def building(path: Path) -> Path:
    """Return a name of its own beside the path, under which the file is built."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.building")


def put_in_place(companion: tuple[Path, Path], deciding: tuple[Path, Path]) -> None:
    """Rename both files, each given as (built, final)."""
    built, final = companion
    aside = _aside(final)
    if final.exists():
        final.replace(aside)
    built.replace(final)
    deciding[0].replace(deciding[1])
    aside.unlink(missing_ok=True)


def settle(companion: Path, belongs: Callable[[Path], bool]) -> None:
    """End a publication that was killed. `belongs`: whether a companion is that of the deciding file as it stands.

    Raises:
        OSError: the folder cannot be written, and there was something to end.
    """
    aside = _aside(companion)
    if not aside.exists():
        return
    if belongs(companion):
        aside.unlink(missing_ok=True)
    else:
        aside.replace(companion)


def sweep(path: Path) -> None:
    """Remove what killed builds of this file left a day ago or more; no build takes so long."""
    for left in path.parent.glob(f".{escape(path.name)}.*.building*"):
        with suppress(OSError):
            if time() - left.stat().st_mtime > _STALE_S:
                left.unlink()


def _aside(companion: Path) -> Path:
    return companion.with_name(f".{companion.name}.before")
