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
