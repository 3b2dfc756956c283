"""One state of a Delta store: a version of each of its tables, and which exports stand in it.

Rows are pinned before the ledger is: whatever has rows then has its claim in it. And `settled` is read before the rows
are pinned: up to there nobody need look whether the rows of an export are there, so that opening a store costs what
came lately, not what came in all years.
"""

from __future__ import annotations

from functools import cached_property

import polars as pl

from bench.errors import StoreMissing, UsageError
from bench.store import schema
from bench.store.delta import ledger
from bench.store.delta.standing import standing, unfinished
from bench.store.delta.tables import FORMAT, Lake, check_folder, file_name
from bench.store.delta.writable import refuse_read_only

LEDGER, SEEN, RUNS = "guard/exports", "guard/seen", "guard/runs"
FILES, TEXTS = "raw/files", "raw/texts"
_OWN = {LEDGER: ledger.SCHEMA, FILES: ledger.FILES, TEXTS: ledger.TEXTS, SEEN: ledger.SEEN, RUNS: ledger.RUNS}
CLAIMS = ("export", "sha256", "table_name", "rows_kept")


def made(lake: Lake) -> None:
    """Make the store's own tables if they are not there.

    Raises:
        UsageError: the place holds something else. EnvironmentProblem: it may not be written.
    """
    if lake.folder is not None:
        refuse_read_only(lake.folder, _OWN)
    if lake.find(LEDGER) is None:
        check_folder(lake)
    for name, columns in _OWN.items():
        if lake.find(name) is None:
            lake.make(name, columns, title=f"bench-analyze {name}")
    _check_format(lake)


def check(lake: Lake) -> None:
    """Raise UsageError if there is no store, or one of another format."""
    if lake.find(LEDGER) is None:
        check_folder(lake)
        raise StoreMissing(
            "there is no such store" + (" in that version" if lake.pinned else ""),
            file=lake.location,
            hint=f"make it with bench-analyze ingest INBOX --db {lake.location}",
        )
    _check_format(lake)


def _check_format(lake: Lake) -> None:
    found = str(lake.table(LEDGER).metadata().description)
    if found != f"bench-analyze store, format {FORMAT}":
        raise UsageError(
            f"it says of itself {found[:60]!r}, expected format {FORMAT} of a bench-analyze store",
            file=lake.location,
            hint="use the version that wrote it, or name another store",
        )


class Snapshot:
    """A state of the store as it is now, or as the lake is pinned. `tables`: {Delta table: the store's table}."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        lake.table(LEDGER)
        early = lake.scan(LEDGER).select("table_name", pl.col("settled").max()).unique().collect()
        names = early["table_name"]
        self._settled = 0 if lake.pinned is not None else max([0, *early["settled"]])
        self.tables = {file_name(name): str(name) for name in sorted(names) if lake.find(file_name(name)) is not None}
        lake.table(LEDGER)  # again: it is ahead of the rows now
        opened = lake.versions()
        self.versions = {name: opened[name] for name in (LEDGER, *self.tables)}

    @cached_property
    def claims(self) -> pl.DataFrame:
        """Every export's tables that were ever claimed."""
        return self.lake.scan(LEDGER, self.versions[LEDGER]).select(CLAIMS).collect()

    @cached_property
    def present(self) -> pl.DataFrame:
        """The exports whose rows are there, by table."""
        open_ = pl.col("export").max().over("sha256") > self._settled
        keys = self.claims.filter(open_)["export"].unique()
        known = self.claims.filter(~open_).select("export", "table_name")
        if not keys.len():
            return known
        export = pl.col(schema.EXPORT)
        asked = (export >= keys.min()) & export.is_in(keys.implode())  # a range, so that files are passed over
        parts = [
            self.rows(name).filter(asked).select(export.unique().alias("export"), pl.lit(table).alias("table_name"))
            for name, table in self.tables.items()
        ]
        return pl.concat([known.lazy(), *parts]).collect()

    @cached_property
    def standing(self) -> pl.DataFrame:
        """The claims that count, with what took their place; see `standing.standing`."""
        return standing(self.claims, self.present)

    def unfinished(self) -> list[str]:
        """Return the paths of exports that were claimed and are not there."""
        keys = unfinished(self.claims, self.present)
        found = self.ledger().filter(pl.col("export").is_in(keys)).select("path").unique().collect()
        return sorted(found["path"])

    def ledger(self) -> pl.LazyFrame:
        """Return the rows of `guard/exports`."""
        return self.lake.scan(LEDGER, self.versions[LEDGER])

    def rows(self, name: str) -> pl.LazyFrame:
        """Return the rows of a Delta table."""
        return self.lake.scan(name, self.versions[name])
