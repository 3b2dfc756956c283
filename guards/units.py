"""Unit texts to units, exactly, and without guessing.

pint knows dimensions and factors; it is not asked to read what an instrument wrote, because it reads `amps` as
attometre per second, `ma` as milliyear and `5,01 V` as 501 V (seen on pint 0.25 and 0.26). So text goes through NFKC,
a table of spellings and a strict grammar (`prefix unit`, joined by `/`, `*` or `·`), and nothing is case-folded:
mS is not ms. Lower-case header suffixes such as `_mv` are spellings of their own, listed in `declared.py`.

Scales are `Fraction`s of the quantity's base unit, so that 5100 mV against a limit of 5.100 V is exact.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from guards.errors import UnitError

PREFIXES: dict[str, int] = {"p": -12, "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9}
_PREFIX_WORDS = {
    "pico": "p",
    "nano": "n",
    "micro": "u",
    "milli": "m",
    "kilo": "k",
    "mega": "M",
    "meg": "M",
    "giga": "G",
}
# NFKC turns U+00B5 into U+03BC; both must read as the ASCII prefix "u".
_MICRO = {"μ": "u", "µ": "u"}
# Degree signs as they arrive after one wrong decoding (utf-8 as cp1252, gbk, cp1250): a table, never a rule.
_DEGREE_C = ("°C", "\ufffdC", "癈", "Ąć", "¡æ", "Â°C", "ºC", "℃")
_DEGREE_F = ("°F", "\ufffdF", "Â°F", "ºF", "℉")
FRACTION = "1"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of one quantity. value in the quantity's base unit = value * scale + offset.

    `symbol` is pint's short symbol in ASCII ("uV", "ohm", "degC", "%"; the unit of a plain ratio is "1").
    Logarithmic units (dBm) have scale 1 and are never scaled.
    """

    symbol: str
    quantity: str
    scale: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    logarithmic: bool = False

    def __str__(self) -> str:
        return self.symbol

    @property
    def words(self) -> str:
        """The unit as it stands in a sentence."""
        return "a fraction" if self.symbol == FRACTION else self.symbol


@dataclass(frozen=True, slots=True)
class _Base:
    symbol: str
    quantity: str
    pint_name: str | None  # None: this is the quantity's base unit, its scale is 1 by definition
    symbols: tuple[str, ...] = ()  # further spellings that take a symbol prefix: mVDC
    words: tuple[str, ...] = ()  # spellings that take a word prefix (millivolts) or "m" as in mAmps
    prefixed: bool = True
    logarithmic: bool = False


