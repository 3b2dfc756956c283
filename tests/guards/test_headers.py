"""The unit that a header names, and what only looks like one."""

import pytest

from guards import ExportColumn
from guards.declared import labels_of, role_of
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
    ["operator_a", "shift_c", "phase_a",
     "Min", "min", "MIN", "S/N", "P/N", "I/O", "N/A", "Pass/Fail", "Date/Time", "counts/s", "steps/min", "mA/V", "V/s",
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


@pytest.mark.parametrize(
    ("header", "role"),
    [
        ("Line (V)", "measured"), ("Loop (mA)", "measured"), ("Step (V)", "measured"), ("Scan (V)", "measured"),
        ("Panel (V)", "measured"), ("Host (V)", "measured"), ("Clock (MHz)", "measured"), ("Id (uA)", "measured"),
        ("Line", "index"), ("Step", "index"), ("Step (s)", "index"), ("Cycle (h)", "index"), ("Panel", "identifier"),
        ("Test Time (s)", "time"), ("Clock (s)", "time"), ("Target (V)", "limit"), ("LSL (V)", "limit"),
    ],
)  # fmt: skip
def test_a_name_with_an_electrical_unit_is_measured(judge, header: str, role: str) -> None:
    guarded = judge(f"{header},x\n" + "".join(f"{n},{n}\n" for n in range(9)), None)
    assert guarded.report.columns[0].role == role


def test_a_unit_in_the_units_row_leaves_the_role_to_the_cells() -> None:
    assert role_of(ExportColumn("Line", "Line", "mV"), None, claimed=False) is None
    assert role_of(ExportColumn("Line", "Line", "s"), None, claimed=False) == "index"


@pytest.mark.parametrize(
    ("header", "cells", "kept"),
    [
        ("UUT", ["000001", "000002"], True),
        ("PCB ID", ["12345678901234567000", "12345678901234567001"], True),
        ("Count", ["10", "0"], False),
        ("UUT (V)", ["0005", "0006"], False),
        ("Ratio", ["0.5", "00.5"], False),
    ],
)
def test_digits_that_are_a_code_stay_text(judge, header: str, cells: list[str], kept: bool) -> None:
    guarded = judge(f"{header},n\n" + "".join(f"{cell},{n}\n" for n in range(3) for cell in cells))
    column = guarded.corrected.collect().to_series(1)
    assert (column.to_list() == cells * 3) is kept
    assert (guarded.report.columns[0].role == "identifier") is kept


@pytest.mark.parametrize("header", ["VOUT_min", "VOUT_Min", "V_min", "RPM_mins"])
def test_a_minimum_is_no_minute(header: str) -> None:
    assert header_unit(header) is None


@pytest.mark.parametrize(
    ("header", "symbol"),
    [("Temperature_C", "degC"), ("Temp_C", "degC"), ("tcase_C", "degC"), ("T[deg.C]", "degC"), ("elapsed_min", "min")],
)
def test_more_units_in_headers(header: str, symbol: str) -> None:
    found = header_unit(header)
    assert found is not None
    assert found[2].symbol == symbol


def test_brackets_around_a_units_row_say_the_same() -> None:
    for text, symbol in (("(mV)", "mV"), ("[V]", "V"), ("ms", "ms")):
        assert [label.unit.symbol for label in labels_of(ExportColumn("a", "a", text), None)] == [symbol]


@pytest.mark.parametrize(
    ("cells", "decimal", "values"),
    [
        (["900,5", "1.001,5", "1.234.567,25"], ",", [900.5, 1001.5, 1234567.25]),
        (["900.5", '"1,001.5"', "1'001.5"], ".", [900.5, 1001.5, 1001.5]),
        (["900,5", "1 001,5", "1\u202f001"], ",", [900.5, 1001.5, 1001.0]),
    ],
)
def test_thousands_are_read_where_their_mark_can_mean_nothing_else(
    judge, cells: list[str], decimal: str, values: list[float]
) -> None:
    separator = ";" if decimal == "," else ","
    body = "".join(f"{n}{separator}{cell}\n" for n in range(3) for cell in cells)
    guarded = judge(f"n{separator}R (ohm)\n{body}", separator=separator, decimal=decimal)
    assert guarded.corrected.collect()["R (ohm)"].to_list() == values * 3
    assert guarded.flags.height == 0


def test_cells_that_cannot_be_read_are_counted_in_the_reason(judge) -> None:
    guarded = judge("n,R (ohm)\n" + '1,900.5\n2,"1,001"\n3,901\n' * 5)
    column = guarded.report.columns[1]
    assert column.reason.endswith("5 of 15 cells could not be read as numbers and are null.")
    assert guarded.flags["kind"].to_list() == ["unreadable"] * 5


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("Eff (%) @ Iout (A)", "%"), ("Eff(%)@Iout(A)", "%"), ("Iout (mA) at Vin (V)", "mA"),
        ("Vout (V) @ Iout (A)", "V"),
        ("Vout vs. Iout (mA)", None), ("Vf @ If (mA)", None), ("efficiency at load (A)", None),
        ("Vout for Iload in mA", None), ("iq_ua_at_vin_v", "uA"), ("iout_at_vin_v", None), ("vout_at_vin_v", "V"),
        ("Iout (mA) @ 25C", "mA"), ("Iin at Vin = 12 V (mA)", "mA"), ("PSRR @ 1 kHz (dB)", "dB"),
        ("V @ 10mA (mV)", "mV"), ("Vout at full load (V)", "V"), ("Current with fan on (mA)", "mA"),
        ("Reading for Vout (V)", "V"), ("iout_a at 5V (mA)", None),
    ],
)  # fmt: skip
def test_the_unit_of_a_condition_is_not_the_values(text: str, symbol: str | None) -> None:
    found = header_unit(text)
    assert (found[2].symbol if found else None) == symbol


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("Vout (V) Iload (A)", None), ("Vout [V] Iload [A]", None), ("Temp (C) or (F)", None),
        ("Phase (A) Voltage (V)", "V"), ("R(T) (ohm)", "ohm"), ("I(V) (mA)", "mA"), ("Rds(on) (mohm)", "mohm"),
    ],
)  # fmt: skip
def test_two_units_in_brackets_are_none(text: str, symbol: str | None) -> None:
    found = header_unit(text)
    assert (found[2].symbol if found else None) == symbol


