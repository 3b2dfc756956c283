"""Tables drawn with pipes and rules: every line is header, row, quarantined, blank or comment."""

from pathlib import Path

import pytest

from bench.export import Export
from bench.readers import read


def rows(form: str, count: int = 12) -> str:
    return "".join(form.format(n=n, v=4.9 + n / 1000, w=n / 100) for n in range(count))


def written(folder: Path, text: str, name: str = "pasted.md") -> Export:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return read(path)


ROWS = rows("| SN{n:02} | {v:.3f} | {w:.2f} |\n")
NAMES = ["Serial", "VOUT (V)", "IOUT (mA)"]
HEAD = "| Serial | VOUT (V) | IOUT (mA) |\n"
BORDER = "+------+-------+------+\n"
# name: (text, line of the first row, lines by kind where not zero)
CASES = {
    "as formatters write it": (HEAD + "|--------|---------:|:----:|\n" + ROWS, 3, {"header": 2, "rows": 12}),
    "short rule": (HEAD + "|---|---|---|\n" + ROWS, 3, {"header": 2, "rows": 12}),
    "shortest rule": (HEAD + "| - | - | - |\n" + ROWS, 3, {"header": 2, "rows": 12}),
    "alignment marks only": (HEAD + "|:-:|:--|--:|\n" + ROWS, 3, {"header": 2, "rows": 12}),
    "no pipes outside": (
        "Serial | VOUT (V) | IOUT (mA)\n---|---|---\n" + rows("SN{n:02} | {v:.3f} | {w:.2f}\n"), 3,
        {"header": 2, "rows": 12},
    ),
    "among text": (
        "# Retest\n\nBoard: SRB-5030\n\n" + HEAD + "|---|---|---|\n" + ROWS + "\nDone, by Ada; more to come.\n", 7,
        {"preamble": 4, "header": 2, "rows": 12, "blank": 1, "comment": 1},
    ),
    "indented": ("  " + HEAD + "  |---|---|---|\n" + ROWS.replace("| SN", "  | SN"), 3, {"header": 2, "rows": 12}),
    "a drawn box": (BORDER + HEAD + BORDER + ROWS + BORDER, 4, {"header": 2, "rows": 12, "comment": 2}),
    "a drawn box of equals signs": (
        BORDER + HEAD + BORDER.replace("-", "=") + ROWS.replace("|\n", "|\n" + BORDER), 4,
        {"header": 2, "rows": 12, "comment": 13},
    ),
    "a query's answer": (
        " Serial | VOUT (V) | IOUT (mA) \n--------+----------+-----------\n"
        + rows(" SN{n:02}   |    {v:.3f} |      {w:.2f}\n") + "(12 rows)\n\n", 3,
        {"header": 2, "rows": 12, "comment": 1, "blank": 1},
    ),
    "carriage returns": ((HEAD + "|---|---|---|\n" + ROWS).replace("\n", "\r\n"), 3, {"header": 2, "rows": 12}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("suffix", ["md", "txt", "csv"])
def test_drawn_table(tmp_path: Path, name: str, suffix: str) -> None:
    text, first, lines = CASES[name]
    export = written(tmp_path, text, f"pasted.{suffix}")
    (table,) = export.tables
    assert [column.name for column in table.columns] == NAMES
    frame = table.frame.collect()
    assert (frame.height, table.rows_read, table.quarantine.height) == (12, 12, 0)
    assert frame.row(0) == (1, first, "SN00", "4.900", "0.00")
    assert frame.row(-1)[2:] == ("SN11", "4.911", "0.11")
    counts = export.dialect["lines"]
    assert isinstance(counts, dict)
    assert {kind: count for kind, count in counts.items() if count} == lines
    assert sum(lines.values()) == text.count("\n")


def test_two_tables_and_what_stands_around_them(tmp_path: Path) -> None:
    text = (
        "Lot: 7\n\n| n | v |\n|---|---|\n| 1 | 2.5 |\n| 2 | 2.6 |\n\nLimits\n\n| name | low |\n|---|---|\n| v | 2 |\n"
    )
    export = written(tmp_path, text)
    first, second = export.tables
    assert (first.name, second.name) == ("pasted", "pasted_2")
    assert first.frame.collect().rows() == [(1, 5, "1", "2.5"), (2, 6, "2", "2.6")]
    assert second.frame.collect().rows() == [(1, 12, "v", "2")]
    assert export.metadata == {"Lot": "7", "line 8": "Limits"}


def test_marks_of_drawing_go_and_ragged_rows_are_quarantined_as_they_stand(tmp_path: Path) -> None:
    text = (
        "| **n** | `v` | note |\n|--|--|--|\n| 1 | **2.5** | a\\|b |\n| 2 | 2.6 |\n| 3 | 2.7 | x | y |\n| 4 | 2.8 | |\n"
    )
    (table,) = written(tmp_path, text).tables
    assert table.frame.collect().rows() == [(1, 3, "1", "2.5", "a|b"), (4, 6, "4", "2.8", None)]
    assert table.quarantine.rows() == [
        (2, 4, "2 fields where the table has 3", "| 2 | 2.6 |"),
        (3, 5, "4 fields where the table has 3", "| 3 | 2.7 | x | y |"),
    ]  # fmt: skip


def test_a_units_row_below_the_rule(tmp_path: Path) -> None:
    (table,) = written(tmp_path, "| t | VOUT |\n|---|---|\n| s | mV |\n" + rows("| {n} | {v} |\n")).tables
    assert [(column.name, column.units_row) for column in table.columns] == [("t", "s"), ("VOUT", "mV")]
    assert table.rows_read == 12


def test_names_that_are_numbers_are_the_header_because_the_rule_says_so(tmp_path: Path) -> None:
    (table,) = written(tmp_path, "| 100 | 200 |\n|---|---|\n| 4.9 | 5.1 |\n| 4.8 | 5.2 |\n").tables
    assert [column.name for column in table.columns] == ["100", "200"]
    assert table.frame.collect().rows() == [(1, 3, "4.9", "5.1"), (2, 4, "4.8", "5.2")]


def test_cells_of_dashes_are_no_rule(tmp_path: Path) -> None:
    export = written(tmp_path, "a|b|c\n1|---|2\n---|---|---\n3|4|5\n", "x.csv")
    assert export.format == "delimited"
    assert export.tables[0].rows_read == 3


def test_a_table_drawn_directly_below_another_is_one_of_its_own(tmp_path: Path) -> None:
    rule = "+--------+-----------+\n"
    tables = [("IOUT (A)", ["0.5"]), ("IOUT (mA)", ["510", "520"]), ("VOUT (V)", ["4.9"])]
    text = "".join(
        f"{rule}| Serial | {name:<9} |\n{rule}"
        + "".join(f"| SN{n}    | {cell:<9} |\n" for n, cell in enumerate(cells))
        + rule
        for name, cells in tables
    )
    path = tmp_path / "x.txt"
    path.write_text(text)
    export = read(path)
    assert [table.columns[1].name for table in export.tables] == [name for name, _ in tables]
    assert [table.frame.collect().to_series(3).to_list() for table in export.tables] == [cells for _, cells in tables]
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert sum(lines.values()) == text.count("\n")
