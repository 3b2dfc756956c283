"""The numbers of a text: which digits are figures, what value and unit they state, and to how many places.

What is no figure: digits inside names (SRB5030-2608-0052, FIX-03, -0142), dates and times, versions, ordinals, markers
of a numbered list, references ("run 2"), and limits named as such. Everything else is, also numbers in words from two
up, because what is not taken for a figure is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bench.ask.quantities import PATTERN, Unit, unit_of

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_FILES = "csv|tsv|json|jsonl|toml|parquet|duckdb|xlsx|tdms|stdf|xml|py|txt|log|md"
_NO_FIGURES = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"\b\w+://\S+", 0),
        (rf"(?<![\w./-])[\w./-]+\.(?:{_FILES})\b", 0),
        (r"(?<!\d)(?:19|20)\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)", 0),
        (r"(?<![\d.-])(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?![\d.]*\d)(?!\s?[mkunµ]?[VAWΩ%])", 0),
        (r"(?<![\d.])\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d\d)(?![\d.]*\d)", 0),
        (rf"\b\d{{1,2}}\.?\s+{_MONTH}(?:\s+\d{{4}})?\b", 0),
        (rf"\b{_MONTH}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?\d{{4}}\b", 0),
        (r"\b(?:January|February|March|April|June|July|August|September|October|November|December)\s+\d{1,2}\b", 0),
        (r"(?<![\d:.])\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?!:?\d)", 0),
        (r"\b(?:in|since|during|year)\s+(?:19|20)\d\d(?=[.,;:)]\s|[.,;:)]?$)", re.IGNORECASE | re.MULTILINE),
        (r"(?<![\w.])v?\d+(?:\.\d+){2,}(?![\w])", 0),
        (r"\b(?:Python|DuckDB|Pyodide|version)\s+v?\d+(?:\.\d+)*\b", re.IGNORECASE),
        (r"(?<![\w.,])\d+(?:st|nd|rd|th)\b", 0),
        (r"\b(?:runs?|steps?|turns?|attempts?|snippets?|section|table|figure|footnote)\s+#?\d{1,2}(?![\d.,]*\d)\b(?!\s*%)",
         re.IGNORECASE),
        (r"(?<![^\W\d_])(?<![\w.])[^\W\d]\w*(?:-\w+)*(?:\.[^\W\d]\w*)*", 0),  # a word, perhaps with digits in it
        (r"(?<![\w.,])\d+(?:-\d+)*-0\d+(?![\w.])", 0),  # 2608-0052
        (r"(?<![\w.,])(?:[-#]0\d+|0\d{2,})(?!\d*[.,]\d)(?!\w)", 0),  # -0142
        (r"\b(?:boards?|serials?|units?|fixtures?|lots?|slots?|channels?|no\.?|number)\s+0\d(?!\d*[.,]\d)(?!\w)",
         re.IGNORECASE),
        (r"(?<![\w.,])\d+[A-DF-QS-Za-df-jl-qs-z]\d\w*", 0),  # 3V3, 1N4148
        (r"(?<![\w.])1\s?/(?=\s?10+\b)", 0),  # the 1 of "corrected by 1/1000"
        (r"(?<![\w.,])0[xX][0-9a-fA-F]+\b", 0),
    )
)  # fmt: skip
_MARKER = re.compile(r"^[ \t]*(?:[-*][ \t]+)?(\d{1,2})[.)][ \t]+(?=\S)", re.MULTILINE)

_GROUP = "[,'_\u00a0\u2009\u202f]"
_DIGITS = rf"(?:\d{{1,3}}(?:{_GROUP}\d{{3}})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWER = r"(?:[eE][-+−]?\d+(?!\w)|\s?[x×*·]\s?10(?:\^|\*\*)[-+−]?\d+|\s?[x×·]\s?10[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
_NUMBER = re.compile(
    rf"(?P<sign>(?<![\w.)\]])[-−–+±])?(?<!\w)(?<![^.]\.)(?<!\d,)(?P<digits>{_DIGITS})(?P<power>{_POWER})?"
    rf"(?:(?P<shorthand>[kMRmunp]\d+(?!\w))|(?P<thousand>k(?![\w]))|(?:[$*`\\]{{0,2}}[\s\u00a0\u202f]?|-)(?P<unit>{PATTERN}))?"
)
_RANGE = re.compile(r"\s*(?:to|and|or|through|\.{2,3}|…|[-–—,/]|±|\+/-)\s*\Z")
_SHORTHAND = {"k": 1e3, "M": 1e6, "R": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12}
_ONES_TEXT = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
)
_ONES = dict(zip(_ONES_TEXT.split(), range(2, 20), strict=True))
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_NO_COUNT = (
    r"(?!\s+(?:decimals?|places|digits|tables?|columns?|files?|exports?|scales?|sources?|sides?|ways?|reasons?))"
)
_WORD = re.compile(
    r"(?<!other )(?<!these )(?<!those )(?<!first )(?<!last )(?<!next )"
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<unit>one|{'|'.join(list(_ONES)[:8])}))?"
    rf"|(?P<ones>{'|'.join(_ONES)}))\b(?:\s+(?P<big>hundred|thousand|million))?{_NO_COUNT}",
    re.IGNORECASE,
)
_BIG = {"hundred": 100, "thousand": 1000, "million": 1000000}
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approx(?:imately|\.)?|nearly|almost|close to|near|essentially|practically"
    r"|effectively|virtually|basically)|~|≈)\s*\Z",
    re.IGNORECASE,
)
_ROUNDED = re.compile(r"\s*[,(]?\s*(?:rounded|approx(?:imately|\.)?)\b", re.IGNORECASE)
_LIMIT = r"(?:(?:lower|upper|low|high)\s+)?(?:limits?|specs?|specifications?|tolerances?|LSL|USL)"
_LIMIT_BEFORE = re.compile(
    rf"\b{_LIMIT}(?:\s+(?:limits?|window|band|range))?(?:\s+(?:of|is|are|was|were|from|between|at))*\s*[:=(\[]?\s*"
    r"(?:[<>≤≥]=?\s*)?\Z",
    re.IGNORECASE,
)
_LIMIT_AFTER = re.compile(rf"\s*(?:{_LIMIT})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as a text states it. `value` is in its own `unit`; `places`: of the last digit, as a power of ten.

    `about`: the text says that it is rounded. `signed`: it has a minus sign. `limit`: the text calls it a limit.
    """

    text: str
    value: float
    places: int
    start: int
    end: int
    unit: Unit | None = None
    about: bool = False
    limit: bool = False

    @property
    def whole(self) -> bool:
        """Whether it was written without a decimal part."""
        return self.places >= 0


