"""Units as prose, labels and printed text write them: what they measure and their factor to the unit without prefix.

This is a reader's table, smaller and laxer than the guard's: it only has to tell what a figure in a sentence may mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PREFIXES = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_SPELLED = {"pico": 1e-12, "nano": 1e-9, "micro": 1e-6, "milli": 1e-3, "": 1.0, "kilo": 1e3, "mega": 1e6, "giga": 1e9}
_SYMBOLS = {
    "V": "voltage", "A": "current", "W": "power", "Ω": "resistance", "\u2126": "resistance", "ohm": "resistance",
    "ohms": "resistance", "Ohm": "resistance", "Hz": "frequency", "F": "capacitance", "H": "inductance", "s": "time",
    "J": "energy",
}  # fmt: skip
_WORDS = {
    "volt": "voltage", "amp": "current", "ampere": "current", "watt": "power", "ohm": "resistance",
    "hertz": "frequency", "farad": "capacitance", "henry": "inductance", "second": "time", "joule": "energy",
}  # fmt: skip
_OTHERS = {
    "%": ("ratio", 1e-2), "percent": ("ratio", 1e-2), "per cent": ("ratio", 1e-2), "ppm": ("ratio", 1e-6),
    "°C": ("celsius", 1.0), "degC": ("celsius", 1.0), "deg C": ("celsius", 1.0), "K": ("kelvin", 1.0),
    "kelvin": ("kelvin", 1.0), "degrees Celsius": ("celsius", 1.0), "°F": ("fahrenheit", 1.0),
    "min": ("time", 60.0), "minute": ("time", 60.0), "minutes": ("time", 60.0), "h": ("time", 3600.0),
    "hour": ("time", 3600.0), "hours": ("time", 3600.0), "dB": ("level", 1.0), "dBm": ("level", 1.0),
}  # fmt: skip
_KINDS = r"(?:\s?(?:rms|RMS|pp|p-p|pk|DC|AC|dc|ac))?"


@dataclass(frozen=True, slots=True)
class Unit:
    """`quantity`: what is measured. `factor`: one of it in the unit without prefix (seconds, fractions)."""

    quantity: str
    factor: float


def _table() -> dict[str, Unit]:
    found = {text: Unit(*what) for text, what in _OTHERS.items()}
    for prefix, factor in _PREFIXES.items():
        found |= {prefix + symbol: Unit(quantity, factor) for symbol, quantity in _SYMBOLS.items()}
    for prefix, factor in _SPELLED.items():
        found |= {prefix + word + s: Unit(quantity, factor) for word, quantity in _WORDS.items() for s in ("", "s")}
    return found


UNITS = _table()
_FOLDED = {text.replace(" ", "").lower(): unit for text, unit in UNITS.items() if not text.startswith("M")}
_FOLDED |= {"pct": UNITS["%"], "c": UNITS["°C"]}
# Longest first; a letter or digit after it makes it another word.
PATTERN = (
    "(?:" + "|".join(re.escape(text) for text in sorted(UNITS, key=len, reverse=True)) + ")" + _KINDS + r"(?![\w°])"
)
_LABEL = re.compile(r"[\[(]\s*([^\])]{1,12}?)\s*[\])]\s*$|_([A-Za-z%]{1,5})$")
_STATISTIC = re.compile(r"_(?:min|max|mean|avg|median|std|sum|delta|diff)$", re.IGNORECASE)


def unit_of(text: str) -> Unit | None:
    """Return the unit that a text such as "mV", "V DC" or "per cent" names."""
    return UNITS.get(text) or UNITS.get(re.sub(_KINDS + "$", "", text))


_MINUTES = re.compile(
    r"(?:\A|_)(?:elapsed|time|duration|delay|age|uptime|minutes?|first|after|until|soak|settl\w*|warm\w*)(?:_\w+)?_min\Z",
    re.IGNORECASE,
)


def unit_of_label(label: str) -> Unit | None:
    """Return the unit that a column's or a member's name carries: `drop_mv`, `Voltage (mV)`; not `vout_min`."""
    if _MINUTES.search(label):
        return unit_of("min")
    bare = _STATISTIC.sub("", label)
    found = _LABEL.search(bare)
    if found is None:
        return None
    text = found[1] or found[2]
    return unit_of(text) or _FOLDED.get(text.lower())


_MADE_OF: tuple[tuple[set[str], set[str]], ...] = (
    ({"power", "resistance"}, {"voltage", "current"}), ({"current"}, {"voltage", "resistance"}),
    ({"voltage"}, {"current", "resistance"}), ({"current"}, {"power", "voltage"}), ({"voltage"}, {"power", "current"}),
    ({"energy"}, {"power", "time"}), ({"energy"}, {"voltage", "current", "time"}), ({"frequency"}, {"time"}),
    ({"time"}, {"frequency"}), ({"level"}, set()),
)  # fmt: skip


def derivable(quantity: str, known: set[str]) -> bool:
    """Return whether a quantity can be computed from others, such as power from voltage and current."""
    return any(quantity in made and parts <= known for made, parts in _MADE_OF)
