"""Delta tables: opened, made, and written to once. Only this module imports deltalake.

Two ways to write: `append_once` (rows of exports, each by an application transaction; Delta itself tries again where
other writers only appended) and `commit_next` (at exactly the next version, or not at all).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
from arro3.core import RecordBatch, RecordBatchReader
from deltalake import CommitProperties, DeltaTable, Field, Schema, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, SchemaMismatchError, TableNotFoundError

from bench.errors import BenchError, EnvironmentProblem, UsageError
from bench.export import path_text
from bench.frames import first_line

FORMAT = 1
_FOREVER = "interval 36500 days"
_CONFIGURATION = {
    "delta.enableExpiredLogCleanup": "false",
    "delta.logRetentionDuration": _FOREVER,
    "delta.deletedFileRetentionDuration": _FOREVER,
}
_ARROWS = re.compile(r"\x1b\[\d+m|↳")
_OTHER_WRITERS = 30  # commits of others that a commit of ours gives way to

Table = DeltaTable
Conflict = CommitFailedError
"""Another writer was faster, or the table changed its form meanwhile: read it again, and try again."""


class Unfit(Exception):  # noqa: N818 - as Conflict: what became of a write
    """The rows cannot be made, or are none that the table takes: the store itself is well."""


@dataclass
class Lake:
    """Where the tables of a store lie: `root` is an absolute path or an address. `pinned`: the versions to read."""

    root: str
    pinned: Mapping[str, int] | None = None
    _open: dict[str, DeltaTable] = field(default_factory=dict)

    @property
    def location(self) -> str:
        """How a person names the store."""
        return f"delta:{self.root}"

    @property
    def folder(self) -> Path | None:
        """The store's folder, None where it is on no disk of this machine."""
        return None if "://" in self.root else Path(self.root)

    def find(self, name: str) -> DeltaTable | None:
        """Return a table as it is now, or as it is pinned; None where there is none."""
        if name in self._open and self.pinned is None:
            self._open[name].update_incremental()
            return self._open[name]
        if self.pinned is not None and name not in self.pinned:
            return None
        try:
            found = DeltaTable(self.uri(name), version=None if self.pinned is None else self.pinned[name])
        except TableNotFoundError:
            return None
        self._open[name] = found
        return found

    def opened(self, name: str) -> DeltaTable:
        """Return a table as it was when it was last asked for."""
        return self._open[name]

    def names(self) -> list[str]:
        """Return the tables that are open."""
        return sorted(self._open)

    def versions(self) -> dict[str, int]:
        """Return the versions of the tables that are open."""
        return {name: table.version() for name, table in sorted(self._open.items())}

    def table(self, name: str) -> DeltaTable:
        """Return a table that must be there."""
        found = self.find(name)
        if found is None:
            raise EnvironmentProblem(
                f"its table {name} is not there" + (" in that version" if self.pinned else ""),
                file=self.location,
                hint="bring it back from where it went, or name another store",
            )
        return found

    def make(
        self, name: str, fields: Mapping[str, pl.DataType], metadata: Mapping[str, Mapping[str, str]] | None = None,
        *, title: str, partition_by: Sequence[str] = (),
    ) -> DeltaTable:  # fmt: skip
        """Make a table if it is not there. `metadata`: of columns."""
        schema = Schema(fields_of(fields, metadata or {}))
        DeltaTable.create(
            self.uri(name), schema, mode="ignore", partition_by=list(partition_by), name=title,
            description=f"bench-analyze store, format {FORMAT}", configuration=_CONFIGURATION,
        )  # fmt: skip
        return self.table(name)

    def scan(self, name: str, version: int | None = None) -> pl.LazyFrame:
        """Return the rows of a table that is open, in the version that it is open in, or another."""
        return pl.scan_delta(self.uri(name), version=self._open[name].version() if version is None else version)

    def uri(self, name: str) -> str:
        """Return a table's address."""
        return f"{self.root.rstrip('/')}/{name}"


