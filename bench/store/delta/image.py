"""A Delta store in the layout of the DuckDB one, with no more of it than was asked for: see `stores`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import polars as pl

from bench import tables
from bench.bulk import BATCH_ROWS, POLARS, quote
from bench.errors import UsageError
from bench.store import schema
from bench.store.database import MAIN, Connection, append, attach_new, execute
from bench.store.delta import ledger
from bench.store.delta.rows import KEYS, stored_of
from bench.store.delta.snapshot import FILES, LEDGER, RUNS, SEEN, Snapshot
from bench.store.delta.tables import Lake, described, explained
from bench.store.working import Selection, moment

_STATUS = ("columns", "alerts")
_WORKING = ("columns", "units", "corrections", "flags", "quarantine", "limits", "profile")


@contextmanager
def image(snapshot: Snapshot, selection: Selection | None, path: Path) -> Iterator[Connection]:
    """Fill a new database with a store's ledger, and with the rows that a selection may choose, and open it."""
    with closing(tables.connect()) as con:
        attach_new(con, path, MAIN)
        execute(con, MAIN, schema.make_main(MAIN))
        with explained(snapshot.lake):
            _fill(con, snapshot, selection)
        yield con


def _fill(con: Connection, snapshot: Snapshot, selection: Selection | None) -> None:
    stands = snapshot.standing
    if selection is not None and not stands.height:
        raise UsageError("it holds no export yet", file=snapshot.lake.location, hint="bench-analyze ingest fills it")
    exports = snapshot.ledger().select(*ledger.OWN).collect()
    kept = ledger.flat(exports, "exports").join(
        stands.select("export", "table_name", "superseded_by"), on=["export", "table_name"]
    )
    append(con, f"{MAIN}.guard.exports", kept.sort("export"))
    chosen = kept if selection is None else _chosen(kept, selection)
    _fill_ledger(con, snapshot, chosen, _STATUS if selection is None else _WORKING)
    if selection is None:
        for name, table in ((SEEN, "seen"), (RUNS, "runs")):
            if snapshot.lake.find(name) is not None:
                append(con, f"{MAIN}.guard.{table}", ledger.naive(snapshot.lake.scan(name).collect()))
        return
    for name, table in snapshot.tables.items():
        _fill_table(con, snapshot, name, chosen.filter(pl.col("table_name") == table))


def _chosen(exports: pl.DataFrame, selection: Selection) -> pl.DataFrame:
    """Return the exports of which rows are needed: at least those that `working` chooses."""
    found = exports.filter(pl.col("superseded_by").is_null())
    if selection.tables is not None:
        found = found.filter(pl.col("table_name").str.to_lowercase().is_in([each.lower() for each in selection.tables]))
    if selection.since is not None:
        found = found.filter(pl.col("modified_at") >= moment(selection.since))
    return found


def _fill_ledger(con: Connection, snapshot: Snapshot, chosen: pl.DataFrame, parts: Sequence[str]) -> None:
    keys = chosen.select("export", "table_name").lazy()
    rows = snapshot.ledger().select("export", "table_name", *parts)
    found = rows.join(keys, on=["export", "table_name"], how="semi").collect().sort("export")
    for part in parts:
        append(con, f"{MAIN}.guard.{part}", ledger.flat(found, part))


def _fill_table(con: Connection, snapshot: Snapshot, name: str, chosen: pl.DataFrame) -> None:
    if not chosen.height:
        return
    target = f"{MAIN}.main.{quote(chosen['table_name'][0])}"
    columns = stored_of(described(snapshot.lake.table(name)))
    execute(con, MAIN, [f"CREATE TABLE {target} ({', '.join(f'{quote(c.name)} {c.type}' for c in columns)})"])
    earliest = chosen["modified_at"].min()
    assert earliest is not None
    lazy = snapshot.rows(name).filter(
        pl.col(schema.DAY) >= pl.lit(earliest).cast(pl.Date), pl.col(schema.EXPORT).is_in(chosen["export"].implode())
    )
    wanted = [pl.col(each.name).cast(KEYS.get(each.name, POLARS.get(each.type, pl.String()))) for each in columns]
    for batch in lazy.select(wanted).collect_batches(chunk_size=BATCH_ROWS):
        append(con, target, batch)


def bytes_of(lake: Lake, keys: Sequence[int]) -> pl.DataFrame:
    """Return exports (`export`, `sha256`, `path`, `modified_at`, `content`) by their keys, in order."""
    lake.table(LEDGER), lake.table(FILES)
    exports = lake.scan(LEDGER).filter(pl.col("export").is_in(list(keys)))
    once = exports.select("export", "sha256", "path", "modified_at").unique("export")
    files = lake.scan(FILES).select("sha256", "content").unique("sha256")
    return ledger.naive(once.join(files, on="sha256").sort("export").collect())
