"""Durations, times of day, and days that are counted: `0d 00:00:05.05`, `16:20:00`, `45234.5`.

A duration becomes seconds. What the form does not tell (`00:05:00` could be five minutes or five past midnight) its
column has to: hours from 24 on, a name, or a count that begins at zero. A time of day is a point in time only together
with the day that stands beside it, and with the fraction of a second where that has a column of its own; one without a
day stays text, since nothing says which of two is the later one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from guards import moments

DURATION = "duration"
SERIALS = SERIAL_DATE, SERIAL_TIME = ("serial date", "serial time")
"""Days since 1899-12-30, as spreadsheets count them (ECMA-376 part 1, 18.17.4.1; the 1900 date system)."""

_DURATION = (
    r"^([+-]?)(?:(?:(\d+)\s*(?:[dD]|[dD]ays?)[,\s]\s*|(\d+)\.)?(\d{1,5}):([0-5]?\d):([0-5]?\d|60)(?:[.,](\d*))?)$"
)
_DAYS = r"^[+-]?\d+(?:\s*[dD]|\.\d+:)"
_LONG = r"^\+?(?:2[4-9]|[3-9]\d|\d{3,}):"
_ZERO = r"^[+-]?(?:0+\s*[dD]?[\s.,]*)?0+:0+:0+(?:[.,]0*)?$"
_CLOCK = r"^\d{1,2}:[0-5]\d(?::[0-5]\d(?:[.,:]\d+)?)?(?:\s*[AaPp][Mm])?$"
_DAY = r"^\d{1,4}[-/.](?:\d{1,2}|[A-Za-z]{3})[-/.]\d{1,4}$"
_LASTS = re.compile(
    r"(?i)elapsed|duration|relative|cumul|(?<![a-z])(?:uptime|on[ _]?time|total[ _]?time|hours in)|dauer|laufzeit"
)
_TIMED = re.compile(r"(?i)time|zeit|elapsed|duration|dauer|clock|delay|period|hour|uptime|age\b|^t\b|^column_\d+$")
_CLOCKS = re.compile(r"(?i)^(?:local|utc|start|end)?[ _]?(?:time|zeit|uhrzeit|clock)(?:[ _]of[ _]day)?(?:_\d+)?$")
_WORDS = re.compile(r"[a-z]+|\d+")
_OF_A_DAY = frozenset("date day datum time clock zeit uhrzeit hh mm ss yyyy yy dd of hms ymd dmy mdy".split())
_OF_A_ROW = frozenset("test measurement meas log record sample acquisition local utc reading scan data".split())
_FRACTIONS = re.compile(r"(?i)fract")
_MILLISECONDS = re.compile(r"(?i)^\W*(?:ms|msecs?|milli ?seconds?)\W*$")
_DATED = re.compile(r"(?i)^(?:date|datum|date ?(?:/|and|&|-|_)? ?time|time ?stamp ?date)(?:_\d+)?$")
_SERIALS = (36_526, 55_153)  # from 2000 to 2050; a date code of year and day (26243) is less
_PER_DAY = 86_400_000  # a spreadsheet shows milliseconds, and rounds to them
_EPOCH = pl.datetime(1899, 12, 30, time_unit="us")


@dataclass(frozen=True, slots=True)
class Joined:
    """A time of day that is read with its day: the column of the day, the form of both with a blank between them, and
    the column of the fraction, of which `per_second` make a second.
    """

    day: str
    form: str
    fraction: str | None = None
    per_second: int = 1

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns that it is read with."""
        return (self.day,) if self.fraction is None else (self.day, self.fraction)

    def read(self, name: str) -> pl.Expr:
        """Return the points in time over a frame in which the day and the time are texts."""
        text = pl.concat_str(pl.col(self.day).str.strip_chars(), pl.col(name).str.strip_chars(), separator=" ")
        found = moments.read(text, self.form)
        if self.fraction is None:
            return found
        part = pl.col(self.fraction).cast(pl.String).str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
        return found + pl.duration(microseconds=(part * (1_000_000 / self.per_second)).round(), time_unit="us")


def guess_forms(texts: pl.DataFrame) -> dict[str, str]:
    """Return DURATION for each column of text of which every filled cell is one."""
    like = _all(texts, _DURATION)
    whole = texts.select(pl.col(like).str.strip_chars())
    days, long, zero = (_some(whole, pattern) for pattern in (_DAYS, _LONG, _ZERO))
    begins = {name for name in zero if re.match(_ZERO, str(whole[name].drop_nulls()[0]))}
    lasting = {name for name in like if _LASTS.search(name)}
    if _all(texts, _DAY):
        begins = {name for name in begins if not _CLOCKS.match(name)}
    counting = {name for name in long | begins if _TIMED.search(name)}
    return dict.fromkeys(days | lasting | counting, DURATION)


