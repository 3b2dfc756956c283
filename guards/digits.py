"""What the digits of the texts say about how a file was damaged: a diagnosis, never a unit.

A thousands mark is looked for only where the values contradict their label, because a healthy file can have such
numbers too, or where there is no label: those values are unverified at best.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from guards.kinds import Kind
from guards.parts import Part
from guards.quantities import number
from guards.tally import Tally
from guards.units import find_unit
from guards.witnesses import TOLERATED

_FEWEST = 3
_HEAD_ROWS = 20_000
_HEAD_ROWS_OF_ALL = 1_000
_FEWEST_ZEROS = 2
_SAME = 4
"""Damaged and undamaged numbers are readings of one thing: shifted by 1000, their medians lie within this factor."""
_AUTORANGE = (
    "redundant leading zeros with a moving decimal point show an autoranging meter whose prefix was lost row by row; "
    "export it again with the unit of each reading"
)
_LOCALE = (
    "whole numbers stand beside far smaller ones with one or two decimals: a locale's thousands mark ate the decimal "
    "point where three digits followed; read the source again with its own decimal mark"
)


def digit_pattern(frame: pl.LazyFrame, part: Part, kind: Kind, tally: Tally, decimal: str) -> str | None:
    """Return a sentence that names the damage, or None.

    *Locale*: a reader took the decimal point before three digits for a thousands mark (0.673 became 673, 0.62 stayed),
    so whole numbers of three digits or more stand beside numbers with one or two decimals that are about a thousand
    times smaller. Autorange is `autoranged`.
    """
    out = bool(tally.outside) and tally.outside[0] > TOLERATED * tally.judged
    if not tally.judged or not (part.declared is None or out or max(tally.only_rival, default=0)):
        return None
    text = kind.text(part.column, decimal)
    apart = tally.upper is not None and tally.upper >= 100 and tally.smallest is not None
    if apart and tally.upper is not None and tally.smallest is not None and tally.upper >= 100 * tally.smallest:
        return _LOCALE if _lost_points(frame, text) else None
    return None


def autoranged(frame: pl.LazyFrame, head: pl.DataFrame, kinds: Mapping[str, Kind], decimal: str) -> dict[str, str]:
    """Return the diagnosis for the columns whose head has redundant leading zeros with a moving point.

    A logger dropped the prefix and kept the meter's digits (005.8, 00.01). Healthy logs of a fixed width have leading
    zeros too, but their point stands still. So this needs no range to contradict: the digits alone show that the meter
    changed its range and the prefix is gone.
    """
    zero = r"^[+-]?0\d"
    text = {name: kind.text(name, decimal) for name, kind in kinds.items()}
    first = head.head(_HEAD_ROWS_OF_ALL)
    found = first.select(e.str.contains(zero).sum().alias(name) for name, e in text.items()) if text else None
    some = [name for name, n in found.row(0, named=True).items() if n >= _FEWEST_ZEROS] if found is not None else []
    return {name: _AUTORANGE for name in some if _redundant_zeros(frame.head(_HEAD_ROWS), text[name])}


def rows_name_units(head: pl.DataFrame, texts: Collection[str]) -> bool:
    """Return whether one of these columns of text says the unit row by row, and not the same in all rows."""
    for cells in head.select(texts).head(_HEAD_ROWS_OF_ALL).iter_columns():
        units = [find_unit(text) for text in cells.str.strip_chars().drop_nulls().unique()]
        if len(units) > 1 and all(units) and len({unit.quantity for unit in units if unit}) == 1:
            return True
    return False


def _redundant_zeros(frame: pl.LazyFrame, text: pl.Expr) -> bool:
    zero = text.str.contains(r"^[+-]?0\d+(\.\d*)?$")
    decimals = text.str.extract(r"\.(\d*)$", 1).str.len_chars().fill_null(0)
    zeros, n, fewest, most = frame.select(
        zeros=zero.sum(), n=text.count(), fewest=decimals.filter(zero).min(), most=decimals.filter(zero).max(),
    ).collect().row(0)  # fmt: skip
    return bool(zeros >= max(_FEWEST_ZEROS, TOLERATED * n) and most > fewest)


def _lost_points(frame: pl.LazyFrame, text: pl.Expr) -> bool:
    size = number(text).abs()
    whole = text.str.contains(r"^[+-]?[1-9]\d{2,}$")
    short = text.str.contains(r"^[+-]?\d+\.\d{1,2}$") & (size > 0)
    n, few, pointed, large, small, most = frame.select(
        n=whole.sum(), few=short.sum(), pointed=text.str.contains(".", literal=True).sum(),
        large=size.filter(whole).median(), small=size.filter(short).median(), most=size.filter(short).max(),
    ).collect(engine="streaming").row(0)  # fmt: skip
    if n < _FEWEST or not few or few != pointed or most > large / 100:
        return False
    return bool(1000 / _SAME <= large / small <= 1000 * _SAME)
