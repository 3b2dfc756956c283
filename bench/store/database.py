"""The doors of a store: opened for a commit, opened for a reader, told apart from other files.

Beside `tables`, the only module that imports duckdb: that one owns the file of one analysis, which is built and put in
place whole; this one owns files that live on. Both run no SQL of a user or a model, but for the one filter that
`working` compiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import duckdb
import polars as pl

from bench import tables
from bench.bulk import literal, quote
from bench.errors import EnvironmentProblem, StoreMissing, UsageError
from bench.frames import first_line
from bench.store import schema
from bench.store.locking import Busy, Patience, turn
from bench.store.stores import name_of

Connection = duckdb.DuckDBPyConnection
REFUSED: tuple[type[Exception], ...] = (
    duckdb.ConversionException, duckdb.InvalidInputException, duckdb.BinderException, duckdb.CatalogException,
    duckdb.ParserException, duckdb.OutOfRangeException, duckdb.TypeMismatchException, duckdb.NotImplementedException,
)  # fmt: skip
"""What DuckDB says of rows or names that it cannot take; everything else concerns the store."""
REFUSED_CONDITION: tuple[type[Exception], ...] = (*REFUSED, duckdb.PermissionException)
"""What DuckDB says of a condition that it cannot take, or that would reach beyond what is attached."""
MAIN, RAW = "store", "raw"
_VERSION = f"STORAGE_VERSION '{tables.STORAGE_VERSION}'"
_IN_USE = ("could not set lock", "being used by another process", "unique file handle conflict")


@contextmanager
def writing(store: Path, patience: Patience) -> Iterator[Connection]:
    """Open both files of a store (made if they are not there) as `store` and `raw`, under its lock.

    What a killed run left in raw is swept. On leaving both are written out and closed; an exception closes them as they
    are, and what was committed stays.

    Raises:
        UsageError: the file is no store. EnvironmentProblem: it is in use for too long, or cannot be written.
    """
    with _told(store), turn(store, patience), closing(tables.connect()) as con:
        raw = tables.raw_path(store)
        _refuse_strangers(store, raw)
        for path, name in ((raw, RAW), (store, MAIN)):
            _attach(con, path, name, patience)
        _make(con, store)
        _sweep(con, raw)
        yield con
        for name in (RAW, MAIN):
            con.execute(f"CHECKPOINT {name}")
            con.execute(f"DETACH {name}")


@contextmanager
def _told(store: Path) -> Iterator[None]:
    """Turn what DuckDB and the disk say into one sentence; what cannot be written now is written by the next run."""
    try:
        yield
    except (duckdb.Error, OSError) as error:
        raise EnvironmentProblem(
            f"the store could not be written: {first_line(error)}",
            file=store,
            hint="free some space beside it, and run again: what is committed stays, and nothing is lost",
        ) from error


@contextmanager
def reading(store: Path, patience: Patience, *, raw: bool = False) -> Iterator[Connection]:
    """Open a store as `store` to copy from it, under its lock; with `raw` its companion as well.

    Raises:
        UsageError: there is no such file, or it is no store. EnvironmentProblem: it is in use for too long.
    """
    check(store)
    with tables.explained(store), turn(store, patience), closing(tables.connect()) as con:
        _attach(con, store, MAIN, patience, "READ_ONLY")
        tell_apart(con, store)
        if raw:
            _attach(con, tables.raw_path(store), RAW, patience, "READ_ONLY")
        yield con


def followed(store: Path) -> Path:
    """Return where a link to a store leads: its companion and its lock stand there. Other paths stay as they are."""
    return store.resolve() if store.is_symlink() else store


def check(store: Path) -> None:
    """Raise UsageError if there is no such file, or if it is a folder or no DuckDB file: no lock is made beside it."""
    if store.is_dir():
        raise _folder(store, "name the file that --db names")
    if not store.exists():
        raise StoreMissing(
            "there is no such store", file=store, hint=f"make it with bench-analyze ingest INBOX --db {store.name}"
        )
    if store.stat().st_size and tables.is_foreign(store):
        raise UsageError("this is no DuckDB file", file=store, hint="name one that --db or ingest wrote")


def _folder(place: Path, hint: str) -> UsageError:
    if delta := name_of(place):
        return UsageError("this folder holds a Delta store", file=place, hint=f"name it as {delta}")
    return UsageError("this is a folder, not a store", file=place, hint=hint)


def asked(con: Connection, query: str, *parameters: object) -> pl.DataFrame:
    """Return a query's rows."""
    return pl.DataFrame(con.sql(query, params=list(parameters) or None))


