"""Values of a snippet as JSON: what a person or a model reads, so nothing is cut or rounded without saying so.

Non-finite numbers are null, because JSON has none. A decimal that a float holds exactly in print is a number, any
other a string. Frames and relations are {columns, rows, truncated}.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import enum
import fractions
import json
import math
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from decimal import Decimal
from itertools import islice

MAX_DEPTH = 32
MAX_INT_DIGITS = 4000  # the host's json refuses more than 4300
FRAME_ROWS = 1000
INERT_ITEMS = 100  # looking at more costs more than looking at the interpreter again
_SCALARS = (type(None), bool, int, float, str, bytes)
_ENCODER = json.JSONEncoder(allow_nan=False)


class ValueTooLarge(Exception):  # noqa: N818 (an outcome of the conversion, not a fault)
    """The value is larger than `result_bytes`."""


def as_json(value: object, limit: int) -> str:
    """Return the value as JSON text of at most `limit` bytes.

    Raises:
        ValueTooLarge: it is larger.
    """
    pieces = []
    size = 0
    for piece in _ENCODER.iterencode(plain(value)):
        size += len(piece)
        if size > limit:
            raise ValueTooLarge
        pieces.append(piece)
    return "".join(pieces)


def is_inert(value: object, depth: int = 3) -> bool:
    """Whether the conversion of `value` runs no code but the interpreter's own: scalars of built-in types, and small
    lists, tuples and dicts of them."""
    kind = type(value)  # compared by `is`: a class of a snippet may say that it equals `int`
    if any(kind is scalar for scalar in _SCALARS):
        return True
    if depth == 0:
        return False
    if kind is dict:
        return len(value) <= INERT_ITEMS and all(is_inert(item, depth - 1) for pair in value.items() for item in pair)  # type: ignore[attr-defined, arg-type]
    if kind is list or kind is tuple:
        return len(value) <= INERT_ITEMS and all(is_inert(item, depth - 1) for item in value)  # type: ignore[attr-defined, arg-type]
    return False


def plain(value: object, depth: int = 0) -> object:
    """Return the value made of None, bool, int, float, str, list and dict only."""
    if value is None or isinstance(value, bool):
        return value
    if depth > MAX_DEPTH:
        return f"<nested deeper than {MAX_DEPTH}>"
    kind = type(value)
    for exact, convert in _EXACT:  # by `is`: a snippet's abstract class may be asked whether a list is its own
        if kind is exact:
            return convert(value, depth)
    for kinds, convert in _CONVERSIONS:
        if isinstance(value, kinds):
            return convert(value, depth)
    return _other(value, depth)


def _text(value: str, depth: int) -> str:
    return str.encode(value, "utf-8", "backslashreplace").decode()


def _integer(value: int, depth: int) -> object:
    if value.bit_length() > MAX_INT_DIGITS * 3:
        return f"<an integer of {value.bit_length()} bits>"
    return int(value)


def _float(value: float, depth: int) -> object:
    return float(value) if math.isfinite(value) else None


def _decimal(value: Decimal, depth: int) -> object:
    if not value.is_finite():
        return None
    number = float(value)
    return number if math.isfinite(number) and Decimal(repr(number)) == value else str(value)


def _time(value: dt.date | dt.time, depth: int) -> str:
    return value.isoformat()


def _bytes(value: bytes, depth: int) -> str:
    return base64.b64encode(bytes(value)).decode()


def _mapping(value: Mapping[object, object], depth: int) -> dict[str, object]:
    return {_key(key): plain(item, depth + 1) for key, item in value.items()}


def _key(key: object) -> str:
    found = plain(key, MAX_DEPTH)
    return found if isinstance(found, str) else json.dumps(found)


def _many(value: Iterable[object], depth: int) -> list[object]:
    return [plain(item, depth + 1) for item in value]


def _set(value: Set[object], depth: int) -> list[object]:
    return sorted((plain(item, depth + 1) for item in value), key=repr)


def _other(value: object, depth: int) -> object:
    if type(value).__name__ in ("JsNull", "JsUndefined"):
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name), depth + 1) for field in dataclasses.fields(value)}
    for convert in (_relation, _pandas, _polars, _numpy):
        found = convert(value, depth)
        if found is not None:
            return found
    return _text(repr(value), depth)


def frame(columns: Sequence[str], rows: Iterable[Sequence[object]], total: int, depth: int) -> dict[str, object]:
    """Return the form in which a frame is shown: at most `FRAME_ROWS` rows."""
    shown = [[plain(cell, depth + 1) for cell in row] for row in islice(rows, FRAME_ROWS)]
    return {"columns": [_text(str(name), depth) for name in columns], "rows": shown, "truncated": total > len(shown)}


def _relation(value: object, depth: int) -> object:
    convert = getattr(type(value), "__bench_frame__", None)
    if convert is None:
        return None
    columns, rows, total = convert(value)
    return frame(columns, rows, total, depth)


def _pandas(value: object, depth: int) -> object:
    if type(value).__module__.partition(".")[0] != "pandas" or not hasattr(value, "itertuples"):
        return None
    return frame(list(value.columns), value.itertuples(index=False), len(value), depth)  # type: ignore[attr-defined, arg-type]


def _polars(value: object, depth: int) -> object:
    if type(value).__module__.partition(".")[0] != "polars" or not hasattr(value, "iter_rows"):
        return None
    return frame(value.columns, value.iter_rows(), len(value), depth)  # type: ignore[attr-defined, arg-type]


def _numpy(value: object, depth: int) -> object:
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return plain(value.tolist(), depth + 1)
    return None


_CONVERSIONS: tuple[tuple[tuple[type, ...], Callable[..., object]], ...] = (
    ((str,), _text),
    ((enum.Enum,), lambda value, depth: plain(value.value, depth + 1)),
    ((int,), _integer),
    ((float,), _float),
    ((Decimal,), _decimal),
    ((fractions.Fraction,), lambda value, depth: _text(str(value), depth)),
    ((dt.datetime, dt.date, dt.time), _time),
    ((dt.timedelta, uuid.UUID), lambda value, depth: str(value)),
    ((bytes, bytearray, memoryview), _bytes),
    ((dict, Mapping), _mapping),
    ((list, tuple), _many),
    ((set, frozenset), _set),
)
_EXACT = tuple((kind, convert) for kinds, convert in _CONVERSIONS for kind in kinds)
