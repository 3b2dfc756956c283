"""What a column's cells are, as it was counted when they were read."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from guards import clocks
from guards.quantities import cell_text, without_rkm, without_suffix

NO_ODD = pl.DataFrame(schema={"row": pl.UInt32, "text": pl.String})
"""No cell that is no number."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a column's cells are.

    `kind`: "number", "integer", "datetime", "date", "duration" (in seconds) or "text". `cells`: not empty ones;
    `numbers`: of those, numbers by the grammar; `readings`: of those, finite ones that are no overflow code. `odd`:
    the cells that are no number: `row` (position), `text` (blanks off). `suffixes`: texts of units found behind
    numbers, in `suffixed` cells; `marks`: letters of resistor codes (4k99) that are read. `careful`: whether the cells
    need the careful grammar. `lower`, `upper`: extremes of the finite raw values. `format`: the form of the moments,
    `beside` the columns that they are read with; `dateless`: cells that say that there is no date.
    """

    kind: str
    cells: int
    numbers: int = 0
    readings: int = 0
    format: str | None = None
    odd: pl.DataFrame = field(default_factory=lambda: NO_ODD)
    suffixes: tuple[str, ...] = ()
    suffixed: int = 0
    marks: tuple[str, ...] = ()
    careful: bool = False
    lower: float | None = None
    upper: float | None = None
    beside: tuple[str, ...] = ()
    dateless: int = 0

    @property
    def numeric(self) -> bool:
        """Whether the column's cells are numbers."""
        return self.kind in ("number", "integer")

    @property
    def temporal(self) -> bool:
        """Whether the column's cells are points in time or durations."""
        return self.kind in ("datetime", "date", clocks.DURATION)

    def holds(self, number: float) -> bool:
        """Whether a finite cell could have this value, by the extremes."""
        return self.lower is not None and self.upper is not None and self.lower <= number <= self.upper

    def reaches(self, low: float, high: float) -> bool:
        """Whether a finite cell could lie in this interval, by the extremes."""
        return self.lower is not None and self.upper is not None and self.lower <= high and low <= self.upper

    def text(self, name: str, decimal: str) -> pl.Expr:
        """Return the number's text of each cell of the raw frame: blanks, decimal mark and unit off."""
        if not self.careful and decimal == ".":
            return pl.col(name)
        return without_rkm(without_suffix(cell_text(pl.col(name), decimal), self.suffixes), self.marks)
