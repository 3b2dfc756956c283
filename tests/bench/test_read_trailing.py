"""Lines that end in more delimiters than the table has columns: spreadsheets and loggers fill lines up with them."""

from pathlib import Path

import pytest

from bench.readers import read

UNITS = "s{d}V{d}A"
NAMES = "Time{d}Vout{d}Iout"


def rows(end: str, delimiter: str, count: int = 40) -> str:
    return "".join(delimiter.join((f"{n}", f"{4.9 + n / 1000:.3f}", f"{n / 100:.2f}")) + end for n in range(count))


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize(
    ("names_end", "rows_end"), [(2, 2), (2, 0), (0, 2), (0, 3), (1, 2), (3, 2), (0, 7), (4, 4), (2, 1)]
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_delimiters_at_the_end_are_no_columns(
    tmp_path: Path, delimiter: str, names_end: int, rows_end: int, line_end: str
) -> None:
    path = tmp_path / "x.csv"
    text = NAMES.format(d=delimiter) + delimiter * names_end + line_end
    path.write_text(text + rows(delimiter * rows_end + line_end, delimiter), newline="")
    export = read(path)
    (table,) = export.tables
    assert [column.name for column in table.columns] == ["Time", "Vout", "Iout"]
    frame = table.frame.collect()
    assert (frame.height, table.quarantine.height) == (40, 0)
    assert frame.row(39) == (40, 41, "39", "4.939", "0.39")
    assert export.dialect["path"] == "plain"


def test_units_and_a_preamble_that_are_filled_up_as_well(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"Model,X9,,,\n,,,,\n{NAMES.format(d=',')},,\n{UNITS.format(d=',')},,\n" + rows(",,\n", ","))
    export = read(path)
    (table,) = export.tables
    assert [(column.name, column.units_row) for column in table.columns] == [
        ("Time", "s"),
        ("Vout", "V"),
        ("Iout", "A"),
    ]
    assert (table.frame.collect().height, table.quarantine.height) == (40, 0)
    assert export.metadata["Model"] == "X9"


@pytest.mark.parametrize("above", ["Comment,a,b,c,d,e,f,g\n", "Model,X1\n"])
@pytest.mark.parametrize("names_end", ["", ",,"])
def test_a_line_above_does_not_change_that(tmp_path: Path, above: str, names_end: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{above}Time,Vout,Iout{names_end}\n" + rows(",,,\n", ","))
    (table,) = read(path).tables
    assert [column.name for column in table.columns] == ["Time", "Vout", "Iout"]
    assert (table.frame.collect().height, table.quarantine.height) == (40, 0)


def test_a_value_behind_the_columns_is_not_dropped(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    late = "".join(f"{n},5.0,0.1,,{'?' if n == 2900 else ''}\n" for n in range(3000))
    path.write_text(f"{NAMES.format(d=',')}\n{late}")
    (table,) = read(path).tables
    assert table.frame.collect().height == 2999
    assert table.quarantine.get_column("text").to_list() == ["2900,5.0,0.1,,?"]


def test_a_column_that_is_named_stays_though_it_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{NAMES.format(d=',')},Note,Operator\n" + rows(",,\n", ","))
    (table,) = read(path).tables
    assert [column.name for column in table.columns] == ["Time", "Vout", "Iout", "Note", "Operator"]
