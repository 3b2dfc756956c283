"""Unit texts: what instruments write is read, what pint would misread is not, and factors are exact."""

from fractions import Fraction

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.candidates import candidates
from guards.errors import UnitError
from guards.quantities import parse_quantity
from guards.units import PREFIXES, conversion, find_unit, parse_unit, power_of_ten


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("V", "V"), ("Volts", "V"), ("VDC", "V"), ("Volt DC", "V"), ("mAmps", "mA"), ("mAmp-hr", "mAh"), ("amps", "A"),
        ("Ω", "ohm"), ("\u2126", "ohm"), ("kΩ", "kohm"), ("µV", "uV"), ("\u00b5A", "uA"), ("\u03bcA", "uA"),
        ("\u2103", "degC"), ("°C", "degC"), ("\ufffdC", "degC"), ("Â°C", "degC"), ("mO", "mohm"), ("CEL", "degC"),
        ("Second", "s"), ("hr", "h"), ("%", "%"), ("mAh/g", "mAh/g"), ("MHz", "MHz"), ("mS", "mS"), ("Psi", "psi"),
    ],
)  # fmt: skip
def test_spellings_seen_in_exports(text, symbol):
    assert parse_unit(text).symbol == symbol


@pytest.mark.parametrize("text", ["ma", "N/A", "R", "M", "1.#INF", "4.99k", "?", "", "x" * 50, "degrees", "mv"])
def test_texts_that_are_no_unit_are_not_guessed_at(text):
    unit = find_unit(text)
    assert unit is None or unit.quantity == "angle"


def test_an_unknown_unit_says_what_was_expected():
    with pytest.raises(UnitError, match=r"^'fortnights' was not understood: expected a unit such as \"V\", \"mA\""):
        parse_unit("fortnights")


def test_case_is_never_folded():
    assert find_unit("mS").quantity == "conductance"
    assert find_unit("ms").quantity == "time"
    assert find_unit("MV").scale == 10**6


@pytest.mark.parametrize(
    "text", ["V", "mV", "uA", "kohm", "min", "h", "psi", "degF", "K", "%", "ppm", "mAh", "Wh", "bar"]
)
def test_factors_agree_with_pint(text):
    unit = parse_unit(text)
    names = {"ohm": "ohm", "kohm": "kiloohm", "%": "percent", "degF": "degree_Fahrenheit", "K": "kelvin"}
    bases = {"voltage": "volt", "current": "ampere", "resistance": "ohm", "time": "second", "pressure": "pascal"}
    bases |= {"temperature": "degree_Celsius", "ratio": "dimensionless", "charge": "coulomb", "energy": "joule"}
    registry = pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)
    for value in (Fraction(0), Fraction(1)):
        theirs = registry.Quantity(value, names.get(text, text)).to(bases[unit.quantity]).magnitude
        assert value * unit.scale + unit.offset == theirs


@given(
    st.sampled_from(sorted(PREFIXES)), st.sampled_from(sorted(PREFIXES)), st.sampled_from(["V", "A", "W", "ohm", "F"])
)
def test_conversions_of_prefixes_are_powers_of_ten_and_round_trip(first, second, base):
    there, _ = conversion(parse_unit(first + base), parse_unit(second + base))
    back, _ = conversion(parse_unit(second + base), parse_unit(first + base))
    assert there * back == 1
    assert power_of_ten(there) == PREFIXES[first] - PREFIXES[second]


@given(st.sampled_from(["degC", "degF", "K"]), st.sampled_from(["degC", "degF", "K"]), st.fractions(-500, 500))
def test_offset_units_round_trip_exactly(first, second, value):
    factor, offset = conversion(parse_unit(first), parse_unit(second))
    back, back_offset = conversion(parse_unit(second), parse_unit(first))
    assert (value * factor + offset) * back + back_offset == value


def test_units_of_different_quantities_and_logarithmic_ones_do_not_convert():
    with pytest.raises(UnitError, match="expected a unit of current, as A is"):
        conversion(parse_unit("V"), parse_unit("A"))
    with pytest.raises(UnitError, match="power"):
        conversion(parse_unit("dBm"), parse_unit("W"))


@pytest.mark.parametrize(
    ("text", "value", "symbol"),
    [("-0.3 V", "-0.3", "V"), ("40V", "40", "V"), ("2.5e-3 A", "0.0025", "A")],
)
def test_quantities_are_read_exactly(text, value, symbol):
    amount, unit = parse_quantity(text)
    assert (amount, unit.symbol) == (Fraction(value), symbol)


@pytest.mark.parametrize("text", ["5,01 V", "1 000 V", "5", "V", "50 mW (1/20 W)", "4k99", "1.#INF V", "five V"])
def test_quantities_that_could_mean_two_things_are_refused(text):
    with pytest.raises(UnitError, match="expected a number and a unit"):
        parse_quantity(text)


@pytest.mark.parametrize("text", ["V/V", "A/A", "W/W"])
def test_a_gain_is_no_efficiency(text: str) -> None:
    unit = find_unit(text)
    assert unit is not None
    assert (unit.symbol, unit.quantity) == ("V/V", "gain")
    assert not any(rival.automatic for rival in candidates(unit)[1:])


def test_a_gain_of_87_beside_an_efficiency_is_left(judge) -> None:
    report = judge("Gain (V/V),efficiency (%)\n" + "".join(f"87.{n},91.{n}\n" for n in range(9))).report.columns[0]
    assert (report.verdict, report.unit, report.factor) == ("unverified", "V/V", 1.0)
