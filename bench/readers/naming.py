"""The one name of each column where a header names it in several rows.

- Rows that leave out each other's names are one row.
- A recorder names its channels (`CH001`) in one row and what the engineer called them (`VOUT`) in the row above or
  below it. The engineer's name it is, where there is one for each channel and each is another.
- A name over several columns, which a row of aggregations tells apart: `CH001` over `Min` and `Max`.
- Names that stand there again under another group: `Input` over `U (V)` and `I (A)`, and so `Output`.

All rows are kept in the dialect.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bench.readers import cells, labels
from bench.readers.head import Record

_CHANNEL = re.compile(r"(?i)^\s*(?:ch(?:an(?:nel)?)?|kanal|canal)[ ._#-]*\d+\s*$")
_MATH_CHANNEL = re.compile(r"^\s*[ACKM]\d{2,4}\s*$")  # computed, communication and constant channels beside CH001
_TAG = re.compile(r"(?i)^\s*(?:tag(?:[ _]?(?:name|no\.?|comment))?)?\s*$")
_CLOCK = re.compile(r"(?i)^\s*(?:date|time|datum|zeit|uhrzeit|timestamp|date ?[&/] ?time|scan|no\.?|index|sample)\s*$")
_LABEL = re.compile(r"(?i)^\s*(?:tag(?:[ _]?(?:name|no\.?|comment))?|ch(?:annel)?\.?(?:[ _]?(?:name|no\.?))?)\s*$")


def merged(named: Sequence[Record]) -> list[Record]:
    """Return a header's rows of names, the last of which has the names of the columns."""
    if len(named) < 2:
        return list(named)
    telling = [row for row in named[:-1] if row.width > 1]  # `Alarm Status` alone names no column
    row, *below = [*telling, named[-1]]
    for lower in below:
        row = replace(lower, cells=_one(row.cells, lower.cells))
    return [*named[:-1], row]


def _one(upper: Sequence[str], lower: Sequence[str]) -> tuple[str, ...]:
    """Return the names that two rows give together, those of the lower row where each stands for itself."""
    width = max(len(upper), len(lower))
    upper, lower = padded(upper, width), padded(lower, width)
    if lower[0].strip() and _LABEL.match(upper[0]) and not _LABEL.match(lower[0]):
        upper = ("", *upper[1:])
    pairs = list(zip(upper, lower, strict=True))
    if not any(high.strip() and low.strip() for high, low in pairs):
        lower = tuple(low if low.strip() else high for high, low in pairs)
    if not lower[0].strip() and sum(map(bool, map(str.strip, upper))) * 2 > width:
        lower = (upper[0], *lower[1:])
    return _grouped(upper, lower) or _tagged(upper, lower) or _tagged(lower, upper) or lower


def _grouped(groups: Sequence[str], names: Sequence[str]) -> tuple[str, ...] | None:
    """Return names of which those that stand there again have their group before them: `Input U (V)`, `Output U (V)`.

    A group stands over the first of its columns.
    """
    spans = list(itertools.accumulate(groups, lambda before, group: group.strip() or before.strip()))
    counts = Counter(name.strip().lower() for name in names if name.strip())
    again = [at for at, name in enumerate(names) if counts[name.strip().lower()] > 1]
    found = [_in_group(spans[at], names[at].strip()) for at in again if spans[at]]
    over = [groups[at].strip() for at in again]
    spread = "" in over or len(set(over)) < len(over)
    if not again or not spread or len({name.lower() for name in found}) < len(again):
        return None
    given = dict(zip(again, found, strict=True))
    return tuple(given.get(at, name if name.strip() else groups[at]) for at, name in enumerate(names))


def _in_group(group: str, name: str) -> str:
    """Return a name with its group; what is a unit alone stays one: `CH1 (V)`."""
    return f"{group} ({name})" if labels.is_bare_unit(name) else f"{group} {name}"


