"""What the columns of a store's tables have been, and what is new about an export: alerts. Pure.

A column's reading in one export is its verdict, the unit that the raw values were in, the unit that they have now, and
the factor. An alert is a reading that none of the last exports had: a tester's new firmware that logs mV is one alert,
not one for every export that follows, and so is the way back. A column of measurements is followed measurement by
measurement. Parts with nothing to judge say nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

REMEMBERED = 20  # exports
Reading = tuple[str, str | None, str | None, float | None]  # verdict, resolved unit, unit, factor
Part = tuple[str, str, str | None]  # table, column, measurement


@dataclass(frozen=True, slots=True)
class Alert:
    """A reading that is new for its column."""

    table: str
    column: str
    measurement: str | None
    before: str
    now: str

    @property
    def message(self) -> str:
        """One sentence."""
        part = f" [{self.measurement}]" if self.measurement is not None else ""
        return f"{self.table}.{self.column}{part} was {self.before}, and now is {self.now}"

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "table": self.table, "column": self.column, "measurement": self.measurement, "before": self.before,
            "now": self.now, "message": self.message,
        }  # fmt: skip


class History:
    """The readings of the last exports that had a column, by column."""

    def __init__(self) -> None:
        self._readings: dict[Part, deque[frozenset[Reading]]] = {}

    def add(self, readings: Iterable[tuple[Part, Reading]]) -> list[Alert]:
        """Take one export's readings, and return what is new about them."""
        alerts = []
        for part, now in _by_part(readings).items():
            known = self._readings.setdefault(_key(part), deque(maxlen=REMEMBERED))
            if known and (fresh := now - frozenset().union(*known)):
                before, new = (", ".join(sorted(map(words, each))) for each in (known[-1], fresh))
                alerts.append(Alert(*part, before, new))
            known.append(now)
        return alerts


def words(reading: Reading) -> str:
    """Return a reading in words: `corrected from mV to V (factor 0.001)`."""
    verdict, resolved, unit, factor = reading
    if verdict == "corrected":
        return f"corrected from {resolved} to {unit} (factor {factor:.6g})"
    return f"{verdict} in {unit}" if unit else verdict


def _key(part: Part) -> Part:
    table, column, measurement = part
    return (table.lower(), column.lower(), measurement)


def _by_part(readings: Iterable[tuple[Part, Reading]]) -> dict[Part, frozenset[Reading]]:
    found: dict[Part, set[Reading]] = {}
    for part, reading in readings:
        found.setdefault(part, set()).add(reading)
    return {part: frozenset(each) for part, each in found.items()}
