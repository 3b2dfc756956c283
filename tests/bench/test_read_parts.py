"""Tables one below the other, in a text and on a sheet; what only looks like it stays one table."""

import io
from pathlib import Path

import pytest

from bench.readers import read

FIRST = "Station,7\n\nSerial,VOUT (V)\n" + "".join(f"S{n},4.9{n}\n" for n in range(4))
SECOND = "Serial,IOUT (µA),T\n" + "".join(f"S{n},1{n},25\n" for n in range(3))


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_two_tables(tmp_path: Path, end: str, encoding: str) -> None:
    path = tmp_path / "x.csv"
    text = FIRST + "\n\n" + SECOND
    path.write_bytes(text.replace("\n", end).encode(encoding))
    export = read(path)
    first, second = export.tables
    assert (first.name, second.name) == ("x", "x_2")
    assert first.frame.collect().row(-1) == (4, 7, "S3", "4.93")
    assert second.frame.collect().rows()[0] == (1, 11, "S0", "10", "25")
    assert second.columns[1].name == "IOUT (µA)"
    assert export.metadata["Station"] == "7"
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert sum(lines.values()) == text.count("\n")


@pytest.mark.parametrize(
    ("text", "count"),
    [(FIRST + "\nS4,4.94\nS5,4.95\n", 6), (FIRST + "\n" + FIRST.partition("\n\n")[2], 8)],
    ids=["a gap", "the same header again"],
)
def test_one_table_stays_one(tmp_path: Path, text: str, count: int) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    (table,) = read(path).tables
    assert table.frame.collect().height == count


def test_two_tables_on_a_sheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in [["Serial", "VOUT", "T"], ["S1", 4.9, 25], ["S2", 4.8, 26], [], ["Name", "Low", "High"],
                 ["VOUT", 4.9, 5.1], ["IOUT", 0.1, 0.2]]:  # fmt: skip
        book.active.append(line)
    held = io.BytesIO()
    book.save(held)
    path = tmp_path / "x.xlsx"
    path.write_bytes(held.getvalue())
    tables = read(path).tables
    assert [(table.name, table.rows_read) for table in tables] == [("x", 2), ("x_2", 2)]
    assert tables[1].frame.collect().row(0) == (1, 6, "VOUT", "4.9", "5.1")


def _channel(volts: float, rows: int) -> str:
    return "Time (s),Voltage (V)\n" + "".join(f"{n},{volts + n / 100:.2f}\n" for n in range(rows))


@pytest.mark.parametrize("rows", [3, 12])
def test_tables_of_the_same_names_under_titles_stay_apart(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"Channel 1\n{_channel(5.01, rows)}\nChannel 2\n{_channel(3.31, rows)}")
    tables = read(path).tables
    assert [[column.name for column in table.columns] for table in tables] == [["Time (s)", "Voltage (V)"]] * 2
    assert [table.frame.collect()["Voltage (V)"][0] for table in tables] == ["5.01", "3.31"]
    assert [table.rows_read for table in tables] == [rows, rows]


def test_tables_of_other_widths_under_titles(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    load = "".join(f"{n},5.0{n % 10},9{n % 10}.1\n" for n in range(12))
    line = "".join(f"{n + 9},500{n % 10}\n" for n in range(12))
    path.write_text(f"Load test\nLoad (A),VOUT (V),Eff (%)\n{load}\nLine test\nVIN (V),VOUT (mV)\n{line}")
    tables = read(path).tables
    assert [table.rows_read for table in tables] == [12, 12]
    assert [column.name for column in tables[1].columns] == ["VIN (V)", "VOUT (mV)"]


def test_the_pages_of_a_report_are_one_table(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{_channel(5.01, 5)}\nPage 2\n{_channel(5.31, 5)}")
    (table,) = read(path).tables
    assert table.frame.collect().height == 10
