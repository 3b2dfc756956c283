"""Rows at the end that sum up the rows above are no readings; statistics that are the table stay it."""

from pathlib import Path

import pytest

from bench.readers import read

ROWS = "Serial,VOUT,IOUT\n" + "".join(f"SN{n},4.9{n},0.1{n}\n" for n in range(9))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("gap", ["", "\n", ",,\n\n"])
def test_summaries_are_quarantined(tmp_path: Path, gap: str, end: str) -> None:
    path = tmp_path / "x.csv"
    text = ROWS + gap + "Min,4.90,0.10\nMax:,4.98,0.18\nStd Dev,0.01,0.02\n"
    path.write_text(text.replace("\n", end), newline="")
    export = read(path)
    table = export.tables[0]
    kept = table.frame.collect()
    assert kept.get_column("Serial").drop_nulls().to_list() == [f"SN{n}" for n in range(9)]
    assert table.quarantine.get_column("reason").to_list() == [
        "sums up the rows above (Min)", "sums up the rows above (Max:)", "sums up the rows above (Std Dev)",
    ]  # fmt: skip
    assert table.quarantine.get_column("text").to_list() == ["Min,4.90,0.10", "Max:,4.98,0.18", "Std Dev,0.01,0.02"]
    assert table.quarantine.get_column("_line").to_list() == [11 + gap.count("\n") + at for at in range(3)]
    assert table.rows_read == kept.height + 3
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert sum(lines.values()) == text.count("\n")


@pytest.mark.parametrize("word", ["Average", "Max", "Obere Grenze"])
def test_one_row_below_serials_is_no_board(tmp_path: Path, word: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(ROWS + f"{word},4.98,0.18\n")
    table = read(path).tables[0]
    assert table.frame.collect().height == 9
    assert table.quarantine["reason"].to_list() == [f"sums up the rows above ({word})"]


def test_limits_below_the_data_are_no_boards(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(ROWS + "Spec Min,4.8,0.0\nSpec Max,5.2,0.5\n")
    table = read(path).tables[0]
    assert (table.frame.collect().height, table.quarantine.height) == (9, 2)


@pytest.mark.parametrize(
    "text",
    [
        ROWS.replace("SN8", "Peak") + "Max,4.98,0.18\n",
        "what,VOUT\nMin,4.9\nMax,5.1\nAvg,5.0\n",
        "test,what,VOUT\nA,Min,4.9\nA,Max,5.1\nB,Min,4.8\nB,Max,5.0\n",
    ],
    ids=["one word", "statistics", "statistics of each test"],
)
def test_other_rows_stay(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    assert read(path).tables[0].frame.collect().height == text.count("\n") - 1
