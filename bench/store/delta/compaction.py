"""Small files made into few: rows take their own place, in one commit.

delta-rs' own `optimize` is not used. It marks its files as no change of data, and its conflict check lets those pass
(delta-rs #3982, seen with deltalake 1.6): of two that compact the same files at once both commit, and each row is there
twice. A replacement of rows by themselves is checked like any other: whoever comes second, with a compaction or with
rows judged again, finds a conflict and reads the table anew.

Files are joined where nothing large stands between them, so that large ones are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from bench.bulk import literal
from bench.store.delta.tables import Conflict, Lake, files_of, replace

SMALL_FILES, SMALL_BYTES = 16, 4 << 20  # so many files below this size, one after the other, are joined
MOST_BYTES = 64 << 20  # of those that are joined at once: their rows are held in memory


@dataclass(frozen=True, slots=True)
class Run:
    """Small files of one partition: all rows of it whose key is within `first` and `last`."""

    partition: tuple[tuple[str, object], ...]
    key: str
    first: int
    last: int

    @property
    def expression(self) -> pl.Expr:
        """The rows, for polars."""
        of_partition = [pl.col(name).eq_missing(pl.lit(value)) for name, value in self.partition]
        return pl.all_horizontal(pl.col(self.key).is_between(self.first, self.last), *of_partition)

    @property
    def predicate(self) -> str:
        """The rows, for Delta."""
        of_partition = (
            f"{name} IS NULL" if value is None else f"{name} = {literal(str(value))}" for name, value in self.partition
        )
        return " AND ".join([f"{self.key} >= {self.first}", f"{self.key} <= {self.last}", *of_partition])


def compact(lake: Lake, name: str, key: str) -> bool:
    """Join small files of a table whose rows have an ascending integer `key`; return whether something was joined."""
    table = lake.table(name)
    done = False
    for run in runs(files_of(table), key):
        rows = lake.scan(name).filter(run.expression).sort(key)
        try:
            replace(table, rows.collect(), run.predicate)
        except Conflict:
            return done  # somebody else did, or replaced rows: the next run looks again
        done = True
    return done


def compact_whole(lake: Lake, name: str) -> bool:
    """Join the files of a table that stays small."""
    table = lake.table(name)
    if files_of(table).height < SMALL_FILES:
        return False
    try:
        replace(table, lake.scan(name).collect(), None)
    except Conflict:
        return False
    return True


def runs(files: pl.DataFrame, key: str) -> list[Run]:
    """Return what of a table is to be joined, from its files as Delta's log tells of them."""
    first, last = f"min.{key}", f"max.{key}"
    if not {first, last} <= {*files.columns}:
        return []  # a table without rows, or one that somebody else wrote, without statistics
    partitions = sorted(name for name in files.columns if name.startswith("partition."))
    found = []
    for group in files.sort(first, last).partition_by(partitions) if partitions else [files.sort(first, last)]:
        values = tuple((name.partition(".")[2], group[name][0]) for name in partitions)
        for some in _neighbours(group.select(first, last, "size_bytes").rows()):
            found.append(Run(values, key, min(each[0] for each in some), max(each[1] for each in some)))
    return found


def _neighbours(files: Sequence[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
    """Yield small files (first key, last key, bytes) that stand side by side: enough of them, and not too many."""
    some: list[tuple[int, int, int]] = []
    for file in [*files, None]:
        ends = file is None or None in file or file[2] >= SMALL_BYTES
        if ends or sum(size for *_, size in some) >= MOST_BYTES:
            if len(some) >= SMALL_FILES:
                yield some
            some = []
        if file is not None and not ends:
            some.append(file)
