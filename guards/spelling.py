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
_MEGA_OR_MILLI = frozenset({"MA", "MV", "MW"})
"""Mega in SI; milli wherever everything is in capitals, which is where benches write them."""
_QUALIFIER = re.compile(
    r"(?i)[\s,;_]+(?:avg|average|mean|rms|min|max|typ|nom|pk-?pk|pk|peak|pp|p-p|dc|ac|ch[\s_]*\d+|@.*)$|\s*\[[^\[\]]*\]$"
)
_AGAINST = re.compile(r"(?<=V) vs\.? \S.*$")  # V vs. Ref., mV vs Ag/AgCl
_SHAPE = re.compile(r"(?<=[VA])(?:p-?p|pk-?pk|pk|rms|RMS|PP|PK)$")  # Vp-p, mArms
_PREFIXES = ("milli", "micro", "nano", "pico", "kilo", "mega", r"\b[munpkM]")
_PREFIXED = "".join(f"(?<!{prefix}[ .-])" for prefix in _PREFIXES)
_TOKEN = re.compile(rf"(?i:{_PREFIXED})(?<![A-Za-z0-9µμΩ°/%])(?<!\d[ _-])([A-Za-zµμΩ°%]{{2,10}})(?![A-Za-z0-9/%°])")
_BRACKETED = re.compile(r"[(\[{<]\s*([^()\[\]{}<>]{1,24}?)\s*[)\]}>]")
_LOWER = {"vpp": "V", "vpk": "V", "vrms": "V", "mvpp": "mV", "mvpk": "mV", "mvrms": "mV", "arms": "A", "marms": "mA",
          "usec": "us", "msec": "ms"}  # fmt: skip
_AMID = frozenset(
    ("voltage", "current", "power", "resistance", "frequency", "charge", "energy", "capacitance", "inductance",
     "temperature", "ratio", "time")
)  # fmt: skip
_WORDS_TOO = frozenset(
    """Amp amp AMP Volt volt min Min mins h hr hrs Hr hour hours Hour Hours d day days Day Days minute minutes ratio pu
    V/V A/A W/W VA VAR Cel ADC Adc""".split()
)
"""Units that are words of other meanings amid a header: an amplifier, a minimum, pull-up, a converter."""
_PREFIX = r"(?:milli|micro|nano|pico|kilo|mega|giga|[munpkg]|µ|μ)"
_WORDS = {
    "voltage": r"v|volts?|vdc|vac|vpp|vrms", "current": r"a|amps?|amperes?|adc|arms|apk", "power": r"w|watts?",
    "resistance": r"ohms?|Ω|r", "frequency": r"hz|hertz", "charge": "ah", "energy": "wh", "capacitance": "f|farads?",
    "inductance": "h|henry", "time": "s|secs?|seconds?",
}  # fmt: skip
_LONE = {"voltage": "V", "current": "A", "power": "W", "temperature": "CFK", "capacitance": "F", "time": "s",
         "inductance": "H"}  # fmt: skip
_GLUED = r"(?<=[a-z])[munpµμk](?:V|A|W|Hz|ohm)\b|(?i:(?<=out)|(?<=in)|(?<=load)|(?<=sense)|(?<=leak))[munk][avw]$"
_PLAIN = {"voltage": "volts?", "current": "amps?|amperes?", "power": "watts?"}
_FACTOR = r"(?:\bx ?|×|/ ?)1000\b|\b1?[eE]-?[369]\b|10\^-?[369]\b"
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
    text = _SHAPE.sub("", _AGAINST.sub("", bare(text)))
    while text not in _MEGA_OR_MILLI:
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
    unit = in_degrees(text, column) if column and column.quantity == "temperature" else written_unit(text)
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
    if not found:
        tokens = [text for text in _TOKEN.findall(_BRACKETED.sub(" ", header)) if text not in _WORDS_TOO]
        found = {text: unit for text in tokens if (unit := _token_unit(text)) and unit.quantity in _AMID}
    return next(iter(found.items())) if len(set(found.values())) == 1 else None


def _token_unit(text: str) -> Unit | None:
    return find_unit(_LOWER[text]) if text in _LOWER else written_unit(text)


def unread_unit(text: str, own: Unit) -> str | None:
    """Return what looks like another unit than `own`, of its quantity, amid a text that spells none; else None."""
    patterns = [rf"({_GLUED}|{_FACTOR})"]
    if words := _WORDS.get(own.quantity):
        patterns.insert(0, rf"(?i)(?<![a-z0-9])(?<!\d[ _-])({_PREFIX}[ .-]?(?:{words}))(?![a-z])")
    if own.quantity == "current":
        patterns.append(r"(?<=[ _])(ADC)$")
    found = next((match[1] for pattern in patterns if (match := re.search(pattern, text))), None)
    return found or _other_at_end(text, own)


def _other_at_end(text: str, own: Unit) -> str | None:
    """Return the unit without prefix that a header ends in (`Ripple V`, `Run (min)`), if it is another than `own`."""
    minutes = re.search(r"(?<=[(\[ _])(min|mins|hr|hrs|h|d)[)\]]?$", text) if own.quantity == "time" else None
    if minutes and find_unit(minutes[1]) != own:
        return minutes[1]
    if own.quantity not in _LONE:
        return None
    ending = rf"[{_LONE[own.quantity]}]|(?i:{_PLAIN.get(own.quantity, '(?!)')})"
    lone = re.search(rf"(?<=[ _])({ending})$", without_qualifier(without_qualifier(text)))
    unit = (in_degrees(lone[1], own) or find_unit(lone[1].capitalize())) if lone else own
    return lone[1] if lone and unit != own else None


def in_degrees(text: str, own: Unit) -> Unit | None:
    """Return the unit of one letter, which for temperatures is a degree: C, F, K."""
    return find_unit({"C": "degC", "F": "degF"}.get(text, text) if own.quantity == "temperature" else text)


def says_something(text: str) -> bool:
    """Return whether the text of a unit cell could be a unit at all."""
    return text.strip().lower() not in _NO_UNIT and any(letter.isalpha() or letter in "%°Ω" for letter in text)
