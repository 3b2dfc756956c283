"""What a person has settled: an `Approval` takes the place of the decision table for the rows that it names.

A person may settle what no file can: an offset, a decade, which of two labels is right. Hard witnesses are still heard,
and where one contradicts the approved unit the rows are refused, because an approval is a word and they are evidence.
Rows of two units at once (rule c) stay refused too: no one unit is true of them, and an approval names one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guards.candidates import Candidate
from guards.corrections import Ruling
from guards.mixture import mixed_with
from guards.parts import Part
from guards.report import Witness
from guards.tally import Counts, Evidence, Tally, read_tally
from guards.units import Unit, conversion, find_unit
from guards.verdict import Decision, decide
from guards.witnesses import testimony


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's word on the unit of one column, or of one measurement or segment of it.

    `measurement` is None where the column has none. `segment` is (column, value), None for all rows. `unit`: one of the
    column's candidates, "mV" or "x10". `who` and `why` stand in the column's reason.
    """

    column: str
    unit: str
    who: str
    why: str
    measurement: str | None = None
    segment: tuple[str, str] | None = None


def approved_reading(readings: Sequence[Candidate], unit: str) -> Candidate | None:
    """Return the reading that a unit names, by its label or any spelling; never a logarithmic one for a linear."""
    named = find_unit(unit)
    for number, reading in enumerate(readings):
        if reading.label == unit or (reading.kind != "decade" and named is not None and reading.unit == named):
            return reading if reading.affine or number == 0 else None
    return None


def with_approvals(
    approvals: Sequence[Approval], part: Part, evidence: Evidence, counts: Counts, rulings: tuple[Ruling, ...]
) -> tuple[Ruling, ...]:
    """Return the rulings of a part with each approval of its rows in the place of what was decided; the last one wins.

    `counts` holds every segment column that an approval of the part names.
    """
    for approval in approvals:
        if (approval.column, approval.measurement) == (part.column, part.measurement):
            reading = approved_reading(part.readings, approval.unit)
            if part.problem is not None:
                rulings = _unused(approval, rulings, "a label is not understood, or labels contradict each other")
            elif reading is None:
                rulings = _unused(approval, rulings, "it is none of the units that the values could be in")
            elif approval.segment and not all(approval.segment[0] in group for group in counts.groups or [{}]):
                rulings = _unused(approval, rulings, f"{approval.segment[0]} is no segment column")
            else:
                rulings = _with_one(approval, reading, part, evidence, counts, rulings)
    return rulings


def _unused(approval: Approval, rulings: tuple[Ruling, ...], why: str) -> tuple[Ruling, ...]:
    """Say in the reason that an approval was not used: nothing that a person settled is dropped silently."""
    note = f" (An approval of {approval.unit} by {approval.who} was not used: {why}.)"
    return tuple(
        replace(ruling, decision=replace(ruling.decision, reason=ruling.decision.reason + note)) for ruling in rulings
    )


def _with_one(
    approval: Approval, reading: Candidate, part: Part, evidence: Evidence, counts: Counts, rulings: tuple[Ruling, ...]
) -> tuple[Ruling, ...]:
    if approval.segment is None:
        whole = read_tally(counts, part, evidence.checks)
        return (Ruling(part, _settle(approval, reading, part, whole), tally=whole),)
    name, wanted = approval.segment
    found: list[Ruling] = []
    for ruling in rulings:
        for value, piece in _pieces(name, part, evidence, counts, ruling):
            if (value or "") == wanted and piece.tally is not None:
                piece = replace(piece, decision=_settle(approval, reading, part, piece.tally))  # noqa: PLW2901
            found.append(piece)
    return tuple(found)


def _pieces(
    name: str, part: Part, evidence: Evidence, counts: Counts, ruling: Ruling
) -> list[tuple[str | None, Ruling]]:
    """Cut a ruling by a segment column. The pieces keep its decision, but for a refusal: each is judged alone then."""
    if name in ruling.rows:
        return [(ruling.rows[name], ruling)]
    for group, value in ruling.rows.items():
        counts = counts.where(group, value)
    found: list[tuple[str | None, Ruling]] = []
    for value in counts.values(name):
        alone = read_tally(counts.where(name, value), part, evidence.checks)
        decision = decide(part, alone) if ruling.decision.verdict == "refused" else ruling.decision
        segment = {**(ruling.segment or {}), name: "" if value is None else value}
        found.append((value, Ruling(part, decision, {**ruling.rows, name: value}, segment, alone)))
    return found


def _settle(approval: Approval, reading: Candidate, part: Part, tally: Tally) -> Decision:
    witnesses = testimony(part, tally)
    unit = _named(reading)
    label = part.declared_label
    header = label.statement if label and label.source != "node" else "no unit in the file"
    word = f"{approval.who} approved {reading.label}: {approval.why.rstrip('.')}"
    against = _against(reading, witnesses, stranger=part.stranger) if tally.judged else []
    if against:
        reason = f"{header}, and {word}, but {'; '.join(against)}. The values are withheld."
        return Decision("refused", "f", None, reason, None, witnesses)
    if mixed_with(part, tally) is not None:
        reason = f"{header}, and {word}, but the values are of two units; name the segment that the word is about."
        return Decision("refused", "c", None, f"{reason} The values are withheld.", None, witnesses)
    assert part.target is not None
    if unit == part.target:
        return Decision("kept", "s", unit, f"{header}; {word}.", None, witnesses)
    factor, offset = conversion(unit, part.target)
    reason = f"{header}, the values are {unit.words} ({word}). {_deed(float(factor), float(offset))}."
    return Decision("corrected", "s", unit, reason, None, witnesses)


def _named(reading: Candidate) -> Unit:
    """Return the unit under a symbol of its own: a decade is the declared unit at another scale."""
    if reading.kind != "decade":
        return reading.unit
    return replace(reading.unit, symbol=f"{reading.unit.symbol} {reading.label}")


def _against(reading: Candidate, witnesses: Sequence[Witness], *, stranger: bool) -> list[str]:
    """Return what speaks hard against a reading. A person knows more of a name that the board leaves out than the
    widest range, which is of other things.
    """
    hard = [w for w in witnesses if w.hard and w.supports is False and w.candidate == reading.label]
    return [w.detail for w in hard if not (stranger and w.name == "absolute range")]


def _deed(factor: float, offset: float) -> str:
    done = [] if factor == 1 else [f"divided by {1 / factor:.12g}" if factor < 1 else f"multiplied by {factor:.12g}"]
    if offset:
        done.append(f"{'added' if offset > 0 else 'subtracted'} {abs(offset):.12g}")
    return ", ".join(done).capitalize()
