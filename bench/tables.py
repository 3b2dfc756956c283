"""The DuckDB file, and the only module that imports duckdb.

An analysis is built beside its final name and put in place by rename (`publishing`). Two files, because the sandbox is
handed the first one's bytes and must not hold raw text; `guard.exports` of the first decides what there is.

Storage version v1.4.0 is the newest that DuckDB-Wasm reads; a file in DuckDB 2.0's own version is refused there.

A large plain export is loaded by DuckDB itself (`bulk`). Other frames go in as polars batches through the Arrow C
stream interface: DuckDB asks an object for `__arrow_c_stream__` and nothing else, so no pyarrow is needed (1.5 s and
640 MB for 5,000,000 rows x 7 columns, against 2.2 s through a Parquet file, and 1.06 GB when collected whole).
No SQL of a user or a model ever runs here, and extensions are neither loaded nor fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from tempfile import gettempdir
from typing import Self

import duckdb
import polars as pl

from bench import bulk, publishing
from bench.bulk import BATCH_ROWS, literal, quote
from bench.errors import BenchError, EnvironmentProblem, UsageError
from bench.export import LINE, ROW, PlainText, path_text
from bench.frames import first_line, reading
from bench.guarded import GuardedExport, GuardedTable
from bench.ledger import column_comment, ledger
from bench.macros import MACROS
from guards import TypedCells

STORAGE_VERSION = "v1.4.0"
Progress = Callable[[str, int, int], None]  # label, done, total

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}


@dataclass(frozen=True, slots=True)
class _Stream:
    """A frame with the one method that DuckDB needs; a polars frame as such would make it ask for pyarrow."""

    frame: pl.DataFrame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def raw_path(database: Path) -> Path:
    """Return the file that stands beside a database and holds what was in the export: X.duckdb, X.raw.duckdb."""
    return database.with_name(f"{database.stem}.raw{database.suffix}")


def check_target(database: Path) -> None:
    """Raise before any work if the two files cannot be put there.

    Raises:
        UsageError: one of them exists and is not ours, or another process has not finished writing it.
        EnvironmentProblem: the folder does not exist or cannot be written.
    """
    if not database.parent.is_dir():
        raise EnvironmentProblem(
            "the folder does not exist", file=database.parent, hint="make it, or name another --db"
        )
    for path, ours in ((database, _is_ours), (raw_path(database), _is_our_raw)):
        if path.with_name(path.name + ".wal").exists():
            raise UsageError(
                "another process is writing this database, or was stopped while it did (a .wal file stands beside it)",
                file=path,
                hint="let it finish, or name another --db",
            )
        if (path.exists() or path.is_symlink()) and not ours(path):
            raise UsageError(
                "exists and was not written by bench-analyze, so it is not overwritten",
                file=path,
                hint="name another --db, or move that file away",
            )
    probe = publishing.building(database)
    with explained(database):
        probe.touch(exist_ok=False)
        probe.unlink()


class Build:
    """The two files of one analysis while they are built, ours replaced whole by `publish`; leave it by `with`.

    Raises:
        UsageError, EnvironmentProblem: as `check_target`, and when the disk is full; nothing half-written stays.
    """

    def __init__(self, database: Path) -> None:
        check_target(database)
        for path in (database, raw_path(database)):
            publishing.sweep(path)
        publishing.settle(raw_path(database), lambda raw: _belongs(database, raw))
        self._database = database
        self._raw, self._main = (publishing.building(path) for path in (raw_path(database), database))
        self._con: duckdb.DuckDBPyConnection | None = None
        self._loaded: dict[str, pl.Schema] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._con is not None:
            self._con.close()
        for path in (self._raw, self._main):
            for leftover in (path, path.with_name(path.name + ".wal")):
                with suppress(OSError):
                    leftover.unlink(missing_ok=True)

    def load(self, table: str, text: PlainText, kinds: Mapping[str, str], rows: int) -> TypedCells | None:
        """Load a plain export by DuckDB alone; return it as it lies there, None where its text is not that plain.

        `kinds`: what the guard expects of the columns (`guards.expected_kinds`). The guard judges it afterwards, and
        `publish` keeps it where the guard changed nothing.
        """
        target = f"target.main.{quote(table)}"
        with explained(self._database):
            con = self._connection()
            try:
                con.execute(bulk.load(target, text, kinds))
                found = bulk.read_back(_asking(con), target, text, kinds, rows)
            except (duckdb.ConversionException, duckdb.InvalidInputException):
                found = None  # a cell that the head did not promise: the guard reads the text
            if found is None:
                con.execute(f"DROP TABLE IF EXISTS {target}")
            else:
                con.execute(bulk.number_rows(target))
                self._loaded[table] = found.frame.collect_schema()
        return found

    def publish(self, exports: Sequence[GuardedExport], *, now: datetime, progress: Progress | None = None) -> None:
        """Write what is not loaded yet, and put both files in place. `now` is UTC without a time zone.

        Raises:
            ExportError: the text turned out not to be readable as its table.
        """
        with explained(self._database):
            # Side by side: the tables keep one core busy, and the export's bytes the other.
            with ThreadPoolExecutor(max_workers=1) as pool:
                raw = pool.submit(_write_raw, self._raw, exports)
                con = self._connection()
                con.execute("BEGIN")
                _write_main(con, exports, self._loaded, now, progress)
                con.execute("COMMIT")
                _detach(con)
                raw.result()
            for guarded in exports:
                guarded.export.source.check()
            publishing.put_in_place((self._raw, raw_path(self._database)), (self._main, self._database))

    def _connection(self) -> duckdb.DuckDBPyConnection:
        if self._con is None:
            self._con = _attached(self._main)
        return self._con


def read_table(database: Path, table: str, *, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return the corrected table (`_row` first), or only some of its columns.

    Raises:
        UsageError: there is no such table; the message lists those that there are.
    """
    with explained(database), open_database(database) as con:
        names = tables_of(con)
        if table not in names:
            raise UsageError(f"there is no table {table!r}", file=database, hint="the tables are " + ", ".join(names))
        chosen = "*" if columns is None else ", ".join(map(quote, columns))
        return pl.DataFrame(con.sql(f"SELECT {chosen} FROM {quote(table)} ORDER BY {ROW}"))


