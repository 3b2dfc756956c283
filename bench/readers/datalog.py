"""What a semiconductor tester logs, as STDF and ATDF record it: parts, parametric, multi-result and functional tests.

A result belongs to the part that is open on its head and site, whose identity comes only when the part is done. Later
records of a test leave out name, unit and limits: they are those of its first record (STDF V4, "default data"). The
synopsis (TSR) is compared with the results: where they differ by a power of ten, the file contradicts itself about
its scale, and the dialect says so.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field, replace

from bench.readers.reports import Measurement

_Place = tuple[str, str]
_INHERITED = ("measurement", "unit", "lower_limit", "upper_limit")


@dataclass(slots=True)
class Datalog:
    """Collects records in file order. `rows` is complete when all parts are closed."""

    rows: list[Measurement] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    inherited: int = 0
    _open: dict[_Place, list[int]] = field(default_factory=lambda: defaultdict(list))
    _first: dict[str, Measurement] = field(default_factory=dict)
    _synopsis: dict[str, tuple[str, str]] = field(default_factory=dict)

    def part_begins(self, head: str, site: str) -> None:
        """PIR."""
        self._open[head, site] = []

    def result(self, head: str, site: str, row: Measurement, *, defaults: bool = True) -> None:
        """One value of a PTR or MPR, or an FTR without one."""
        if defaults and row.test_number is not None:
            first = self._first.setdefault(row.test_number, row)
            given = {name: getattr(first, name) for name in _INHERITED if getattr(row, name) is None}
            given = {name: value for name, value in given.items() if value is not None}
            self.inherited += bool(given)
            row = replace(row, **given)
        self._open[head, site].append(len(self.rows))
        self.rows.append(replace(row, site=site, lot=self.metadata.get("lot")))

    def part_ends(self, head: str, site: str, part: str | None) -> None:
        """PRR: the results since the part began are this part's."""
        for at in self._open.pop((head, site), []):
            self.rows[at] = replace(self.rows[at], serial=part)

    def synopsis(self, test_number: str, lowest: str | None, highest: str | None) -> None:
        """TSR."""
        if lowest and highest:
            self._synopsis[test_number] = (lowest, highest)

    def contradictions(self) -> list[dict[str, object]]:
        """Return the tests whose synopsis and results differ by a power of ten."""
        found: list[dict[str, object]] = []
        for number, (lowest, highest) in self._synopsis.items():
            values = [_number(row.value) for row in self.rows if row.test_number == number]
            known = [value for value in values if value is not None]
            power = _power(max(known, key=abs), max(map(_number, (lowest, highest)), key=_magnitude)) if known else None
            if power:
                found.append({"test_number": number, "results": max(known), "synopsis": highest, "power_of_ten": power})
        return found


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _magnitude(value: float | None) -> float:
    return abs(value or 0.0)


def _power(result: float, synopsis: float | None) -> int | None:
    """Return the power of ten between two numbers that are otherwise equal, None at zero or for another ratio."""
    if not result or not synopsis or result * synopsis < 0:
        return None
    exponent = math.log10(result / synopsis)
    whole = round(exponent)
    return whole if whole and abs(exponent - whole) < 0.01 else None
