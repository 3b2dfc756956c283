"""The DuckDB file: what stands in it, how it is put in place, and what is never overwritten."""

from __future__ import annotations

import gc
import hashlib
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import zstandard

import bench
from bench import tables

Cli = Callable[..., Any]
LEDGER = {
    "exports": "sha256 path table_name rows_read rows_kept rows_changed rows_quarantined outcome profile_sha256 "
    "rules_version ingested_at",
    "units": "table_name column_name measurement segment unit verdict",
    "limits": "table_name node lower upper unit",
    "flags": "table_name _row column_name measurement kind detail",
    "quarantine": "table_name _row _line reason text",
    "profile": "sha256 path name text",
}


@pytest.fixture
def database(export: Path, board: Path, tmp_path: Path) -> Path:
    path = tmp_path / "out" / "x.duckdb"
    path.parent.mkdir()
    bench.analyze(export, board=board, db=path).close()
    return path


def rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    with tables.open_database(database) as con:
        return con.execute(query).fetchall()


def test_the_corrected_table_is_typed_and_numbered(database: Path, volts: list[float]) -> None:
    frame = tables.read_table(database, "retest")
    assert frame.schema == {
        "_row": pl.Int64(), "serial": pl.String(), "lot": pl.String(), "measurement": pl.String(),
        "value_v": pl.Float64(), "result": pl.String(),
    }  # fmt: skip
    assert frame["_row"].to_list() == list(range(1, 11))
    assert frame["value_v"].to_list() == volts


def test_a_column_says_its_unit_and_verdict_in_its_comment(database: Path) -> None:
    query = "SELECT column_name, comment FROM duckdb_columns() WHERE database_name = 'analysis'"
    comments = dict(rows(database, query))
    assert comments["value_v"] == "VOUT: unit V, corrected"
    assert comments["serial"] == "unit none, kept"


def test_of_a_very_wide_table_only_what_was_changed_or_refused_has_a_comment(tmp_path: Path) -> None:
    board = tmp_path / "b.toml"
    board.write_text(
        '[board]\nname = "B"\n[nodes.V]\nquantity = "voltage"\nabsolute = ["-0.3 V", "6 V"]\n'
        'expected = ["4.9 V", "5.1 V"]\ncolumns = ["ch1_v", "ch2_v"]\n'
    )
    names = [f"ch{number}_v" for number in range(1, 502)]
    body = "".join(",".join(["4990" if n == 1 else "4.99" for n in range(1, 502)]) + "\n" for _ in range(30))
    path = tmp_path / "wide.csv"
    path.write_text(",".join(names) + "\n" + body)
    with bench.analyze(path, board=board, db=tmp_path / "wide.duckdb") as analysis:
        assert analysis.units("wide")["ch300_v"] == "V"
    query = "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'wide' AND comment IS NOT NULL"
    assert rows(tmp_path / "wide.duckdb", query) == [("ch1_v", "unit V, corrected")]
    told = rows(tmp_path / "wide.duckdb", "SELECT comment FROM duckdb_tables() WHERE table_name = 'wide'")
    assert told[0][0].startswith("501 columns: units and verdicts are in guard.units and guard.columns")


@pytest.mark.parametrize(("table", "columns"), LEDGER.items())
def test_the_ledger_has_the_names_that_others_build_on(database: Path, table: str, columns: str) -> None:
    assert [row[0] for row in rows(database, f"DESCRIBE guard.{table}")] == columns.split()


def test_the_ledger_accounts_for_the_export(database: Path, export: Path, board: Path) -> None:
    found = rows(database, "SELECT * EXCLUDE (ingested_at, rules_version) FROM guard.exports")
    sha256 = hashlib.sha256(export.read_bytes()).hexdigest()
    profile = hashlib.sha256(board.read_bytes()).hexdigest()
    assert found == [(sha256, str(export), "retest", 10, 10, 10, 0, "corrected", profile)]
    correction = "SELECT column_name, measurement, from_unit, to_unit, factor, rows FROM guard.corrections"
    assert rows(database, correction) == [("value_v", "VOUT", "mV", "V", 0.001, 10)]
    assert rows(database, "FROM guard.limits") == [("retest", "VOUT", 4.95, 5.05, "V")]
    assert rows(database, "SELECT name, text FROM guard.profile") == [("SRB-5030", board.read_text())]


