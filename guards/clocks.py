"""Durations, times of day, and days that are counted: `0d 00:00:05.05`, `16:20:00`, `45234.5`.

A duration becomes seconds. `00:05:00` alone could be five minutes or five past midnight, or no time at all: it is a
duration where its column is named so, or where a column named as a time passes 24 hours or counts from zero with no
date of its own beside it. A time of day is a point in time only together with the day of the same thing at its side,
and with the fraction of its second where that has a column; one without a day stays text, since nothing says which of
two is the later one. What could be read in two ways stays text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from guards import moments
from guards.headers import header_unit

DURATION, COUNTED = "duration", "duration from zero"
"""COUNTED: nothing but its beginning tells that it is no clock's, so that it must not pass midnight as one."""
DURATIONS = (DURATION, COUNTED)
SERIALS = SERIAL_DATE, SERIAL_TIME = ("serial date", "serial time")
"""Days since 1899-12-30, as spreadsheets count them (ECMA-376 part 1, 18.17.4.1; the 1900 date system)."""

_DURATION = (
    r"^(?:(\d{1,5})\s*(?:[dD]|[dD]ays?,?)\s+(\d{1,2}):([0-5]\d):([0-5]?\d|60)(?:[.,](\d*))?"
    r"|([+-]?)(?:(\d{1,5})\.)?(\d{1,5}):([0-5]\d):([0-5]\d|60)(?:[.,](\d*))?)$"
)
_DAYS = r"^\d{1,5}\s*[dD]"
_LONG = r"^\+?(?:\d{1,5}\.\d|24:\d\d:\d*[1-9]|24:[0-5]?[1-9]|2[5-9]:|[3-9]\d:|\d{3,}:)"
_ZERO = r"^\+?0+:00:00(?:[.,]0*)?$"
_CLOCK = r"^\d{1,2}:[0-5]\d(?::[0-5]\d(?:[.,:]\d+)?)?(?:\s*[AaPp][Mm])?$"
_DAY = r"^\d{1,4}[-/.](?:\d{1,2}|[A-Za-z]{3})[-/.]\d{1,4}$"
_MIDNIGHT = r"[T ]00:00(?::00(?:\.0*)?)?$"
_TIME = re.compile(r"(?i)(?<![a-z])(?:time|times|dauer|zeit|laufzeit|elapsed|duration|uptime|hours)(?![a-z])|^t$")
_LASTS = re.compile(
    r"(?i)elapsed|duration|dauer|laufzeit|uptime"
    r"|(?:relative|cumulative|total|load[ _]on|remaining|charge|discharge)[ _]?time|hours in"
)
_OF_A_DAY_IN_WORDS = re.compile(
    r"(?i)start|begin|stop|end(?!urance)|since|until|of[ _]?day|clock|stamp|uhrzeit|date|utc|local|gmt|step$"
)
_FORM = re.compile(r"(?i)(?<![a-z:])([a-z]+) ?: ?[a-z]")
_HOURS = re.compile(r"(?i)^\W*(?:h+|hours?|hrs?) ?: ?m|^\W*(?:s|secs?|seconds?)?\W*$")
_FRACTION = re.compile(r"(?i)^\W*(?:fraction(?:al)?|frac\.?|sub)[ _-]*(?:of[ _])?(?:a[ _])?sec(?:onds?)?\W*$")
_NAMED_DATE = re.compile(r"(?i)(?<![a-z])(?:date|datum|day|tag|weekday|time ?stamp)(?![a-z])")
_DATED = re.compile(r"(?i)^(?:date|datum|date ?(?:/|and|&|-|_)? ?time)(?:_\d+)?$")
_WORDS = re.compile(r"[a-z]+|\d+")
_OF_A_DAY = frozenset("date day datum time clock zeit uhrzeit hh mm ss yyyy yy dd of hms ymd dmy mdy".split())
_LASTING = frozenset("test step scan cycle run acquisition measurement meas sample reading record log".split())
_OF_A_ROW = _LASTING | frozenset("weekday timestamp stamp start end local utc".split())
_UNNAMED = re.compile(r"column_\d+")
_SERIAL = r"^\d{5}(?:\.\d+)?$"
_SERIALS = (43_101, 50_000)  # 2018 to 2036; read as day, month and year no digits of these make a date
_PER_DAY = 86_400_000  # a spreadsheet shows milliseconds, and rounds to them
_DAY_SECONDS = 86_400
_EPOCH = pl.datetime(1899, 12, 30, time_unit="us")
_BACK = 6 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class Joined:
    """A time of day that is read with its day: the column of the day, the form of both with a blank between them, and
    the column of the fraction of its second.
    """

    day: str
    form: str
    fraction: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns that it is read with."""
        return (self.day,) if self.fraction is None else (self.day, self.fraction)

    def read(self, name: str) -> pl.Expr:
        """Return the points in time over a frame in which the day and the time are texts.

        None where a clock goes back by hours while its day stays the same: it may have passed midnight, or noon.
        """
        day, time = pl.col(self.day).str.strip_chars(), pl.col(name).str.strip_chars()
        found = moments.read(pl.concat_str(day, time, separator=" "), self.form)
        stays = ((found.diff().dt.total_microseconds() < -_BACK) & (day == day.shift())).fill_null(value=False)
        found = pl.when(~stays).then(found)
        if self.fraction is None:
            return found
        part = _number(pl.col(self.fraction))
        part = pl.when(part.is_between(0, 1, closed="left")).then(part)
        return found + pl.duration(microseconds=(part * 1_000_000).round(), time_unit="us")


def guess_forms(texts: pl.DataFrame, has_days: Callable[[], bool], said: Mapping[str, str]) -> dict[str, str]:
    """Return DURATION or COUNTED for each column of text of which every filled cell is a duration.

    `has_days`: whether the table has a date (`has_day`); asked where it matters. `said`: what a row of units says of
    columns.
    """
    like = [
        name for name in _all(texts, _DURATION)
        if ((unit := header_unit(name)) is None or unit[2].symbol == "s") and _HOURS.match(said.get(name) or "s")
    ]  # fmt: skip
    whole = texts.select(pl.col(like).str.strip_chars())
    with_days, long = _some(whole, _DAYS), _some(whole, _LONG)
    named = {name for name in like if _may_last(_spaced(name))}
    lasting = {name for name in named if _LASTS.search(_spaced(name))}
    sure = with_days | lasting | (long & named)
    counting = {name for name in named - sure if _counts_from_zero(whole.get_column(name))}
    counting = set() if counting and has_days() else counting
    return dict.fromkeys(sure, DURATION) | dict.fromkeys(counting, COUNTED)


def _may_last(name: str) -> bool:
    """Return whether a name is a time's, not one of a day, and says of no other form: `min:sec:ms` does."""
    return bool(_TIME.search(name)) and not _OF_A_DAY_IN_WORDS.search(name) and _begins_with_hours(name)


