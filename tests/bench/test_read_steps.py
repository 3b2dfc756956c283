"""A stepped simulation: the runs stand one below the other, each below a line that says what was stepped."""

from pathlib import Path

import pytest

import bench
from bench.readers import read


def run(number: int, said: str, rows: int, *, ends: str = "\n") -> str:
    values = "".join(f"{n * 1e-6:.6e}\t{number + n / 100:.6e}{ends}" for n in range(rows))
    return f"Step Information: {said}{ends}{values}"


STEPPED = "time\tV(out)\n" + "".join(
    run(n, f"R={r}  (Run: {n}/3)", rows) for n, r, rows in ((1, "1K", 5), (2, "2K", 7), (3, "10K", 6))
)


def export_of(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "tran.txt"
    path.write_text(text, encoding=encoding, newline="")
    return path


def test_the_rows_of_each_run_are_told_apart(tmp_path: Path) -> None:
    export = read(export_of(tmp_path, STEPPED))
    (table,) = export.tables
    frame = table.frame.collect()
    assert [column.name for column in table.columns] == ["time", "V(out)", "Run", "Step Information"]
    counted = frame.group_by("Run", "Step Information", maintain_order=True).len()
    assert counted.rows() == [("1", "R=1K", 5), ("2", "R=2K", 7), ("3", "R=10K", 6)]
    assert frame.get_column("_row").to_list() == list(range(1, 19))
    assert frame.get_column("_line").to_list() == [*range(3, 8), *range(9, 16), *range(17, 23)]
    assert (table.rows_read, table.quarantine.height, export.dialect["steps"]) == (18, 0, 3)
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert (lines["header"], lines["rows"], sum(lines.values())) == (4, 18, STEPPED.count("\n"))


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_line_that_is_broken_keeps_its_place(tmp_path: Path, ends: str) -> None:
    text = f"time\tV(out){ends}" + "".join(run(n, f"X={n}.5 Y=2\u00b5 (Step: {n}/2)", 4, ends=ends) for n in (1, 2))
    text = text.replace(f"3.000000e-06\t1.030000e+00{ends}", f"3.000000e-06{ends}")
    (table,) = read(export_of(tmp_path, text, "cp1252")).tables
    assert table.quarantine.select("_row", "_line", "text").rows() == [(4, 6, "3.000000e-06")]
    frame = table.frame.collect()
    assert frame.get_column("_row").to_list() == [1, 2, 3, 5, 6, 7, 8]
    assert frame.get_column("Step Information").unique(maintain_order=True).to_list() == [
        "X=1.5 Y=2\u00b5", "X=2.5 Y=2\u00b5",
    ]  # fmt: skip


def test_names_that_the_table_has_already_are_numbered(tmp_path: Path) -> None:
    (table,) = read(export_of(tmp_path, STEPPED.replace("V(out)", "Run"))).tables
    assert [column.name for column in table.columns] == ["time", "Run", "Run_2", "Step Information"]


@pytest.mark.parametrize(
    "text",
    [
        STEPPED.replace("R=2K  (Run: 2/3)", "R=1K  (Run: 1/3)").replace("  (Run: 1/3)", ""),
        STEPPED.replace("time\tV(out)\n", "time\tV(out)\n0.0\t0.1\n"),
    ],
    ids=["the same again", "a row above the first"],
)
def test_lines_that_are_not_all_such_stay_in_quarantine(tmp_path: Path, text: str) -> None:
    (table,) = read(export_of(tmp_path, text)).tables
    assert [column.name for column in table.columns] == ["time", "V(out)"]
    assert table.quarantine.height == 3


def test_phasors_of_a_stepped_sweep_stay_text(tmp_path: Path) -> None:
    cells = "".join(f"{10**n}.0e+00\t(-{n}.5e-02dB,-{n}.0e+01\u00b0)\n" for n in range(5))
    text = "Freq.\tV(out)\n" + "".join(f"Step Information: C={n}n  (Run: {n}/2)\n{cells}" for n in (1, 2))
    (table,) = read(export_of(tmp_path, text, "cp1252")).tables
    frame = table.frame.collect()
    assert frame.get_column("Run").to_list() == ["1"] * 5 + ["2"] * 5
    assert frame.get_column("V(out)")[1] == "(-1.5e-02dB,-1.0e+01\u00b0)"


def test_what_was_stepped_is_text_to_the_guard(tmp_path: Path) -> None:
    with bench.analyze(export_of(tmp_path, STEPPED)) as analysis:
        found = {column["name"]: column["role"] for column in analysis.guard.to_dict()["tables"][0]["columns"]}
    assert found == {"time": "time", "V(out)": "measured", "Run": "index", "Step Information": "text"}


def blocks(title: str, rows: int = 3) -> str:
    """Return three blocks, each with a title that counts, and the same header below it."""
    body = "\tPt\tT\tVf\n\t#\ts\tV\n" + "".join(f"\t{n}\t{n}.5\t4.9{n}\n" for n in range(rows))
    return "".join(title.format(n=n) + "\n" + body for n in (1, 2, 3))


@pytest.mark.parametrize(
    ("title", "name", "values"),
    [
        ("CURVE{n}\tTABLE\t3", "CURVE", ["1", "2", "3"]), ("Cycle {n}", "Cycle", ["1", "2", "3"]),
        ("Serial: SN00{n}", "Serial", ["SN001", "SN002", "SN003"]),
        ("Serial\tSN00{n}", "Serial", ["SN001", "SN002", "SN003"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("above", ["", "TAG\tCV\n"])
def test_blocks_with_the_header_again_are_told_apart(
    tmp_path: Path, above: str, title: str, name: str, values: list[str]
) -> None:
    text = above + blocks(title)
    export = read(export_of(tmp_path, text))
    (table,) = export.tables
    assert [(c.name, c.units_row) for c in table.columns] == [
        ("column_1", None), ("Pt", "#"), ("T", "s"), ("Vf", "V"), (name, None),
    ]  # fmt: skip
    frame = table.frame.collect()
    assert frame.get_column(name).to_list() == [value for value in values for _ in range(3)]
    assert set(table.quarantine.get_column("reason")) == {"repeats the header"}
    assert (frame.height, table.quarantine.height, table.rows_read) == (9, 4, 13)
    assert sorted([*frame.get_column("_row"), *table.quarantine.get_column("_row")]) == list(range(1, 14))
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert sum(lines.values()) == text.count("\n")


@pytest.mark.parametrize("title", ["Page {n}", "Cycle 1", "{n}", "Error {n}", "Note: door {n}"])
def test_pages_and_titles_that_tell_nothing_give_no_column(tmp_path: Path, title: str) -> None:
    (table,) = read(export_of(tmp_path, blocks(title))).tables
    assert [column.name for column in table.columns] == ["column_1", "Pt", "T", "Vf"]


@pytest.mark.parametrize(
    ("title", "name", "values"),
    [
        ("Cycle {n}", "Cycle", ["1", "2"]), ("Serial: SN00{n}", "Serial", ["SN001", "SN002"]),
        ("Step Information: Temp={n}5", "Step Information", ["Temp=15", "Temp=25"]),
    ],
)  # fmt: skip
def test_titles_below_one_header_are_told_apart(tmp_path: Path, title: str, name: str, values: list[str]) -> None:
    rows = "".join(f"{n}\t4.{n}\t0.{n}\n" for n in range(6))
    text = "Time\tV\tA\n" + "".join(title.format(n=n) + "\n" + rows for n in (1, 2))
    (table,) = read(export_of(tmp_path, text)).tables
    assert table.frame.collect().get_column(name).to_list() == [value for value in values for _ in range(6)]
    assert (table.rows_read, table.quarantine.height) == (12, 0)


@pytest.mark.parametrize(
    ("titles", "name", "values"),
    [
        (("Temp -40", "Temp 85"), "Temp", ["-40", "85"]),
        (("Temp 25.5", "Temp -40.0 C"), "Temp", ["25.5", "-40.0 C"]),
        (("Load 2.5A", "Load 5A"), "Load", ["2.5A", "5A"]),
        (("DUT 12-001", "DUT 13-004"), "DUT", ["12-001", "13-004"]),
        (("Day 2024-03-14", "Day 2024-03-15"), "Day", ["2024-03-14", "2024-03-15"]),
    ],
)
def test_a_title_is_taken_whole(tmp_path: Path, titles: tuple[str, str], name: str, values: list[str]) -> None:
    text = "Time (s),V (V)\n" + "".join(f"{title}\n0,4.1\n1,4.2\n" for title in titles)
    (table,) = read(export_of(tmp_path, text)).tables
    assert table.frame.collect().get_column(name).to_list() == [values[0]] * 2 + [values[1]] * 2


@pytest.mark.parametrize(
    "third", ["Serial: SN003, retest\n", "Rest phase\n"], ids=["more than a serial", "another line"]
)
def test_rows_below_a_line_that_says_something_else_are_nobodys(tmp_path: Path, third: str) -> None:
    titles = ("Serial: SN001\n", "Serial: SN002\n", third)
    text = "Step,V (V),I (A)\n" + "".join(f"{title}1,4.1,0\n2,4.2,0\n" for title in titles)
    (table,) = read(export_of(tmp_path, text)).tables
    assert [column.name for column in table.columns] == ["Step", "V (V)", "I (A)"]
    assert table.quarantine.get_column("text").to_list()[-1] == third.strip()


def test_a_header_without_its_title_is_nobodys(tmp_path: Path) -> None:
    block = "Step,V (V)\n1,4.1\n2,4.2\n"
    (table,) = read(export_of(tmp_path, f"Serial: SN001\n{block}Serial: SN002\n{block}{block}")).tables
    assert [column.name for column in table.columns] == ["Step", "V (V)"]
