"""Numbers with units in profiles ("-0.3 V") and in cells ("4.9930V"), as exact values and as polars expressions.

A cell is read in three steps, each a whole-column expression: blanks off and the decimal mark made a point; a number
by the strict grammar below; else a number with a unit behind it, else text. Nothing else is a number: `1.#INF`, `5_0`,
`0x10` and `5,01` with a decimal point declared are not. A power of ten is applied to the text's exponent before the
one cast to a float, so that the result is the float that the file would have held in that unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from fractions import Fraction

import polars as pl

from guards.errors import UnitError
from guards.units import Unit, find_unit, power_of_ten

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
_CELL_NUMBER = f"^{_NUMBER}$"
_CELL_WITH_UNIT = rf"^({_NUMBER})\s*([A-Za-zµμΩΩ°℃℉%][^\d]{{0,15}})$"
_APART = r"^([+-]) +([\d.])"  # recorders pad a number behind its sign: `+  4.900`
_GROUPED = (
    r"^[+-]?\d{{1,3}}(?:(?:[\u00a0\u202f'\u2019]\d{{3}})+(?:{mark}\d+)?"
    r"|(?:(?:{other}\d{{3}})+|(?: \d{{3}})+){mark}\d+)$"
)
_GROUP_MARKS = r"[ \u00a0\u202f'\u2019{other}]"
_QUANTITY = re.compile(rf"^\s*({_NUMBER})\s*(\S.*?)?\s*$")

OVERLOAD_LIMIT = 9e36
"""|x| from here on is an instrument's overflow code: SCPI 1999.0 vol. 1, 7.2.1 writes 9.9E+37 and -9.9E+37 for
infinity and 9.91E+37 for not-a-number; firmwares round them (9.99999999e+37), so equality would miss them."""
NOT_A_NUMBER_CODE = (9.905e37, 9.915e37)

_KINDS = {
    "overload": """ol|o.l|o.l.|0l|0.l|+ol|over|overload|ovld|ovrflw|overflow|over range|overrange|inf|+inf|infinity|
        ∞|+∞|1.#inf|+1.#inf|1.#inf00""",
    "underload": "-ol|under|underrange|-inf|-infinity|-∞|-1.#inf|-1.#inf00",
    "nan": "nan|-nan|1.#qnan|1.#qnan0|1.#ind|-1.#ind|-1.#ind00",
    "no reading": """-|--|---|----|-----|------|--.--|---.--|n/a|na|#n/a|#value!|#div/0!|#num!|#ref!|null|none|err|
        error|invalid|no data""",
    "open": "open",
}
SENTINEL_TEXTS: dict[str, str] = {text.strip(): kind for kind, texts in _KINDS.items() for text in texts.split("|")}
"""Cell texts (blanks off, lower case) that stand for no reading, and the kind of flag each gets."""


def parse_quantity(text: str, *, where: str = "") -> tuple[Fraction, Unit]:
    """Return the exact number and the unit of a text such as "-0.3 V".

    Raises:
        UnitError: not one number, one unit and nothing else.
    """
    match = _QUANTITY.match(text)
    unit = find_unit(match[2]) if match and match[2] else None
    if match is None or unit is None:
        raise UnitError(text, 'a number and a unit, such as "-0.3 V" or "25 mA"' + where)
    return Fraction(match[1]), unit


def cell_text(column: pl.Expr, decimal: str) -> pl.Expr:
    """Return the column's text without outer blanks and thousands marks, with ASCII signs and a decimal point.

    Thousands are grouped by a mark that can mean nothing else: an apostrophe or a narrow blank, or a blank or the other
    decimal mark where a decimal mark follows (`1.001,5`). `1,001` alone stays as it is: it could be either.
    """
    text = column.str.strip_chars().str.replace("\u2212", "-", literal=True).str.replace(_APART, "${1}${2}")
    mark, other = (",", ".") if decimal == "," else (".", ",")
    grouped = text.str.contains(_GROUPED.format(mark=re.escape(mark), other=re.escape(other)))
    text = pl.when(grouped).then(text.str.replace_all(_GROUP_MARKS.format(other=re.escape(other)), "")).otherwise(text)
    if decimal == ",":
        text = text.str.replace(",", ".", literal=True)
    return text


def number(text: pl.Expr) -> pl.Expr:
    """Return Float64 values of the `cell_text` that is a number by the grammar, else null.

    polars' own cast takes exactly the grammar's numbers, and besides them inf, infinity and nan, which
    `finite` sets apart.
    """
    return text.cast(pl.Float64, strict=False)


