"""A large plain export is loaded by DuckDB itself: what then stands in the file is what the guard alone would write."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import polars as pl
import pytest

import bench
from bench import tables
from bench.building import Build
from bench.export import BeginLoad, PlainText
from bench.readers import ReadOptions, read
from bench.source import WHOLE_BYTES
from guards import ExportColumn, Guarded, expected_kinds, guard, head_of, parse_board

BOARD = """
[board]
name = "B"
[nodes.VOUT]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
expected = ["4.9 V", "5.1 V"]
columns = ["vout_v"]
"""
HEADER = "serial,index,timestamp,vout_v,note"
ROWS = 130_000


def lines(rows: int = ROWS, *, scale: float = 1.0) -> list[str]:
    frame = pl.select(i=pl.int_range(rows)).select(
        pl.format(
            "SN-{},{},2026-10-01T00:00:{}.{},{},a remark that makes the file long enough",
            pl.col("i").cast(pl.String).str.zfill(6), "i", (pl.col("i") % 60).cast(pl.String).str.zfill(2),
            pl.col("i") % 10, ((4.95 + (pl.col("i") * 7919 % 1000) / 10_000) * scale).round(7),
        )
    )  # fmt: skip
    return frame.to_series().to_list()


def written(path: Path, body: list[str]) -> Path:
    path.write_text("\n".join([HEADER, *body]) + "\n")
    assert path.stat().st_size > WHOLE_BYTES
    return path


def by_the_guard_alone(path: Path) -> Guarded:
    raw = read(path, ReadOptions()).tables[0]
    return guard(raw.frame, raw.columns, parse_board(tomllib.loads(BOARD)), table=raw.name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.toml").write_text(BOARD)
    return tmp_path


def stored(path: Path) -> tuple[pl.DataFrame, bench.Analysis]:
    analysis = bench.analyze(path, board=path.with_name("b.toml"), db=path.with_name("x.duckdb"))
    return tables.read_table(path.with_name("x.duckdb"), path.stem), analysis


def loads_at_once(path: Path) -> bool:
    """Return whether DuckDB's own reading of the text is kept, begun while the reader still proved it plain."""
    with Build(path.with_name("y.duckdb")) as build:
        raw = read(path, ReadOptions(), beginning(build)).tables[0]
        assert raw.plain is not None
        if not build.began(raw.plain):
            head = head_of(raw.frame, raw.columns)
            build.begin(raw.plain, head, expected_kinds(head, raw.columns, None))
        return build.loaded(raw.plain, "t", raw.rows_read) is not None


def beginning(build: Build) -> BeginLoad:
    return lambda text, head, columns: build.begin(text, head, expected_kinds(head, columns, None))


def test_bytes_that_are_no_utf8_stop_what_was_begun_and_are_read_as_what_they_are(folder: Path) -> None:
    path = written(folder / "soak.csv", lines())
    with path.open("ab") as file:
        file.write(b"SN-\xb5,130000,2026-10-01T00:00:00.0,4.99,a remark\n")
    frame, analysis = stored(path)
    assert frame.select("serial", "vout_v").tail(1).rows() == [("SN-\u00b5", 4.99)]
    export = read(path)
    alone = guard(export.tables[0].frame, export.tables[0].columns, parse_board(tomllib.loads(BOARD)), table="soak")
    assert frame.equals(alone.corrected.collect(), null_equal=True)
    assert export.dialect["encoding"] == "cp1252"
    assert analysis.guard.tables[0].rows_read == ROWS + 1


def changed(body: list[str], row: int, column: int, text: str) -> list[str]:
    cells = body[row].split(",")
    cells[column] = text
    return [*body[:row], ",".join(cells), *body[row + 1 :]]


@pytest.mark.parametrize(
    ("column", "text", "at_once"),
    [
        (3, "4.99", True), (3, "", True), (3, " 4.99 ", True), (3, "4.99E+00", True), (3, "9.9E+37", True),
        (3, "nan", True), (3, "inf", True), (3, "1e400", True), (3, "-0.0", True), (3, "45.0", True),
        (3, "OL", False), (3, "4_9", False), (3, "4,99"[:1] + "x", False), (3, "4.99V", False), (3, "0x10", False),
        (0, "SN_1", True), (0, "", True), (0, "\u03a9 \u00b5", True), (4, "#", True),
        (2, "2026-10-01T00:00:01.123456", True), (2, "2026-10-01T00:00:01", False), (2, "never", False),
        (2, "0001-01-01T00:00:00.0", False), (2, "0026-10-01T00:00:01.5", False),
        (2, "", True), (1, "1.5", True), (1, "", True), (1, "007", True),
    ],
)  # fmt: skip
def test_one_odd_cell_ends_as_the_guard_alone_would_have_it(
    folder: Path, column: int, text: str, at_once: bool
) -> None:
    path = written(folder / "soak.csv", changed(lines(), 90_000, column, text))
    frame, analysis = stored(path)
    alone = by_the_guard_alone(path)
    assert frame.equals(alone.corrected.collect(), null_equal=True)
    assert analysis.guard.tables[0].columns == alone.report.columns
    assert loads_at_once(path) == at_once