@pytest.mark.parametrize(
    "text", ["ADC", "adc", "isense_adc", "vin_adc", "I_ADC", "ch1/ADC", "bin_a", "option_a", "part_a", "code_v", "hw_v",
             "fw_v", "usb_c", "class_a", "type_c"]
)  # fmt: skip
def test_a_converter_and_what_is_numbered_are_no_units(text: str) -> None:
    assert header_unit(text) is None


@pytest.mark.parametrize("text", ["Isense (ADC)", "Ch 101 (ADC)", "I [mADC]"])
def test_amperes_dc_in_brackets_are_amperes(text: str) -> None:
    found = header_unit(text)
    assert found is not None
    assert found[2].quantity == "current"


def test_adc_in_a_units_row_and_in_cells_is_amperes(judge) -> None:
    assert labels_of(ExportColumn("I", "I", "ADC"), None)[0].unit.symbol == "A"
    assert judge("Isense\n" + "0.5 ADC\n" * 5, None).report.columns[0].unit == "A"


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("Vout (min)", None), ("Vout (Min)", None), ("Vout (MIN)", None), ("Vout, min", None), ("T (min)", None),
        ("Vout (V) (min)", "V"), ("Vout (min) (V)", "V"), ("Vout [V] [MIN]", "V"), ("Time (min)", "min"),
        ("t (min)", "min"), ("elapsed (min)", "min"), ("Soak (min)", "min"), ("test_time (min)", "min"),
    ],
)  # fmt: skip
def test_a_minimum_in_brackets_is_no_minute(text: str, symbol: str | None) -> None:
    found = header_unit(text)
    assert (found[2].symbol if found else None) == symbol


