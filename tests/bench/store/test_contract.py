"""What every store promises, asked of each kind by the same tests: the DuckDB file and Delta tables.

Nothing here looks into a store by other means than a user has: `ingest`, `status`, `--from`, `bench.open`, `replay`.
Kills and two writers at once: a few of each here; the rest with CHAOS_STORE_KILLS=200.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import polars as pl
import pytest

import bench
from bench import tables

from .conftest import BOARD, Write, entries

pytest.importorskip("deltalake", reason="the extra delta is not installed")
Cli = Callable[..., Any]
KILLS = int(os.environ.get("CHAOS_STORE_KILLS", "4"))
ROOT = Path(__file__).parents[3]
EXPORTS = int(os.environ.get("CHAOS_STORE_EXPORTS", "36"))
# A commit after every third export, so that a kill often comes while one is written.
JOB = """
import sys
from bench.cli import main
from bench.store import ingest
ingest._BATCH = 3
if __name__ == "__main__":
    sys.exit(main(["ingest", *sys.argv[1:], "--settle", "0", "--json"]))
"""


@pytest.fixture(params=["duckdb", "delta"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The location of a store that is not there yet."""
    return str(tmp_path / "store.duckdb") if request.param == "duckdb" else f"delta:{tmp_path / 'lake'}"


@pytest.fixture
def take(here: Cli, inbox: Path, place: str) -> Cli:
    """Run `ingest` on the inbox and return what became of each file."""

    def run(*arguments: object, code: int = 0) -> list[dict[str, Any]]:
        done = here("ingest", inbox, "--db", place, "--settle", 0, "--json", *arguments)
        assert done.exit_code == code, done.said
        return entries(done.stdout)

    return run


def told(found: list[dict[str, Any]]) -> dict[str, str]:
    return {Path(each["export"]["path"]).name: each["ingest"] for each in found}


def status(here: Cli, place: str) -> dict[str, Any]:
    found: dict[str, Any] = here("status", "--db", place, "--json").document
    return found


def test_each_export_is_there_once(take: Cli, here: Cli, place: str, write: Write) -> None:
    first = write("final-2026-10-01.csv")
    write("final-2026-10-02.csv", first=20)
    assert told(take()) == dict.fromkeys(["final-2026-10-01.csv", "final-2026-10-02.csv"], "added")
    shutil.copy(first, first.with_name("copy.csv"))
    again = take()
    assert set(told(again).values()) == {"skipped"}
    assert f"the store holds it, from {first}" in {each["reason"] for each in again}
    with bench.open(place) as analysis:
        assert analysis.tables == ("final",)
        table = analysis.table()
        assert (table.height, table["serial"].n_unique(), table["_export"].unique().to_list()) == (40, 40, [1, 2])
        assert table["_row"].to_list() == list(range(1, 41))
    counts = status(here, place)["counts"]
    assert (counts["exports"], counts["versions"], counts["rows_kept"]) == (2, 2, 40)


@pytest.mark.parametrize("scale", [1, 1000], ids=["volts", "millivolts"])
def test_it_holds_what_a_single_analysis_holds(take: Cli, place: str, write: Write, scale: int) -> None:
    path = write("final-2026-10-01.csv", scale=scale)
    take()
    with bench.analyze(path) as alone, bench.open(place) as held:
        same = held.table().drop("_export").cast(dict(alone.table().schema))
        assert same.equals(alone.table())
        assert held.units("final") == alone.units("final")
        assert held.guard.outcome == alone.guard.outcome
        mine, theirs = held.guard.tables[0], alone.guard.tables[0]
        assert (mine.rows_read, mine.rows_kept, mine.rows_changed) == (
            theirs.rows_read, theirs.rows_kept, theirs.rows_changed,
        )  # fmt: skip
        verdict = [[(c.name, c.verdict, c.unit, c.rule, c.rows) for c in each.columns] for each in (mine, theirs)]
        assert verdict[0] == verdict[1]
        code = "con.sql('select column_name, kind, count(*) from guard.flags group by all order by all').fetchall()"
        assert held.run(code).value == alone.run(code).value