_BASES = (
    _Base("V", "voltage", None,
          ("VDC", "VAC", "Vdc", "Vac", "Vrms", "VRMS", "Vpp", "Vpk", "V DC", "V AC", "DCV", "ACV"),
          ("Volt", "Volts", "volt", "volts", "Volt DC", "Volt AC", "VOLT", "VOLTS")),
    _Base("A", "current", None, ("ADC", "AAC", "Adc", "Aac", "Arms", "A DC", "A AC", "DCI", "ACI"),
          ("Amp", "Amps", "amp", "amps", "Ampere", "Amperes", "ampere", "amperes", "Amp DC", "Amp AC", "AMP", "AMPS")),
    _Base("W", "power", None, (), ("Watt", "Watts", "watt", "watts", "WATT")),
    _Base("VA", "apparent power", None), _Base("var", "reactive power", None, ("VAR", "VAr")),
    _Base("ohm", "resistance", None, ("Ω", "Ohm", "Ohms", "ohms", "OHM", "OHMS", "Î©", "â„¦"), ("Ohm", "ohm", "ohms")),
    _Base("S", "conductance", None, (), ("Siemens", "siemens")),
    _Base("F", "capacitance", None, (), ("Farad", "farad", "Farads", "farads")),
    _Base("H", "inductance", None, (), ("Henry", "henry", "Henries")),
    _Base("Hz", "frequency", None, ("HZ", "hz"), ("Hertz", "hertz")),
    _Base("s", "time", None, ("sec", "Sec", "secs", "S.", "SEC"), ("second", "seconds", "Second", "Seconds")),
    _Base("min", "time", "minute", ("Min", "mins", "minute", "minutes", "Minute", "Minutes"), prefixed=False),
    _Base("h", "time", "hour", ("hr", "hrs", "Hr", "hour", "hours", "Hour", "Hours"), prefixed=False),
    _Base("d", "time", "day", ("day", "days", "Day", "Days"), prefixed=False),
    _Base("degC", "temperature", None, (*_DEGREE_C, "C", "deg C", "Deg C", "DegC", "deg. C", "deg.C", "Celsius",
                                        "celsius", "degrees C", "degree C", "CEL", "Cel"), prefixed=False),
    _Base("degF", "temperature", "degree_Fahrenheit", (*_DEGREE_F, "deg F", "Deg F", "DegF", "Fahrenheit",
                                                       "fahrenheit", "degrees F", "FAH"), prefixed=False),
    _Base("K", "temperature", "kelvin", ("Kelvin", "kelvin", "KEL"), prefixed=False),
    _Base(FRACTION, "ratio", None, ("fraction", "ratio", "p.u.", "pu"), prefixed=False),
    _Base("V/V", "gain", None, ("A/A", "W/W"), prefixed=False),  # no efficiency: 87 V/V is not taken for 87 %
    _Base("%", "ratio", "percent", ("percent", "Percent", "pct", "PCT", "Pct"), prefixed=False),
    _Base("ppm", "ratio", "ppm", ("PPM",), prefixed=False),
    _Base("Ah", "charge", "ampere_hour", ("AH", "A.h", "A*h", "A·h"), ("Amp-hr", "Amp-hrs", "amp-hr", "Amp-hour")),
    _Base("C", "charge", None, (), ("Coulomb", "coulomb", "coulombs")),
    _Base("Wh", "energy", "watt_hour", ("WH", "W.h", "W*h"), ("Watt-hr", "Watt-hrs", "watt-hr", "Watt-hour")),
    _Base("J", "energy", None, (), ("Joule", "joule", "joules", "Joules")),
    _Base("Pa", "pressure", None, (), ("Pascal", "pascal")),
    _Base("bar", "pressure", "bar", ("Bar",)),
    _Base("psi", "pressure", "psi", ("Psi", "PSI"), prefixed=False),
    _Base("g", "mass", None, (), ("gram", "grams", "Gram")),
    _Base("m", "length", None, (), ("meter", "meters", "metre", "metres")),
    _Base("g_0", "acceleration", "standard_gravity", ("gn",), prefixed=False),
    _Base("T", "magnetic flux density", None, (), ("Tesla", "tesla")),
    _Base("N", "force", None, (), ("Newton", "newton", "newtons")),
    _Base("lx", "illuminance", None, ("lux", "Lux")), _Base("lm", "luminous flux", None, ("lumen", "lumens")),
    _Base("rpm", "rotation", None, ("RPM", "r/min"), prefixed=False),
    _Base("deg", "angle", None, ("°", "degree", "degrees", "Degrees", "DEG"), prefixed=False),
    _Base("dB", "level ratio", None, ("db", "DB"), prefixed=False, logarithmic=True),
    _Base("dBm", "power level", None, ("dbm", "DBM", "dBmW"), prefixed=False, logarithmic=True),
    *(_Base(symbol, "voltage level", None, prefixed=False, logarithmic=True)
      for symbol in ("dBV", "dBu", "dBuV", "dBmV")),
)  # fmt: skip
# UNECE recommendation 20 codes (OpenHTF writes them): only those that no other spelling could mean.
_UNECE = {"VLT": "V", "2Z": "mV", "D82": "uV", "AMP": "A", "4K": "mA", "B84": "uA", "WTT": "W", "C31": "mW",
          "OHM": "ohm", "B49": "kohm", "B75": "Mohm", "SEC": "s", "C26": "ms", "B98": "us", "HTZ": "Hz",
          "KHZ": "kHz", "MHZ": "MHz",
          "P1": "%", "59": "ppm", "2N": "dB", "FAR": "F"}  # fmt: skip
# Exact by definition (SI Brochure, 9th edition, table 8; degF: NIST SP 811): the 0.2 s of loading pint wait for a
# rarer unit.
_BY_DEFINITION = {
    "min": (Fraction(60), Fraction(0)),
    "h": (Fraction(3600), Fraction(0)),
    "d": (Fraction(86400), Fraction(0)),
    "K": (Fraction(1), Fraction("-273.15")),
    "degF": (Fraction(5, 9), Fraction(-160, 9)),
    "%": (Fraction(1, 100), Fraction(0)),
    "ppm": (Fraction(1, 1_000_000), Fraction(0)),
    "Ah": (Fraction(3600), Fraction(0)),
    "Wh": (Fraction(3600), Fraction(0)),
}
_NOT_UNITS = frozenset({"N/A", "n/a"})
_BASE_BY_QUANTITY = {base.quantity: base for base in _BASES if base.pint_name is None}
QUANTITIES: frozenset[str] = frozenset(base.quantity for base in _BASES)


@cache
def registry() -> Any:
    """Return the one pint registry, with exact numbers; loaded only when a unit is not a prefix of its base unit."""
    import pint  # noqa: PLC0415 - costs 0.2 s, and a column in volts needs none of it

    return pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)


# The base of a quantity in pint's words, for those whose units pint must convert.
_PINT_BASE = {"time": "second", "temperature": "degree_Celsius", "ratio": "dimensionless", "charge": "coulomb",
              "energy": "joule", "pressure": "pascal", "acceleration": "meter/second**2"}  # fmt: skip


@cache
def _pint_affine(name: str, quantity: str) -> tuple[Fraction, Fraction]:
    units = registry()
    base = _PINT_BASE[quantity]
    zero, one = (Fraction(units.Quantity(Fraction(x), name).to(base).magnitude) for x in (0, 1))
    return one - zero, zero


