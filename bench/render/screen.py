"""A reply as a terminal shows it: lines broken at the terminal's width, colour where a verdict needs a look.

Only what goes to a terminal comes here; redirected text keeps one line a column. Colour is never alone: each line says
its verdict in words. Code blocks and values are not broken, so that they can be copied.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

NARROWEST = 40
_COLOURS = {"corrected": "36", "refused": "1;31", "unverified": "33"}
_FENCE = re.compile(r"`{3,}")
_WHOLE = ("value: ",)


def on_screen(text: str, verdicts: Sequence[tuple[str, str]], *, width: int, color: bool) -> str:
    """Return the text for a terminal of `width` columns. `verdicts`: how a line begins, and its verdict."""
    found = []
    for line, free in _lines(text):
        verdict = next((verdict for start, verdict in verdicts if line.startswith(start)), None) if free else None
        broken = _broken(line, max(width, NARROWEST)) if free else [line]
        if color and verdict in _COLOURS:
            start = next(start for start, _ in verdicts if line.startswith(start))
            broken[0] = _coloured(broken[0], start, _COLOURS[verdict])
        found += broken
    return "\n".join(found)


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it is outside of a block of code."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            yield line, False
            fence = "" if line == fence else fence
        else:
            yield line, found is None
            fence = found.group() if found else ""


def _broken(line: str, width: int) -> list[str]:
    if len(line) <= width or line.startswith(_WHOLE):
        return [line]
    indent = "> " if line.startswith("> ") else " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True,
        replace_whitespace=False,
    )  # fmt: skip


def _coloured(line: str, start: str, code: str) -> str:
    name = start.strip()
    place = line.find(name)
    if place < 0:  # the name itself was broken
        return line
    return f"{line[:place]}\x1b[{code}m{name}\x1b[0m{line[place + len(name) :]}"
