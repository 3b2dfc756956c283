"""What the server does for an assistant, without a protocol: look things up, run a snippet, take a proposal.

Everything here is bounded, and a wrong argument is an error that says what there is instead.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench import receipts, settings
from bench.ask.answer import Proposal
from bench.errors import UsageError
from bench.mcp import told
from bench.render.explain import check_columns
from bench.render.values import lines_text
from guards.units import find_unit

if TYPE_CHECKING:
    from bench.analysis import Analysis
    from guards import TableReport
    from runner import RunResult

LONGEST_WHY = 500
LONGEST_NAME = 400
MOST_PENDING = 100
_DECADES = ("x10", "x100", "x0.1", "x0.01")


@dataclass
class Desk:
    """One analysis with the runs and proposals of one connection. `tell`: says something to the person at the host."""

    analysis: Analysis
    tell: Callable[[str], None] = lambda text: None
    pending: list[dict[str, str]] = field(default_factory=list)
    runs: list[dict[str, object]] = field(default_factory=list)

    def tables(self) -> list[dict[str, Any]]:
        """Return every table with its counts and verdicts."""
        return told.tables_told(self.analysis.table_reports)

    def describe(self, table: str) -> dict[str, Any]:
        """Return the columns of a table with units and verdicts, and the limits.

        Raises:
            UsageError: there is no such table.
        """
        found = told.columns_told(self._table(table), self.analysis.named_measurements)
        return found | {"limits": {name: dict(limit) for name, limit in self.analysis.limits.items()}}

    def verdicts(self, table: str | None) -> list[dict[str, Any]]:
        """Return the guard's report on one table, or on all.

        Raises:
            UsageError: there is no such table.
        """
        reports = self.analysis.table_reports if table is None else (self._table(table),)
        return told.verdicts_told(reports, self.analysis.named_measurements)

    def run(self, code: str, on_output: Callable[[str, str], None] | None = None) -> RunResult:
        """Run a snippet; whatever it does is a result."""
        run = self.analysis.run(code, on_output=on_output)
        self.runs.append({"snippet": told.cut(code, 4_000), "status": run.status, "duration_s": run.duration_s})
        return run

    def propose(
        self, table: str, column: str, unit: str, why: str, measurement: str | None, segment: str | None
    ) -> dict[str, str]:
        """Keep a proposal for a person, and return it with the command by which that person approves it.

        Raises:
            UsageError: no such table, column or unit; an argument is empty or too long; too much is pending.
        """
        report = self._table(table)
        for name, text in (("unit", unit), ("why", why), ("measurement", measurement), ("segment", segment)):
            if text is not None:
                _check_text(name, text, LONGEST_WHY if name == "why" else LONGEST_NAME)
        check_columns([column], [report])
        if not any(found.judged for found in report.columns if found.name == column):
            raise UsageError(
                "the guard does not judge this column", column=column, hint="propose measured columns only"
            )
        if find_unit(unit) is None and unit not in _DECADES:
            raise UsageError(f"{unit!r} is no unit", column=column, hint="a unit such as mV, K or %, or a decade: x10")
        if len(self.pending) >= MOST_PENDING:
            raise UsageError(f"{MOST_PENDING} proposals are pending already", hint="ask the person to look at them")
        found = self._pending(report, {"column": column, "unit": unit, "why": why, "measurement": measurement or "",
                                       "segment": segment or ""})  # fmt: skip
        self.pending.append(found)
        self.tell(lines_text([f"an assistant proposes, and nothing is done until you run: {found['command']}"]))
        return found

    def _pending(self, report: TableReport, arguments: dict[str, str]) -> dict[str, str]:
        export = next(
            (each.export.path for each in self.analysis.exports for mine in each.tables if mine.name == report.name),
            None,
        )
        if export is None:
            raise UsageError("a store's exports are approved one by one", hint="open that export instead of the store")
        command = Proposal("approve", arguments).command(str(export))
        return {**{name: text for name, text in arguments.items() if text}, "status": "pending", "command": command}

    def profiles(self) -> str:
        """Return the board profiles as the user wrote them."""
        boards = {each.board.sha256: each.board for each in self.analysis.exports if each.board is not None}
        return "\n\n".join(f"# {board.path.name}\n{board.text.strip()}" for board in boards.values()) or "# none\n"

    def receipt(self) -> dict[str, object]:
        """Write the receipt of all runs so far, and return where it is, its id and the runs' statuses."""
        if not self.runs:
            return {"receipt": None, "runs": []}
        made = self.analysis.receipt()
        path = receipts.write(made, receipts.default_path(settings.load().receipts, made))
        return {
            "receipt": str(path),
            "id": made["id"],
            "replay": f"bench-analyze replay {shlex.quote(str(path))}",
            "runs": self.runs,
        }

    def _table(self, name: str) -> TableReport:
        _check_text("table", name, LONGEST_NAME)
        found = next((table for table in self.analysis.table_reports if table.name == name), None)
        if found is None:
            names = ", ".join(told.cut(table) for table in self.analysis.tables[:20])
            raise UsageError(f"there is no table {told.cut(name)!r}", hint=f"the tables are {names}")
        return found


def _check_text(name: str, text: str, longest: int) -> None:
    if not text.strip():
        raise UsageError(f"{name} is empty", hint="give a text")
    if len(text) > longest:
        raise UsageError(f"{name} has {len(text)} characters, and {longest} are taken at most", hint="be shorter")
