"""Runs, the model's answer and the receipt as sections of the report, and as what a notebook shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from bench import caveats
from bench.render.terminal import value_text
from bench.reporting import markup
from bench.reporting.charts import is_picture, picture
from bench.reporting.markup import Markup, tag

if TYPE_CHECKING:
    from bench.ask.answer import Answer
    from bench.ask.figures import Figure
    from guards import TableReport
    from runner import Artifact, RunResult

SHOWN_ROWS = 200
SHOWN_PICTURES = 6  # of one run


def run_parts(code: str, run: RunResult, tables: Sequence[TableReport], *, output: bool = True) -> Iterator[Markup]:
    """Yield a run's code, output (unless somebody has seen it), value, pictures, warnings and corrections."""
    layers = ", ".join(run.layers) or "none"
    yield tag("p", "Status: ", tag("strong", run.status), f"; {run.duration_s:.2f} s; layers: {layers}.")
    if code:
        yield markup.code(code, "snippet")
    for name, printed in (("output", run.stdout), ("output on stderr", run.stderr)):
        if printed and output:
            yield tag("p", f"{name}:")
            yield markup.code(printed, name)
    if run.error is not None:
        yield tag("p", tag("strong", f"{run.error.type}: {run.error.message}"))
        if run.error.traceback:
            yield markup.code(run.error.traceback, "traceback")
    elif run.ok:
        yield value(run.value)
    for number, artifact in enumerate(run.artifacts):
        yield artifact_part(artifact, shown=number < SHOWN_PICTURES)
    yield from _list("Warnings", run.warnings)
    yield from _list("Corrections that apply", list(caveats.corrections(caveats.columns_read(tables, run.reads))))


def value(found: object) -> Markup:
    """Return a snippet's value: a frame as a table, everything else as text."""
    if isinstance(found, Mapping) and {"columns", "rows"} <= set(found):
        columns, rows = found["columns"], found["rows"]
        if isinstance(columns, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
            more = "" if len(rows) <= SHOWN_ROWS and not found.get("truncated") else ", the first of more"
            shown = ([_cell(cell) for cell in row] for row in rows[:SHOWN_ROWS])
            return markup.table(f"Value: {min(len(rows), SHOWN_ROWS)} rows{more}", columns, shown)
    return tag("div", tag("p", "Value:"), markup.code(value_text(found), "value"))


def _cell(cell: object) -> str:
    return "" if cell is None else value_text(cell)


def artifact_part(artifact: Artifact, *, shown: bool = True) -> Markup:
    """Return a picture, or a line that says what file the snippet wrote."""
    size = f"{artifact.name} ({artifact.media_type}, {len(artifact.data):,} bytes)"
    if not shown or not is_picture(artifact):
        return tag("p", f"File: {size}.")
    drawn = picture(artifact)
    if drawn.problem:
        specification = artifact.data.decode("utf-8", "replace")
        return tag("div", tag("p", f"{drawn.problem}."), markup.details(size, markup.code(specification, size)))
    image = tag("img", src=drawn.address, alt=f"Chart of the snippet: {drawn.title}")
    return tag("figure", image, tag("figcaption", f"{drawn.title} – {size}"), class_="chart")


def answer_parts(answer: Answer, export: str) -> Iterator[Markup]:
    """Yield the question, the answer with its figures traced or marked, and what the model proposed."""
    turns = f"{answer.turns} turn{'' if answer.turns == 1 else 's'}"
    made = f"; by {answer.model}, {turns}, {answer.tokens.input + answer.tokens.output} tokens."
    yield tag("p", "Question: ", tag("q", answer.question))
    yield tag("p", "Status: ", tag("strong", answer.status), made)
    yield tag("blockquote", _with_figures(answer.text, answer.figures), class_="answer")
    if answer.figures:
        rows = ((figure.text, "traced" if figure.traced_to else "marked", figure.traced_to or figure.mark or "–")
                for figure in answer.figures)  # fmt: skip
        yield markup.table("Figures of the answer", ("figure", "status", "where it comes from"), rows)
    if answer.problem:
        yield tag("p", f"{answer.problem}. {answer.hint or ''}")
    yield from _list("Proposed, and not done (a person decides)", [p.command(export) for p in answer.proposals])


def _with_figures(text: str, figures: Sequence[Figure]) -> Markup:
    """Return the text, each figure marked up with where it comes from; they are found in their order."""
    parts: list[Markup] = []
    position = 0
    for figure in figures:
        start = text.find(figure.text, position)
        if start < 0:
            continue
        parts.append(markup.text(text[position:start]))
        kind = "traced" if figure.traced_to else "marked"
        parts.append(tag("mark", figure.text, class_=kind, title=figure.traced_to or figure.mark))
        position = start + len(figure.text)
    parts.append(markup.text(text[position:]))
    return markup.joined(parts)


def receipt_part(path: str, receipt: str) -> Markup:
    """Return the receipt whole: it is what `replay` needs."""
    with suppress(ValueError):
        receipt = json.dumps(json.loads(receipt), ensure_ascii=False, indent=1)
    return tag(
        "div", tag("p", f"File: {path}"),
        markup.details("The receipt", markup.code(markup.text(receipt, 200_000), "receipt")),
    )  # fmt: skip


def _list(title: str, lines: Sequence[str]) -> Iterator[Markup]:
    if lines:
        yield tag("p", f"{title}:")
        yield tag("ul", (tag("li", line) for line in lines))
