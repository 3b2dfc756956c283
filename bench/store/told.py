"""What a run is asked to do, and what it says of each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bench.errors import ExportError
from bench.readers import ReadOptions
from bench.store.history import Alert
from bench.store.inbox import SETTLE_S, Found
from bench.store.locking import Patience
from guards import GuardReport

GROWING = "it is still being written"
UNCHANGED = "it has not changed since it failed"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a run is asked to do. `store`: its location, as `stores.store_of` takes it; `board`: the profile of all
    exports; `archive`: where to move what is held; `cluster`: the scheduler whose workers judge."""

    inbox: Path
    store: str | Path
    board: Path | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    jobs: int = 1
    settle_s: float = SETTLE_S
    reguard: bool = False
    archive: Path | None = None
    cluster: str | None = None
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one file. `export` and `guard` as in the JSON document, `key` as in the store.

    `reason`: why it was skipped, or is not a plain addition. `tried`: false where an earlier run's failure is repeated.
    """

    path: str
    ingest: Literal["added", "skipped", "failed"]
    reason: str = ""
    export: Mapping[str, object] | None = None
    guard: GuardReport | None = None
    error: Mapping[str, object] | None = None
    key: int | None = None
    alerts: Sequence[Alert] = ()
    tried: bool = True


@dataclass
class Counts:
    """What a run did so far. `tried`: how many of the failed were read in this run; `refused`: how many of the added
    have a refused column; `rows`: kept; `tables`: how many of the added each table takes."""

    added: int = 0
    skipped: int = 0
    failed: int = 0
    tried: int = 0
    rows: int = 0
    refused: int = 0
    alerts: list[Alert] = field(default_factory=list)
    tables: Counter[str] = field(default_factory=Counter)

    def add(self, entry: Entry) -> None:
        """Count an entry."""
        setattr(self, entry.ingest, getattr(self, entry.ingest) + 1)
        self.tried += entry.ingest == "failed" and entry.tried
        self.alerts += entry.alerts
        if entry.guard is not None:
            self.rows += sum(table.rows_kept for table in entry.guard.tables)
            self.refused += entry.guard.outcome == "refused"
            self.tables.update(table.name.lower() for table in entry.guard.tables)


def skipped(found: Found, sha256: str, first: str) -> Entry:
    """Return what is said of a file whose bytes the store holds; `first`: the path under which they came."""
    reason = "the store holds it" if first == found.name else f"the store holds it, from {first}"
    return Entry(found.name, "skipped", reason, _export(found, sha256))


def growing(found: Found) -> Entry:
    """Return what is said of a file that somebody still writes."""
    return Entry(found.name, "skipped", GROWING, _export(found, None))


def failed(found: Found, sha256: str | None, error: Mapping[str, object], *, tried: bool = True) -> Entry:
    """Return what is said of a file that cannot be read; `tried`: in this run."""
    reason = "" if tried else UNCHANGED
    return Entry(found.name, "failed", reason, _export(found, sha256), error=error, tried=tried)


def unreadable(found: Found, problem: str) -> Entry:
    """Return what is said of a file that could not even be opened."""
    error = ExportError(problem, file=found.name, hint="mend its permissions, or take it out of the inbox")
    return failed(found, None, error.to_dict())


def _export(found: Found, sha256: str | None) -> dict[str, object]:
    return {
        "path": found.name, "sha256": sha256, "bytes": None if found.problem else found.bytes, "format": None,
        "dialect": None, "metadata": None,
    }  # fmt: skip
