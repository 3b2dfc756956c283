"""The decision table: what the witnesses said about a part becomes one verdict. First match wins.

    rule | when                                                                              | verdict
    -----|-----------------------------------------------------------------------------------|-----------------
    s    | the engineer settled the unit in the profile, and nothing hard contradicts it     | kept or corrected
    b    | two labels on the same values differ: the one that alone fits the absolute range  | kept or corrected
         | (none or both: refused)                                                           |
    a    | nothing to judge, or no witness speaks                                            | unverified
    c    | over 10 % of rows explained only by the declared unit, over 10 % only by a rival, | by segment, else
         | their raw numbers as far apart as the units                                       | refused
    d    | the declared unit explains 90 % of the rows that any explains, nothing hard is    | kept
         | against it, and no soft witness names a rival that explains them too              |
    e    | hard against the declared unit, exactly one automatic reading explains 90 % of    | corrected
         | the rows that any explains (or is the only one that time stamps or an identity    |
         | name), on 3 rows or more, nothing hard against that one, no digit pattern, and    |
         | the values further out than a fault is; rows that fit only as declared are        |
         | nulled. Where the absolute range alone is against it: the declared unit explains  |
         | hardly any row, and the column has no name of its own that the board leaves out   |
    f    | any other hard contradiction, or a soft one                                       | refused
    g    | otherwise                                                                         | kept
    r    | kept, but the row's own label is not the unit the column's values stand in        | corrected

Rule a's order: labels that contradict each other are evidence before any value is looked at. A part that no unit is
declared for is unverified whatever it holds, because no unit in the file means unknown, not SI.
"""

from __future__ import annotations

from dataclasses import dataclass

from guards.candidates import Candidate
from guards.case import HALF, WIDEST_SLIP, Case
from guards.mixture import mixed_with
from guards.parts import Part
from guards.proposals import proposal_for
from guards.report import Proposal, Verdict, Witness
from guards.tally import HALF_STEP, Tally
from guards.units import Unit, conversion
from guards.witnesses import MAJORITY, TOLERATED, testimony

_MINIMUM_ROWS = 3
_STRAYS = 0.01
_FAULT = 5
"""How many times a node's absolute range what it measures may be and yet be a fault."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict on a part: the rule that gave it, the unit its raw values are in (None if refused), and why."""

    verdict: Verdict
    rule: str
    resolved: Unit | None
    reason: str
    proposal: Proposal | None = None
    witnesses: tuple[Witness, ...] = ()


def decide(part: Part, tally: Tally, digit_pattern: str | None = None) -> Decision:
    """Return the verdict for a part. `digit_pattern` is a diagnosis of the texts that forbids calling this a unit.

    Rule c comes back as a refusal with rule "c"; the caller first tries to judge by segment.
    """
    if part.problem:
        return Decision("refused", "b", None, f"{part.problem}. The values are withheld until one of them is corrected")
    damage = part.digits or (digit_pattern if part.declared is None else None)
    if damage and not any(label.source == "profile" for label in part.labels):
        return Decision("refused", "f", None, f"{_header(part)}, but {damage}. The values are withheld.")
    if part.declared is None:
        return Decision("unverified", "a", None, "no unit is declared for it in the file or the board.")
    case = Case(part, tally, testimony(part, tally))
    for rule in (_settled, _labels, _silence, _mixture, _stands, _corrected, _contradicted):
        decision = rule(case, digit_pattern)
        if decision:
            return decision
    return _kept(case, "g")


def _settled(case: Case, _: str | None) -> Decision | None:
    part = case.part
    if not any(label.source == "profile" for label in part.labels):
        return None
    outranks = part.stranger and case.only_out_of_range  # the widest range is of other things than this column
    if case.tally.judged and case.against(case.declared, hard=True) and not outranks:
        return _refuse(case, "f", f"the profile settles {part.declared}, but " + _evidence(case, case.declared))
    if part.declared == part.target:
        return _kept(case, "s")
    return _correct(case, case.declared, "s", "the profile settles it")


