"""What the pipeline hands on: an export with its board and, for each table, the guard's answer. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bench.export import Export, RawTable
from bench.releases import Word
from guards import Board, Guarded, GuardReport, Past, TableReport


@dataclass(frozen=True, slots=True)
class BoardFile:
    """A board profile as it was read. `origin`: named by the caller, or found beside the export."""

    path: Path
    text: str
    sha256: str
    board: Board
    origin: Literal["given", "beside"]


@dataclass(frozen=True, slots=True)
class GuardedTable:
    """One table: `name` is final (collisions resolved), in the file and in the report."""

    name: str
    raw: RawTable
    guarded: Guarded

    @property
    def report(self) -> TableReport:
        """The guard's report, with the rows that the reader set aside."""
        return replace(self.guarded.report, name=self.name).with_quarantined(self.raw.quarantine.height)


@dataclass(frozen=True, slots=True)
class GuardedExport:
    """One export after the guard. `words` of people and `past` (of earlier exports): what it was judged with."""

    export: Export
    board: BoardFile | None
    tables: tuple[GuardedTable, ...]
    words: tuple[Word, ...] = ()
    past: tuple[Past, ...] = ()

    @property
    def report(self) -> GuardReport:
        """The `guard` member of the JSON document, as objects."""
        return GuardReport(tuple(table.report for table in self.tables))


def distinct(names: list[str], taken: frozenset[str] = frozenset()) -> list[str]:
    """Return the names, `_2`, `_3` ... appended where one is used; letter case does not tell tables apart."""
    used = {name.lower() for name in taken}
    found = []
    for name in names:
        candidate, number = name, 2
        while candidate.lower() in used:
            candidate, number = f"{name}_{number}", number + 1
        used.add(candidate.lower())
        found.append(candidate)
    return found
