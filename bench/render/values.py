"""Any value as strict JSON (non-finite numbers become null, and what JSON has no form for becomes text), and any text
as a terminal may have it: steered by nothing, and each line of the tool's own said by the tool."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time, timedelta
from pathlib import PurePath

# C0 and C1 but tab and newline, the marks that reorder text, and what has no width or is blank by another name: with
# them two columns could look the same.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """Return the text with control characters spelled out: a header or a snippet's output never steers the terminal."""
    return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def lines_text(lines: Iterable[str]) -> str:
    """Return the lines as printable text. A newline inside a line is spelled out: no name, reason or message begins a
    line of its own, which could pass for one of the tool's."""
    return "\n".join(printable(line).replace("\n", "\\n") for line in lines)


def quoted(text: str) -> Iterator[str]:
    """Yield the lines of somebody else's text, each behind the mark of a quotation."""
    yield from (f"> {line}".rstrip() for line in text.split("\n"))


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