def _labels(case: Case, _: str | None) -> Decision | None:
    part = case.part
    stated = [label for label in part.labels if label.source not in ("profile", "node")]
    if len({(label.unit.scale, label.unit.offset, label.unit.quantity) for label in stated}) < 2:
        return None
    said = ", ".join(f"the {label.statement}" for label in stated)
    if len({label.unit.quantity for label in stated}) > 1:
        return _refuse(case, "b", f"{said}: no value is both", propose=False)
    if not case.tally.judged:
        return _refuse(case, "b", f"{said}, and there is no value to tell them apart")
    fitting = [
        reading for label in stated for reading in part.readings
        if reading.unit == label.unit and part.absolute_is_board and not case.against(reading, hard=True)
    ]  # fmt: skip
    units = {reading.label: reading for reading in fitting}
    if len(units) != 1:
        why = "both fit what the board allows" if units else "nothing known of the board tells them apart"
        return _refuse(case, "b", f"{said}: {why}")
    (reading,) = units.values()
    if not all(label.unit == reading.unit or _far_out(case, label.unit) for label in stated):
        return _refuse(case, "b", f"{said}: a fault of the board could be as large as either")
    if reading.unit == part.target:
        return _kept(case, "b", f"{said}; only {reading.unit} fits the absolute range")
    return _correct(case, reading, "b", f"{said}; only {reading.unit} fits the absolute range")


def _silence(case: Case, _: str | None) -> Decision | None:
    if not case.tally.judged:
        what = "every value is zero or missing" if case.tally.readings else "it has no readings"
        return _unverified(case, what)
    about = {case.declared.label}
    if not any(w.supports is not None and (w.candidate in about or w.name != "built-in range") for w in case.witnesses):
        return _unverified(case, "nothing in the file or the board speaks about its unit")
    return None


def _mixture(case: Case, _: str | None) -> Decision | None:
    rival = mixed_with(case.part, case.tally)
    if rival is None:
        return None
    t = case.tally
    other = case.part.readings[rival].unit.words
    fit = f"{t.only_declared} of {t.judged} values fit only as {case.declared.unit.words}"
    why = f"{fit} and {t.only_rival[rival]} only as {other}, and no segment column separates them"
    return _refuse(case, "c", why, propose=False)


def _stands(case: Case, _: str | None) -> Decision | None:
    if case.explains(0) and not case.against(case.declared, hard=True) and not case.rival_named():
        return _kept(case, "d")
    return None


def _corrected(case: Case, digit_pattern: str | None) -> Decision | None:
    part, t = case.part, case.tally
    if not case.against(case.declared, hard=True) or digit_pattern or not part.word.correct:
        return None
    if _many_fit_only_as_declared(t) or not _beyond_a_fault(case) or _as_labelled(case):
        return None
    fits = _fitting(case)
    if len(fits) == 1 and not case.against(fits[0], hard=True):
        return _correct(case, fits[0], "e", _evidence(case, fits[0]))
    return None


def _fitting(case: Case) -> list[Candidate]:
    """Return the automatic readings that explain enough of the rows, else those that a check names."""
    part, t = case.part, case.tally
    fits = [
        reading for i, reading in enumerate(part.readings)
        if i and reading.automatic and reading.affine and case.explains(i) and t.explained[i] >= _MINIMUM_ROWS
        and (t.explained[i] >= HALF * t.judged if part.claimed else case.slip(reading) <= WIDEST_SLIP)
        and not (case.only_out_of_range and case.failed_by_results(reading))
    ]  # fmt: skip
    return fits or case.named_by_checks()


def _beyond_a_fault(case: Case) -> bool:
    """Whether the values contradict the declared unit by more than a real fault could.

    A node that claims the column explains its values alone: 13 V on a 12 V sensor is a finding though 13 mV would be
    expected as well, 60 V is none. Elsewhere 50 V on a 30 V board is an over-voltage, though a ripple node would
    explain 50 mV: only what exceeds the widest range by half a step of 1000 is nearer to a unit. What lies where
    another node is expected may be a short to it.
    """
    part, t = case.part, case.tally
    if not case.only_out_of_range or part.absolute is None or part.word.offsets:
        return True
    return t.elsewhere < MAJORITY * t.judged and _far_out(case, case.declared.unit)


def _far_out(case: Case, unit: Unit) -> bool:
    """Whether the values in this unit are farther out of the absolute range than a fault."""
    part, t = case.part, case.tally
    assert part.absolute is not None
    own = part.node is not None and part.node.absolute is not None
    far = _FAULT if own else HALF_STEP
    lower, upper = part.absolute.lower, part.absolute.upper
    typical = 10**t.log_size * float(unit.scale)
    if lower is not None and lower > 0 and typical <= float(lower) / far:
        return True
    edges = [abs(edge) for edge in (lower, upper) if edge is not None]
    return bool(edges) and typical >= far * float(max(edges))


def _as_labelled(case: Case) -> bool:
    """Whether the range alone speaks against a label that something else speaks for: rows that it explains, as in a
    sensor's range of many decades of which a few readings leave the top; or a name that the board does not know, beside
    names that it does: what that one may hold is not known.
    """
    return case.only_out_of_range and (case.part.stranger or case.tally.explained[0] > TOLERATED * case.tally.judged)


