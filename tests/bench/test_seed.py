"""The example that the project grew from: its true answers, by snippets on its own exports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

import bench
from bench import tables

ROOT = Path(__file__).parents[2]
PROFILE = ROOT / "fixtures" / "srb5030.toml"
RETEST, SOAK = "retest-2026-08-31.csv", "soak-2026-08-27.csv"
SWEEP, PRODUCTION = "characterization-2026-09.csv", "production-run-2026-08.csv"
Cli = Callable[..., Any]

PASSING = """
passed, mean, low, high = con.sql('''
    select count(*), avg(value_v), min(value_v), max(value_v) from retest where result = 'PASS'
''').fetchone()
rows = con.execute("select serial from retest where result = 'FAIL' order by serial").fetchall()
failed = [serial for (serial,) in rows]
lower, upper = limits["VOUT"]["lower"], limits["VOUT"]["upper"]
inside = con.execute("select count(*) from retest where value_v between ? and ?", [lower, upper]).fetchone()[0]
result = [passed, mean, low, high, failed, inside]
"""
SOAK_DROP = """
con.sql('''select serial, 1000 * (arg_min(vout_v, elapsed_min) - arg_max(vout_v, elapsed_min)) as drop_mv
           from soak group by serial order by drop_mv desc''').fetchall()
"""
IMPOSSIBLE = """
con.sql('''select serial, tamb_c, vin_v, iout_a from characterization group by all
           having avg(vout_v * iout_a) > avg(vin_v * iin_a)''').fetchall()
"""
YIELD = """
con.sql('''select count(*) filter (where ok), count(*)
           from (select serial, bool_and(result = 'PASS') as ok from production_run group by serial)''').fetchone()
"""
LOTS = """
con.sql('''select distinct serial, r.lot, p.lot from retest r join production_run p using (serial)
           where r.lot <> p.lot''').fetchall()
