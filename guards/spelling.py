"""Units as exports write them: in brackets, with a word behind (`mA avg`), amid a header; and what only looks like one.

A unit that is there and not understood is never passed over: taken for the board's own unit, `MA` or `milli-amps` would
be wrong by a thousand without a word.
"""

from __future__ import annotations

import re
from functools import lru_cache

from guards.units import Unit, find_unit

PREFIX_MARKS = {"k": "k", "K": "k", "m": "m", "u": "u", "µ": "u", "μ": "u", "n": "n", "p": "p"}
"""Letters behind a number that multiply the column's unit: `4.7k` under ohm. M is left out: mega to some, SPICE's milli
to others."""
_IN_CAPITALS = frozenset({"MA", "MV", "MW"})
"""Mega in SI; milli wherever everything is in capitals, which is where benches write them."""
_QUALIFIER = re.compile(
    r"(?i)[\s,;_]+(?:avg|average|mean|rms|min|max|typ|nom|pk|peak|pp|p-p|dc|ac|ch[\s_]*\d+|@.*)$|\s*\[[^\[\]]*\]$"
)
_AMID = re.compile(
    r"(?<![A-Za-z0-9µμ/])(?<!\d[ _-])([pnuµμmkMG](?:V|A|W|Ω|Hz|F|Ah|Wh|[oO]hms?)|[oO]hms?|Ω)(?![A-Za-z0-9/])"
)
_BRACKETED = re.compile(r"[(\[{<]\s*([^()\[\]{}<>]{1,24}?)\s*[)\]}>]")
_PREFIX = r"(?:milli|micro|nano|pico|kilo|mega|giga|[munpkg]|µ|μ)"
_WORDS = {
    "voltage": r"v|volts?|vdc|vac", "current": r"a|amps?|amperes?|adc", "power": r"w|watts?",
    "resistance": r"ohms?|Ω|r", "frequency": r"hz|hertz", "charge": "ah", "energy": "wh", "capacitance": "f|farads?",
}  # fmt: skip
_NO_UNIT = frozenset(
    """- -- --- . n/a none null nil no count counts # number num text string str bool boolean enum hex unitless
    dimensionless pass/fail p/f result state""".split()
)


def bare(text: str) -> str:
    """Return a unit's text without brackets around it: `(mV)`, as PicoScope writes its units row."""
    text = text.strip()
    return text[1:-1].strip() if text[:1] + text[-1:] in ("()", "[]", "{}", "<>") else text


@lru_cache(maxsize=4096)
def written_unit(text: str) -> Unit | None:
    """Return the unit that a text of an export spells, None where it spells none or two could be meant."""
    text = bare(text)
    while text not in _IN_CAPITALS:
        unit, shorter = find_unit(text), _QUALIFIER.sub("", text)
        if unit or shorter == text:
            return unit
        text = shorter
    return None


def cell_unit(text: str, column: Unit | None) -> Unit | None:
    """Return the unit that stands behind a number in a column of this unit: `4.7k` under ohm is in kohm.

    K is kelvin in a column of temperatures, m metre in one of lengths; elsewhere they multiply.
    """
    mark = PREFIX_MARKS.get(text)
    unit = written_unit(text)
    if mark is None or (unit and (column is None or unit.quantity == column.quantity)):
        return unit
    multiplied = find_unit(mark + column.symbol) if column and column.scale == 1 and not column.offset else None
    return multiplied if multiplied and column and multiplied.quantity == column.quantity else None


def without_qualifier(header: str) -> str:
    """Return a header without the word behind its unit: `Iout (mA) avg`, `vout_v_max`."""
    return _QUALIFIER.sub("", header)


def amid(header: str) -> tuple[str, Unit] | None:
    """Return the one unit that stands amid a header and how it is written: `Iout (mA) @ 25C`, `mA Iout`; else None.

    What is behind a number is a condition: `vout_at_100mA`.
    """
    found = {text: unit for text in _BRACKETED.findall(header) if (unit := written_unit(text))}
    found = found or {text: unit for text in _AMID.findall(header) if (unit := written_unit(text))}
    return next(iter(found.items())) if len(found) == 1 else None


def unread_unit(text: str, quantity: str) -> str | None:
    """Return what looks like a prefixed unit of the quantity amid a text that spells none; None where nothing does."""
    words = _WORDS.get(quantity)
    if words is None:
        return None
    found = re.search(rf"(?i)(?<![a-z0-9])(?<!\d[ _-])({_PREFIX}[ -]?(?:{words}))(?![a-z])", text)
    return found[1] if found else None


def says_something(text: str) -> bool:
    """Return whether the text of a unit cell could be a unit at all."""
    return text.strip().lower() not in _NO_UNIT and any(letter.isalpha() or letter in "%°Ω" for letter in text)
