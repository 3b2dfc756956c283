"""What an engineer would try first where the guard corrects nothing."""

from __future__ import annotations

from guards.candidates import Candidate
from guards.case import Case
from guards.parts import Part
from guards.report import Proposal
from guards.units import conversion
from guards.witnesses import odd_limit_scale


def proposal_for(case: Case) -> Proposal | None:
    """The reading an engineer would try first: one that explains the rows, else one the limits ask for, else the
    nearest prefix that the ranges allow.
    """
    part, t = case.part, case.tally
    if not part.readings or part.target is None or not t.judged:
        return None
    possible = [
        (i, reading) for i, reading in enumerate(part.readings)
        if i and not case.against(reading, hard=True) and not _out_of_its_range(case, reading)
    ]  # fmt: skip
    named = {w.candidate for w in case.witnesses if w.supports and w.name not in ("absolute range", "expected range")}
    checked = [r for _, r in possible if r.label in named]
    explaining = [r for i, r in possible if r.automatic and case.explains(i)]
    limits = odd_limit_scale(t)
    by_limits = [r for _, r in possible if limits is not None and r.kind == "prefix"
                 and r.unit.scale / case.declared.unit.scale == 10**limits]  # fmt: skip
    other = case.proposed_reading()
    nearest = sorted((r for _, r in possible if r.kind in ("prefix", "ratio", "time", "offset", "logarithmic")),
                     key=lambda r: (r.kind == "logarithmic", _distance(r, case.declared)))  # fmt: skip
    hard = case.against(case.declared, hard=True) or _out_of_its_range(case, case.declared)
    chosen = next(
        iter([*checked, *explaining, *by_limits, *([other] if other else []), *(nearest if hard else [])]), None
    )
    return _propose(part, chosen) if chosen else None


def _out_of_its_range(case: Case, reading: Candidate) -> bool:
    """Whether the values exceed what a bench or the meter's own range can hold under the reading."""
    bounds = ("built-in range", "instrument range")
    return any(w.name in bounds and w.supports is False and w.candidate == reading.label for w in case.witnesses)


def _distance(reading: Candidate, declared: Candidate) -> float:
    ratio = float(reading.unit.scale / declared.unit.scale)
    return ratio if ratio >= 1 else 1 / ratio


def _propose(part: Part, reading: Candidate) -> Proposal:
    assert part.target is not None
    if reading.kind == "logarithmic":
        return Proposal(
            reading.unit.symbol, None, None, f"the values are {reading.unit}, which is not a scale of {part.target}"
        )
    if reading.kind == "decade":
        factor = float(reading.unit.scale / part.target.scale)
        why = f"the values are off by a factor {factor:g}, such as a probe's attenuation that was not applied"
        return Proposal(reading.unit.symbol, factor, 0.0, why)
    exact, offset = conversion(reading.unit, part.target)
    return Proposal(reading.unit.symbol, float(exact), float(offset), f"the values are {reading.unit.words}")
