"""A labelled case: an export's cells, a board, and for each measured column what must come out of it.

The truth is planted when the cells are written: every cell's number is kept exactly, in the base unit of its quantity,
whatever unit the header claims. Whether a family is decidable stands in the family, written before any guard runs.

`due` is the one right answer, `also` are answers that an engineer would accept too:
- `correct`: the values must come out true in the header's unit, by exactly the planted conversion;
- `leave`: the values must come out as written (kept or unverified);
- `refuse`: the values must be withheld, with a reason.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from corpus.units import SPELLINGS, STEMS, SUFFIXES, UNITS, to_base

Answer = Literal["correct", "leave", "refuse"]
Kind = Literal["clean", "decidable", "refuse", "open"]
Numbers = Sequence[float | None]


@dataclass(frozen=True)
class Column:
    """One column as a reader would hand it over: its unique name, its cells, and its header where that differs."""

    name: str
    cells: list[str | None]
    units_row: str | None = None
    header: str | None = None


@dataclass(frozen=True)
class Truth:
    """What must come out of one column, in the given rows. `raw` and `base` are exact, None where no reading is."""

    column: str
    due: Answer
    rows: list[int]
    raw: list[Fraction | None]
    base: list[Fraction | None]
    also: frozenset[str] = frozenset()
    declared: str | None = None
    units: frozenset[str] = frozenset()
    measurement: str | None = None
    segment: tuple[str, str] | None = None
    proposal: str | None = None
    faults: int = 0

    @property
    def decidable(self) -> bool:
        """Whether a correction is due and nothing else will do."""
        return self.due == "correct" and not self.also

    @property
    def clean(self) -> bool:
        """Whether the column is right and must be left."""
        return self.due == "leave" and not self.also


@dataclass(frozen=True)
class Case:
    """One export with its board and its truths."""

    columns: list[Column]
    truths: list[Truth]
    board: dict[str, Any] | None
    decimal: str = "."
    metadata: dict[str, str] = field(default_factory=dict)
    past: list[dict[str, Any]] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many rows the export has."""
        return len(self.columns[0].cells)


Maker = Callable[[random.Random], Case]


@dataclass(frozen=True)
class Family:
    """A kind of case. `kind` is that of its main column; `about` says why its answer is right."""

    name: str
    kind: Kind
    about: str
    make: Maker

    def case(self, seed: int) -> Case:
        """Return the case of one seed, always the same."""
        return self.make(random.Random(f"{self.name}:{seed}"))


FAMILIES: dict[str, Family] = {}


def family(kind: Kind, about: str) -> Callable[[Maker], Maker]:
    """Register a maker of cases under its own name."""

    def register(make: Maker) -> Maker:
        name = make.__name__
        assert name not in FAMILIES, name
        FAMILIES[name] = Family(name, kind, about, make)
        return make

    return register


def spell(rng: random.Random, unit: str) -> str:
    """Return one of the ways a header writes the unit."""
    return rng.choice(SPELLINGS.get(unit, (unit,)))


def header(rng: random.Random, unit: str, stem: str | None = None) -> str:
    """Return a header that declares the unit, in one of the styles seen in exports."""
    stem = stem or rng.choice(STEMS[UNITS[unit][0]])
    style = rng.randrange(8)
    if style == 0 and unit in SUFFIXES:
        return f"{stem.lower().replace(' ', '_').strip('._')}_{SUFFIXES[unit]}"
    if style == 1 and unit in ("V", "mV", "A", "mA", "W"):
        spelt = spell(rng, unit)
        return unit if spelt == "ADC" else spelt  # alone it is a converter
    if style == 2:
        return f"{stem} / {'degC' if unit == 'degC' else unit}"
    if style == 3:
        return f"{stem} [{spell(rng, unit)}]"
    return f"{stem}{rng.choice(['', ' '])}({spell(rng, unit)})"


def written(rng: random.Random, numbers: Numbers, sig: int | None = None, style: str | None = None) -> list[str | None]:
    """Return numbers as one instrument writes them: fixed decimals, engineering or general format."""
    sig = sig or rng.choice([4, 5, 6])
    style = style or rng.choice(["fixed", "fixed", "fixed", "sci", "general", "plus"])
    top = max((abs(x) for x in numbers if x is not None and math.isfinite(x)), default=1.0) or 1.0
    decimals = max(0, sig - 1 - math.floor(math.log10(top)))
    formats = {"fixed": f".{decimals}f", "sci": f".{sig}E", "general": f".{sig}g", "plus": f"+.{sig}E"}
    return [None if x is None else format(x, formats[style]) for x in numbers]


