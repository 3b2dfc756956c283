"""The witnesses: each speaks for or against each reading of a part's values, with its numbers.

*Hard* witnesses know something apart from the values (a range the board cannot leave, a result computed by the tester,
a second label) and may lead to a correction. *Soft* ones may rank or refuse. A new witness is one more function in
`WITNESSES`; none of them is asked by name anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from guards.candidates import Candidate
from guards.parts import Part
from guards.report import Witness
from guards.tally import LIMIT_SCALES, Tally

MAJORITY = 0.9
"""The share of rows that decides: a candidate explains a column when it explains nine rows in ten."""

_ALONE = 2
_FEWEST_PASSES = 3

TOLERATED = 0.1
"""The share of rows that may be faults: a real over-voltage is a finding, not a unit."""


def absolute_range(part: Part, tally: Tally) -> Iterator[Witness]:
    """Values cannot lie where the board would be destroyed: over 10 % outside contradicts a reading (hard).

    From the claiming node, else the board's widest node of the quantity. It cannot tell readings apart that all lie
    inside, and it is one-sided: millivolts read as volts exceed it, volts read as millivolts do not. Of values that
    carry their units one by one it says nothing: those in the larger unit are the large ones.
    """
    if part.absolute and part.absolute_is_board and not part.autoranged:
        yield from _range_witness("absolute range", part, tally, hard=True)


def built_in_range(part: Part, tally: Tally) -> Iterator[Witness]:
    """What a bench can hold at all (`parts.BUILT_IN`), where no board speaks: only ever against a reading (soft)."""
    if part.absolute and not part.absolute_is_board:
        yield from (w for w in _range_witness("built-in range", part, tally, hard=False) if w.supports is False)


def _range_witness(name: str, part: Part, tally: Tally, *, hard: bool) -> Iterator[Witness]:
    assert part.absolute is not None
    whose = f" of {part.node.name}" if part.node and part.node.absolute else ""
    for i, reading in enumerate(part.readings):
        out = tally.outside[i]
        how = f"if scaled {reading.label}" if reading.kind == "decade" else f"as {reading.unit.words}"
        place = f"are {_where(part, reading, tally)}" if out else f"lie within {part.absolute.text()}"
        detail = f"{out or 'all'} of {tally.judged} {place}{whose} {how}".replace("all of", "all")
        yield Witness(name, reading.label, _tolerable(out, tally.judged), detail, hard)


def _tolerable(out: int, judged: int) -> bool:
    """One row in ten may be a fault, and one row alone always: a single wild value says nothing about a unit."""
    return out <= TOLERATED * judged or (out == 1 and judged > _ALONE)


def _where(part: Part, reading: Candidate, tally: Tally) -> str:
    """Say on which side of the range the values lie, when it is one side only."""
    limits = part.absolute
    assert limits is not None
    low, high = reading.raw_interval(limits.lower, limits.upper, level=limits.unit.logarithmic)
    unit = limits.unit
    if limits.upper is not None and tally.lower is not None and tally.lower >= low:
        return f"above {float(limits.written(limits.upper)):.12g} {unit}"
    if limits.lower is not None and tally.upper is not None and tally.upper <= high:
        return f"below {float(limits.written(limits.lower)):.12g} {unit}"
    return f"outside {limits.text()}"


def expected_range(part: Part, tally: Tally) -> Iterator[Witness]:
    """Where the node normally is: a reading that explains nine in ten of the explained rows is supported (soft).

    The claiming node's expected range (or nominal ±10 %, or two-sided limits), else any node's of the quantity. Alone
    it never corrects, because a rail may be off and a sweep may leave it.
    """
    if not part.expected:
        return
    whose = f"of {part.node.name} ({part.expected[0].text()})" if part.node else f"of any {part.quantity} node"
    for i, reading in enumerate(part.readings):
        known = tally.any_automatic if reading.automatic else max(tally.judged, 1)
        supports = None if not known else True if tally.explained[i] >= MAJORITY * known else None
        if known and not tally.explained[i]:
            supports = False
        verb = "scaled" if reading.kind == "decade" else "as"
        name = reading.label if reading.kind == "decade" else reading.unit.words
        detail = f"{tally.explained[i]} of {tally.judged} lie in the expected range {whose} {verb} {name}"
        yield Witness("expected range", reading.label, supports, detail)


def result_column(part: Part, tally: Tally) -> Iterator[Witness]:
    """The tester's own pass and fail, recomputed from limits whose unit is known apart from the values (hard).

    Speaks only when some reading agrees on nearly all rows, so that limits of another product say nothing, and only
    where readings differ. What passed outside its limits contradicts a reading; what failed inside may have failed for
    another reason. A column of nothing but failures says nothing: any unit that is wrong enough agrees with it.
    """
    if part.idle_result and part.readings:
        detail = "not used: one result column stands beside several measured columns, and nothing says whose it is"
        yield Witness("result column", part.readings[0].label, None, detail, hard=True)
    if tally.results < 3 or not part.readings:
        return
    if not tally.passes:
        detail = f"not used: all {tally.results} rows failed, which any unit that is wrong enough agrees with"
        yield Witness("result column", part.readings[0].label, None, detail, hard=True)
        if tally.agree[0] == tally.results:  # as they should by the label: soft, since others may have failed them
            yield from _should_have_passed(part, tally)
        return
    best = max(tally.agree)
    decisive = best >= 0.95 * tally.results and min(tally.agree) < MAJORITY * tally.results
    for i, reading in enumerate(part.readings):
        agree, kept = tally.agree[i], tally.passed_inside[i]
        supports = None
        if decisive:
            supports = True if agree >= 0.95 * tally.results else None
            if tally.passes >= _FEWEST_PASSES and kept < MAJORITY * tally.passes:
                supports = False  # what failed may have failed for another reason; what passed did not lie outside
        detail = f"{agree} of {tally.results} rows agree with the result column as {reading.unit.words}"
        if reading.kind == "decade":
            detail = f"{agree} of {tally.results} rows agree with the result column if scaled {reading.label}"
        yield Witness("result column", reading.label, supports, detail, hard=True)


def _should_have_passed(part: Part, tally: Tally) -> Iterator[Witness]:
    for reading, agree in zip(part.readings[1:], tally.agree[1:], strict=True):
        if agree < MAJORITY * tally.results:
            how = f"if scaled {reading.label}" if reading.kind == "decade" else f"as {reading.unit.words}"
            detail = f"{tally.results - agree} of {tally.results} rows failed that would have passed {how}"
            yield Witness("result column", reading.label, False, detail)


def limits_of_unknown_unit(part: Part, tally: Tally) -> Iterator[Witness]:
    """Limit columns beside the values, in no stated unit: their scale may differ from the values' (soft).

    They may carry the same wrong unit as the values, so agreement says nothing; a difference of 10**3k refuses.
    """
    scale = odd_limit_scale(tally)
    if scale is None or not part.readings:
        return
    inside = tally.in_limits[LIMIT_SCALES.index(scale)]
    here = tally.in_limits[LIMIT_SCALES.index(0)]
    declared = part.readings[0]
    detail = f"{here} of {tally.limited} lie inside their own limits as written, {inside} when scaled by 1e{scale}"
    yield Witness("limits of unknown unit", declared.label, False, detail)
    for reading in part.readings[1:]:
        if reading.kind == "prefix" and reading.unit.scale / declared.unit.scale == Fraction(10) ** scale:
            yield Witness("limits of unknown unit", reading.label, True, detail)


def odd_limit_scale(tally: Tally) -> int | None:
    """Return k when the values meet their own limits only after scaling by 10**k, else None."""
    if not tally.limited or tally.in_limits[LIMIT_SCALES.index(0)] > TOLERATED * tally.limited:
        return None
    fits = [e for e, n in zip(LIMIT_SCALES, tally.in_limits, strict=True) if e and n >= MAJORITY * tally.limited]
    return fits[0] if len(fits) == 1 else None


def row_checks(part: Part, tally: Tally) -> Iterator[Witness]:
    """The row checks of `checks.py`: elapsed time, identities, the meter's range, the thermostat.

    A decisive check speaks only when some reading fits; one that bounds (the meter's range) only ever contradicts.
    """
    for checked in tally.checks:
        check, rows = checked.check, checked.rows
        if rows < check.needs or (check.decisive and max(checked.fits) < MAJORITY * rows):
            continue
        for reading, fit in zip(part.readings, checked.fits, strict=True):
            supports = (
                True if fit >= MAJORITY * rows else False if not check.decisive or fit <= TOLERATED * rows else None
            )
            if not check.decisive and supports:
                supports = None
            how = f"if scaled {reading.label}" if reading.kind == "decade" else f"as {reading.unit.words}"
            yield Witness(
                check.name, reading.label, supports, f"{fit} of {rows} rows fit {check.words} {how}", check.hard
            )


def probe_attenuation(part: Part, tally: Tally) -> Iterator[Witness]:
    """The attenuation that a scope was told of: where it was told 1, a x10 or x100 probe explains low values (soft).

    It names a decade only where that decade puts nine rows in ten where a node is expected and the values as they
    stand put none. Told of another attenuation the scope has multiplied already, and nothing is said.
    """
    if part.probe != 1 or not tally.judged or tally.explained[0] > TOLERATED * tally.judged:
        return
    for reading, n in zip(part.readings, tally.explained, strict=True):
        larger = reading.kind == "decade" and reading.unit.scale > part.readings[0].unit.scale
        if larger and n >= MAJORITY * tally.judged:
            told = "the preamble says probe attenuation 1"
            detail = f"{told}, and {n} of {tally.judged} lie where a node is expected if scaled {reading.label}"
            yield Witness("probe attenuation", reading.label, True, detail)
            yield Witness("probe attenuation", part.readings[0].label, False, detail)


DECIDING_CHECKS = frozenset({"elapsed time", "identity", "limits of known unit"})
"""Row checks that may name the one unit by themselves, where no expected range speaks."""

WITNESSES: tuple[Callable[[Part, Tally], Iterator[Witness]], ...] = (
    result_column,
    absolute_range,
    expected_range,
    row_checks,
    limits_of_unknown_unit,
    probe_attenuation,
    built_in_range,
)


def testimony(part: Part, tally: Tally) -> tuple[Witness, ...]:
    """Return what every witness says about every reading of the part."""
    return tuple(witness for ask in WITNESSES for witness in ask(part, tally))
