"""The unit that a header names, and what only looks like one."""

import pytest

from guards.headers import header_unit


@pytest.mark.parametrize(
    ("text", "stem", "symbol"),
    [
        ("Voltage (mV)", "Voltage", "mV"), ("Cap. [Ah]", "Cap.", "Ah"), ("Voltage / V", "Voltage", "V"),
        ("Ewe/V", "Ewe", "V"), ("<I>/mA", "<I>", "mA"), ("time/s", "time", "s"), ("t/s", "t", "s"),
        ("Temperature/°C", "Temperature", "degC"), ("in s", "", "s"), ("C1 in V", "C1", "V"),
        ("Strom in mA", "Strom", "mA"), ("Zeit in s", "Zeit", "s"), ("Minutes", "", "min"), ("t_min", "t", "min"),
    ],
)  # fmt: skip
def test_units_in_headers(text: str, stem: str, symbol: str) -> None:
    found = header_unit(text)
    assert found is not None
    assert (found[0], found[2].symbol) == (stem, symbol)


@pytest.mark.parametrize(
    "text",
    ["Min", "min", "MIN", "S/N", "P/N", "I/O", "N/A", "Pass/Fail", "Date/Time", "counts/s", "steps/min", "mA/V", "V/s",
     "control/V/mA", "Sensitivity mV/A", "Length in", "V in", "checked in Berlin"],
)  # fmt: skip
def test_what_is_no_unit(text: str) -> None:
    assert header_unit(text) is None


def test_the_unit_column_speaks_about_the_value_left_of_it(judge) -> None:
    guarded = judge("Reading,Timestamp,Value,Unit\n" + "".join(f"{n},x{n},{n + 5}.25,V DC\n" for n in range(9)))
    assert {c.name: c.unit for c in guarded.report.columns if c.judged} == {"Reading": None, "Value": "V"}


@pytest.mark.parametrize(("header", "role"), [("Id (A)", "measured"), ("id_a", "measured"), ("ID", "identifier")])
def test_a_drain_current_is_no_identifier(judge, header: str, role: str) -> None:
    guarded = judge(f"Vd (V),{header}\n" + "".join(f"{n / 8},0.0{n}5\n" for n in range(9)))
    assert guarded.report.columns[1].role == role
