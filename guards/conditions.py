"""Headers that name the condition of a measurement behind it: `Iout (mA) at Vin (V)`, `Eff. (%) @ Iout (A)`."""

from __future__ import annotations

import re

_CONDITION = re.compile(r"(?i)^(?P<head>.*?\S)(?:\s*@|[\s_]+(?:at|vs\.?|versus|for|with)[\s_])\s*(?P<condition>.*\S)$")
_VALUE = re.compile(r"(?:^|\s)[-+]?\d")
_WHICH = r"(?:in|out|load|supply|batt?|bus|ref|sense|dd|cc|ee|ss|gs|ds|ce|be|[a-z])?[_\d]*"
_NAMES = {
    quantity: re.compile(rf"(?i)(?:^|[\s_(])(?:{letters}){_WHICH}(?=$|[\s_().,])|{words}")
    for quantity, letters, words in (
        ("voltage", "v|u", "volt|ripple|noise|offset|dropout"),
        ("current", "i", "current|amps|leak|load"),
        ("power", "p", "power|loss|dissipation|watt|load"),
        ("resistance", "r", "resist|dcr|esr|load"),
        ("frequency", "f", "freq|clock|oscillator"),
        ("temperature", "t", "temp|ambient|chamber"),
        ("time", "t", "time|duration|delay"),
        ("ratio", "d", "effic|(?:^|\\s)eff|duty|thd|regulation|load|humidity"),
    )
}


def split_condition(header: str) -> tuple[str, str] | None:
    """Return what is measured and under which condition, None for a header that names no condition."""
    match = _CONDITION.match(header)
    return (match["head"], match["condition"]) if match else None


def is_conditions_unit(measured: str, condition: str, quantity: str) -> bool:
    """Whether the one unit behind both is the condition's, as in `Vout @ Iout (mA)`.

    It is where the condition names that quantity without a value (`at 25 C (mA)` has one) and what is measured names
    another: `Vout at Vin (V)` and `Current with fan on (mA)` are in the header's own unit.
    """
    names = _NAMES.get(quantity)
    if names is None or not names.search(condition) or _VALUE.search(condition) or names.search(measured):
        return False
    return any(other.search(measured) for other in _NAMES.values())