def find_numbers(text: str) -> list[Number]:
    """Return the figures of a text in its order; those that it calls limits have `limit` set."""
    masked = _masked(text)
    found = [_number(text, match) for match in _NUMBER.finditer(masked) if match["digits"]]
    taken = [(number.start, number.end) for number in found]
    found += [_worded(text, match) for match in _WORD.finditer(text) if not _inside(match.span(), taken)]
    found.sort(key=lambda number: number.start)
    return _with_limits(text, _with_shared_units(text, found))


def _masked(text: str) -> str:
    for pattern in _NO_FIGURES:
        text = pattern.sub(_blank, text)
    expected = 1
    for match in list(_MARKER.finditer(text)):
        if int(match[1]) == expected:
            text = text[: match.start(1)] + " " * len(match[1]) + text[match.end(1) :]
            expected += 1
    return text


def _blank(match: re.Match[str]) -> str:
    """Blank a name; a word without digits stays, so that units are still read."""
    return re.sub(r"\S", "\x00", match[0]) if re.search(r"\d", match[0]) else match[0]


def _inside(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in taken)


def _number(text: str, match: re.Match[str]) -> Number:
    digits = re.sub(_GROUP, "", match["digits"])
    value, places = float(digits), -len(digits.partition(".")[2])
    power = _exponent(match["power"])
    value, places = float(f"{digits}e{power}"), places + power
    unit = unit_of(match["unit"]) if match["unit"] else None
    if match["shorthand"]:
        letter, rest = match["shorthand"][0], match["shorthand"][1:]
        factor = _SHORTHAND[letter]
        value, places = float(f"{digits}.{rest}") * factor, -len(rest) + round(_log10(factor))
    elif match["thousand"]:
        value, places = value * 1e3, places + 3
    if match["sign"] and match["sign"] in "-−–":
        value = -value
    start, end = match.span()
    about = bool(_ABOUT.search(text, max(0, start - 20), start) or _ROUNDED.match(text, end, end + 40))
    return Number(text[start:end], value, places, start, end, unit, about)


def _log10(factor: float) -> int:
    return {1e3: 3, 1e6: 6, 1.0: 0, 1e-3: -3, 1e-6: -6, 1e-9: -9, 1e-12: -12}[factor]


def _exponent(power: str | None) -> int:
    if not power:
        return 0
    plain = power.translate(_SUPER).replace("−", "-")
    found = re.search(r"(?:[eE]|10(?:\^|\*\*)?)([-+]?\d+)$", plain.strip())
    return int(found[1]) if found else 0


def _worded(text: str, match: re.Match[str]) -> Number:
    ones = (match["ones"] or match["unit"] or "").lower()
    value = _TENS.get((match["tens"] or "").lower(), 0) + (1 if ones == "one" else _ONES.get(ones, 0))
    value *= _BIG.get((match["big"] or "").lower(), 1)
    return Number(match[0], float(value), 0, *match.span())


def _with_shared_units(text: str, found: list[Number]) -> list[Number]:
    """Give "4.9678 to 5.0077 V" its unit on both sides."""
    result = list(found)
    for index in range(len(found) - 2, -1, -1):
        this, after = result[index], result[index + 1]
        between = text[this.end : after.start]
        alike = "," not in between or this.places == after.places
        if this.unit is None and after.unit is not None and alike and _RANGE.match(between):
            result[index] = replace(this, unit=after.unit)
    return result


def _with_limits(text: str, found: list[Number]) -> list[Number]:
    result = list(found)
    for index, number in enumerate(result):
        before = text[max(0, number.start - 60) : number.start]
        joined = index > 0 and result[index - 1].limit and _joined(text, result[index - 1], number)
        if _LIMIT_BEFORE.search(before) or _LIMIT_AFTER.match(text, number.end) or joined:
            result[index] = replace(number, limit=True)
    for index in range(len(result) - 2, -1, -1):
        this, after = result[index], result[index + 1]
        if after.limit and not this.limit and _LIMIT_AFTER.match(text, after.end) and _joined(text, this, after):
            result[index] = replace(this, limit=True)
    return result


def _joined(text: str, left: Number, right: Number) -> bool:
    between = text[left.end : right.start]
    return bool(_RANGE.match(between)) and "," not in between


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each sentence; a line of a list or table is one."""
    start = 0
    for match in re.finditer(r"(?<=[.!?])(?:(?<!\b[A-Za-z]\.)|(?<=\d [VAWFHJK]\.)|(?<=\d[VAWFHJK]\.))\s+|\n+", text):
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < len(text):
        yield start, len(text)
