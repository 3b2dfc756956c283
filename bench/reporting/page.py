"""The whole page: one file that fetches nothing and needs no script, and says so to the browser.

The content security policy forbids every script and every request, so that what is wrong with an escape could still do
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import TYPE_CHECKING

from bench.progress import Progress
from bench.releases import Release, Word
from bench.render.document import export_dict
from bench.reporting import guard, markup, runs
from bench.reporting.markup import Markup, tag

if TYPE_CHECKING:
    from bench.analysis import Analysis
    from bench.ask.answer import Answer
    from bench.guarded import GuardedExport
    from runner import RunResult

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a report shows beside the analysis. `runs`: each snippet with its result; `receipt`: path and text."""

    runs: Sequence[tuple[str, RunResult]] = ()
    answer: Answer | None = None
    receipt: tuple[str, str] | None = None


def page(analysis: Analysis, contents: Contents, progress: Progress | None = None) -> str:
    """Return the report as HTML.

    Raises:
        EnvironmentProblem: the database cannot be read any more.
    """
    name = title_of(analysis)
    sections = list(_sections(analysis, contents, progress))
    links = (tag("li", tag("a", heading, href=f"#{anchor}")) for anchor, heading, _ in sections)
    body = (
        tag("section", tag("h2", heading, id=f"{anchor}-title"), parts, id=anchor, aria_labelledby=f"{anchor}-title")
        for anchor, heading, parts in sections
    )
    css = files("bench.reporting").joinpath("page.css").read_text(encoding="utf-8")
    head = tag(
        "head", tag("meta", charset="utf-8"), tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"), tag("title", f"bench-analyze: {name}"),
        tag("style", Markup(css)),
    )  # fmt: skip
    whole = tag(
        "body", tag("a", "To the content", href="#content", class_="skip"),
        tag("header", tag("h1", name), _outcome(analysis)),
        tag("nav", tag("ul", links), aria_label="Sections"),
        tag("main", body, id="content", tabindex=-1),
        tag("footer", tag("p", _made())),
    )  # fmt: skip
    return f"<!doctype html>\n{tag('html', head, whole, lang='en')}\n"


def title_of(analysis: Analysis) -> str:
    """Return what an analysis is of, in a few words."""
    names = [guarded.export.path.name for guarded in analysis.exports] or [analysis.source_name]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _made() -> str:
    try:
        release = version("bench-analyze")
    except PackageNotFoundError:  # run from a source tree
        release = "(unknown version)"
    return f"Made by bench-analyze {release} on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC."


def _outcome(analysis: Analysis) -> Markup:
    outcomes = [report.outcome for report in analysis.reports]
    worst = next(word for word in ("refused", "corrected", "unverified", "clean") if word in outcomes)
    return tag("p", "Outcome: ", tag("span", worst, class_=f"badge {worst}"))


def _sections(
    analysis: Analysis, contents: Contents, progress: Progress | None
) -> Iterator[tuple[str, str, Sequence[Markup]]]:
    if contents.answer is not None:
        source = str(analysis.exports[0].export.path) if analysis.exports else analysis.source_name
        yield "answer", "Answer", list(runs.answer_parts(contents.answer, source))
    yield (
        "export",
        "What was read",
        [part for guarded in analysis.exports for part in _export(guarded)]
        or [tag("p", f"From the store {analysis.source_name}.")],
    )
    yield (
        "verdicts",
        "Verdicts",
        [
            part
            for table in analysis.table_reports
            for part in (tag("h3", f"Table {table.name}"), guard.counts(table), guard.verdict_table(table))
        ],
    )
    if contents.runs:
        yield (
            "runs",
            "Runs",
            [
                tag("article", tag("h3", f"Run {number}"), runs.run_parts(code, run, analysis.table_reports))
                for number, (code, run) in enumerate(contents.runs, 1)
            ],
        )
    yield "columns", "Judged columns", list(guard.columns_section(analysis, progress))
    yield "flags", "Flags", [guard.flags_section(analysis)]
    yield "quarantine", "Quarantine", [guard.quarantine_section(analysis)]
    if contents.receipt is not None:
        yield "receipt", "Receipt", [runs.receipt_part(*contents.receipt)]


def _word(word: Word) -> str:
    what = f"line {word.line} is a row" if isinstance(word, Release) else f"{word.column} is in {word.unit}"
    return f"{what}, says {word.who}: {word.why}"


def _export(guarded: GuardedExport) -> Iterator[Markup]:
    found = export_dict(guarded)
    board = guarded.board
    yield tag("h3", guarded.export.path.name)
    yield markup.definitions(
        [
            ("path", found["path"]),
            ("SHA-256", tag("code", found["sha256"])),
            ("bytes", f"{guarded.export.bytes:,}"),
            ("format", found["format"]),
            ("board", "none" if board is None else f"{board.board.name} ({board.path}, SHA-256 {board.sha256})"),
            ("approvals", "; ".join(_word(word) for word in guarded.words)),
        ]
    )
    for name, pairs in (("How it was read", guarded.export.dialect), ("Its preamble", guarded.export.metadata)):
        if pairs:
            yield markup.details(name, markup.definitions([(str(key), str(what)) for key, what in pairs.items()]))
