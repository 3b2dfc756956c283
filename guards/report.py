"""What the guard answers, as plain data: one `ColumnReport` for each column, measurement and segment judged.

The names of the fields are the names of the JSON document (a contract); `to_dict` adds nothing and drops nothing.
corrected = raw * factor + offset. Kept and unverified columns have factor 1 and offset 0; refused ones have none, and
no resolved unit, because nobody knows what their raw values are in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

Verdict = Literal["kept", "corrected", "refused", "unverified"]
Outcome = Literal["clean", "unverified", "corrected", "refused"]
Role = Literal["measured", "setpoint", "limit", "range", "index", "time", "identifier", "result", "unit", "text"]

JUDGED_ROLES: frozenset[str] = frozenset({"measured", "setpoint"})


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an engineer could approve: the raw values are in `unit`, and raw * factor + offset is in the header's unit.

    `factor` and `offset` are None where the finding is no scale (a logarithmic unit).
    """

    unit: str
    factor: float | None
    offset: float | None
    why: str


@dataclass(frozen=True, slots=True)
class Witness:
    """One piece of evidence about one candidate unit. `supports`: true for, false against, null says nothing."""

    name: str
    candidate: str
    supports: bool | None
    detail: str
    hard: bool = False

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "candidate": self.candidate,
            "supports": self.supports,
            "detail": self.detail,
            "hard": self.hard,
        }


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """The verdict for one column, or for one measurement or segment of it. Counts are rows of that part."""

    name: str
    role: Role
    measurement: str | None = None
    segment: Mapping[str, str] | None = None
    node: str | None = None
    quantity: str | None = None
    declared_text: str | None = None
    declared_unit: str | None = None
    resolved_unit: str | None = None
    unit: str | None = None
    factor: float | None = 1.0
    offset: float | None = 0.0
    verdict: Verdict = "unverified"
    rule: str = "a"
    reason: str = ""
    proposal: Proposal | None = None
    rows: int = 0
    sentinels: int = 0
    faults: int = 0
    nulls: int = 0
    witnesses: tuple[Witness, ...] = ()

    @property
    def judged(self) -> bool:
        """Whether the unit of this column is a question at all (measured values and setpoints)."""
        return self.role in JUDGED_ROLES

    @property
    def label(self) -> str:
        """The column with its measurement and segment, as a person would name it."""
        parts = [self.name]
        if self.measurement is not None:
            parts.append(f"[{self.measurement}]")
        if self.segment:
            parts.append("(" + ", ".join(f"{key} {value}" for key, value in self.segment.items()) + ")")
        return " ".join(parts)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form of this column."""
        return {
            "name": self.name,
            "role": self.role,
            "measurement": self.measurement,
            "segment": dict(self.segment) if self.segment is not None else None,
            "node": self.node,
            "quantity": self.quantity,
            "declared_text": self.declared_text,
            "declared_unit": self.declared_unit,
            "resolved_unit": self.resolved_unit,
            "unit": self.unit,
            "factor": self.factor,
            "offset": self.offset,
            "verdict": self.verdict,
            "rule": self.rule,
            "reason": self.reason,
            "proposal": asdict(self.proposal) if self.proposal else None,
            "rows": self.rows,
            "sentinels": self.sentinels,
            "faults": self.faults,
            "nulls": self.nulls,
            "witnesses": [witness.to_dict() for witness in self.witnesses],
        }


@dataclass(frozen=True, slots=True)
class TableReport:
    """One table of one export. rows_read = rows_kept + rows_quarantined."""

    name: str
    rows_kept: int
    rows_changed: int
    columns: tuple[ColumnReport, ...] = field(default=())
    rows_quarantined: int = 0

    @property
    def rows_read(self) -> int:
        """Rows found in the export, kept and quarantined."""
        return self.rows_kept + self.rows_quarantined

    def with_quarantined(self, rows: int) -> TableReport:
        """Return the report with the reader's count of quarantined rows."""
        return replace(self, rows_quarantined=rows)

    @property
    def outcome(self) -> Outcome:
        """The one word for this table; see `outcome_of`."""
        return outcome_of([self])

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form of this table."""
        return {
            "name": self.name,
            "rows_read": self.rows_read,
            "rows_kept": self.rows_kept,
            "rows_changed": self.rows_changed,
            "rows_quarantined": self.rows_quarantined,
            "columns": [column.to_dict() for column in self.columns],
        }


@dataclass(frozen=True, slots=True)
class GuardReport:
    """Every table of one export."""

    tables: tuple[TableReport, ...]

    @property
    def outcome(self) -> Outcome:
        """The one word for the whole export; see `outcome_of`."""
        return outcome_of(self.tables)

    def to_dict(self) -> dict[str, object]:
        """Return the `guard` member of the JSON document."""
        return {"outcome": self.outcome, "tables": [table.to_dict() for table in self.tables]}


def outcome_of(tables: Iterable[TableReport]) -> Outcome:
    """Return refused if anything was refused, else corrected if any value was changed or cleared, else unverified
    if a measured column is, else clean. Quarantine is a count, not an outcome.
    """
    tables = tuple(tables)
    columns = [column for table in tables for column in table.columns]
    if any(column.verdict == "refused" for column in columns):
        return "refused"
    if any(table.rows_changed for table in tables) or any(column.verdict == "corrected" for column in columns):
        return "corrected"
    if any(column.verdict == "unverified" and column.judged for column in columns):
        return "unverified"
    return "clean"