def test_a_plain_table_keeps_types_order_and_row_numbers(folder: Path) -> None:
    path = written(folder / "soak.csv", lines())
    frame, analysis = stored(path)
    assert dict(frame.schema) == {
        "_row": pl.Int64(), "serial": pl.String(), "index": pl.Int64(), "timestamp": pl.Datetime("us"),
        "vout_v": pl.Float64(), "note": pl.String(),
    }  # fmt: skip
    assert frame["_row"].to_list() == list(range(1, ROWS + 1))
    assert frame["serial"].to_list() == [line.split(",")[0] for line in lines()]
    assert frame["vout_v"].to_list() == [float(line.split(",")[3]) for line in lines()]
    assert analysis.guard.outcome == "clean"
    with tables.open_database(folder / "x.duckdb") as con:
        assert con.execute("SELECT count(*) FROM raw.files").fetchall() == [(1,)]
        assert con.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'raw'").fetchall() == [
            ("files",)
        ]


def clock(hours: int, seconds: int) -> str:
    return f"{hours:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def test_days_clocks_and_durations_get_their_types_in_the_loaded_table(folder: Path) -> None:
    body = [
        f"{clock(i // 3600, i)},2026/08/{1 + i // 86400:02},{clock(i // 3600 % 24, i)},{45000 + i % 1000},"
        f"{4.95 + i % 100 / 1000:.3f},a remark that makes the file long enough"
        for i in range(0, 3 * ROWS, 3)
    ]
    path = folder / "soak.csv"
    path.write_text("\n".join(["elapsed,day,time,Date,vout_v,note", *body]) + "\n")
    frame, _ = stored(path)
    alone = by_the_guard_alone(path)
    assert frame.equals(alone.corrected.collect(), null_equal=True)
    assert dict(frame.schema) == {
        "_row": pl.Int64(), "elapsed": pl.Float64(), "day": pl.Date(), "time": pl.Datetime("us"),
        "Date": pl.Date(), "vout_v": pl.Float64(), "note": pl.String(),
    }  # fmt: skip
    assert frame["elapsed"][-1] == 3 * ROWS - 3
    assert loads_at_once(path)


def test_millivolts_under_a_volts_header_are_written_again_and_their_text_is_kept(folder: Path) -> None:
    body = lines(scale=1000)
    frame, analysis = stored(written(folder / "soak.csv", body))
    assert analysis.guard.outcome == "corrected"
    assert frame["vout_v"].to_list() == [float(line.split(",")[3] + "e-3") for line in body]
    with tables.open_database(folder / "x.duckdb") as con:
        texts = [text for (text,) in con.execute("SELECT vout_v FROM raw.soak ORDER BY _row").fetchall()]
    assert texts == [line.split(",")[3] for line in body]


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_ends_and_a_last_line_without_one(folder: Path, ending: str) -> None:
    path = folder / "soak.csv"
    path.write_bytes(ending.join([HEADER, *lines()]).encode())
    frame, _ = stored(path)
    assert frame.height == ROWS
    assert frame["note"].to_list() == ["a remark that makes the file long enough"] * ROWS
    assert loads_at_once(path)


def test_a_name_that_a_database_would_take_for_a_pattern(folder: Path) -> None:
    path = written(folder / "so[a]k?.csv", lines())
    analysis = bench.analyze(path, board=folder / "b.toml")
    assert analysis.table("so_a_k").height == ROWS
    assert not math.isnan(analysis.table("so_a_k")["vout_v"].sum())


@pytest.mark.parametrize(
    ("line", "kept", "quarantined"),
    [("", ROWS, 0), ("SN-1,1,2026-10-01T00:00:00.0,5.0,a remark,", ROWS + 1, 0),
     ("SN-1,1,2026-10-01T00:00:00.0,5.0", ROWS, 1), (HEADER, ROWS, 1), ("SN-1,1,,5.0,", ROWS + 1, 0),
     ('"SN-1",1,2026-10-01T00:00:00.0,5.0,"a, b"', ROWS + 1, 0)],
    ids=["blank line", "empty field too many", "field missing", "header again", "empty last field", "quotes"],
)  # fmt: skip
def test_what_a_database_passes_over_is_seen_by_the_proof(folder: Path, line: str, kept: int, quarantined: int) -> None:
    body = lines()
    path = written(folder / "soak.csv", [*body[:90_000], line, *body[90_000:]])
    frame, analysis = stored(path)
    report = analysis.guard.tables[0]
    alone = by_the_guard_alone(path)
    assert (report.rows_kept, report.rows_quarantined) == (kept, quarantined)
    assert frame.equals(alone.corrected.collect(), null_equal=True)
    counts = analysis.exports[0].export.dialect["lines"]
    assert isinstance(counts, dict)
    assert sum(counts.values()) == len(body) + 2