def _begins_with_hours(name: str) -> bool:
    form = _FORM.search(name)
    return form is None or form[1][0] in "hH"


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)


def _counts_from_zero(texts: pl.Series) -> bool:
    return re.match(_ZERO, str(texts.drop_nulls()[0])) is not None


def has_day(head: pl.DataFrame) -> bool:
    """Return whether a table has a date of its rows that is no point in time by itself: a text, a number, midnights."""
    forms = moments.guess_forms(head)
    for name in head.columns:
        unnamed = _UNNAMED.fullmatch(name) and name in forms
        named = _NAMED_DATE.search(_spaced(name)) and _subject(name) <= _OF_A_ROW and head[name].count()
        form = forms.get(name)
        whole = form is not None and not moments.is_date(form) and not head[name].str.contains(_MIDNIGHT).all()
        if (named or unnamed) and not whole:
            return True
    return False


def guess_serials(numbers: pl.DataFrame) -> dict[str, str]:
    """Return the form of the days for columns that are named as dates and hold only a spreadsheet's numbers of them."""
    named = numbers.select(name for name in numbers.columns if _DATED.match(name))
    found = {}
    for name in _all(named, _SERIAL):
        days = numbers[name].cast(pl.Float64, strict=False).drop_nulls()
        if days.is_between(*_SERIALS, closed="left").all():
            found[name] = SERIAL_DATE if (days == days.floor()).all() else SERIAL_TIME
    return found


