"""A row of units just below the names, with units that nobody knows, or above a single row of values."""

from pathlib import Path

import pytest

from bench.readers import read

CASES: dict[str, tuple[str, dict[str, str | None]]] = {
    "an unknown word": ("serial,Vout,Iout\n,V,mA avg\n", {"serial": None, "Vout": "V", "Iout": "mA avg"}),
    "a unit in lower case": ("serial,Vout,Iout\n,V,ma\n", {"serial": None, "Vout": "V", "Iout": "ma"}),
    "no unit known as it is": ("serial,Iout\n,mA rms\n", {"serial": None, "Iout": "mA rms"}),
    "most are unknown": ("serial,P1,P2,P3\n,V,volt-ish,-\n", {"serial": None, "P1": "V", "P2": "volt-ish", "P3": "-"}),
    "one known": ("serial,Vout\n,mV\n", {"serial": None, "Vout": "mV"}),
    "blank above a text": ("serial,type,Vout\n,,mV\n", {"serial": None, "type": None, "Vout": "mV"}),
}


@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("above", ["", "EOL report\n\n"])
@pytest.mark.parametrize("name", CASES)
def test_units_below_the_names(tmp_path: Path, name: str, above: str, count: int) -> None:
    text, units = CASES[name]
    cells = {"serial": "S{n}", "type": "x"}
    form = ",".join(cells.get(column, "4.{n}") for column in units)
    path = tmp_path / "x.csv"
    path.write_text(above + text + "".join(form.format(n=n) + "\n" for n in range(count)))
    (table,) = read(path).tables
    assert {column.text: column.units_row for column in table.columns} == units
    assert table.frame.collect().height == table.rows_read == count


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Serial,Output,,Input,\n,V,I,V,I\nS1,1,2,3,4\nS2,1,2,3,4\nS3,1,2,3,4\n",
            ["Serial", "Output (V)", "Output I", "Input (V)", "Input I"],
        ),
        (",,VOUT,IOUT\nSerial,Date,,\nS1,2026-08-31,1,2\nS2,2026-08-31,2,3\n", ["Serial", "Date", "VOUT", "IOUT"]),
        ("Label,VOUT,IOUT\nTIME,CH1,CH2\n0,1,2\n1,2,3\n2,3,4\n", ["TIME", "CH1", "CH2"]),
    ],
    ids=["groups above", "names in two rows", "labels above"],
)
def test_names_below_other_names_are_no_units(tmp_path: Path, text: str, names: list[str]) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    (table,) = read(path).tables
    assert [column.text for column in table.columns] == names


def test_words_below_units_stay_a_row(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("serial,Vout,result\n,V,\nS1,n.m.,FAIL\nS2,4.9,PASS\nS3,5,PASS\n")
    (table,) = read(path).tables
    assert [column.units_row for column in table.columns] == [None, "V", None]
    assert table.frame.collect().row(0)[2:] == ("S1", "n.m.", "FAIL")


def test_minutes_among_units_are_no_minimum(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("Elapsed,Vout\nmin,V\n0,4.9\n1,4.9\n2,4.8\n")
    (table,) = read(path).tables
    assert [(column.text, column.units_row) for column in table.columns] == [("Elapsed", "min"), ("Vout", "V")]
