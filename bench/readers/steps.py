"""Rows of several runs in one table, each run below a line that says which it is.

    time  V(out)                            CURVE1  TABLE  200
    Step Information: R=1K  (Run: 1/3)              Pt     T     Vf
    0.0   0.1                                       0      0.1   0.02

LTspice writes such lines below one header; Gamry writes the header again below each, with another number in the same
words, and others the serial of the next board. Every run begins its time anew, so a mean over all of them means
nothing. Each row takes the text of the line that it stands under into a column of its own; the lines are header.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from bench.export import LINE, ROW, Export, RawTable
from bench.readers import names
from bench.readers.records import RAGGED, REPEATED
from guards import ExportColumn

_STEP = re.compile(
    r"^\s*(?P<what>[A-Za-z][A-Za-z ]*):\s*(?P<said>[^\s=]+=\S+(?:\s+[^\s=]+=\S+)*)"
    r"(?:\s+\((?P<name>[A-Za-z]+):\s*(?P<number>\d+)/\d+\))?\s*$"
)
_KEYS = re.compile(r"(\S+?)=")
_KEY_VALUE = re.compile(r"^\W*(?P<key>[^\W\d][^:=,;\t\d]*)[:=,;\t]\s*(?P<value>[^,;\t]+?)[\s,;]*$")  # Serial: SN001
_NUMBERED = re.compile(r"^\W*(?P<key>[^\W\d_]+)[\s_:=#]*(?P<value>[-+]?\d[^\t;|]*?)(?:[\t;|].*|[\s,]*)$")  # Cycle 2
_SAYS = re.compile(r"^\W*[^\W\d_]")  # a broken row begins with a number
_FEWEST, _MOST = 2, 10_000  # titles
_LONGEST = 200  # bytes of one
_NO_TITLE = re.compile(
    r"(?i)page|seite|sheet|err|fehler|fail|fault|warn|alarm|note|remark|comment|event|total|passed|status|end"
)
_BEFORE = "\0before"  # how many of the lines stand above a row


def told_apart(export: Export, above: Callable[[int], str]) -> Export:
    """Return the export with the runs of its only table told apart, if all of them are headed by such lines.

    `above` gives the text of a line of the file.
    """
    (table,) = export.tables
    ragged = table.quarantine.filter(pl.col("reason").str.contains(RAGGED))
    ragged = ragged.filter(pl.col("text").str.len_bytes() <= _LONGEST)
    if not 0 < ragged.height <= _MOST:
        return export
    counts = export.dialect["lines"]
    assert isinstance(counts, dict)
    found = _stepped(table, ragged) or _numbered(export, ragged, above) or _titled(table, ragged)
    if found is None:
        return export
    marks, first = found
    inside = marks.height - first  # of these, lines that are quarantined
    moved = {"quarantined": counts["quarantined"] - inside, "header": counts["header"] + inside}
    dialect = {**export.dialect, "lines": {**counts, **moved}, "steps": marks.height}
    return replace(export, tables=(_with_marks(table, marks, first),), dialect=dialect)


def _stepped(table: RawTable, ragged: pl.DataFrame) -> tuple[pl.DataFrame, int] | None:
    """Return the lines that say what was stepped, with what they say, where all of them say the same of their run."""
    found = [_STEP.match(text) for text in ragged.get_column("text")]
    steps = [step for step in found if step is not None]
    if any(map(_SAYS.match, _others(ragged, found))):
        return None  # whose are the rows below a line that says something else?
    kinds = {(step["what"], step["name"], tuple(_KEYS.findall(step["said"]))) for step in steps}
    if len(kinds) != 1 or steps[0]["name"] is None:
        return None
    lines = _lines(ragged, found)
    first = table.frame.select(pl.col(LINE).min()).collect().item()
    if first is not None and lines[0] > first:
        return None  # whose rows stand above the first of them?
    said = [" ".join(step["said"].split()) for step in steps]
    columns = {steps[0]["name"]: [step["number"] for step in steps], steps[0]["what"]: said}
    return pl.DataFrame({LINE: lines, **columns}), 0


def _numbered(export: Export, ragged: pl.DataFrame, above: Callable[[int], str]) -> tuple[pl.DataFrame, int] | None:
    """Return the lines above each time that the header stands, where they differ by their numbers only."""
    counts = export.dialect["lines"]
    assert isinstance(counts, dict)
    repeated = export.tables[0].quarantine.filter(pl.col("reason") == REPEATED).select(pl.col(LINE) - 1)
    headers = repeated.filter(~pl.col(LINE).is_in((repeated.get_column(LINE) + 1).implode()))  # not the units below
    lines = ragged.join(headers, on=LINE, how="semi")
    others = ragged.join(headers, on=LINE, how="anti").get_column("text")
    if not lines.height or lines.height < headers.height or any(map(_SAYS.match, others)):
        return None  # whose are the rows below a header without a line above it, or below another line?
    title = above(counts["preamble"])
    found = [_KEY_VALUE.match(text) or _NUMBERED.match(text) for text in (title, *lines.get_column("text"))]
    said = [each["value"].strip() for each in found if each is not None]
    keys = {each["key"].strip() for each in found if each is not None}
    if len(said) < len(found) or len(set(said)) < len(said) or len(keys) > 1:
        return None
    key = keys.pop()
    if _NO_TITLE.match(key):
        return None
    marks = {LINE: [counts["preamble"], *lines.get_column(LINE)], key: said}
    return pl.DataFrame(marks, schema={LINE: pl.Int64, key: pl.String}), 1


def _titled(table: RawTable, ragged: pl.DataFrame) -> tuple[pl.DataFrame, int] | None:
    """Return the lines of a key and a value, another one each, below a header that stands once: `Cycle 1`."""
    found = [_KEY_VALUE.match(text) or _NUMBERED.match(text) for text in ragged.get_column("text")]
    titles = [each for each in found if each is not None]
    if not titles or any(map(_SAYS.match, _others(ragged, found))):
        return None
    keys, values = {each["key"].strip() for each in titles}, [each["value"].strip() for each in titles]
    if len(keys) != 1 or len(values) < _FEWEST or len(set(values)) < len(values) or _NO_TITLE.match(next(iter(keys))):
        return None
    lines = _lines(ragged, found)
    first = table.frame.select(pl.col(LINE).min()).collect().item()
    if first is None or lines[0] > first:
        return None
    return pl.DataFrame({LINE: lines, keys.pop(): values}), 0


def _lines(ragged: pl.DataFrame, found: Sequence[re.Match[str] | None]) -> pl.Series:
    """Return the numbers of the lines that were found to be titles."""
    return ragged.filter(pl.Series([each is not None for each in found], dtype=pl.Boolean)).get_column(LINE)


def _others(ragged: pl.DataFrame, found: Sequence[re.Match[str] | None]) -> list[str]:
    """Return the texts of the lines that were not."""
    return [text for text, each in zip(ragged.get_column("text"), found, strict=True) if each is None]


def _with_marks(table: RawTable, marks: pl.DataFrame, first: int) -> RawTable:
    """Return the table with what the lines say in columns of their own; the `first` of them are in no quarantine."""
    texts = marks.columns[1:]
    unique = names.column_names([*(column.name for column in table.columns), *texts])[len(table.columns) :]
    marks = marks.rename(dict(zip(texts, unique, strict=True)))
    marks = marks.with_columns((pl.int_range(1, pl.len() + 1) - first).alias(_BEFORE)).set_sorted(LINE)
    row = (pl.col(ROW) - pl.col(_BEFORE).fill_null(0)).alias(ROW)
    frame = table.frame.set_sorted(LINE).join_asof(marks.lazy(), on=LINE).with_columns(row).drop(_BEFORE)
    rest = table.quarantine.join(marks.select(LINE), on=LINE, how="anti").sort(LINE).set_sorted(LINE)
    rest = rest.join_asof(marks.select(LINE, _BEFORE), on=LINE).with_columns(row).drop(_BEFORE)
    columns = (*table.columns, *(ExportColumn(name, text) for name, text in zip(unique, texts, strict=True)))
    return RawTable(table.name, frame, columns, table.rows_read - marks.height + first, rest, table.decimal)
