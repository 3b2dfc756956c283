"""STDF V4, binary. Only the records with results and parts are decoded; the others are counted by type.

Byte order comes from FAR's CPU type. Values are in the unit of the record's UNITS before RES_SCAL, which is only a
wish for how to print them, so nothing is scaled here. A record that is cut ends the reading with an error that says
at which byte.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.export import Export
from bench.readers import names
from bench.readers.content import Content
from bench.readers.datalog import Datalog
from bench.readers.formats import unreadable
from bench.readers.options import ReadOptions
from bench.readers.reports import Measurement, long_table
from bench.source import Source

_MIR, _PIR, _PRR, _PTR, _MPR, _FTR, _TSR = (1, 10), (5, 10), (5, 20), (15, 10), (15, 15), (15, 20), (10, 30)


class _Short(Exception):  # noqa: N818 - a record may end early by the rules; caught below
    pass


@dataclass(slots=True)
class _Fields:
    """Reads the fields of one record in turn."""

    data: bytes
    order: str
    at: int = 0

    def take(self, code: str) -> float:
        size = struct.calcsize(code)
        if self.at + size > len(self.data):
            raise _Short
        (value,) = struct.unpack_from(self.order + code, self.data, self.at)
        self.at += size
        return float(value) if code in "fd" else int(value)

    def text(self) -> str | None:
        size = int(self.take("B"))
        found = self.data[self.at : self.at + size]
        self.at += size
        return found.decode("latin-1").strip() or None

    def optional_text(self) -> str | None:
        try:
            return self.text()
        except _Short:
            return None

    def optional(self, code: str) -> float | None:
        try:
            return self.take(code)
        except _Short:
            return None


def read_stdf(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a datalog's table: one row a result.

    Raises:
        ExportError: it is not STDF V4, or a record is cut.
    """
    data = content.whole()
    if len(data) < 6 or data[4] not in (1, 2):
        raise unreadable(source, "STDF", f"CPU type {data[4] if len(data) > 4 else 'missing'} is not known")
    order = "<" if data[4] == 2 else ">"
    log = Datalog()
    count = 0
    for number, (position, kind, body) in enumerate(_records(source, data, order), start=1):
        count = number
        take = _TAKERS.get(kind)
        if take is None:
            log.skipped[f"{kind[0]}.{kind[1]}"] += 1
            continue
        try:
            take(log, _Fields(body, order))
        except (_Short, struct.error) as problem:
            raise unreadable(source, "STDF", f"the record at byte {position} is too short") from problem
    table = long_table(options.table or names.table_name(Path(content.name)), log.rows)
    dialect = {
        "byte_order": "little" if order == "<" else "big", "version": data[5], "records": count,
        "inherited": log.inherited, "other_records": dict(log.skipped), "contradictions": log.contradictions(),
    }  # fmt: skip
    return Export(source.path, "stdf", dialect, (table,), source, log.metadata)


def _records(source: Source, data: bytes, order: str) -> Iterator[tuple[int, tuple[int, int], bytes]]:
    position = 0
    while position < len(data):
        if position + 4 > len(data):
            raise unreadable(source, "STDF", f"it is cut at byte {position}")
        size, kind, sub = struct.unpack_from(order + "HBB", data, position)
        if position + 4 + size > len(data):
            raise unreadable(source, "STDF", f"it is cut in the record at byte {position}")
        yield position, (kind, sub), data[position + 4 : position + 4 + size]
        position += 4 + size


def _number(value: float | None) -> str | None:
    """Return a single-precision value as its shortest text."""
    if value is None:
        return None
    for digits in range(6, 10):
        text = f"{value:.{digits}g}"
        if value != value or struct.pack("<f", float(text)) == struct.pack("<f", value):
            return text
    return repr(value)


def _mir(log: Datalog, fields: _Fields) -> None:
    fields.take("I")
    start = int(fields.take("I"))
    fields.take("B")
    for _ in range(3):
        fields.take("B")
    fields.take("H")
    fields.take("B")
    log.metadata["start"] = datetime.fromtimestamp(start, UTC).isoformat()
    for key in ("lot", "part type", "node", "tester type", "job", "job revision", "sublot", "operator"):
        found = fields.optional_text()
        if found is not None:
            log.metadata[key] = found


