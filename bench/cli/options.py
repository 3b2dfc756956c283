"""The options of the main command, as cyclopts reads them; and what can be said against them before any work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter, validators

from bench.errors import UsageError

if TYPE_CHECKING:
    from bench.readers.options import ReadOptions

_READING = Group("Reading the export", sort_key=2)
_SNIPPETS = Group("Running a snippet", sort_key=1)
_ASKING = Group("Asking a model", sort_key=1)
_STORE = Group("Reading a store instead of exports", sort_key=2)
OUT_SUFFIXES = (".csv", ".parquet")
REPORT_SUFFIXES = (".html", ".htm")
_POSITIVE = validators.Number(gt=0)
_NOT_NEGATIVE = validators.Number(gte=0)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How an export is read, where that is not found out from its content."""

    table: Annotated[str | None, Parameter(name="--table")] = None
    "Name of the table; from the file's name otherwise."
    reader: Annotated[str | None, Parameter(name="--reader", group=_READING)] = None
    "Format of the export; found out from its content otherwise."
    delimiter: Annotated[str | None, Parameter(name="--delimiter", allow_leading_hyphen=True, group=_READING)] = None
    "One character, or comma, semicolon, tab, pipe, space."
    decimal: Annotated[str | None, Parameter(name="--decimal", group=_READING)] = None
    "Decimal mark: . or ,"
    encoding: Annotated[str | None, Parameter(name="--encoding", group=_READING)] = None
    "Text encoding, such as utf-8 or cp1252."
    header_rows: Annotated[int | None, Parameter(name="--header-rows", group=_READING)] = None
    "Number of header rows; 0 for none."

    def read_options(self) -> ReadOptions:
        """Return them as the readers take them.

        Raises:
            UsageError: a value that cannot be.
        """
        from bench.readers.options import ReadOptions  # noqa: PLC0415 - its package takes long to import

        return ReadOptions(
            table=self.table, reader=self.reader, delimiter=self.delimiter, decimal=self.decimal,
            encoding=self.encoding, header_rows=self.header_rows,
        )  # fmt: skip


