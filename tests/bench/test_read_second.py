"""A further header without a blank line above it: short and long texts, the fast and the careful path."""

from pathlib import Path

import pytest

from bench.errors import ExportError
from bench.export import Export
from bench.readers import read

SHORT, LONG = 30, 60_000  # rows; the long ones are beyond what is looked at as the head


def rows(form: str, count: int) -> str:
    return "".join(form.format(n=n, v=4.9 + n % 1000 / 1000, w=n / 100) for n in range(count))


def written(folder: Path, text: str, *, end: str = "\n", encoding: str = "utf-8") -> Export:
    path = folder / "x.csv"
    path.write_bytes(text.replace("\n", end).encode(encoding))
    return read(path)


def lines_of(export: Export) -> int:
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    return sum(lines.values())


PROSE = ",the quick brown fox jumps over a lazy dog BUT NOT BACK OVER THE SAME DOGS"
# first header, second header, what a row is
KINDS = {
    "text and numbers": (
        "serial,vout_v,iout_a,result",
        "board,vin_v,power_w,outcome",
        "S{n:05},{v:.3f},{w:.2f},PASS\n",
    ),
    "numbers only": ("t,v,i", "time_s,vin,iin", "{n},{v:.3f},{w:.2f}\n"),
    "every letter seen": ("a,vout,iout,note", "b,vin,iin,remark", "S{n:05},{v:.3f},{w:.2f}" + PROSE + "\n"),
    "quoted": ('"serial","vout"', '"board","vin [V]"', '"{n}","{v:.3f}"\n'),
    "one column of numbers, a name again": ("serial,vout,result", "serial,vin,result", "S{n:05},{v:.3f},PASS\n"),
    "runs of spaces": ("t  v  i", "t  u  j", "{n}  {v:.3f}  {w:.2f}\n"),
    "semicolons and decimal commas": ("t;v_v;i_a", "t;uein;iein", "{n};{v:.3f};{w:.2f}\n"),
}


@pytest.mark.parametrize("count", [SHORT, LONG])
@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_below_another_header_is_a_table_of_its_own(tmp_path: Path, kind: str, count: int) -> None:
    first, second, form = KINDS[kind]
    body = rows(form, count)
    body = body.replace(".", ",") if ";" in form else body
    export = written(tmp_path, f"{first}\n{body}{second}\n{body}")
    assert [(table.name, table.rows_read, table.quarantine.height) for table in export.tables] == [
        ("x", count, 0), ("x_2", count, 0),
    ]  # fmt: skip
    delimiter = ";" if ";" in form else "," if "," in form else None
    for table, header in zip(export.tables, (first, second), strict=True):
        assert [column.text for column in table.columns] == [name.strip('"') for name in header.split(delimiter)]
    below = export.tables[1].frame.select("_row", "_line").collect()
    assert below.rows()[0] == (1, count + 3)
    assert below.rows()[-1] == (count, 2 * count + 2)
    assert lines_of(export) == 2 * count + 2


@pytest.mark.parametrize(("end", "encoding"), [("\r\n", "utf-8"), ("\n", "cp1252"), ("\r\n", "utf-16")])
def test_whatever_the_line_ends_and_the_encoding(tmp_path: Path, end: str, encoding: str) -> None:
    body = rows("{n},{v:.3f},{w:.2f}\n", LONG)
    export = written(tmp_path, f"t,v (V),i (µA)\n{body}t_s,u (V),j (µA)\n{body}", end=end, encoding=encoding)
    assert [[column.name for column in table.columns] for table in export.tables] == [
        ["t", "v (V)", "i (µA)"], ["t_s", "u (V)", "j (µA)"],
    ]  # fmt: skip
    assert [table.rows_read for table in export.tables] == [LONG, LONG]
    assert export.tables[1].frame.select("_line").collect().item(0, 0) == LONG + 3


def test_a_long_text_has_a_table_below_a_blank_line(tmp_path: Path) -> None:
    body, other = rows("S{n:05},{v:.3f},{w:.2f},PASS\n", LONG), rows("{n},{v:.2f}\n", LONG)
    export = written(tmp_path, f"serial,vout,iout,result\n{body}\nt,v\n{other}")
    assert [(table.rows_read, len(table.columns), table.quarantine.height) for table in export.tables] == [
        (LONG, 4, 0), (LONG, 2, 0),
    ]  # fmt: skip
    assert lines_of(export) == 2 * LONG + 3


