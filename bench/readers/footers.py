"""Delimited text whose last rows sum up those above: Min, Max, StdDev. They are no readings, and are quarantined.

Taken for rows they would count as boards and pull every mean, and so would limits that stand there. They are believed
only at the very end, each named by such a word in one of its first cells, where no row above is: a table of statistics
stays a table. One alone is believed where all above it have digits in that cell, as serials have.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from bench.export import LINE, QUARANTINE_SCHEMA, ROW, Export, RawTable
from bench.readers import fields, labels
from bench.readers.content import Content
from bench.readers.delimited import read_delimited
from bench.readers.dialect import DELIMITERS
from bench.readers.head import HEAD_BYTES, Record
from bench.readers.options import ReadOptions
from bench.readers.steps import told_apart
from bench.source import Source

_TAIL_BYTES = 1 << 14
_FEWEST, _MOST = 2, 24


def read_text(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return the export's table without the rows at its end that sum it up.

    Raises:
        ExportError: no text, or a text that can be read two ways with different numbers.
    """
    export = read_delimited(source, options, content)
    export = told_apart(export, lambda line: _line(content, str(export.dialect["encoding"]), line))
    delimiter = DELIMITERS.get(str(export.dialect["delimiter"]))
    if delimiter is None or str(export.dialect["encoding"]).startswith("utf-16"):
        return export
    found = _footer(_tail(content, str(export.dialect["encoding"])), delimiter)
    counts = export.dialect["lines"]
    assert isinstance(counts, dict)
    table, moved = _without(export.tables[0], found, sum(counts.values()))
    if not moved:
        return export
    lines = {**counts, "rows": counts["rows"] - moved, "quarantined": counts["quarantined"] + moved}
    return replace(export, tables=(table,), dialect={**export.dialect, "lines": lines, "summary_rows": moved})


def _line(content: Content, encoding: str, line: int) -> str:
    """Return a line of the head, nothing where there is none."""
    lines = content.head(HEAD_BYTES).decode(encoding, "replace").splitlines()[:line]
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _tail(content: Content, encoding: str) -> list[str]:
    """Return the last lines, without line ends; the first may be cut."""
    if content.data is not None:
        block = content.data[-_TAIL_BYTES:]
    else:
        assert content.path is not None
        with content.path.open("rb") as file:
            file.seek(-_TAIL_BYTES, 2)
            block = file.read()
    return block.decode(encoding, "replace").replace("\r\n", "\n").split("\n")


def _footer(lines: list[str], delimiter: str) -> list[tuple[int, str, str]]:
    """Return the summarizing lines: how many lines from the end (1 is the last one), word, text."""
    behind = 0 if lines and lines[-1] else -1
    found: list[tuple[int, str, str]] = []
    for at, line in enumerate(reversed(lines), start=1):
        if not line.strip(f' "{delimiter}'):
            continue
        word = labels.summary(Record(0, 1, line, tuple(fields.split(line, delimiter))))
        if word is None or len(found) >= _MOST:
            break
        found.append((at + behind, word, line))
    return found


def _without(table: RawTable, found: list[tuple[int, str, str]], lines: int) -> tuple[RawTable, int]:
    """Return the table without the rows at these lines, and how many they were."""
    if not found:
        return table, 0
    words = {lines - at + 1: word for at, word, _ in found}
    raw = {lines - at + 1: text for at, _, text in found}
    first = min(words)
    named = [column.name for column in table.columns[: labels.LABEL_CELLS]]
    above = table.frame.filter(pl.col(LINE) < first)
    alike = pl.any_horizontal(pl.col(name).str.strip_chars().is_in(list(words.values())) for name in named)
    count, again = above.select(pl.len(), alike.fill_null(value=False).sum().alias("again")).collect().row(0)
    below = table.frame.filter(pl.col(LINE) >= first).collect()
    if len({word.lower() for word in words.values()}) < _FEWEST and not _beside_serials(above, below, named, words):
        return table, 0
    if again or count < _FEWEST or not set(below.get_column(LINE)) <= set(words):
        return table, 0
    texts = pl.Series("text", [raw[line] for line in below.get_column(LINE)], dtype=pl.String)
    reasons = [f"sums up the rows above ({words[line]})" for line in below.get_column(LINE)]
    rows = below.select(ROW, LINE).with_columns(pl.Series("reason", reasons), texts)
    quarantine = pl.concat([table.quarantine, rows.cast(QUARANTINE_SCHEMA)]).sort(ROW)
    kept = RawTable(table.name, above, table.columns, table.rows_read, quarantine, table.decimal)
    return kept, below.height


def _beside_serials(above: pl.LazyFrame, below: pl.DataFrame, named: list[str], words: dict[int, str]) -> bool:
    """Return whether the column in which the words stand has digits in every cell above."""
    column = next((name for name in named if set(below[name].str.strip_chars()) <= {*words.values()}), None)
    if column is None:
        return False
    return bool(above.select(pl.col(column).str.contains(r"\d").fill_null(value=False).all()).collect().item())