def guess_serials(numbers: pl.DataFrame) -> dict[str, str]:
    """Return the form of the days for columns that are named as dates and hold only a spreadsheet's numbers of them."""
    found = {}
    for name in filter(_DATED.match, numbers.columns):
        days = numbers[name].cast(pl.Float64, strict=False).drop_nulls()
        if days.len() and days.len() == numbers[name].count() and days.is_between(*_SERIALS).all():
            found[name] = SERIAL_DATE if (days == days.floor()).all() else SERIAL_TIME
    return found


def join_days(head: pl.DataFrame, unread: Iterable[str]) -> dict[str, Joined]:
    """Return how the times of day among the `unread` columns of texts are read with a day beside them.

    The day is the column at its side, else the only one of the table, and by their names both are of the same thing: a
    calibration has a date as well.
    """
    days = _all(head, _DAY)
    if not days:
        return {}
    found = {}
    for name in _all(head.select(unread), _CLOCK):
        day = _beside(head.columns, name, days)
        if day is None or head[name].count() != head.select(pl.col(day, name)).drop_nulls().height:
            continue
        text = pl.concat_str(pl.col(day, name).str.strip_chars(), separator=" ")
        if form := moments.guess_forms(head.select(text.alias(name))).get(name):
            whole = head[name].str.contains(r":\d\d:\d\d$").all()
            fraction = next(_fractions(head, name), (None, 1)) if whole else (None, 1)
            found[name] = Joined(day, form, *fraction)
    return found


def read(column: pl.Expr, form: str) -> pl.Expr:
    """Return durations in seconds (Float64), each the float nearest to the text's; or the points in time of serials.

    A cell that is none is null.
    """
    if form in SERIALS:
        days = column.cast(pl.String).str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
        at = _EPOCH + pl.duration(milliseconds=(days * _PER_DAY).round())
        return at.cast(pl.Date if form == SERIAL_DATE else pl.Datetime("us"))
    part = column.str.strip_chars().str.extract_groups(_DURATION).struct
    days = pl.coalesce(part.field("2"), part.field("3"), pl.lit("0")).cast(pl.Int64)
    hours, minutes, seconds = (part.field(str(group)).cast(pl.Int64) for group in (4, 5, 6))
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    text = pl.concat_str(part.field("1"), whole.cast(pl.String), pl.lit("."), part.field("7").fill_null("0"))
    return text.cast(pl.Float64, strict=False)


def _all(texts: pl.DataFrame, pattern: str) -> list[str]:
    """Return the columns of which every filled cell has the pattern, and one is filled."""
    if not texts.width:
        return []
    every = pl.all().str.strip_chars()
    found = texts.select(every.str.contains(pattern).all() & (every.count() > 0)).row(0, named=True)
    return [name for name, whole in found.items() if whole]


def _some(texts: pl.DataFrame, pattern: str) -> set[str]:
    found = texts.select(pl.all().str.contains(pattern).any()).row(0, named=True) if texts.width else {}
    return {name for name, any_ in found.items() if any_}


def _beside(names: list[str], name: str, days: list[str]) -> str | None:
    at = names.index(name)
    near = [other for other in (*names[max(0, at - 1) : at], *names[at + 1 : at + 2]) if other in days]
    fitting = [day for day in near or (days if len(days) == 1 else []) if _of_the_same(name, day)]
    if len(fitting) > 1:
        fitting = [day for day in fitting if _subject(day) == _subject(name)]
    return fitting[0] if len(fitting) == 1 else None


def _subject(name: str) -> frozenset[str]:
    """Return the words of a name that say of what it is a date or a time."""
    return frozenset(_WORDS.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())) - _OF_A_DAY


def _of_the_same(time: str, day: str) -> bool:
    own, other = _subject(time), _subject(day)
    unnamed = all(re.fullmatch(r"column_\d+", name) for name in (time, day))
    return own == other or unnamed or (other <= _OF_A_ROW and own <= _OF_A_ROW)


def _fractions(head: pl.DataFrame, name: str) -> Iterator[tuple[str, int]]:
    """Yield the column behind a time that holds the fraction of its second."""
    for other in head.columns[head.columns.index(name) + 1 :][:1]:
        per_second = 1 if _FRACTIONS.search(other) else 1000 if _MILLISECONDS.match(other) else 0
        part = head[other].str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
        filled = part.count() == head[other].count() == head[name].count()
        if per_second and filled and part.is_between(0, per_second, closed="left").all():
            yield other, per_second


def kind_of(form: str) -> str:
    """Return the kind of column (`cells.Kind`) that a form reads."""
    if form == DURATION:
        return DURATION
    return "date" if form == SERIAL_DATE or (form != SERIAL_TIME and moments.is_date(form)) else "datetime"


def forms_of_days(joined: Mapping[str, Joined]) -> dict[str, str]:
    """Return the form of the days that times of day are read with."""
    return {found.day: found.form.split(" ", 1)[0] for found in joined.values()}
