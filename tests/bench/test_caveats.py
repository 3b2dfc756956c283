"""What is said beside a figure, from what a run read and what the guard found."""

from __future__ import annotations

import pytest

import bench
from bench import caveats
from guards import ColumnReport, TableReport

TABLE = TableReport(
    "Retest",
    rows_kept=18,
    rows_changed=18,
    rows_quarantined=1,
    columns=(
        ColumnReport("serial", "identifier", verdict="kept"),
        ColumnReport("vin_v", "measured", unit="V", verdict="kept", faults=1, sentinels=2),
        ColumnReport("vout_v", "measured", unit="V", verdict="corrected", reason="Values are mV. Divided by 1000."),
        ColumnReport("iin_a", "measured", segment={"fixture": "FIX-01"}, unit="A", verdict="kept"),
        ColumnReport("iin_a", "measured", segment={"fixture": "FIX-03"}, verdict="refused", rows=6, reason="mixed."),
        ColumnReport("tcase_c", "measured", unit="degC", verdict="unverified"),
    ),
)  # fmt: skip
OTHER = TableReport(
    "soak", rows_kept=3, rows_changed=0, columns=(ColumnReport("vin_v", "measured", verdict="refused"),)
)


def read(*columns: str | None, table: str = "retest") -> list[caveats.ReadColumn]:
    return caveats.columns_read([TABLE, OTHER], [{"table": table, "column": column} for column in columns])


def test_reads_meet_reports_whatever_their_letter_case() -> None:
    assert [column.name for column in read("SERIAL", "vin_v")] == ["Retest.serial", "Retest.vin_v"]
    assert read("vin_v", table="elsewhere") == []


def test_a_read_of_unknown_columns_counts_for_all() -> None:
    assert len(read("serial", None)) == len(read("*", "serial")) == len(TABLE.columns)


def test_a_refused_segment_is_named_with_its_missing_rows() -> None:
    refused, quarantine = caveats.warnings(read("iin_a"))
    assert refused == (
        "Retest.iin_a (fixture FIX-03) was refused and is null: 6 rows missing from every figure that uses it (mixed)."
    )
    assert quarantine.startswith("1 row of Retest is in quarantine and in no figure")


def test_an_unverified_column_says_so() -> None:
    (unverified, _) = caveats.warnings(read("tcase_c"))
    assert unverified.startswith("Retest.tcase_c is unverified:")
    assert "(degC)" in unverified


def test_corrections_that_apply_are_those_of_the_columns_read() -> None:
    assert list(caveats.corrections(read("serial", "iin_a"))) == []
    assert list(caveats.corrections(read("vin_v", "vout_v"))) == [
        "Retest.vin_v: 2 overload or sentinel readings cleared to null, "
        "1 value out of range flagged as a fault and kept.",
        "Retest.vout_v: Values are mV. Divided by 1000.",
    ]


@pytest.fixture(scope="module")
def half_refused(tmp_path_factory: pytest.TempPathFactory) -> bench.Analysis:
    export = tmp_path_factory.mktemp("refused") / "r.csv"
    export.write_text("serial,vout_v,note_v\nA1,4990.1,1\nA2,4991.2,2\nA3,4992.4,3\nA4,4993.4,3\n")
    with bench.analyze(export) as analysis:
        verdicts = {column.name: column.verdict for column in analysis.guard.tables[0].columns}
        assert verdicts["vout_v"] == "refused"
        yield analysis


@pytest.mark.parametrize(
    "query",
    [
        "select * from r", "select sum(vout_v) from r", "select count(COLUMNS(*)) from r",
        "select sum(COLUMNS(c -> c like 'vout%')) from r", "from query('select sum(vout_v) from r')",
        "from query('select sum(v' || 'out_v) from r')", "select sum(vout_v) from query_table('r')",
        "from query('select count(*) from r where v' || 'out_v > 5')",
        "create or replace macro m(c) as table from query('select max(' || c || ') from r'); from m('vout_v')",
        "create or replace macro n() as table from query('select count(v' || 'out_v) from r'); from n()",
        "create or replace temp view w as select * from r; select max(vout_v) from w",
        "select max(b) from (select * from r) t(_row, a, b, c)", "summarize r",
        "create or replace temp table c as from r; select avg(vout_v) from c",
    ],
)  # fmt: skip
def test_a_refused_column_is_warned_of_however_sql_names_it(half_refused: bench.Analysis, query: str) -> None:
    run = half_refused.run(f"con.sql({query!r}).fetchall()")
    assert run.status == "ok", run.error
    assert run.warnings[0].startswith("r.vout_v was refused and is null: 4 rows missing from every figure")
    assert "earlier run" not in run.warnings[0]


@pytest.mark.parametrize("query", ["select serial from r", "select count(*) from r", "select max(note_v) from r"])
def test_other_columns_of_the_same_table_are_not_warned_of(half_refused: bench.Analysis, query: str) -> None:
    run = half_refused.run(f"con.sql({query!r}).fetchall()")
    assert "vout_v" not in {read["column"] for read in run.reads}


@pytest.mark.parametrize(
    "code",
    [
        "import bench_sandbox.engine as e; e.Engine.note_reads = lambda *a: None; con.sql('select sum(vout_v) from r')",
        "con._engine._tables.clear(); con.sql('select sum(vout_v) from r').fetchall()",
        "con._engine._bridge.query('select sum(vout_v) from r').to_bytes()",
    ],
)
def test_a_snippet_that_touches_the_account_of_reads_counts_as_reading_everything(
    half_refused: bench.Analysis, code: str
) -> None:
    for run in (half_refused.run(code), half_refused.run("con.sql('select serial from r').fetchall()")):
        assert any(text.startswith("r.vout_v was refused") for text in run.warnings)
        assert {read["column"] for read in run.reads} >= {"serial", "vout_v", "note_v"}
