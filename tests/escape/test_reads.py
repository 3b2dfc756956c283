"""Ways to read a refused column without being told of: each read is in the run's `reads`, or a warning would not come."""

# ruff: noqa: E501 (a snippet in one line reads better than one cut in pieces)
from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from runner import Image, Sandbox

SECRET = "Vin (mV)"  # a header as exports have them: no plain name
ALL = {"serial", "value_v", SECRET, "5V_rail"}


@pytest.fixture(scope="module")
def reader(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    path = tmp_path_factory.mktemp("database") / "read.duckdb"
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{path}' AS made (STORAGE_VERSION 'v1.4.0')")
        con.execute(
            f'CREATE TABLE made."2026 run" AS SELECT range AS serial, 4.98 AS value_v, 1.5 AS "{SECRET}", 5.1 AS "5V_rail" FROM range(3)'
        )
    with Sandbox(path, image=image) as sandbox:
        yield sandbox


VIEW = 'create or replace temp view seen as from "2026 run"'
HIDDEN = {
    "a star with a parameter": ("con.execute('select * from \"2026 run\" where serial = ?', [1]).fetchall()", ALL),
    "a star with a named parameter": ("con.execute('select * from \"2026 run\" where serial = $a', {'a': 1}).fetchall()", ALL),
    "a view with a parameter": (f"con.execute({VIEW!r})\ncon.execute('select serial from seen where serial = ?', [1]).fetchall()", {"serial"}),
    "a parameter that folds the filter away": (f"con.execute({VIEW!r})\nfor x in (False, True): con.execute('select * from seen where ?', [x]).fetchall()", ALL),
    "a view made anew": ("con.execute('create or replace temp view v as select serial from \"2026 run\"')\ncon.sql('from v').fetchall()\n"
                         "con.execute('create or replace temp view v as from \"2026 run\"')\ncon.sql('from v').fetchall()", ALL),
    "a macro made anew": ("con.execute('create or replace temp macro m() as (select max(serial) from \"2026 run\")')\ncon.sql('select m()').fetchall()\n"
                          f"con.execute({VIEW!r})\ncon.execute('create or replace temp macro m() as (select max(columns(*)) from (select \"5V_rail\" from seen))')\ncon.sql('select m()').fetchall()", {"serial", "5V_rail"}),
    "a statement prepared anew": (f"con.execute({VIEW!r})\ncon.execute('prepare p as select serial from seen')\ncon.execute('execute p').fetchall()\n"
                                  "con.execute('deallocate p')\ncon.execute('prepare p as from seen')\ncon.execute('execute p').fetchall()", ALL),
    "another search path": ("con.execute('create or replace temp table t as select 1 as serial')\ncon.sql('from t').fetchall()\n"
                            f"con.execute('drop table t')\ncon.execute({VIEW.replace('seen', 't')!r})\ncon.sql('from t').fetchall()\ncon.execute('drop view t')", ALL),
    "a filter on a name with a space": (f"con.execute({VIEW!r})\ncon.sql('select count(*) from seen where \"{SECRET}\" > 1').fetchall()", {SECRET}),
    "a filter on a name with a digit first": (f"con.execute({VIEW!r})\ncon.sql('select count(*) from seen where \"5V_rail\" > 1').fetchall()", {"5V_rail"}),
    "a filter for null": (f"con.execute({VIEW!r})\ncon.sql('select count(*) from seen where \"{SECRET}\" is null').fetchall()", {SECRET}),
    "extremes in the storage": ("con.sql(\"select stats from pragma_storage_info('2026 run')\").fetchall()", ALL),
    "extremes by a pragma": ("con.execute(\"pragma storage_info('2026 run')\").fetchall()", ALL),
    "extremes by a text": ("con.sql(\"from query('from pragma_storage_' || 'info(''2026 run'')')\").fetchall()", ALL),
    "a copy of the database": ("con.execute('copy from database analysis to memory')\ncon.execute('drop table memory.main.\"2026 run\"')", ALL),
    "rows that passed a filter": (f"con.execute({VIEW!r})\ncon.sql('explain analyze select 1 from seen where value_v > 4').fetchall()", ALL),
    "a variable": (f"con.execute({VIEW!r})\ncon.execute('set variable x = (select max(value_v) from seen)')\ncon.sql(\"select getvariable('x')\").fetchall()", {"value_v"}),
    "rows as values": (f"con.execute({VIEW!r})\ncon.sql('select s from seen s').fetchall()", ALL),
    "a pivot": (f"con.execute({VIEW!r})\ncon.sql('pivot seen on serial using max(value_v)').fetchall()", ALL),
    "a table by its text": ("con.sql(\"from query_table('2026 run')\").fetchall()", ALL),
    "an insert": (f"con.execute({VIEW!r})\ncon.execute('create or replace temp table t(a double)')\ncon.execute('insert into t select value_v from seen')", {"value_v"}),
    "an insert with a parameter": (f"con.execute({VIEW!r})\ncon.execute('create or replace temp table t(a double)')\ncon.execute('insert into t values ((select max(value_v) + ? from seen))', [1])", {"value_v"}),
    "no optimiser": (f"con.execute({VIEW!r})\ncon.execute('pragma disable_optimizer')\ncon.sql('from seen').fetchall()", ALL),
    "a view made anew by what explains it": ("con.execute('create or replace temp view v as select serial from \"2026 run\"')\ncon.sql('from v').fetchall()\n"
                                             "con.sql('explain analyze create or replace temp view v as from \"2026 run\"')\ncon.sql('from v').fetchall()", ALL),
    "a comment that nests": (f"con.execute({VIEW!r})\ncon.sql('/* /* ; */ ; */ select value_v /* ; */ from seen -- ;').fetchall()", {"value_v"}),
}  # fmt: skip


@pytest.mark.parametrize(("code", "columns"), HIDDEN.values(), ids=HIDDEN)
def test_a_read_is_told(reader: Sandbox, code: str, columns: set[str]) -> None:
    result = reader.run(code)
    assert result.status == "ok", result.error
    assert {read["column"] for read in result.reads if read["table"] == "2026 run"} >= columns


def test_an_insert_of_parameters_reads_nothing(reader: Sandbox) -> None:
    code = "con.execute('create or replace temp table t(a double, b varchar)')\n"
    code += "con.executemany('INSERT INTO t (a, b) VALUES (?, ?)', [[i, 'x'] for i in range(500)])\n"
    result = reader.run(code + "con.sql('select count(*) from t').fetchone()[0]")
    assert (result.value, result.reads) == (500, ())


def test_what_stands_before_a_guarded_table_is_told_until_it_is_gone(reader: Sandbox) -> None:
    told = "what a query now calls 2026 run is this session's own, not the guarded table"
    made = reader.run("con.execute('create or replace table \"2026 run\" as select 9.0 as value_v')\n1")
    assert any(told in warning for warning in made.warnings), made
    wrong = reader.run("con.sql('select max(value_v) from \"2026 run\"').fetchone()")
    assert (wrong.value, any(told in warning for warning in wrong.warnings)) == ([9.0], True)
    assert reader.run("con.sql('select max(value_v) from analysis.main.\"2026 run\"').fetchone()").value == [4.98]
    reader.run("con.execute('drop table memory.main.\"2026 run\"')")
    assert reader.run("con.sql('select max(value_v) from \"2026 run\"').fetchone()").warnings == ()


def test_a_macro_in_the_place_of_a_function_is_told(reader: Sandbox) -> None:
    made = reader.run("con.execute('create macro max(x) as 42')\n1")
    assert any("now calls max is this session's own" in warning for warning in made.warnings), made
    reader.run("con.execute('drop macro max')")
    assert reader.run("con.sql('select max(value_v) from \"2026 run\"').fetchone()").warnings == ()
