"""JSON test reports: OpenHTF records and measurements, and WATS (WSJF), each as one long table.

A number stays the text that the file holds. OpenHTF measurements with dimensions become tables of their own, a column
for each dimension with its unit (UNECE suffix).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.errors import ExportError
from bench.export import Export, RawTable
from bench.readers import names, openhtf, wats
from bench.readers.content import Content
from bench.readers.encoding import open_text
from bench.readers.formats import unreadable
from bench.readers.options import ReadOptions
from bench.readers.reports import long_table
from bench.source import Source


class Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


def read_json(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a report's tables.

    Raises:
        ExportError: it is no JSON, or no report that is known.
    """
    text = open_text(source, encoding=options.encoding, content=content)
    document = _parsed(source, bytes(text.data[text.start :]).decode("utf-8", "replace"))
    name = options.table or names.table_name(Path(content.name))
    tables: list[RawTable] = []
    if wats.is_report(document):
        kind, (found, metadata) = "wsjf", wats.measurements(document)
    else:
        kind = "openhtf"
        found, metadata = openhtf.measurements(document)
        tables.extend(openhtf.dimensioned(document, name, alone=not found))
    if found:
        tables.insert(0, long_table(name, found))
    if not tables:
        raise ExportError(
            "this is JSON, but neither an OpenHTF nor a WATS (WSJF) report: it has no measurements",
            file=source.path,
            hint="export as CSV; `bench-analyze formats` lists what can be read.",
        )
    return Export(
        source.path, kind, {"encoding": text.encoding, "tables": len(tables)}, tuple(tables), source, metadata
    )


def _parsed(source: Source, text: str) -> Any:
    try:
        return _loads(text)
    except json.JSONDecodeError as problem:
        if problem.msg == "Extra data" and (records := _by_line(text)) is not None:
            return records
        raise unreadable(source, "JSON", f"{problem.msg}, column {problem.colno}", line=problem.lineno) from problem
    except RecursionError as problem:
        raise unreadable(source, "JSON", "it is nested too deep") from problem


def _loads(text: str) -> Any:
    return json.loads(text, parse_float=Number, parse_int=Number, parse_constant=Number)


def _by_line(text: str) -> list[Any] | None:
    """Return the records of a file that holds one a line, None where a line is no JSON."""
    try:
        return [_loads(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError:
        return None
