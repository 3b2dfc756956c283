"""An `Analysis`: the corrected tables of one or several exports, the guard's report, and snippets run against them."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from bench import caveats, fingerprints, receipts, tables
from bench.errors import UsageError
from bench.guarded import GuardedExport
from bench.readers.options import ReadOptions
from bench.sandboxes import SandboxSource, classified, not_run
from guards import GuardReport, TableReport
from runner import CANCELLED, ResourceLimits, RunnerError, RunResult

if TYPE_CHECKING:
    import polars as pl

    from bench.ask.answer import Answer
    from bench.ask.messages import Model
    from bench.reporting.plots import Plot
    from runner import Sandbox

OnOutput = Callable[[str, str], None]  # stream ("stdout", "stderr"), text


@dataclass
class Analysis:
    """What `bench.analyze` gives. Close it (or use it as a context manager): its sandbox ends, temporary files go.

    `exports`: each export with its tables and verdicts. `db`: the DuckDB file; its raw companion is `raw_db`.
    `options`: how the exports were read.
    """

    exports: tuple[GuardedExport, ...]
    db: Path
    _sandboxes: SandboxSource
    _temporary: Path | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    _runs: list[dict[str, object]] = field(default_factory=list, init=False)
    _attached: bool = field(default=False, init=False)
    _warned: list[str] = field(default_factory=list, init=False)
    _answer: Answer | None = field(default=None, init=False)
    _touched: bool = field(default=False, init=False)  # by a snippet: the sandbox's account of reads

    def __post_init__(self) -> None:
        if "IPython" in sys.modules:  # somebody may look at it there
            from bench.jupyter import register  # noqa: PLC0415

            register()

    @property
    def guard(self) -> GuardReport:
        """The guard's report on the first export; `to_dict()` equals the `guard` member of the JSON document."""
        return self.exports[0].report

    @property
    def reports(self) -> tuple[GuardReport, ...]:
        """The guard's reports on all exports."""
        return tuple(guarded.report for guarded in self.exports)

    @property
    def table_reports(self) -> tuple[TableReport, ...]:
        """The reports on all tables of all exports."""
        return tuple(table for report in self.reports for table in report.tables)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the corrected tables."""
        return tuple(table.name for table in self.table_reports)

    @property
    def limits(self) -> Mapping[str, Mapping[str, object]]:
        """{node: {"lower", "upper", "unit"}}: what a snippet finds as `limits`."""
        return limits_of(self.exports)

    @property
    def named_measurements(self) -> frozenset[str]:
        """The measurements that the board profiles name: words of the user's own, no cells."""
        boards = [guarded.board.board for guarded in self.exports if guarded.board is not None]
        return frozenset(name for board in boards for node in board.nodes for name in node.measurements)

    @property
    def source_name(self) -> str:
        """The name of what was read: the first export's."""
        return self.exports[0].export.path.name

    @property
    def raw_db(self) -> Path:
        """The DuckDB file that holds the exports' bytes and the text of changed, cleared and refused columns."""
        return tables.raw_path(self.db)

    def table(self, name: str | None = None) -> pl.DataFrame:
        """Return a corrected table, `_row` first; without a name the only one.

        Raises:
            UsageError: no such table, or no name and several tables.
        """
        if name is None:
            if len(self.tables) != 1:
                raise UsageError("there are several tables", hint="name one of " + ", ".join(self.tables))
            name = self.tables[0]
        return tables.read_table(self.db, name)

    def quantity(self, column: str, table: str | None = None, *, measurement: str | None = None) -> Any:
        """Return a column as a pint quantity: a numpy array of floats with its unit; nulls are NaN.

        `table`: needed where there are several; `measurement`: where a column holds several. The unit is of pint's
        application registry. A refused or unverified column is one with a Python warning.

        Raises:
            UsageError: no such column, it has no unit or several, or it holds no numbers.
            EnvironmentProblem: numpy is not installed.
        """
        from bench.arrays import quantity  # noqa: PLC0415 - nobody else pays for pint and numpy

        return quantity(self, column, table, measurement)

    def plot(self, column: str, table: str | None = None) -> Plot:
        """Return the raw and corrected values of a column against its ranges and limits, for a notebook to show.

        Raises:
            UsageError: there is no such column, or it is not judged.
        """
        from bench.reporting.plots import plot  # noqa: PLC0415 - nobody else pays for it

        return plot(self, column, table)

    def units(self, table: str) -> Mapping[str, str | None]:
        """Return the unit of each column of a corrected table; None where it has none or several."""
        report = next((found for found in self.table_reports if found.name == table), None)
        if report is None:
            raise UsageError(f"there is no table {table!r}", hint="the tables are " + ", ".join(self.tables))
        return column_units(report)

    def run(self, code: str, *, on_output: OnOutput | None = None, clock_ms: int | None = None) -> RunResult:
        """Run a snippet in the sandbox against the corrected tables; state lives from run to run.

        The result's warnings name every refused or unverified column that the snippet read, also those that an earlier
        run read, whose values its variables may still hold. A snippet that fails, or a sandbox that cannot start, is a
        result with its status and never an exception. `clock_ms`: see `runner.Sandbox.run`.
        """
        run = self._run(code, on_output, clock_ms)
        if run.error is None or run.error.type != CANCELLED:  # how far it came is nothing to repeat
            self._runs.append(receipts.run_entry(code, run))
        return run

    def ask(
        self, question: str, *, model: str | Model, turns: int = 4, tokens: int = 200_000, seconds: float = 600.0,
        cost: float | None = None, base_url: str | None = None, earlier: Answer | None = None,
    ) -> Answer:  # fmt: skip
        """Let a model answer by snippets; code runs them and traces every figure of the answer (see `bench.verify`).

        `model`: `scripted:FILE`, `stub`, or `PROVIDER:NAME` by the optional part `ask`; `base_url`: a server that
        speaks OpenAI's language. `turns`: how many snippets; `tokens`: in and out; `seconds`; `cost`: in US dollars;
        `earlier`: the answer to go on from. A model that fails is an answer.

        Raises:
            UsageError: no question, no such model, or its key is missing.
        """
        from bench.ask import session  # noqa: PLC0415 - nobody else pays for it

        connection = session.Connection(base_url, min(120.0, seconds))
        chosen = session.model_of(model, connection) if isinstance(model, str) else model
        ceilings = session.Ceilings(turns, tokens, seconds, cost)
        self._answer = session.ask_analysis(self, question, chosen, ceilings, earlier)
        return self._answer

    def cancel(self) -> None:
        """End the run that is under way in another thread: its result is `crashed`, its variables are lost, and the
        next run works."""
        self._sandboxes.cancel()

    @property
    def wall_time_s(self) -> float:
        """How many seconds a snippet may take."""
        return (self._sandboxes.limits or ResourceLimits()).wall_time_s

    def _run(self, code: str, on_output: OnOutput | None, clock_ms: int | None) -> RunResult:
        try:
            sandbox = self._ready_sandbox()
        except RunnerError as error:
            return not_run(error)
        run = classified(sandbox.run(code, on_output=on_output, clock_ms=clock_ms))
        touched = self._touched or caveats.touches_the_account(code)
        if touched:
            run = replace(run, reads=tuple(caveats.every_column(self.table_reports)))
        self._touched = touched and run.state != "lost"
        now = caveats.warnings(caveats.columns_read(self.table_reports, run.reads))
        earlier = [f"{text} It was read in an earlier run of this session." for text in self._warned if text not in now]
        self._warned = (
            [] if run.state == "lost" else [*self._warned, *(text for text in now if text not in self._warned)]
        )
        return replace(run, warnings=(*run.warnings, *now, *earlier))

    def _ready_sandbox(self) -> Sandbox:
        sandbox = self._sandboxes.get()
        if not self._attached:
            sandbox.attach(self.db)
            self._attached = True
        return sandbox

    def receipt(self) -> dict[str, object]:
        """Return what the figures of all runs so far came from, as `bench-analyze replay` reads it.

        Raises:
            EnvironmentProblem: the database cannot be read any more.
        """
        wanted = receipts.tables_read(self.tables, self._runs)
        with_raw = [table.name for each in self.exports for table in each.tables if table.guarded.raw_columns]
        contents = fingerprints.contents(self.db, wanted, with_raw)
        return receipts.make(
            self.exports, self._runs, options=self.options, contents=contents, made_at=datetime.now(UTC),
            limits=self.limits, answer=self.answered(), reports=self.reports,
        )  # fmt: skip

    def report(
        self, path: str | PathLike[str], *, runs: Iterable[RunResult] = (), answer: Answer | None = None
    ) -> Path:
        """Write a report as one HTML file: the guard's verdicts with plots, and the runs and the answer that are given.

        Raises:
            EnvironmentProblem: the file cannot be written.
        """
        from bench.reporting import Contents, write_report  # noqa: PLC0415 - nobody else pays for it

        shown = [(run.snippet or "", run) for run in (*runs, *(run for _, run in (answer.runs if answer else ())))]
        return write_report(self, Path(fspath(path)), Contents(shown, answer))

    def answered(self) -> dict[str, object] | None:
        """Return the last answer with its question, as a receipt holds it."""
        return None if self._answer is None else {"question": self._answer.question, **self._answer.to_dict()}

    def close(self) -> None:
        """End the sandbox and remove the temporary database, if there is one."""
        self._sandboxes.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"<Analysis of {', '.join(str(guarded.export.path) for guarded in self.exports)}: {', '.join(self.tables)}>"
        )


def temporary_folder() -> Path:
    """Return a new folder for a database that nobody asked to keep."""
    return Path(tempfile.mkdtemp(prefix="bench-analyze-"))


def temporary_database(folder: Path | None) -> Path:
    """Return the database's name in such a folder."""
    assert folder is not None
    return folder / "analysis.duckdb"


def limits_of(exports: Iterable[GuardedExport]) -> dict[str, dict[str, object]]:
    """Return {node: {"lower", "upper", "unit"}}: what a snippet finds as `limits`."""
    found: dict[str, dict[str, object]] = {}
    for export in exports:
        for table in export.tables:
            for row in table.guarded.limits.to_dicts():
                found.setdefault(str(row["node"]), {name: row[name] for name in ("lower", "upper", "unit")})
    return found


def column_units(report: TableReport) -> dict[str, str | None]:
    """Return {column: unit}; None where a column has no unit, or several (by measurement or segment)."""
    found: dict[str, set[str]] = {}
    for column in report.columns:
        units = found.setdefault(column.name, set())
        if column.unit is not None:
            units.add(column.unit)
    return {name: next(iter(units)) if len(units) == 1 else None for name, units in found.items()}