def table_batches(database: Path, table: str) -> Iterator[pl.DataFrame]:
    """Yield the corrected table in batches in the order of `_row`: at least one, which may be empty."""
    with explained(database), open_database(database) as con:
        ((rows,),) = con.execute(f"SELECT coalesce(max({ROW}), 0) FROM {quote(table)}").fetchall()
        for first in range(1, max(rows, 1) + 1, BATCH_ROWS):
            between = f"{ROW} BETWEEN {first} AND {first + BATCH_ROWS - 1}"
            yield pl.DataFrame(con.sql(f"SELECT * FROM {quote(table)} WHERE {between} ORDER BY {ROW}"))


def tables_of(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of the corrected tables in an opened database."""
    return [name for (name,) in con.execute("SELECT DISTINCT table_name FROM guard.exports ORDER BY ALL").fetchall()]


@contextmanager
def open_database(database: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open an analysis read-only, its raw file attached as `raw` if it is there."""
    with suppress(OSError):  # in a folder that may only be read nothing is unsettled
        publishing.settle(raw_path(database), lambda raw: _belongs(database, raw))
    with closing(connect()) as con:
        con.execute(f"ATTACH {literal(database)} AS analysis (READ_ONLY)")
        if (raw := raw_path(database)).exists():
            con.execute(f"ATTACH {literal(raw)} AS raw (READ_ONLY)")
        con.execute("USE analysis")
        yield con


def versions() -> dict[str, str]:
    """Return the versions that a receipt names: duckdb's own, and the storage that it writes."""
    return {"duckdb": duckdb.__version__, "duckdb_storage": STORAGE_VERSION}


def connect() -> duckdb.DuckDBPyConnection:
    """Return a connection in memory with everything off that would fetch, guess or print."""
    con = duckdb.connect(":memory:", config=_CONFIG)
    con.execute(f"SET temp_directory = {literal(Path(gettempdir()))}")
    con.execute("SET enable_progress_bar = false")  # it would print between our results on stdout
    return con


def _belongs(database: Path, raw: Path) -> bool:
    with closing(connect()) as con:
        try:
            con.execute(f"ATTACH {literal(database)} AS found (READ_ONLY); ATTACH {literal(raw)} AS beside (READ_ONLY)")
            missing = con.execute(
                "SELECT count(*) FROM found.guard.exports e WHERE NOT EXISTS "
                "(FROM beside.files f WHERE f.sha256 = e.sha256)"
            ).fetchone()
        except duckdb.Error:
            return False
    return missing == (0,)


def _is_ours(path: Path) -> bool:
    return _has(path, "SELECT sha256, table_name, rules_version FROM found.guard.exports LIMIT 0")


def _is_our_raw(path: Path) -> bool:
    return _has(path, "SELECT sha256, encoding, content FROM found.main.files LIMIT 0")


def _has(path: Path, query: str) -> bool:
    with closing(connect()) as con:
        try:
            con.execute(f"ATTACH {literal(path)} AS found (READ_ONLY)")
            con.execute(query)
        except duckdb.Error:
            return False
    return True


@contextmanager
def explained(database: Path) -> Iterator[None]:
    """Turn what the disk, DuckDB and polars say into one sentence that names the file and the way out."""
    try:
        yield
    except BenchError:
        raise
    except (OSError, duckdb.IOException, duckdb.OutOfMemoryException) as error:
        reason = getattr(error, "strerror", None) or first_line(error)
        raise EnvironmentProblem(
            f"the database could not be written or read: {reason}",
            file=database,
            hint="free some space, or name a --db in a folder that you may write to",
        ) from error
    except duckdb.Error as error:
        raise EnvironmentProblem(
            f"DuckDB refused: {first_line(error)}", file=database, hint="name another --db"
        ) from error


def _attached(path: Path) -> duckdb.DuckDBPyConnection:
    con = connect()
    con.execute(f"ATTACH {literal(path)} AS target (STORAGE_VERSION '{STORAGE_VERSION}')")
    con.execute("USE target")
    return con


def _asking(con: duckdb.DuckDBPyConnection) -> Callable[[str], pl.DataFrame]:
    """Return what runs a query and gives its rows; a cursor of its own, since polars asks from other threads."""

    def ask(query: str) -> pl.DataFrame:
        with closing(con.cursor()) as cursor:
            return pl.DataFrame(cursor.sql(query))

    return ask


def _detach(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("USE memory")
    con.execute("DETACH target")


def _write_raw(path: Path, exports: Sequence[GuardedExport]) -> None:
    with closing(_attached(path)) as con:
        con.execute("BEGIN")
        # The bytes are compressed already: DuckDB need not try.
        con.execute(
            'CREATE TABLE files (sha256 VARCHAR, path VARCHAR, "bytes" BIGINT, encoding VARCHAR, '
            "content BLOB USING COMPRESSION uncompressed)"
        )
        for guarded in exports:
            for table in guarded.tables:
                if table.guarded.raw_columns:
                    kept = table.raw.frame.select(ROW, LINE, *table.guarded.raw_columns)
                    with reading(guarded.export.path):
                        _create(con, quote(table.name), kept)
            export = guarded.export
            con.execute(
                "INSERT INTO files VALUES (?, ?, ?, 'zstd', ?)",
                [export.sha256, path_text(export.path), export.bytes, export.source.compressed()],
            )
        con.execute("COMMIT")
        _detach(con)


def _write_main(
    con: duckdb.DuckDBPyConnection,
    exports: Sequence[GuardedExport],
    loaded: Mapping[str, pl.Schema],
    now: datetime,
    progress: Progress | None,
) -> None:
    for guarded in exports:
        for table in guarded.tables:
            with reading(guarded.export.path):
                if not _stands(con, table, loaded.get(table.name)):
                    con.execute(f"DROP TABLE IF EXISTS main.{quote(table.name)}")
                    _create(con, f"main.{quote(table.name)}", table.guarded.corrected, _reporting(progress, table))
            _comment(con, table)
    con.execute("CREATE SCHEMA guard")
    for name, frame in ledger(exports, now=now).items():
        _create(con, f"guard.{name}", frame.lazy())
    for signature, body in MACROS.items():
        con.execute(f"CREATE MACRO main.{signature} AS {body}")


def _stands(con: duckdb.DuckDBPyConnection, table: GuardedTable, loaded: pl.Schema | None) -> bool:
    """Return whether the table as it was loaded is the corrected one; integers that were read as floats become so."""
    if loaded is None or not table.guarded.as_read:
        return False
    wanted = table.guarded.corrected.collect_schema()
    other = [name for name, type_ in loaded.items() if wanted[name] != type_]
    if any((loaded[name], wanted[name]) != (pl.Float64(), pl.Int64()) for name in other):
        return False
    for name in other:
        con.execute(f"ALTER TABLE main.{quote(table.name)} ALTER {quote(name)} TYPE BIGINT")
    return True


def _reporting(progress: Progress | None, table: GuardedTable) -> Callable[[int], None]:
    total = table.report.rows_kept
    return (lambda rows: progress(f"Writing {table.name}", rows, total)) if progress else lambda rows: None


def _comment(con: duckdb.DuckDBPyConnection, table: GuardedTable) -> None:
    columns = sorted(table.report.columns, key=lambda column: column.name)
    for name, parts in groupby(columns, key=lambda column: column.name):
        text = column_comment(parts).replace("'", "''")
        con.execute(f"COMMENT ON COLUMN main.{quote(table.name)}.{quote(name)} IS '{text}'")


def _create(
    con: duckdb.DuckDBPyConnection, target: str, frame: pl.LazyFrame, done: Callable[[int], None] | None = None
) -> None:
    """Create the table and fill it batch by batch, in order; memory holds a few batches, never the table."""
    from_stream(con, f"CREATE TABLE {target} AS FROM batch", frame.collect_schema().to_frame())
    rows = 0
    for batch in _batches(frame):
        from_stream(con, f"INSERT INTO {target} FROM batch", batch)
        rows += batch.height
        if done:
            done(rows)


def _batches(frame: pl.LazyFrame) -> Iterable[pl.DataFrame]:
    return frame.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)


def from_stream(con: duckdb.DuckDBPyConnection, statement: str, batch: pl.DataFrame) -> None:
    """Execute a statement that reads the frame as `batch`."""
    con.register("batch", _Stream(batch))
    con.execute(statement)
    con.unregister("batch")
