"""The guard: makes an export's table true before anything reads it.

Pure: polars frames and declarations in, a corrected frame and a report out. No files, no clock, no database.
Follow `guard.guard`, which is the order of the steps.
"""

from guards.approvals import Approval
from guards.board import Board, Node, Range, parse_board
from guards.cells import TypedCells
from guards.declared import ExportColumn
from guards.errors import BoardError, GuardError, UnitError
from guards.guard import Guarded, expected_kinds, guard, head_of
from guards.history import Past
from guards.report import ColumnReport, GuardReport, Proposal, TableReport, Witness, outcome_of
from guards.shifts import LONGEST, Shift

RULES_VERSION = "5"
"""Changes whenever the same export and profile could get another verdict; stands in the ledger and in receipts."""

__all__ = [
    "LONGEST",
    "RULES_VERSION",
    "Approval",
    "Board",
    "BoardError",
    "ColumnReport",
    "ExportColumn",
    "GuardError",
    "GuardReport",
    "Guarded",
    "Node",
    "Past",
    "Proposal",
    "Range",
    "Shift",
    "TableReport",
    "TypedCells",
    "UnitError",
    "Witness",
    "expected_kinds",
    "guard",
    "head_of",
    "outcome_of",
    "parse_board",
]