def test_a_column_joins_by_name_and_unit_and_loses_nothing(take: Cli, place: str, inbox: Path) -> None:
    exports = {
        "log-2026-01-01.csv": "serial,ripple (mV),vout_v,note\n" + "A,10.5,5,x\n" * 12,
        "log-2026-01-02.csv": "serial,ripple (V),vout_v,note\n" + "B,0.25,4.9871,7\n" * 12,
        "log-2026-01-03.csv": "serial,ripple (mV),vout_v,extra\n" + "C,11.5,5.01,2026-10-30 12:00:00\n" * 12,
    }
    for name, text in exports.items():
        (inbox / name).write_text(text)
        take()
    with bench.open(place) as analysis:
        table = analysis.table("log")
        by = {
            key[0]: rows.select(pl.exclude("_row", "_export")).unique().to_dicts()
            for key, rows in table.group_by("serial")
        }
        cells = {key: {value for each in rows for value in each.values()} for key, rows in by.items()}
        assert {10.5, 5, "x"} <= cells["A"]
        assert {0.25, 4.9871} <= cells["B"]
        assert {11.5, 5.01} <= cells["C"]
        units = analysis.units("log")
        ripple = {unit for name, unit in units.items() if name.startswith("ripple")}
        assert ripple == {"mV", "V"}
        assert units["vout_v"] == "V"


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("code", ["000123", "000124"], ["0.5", "10"]),
        ("Date", ["46265.25"], ["2026-08-31"]),
        ("Stamp", ["2026-08-31 10:00:00"], ["2026-09-01"]),
        ("Date", ["03/04/2026"], ["08/31/2026"]),
        ("Date", ["08/31/2026"], ["03/04/2026"]),
        ("Time", ["08:00:00"], ["0"]),
        ("x", ["0.1", "10"], ["abc"]),
    ],
    ids=["codes and numbers", "times and days", "stamps and days", "either way and a date", "a date and either way",
         "a clock and a number", "numbers and a word"],
)  # fmt: skip
def test_one_run_loses_nothing_of_exports_that_are_read_differently(
    take: Cli, place: str, inbox: Path, tmp_path: Path, name: str, first: list[str], second: list[str]
) -> None:
    alone = []
    for day, cells in enumerate((first, second), 1):
        path = inbox / f"log-2026-08-0{day}.csv"
        path.write_text("\n".join([f"{name},v", *(f"{cell},{day}" for cell in cells)]) + "\n")
        with bench.analyze(path, db=tmp_path / f"{day}.duckdb") as analysis:
            alone += analysis.table()[name].to_list()
    assert set(told(take()).values()) == {"added"}
    with bench.open(place) as analysis:
        table = analysis.table().sort("_export", "_row")
        held = [column for column in table.columns if column.split(" (")[0] == name]
        found = [next(value for value in row if value is not None) for row in table.select(held).rows()]
    assert found == alone
    assert len(held) == 2


