"""The grammar of a record: fields between delimiters, quoted or not, the same for a head line and for a whole column.

A quote opens a field only at the field's first character, so that 2.5" fan in a note stays what it is. Inside quotes a
doubled quote is one quote, and delimiters and line ends are text. Text behind a closing quote keeps the field as it
was written, quotes included: cutting either part off would lose what the bench wrote.

Whether a line ends inside quotes depends on how it began. Each line is one of four functions of that state (keeps it,
flips it, ends outside, ends inside), told by two patterns; `records.py` composes them over a column.
"""

from __future__ import annotations

import re
from functools import lru_cache

_QUOTED = r'"(?:[^"]|"")*"'
_INSIDE = r'(?:[^"]|"")*'


@lru_cache(maxsize=32)
def field(delimiter: str) -> str:
    """Return the pattern of one field."""
    d = re.escape(delimiter)
    return rf'(?:{_QUOTED}(?:[^"{d}][^{d}]*)?|[^"{d}][^{d}]*|)'


@lru_cache(maxsize=32)
def ends_inside_from_outside(delimiter: str) -> str:
    """Return the pattern of a line that begins outside quotes and ends inside."""
    d = re.escape(delimiter)
    return rf'^(?:{field(delimiter)}{d})*"{_INSIDE}$'


@lru_cache(maxsize=32)
def ends_inside_from_inside(delimiter: str) -> str:
    """Return the pattern of a line that begins inside quotes and ends inside."""
    d = re.escape(delimiter)
    return rf'^(?:{_INSIDE}|{_INSIDE}"(?:[^"{d}][^{d}]*)?(?:{d}{field(delimiter)})*{d}"{_INSIDE})$'


@lru_cache(maxsize=32)
def strict_record(delimiter: str) -> str:
    """Return the pattern of a record in which nothing stands behind a closing quote."""
    d = re.escape(delimiter)
    strict = rf'(?:{_QUOTED}|[^"{d}][^{d}]*|)'
    return rf"^{strict}(?:{d}{strict})*$"


def split(text: str, delimiter: str) -> list[str]:
    """Return the cells of one record, unquoted."""
    if '"' not in text:
        return text.split(delimiter)
    return [unquote(found[1:]) for found in _splitter(delimiter).findall(delimiter + text)]


@lru_cache(maxsize=32)
def _splitter(delimiter: str) -> re.Pattern[str]:
    return re.compile(re.escape(delimiter) + field(delimiter))


def unquote(cell: str) -> str:
    """Return a cell's text without the quotes around it."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and re.fullmatch(_QUOTED, cell):
        return cell[1:-1].replace('""', '"')
    return cell


def opens(text: str, delimiter: str) -> bool:
    """Return whether a record that begins with `text` goes on in the next line."""
    return '"' in text and re.match(ends_inside_from_outside(delimiter), text) is not None
