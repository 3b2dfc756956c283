"""Rows that leave out the last column, a remark that few of them have."""

from pathlib import Path

import pytest

from bench.readers import read

HEADER = "serial,vout_v,iout_a,note"


@pytest.mark.parametrize("count", [3, 12, 40_000])
@pytest.mark.parametrize("noted", [3, 2])
def test_rows_without_the_remark_are_rows(tmp_path: Path, count: int, noted: int) -> None:
    rows = [f"S{n},5.0{n},1.0{n}" + (",retested" if n % noted == 1 else "") for n in range(count)]
    path = tmp_path / "x.csv"
    path.write_text("\n".join([HEADER, *rows, "S,5,1", ""]))
    (table,) = read(path).tables
    frame = table.frame.collect()
    assert [column.name for column in table.columns] == HEADER.split(",")
    assert (table.rows_read, frame.height, table.quarantine.height) == (count + 1, count + 1, 0)
    assert frame.row(0)[2:] == ("S0", "5.00", "1.00", None)
    assert frame.row(1)[2:] == ("S1", "5.01", "1.01", "retested")


@pytest.mark.parametrize("row", ["S9,1.0,ok", "S9,5.0", "S9,5.0,1.0,ok,more", '"S9",5.0,"ok"'])
def test_rows_that_leave_out_another_column_are_quarantined(tmp_path: Path, row: str) -> None:
    rows = [f"S{n},5.0{n},1.0{n}" + (",ok" if n % 2 else "") for n in range(12)]
    path = tmp_path / "x.csv"
    path.write_text("\n".join([HEADER, *rows[:6], row, *rows[6:], ""]))
    (table,) = read(path).tables
    assert table.quarantine.get_column("text").to_list() == [row]
    assert table.frame.collect().height == 12


@pytest.mark.parametrize("header", ["serial,note,vout_v,iout_a", "serial,vout_v,iout_a,temp_c"])
def test_rows_that_leave_out_a_number_are_quarantined(tmp_path: Path, header: str) -> None:
    rows = [f"S{n},{n}.5,5.0{n}" + ("" if n % 3 == 1 else f",1.0{n}") for n in range(12)]
    path = tmp_path / "x.csv"
    path.write_text("\n".join([header, *rows, ""]))
    assert read(path).tables[0].quarantine.height == 4


def test_a_last_row_without_an_end_may_be_cut(tmp_path: Path) -> None:
    path = tmp_path / "cut.csv"
    path.write_text("serial,vout_v,comment\nS1,4.981,ok\nS2,4.992\nS3,4.993\nS4,4.994,retest\nS5,4.995\nS6,4.9")
    table = read(path).tables[0]
    assert table.frame.collect()["serial"].to_list() == ["S1", "S2", "S3", "S4", "S5"]
    assert table.quarantine.rows() == [(6, 7, "2 fields where the table has 3", "S6,4.9")]