def test_columns_may_have_the_names_that_the_store_itself_uses(take: Cli, here: Cli, place: str, inbox: Path) -> None:
    names = ["text", "column_name", "_export", "_row", "_line", "_day", "_station", "table_name"]
    for number, name in enumerate(names):  # a cell that is cleared; one that is not
        (inbox / f"a{number}.csv").write_text(f"serial,{name},vout_v\nA1,1.5,5.0\nA2,9.9E+37,5.01\nA3,2.5,5.02\n")
    (inbox / "board.toml").write_text(BOARD.replace('"vout_v"', '"text", "_export", "_Day"'))
    cells = "".join(f"B{n},{4960 + n % 9 * 10},{4960 + n % 9 * 10},{4.96 + n % 9 / 100}\n" for n in range(12))
    (inbox / "corrected.csv").write_text(f"serial,text (V),_export (V),vout_v\n{cells}")
    cells = "".join(f"C{n},{300 + n % 9},{400 + n % 9}\n" for n in range(12))
    (inbox / "refused.csv").write_text(f"serial,text (V),_Day (V)\n{cells}")
    for _ in range(2):  # the second time into the columns that are there
        found = take("--table", "a")
        assert {each["ingest"] for each in found} == {"added"}
        for path in inbox.glob("*.csv"):
            path.write_text(path.read_text().replace("A1", "D1").replace("B1", "E1").replace("C1", "F1"))
    outcomes = {Path(each["export"]["path"]).stem: each["guard"]["outcome"] for each in found}
    assert (outcomes["corrected"], outcomes["refused"]) == ("corrected", "refused")
    with bench.open(place) as analysis:
        table = analysis.table()
        assert table.height == 2 * (8 * 3 + 24)
        held = table.filter(pl.col("serial").str.starts_with("A")).drop("serial", "vout_v", "_row", "_export")
        values = sorted(float(value) for row in held.rows() for value in row if value is not None)
        assert [value for value in values if value < 9e37] == [1.5] * 8 + [2.5] * 16
        assert table["_export"].n_unique() == 2 * len(found)
    assert here("status", "--db", place).exit_code == 0


def test_a_run_that_makes_a_table_for_each_export_says_what_to_do(
    here: Cli, place: str, inbox: Path, write: Write
) -> None:
    def notes(*more: str, store: str = place) -> str:
        done = here("ingest", inbox, "--db", store, "--settle", 0, *more)
        assert done.exit_code == 0, done.said
        return str(done.stderr)

    for number in range(5):
        write(f"final-1015{number:02d}.csv", first=number * 20)
    assert notes() == ""  # few
    for number in range(5, 11):
        write(f"final-1015{number:02d}.csv", first=number * 20)
    said = notes()
    assert said.startswith(
        "bench-analyze: 6 tables of one export each were made (final_101505, final_101506, final_101507, ...): "
        "a table is named after its file. Hint: where the names carry times or counters, --table NAME puts all"
    )
    for number in range(11, 22):  # more for tables that are there
        write(f"{number}/final-1015{number - 11:02d}.csv", first=number * 20)
    assert notes() == ""
    assert notes("--table", "final", store=f"{place}2") == ""


def test_an_alert_tells_of_a_column_that_was_never_so(take: Cli, here: Cli, place: str, write: Write) -> None:
    write("final-2026-10-01.csv")
    take()
    write("final-2026-10-02.csv", first=20, scale=1000)
    (new,) = [each for each in take("--strict", code=3) if each["ingest"] == "added"]
    message = "final.vout_v was kept in V, and now is corrected from mV to V (factor 0.001)"
    assert [alert["message"] for alert in new["alerts"]] == [message]
    write("final-2026-10-03.csv", first=40, scale=1000)
    take("--strict", code=0)
    assert [alert["message"] for alert in status(here, place)["alerts"]] == [message]


def test_bad_exports_are_listed_and_tried_again_when_they_change(
    take: Cli, here: Cli, place: str, inbox: Path, write: Write
) -> None:
    (inbox / "bad.csv").write_bytes(b"\x00\x01\x02")
    write("good.csv")
    assert told(take(code=2)) == {"bad.csv": "failed", "good.csv": "added"}
    found = status(here, place)
    assert [Path(each["path"]).name for each in found["failed"]] == ["bad.csv"]
    assert found["last_run"]["failed"] == 1
    assert next(each for each in take() if each["ingest"] == "failed")["reason"] == "it has not changed since it failed"
    write("bad.csv", first=50)
    assert told(take()) == {"bad.csv": "added", "good.csv": "skipped"}
    assert status(here, place)["failed"] == []


