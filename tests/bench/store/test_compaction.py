"""Small files of a Delta store become few, and nobody who does it at the same time doubles a row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bench

from .conftest import Write, entries

deltalake = pytest.importorskip("deltalake", reason="the extra delta is not installed")
from bench.store.delta.compaction import MOST_BYTES, SMALL_BYTES, SMALL_FILES, Run, compact, compact_whole, runs  # noqa: E402
from bench.store.delta.tables import Conflict, Lake, append, replace  # noqa: E402

Cli = Callable[..., Any]
NAME = "tables/soak"
FIELDS = {"_export": pl.Int64(), "_row": pl.Int64(), "_station": pl.String(), "v": pl.Float64()}


def lake_of(folder: Path, stations: tuple[str | None, ...] = ("ST-1",), each: int = SMALL_FILES) -> Lake:
    """A table of one small file an export."""
    lake = Lake(str(folder))
    lake.make(NAME, FIELDS, title="soak", partition_by=["_station"])
    for export in range(1, each * len(stations) + 1):
        append(lake.table(NAME), rows(export, stations[export % len(stations)]))
    return lake


def rows(export: int, station: str | None = "ST-1") -> pl.DataFrame:
    return pl.DataFrame(
        {"_export": [export] * 3, "_row": [1, 2, 3], "_station": [station] * 3, "v": [export / 8] * 3}, schema=FIELDS
    )


def told(lake: Lake) -> pl.DataFrame:
    return pl.read_delta(lake.uri(NAME)).sort("_export", "_row")


def count(lake: Lake) -> int:
    return len(deltalake.DeltaTable(lake.uri(NAME)).file_uris())


@pytest.mark.parametrize("stations", [("ST-1",), (None, "it's \\ 50 %/a", "é")], ids=["one", "odd names"])
def test_small_files_of_each_partition_become_one(tmp_path: Path, stations: tuple[str | None, ...]) -> None:
    lake = lake_of(tmp_path, stations)
    before, version = told(lake), lake.table(NAME).version()
    assert count(lake) == SMALL_FILES * len(stations)
    assert compact(lake, NAME, "_export")
    assert count(lake) == len(stations)
    assert told(lake).equals(before)
    assert not compact(lake, NAME, "_export")
    assert pl.read_delta(lake.uri(NAME), version=version).sort("_export", "_row").equals(before)


def test_of_two_that_compact_at_once_one_gives_way(tmp_path: Path) -> None:
    lake, other = lake_of(tmp_path), Lake(str(tmp_path))
    before = told(lake)
    table = other.table(NAME)
    assert compact(lake, NAME, "_export")
    other.table = lambda name: table  # type: ignore[method-assign] # as it was before
    assert not compact(other, NAME, "_export")
    assert told(lake).equals(before)


def test_what_is_appended_meanwhile_stays(tmp_path: Path) -> None:
    lake, other = lake_of(tmp_path), Lake(str(tmp_path))
    table = lake.table(NAME)
    append(other.table(NAME), rows(100))
    lake.table = lambda name: table  # type: ignore[method-assign]
    assert compact(lake, NAME, "_export")
    assert told(other)["_export"].unique().sort().to_list() == [*range(1, SMALL_FILES + 1), 100]
    assert told(other).height == 3 * (SMALL_FILES + 1)


def test_who_appends_after_a_compaction_reads_the_table_anew(tmp_path: Path) -> None:
    lake, other = lake_of(tmp_path), Lake(str(tmp_path))
    stale = other.table(NAME)
    assert compact_whole(lake, NAME)
    append(stale, rows(100))
    assert told(lake).height == 3 * (SMALL_FILES + 1)


def test_a_table_that_was_read_before_is_not_compacted_over_what_took_the_place_of_its_rows(tmp_path: Path) -> None:
    lake, other = lake_of(tmp_path), Lake(str(tmp_path))
    table = lake.table(NAME)
    replace(other.table(NAME), rows(3).with_columns(v=pl.lit(99.0)), "_export = 3")
    lake.table = lambda name: table  # type: ignore[method-assign]
    assert not compact(lake, NAME, "_export")
    assert told(other).filter(pl.col("_export") == 3)["v"].to_list() == [99.0] * 3
    with pytest.raises(Conflict):
        replace(table, rows(3), "_export = 3")


def files(*each: tuple[int, int, int]) -> pl.DataFrame:
    return pl.DataFrame(
        [(*file, "a") for file in each],
        schema=["min._export", "max._export", "size_bytes", "partition._station"],
        orient="row",
    )


def test_large_files_and_few_are_left_alone() -> None:
    small, large = [(n, n, 1000) for n in range(1, SMALL_FILES + 1)], (SMALL_FILES + 1, SMALL_FILES + 9, SMALL_BYTES)
    assert runs(files(*small[1:]), "_export") == []
    station = (("_station", "a"),)
    assert runs(files(*small, large), "_export") == [Run(station, "_export", 1, SMALL_FILES)]
    assert runs(files(*small[:5], (6, 6, SMALL_BYTES), *[(n, n, 10) for n in range(7, 18)]), "_export") == []
    assert runs(files(*small).drop("min._export"), "_export") == []


def test_no_more_is_joined_at_once_than_memory_holds() -> None:
    size = MOST_BYTES // 20 + 1
    assert size < SMALL_BYTES
    found = runs(files(*[(n, n, size) for n in range(45)]), "_export")
    assert [(run.first, run.last) for run in found] == [(0, 19), (20, 39)]


def test_many_runs_leave_few_files_and_every_row_once(here: Cli, inbox: Path, tmp_path: Path, write: Write) -> None:
    place = tmp_path / "lake"
    for number in range(SMALL_FILES + 1):
        write(f"ST-1/{number}/final.csv", first=number * 20)
        done = here("ingest", inbox, "--db", f"delta:{place}", "--settle", 0, "--json")
        assert [entry["ingest"] for entry in entries(done.stdout)].count("added") == 1
    for name in ("guard/exports", "guard/seen", "guard/runs", "tables/final"):
        assert len(deltalake.DeltaTable(place / name).file_uris()) < SMALL_FILES, name
    with bench.open(f"delta:{place}") as analysis:
        rows_ = analysis.table()
    assert (rows_.height, rows_["serial"].n_unique()) == (20 * (SMALL_FILES + 1),) * 2
    found = here("status", "--db", f"delta:{place}", "--json").document
    assert found["counts"]["exports"] == SMALL_FILES + 1
