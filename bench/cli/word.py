"""The commands for the engineer's word: a drafted profile."""

from __future__ import annotations

import shlex
from pathlib import Path

from bench import drafts
from bench.cli.reply import Reply
from bench.errors import EnvironmentProblem, UsageError
from bench.pipeline import guard_exports
from bench.readers import ReadOptions


def profile_reply(export: Path, out: Path | None, options: ReadOptions) -> Reply:
    """Draft a profile; on stdout, or into a file that is not there yet."""
    (guarded,) = guard_exports([export], options, [None])
    text = drafts.draft(guarded)
    if out is None:
        return Reply(text=text)
    try:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text + "\n")
    except FileExistsError as error:
        raise UsageError("there is such a file, and a draft overwrites none", file=out, hint="name another") from error
    except OSError as error:
        message = f"the draft could not be written: {error.strerror or error}"
        raise EnvironmentProblem(message, file=out, hint="name another --out") from error
    command = f"bench-analyze {shlex.quote(str(export))} --board {shlex.quote(str(out))}"
    return Reply(notes=(f"profile: {out}", f"replace its ranges from the datasheet, then: {command}"))
