"""What one cell looks like: a number and by which mark, a time, a unit. Patterns only; nothing is converted here.

The patterns are written for Python's `re` (a head of the file) and for polars' regex engine (whole columns) alike.
"""

from __future__ import annotations

import re
from typing import Literal

from guards.quantities import SENTINEL_TEXTS

CellKind = Literal["empty", "number", "time", "sentinel", "text"]

_EXPONENT = r"(?:[eE][+-]?\d{1,4})?"
POINT_NUMBER = rf"^\s*(?:[+-] *)?(?:\d+\.?\d*|\.\d+){_EXPONENT}\s*$"
COMMA_NUMBER = rf"^\s*(?:[+-] *)?(?:\d+,\d*|,\d+){_EXPONENT}\s*$"
POINT_GROUPS = r"^\s*[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*$"  # 1,234.5
COMMA_GROUPS = r"^\s*[+-]?\d{1,3}(?:\.\d{3})+,\d+\s*$"  # 1.234,5
OTHER_GROUPS = r"^\s*[+-]?\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?\s*$"  # 1 234,5 and 1'234.5
NUMBER_AT_END = rf""" *"?[+-]?(?:\d+[.,]?\d*|[.,]\d+){_EXPONENT}"? *$"""
THREE_AFTER_COMMA = r"^\s*[+-]?[1-9]\d{0,2},\d{3}\s*$"  # 1,234 is either

_POINT = re.compile(POINT_NUMBER)
_COMMA = re.compile(COMMA_NUMBER)
_GROUPS = re.compile(f"{POINT_GROUPS}|{COMMA_GROUPS}|{OTHER_GROUPS}")
_SENTINEL = re.compile(r"(?i)^\s*(?:[+-]?(?:over ?load|\*+|-{1,5})|1\.#io)\s*$")  # beside those that the guard knows
_TIME = re.compile(
    r"(?x)^\s*(?:"
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T\s_]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2}|UTC)?)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?:,?\s+\d{1,2}:\d{2}(?::\d{2}(?:[.,:]\d+)?)?\s*(?:[AaPp][Mm])?)?"
    r"|\d{1,2}[-\s][A-Za-z]{3,9}[-\s]\d{2,4}(?:\s+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?"
    r"|(?:\d+d\s+)?\d{1,4}:\d{1,2}(?::\d{1,2}(?:[.,:]\d*)?)?\s*(?:[AaPp][Mm])?"
    r"|\d{1,2}:\d{2}:\d{2}\s+\d{1,2}-[A-Za-z]{3}-\d{4}"
    r")\s*$"
)
_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"(?=.*\d)[0-9A-Za-z]{5,}")
_PREFIX = r"[YZEPTGMkhdcmuµμnpfa]?"
_UNIT = re.compile(
    rf"(?:{_PREFIX}(?:V|A|W|Hz|s|F|H|Ω|Ω|ohms?|Ohms?|g|m|Pa|bar|J|N|T|Ah|Wh|VA|var|S|eV|L|l|B|b|bit)"
    r"(?:[/*·.^]\s*\w+\^?-?\d*|[²³]|_?(?:dc|ac|rms|pp|pk)| ?(?:DC|AC|RMS)|pp|rms|pk)*"
    r"|%(?:RH)?|°?\s?[CFK]|[dD]eg\.?\s?[CFKcf]?|°|℃|dB\w{0,3}|ppm|ppb|rpm|RPM|psi|PSI|in|ft|mil|bpm|cnt|counts?"
    r"|lux|lx|cd|mol|g_0|gn"
    r"|[hH]rs?|h|d|[mM]in|MIN|[sS]ecs?|rad|1|-|TS|RN)"
)
_UNIT_WORD = re.compile(
    r"(?i)(?:milli|micro|kilo|mega|nano|pico|m|u|k)?"
    r"(?:volts?|amp(?:ere)?s?|watts?|ohms?|seconds?|hertz|farads?|"
    r"henr(?:y|ies)|celsius|kelvin|fahrenheit|minutes?|hours?|days?|"
    r"percent|fraction|degrees?(?: [cf])?|met(?:er|re)s?|grams?|unitless|"
    r"sequence|samples?|none|n/a|volts? ?[ad]c|amps? ?[ad]c|vdc|vac|adc|aac|amp-?h(?:ou)?rs?|watt-?h(?:ou)?rs?)"
)


def kind(cell: str) -> CellKind:
    """Return what a cell looks like. A number may have either decimal mark or grouped thousands."""
    if not cell.strip():
        return "empty"
    if _POINT.match(cell) or _COMMA.match(cell) or _GROUPS.match(cell):
        return "number"
    if _SENTINEL.match(cell) or cell.strip().lower() in SENTINEL_TEXTS:
        return "sentinel"
    return "time" if _TIME.match(cell) else "text"


def is_unit(cell: str) -> bool:
    """Return whether a cell is the text of a unit, as a units row holds it: `V`, `(mV)`, `Volt`, `deg C`."""
    text = cell.strip().strip("()[]{}").strip()
    return bool(_UNIT.fullmatch(text) or _UNIT_WORD.fullmatch(text))


def form(cell: str) -> str:
    """Return a text with each run of digits as one 9; words stay, but for those that a number marks: `S7` is `a9`."""
    text = cell.strip()
    return _LETTERS.sub("a", _DIGITS.sub("9", text)) if _DIGITS.search(text) else text


def code_form(cell: str) -> str:
    """Return the form of a bar code or the like (`B1C8AD74`), whose letters and digits change places: its length."""
    text = cell.strip()
    return "#" * len(text) if _CODE.fullmatch(text) else ""