@dataclass
class Sheet:
    """Builds one case column by column."""

    rng: random.Random
    n: int
    columns: list[Column] = field(default_factory=list)
    truths: list[Truth] = field(default_factory=list)

    def column(self, name: str, cells: Sequence[str | None], units_row: str | None = None) -> str:
        """Add a column of texts; an equal name gets a number, as a reader would give it."""
        names = {column.name for column in self.columns}
        unique = next(x for x in (name, *(f"{name}_{i}" for i in range(2, 99))) if x not in names)
        assert len(cells) == self.n, (name, len(cells), self.n)
        self.columns.append(Column(unique, list(cells), units_row, name))
        return unique

    def measured(
        self, head: str, numbers: Numbers | None, raw: str, due: Answer, *, texts: Sequence[str | None] | None = None,
        cells: Sequence[str | None] | None = None, declared: str | None = None, units_row: str | None = None,
        sig: int | None = None, style: str | None = None, **truth: Any,
    ) -> str:  # fmt: skip
        """Add a measured column whose raw numbers are in the unit `raw` under a header that declares `declared`.

        `texts` are the numbers' own texts where the caller wrote them, `cells` what stands in the file where that
        differs (a suffix, "OL").
        """
        texts = written(self.rng, numbers or [], sig, style) if texts is None else list(texts)
        name = self.column(head, texts if cells is None else cells, units_row)
        self.truth(name, texts, raw, due, declared=declared, **truth)
        return name

    def truth(
        self, name: str, texts: Sequence[str | None], raw: str | Sequence[str], due: Answer, *,
        also: Sequence[str] = (), declared: str | None = None, units: Sequence[str] | None = None,
        rows: Sequence[int] | None = None, measurement: str | None = None, segment: tuple[str, str] | None = None,
        proposal: str | None = None, faults: int = 0,
    ) -> None:  # fmt: skip
        """Plant the truth of a column (or of some of its rows); `texts` are numbers or None, of every row."""
        where = list(range(self.n)) if rows is None else list(rows)
        numbers = [None if texts[i] is None else Fraction(str(texts[i])) for i in where]
        units_of = [raw if isinstance(raw, str) else raw[i] for i in where]
        base = [None if x is None else to_base(x, unit) for x, unit in zip(numbers, units_of, strict=True)]
        if units is None:
            units = [declared] if declared else []
        self.truths.append(
            Truth(name, due, where, numbers, base, frozenset(also), declared, frozenset(units), measurement, segment,
                  proposal, faults)
        )  # fmt: skip

    def decorate(self) -> None:
        """Add what stands beside measurements in exports and says nothing about units."""
        rng, n = self.rng, self.n
        if rng.random() < 0.5:
            first = rng.randrange(1, 900)
            self.column(rng.choice(["serial", "SN", "board_id"]), [f"SRB-{first + i:04d}" for i in range(n)])
        if rng.random() < 0.3:
            self.column(rng.choice(["Record", "index", "step", "Reading #"]), [str(i + 1) for i in range(n)])
        if rng.random() < 0.3:
            self.column(rng.choice(["operator", "comment"]), [rng.choice(["ab", "retest", None]) for _ in range(n)])
        if rng.random() < 0.35:
            names = rng.choice([["FIX-01", "FIX-02", "FIX-03"], ["A", "B"], ["L2608A", "L2608B", "L2608C", "L2608D"]])
            column = "lot" if names[0].startswith("L") else "fixture"
            self.column(column, [rng.choice(names) for _ in range(n)])

    def case(
        self, board: dict[str, Any] | None, *, decimal: str = ".", decorate: bool = True,
        metadata: dict[str, str] | None = None,
    ) -> Case:  # fmt: skip
        """Return the case. `metadata`: what the export's preamble says."""
        if decorate:
            self.decorate()
        return Case(self.columns, self.truths, board, decimal, metadata or {})


def rows(rng: random.Random, low: int = 3, high: int = 300) -> int:
    """Return a number of rows: short tables are as common as long ones."""
    return rng.randrange(low, 21) if rng.random() < 0.4 and low < 20 else rng.randrange(max(low, 20), high + 1)


def around(rng: random.Random, n: int, middle: float, spread: float = 0.01) -> list[float]:
    """Return n readings of one node, normal around the middle with a relative spread, cut at three sigma."""
    return [middle * (1 + max(-3.0, min(3.0, rng.gauss(0, 1))) * spread) for _ in range(n)]


def between(rng: random.Random, n: int, low: float, high: float) -> list[float]:
    """Return n readings spread evenly over a range."""
    return [rng.uniform(low, high) for _ in range(n)]


def ramp(n: int, start: float, stop: float) -> list[float]:
    """Return n equal steps from start to stop."""
    return [start + (stop - start) * i / max(1, n - 1) for i in range(n)]
