"""Cycles, steps and records in one file: a table for each, every line in exactly one."""

from pathlib import Path

import pytest

from bench.readers import read

HEAD = (
    "Cycle ID,Cap_Chg(mAh),Efficiency(%)\n,Step ID,Step Name,Step Time(h:min:s)\n,,Record ID,Time(h:min:s),Voltage(V)\n"
)
BODY = "".join(
    f"{cycle},1.2,99.{cycle}\n"
    + "".join(
        f",{step},{name},0:10:00\n" + "".join(f",,{n},0:0{n}:00,3.{cycle}{step}{n}\n" for n in range(1, 4))
        for step, name in enumerate(("Rest", "CC_Chg"), start=1)
    )
    for cycle in (1, 2)
)


@pytest.mark.parametrize(("delimiter", "end"), [(",", "\n"), ("\t", "\r\n")])
def test_each_level_is_a_table(tmp_path: Path, delimiter: str, end: str) -> None:
    path = tmp_path / "cell.csv"
    path.write_text((HEAD + BODY).replace(",", delimiter).replace("\n", end), newline="")
    export = read(path)
    assert [table.name for table in export.tables] == ["cell", "cell_2", "cell_1"]
    records, steps, cycles = (table.frame.collect() for table in export.tables)
    assert [column.name for column in export.tables[0].columns] == [
        "Cycle ID", "Step ID", "Record ID", "Time(h:min:s)", "Voltage(V)",
    ]  # fmt: skip
    assert records.row(0) == (1, 6, "1", "1", "1", "0:01:00", "3.111")
    assert records.row(-1) == (12, 21, "2", "2", "3", "0:03:00", "3.223")
    assert steps.row(-1) == (4, 18, "2", "2", "CC_Chg", "0:10:00")
    assert cycles.rows() == [(1, 4, "1", "1.2", "99.1"), (2, 13, "2", "1.2", "99.2")]
    assert export.dialect["lines"] == {"header": 3, "rows": 18, "quarantined": 0, "blank": 0}


def test_a_row_that_is_too_long_is_quarantined(tmp_path: Path) -> None:
    path = tmp_path / "cell.csv"
    path.write_text(HEAD + BODY + ",,4,0:04:00,3.2,9,9\n")
    table = read(path).tables[0]
    assert table.rows_read == 13
    assert table.quarantine.select("_row", "_line", "text").rows() == [(13, 22, ",,4,0:04:00,3.2,9,9")]


def test_a_units_row_with_an_empty_first_cell_is_not_nested(tmp_path: Path) -> None:
    path = tmp_path / "cell.csv"
    path.write_text("Serial,VOUT,IOUT\n,V,mA\n" + "".join(f"S{n},4.9{n},1{n}\n" for n in range(9)))
    assert read(path).format == "delimited"


def test_a_blank_line_above_what_looks_nested_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("\nDate\t1\t2\n\tTime\t3\n1\t2\t3\n\t4\t5\n")
    assert read(path).format == "delimited"
