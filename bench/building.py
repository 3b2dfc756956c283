"""Building the two files of an analysis beside their final names; `publish` puts them in place by rename.

A large plain export is loaded by DuckDB itself (`bulk`), while the reader still proves that it is plain: both cores are
busy from the start. Other frames go in as polars batches (5,000,000 rows x 7 columns: 1.5 s and 640 MB, against 2.2 s
through a Parquet file, and 1.06 GB when collected whole).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Self

import polars as pl

from bench import bulk, publishing
from bench.bulk import BATCH_ROWS, quote
from bench.export import LINE, ROW, Export, PlainText, path_text
from bench.frames import reading
from bench.guarded import GuardedExport, GuardedTable
from bench.ledger import column_comment, ledger
from bench.macros import MACROS
from bench.progress import Progress
from bench.readers.pieces import ahead, pieces, regrouped
from bench.tables import (
    CELL_REFUSED,
    Connection,
    asking,
    attached,
    belongs,
    check_target,
    detach,
    explained,
    from_stream,
    raw_path,
)
from guards import LONGEST, TypedCells


@dataclass(frozen=True, slots=True)
class _Load:
    """A text on its way into the file, as the table `target` (quoted)."""

    target: str
    result: Future[TypedCells | None]


_COMMENTED = 500
"""Columns beyond which only corrected and refused ones get a comment: DuckDB copies the table's whole description for
each, 3 s for 2,000 columns, which is as long as everything else."""
_ELSEWHERE = (
    "{} columns: units and verdicts are in guard.units and guard.columns; corrected and refused ones say theirs"
)
_LOADING = "\x1floading "  # no name of an export's table begins so


class Build:
    """The two files of one analysis while they are built, ours replaced whole by `publish`; leave it by `with`.

    Raises:
        UsageError, EnvironmentProblem: as `check_target`, and when the disk is full; nothing half-written stays.
    """

    def __init__(self, database: Path) -> None:
        check_target(database)
        for path in (database, raw_path(database)):
            publishing.sweep(path)
        publishing.settle(raw_path(database), lambda raw: belongs(database, raw))
        self._database = database
        self._raw, self._main = (publishing.building(path) for path in (raw_path(database), database))
        self._con: Connection | None = None
        self._raw_con: Connection | None = None
        self._pool, self._raw_pool = ThreadPoolExecutor(max_workers=1), ThreadPoolExecutor(max_workers=1)
        self._files: Future[Connection]
        self._loads: dict[PlainText, _Load] = {}
        self._kept: dict[str, _Load] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for con in (self._con, self._raw_con):
            if con is not None:
                con.interrupt()
        self._pool.shutdown()
        self._raw_pool.shutdown(cancel_futures=True)
        for con in (self._con, self._raw_con):
            if con is not None:
                con.close()
        for path in (self._raw, self._main):
            for leftover in (path, path.with_name(path.name + ".wal")):
                with suppress(OSError):
                    leftover.unlink(missing_ok=True)

    def began(self, text: PlainText) -> bool:
        """Return whether a text is being loaded, or was."""
        return text in self._loads

    def begin(self, text: PlainText, head: pl.DataFrame, kinds: Mapping[str, str]) -> Callable[[], int | None]:
        """Begin to load a plain text by DuckDB alone. Return what waits for it, and counts its rows.

        `head`: its first rows; `kinds`: what the guard expects of the columns by them (`guards.expected_kinds`). The
        count is None where the text is not that plain.
        """
        if bulk.loadable(text):
            target = f"target.main.{quote(f'{_LOADING}{len(self._loads)}')}"
            self._loads[text] = _Load(target, self._pool.submit(_load, self._connection(), target, text, head, kinds))
        return lambda: found.rows if (found := self._wait(text)) else None

    def loaded(self, text: PlainText, table: str, rows: int) -> TypedCells | None:
        """Return a text that was begun as it lies in the file, None where it is not that plain.

        The guard judges it afterwards, and `publish` keeps it as `table` where the guard changed nothing.
        """
        found = self._wait(text)
        if found is None or found.rows != rows or text.underscores is None:
            return None
        load = self._loads[text]
        if bulk.underscores_in_numbers(asking(self._connection()), load.target, found, text.underscores):
            return None
        self._kept[table] = load
        return found

    def _wait(self, text: PlainText) -> TypedCells | None:
        with explained(self._database):
            return self._loads[text].result.result() if text in self._loads else None

    def keep(self, exports: Sequence[Export]) -> None:
        """Begin to write the exports' bytes, which no verdict changes. All have been read: no load goes on."""
        wait(load.result for load in self._loads.values())  # one whose text is not plain is nobody's to wait for
        self._files = self._raw_pool.submit(self._write_files, exports)

    def publish(self, exports: Sequence[GuardedExport], *, now: datetime, progress: Progress | None = None) -> None:
        """Write what is not written yet, and put both files in place. `now` is UTC without a time zone.

        Raises:
            ExportError: the text turned out not to be readable as its table.
        """
        with explained(self._database):
            # Side by side: the tables keep one core busy, and what was in the export the other.
            raw = self._raw_pool.submit(self._write_texts, exports)
            whole = self._raw_pool.submit(self._commit_texts, raw)
            con = self._connection()
            con.execute("BEGIN")
            _write_main(con, exports, self._kept, raw, now, progress)
            for load in self._loads.values():
                con.execute(f"DROP TABLE IF EXISTS {load.target}")
            con.execute("COMMIT")
            detach(con)
            whole.result()
            for guarded in exports:
                guarded.export.source.check()
            publishing.put_in_place((self._raw, raw_path(self._database)), (self._main, self._database))

    def _write_files(self, exports: Sequence[Export]) -> Connection:
        self._raw_con = con = attached(self._raw)
        con.execute("BEGIN")
        # The bytes are compressed already: DuckDB need not try.
        con.execute(
            'CREATE TABLE files (sha256 VARCHAR, path VARCHAR, "bytes" BIGINT, encoding VARCHAR, '
            "content BLOB USING COMPRESSION uncompressed)"
        )
        for export in exports:
            con.execute(
                "INSERT INTO files VALUES (?, ?, ?, 'zstd', ?)",
                [export.sha256, path_text(export.path), export.bytes, export.source.compressed()],
            )
        return con

    def _write_texts(self, exports: Sequence[GuardedExport]) -> dict[str, int]:
        """Return how many bytes the longest text of the changed columns has, for each table that was loaded."""
        con = self._files.result()
        longest: dict[str, int] = {}
        for guarded in exports:
            for table in guarded.tables:
                if columns := table.guarded.raw_columns:
                    target = quote(table.name)
                    con.execute(bulk.texts(target, columns))
                    plain = table.raw.plain if table.name in self._kept else None
                    frame = table.raw.frame.select(ROW, LINE, *columns)
                    sizes = [0]
                    with reading(guarded.export.path):
                        _fill(con, target, _batches(frame) if plain is None else ahead(_texts(plain, columns, sizes)))
                    longest[table.name] = max(sizes)
        return longest

    def _commit_texts(self, written: Future[dict[str, int]]) -> None:
        """Commit the raw file after its last text; who waited for the texts commits the other one meanwhile."""
        written.result()
        con = self._files.result()
        con.execute("COMMIT")
        detach(con)

    def _connection(self) -> Connection:
        if self._con is None:
            self._con = attached(self._main)
        return self._con


