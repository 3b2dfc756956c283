"""Once each, all or nothing: what a run adds, skips and fails, and what the store then holds."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import zstandard

import bench
from bench import tables
from bench.store import schema

from .conftest import Write, asked, entries, frame

Cli = Callable[..., Any]


def words(done: Any) -> dict[str, str]:
    return {Path(each["export"]["path"]).name: each["ingest"] for each in entries(done.stdout)}


def test_each_export_is_added_once(ingest: Cli, store: Path, write: Write) -> None:
    write("final-2026-10-01.csv"), write("final-2026-10-02.csv", first=20), write("soak.csv", first=40)
    first = ingest("--json")
    assert first.exit_code == 0, first.stderr
    assert words(first) == dict.fromkeys(["final-2026-10-01.csv", "final-2026-10-02.csv", "soak.csv"], "added")
    again = ingest("--json")
    assert again.exit_code == 0
    assert set(words(again).values()) == {"skipped"}
    assert {each["reason"] for each in entries(again.stdout)} == {"the store holds it"}
    assert asked(store, "SELECT table_name, count(*), sum(rows_kept) FROM guard.exports GROUP BY ALL ORDER BY ALL") == [
        ("final", 2, 40), ("soak", 1, 20),
    ]  # fmt: skip
    assert asked(store, "SELECT count(*), count(DISTINCT serial), count(DISTINCT _export) FROM final") == [(40, 40, 2)]


def test_a_document_is_that_of_a_single_run(ingest: Cli, here: Cli, inbox: Path, write: Write) -> None:
    path = write("final-2026-10-01.csv", scale=1000)
    (entry,) = entries(ingest("--json").stdout)
    alone = here(path, "--json").document
    assert {name: entry[name] for name in alone} == alone
    assert entry["guard"]["outcome"] == "corrected"


def test_the_store_holds_what_a_single_analysis_holds(ingest: Cli, inbox: Path, store: Path, write: Write) -> None:
    paths = [write("final-2026-10-01.csv", scale=1000), write("final-2026-10-02.csv", first=20)]
    ingest()
    for key, path in enumerate(paths, 1):
        with bench.analyze(path) as analysis:
            mine = frame(store, f"SELECT * EXCLUDE (_export) FROM final WHERE _export = {key} ORDER BY _row")
            assert mine.equals(analysis.table())
            for name in ("columns", "units", "corrections", "flags", "limits", "quarantine"):
                extra = [column for column in schema.LEDGER[name] if column in ("export", "source_name")]
                query = f"SELECT * EXCLUDE ({', '.join(extra)}) FROM guard.{name} WHERE export = {key} ORDER BY ALL"
                with tables.open_database(analysis.db) as con:
                    alone = pl.DataFrame(con.sql(f"FROM guard.{name} ORDER BY ALL"))
                assert frame(store, query).equals(alone), name


def test_raw_keeps_the_bytes_and_the_text_of_what_was_changed(ingest: Cli, store: Path, write: Write) -> None:
    path = write("final-2026-10-01.csv", scale=1000)
    ingest()
    raw = tables.raw_path(store)
    ((sha256, size, content),) = asked(raw, 'SELECT sha256, "bytes", content FROM files')
    assert (sha256, size) == (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)
    assert zstandard.ZstdDecompressor().decompressobj().decompress(content) == path.read_bytes()
    assert asked(raw, "SELECT _export, _row, _line, vout_v FROM final LIMIT 1") == [(1, 1, 2, "4960")]


@pytest.mark.parametrize("copy", [shutil.copy, lambda old, new: Path(old).rename(new)], ids=["copied", "renamed"])
def test_the_same_bytes_under_another_name_are_skipped_and_said_so(
    ingest: Cli, store: Path, write: Write, copy: Callable[[Path, Path], object]
) -> None:
    path = write("final-2026-10-01.csv")
    ingest()
    copy(path, path.with_name("other.csv"))
    found = {Path(each["export"]["path"]).name: each for each in entries(ingest("--json").stdout)}
    assert found["other.csv"]["ingest"] == "skipped"
    assert found["other.csv"]["reason"] == f"the store holds it, from {path}"
    assert asked(store, "SELECT count(*) FROM guard.exports") == [(1,)]


def test_copies_in_one_run_are_one_export(ingest: Cli, store: Path, write: Write) -> None:
    path = write("a.csv")
    for name in "bcd":
        shutil.copy(path, path.with_name(f"{name}.csv"))
    found = words(ingest("--json"))
    assert sorted(found.values()) == ["added", "skipped", "skipped", "skipped"]
    assert found["a.csv"] == "added"
    assert asked(store, "SELECT table_name FROM guard.exports") == [("a",)]


def test_an_export_that_got_more_rows_is_another_export(ingest: Cli, store: Path, write: Write) -> None:
    write("a.csv")
    ingest()
    write("a.csv", rows=21)
    assert words(ingest("--json")) == {"a.csv": "added"}
    assert asked(store, "SELECT rows_kept FROM guard.exports ORDER BY export") == [(20,), (21,)]


def test_bad_exports_do_not_stop_the_run_and_are_tried_again_when_they_change(
    ingest: Cli, here: Cli, inbox: Path, store: Path, write: Write
) -> None:
    (inbox / "a-bad.csv").write_bytes(b"\x00\x01\x02")
    (inbox / "b-empty.csv").write_bytes(b"")
    write("c.csv")
    done = ingest("--json")
    assert done.exit_code == 2
    assert words(done) == {"a-bad.csv": "failed", "b-empty.csv": "failed", "c.csv": "added"}
    bad = entries(done.stdout)[0]
    assert (bad["exit_code"], bad["error"]["kind"]) == (2, "export")
    assert "is not text" in bad["error"]["message"]
    again = ingest("--json")
    assert again.exit_code == 0
    assert [each["reason"] for each in entries(again.stdout)][:2] == ["it has not changed since it failed"] * 2
    assert entries(again.stdout)[0]["error"] == bad["error"]
    status = here("status", "--db", store, "--json").document
    assert [Path(each["path"]).name for each in status["failed"]] == ["a-bad.csv", "b-empty.csv"]
    write("a-bad.csv", first=60)
    assert words(ingest("--json"))["a-bad.csv"] == "added"
    assert here("status", "--db", store, "--json").document["counts"]["failed"] == 1


def test_the_summary_is_for_people(ingest: Cli, inbox: Path, store: Path, write: Write) -> None:
    write("c.csv")
    (inbox / "bad.csv").write_bytes(b"\x00\x01\x02")
    done = ingest()
    assert done.stdout.splitlines()[0] == f"{store}: 1 export added with 20 rows, 0 skipped, 1 failed"
    assert f"{inbox / 'bad.csv'}: the file is not text" in done.stdout
    assert "not an export that can be read. Hint: export as text (CSV)" in done.stdout
    assert "failed before and not changed since: 1" in ingest().stdout


def test_status_counts_and_names_the_last_run(ingest: Cli, here: Cli, store: Path, write: Write) -> None:
    write("final-2026-10-01.csv", scale=1000), write("soak.csv", first=40)
    ingest()
    found = here("status", "--db", store, "--json").document
    assert (found["error"], found["exit_code"]) == (None, 0)
    counts = found["counts"]
    assert (counts["exports"], counts["rows_read"], counts["rows_kept"], counts["rows_changed"]) == (2, 40, 40, 20)
    assert counts["outcomes"] == {"clean": 1, "unverified": 0, "corrected": 1, "refused": 0}
    assert found["tables"] == [
        {"name": "final", "exports": 1, "rows": 20, "quarantined": 0},
        {"name": "soak", "exports": 1, "rows": 20, "quarantined": 0},
    ]
    assert (found["last_run"]["added"], found["last_run"]["skipped"], found["last_run"]["failed"]) == (2, 0, 0)
    assert found["alerts"] == []
    text = here("status", "--db", store).stdout
    assert "2 exports: 1 clean, 1 corrected; 40 rows kept, 20 changed, 0 quarantined" in text


def test_status_names_the_columns_that_are_refused(ingest: Cli, here: Cli, store: Path, inbox: Path) -> None:
    (inbox / "odd.csv").write_text("serial,vout_v\n" + "".join(f"SN-{n},{4960 + n}\n" for n in range(9)))
    (inbox / "board.toml").unlink()
    summary = ingest().stdout
    assert f"refused in part: 1 export (bench-analyze status --db {store} lists the columns)" in summary
    found = here("status", "--db", store, "--json").document
    assert found["counts"]["refused_columns"] == 1
    (refused,) = found["refused"]
    assert (refused["table"], refused["column"], refused["segment"]) == ("odd", "vout_v", None)
    text = here("status", "--db", store).stdout
    assert f"refused: 1 column\n  odd.csv: odd.vout_v: {refused['reason']}" in text


def test_the_users_files_are_never_touched(ingest: Cli, inbox: Path, write: Write) -> None:
    write("a.csv"), write("sub/b.csv", first=50)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in inbox.rglob("*") if path.is_file()}
    ingest()
    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in inbox.rglob("*") if path.is_file()}
    assert after == before


def test_the_exports_metadata_stand_in_the_store(ingest: Cli, store: Path, write: Write) -> None:
    path = write("a.csv")
    os.utime(path, (1_600_000_000, 1_600_000_000))
    ingest("--delimiter", "comma")
    ((modified, options, path_there),) = asked(store, "SELECT modified_at::VARCHAR, options, path FROM guard.exports")
    assert modified == "2020-09-13 12:26:40"
    assert json.loads(options)["delimiter"] == ","
    assert path_there == str(path)


def test_a_file_is_no_inbox(here: Cli, store: Path, write: Write) -> None:
    path = write("a.csv")
    done = here("ingest", path, "--db", store)
    assert done.exit_code == 2
    assert f"{path}: this is a file, not the folder that benches write to. Hint: name its folder, " in done.stderr
    assert "or read it alone: bench-analyze a.csv" in done.stderr
    assert not store.exists()


def test_a_store_of_any_name_in_its_inbox_is_no_export(here: Cli, inbox: Path, write: Write) -> None:
    path = write("a.csv")
    for _ in range(2):
        done = here("ingest", inbox, "--db", inbox / "store.db", "--settle", 0, "--json")
        assert [each["export"]["path"] for each in entries(done.stdout)] == [str(path)]


def test_nothing_in_the_inbox_is_no_failure(ingest: Cli, store: Path) -> None:
    done = ingest()
    assert done.exit_code == 0
    assert done.stdout.startswith(f"{store}: 0 exports added")


def test_other_files_are_no_stores(ingest: Cli, here: Cli, tmp_path: Path, store: Path, write: Write) -> None:
    path = write("a.csv")
    bench.analyze(path, db=store).close()
    before = store.read_bytes()
    done = ingest()
    assert done.exit_code == 2
    assert "this is the database of one analysis, not a store" in done.stderr
    assert store.read_bytes() == before
    assert "there is no such store" in here("status", "--db", tmp_path / "none.duckdb").stderr
    text = tmp_path / "text.duckdb"
    text.write_text("minutes of the meeting, which are longer than a header" * 400)
    assert "this is no DuckDB file" in here("status", "--db", text).stderr
    assert not list(tmp_path.glob(".text*")), "no lock is made beside a file that is not ours"
    done = here("ingest", path.parent, "--db", text)
    assert (done.exit_code, "this is no DuckDB file" in done.stderr) == (2, True)


def test_an_inbox_that_is_not_there_is_a_usage_error(here: Cli, tmp_path: Path) -> None:
    done = here("ingest", tmp_path / "none", "--db", tmp_path / "s.duckdb", "--json")
    assert done.exit_code == 2
    assert done.document["error"]["kind"] == "usage"


def test_large_tables_and_bytes_go_by_way_of_the_work_folder(
    ingest: Cli, inbox: Path, store: Path, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    monkeypatch.setattr("bench.store.judging.HELD_ROWS", 10)
    monkeypatch.setattr("bench.store.judging.HELD_BYTES", 10)
    path = write("a.csv", rows=5000, scale=1000)
    ingest()
    with bench.analyze(path) as analysis:
        assert frame(store, "SELECT * EXCLUDE (_export) FROM a ORDER BY _row").equals(analysis.table())
    ((content,),) = asked(tables.raw_path(store), "SELECT content FROM files")
    assert zstandard.ZstdDecompressor().decompressobj().decompress(content) == path.read_bytes()
    assert asked(tables.raw_path(store), "SELECT count(*) FROM a") == [(5000,)]
    assert [each.name for each in store.parent.glob(".store*")] == [".store.duckdb.lock"]


def test_bytes_lie_in_parts_of_bounded_size(
    ingest: Cli, store: Path, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    monkeypatch.setattr(schema, "PART_BYTES", 500)
    for number in range(12):
        write(f"a-{number}.csv", first=number)
    ingest("--table", "a")
    raw = tables.raw_path(store)
    parts = asked(raw, "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'files%'")
    assert len(parts) > 2
    assert asked(raw, "SELECT count(*), count(DISTINCT sha256) FROM files") == [(12, 12)]
    write("a-12.csv", first=100)
    ingest("--table", "a")
    assert asked(raw, "SELECT count(*) FROM files") == [(13,)]


def test_an_analysis_never_replaces_a_store(ingest: Cli, here: Cli, store: Path, write: Write) -> None:
    path = write("a.csv")
    ingest()
    before = store.read_bytes()
    done = here(path, "--db", store)
    assert done.exit_code == 2
    assert "this is a store, which ingest fills; one analysis does not replace it" in done.stderr
    assert store.read_bytes() == before


def test_a_link_to_a_store_is_the_store(ingest: Cli, here: Cli, inbox: Path, store: Path, write: Write) -> None:
    write("a.csv")
    ingest()
    link = store.parent / "elsewhere" / "link.duckdb"
    link.parent.mkdir()
    link.symlink_to(store)
    write("b.csv", first=50)
    assert here("ingest", inbox, "--db", link, "--settle", 0).exit_code == 0
    assert here("status", "--db", link, "--json").document["counts"]["exports"] == 2
    with bench.open(link) as analysis:
        assert analysis.tables == ("a", "b")
    assert list(link.parent.iterdir()) == [link]


def test_a_store_that_was_begun_is_gone_on_with_and_half_a_store_is_refused(
    ingest: Cli, here: Cli, store: Path, write: Write
) -> None:
    write("a.csv")
    duckdb.connect(store).close()
    done = ingest()
    assert done.exit_code == 2
    assert "it was made by another program, in a storage version" in done.stderr
    store.unlink()
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{store}' AS begun (STORAGE_VERSION 'v1.4.0')")
    assert ingest().exit_code == 0
    raw = tables.raw_path(store)
    away = raw.with_name("away")
    raw.rename(away)
    alone = ingest()
    assert alone.exit_code == 2
    assert "its companion store.raw.duckdb, which holds the exports' bytes, is not there" in alone.stderr
    away.rename(raw)
    store.rename(away)
    orphan = ingest()
    assert orphan.exit_code == 2
    assert "it is not there, and its companion holds exports" in orphan.stderr
    assert asked(raw, "SELECT count(*) FROM files") == [(1,)]
    store.unlink()
    away.rename(store)
    assert ingest().exit_code == 0


def test_a_store_from_an_older_backup_than_its_companion_is_told_and_nothing_is_swept(
    ingest: Cli, store: Path, tmp_path: Path, write: Write
) -> None:
    write("a.csv")
    ingest()
    backup = shutil.copy(store, tmp_path / "backup")
    for number in range(2):
        write(f"{number}.csv", first=50 + number * 20)
        ingest()
    shutil.copy(backup, store)
    done = ingest()
    assert done.exit_code == 2
    assert "the two are not of one time" in done.stderr
    assert asked(tables.raw_path(store), "SELECT count(*) FROM files") == [(3,)]