def types_of(con: Connection, schema_: pl.Schema) -> dict[str, str]:
    """Return DuckDB's type for each column of a frame."""
    tables.from_stream(con, "CREATE OR REPLACE TEMP TABLE found AS FROM batch LIMIT 0", schema_.to_frame())
    return {str(row[0]): str(row[1]) for row in con.execute("DESCRIBE temp.found").fetchall()}


def tell_apart(con: Connection, store: Path) -> None:
    """Raise UsageError unless the attached file is a store of a format that this version knows."""
    has = _tables(con, MAIN)
    if not has:  # a run was killed while it made the file; the next one goes on there
        raise UsageError("it holds no export yet", file=store, hint="bench-analyze ingest fills it")
    if "guard.store" not in has:
        ours = "guard.exports" in has
        what = "the database of one analysis" if ours else "a database that bench-analyze did not write"
        raise UsageError(
            f"this is {what}, not a store",
            file=store,
            hint="open the export itself, or name a store; bench-analyze ingest INBOX --db FILE makes one",
        )
    ((format_,),) = con.execute(f"SELECT format FROM {MAIN}.guard.store").fetchall()
    if format_ != schema.FORMAT:
        raise UsageError(
            f"its format is {format_}, expected {schema.FORMAT}", file=store, hint="use the version that wrote it"
        )


def _attach(con: Connection, path: Path, name: str, patience: Patience, mode: str = _VERSION) -> None:
    def attempt() -> bool:
        try:
            con.execute(f"ATTACH {literal(path)} AS {name} ({mode})")
        except duckdb.Error as error:
            text = first_line(error)
            if any(words in text.lower() for words in _IN_USE):
                raise Busy(_holder(text)) from error
            if "cannot be lowered" in text:
                raise UsageError(
                    "it was made by another program, in a storage version that the sandbox cannot read",
                    file=path,
                    hint="name another --db; ingest makes the file that it names",
                ) from error
            raise
        return True

    try:
        patience.wait(path, attempt)
    except (duckdb.IOException, duckdb.SerializationException) as error:
        if "valid duckdb" in str(error).lower() or isinstance(error, duckdb.SerializationException):
            raise UsageError("this is no DuckDB file", file=path, hint="name another --db") from error
        raise


def _holder(text: str) -> str:
    if "held in " in text:
        return text.partition("held in ")[2].partition(". ")[0].strip()
    return "held in this process" if "unique" in text.lower() else ""


def _refuse_strangers(store: Path, raw: Path) -> None:
    if store.is_dir():
        raise _folder(store, "name a file with --db")
    if not store.parent.is_dir():
        raise EnvironmentProblem("the folder does not exist", file=store.parent, hint="make it, or name another --db")
    if store.exists() and not raw.exists():
        if store.stat().st_size and tables.is_foreign(store):
            raise UsageError("this is no DuckDB file", file=store, hint="name another --db")
        # Where it is in use the attempt to open it tells that.
        with closing(tables.connect()) as con, suppress(duckdb.Error):
            con.execute(f"ATTACH {literal(store)} AS {MAIN} (READ_ONLY)")
            if not _tables(con, MAIN):
                return
            tell_apart(con, store)
        raise EnvironmentProblem(
            f"its companion {raw.name}, which holds the exports' bytes, is not there",
            file=store,
            hint="bring it back from where it went, or name another --db",
        )