@pytest.mark.parametrize("what", ["gone", "mended", "moved", "folder gone", "held by another name"])
def test_failures_that_are_no_more_are_not_listed(
    take: Cli, here: Cli, place: str, inbox: Path, write: Write, what: str
) -> None:
    bad = inbox / "sub" / "bad.csv"
    bad.parent.mkdir()
    bad.write_bytes(b"\x00\x01\x02")
    other = inbox / "other.csv"
    other.write_bytes(b"\x00\x01\x03")
    take(code=2)
    assert [Path(each["path"]).name for each in status(here, place)["failed"]] == ["other.csv", "bad.csv"]
    if what in ("gone", "moved"):
        bad.rename(inbox / "sub" / "new.csv") if what == "moved" else bad.unlink()
    elif what == "mended":
        write("sub/bad.csv")
    elif what == "folder gone":
        shutil.rmtree(bad.parent)
    else:
        shutil.copy(write("good.csv"), bad)
    take(code=2 if what == "moved" else 0)
    listed = {Path(each["path"]).name for each in status(here, place)["failed"]}
    assert listed == {"other.csv"} | ({"new.csv"} if what == "moved" else set())
    assert status(here, place)["counts"]["failed"] == len(listed)
    assert f"failed: {len(listed)}\n" in here("status", "--db", place).stdout


