"""XML test reports: NI TestStand's own and IEEE 1671 ATML, each as one long table."""

from __future__ import annotations

from pathlib import Path

from bench.errors import ExportError
from bench.export import Export
from bench.readers import atml, names, teststand, xmltree
from bench.readers.content import Content
from bench.readers.options import ReadOptions
from bench.readers.reports import long_table
from bench.source import Source


def read_xml(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a report's table.

    Raises:
        ExportError: it is no well-formed XML, or no report that is known.
    """
    root = xmltree.parse(source, content.whole())
    if root.tag in ("Reports", "Report"):
        kind, (found, metadata) = "teststand", teststand.measurements(root)
    elif root.tag in ("TestResults", "TestResultsCollection"):
        kind, (found, metadata) = "atml", atml.measurements(root)
    else:
        raise ExportError(
            f"this is XML with the root element <{root.tag}>, and only TestStand (<Reports>) and ATML "
            "(<TestResults>) reports can be read",
            file=source.path,
            line=root.line,
            hint="export as CSV, ATML or TestStand XML; `bench-analyze formats` lists what can be read.",
        )
    if not found:
        raise ExportError(
            "the report holds no step results",
            file=source.path,
            line=root.line,
            hint="have the report written with results included.",
        )
    table = long_table(options.table or names.table_name(Path(content.name)), found, options.decimal)
    counts = {
        "steps": len(found),
        "with_value": sum(row.value is not None for row in found),
        "with_text": sum(row.text_value is not None for row in found),
    }
    return Export(source.path, kind, {"root": root.tag, "results": counts}, (table,), source, metadata)
