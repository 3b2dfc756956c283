"""`--watch`: which files to look at next, until somebody asks to stop.

The system tells of changes by `watchfiles`, an optional part; a network share tells of nothing, so there (`--poll`) the
folder is listed again and again. In both cases the whole inbox is looked at once in a while: no notice that was lost
keeps an export out. Whether a file may be read is for the same rules to say as in a single run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.errors import EnvironmentProblem
from bench.store.inbox import DONE, Found, look, scan, wanted
from bench.store.stores import holds_store

EVERYTHING_S = 60.0  # how often the whole inbox is looked at in any case
_QUIET_MS = 200  # changes that follow within this time are told together


def changes(inbox: Path, stop: threading.Event, poll_s: float | None = None) -> Iterator[Sequence[Found] | None]:
    """Yield the files that changed, None where the whole inbox is to be looked at, until `stop` is set.

    Raises:
        EnvironmentProblem: the package watchfiles is not installed, or the system cannot watch the folder.
    """
    if poll_s is not None:
        while not stop.wait(poll_s):
            yield None
        return
    yield from _told(inbox, stop)


def _told(inbox: Path, stop: threading.Event) -> Iterator[Sequence[Found] | None]:
    try:
        from watchfiles import watch  # noqa: PLC0415 - an optional part
    except ImportError as error:
        raise EnvironmentProblem(
            "watching a folder needs the package watchfiles, which is not installed",
            hint="pip install 'bench-analyze[watch]', or look every few seconds with --poll 10",
        ) from error
    looked = -EVERYTHING_S  # what came before the system began to tell is looked for as soon as it does
    told = watch(
        inbox, watch_filter=None, stop_event=stop, step=_QUIET_MS, rust_timeout=1000, yield_on_timeout=True,
        raise_interrupt=False, ignore_permission_denied=True,
    )  # fmt: skip
    try:
        for found in told:
            if time.monotonic() - looked > EVERYTHING_S:
                looked = time.monotonic()
                yield None
            elif files := _files(inbox, {Path(path) for _, path in found}):
                yield files
    except OSError as error:
        raise EnvironmentProblem(
            f"the folder cannot be watched: {error.strerror or error}", file=inbox, hint="look at it with --poll 10"
        ) from error


def _files(inbox: Path, paths: set[Path]) -> list[Found]:
    """Return what is there of the paths and is taken for an export.

    A marker stands for the file that it completes. A folder is told of alone where its files came faster than the
    system could begin to watch it.
    """
    named = {path.with_name(path.name.removesuffix(DONE)) for path in paths if path != inbox}
    visible = [path for path in named if not any(part.startswith(".") for part in path.relative_to(inbox).parts)]
    found = {path: look(path) for path in visible if wanted(path.name) and path.is_file()}
    found |= {each.path: each for path in visible if path.is_dir() for each in scan(path)}
    found = {path: each for path, each in found.items() if not _in_store(path, inbox)}
    return [found[path] for path in sorted(found)]


def _in_store(path: Path, inbox: Path) -> bool:
    """Return whether a path lies in a store that the inbox holds: every commit there is told as a change."""
    return any(holds_store(folder) for folder in path.parents if folder != inbox and folder.is_relative_to(inbox))
