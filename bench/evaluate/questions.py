"""The questions, read from `questions.toml`, and where their exports are."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bench.ask.quantities import Unit, unit_of
from bench.errors import UsageError

HERE = Path(__file__).parent
PACKAGED = HERE / "exports"
Expect = Literal["answer", "decline", "refuse"]


@dataclass(frozen=True, slots=True)
class Expected:
    """A figure that the answer must state. `unit` is empty for counts."""

    value: float
    unit: str = ""

    @property
    def parsed(self) -> Unit | None:
        """The unit as figures of a text have it."""
        return unit_of(self.unit) if self.unit else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer. `exports`: folders of the fixtures, or packaged exports without their date."""

    id: str
    kind: str
    exports: tuple[str, ...]
    ask: str
    figures: tuple[Expected, ...] = ()
    names: tuple[str, ...] = ()
    expect: Expect = "answer"


def load_questions() -> tuple[Question, ...]:
    """Return all questions in their order."""
    with (HERE / "questions.toml").open("rb") as file:
        return tuple(_question(found) for found in tomllib.load(file)["questions"])


def chosen(questions: Iterable[Question], only: Iterable[str]) -> tuple[Question, ...]:
    """Return the questions of these ids or kinds; all without any.

    Raises:
        UsageError: nothing has that id or kind.
    """
    questions, wanted = tuple(questions), tuple(only)
    known = {name for question in questions for name in (question.id, question.kind)}
    if unknown := [name for name in wanted if name not in known]:
        kinds = ", ".join(dict.fromkeys(question.kind for question in questions))
        raise UsageError(f"{unknown[0]!r} is no question and no kind", hint=f"kinds are {kinds}")
    return tuple(question for question in questions if not wanted or {question.id, question.kind} & set(wanted))


def fixtures_folder(given: Path | None) -> Path:
    """Return the folder of the fixtures: the one given, else that of the source tree.

    Raises:
        UsageError: there is none; an installed package does not hold the fixtures.
    """
    folder = given or HERE.parents[1] / "fixtures"
    if not (folder / "retest_mv").is_dir():
        raise UsageError(
            "the fixtures are not here: they are in the source tree, and not in the installed package", file=folder,
            hint="name their folder: --fixtures FOLDER",
        )  # fmt: skip
    return folder


def export_paths(question: Question, fixtures: Path) -> list[Path]:
    """Return the exports that a question is asked on."""
    return [_export(name, fixtures) for name in question.exports]


def _export(name: str, fixtures: Path) -> Path:
    found = sorted((fixtures / name).glob("*.csv")) or sorted(PACKAGED.glob(f"{name}-*.csv"))
    if not found:
        raise UsageError(f"there is no export {name}", file=fixtures, hint="take the fixtures of this version")
    return found[0]


def _question(found: dict[str, Any]) -> Question:
    return Question(
        found["id"], found["kind"], tuple(found["exports"]), found["ask"],
        tuple(Expected(float(figure["value"]), figure["unit"]) for figure in found.get("figures", ())),
        tuple(found.get("names", ())), found.get("expect", "answer"),
    )  # fmt: skip
