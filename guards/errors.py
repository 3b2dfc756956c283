"""What can go wrong before a verdict exists, by who must act.

A guard never raises about data: data is judged, and the judgement is a report. What is raised is a mistake in the
declarations it was given: `BoardError` (the engineer who wrote the profile), `UnitError` (whoever wrote the unit text).
"""

from __future__ import annotations

_SHOWN = 80  # of a value that cannot be used


class GuardError(Exception):
    """Base of everything that `guards` raises."""


class UnitError(GuardError):
    """A unit or a quantity was written in a way the strict grammar does not read.

    Fields: `text` as written, `expected` in words.
    """

    def __init__(self, text: str, expected: str) -> None:
        super().__init__(text, expected)
        self.text = text
        self.expected = expected

    def __str__(self) -> str:
        return f"{self.text!r} was not understood: expected {self.expected}"


class BoardError(GuardError):
    """A board profile names something that cannot be used.

    Fields: `source` (file name), `key` (dotted path in the TOML), `value` as written, `expected` in words.
    """

    def __init__(self, source: str, key: str, value: object, expected: str) -> None:
        super().__init__(source, key, value, expected)
        self.source = source
        self.key = key
        self.value = value
        self.expected = expected

    def __str__(self) -> str:
        shown = repr(self.value)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
        return f"{self.source}: {self.key} = {shown}: expected {self.expected}"
