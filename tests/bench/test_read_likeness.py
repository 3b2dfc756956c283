"""Readings that failed among the first rows: words in the columns of values, which are rows and no header."""

import itertools
from pathlib import Path

import pytest

from bench.readers import read

WORDS = ["n.m.", "DNP", "no contact", "FAIL", "<0.1", "E-13", "4.99*", "4.99 ?", "SHORT", "LOW", "?", "none"]
HEADERS = [
    "serial,vout_v,result",
    "serial,vout,iout,result",
    "Serial No,Vout (V)",
    "vout_v,iout_a",
    "load,Vout (V),Iin (A)",
]
NAMES = ["no load", "half load", "full load", "hot", "cold", "idle", "boot", "reset"]
SERIALS = {
    "counted": [f"S{n}" for n in range(8)],
    "codes": ["B1C8AD74", "28EBF537", "D1B0F7A9", "6D6BE4C0", "D13A2060", "D05BACC0", "FAD8EFA3", "ABD5BFC7"],
}


def table(header: str, serials: list[str], failed: dict[int, str]) -> str:
    lines = [header]
    for at, serial in enumerate(serials):
        word = failed.get(at)
        cells = {"serial": serial, "Serial No": serial, "load": NAMES[at], "result": "FAIL" if word else "PASS"}
        lines.append(",".join(cells.get(name, word or f"{4.9 + at / 100:.2f}") for name in header.split(",")))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("serials", SERIALS)
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("failed", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2)])
def test_readings_that_failed_are_rows(tmp_path: Path, header: str, failed: tuple[int, ...], serials: str) -> None:
    path = tmp_path / "x.csv"
    for first, second in itertools.pairwise([*WORDS, WORDS[0]]):
        text = table(header, SERIALS[serials], dict(zip(failed, (first, second), strict=False)))
        path.write_text(text)
        export = read(path)
        (found,) = export.tables
        lines = [line.split(",") for line in text.splitlines()]
        assert [column.name for column in found.columns] == lines[0]
        assert [list(row[2:]) for row in found.frame.collect().rows()] == lines[1:]
        assert export.metadata == {}


def test_several_words_in_one_row_are_no_names(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("serial,vout_v,iout_a\nS1,5.0,1.0\nS2,not fitted,ERR7\nS3,5.1,1.1\nS4,5.2,1.2\n")
    (found,) = read(path).tables
    assert [column.name for column in found.columns] == ["serial", "vout_v", "iout_a"]
    assert found.frame.collect().height == 4


def test_a_file_without_a_header_has_none_where_a_reading_failed(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("S1,5.0,PASS\nS2,n.m.,FAIL\nS3,5.1,PASS\nS4,5.2,FAIL\n")
    (found,) = read(path).tables
    assert [column.text for column in found.columns] == ["", "", ""]
    assert found.frame.collect().height == 4


@pytest.mark.parametrize(
    ("above", "header"),
    [
        ("Product,PSU-24\nOperator,JK\nVin (V),24.0\n", "serial,vout_v"),
        ("Label,VOUT (V),IOUT (A)\nProbe Attenuation,10,1\nVertical Scale,0.05,0.1\n", "TIME,CH1,CH2"),
        ("Signal,Vout (V)\n", "serial,reading"),
        ("Voltage,Current,Power\nset,set,set\n", "Vout,Iout,Pout"),
    ],
    ids=["keys", "tektronix", "a key with a unit", "rows of names"],
)
def test_names_below_keys_stay_the_header(tmp_path: Path, above: str, header: str) -> None:
    path = tmp_path / "x.csv"
    first = {"serial": "S{n}", "TIME": "{n}e-6"}.get(header.split(",", maxsplit=1)[0], "5.0{n}")
    row = ",".join([first, *["4.9{n}"] * header.count(",")]) + "\n"
    path.write_text(above + header + "\n" + "".join(row.format(n=n) for n in range(8)))
    (found,) = read(path).tables
    assert [column.name for column in found.columns] == header.split(",")
    assert found.frame.collect().height == 8


def test_a_workbook_is_read_alike(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra xlsx")
    book = openpyxl.Workbook()
    rows = [["serial", "Vout (V)"], ["S0", "n.m."], *[[f"S{n}", 5 + n / 1000] for n in range(1, 8)]]
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "x.xlsx")
    (found,) = read(tmp_path / "x.xlsx").tables
    assert [column.name for column in found.columns] == ["serial", "Vout (V)"]
    assert found.frame.collect().height == 8


def test_a_marker_below_a_key_with_a_unit_stays_a_marker(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("Type:,raw\nXUnits:,second\nYUnits:,Volt\nData:,\n" + "".join(f"4.{n}E+00\n" for n in range(8)))
    (found,) = read(path).tables
    assert [(column.name, column.preamble) for column in found.columns] == [("Data:", "Volt")]
    assert found.frame.collect().height == 8


def test_limits_above_readings_that_failed_stay_limits(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("serial,vout,iout\nUnits,V,mA\nLSL,4.95,10\nUSL,5.05,20\nS1,5.0,15\nS2,4.99,16\nS3,4.98,FAIL\n")
    export = read(path)
    assert export.tables[0].frame.collect().height == 3
    assert export.dialect["header_rows"] == {"lsl": ["LSL", "4.95", "10"], "usl": ["USL", "5.05", "20"]}


def test_names_below_a_single_row_of_values_stay_the_header(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("S0,5.0,PASS\nserial,vout,result\n" + "".join(f"S{n},5.{n},PASS\n" for n in range(1, 8)))
    (found,) = read(path).tables
    assert [column.name for column in found.columns] == ["serial", "vout", "result"]
    assert found.frame.collect().height == 7


@pytest.mark.parametrize("above", ["", "Report,EOL,,\n", "Board,top,bottom,side\n"])
@pytest.mark.parametrize("header", ["serial,vin_v,vin_v,", "serial,Vin,Vin,note"])
@pytest.mark.parametrize("count", [2, 8])
def test_a_name_that_is_given_twice_is_a_name(tmp_path: Path, above: str, header: str, count: int) -> None:
    path = tmp_path / "x.csv"
    path.write_text(above + header + "\n" + "".join(f"S{n},24.0,24.1,x{n}\n" for n in range(count)))
    (found,) = read(path).tables
    assert [column.text for column in found.columns] == header.split(",")
    assert found.frame.collect().height == count


@pytest.mark.parametrize("header", ["serial,PASS,vout", "board 1,vout_v,result", "Site1,Vout (V),Iin (A)"])
def test_names_that_stand_below_themselves_are_names(tmp_path: Path, header: str) -> None:
    first, second, last = header.split(",")
    cells = {"serial": "S{n}", "PASS": "PASS", "board 1": "board {n}", "Site1": "Site{n}", "result": "PASS"}
    row = ",".join(cells.get(name, "5.{n}") for name in (first, second, last))
    path = tmp_path / "x.csv"
    path.write_text(header + "\n" + "".join(row.format(n=n) + "\n" for n in range(8)))
    (found,) = read(path).tables
    assert [column.text for column in found.columns] == header.split(",")
    assert found.frame.collect().height == 8
