"""What came out of a case against what was planted: one outcome for each truth, seen from the values, not from words.

An outcome is read from the corrected column itself: were values changed, are they true now, were they withheld. The
report's words are checked beside it (a reason for each refusal, a unit that the values are really in).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from corpus.cases import Case, Truth
from corpus.units import UNITS, from_base

BAD = ("wrong correction", "wrong factor")
"""Outcomes of which there must be none."""


@dataclass(frozen=True)
class Result:
    """What a method made of a case: for each column its values after it, and what it reported of its columns.

    `columns` are reports as mappings with at least name, verdict, unit, reason, measurement, segment, proposal, faults.
    `flagged` are the rows of each column that the method withheld one by one, saying so.
    """

    values: Mapping[str, Sequence[float | None]]
    columns: Sequence[Mapping[str, Any]]
    flagged: Mapping[str, frozenset[int]] = field(default_factory=dict)


@dataclass
class Score:
    """Counts over cases. `of`: truths by kind; `outcomes`: how many of each; `notes`: one line for each bad one."""

    of: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Score) -> None:
        """Add another score to this one."""
        self.of += other.of
        self.outcomes += other.outcomes
        self.notes += other.notes
        self.seconds += other.seconds

    def rate(self, outcome: str, kind: str) -> float:
        """Return the share of truths of a kind with an outcome."""
        return self.outcomes[outcome] / max(1, self.of[kind])


def score(case: Case, result: Result, label: str, *, words: bool = True) -> Score:
    """Score one case. `words`: check what the report says too (baselines say nothing)."""
    found = Score()
    for truth in case.truths:
        found.of["truths"] += 1
        found.of["decidable"] += truth.decidable
        found.of["clean"] += truth.clean
        reports = _reports(result.columns, truth)
        values = result.values.get(truth.column, [None] * case.rows)
        seen = _seen(truth, values, reports, result.flagged.get(truth.column, frozenset()))
        for outcome in [_outcome(truth, seen), *(_word_faults(truth, seen, reports) if words else [])]:
            found.outcomes[outcome] += 1
            if outcome not in ("right", "accepted"):
                found.notes.append(f"{label} {_name(truth)}: {outcome}; {_excuse(truth, seen, reports)}")
    return found


@dataclass(frozen=True)
class Seen:
    """What the values of one truth's rows look like afterwards."""

    rows: int
    right: int
    changed_wrong: int
    untouched_wrong: int
    withheld: int
    flagged: int
    changed: bool
    invented: int
    inexact: int
    refused: bool
    units: frozenset[str]

    @property
    def answer(self) -> str:
        """The answer that these values are."""
        if self.changed_wrong:
            return "correct wrongly"
        if self.withheld and not self.right and not self.untouched_wrong:
            return "refuse"
        if self.untouched_wrong:
            return "leave"
        if self.withheld and self.refused:
            return "refuse in part"
        return "correct" if self.changed else "leave"


def _reports(columns: Sequence[Mapping[str, Any]], truth: Truth) -> list[Mapping[str, Any]]:
    found = [r for r in columns if r["name"] == truth.column and r.get("measurement") in (None, truth.measurement)]
    if truth.segment:
        key, value = truth.segment
        found = [r for r in found if not r.get("segment") or r["segment"].get(key, value) == value]
    return found


def _seen(truth: Truth, values: Sequence[Any], reports: Sequence[Mapping[str, Any]], flagged: frozenset[int]) -> Seen:
    units = frozenset(r["unit"] for r in reports if r["unit"] in UNITS and r["verdict"] != "refused")
    unit = next(iter(units)) if len(units) == 1 else next(iter(sorted(truth.units)), None)
    right = wrong = untouched = withheld = flags = invented = inexact = 0
    changed = False
    ratios: set[Fraction | None] = set()
    for row, raw, base in zip(truth.rows, truth.raw, truth.base, strict=True):
        value = values[row]
        if base is None or raw is None:
            invented += isinstance(value, int | float) and math.isfinite(value)
            continue
        if not isinstance(value, int | float):
            withheld += 1
            flags += row in flagged
            continue
        expected = _expected(raw, base, unit)
        differs = not _close(value, raw)
        changed = changed or differs
        if _close(value, expected):
            right += 1
            inexact += value != float(expected)
            ratios.add(expected / raw if raw else None)
        elif differs:
            wrong += 1
        else:
            untouched += 1
    if not all(_is_decade(ratio) for ratio in ratios):
        inexact = 0  # other conversions are one rounded operation
    refused = any(r["verdict"] == "refused" for r in reports)
    return Seen(len(truth.rows), right, wrong, untouched, withheld, flags, changed, invented, inexact, refused, units)


