"""A part before the decision table: its counts, what the witnesses said, and what follows from both."""

from __future__ import annotations

import math
from dataclasses import dataclass

from guards.candidates import Candidate
from guards.parts import Part
from guards.report import Witness
from guards.tally import Tally
from guards.witnesses import DECIDING_CHECKS, MAJORITY, TOLERATED

HALF = 0.5
WIDEST_SLIP = 6.5
"""In decades: without a hard contradiction, a label is taken for V instead of uV, not for V instead of nV."""


@dataclass(frozen=True, slots=True)
class Case:
    """A part with its counts and what the witnesses said: what each rule looks at."""

    part: Part
    tally: Tally
    witnesses: tuple[Witness, ...]

    def against(self, reading: Candidate, *, hard: bool) -> bool:
        """Whether a witness of this hardness contradicts the reading."""
        return any(w.supports is False and w.hard == hard and w.candidate == reading.label for w in self.witnesses)

    @property
    def declared(self) -> Candidate:
        """The reading that the export declares."""
        return self.part.readings[0]

    @property
    def only_out_of_range(self) -> bool:
        """Whether nothing hard speaks against the declared unit but the absolute range."""
        return not any(w.supports is False and w.hard and w.candidate == self.declared.label
                       and w.name != "absolute range" for w in self.witnesses)  # fmt: skip

    def explains(self, index: int) -> bool:
        """Whether a reading explains nine in ten of the rows that any automatic reading explains."""
        known = self.tally.any_automatic
        return known > 0 and self.tally.explained[index] >= MAJORITY * known

    @property
    def soft_contradiction(self) -> bool:
        """Whether something soft speaks against the declared unit: another witness than the expected range, an
        automatic reading that explains rows which the declared one does not, or a proposal that explains them all.
        """
        if any(w.supports is False and not w.hard and w.name != "expected range" and w.candidate == self.declared.label
               for w in self.witnesses):  # fmt: skip
            return True
        few = self.tally.explained[0] < HALF * self.tally.judged
        # What a name of its own may hold the board does not say; nor where a node is that says nothing of it.
        known = self.part.claimed or (self.part.generic and not self.part.incomplete)
        if few and known and any(self._plausible_rival(i) for i in range(1, len(self.part.readings))):
            return True
        return self.part.claimed and self.proposed_reading() is not None

    def _plausible_rival(self, index: int) -> bool:
        """Whether an automatic reading explains the rows, and is near enough for a label to be mistaken for it."""
        reading = self.part.readings[index]
        if reading.kind == "ratio" and not self.part.claimed:
            return False  # a regulation of 0.8 % is no efficiency of 80 %
        return reading.automatic and self.explains(index) and self.slip(reading) <= WIDEST_SLIP

    def slip(self, reading: Candidate) -> float:
        """How many decades lie between a reading's unit and the declared one."""
        return abs(math.log10(reading.unit.scale / self.declared.unit.scale)) if reading.unit.scale else 0.0

    def failed_by_results(self, reading: Candidate) -> bool:
        """Whether all boards failed as they should by the label, and would have passed under this reading."""
        return any(w.name == "result column" and w.supports is False and w.candidate == reading.label
                   for w in self.witnesses)  # fmt: skip

    def rival_named(self) -> bool:
        """Whether another witness than a range names a rival that the expected range explains just as well."""
        named = {w.candidate for w in self.witnesses if w.supports and not w.hard and w.name != "expected range"}
        return any(i and reading.label in named and self.explains(i) for i, reading in enumerate(self.part.readings))

    def named_by_checks(self) -> list[Candidate]:
        """The automatic readings that time stamps or an identity support, hard."""
        named = {w.candidate for w in self.witnesses if w.supports and w.hard and w.name in DECIDING_CHECKS}
        return [r for r in self.part.readings[1:] if r.automatic and r.affine and r.label in named]

    def proposed_reading(self) -> Candidate | None:
        """A reading that is no automatic one and puts nine in ten of all judged rows where the node is expected."""
        t = self.tally
        if not t.judged or t.explained[0] > TOLERATED * t.judged:
            return None
        fits = [
            reading for reading, n in zip(self.part.readings, t.explained, strict=True)
            if not reading.automatic and n >= MAJORITY * t.judged
            and not self.against(reading, hard=True) and not self.against(reading, hard=False)
        ]  # fmt: skip
        return fits[0] if len(fits) == 1 or (fits and fits[0].kind != "decade") else None
