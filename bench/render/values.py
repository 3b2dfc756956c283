"""Any value as strict JSON: non-finite numbers become null, and what JSON has no form for becomes text."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from datetime import date, time, timedelta
from pathlib import PurePath


def json_safe(value: object) -> object:
    """Return the value with only what JSON can hold: never NaN or infinity, bytes as base64, times in ISO 8601."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")  # a lone surrogate is no UTF-8
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): json_safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_safe(item) for item in value]
    return _other(value)


def _other(value: object) -> object:
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, PurePath):
        return str(value)
    return str(value)


def dumps(document: object) -> str:
    """Return the document as one line of strict JSON, in ASCII so that any terminal or pipe carries it."""
    return json.dumps(json_safe(document), allow_nan=False)
