"""The unit that a header names, in every style that exports were seen to use.

`Voltage (mV)`, `Cap. [Ah]`, `Voltage / V`, `Ewe/V`, `C1 in V`, `voltage_volt`, `value_v`, `Volts`, `mAmps`,
`Ch 101 (VDC)`. Behind a slash without blanks only what a bench measures is a unit: `S/N`, `counts/s` name none. `Min`
alone is a minimum, beside `Max`, more often than minutes. A lower-case suffix is a spelling of its own with a meaning
listed here (`_mw` is milliwatt), because a unit is never case-folded; where two meanings are common (`_mohm`) it has
none. A suffix in capitals is one only where the whole header is in capitals. `ADC` outside brackets is a converter,
whose readings are counts. The unit of a condition (`Iout (mA) at Vin (V)`) is not the values'.
"""

from __future__ import annotations

import re
from functools import lru_cache

from guards.conditions import is_conditions_unit, split_condition
from guards.spelling import amid, without_qualifier, written_unit
from guards.units import Unit, find_unit

_BRACKET = re.compile(r"(?P<stem>[^()\[\]{}]*?)(?P<blank>[\s_]*)[(\[{]\s*(?P<unit>[^()\[\]{}]{1,24}?)\s*[)\]}]")
_BRACKETS = re.compile(r"^(?P<stem>.*?)[\s_]*[(\[{]\s*(?P<unit>[^()\[\]{}]{1,24}?)\s*[)\]}]\s*$")
_SLASH = re.compile(r"^(?P<stem>.*\S)\s+/\s*(?P<unit>\S+(?: \S+)?)\s*$")
_COMMA = re.compile(r"^(?P<stem>.*\S)\s*,\s*(?P<unit>\S+)\s*$")
_IN = re.compile(r"^(?P<stem>.*?)(?:^|\s+)in\s+(?P<unit>\S+)$")
_TIGHT_SLASH = re.compile(r"^(?P<stem>.*[^\s/])/(?P<unit>[^\s/]+)$")
_TIGHT_QUANTITIES = frozenset(
    ("voltage", "current", "power", "resistance", "charge", "energy", "frequency", "temperature", "power level")
)
_NODE = re.compile(r"^(?P<of>[VUIvui])\(\w+\)$")
_SUFFIX = re.compile(r"^(?P<stem>.+)_(?P<unit>[A-Za-z%µμΩ]+)$")

