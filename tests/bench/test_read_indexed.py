"""Rows that begin with a number of their own: R and pandas give it no name, and the names are about what follows."""

from pathlib import Path

import pytest

from bench.errors import ExportAmbiguous
from bench.readers import ReadOptions, read


def rows(form: str, count: int = 12) -> str:
    return "".join(form.format(i=n, j=n + 1, v=4.9 + n / 1000, w=n / 100) for n in range(count))


def names(tmp_path: Path, text: str, options: ReadOptions | None = None) -> list[str]:
    path = tmp_path / "x.txt"
    path.write_text(text)
    (table,) = read(path, options or ReadOptions()).tables
    assert (table.frame.collect().height, table.quarantine.height) == (12, 0)
    return [column.name for column in table.columns]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('"serial","vout","iout"\n' + rows('"{j}","SN{j}",{v:.3f},{w:.3f}\n'), ["column_1", "serial", "vout", "iout"]),
        ('"time","vout"\n' + rows('"{j}",{v:.3f},{w:.3f}\n'), ["column_1", "time", "vout"]),
        ("serial,vout_v,iout_a\n" + rows("{j},SN{j},{v:.3f},{w:.3f}\n"), ["column_1", "serial", "vout_v", "iout_a"]),
        ("   serial  vout_v  iout_a\n" + rows("{i:<3} SN{j:03}   {v:.3f}   {w:.3f}\n"),
         ["column_1", "serial", "vout_v", "iout_a"]),
        ("Board,vout_v,iout_a\n" + rows("{j},{v:.3f},{w:.3f},ok\n"), ["Board", "vout_v", "iout_a", "column_4"]),
        ("Time,V,A\n" + rows("{i},{v:.3f},{w:.3f},{w:.3f}\n"), ["Time", "V", "A", "column_4"]),
        ("vin,vout,iout\n" + rows("{j}.5,24.1,{v:.3f},{w:.3f}\n"), ["vin", "vout", "iout", "column_4"]),
    ],
)  # fmt: skip
def test_the_names_stand_over_what_they_name(tmp_path: Path, text: str, columns: list[str]) -> None:
    assert names(tmp_path, text) == columns


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("vin,vout,iout\n" + rows("{j},24.1,{v:.3f},{w:.3f}\n"), "4.900", "0.000"),
        ("serial\tvout\tiout\n" + rows("{j}\tSN{j}\t{v:.3f}\t{w:.3f}\n"), "4.900", "0.000"),
    ],
)
def test_where_it_cannot_be_told_both_readings_are_shown(tmp_path: Path, text: str, left: str, right: str) -> None:
    message = f"the first row's iout is '{left}' if the last field has no name, and '{right}' if the first has none"
    with pytest.raises(ExportAmbiguous, match=message):
        names(tmp_path, text)
    assert names(tmp_path, text, ReadOptions(header_rows=1))[-1] == "column_4"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('"vout","iout"\n"SN1",4.99,0.5\n"SN2",4.98,0.6\n', ["column_1", "vout", "iout"]),
        ('"vout","iout"\n"3",4.99,0.5\n"7",4.98,0.6\n"2",4.98,0.6\n', ["column_1", "vout", "iout"]),
        ("serial,vout,result\nSN1,4.99,0.5,1\nSN2,4.98,0.6,1\n", ["serial", "vout", "result", "column_4"]),
    ],
    ids=["words", "what a filter left", "a serial has its name"],
)
def test_names_of_rows_need_not_count(tmp_path: Path, text: str, columns: list[str]) -> None:
    path = tmp_path / "x.txt"
    path.write_text(text)
    assert [column.name for column in read(path).tables[0].columns] == columns


@pytest.mark.parametrize(
    "text",
    ["vout\tiout\nSN1\t4.99\t0.5\nSN2\t4.98\t0.6\n",
     "   vout  iout\n3  4.99   0.5\n7  4.98   0.6\n9  4.97   0.6\n12 4.96   0.6\n"],
    ids=["words", "what a filter left, printed"],
)  # fmt: skip
def test_rows_that_no_name_stands_over_are_shown_both_ways(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(text)
    with pytest.raises(ExportAmbiguous, match=r"iout is '4.99' if the last field has no name, and '0.5' if the first"):
        read(path)
