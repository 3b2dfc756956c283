"""Excel workbooks: each sheet with cells is a table, found like one in delimited text.

A sheet becomes text first: a number in its shortest form, a date as ISO, a formula by the value that was last stored.
So preambles, units rows and ragged rows are handled by the one reader that knows them, and `_line` is the sheet's row.
A number whose format shows it as a percentage, or with a unit behind it, is the text that a person sees in the sheet.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.errors import ExportEmpty
from bench.export import Export, RawTable
from bench.readers import names
from bench.readers.cells import is_unit
from bench.readers.content import Content
from bench.readers.formats import unreadable
from bench.readers.options import ReadOptions
from bench.readers.parts import read_parts
from bench.source import Source

_LITERAL = re.compile(r'"[^"]*"|\\.')
_BEHIND = re.compile(r'[0#?]\s*"([^"]+)"\s*$')


def read_xlsx(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a workbook's tables, one a sheet that holds anything.

    Raises:
        ExportEmpty: no sheet holds anything.
        ExportError: it is cut or no workbook.
    """
    sheets = _sheets(source, content)
    if not sheets:
        raise ExportEmpty("the workbook's sheets are empty", file=source.path, hint="export it again from the bench.")
    base = options.table or names.table_name(Path(content.name))
    tables: list[RawTable] = []
    dialects: dict[str, object] = {}
    metadata: dict[str, str] = {}
    for title, text in sheets:
        own = base if len(sheets) == 1 else f"{base}_{names.table_name(Path(title + '.x'))}"
        read = read_parts(source, replace(options, table=own, delimiter=",", encoding=None), Content(title, text, None))
        tables.extend(read.tables)
        dialects[title] = dict(read.dialect)
        metadata |= {key if len(sheets) == 1 else f"{title}: {key}": value for key, value in read.metadata.items()}
    return Export(source.path, "xlsx", {"sheets": dialects}, tuple(tables), source, metadata)


def _sheets(source: Source, content: Content) -> list[tuple[str, bytes]]:
    openpyxl: Any = import_module("openpyxl")  # formats.py has made sure that it is there
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and extensions, which do not concern cells
            book = openpyxl.load_workbook(io.BytesIO(content.whole()), read_only=True, data_only=True)
            found = [(sheet.title, _text(sheet.iter_rows())) for sheet in book.worksheets]
            book.close()
    except Exception as problem:
        # The library raises what its parts raise (KeyError, TypeError, the XML parser's own) on a broken file.
        said = str(problem).partition("\n")[0] or type(problem).__name__
        raise unreadable(source, "an Excel workbook", said) from problem
    return [(title, text) for title, text in found if text.strip(b',\n" ')]


def _text(rows: Iterable[tuple[Any, ...]]) -> bytes:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(_trimmed(rows))
    return written.getvalue().encode("utf-8", "replace")


def _trimmed(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[str]]:
    """Yield rows of text without the empty columns that a sheet's used range drags along."""
    cells = [[_shown(cell) for cell in row] for row in rows]
    width = max((at + 1 for row in cells for at, cell in enumerate(row) if cell), default=0)
    yield from ((row[:width] if any(row) else []) for row in cells)


def _shown(cell: Any) -> str:
    """Return a cell as text.

    What its format makes of it is part of it: 0.93 may be shown as 93 %, or with mV, and a day without its midnight.
    """
    value = cell.value
    if isinstance(value, datetime) and value.time() == time() and "h" not in str(cell.number_format).lower():
        return value.date().isoformat()
    if not isinstance(value, float | int) or isinstance(value, bool):
        return _cell(value)
    shape = str(cell.number_format)
    if "%" in _LITERAL.sub("", shape):
        return f"{(Decimal(repr(value)) * 100).normalize():f} %"
    behind = _BEHIND.search(shape.split(";", maxsplit=1)[0])
    return f"{_cell(value)} {behind[1].strip()}" if behind and is_unit(behind[1]) else _cell(value)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _duration(value)
    return str(value).upper() if isinstance(value, bool) else str(value)


def _duration(value: timedelta) -> str:
    """Return a duration as one, in no unit that a header could contradict: `0d 00:01:30.5`."""
    if value < timedelta():
        return repr(value.total_seconds())
    minutes, seconds = divmod(value.seconds, 60)
    fraction = f".{value.microseconds:06}".rstrip("0") if value.microseconds else ""
    return f"{value.days}d {minutes // 60:02}:{minutes % 60:02}:{seconds:02}{fraction}"
