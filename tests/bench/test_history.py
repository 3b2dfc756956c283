"""`--history`: earlier exports kept in a database of ours are a witness for later ones, and stand in the receipt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bench


def written(path: Path, scale: float, rows: int = 40) -> Path:
    cells = [f"SN-{i:04d},{round((4.95 + i * 0.002) * scale, 6)}" for i in range(rows)]
    path.write_text("\n".join(["serial,aux_v", *cells]) + "\n")
    return path


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    (tmp_path / "b.toml").write_text(
        '[board]\nname = "B"\n[nodes.AUX]\nquantity = "voltage"\nabsolute = ["0 V", "6 V"]\n'
        'expected = ["4.9 V", "5.1 V"]\ncolumns = ["aux_v"]\n'
    )
    export = written(tmp_path / "log-2026-01-01.csv", 1)
    with bench.analyze(export, board=tmp_path / "b.toml", db=tmp_path / "earlier.duckdb") as analysis:
        assert analysis.guard.outcome == "clean"
    (tmp_path / "b.toml").unlink()
    return tmp_path / "earlier.duckdb"


def test_a_later_export_in_millivolts_is_refused_and_the_history_named(earlier: Path, tmp_path: Path, cli) -> None:
    export = written(tmp_path / "log-2026-02-01.csv", 1000)
    done = cli(str(export), "--history", str(earlier), "--json")
    assert done.exit_code == 3
    column = json.loads(done.stdout)["guard"]["tables"][0]["columns"][1]
    assert (column["verdict"], column["proposal"]["unit"]) == ("refused", "mV")
    (said,) = [w["detail"] for w in column["witnesses"] if w["name"] == "history" and w["candidate"] == "V"]
    assert said == "0 of 40 rows fit where 40 earlier values were (4.95078..5.02722 V) as V"


def test_a_later_export_like_the_earlier_ones_is_verified_by_them(earlier: Path, tmp_path: Path) -> None:
    export = written(tmp_path / "log-2026-02-01.csv", 1)
    with bench.analyze(export) as alone:
        assert alone.guard.outcome == "unverified"
    with bench.analyze(export, history=earlier) as analysis:
        assert analysis.guard.outcome == "clean"


def test_a_receipt_holds_what_the_history_said_and_replays_without_it(earlier: Path, tmp_path: Path, cli) -> None:
    export, receipt = written(tmp_path / "log-2026-02-01.csv", 1), tmp_path / "r.json"
    code = "con.sql('select max(aux_v) from log').fetchone()"
    done = cli(str(export), "--history", str(earlier), "-c", code, "--receipt", str(receipt))
    assert done.exit_code == 0, done.stderr
    (past,) = json.loads(receipt.read_text())["exports"][0]["history"]
    assert (past["column"], past["unit"], past["rows"]) == ("aux_v", "V", 40)
    earlier.unlink()
    replayed = cli("replay", str(receipt))
    assert replayed.exit_code == 0, replayed.stdout + replayed.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "there is no such database"), (b"not a database", "this was not written by bench-analyze")],
)
def test_a_history_that_is_none(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "h.duckdb").write_bytes(content)
    with pytest.raises(bench.UsageError, match=message):
        bench.analyze(written(tmp_path / "log.csv", 1), history=tmp_path / "h.duckdb")


def test_measurements_of_a_long_table(tmp_path: Path) -> None:
    def long(path: Path, scale: float) -> Path:
        rows = [
            f"SN-{i},{name},{value}"
            for i in range(30)
            for name, value in (("VOUT", 5 * scale + i / 1e3), ("R", 1e3 + i))
        ]
        path.write_text("\n".join(["serial,measurement,value_v", *rows]) + "\n")
        return path

    (tmp_path / "board.toml").write_text(
        '[board]\nname = "B"\n[nodes.VOUT]\nquantity = "voltage"\nabsolute = ["0 V", "6 V"]\n'
        'expected = ["4.9 V", "5.1 V"]\nmeasurements = ["VOUT"]\n'
    )
    bench.analyze(long(tmp_path / "run.csv", 1), db=tmp_path / "h.duckdb").close()
    (tmp_path / "board.toml").unlink()
    with bench.analyze(long(tmp_path / "run.csv", 1000), history=tmp_path / "h.duckdb") as analysis:
        found = {c.measurement: c for c in analysis.guard.tables[0].columns if c.judged}
    assert found["VOUT"].verdict == "refused"
    assert "30 earlier values" in str([w.detail for w in found["VOUT"].witnesses])


def test_a_store_is_a_history_too(tmp_path: Path, cli) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "board.toml").write_text(
        '[board]\nname = "B"\n[nodes.AUX]\nquantity = "voltage"\nabsolute = ["0 V", "6 V"]\n'
        'expected = ["4.9 V", "5.1 V"]\ncolumns = ["aux_v"]\n'
    )
    for day in (1, 2):
        written(inbox / f"log-2026-01-0{day}.csv", 1, rows=20 + day)
    store = tmp_path / "store.duckdb"
    assert cli("ingest", str(inbox), "--db", str(store)).exit_code == 0
    export = written(tmp_path / "log-2026-02-01.csv", 1000)
    column = cli(str(export), "--history", str(store), "--json").document["guard"]["tables"][0]["columns"][1]
    assert (column["verdict"], column["proposal"]["unit"]) == ("refused", "mV")
    assert any("43 earlier values" in w["detail"] for w in column["witnesses"])
