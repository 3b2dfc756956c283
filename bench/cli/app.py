"""The command line as cyclopts sees it: names, help and dispatch. Each command returns a `Reply`.

What a command needs is imported when it runs, so that `--help` and a mistyped option answer at once.
"""

# ruff: noqa: PLC0415 - imports inside functions keep `--help` and usage errors fast
from __future__ import annotations

from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from bench.cli.answers import CHAT_EXAMPLES, VERIFY_EXAMPLES, chat, trace, verify
from bench.cli.completing import COMPLETION_EXAMPLES, completion
from bench.cli.mcp import MCP_EXAMPLES, mcp
from bench.cli.options import FOUND_OUT, Options, Reading
from bench.cli.progress import progress_bar
from bench.cli.reply import Reply
from bench.cli.stores import INGEST_EXAMPLES, STATUS_EXAMPLES, ingest
from bench.cli.stores import status as store_status
from bench.errors import UsageError
from bench.settings import load

_EXAMPLES = """\
Examples:
  bench-analyze retest.csv --board board.toml
  bench-analyze retest.csv --board board.toml --db retest.duckdb
  bench-analyze retest.csv --board board.toml --out retest-true.csv
  bench-analyze retest.csv --report retest.html
  bench-analyze retest.csv --explain value_v
  bench-analyze retest.csv -c "con.sql('from retest limit 3').fetchall()"
  bench-analyze retest.csv production.csv --snippet yield.py --json
  bench-analyze --from store.duckdb --tables retest --since 2026-10-01 --snippet yield.py
  bench-analyze --from delta:/srv/lake --tables retest -c "con.sql('from retest limit 3').fetchall()"
  bench-analyze retest.csv --ask "Do the retested boards pass?" --model PROVIDER:NAME

Exit codes:
  0  done
  1  the snippet or the answer failed, or figures of the answer are marked
  2  usage, or a file that cannot be read or written
  3  refused: a column's unit is in doubt, and it is needed
  4  a limit stopped the snippet
  5  the sandbox could not start
"""
_FORMATS_EXAMPLES = """\
Examples:
  bench-analyze formats
  bench-analyze formats --json
"""
_PROFILE_EXAMPLES = """\
Examples:
  bench-analyze profile retest.csv
  bench-analyze profile retest.csv --out board.toml
"""
_APPROVE_EXAMPLES = """\
Examples:
  bench-analyze approve soak.csv --column tcase_c --unit K --why "the logger is in K"
  bench-analyze approve final.csv --column iin_a --segment fixture=FIX-03 --unit mA --why "meter range"
  bench-analyze approve retest.csv --line 17 --why "the operator left the note out"

Exit codes:
  0  approved
  2  usage, or not confirmed
  3  refused: the evidence contradicts the unit, and nothing was recorded
"""
_REPLAY_EXAMPLES = """\
Examples:
  bench-analyze replay receipt.json
  bench-analyze replay receipt.json --export retest-2026-10-30.csv --json

Exit codes:
  0  the same figures
  1  other figures, or the receipt was altered
  2  a file that is not there or cannot be read
  5  the sandbox could not start
"""
_SANDBOX_EXAMPLES = """\
Examples:
  bench-analyze sandbox install
  bench-analyze sandbox status --json
  bench-analyze sandbox add pint
  bench-analyze sandbox build ./our-filters
  bench-analyze sandbox pack sandbox.pack
  bench-analyze sandbox install --from sandbox.pack
"""


def _version() -> str:
    try:
        return version("bench-analyze")
    except PackageNotFoundError:  # run from a source tree
        return "unknown"


app = App(
    name="bench-analyze",
    version=_version,
    help_format="plaintext",
    help_epilogue=_EXAMPLES,
    result_action="return_value",
    suppress_keyboard_interrupt=False,
    default_parameter=Parameter(show_default=False),
    usage="Usage: bench-analyze EXPORT... [OPTIONS]\n       bench-analyze --from STORE [OPTIONS]\n"
    "       bench-analyze COMMAND [OPTIONS]",
)
sandbox = App(
    name="sandbox",
    help="The sandbox's image: fetch it, pack it, add packages, or say what is there.",
    help_format="plaintext",
    help_epilogue=_SANDBOX_EXAMPLES,
)
app.command(sandbox)
app.command(chat, help_epilogue=CHAT_EXAMPLES)
app.command(verify, help_epilogue=VERIFY_EXAMPLES)
app.command(trace)
app.command(completion, help_epilogue=COMPLETION_EXAMPLES)
app.command(mcp, help_epilogue=MCP_EXAMPLES)
app.command(ingest, help_epilogue=INGEST_EXAMPLES)
app.command(store_status, help_epilogue=STATUS_EXAMPLES)


