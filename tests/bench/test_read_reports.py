"""Reports and workbooks of which every value is accounted for, with the unit that a person sees beside it."""

import json
from pathlib import Path

import pytest

from bench.readers import read

ATML = """<?xml version="1.0" encoding="utf-8"?>
<trc:TestResultsCollection xmlns:trc="urn:IEEE-1636.1:2013:TestResultsCollection"
 xmlns:tr="urn:IEEE-1636.1:2013:TestResults" xmlns:c="urn:IEEE-1671:2010:Common"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<trc:TestResults><tr:ResultSet startDateTime="2026-08-31T10:00:00">
<tr:Test name="Trace"><tr:Outcome value="Passed"/><tr:TestResult name="samples"><tr:TestData>
<c:IndexedArray dimensions="[2]" xsi:type="c:doubleArray" nonStandardUnit="mV">
<c:Element value="1.1" position="[0]"/>
<c:Element value="1.2" position="[1]"/></c:IndexedArray></tr:TestData></tr:TestResult></tr:Test>
<tr:Test name="Rails"><tr:TestResult name="all"><tr:TestData><c:Collection>
<c:Item name="5V0"><c:Datum xsi:type="c:double" value="5.01" nonStandardUnit="V"/></c:Item>
<c:Item name="note"><c:Datum xsi:type="c:string"><c:Value>warm</c:Value></c:Datum></c:Item>
</c:Collection></tr:TestData></tr:TestResult></tr:Test>
<tr:Test name="Wait"><tr:TestResult name="none"/></tr:Test>
</tr:ResultSet></trc:TestResults></trc:TestResultsCollection>
"""


def test_every_value_of_an_atml_result_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text(ATML)
    rows = read(path).tables[0].frame.collect()
    assert rows.select("_line", "measurement", "value", "text_value", "unit", "result").rows() == [
        (8, "Trace[0]", "1.1", None, "mV", "Passed"),
        (9, "Trace[1]", "1.2", None, "mV", "Passed"),
        (11, "Rails/5V0", "5.01", None, "V", None),
        (12, "Rails/note", None, "warm", None, None),
        (14, "Wait", None, None, None, None),
    ]


def test_dimensions_of_openhtf_carry_their_units_in_either_spelling(tmp_path: Path) -> None:
    measurement = {
        "name": "gain", "outcome": "PASS", "units": {"name": "decibel", "code": "2N", "suffix": "dB"},
        "dimensions": [{"description": "f", "code": "HTZ", "name": "hertz", "suffix": "Hz"},
                       {"description": "level", "code": "D80", "name": None, "uom_suffix": "mV"}],
        "measured_value": [[10, 1, -0.5], [20, 1, -0.6]],
    }  # fmt: skip
    path = tmp_path / "record.json"
    path.write_text(json.dumps({"dut_id": "S1", "phases": [{"name": "sweep", "measurements": {"gain": measurement}}]}))
    (table,) = read(path).tables
    assert [(column.name, column.units_row) for column in table.columns] == [
        ("hertz", "Hz"), ("level", "mV"), ("gain", "dB"),
    ]  # fmt: skip
    assert table.frame.collect().rows() == [(1, None, "10", "1", "-0.5"), (2, None, "20", "1", "-0.6")]


def test_a_workbook_s_numbers_are_read_as_they_are_shown(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl, the package for Excel workbooks, is not installed")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["n", "efficiency (%)", "ripple (V)", "code", "share"])
    for n in range(3):
        sheet.append([n, 0.93 + n / 1000, 12.5 + n, n, 0.5])
        for column, form in enumerate(('0" pcs"', "0.0%", '0.0" mV"', '0"%"', "0.0;[Red]-0.0"), start=1):
            sheet.cell(sheet.max_row, column).number_format = form
    book.save(tmp_path / "x.xlsx")
    (table,) = read(tmp_path / "x.xlsx").tables
    assert table.frame.collect().rows()[:2] == [
        (1, 2, "0", "93 %", "12.5 mV", "0 %", "0.5"), (2, 3, "1", "93.1 %", "13.5 mV", "1 %", "0.5"),
    ]  # fmt: skip