def _write_main(
    con: Connection,
    exports: Sequence[GuardedExport],
    loaded: Mapping[str, _Load],
    raw: Future[dict[str, int]],
    now: datetime,
    progress: Progress | None,
) -> None:
    for guarded in exports:
        for table in guarded.tables:
            with reading(guarded.export.path):
                if not _stands(con, table, loaded.get(table.name), raw):
                    _create(con, f"main.{quote(table.name)}", table.guarded.corrected, _reporting(progress, table))
            _comment(con, table)
    con.execute("CREATE SCHEMA guard")
    for name, frame in ledger(exports, now=now).items():
        _create(con, f"guard.{name}", frame.lazy())
    for signature, body in MACROS.items():
        con.execute(f"CREATE MACRO main.{signature} AS {body}")


def _stands(con: Connection, table: GuardedTable, load: _Load | None, raw: Future[dict[str, int]]) -> bool:
    """Make the table that was loaded the corrected one; what was read as text or floats and is more becomes so.

    Return whether that could be done. `raw`: how long the texts of changed columns are (see `guards.shifts`).
    """
    typed = load.result.result() if load is not None else None
    if load is None or typed is None:
        return False
    wanted, loaded = table.guarded.corrected.collect_schema(), typed.frame.collect_schema()
    other = [name for name, type_ in loaded.items() if wanted[name] != type_]
    changed = table.guarded.changed
    if any(name in changed or wanted[name] not in bulk.TYPES for name in other):
        return False
    shifts = table.guarded.shifts
    for statement in bulk.shifts(load.target, shifts):
        con.execute(statement)
    integers = [name for name in other if (loaded[name], wanted[name]) == (pl.Float64(), pl.Int64())]
    others = [name for name in other if name not in integers]
    for name in others:
        con.execute(bulk.emptied(load.target, name, wanted[name]))
    replaced = [*(name for name in changed if name not in shifts), *others]
    if any(shifts.values()) and raw.result().get(table.name, 0) > LONGEST:
        replaced += [name for name, shift in shifts.items() if shift is not None]
    if replaced:
        _replace(con, load.target, table.guarded.corrected.select(ROW, *replaced))
    for name in integers:
        con.execute(f"ALTER TABLE {load.target} ALTER {quote(name)} TYPE BIGINT")
    con.execute(f"ALTER TABLE {load.target} RENAME TO {quote(table.name)}")
    return True


