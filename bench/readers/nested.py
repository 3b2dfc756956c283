"""Nested rows, as Neware writes them: cycles, under each its steps, under each its records, indented by empty cells.

    Cycle ID,Cap_Chg(mAh)
    ,Step ID,Step Name
    ,,Record ID,Time(h:min:s),Voltage(V)
    1,1.2
    ,1,Rest
    ,,1,0:00:01,3.0100

Each level is a table, so that every line is a row of exactly one; the innermost has the export's name, the others a
name with their level behind it. A row takes the first cell of each row that it stands under.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from bench.export import LINE, ROW, Export, RawTable, no_quarantine
from bench.readers import names, nesting
from bench.readers.content import Content
from bench.readers.delimited import read_careful
from bench.readers.encoding import open_text
from bench.readers.fields import split
from bench.readers.options import ReadOptions
from bench.readers.parts import read_parts
from bench.readers.plain import Shape
from bench.source import Source
from guards import ExportColumn


def read_nested(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a table for each level.

    Raises:
        ExportError: it is no text.
    """
    text = open_text(source, encoding=options.encoding, content=content)
    head = bytes(text.data[text.start : text.start + (1 << 16)]).decode("utf-8", "replace")
    found = nesting.HEADS.match(head)
    delimiter = options.delimiter or (found["d"] if found is not None else ",")
    lines = [split(line, delimiter) for line in head.splitlines()[: nesting.MOST_LEVELS + 1]]
    count = nesting.levels(lines)
    if count < 2:  # its first bytes only looked so
        return read_parts(source, options, content)
    headers = [cells[at:] for at, cells in enumerate(lines[:count])]
    width = max(at + len(cells) for at, cells in enumerate(headers))
    columns = tuple(f"\0{at}" for at in range(width))
    start = text.start + sum(len(line.encode()) for line in head.splitlines(keepends=True)[:count])
    rows = read_careful(text, source, start, count + 1, Shape(delimiter, width, columns, optional=width - 1))
    frame = rows.frame.collect()
    level = pl.coalesce(*(pl.when(pl.col(f"\0{at}").is_not_null()).then(at) for at in range(count)), count - 1)
    frame = frame.with_columns(level.alias("\0level"))
    frame = frame.with_columns(_above(at).alias(f"\0above{at}") for at in range(count - 1))
    base = options.table or names.table_name(Path(content.name))
    tables = [_table(base, frame, headers, at) for at in reversed(range(count))]
    tables[0] = replace(
        tables[0], rows_read=tables[0].rows_read + rows.quarantine.height,
        quarantine=rows.quarantine.with_columns(_numbers_behind(rows.quarantine, tables[0].rows_read)),
    )  # fmt: skip
    tally = rows.tally
    counts = {
        "header": count, "rows": tally.row_lines, "quarantined": tally.quarantined_lines, "blank": tally.blank_lines,
    }  # fmt: skip
    dialect = {"delimiter": delimiter, "encoding": text.encoding, "levels": count, "lines": counts}
    return Export(source.path, "nested", dialect, tuple(tables), source)


def _above(level: int) -> pl.Expr:
    """Return the key of the row of this level that a row stands under."""
    return pl.when(pl.col("\0level") == level).then(pl.col(f"\0{level}")).forward_fill()


def _numbers_behind(quarantine: pl.DataFrame, rows: int) -> pl.Series:
    return pl.int_range(rows + 1, rows + quarantine.height + 1, dtype=pl.Int64, eager=True).alias(ROW)


def _table(base: str, frame: pl.DataFrame, headers: list[list[str]], level: int) -> RawTable:
    inherited = [headers[at][0] for at in range(level)]
    texts = [*inherited, *headers[level]]
    unique = names.column_names(texts)
    held = [f"\0above{at}" for at in range(level)] + [f"\0{level + at}" for at in range(len(headers[level]))]
    kept = frame.filter(pl.col("\0level") == level)
    rows = pl.int_range(1, kept.height + 1, dtype=pl.Int64, eager=True).alias(ROW)
    cells = kept.select(LINE, *(pl.col(old).alias(new) for old, new in zip(held, unique, strict=True)))
    return RawTable(
        name=base if level == len(headers) - 1 else f"{base}_{level + 1}",
        frame=pl.DataFrame([rows]).hstack(cells).lazy(),
        columns=tuple(ExportColumn(new, old) for new, old in zip(unique, texts, strict=True)), rows_read=kept.height,
        quarantine=no_quarantine(),
    )  # fmt: skip
