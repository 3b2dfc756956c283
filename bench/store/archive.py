"""`--archive`: the exports that the store holds are moved out of the inbox, and nothing else ever touches them."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from bench.errors import EnvironmentProblem
from bench.store.inbox import Found, look, marker


def archive(found: Found, inbox: Path, folder: Path) -> Path | None:
    """Move an export to the same place below `folder`, its marker with it; a name that is taken gets `_2`.

    Return where it is now; None where it has changed since it was read, so that it stays.

    Raises:
        EnvironmentProblem: it cannot be moved; it is where it was.
    """
    if look(found.path).state != found.state:
        return None
    base = inbox if inbox.is_dir() else inbox.parent
    target = _free(folder / found.path.relative_to(base))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(found.path, target)
    except OSError as error:
        raise EnvironmentProblem(
            f"it could not be moved to {target}: {error.strerror or error}; the store holds it",
            file=found.name,
            hint="mend the folder that --archive names",
        ) from error
    done = marker(found.path)
    if done.exists():
        with suppress(OSError):
            shutil.move(done, marker(target))
    return target


def _free(path: Path) -> Path:
    number, found = 2, path
    while found.exists() or found.is_symlink():
        found = path.with_name(f"{path.stem}_{number}{path.suffix}")
        number += 1
    return found