FOUND_OUT = Reading()


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Reading):
    """Everything but the exports."""

    board: Annotated[Path | None, Parameter(name="--board")] = None
    "Board profile (TOML). Without it, board.toml beside each export is used if it is there."
    db: Annotated[Path | None, Parameter(name="--db")] = None
    "Keep the corrected tables in this DuckDB file; what was in the export goes into a second one beside it."
    history: Annotated[Path | None, Parameter(name="--history")] = None
    "Database of earlier exports (--db or ingest): what the same columns held then is a witness for the unit now."
    out: Annotated[Path | None, Parameter(name="--out")] = None
    "Write the corrected table here: .csv (with a units row) or .parquet (units in its metadata)."
    json: Annotated[bool, Parameter(name="--json", negative=())] = False
    "Print one JSON document instead of text, whatever happens."
    report: Annotated[Path | None, Parameter(name="--report")] = None
    "Write everything into one HTML file: verdicts with evidence and plots, runs, answer, receipt."
    receipt: Annotated[Path | None, Parameter(name="--receipt")] = None
    "Write the receipt here instead of the user's data folder."
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative=())] = False
    "Leave out columns that stayed as they are, progress, and where files went."
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative=())] = False
    "Print every witness of every measured column, and what held the snippet."
    strict: Annotated[bool, Parameter(name="--strict", negative=())] = False
    "Exit with 3 also for unverified columns and quarantined rows."
    explain: Annotated[tuple[str, ...], Parameter(name="--explain", negative=())] = ()
    "Print every witness of this column, with its numbers; may be given several times."
    snippet: Annotated[Path | None, Parameter(name="--snippet", group=_SNIPPETS)] = None
    "Python file to run in the sandbox against the corrected tables."
    code: Annotated[str | None, Parameter(name=["-c", "--code"], allow_leading_hyphen=True, group=_SNIPPETS)] = None
    "Python code to run instead of a file."
    ask: Annotated[str | None, Parameter(name="--ask", allow_leading_hyphen=True, group=_ASKING)] = None
    "Question for a model, which answers by snippets; every figure of its answer is traced to a run or marked."
    model: Annotated[str | None, Parameter(name="--model", group=_ASKING)] = None
    "PROVIDER:NAME (anthropic, openai, google, ...), scripted:FILE, or stub; keys: from the environment or the keyring."
    base_url: Annotated[str | None, Parameter(name="--base-url", group=_ASKING)] = None
    "Address of another server than the provider's own: --model openai:NAME for one that speaks OpenAI's language."
    stream: Annotated[bool, Parameter(name="--stream", negative=(), group=_ASKING)] = False
    "Let the provider stream its responses, for servers and proxies that cut off long silences."
    otel: Annotated[bool, Parameter(name="--otel", negative=(), group=_ASKING)] = False
    "Emit OpenTelemetry spans of the requests, without texts; run under opentelemetry-instrument."
    turns: Annotated[int, Parameter(name="--turns", group=_ASKING, validator=_POSITIVE)] = 4
    "How many snippets the model may run for one answer."
    max_tokens: Annotated[int, Parameter(name="--max-tokens", group=_ASKING, validator=_POSITIVE)] = 200_000
    "How many tokens one answer may cost, in and out."
    seconds: Annotated[float, Parameter(name="--seconds", group=_ASKING, validator=_POSITIVE)] = 600.0
    "How long one answer may take."
    cost: Annotated[float | None, Parameter(name="--cost", group=_ASKING, validator=_POSITIVE)] = None
    "How many US dollars one answer may cost, by published prices."
    trace: Annotated[Path | None, Parameter(name="--trace", group=_ASKING)] = None
    "Write each step here instead of beside the receipt, as JSON lines: who decided it, its text, tokens and seconds."
    allow_partial: Annotated[bool, Parameter(name="--allow-partial", negative=(), group=_SNIPPETS)] = False
    "Exit with 0 although the snippet read a refused column."
    wall_time: Annotated[float | None, Parameter(name="--wall-time", group=_SNIPPETS, validator=_POSITIVE)] = None
    "Seconds that a snippet may take."
    memory_mb: Annotated[int | None, Parameter(name="--memory-mb", group=_SNIPPETS, validator=_POSITIVE)] = None
    "Megabytes that a snippet may use."
    require_layer: Annotated[tuple[str, ...], Parameter(name="--require-layer", negative=(), group=_SNIPPETS)] = ()
    "Run the snippet only where this isolation layer holds (seccomp, landlock, ...); several times for several."
    fresh_random: Annotated[bool, Parameter(name="--fresh-random", negative=(), group=_SNIPPETS)] = False
    "Let chance and the clock differ from run to run; otherwise the same snippet gives the same figures."
    source: Annotated[str | None, Parameter(name="--from", group=_STORE)] = None
    "Store that ingest fills (a DuckDB file, or delta:FOLDER-OR-URL): take what it holds, instead of exports."
    tables: Annotated[tuple[str, ...], Parameter(name="--tables", negative=(), group=_STORE)] = ()
    "Only these of its tables, such as retest,soak; all otherwise."
    since: Annotated[str | None, Parameter(name="--since", group=_STORE)] = None
    "Only exports that were last written on this date or later (2026-10-30, or 2026-10-30T14:00; UTC)."
    where: Annotated[str | None, Parameter(name="--where", group=_STORE)] = None
    "Only rows that meet this SQL condition, such as \"fixture = 'FIX-03'\"."
    lock_timeout: Annotated[float, Parameter(name="--lock-timeout", group=_STORE, validator=_NOT_NEGATIVE)] = 60.0
    "Seconds to wait for a store that another program holds."


