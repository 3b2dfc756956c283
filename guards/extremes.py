"""What the extremes of a column settle: all its values lie in a range, or none does. Then no row need be counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from guards.board import Range
from guards.candidates import Candidate
from guards.kinds import Kind
from guards.parts import OPEN_SENSOR, Part
from guards.tally import Counts, Evidence, merged, telling


def counts_by_extremes(part: Part, evidence: Evidence, kind: Kind, log_sizes: Callable[[], float]) -> Counts | None:
    """Return the counts of a part of all rows, plain, of one sign and with nothing beside it; None where rows differ.

    `log_sizes` gives the sum of log10 of the values' sizes; more than one reading needs it.
    """
    beside = evidence.passed is not None or evidence.lower is not None or bool(evidence.checks)
    if beside or part.measurement or part.row_label or not part.expected or not _plain(part, kind):
        return None
    assert kind.lower is not None
    assert kind.upper is not None
    n = float(kind.readings)
    inside = [_all_in(kind, reading, telling(part, reading)) for reading in part.readings]
    safe = [_all_in(kind, reading, part.absolute) for reading in part.readings] if part.absolute else []
    elsewhere = _all_in(kind, part.readings[0], part.elsewhere) if part.elsewhere else False
    if None in inside or None in safe or elsewhere is None:
        return None
    automatic = [one for one, reading in zip(inside, part.readings, strict=True) if reading.automatic]
    smallest = min(abs(kind.lower), abs(kind.upper))
    found = {"judged": n, "readings": n, "lower": kind.lower, "upper": kind.upper, "smallest": smallest}
    found |= {f"explained{i}": n * bool(one) for i, one in enumerate(inside)}
    found |= {f"rival{i}": n * bool(one and not inside[0]) for i, one in enumerate(inside) if i}
    found |= {f"outside{i}": n * (not one) for i, one in enumerate(safe)}
    found |= {"any_automatic": n * any(automatic), "only_declared": n * bool(automatic[0] and not any(automatic[1:]))}
    found["elsewhere"] = n * bool(elsewhere)
    if len(inside) > 1:
        logs = log_sizes()
        found |= {"log_size": logs, "log_declared": logs * bool(found["only_declared"])}
        found |= {
            f"log_rival{i}": logs * bool(found[f"rival{i}"])
            for i, reading in enumerate(part.readings) if i and reading.automatic
        }  # fmt: skip
    return Counts(({},), (dict(found),))


def _plain(part: Part, kind: Kind) -> bool:
    zeros = kind.lower is None or kind.upper is None or kind.lower <= 0 <= kind.upper
    open_sensor = part.quantity == "temperature" and kind.reaches(*OPEN_SENSOR)
    return not (zeros or open_sensor or any(kind.holds(number) for number in part.sentinel_numbers))


def _all_in(kind: Kind, reading: Candidate, ranges: Range | Sequence[Range] | None) -> bool | None:
    """Return whether all values lie in the ranges under a reading; None where some may and some may not."""
    assert kind.lower is not None
    assert kind.upper is not None
    each = [ranges] if isinstance(ranges, Range) else merged(ranges or ())
    touched = False
    for one in each:
        low, high = reading.raw_interval(one.lower, one.upper, level=one.unit.logarithmic)
        if low <= kind.lower and kind.upper <= high:
            return True
        touched |= low <= kind.upper and kind.lower <= high
    return None if touched else False
