"""`bench-analyze approve`: a person settles a unit. The exact act is shown first, and nothing is done unasked.

What is recorded is bound to the export's bytes, the column, the measurement and the segment. An approval that something
hard contradicts is not recorded: it would only refuse the rows again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from bench import approvals, settings
from bench.boards import board_for, with_unit
from bench.cli.reply import Reply
from bench.entry import analyze
from bench.errors import UsageError
from bench.export import Export
from bench.guarded import BoardFile, GuardedExport
from bench.outcome import REFUSED
from bench.pipeline import guard_exports
from bench.readers import ReadOptions
from bench.releases import Release, Word
from bench.render.explain import check_columns
from bench.render.values import lines_text
from guards import Approval, ColumnReport
from guards.approvals import approved_reading
from guards.candidates import candidates
from guards.units import find_unit

Ask = Callable[[str], bool | None]  # the question with the act; None where nobody can answer


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked on the command line."""

    export: Path
    column: str
    unit: str
    why: str
    measurement: str | None = None
    segment: str | None = None
    who: str | None = None
    board: Path | None = None
    db: Path | None = None
    always: bool = False
    options: ReadOptions = field(default_factory=ReadOptions)


def approve_reply(wish: Wish, *, yes: bool, ask: Ask) -> Reply:
    """Show the act, have it confirmed, record it, and say what was done."""
    board = board_for(wish.export, wish.board)
    (before,) = guard_exports([wish.export], wish.options, [board])
    parts = _parts(wish, before)
    given = Approval(
        wish.column, _unit(wish, parts), who_of(wish), why_of(wish), parts[0].measurement, _segment(wish, before)
    )
    text = _profile_text(wish, board, parts, given) if wish.always else None
    (after,) = guard_exports([wish.export], wish.options, [board], trial=given)
    settled = _settled(given, after)
    act = lines_text(_act(wish, before, given, settled))
    if any(part.verdict == "refused" for part in settled):
        note = f"not recorded: the rows would be refused as {given.unit}; --explain {wish.column!r} shows every witness"
        return Reply(text=act, notes=(note,), exit_code=REFUSED)
    if (refused := decided(act, "an approval", "nothing was approved", yes=yes, ask=ask)) is not None:
        return refused
    profile = None if text is None or board is None else (board.path, text)
    return Reply(text=act, notes=tuple(record(wish, before.export, [given], profile=profile)))


def decided(act: str, what: str, undone: str, *, yes: bool, ask: Ask) -> Reply | None:
    """Return None where an act is confirmed, else the reply that nothing was done.

    Raises:
        UsageError: there is nobody to ask.
    """
    answer = True if yes else ask(act)
    if answer is None:
        raise UsageError(f"{what} is asked for on a terminal, and here is none", hint=f"add --yes to do it:\n{act}")
    return None if answer else Reply(text=act, notes=(undone,), exit_code=UsageError.exit_code)


def withdraw_reply(wish: Wish, *, yes: bool, ask: Ask) -> Reply:
    """Take back the approvals of one column (and the measurement and segment named): the guard decides again."""
    (before,) = guard_exports([wish.export], wish.options, [board_for(wish.export, wish.board)])
    pair = _segment(wish, before)
    standing = [
        given
        for given in before.words
        if isinstance(given, Approval)
        and (given.column, given.measurement, given.segment) == (wish.column, wish.measurement, pair)
    ]
    if not standing:
        there = ", ".join(dict.fromkeys(_said(word) for word in before.words)) or "none"
        raise UsageError("nothing was approved for it in this export", column=wish.column,
                         hint=f"approved here: {there}")  # fmt: skip
    given = replace(standing[-1], who=who_of(wish), why=why_of(wish))
    act = lines_text(
        [
            f"export: {wish.export} (SHA-256 {before.export.sha256})",
            f"withdraw: {_said(given)}, approved by {standing[-1].who}, because: {standing[-1].why}",
            f"withdrawn by: {given.who}, because: {given.why}",
        ]
    )
    if (refused := decided(act, "a withdrawal", "nothing was withdrawn", yes=yes, ask=ask)) is not None:
        return refused
    return Reply(text=act, notes=tuple(record(wish, before.export, [given], withdrawn=True)))


def _said(given: Word) -> str:
    if isinstance(given, Release):
        return f"line {given.line}"
    rows = [given.measurement or "", "=".join(given.segment) if given.segment else ""]
    return " ".join(filter(None, [given.column, *rows, "as", given.unit]))


def record(
    wish: Wish,
    export: Export,
    words: Sequence[Word],
    *,
    withdrawn: bool = False,
    profile: tuple[Path, str] | None = None,
) -> list[str]:
    """Record what was confirmed, write the `profile` (its path, its text) and the tables that were asked for, and
    return what was done.

    Raises:
        EnvironmentProblem: something cannot be written.
    """
    file = settings.load().approvals
    when = datetime.now(UTC).isoformat(timespec="seconds")
    path = str(export.path.resolve())
    for word in words:
        approvals.append(file, approvals.Recorded(word, export.sha256, export.bytes, path, when, withdrawn))
    notes = [f"{'withdrawn' if withdrawn else 'approved'}: {file}"]
    if profile is not None:
        approvals.replace_text(*profile)
        notes.append(f"profile: {profile[0]} says {wish.column} is {wish.unit} from now on")
    if wish.db is not None:
        with analyze(wish.export, board=wish.board, db=wish.db, **asdict(wish.options)) as analysis:
            notes.append(f"tables: {analysis.db}, raw: {analysis.raw_db}")
    return notes


