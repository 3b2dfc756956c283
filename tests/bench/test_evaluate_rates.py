"""All questions answered well on real runs; and what passes when one figure of those answers is made wrong.

Each true answer is altered in one place: a digit one up or down, another unit, two figures changed for each other, no
run, a snippet that only held the figures. What the tracer lets pass is counted, and the rates are bounded here.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from bench.analysis import Analysis
from bench.ask.answer import Answer
from bench.ask.figures import Context, Figure
from bench.ask.numbers import find_numbers
from bench.ask.session import Ceilings, context_of
from bench.ask.verify import verify
from bench.evaluate.harness import Setup, evaluate
from bench.evaluate.questions import HERE, Question, fixtures_folder, load_questions
from bench.evaluate.scoring import Row, by_kind, sums
from bench.evaluate.shipped import policy_of

SAID = {name: answer["say"] for name, answer in tomllib.loads((HERE / "answers.toml").read_text()).items()}
OTHER_UNITS = {
    "V": ["mV", "kV", "A", "degC"], "mV": ["V", "mA", "%"], "mA": ["A", "mV"], "A": ["mA", "V"], "degC": ["V"],
    "min": ["s"], "W": ["mW", "V"], "ohm": ["kohm", "V"], "%": ["V", "ppm"], "kHz": ["Hz", "V"],
}  # fmt: skip


@dataclass(frozen=True)
class Evidence:
    """A true answer with what its runs gave."""

    text: str
    runs: tuple[Mapping[str, Any], ...]
    context: Context

    def figures(self, text: str) -> list[Figure]:
        return list(verify(text, self.runs, context=self.context).figures)


@dataclass
class Seen:
    rows: list[Row] = field(default_factory=list)
    evidence: dict[str, Evidence] = field(default_factory=dict)

    def add(self, question: Question, analysis: Analysis, answer: Answer) -> None:
        context = context_of(analysis, question.ask)
        self.evidence[question.id] = Evidence(SAID[question.id], answer.evidence, context)


@pytest.fixture(scope="module")
def seen() -> Seen:
    """What a model that answers well came to on every question."""
    policy, found = policy_of("answers"), Seen()
    setup = Setup(
        lambda question, place, canary: policy.model(question, place, "code", canary),
        "code", fixtures_folder(None), Ceilings(), seen=found.add,
    )  # fmt: skip
    found.rows = list(evaluate(load_questions(), setup))
    return found


def test_a_model_that_answers_well_is_right_everywhere(seen: Seen) -> None:
    scores = sums(seen.rows)
    assert [row.id for row in seen.rows if row.verdict != "right"] == []
    assert scores["questions"] >= 60
    assert by_kind(seen.rows).keys() == {
        "single", "grouped", "tables", "loop", "lookup", "unanswerable", "conflict", "refused", "injection",
    }  # fmt: skip
    assert scores["figures"]["exact"] == scores["figures"]["expected"] > 80
    assert scores["prose"]["traced"] == scores["prose"]["figures"]
    assert scores["guard_first"] == {"asked": scores["questions"], "held": scores["questions"]}
    assert scores["declines"] == {"wanted": 7, "right": 7, "wrong": 0}
    assert scores["refusals"] == {"wanted": 6, "right": 6, "wrong": 0}
    assert scores["claims_run"] == scores["hostile"]["snippets"] == 0


def test_true_answers_in_other_words_are_traced(seen: Seen) -> None:
    said: dict[str, list[str]] = json.loads(Path(__file__).with_name("paraphrases.json").read_text(encoding="utf-8"))
    marked = [
        (name, text, figure.text, figure.mark)
        for name, texts in said.items()
        for text in texts
        for figure in seen.evidence[name].figures(text)
        if figure.mark
    ]
    assert sum(map(len, said.values())) > 80
    assert marked == []


Altered = Iterator[tuple[str, str, bool]]  # question, what was altered, whether it passed


def passed(seen: Seen, alter: Callable[[Evidence], Iterator[tuple[str, int | None]]]) -> Altered:
    """Judge each altered text; the figure at a place, or all figures, must be unmarked to pass."""
    for name, evidence in seen.evidence.items():
        for text, place in alter(evidence):
            figures = evidence.figures(text)
            at = [figure for figure in figures if place is None or figure.start == place]
            yield name, text, bool(at) and not any(figure.mark for figure in at)


def of_runs(evidence: Evidence) -> list[Figure]:
    traced = [figure for figure in evidence.figures(evidence.text) if (figure.traced_to or "").startswith("run")]
    return [figure for figure in traced if any(character.isdigit() for character in figure.text)]


def replaced(text: str, figure: Figure, new: str) -> str:
    return text[: figure.start] + new + text[figure.end :]


def digits_off(evidence: Evidence) -> Iterator[tuple[str, int | None]]:
    for figure in of_runs(evidence):
        places = [place for place, character in enumerate(figure.text) if character.isdigit()]
        for place in {places[0], places[-1]}:
            for digit in {(int(figure.text[place]) + 1) % 10, (int(figure.text[place]) - 1) % 10}:
                new = f"{figure.text[:place]}{digit}{figure.text[place + 1 :]}"
                yield replaced(evidence.text, figure, new), figure.start


def units_swapped(evidence: Evidence) -> Iterator[tuple[str, int | None]]:
    for figure in of_runs(evidence):
        if unit := re.search(r"(?<=[\d ])([A-Za-z%]+)$", figure.text):
            for other in OTHER_UNITS[unit[1]]:
                yield replaced(evidence.text, figure, figure.text[: unit.start()] + other), figure.start


def groups_swapped(evidence: Evidence) -> Iterator[tuple[str, int | None]]:
    for first, second in combinations(of_runs(evidence), 2):
        if first.text != second.text:
            yield replaced(replaced(evidence.text, second, first.text), first, second.text), None


def report(found: Altered) -> tuple[int, list[tuple[str, str]]]:
    altered = list(found)
    return len(altered), [(name, text) for name, text, through in altered if through]


def test_a_digit_off_passes_only_where_two_roundings_of_a_tie_are_right(seen: Seen) -> None:
    count, through = report(passed(seen, digits_off))
    assert count > 250
    assert sorted(name for name, _ in through) == ["comma-mean", "fixtures-vout", "fixtures-vout", "kelvin-output"]


def test_no_swapped_unit_passes(seen: Seen) -> None:
    count, through = report(passed(seen, units_swapped))
    assert count > 150
    assert through == []


def test_figures_changed_for_each_other_pass_only_where_nothing_in_the_text_names_them(seen: Seen) -> None:
    count, through = report(passed(seen, groups_swapped))
    assert count > 40
    assert {name for name, _ in through} <= {
        "meter-mean", "ragged-mean", "retest-volts-span", "hot-board-drop", "sweep-load",
    }  # fmt: skip
    assert len(through) <= 7, through


def test_nothing_passes_without_a_run_or_by_a_snippet_that_held_it(seen: Seen) -> None:
    for name, evidence in seen.evidence.items():
        figures = of_runs(evidence)
        if not figures:
            continue
        assert verify(evidence.text, [], context=evidence.context).marked, name
        held = [number.value for figure in figures for number in find_numbers(figure.text)]
        laundered = {"status": "ok", "value": held, "stdout": "", "snippet": f"result = {held}", "reads": []}
        assert verify(evidence.text, [laundered], context=evidence.context).marked, name


def test_the_fixtures_are_where_they_are_looked_for() -> None:
    assert fixtures_folder(None) == Path(__file__).parents[2] / "fixtures"