def _many_fit_only_as_declared(tally: Tally) -> bool:
    """Whether more rows fit only as declared than a dead board here and there: then nothing is corrected."""
    return tally.only_declared > max(1, _STRAYS * tally.judged)


def _contradicted(case: Case, digit_pattern: str | None) -> Decision | None:
    hard = case.against(case.declared, hard=True)
    if not hard and not case.soft_contradiction:
        return None
    if digit_pattern:
        return _refuse(case, "f", f"{_evidence(case, case.declared)}; {digit_pattern}", propose=False)
    return _refuse(
        case, "f", _evidence(case, case.declared) + _what_forbids(case) if hard else _evidence(case, case.declared)
    )


def _what_forbids(case: Case) -> str:
    """Say what keeps a contradicted column from being corrected, where it is more than having no single explanation."""
    if not case.part.word.correct:
        return " (the profile switches correction off for this column)"
    if _many_fit_only_as_declared(case.tally):
        return f"; {case.tally.only_declared} of {case.tally.judged} fit only as {case.declared.unit.words}"
    if _as_labelled(case):
        own, t, unit = case.part, case.tally, case.declared.unit.words
        fit = f"; {t.explained[0]} of {t.judged} lie in the expected range as {unit}, too"
        return "; the board names others here, and nothing by this name" if own.stranger else fit
    return "" if _beyond_a_fault(case) or not _fitting(case) else "; a real fault of the board could be as large"


def _refuse(case: Case, rule: str, why: str, *, propose: bool = True) -> Decision:
    proposal = proposal_for(case) if propose else None
    what = f"{_header(case.part)}, {why}." if rule != "b" else f"{why}."
    advice = (
        f" Not changed: the values are withheld. Proposal: {proposal.why}." if proposal else " The values are withheld."
    )
    return Decision("refused", rule, None, what + advice, proposal, case.witnesses)


def _kept(case: Case, rule: str, why: str | None = None) -> Decision:
    part = case.part
    return Decision("kept", rule, part.declared if why is None else part.target,
                    f"{_header(part)}; {why or _evidence(case, case.declared)}.", None, case.witnesses)  # fmt: skip


def _unverified(case: Case, why: str) -> Decision:
    return Decision("unverified", "a", case.part.declared, f"{_header(case.part)}; {why}.", None, case.witnesses)


def _correct(case: Case, reading: Candidate, rule: str, why: str) -> Decision:
    assert case.part.target is not None
    done = _deed(reading.unit, case.part.target)
    reason = f"{_header(case.part)}, the values are {reading.unit.words} ({why}). {done}."
    return Decision("corrected", rule, reading.unit, reason, None, case.witnesses)


def _header(part: Part) -> str:
    label = part.declared_label
    if label is None or part.declared is None:
        return "no unit is declared"
    if label.source == "node":
        assert part.node is not None
        return f"no unit in the file, taken as the board's {part.declared.words} (node {part.node.name})"
    return label.statement


def _deed(source: Unit, target: Unit) -> str:
    factor, offset = conversion(source, target)
    if offset:
        scale = "" if factor == 1 else f"multiplied by {factor}, "
        return f"{scale}{'added' if offset > 0 else 'subtracted'} {float(abs(offset)):.12g}".capitalize()
    if factor < 1 and factor.numerator == 1:
        return f"Divided by {factor.denominator}"
    return f"Multiplied by {float(factor):.12g}"


def _evidence(case: Case, reading: Candidate) -> str:
    """Say with numbers what decided: the result column and the ranges, for this reading and against the declared."""
    said: list[str] = []
    names = dict.fromkeys(w.name for w in case.witnesses)
    for name in names:
        for_it = next((w for w in case.witnesses if w.name == name and w.candidate == reading.label), None)
        declared = next((w for w in case.witnesses if w.name == name and w.candidate == case.declared.label), None)
        rival = reading is not case.declared and for_it is not None and bool(for_it.supports)
        if rival and for_it and declared and name not in ("expected range", "absolute range"):
            said.append(f"{for_it.detail}, {declared.detail.split(' ', 1)[0]} as {case.declared.unit.words}")
        elif rival and for_it and name == "expected range":
            said.append(for_it.detail)
        elif declared and declared.supports is False:
            said.append(declared.detail)
        elif declared and declared.supports and reading is case.declared:
            said += [declared.detail] if name != "absolute range" or not _as_expected(case) else []
    return "; ".join(said) or "nothing speaks against it"


def _as_expected(case: Case) -> bool:
    """Whether the declared reading lies where it is expected, which says more than that nothing is destroyed."""
    return any(w.name == "expected range" and w.supports and w.candidate == case.declared.label for w in case.witnesses)