def fields_of(fields: Mapping[str, pl.DataType], metadata: Mapping[str, Mapping[str, str]]) -> list[Field]:
    """Return Delta's fields for polars types."""
    empty = Schema.from_arrow(RecordBatchReader.from_arrow(pl.DataFrame(schema=fields)).schema)
    return [
        Field(each.name, each.type, nullable=True, metadata=dict(metadata.get(each.name, {})))
        for each in empty.fields
    ]  # fmt: skip


def commit_next(table: DeltaTable, rows: pl.DataFrame) -> None:
    """Append rows as exactly the version after the one that was read.

    Raises:
        Conflict: another writer was faster.
    """
    write_deltalake(table, rows, mode="append", commit_properties=CommitProperties(max_commit_retries=0))


def append_once(
    table: DeltaTable,
    parts: Iterable[pl.DataFrame],
    schema: pl.Schema,
    transactions: Mapping[str, int],
    *,
    replaced: Sequence[int] = (),
) -> None:
    """Append rows, in place of those of the exports `replaced`, and mark each export as done.

    `transactions`: {SHA-256: key}. Columns that the table has and the rows have not are null.

    Raises:
        Conflict: one of the transactions was done since the table was read, or the table's form has changed.
        Unfit: the rows cannot be made, or the table cannot take them.
    """
    stream = _Stream(parts, schema)
    properties = CommitProperties(
        max_commit_retries=_OTHER_WRITERS, app_transactions=[Transaction(*each) for each in transactions.items()]
    )
    keys = ", ".join(map(str, sorted({*replaced, *transactions.values()})))
    try:
        if replaced:
            write_deltalake(
                table, stream.batches(), mode="overwrite", predicate=f"_export IN ({keys})", schema_mode="merge",
                commit_properties=properties,
            )  # fmt: skip
        else:
            write_deltalake(table, stream.batches(), mode="append", schema_mode="merge", commit_properties=properties)
    except SchemaMismatchError as error:
        raise Unfit(_said(error)) from error
    except DeltaError as error:
        if stream.problem is None:
            raise
        raise Unfit(first_line(stream.problem)) from error


def append(table: DeltaTable, rows: pl.DataFrame) -> None:
    """Append rows that need no key. A compaction that was faster makes it read the table anew.

    Raises:
        Conflict: others were faster again and again.
    """
    for left in range(_OTHER_WRITERS, -1, -1):
        try:
            write_deltalake(
                table, rows, mode="append", commit_properties=CommitProperties(max_commit_retries=_OTHER_WRITERS)
            )
        except CommitFailedError:
            if not left:
                raise
            table.update_incremental()
        else:
            return


def not_done(table: DeltaTable, transactions: Mapping[str, int]) -> set[str]:
    """Return which application transactions a table has not seen."""
    return {name for name, key in transactions.items() if (table.transaction_version(name) or 0) < key}


def add_columns(
    table: DeltaTable, fields: Mapping[str, pl.DataType], metadata: Mapping[str, Mapping[str, str]]
) -> None:
    """Add columns. Raises Conflict."""
    table.alter.add_columns(fields_of(fields, metadata))


def describe(table: DeltaTable, column: str, metadata: Mapping[str, str]) -> None:
    """Replace what a column's metadata says. Raises Conflict."""
    table.alter.set_column_metadata(column, dict(metadata))


def described(table: DeltaTable) -> dict[str, tuple[str, Mapping[str, str]]]:
    """Return {column: (Delta's type, its metadata)}, in order."""
    found: dict[str, tuple[str, Mapping[str, str]]] = {}
    for each in table.schema().fields:
        type_ = getattr(each.type, "type", str(each.type))
        found[each.name] = (str(type_), {key: str(value) for key, value in each.metadata.items()})
    return found


def replace(table: DeltaTable, rows: pl.DataFrame, predicate: str | None) -> None:
    """Put rows in the place of those that the table, as it was read, has where `predicate` holds; of all without one.

    Raises:
        Conflict: another writer changed rows there since the table was read.
    """
    write_deltalake(
        table, rows, mode="overwrite", predicate=predicate, schema_mode="merge",
        commit_properties=CommitProperties(max_commit_retries=_OTHER_WRITERS),
    )  # fmt: skip