def test_raw_holds_the_bytes_and_the_text_of_what_was_changed(database: Path, export: Path) -> None:
    ((encoding, size, content),) = rows(database, 'SELECT encoding, "bytes", content FROM raw.files')
    assert (encoding, size) == ("zstd", export.stat().st_size)
    assert zstandard.ZstdDecompressor().decompressobj().decompress(content) == export.read_bytes()
    assert rows(database, "FROM raw.retest LIMIT 2") == [(1, 2, "4973.5"), (2, 3, "4971.3")]


def test_the_first_file_holds_no_text_that_only_raw_holds(database: Path) -> None:
    assert b"4973.5" not in database.read_bytes()
    assert b"4973.5" in tables.raw_path(database).read_bytes()


def test_macros_are_there_for_host_and_sandbox(database: Path) -> None:
    ((cpk,),) = rows(database, "SELECT cpk(value_v, 4.95, 5.05) FROM retest WHERE result = 'PASS'")
    assert 0 < cpk < 5


def test_the_file_is_in_the_storage_version_that_the_sandbox_reads(database: Path) -> None:
    with tables.open_database(database) as con:
        found = con.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'analysis'").fetchall()
    assert "v1.4" in str(found)


def test_ours_is_replaced_whole(database: Path, tmp_path: Path) -> None:
    other = tmp_path / "soak.csv"
    other.write_text("serial,vin_v\nA,24.0\nB,24.1\n")
    bench.analyze(other, db=database).close()
    assert rows(database, "SELECT table_name FROM guard.exports") == [("soak",)]
    assert rows(database, "SELECT path FROM raw.files") == [(str(other),)]
    assert sorted(path.name for path in database.parent.iterdir()) == ["x.duckdb", "x.raw.duckdb"]


def foreign_text(path: Path) -> None:
    path.write_text("minutes of the meeting\n")


def foreign_database(path: Path) -> None:
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE t (a INTEGER)")


@pytest.mark.parametrize("make", [foreign_text, foreign_database])
@pytest.mark.parametrize("name", ["x.duckdb", "x.raw.duckdb"])
def test_what_is_not_ours_is_never_overwritten(
    here: Cli, export: Path, board: Path, tmp_path: Path, make: Callable[[Path], None], name: str
) -> None:
    foreign = tmp_path / name
    make(foreign)
    before = foreign.read_bytes()
    done = here(export, "--board", board, "--db", tmp_path / "x.duckdb")
    assert done.exit_code == 2
    assert f"{foreign}: exists and was not written by bench-analyze, so it is not overwritten" in done.stderr
    assert foreign.read_bytes() == before
    assert [path.name for path in tmp_path.glob("*x*.duckdb*")] == [name]


def test_a_database_that_another_process_writes_is_left_alone(here: Cli, database: Path, export: Path) -> None:
    wal = database.with_name("x.duckdb.wal")
    wal.write_bytes(b"unfinished")
    done = here(export, "--db", database)
    assert done.exit_code == 2
    assert "another process is writing this database" in done.stderr
    assert wal.read_bytes() == b"unfinished"


