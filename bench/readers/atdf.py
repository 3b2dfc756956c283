"""ATDF: STDF as text. One record a line (`PTR:10|1|1|...`), continued by a leading space, the separator set by `FAR`.

The flag in FAR says whether values are scaled (S, the default: in the unit that the record names) or not (U).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from bench.export import QUARANTINE_SCHEMA, Export
from bench.readers import names
from bench.readers.content import Content
from bench.readers.datalog import Datalog
from bench.readers.encoding import open_text
from bench.readers.formats import unreadable
from bench.readers.options import ReadOptions
from bench.readers.reports import Measurement, long_table
from bench.source import Source

_Cell = Callable[[int], str | None]
_HEADER = {"lot": 0, "part type": 1, "job": 2, "node": 3, "tester type": 4, "setup": 5, "start": 6, "operator": 7}


def read_atdf(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a datalog's table: one row a result.

    Raises:
        ExportError: the first record is no FAR.
    """
    text = open_text(source, encoding=options.encoding, content=content)
    lines = bytes(text.data[text.start :]).decode("utf-8", "replace").splitlines()
    first = lines[0]
    if not first.startswith("FAR:A") or len(first) < 6:
        raise unreadable(source, "ATDF", "its first record is no FAR", line=1)
    separator, log, refused, total = first[5], Datalog(), [], 0
    for line, record in _records(lines):
        total += 1
        if not _take(log, record, separator, line):
            refused.append((line, record))
    table = long_table(options.table or names.table_name(Path(content.name)), log.rows)
    broken = pl.DataFrame(
        [
            {"_row": len(log.rows) + at, "_line": line, "reason": "no ATDF record", "text": record}
            for at, (line, record) in enumerate(refused, start=1)
        ],
        schema=QUARANTINE_SCHEMA,
    )
    fields = [*first.split(separator), "", "", ""]
    dialect = {
        "scaling": fields[3] or "S", "separator": separator, "records": total, "inherited": log.inherited,
        "other_records": dict(log.skipped), "contradictions": log.contradictions(),
    }  # fmt: skip
    complete = replace(table, quarantine=broken, rows_read=table.rows_read + broken.height)
    return Export(source.path, "atdf", dialect, (complete,), source, log.metadata)


def _records(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each record, continuation lines joined."""
    held: tuple[int, str] | None = None
    for number, line in enumerate(lines, start=1):
        if line.startswith(" ") and held is not None:
            held = (held[0], held[1] + line[1:])
            continue
        if held is not None:
            yield held
        held = (number, line) if line.strip() else None
    if held is not None:
        yield held


def _take(log: Datalog, record: str, separator: str, line: int) -> bool:
    """Take one record; False if it is none."""
    kind, colon, rest = record.partition(":")
    if not colon or len(kind) != 3 or not kind.isalnum():
        return False
    cells = rest.split(separator)

    def at(position: int) -> str | None:
        return cells[position].strip() or None if position < len(cells) else None

    place = (at(1) or "1", at(2) or "1")
    if kind == "MIR":
        log.metadata |= {key: found for key, position in _HEADER.items() if (found := at(position))}
    elif kind == "PIR":
        log.part_begins(at(0) or "1", at(1) or "1")
    elif kind == "PRR":
        log.part_ends(at(0) or "1", at(1) or "1", at(2))
    elif kind == "PTR":
        log.result(*place, _parametric(at, line))
    elif kind == "MPR":
        for row in _several(at, line):
            log.result(*place, row)
    elif kind == "FTR":
        log.result(*place, _functional(at, line), defaults=False)
    elif kind == "TSR":
        log.synopsis(at(2) or "", at(11), at(12))
    else:
        log.skipped[kind] += 1
    return True


def _outcome(flag: str | None) -> str | None:
    return {"P": "PASS", "F": "FAIL", "A": "ALTERNATE PASS"}.get(flag or "", flag)


def _parametric(at: _Cell, line: int) -> Measurement:
    return Measurement(
        line=line, test_number=at(0), value=at(3), result=_outcome(at(4)), measurement=at(6), unit=at(9),
        lower_limit=at(10), upper_limit=at(11),
    )  # fmt: skip


def _several(at: _Cell, line: int) -> Iterator[Measurement]:
    values, pins = (at(4) or "").split(","), (at(16) or "").split(",")
    base = Measurement(
        line=line, test_number=at(0), result=_outcome(at(5)), measurement=at(7), unit=at(10), lower_limit=at(11),
        upper_limit=at(12),
    )  # fmt: skip
    for position, value in enumerate(values):
        pin = pins[position].strip() if len(pins) == len(values) else str(position + 1)
        yield replace(
            base, measurement=f"{base.measurement or base.test_number}[{pin}]", value=value.strip() or None
        )  # fmt: skip


def _functional(at: _Cell, line: int) -> Measurement:
    return Measurement(
        line=line, test_number=at(0), result=_outcome(at(3)), measurement=at(20) or at(5), step_type="FTR"
    )
