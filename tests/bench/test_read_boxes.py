"""Tables drawn as boxes, as the consoles of polars, DuckDB, rich, psql, nushell and others print them."""

import io
from pathlib import Path

import duckdb
import polars as pl
import pytest
import rich.box
from rich.console import Console
from rich.table import Table

from bench.export import Export
from bench.readers import read

FRAME = pl.DataFrame(
    {
        "Serial": [f"SN{n:03}" for n in range(40)],
        "VOUT (V)": [4.9 + n / 1000 for n in range(40)],
        "Iout (mA)": [100 + n for n in range(40)],
    }
)
NAMES = ["Serial", "VOUT (V)", "Iout (mA)"]
BOXES = ["ROUNDED", "HEAVY_HEAD", "HEAVY", "DOUBLE", "SQUARE", "DOUBLE_EDGE", "MINIMAL", "MINIMAL_HEAVY_HEAD", "ASCII"]


def written(folder: Path, text: str, encoding: str = "utf-8") -> Export:
    path = folder / "console.txt"
    path.write_text(text, encoding=encoding, newline="")
    export = read(path)
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert sum(lines.values()) == text.count("\n")
    assert (export.format, len(export.tables)) == ("markdown", 1)
    return export


def drawn_by_rich(box: rich.box.Box, *, show_lines: bool = False) -> str:
    table = Table(*NAMES, box=box, title="Retest of lot 7", show_lines=show_lines)
    for serial, volts, amps in FRAME.rows():
        table.add_row(serial, f"{volts:.3f}", str(amps))
    console = Console(file=io.StringIO(), width=100)
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("show_lines", [False, True])
@pytest.mark.parametrize("box", BOXES)
def test_what_rich_prints(tmp_path: Path, box: str, show_lines: bool) -> None:
    export = written(tmp_path, drawn_by_rich(getattr(rich.box, box), show_lines=show_lines))
    (table,) = export.tables
    assert [column.name for column in table.columns] == NAMES
    frame = table.frame.collect()
    assert (frame.height, table.quarantine.height) == (40, 0)
    assert frame.select(NAMES).row(39) == ("SN039", "4.939", "139")
    assert export.metadata == {"line 1": "Retest of lot 7"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("types", [False, True])
def test_what_polars_prints(tmp_path: Path, types: bool, encoding: str) -> None:
    with pl.Config(tbl_rows=10, tbl_hide_column_data_types=types):
        export = written(tmp_path, f"{FRAME}\n", encoding)
    (table,) = export.tables
    assert [column.name for column in table.columns] == NAMES
    frame = table.frame.collect()
    assert frame.get_column("Serial").to_list() == [f"SN{n:03}" for n in (*range(5), *range(35, 40))]
    ((row, _, reason, text),) = table.quarantine.rows()
    assert (row, reason) == (6, "rows are left out here")
    assert set(text) == set("│┆… ")


def test_what_duckdb_prints(tmp_path: Path) -> None:
    query = """select 'SN' || n as "Serial", 4.9 + n / 1000 as "VOUT (V)", 100 + n as "Iout (mA)" from range(12) t(n)"""
    (table,) = written(tmp_path, str(duckdb.connect().sql(query))).tables
    assert [column.name for column in table.columns] == NAMES
    frame = table.frame.collect()
    assert (frame.height, table.quarantine.height) == (12, 0)
    assert frame.get_column("Serial").to_list() == [f"SN{n}" for n in range(12)]


PSQL = "".join(f" SN{n:03}  │ {v:9.3f} │ {a:9}\n" for n, (_, v, a) in enumerate(FRAME.rows()))
GRID = [f"│ SN{n:03}  │ {v:8.3f} │ {a:9} │\n" for n, (_, v, a) in enumerate(FRAME.rows())]
DRAWN = {
    "psql": f" Serial │  VOUT (V) │ Iout (mA)\n────────┼───────────┼───────────\n{PSQL}(40 rows)\n",
    "a fancy grid": "╒════════╤══════════╤═══════════╕\n│ Serial │ VOUT (V) │ Iout (mA) │\n"
    "╞════════╪══════════╪═══════════╡\n" + "├────────┼──────────┼───────────┤\n".join(GRID)
    + "╘════════╧══════════╧═══════════╛\n",
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_other_boxes(tmp_path: Path, name: str) -> None:
    (table,) = written(tmp_path, DRAWN[name]).tables
    assert [column.name for column in table.columns] == NAMES
    frame = table.frame.collect()
    assert (frame.height, table.quarantine.height) == (40, 0)
    assert frame.select(NAMES).row(1) == ("SN001", "4.901", "101")


def test_a_pipe_in_a_cell_of_a_box_is_text(tmp_path: Path) -> None:
    text = "┌────┬──────┐\n│ n  │ note │\n├────┼──────┤\n│ 1  │ a|b  │\n│ 2  │ c    │\n└────┴──────┘\n"
    (table,) = written(tmp_path, text).tables
    assert table.frame.collect().select("n", "note").rows() == [("1", "a|b"), ("2", "c")]
