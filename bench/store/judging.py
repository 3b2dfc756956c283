"""One export judged for a store: everything that a commit will write, so that it can cross from one process to another.

It is read and guarded exactly as a single analysis does (`pipeline.guard_exports`). Small tables travel in memory;
large ones, and large exports' bytes, lie in the run's work folder and are streamed from there, so that memory holds a
few batches, and the store is open only for as long as writing takes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

import polars as pl

from bench import settings
from bench.approvals import Recorded, recorded
from bench.boards import board_for
from bench.errors import BenchError, EnvironmentProblem, ExportChanged
from bench.export import LINE, ROW
from bench.frames import first_line, reading
from bench.guarded import BoardFile, GuardedExport, GuardedTable
from bench.ledger import ledger
from bench.pipeline import guard_exports
from bench.readers import ReadOptions
from bench.releases import Word
from bench.render.document import export_dict
from bench.store.columns import Extent, Units
from bench.store.inbox import Found, look
from guards import RULES_VERSION, TableReport

HELD_ROWS = 100_000  # a table above this lies in a file until it is committed
HELD_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Rows:
    """A table's rows: a frame, or an Arrow IPC file in the work folder. `units` and `extents` are by column."""

    rows: pl.DataFrame | Path
    height: int

    def lazy(self) -> pl.LazyFrame:
        """Return the rows, to be collected in batches."""
        return self.rows.lazy() if isinstance(self.rows, pl.DataFrame) else pl.scan_ipc(self.rows)


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """One table: its corrected rows, the text that raw keeps of it, and what decides where its columns go."""

    report: TableReport
    corrected: Rows
    raw: Rows | None
    schema: pl.Schema
    units: Mapping[str, Units]
    extents: Mapping[str, Extent]


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes an export the same one: its bytes, and what it was judged by."""

    sha256: str
    profile_sha256: str | None
    approvals: str | None
    rules_version: str = RULES_VERSION


@dataclass(frozen=True, slots=True)
class Judged:
    """An export that waits for its commit. `content`: its bytes as one zstd frame, in memory or in a file."""

    found: Found
    identity: Identity
    export: Mapping[str, object]
    content: bytes | Path
    ledger: Mapping[str, pl.DataFrame]
    tables: Sequence[JudgedTable]
    options: str

    @property
    def size(self) -> int:
        """The export's bytes."""
        size = self.export["bytes"]
        assert isinstance(size, int)
        return size

    def compressed(self) -> bytes:
        """Return the export's bytes as one zstd frame."""
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()