def files_of(table: DeltaTable) -> pl.DataFrame:
    """Return a table's current files: size, and for each column the least and the greatest value."""
    return pl.DataFrame(table.get_add_actions(flatten=True))


def sizes(table: DeltaTable) -> int:
    """Return the bytes of a table's current files."""
    found = files_of(table)["size_bytes"].sum()
    return int(found or 0)


class _Stream:
    """Frames as one stream of batches: memory holds one of them. `problem`: why they could not be made; Delta's own
    error, in which it comes out, does not tell it from one of the store."""

    def __init__(self, parts: Iterable[pl.DataFrame], schema: pl.Schema) -> None:
        self._parts, self._schema = parts, schema
        self.problem: pl.exceptions.PolarsError | None = None

    def batches(self) -> RecordBatchReader:
        """Return the stream."""
        empty = RecordBatchReader.from_arrow(self._schema.to_frame())
        return RecordBatchReader.from_batches(empty.schema, self._each())

    def _each(self) -> Iterator[RecordBatch]:
        try:
            for part in self._parts:
                yield from RecordBatchReader.from_arrow(part)
        except pl.exceptions.PolarsError as error:
            self.problem = error
            raise


@contextmanager
def explained(lake: Lake) -> Iterator[None]:
    """Turn what deltalake, polars and the disk say into one sentence that names the store and the way out.

    Raises:
        UsageError: the location is none. EnvironmentProblem: it cannot be reached, read or written.
    """
    try:
        yield
    except BenchError:
        raise
    except FileNotFoundError as error:
        raise EnvironmentProblem(
            f"a file of that version is gone, by a vacuum or by hand: {_said(error)}",
            file=lake.location,
            hint=f"bring it back from a backup, or take the newest version: bench-analyze --from {lake.location}",
        ) from error
    except CommitFailedError as error:
        raise EnvironmentProblem(
            f"other writers were faster again and again: {_said(error)}; nothing is lost",
            file=lake.location,
            hint="run again; with many writers let each take its own inbox, or fewer run at a time",
        ) from error
    except (DeltaError, pl.exceptions.ComputeError, OSError) as error:
        text = _said(error)
        if "unknown scheme" in text.lower():
            raise UsageError(
                f"there is no such kind of place: {text.partition('. ')[0]}",
                file=lake.location,
                hint="delta:FOLDER, or delta: with s3://, az://, gs:// and others",
            ) from error
        if "arrow error" in text.lower():
            raise BenchError(
                f"rows and table do not fit each other: {text}",
                file=lake.location,
                hint="please report it; what is committed stays",
            ) from error
        raise EnvironmentProblem(
            f"the store cannot be reached, read or written: {text}",
            file=lake.location,
            hint="check that it is there and that you may write to it (credentials come from the environment), and "
            "run again: what is committed stays, and nothing is lost",
        ) from error


def _said(error: Exception) -> str:
    """Return the first and the last of the sentences that an error chains together."""
    lines = [" ".join(_ARROWS.sub("", line).split()) for line in str(error).splitlines()]
    lines = [line for line in lines if line] or [type(error).__name__]
    return lines[0] if len(lines) == 1 else f"{lines[0]}: {lines[-1]}"


def file_name(table: str) -> str:
    """Return the folder of a store's table: its name in lower case, what a path or an address may mistake by number."""
    return "tables/" + re.sub(r"[^a-z0-9_-]", lambda found: f"~{ord(found[0]):x}", table.lower())


def check_folder(lake: Lake) -> None:
    """Raise UsageError if the place is a folder that holds something else, or a file."""
    folder = lake.folder
    if folder is None or not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise UsageError("this is a file, not a folder of Delta tables", file=lake.location, hint="name a folder")
    names = sorted(path_text(each) for each in folder.iterdir())
    if "_delta_log" in {Path(name).name for name in names}:
        raise UsageError(
            "this is one Delta table, not a store", file=lake.location, hint="name the folder that ingest made"
        )
    if names and not any((folder / part).is_dir() for part in ("guard", "raw")):
        raise UsageError(
            "the folder holds other things and no store",
            file=lake.location,
            hint="name another folder, or an empty one",
        )
