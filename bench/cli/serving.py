"""`bench-analyze mcp`: exports or a store, served to an assistant over stdin and stdout."""

# ruff: noqa: PLC0415 - the optional part is asked for before anything is read
from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from bench.cli.job import Job
from bench.cli.progress import note
from bench.cli.reply import Reply
from bench.errors import EnvironmentProblem

if TYPE_CHECKING:
    from bench.analysis import Analysis

INSTALL = "pip install 'bench-analyze[mcp]'"


def check_installed() -> None:
    """Raise `EnvironmentProblem` where the SDK is not there."""
    if find_spec("mcp") is None:
        raise EnvironmentProblem("the MCP server needs the official SDK", hint=INSTALL)


def serve_reply(job: Job) -> Reply:
    """Read and judge what was named, then serve it until the client goes."""
    from bench.mcp.desk import Desk
    from bench.mcp.server import serve

    job.sandbox.start()
    with _opened(job) as analysis:
        note(f"serving {', '.join(analysis.tables)} over stdin and stdout; end it with Ctrl-C")
        serve(Desk(analysis, note))
    return Reply()


def _opened(job: Job) -> Analysis:
    options = job.options
    if options.source is not None:
        from bench.store.locking import Patience
        from bench.store.opened import opened
        from bench.store.working import Selection

        names = tuple(name for text in options.tables for name in text.split(",") if name)
        selection = Selection(names or None, options.since, options.where)
        return opened(options.source, selection, job.sandbox, Patience(options.lock_timeout, note))
    from bench.entry import analyze

    return analyze(job.exports, board=options.board, progress=job.progress, sandbox=job.sandbox, begun=job.begun)