@pytest.mark.parametrize("where", ["missing/x.duckdb", "/proc/x.duckdb"])
def test_a_folder_that_cannot_be_written_is_one_message(here: Cli, export: Path, tmp_path: Path, where: str) -> None:
    done = here(export, "--db", tmp_path / where, "--json")
    assert done.exit_code == 2
    assert done.document["error"]["kind"] == "environment"
    assert str(Path(where).parent) in done.document["error"]["file"]
    assert "--db" in done.document["error"]["hint"]


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
from bench.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_disk_that_fills_leaves_nothing_half_written(database: Path, export: Path) -> None:
    """A limit on file size stands for the full disk: a write fails in the middle of the database."""
    before = {path: path.read_bytes() for path in database.parent.iterdir()}
    for target in (database, database.with_name("new.duckdb")):
        command = [sys.executable, "-c", FULL, str(export), "--db", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2, done.stderr
        assert f"{target}: the database could not be written or read: " in done.stderr
        assert "Traceback" not in done.stderr
        assert {path: path.read_bytes() for path in database.parent.iterdir()} == before


KILLED = """
import os, signal, sys
import bench
from bench import building
def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)
building.Build._write_texts = killed
bench.analyze(sys.argv[1], db=sys.argv[2])
"""


def test_a_kill_leaves_the_whole_database_that_was_there(database: Path, export: Path, volts: list[float]) -> None:
    export.write_text(export.read_text() + "SRB5030-2610-0083,L2610A,VOUT,4991.0,PASS\n")
    done = subprocess.run([sys.executable, "-c", KILLED, str(export), str(database)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert tables.read_table(database, "retest")["value_v"].to_list() == volts
    bench.analyze(export, db=database).close()
    assert tables.read_table(database, "retest").height == 11


def test_an_unknown_table_is_an_error_that_lists_the_others(database: Path) -> None:
    with pytest.raises(bench.UsageError, match=r"there is no table 'soak'.*the tables are retest"):
        tables.read_table(database, "soak")


def test_names_need_no_care(tmp_path: Path) -> None:
    export = tmp_path / "select.csv"
    export.write_text('order,a "b",it\'s;,vin_v\nA,1,2,24.0\nB,3,4,24.5\n'.replace('"', ""))
    with bench.analyze(export, db=tmp_path / "it's.duckdb") as analysis:
        assert analysis.table("select").columns == ["_row", "order", "a b", "it's;", "vin_v"]


def test_a_kill_between_the_two_renames_leaves_the_database_with_its_own_raw_file(
    database: Path, export: Path, board: Path, tmp_path: Path
) -> None:
    old = hashlib.sha256(export.read_bytes()).hexdigest()
    other = tmp_path / "other.csv"
    other.write_bytes(export.read_bytes() + b"SRB-0099,A,VOUT,5000.0,PASS\n")
    bench.analyze(other, board=board, db=tmp_path / "new.duckdb").close()
    raw = tables.raw_path(database)
    raw.rename(raw.with_name(f".{raw.name}.before"))
    tables.raw_path(tmp_path / "new.duckdb").rename(raw)
    assert rows(database, "SELECT sha256 FROM raw.files") == [(old,)]
    assert sorted(path.name for path in database.parent.iterdir()) == [database.name, raw.name]


def test_a_kill_after_both_renames_keeps_the_new_pair(database: Path) -> None:
    raw = tables.raw_path(database)
    before = raw.with_name(f".{raw.name}.before")
    before.write_bytes(b"the raw file of the database that was there before")
    assert rows(database, "SELECT count(*) FROM raw.files") == [(1,)]
    assert not before.exists()


def test_what_a_killed_build_left_is_removed_a_day_later(database: Path, export: Path, board: Path) -> None:
    old = database.with_name(f".{database.name}.0011.building")
    young = database.with_name(f".{database.name}.0022.building")
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    bench.analyze(export, board=board, db=database).close()
    assert not old.exists()
    assert young.exists()


def test_duckdb_prints_no_progress_of_its_own_on_stdout(database: Path) -> None:
    assert rows(database, "SELECT current_setting('enable_progress_bar')") == [(False,)]


def test_a_name_that_is_no_utf8_is_kept_spelled_out(here: Cli, tmp_path: Path) -> None:
    export = tmp_path / os.fsdecode(b"caf\xe9.csv")
    export.write_text("serial,vin_v\nA,24.0\nB,24.5\n")
    done = here(export, "--db", tmp_path / "x.duckdb", "--json")
    assert done.exit_code == 0
    assert done.document["export"]["path"].endswith("caf\\udce9.csv")
    for table in ("guard.exports", "raw.files"):
        assert rows(tmp_path / "x.duckdb", f"SELECT path FROM {table}")[0][0].endswith("caf\\udce9.csv")


def test_a_batch_is_let_go_before_the_transaction_ends(tmp_path: Path) -> None:
    con = tables.attached(tmp_path / "x.duckdb")
    con.execute("BEGIN")
    frame = pl.DataFrame({"a": [1, 2]})
    tables.from_stream(con, "CREATE TABLE t AS FROM batch", frame)
    gone = weakref.ref(frame)
    del frame
    gc.collect()
    assert gone() is None
    batch = pl.DataFrame({"a": [3]})  # names of Python's stay out of every other statement
    with pytest.raises(duckdb.CatalogException, match="batch does not exist"):
        con.execute("FROM batch")
    assert batch.height == 1
    con.close()
