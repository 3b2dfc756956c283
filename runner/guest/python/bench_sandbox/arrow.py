"""DuckDB's Arrow results as Python values.

The engine hands over an Arrow IPC file. It is decoded here, by column, because arrow-js loses what engineers look at:
unscaled decimals, timestamps as float milliseconds, intervals at the wrong stride. The layout follows the Arrow
columnar format, version 1.5 (flatbuffers for the messages, buffers aligned to 8 bytes); only what DuckDB writes is
understood.
"""

from __future__ import annotations

import datetime as dt
import struct
import uuid
from array import array
from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal
from itertools import pairwise, repeat

from bench_sandbox.schema import (
    BINARY,
    BOOL,
    DATE,
    DECIMAL,
    DURATION,
    FIXED_BINARY,
    FIXED_LIST,
    FLOAT,
    INT,
    INTERVAL,
    LARGE_BINARY,
    LARGE_LIST,
    LARGE_UTF8,
    LIST,
    MAP,
    NULL,
    STRUCT,
    TIME,
    TIMESTAMP,
    UNION,
    UTF8,
    Field,
    Table,
    field_of,
    int_code,
)

_FOOTER_TAIL = 10  # i32 footer length, then "ARROW1"
_EPOCH = dt.datetime(1970, 1, 1)
_WIDE_ENOUGH = Context(prec=40)  # a DECIMAL has 38 digits; the snippet's own context does not matter here
_EPOCH_DAY = _EPOCH.toordinal()
_PER_SECOND = {0: 1, 1: 10**3, 2: 10**6, 3: 10**9}


class _Batch:
    """The buffers and node lengths of one record batch, taken in the order in which the format lists them."""

    def __init__(self, header: Table, body: int, dictionaries: dict[int, list[object]]) -> None:
        self._data = header.data
        self._body = body
        self._nodes = iter(header.structs(1, "<qq"))
        self._buffers = iter(header.structs(2, "<qq"))
        self._dictionaries = dictionaries

    def _buffer(self) -> bytes:
        offset, length = next(self._buffers)
        start = self._body + offset
        return self._data[start : start + length]

    def column(self, field: Field) -> list[object]:
        length, nulls = next(self._nodes)
        if field.kind == NULL and field.dictionary is None:
            return [None] * length
        if field.kind == UNION:
            return self._union(field, length)
        validity = self._buffer()
        values = self._values(field, length)
        if not nulls or not validity:
            return values
        present = _bits(validity, length)
        return [value if known else None for value, known in zip(values, present, strict=True)]

    def _values(self, field: Field, length: int) -> list[object]:
        if field.dictionary is not None:
            words = self._dictionaries[field.dictionary]
            codes = _numbers({8: "B", 16: "H", 32: "I"}[field.index_bits], self._buffer(), length)
            return [words[code] if code < len(words) else None for code in codes]
        kind = field.kind
        if kind in (UTF8, BINARY, LARGE_UTF8, LARGE_BINARY):
            return self._strings(field, length)
        if kind in (LIST, LARGE_LIST, MAP):
            return self._lists(field, length)
        if kind == FIXED_LIST and field.type:
            size = field.type.scalar(0, "i")
            flat = self.column(field.children[0])
            return [flat[start : start + size] for start in range(0, length * size, size)]
        if kind == STRUCT:
            names = [child.name for child in field.children]
            columns = [self.column(child) for child in field.children]
            return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        return _fixed(field, self._buffer(), length)

    def _offsets(self, kind: int, length: int) -> Sequence[int]:
        return _numbers("q" if kind in (LARGE_UTF8, LARGE_BINARY, LARGE_LIST) else "i", self._buffer(), length + 1)

    def _strings(self, field: Field, length: int) -> list[object]:
        offsets = self._offsets(field.kind, length)
        data = self._buffer()
        if not length:
            return []
        spans = pairwise(offsets)
        if field.kind in (BINARY, LARGE_BINARY):
            make = _OPAQUE.get(field.extension)
            parts = (data[start:end] for start, end in spans)
            return list(parts) if make is None else [make(part) for part in parts]
        text = data.decode("utf-8", "replace")
        if len(text) == len(data):
            return [text[start:end] for start, end in spans]
        return [data[start:end].decode("utf-8", "replace") for start, end in spans]

    def _lists(self, field: Field, length: int) -> list[object]:
        offsets = self._offsets(field.kind, length)
        flat = self.column(field.children[0])
        lists = [flat[start:end] for start, end in pairwise(offsets)] if length else []
        if field.kind != MAP:
            return list(lists)
        key, value = (child.name for child in field.children[0].children)
        if any(child.type_name == "TINYINT" for child in field.children[0].children):
            raise NotImplementedError(
                "a MAP that holds BOOLEAN or TINYINT cannot be fetched; cast its values, for example to INTEGER"
            )
        return [{_hashable(entry[key]): entry[value] for entry in entries} for entries in lists]  # type: ignore[index]

    def _union(self, field: Field, length: int) -> list[object]:
        tags = _numbers("b", self._buffer(), length)
        dense = field.type is not None and field.type.scalar(0, "h") == 1
        offsets = _numbers("i", self._buffer(), length) if dense else range(length)
        columns = [self.column(child) for child in field.children]
        return [columns[tag][offset] for tag, offset in zip(tags, offsets, strict=True)]


