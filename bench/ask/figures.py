"""What a judgement says: the figures of a text with what produced them, and what else than runs may vouch for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["traced", "marked", "claims_run", "declined", "no_figures"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of an answer. `traced_to` says what produced it; None where it is marked, and `mark` says why."""

    text: str
    value: float
    traced_to: str | None
    mark: str | None = None
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def __getitem__(self, name: str) -> object:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {"text": self.text, "value": self.value, "traced_to": self.traced_to, "mark": self.mark}


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` found. `status`: `traced`, `marked`, `claims_run` (it says that it ran something, and nothing ran),
    `declined` (it says that the tables do not hold it), `no_figures`."""

    status: Status
    figures: tuple[Figure, ...]
    text: str

    @property
    def marked(self) -> tuple[Figure, ...]:
        """The figures that nothing produced."""
        return tuple(figure for figure in self.figures if figure.traced_to is None)

    @property
    def marked_text(self) -> str:
        """The text with a note behind each marked figure."""
        text = self.text
        for figure in sorted(self.marked, key=lambda figure: figure.start, reverse=True):
            text = f"{text[: figure.end]} [{_NOTES[figure.mark or 'untraced']}]{text[figure.end :]}"
        return text

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {"status": self.status, "figures": [figure.to_dict() for figure in self.figures]}


_NOTES = {
    "untraced": "not from a run", "literal": "literal: the snippet held it already", "other_key": "of another row",
    "refused": "from refused rows", "question": "only from the question", "limit": "no such limit",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Context:
    """What else may vouch for a number.

    `limits`: {node: {"lower", "upper", "unit"}}; None where they are not known, and numbers that the text calls limits
    are then not judged. `units`: {(table, column): the column's units}. `counts`: the guard's, by what they count.
    `factors`: by which the guard corrected. `measured`: {measurement of a long table: its units}.
    """

    question: str = ""
    limits: Mapping[str, Mapping[str, Any]] | None = None
    units: Mapping[tuple[str, str], Sequence[str]] | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    factors: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, Sequence[str]] = field(default_factory=dict)