_SUFFIXES = {
    "v": "V", "mv": "mV", "uv": "uV", "nv": "nV", "kv": "kV", "vdc": "V", "vac": "V", "mvdc": "mV",
    "a": "A", "ma": "mA", "ua": "uA", "na": "nA", "ka": "kA", "mamp": "mA", "mamps": "mA",
    "w": "W", "mw": "mW", "uw": "uW", "kw": "kW", "va": "VA", "ohm": "ohm", "ohms": "ohm", "kohm": "kohm",
    "s": "s", "sec": "s", "secs": "s", "ms": "ms", "us": "us", "ns": "ns", "min": "min", "mins": "min", "hr": "h",
    "hrs": "h", "hz": "Hz", "khz": "kHz", "mhz": "MHz", "ghz": "GHz", "c": "degC", "degc": "degC", "degf": "degF",
    "pct": "%", "percent": "%", "perc": "%", "ppm": "ppm", "db": "dB", "dbm": "dBm", "ratio": "1", "frac": "1",
    "ah": "Ah", "mah": "mAh", "wh": "Wh", "mwh": "mWh", "pf": "pF", "nf": "nF", "uf": "uF", "uh": "uH", "nh": "nH",
    "pa": "Pa", "kpa": "kPa", "psi": "psi", "rpm": "rpm",
}  # fmt: skip
_IN_CAPITALS = frozenset("MV UV NV KV MA UA NA KA MW UW KW MS US NS SEC MIN HR HZ KHZ MHZ GHZ PCT MAH MWH".split())
"""Suffixes of a header that is in capitals throughout, as databases give it: IOUT_MA is in milliamperes."""
_TIME_SUFFIXES = {"h": "h", "d": "d", "m": "min"}
_TEMPERATURE_SUFFIXES = {"k": "K", "f": "degF", "c": "degC"}
_MINUTES = frozenset(("min", "mins"))  # VOUT_min is a minimum, beside VOUT_max
_TIME_WORDS = re.compile(r"(?i)(time|elapsed|duration|uptime|zeit|dauer)")
_TIME_NAMES = re.compile(r"(^|[\s_])(t|(?i:soak|dwell|delay|age|settling|settle|warm-?up|interval|period|rest|hold))$")
_TEMPERATURE_WORDS = re.compile(r"(?i)^(t|t\d+|ta|tc|tj)$|temp|tamb|tcase|ambient|thermo|(^|_)t(_|$)")
# What stands before a letter that numbers a thing rather than naming a unit: phase_a, channel_c, rev_c.
_NUMBERED = re.compile(
    r"(?i)(^|_)(phase|winding|coil|sensor|probe|lane|string|pin|ch|chan|channel|side|port|bank|leg|line|rev|revision|ver"
    r"|slot|site|group|lot|bin|opt|option|part|code|hw|fw|usb|class|grade|variant|type|model|operator|shift|team)$"
)
_CONVERTER = "adc"
_WHOLE_HEADER = re.compile(r"^(?:[VAW]|%|(?!(?i:min|adc)$)\D{2,})$")  # P1 is a power, and a code for per cent
_ELEMENT = re.compile(r"^(?P<of>[\w.]+)[(\[]\d+[)\]]$")
_RATIOS = re.compile(r"(?i)eff|eta|η|ratio|factor|cos|phi|pf$|λ|lambda|duty|gain|so[ch]$|share|fraction|efficien")


@lru_cache(maxsize=16_384)
def header_unit(text: str) -> tuple[str, str, Unit] | None:
    """Return (stem, unit text as written, unit) of a header that names its unit, else None."""
    text = text.strip()
    parts = split_condition(text)
    if parts is None:
        return _named(text)
    measured, condition = header_unit(parts[0]), header_unit(parts[1])
    behind = _named(text)
    if behind and condition and is_conditions_unit(parts[0], condition[0], condition[2].quantity):
        behind = None
    if measured is None or behind is None:
        return measured or behind
    if not measured[0]:  # `V @ 10mA (mV)`: the letter is a name
        return behind
    return None if measured[2].quantity == behind[2].quantity and measured[2] != behind[2] else measured


def _named(text: str) -> tuple[str, str, Unit] | None:
    if len(set(_bracketed(text))) > 1:
        return None
    for pattern in (_BRACKETS, _SLASH, _COMMA):
        match = pattern.match(text)
        if match and (_is_minimum(*match.group("stem", "unit")) or _is_channel(*match.group("stem", "unit"))):
            return header_unit(match["stem"])
        unit = in_context(match["stem"], match["unit"]) if match else None
        if match and unit and (_is_of_a_node(text, unit) or _is_element(text)):
            return None
        if match and unit:
            return match["stem"], match["unit"], unit
    match = _IN.match(text) or _TIGHT_SLASH.match(text)
    unit = _measured(match["stem"], match["unit"]) if match else None
    if match and unit:
        return match["stem"], match["unit"], unit
    match = _SUFFIX.match(text)
    unit = _suffix(match["stem"], match["unit"]) if match else None
    if match and unit:
        return match["stem"], match["unit"], unit
    unit = find_unit(text) if _WHOLE_HEADER.match(text) and written_unit(text) else None
    if unit and unit.quantity in _WHOLE_QUANTITIES:
        return "", text, unit
    shorter = without_qualifier(text)
    parsed = header_unit(shorter) if shorter != text else None
    if parsed and parsed[0]:
        return parsed
    within = amid(text)
    return (text.replace(within[0], " ").strip(" ()[]{}<>-_."), *within) if within else None