def _tagged(channels: Sequence[str], tags: Sequence[str]) -> tuple[str, ...] | None:
    """Return the names of columns of which one row has the channels and the other their tags, None for other rows."""
    at = _channel_columns(channels)
    if len({channels[each].strip().lower() for each in at}) < len(at):
        return None
    found = [tags[each].strip() for each in at if tags[each].strip()]
    others = [tags[each] for each in range(len(tags)) if each not in at]
    if not at or not found or _channel_columns(tags) or any(cells.kind(tag) != "text" for tag in found):
        return None
    if len(set(found)) < len(found):
        units = any(labels.names_unit(tag) or labels.is_bare_unit(tag) for tag in found)
        return tuple(
            (_in_group(name.strip(), tag.strip()) if units and tag.strip() else name) if each in at
            else name if _TAG.match(tag) else tag
            for each, (name, tag) in enumerate(zip(channels, tags, strict=True))
        )  # fmt: skip
    if all(map(_TAG.match, others)) or any(tags[each] == channels[each] for each in range(len(tags)) if each not in at):
        return tuple(tags[each] if each in at and tags[each].strip() else name for each, name in enumerate(channels))
    return None


def _channel_columns(row: Sequence[str]) -> list[int]:
    if not any(map(_CHANNEL.match, row)):
        return []
    return [at for at, cell in enumerate(row) if _CHANNEL.match(cell) or _MATH_CHANNEL.match(cell)]


def spanned(
    names: tuple[str, ...], units: tuple[str, ...] | None, words: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Return names of which some stand over several columns, each with the word below it: `CH001 Min`, `CH001 Max`.

    A unit stands over the same columns.
    """
    if words is None:
        return names, units
    found, given, span = list(names), list(units or [""] * len(names)), 0
    for at, (name, word) in enumerate(zip(names, words, strict=True)):
        if name.strip() or not word.strip():
            span = at
        shared = at + 1 < len(names) and not names[at + 1].strip() and bool(words[at + 1].strip())
        if names[span].strip() and word.strip() and (span < at or shared):
            found[at] = f"{names[span].strip()} {word.strip()}"
            given[at] = given[at] if given[at].strip() else given[span]
    return tuple(found), None if units is None else tuple(given)


def beside_units(
    names: tuple[str, ...], units: tuple[str, ...] | None
) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Return names and units where a row of units names a column itself, `Time` beside `VDC`, below no name.

    A name over several units has each behind it: `CH1 V`, `CH1 A`.
    """
    if units is None:
        return names, None
    moved = [at for at, cell in enumerate(units) if not names[at].strip() and _is_name(cell, first=at == 0)]
    found = tuple(unit if at in moved else names[at] for at, unit in enumerate(units))
    units = tuple("" if at in moved else unit for at, unit in enumerate(units))
    shared = spanned(found, None, units)[0]
    alone = [at for at in range(len(found)) if not names[at].strip() and at not in moved and units[at].strip()]
    spans = {max((before for before in range(at) if found[before].strip()), default=-1) for at in alone}
    several = len(spans) > 1 and len(set(shared)) == len(shared)  # one name beside one without is no span
    return (shared if several else found), units


def _is_name(cell: str, *, first: bool) -> bool:
    if _CLOCK.match(cell):
        return True
    named = cells.kind(cell) == "text" and not cells.is_unit(cell) and any(map(str.isalpha, cell))
    return first and named and not labels.is_units_label(cell)


def others(rows: Sequence[Record], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return a header's rows of names that say something beside the names that were taken."""
    taken = set(names)
    found = [row for row in rows if any(cell not in taken for cell in row.cells[: len(names)] if cell.strip())]
    return {f"header in line {row.line}": padded(row.cells, len(names)) for row in found}


def padded(found: Sequence[str], width: int) -> tuple[str, ...]:
    """Return cells as many as the table is wide."""
    return tuple(found[:width]) + ("",) * (width - len(found))
