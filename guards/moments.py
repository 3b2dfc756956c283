"""Points in time as exports write them.

A form is polars' strptime format. One that names no hour gives dates. Where day and month can stand either way
(08/31/2026, 31/08/2026) the column itself has to tell: a column that fits both stays text. Times without a zone are
kept as they are written, whatever zone that is; times with one become UTC. A day alone is read where its year comes
first: 10.12.2023 may be a version.
"""

from __future__ import annotations

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
_EITHER_WAY = tuple(
    (f"%m{mark}%d{mark}%Y {clock}", f"%d{mark}%m{mark}%Y {clock}") for mark in "/-" for clock in _CLOCKS
)
_LIKE = r"^\s*\d{1,4}[-/.](\d{1,2}|[A-Za-z]{3})[-/.]\d{1,4}\s*($|[T ])"
_FIRST_YEAR = 1000  # strptime takes 26 for the year 26


def guess_forms(head: pl.DataFrame) -> dict[str, str]:
    """Return the form of each column of which every filled cell is a point in time."""
    every = pl.all()
    if not head.width:
        return {}
    like = head.select(every.str.contains(_LIKE).all() & (every.count() > 0)).row(0, named=True)
    left = head.select(name for name, whole in like.items() if whole)
    found: dict[str, str] = {}
    for forms in (*((form,) for form in (*PLAIN_FORMS, _ISO_DATE, *_FORMS)), *_EITHER_WAY):
        left = left.select(name for name in left.columns if name not in found)
        if not left.width:
            break
        for name, form in _fitting(left, forms):
            found[name] = "" if name in found else form
    return {name: form for name, form in found.items() if form}


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
    return pl.when(found.dt.year() >= _FIRST_YEAR).then(found)


def is_date(form: str) -> bool:
    """Whether what a form reads are dates, without a time of day."""
    return "%H" not in form and "%I" not in form


def has_zone(form: str) -> bool:
    """Whether a form reads each time's zone."""
    return form.endswith(("%#z", _UTC))
