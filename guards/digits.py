"""What the digits of the texts say about how a file was damaged: a diagnosis, never a unit.

Looked at only where the values contradict their label, because a healthy file has every one of these patterns too.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from guards.parts import Part
from guards.quantities import cell_text, number, without_suffix
from guards.tally import Tally
from guards.witnesses import TOLERATED

_FEWEST = 3
_AUTORANGE = (
    "redundant leading zeros with a moving decimal point show an autoranging meter whose prefix was lost row by row; "
    "export it again with the unit of each reading"
)
_LOCALE = (
    "whole numbers stand beside far smaller ones with one or two decimals: a locale's thousands mark ate the decimal "
    "point where three digits followed; read the source again with its own decimal mark"
)


def digit_pattern(frame: pl.LazyFrame, part: Part, tally: Tally, decimal: str, suffixes: Collection[str]) -> str | None:
    """Return a sentence that names the damage, or None.

    *Locale*: a reader took the decimal point before three digits for a thousands mark (0.673 became 673, 0.62 stayed),
    so whole numbers of three digits or more stand beside numbers with one or two decimals that are about a thousand
    times smaller. *Autorange*: a logger dropped the prefix and kept the meter's digits, so numbers have redundant
    leading zeros and a moving point (005.8, 00.01).
    """
    suspicious = part.absolute is not None and tally.judged and tally.outside and tally.outside[0]
    mixed = tally.judged and max(tally.only_rival, default=0)
    if not (suspicious or mixed):
        return None
    text = without_suffix(cell_text(pl.col(part.column), decimal), suffixes)
    size = number(text).abs()
    whole = text.str.contains(r"^[+-]?[1-9]\d{2,}$")
    short = text.str.contains(r"^[+-]?\d+\.\d{1,2}$") & (size > 0)
    counts = frame.select(
        whole=whole.sum(), short=short.sum(), pointed=text.str.contains(".", literal=True).sum(),
        smallest=size.filter(whole).median(), largest=size.filter(short).median(),
        zeros=text.str.contains(r"^[+-]?0\d+(\.\d*)?$").sum(),
        places=text.str.extract(r"^[+-]?(\d+)\.\d+$", 1).str.len_bytes().n_unique(),
        n=text.count(),
    ).collect(engine="streaming").row(0, named=True)  # fmt: skip
    if counts["zeros"] >= max(2, TOLERATED * counts["n"]) and counts["pointed"]:
        return _AUTORANGE
    apart = counts["whole"] and counts["short"] and counts["smallest"] >= 100 * counts["largest"]
    if apart and counts["whole"] >= _FEWEST and counts["short"] == counts["pointed"]:
        return _LOCALE
    return None
