"""Which character separates the fields: several hypotheses, scored on many lines, with the score kept.

A delimiter is believed when it cuts most lines into the same number of fields *and* what it leaves are whole cells:
numbers, times, words. The second half matters where commas are decimal marks: both `,` and `;` cut `1,5;2,5` evenly,
but `5;2` is no cell that a bench writes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bench.readers import cells, head

CANDIDATES = (",", ";", "\t", "|")
_SCORED_CELLS = 20_000
_SCORED_LINES = 400
_WEAK = 0.5
_COMMENTS = frozenset("#%!~;")
_SEP = re.compile(r'^"?sep=(.)"?,*$', re.IGNORECASE)
_RUNS = re.compile(r"[ \t]+")
_WIDE_RUNS = re.compile(r" {2,}| *\t[ \t]*")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space"}
DELIMITERS = {name: character for character, name in _NAMES.items() if character in CANDIDATES}
"""By the word that the dialect has for each. Runs of spaces are no single character."""


@dataclass(frozen=True, slots=True)
class Delimiter:
    """A delimiter and why it was taken. `width` is the most frequent number of fields."""

    character: str
    width: int
    score: float
    why: str


def name_of(delimiter: str) -> str:
    """Return a delimiter's word for messages."""
    return _NAMES.get(delimiter, repr(delimiter))


def sniff(lines: Sequence[str], forced: str | None = None) -> Delimiter:
    """Return the delimiter of these head lines; a width of 1 means that nothing separates anything."""
    sample = _spread(lines)
    if forced is not None:
        return Delimiter(forced, _score(sample, forced)[1], 1.0, "given")
    scored = sorted(((*_score(sample, candidate), candidate) for candidate in CANDIDATES), reverse=True)
    best, runner_up = scored[0], scored[1]
    score, width, character = best
    if width < 2 or score < _WEAK:
        spaced = _spaces(sample)
        if spaced is not None and spaced.score > score:
            return spaced
    if width < 2:
        return Delimiter(",", 1, 0.0, "no delimiter cuts the lines evenly: one column")
    why = f"cuts {len(sample)} sampled lines into {width} fields with score {score:.2f}"
    if runner_up[0] > 0:
        why += f"; {name_of(runner_up[2])} {runner_up[0]:.2f}"
    return Delimiter(character, width, round(score, 4), why)


def told(lines: Sequence[str]) -> str | None:
    """Return the delimiter that the first line names, as spreadsheets write it: `sep=;`."""
    found = _SEP.match(lines[0].strip("\ufeff ")) if lines else None
    return found.group(1) if found else None


def single_spaced(line: str, width: int = 0) -> str:
    """Return a line of columns separated by runs of white space with one space for each run.

    Names of several words (`Serial No  Output Voltage`) are quoted where that, and only that, makes `width` columns.
    """
    single = _RUNS.sub(" ", line.strip())
    if not width or single.count(" ") + 1 <= width or '"' in single:
        return single
    wide = _WIDE_RUNS.split(line.strip())
    return " ".join(f'"{cell}"' if " " in cell else cell for cell in wide) if len(wide) == width else single


def _spaces(sample: Sequence[str]) -> Delimiter | None:
    """Return the space as delimiter if runs of it cut the lines into columns of which two or more hold values."""
    plain = [line for line in sample if line[:1] not in _COMMENTS] or sample
    found = [single_spaced(line).split(" ") for line in plain]
    width, _ = Counter(map(len, found[1:] or found)).most_common(1)[0]
    names = _WIDE_RUNS.split(plain[0].strip())  # their words are cells of one column, as in single_spaced
    found = [names, *found[1:]] if len(names) == width else found
    alike = [row for row in found if len(row) == width]
    count = len(alike)
    if width < 2 or count * 5 < len(found) * 4:
        return None
    rows = alike[1:] or alike
    typed = [sum(cells.kind(row[at]) != "text" for row in rows) >= 0.8 * len(rows) for at in range(width)]
    if sum(typed) < 2:
        return None
    why = f"runs of spaces cut {count} of {len(found)} sampled lines into {width} fields"
    return Delimiter(" ", width, round(count / len(found) * sum(typed) / width, 4), why)


def _spread(lines: Sequence[str]) -> list[str]:
    """Return at most 400 lines, those after the first third favoured: preambles stand at the top."""
    full = [line for line in lines if line.strip()]
    if len(full) > 24:
        full = full[len(full) // 3 :]
    step = max(1, len(full) // _SCORED_LINES)
    return full[::step][:_SCORED_LINES]


def _score(sample: Sequence[str], delimiter: str) -> tuple[float, int]:
    found = head.records(list(sample), delimiter)
    if not found:
        return 0.0, 1
    widths = Counter(len(record.cells) for record in found if len(record.cells) > 1)
    if not widths:
        return 0.0, 1
    width, _ = max(widths.items(), key=lambda item: (item[1] ** 1.5 * min(item[0], 50), item[0]))
    alike = [record for record in found if len(record.cells) == width]
    everything = [cell for record in alike for cell in record.cells]
    everything = everything[:: max(1, len(everything) // _SCORED_CELLS)]
    whole = sum(_whole(cell, delimiter) for cell in everything) / len(everything)
    share = sum(record.lines for record in alike) / sum(record.lines for record in found)
    return share * whole**2 * (1 - 0.1 / width), width


def _whole(cell: str, delimiter: str) -> float:
    if cells.kind(cell) != "text":
        return 1.0
    others = [other for other in CANDIDATES if other != delimiter and other in cell]
    return 0.95 if not others else 0.3