@app.default
def analyse(
    exports: Annotated[list[Path] | None, Parameter(name="EXPORT", negative=())] = None,
    /,
    *,
    options: Options | None = None,
) -> Reply:
    """Check exports from a test bench, correct units that only one explanation fits, and run a snippet on the result.

    Parameters
    ----------
    exports
        Files that a bench wrote. Each becomes a table named after it.
    """
    from bench.cli.job import begin

    _refuse_misspelt_command(exports or [])
    options = options or Options()
    with progress_bar(color=load().color) as progress:
        job = begin(exports or [], options, None if options.quiet else progress)
        try:
            from bench.cli.analyse import analyse as run

            return run(job)
        finally:
            job.sandbox.close()


def _refuse_misspelt_command(exports: list[Path]) -> None:
    word = str(exports[0]) if exports else ""
    commands = [name for name in app if not name.startswith("-")]
    meant = get_close_matches(word, commands, n=1)
    if meant and not exports[0].exists():
        raise UsageError(f"there is no export and no command named {word!r}", hint=f"bench-analyze {meant[0]} --help")


@app.command(help_epilogue=_FORMATS_EXAMPLES)
def formats(*, json: Annotated[bool, Parameter(negative=())] = False) -> Reply:
    """List the formats that can be read.

    Parameters
    ----------
    json
        Print one JSON document.
    """
    from bench.cli.formats import formats_reply

    return formats_reply(json=json)


@app.command(help_epilogue=_PROFILE_EXAMPLES)
def profile(
    export: Path, /, *, out: Annotated[Path | None, Parameter(name="--out")] = None, reading: Reading = FOUND_OUT
) -> Reply:
    """Draft a board profile (TOML) from an export; the ranges that it saw are comments to replace from the datasheet.

    Parameters
    ----------
    export
        File that a bench wrote.
    out
        Write the draft here instead of to stdout; a file that is there is never overwritten.
    """
    from bench.cli.word import profile_reply

    return profile_reply(export, out, reading.read_options())


@app.command(help_epilogue=_APPROVE_EXAMPLES)
def approve(
    export: Path,
    /,
    *,
    why: Annotated[str, Parameter(name="--why")],
    column: Annotated[str | None, Parameter(name="--column")] = None,
    unit: Annotated[str | None, Parameter(name="--unit", allow_leading_hyphen=True)] = None,
    line: Annotated[tuple[int, ...], Parameter(name="--line", negative=())] = (),
    withdraw: Annotated[bool, Parameter(negative=())] = False,
    measurement: str | None = None,
    segment: str | None = None,
    who: str | None = None,
    board: Path | None = None,
    db: Path | None = None,
    always: Annotated[bool, Parameter(negative=())] = False,
    yes: Annotated[bool, Parameter(negative=())] = False,
    reading: Reading = FOUND_OUT,
) -> Reply:
    """Settle what the guard could not, for this export's bytes: the unit of a column, or that a quarantined line is a
    row.

    Parameters
    ----------
    export
        File that a bench wrote.
    why
        Reason, for the record.
    column
        Column whose values are in another unit than it says.
    unit
        Unit that the values are in, one of the column's candidates: mV, K, x10.
    line
        Quarantined line of the export that is a row after all; may be given several times.
    withdraw
        Take back what was approved for these rows; the record keeps both.
    measurement
        Measurement of a long table.
    segment
        Rows by a segment column, such as fixture=FIX-03; all rows otherwise.
    who
        Who approves; the user's login otherwise.
    board
        Board profile (TOML); board.toml beside the export otherwise.
    db
        Write the tables anew with the approval into this DuckDB file.
    always
        Also write the unit into the board profile, for every export from now on.
    yes
        Do not ask; for scripts.
    """
    from bench.cli.approve import Wish, approve_reply, withdraw_reply
    from bench.cli.confirm import confirm
    from bench.cli.release import release_reply
    from bench.errors import UsageError

    if (column is None) != bool(line):
        raise UsageError("one of --column and --line says what it is about", hint="--column NAME, or --line NUMBER")
    if line:
        if unit or measurement or segment or always:
            raise UsageError("a line has no unit, measurement or segment", hint="leave all but --line and --why out")
        wish = Wish(export, "", "", why, who=who, board=board, db=db, options=reading.read_options())
        return release_reply(wish, line, withdraw=withdraw, yes=yes, ask=confirm)
    assert column is not None
    if (unit is None) != withdraw:
        raise UsageError("one of --unit and --withdraw says what to do", column=column, hint="--unit mV, or --withdraw")
    wish = Wish(export, column, unit or "", why, measurement, segment, who, board, db, always, reading.read_options())
    return withdraw_reply(wish, yes=yes, ask=confirm) if withdraw else approve_reply(wish, yes=yes, ask=confirm)