def _parts(wish: Wish, before: GuardedExport) -> list[ColumnReport]:
    """Return the reports of the column and measurement asked for; the only measurement needs no name."""
    tables = before.report.tables
    check_columns([wish.column], tables)
    parts = [part for table in tables for part in table.columns if part.name == wish.column]
    if not any(part.judged for part in parts):
        raise UsageError(f"its role is {parts[0].role}, and its unit is no question", column=wish.column,
                         hint="name a measured column")  # fmt: skip
    named = list(dict.fromkeys(part.measurement for part in parts))
    if wish.measurement is None and len(named) == 1:
        return parts
    if wish.measurement not in named:
        what = "it holds several measurements" if wish.measurement is None else (
            f"there is no measurement {wish.measurement!r}")  # fmt: skip
        known = ", ".join(name for name in named if name is not None) or "none: leave --measurement out"
        raise UsageError(what, column=wish.column, hint=f"--measurement, one of: {known}")
    return [part for part in parts if part.measurement == wish.measurement]


def _unit(wish: Wish, parts: list[ColumnReport]) -> str:
    """Return the unit under the name that witnesses give it."""
    labels: list[str] = []
    for declared in dict.fromkeys(part.declared_unit for part in parts):
        unit = find_unit(declared) if declared else None
        readings = candidates(unit) if unit else ()
        if reading := approved_reading(readings, wish.unit):
            return reading.label
        labels += [r.label for n, r in enumerate(readings) if r.affine or not n]
    if not labels:
        raise UsageError("no unit is declared for it, so that no unit can be confused with it", column=wish.column,
                         hint=f'give the profile [columns."{wish.column}"] with a unit')  # fmt: skip
    known = ", ".join(dict.fromkeys(labels))
    raise UsageError(f"{wish.unit!r} is no unit that its values could be in", column=wish.column,
                     hint=f"--unit, one of: {known}")  # fmt: skip


def who_of(wish: Wish) -> str:
    """Return who says it. Raises UsageError if nobody is known."""
    who = (wish.who or settings.login() or "").strip()
    if not who:
        raise UsageError("nobody is named who approves", hint="--who NAME")
    return who


def why_of(wish: Wish) -> str:
    """Return the reason. Raises UsageError if there is none."""
    if not wish.why.strip():
        raise UsageError("an approval needs its reason", hint='--why "the logger was set to millivolts"')
    return wish.why.strip()


def _segment(wish: Wish, before: GuardedExport) -> tuple[str, str] | None:
    if wish.segment is None:
        return None
    name, equals, value = wish.segment.partition("=")
    if not equals or not name:
        raise UsageError(f"--segment {wish.segment!r} is no column=value", hint="--segment fixture=FIX-03")
    tables = [table for table in before.tables if any(c.name == name for c in table.raw.columns)
              and any(c.name == wish.column for c in table.raw.columns)]  # fmt: skip
    if not tables:
        raise UsageError(f"there is no column {name!r} beside {wish.column!r}", hint="--segment COLUMN=VALUE")
    values = [v or "" for table in tables for v in table.raw.frame.select(name).unique().collect()[name].sort()]
    if value not in values:
        shown = ", ".join(values[:12]) + (f" and {len(values) - 12} more" if len(values) > 12 else "")
        raise UsageError(f"no row has {name} = {value!r}", column=name, hint=f"its values are {shown}")
    return name, value


def _settled(given: Approval, after: GuardedExport) -> list[ColumnReport]:
    """Return the parts that the approval decided."""
    found = [
        part
        for table in after.report.tables
        for part in table.columns
        if (part.name, part.measurement) == (given.column, given.measurement)
        and (given.segment is None or (part.segment or {}).get(given.segment[0]) == given.segment[1])
    ]
    word = f"{given.who} approved {given.unit}: "
    if found and all(word in part.reason for part in found):
        return found
    if given.segment is not None and not found:
        raise UsageError(f"{given.segment[0]!r} is no segment column of this board", column=given.column,
                         hint=f'give the profile [board] segments = ["{given.segment[0]}"]')  # fmt: skip
    reason = next((part.reason for part in found if word not in part.reason), "")
    raise UsageError(f"{given.unit} cannot settle it: {reason}", column=given.column, hint="mend the export's labels")


def _act(wish: Wish, before: GuardedExport, given: Approval, settled: list[ColumnReport]) -> list[str]:
    lines = [f"export: {wish.export} (SHA-256 {before.export.sha256})"]
    for part in settled:
        lines.append(f"column: {part.label}")
        lines.append(f"  rows: {part.rows}")
        if part.factor is not None:
            shift = f" {'+' if part.offset > 0 else '-'} {abs(part.offset):.12g}" if part.offset else ""
            lines.append(f"  act: {part.unit} = value in {given.unit} * {part.factor:.12g}{shift}")
        lines.append(f"  verdict: {part.verdict}, rule {part.rule}: {part.reason}")
        against = [w.detail for w in part.witnesses if w.supports is False and w.candidate == given.unit]
        lines += [f"  against it: {detail}" for detail in against]
    lines.append(f"approved by: {given.who}, because: {given.why}")
    if wish.always:
        lines.append("and for every export from now on: the unit goes into the profile")
    return lines


def _profile_text(wish: Wish, board: BoardFile | None, parts: list[ColumnReport], given: Approval) -> str:
    if board is None:
        raise UsageError("--always writes into the board profile, and there is none", hint="--board FILE")
    if given.segment is not None or len({part.measurement for part in parts}) > 1 or given.measurement is not None:
        raise UsageError("--always settles a whole column, and a segment or measurement was named", column=wish.column,
                         hint="leave --always out, or add the unit to the node")  # fmt: skip
    return with_unit(board, given.column, given.unit, f"approved by {given.who}: {given.why}")
