"""The Delta store by itself: what others read in it, versions, what a kill leaves at each step, unusable places."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bench
from bench.store import watching
from bench.store.inbox import look

from .conftest import BOARD, Write, entries

deltalake = pytest.importorskip("deltalake", reason="the extra delta is not installed")
Cli = Callable[..., Any]
# Ends itself, as by SIGKILL, before or after the n-th call that writes to a Delta table.
FALLS = """
import os, signal, sys
from bench.cli import main
from bench.store.delta import writer
number, when = int(sys.argv[1]), sys.argv[2]
calls = 0
def falling(write):
    def called(*arguments, **more):
        global calls
        calls += 1
        if calls == number and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        write(*arguments, **more)
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
    return called
writer.commit_next, writer.append_once = falling(writer.commit_next), falling(writer.append_once)
sys.exit(main(sys.argv[3:]))
"""

# Root may write everything, unless it gives that up (CAP_DAC_OVERRIDE, which is 1) for what it executes.
MORTAL = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-m", "bench", *sys.argv[1:]])
"""


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Where the store will be."""
    return tmp_path / "lake"


@pytest.fixture
def take(here: Cli, inbox: Path, lake: Path) -> Cli:
    """Run `ingest` and return what became of each file."""

    def run(*arguments: object, code: int = 0) -> list[dict[str, Any]]:
        done = here("ingest", inbox, "--db", f"delta:{lake}", "--settle", 0, "--json", *arguments)
        assert done.exit_code == code, done.said
        return entries(done.stdout)

    return run


def test_polars_reads_the_same_rows_and_units_without_us(take: Cli, lake: Path, write: Write) -> None:
    write("final-2026-10-01.csv"), write("final-2026-10-02.csv", first=20, scale=1000)
    take()
    theirs = pl.read_delta(str(lake / "tables" / "final"))
    with bench.open(f"delta:{lake}") as analysis:
        mine = analysis.table()
        units = analysis.units("final")
    keys = ["_export", "_row"]
    rows = theirs.drop("_day", "_station").sort(keys)
    first = pl.col("_row") - pl.when(pl.col("_export") == 2).then(20).otherwise(0)
    assert rows.equals(mine.with_columns(first).sort(keys).select(rows.columns))
    fields = {each.name: each.metadata for each in deltalake.DeltaTable(lake / "tables" / "final").schema().fields}
    assert {name: fields[name]["bench.unit"] or None for name in units} == units
    assert fields["vout_v"]["comment"] == "unit V; corrected, kept"
    ledger = pl.read_delta(str(lake / "guard" / "exports"))
    corrected = ledger.select("path", pl.col("corrections")).explode("corrections").drop_nulls().unnest("corrections")
    assert corrected.select("column_name", "from_unit", "to_unit").rows() == [("vout_v", "mV", "V")]


@pytest.mark.parametrize(
    ("text", "name", "station"),
    [
        ("serial,vout_v\nA,5.01\n", "ST-03/a.csv", "ST-03"),
        ("serial,station,vout_v\nA,ST-07,5.01\n", "ST-03/a.csv", "ST-07"),
        ("serial,vout_v\nA,5.01\n", "a.csv", None),
    ],
    ids=["folder", "column", "none"],
)
def test_rows_lie_by_day_and_station(
    take: Cli, lake: Path, inbox: Path, text: str, name: str, station: str | None
) -> None:
    path = inbox / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    os.utime(path, (1_600_000_000, 1_600_000_000))
    take()
    table = deltalake.DeltaTable(lake / "tables" / "a")
    assert table.metadata().partition_columns == ["_day", "_station"]
    rows = pl.read_delta(str(lake / "tables" / "a"))
    assert rows.select("_day", "_station").rows() == [(date(2020, 9, 13), station)]


def test_a_version_before_gives_the_figures_of_before(
    take: Cli, here: Cli, lake: Path, inbox: Path, write: Write, tmp_path: Path
) -> None:
    write("final-2026-10-01.csv", scale=1000)
    take()
    receipt = tmp_path / "receipt.json"
    code = "con.sql('select sum(vout_v), count(*) from final').fetchone()"
    made = here("--from", f"delta:{lake}", "-c", code, "--receipt", receipt, "--json").document
    versions = json.loads(receipt.read_text())["store"]["delta"]
    assert set(versions) == {"guard/exports", "tables/final"}
    before = pl.read_delta(str(lake / "tables" / "final"), version=versions["tables/final"])["vout_v"].sum()
    for number in range(2, 5):
        write(f"final-2026-10-0{number}.csv", first=number * 20)
        take()
    (inbox / "board.toml").write_text(BOARD.replace('"6 V"', '"9000 V"').replace('"5.1 V"', '"6000 V"'))
    take("--reguard")
    done = here("replay", receipt, "--json").document
    assert done["same"]
    assert done["runs"][0]["value"] == made["runs"][0]["value"] == [pytest.approx(before), 20]
    moved = lake.rename(tmp_path / "moved")
    gone = here("replay", receipt)
    assert gone.exit_code == 2
    assert f"the store of this receipt is not there any more: delta:{lake}. Hint: say where it is now" in gone.stderr
    assert f"bench-analyze replay {receipt} --export delta:NEWPLACE" in gone.stderr
    named = here("replay", receipt, "--export", moved)
    assert f"{moved}: this folder holds a Delta store. Hint: name it as delta:{moved}" in named.stderr
    assert here("replay", receipt, "--export", f"delta:{moved}").exit_code == 0


@pytest.mark.parametrize("again", [False, True], ids=["first", "reguard"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_a_kill_at_each_step_leaves_whole_exports_and_the_next_run_goes_on(
    take: Cli, here: Cli, lake: Path, inbox: Path, write: Write, number: int, when: str, again: bool
) -> None:
    write("final-2026-10-01.csv"), write("final-2026-10-02.csv", first=20, scale=1000)
    write("soak.csv", first=60, scale=1000)
    more = []
    if again:
        take()
        (inbox / "board.toml").write_text(BOARD + "# another\n")
        more = ["--reguard"]
    command = ["ingest", str(inbox), "--db", f"delta:{lake}", "--settle", "0", *more]
    fallen = subprocess.run(
        [sys.executable, "-c", FALLS, str(number), when, *command], capture_output=True, text=True, check=False
    )
    last = 4 if again else 5  # bytes are there already
    if number <= last:
        assert fallen.returncode == -9, fallen.stderr
    try:
        with bench.open(f"delta:{lake}") as analysis:
            for name in analysis.tables:
                counts = analysis.table(name).group_by("_export").len()["len"].unique().to_list()
                assert counts == [20]
            seen = sum(analysis.table(name).height for name in analysis.tables)
            assert seen == 60 if again else seen in (20, 40, 60)
    except bench.UsageError as error:
        assert not again, error  # noqa: PT017 - which of both it is depends on the step
    take(*more)
    with bench.open(f"delta:{lake}") as analysis:
        assert {name: analysis.table(name).height for name in analysis.tables} == {"final": 40, "soak": 20}
        assert {c.verdict for c in analysis.guard.tables[1].columns if c.name == "vout_v"} == {"corrected"}
    for name, height in (("tables/final", 40), ("tables/soak", 20), ("raw/files", 3)):
        rows = pl.read_delta(str(lake / name))
        assert rows.height == height
        assert rows.n_unique() == height
    texts = pl.read_delta(str(lake / "raw" / "texts"))
    assert texts.height == texts.n_unique() == 40 * (2 if again else 1)
    found = here("status", "--db", f"delta:{lake}", "--json").document
    assert (found["counts"]["exports"], found["unfinished"]) == (3, [])


def test_what_a_killed_run_left_half_way_is_told(here: Cli, lake: Path, inbox: Path, write: Write) -> None:
    path = write("final-2026-10-01.csv")
    command = ["ingest", str(inbox), "--db", f"delta:{lake}", "--settle", "0"]
    subprocess.run([sys.executable, "-c", FALLS, "1", "after", *command], capture_output=True, check=False)
    found = here("status", "--db", f"delta:{lake}", "--json").document
    assert (found["counts"]["exports"], found["unfinished"]) == (0, [str(path)])
    assert f"begun and not finished: 1\n  {path}" in here("status", "--db", f"delta:{lake}").stdout
    claimed, rows = (pl.read_delta(str(lake / name)) for name in ("guard/exports", "tables/final"))
    assert claimed.height == 1
    assert claimed.join(rows, left_on="export", right_on="_export", how="semi").height == 0  # as a foreign reader does


def test_what_is_settled_is_not_read_again(take: Cli, here: Cli, lake: Path, inbox: Path, write: Write) -> None:
    for number in range(3):
        write(f"final-2026-10-0{number}.csv", first=number * 20)
        take()
    first, *_ = sorted((lake / "tables" / "final").rglob("*.parquet"), key=lambda path: path.stat().st_mtime_ns)
    first.rename(inbox.parent / "away")
    assert here("status", "--db", f"delta:{lake}", "--json").document["counts"]["exports"] == 3
    assert {each["ingest"] for each in take()} == {"skipped"}
    done = here("--from", f"delta:{lake}", "-c", "1")
    assert done.exit_code == 2
    assert "a file of that version is gone" in done.stderr


def test_many_small_files_become_few_and_versions_stay(take: Cli, lake: Path, write: Write) -> None:
    table = lake / "tables" / "final"
    for number in range(17):
        os.utime(write(f"final-{number}.csv", first=number * 20), (1_600_000_000, 1_600_000_000))
        take("--table", "final")
    found = deltalake.DeltaTable(table)
    assert len(found.file_uris()) <= 3
    assert pl.read_delta(str(table)).height == 340
    assert pl.read_delta(str(table), version=1).height == 20
    with bench.open(f"delta:{lake}") as analysis:
        assert analysis.table().height == 340


def test_no_columns_type_changes_and_nothing_is_lost(take: Cli, lake: Path, inbox: Path) -> None:
    (inbox / "log-2026-01-01.csv").write_text("serial,count,vout_v\n" + "A,1,5\n" * 12)
    take()
    (inbox / "log-2026-01-02.csv").write_text("serial,count,vout_v\n" + "B,1.5,4.98\n" * 12)
    take()
    rows = pl.read_delta(str(lake / "tables" / "log"))
    assert dict(rows.schema)["vout_v"] == pl.Float64
    assert rows.filter(pl.col("serial") == "A").select("count", "count (number)").unique().rows() == [(1, None)]
    assert rows.filter(pl.col("serial") == "B").select("count", "count (number)").unique().rows() == [(None, 1.5)]


@pytest.mark.parametrize(
    ("make", "said", "hint"),
    [
        (lambda lake: lake.write_text("x"), "this is a file, not a folder of Delta tables", "name a folder"),
        (lambda lake: (lake / "photos").mkdir(parents=True), "the folder holds other things and no store", "an empty"),
        (
            lambda lake: pl.DataFrame({"a": [1]}).write_delta(str(lake)),
            "this is one Delta table, not a store", "name the folder that ingest made",
        ),
    ],
    ids=["file", "other", "table"],
)  # fmt: skip
def test_places_that_are_no_store(
    here: Cli, inbox: Path, lake: Path, make: Callable[[Path], object], said: str, hint: str
) -> None:
    make(lake)
    for command in (["ingest", inbox, "--settle", 0, "--db"], ["status", "--db"]):
        done = here(*command, f"delta:{lake}")
        assert done.exit_code == 2
        assert said in done.stderr
        assert hint in done.stderr


@pytest.mark.parametrize("below", ["", "tables", "tables/final/_delta_log"])
@pytest.mark.parametrize("other", [False, True], ids=["into itself", "into another"])
def test_a_store_is_no_inbox(
    here: Cli, take: Cli, lake: Path, write: Write, tmp_path: Path, below: str, other: bool
) -> None:
    write("final.csv")
    take()
    done = here("ingest", lake / below, "--db", tmp_path / "s.duckdb" if other else f"delta:{lake}", "--settle", 0)
    assert done.exit_code == 2
    said = f"this folder lies in the store {lake}" if below else "this is the store itself, not an inbox"
    assert f"{lake / below}: {said}. Hint: name the folder that benches write to" in done.stderr
    assert not (tmp_path / "s.duckdb").exists()


def test_an_inbox_is_not_made_a_store(here: Cli, inbox: Path) -> None:
    (inbox / "board.toml").unlink()
    done = here("ingest", inbox, "--db", f"delta:{inbox}")
    assert done.exit_code == 2
    assert "this is the store itself, not an inbox" in done.stderr
    assert list(inbox.iterdir()) == []


def test_a_store_within_the_inbox_is_passed_over(here: Cli, inbox: Path, write: Write) -> None:
    path = write("a.csv")
    for _ in range(2):
        done = here("ingest", inbox, "--db", f"delta:{inbox / 'lake'}", "--settle", 0, "--json")
        assert done.exit_code == 0, done.said
        assert [each["export"]["path"] for each in entries(done.stdout)] == [str(path)]
    parquet = next((inbox / "lake" / "tables").rglob("*.parquet"))
    assert watching._files(inbox, {path, parquet, inbox / "lake"}) == [look(path)]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("delta:", "delta: names no place"),
        ("delta:nosuch://bucket/lake", "there is no such kind of place"),
        ("delta:/proc/nowhere/lake", "written"),
        ("delta:s3://bucket/lake", "Connection refused"),
    ],
)
def test_places_that_cannot_be_used(
    here: Cli, inbox: Path, write: Write, monkeypatch: pytest.MonkeyPatch, place: str, said: str
) -> None:
    settings = {"ENDPOINT_URL": "http://127.0.0.1:9", "ALLOW_HTTP": "true", "REGION": "us-east-1"}
    for name, value in (settings | {"ACCESS_KEY_ID": "x", "SECRET_ACCESS_KEY": "y"}).items():
        monkeypatch.setenv(f"AWS_{name}", value)
    write("a.csv")
    done = here("ingest", inbox, "--db", place, "--settle", 0)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Hint: " in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("kind", ["Delta:", "deltalake:", "delta-lake:", "DELTA:"])
def test_a_kind_of_store_that_is_misspelt(here: Cli, inbox: Path, lake: Path, kind: str) -> None:
    for command in (["ingest", inbox, "--db"], ["status", "--db"], ["--from"]):
        done = here(*command, f"{kind}{lake}")
        assert done.exit_code == 2
        assert f"{kind!r} names no kind of store. Hint: did you mean delta:{lake}\n" in done.stderr


def test_a_folder_of_a_delta_store_without_its_kind(
    here: Cli, take: Cli, inbox: Path, lake: Path, write: Write
) -> None:
    write("a.csv")
    take()
    for command in (["ingest", inbox, "--db"], ["status", "--db"], ["--from"]):
        done = here(*command, lake)
        assert done.exit_code == 2
        assert f"{lake}: this folder holds a Delta store. Hint: name it as delta:{lake}\n" in done.stderr


def test_rows_are_chosen_by_day_and_station(here: Cli, take: Cli, lake: Path, write: Write, tmp_path: Path) -> None:
    os.utime(write("ST-01/final.csv"), (1_600_000_000, 1_600_000_000))
    write("ST-02/final.csv", first=20), write("final.csv", first=40)
    take()
    place = f"delta:{lake}"
    for where, exports in (("_station = 'ST-02'", {2}), ("_station is null", {3}), ("_day = '2020-09-13'", {1})):
        with bench.open(place, where=where) as analysis:
            table = analysis.table()
            assert table.height == 20
            assert set(table["_export"]) == {1} if exports == {1} else set(table["_export"]) <= {2, 3}
            assert table.columns == ["_row", "_export", "serial", "fixture", "vout_v"]
    receipt = tmp_path / "receipt.json"
    code = "con.sql('select count(*), min(serial) from final').fetchone()"
    assert here("--from", place, "--where", "_station = 'ST-02'", "-c", code, "--receipt", receipt).exit_code == 0
    assert here("replay", receipt, "--json").document["runs"][0]["value"] == [20, "SN-00020"]


def test_a_store_that_may_only_be_read(take: Cli, lake: Path, inbox: Path, write: Write) -> None:
    write("a.csv")
    take()
    write("b.csv", first=50)
    for folder in [lake, *(path for path in lake.rglob("*") if path.is_dir())]:
        folder.chmod(0o555)
    command = [sys.executable, "-c", MORTAL, "ingest", str(inbox), "--db", f"delta:{lake}", "--settle", "0"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        for folder in [lake, *(path for path in lake.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
    assert done.returncode == 2, done.stderr
    said = f"bench-analyze: {lake}: the folder cannot be written: Permission denied. Hint: mend its permissions, "
    assert done.stderr == f"{said}or name another --db\n"


def test_other_writers_that_are_always_faster_are_told(
    here: Cli, take: Cli, lake: Path, inbox: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer commits to the ledger between each look of ours and each commit."""
    writer = pytest.importorskip("bench.store.delta.writer")
    write("a.csv")
    take()
    write("b.csv", first=50)
    commit_next = writer.commit_next
    ledger = lake / "guard" / "exports"

    def second(table: Any, rows: pl.DataFrame) -> None:
        deltalake.write_deltalake(ledger, pl.read_delta(str(ledger)).clear(), mode="append")
        commit_next(table, rows)

    monkeypatch.setattr(writer, "commit_next", second)
    done = here("ingest", inbox, "--db", f"delta:{lake}", "--settle", 0, "--lock-timeout", 1)
    assert done.exit_code == 2
    assert "the store was in use for 1 s (other writers were faster each time" in done.stderr
    assert "or wait longer with --lock-timeout SECONDS" in done.stderr
    monkeypatch.setattr(writer, "commit_next", commit_next)
    assert {each["ingest"] for each in take()} == {"added", "skipped"}