@app.command(help_epilogue=_REPLAY_EXAMPLES)
def replay(
    receipt: Path,
    /,
    *,
    export: Annotated[tuple[Path, ...], Parameter(name="--export", negative=())] = (),
    board: Annotated[Path | None, Parameter(name="--board")] = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> Reply:
    """Do again what a receipt says, and tell whether the figures are the same.

    Parameters
    ----------
    receipt
        File that a run wrote; the run printed its path.
    export
        Where the receipt's export is now; may be given several times.
    board
        Where its board profile is now.
    json
        Print one JSON document.
    """
    from bench.cli.replay import Again, replay_reply

    with progress_bar(color=load().color) as progress:
        return replay_reply(Again(receipt, export, board), progress, json=json)


@sandbox.command
def install(
    *,
    source: Annotated[Path | None, Parameter(name="--from")] = None,
    force: Annotated[bool, Parameter(negative=())] = False,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> Reply:
    """Fetch the sandbox's parts by Deno's own npm client, check their hashes and make the memory snapshot.

    Parameters
    ----------
    source
        Take them from this pack (or the folder that holds it) instead; needs no network.
    force
        Make it anew although it is there, without added packages.
    json
        Print one JSON document.
    """
    from bench.cli.images import install_reply

    with progress_bar(color=load().color) as progress:
        return install_reply(progress, source=source, force=force, json=json)


@sandbox.command
def add(
    packages: Annotated[list[str], Parameter(name="PACKAGE", negative=())],
    /,
    *,
    source: Annotated[str | None, Parameter(name="--from")] = None,
    exactly: Annotated[bool, Parameter(negative=())] = False,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> Reply:
    """Put packages, and what they need, into the image: pure Python wheels and those built for Pyodide, by pip.

    Parameters
    ----------
    packages
        Names such as pint or pint==0.25, or paths of wheels.
    source
        Folder of wheels, or address of a package index or of a mirror of Pyodide's distribution, instead of both.
    exactly
        The name is meant although it is close to a well-known one.
    json
        Print one JSON document.
    """
    from bench.cli.images import add_reply

    with progress_bar(color=load().color) as progress:
        return add_reply(packages, progress, source=source, exactly=exactly, json=json)


@sandbox.command
def build(source: Path, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> Reply:
    """Build a wheel of your own by pyodide-build (Python 3.12 or later on the path has it) and put it into the image.

    Parameters
    ----------
    source
        Folder of a project, or its archive; what its build says runs with your rights.
    json
        Print one JSON document.
    """
    from bench.cli.images import build_reply

    with progress_bar(color=load().color) as progress:
        return build_reply(source, progress, json=json)


@sandbox.command
def pack(file: Path, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> Reply:
    """Write the image as one file, for a machine without a network (there: sandbox install --from FILE).

    Parameters
    ----------
    file
        File to write; NAME.pack is found in a folder.
    json
        Print one JSON document.
    """
    from bench.cli.images import pack_reply

    with progress_bar(color=load().color) as progress:
        return pack_reply(file, progress, json=json)


@sandbox.command(name=["status", "verify"])
def status(*, json: Annotated[bool, Parameter(negative=())] = False) -> Reply:
    """Read the sandbox's image against its hashes; say whether it is whole and which packages it has.

    Parameters
    ----------
    json
        Print one JSON document.
    """
    from bench.cli.images import status_reply

    return status_reply(json=json)