def join_days(head: pl.DataFrame, unread: Iterable[str]) -> dict[str, Joined]:
    """Return how the times of day among the `unread` columns of texts are read with a day beside them.

    The day is the column at its side, else the only one of the table, and by their names both are of the same thing: a
    calibration has a date as well.
    """
    clocks = [name for name in _all(head.select(unread), _CLOCK) if _begins_with_hours(name)]
    days = _all(head, _DAY) if clocks else []
    if not days or any(not moments.is_date(form) for form in moments.guess_forms(head).values()):
        return {}  # a clock that has its day says when: another one may count from the beginning
    found: dict[str, Joined] = {}
    for name in sorted(clocks, key=lambda name: not _at_the_side(head.columns, name, days)):
        day = _beside(head.columns, name, days)
        if day is None or head[name].count() != head.select(pl.col(day, name)).drop_nulls().height:
            continue
        text = pl.concat_str(pl.col(day, name).str.strip_chars(), separator=" ")
        if day in {other.day for other in found.values()}:
            continue  # of two clocks with one day the nearer one tells the time
        if form := moments.guess_forms(head.select(text.alias(day))).get(day):
            whole = head[name].str.contains(r":\d\d:\d\d\s*$").all()
            found[name] = Joined(day, form, _fraction(head, name) if whole else None)
    return found


def read(column: pl.Expr, form: str) -> pl.Expr:
    """Return durations in seconds (Float64), each the float nearest to the text's; or the points in time of serials.

    A cell that is none is null.
    """
    if form in SERIALS:
        days = _number(column)
        whole = days.is_between(*_SERIALS, closed="left") & ((days == days.floor()) | (form == SERIAL_TIME))
        at = _EPOCH + pl.duration(milliseconds=(pl.when(whole).then(days) * _PER_DAY).round())
        return at.cast(pl.Date if form == SERIAL_DATE else pl.Datetime("us"))
    part = column.str.strip_chars().str.extract_groups(_DURATION).struct

    def group(*numbers: int) -> pl.Expr:
        return pl.coalesce(part.field(str(number)) for number in numbers)

    days, hours, minutes, seconds = (group(*pair).cast(pl.Int64) for pair in ((1, 7), (2, 8), (3, 9), (4, 10)))
    total = ((days.fill_null(0) * 24 + hours) * 60 + minutes) * 60 + seconds
    text = pl.concat_str(group(6).fill_null(""), total.cast(pl.String), pl.lit("."), group(5, 11).fill_null("0"))
    value = text.cast(pl.Float64, strict=False)
    return value if form == DURATION else pl.when(~_passes_midnight(value)).then(value)


def _number(column: pl.Expr) -> pl.Expr:
    """Return the numbers of a column that may have been read as such already, whatever its decimal mark."""
    return column.cast(pl.String).str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)


def _passes_midnight(value: pl.Expr) -> pl.Expr:
    """Return whether seconds of less than a day go back where the next would have been the next day's: a clock's do."""
    before, step = value.shift(), value.shift() - value.shift(2)
    back = (value < before) & (before + step.abs() >= _DAY_SECONDS) & (before < _DAY_SECONDS)
    return (back.any() & (value.max() < _DAY_SECONDS)).fill_null(value=False)


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


def _at_the_side(names: list[str], name: str, days: list[str]) -> list[str]:
    at = names.index(name)
    return [other for other in (*names[max(0, at - 1) : at], *names[at + 1 : at + 2]) if other in days]


def _beside(names: list[str], name: str, days: list[str]) -> str | None:
    near = _at_the_side(names, name, days)
    fitting = [day for day in near or (days if len(days) == 1 else []) if _of_the_same(name, day)]
    return fitting[0] if len(fitting) == 1 else None


def _subject(name: str) -> frozenset[str]:
    """Return the words of a name that say of what it is a date or a time."""
    return frozenset(_WORDS.findall(_spaced(name).lower())) - _OF_A_DAY


def _of_the_same(time: str, day: str) -> bool:
    own, other = _subject(time), _subject(day)
    unnamed = all(map(_UNNAMED.fullmatch, (time, day)))
    return unnamed or (own == other and not own & _LASTING)  # of a test: when it was, or how long it took


def _fraction(head: pl.DataFrame, name: str) -> str | None:
    """Return the column behind a time that holds the fraction of its second, None without one."""
    behind = head.columns[head.columns.index(name) + 1 :]
    if not behind or not _FRACTION.match(behind[0]):
        return None
    part = head.select(_number(pl.col(behind[0]))).to_series()
    filled = part.count() == head[behind[0]].count() == head[name].count()
    return behind[0] if filled and part.is_between(0, 1, closed="left").all() else None


def kind_of(form: str) -> str:
    """Return the kind of column (`kinds.Kind`) that a form reads."""
    if form in DURATIONS:
        return DURATION
    return "date" if form == SERIAL_DATE or (form != SERIAL_TIME and moments.is_date(form)) else "datetime"


def forms_of_days(joined: Mapping[str, Joined]) -> dict[str, str]:
    """Return the form of the days that times of day are read with."""
    return {found.day: found.form.split(" ", 1)[0] for found in joined.values()}