def _hashable(key: object) -> object:
    return key if getattr(key, "__hash__", None) else repr(key)


def _numbers(code: str, data: bytes, length: int) -> array[int]:
    numbers = array({"i": "i", "I": "I", "q": "q", "Q": "Q"}.get(code, code))
    numbers.frombytes(data[: length * numbers.itemsize])
    return numbers


def _bits(data: bytes, length: int) -> list[bool]:
    digits = bin(int.from_bytes(data, "little") | (1 << (8 * len(data))))[:2:-1]
    return [digit == "1" for digit in digits[:length]]


def _fixed(field: Field, data: bytes, length: int) -> list[object]:
    kind, table = field.kind, field.type
    if kind == BOOL or field.extension == "arrow.bool8":  # DuckDB-Wasm calls these bytes, and writes bits
        return list(_bits(data, length))
    if kind == INT and table:
        return list(_numbers(int_code(table), data, length))
    if kind == FLOAT and table:
        floats = array("d" if table.scalar(0, "h") == 2 else "f")
        floats.frombytes(data[: length * floats.itemsize])
        return list(floats)
    decode = _DECODERS.get(kind)
    if decode is None:
        raise NotImplementedError(
            f"a column of type {field.type_name} cannot be fetched; cast it, for example to VARCHAR"
        )
    return decode(field, data, length)


def _wide(data: bytes, length: int, width: int) -> Iterator[int]:
    return (int.from_bytes(data[at : at + width], "little", signed=True) for at in range(0, length * width, width))


def _decimals(field: Field, data: bytes, length: int) -> list[object]:
    assert field.type is not None
    scale = field.type.scalar(1, "i")
    width = field.type.scalar(2, "i", 128) // 8
    numbers = _wide(data, length, width) if width > 8 else _numbers({4: "i", 8: "q"}[width], data, length)
    return list(map(_WIDE_ENOUGH.multiply, repeat(Decimal((0, (1,), -scale))), numbers))


