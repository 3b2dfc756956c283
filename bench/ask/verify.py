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

from bench.ask.binding import beside, bound, names_of_slots
from bench.ask.evidence import Cell, Run, run_of
from bench.ask.figures import Context, Figure, Status, Verification
from bench.ask.labels import contradicts
from bench.ask.literals import literal_numbers
from bench.ask.numbers import Number, find_numbers, sentences
from bench.ask.quantities import Unit
from bench.ask.scales import Scales
from bench.ask.vouching import EXACT, Vouchers
from bench.ask.words import claims_run, declines

_OPPOSITE = re.compile(
    r"\b(?:drop|fall|fell|los|lower|below|decreas|declin|sag|down|less|under|minus|negative|reduc|short)", re.IGNORECASE
)
_BREAK = re.compile(r";|\b(?:while|whereas|but)\b")
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
        self._slots = names_of_slots(cell.keys for run in runs for cell in run.cells)
        self._vouchers = Vouchers(context)
        self._scales = Scales(runs, context)
        self._literals = {run.number: self._literals_of(run) for run in runs}

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
        if number.limit and self._context.limits is None and not self._vouchers.question(number):
            return None if self._from_runs(number)[0] is None else self._made(number, *self._from_runs(number))
        # What is called a limit is a limit, or exactly what a run gave.
        traced, mark = self._from_runs(replace(number, places=-15, about=False) if number.limit else number)
        sentence = self._sentence(number)
        traced = traced or self._vouchers.limit(number, sentence)
        traced = traced or self._vouchers.count(number, sentence, self._clause(number)) or self._from_names(number)
        traced = traced or ("question" if self._vouchers.question(number) else None)
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
        if self._laundered(cell, run) and not self._vouchers.vouches(number):
            return "literal"
        if self._of_another(number, cell):
            return "other_key"
        return "refused" if run.refused else None

    def _equal(self, number: Number, cell: Cell) -> bool:
        return any(self._close(number, cell.value * scale) for scale in self._scales.of(number.unit, cell))

    def _close(self, number: Number, value: float) -> bool:
        stated = number.value
        if not math.isfinite(stated):
            return False
        if stated > 0 > value and ("±" in number.text or _OPPOSITE.search(self._sentence(number))):
            value = -value
        if abs(value - stated) <= EXACT * max(abs(stated), 1e-30):
            return True
        digits = len(re.sub(r"\D", "", f"{abs(stated):.{max(0, -number.places)}f}").lstrip("0"))
        if number.whole and not number.about and (number.unit is None or digits < 2):
            return False
        return abs(value - stated) <= 0.5 * 10.0**number.places * (1 + 1e-9)

    def _literals_of(self, run: Run) -> frozenset[float]:
        if run.code is None:
            return frozenset()
        return literal_numbers(run.code, self._vouchers.known | set(_HARMLESS))

    def _laundered(self, cell: Cell, run: Run) -> bool:
        """Whether a snippet held the number, or an operand that nothing vouches for, and no earlier run gave it."""
        held = any(_same(literal, abs(cell.value)) for literal in self._literals[run.number])
        if run.arithmetic and not held:
            known = self._vouchers.known
            operands = (value for value in self._literals[run.number] if not any(_same(value, k) for k in known))
            held = any(not self._earlier(value, run.number) for value in operands)
        return held and not self._earlier(abs(cell.value), run.number)

    def _earlier(self, value: float, before: int) -> bool:
        """Whether a run before this one gave the number."""
        earlier = [run for run in self._runs if run.number < before and not run.refused]
        return any(
            abs(abs(cell.value) - value) <= EXACT * max(value, 1e-30) and not self._laundered(cell, run)
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

    def _span(self, number: Number) -> tuple[int, int]:
        return next((span for span in self._spans if span[0] <= number.start < span[1]), (0, len(self._text)))

    def _clause(self, number: Number) -> str:
        start, end = self._span(number)
        first = max((match.end() for match in _BREAK.finditer(self._text, start, number.start)), default=start)
        after = _BREAK.search(self._text, number.end, end)
        return self._text[first : after.start() if after else end]

    def _sentence(self, number: Number) -> str:
        return self._text[slice(*self._span(number))]


def _same(literal: float, value: float) -> bool:
    """Whether a value is a literal, or a literal rounded to the two or more decimals that the value has."""
    if abs(literal - value) <= EXACT * max(value, 1e-30):
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