def _replace(con: Connection, target: str, columns: pl.LazyFrame) -> None:
    """Put other values into some columns of a table that is loaded; the frame's `_row` says where."""
    names = [quote(name) for name in columns.collect_schema().names() if name != ROW]
    _create(con, "temp.main.changed", columns, head="TEMP TABLE changed")
    values = ", ".join(f"{name} = c.{name}" for name in names)
    con.execute(f"UPDATE {target} AS t SET {values} FROM temp.main.changed AS c WHERE c.{ROW} = t.{ROW}")
    con.execute("DROP TABLE temp.main.changed")


def _load(
    con: Connection, target: str, text: PlainText, head: pl.DataFrame, kinds: Mapping[str, str]
) -> TypedCells | None:
    try:
        con.execute(bulk.load(target, text, kinds))
    except CELL_REFUSED:
        return None  # a cell that the head did not promise: the guard reads the text
    if bulk.dateless(asking(con), target, text, kinds):
        return None
    found = bulk.read_back(asking(con), target, text, kinds, head)
    con.execute(bulk.number_rows(target))
    return found


def _reporting(progress: Progress | None, table: GuardedTable) -> Callable[[int], None]:
    total = table.report.rows_kept
    return (lambda rows: progress(f"Writing {table.name}", rows, total)) if progress else lambda rows: None


def _comment(con: Connection, table: GuardedTable) -> None:
    columns = sorted(table.report.columns, key=lambda column: column.name)
    if len(columns) > _COMMENTED:
        con.execute(f"COMMENT ON TABLE main.{quote(table.name)} IS {bulk.literal(_ELSEWHERE.format(len(columns)))}")
        columns = [column for column in columns if column.verdict in ("corrected", "refused")]
    for name, parts in groupby(columns, key=lambda column: column.name):
        text = bulk.literal(column_comment(parts))
        con.execute(f"COMMENT ON COLUMN main.{quote(table.name)}.{quote(name)} IS {text}")


def _create(
    con: Connection,
    target: str,
    frame: pl.LazyFrame,
    done: Callable[[int], None] | None = None,
    *,
    head: str | None = None,
) -> None:
    """Create the table and fill it batch by batch, in order; memory holds a few batches, never the table.

    `head`: how it is created, where not as a table of this name.
    """
    from_stream(con, f"CREATE {head or f'TABLE {target}'} AS FROM batch", frame.collect_schema().to_frame())
    _fill(con, target, _batches(frame), done)


def _fill(
    con: Connection, target: str, batches: Iterable[pl.DataFrame], done: Callable[[int], None] | None = None
) -> None:
    rows = 0
    for batch in batches:
        from_stream(con, f"INSERT INTO {target} FROM batch", batch)
        rows += batch.height
        if done:
            done(rows)


def _texts(text: PlainText, columns: Sequence[str], sizes: list[int]) -> Iterator[pl.DataFrame]:
    """Yield the texts of some columns; `sizes` gets the longest of each piece.

    Whole row groups: one INSERT costs 5 ms, and a row group that is begun by one and ended by the next is copied.
    """
    for piece in regrouped(pieces(text, columns), bulk.TEXT_ROWS):
        sizes.append(max(piece.select(pl.col(columns).str.len_bytes().max().fill_null(0)).row(0)))
        yield piece


def _batches(frame: pl.LazyFrame) -> Iterable[pl.DataFrame]:
    return frame.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)
