"""The schema of an Arrow result: flatbuffers tables, fields, and DuckDB's names of their types."""

from __future__ import annotations

import struct
from dataclasses import dataclass

NULL, INT, FLOAT, BINARY, UTF8, BOOL, DECIMAL, DATE, TIME, TIMESTAMP, INTERVAL = range(1, 12)
LIST, STRUCT, UNION, FIXED_BINARY, FIXED_LIST, MAP, DURATION, LARGE_BINARY, LARGE_UTF8, LARGE_LIST = range(12, 22)
_CODES = {(8, True): "b", (16, True): "h", (32, True): "i", (64, True): "q"}
_CODES |= {(bits, False): code.upper() for (bits, _), code in _CODES.items()}


class Table:
    """One flatbuffers table: fields by their number in the schema."""

    def __init__(self, data: bytes, position: int) -> None:
        self.data = data
        self.position = position
        self._vtable = position - struct.unpack_from("<i", data, position)[0]
        self._size = struct.unpack_from("<H", data, self._vtable)[0]

    def _offset(self, number: int) -> int:
        slot = 4 + 2 * number
        return struct.unpack_from("<H", self.data, self._vtable + slot)[0] if slot < self._size else 0

    def scalar(self, number: int, code: str, default: int = 0) -> int:
        """Return a number, `code` as in struct."""
        offset = self._offset(number)
        return struct.unpack_from("<" + code, self.data, self.position + offset)[0] if offset else default

    def _target(self, number: int) -> int | None:
        offset = self._offset(number)
        if not offset:
            return None
        place = self.position + offset
        return self._indirect(place)

    def _indirect(self, place: int) -> int:
        offset: int = struct.unpack_from("<I", self.data, place)[0]
        return place + offset

    def table(self, number: int) -> Table | None:
        """Return a table, or None."""
        target = self._target(number)
        return None if target is None else Table(self.data, target)

    def text(self, number: int) -> str:
        """Return a string."""
        target = self._target(number)
        if target is None:
            return ""
        length = struct.unpack_from("<I", self.data, target)[0]
        return self.data[target + 4 : target + 4 + length].decode("utf-8", "replace")

    def tables(self, number: int) -> list[Table]:
        """Return a vector of tables."""
        target = self._target(number)
        if target is None:
            return []
        length = struct.unpack_from("<I", self.data, target)[0]
        places = (target + 4 + 4 * index for index in range(length))
        return [Table(self.data, place + struct.unpack_from("<I", self.data, place)[0]) for place in places]

    def structs(self, number: int, layout: str) -> list[tuple[int, ...]]:
        """Return a vector of structs, `layout` as in struct."""
        target = self._target(number)
        if target is None:
            return []
        length = struct.unpack_from("<I", self.data, target)[0]
        size = struct.calcsize(layout)
        return list(struct.iter_unpack(layout, self.data[target + 4 : target + 4 + length * size]))


@dataclass(slots=True)
class Field:
    """A column or a nested part of one: name, Arrow type number, the type's own table, DuckDB's name for it if Arrow
    has none."""

    name: str
    kind: int
    type: Table | None
    children: list[Field]
    extension: str
    dictionary: int | None
    index_bits: int

    @property
    def type_name(self) -> str:
        """DuckDB's name of the type, as `description` shows it."""
        return _type_name(self)


def field_of(table: Table) -> Field:
    """Return the field that a schema table describes."""
    metadata = {entry.text(0): entry.text(1) for entry in table.tables(6)}
    extension = metadata.get("ARROW:extension:name", "")
    if extension == "arrow.opaque":
        extension = _between(metadata.get("ARROW:extension:metadata", ""), '"type_name":"')
    encoding = table.table(4)
    index = None if encoding is None else encoding.table(1)
    return Field(
        table.text(0),
        table.scalar(2, "B"),
        table.table(3),
        [field_of(child) for child in table.tables(5)],
        extension,
        None if encoding is None else encoding.scalar(0, "q"),
        32 if index is None else index.scalar(0, "i"),
    )


def _between(text: str, start: str) -> str:
    return text.partition(start)[2].partition('"')[0]


_INT_NAMES = {"b": "TINYINT", "h": "SMALLINT", "i": "INTEGER", "q": "BIGINT"}
_INT_NAMES |= {code.upper(): "U" + name for code, name in _INT_NAMES.items()}
_PLAIN_NAMES = {
    NULL: "NULL",
    BINARY: "BLOB",
    LARGE_BINARY: "BLOB",
    UTF8: "VARCHAR",
    LARGE_UTF8: "VARCHAR",
    BOOL: "BOOLEAN",
    DATE: "DATE",
    TIME: "TIME",
    INTERVAL: "INTERVAL",
    FIXED_BINARY: "BLOB",
    UNION: "UNION",
}


def _type_name(field: Field) -> str:
    if field.dictionary is not None:
        return "ENUM"
    if field.extension:
        return {"arrow.uuid": "UUID", "arrow.bool8": "BOOLEAN"}.get(field.extension, field.extension.upper())
    kind, table, children = field.kind, field.type, field.children
    if kind == INT and table:
        return _INT_NAMES[int_code(table)]
    if kind == FLOAT and table:
        return "DOUBLE" if table.scalar(0, "h") == 2 else "FLOAT"
    if kind == DECIMAL and table:
        return f"DECIMAL({table.scalar(0, 'i')},{table.scalar(1, 'i')})"
    if kind == TIMESTAMP and table:
        zone = " WITH TIME ZONE" if table.text(1) else ""
        return "TIMESTAMP" + {0: "_S", 1: "_MS", 3: "_NS"}.get(table.scalar(0, "h"), "") + zone
    if kind in (LIST, LARGE_LIST):
        return _type_name(children[0]) + "[]"
    if kind == FIXED_LIST and table:
        return f"{_type_name(children[0])}[{table.scalar(0, 'i')}]"
    if kind == STRUCT:
        return "STRUCT(" + ", ".join(f"{child.name} {_type_name(child)}" for child in children) + ")"
    if kind == MAP:
        key, value = children[0].children
        return f"MAP({_type_name(key)}, {_type_name(value)})"
    return _PLAIN_NAMES.get(kind, "UNKNOWN")


def int_code(table: Table) -> str:
    """Return the array code of an integer type."""
    return _CODES[table.scalar(0, "i"), bool(table.scalar(1, "B"))]