def test_two_exports_and_a_table_that_is_no_longer_wanted_leave_nothing_behind(folder: Path) -> None:
    paths = [written(folder / "a.csv", lines()), written(folder / "b.csv", changed(lines(), 90_000, 3, "OL"))]
    with bench.analyze(paths, board=folder / "b.toml", db=folder / "x.duckdb") as analysis:
        assert analysis.tables == ("a", "b")
    with tables.open_database(folder / "x.duckdb") as con:
        names = con.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' AND database_name = 'analysis'"
        )
        assert sorted(names.fetchall()) == [("a",), ("b",)]


def test_a_load_that_nobody_waits_for_has_ended_before_anything_else_is_written(folder: Path) -> None:
    path = written(folder / "soak.csv", [*lines()[:90_000], "", *lines()[90_000:]])
    with Build(folder / "y.duckdb") as build:
        begun: list[PlainText] = []

        def begin(text: PlainText, head: pl.DataFrame, columns: Sequence[ExportColumn]) -> Callable[[], int | None]:
            begun.append(text)
            return build.begin(text, head, expected_kinds(head, columns, None))

        export = read(path, ReadOptions(), begin)
        assert export.dialect["path"] == "careful"
        build.keep([export])
        assert [build._loads[text].result.done() for text in begun] == [True]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("the head has what all have", "4973.5"),
        ("one has more digits than 15", "4998.0780599999996456"),
        ("one has more decimals than the others", "4973.123456789"),
        ("one is far smaller", "0.00000000000013"),
        ("one is empty", ""),
        ("one is no reading", "9.9E+37"),
        ("one has an exponent", "4.9735E+03"),
        ("one is a fault", "45000.25"),
    ],
)
def test_a_corrected_table_holds_what_the_text_gives_and_raw_keeps_it(folder: Path, cell: str, text: str) -> None:
    path = written(folder / "soak.csv", changed(lines(scale=1000), 120_000, 3, text))
    frame, analysis = stored(path)
    (report,) = (column for column in analysis.guard.tables[0].columns if column.name == "vout_v")
    assert (report.verdict, report.factor) == ("corrected", 0.001), cell
    assert frame.equals(by_the_guard_alone(path).corrected.collect(), null_equal=True), cell
    with duckdb.connect(analysis.raw_db, read_only=True) as con:
        kept = con.execute("SELECT _row, _line, vout_v FROM soak ORDER BY _row").fetchall()
    wanted = [line.split(",")[3] or None for line in path.read_text().splitlines()[1:]]
    assert kept == [(row, row + 1, cell) for row, cell in enumerate(wanted, 1)]


def test_a_refused_column_is_null_and_raw_keeps_its_text(folder: Path) -> None:
    (folder / "b.toml").write_text('[board]\nname = "B"\n')
    path = written(folder / "soak.csv", lines(scale=1000))
    frame, analysis = stored(path)
    assert analysis.guard.outcome == "refused"
    assert frame["vout_v"].null_count() == ROWS
    with duckdb.connect(analysis.raw_db, read_only=True) as con:
        found = con.execute("SELECT count(*), min(_row), max(_line), min(vout_v) FROM soak").fetchall()
    assert found == [(ROWS, 1, ROWS + 1, "4950.0")]


def test_a_very_wide_export_ends_as_the_guard_alone_would_have_it(folder: Path) -> None:
    names = ["serial", *(f"ch{number}_v" for number in range(1, 251))]
    odd = ["", "nan", "-inf", "9.9E+37", " 4.99 "]
    rows = [
        ",".join(
            [f"SN{row:06}", *(odd[row % 5] if n == 7 else f"{4.95 + (row * n) % 97 / 1000:.5f}" for n in range(1, 251))]
        )
        for row in range(5_000)
    ]
    path = folder / "wide.csv"
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    assert path.stat().st_size > WHOLE_BYTES
    frame, analysis = stored(path)
    alone = by_the_guard_alone(path)
    assert frame.equals(alone.corrected.collect(), null_equal=True)
    assert analysis.guard.tables[0].columns == alone.report.columns
    assert loads_at_once(path)