@pytest.mark.parametrize("count", [SHORT, LONG])
def test_the_same_header_again_is_quarantined_and_the_table_goes_on(tmp_path: Path, count: int) -> None:
    text = "serial,vout,iout\n" + rows("S{n:05},{v:.3f},{w:.2f}\n", count)
    (table,) = written(tmp_path, text * 2).tables
    assert table.rows_read == 2 * count + 1
    assert table.quarantine.rows() == [(count + 1, count + 2, "repeats the header", "serial,vout,iout")]


@pytest.mark.parametrize("count", [SHORT, LONG])
@pytest.mark.parametrize(
    "row", ["S00999,not fitted,ERR7,FAIL", "S00999,OL,NaN,FAIL", "S00999,fault,fault,FAIL", "S00999,4.9,broken,ABORTED"]
)
def test_a_row_without_readings_is_no_header(tmp_path: Path, row: str, count: int) -> None:
    body = rows("S{n:05},{v:.3f},{w:.2f},PASS\n", count)
    (table,) = written(tmp_path, f"serial,vout,iout,result\n{body}{row}\n{body}").tables
    assert (table.rows_read, table.quarantine.height) == (2 * count + 1, 0)
    assert table.frame.collect().row(count)[2:] == tuple(row.split(","))


@pytest.mark.parametrize("count", [SHORT, LONG])
def test_a_closing_remark_is_quarantined_and_no_table(tmp_path: Path, count: int) -> None:
    export = written(tmp_path, "t,v,i\n" + rows("{n},{v:.3f},{w:.2f}\n", count) + "End of test,Operator,Ada\n")
    (table,) = export.tables
    assert table.rows_read == count + 1
    assert table.quarantine.get_column("text").to_list() == ["End of test,Operator,Ada"]


def test_columns_that_were_added_to_a_log_begin_a_table_and_the_rows_above_stay_rows(tmp_path: Path) -> None:
    before, after = rows("10:00:{n:02},{v:.3f},{w:.2f}\n", SHORT), rows("11:00:{n:02},{v:.3f},{w:.2f},25.{n}\n", SHORT)
    text = f"time,vout,iout\n{before}time,vout,iout\n{before}time,vout,iout,temp\n{after}"
    export = written(tmp_path, text)
    assert [(len(table.columns), table.rows_read, table.quarantine.height) for table in export.tables] == [
        (3, 2 * SHORT + 1, 1), (4, SHORT, 0),
    ]  # fmt: skip
    assert export.metadata == {}
    assert lines_of(export) == text.count("\n")


@pytest.mark.parametrize("count", [SHORT, LONG])
@pytest.mark.parametrize(("header", "form"), [("t,v", "{n},{v:.3f}\n"), ("t,v,i,T", "{n},{v:.3f},{w:.2f},25\n")])
def test_another_header_over_rows_of_another_width(tmp_path: Path, header: str, form: str, count: int) -> None:
    export = written(tmp_path, "t,v,i\n" + rows("{n},{v:.3f},{w:.2f}\n", 2 * count) + f"{header}\n" + rows(form, count))
    assert [(table.rows_read, table.quarantine.height) for table in export.tables] == [(2 * count, 0), (count, 0)]
    assert [column.text for column in export.tables[1].columns] == header.split(",")
    assert lines_of(export) == 3 * count + 2


def test_keys_with_numbers_stay_a_preamble(tmp_path: Path) -> None:
    keys = "Style,Standard\nAppend Mode,1\nFill Mode,1\nCapacity,100000\nCount,30\nSeconds,16851\n"
    export = written(tmp_path, keys + "Index,Reading,Unit\n" + rows("{n},{v:.4f},Volt DC\n", SHORT))
    assert [table.rows_read for table in export.tables] == [SHORT]
    assert export.metadata["Capacity"] == "100000"


UNITS = "t,v,i\ns,V,A\n"


