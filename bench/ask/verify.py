"""The judgement on an answer: which of its figures a run produced, and whether it may be believed.

A figure is traced where one of these holds, in this order:
1. A run gave it: its value, converted by unit prefixes and rounded to the digits that the text has, equals a number of
   the run's value or printed text, or the number of items of a list. Unitless whole numbers must be equal; a single
   digit without decimals too, unless the text says "about" or "rounded". A minus may be said by a word ("drops by").
2. It is one of the limits (exactly, in a sentence about passing or bounds).
3. It is a count of the guard's ledger in a sentence about rows read, corrected or refused.
4. It stands in the question, beside figures that a run gave.
Otherwise it is marked, with the reason: `untraced`; `literal` (it stands in its own snippet, and no question, limit or
earlier run has it); `other_key` (its sentence names another row or another statistic); `refused` (every run that gave
it read a column that the guard refused); `question`; `limit` (it is called a limit and is none).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from bench.ask.binding import beside, bound, contradicts, keys_of_slot
from bench.ask.evidence import Cell, Run, run_of
from bench.ask.figures import Context, Figure, Status, Verification
from bench.ask.literals import conversions_in, literal_numbers
from bench.ask.numbers import Number, find_numbers, sentences
from bench.ask.quantities import Unit, derivable, unit_of, unit_of_label
from bench.ask.words import claims_run, declines

_EXACT = 1e-9
_OPPOSITE = re.compile(
    r"\b(?:drop|fall|fell|los|lower|below|decreas|declin|sag|down|less|under|minus|negative|reduc|short)", re.IGNORECASE
)
_BOUNDS = re.compile(
    r"limit|spec|between|within|above|below|under|over|outside|inside|window|band|range|toleran|pass|fail|exceed"
    r"|[<>≤≥]|at least|at most",
    re.IGNORECASE,
)
_LEDGER = re.compile(r"\b(?:rows?|cells?|lines?|values?|readings?|records?)\b", re.IGNORECASE)
_GUARDED = re.compile(
    r"\b(?:read|kept|multipl\w*|scal\w*|correct\w*|chang\w*|quarantin\w*|refus\w*|flag\w*|clear\w*|divid\w*|convert\w*|guard|export"
    r"|table|file)\b",
    re.IGNORECASE,
)
_HARMLESS = (100.0, 1000.0)


def verify(
    text: str,
    runs: Iterable[Any],
    *,
    question: str = "",
    limits: Mapping[str, Mapping[str, Any]] | None = None,
    context: Context | None = None,
) -> Verification:
    """Trace every figure of a text to runs. `runs`: RunResults, their dicts, or the entries of a receipt.

    `question` and `limits` ({node: {"lower", "upper", "unit"}}) may vouch for numbers as well; `context` has both and
    more.
    """
    found = [run_of(run, number) for number, run in enumerate(runs, 1)]
    return _Judge(text, found, context or Context(question, limits)).verification()


class _Judge:
    def __init__(self, text: str, runs: Sequence[Run], context: Context) -> None:
        self._text, self._runs, self._context = text, runs, context
        self._numbers = find_numbers(text)
        self._spans = list(sentences(text))
        self._slots = keys_of_slot(cell.keys for run in runs for cell in run.cells)
        self._asked = find_numbers(context.question)
        self._known = {abs(number.value) for number in self._asked} | _plain_numbers(context.question)
        self._known |= {abs(value) for value, _, _ in self._limits()}
        self._literals = {run.number: self._literals_of(run) for run in runs}
        self._units = {run.number: self._units_of(run) for run in runs}

    def verification(self) -> Verification:
        quoted = [span for run in self._runs if run.code for span in _quotations(self._text, run.code)]
        numbers = [n for n in self._numbers if not any(start <= n.start < end for start, end in quoted)]
        figures = [figure for number in numbers if (figure := self._figure(number))]
        produced = any((figure.traced_to or "").startswith(("run", "arithmetic")) for figure in figures)
        figures = [self._settled(figure, produced) for figure in figures]
        return Verification(self._status(figures), tuple(figures), self._text)

    def _status(self, figures: Sequence[Figure]) -> Status:
        if not any(run.ran for run in self._runs) and claims_run(self._text):
            return "claims_run"
        if any(figure.traced_to is None for figure in figures):
            return "marked"
        if declines(self._text) and not any((figure.traced_to or "").startswith("run") for figure in figures):
            return "declined"
        return "traced" if figures else "no_figures"

    def _settled(self, figure: Figure, produced: bool) -> Figure:
        """A number of the question is context; alone it is no answer, unless the runs gave no numbers at all."""
        if figure.traced_to != "question" or produced or declines(self._text):
            return figure
        silent = any(run.ran and run.status == "ok" for run in self._runs) and not any(r.cells for r in self._runs)
        return figure if silent else Figure(figure.text, figure.value, None, "question", figure.start, figure.end)

    def _figure(self, number: Number) -> Figure | None:
        if number.limit and self._context.limits is None and not self._asked_for(number):
            return None if self._from_runs(number)[0] is None else self._made(number, *self._from_runs(number))
        # What is called a limit is a limit, or exactly what a run gave.
        traced, mark = self._from_runs(replace(number, places=-15, about=False) if number.limit else number)
        traced = traced or self._from_limits(number) or self._from_counts(number) or self._from_names(number)
        traced = traced or ("question" if self._asked_for(number) else None)
        return self._made(number, traced, "limit" if mark == "untraced" and number.limit else mark)

    def _made(self, number: Number, traced: str | None, mark: str) -> Figure:
        return Figure(number.text, number.value, traced, None if traced else mark, number.start, number.end)

    # runs

    def _from_runs(self, number: Number) -> tuple[str | None, str]:
        """Return what produced the figure, or None and why none of the cells that equal it will do."""
        marks = set()
        for run in self._runs:
            for cell in run.cells:
                if not self._equal(number, cell):
                    continue
                mark = self._objection(number, cell, run)
                if mark is None:
                    return f"{'arithmetic' if run.arithmetic else 'run'} {run.number}: {cell.where}", ""
                marks.add(mark)
        return None, next((mark for mark in ("refused", "literal", "other_key") if mark in marks), "untraced")

    def _objection(self, number: Number, cell: Cell, run: Run) -> str | None:
        if self._laundered(cell, run):
            return "literal"
        if self._of_another(number, cell):
            return "other_key"
        return "refused" if run.refused else None

    def _equal(self, number: Number, cell: Cell) -> bool:
        return any(self._close(number, cell.value * scale) for scale in self._scales(number.unit, cell))

    def _close(self, number: Number, value: float) -> bool:
        stated = number.value
        if not math.isfinite(stated):
            return False
        if stated > 0 > value and ("±" in number.text or _OPPOSITE.search(self._sentence(number))):
            value = -value
        if abs(value - stated) <= _EXACT * max(abs(stated), 1e-30):
            return True
        digits = len(re.sub(r"\D", "", f"{abs(stated):.{max(0, -number.places)}f}").lstrip("0"))
        if number.whole and not number.about and (number.unit is None or digits < 2):
            return False
        return abs(value - stated) <= 0.5 * 10.0**number.places * (1 + 1e-9)

    def _scales(self, unit: Unit | None, cell: Cell) -> list[float]:
        """Return the factors by which a cell's number may be read in the figure's unit."""
        if unit is None:
            return [1.0]
        if cell.count:
            return []
        if cell.unit is not None:
            return [cell.unit.factor / unit.factor] if cell.unit.quantity == unit.quantity else []
        columns, conversions = self._units[cell.run]
        plain = [1.0, 1.0 / unit.factor] if unit.factor != 1.0 else [1.0]
        known = self._context.units is not None and bool(self._read(cell.run))
        if unit.quantity == "ratio":
            ratios = any(column.quantity == "ratio" for column in columns)
            unseen = not (known or columns) and bool(cell.label or self._read(cell.run))
            stated = ratios or 100.0 in conversions or abs(cell.value) > 1 or unseen
            return plain if stated else [1.0 / unit.factor]
        if not columns:
            return [] if known else plain
        same = [column for column in columns if column.quantity == unit.quantity]
        if same:
            return [column.factor / times / unit.factor for column in same for times in (1.0, *conversions)]
        return plain if derivable(unit.quantity, {column.quantity for column in columns}) else []

    def _read(self, number: int) -> Sequence[tuple[str, str]]:
        return next(run.reads for run in self._runs if run.number == number)

    def _units_of(self, run: Run) -> tuple[list[Unit], frozenset[float]]:
        """Return the units of the columns that a run read, and the factors by which its snippet may have converted."""
        columns = []
        known = self._context.units
        for table, column in run.reads:
            texts = None if known is None else known.get((table.lower(), column.lower()))
            found = [unit_of(text) for text in texts] if texts else [unit_of_label(column)]
            columns += [unit for unit in found if unit is not None]
        return columns, conversions_in(run.code)

    def _literals_of(self, run: Run) -> frozenset[float]:
        if run.code is None:
            return frozenset()
        return literal_numbers(run.code, self._known | set(_HARMLESS))

    def _laundered(self, cell: Cell, run: Run) -> bool:
        held = any(_same(literal, abs(cell.value)) for literal in self._literals[run.number])
        if run.arithmetic and not held:
            held = any(not self._vouched(value, run.number) for value in self._literals[run.number])
        return held and not self._vouched(abs(cell.value), run.number)

    def _vouched(self, value: float, before: int) -> bool:
        if any(abs(known - value) <= _EXACT * max(value, 1e-30) for known in self._known):
            return True
        earlier = [run for run in self._runs if run.number < before and not run.refused]
        return any(
            abs(abs(cell.value) - value) <= _EXACT * max(value, 1e-30) and not self._laundered(cell, run)
            for run in earlier
            for cell in run.cells
        )

    def _of_another(self, number: Number, cell: Cell) -> bool:
        span = self._span(number)
        if self._more_than_all(number):
            return True
        before = next((self._text[slice(*other)] for other in reversed(self._spans) if other[1] <= span[0]), "")
        for key in cell.keys:
            keys = self._slots[key.slot]
            names = bound(self._text, span, number, self._numbers, keys, before)
            if names and key.text not in names:
                return True
        return bool(cell.label) and contradicts(cell.label, beside(self._text, span, number, self._numbers))

    def _more_than_all(self, number: Number) -> bool:
        """Whether it is the 200 of "200 of 184"."""
        index = next(at for at, other in enumerate(self._numbers) if other.start == number.start)
        after = self._numbers[index + 1] if index + 1 < len(self._numbers) else None
        if after is None or number.value <= after.value or number.unit or after.unit:
            return False
        return bool(re.fullmatch(r"\s*(?:out\s+)?of\s+(?:the\s+|all\s+)?", self._text[number.end : after.start]))

    def _from_names(self, number: Number) -> str | None:
        """A condition that names a row or a member: the 12 V of "12 V / 3 A", the 100 V of `range_100V`."""
        if number.unit is None:
            return None
        return self._conditions.get((number.value, number.unit))

    @cached_property
    def _conditions(self) -> dict[tuple[float, Unit], str]:
        named: dict[tuple[float, Unit], str] = {}
        for run in self._runs:
            for name in {key.text for cell in run.cells for key in cell.keys} | {cell.label for cell in run.cells}:
                for other in find_numbers(name.replace("_", " ").replace("/", " / ")):
                    if other.unit is not None:
                        named.setdefault((other.value, other.unit), f"run {run.number}: named {name!r}")
        return named

    # limits, ledger, question

    def _limits(self) -> Iterator[tuple[float, Unit | None, str]]:
        for node, limit in (self._context.limits or {}).items():
            for side in ("lower", "upper"):
                if limit.get(side) is not None:
                    yield float(limit[side]), unit_of(str(limit.get("unit") or "")), f"limits: {node} {side}"

    def _from_limits(self, number: Number) -> str | None:
        if not number.limit and not _BOUNDS.search(self._sentence(number)):
            return None
        for value, unit, what in self._limits():
            if number.unit is None or unit is None or number.unit.quantity == unit.quantity:
                scale = unit.factor / number.unit.factor if unit and number.unit else 1.0
                if abs(value * scale - number.value) <= _EXACT * max(abs(number.value), 1e-30):
                    return what
        return None

    def _from_counts(self, number: Number) -> str | None:
        sentence = self._sentence(number)
        if number.unit is not None or not _GUARDED.search(sentence):
            return None
        for what, factor in self._context.factors.items():
            if any(abs(abs(number.value) - value) <= _EXACT * value for value in (factor, 1 / factor)):
                return f"guard: {what}"
        if not _LEDGER.search(sentence):
            return None
        return next((f"guard: {what}" for what, count in self._context.counts.items() if count == number.value), None)

    def _asked_for(self, number: Number) -> bool:
        for asked in self._asked:
            scale = asked.unit.factor / number.unit.factor if asked.unit and number.unit else 1.0
            alike = number.unit is None or asked.unit is None or asked.unit.quantity == number.unit.quantity
            if alike and abs(asked.value * scale - number.value) <= _EXACT * max(abs(number.value), 1e-30):
                return True
        return number.unit is None and any(number.value == value for value in _plain_numbers(self._context.question))

    def _span(self, number: Number) -> tuple[int, int]:
        return next((span for span in self._spans if span[0] <= number.start < span[1]), (0, len(self._text)))

    def _sentence(self, number: Number) -> str:
        return self._text[slice(*self._span(number))]


def _plain_numbers(text: str) -> set[float]:
    return {float(found) for found in re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])", text)}


def _same(literal: float, value: float) -> bool:
    """Whether a value is a literal, or a literal rounded to the two or more decimals that the value has."""
    if abs(literal - value) <= _EXACT * max(value, 1e-30):
        return True
    decimals = len(f"{value!r}".partition(".")[2]) if "e" not in f"{value!r}" else 0
    return decimals >= 2 and abs(literal - value) <= 0.5 * 10.0**-decimals


def _quotations(text: str, code: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of code blocks that quote a snippet: they state nothing."""
    lines = {line.strip() for line in code.splitlines() if line.strip()}
    for match in re.finditer(r"```\w*\n(.*?)```", text, re.DOTALL):
        quoted = [line.strip() for line in match[1].splitlines() if line.strip()]
        if quoted and all(line in lines for line in quoted):
            yield match.span()
