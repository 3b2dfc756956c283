"""The words by which results call their numbers: which exclude each other, and which tell sources apart."""

from __future__ import annotations

import re
from collections.abc import Iterable


def stem(word: str) -> str:
    """Return a word without its commonest endings: passed, passes and passing are one word."""
    return re.sub(r"(?:es|(?<!s)s|ed|ing|ures?|e)$", "", word.lower()) if len(word) > 3 else word.lower()


_UNIT = re.compile(r"_[a-z]{1,5}\Z")
_WORDS = (  # words of one line exclude each other, those between two bars mean the same
    "pass ok good | fail bad reject fault dead defective broken | total all",
    "min minimum lowest smallest | max maximum highest largest | mean average avg | median | std sigma stdev"
    " stddev deviation | cp | cpk | yield",
    "lower | upper", "first | last", "input | output", "before | after",
    "voltage | current | temperature | power | resistance | efficiency | ripple",
)  # fmt: skip
_GROUPS = tuple(
    {stem(word): number for number, words in enumerate(line.split("|")) for word in words.split()} for line in _WORDS
)


def contradicts(label: str, words: str) -> bool:
    """Return whether words beside a figure name what its label excludes: "fail" beside a count of `passed`."""
    own, said = ({stem(word) for word in re.findall(r"[A-Za-z]+", text.replace("_", " "))} for text in (label, words))
    said.discard("all")  # "all 18 boards fail" names no total
    for group in _GROUPS:
        mine, theirs = ({group[word] for word in words if word in group} for words in (own, said))
        if mine and theirs and not mine & theirs:
            return True
    return False


def kept_apart(labels: Iterable[str]) -> dict[str, str]:
    """Return {label: name} of labels that differ in plain words only, such as `retest_v` and `bench_v`: they name
    sources or places. None where a word is one of a statistic, which needs no naming."""
    names = {label: "-".join(re.findall(r"[a-z]+|\d+", _UNIT.sub("", label.lower()))) for label in labels}
    words = {word for name in names.values() for word in name.split("-")}
    told = any(stem(word) in group for word in words for group in _GROUPS)
    return {} if told or len(set(names.values())) < len(names) or not all(names.values()) else names