def _place(fields: _Fields) -> tuple[str, str]:
    return str(int(fields.take("B"))), str(int(fields.take("B")))


def _pir(log: Datalog, fields: _Fields) -> None:
    log.part_begins(*_place(fields))


def _prr(log: Datalog, fields: _Fields) -> None:
    place = _place(fields)
    fields.take("B")
    for code in "HHH":
        fields.take(code)
    for code in "hhI":
        fields.optional(code)
    log.part_ends(*place, fields.optional_text())


def _outcome(flags: int) -> str | None:
    """Return the outcome by TEST_FLG: bit 6 says that there is none, bit 7 that it failed."""
    return None if flags & 0x40 else "FAIL" if flags & 0x80 else "PASS"


def _limits(
    fields: _Fields, flags: float | None, low: float | None, high: float | None
) -> tuple[str | None, str | None]:
    marks = int(flags or 0)
    return (
        None if flags is None or marks & 0x50 else _number(low),
        None if flags is None or marks & 0xA0 else _number(high),
    )


def _ptr(log: Datalog, fields: _Fields) -> None:
    number, place = str(int(fields.take("I"))), _place(fields)
    test_flags = int(fields.take("B"))
    fields.take("B")
    result = fields.take("f")
    name, _alarm = fields.optional_text(), fields.optional_text()
    option = fields.optional("B")
    for _ in range(3):
        fields.optional("b")
    low, high = fields.optional("f"), fields.optional("f")
    unit = fields.optional_text()
    lower, upper = _limits(fields, option, low, high)
    valid = not test_flags & 0x02
    log.result(*place, Measurement(
        test_number=number, measurement=name, value=_number(result) if valid else None, unit=unit, lower_limit=lower,
        upper_limit=upper, result=_outcome(test_flags),
    ))  # fmt: skip


def _mpr(log: Datalog, fields: _Fields) -> None:
    number, place = str(int(fields.take("I"))), _place(fields)
    test_flags = int(fields.take("B"))
    fields.take("B")
    states, results = int(fields.take("H")), int(fields.take("H"))
    for _ in range((states + 1) // 2):
        fields.take("B")
    values = [fields.take("f") for _ in range(results)]
    name, _alarm = fields.optional_text(), fields.optional_text()
    option = fields.optional("B")
    for _ in range(3):
        fields.optional("b")
    low, high = fields.optional("f"), fields.optional("f")
    fields.optional("f"), fields.optional("f")
    pins = [fields.optional("H") for _ in range(states)]
    unit = fields.optional_text()
    lower, upper = _limits(fields, option, low, high)
    for at, value in enumerate(values, start=1):
        pin = pins[at - 1] if at <= len(pins) and pins[at - 1] is not None else at
        log.result(*place, Measurement(
            test_number=number, measurement=f"{name or number}[{int(pin or at)}]", value=_number(value), unit=unit,
            lower_limit=lower, upper_limit=upper, result=_outcome(test_flags),
        ))  # fmt: skip


def _ftr(log: Datalog, fields: _Fields) -> None:
    number, place = str(int(fields.take("I"))), _place(fields)
    flags = int(fields.take("B"))
    row = Measurement(test_number=number, step_type="FTR", measurement=f"FTR {number}", result=_outcome(flags))
    log.result(*place, row, defaults=False)


def _tsr(log: Datalog, fields: _Fields) -> None:
    _place(fields)
    fields.take("B")
    number = str(int(fields.take("I")))
    for code in "III":
        fields.take(code)
    for _ in range(3):
        fields.optional_text()
    option = fields.optional("B")
    fields.optional("f")
    low, high = fields.optional("f"), fields.optional("f")
    if option is not None and not int(option) & 0x03:
        log.synopsis(number, _number(low), _number(high))


_TAKERS: dict[tuple[int, int], Callable[[Datalog, _Fields], None]] = {
    _MIR: _mir, _PIR: _pir, _PRR: _prr, _PTR: _ptr, _MPR: _mpr, _FTR: _ftr, _TSR: _tsr,
}  # fmt: skip
