"""The DuckDB file: how it is opened and read. Only this module, and `store.database`, import duckdb.

Two files, because the sandbox is handed the first one's bytes and must not hold raw text; `guard.exports` of the first
decides what there is. `building` writes them.

Storage version v1.4.0 is the newest that DuckDB-Wasm reads; a file in DuckDB 2.0's own version is refused there.

Frames go in through the Arrow C stream interface: DuckDB asks an object for `__arrow_c_stream__` and nothing else, so
no pyarrow is needed.
No SQL of a user or a model ever runs here, and extensions are neither loaded nor fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

import duckdb
import polars as pl

from bench import publishing
from bench.bulk import BATCH_ROWS, literal, quote
from bench.errors import BenchError, EnvironmentProblem, UsageError
from bench.export import ROW
from bench.frames import first_line

STORAGE_VERSION = "v1.4.0"
Connection = duckdb.DuckDBPyConnection
CELL_REFUSED = (duckdb.ConversionException, duckdb.InvalidInputException)
"""What a load raises where a cell is not of its column's type, or a line has other fields."""

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
    for path, ours in ((database, is_ours), (raw_path(database), _is_our_raw)):
        if path.with_name(path.name + ".wal").exists():
            raise UsageError(
                "another process is writing this database, or was stopped while it did (a .wal file stands beside it)",
                file=path,
                hint="let it finish, or name another --db",
            )
        if path.exists() and _has(path, "FROM found.guard.store"):
            raise UsageError(
                "this is a store, which ingest fills; one analysis does not replace it",
                file=path,
                hint="name another --db",
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
        publishing.settle(raw_path(database), lambda raw: belongs(database, raw))
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
    with suppress(duckdb.InvalidInputException):  # in a notebook without ipywidgets there is none to switch off
        con.execute("SET enable_progress_bar = false")  # it would print between our results on stdout
    return con


def belongs(database: Path, raw: Path) -> bool:
    """Return whether the raw file is that of this database: it has every export."""
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


def is_ours(path: Path) -> bool:
    """Return whether a file is a database that we wrote: of an analysis, or a store."""
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
            hint=_elsewhere(reason),
        ) from error
    except duckdb.Error as error:
        if is_foreign(database):
            raise EnvironmentProblem(
                "this is no DuckDB file", file=database, hint="name one that --db or ingest wrote"
            ) from error
        raise EnvironmentProblem(
            f"DuckDB refused: {first_line(error)}", file=database, hint="name another --db"
        ) from error


def is_foreign(database: Path) -> bool:
    """Return whether a file lacks DuckDB's mark, which stands behind the checksum of its first block."""
    try:
        with database.open("rb") as file:
            return file.read(12)[8:] != b"DUCK"
    except OSError:
        return False


def _elsewhere(reason: str) -> str:
    space = "" if "permission" in reason.lower() else "free some space, or "
    return f"{space}name a --db in a folder that you may write to"


def attached(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection that writes a new file, attached as `target`; without a log: a killed build goes."""
    con = connect()
    con.execute(
        f"ATTACH {literal(path)} AS target (STORAGE_VERSION '{STORAGE_VERSION}', RECOVERY_MODE 'no_wal_writes')"
    )
    con.execute("USE target")
    return con


def asking(con: duckdb.DuckDBPyConnection) -> Callable[[str], pl.DataFrame]:
    """Return what runs a query and gives its rows; a cursor of its own, since polars asks from other threads."""

    def ask(query: str) -> pl.DataFrame:
        with closing(con.cursor()) as cursor:
            return pl.DataFrame(cursor.sql(query))

    return ask


def detach(con: duckdb.DuckDBPyConnection) -> None:
    """Close the file of `attached`, everything in it."""
    con.execute("USE memory")
    con.execute("DETACH target")


def from_stream(con: duckdb.DuckDBPyConnection, statement: str, frame: pl.DataFrame) -> None:
    """Execute a statement of our own that reads the frame as `batch`.

    DuckDB finds that name among the variables here. Registered, a frame would be held until the transaction ends,
    unregistered or not: all batches of a table at once.
    """
    batch = _Stream(frame)  # noqa: F841
    con.execute("SET python_enable_replacements = true")
    try:
        con.execute(statement)
    finally:
        con.execute("SET python_enable_replacements = false")
