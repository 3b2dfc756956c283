"""The console script, and the only module that prints: results on stdout, everything else on stderr.

One handler maps what was raised to an exit code, so that no traceback reaches a user: `BenchError` carries its own
code, cyclopts' errors are usage. Anything else is a fault of ours and says so (`BENCH_ANALYZE_DEBUG=1` shows where).
"""

# ruff: noqa: PLC0415 - imports inside functions keep `--help` and usage errors fast
from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError

    from bench.cli.reply import Reply
    from bench.errors import BenchError

USAGE = 2
FAULT = 1
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def main(argv: Sequence[str] | None = None, app: App | None = None) -> int:
    """Run the command line (`sys.argv` without `argv`; `app`: another one than bench-analyze) and return its exit
    code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    reply = _reply(arguments, app)
    try:
        return _deliver(reply)
    except OSError as error:  # the reader of stdout has gone, or the disk behind it is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            _write(sys.stderr, f"bench-analyze: the result could not be written to stdout: {error.strerror}")
        return USAGE


def _reply(arguments: list[str], app: App | None) -> Reply | None:
    from cyclopts import CycloptsError

    from bench.cli.app import app as bench_analyze
    from bench.errors import BenchError
    from bench.settings import load

    json = "--json" in arguments
    try:
        reply: Reply | None = (app or bench_analyze)(arguments, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        return _failure(_misuse(error), json=json)
    except BenchError as error:
        return _failure(error, json=json)
    except KeyboardInterrupt:
        return _failure(BenchError("interrupted"), json=json, exit_code=INTERRUPTED)
    except OSError as error:  # a folder that may not be entered, a file that went away meanwhile
        if load().debug:
            raise
        if error.filename is None:
            return _failure(_fault(error), json=json, exit_code=FAULT)
        return _failure(_refused_by_system(error), json=json)
    except Exception as error:  # the one place where a fault of ours becomes an answer
        if load().debug:
            raise
        return _failure(_fault(error), json=json, exit_code=FAULT)
    return reply


def _misuse(error: CycloptsError) -> BenchError:
    from cyclopts.exceptions import MissingArgumentError

    from bench.errors import UsageError

    command = " ".join(["bench-analyze", *(error.command_chain or ())])
    message = " ".join(str(error).split())
    if isinstance(error, MissingArgumentError) and error.keyword is None and error.argument is not None:
        _, guess, close = message.partition(" Did you mean ")
        message = (
            f"{' '.join(error.command_chain or ())} needs {error.argument.name}, which was not given.{guess}{close}"
        )
    return UsageError(message, hint=f"{command} --help")


def _refused_by_system(error: OSError) -> BenchError:
    from bench.errors import EnvironmentProblem

    return EnvironmentProblem(
        f"the system refused: {error.strerror}",
        file=Path(os.fsdecode(error.filename)),
        hint="check that you may enter its folder, and read and write there, or name another",
    )


def _fault(error: Exception) -> BenchError:
    from bench.errors import BenchError

    text = (str(error).strip().splitlines() or [""])[0]
    return BenchError(
        f"a fault in bench-analyze itself: {type(error).__name__}: {text}",
        hint="please report it; BENCH_ANALYZE_DEBUG=1 shows where it happened",
    )


def _failure(error: BenchError, *, json: bool, exit_code: int | None = None) -> Reply:
    from bench.cli.reply import Reply

    code = error.exit_code if exit_code is None else exit_code
    if not json:
        return Reply(notes=(str(error),), exit_code=code)
    from bench.render.document import document

    return Reply(document=document(error=error.to_dict(), exit_code=code), notes=(str(error),), exit_code=code)


def _deliver(reply: Reply | None) -> int:
    if reply is None:  # help and version are printed by cyclopts
        return 0
    from bench.render.values import dumps, printable

    if reply.document is not None:
        _write(sys.stdout, dumps(reply.document))
    elif reply.text:
        _write(sys.stdout, _shown(reply) if sys.stdout.isatty() else reply.text)
    sys.stdout.flush()
    for note in reply.notes:
        _write(sys.stderr, printable(f"bench-analyze: {note}").replace("\n", "\n  "))
    return reply.exit_code


def _shown(reply: Reply) -> str:
    from shutil import get_terminal_size

    from bench.render.screen import on_screen
    from bench.settings import load

    return on_screen(reply.text, reply.verdicts, width=get_terminal_size().columns, color=load().color)


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream)