def _expected(raw: Fraction, base: Fraction, unit: str | None) -> Fraction:
    return raw if unit is None else from_base(base, unit)


def _close(value: float, exact: Fraction) -> bool:
    return math.isclose(value, float(exact), rel_tol=1e-9, abs_tol=1e-300)


def _is_decade(ratio: Fraction | None) -> bool:
    if not ratio:
        return True
    return ratio == Fraction(10) ** round(math.log10(ratio))


def _outcome(truth: Truth, seen: Seen) -> str:
    answer, due, also = seen.answer, truth.due, truth.also
    if answer == "correct wrongly":
        return "wrong factor" if "correct" in {due, *also} else "wrong correction"
    readings = sum(base is not None for base in truth.base)
    if not readings or answer == due:
        return "right"
    if answer in also or (answer == "refuse in part" and "refuse" in also):
        return "accepted"
    if answer == "correct":
        return "wrong correction"  # true by luck: nothing in the case decides it
    if due == "correct":
        return "missed correction" if truth.decidable else "kept as it lies"
    if due == "leave":
        return "needless refusal" if seen.refused else "lost values"
    return "right" if answer == "refuse in part" and not seen.untouched_wrong else "kept as it lies"


def _word_faults(truth: Truth, seen: Seen, reports: Sequence[Mapping[str, Any]]) -> list[str]:
    faults = []
    if any(r["verdict"] == "refused" and len(r.get("reason") or "") < 15 for r in reports):
        faults.append("no reason")
    refused = [r for r in reports if r["verdict"] == "refused"]
    if truth.proposal and refused and not any(_proposes(r, truth.proposal) for r in refused):
        faults.append("no proposal")
    if seen.invented:
        faults.append("sentinel kept")
    silent = seen.withheld - seen.flagged
    if seen.right and not seen.refused and (silent or seen.withheld > max(1, 0.01 * seen.rows)):
        faults.append("lost values")
    if seen.inexact:
        faults.append("inexact")
    if seen.right and truth.units and not seen.untouched_wrong and seen.units and not seen.units <= truth.units:
        faults.append("unit untrue")
    if truth.faults and seen.answer in ("leave", "correct") and sum(r["faults"] for r in reports) < truth.faults:
        faults.append("faults not flagged")
    return faults


def _proposes(report: Mapping[str, Any], unit: str) -> bool:
    proposal = report.get("proposal")
    if not proposal:
        return False
    if unit.startswith("x"):  # a decade: "x10" multiplies the raw values by 10
        return bool(proposal["factor"]) and math.isclose(proposal["factor"], float(unit[1:]))
    return bool(proposal["unit"] == unit)


def _name(truth: Truth) -> str:
    extra = [truth.measurement] if truth.measurement else []
    extra += ["=".join(truth.segment)] if truth.segment else []
    return truth.column + (f" [{', '.join(extra)}]" if extra else "")


def _excuse(truth: Truth, seen: Seen, reports: Sequence[Mapping[str, Any]]) -> str:
    numbers = [float(x) for x in truth.raw if x is not None][:4]
    said = " | ".join(f"{r['verdict']}/{r.get('rule')}: {r.get('reason')}" for r in reports[:3]) or "no report"
    counts = f"{seen.rows} rows: {seen.right} true, {seen.changed_wrong} changed wrongly, " \
             f"{seen.untouched_wrong} left untrue, {seen.withheld} withheld, {seen.invented} invented"  # fmt: skip
    due = truth.due + (f" (or {', '.join(sorted(truth.also))})" if truth.also else "")
    return f"due {due}; raw {numbers}; {counts}; {said}"
