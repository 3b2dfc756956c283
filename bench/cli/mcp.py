"""The command `mcp` as cyclopts sees it. See `app`."""

# ruff: noqa: PLC0415 - imports inside functions keep `--help` and usage errors fast
from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from bench.cli.options import Options
from bench.cli.progress import progress_bar
from bench.cli.reply import Reply
from bench.settings import load

MCP_EXAMPLES = """\
Examples:
  bench-analyze mcp retest.csv --board board.toml
  bench-analyze mcp --from store.duckdb --tables retest

An assistant starts it: give it the command bench-analyze and the arguments mcp and retest.csv, by absolute paths.
"""
_POSITIVE = validators.Number(gt=0)


def mcp(
    exports: Annotated[list[Path] | None, Parameter(name="EXPORT", negative=())] = None,
    /,
    *,
    board: Annotated[Path | None, Parameter(name="--board")] = None,
    source: Annotated[str | None, Parameter(name="--from")] = None,
    tables: Annotated[tuple[str, ...], Parameter(name="--tables", negative=())] = (),
    since: Annotated[str | None, Parameter(name="--since")] = None,
    where: Annotated[str | None, Parameter(name="--where")] = None,
    wall_time: Annotated[float | None, Parameter(name="--wall-time", validator=_POSITIVE)] = None,
    memory_mb: Annotated[int | None, Parameter(name="--memory-mb", validator=_POSITIVE)] = None,
) -> Reply:
    """Serve exports or a store to an assistant by the Model Context Protocol, on stdin and stdout.

    Parameters
    ----------
    exports
        Files that a bench wrote.
    board
        Board profile (TOML); board.toml beside each export otherwise.
    source
        Store that ingest fills: take what it holds, instead of exports.
    tables
        Only these of its tables, such as retest,soak; all otherwise.
    since
        Only exports that were last written on this date or later.
    where
        Only rows that meet this SQL condition.
    wall_time
        Seconds that a snippet may take.
    memory_mb
        Megabytes that a snippet may use.
    """
    from bench.cli.job import begin
    from bench.cli.serving import check_installed, serve_reply
    from bench.errors import UsageError

    check_installed()
    if not exports and source is None:
        raise UsageError(
            "no export was named", hint="bench-analyze mcp EXPORT, or bench-analyze mcp --from STORE.duckdb"
        )
    options = Options(board=board, source=source, tables=tables, since=since, where=where, wall_time=wall_time,
                      memory_mb=memory_mb)  # fmt: skip
    with progress_bar(color=load().color) as progress:
        job = begin(exports or [], options, progress)
        try:
            return serve_reply(job)
        finally:
            job.sandbox.close()
