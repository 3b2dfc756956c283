"""The store as a source: `--from` and `bench.open` take a working copy, snippets and receipts work as on exports."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import bench
from bench.store.keys import keys_of, ranges

from .conftest import Write, asked

Cli = Callable[..., Any]


@pytest.fixture
def filled(here: Cli, inbox: Path, store: Path, write: Write) -> Path:
    """Three exports of one test, the second in millivolts, and one of another; the first is of 2020."""
    old = write("final-2026-10-01.csv")
    os.utime(old, (1_600_000_000, 1_600_000_000))
    write("final-2026-10-02.csv", first=20, scale=1000)
    write("final-2026-10-03.csv", first=40)
    write("soak.csv", first=60, rows=5)
    done = here("ingest", inbox, "--db", store, "--settle", 0)
    assert done.exit_code == 0, done.said
    return store


def test_a_store_opens_as_an_analysis(filled: Path) -> None:
    with bench.open(filled) as analysis:
        assert analysis.tables == ("final", "soak")
        assert analysis.units("final") == {"serial": None, "fixture": None, "vout_v": "V"}
        table = analysis.table("final")
        assert table.columns == ["_row", "_export", "serial", "fixture", "vout_v"]
        assert table["_row"].to_list() == list(range(1, 61))
        assert table["_export"].to_list() == [1] * 20 + [2] * 20 + [3] * 20
        assert 4.9 < float(table["vout_v"].min()) <= float(table["vout_v"].max()) < 5.1  # type: ignore[arg-type]
        assert analysis.guard.outcome == "corrected"
        report = analysis.guard.tables[0]
        assert (report.rows_read, report.rows_kept, report.rows_changed) == (60, 60, 20)
        verdicts = {column.verdict: column for column in report.columns if column.name == "vout_v"}
        assert verdicts.keys() == {"kept", "corrected"}
        assert verdicts["corrected"].reason.endswith("In 1 of 3 exports.")
        assert verdicts["kept"].rows == 40
        assert "Analysis of 4 exports of" in repr(analysis)
    assert not analysis.db.parent.exists()


def test_the_store_is_closed_at_once(filled: Path, here: Cli, inbox: Path, write: Write) -> None:
    with bench.open(filled) as analysis:
        write("final-2026-10-04.csv", first=90)
        assert here("ingest", inbox, "--db", filled, "--settle", 0, "--lock-timeout", 1).exit_code == 0
        with duckdb.connect(filled) as con:
            assert con.execute("SELECT count(*) FROM final").fetchall() == [(80,)]
        assert analysis.table("final").height == 60


def test_snippets_run_on_what_was_chosen(filled: Path) -> None:
    with bench.open(filled, tables=["final"], where="fixture = 'FIX-01' and vout_v > 4.99") as analysis:
        code = (
            "[con.sql('select count(*) from final').fetchone()[0], units, limits['VOUT']['lower'], "
            "con.sql('select path from guard.exports order by export').fetchall()]"
        )
        run = analysis.run(code)
        assert run.status == "ok", run.error
        expected = asked(filled, "SELECT count(*) FROM final WHERE fixture = 'FIX-01' AND vout_v > 4.99")[0][0]
        assert 0 < expected < 20
        assert isinstance(run.value, list)
        assert run.value[:3] == [expected, {"final": {"vout_v": "V"}}, 4.95]
        assert [Path(row[0]).name for row in run.value[3]] == [f"final-2026-10-0{n}.csv" for n in (1, 2, 3)]
        with pytest.raises(bench.UsageError, match="there is no table 'soak'"):
            analysis.table("soak")


def test_since_chooses_by_the_files_own_time(filled: Path) -> None:
    with bench.open(filled, since="2021-01-01") as analysis:
        assert analysis.table("final").height == 40
    with bench.open(filled, since="2020-09-13T12:26:40") as analysis:
        assert analysis.table("final").height == 60
    with pytest.raises(bench.UsageError, match="it holds no export since 2099-01-01"):
        bench.open(filled, since="2099-01-01")
    with pytest.raises(bench.UsageError, match="'last week' is no date"):
        bench.open(filled, since="last week")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("1 = 1) UNION SELECT 1 --", "is not one condition"),
        ("true; DROP TABLE final", "is not one condition"),
        ("", "is not one condition"),
        ("nope > 3", "no condition on the table 'final': it has no column 'nope'"),
        ("fixture = FIX03", "Hint: a text stands in single quotes: 'FIX03'; the columns are serial, fixture, vout_v; "),
        ('"vout" > 3', "Hint: did you mean vout_v; the columns are serial, fixture, vout_v; --tables chooses"),
        ("_station = 'ST-01'", "Hint: _day and _station are columns of Delta tables only; the columns are serial"),
        ("(SELECT count(*) FROM read_csv('/etc/passwd')) > 0", "^--where may read the store's tables and nothing else"),
        ("vout_v > 'high'", "no condition on the table 'final'"),
    ],
)
def test_a_filter_is_one_condition_that_reaches_nothing_else(filled: Path, where: str, said: str) -> None:
    with pytest.raises(bench.BenchError, match=said):
        bench.open(filled, tables=["final"], where=where)


def test_no_more_rows_count_as_changed_than_a_filter_leaves(filled: Path) -> None:
    with bench.open(filled, tables=["final"], where="serial = 'SN-00021'") as analysis:
        (report,) = analysis.table_reports
        assert (report.rows_kept, report.rows_changed) == (analysis.table().height, 1)


def test_a_comment_at_the_end_of_a_filter_hides_nothing(filled: Path) -> None:
    with bench.open(filled, tables=["soak"], where="serial <> 'SN-00060' -- the golden sample") as analysis:
        assert analysis.table().height == 4


def test_the_receipt_names_the_stores_version_and_replays_after_more_has_come(
    here: Cli, filled: Path, inbox: Path, tmp_path: Path, write: Write
) -> None:
    receipt = tmp_path / "receipt.json"
    code = "con.sql('select count(*), avg(vout_v) from final').fetchone()"
    done = here("--from", filled, "--tables", "final", "-c", code, "--receipt", receipt, "--json")
    assert done.exit_code == 0, done.stderr
    assert done.document["export"]["format"] == "store"
    found = json.loads(receipt.read_text())
    assert found["store"]["version"] == done.document["export"]["sha256"]
    assert (found["store"]["keys"], found["store"]["exports"], found["exports"]) == ("1-3", 3, [])
    write("final-2026-10-09.csv", first=90)
    assert here("ingest", inbox, "--db", filled, "--settle", 0).exit_code == 0
    again = here("replay", receipt)
    assert again.exit_code == 0, again.said
    assert again.stdout.startswith("same: ")
    moved = tmp_path / "elsewhere" / "moved.duckdb"
    moved.parent.mkdir()
    filled.rename(moved)
    assert "the store of this receipt is not there any more" in here("replay", receipt).stderr
    assert here("replay", receipt, "--export", moved).exit_code == 0


def test_a_changed_store_is_a_difference(here: Cli, filled: Path, tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"
    code = "con.sql('select count(*) from soak').fetchone()"
    assert here("--from", filled, "--tables", "soak", "-c", code, "--receipt", receipt).exit_code == 0
    with duckdb.connect(filled) as con:
        con.execute("DELETE FROM soak WHERE _row = 2")
    done = here("replay", receipt)
    assert done.exit_code == 1
    assert "content of the table soak" in done.stdout


def test_a_question_is_answered_from_a_store(here: Cli, filled: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    code = 'con.sql("select count(*) from final where vout_v between 4.95 and 5.05").fetchone()[0]'
    script.write_text(json.dumps({"tool": "run_python", "code": code}) + "\n" + json.dumps({"text": "60 pass."}) + "\n")
    done = here("--from", filled, "--ask", "How many pass?", "--model", f"scripted:{script}", "--json")
    assert done.exit_code == 0, done.said
    assert done.document["answer"]["status"] == "traced"


def test_the_table_goes_out_as_a_file(here: Cli, filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "final.csv"
    assert here("--from", filled, "--tables", "final", "--out", out).exit_code == 0
    assert out.read_text().splitlines()[:2] == ["_export,serial,fixture,vout_v", ",,,V"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "s.duckdb", "x.csv"], "exports and --from were both given"),
        (["--from", "s.duckdb", "--board", "b.toml"], "--board belongs to exports"),
        (["--from", "s.duckdb", "--db", "b.duckdb"], "--db belongs to exports"),
        (["--from", "s.duckdb", "--history", "h.duckdb"], "--history belongs to exports"),
        (["x.csv", "--since", "2026-01-01"], "--since chooses from a store"),
        ([], "no export was named"),
        (["--from", "s.duckdb"], "there is no such store"),
    ],
)
def test_options_that_do_not_go_together(here: Cli, arguments: list[str], said: str) -> None:
    done = here(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_other_databases_are_no_stores(here: Cli, inbox: Path, write: Write, tmp_path: Path) -> None:
    bench.analyze(write("a.csv"), db=tmp_path / "one.duckdb").close()
    for command in (("--from",), ("status", "--db")):
        done = here(*command, tmp_path / "one.duckdb")
        assert done.exit_code == 2
        assert "this is the database of one analysis, not a store" in done.stderr
    duckdb.connect(tmp_path / "begun.duckdb").close()  # as a run leaves it that is killed at the very beginning
    with pytest.raises(bench.UsageError, match="it holds no export yet"):
        bench.open(tmp_path / "begun.duckdb")
    with pytest.raises(bench.UsageError, match="this is a folder, not a store"):
        bench.open(tmp_path)


def test_keys_as_text() -> None:
    assert ranges([1, 2, 3, 5, 8, 9]) == "1-3,5,8-9"
    assert keys_of("1-3,5", "export") == "(export BETWEEN 1 AND 3 OR export BETWEEN 5 AND 5)"
    with pytest.raises(bench.UsageError, match="names no exports"):
        keys_of("1; drop", "export")
