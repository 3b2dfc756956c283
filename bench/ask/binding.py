"""Which of the names in a sentence a figure belongs to, so that the right number of the wrong group is marked.

A figure belongs to the names before it, or to the name behind it where "for", "in", "on", "of" or a parenthesis joins
them; several names before as many figures are taken in order. A sentence without a name that begins with "it" or is an
item of a list takes the one name of the sentence before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bench.ask.evidence import Key, shape
from bench.ask.labels import stem
from bench.ask.numbers import Number

_BEHIND = re.compile(
    r"[^\w,;.)]*(?:(?!and\b|or\b|but\b|while\b|where)[\w%°]+[^\w,;.()]+){0,3}?(?:\b(?:for|in|on|at|of|from|by|with|under|as)\b|\()[\s(\"'`*]*"
    r"(?:the\s+|lot\s+|fixture\s+|board\s+|serial\s+)*[\"'`*]*\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?<![\w-])-\d{3,}(?![\w.]*\d)|(?<![\w-])[\w]+(?:-[\w]+)*")
_TAIL = re.compile(r"(?<=\w)-\d{3,}$")
_PHRASE = re.compile(r"[^\w-]")
_NAMELIKE = re.compile(r"(?=.*\d)(?=.*[A-Za-z])")
_OTHERS = re.compile(r"\b(?:others?|rest|remaining|elsewhere)\b", re.IGNORECASE)
_AGAINST = re.compile(r"\b(?:versus|vs\.?|against|compared\s+(?:with|to)|than|instead\s+of)(?!\w)", re.IGNORECASE)
_WAY = re.compile(r"\s+(?:of\s+power\s+)?(in|out)\s*(?=[,.;:)]|and\b|but\b|while\b|versus\b|vs\b|\Z)")
_GOES_ON = re.compile(
    r"\s*(?:it|its|it's|they|their|there|this|that|these|those|here|[-*•|]|\d+[.)])(?:\s|\b)", re.IGNORECASE
)


class Names:
    """The keys of one slot, ready to be looked for: whole, by their last digits (-0063), or by their stem."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.known = set(keys)
        self.folded = {key.lower(): key for key in self.known if not key.isalpha()}
        self.kinds = {shape(key) for key in self.known if any(character.isdigit() for character in key)}
        self.stems = {stem(key): key for key in self.known if key.isalpha() and len(key) > 1}
        self.phrases = [key for key in self.known if _PHRASE.search(key)]
        self.tails: dict[str, str] = {}
        for key in self.known:
            if tail := _TAIL.search(key):
                self.tails.setdefault(tail[0], key)
                if tail[0].startswith("-0"):
                    self.tails.setdefault(tail[0][1:], key)

    def find(self, word: str) -> str | None:
        """Return the key that a word names; a name of the same shape names a key that is not among them."""
        if word in self.tails:
            return self.tails[word]
        if word in self.known:
            return word
        if word.lower() in self.folded:
            return self.folded[word.lower()]
        if _NAMELIKE.match(word) and shape(word) in self.kinds:
            return word
        return self.stems.get(stem(word)) if word.isalpha() else None


def mentions(text: str, names: Names, offset: int = 0) -> list[tuple[int, int, str]]:
    """Return (start, end, key) of each key that a text names."""
    found = [
        (match.start() + offset, match.end() + offset, key)
        for match in _WORD.finditer(text)
        if (key := names.find(match[0])) is not None
    ]
    found += [(at + offset, at + offset + len(key), key) for key in names.phrases if (at := text.find(key)) >= 0]
    return sorted(found)


def bound(
    text: str, span: tuple[int, int], number: Number, numbers: Sequence[Number], keys: Names, before: str = ""
) -> set[str]:
    """Return the names that a figure belongs to in its sentence; empty where the sentence names none of them."""
    start, end = span
    named = mentions(text[start:end], keys, start)
    if not named:
        carried = {key for _, _, key in mentions(before, keys)}
        goes_on = _GOES_ON.match(text, start) or before.rstrip().endswith(":")
        return carried if goes_on and len(carried) == 1 else set()
    inside = [other for other in numbers if start <= other.start < end]
    following = next((other.start for other in inside if other.start > number.start), end)
    last = max((mention[1] for mention in named if mention[1] <= number.start), default=start)
    if _OTHERS.search(text, last, number.start):
        return set()
    if last > start and _AGAINST.search(text, last, number.start):
        return {mention[2] for mention in named if mention[0] >= number.end}
    behind = [mention for mention in named if number.end <= mention[0] < following]
    enclosed = text[: number.start].rstrip().endswith("(") and any(m[0] < number.start for m in named)
    if (
        behind
        and not enclosed
        and (_BEHIND.match(text[number.end : behind[0][0]]) or not any(m[0] < number.start for m in named))
    ):
        return {behind[0][2]}
    return _from_group(named, number, inside)


def _from_group(named: Sequence[tuple[int, int, str]], number: Number, inside: Sequence[Number]) -> set[str]:
    """Return the last group of names before the figure, or the one of them that its place in the order says."""
    earlier = [mention for mention in named if mention[0] < number.start]
    if not earlier:
        return {named[0][2]}
    group = [earlier[-1]]
    for mention in reversed(earlier[:-1]):
        if any(mention[0] < other.start < group[0][0] for other in inside):
            break
        group.insert(0, mention)
    next_name = next((mention[0] for mention in named if mention[0] > number.start), None)
    after = [n for n in inside if n.start > group[-1][0] and (next_name is None or n.start < next_name)]
    names = list(dict.fromkeys(mention[2] for mention in group))
    if len(names) > 1 and len(after) == len(names) and number in after:
        return {names[after.index(number)]}
    return set(names)


def beside(text: str, span: tuple[int, int], number: Number, numbers: Sequence[Number]) -> str:
    """Return the words around a figure in its clause, up to its neighbours."""
    left = max([other.end for other in numbers if other.end <= number.start] + [span[0]])
    right = min([other.start for other in numbers if other.start >= number.end] + [span[1]])
    lead = text[left : number.start]
    if re.search(
        r"(?:\b(?:of|among|from|in)(?:\s+(?:the|all|these|those))*\s*|/\s*)$", lead, re.IGNORECASE
    ):  # "15 of 18 pass" counts 15
        return ""
    before = re.split(r"[,;.(|]\s|:\s+(?=\S)|\band\b|\(", lead)[-1]
    after = re.split(r"[,;:.(|)]|\band\b|\bwith\b|\bat\b", text[number.end : right])[0]
    way = _WAY.match(text, number.end)
    return f"{before} {after} {way[1]}put" if way else f"{before} {after}"


def names_of_slots(cells: Iterable[tuple[Key, ...]]) -> dict[str, Names]:
    """Return {slot: its keys} over the keys of many cells."""
    found: dict[str, set[str]] = {}
    for keys in cells:
        for key in keys:
            found.setdefault(key.slot, set()).add(key.text)
    return {slot: Names(keys) for slot, keys in found.items()}
