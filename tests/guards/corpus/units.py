"""The judge's own units: scale and offset to a base unit, and how exports spell them. Independent of the guard's table,
so that a wrong factor there shows here.
"""

from __future__ import annotations

from fractions import Fraction

_PREFIX = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "p": -12}
_BASES = {
    "V": "voltage", "A": "current", "W": "power", "ohm": "resistance", "F": "capacitance", "H": "inductance",
    "Hz": "frequency", "s": "time", "Ah": "charge", "Wh": "energy",
}  # fmt: skip

UNITS: dict[str, tuple[str, Fraction, Fraction]] = {
    prefix + base: (quantity, Fraction(10) ** exponent, Fraction(0))
    for base, quantity in _BASES.items()
    for prefix, exponent in _PREFIX.items()
} | {
    "min": ("time", Fraction(60), Fraction(0)),
    "h": ("time", Fraction(3600), Fraction(0)),
    "degC": ("temperature", Fraction(1), Fraction(0)),
    "K": ("temperature", Fraction(1), Fraction(-27315, 100)),
    "degF": ("temperature", Fraction(5, 9), Fraction(-160, 9)),
    "1": ("ratio", Fraction(1), Fraction(0)),
    "%": ("ratio", Fraction(1, 100), Fraction(0)),
    "ppm": ("ratio", Fraction(1, 1_000_000), Fraction(0)),
    "dBm": ("power level", Fraction(1), Fraction(0)),
    "dB": ("level ratio", Fraction(1), Fraction(0)),
}
"""Unit symbol: (quantity, scale, offset); base = value * scale + offset."""


def to_base(value: Fraction, unit: str) -> Fraction:
    """Return a value of `unit` in the quantity's base unit."""
    _, scale, offset = UNITS[unit]
    return value * scale + offset


def from_base(value: Fraction, unit: str) -> Fraction:
    """Return a value of the base unit in `unit`."""
    _, scale, offset = UNITS[unit]
    return (value - offset) / scale


SPELLINGS: dict[str, tuple[str, ...]] = {
    "V": ("V", "V", "Volts", "VDC", "Volt"),
    "mV": ("mV", "mV", "mVDC", "millivolts"),
    "uV": ("uV", "µV", "μV"),
    "A": ("A", "A", "Amps", "ADC", "Amp"),
    "mA": ("mA", "mA", "mAmps"),
    "uA": ("uA", "µA", "μA"),
    "ohm": ("ohm", "Ω", "Ohm", "Ohms", "\u2126"),
    "kohm": ("kohm", "kΩ", "kOhm"),
    "Mohm": ("Mohm", "MΩ", "MOhm"),
    "degC": ("C", "°C", "degC", "℃", "deg C", "\ufffdC"),
    "degF": ("°F", "degF", "deg F"),
    "%": ("%", "%", "pct"),
    "s": ("s", "sec", "seconds"),
    "W": ("W", "W", "Watts"),
    "uF": ("uF", "µF"),
    "Ah": ("Ah", "Amp-hr"),
}
"""How instruments and people write a unit in a header; a unit that is not listed is written as its symbol."""

SUFFIXES: dict[str, str] = {
    "V": "v", "mV": "mv", "uV": "uv", "A": "a", "mA": "ma", "uA": "ua", "W": "w", "mW": "mw", "ohm": "ohm",
    "kohm": "kohm",
    "Hz": "hz", "kHz": "khz", "s": "s", "ms": "ms", "degC": "degc", "%": "pct", "Ah": "ah", "mAh": "mah", "dBm": "dbm",
}  # fmt: skip
"""Lower-case suffixes that have one meaning: vout_mv."""

STEMS: dict[str, tuple[str, ...]] = {
    "voltage": ("Voltage", "vout", "U_DUT", "Rail", "Ch 101", "V_meas", "Output voltage", "tp4", "DMM", "CH1", "value"),
    "current": ("Current", "iout", "I", "I_DUT", "Ch 102", "Supply current", "iin", "load_current"),
    "power": ("Power", "pout", "P", "P_DUT", "Input power"),
    "resistance": ("Resistance", "R", "r_out", "Ch 103", "R12", "DCR"),
    "capacitance": ("Capacitance", "Cap.", "C4", "c_meas"),
    "inductance": ("Inductance", "L1"),
    "frequency": ("Frequency", "fsw", "f", "clk"),
    "time": ("t", "Elapsed", "rise", "delay"),
    "temperature": ("Temperature", "T", "T1", "t_case", "Tamb", "temp"),
    "ratio": ("Duty", "load_reg", "thd", "RH", "SOC"),
    "charge": ("Capacity", "Charge", "Cap."),
    "energy": ("Energy",),
    "power level": ("Pout", "RF level", "rx_level"),
    "level ratio": ("Gain", "S21"),
}
