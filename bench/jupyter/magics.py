"""`%%snippet` runs a cell in an analysis' sandbox; `%ask` lets a model answer about its tables."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from IPython.core.error import UsageError as MagicUsageError
from IPython.core.magic import Magics, cell_magic, line_cell_magic, magics_class
from IPython.display import display

from bench.analysis import Analysis
from bench.ask.answer import Answer
from bench.errors import BenchError
from bench.jupyter.looks import page_part
from bench.render.terminal import result_text
from bench.reporting.runs import run_parts
from runner import RunResult

_SNIPPET_USAGE = "%%snippet [ANALYSIS] [--out NAME]"
_ASK_USAGE = '%ask [ANALYSIS] [--model PROVIDER:NAME] [--on] "QUESTION?"'
Found = TypeVar("Found")


@magics_class
class BenchMagics(Magics):
    """The two magics. The model of `%ask` is remembered; `--on` goes on from the last answer."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._names: dict[str, Any] = shell.user_ns
        self._model: str | None = None
        self._answers: dict[int, Answer] = {}

    @cell_magic
    def snippet(self, line: str, cell: str) -> None:
        """Run the cell in the sandbox, against an analysis' tables: %%snippet [ANALYSIS] [--out NAME].

        What it prints appears while it runs. The result is kept under NAME (`run` without it).
        """
        words = _split(line, _SNIPPET_USAGE)
        name = _option(words, "--out", _SNIPPET_USAGE) or "run"
        if len(words) > 1 or not name.isidentifier():
            raise MagicUsageError(_SNIPPET_USAGE)
        analysis = self._analysis(words[0] if words else None)
        run = _explained(lambda: analysis.run(cell, on_output=_write))
        self._names[name] = run
        _show(run, analysis)

    @line_cell_magic
    def ask(self, line: str, cell: str | None = None) -> Answer:
        """Let a model answer by snippets: %ask [ANALYSIS] [--model PROVIDER:NAME] [--on] "QUESTION?"

        In quotes, because IPython takes a line that ends with ? for a call for help. As a cell magic the question is
        the cell's text.
        """
        words = line.split()
        model = _option(words, "--model", _ASK_USAGE) or self._model
        on = "--on" in words
        words = [word for word in words if word != "--on"]
        named = words[0] if words and isinstance(self._names.get(words[0]), Analysis) else None
        question = cell if cell is not None else " ".join(words[1:] if named else words)
        question = question.strip().strip("\"'").strip()
        if model is None or not question:
            raise MagicUsageError(_ASK_USAGE)
        analysis = self._analysis(named)
        earlier = self._answers.get(id(analysis)) if on else None
        answer = _explained(lambda: analysis.ask(question, model=model, earlier=earlier))
        self._model, self._answers[id(analysis)] = model, answer
        return answer

    def _analysis(self, name: str | None) -> Analysis:
        """Return the named analysis, or the one that there is."""
        there = {key: value for key, value in self._names.items()
                 if isinstance(value, Analysis) and not key.startswith("_")}  # fmt: skip
        if name is not None:
            if name not in there:
                raise MagicUsageError(f"{name} is no analysis; there are: {', '.join(there) or 'none'}")
            return there[name]
        if len({id(value) for value in there.values()}) != 1:
            hint = "name one of " + ", ".join(there) if there else 'make one: analysis = bench.analyze("export.csv")'
            raise MagicUsageError(f"there {'are several analyses' if there else 'is no analysis'}: {hint}")
        return next(iter(there.values()))


def _split(line: str, usage: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise MagicUsageError(f"{usage}: {error}") from None


def _option(words: list[str], name: str, usage: str) -> str | None:
    """Take an option with its value out of the words."""
    if name not in words:
        return None
    place = words.index(name)
    if place + 1 >= len(words):
        raise MagicUsageError(f"{name} needs a value: {usage}")
    value = words[place + 1]
    del words[place : place + 2]
    return value


def _explained(act: Callable[[], Found]) -> Found:
    """Errors and interrupts without a traceback of ours."""
    try:
        return act()
    except BenchError as error:
        raise MagicUsageError(str(error)) from None
    except KeyboardInterrupt:
        raise MagicUsageError("interrupted; the variables of the sandbox are lost") from None


def _write(stream: str, text: str) -> None:
    (sys.stderr if stream == "stderr" else sys.stdout).write(text)


def _show(run: RunResult, analysis: Analysis) -> None:
    """Show a run without its code, which stands in the cell, and without its output, which was written already."""
    tables = analysis.table_reports
    html = page_part(run_parts("", run, tables, output=False))
    show: Any = display
    show({"text/html": html, "text/plain": result_text(run, tables)}, raw=True)