def _make(base: _Base, prefix: str) -> Unit:
    scale, offset = Fraction(1), Fraction(0)
    if base.pint_name is not None:
        known = _BY_DEFINITION.get(base.symbol)
        scale, offset = known or _pint_affine(base.pint_name, base.quantity)
    return Unit(prefix + base.symbol, base.quantity, scale * Fraction(10) ** PREFIXES[prefix], offset, base.logarithmic)


@cache
def _spellings() -> dict[str, tuple[_Base, str]]:
    table: dict[str, tuple[_Base, str]] = {}
    for base in _BASES:
        for text in (base.symbol, *base.symbols, *base.words):
            table.setdefault(text, (base, ""))
    for base in _BASES:
        if not base.prefixed:
            continue
        for prefix in filter(None, PREFIXES):
            for text in (base.symbol, *base.symbols, *(word for word in base.words if word[0].isupper())):
                table.setdefault(prefix + text, (base, prefix))
        for word_prefix, prefix in _PREFIX_WORDS.items():
            for word in (base.symbol if base.symbol == "ohm" else "", *base.words):
                if word:
                    for text in (
                        word_prefix + word,
                        word_prefix.capitalize() + word.lower(),
                        word_prefix + word.lower(),
                    ):
                        table.setdefault(text, (base, prefix))
    for code, symbol in _UNECE.items():
        if symbol in table:
            table.setdefault(code, table[symbol])
    # What a lost omega or a typist leaves: milliohm written mO (Neware), kilo written K before ohm and hertz.
    table.setdefault("mO", table["mohm"])
    table.setdefault("Kohm", table["kohm"])
    table.setdefault("KHz", table["kHz"])
    table.setdefault("Megohm", table["Mohm"])
    table.setdefault("megohm", table["Mohm"])
    return table


def normalise(text: str) -> str:
    """Return the text in NFKC with micro signs as `u`, degree signs repaired and outer blanks dropped."""
    text = text.strip()
    for mangled in _DEGREE_C:
        if text == mangled:
            return "degC"
    for mangled in _DEGREE_F:
        if text == mangled:
            return "degF"
    text = unicodedata.normalize("NFKC", text.replace("Âµ", "u").replace("Î¼", "u"))
    for micro, ascii_prefix in _MICRO.items():
        text = text.replace(micro, ascii_prefix)
    return text.replace("\u2126", "Ω").strip()


@lru_cache(maxsize=4096)
def find_unit(text: str) -> Unit | None:
    """Return the unit that the text spells, or None. Compounds (mAh/g) get a quantity of their own, `charge/mass`."""
    text = normalise(text)
    if not text or len(text) > 40 or text in _NOT_UNITS:
        return None
    found = _spellings().get(text)
    if found:
        return _make(*found)
    for joiner in ("/", "*", "·"):
        left, sign, right = text.partition(joiner)
        if sign:
            return _compound(left, "/" if joiner == "/" else "*", right)
    return None


def _compound(left: str, joiner: str, right: str) -> Unit | None:
    numerator, other = find_unit(left), find_unit(right)
    if (
        numerator is None
        or other is None
        or numerator.offset
        or other.offset
        or numerator.logarithmic
        or other.logarithmic
    ):
        return None
    scale = numerator.scale / other.scale if joiner == "/" else numerator.scale * other.scale
    return Unit(f"{numerator.symbol}{joiner}{other.symbol}", f"{numerator.quantity}{joiner}{other.quantity}", scale)


def parse_unit(text: str) -> Unit:
    """Return the unit that the text spells.

    Raises:
        UnitError: the text is no unit in the table.
    """
    unit = find_unit(text)
    if unit is None:
        raise UnitError(text, 'a unit such as "V", "mA", "kohm", "degC" or "%"')
    return unit


def base_unit(quantity: str) -> Unit | None:
    """Return the base unit in which ranges of this quantity are compared, or None for compounds."""
    base = _BASE_BY_QUANTITY.get(quantity)
    return _make(base, "") if base else None


def conversion(source: Unit, target: Unit) -> tuple[Fraction, Fraction]:
    """Return (factor, offset) with value in target = value in source * factor + offset, exactly.

    Raises:
        UnitError: the two are not of one quantity, or one of them is logarithmic and they differ.
    """
    if source == target:
        return Fraction(1), Fraction(0)
    if source.quantity != target.quantity or source.logarithmic or target.logarithmic:
        raise UnitError(source.symbol, f"a unit of {target.quantity}, as {target.symbol} is")
    return source.scale / target.scale, (source.offset - target.offset) / target.scale


def power_of_ten(factor: Fraction) -> int | None:
    """Return k if factor is 10**k, else None."""
    exponent = len(str(factor.numerator)) - 1 if factor >= 1 else 1 - len(str(factor.denominator))
    return exponent if factor == Fraction(10) ** exponent else None