def test_a_folder_that_can_be_read_again_is_no_failure(
    take: Cli, here: Cli, place: str, inbox: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("sub/a.csv")
    (inbox / "sub" / "bad.csv").write_bytes(b"\x00\x01\x02")
    take(code=2)
    scandir = os.scandir

    def refused(path: Any) -> Any:
        if not isinstance(path, int) and Path(path).name == "sub":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    take(code=2)
    failed = {Path(each["path"]).name: each["error"]["message"] for each in status(here, place)["failed"]}
    assert set(failed) == {"sub", "bad.csv"}  # below it nobody can look
    assert failed["sub"] == "the folder cannot be read: Permission denied"
    monkeypatch.setattr(os, "scandir", scandir)
    take()
    assert [Path(each["path"]).name for each in status(here, place)["failed"]] == ["bad.csv"]


def test_what_is_judged_again_takes_the_place_of_what_was_and_receipts_replay(
    take: Cli, here: Cli, place: str, inbox: Path, tmp_path: Path, write: Write
) -> None:
    first = write("final-2026-10-01.csv")
    write("final-2026-10-02.csv", first=20, scale=1000)
    take()
    receipt = tmp_path / "receipt.json"
    code = "con.sql('select sum(vout_v), count(vout_v) from final').fetchone()"
    assert here("--from", place, "-c", code, "--receipt", receipt).exit_code == 0
    value = json.loads(receipt.read_text())["runs"][0]["value"]
    assert value[1] == 40
    (inbox / "board.toml").write_text(BOARD.replace('"6 V"', '"6000 V"').replace('"5.1 V"', '"6000 V"'))
    first.rename(tmp_path / "away.csv")  # its bytes come from the store
    assert set(told(take()).values()) == {"skipped"}
    again = take("--reguard", "--board", inbox / "board.toml")
    assert {each["reason"] for each in again} == {
        "judged again, in place of version 1", "judged again, in place of version 2",
    }  # fmt: skip
    with bench.open(place) as analysis:
        table = analysis.table("final")
        assert table.height == 40
        assert table.select("_export").unique().height == 2
        assert table["vout_v"].sum() != pytest.approx(value[0])
    counts = status(here, place)["counts"]
    assert (counts["exports"], counts["versions"], counts["rows_kept"]) == (2, 4, 40)
    done = here("replay", receipt)
    assert done.exit_code == 0, done.said
    assert {each["ingest"] for each in take("--reguard", "--board", inbox / "board.toml")} == {"skipped"}


def test_what_cannot_be_judged_again_is_a_failure(
    take: Cli, inbox: Path, place: str, tmp_path: Path, write: Write
) -> None:
    write("final.csv")
    take()
    (inbox / "final.csv").rename(tmp_path / "away.csv")
    (inbox / "board.toml").write_text("[board\n")
    (entry,) = take("--reguard", code=2)
    assert entry["ingest"] == "failed"
    assert "is not TOML" in entry["error"]["message"]
    with bench.open(place) as analysis:
        assert analysis.table().height == 20


def test_what_is_chosen_by_table_date_and_condition(take: Cli, place: str, write: Write) -> None:
    old = write("final-2026-10-01.csv")
    os.utime(old, (1_600_000_000, 1_600_000_000))
    write("final-2026-10-02.csv", first=20), write("soak.csv", first=60, rows=5)
    take()
    with bench.open(place, tables=["FINAL"], since="2021-01-01", where="fixture = 'FIX-01'") as analysis:
        assert analysis.tables == ("final",)
        table = analysis.table()
        assert table["fixture"].unique().to_list() == ["FIX-01"]
        assert table["serial"].min() == "SN-00022"
    with bench.open(place, since="2020-09-13T12:26:40") as analysis:
        assert analysis.table("final").height == 40
    with pytest.raises(bench.UsageError, match="there is no table 'nope'"):
        bench.open(place, tables=["nope"])
    with pytest.raises(bench.UsageError, match="holds no export since 2099-01-01"):
        bench.open(place, since="2099-01-01")


@pytest.mark.parametrize(
    ("where", "changed"),
    [
        ("fixture = 'FIX-01'", 0),
        ("fixture = 'FIX-02'", 1),
        ("fixture = 'FIX-03' and serial <> 'SRB5030-2610-0203'", 11 + 12),
        ("fixture <> 'FIX-03'", 1),
        ("serial = 'nothing'", 0),
        ("true", 12 + 12 + 1),
    ],
)
def test_rows_changed_are_those_of_the_rows_that_a_condition_chose(
    here: Cli, take: Cli, place: str, inbox: Path, where: str, changed: int
) -> None:
    mixed = (ROOT / "fixtures" / "mixed_fixtures" / "final-test-2026-10-29.csv").read_text()  # FIX-03 is corrected
    (inbox / "final-1.csv").write_text(mixed)
    (inbox / "final-2.csv").write_text(mixed.replace("-2610-", "-2611-").replace(",4.9986,", ",9.9E+37,"))
    take("--board", ROOT / "fixtures" / "srb5030.toml", "--table", "final")
    with bench.open(place, where=where) as analysis:
        assert analysis.guard.tables[0].rows_changed == changed
    assert f" {changed} changed\n" in here("--from", place, "--where", where).stdout


def test_rows_changed_of_a_long_table(take: Cli, place: str, inbox: Path) -> None:
    rows = "".join(f"SN-{n},VOUT,{4960 + n % 9}\nSN-{n},NOTE_CHECK,{4.9 + n / 100:.2f}\n" for n in range(12))
    (inbox / "log.csv").write_text(f"serial,measurement,value_v\n{rows}")
    take()
    for where, changed in (("measurement = 'VOUT'", 12), ("measurement <> 'VOUT'", 0), ("serial = 'SN-3'", 1)):
        with bench.open(place, where=where) as analysis:
            assert analysis.guard.tables[0].rows_changed == changed, where


def test_a_store_that_is_not_there_is_a_usage_error(here: Cli, place: str) -> None:
    for command in (["--from", place], ["status", "--db", place]):
        done = here(*command)
        assert done.exit_code == 2
        assert "there is no such store" in done.stderr
        assert "bench-analyze ingest INBOX --db" in done.stderr


def test_an_empty_inbox_makes_an_empty_store(take: Cli, here: Cli, place: str) -> None:
    assert take() == []
    assert status(here, place)["counts"]["exports"] == 0
    with pytest.raises(bench.UsageError, match="it holds no export"):
        bench.open(place)


@pytest.fixture
def full(inbox: Path, write: Write) -> Path:
    """An inbox of exports of three tests, some in millivolts, some there twice."""
    for number in range(EXPORTS):
        write(f"{'abc'[number % 3]}/{number}/test.csv", first=number * 20, scale=1000 if number % 5 == 0 else 1)
    shutil.copy(inbox / "a" / "0" / "test.csv", inbox / "copy.csv")
    return inbox


class Job:
    """A run in a process of its own; what it says goes into files, which never make it wait."""

    def __init__(self, inbox: Path, place: str, *more: str) -> None:
        self._said = Path(mkdtemp(dir=inbox.parent))
        command = [sys.executable, "-c", JOB, str(inbox), "--db", place, "--board", str(inbox / "board.toml"), *more]
        environment = os.environ | {"BENCH_ANALYZE_DATA": str(inbox.parent / "data")}
        with (self._said / "out").open("w") as out, (self._said / "errors").open("w") as errors:
            self.process = subprocess.Popen(command, stdout=out, stderr=errors, env=environment)

    def goes_on_for(self, seconds: float) -> None:
        """Return some time after the first commit, or when it has ended."""
        for wait_s in chain(repeat(0.02, 1500), [seconds]):
            if wait_s == 0.02 and b'"added"' in (self._said / "out").read_bytes():
                continue
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(wait_s)

    def ended(self) -> str:
        """Wait for its end, and return what it printed."""
        self.process.wait(timeout=300)
        errors = (self._said / "errors").read_text()
        assert "Traceback" not in errors, errors
        return (self._said / "out").read_text()


def whole(place: str) -> int:
    """Assert that what a reader sees now are whole exports, each once; return how many."""
    try:
        with bench.open(place) as analysis:
            table = analysis.table("test")
            with tables.open_database(analysis.db) as con:
                exports = con.execute("SELECT export, sha256 FROM guard.exports").fetchall()
    except bench.UsageError as error:
        if "there is no such store" not in str(error) and "holds no export" not in str(error):
            raise
        return 0
    counts = table.group_by("_export").agg(pl.len(), pl.col("serial").n_unique().alias("serials"))
    assert counts.filter((pl.col("len") != 20) | (pl.col("serials") != 20)).height == 0, counts
    assert table["serial"].n_unique() == table.height
    assert len({sha for _, sha in exports}) == len(exports) == counts.height
    return counts.height


def finish(here: Cli, inbox: Path, place: str) -> None:
    """Run once more, undisturbed, and assert that nothing is lost, doubled, or left half-way."""
    done = here("ingest", inbox, "--db", place, "--settle", 0, "--json", "--board", inbox / "board.toml")
    assert done.exit_code == 0, done.said
    assert len(entries(done.stdout)) == EXPORTS + 1
    assert whole(place) == EXPORTS
    found = status(here, place)
    assert (found["counts"]["exports"], found["counts"]["rows_kept"]) == (EXPORTS, EXPORTS * 20)
    assert found.get("unfinished", []) == []
    with bench.open(place) as analysis:
        assert analysis.guard.tables[0].rows_changed == 20 * len(range(0, EXPORTS, 5))
        values = analysis.table("test")["vout_v"]
        assert (values.null_count(), values.min(), values.max()) == (0, 4.96, 5.04)


def test_two_writers_killed_at_random_moments_lose_and_double_nothing(here: Cli, full: Path, place: str) -> None:
    chance = random.Random(2026)
    for round_ in range(max(1, KILLS // 2)):
        victims = Job(full, place), Job(full, place)
        for victim in victims:
            victim.goes_on_for(chance.uniform(0, 0.4))
            victim.process.send_signal(signal.SIGKILL)
        for victim in victims:
            victim.ended()
        if round_ % 10 == 0:
            whole(place)
    finish(here, full, place)


def test_two_writers_and_a_reader_at_once(here: Cli, full: Path, place: str) -> None:
    jobs = [Job(full, place) for _ in range(2)]
    seen = []
    while any(each.process.poll() is None for each in jobs):
        seen.append(whole(place))
    told_of = [entry["ingest"] for each in jobs for entry in entries(each.ended())]
    assert [each.process.returncode for each in jobs] == [0, 0]
    assert (told_of.count("added"), len(told_of)) == (EXPORTS, 2 * (EXPORTS + 1))
    assert set(told_of) == {"added", "skipped"}
    assert seen == sorted(seen)
    finish(here, full, place)