def _dates(field: Field, data: bytes, length: int) -> list[object]:
    days = (
        _numbers("i", data, length)
        if len(data) < 8 * length
        else [n // 86_400_000 for n in _numbers("q", data, length)]
    )
    return [_date(day) for day in days]


def _date(day: int) -> object:
    ordinal = day + _EPOCH_DAY
    return dt.date.fromordinal(ordinal) if 1 <= ordinal <= 3652059 else f"{day} days from 1970-01-01"


def _times(field: Field, data: bytes, length: int) -> list[object]:
    assert field.type is not None
    per_second = _PER_SECOND[field.type.scalar(0, "h", 1)]
    code = "i" if field.type.scalar(1, "i", 32) == 32 else "q"
    return [_time(count, per_second) for count in _numbers(code, data, length)]


def _time(count: int, per_second: int) -> object:
    micros = count * 10**6 // per_second
    if micros == 86_400 * 10**6:
        return dt.time.max
    return (_EPOCH + dt.timedelta(microseconds=micros)).time()


def _timestamps(field: Field, data: bytes, length: int) -> list[object]:
    assert field.type is not None
    per_second = _PER_SECOND[field.type.scalar(0, "h")]
    zone = dt.UTC if field.type.text(1) else None
    return [_timestamp(count, per_second, zone) for count in _numbers("q", data, length)]


def _timestamp(count: int, per_second: int, zone: dt.tzinfo | None) -> object:
    if abs(count) == 2**63 - 1:
        return "infinity" if count > 0 else "-infinity"
    try:
        return (_EPOCH + dt.timedelta(microseconds=count * 10**6 // per_second)).replace(tzinfo=zone)
    except OverflowError:
        return f"{count / per_second} s from 1970-01-01"


def _intervals(field: Field, data: bytes, length: int) -> list[object]:
    parts = struct.iter_unpack("<iiq", data[: 16 * length])
    return [dt.timedelta(days=30 * months + days, microseconds=nanos // 1000) for months, days, nanos in parts]


def _durations(field: Field, data: bytes, length: int) -> list[object]:
    assert field.type is not None
    per_second = _PER_SECOND[field.type.scalar(0, "h", 1)]
    return [dt.timedelta(microseconds=count * 10**6 // per_second) for count in _numbers("q", data, length)]


def _fixed_binary(field: Field, data: bytes, length: int) -> list[object]:
    assert field.type is not None
    width = field.type.scalar(0, "i")
    make = _OPAQUE.get(field.extension, bytes)
    return [make(data[at : at + width]) for at in range(0, length * width, width)]


def _bit(data: bytes) -> str:
    """DuckDB's BIT: the first byte counts the padding bits of the second."""
    return "".join(f"{byte:08b}" for byte in data[1:])[data[0] if data else 0 :]


_OPAQUE: dict[str, Callable[[bytes], object]] = {
    "arrow.uuid": lambda data: uuid.UUID(bytes=data),
    "hugeint": lambda data: int.from_bytes(data, "little", signed=True),
    "uhugeint": lambda data: int.from_bytes(data, "little"),
    "bit": _bit,
}
_DECODERS: dict[int, Callable[[Field, bytes, int], list[object]]] = {
    DECIMAL: _decimals,
    DATE: _dates,
    TIME: _times,
    TIMESTAMP: _timestamps,
    INTERVAL: _intervals,
    DURATION: _durations,
    FIXED_BINARY: _fixed_binary,
}


class Result:
    """An Arrow IPC file: its fields at once, its columns when asked for."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        size = struct.unpack_from("<i", data, len(data) - _FOOTER_TAIL)[0]
        start = len(data) - _FOOTER_TAIL - size
        footer = Table(data, start + struct.unpack_from("<I", data, start)[0])
        schema = footer.table(1)
        self.fields = [] if schema is None else [field_of(field) for field in schema.tables(1)]
        self._dictionary_blocks = footer.structs(2, "<qi4xq")
        self._blocks = footer.structs(3, "<qi4xq")
        self._dictionaries: dict[int, list[object]] = {}

    @classmethod
    def empty(cls) -> Result:
        """Return a result without columns."""
        result = cls.__new__(cls)
        result.fields, result._dictionary_blocks, result._blocks, result._dictionaries = [], [], [], {}
        return result

    def _message(self, block: tuple[int, ...]) -> tuple[Table, int]:
        offset, size, _ = block
        start = offset + 8 if self._data[offset : offset + 4] == b"\xff\xff\xff\xff" else offset + 4
        message = Table(self._data, start + struct.unpack_from("<I", self._data, start)[0])
        header = message.table(2)
        assert header is not None
        return header, offset + size

    @property
    def rows(self) -> int:
        """The number of rows, without decoding any."""
        return sum(self._message(block)[0].scalar(0, "q") for block in self._blocks)

    def batches(self) -> Iterator[list[list[object]]]:
        """Each record batch as a list of columns."""
        self._read_dictionaries()
        for block in self._blocks:
            batch = _Batch(*self._message(block), self._dictionaries)
            yield [batch.column(field) for field in self.fields]

    def _read_dictionaries(self) -> None:
        named = {field.dictionary: field for field in _flat(self.fields) if field.dictionary is not None}
        for block in self._dictionary_blocks:
            header, body = self._message(block)
            inner = header.table(1)
            field = named[header.scalar(0, "q")]
            words = Field(field.name, field.kind, field.type, field.children, field.extension, None, 0)
            assert inner is not None
            self._dictionaries[header.scalar(0, "q")] = _Batch(inner, body, {}).column(words)

    def columns(self) -> list[list[object]]:
        """Every column as one list of Python values."""
        columns: list[list[object]] = [[] for _ in self.fields]
        for batch in self.batches():
            for column, part in zip(columns, batch, strict=True):
                column.extend(part)
        return columns


def _flat(fields: Sequence[Field]) -> Iterator[Field]:
    for field in fields:
        yield field
        yield from _flat(field.children)