"""


def value(done: Any) -> Any:
    (run,) = done.document["runs"]
    assert (run["status"], done.exit_code) == ("ok", 0), (run, done.stderr)
    return run["value"]


def verdicts(done: Any) -> dict[tuple[str, str | None], tuple[str, str | None]]:
    (table,) = done.document["guard"]["tables"]
    judged = [column for column in table["columns"] if column["role"] in ("measured", "setpoint")]
    return {(c["name"], c["measurement"]): (c["verdict"], c["unit"]) for c in judged}


def test_retest_is_corrected_and_its_figures_are_true(here: Cli, seed: Path) -> None:
    done = here(seed / RETEST, "--board", PROFILE, "-c", PASSING, "--json")
    (column,) = [c for c in done.document["guard"]["tables"][0]["columns"] if c["name"] == "value_v"]
    assert (column["verdict"], column["factor"], column["rows"]) == ("corrected", 0.001, 18)
    passed, mean, low, high, failed, inside = value(done)
    assert (passed, inside, low, high) == (15, 15, 4.9678, 5.0077)
    assert mean == pytest.approx(4.984046666666667, rel=1e-12)
    assert failed == ["SRB5030-2608-0052", "SRB5030-2608-0063", "SRB5030-2608-0178"]


def test_retest_raw_is_kept(seed: Path, tmp_path: Path) -> None:
    database = tmp_path / "retest.duckdb"
    bench.analyze(seed / RETEST, board=PROFILE, db=database).close()
    with tables.open_database(database) as con:
        texts = con.execute("SELECT value_v FROM raw.retest").fetchall()
        ((content,),) = con.execute("SELECT content FROM raw.files").fetchall()
    assert ("4973.5",) in texts
    assert zstandard.ZstdDecompressor().decompressobj().decompress(content) == (seed / RETEST).read_bytes()
    assert b"4973.5" not in database.read_bytes()


def as_volts(text: str) -> str:
    head, *lines = text.splitlines()
    rows = [line.split(",") for line in lines]
    return "\n".join([head, *(",".join([*r[:5], f"{float(r[5]) / 1000:.4f}", r[6]]) for r in rows)]) + "\n"


def as_microvolts(text: str) -> str:
    head, *lines = text.splitlines()
    rows = [line.split(",") for line in lines]
    return "\n".join([head, *(",".join([*r[:5], f"{float(r[5]) * 1000:.0f}", r[6]]) for r in rows)]) + "\n"


@pytest.mark.parametrize(
    "rewrite",
    [as_volts, as_microvolts, lambda text: "\ufeff" + text, lambda text: text.replace(",", ";")],
    ids=["volts", "microvolts", "BOM", "semicolons"],
)
def test_retest_written_otherwise_gives_exactly_the_same_values(
    seed: Path, tmp_path: Path, rewrite: Callable[[str], str]
) -> None:
    other = tmp_path / "retest.csv"
    other.write_text(rewrite((seed / RETEST).read_text()), encoding="utf-8")
    with bench.analyze(seed / RETEST, board=PROFILE) as first, bench.analyze(other, board=PROFILE) as second:
        assert second.table("retest").equals(first.table("retest"))
        assert second.guard.outcome == ("clean" if rewrite is as_volts else "corrected")


def test_retest_without_a_board_is_refused_with_the_way_out(here: Cli, seed: Path) -> None:
    done = here(seed / RETEST, "--json")
    (column,) = [c for c in done.document["guard"]["tables"][0]["columns"] if c["name"] == "value_v"]
    assert (column["verdict"], column["proposal"]["unit"], done.exit_code) == ("refused", "mV", 3)
    assert f"bench-analyze {seed / RETEST} --board BOARD.toml" in done.stderr


def test_retest_with_one_true_over_voltage(here: Cli, seed: Path, tmp_path: Path) -> None:
    export = tmp_path / "retest.csv"
    export.write_text(as_volts((seed / RETEST).read_text()).replace(",4.9735,PASS", ",45.0,FAIL"))
    done = here(export, "--board", PROFILE, "--json")
    (column,) = [c for c in done.document["guard"]["tables"][0]["columns"] if c["name"] == "value_v"]
    assert (column["verdict"], column["faults"], column["factor"]) == ("kept", 1, 1.0)
    with bench.analyze(export, board=PROFILE) as analysis:
        assert analysis.table()["value_v"].max() == 45.0


def test_a_refused_column_is_null_warned_about_and_exits_with_3(here: Cli, seed: Path) -> None:
    code = "con.sql('select count(*), count(value_v) from retest').fetchone()"
    done = here(seed / RETEST, "-c", code, "--json")
    (run,) = done.document["runs"]
    assert (run["status"], run["value"], done.exit_code) == ("ok", [18, 0], 3)
    (warning,) = [line for line in run["warnings"] if "refused" in line]
    assert "retest.value_v" in warning
    assert "18 rows" in warning
    assert here(seed / RETEST, "-c", code, "--allow-partial").exit_code == 0
    serials = "con.sql('select count(distinct serial) from retest').fetchone()[0]"
    assert value(here(seed / RETEST, "-c", serials, "--json")) == 18


def test_soak_is_kept_and_the_drop_is_found(here: Cli, seed: Path) -> None:
    done = here(seed / SOAK, "--board", PROFILE, "-c", SOAK_DROP, "--json")
    assert {verdict for verdict, _ in verdicts(done).values()} == {"kept"}
    (worst, drop), *others = value(done)
    assert (worst, drop) == ("SRB5030-2608-0121", pytest.approx(75.5))
    assert all(other < 3 for _, other in others)


def test_characterization_is_kept_and_the_impossible_block_is_found(here: Cli, seed: Path) -> None:
    done = here(seed / SWEEP, "--board", PROFILE, "-c", IMPOSSIBLE, "--json")
    found = verdicts(done)
    assert {found[name, None][0] for name in ("vin_v", "vout_v", "iin_a", "iout_a")} == {"kept"}
    assert value(done) == [["SRB5030-2609-0001", 25.0, 12.0, 3.0]]


def test_production_is_judged_by_measurement_and_its_yield_is_found(here: Cli, seed: Path) -> None:
    done = here(seed / PRODUCTION, "--board", PROFILE, "-c", YIELD, "--json")
    units = {measurement: unit for (name, measurement), (_, unit) in verdicts(done).items() if name == "value"}
    assert units == {
        "R_OUT": "ohm", "IQ_NL": "mA", "VOUT": "V", "LINE_REG": "%", "LOAD_REG": "%", "EFF_FL": "%", "RIPPLE": "mV",
        "I_LIM": "A",
    }  # fmt: skip
    assert {verdict for verdict, _ in verdicts(done).values()} == {"kept"}
    assert value(done) == [184, 200]
    with bench.analyze(seed / PRODUCTION, board=PROFILE) as analysis:
        raw = pl.read_csv(seed / PRODUCTION, infer_schema_length=None)
        assert analysis.table()["value"].to_list() == raw["value"].to_list()


def test_retest_and_production_together_show_the_misfiled_board(here: Cli, seed: Path) -> None:
    done = here(seed / RETEST, seed / PRODUCTION, "--board", PROFILE, "-c", LOTS, "--json")
    assert value(done) == [["SRB5030-2608-0142", "L2608A", "L2608D"]]
