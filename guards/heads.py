"""What the columns of a table look like by its first rows: numbers, moments, or text.

Only a guess: it rules out casts that cannot succeed, and says what a fast reader may expect. Every count comes from
every row (`cells`).
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from guards import clocks, moments
from guards.quantities import SENTINEL_TEXTS, cell_text, number, rkm_mark, unit_suffix

HEAD_ROWS = 2_000
"""So many rows show what a column looks like."""
_SHARE_SEEN = 0.02


def plain_kinds(head: pl.DataFrame) -> dict[str, str]:
    """Return "number" or the format of the moments for the columns of which every cell of the head is one, plainly."""
    if not head.width:
        return {}
    every = pl.all()
    filled = head.select(every.count() > 0).row(0, named=True)
    numbers = _numbers(head)
    found = {name: "number" for name in head.columns if filled[name] and name in numbers}
    for form in moments.PLAIN_FORMS:
        left = head.select(name for name in head.columns if filled[name] and name not in found)
        if left.width:
            fits = left.select(moments.read(every, form).count() == every.count()).row(0, named=True)
            found |= {name: form for name, whole in fits.items() if whole}
    return found


def guess_kinds(head: pl.DataFrame, decimal: str, said: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return for each column of the head "number", "text", or the form of its points in time or durations.

    `said`: what a row of units says of columns.
    """
    if not head.width:
        return {}
    every = pl.all()
    bare = _numbers(head) if decimal == "." else set()
    texts = head.select(pl.col(name) if name in bare else cell_text(pl.col(name), decimal) for name in head.columns)
    plain = bare | _numbers(texts.select(name for name in head.columns if name not in bare))
    odd = [name for name in head.columns if name not in plain]
    guesses = dict.fromkeys(head.columns, "number") | _by_share(texts.select(odd))
    rest = texts.select(name for name, guess in guesses.items() if guess == "text")
    sentinels = rest.select(every.str.to_lowercase().is_in(list(SENTINEL_TEXTS)).mean()) if rest.width else rest
    for name, share in sentinels.row(0, named=True).items() if rest.width else ():
        if (share or 0) >= _SHARE_SEEN:
            guesses[name] = "number"
    rest = rest.select(name for name in rest.columns if guesses[name] == "text")
    numbers = texts.select(name for name, guess in guesses.items() if guess == "number")
    forms = clocks.guess_forms(rest, lambda: clocks.has_day(head), said or {})
    return guesses | moments.guess_forms(rest) | forms | clocks.guess_serials(numbers)


def _numbers(texts: pl.DataFrame) -> set[str]:
    """Return the columns of which every filled cell is a number; an empty column too."""
    every = pl.all()
    found = texts.select(number(every).count() == every.count()).row(0, named=True) if texts.width else {}
    return {name for name, whole in found.items() if whole}


def codes(head: pl.DataFrame) -> list[str]:
    """Return the columns of digits that are no number's: `000123`, or more of them than a float holds."""
    if not head.width:
        return []
    text = pl.all().str.strip_chars()
    digits = (text.str.contains(r"^\d*$").all()) & text.str.contains(r"^0\d|^\d{16}").any()
    return [name for name, found in head.select(digits).row(0, named=True).items() if found]


def _by_share(texts: pl.DataFrame) -> dict[str, str]:
    """Return "number" for the columns in which some cells are numbers, with or without a unit, else "text"."""
    if not texts.width:
        return {}
    every = pl.all()
    numeric = number(every).is_not_null() | unit_suffix(every).is_not_null() | rkm_mark(every).is_not_null()
    shares = texts.select(numeric.sum() / every.count()).row(0, named=True)
    return {name: "number" if share >= _SHARE_SEEN else "text" for name, share in shares.items()}