@pytest.mark.parametrize("step", ["texts", "rows"])
def test_an_export_that_cannot_be_written_holds_back_no_other(
    here: Cli, take: Cli, lake: Path, write: Write, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A fault of ours, as polars tells it, while one export's cells are made."""
    writer = pytest.importorskip("bench.store.delta.writer")
    for number, name in enumerate(["a.csv", "b.csv", "c.csv"]):
        write(name, first=number * 20, scale=1000)
    made = getattr(writer, step)

    def falls(*arguments: Any) -> Any:
        if "b" in {getattr(getattr(each, "report", None), "name", "") for each in arguments}:
            return iter(pl.LazyFrame({"x": [1]}).select("x", "x").collect_batches())
        return made(*arguments)

    monkeypatch.setattr(writer, step, falls)
    found = take(code=2)
    assert {Path(each["export"]["path"]).name: each["ingest"] for each in found} == {
        "a.csv": "added", "b.csv": "failed", "c.csv": "added",
    }  # fmt: skip
    (failed,) = [each["error"] for each in found if each["error"]]
    assert failed["message"].startswith("the store cannot take it: ")
    assert "duplicate" in failed["message"]
    assert "credentials" not in failed["hint"]
    monkeypatch.setattr(writer, step, made)
    assert sorted(each["ingest"] for each in take()) == ["added", "skipped", "skipped"]
    with bench.open(f"delta:{lake}") as analysis:
        assert {name: analysis.table(name).height for name in analysis.tables} == dict.fromkeys("abc", 20)
    assert here("status", "--db", f"delta:{lake}", "--json").document["unfinished"] == []


def test_rows_that_do_not_fit_are_not_told_as_a_store_out_of_reach(lake: Path) -> None:
    tables = pytest.importorskip("bench.store.delta.tables")
    said = r"delta:.*: rows and table do not fit each other: Arrow error: .* Hint: please report it; what is committed"
    with pytest.raises(bench.BenchError, match=said), tables.explained(tables.Lake(str(lake))):
        raise deltalake.exceptions.DeltaError("Arrow error: C Data interface error")


def test_a_version_that_was_cleaned_away_is_told(
    take: Cli, here: Cli, lake: Path, inbox: Path, write: Write, tmp_path: Path
) -> None:
    write("a.csv")
    take()
    receipt = tmp_path / "receipt.json"
    assert here("--from", f"delta:{lake}", "-c", "1", "--receipt", receipt).exit_code == 0
    (inbox / "board.toml").write_text(BOARD + "# another\n")
    take("--reguard")
    deltalake.DeltaTable(lake / "tables" / "a").vacuum(0, dry_run=False, enforce_retention_duration=False)
    done = here("replay", receipt)
    assert done.exit_code == 2
    assert "a file of that version is gone, by a vacuum or by hand" in done.stderr
    assert here("--from", f"delta:{lake}", "-c", "1").exit_code == 0


@pytest.mark.parametrize("option", ["--db", "--history"])
def test_a_single_analysis_takes_files(here: Cli, write: Write, lake: Path, option: str) -> None:
    done = here(write("a.csv"), option, f"delta:{lake}")
    assert done.exit_code == 2
    assert f"{option} of an analysis is a DuckDB file. Hint: bench-analyze ingest INBOX --db delta:" in done.stderr
    assert not lake.exists()
    misspelt = here(write("a.csv"), option, "deltalake:lake")
    assert misspelt.exit_code == 2
    assert "'deltalake:' names no kind of store. Hint: did you mean delta:lake" in misspelt.stderr


@pytest.mark.parametrize("package", ["deltalake", "arro3"])
def test_without_the_package_it_is_said(
    here: Cli, take: Cli, inbox: Path, lake: Path, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    package: str,
) -> None:  # fmt: skip
    write("a.csv")
    take()
    place, receipt = f"delta:{lake}", tmp_path / "receipt.json"
    assert here("--from", place, "-c", "1", "--receipt", receipt).exit_code == 0
    for name in [name for name in sys.modules if name.startswith(("bench.store.delta", "deltalake", "arro3"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    for command in (
        ["ingest", inbox, "--db", place],
        ["status", "--db", place],
        ["--from", place],
        ["replay", receipt],
    ):
        done = here(*command)
        assert done.exit_code == 2, command
        assert f"{place}: a Delta store needs the package {package}, which is not installed" in done.stderr
        assert "Hint: pip install 'bench-analyze[delta]'" in done.stderr


def test_a_time_of_an_export_stays_as_it_was_written(take: Cli, lake: Path, inbox: Path) -> None:
    (inbox / "log.csv").write_text("time,vout_v\n2026-10-30 12:00:00,5.01\n2026-10-30 12:00:01,5.02\n")
    take()
    assert pl.read_delta(str(lake / "tables" / "log"))["time"].to_list()[0] == datetime(2026, 10, 30, 12)
    ingested = pl.read_delta(str(lake / "guard" / "exports"))["ingested_at"][0]
    assert ingested.tzinfo is not None
    assert abs((datetime.now(UTC) - ingested).total_seconds()) < 600
