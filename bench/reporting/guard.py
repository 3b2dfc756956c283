"""What the guard found, as sections of the report: verdicts, judged columns with evidence, flags, quarantine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from bench import caveats, tables
from bench.bulk import quote
from bench.export import LINE, ROW
from bench.progress import Progress
from bench.reporting import markup
from bench.reporting.markup import Markup, tag
from bench.reporting.plot import figure
from bench.reporting.ranges import boards_in, ranges_of
from bench.reporting.series import parts_to_draw, series_of

if TYPE_CHECKING:
    from pathlib import Path

    from bench.analysis import Analysis
    from guards import ColumnReport, TableReport

SHOWN_ROWS = 200
SHOWN_PLOTS = 150
SHOWN_WITNESSES = 40
_ALL_MARKS = 60_000  # of all plots together: about a megabyte
_FEWEST, _MOST = 120, 400
SEGMENTS = ("fixture", "station", "lot")
_SPEAKS = {True: "for", False: "against", None: "silent"}


def verdict(column: ColumnReport) -> Markup:
    """Return a column's verdict as a badge: a word, never a colour alone; a column without a question has no badge."""
    if not column.judged:
        return tag("span", column.verdict)
    return tag("span", column.verdict, class_=f"badge {column.verdict}")


def verdict_table(table: TableReport) -> Markup:
    """Return one row a column, measurement and segment."""
    head = ("column", "verdict", "header says", "values are in", "unit now", "rows", "null", "cleared", "faults", "why")
    return markup.table(
        f"Columns of {table.name}", head, (_verdict_row(column) for column in table.columns), class_="verdicts"
    )


def _verdict_row(column: ColumnReport) -> tuple[object, ...]:
    return (
        column.label, verdict(column), column.declared_unit or "no unit", column.resolved_unit or "–",
        column.unit or "–", f"{column.rows:,}", f"{column.nulls:,}", f"{column.sentinels:,}", f"{column.faults:,}",
        " ".join(filter(None, [column.reason, _proposal(column)])),
    )  # fmt: skip


def _proposal(column: ColumnReport) -> str:
    found = column.proposal
    if found is None or "Proposal:" in column.reason:
        return ""
    return f"Proposed, and not done: {found.unit}, because {found.why.rstrip('.')}."


def counts(table: TableReport) -> Markup:
    """Return how every row of a table is accounted for."""
    return tag(
        "p", f"{table.rows_read:,} rows read = {table.rows_kept:,} kept + {table.rows_quarantined:,} quarantined; "
        f"{table.rows_changed:,} changed. Outcome: ", tag("strong", table.outcome), ".",
    )  # fmt: skip


def columns_section(analysis: Analysis, progress: Progress | None = None) -> Iterator[Markup]:
    """Yield each judged column with its plot and its evidence."""
    parts, left_out = parts_to_draw(analysis.table_reports, SHOWN_PLOTS)
    if not parts:
        yield tag("p", "No column holds measured values.")
        return
    if left_out:
        yield tag("p", f"{left_out:,} more judged columns are in the tables above and are not drawn: the report shows "
                  f"{SHOWN_PLOTS}, those first that the guard changed, refused or flagged.")  # fmt: skip
    boards = boards_in(analysis.db)
    segments = list(dict.fromkeys([*(name for board in boards for name in board.segments), *SEGMENTS]))
    marks = min(max(_ALL_MARKS // len(parts), _FEWEST), _MOST)
    for number, (part, series) in enumerate(zip(parts, series_of(analysis.db, parts, segments, marks), strict=True)):
        if progress:
            progress("Drawing", number, len(parts))
        column = part.column
        heading = tag("h3", f"{part.table.name}: {column.label} ", verdict(column), id=f"column-{number}")
        noted = caveats.notes(column)
        yield tag(
            "article", heading, tag("p", " ".join(filter(None, [column.reason, noted, _proposal(column)]))),
            figure(column, series, ranges_of(boards, column), number), _evidence(column),
        )  # fmt: skip


def _evidence(column: ColumnReport) -> Markup:
    if not column.witnesses:
        return tag("p", f"Rule {column.rule}; no witness spoke.")
    shown = column.witnesses[:SHOWN_WITNESSES]
    rows = ((w.name, "hard" if w.hard else "soft", w.candidate, _SPEAKS[w.supports], w.detail) for w in shown)
    caption = f"Evidence for {column.label}: rule {column.rule}" + (
        f", the first {SHOWN_WITNESSES} of {len(column.witnesses)}" if len(column.witnesses) > SHOWN_WITNESSES else ""
    )
    return markup.details(
        f"Evidence: rule {column.rule}, {len(column.witnesses)} witnesses",
        markup.table(caption, ("witness", "kind", "as", "speaks", "what it says"), rows),
    )


def flags_section(analysis: Analysis) -> Markup:
    """Return the cells that were cleared or flagged, with row and line."""
    frame, total = _ledger(analysis.db, "flags", ("table_name", ROW, "column_name", "measurement", "kind", "detail"))
    if not total:
        return tag("p", "No cell was cleared, and none was flagged.")
    lines = _lines(analysis.db, frame)
    rows = (
        (row["table_name"], row[ROW], lines.get((row["table_name"], row[ROW]), "–"), row["column_name"],
         row["measurement"] or "–", row["kind"], row["detail"])
        for row in frame.to_dicts()
    )  # fmt: skip
    head = ("table", "row", "line", "column", "measurement", "kind", "what")
    return markup.table(_title("Flagged and cleared cells", frame.height, total, "flags"), head, rows)


def quarantine_section(analysis: Analysis) -> Markup:
    """Return the rows that were set aside, with their text."""
    frame, total = _ledger(analysis.db, "quarantine", ("table_name", ROW, LINE, "reason", "text"))
    if not total:
        return tag("p", "No row was set aside.")
    rows = ((*row[:4], markup.text(row[4] or "", 2_000)) for row in frame.iter_rows())
    return markup.table(
        _title("Quarantined rows", frame.height, total, "quarantine"), ("table", "row", "line", "why", "text"), rows
    )


def _title(what: str, shown: int, total: int, name: str) -> str:
    more = f": the first {shown:,} of {total:,}; all are in guard.{name} of --db FILE" if shown < total else ""
    return f"{what} ({total:,}){more}" if not more else what + more


def _ledger(database: Path, name: str, columns: Sequence[str]) -> tuple[pl.DataFrame, int]:
    with tables.explained(database), tables.open_database(database) as con:
        ((total,),) = con.execute(f"SELECT count(*) FROM guard.{name}").fetchall()
        chosen = ", ".join(map(quote, columns))
        return pl.DataFrame(
            con.sql(f"SELECT {chosen} FROM guard.{name} ORDER BY table_name, {ROW} LIMIT {SHOWN_ROWS}")
        ), total


def _lines(database: Path, flags: pl.DataFrame) -> dict[tuple[str, int], int]:
    """Return the lines of flagged rows where the raw file tells them: it holds the tables that the guard changed."""
    found: dict[tuple[str, int], int] = {}
    with tables.explained(database), tables.open_database(database) as con:
        there = {
            str(name)
            for (name,) in con.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'raw'").fetchall()
        }
        for (name,), rows in flags.group_by(["table_name"]):
            if name in there:
                numbers = ", ".join(str(int(row)) for row in rows[ROW].drop_nulls().unique())
                query = f"SELECT {ROW}, {LINE} FROM raw.{quote(str(name))} WHERE {ROW} IN ({numbers or 'NULL'})"
                found |= {(str(name), row): line for row, line in con.execute(query).fetchall()}
    return found