_WHOLE_QUANTITIES = {"voltage", "current", "power", "resistance", "ratio", "frequency", "charge", "energy", "time",
                     "temperature", "capacitance", "inductance", "power level"}  # fmt: skip


def _bracketed(text: str) -> list[Unit]:
    """Return the units that stand in brackets; not what numbers (`Phase (A)`) or is an argument (`R(T) (ohm)`)."""
    found = [
        (match["blank"], unit)
        for match in _BRACKET.finditer(text)
        if not _NUMBERED.search(match["stem"].strip()) and not _is_minimum(match["stem"], match["unit"])
        and (unit := in_context(match["stem"], match["unit"]))
    ]  # fmt: skip
    return [unit for blank, unit in found if blank or not found[-1][0]]


def _is_of_a_node(text: str, unit: Unit) -> bool:
    """Return whether a simulator names a node or a part in the brackets, whatever unit is spelled so: `V(s)`, `I(C)`.

    `V(mV)` and `I(A)` say what they are in.
    """
    match = _NODE.match(text)
    return match is not None and unit.quantity not in ("current" if match["of"] in "Ii" else "voltage", "level")


def _is_channel(stem: str, text: str) -> bool:
    """Return whether a number in brackets stands behind the unit itself: `°C [1]` is the first channel's."""
    return text.isdigit() and len(stem) > 1 and find_unit(stem.strip()) is not None


def _is_element(text: str) -> bool:
    """Return whether the number in brackets says which one of several it is (`Temp(1)`), and no ratio: `cosphi[1]`."""
    match = _ELEMENT.match(text)
    return match is not None and not _RATIOS.search(match["of"])


def _is_minimum(stem: str, text: str) -> bool:
    return text.lower() in _MINUTES and not _TIME_WORDS.search(stem) and not _TIME_NAMES.search(stem)


def in_context(stem: str, text: str) -> Unit | None:
    """Return the unit that a text spells behind this stem: F behind a temperature is no farad."""
    if text in ("F", "K") and _TEMPERATURE_WORDS.search(stem):
        return find_unit("degF" if text == "F" else "K")
    if text == "g" and re.search(r"(?i)acc", stem):
        return find_unit("g_0")
    return written_unit(text)


def _measured(stem: str, text: str) -> Unit | None:
    """Return the unit in `Ewe/V` or `C1 in V`; none in a rate (`mA/V`, `steps/s`) or where the stem is no name."""
    unit = in_context(stem, text) if text.lower() != _CONVERTER else None
    if unit is None or find_unit(re.split(r"[ /]", stem)[-1]) is not None:
        return None
    if unit.quantity == "time":
        return unit if not stem or stem.lower() == "t" or _TIME_WORDS.search(stem) else None
    return unit if unit.quantity in _TIGHT_QUANTITIES else None


def _suffix(stem: str, text: str) -> Unit | None:
    if len(text) == 1 and _NUMBERED.search(stem):
        return None
    if _TIME_WORDS.search(stem) and text in _TIME_SUFFIXES:
        return find_unit(_TIME_SUFFIXES[text])
    if _TEMPERATURE_WORDS.search(stem) and text.lower() in _TEMPERATURE_SUFFIXES:
        return find_unit(_TEMPERATURE_SUFFIXES[text.lower()])
    if _is_minimum(stem, text) or text.lower() == _CONVERTER:
        return None
    if text in _SUFFIXES:
        return find_unit(_SUFFIXES[text])
    if text == text.upper() and stem == stem.upper() and text in _IN_CAPITALS:
        return find_unit(_SUFFIXES[text.lower()])
    if len(text) == 1 and text not in "VAWΩ":
        return None
    return written_unit(text)