def shifted(text: pl.Expr, exponent: int) -> pl.Expr:
    """Return the numbers of `text` times 10**exponent, each the float nearest to the shifted decimal text."""
    if exponent == 0:
        return number(text)
    plain = text + pl.lit(f"e{exponent}")
    mantissa = text.str.extract(r"^([^eE]+)[eE]", 1)
    power = text.str.extract(r"[eE]([+-]?\d+)$", 1).cast(pl.Int32, strict=False) + exponent
    written = pl.when(text.str.contains("e", literal=True) | text.str.contains("E", literal=True))
    return number(written.then(mantissa + pl.lit("e") + power.cast(pl.String)).otherwise(plain))


def scaled(text: pl.Expr, factor: Fraction, offset: Fraction) -> pl.Expr:
    """Return number * factor + offset: a power of ten through the text, anything else as one rounded operation."""
    exponent = power_of_ten(factor)
    if offset == 0 and exponent is not None:
        return shifted(text, exponent)
    value = number(text)
    # Over the common denominator products and sums are of short numbers, and the division rounds: (F * 5 - 160) / 9.
    denominator = math.lcm(factor.denominator, offset.denominator)
    value = value * float(factor * denominator) if factor * denominator != 1 else value
    value = value + float(offset * denominator) if offset else value
    if denominator == 1:
        return value
    # By a column: polars multiplies by the reciprocal of a scalar, which rounds twice.
    return value / (value * 0.0 + float(denominator))


def unit_suffix(text: pl.Expr) -> pl.Expr:
    """Return the unit text behind the number of cells such as "4.9930V" or "6,00 V", else null."""
    return text.str.extract(_CELL_WITH_UNIT, 2).str.strip_chars()


def without_suffix(text: pl.Expr, suffixes: Collection[str]) -> pl.Expr:
    """Return the number's text of cells such as "4.9930V" whose unit text is one of `suffixes`; others unchanged."""
    if not suffixes:
        return text
    known = unit_suffix(text).is_in(list(suffixes))
    return pl.when(known).then(text.str.extract(_CELL_WITH_UNIT, 1)).otherwise(text)


_RKM = r"^(\d+)([RkKMG])(\d*)$"
_RKM_POINT = r"^(\d+\.\d+)([RkKMG])$"
_RKM_EXPONENTS = {"R": "", "k": "e3", "K": "e3", "M": "e6", "G": "e9"}


def rkm_mark(text: pl.Expr) -> pl.Expr:
    """Return the letter of a resistor code such as "4k99", "0R1", "1M" (IEC 60062) or "4.7k", else null."""
    return pl.coalesce(text.str.extract(_RKM, 2), text.str.extract(_RKM_POINT, 2))


def without_rkm(text: pl.Expr, marks: Collection[str]) -> pl.Expr:
    """Return resistor codes with one of these letters as numbers in ohm ("4k99" is "4.99e3"); others unchanged.

    M is mega in IEC 60062 and milli in SPICE: the caller leaves it out where no other letter shows which was meant.
    """
    if not marks:
        return text
    mark = rkm_mark(text)
    exponent = mark.replace_strict(_RKM_EXPONENTS, default=None, return_dtype=pl.String)
    code = text.str.extract(_RKM, 1) + pl.lit(".") + text.str.extract(_RKM, 3)
    plain = pl.coalesce(code, text.str.extract(_RKM_POINT, 1)) + exponent
    return pl.when(mark.is_in(list(marks))).then(plain).otherwise(text)


def sentinel_kind(text: pl.Expr, extra_texts: dict[str, str] | None = None) -> pl.Expr:
    """Return the kind of flag for cells whose text stands for no reading, else null."""
    table = SENTINEL_TEXTS | (extra_texts or {})
    return text.str.to_lowercase().replace_strict(
        list(table), list(table.values()), default=None, return_dtype=pl.String
    )


def sentinel_number_kind(value: pl.Expr, extra_numbers: tuple[float, ...] = ()) -> pl.Expr:
    """Return the kind of flag for numeric overflow codes, infinities and NaN, else null."""
    size = value.abs()
    kind = (
        pl.when(value.is_nan() | size.is_between(*NOT_A_NUMBER_CODE))
        .then(pl.lit("nan"))
        .when(size >= OVERLOAD_LIMIT)
        .then(pl.when(value > 0).then(pl.lit("overload")).otherwise(pl.lit("underload")))
    )
    if extra_numbers:
        kind = kind.when(value.is_in(list(extra_numbers))).then(pl.lit("sentinel"))
    return kind.otherwise(None)


def finite(value: pl.Expr, extra_numbers: tuple[float, ...] = ()) -> pl.Expr:
    """Return the values that are readings: overflow codes, infinities and NaN become null."""
    keep = value.abs() < OVERLOAD_LIMIT
    if extra_numbers:
        keep = keep & ~value.is_in(list(extra_numbers))
    return pl.when(keep).then(value)