@dataclass(frozen=True, slots=True)
class Failed:
    """An export that cannot be read. `growing`: it changed while it was read, so that it is no failure yet."""

    found: Found
    sha256: str
    error: Mapping[str, object]
    growing: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an export is judged by besides its bytes. `said`: what people recorded; None: as this machine has it."""

    board: BoardFile | None
    said: tuple[Recorded, ...] | None = None


@dataclass(frozen=True, slots=True)
class Judge:
    """How the exports of a run are judged: the same for all of them. `work`: a folder for what is large; None where
    that stays in memory, because the answer goes to another machine."""

    board: Path | None
    options: ReadOptions
    work: Path | None

    def __call__(self, found: Found, sha256: str, around: Surroundings | None = None) -> Judged | Failed:
        """Judge one export; what goes wrong with it never stops those behind it. `around`: see `surroundings`."""
        try:
            return self._judged(found, sha256, around or Surroundings(self.board_of(found)))
        except BenchError as error:
            return Failed(found, sha256, error.to_dict(), growing=still_written(found, error.kind))
        except Exception as error:  # noqa: BLE001 - unattended: a fault of ours is told as this export's, and the rest goes on
            return Failed(found, sha256, _fault(error, found).to_dict())

    def board_of(self, found: Found) -> BoardFile | None:
        """Return the profile of an export."""
        return board_for(found.named or found.path, self.board)

    def surroundings(self, found: Found, sha256: str) -> Surroundings:
        """Return what this machine knows of an export besides its bytes, for a judge on another one.

        Raises:
            ProfileError: its profile cannot be used. EnvironmentProblem: the record of approvals is damaged.
        """
        said = recorded(settings.load().approvals)
        return Surroundings(self.board_of(found), tuple(each for each in said if each.sha256 == sha256))

    def _judged(self, found: Found, sha256: str, around: Surroundings) -> Judged:
        (guarded,) = guard_exports([found.path], self.options, [around.board], said=around.said, keep=True)
        export = guarded.export
        spool = None if self.work is None else self.work / f"{sha256[:16]}-{os.getpid()}"
        with reading(export.path):
            made = tuple(_table(table, _part(spool, str(n))) for n, table in enumerate(guarded.tables))
        content = export.source.compressed()
        export.source.check()
        if export.sha256 != sha256:
            raise ExportChanged("it changed before it was read", file=export.path)
        identity = Identity(sha256, guarded.board.sha256 if guarded.board else None, approvals_text(guarded.words))
        told = export_dict(guarded) | {"path": str(found.named or found.path)}
        options = json.dumps(asdict(self.options), sort_keys=True)
        held = content if spool is None else _held(content, spool.with_suffix(".zst"))
        return Judged(found, identity, told, held, _ledger(guarded), made, options)


def still_written(found: Found, kind: object) -> bool:
    """Return whether a file that failed with an error of this kind has changed since it was found.

    What was brought back from the store does not change.
    """
    return kind == ExportChanged.kind or (found.named is None and look(found.path).state != found.state)


def _fault(error: Exception, found: Found) -> BenchError:
    return BenchError(
        f"a fault in bench-analyze itself: {type(error).__name__}: {first_line(error)}",
        file=found.path,
        hint="please report it; BENCH_ANALYZE_DEBUG=1 bench-analyze EXPORT shows where it happened",
    )


def approvals_text(words: Sequence[Word]) -> str | None:
    """Return what people said as text that is equal where that is; None for nothing."""
    return json.dumps([asdict(each) for each in words], sort_keys=True) if words else None


def _ledger(guarded: GuardedExport) -> dict[str, pl.DataFrame]:
    return ledger([guarded], now=datetime(1970, 1, 1))  # the commit has the time


def spooled(judged: Judged, found: Found, work: Path) -> Judged:
    """Return what another machine judged, with what is large in files of the work folder. `found`: the file here."""
    spool = work / f"{judged.identity.sha256[:16]}-{os.getpid()}"
    content = judged.content
    assert isinstance(content, bytes)
    made = [
        replace(
            table,
            corrected=_aside(table.corrected, _part(spool, f"{n}.arrow")),
            raw=table.raw and _aside(table.raw, _part(spool, f"{n}-raw.arrow")),
        )
        for n, table in enumerate(judged.tables)
    ]
    return replace(judged, found=found, content=_held(content, spool.with_suffix(".zst")), tables=made)


def _aside(rows: Rows, spool: Path | None) -> Rows:
    return rows if rows.height <= HELD_ROWS else _rows(rows.lazy(), rows.height, spool)


def _part(spool: Path | None, name: str) -> Path | None:
    return None if spool is None else spool.with_name(f"{spool.name}-{name}")


def _table(table: GuardedTable, spool: Path | None) -> JudgedTable:
    corrected = table.guarded.corrected
    schema = corrected.collect_schema()
    rows = _rows(corrected, table.report.rows_kept, _part(spool, "rows.arrow"))
    raw = None
    if table.guarded.raw_columns:
        kept = table.raw.frame.select(ROW, LINE, *table.guarded.raw_columns)
        raw = _rows(kept, table.report.rows_kept, _part(spool, "raw.arrow"))
    return JudgedTable(table.report, rows, raw, schema, _units(table.report), _extents(rows.lazy(), schema))


def _rows(frame: pl.LazyFrame, height: int, spool: Path | None) -> Rows:
    if spool is None or height <= HELD_ROWS:
        return Rows(frame.collect(), height)
    try:
        frame.sink_ipc(spool, maintain_order=True)
    except OSError as error:
        raise _no_room(error, spool) from error
    return Rows(spool, height)


def _held(content: bytes, spool: Path) -> bytes | Path:
    if len(content) <= HELD_BYTES:
        return content
    try:
        spool.write_bytes(content)
    except OSError as error:
        raise _no_room(error, spool) from error
    return spool


def _no_room(error: OSError, spool: Path) -> EnvironmentProblem:
    reason = error.strerror or str(error)
    return EnvironmentProblem(
        f"no room to work in: {reason}", file=spool.parent, hint="free some space beside the store"
    )


def _units(report: TableReport) -> Mapping[str, Units]:
    """Return {column: {measurement: unit}} of the values that are there: a refused part has none."""
    found: dict[str, dict[str | None, str | None]] = {}
    for column in report.columns:
        units = found.setdefault(column.name, {})
        if column.verdict != "refused" and column.rows > column.nulls:
            units[column.measurement] = column.unit
    return found


def _extents(frame: pl.LazyFrame, schema: pl.Schema) -> dict[str, Extent]:
    names = [name for name in schema if name != ROW]
    integers = [name for name in names if schema[name].is_integer()]
    counts = frame.select(
        *(pl.col(name).count().alias(f"n{number}") for number, name in enumerate(names)),
        *(
            pl.max_horizontal(pl.col(name).max(), -pl.col(name).min()).alias(f"m{number}")
            for number, name in enumerate(names) if name in integers
        ),
    ).collect().row(0, named=True)  # fmt: skip
    return {name: Extent(counts[f"n{number}"], counts.get(f"m{number}") or 0) for number, name in enumerate(names)}
