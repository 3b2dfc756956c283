"""The commands of a store as cyclopts sees them: `ingest` and `status`. See `app`."""

# ruff: noqa: PLC0415 - imports inside functions keep `--help` and usage errors fast
from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from bench.cli.options import FOUND_OUT, Reading
from bench.cli.progress import note, progress_bar
from bench.cli.reply import Reply
from bench.settings import load

INGEST_EXAMPLES = """\
Examples:
  bench-analyze ingest inbox --db store.duckdb --board board.toml
  bench-analyze ingest inbox --db store.duckdb --json
  bench-analyze ingest inbox --db store.duckdb --watch --archive done
  bench-analyze ingest inbox --db delta:/srv/lake
  bench-analyze ingest inbox --db delta:s3://bench/lake --cluster tcp://scheduler:8786

Exit codes:
  0  done: every file was added, or was skipped because the store holds it or somebody still writes it
  2  usage; or a file failed in this run (the others are added); or the store cannot be written or was in use too long
  3  with --strict: a column changed against its history, or was refused
"""
STATUS_EXAMPLES = """\
Examples:
  bench-analyze status --db store.duckdb --json
  bench-analyze status --db delta:/srv/lake
"""
_POSITIVE = validators.Number(gt=0)
_SECONDS = validators.Number(gte=0)
Flag = Parameter(negative=())


def ingest(
    inbox: Path,
    /,
    *,
    db: Annotated[str, Parameter(name="--db")],
    board: Annotated[Path | None, Parameter(name="--board")] = None,
    json: Annotated[bool, Flag] = False,
    strict: Annotated[bool, Flag] = False,
    jobs: Annotated[int, Parameter(validator=_POSITIVE)] = 1,
    cluster: str | None = None,
    reguard: Annotated[bool, Flag] = False,
    archive: Path | None = None,
    watch: Annotated[bool, Flag] = False,
    poll: Annotated[float | None, Parameter(validator=_POSITIVE)] = None,
    settle: Annotated[float, Parameter(validator=_SECONDS)] = 2.0,
    lock_timeout: Annotated[float, Parameter(name="--lock-timeout", validator=_SECONDS)] = 60.0,
    reading: Reading = FOUND_OUT,
) -> Reply:
    """Take every export of a folder into a store, once each; made for cron, a systemd timer or a task scheduler.

    Parameters
    ----------
    inbox
        Folder that benches write to, with the folders below it.
    db
        Store to fill, made if it is not there: a DuckDB file, or delta:FOLDER or delta:s3://... for Delta tables.
    board
        Board profile (TOML) of all exports; board.toml beside each export otherwise.
    json
        Print one JSON document a file, one a line, instead of a summary.
    strict
        Exit with 3 for alerts and refused columns.
    jobs
        How many processes judge exports.
    cluster
        Let the workers of this Dask scheduler (tcp://HOST:8786) judge exports; they must see the inbox.
    reguard
        Judge again what the store holds where the profile, the approvals or the rules have changed.
    archive
        Move exports here once the store holds them; they stay where they are otherwise.
    watch
        Go on with what comes, until stopped; needs the package watchfiles, or --poll.
    poll
        Look at a watched folder every so many seconds: for network shares, which tell of no changes.
    settle
        Seconds for which a file must not have changed, unless NAME.done stands beside it.
    lock_timeout
        Seconds to wait for a store that another program holds.
    """
    from bench.cli.ingesting import Manner, ingest_reply
    from bench.store.locking import Patience
    from bench.store.told import Wish

    patience = Patience(lock_timeout, note)
    wish = Wish(inbox.absolute(), db, board, reading.read_options(), jobs, settle, reguard, archive, cluster, patience)
    with progress_bar(color=load().color) as progress:
        manner = Manner(json, strict, None if watch else progress, watch or poll is not None, poll)
        return ingest_reply(wish, manner)


def status(
    *,
    db: Annotated[str, Parameter(name="--db")],
    lock_timeout: Annotated[float, Parameter(name="--lock-timeout", validator=_SECONDS)] = 60.0,
    json: Annotated[bool, Flag] = False,
) -> Reply:
    """Say what a store holds: counts, files that failed, the last run, alerts.

    Parameters
    ----------
    db
        Store that ingest fills: a DuckDB file, or delta:FOLDER-OR-URL.
    lock_timeout
        Seconds to wait for a store that another program holds.
    json
        Print one JSON document.
    """
    from bench.cli.ingesting import status_reply

    return status_reply(db, lock_timeout, json=json)
