"""Points in time as exports write them.

A form is polars' strptime format. One that names no hour gives dates. Where day and month can stand either way
(08/31/2026, 31/08/2026) the column itself has to tell: a column that fits both stays text. Times without a zone are
kept as they are written, whatever zone that is; times with one become UTC. A day alone is read where its year comes
first or where slashes part it: 10.12.2023 may be a version. The first day of the year 1 (.NET's least date) is no date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import polars as pl

PLAIN_FORMS = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f")
_ISO_DATE = "%Y-%m-%d"
_CLOCKS = ("%H:%M:%S%.f", "%H:%M", "%I:%M:%S%.f %p", "%I:%M %p", "%H:%M:%S,%3f", "%H:%M:%S:%3f")
_UTC = " UTC"
_FORMS = (
    *(f"{_ISO_DATE}{between}{clock}%#z" for between in "T " for clock in _CLOCKS[:2]),
    *(f"{_ISO_DATE} {clock}{_UTC}" for clock in _CLOCKS[:2]),
    *(f"{day} {clock}" for day in (_ISO_DATE, "%Y/%m/%d", "%d.%m.%Y", "%d-%b-%Y") for clock in _CLOCKS),
    f"{_ISO_DATE}T%H:%M", "%Y/%m/%d",
)  # fmt: skip
_EITHER_WAY = (
    *((f"%m{mark}%d{mark}%Y {clock}", f"%d{mark}%m{mark}%Y {clock}") for mark in "/-" for clock in _CLOCKS),
    ("%m/%d/%Y", "%d/%m/%Y"),
)
_LIKE = r"^\s*\d{1,4}[-/.](\d{1,2}|[A-Za-z]{3})[-/.]\d{1,4}\s*($|[T ])"
_NO_DATE = r"^\s*(?:0?1[-/.]0?1[-/.]0001|0001[-/.]01[-/.]01)(?:$|[T ])"
YEARS = (1900, 2199)
"""What is earlier or later is no point in time: strptime takes 26 for the year 26, and `2/14/1002` is a slot."""
_ORDERS = (
    ("mdy", r"m{1,3}\W?d{1,2}\W?y"),
    ("dmy", r"d{1,2}\W?m{1,3}\W?y"),
    ("ymd", r"y{1,4}\W?m{1,3}\W?d"),
    ("ydm", r"y{1,4}\W?d{1,2}\W?m"),
)


def guess_forms(head: pl.DataFrame) -> dict[str, str]:
    """Return the form of each column of which every filled cell is a point in time."""
    left = _like(head)
    found: dict[str, str] = {}
    said = {name: order for name in left.columns if (order := _order_in(name))}
    for forms in (*((form,) for form in (*PLAIN_FORMS, _ISO_DATE, *_FORMS)), *_EITHER_WAY):
        left = left.select(name for name in left.columns if name not in found)
        if not left.width:
            break
        for name, form in _fitting(left, forms):
            if said.get(name, _order_of(form)) == _order_of(form):
                found[name] = "" if name in found else form
    return {name: form for name, form in found.items() if form}


def either_way(head: pl.DataFrame) -> set[str]:
    """Return the columns of which every filled cell is a point in time, whether the day or the month comes first."""
    left, found = _like(head), set()
    left = left.select(name for name in left.columns if not _order_in(name))
    for one, other in _EITHER_WAY if left.width else ():
        both = [{name for name, _ in _fitting(left, (form,))} for form in (one, other)]
        found |= both[0] & both[1]
    return found


def _order_of(form: str) -> str:
    """Return in which order a form has day, month and year."""
    return "".join(letter for letter in form.replace("%b", "%m").lower() if letter in "dmy")[:3]


def _order_in(name: str) -> str | None:
    """Return the order that a header names: `Date (MM/DD/YYYY)`."""
    found = [order for order, pattern in _ORDERS if re.search(rf"(?i)(?<![a-z]){pattern}", name)]
    return found[0] if len(found) == 1 else None


def _like(head: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that look like points in time, without the cells that say that there is none."""
    every = pl.all()
    if not head.width:
        return head
    head = head.select(pl.when(~no_date(every)).then(every))
    like = head.select(every.str.contains(_LIKE).all() & (every.count() > 0)).row(0, named=True)
    return head.select(name for name, whole in like.items() if whole)


def _fitting(texts: pl.DataFrame, forms: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    every = pl.all()
    for form in forms:
        whole = texts.select(read(every, form).count() == every.count()).row(0, named=True)
        yield from ((name, form) for name, fits in whole.items() if fits)


def read(text: pl.Expr, form: str) -> pl.Expr:
    """Return the points in time of texts: Datetime("us") without a zone, or Date; null where a text is none."""
    text = text.str.strip_chars()
    if is_date(form):
        found = text.str.to_date(form, strict=False)
    else:
        found = text.str.to_datetime(form, strict=False, time_unit="us")
        if form.endswith("z"):
            found = found.dt.replace_time_zone(None)  # polars has made it UTC
    return pl.when(found.dt.year().is_between(*YEARS)).then(found)


def no_date(text: pl.Expr) -> pl.Expr:
    """Return whether texts say that there is no date: null where the cell is empty."""
    return text.str.contains(_NO_DATE)


def is_date(form: str) -> bool:
    """Whether what a form reads are dates, without a time of day."""
    return "%H" not in form and "%I" not in form


def has_zone(form: str) -> bool:
    """Whether a form reads each time's zone."""
    return form.endswith(("%#z", _UTC))
