"""Any value as strict JSON (non-finite numbers become null, and what JSON has no form for becomes text), and any text
as a terminal may have it."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping
from datetime import date, time, timedelta
from pathlib import PurePath

# C0 and C1 but tab and newline, and the marks that reorder text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Return the text with control characters spelled out: a header or a snippet's output never steers the terminal."""
    return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


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