def _make(con: Connection, store: Path) -> None:
    """Make the schemas of files that were not there. Raw first: a kill in between leaves an empty companion."""
    found = {name: _tables(con, name) for name in (MAIN, RAW)}
    if found[MAIN]:
        tell_apart(con, store)
    if not found[RAW]:
        execute(con, RAW, schema.make_raw(RAW))
    elif "guard.kept" not in found[RAW]:
        raw = tables.raw_path(store)
        raise UsageError("this is not the companion of a store", file=raw, hint="move it away, or name another --db")
    if not found[MAIN]:
        if asked(con, f"SELECT count(*) FROM {RAW}.guard.kept").item():
            raise EnvironmentProblem(
                "it is not there, and its companion holds exports",
                file=store,
                hint=f"bring it back, or move {tables.raw_path(store).name} away",
            )
        execute(con, MAIN, schema.make_main(MAIN))


def _tables(con: Connection, name: str) -> set[str]:
    query = f"SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE database_name = '{name}'"
    return {str(found) for (found,) in con.execute(query).fetchall()}


def execute(con: Connection, name: str, statements: list[str]) -> None:
    """Execute statements in an attached database, all or none."""
    con.execute(f"USE {name}")
    con.execute("BEGIN")
    for statement in statements:
        con.execute(statement)
    con.execute("COMMIT")
    con.execute("USE memory")


def last_key(con: Connection) -> int:
    """Return the highest key that the store holds; 0 when it is empty."""
    return int(asked(con, f"SELECT coalesce(max(export), 0) FROM {MAIN}.guard.exports").item())


def _sweep(con: Connection, raw: Path) -> None:
    """Remove from raw what a killed commit left there: one batch at most, above the last key of the main file.

    Raises:
        EnvironmentProblem: there is more than one commit leaves, so the main file is older than its companion.
    """
    last = last_key(con)
    batches = con.execute(
        f"SELECT count(DISTINCT batch) FROM {RAW}.guard.kept WHERE export > {last} HAVING count(*) > 0"
    ).fetchall()
    if not batches:
        return
    if batches[0][0] > 1:
        raise EnvironmentProblem(
            "it holds exports that the store does not know: the two are not of one time",
            file=raw,
            hint="bring both back from the same backup",
        )
    sweep_above(con, last)


def sweep_above(con: Connection, last: int) -> None:
    """Remove everything from raw whose key is above `last`."""
    found = con.execute(
        "SELECT schema_name, table_name, column_name FROM duckdb_columns() JOIN duckdb_tables() "
        f"USING (database_name, schema_name, table_name) WHERE database_name = '{RAW}' "
        f"AND column_name = CASE schema_name WHEN 'guard' THEN 'export' ELSE '{schema.EXPORT}' END"
    ).fetchall()
    con.execute("BEGIN")
    for schema_name, table, column in found:
        con.execute(f"DELETE FROM {RAW}.{schema_name}.{quote(table)} WHERE {column} > {last}")
    con.execute("COMMIT")


def append(con: Connection, table: str, rows: pl.DataFrame) -> None:
    """Add rows to a table, by the names of its columns; those that are missing are null."""
    tables.from_stream(con, f"INSERT INTO {table} BY NAME FROM batch", rows)


@contextmanager
def transaction(con: Connection) -> Iterator[None]:
    """Do everything within, or nothing."""
    con.execute("BEGIN")
    try:
        yield
    except BaseException:
        with suppress(duckdb.Error):
            con.execute("ROLLBACK")
        raise
    con.execute("COMMIT")


def attach_new(con: Connection, path: Path, name: str) -> None:
    """Attach a database that is not there yet, in the storage that the sandbox reads."""
    con.execute(f"ATTACH {literal(path)} AS {name} ({_VERSION})")


def locked_down(con: Connection) -> None:
    """Let the connection reach nothing but what is attached, for good."""
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")


def refuse_no_expression(text: str) -> None:
    """Raise UsageError unless a text is one SQL expression."""
    try:
        duckdb.SQLExpression(text)
    except duckdb.Error as error:
        raise UsageError(
            f"--where is not one condition: {first_line(error)}", hint="--where \"fixture = 'FIX-03' and vout_v > 5\""
        ) from error
