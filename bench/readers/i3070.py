"""Keysight i3070 in-circuit test logs: nested records in braces, `{@A-RES|0|+1.001E+03{@LIM2|high|low}}`.

A measurement's record names no unit: its type implies it (A-RES is ohms, A-CAP farads). A limit record is nested in or
follows its measurement; `@LIM2` holds high and low, `@LIM3` nominal, high and low. Blocks give the component's name,
and a subtest in the record is added to it. What is outside of a record, or in one that never closes, is quarantined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from bench.export import QUARANTINE_SCHEMA, Export
from bench.readers import names
from bench.readers.content import Content
from bench.readers.encoding import open_text
from bench.readers.options import ReadOptions
from bench.readers.reports import Measurement, long_table
from bench.source import Source

# Types whose values have one unit (i3070 "Log Record Format"); jumpers and fuses are measured as resistors.
_UNITS = {
    "RES": "ohm", "POT": "ohm", "JUM": "ohm", "FUS": "ohm", "SWI": "ohm", "CAP": "F", "IND": "H", "DIO": "V",
    "ZEN": "V", "NPN": None, "PNP": None, "NFE": "ohm", "PFE": "ohm", "MEA": None,
}  # fmt: skip
_OTHER_TESTS = ("@D-T", "@TJET", "@TS", "@PF", "@BS-CON", "@CCHK", "@PCHK")
_HEADER = {"UUT type": 1, "revision": 2, "fixture": 3, "testhead": 4, "batch": 7, "operator": 8}
_TOKEN = re.compile(r"[{}]|[^{}]+")


@dataclass(slots=True)
class _Log:
    rows: list[Measurement] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    base: Measurement = field(default_factory=Measurement)
    block: str | None = None

    def take(self, line: int, cells: Sequence[str]) -> None:
        """Take one record, its cells in order."""

        def at(position: int) -> str | None:
            return cells[position].strip() or None if position < len(cells) else None

        kind = cells[0].strip()
        if kind == "@BATCH":
            self.metadata |= {key: found for key, place in _HEADER.items() if (found := at(place))}
        elif kind == "@BTEST":
            self.base = Measurement(serial=at(1), timestamp=_time(at(3)), part_number=self.metadata.get("UUT type"))
        elif kind == "@BLOCK":
            self.block = at(1)
        elif kind.startswith("@A-"):
            self._measured(line, kind[3:], at(1), at(2), at(3))
        elif kind in ("@LIM2", "@LIM3") and self.rows:
            high, low = (at(1), at(2)) if kind == "@LIM2" else (at(2), at(3))
            self.rows[-1] = replace(self.rows[-1], upper_limit=high, lower_limit=low)
        elif kind in _OTHER_TESTS:
            row = replace(self.base, line=line, step_type=kind[1:], result=_outcome(at(1)))
            self.rows.append(replace(row, measurement=self.block or kind[1:]))
        else:
            self.others[kind] += 1

    def _measured(self, line: int, kind: str, status: str | None, value: str | None, part: str | None) -> None:
        name = "/".join(dict.fromkeys(found for found in (self.block, part) if found)) or kind
        self.rows.append(
            replace(
                self.base,
                line=line,
                step_group=self.block,
                step_type=f"A-{kind}",
                measurement=name,
                value=value,
                unit=_UNITS.get(kind),
                result=_outcome(status),
            )
        )


def read_i3070(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a log's table: one row a measurement or a digital, shorts or pins test.

    Raises:
        ExportError: it is no text.
    """
    text = open_text(source, encoding=options.encoding, content=content)
    log, refused, records = _Log(), [], 0
    for line, record, problem in _records(bytes(text.data[text.start :]).decode("utf-8", "replace")):
        if problem is None:
            records += 1
            log.take(line, record.split("|"))
        else:
            refused.append((line, record, problem))
    table = long_table(options.table or names.table_name(Path(content.name)), log.rows)
    broken = pl.DataFrame(
        [
            {"_row": len(log.rows) + at, "_line": line, "reason": reason, "text": record}
            for at, (line, record, reason) in enumerate(refused, start=1)
        ],
        schema=QUARANTINE_SCHEMA,
    )
    dialect = {"encoding": text.encoding, "records": records, "other_records": dict(log.others)}
    complete = replace(table, quarantine=broken, rows_read=table.rows_read + broken.height)
    return Export(source.path, "i3070", dialect, (complete,), source, log.metadata)


def _records(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield line and text of each record in the order in which they open, with what is wrong about it."""
    line, depth, opened = 1, 0, False
    for token in _TOKEN.findall(text):
        begins = line + token[: len(token) - len(token.lstrip())].count("\n")
        line += token.count("\n")
        said = token.strip()
        if token == "{":
            depth, opened = depth + 1, True
        elif token == "}":
            if not depth:
                yield begins, token, "a brace closes that was not opened"
            depth, opened = max(depth - 1, 0), False
        elif said:
            if opened and said.startswith("@"):
                yield begins, said, None
            else:
                yield begins, said, "text outside of a record"
            opened = False
    if depth > 2:  # a log that is cut leaves its batch and its board open, and no more
        yield line, "", f"{depth} records do not close"


def _outcome(status: str | None) -> str | None:
    """Return the outcome by a record's status: 0, or 00 for a block, is a pass."""
    return None if status is None else "PASS" if not status.strip("0") else "FAIL"


def _time(text: str | None) -> str | None:
    """Return `yymmddhhmmss` as ISO 8601."""
    if text is None or len(text) != 12 or not text.isdigit():
        return text
    year, month, day, hour, minute, second = (text[at : at + 2] for at in range(0, 12, 2))
    return f"20{year}-{month}-{day}T{hour}:{minute}:{second}"
