"""Which files a run has looked at: so that the next one reads only what it has not seen, or what has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.store.commit import Committed
from bench.store.entries import now
from bench.store.inbox import Found
from bench.store.judging import Failed
from bench.store.state import Known, Seen

_BLOCK_BYTES = 1 << 20


class Notes:
    """What will be written into `guard.seen` with the next commit: its `rows`."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []

    def add(
        self, known: Known, found: Found, sha256: str | None, error: Mapping[str, object] | None = None,
        *, passing: bool = False,
    ) -> None:  # fmt: skip
        """Note a file: that the store holds its bytes, or why it could not be read.

        `passing`: not for what is in it, so that the next run tries again.
        """
        noted = {"error": error, "by": _version()} | ({"passing": True} if passing else {})
        told = None if error is None else json.dumps(noted, sort_keys=True)
        if told is not None and known.seen.get(found.name) == Seen(found.state, sha256, told):
            return
        self._write(known, found, sha256, told)

    def _write(self, known: Known, found: Found, sha256: str | None, told: str | None) -> None:
        sizes = dict(zip(("bytes", "mtime_ns", "ctime_ns", "inode"), found.state, strict=True))
        self.rows.append({"path": found.name, **sizes, "sha256": sha256, "error": told, "seen_at": now()})
        known.seen[found.name] = Seen(found.state, sha256, told)

    def add_missing(self, known: Known, inbox: Path, found: Collection[Found]) -> None:
        """Let go the failures of what no longer lies in an inbox; `found`: all that does, as `inbox.scan` yields it.

        What lies below a folder that cannot be read now may well be there.
        """
        there = {each.name for each in found}
        shut = {each.path for each in found if each.problem is not None}
        root = Found(inbox).name
        for name, seen in list(known.seen.items()):
            if seen.error is None or name in there or not (name == root or Path(name).is_relative_to(root)):
                continue
            if shut.isdisjoint(Path(name).parents):
                self._write(known, Found(Path(name)), None, None)

    def add_committed(self, known: Known, done: Sequence[Committed]) -> None:
        """Note files whose bytes the store now holds."""
        for each in done:
            if not isinstance(each, Failed) and each.judged.found.named is None:
                self.add(known, each.judged.found, each.judged.identity.sha256)


def seen_as_it_is(known: Known, found: Found) -> Seen | None:
    """Return what is known of a file, None where it has changed or was never seen."""
    seen = known.seen.get(found.name)
    return seen if seen is not None and seen.state == found.state else None


def failure(seen: Seen) -> Mapping[str, object] | None:
    """Return why a file could not be read, None where it could, or where it is worth another attempt."""
    told = json.loads(seen.error) if seen.error else {}
    return told_error(seen.error) if seen.error and told["by"] == _version() and not told.get("passing") else None


def told_error(text: str) -> Mapping[str, object]:
    """Return the error that was noted with a file."""
    error: Mapping[str, object] = json.loads(text)["error"]
    return error


def hashed(path: Path) -> str:
    """Return the SHA-256 of a file.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


@cache
def _version() -> str:
    try:
        return version("bench-analyze")
    except PackageNotFoundError:  # run from a source tree
        return "unknown"