def check(exports: list[Path], options: Options) -> None:
    """Raise `UsageError` for options that exclude each other, or that would overwrite what is read."""
    _check_source(exports, options)
    for path in exports:
        if path.suffix.lower() == ".toml" and options.reader is None:
            raise UsageError("TOML is what a board profile is written in, no export", file=path,
                             hint=f"bench-analyze EXPORT --board {path}")  # fmt: skip
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose were both given", hint="give one of them")
    if options.snippet is not None and options.code is not None:
        raise UsageError("--snippet and -c were both given", hint="give one of them")
    if options.ask is not None and (options.snippet is not None or options.code is not None):
        raise UsageError("a question and a snippet were both given", hint="give --ask, or --snippet or -c")
    if options.ask is None and (options.model is not None or options.trace is not None):
        raise UsageError("--model and --trace belong to a question", hint="add --ask QUESTION")
    if options.ask is not None and not options.ask.strip():
        raise UsageError("the question is empty", hint='--ask "Do the retested boards pass?"')
    if options.table is not None and len(exports) > 1:
        raise UsageError(
            "--table names one table, and several exports were given", hint="leave --table out, or name one export"
        )
    if options.out is not None and len(exports) > 1:
        raise UsageError(
            "--out holds one table, and several exports were given", hint="name one export, or use --db FILE"
        )
    if options.out is not None and options.out.suffix.lower() not in OUT_SUFFIXES:
        raise UsageError(
            "the suffix says neither CSV nor Parquet", file=options.out, hint="end --out with .csv or .parquet"
        )
    if options.report is not None and options.report.suffix.lower() not in REPORT_SUFFIXES:
        raise UsageError("a report is an HTML file", file=options.report, hint="end --report with .html")
    _check_files(exports, options)


def _check_source(exports: list[Path], options: Options) -> None:
    choosing = [name for name in ("tables", "since", "where") if getattr(options, name)]
    if options.source is None:
        if choosing:
            raise UsageError(f"--{choosing[0]} chooses from a store", hint="add --from STORE.duckdb")
        if not exports:
            raise UsageError("no export was named", hint="bench-analyze EXPORT, or --from STORE.duckdb")
        return
    if exports:
        raise UsageError("exports and --from were both given", hint="give one of them")
    names = ("board", "db", "history", "table", "explain", "reader", "delimiter", "decimal", "encoding", "header_rows")
    for name in names:
        if getattr(options, name) not in (None, ()):
            raise UsageError(
                f"--{name.replace('_', '-')} belongs to exports, and --from takes a store",
                hint="leave it out; bench-analyze ingest reads and judges exports",
            )


def _check_files(exports: list[Path], options: Options) -> None:
    beside = [path.parent / "board.toml" for path in exports]
    store = None if options.source is None else Path(options.source)
    read = [*exports, *beside, options.board, options.snippet, store]
    inputs = {path.resolve() for path in read if path is not None}
    written: set[Path] = set()
    for name, path in (("--db", options.db), ("--out", options.out), ("--receipt", options.receipt),
                       ("--trace", options.trace), ("--report", options.report)):  # fmt: skip
        if path is None:
            continue
        if name in ("--out", "--report") and not path.parent.is_dir():
            raise UsageError("the folder does not exist", file=path.parent, hint=f"make it, or name another {name}")
        if path.resolve() in inputs:
            raise UsageError(f"{name} names a file that is read", file=path, hint="name another file")
        if path.resolve() in written:
            raise UsageError(f"{name} names a file that another option writes", file=path, hint="name another file")
        written.add(path.resolve())


def snippet_code(options: Options) -> str | None:
    """Return the snippet's text, or None when there is none.

    Raises:
        UsageError: the file cannot be read as UTF-8 text.
    """
    if options.snippet is None:
        if options.code is not None and not options.code.strip():
            raise UsageError("the snippet is empty", hint="-c \"con.sql('select count(*) from TABLE').fetchone()\"")
        return options.code
    try:
        return options.snippet.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("the snippet is not UTF-8 text", file=options.snippet, hint="save it as UTF-8") from error
    except OSError as error:
        message = f"the snippet cannot be read: {error.strerror or error}"
        raise UsageError(message, file=options.snippet, hint="name a Python file, or give code with -c") from error