@pytest.mark.parametrize(
    ("again", "units", "quarantined"),
    [
        ("t,v,i\nms,mV,mA\n", [["s", "V", "A"], ["ms", "mV", "mA"]], []),
        ("ms,mV,mA\n", [["s", "V", "A"], ["ms", "mV", "mA"]], []),
        ("t,v,i\ns,V,A\n", [["s", "V", "A"]], ["t,v,i", "s,V,A"]),
    ],
)
def test_other_units_below_the_same_names_begin_a_table(
    tmp_path: Path, again: str, units: list[list[str]], quarantined: list[str]
) -> None:
    body = rows("{n},{v:.3f},{w:.2f}\n", SHORT)
    export = written(tmp_path, UNITS + body + again + body)
    assert [[column.units_row for column in table.columns] for table in export.tables] == units
    assert {tuple(column.name for column in table.columns) for table in export.tables} == {("t", "v", "i")}
    assert [text for table in export.tables for text in table.quarantine["text"]] == quarantined
    assert sum(table.frame.collect().height for table in export.tables) == 2 * SHORT
    assert lines_of(export) == 2 * SHORT + 2 + again.count("\n")


def test_more_tables_than_a_person_would_keep_apart_are_refused(tmp_path: Path) -> None:
    text = "".join(f"t{n}a,v{n}a,i{n}a\n" + "1,2.5,3\n" * 8 for n in range(600))
    with pytest.raises(ExportError, match="holds 600 tables one below the other, and an export may have 500"):
        written(tmp_path, text)


BLOCK = (
    "SetupTitle, {title}\nPrimitiveTest, I/V Sweep\nTestParameter, Channel.UnitType, SMU, SMU\n"
    "TestParameter, Measurement.Primary.Count, 6\nDimension1, 6, 6\nDimension2, 1, 1\nDataName, {names}\n"
)


@pytest.mark.parametrize("between", ["", "\n", ",,\n"])
def test_blocks_of_easyexpert_are_tables(tmp_path: Path, between: str) -> None:
    blocks = [("Id-Vd", " Vd, Id"), ("Id-Vg", " Vg, Id, Ig"), ("Id-Vg", " Vg, Id, Ig"), ("C-V", " Freq, Cp")]
    values = {2: "DataValue, {v:.3f}, {w:.4E}\n", 3: "DataValue, {v:.3f}, {w:.4E}, -{w:.4E}\n"}
    text = between.join(
        BLOCK.format(title=title, names=names.lstrip()) + rows(values[len(names.split(","))], 6)
        for title, names in blocks
    )
    export = written(tmp_path, text)
    assert [[column.text for column in table.columns] for table in export.tables] == [
        ["DataName", *names.split(",")] for _, names in blocks
    ]
    assert [table.frame.collect().height for table in export.tables] == [6, 6, 6, 6]
    assert sum(table.quarantine.height for table in export.tables) == 0 or between == ",,\n"
    assert export.metadata["SetupTitle"] == "Id-Vd"
    assert export.metadata["x_4: SetupTitle"] == "C-V"
    assert lines_of(export) == text.count("\n")
    third = export.tables[2].frame.collect()
    assert text.splitlines()[third.get_column("_line")[0] - 1].startswith("DataValue, 4.900")


@pytest.mark.parametrize("title", ["", "Serial: SN00{n}\n"])
@pytest.mark.parametrize("count", [2, 3])
def test_short_blocks_under_other_names_are_tables_of_their_own(tmp_path: Path, title: str, count: int) -> None:
    headers = ["Step,Iout (A)", "Step,Iout (mA)", "Step,Iout (A)", "Step,Vout (V)"]
    values = ["0.5", "510", "0.6", "4.9"]
    text = "".join(
        title.format(n=n) + header + "\n" + "".join(f"{row},{value}\n" for row in range(count))
        for n, (header, value) in enumerate(zip(headers, values, strict=True))
    )
    export = written(tmp_path, text)
    assert [[column.name for column in table.columns] for table in export.tables] == [h.split(",") for h in headers]
    for table, header, value in zip(export.tables, headers, values, strict=True):
        assert table.frame.collect().get_column(header.split(",")[1]).to_list() == [value] * count
    assert lines_of(export) == text.count("\n")
