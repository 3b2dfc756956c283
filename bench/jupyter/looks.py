"""Each result as HTML, Markdown and plain text. Pure but for pictures, which a process of their own draws.

A notebook's page has its own colours, light or dark, and front ends that distrust a notebook drop styles: so the HTML
reads well without its style sheet, and takes the page's own text colour. Everything from data is escaped, as in the
report; in Markdown too, where a value or a name could be an image that is fetched. A dollar begins no formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from bench.analysis import Analysis
from bench.ask.answer import Answer
from bench.ask.figures import Figure, Verification
from bench.render.answer import answer_text, figures_text
from bench.render.terminal import block, code_blocks, result_text, run_text, table_lines
from bench.render.values import lines_text, printable, quoted
from bench.reporting import guard, markup, runs
from bench.reporting.markup import Markup, tag
from bench.reporting.page import title_of
from guards import GuardReport, TableReport
from runner import RunResult

SHOWN_COLUMNS = 60
_MARKDOWN_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>|#~$!&@"})


def page_part(*children: markup.Child) -> str:
    """Return HTML that stands alone in a notebook's page."""
    css = files("bench.jupyter").joinpath("notebook.css").read_text(encoding="utf-8")
    return tag("div", tag("style", Markup(css)), children, class_="bench-analyze tex2jax_ignore mathjax_ignore")


def analysis_html(analysis: Analysis) -> str:
    """Return what an analysis is of, and its verdicts."""
    return page_part(tag("p", tag("strong", title_of(analysis))), map(_table, analysis.table_reports))


def analysis_text(analysis: Analysis) -> str:
    """Return the same as plain text."""
    return lines_text([title_of(analysis), *_lines(analysis.table_reports)])


def analysis_markdown(analysis: Analysis) -> str:
    """Return the same as Markdown."""
    return "\n\n".join([f"**{escaped(title_of(analysis))}**", *map(_table_markdown, analysis.table_reports)])


def report_html(report: GuardReport) -> str:
    """Return the verdicts of a guard's report."""
    return page_part(tag("p", "Outcome: ", tag("strong", report.outcome)), map(_table, report.tables))


def report_text(report: GuardReport) -> str:
    """Return the same as plain text, one line a column."""
    return lines_text([f"outcome: {report.outcome}", *_lines(report.tables)])


def report_markdown(report: GuardReport) -> str:
    """Return the same as Markdown."""
    return "\n\n".join([f"Outcome: **{report.outcome}**", *map(_table_markdown, report.tables)])


def run_html(run: RunResult) -> str:
    """Return a run with its code, output, value and pictures."""
    return page_part(runs.run_parts(run.snippet or "", run, ()))


def run_plain(run: RunResult) -> str:
    """Return a run as plain text."""
    return run_text(run.snippet or "", run, ())


def run_markdown(run: RunResult) -> str:
    """Return the same as Markdown, in which everything stands in blocks of code."""
    return "\n".join([*code_blocks(run.snippet or "", run), block(result_text(run, ()))])


def answer_html(answer: Answer) -> str:
    """Return an answer with its figures and, to be opened, its runs."""
    shown = [markup.details(f"Run {number}", runs.run_parts(code, run, ())) for number, (code, run) in
             enumerate(answer.runs, 1)]  # fmt: skip
    return page_part(runs.answer_parts(answer, "EXPORT"), shown)


def answer_markdown(answer: Answer) -> str:
    """Return an answer as Markdown."""
    rows = [f"| {escaped(figure.text)} | {_origin(figure)} |" for figure in answer.figures]
    table = "\n".join(["| figure | where it comes from |", "|---|---|", *rows])
    return "\n\n".join([f"Status: **{answer.status}**", escaped(answer.text), *([table] if rows else [])])


def _origin(figure: Figure) -> str:
    return escaped(figure.traced_to) if figure.traced_to else f"**marked**: {escaped(figure.mark or '–')}"


def verification_html(found: Verification) -> str:
    """Return a judgement of a text."""
    rows = ((figure.text, figure.traced_to or f"marked: {figure.mark}") for figure in found.figures)
    figures = markup.table("Figures", ("figure", "where it comes from"), rows)
    return page_part(tag("p", "Status: ", tag("strong", found.status)), tag("p", found.marked_text), figures)


def verification_markdown(found: Verification) -> str:
    """Return the same as Markdown, in a block of code."""
    return block(verification_text(found))


def verification_text(found: Verification) -> str:
    """Return the same as plain text."""
    return lines_text([f"status: {found.status}", *quoted(found.marked_text)]) + "\n" + figures_text(found.figures)


def escaped(text: str) -> str:
    """Return text that Markdown shows as it stands."""
    found = " ".join(printable(text).split()).translate(_MARKDOWN_SPECIAL)
    return found.replace("://", "&#58;//").replace("www.", "www&#46;")  # a bare address would become a link


def _table(table: TableReport) -> Markup:
    shown = TableReport(table.name, table.rows_kept, table.rows_changed, table.columns[:SHOWN_COLUMNS],
                        table.rows_quarantined)  # fmt: skip
    left = len(table.columns) - SHOWN_COLUMNS
    more = tag("p", f"{left} more columns are not shown.") if left > 0 else None
    return tag("div", guard.counts(table), guard.verdict_table(shown), more)


def _lines(tables: tuple[TableReport, ...]) -> list[str]:
    return [line for table in tables for line in table_lines(table)]


def _table_markdown(table: TableReport) -> str:
    head = f"Table **{escaped(table.name)}**: {table.rows_kept} rows kept, {table.rows_quarantined} quarantined"
    rows = [
        f"| {escaped(column.label)} | {column.verdict} | {escaped(column.unit or '–')} | {escaped(column.reason)} |"
        for column in table.columns[:SHOWN_COLUMNS]
    ]
    return "\n".join([head, "", "| column | verdict | unit | why |", "|---|---|---|---|", *rows])


Looks = tuple[Callable[[Any], str], Callable[[Any], str], Callable[[Any], str]]  # HTML, Markdown, plain
LOOKS: Mapping[type, Looks] = {
    Analysis: (analysis_html, analysis_markdown, analysis_text),
    GuardReport: (report_html, report_markdown, report_text),
    RunResult: (run_html, run_markdown, run_plain),
    Answer: (answer_html, answer_markdown, lambda answer: answer_text(answer, "EXPORT")),
    Verification: (verification_html, verification_markdown, verification_text),
}


def register_looks(formatters: Mapping[str, Any]) -> None:
    """Give each type its looks in a shell's formatters; a subclass has those of its base."""
    for kind, (html, markdown, plain) in LOOKS.items():
        formatters["text/html"].for_type(kind, html)
        formatters["text/markdown"].for_type(kind, markdown)
        formatters["text/plain"].for_type(kind, _printer(plain))


def _printer(plain: Callable[[Any], str]) -> Callable[[Any, Any, bool], None]:
    def show(value: Any, printer: Any, cycle: bool) -> None:
        printer.text(plain(value))

    return show