@pytest.mark.parametrize(
    "text", ["V(s)", "V(S)", "V(m)", "V(g)", "V(A)", "V(F)", "V(h)", "V(bar)", "V(1)", "v(d)", "I(s)", "I(C)", "V(out)"]
)
def test_a_simulators_node_is_no_unit(text: str) -> None:
    assert header_unit(text) is None


@pytest.mark.parametrize(
    ("text", "symbol"), [("V(V)", "V"), ("V(mV)", "mV"), ("I(A)", "A"), ("U(V)", "V"), ("t(s)", "s"), ("V (s)", "s")]
)
def test_a_unit_that_fits_the_letter_before_it_is_one(text: str, symbol: str) -> None:
    found = header_unit(text)
    assert found is not None
    assert found[2].symbol == symbol


@pytest.mark.parametrize("text", ["P1", "C26", "Pt(1)", "Temp_C(2)", "Y[1]", "Sense(1)"])
def test_a_number_in_a_name_is_no_unit(text: str) -> None:
    assert header_unit(text) is None


@pytest.mark.parametrize(
    ("text", "symbol"),
    [("eta[1]", "1"), ("PF(1)", "1"), ("Gain (1)", "1"), ("101(DCV)", "V"), ("CH2 (mACV)", "mV"), ("103 (DCI)", "A"),
     ("°C [1]", "degC"), ("mV [2]", "mV"), ("S11(DB)", "dB"), ("S21(DEG)", "deg"),
     ("Vf (V vs. Ref.)", "V"), ("Ewe (mV vs Ag/AgCl)", "mV")],
)  # fmt: skip
def test_functions_and_references_name_the_unit(text: str, symbol: str) -> None:
    found = header_unit(text)
    assert found is not None
    assert found[2].symbol == symbol


def test_two_wires_are_no_watts(judge) -> None:
    rows = "".join(f"{n + 5}.25,V,{'2W' if n % 2 else '4W'}\n" for n in range(9))
    guarded = judge("Value,Unit,Sense\n" + rows)
    assert {c.name: c.unit for c in guarded.report.columns}["Sense"] is None


@pytest.mark.parametrize(
    ("cells", "role"),
    [
        (["00", "0A", "1F", "E5"], "identifier"), (["0x00", "0x0A", "0x1F", "0xE5"], "text"),
        (["1A", "2B", "3C", "4D"], "identifier"), (["10A", "20A", "30A", "15A"], "measured"),
        (["1E5", "2E5", "3E5", "4E5"], "measured"), (["AC", "DC", "AC", "DC"], "text"),
        (["5A", "12A", "7A"], "measured"),
    ],
)  # fmt: skip
def test_bytes_in_hexadecimal_are_no_amperes(judge, cells: list[str], role: str) -> None:
    guarded = judge("uart,x\n" + "".join(f"{cell},1.5\n" for cell in cells * 3), None)
    assert guarded.report.columns[0].role == role


@pytest.mark.parametrize("header", ["Zimag (ohm)", "Im(Z) (ohm)", "-Im(Z)/Ohm", "Xs (ohm)", "Reactance (kohm)"])
def test_a_reactance_may_be_negative(judge, header: str) -> None:
    guarded = judge(f"{header},x\n" + "".join(f"-{n + 5}.25,{n}\n" for n in range(9)))
    assert guarded.report.columns[0].verdict == "unverified"


def test_a_number_apart_from_its_sign_is_read(judge) -> None:
    guarded = judge("CH1 (V),x\n" + "".join(f"{'+' if n % 2 else '-'}  {n + 5}.25,{n}\n" for n in range(9)), None)
    assert guarded.corrected.select("CH1 (V)").collect().to_series().to_list()[:3] == [-5.25, 6.25, -7.25]
