"""What a snippet finds: the engine's types, parameters, relations, charts, artifacts, and what is explained to it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from runner import Image, ResourceLimits, Sandbox

Value = Callable[[str], object]


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("1::TINYINT", "1"),
        ("170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727"),
        ("18446744073709551615::UBIGINT", "18446744073709551615"),
        ("4.973500::DECIMAL(9,6)", "Decimal('4.973500')"),
        ("-12345678901234567890.12345::DECIMAL(38,5)", "Decimal('-12345678901234567890.12345')"),
        ("0.1::DOUBLE", "0.1"),
        ("'nan'::DOUBLE", "nan"),
        ("'-inf'::DOUBLE", "-inf"),
        ("'µV'", "'µV'"),
        ("true", "True"),
        ("DATE '2026-08-31'", "datetime.date(2026, 8, 31)"),
        ("TIME '12:30:01.5'", "datetime.time(12, 30, 1, 500000)"),
        ("TIMESTAMP '2026-08-31 12:30:00.123456'", "datetime.datetime(2026, 8, 31, 12, 30, 0, 123456)"),
        ("TIMESTAMP_S '1969-12-31 23:59:59'", "datetime.datetime(1969, 12, 31, 23, 59, 59)"),
        ("TIMESTAMP_NS '2026-08-31 12:30:00'", "datetime.datetime(2026, 8, 31, 12, 30)"),
        ("INTERVAL '1 day 2 hours'", "datetime.timedelta(days=1, seconds=7200)"),
        ("'\\x00\\xFF'::BLOB", "b'\\x00\\xff'"),
        ("[1, NULL, 3]", "[1, None, 3]"),
        ("[[1.5e0], []]", "[[1.5], []]"),
        ("{'a': 1, 'b': ['x']}", "{'a': 1, 'b': ['x']}"),
        ("MAP {'k': 2}", "{'k': 2}"),
        ("[1, 2, 3]::INTEGER[3]", "[1, 2, 3]"),
        ("'b'::ENUM('a', 'b')", "'b'"),
        ("'0101'::BIT", "'0101'"),
        ("'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::UUID", "UUID('f81d4fae-7dec-11d0-a765-00a0c91e6bf6')"),
        ("NULL", "None"),
        ("union_value(n := 5)", "5"),
    ],
)
def test_values_as_python_types(value: Value, sql: str, shown: str) -> None:
    code = f"repr(con.sql({f'SELECT {sql} AS v'!r}).fetchone()[0])"
    assert value(code) == shown


def test_nulls_in_many_rows(value: Value) -> None:
    code = "rows = con.sql('select case when range % 3 = 0 then null else range end from range(5000)').fetchall()\n"
    assert value(code + "[len(rows), sum(r[0] is None for r in rows), rows[4999][0]]") == [5000, 1667, 4999]


def test_booleans_in_many_rows(value: Value) -> None:
    code = "rows = con.sql('select x, case when x % 3 then x % 2 = 0 end, [x % 5 = 0, null] from range(5000) t(x)')\n"
    code += (
        "[(x, b, f) for x, b, f in rows.fetchall() if b != (x % 2 == 0 if x % 3 else None) or f != [x % 5 == 0, None]]"
    )
    assert value(code) == []
    assert value("con.sql('select x > 1 from range(3) t(x)').fetchall()") == [[False], [False], [True]]


def test_booleans_that_cannot_be_told_from_bytes_are_no_figures(sandbox: Sandbox) -> None:
    found = sandbox.run("con.sql('select map {x: x = 1} from range(3) t(x)').fetchall()")
    assert found.error is not None
    assert found.error.message.startswith("a MAP that holds BOOLEAN or TINYINT cannot be fetched")


@pytest.mark.parametrize(
    ("parameters", "types"),
    [
        ("[1, 2.5, 'it''s', None]", ["INTEGER", "DOUBLE", "VARCHAR", '"NULL"']),
        ("[datetime.date(2026, 1, 2), Decimal('1.50'), b'x', True]", ["DATE", "DECIMAL(3,2)", "BLOB", "BOOLEAN"]),
    ],
)
def test_parameters_keep_their_types(value: Value, parameters: str, types: list[str]) -> None:
    code = "import datetime\nfrom decimal import Decimal\n"
    code += f"con.execute('select typeof(?), typeof(?), typeof(?), typeof(?)', {parameters}).fetchone()"
    assert value(code) == types


def test_named_parameters(value: Value) -> None:
    assert value("con.execute('select $a + $b', {'a': 40, 'b': 2}).fetchone()[0]") == 42


def test_several_statements_in_one_call(value: Value) -> None:
    sql = "create or replace table t as select 1 as a; insert into t values (2); -- ;\nselect ';', sum(a) from t"
    assert value(f"con.execute({sql!r}).fetchone()") == [";", 3]


def test_relations_compose(value: Value) -> None:
    passing = "con.sql('select * from retest').filter(\"result = 'pass'\")"
    assert value(passing + ".aggregate('count(*) as n, min(value_v)').fetchall()") == [[15, 4.9]]
    assert value("[c for c, *_ in con.table('retest').description]") == ["_row", "serial", "value_v", "result"]
    assert value("con.sql('select _row from retest order by 1').limit(2).fetchall()") == [[0], [1]]


ROWS = "con.sql(\"select * from (values (1, 'x'), (2, 'y'), (2, 'y'), (3, null)) as t(a, b)\")"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (".filter('a > 1').fetchall()", [[2, "y"], [2, "y"], [3, None]]),
        (".project('a + 1 as c').fetchone()", [2]),
        (".select('b', 'a').columns", ["b", "a"]),
        (".aggregate('sum(a) as s, count(b)').fetchone()", [8, 3]),
        (".aggregate('sum(a) as s', 'b').order('s').fetchall()", [["x", 1], [None, 3], ["y", 4]]),
        (".order('a desc').limit(1).fetchall()", [[3, None]]),
        (".distinct().count().fetchone()", [3]),
        (".unique('a').sort('a').fetchall()", [[1], [2], [3]]),
        (".value_counts('b').order('2 desc, 1').fetchall()", [["y", 2], ["x", 1], [None, 0]]),
        (".mean('a').fetchone()", [2.0]),
        (".quantile_cont('a', 0.5).fetchone()", [2.0]),
        (".string_agg('b', '-').fetchone()", ["x-y-y"]),
        (".union(con.values((9, 'z'))).count().fetchone()", [5]),
        (".except_(con.values((2, 'y'))).order('a').fetchall()", [[1, "x"], [3, None]]),
        (".intersect(con.values((2, 'y'))).fetchall()", [[2, "y"]]),
        (".cross(con.values((0,))).shape", [4, 3]),
        ("['a'].max('a').fetchone()", [3]),
        (".b.fetchall()", [["x"], ["y"], ["y"], [None]]),
        (".types", ["INTEGER", "VARCHAR"]),
        (".shape", [4, 2]),
    ],
)
def test_relations(value: Value, code: str, found: object) -> None:
    assert value(ROWS + code) == found


def test_a_relation_is_iterated_and_printed(tables: Sandbox) -> None:
    result = tables.run(f"r = {ROWS}\nprint(r)\nr.show()\n[row[0] for row in r]")
    assert result.value == [1, 2, 2, 3]
    table = "a │ b   \n──┼─────\n1 │ x   \n2 │ y   \n2 │ y   \n3 │ NULL\n"
    assert result.stdout == table * 2


def test_executemany_and_description(value: Value) -> None:
    code = "con.execute('create or replace table many(a int, b text)')\n"
    code += "_ = con.executemany('insert into many values (?, ?)', [(1, 'x'), (2, None)])\n"
    assert value(code + "[d[:2] for d in con.execute('select * from many').description]") == [
        ["a", "INTEGER"],
        ["b", "VARCHAR"],
    ]
    assert value("con.execute('select sum(a) from many').fetchone()") == [3]


def test_a_decimal_does_not_depend_on_the_snippets_context(value: Value) -> None:
    code = (
        "import decimal\nwith decimal.localcontext(prec=3):\n    x = con.sql('select 12345.6789').fetchone()[0]\nstr(x)"
    )
    assert value(code) == "12345.6789"


@pytest.mark.parametrize("call", ["df()", "pl()", "fetchnumpy()", "fetch_arrow_table()"])
def test_frames_name_the_command_that_adds_the_package(tables: Sandbox, call: str) -> None:
    result = tables.run(f"con.sql('select 1').{call}")
    if result.status == "error":
        assert result.error is not None
        assert "bench-analyze sandbox add " in result.error.message


def test_input_is_explained(sandbox: Sandbox) -> None:
    result = sandbox.run("input('serial? ')")
    assert result.error is not None
    assert result.error.message == ("input() has nobody to answer it in the sandbox: write the value into the snippet")


def test_fetching_goes_on_where_it_stopped(value: Value) -> None:
    code = "c = con.execute('select range from range(5)')\n[c.fetchone(), c.fetchmany(2), c.fetchall(), c.fetchone()]"
    assert value(code) == [[0], [[1], [2]], [[3], [4]], None]


def test_import_duckdb_is_the_same_database(value: Value) -> None:
    assert value("import duckdb\nduckdb.sql('select count(*) from retest').fetchone()[0]") == 18
    code = "import duckdb\ntry:\n    con.sql('selec 1')\nexcept duckdb.ParserException as e:\n    x = str(e)[:12]\nx"
    assert value(code) == "Parser Error"


def test_a_relation_as_value_is_a_frame(value: Value) -> None:
    assert value("con.sql('select serial, value_v from retest order by _row limit 2')") == {
        "columns": ["serial", "value_v"],
        "rows": [["SN0", 4.9], ["SN1", 4.901]],
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("select count(*) from retest", []),
        ("select min(value_v) from retest", ["value_v"]),
        ("select serial from retest where result = ''pass''", ["result", "serial"]),
        ("select * from good", ["result", "serial", "value_v"]),
        ("select doubled(value_v) from retest", ["value_v"]),
    ],
)
def test_reads_name_the_columns(tables: Sandbox, sql: str, columns: list[str]) -> None:
    result = tables.run(f"con.sql({sql.replace(chr(39) * 2, chr(39))!r}).fetchall(); 1")
    assert [read["column"] for read in result.reads] == columns


def test_chart_and_files_are_artifacts(sandbox: Sandbox) -> None:
    code = "chart({'mark': 'point'})\nopen('/out/table.csv', 'w').write('a,b')\nprint('done')"
    result = sandbox.run(code)
    assert [(a.name, a.media_type, a.data) for a in result.artifacts] == [
        ("chart-1.vl.json", "application/vnd.vegalite.v5+json", b'{"mark": "point"}'),
        ("table.csv", "text/csv", b"a,b"),
    ]
    assert sandbox.run("1").artifacts == ()


def test_artifacts_above_a_limit_are_left_out_by_name(image: Image) -> None:
    limits = ResourceLimits(artifacts=1, artifact_bytes=10)
    with Sandbox(limits=limits, image=image) as sandbox:
        result = sandbox.run("for n in 'abc': open(f'/out/{n}', 'w').write('x' * (20 if n == 'a' else 5))")
    assert [artifact.name for artifact in result.artifacts] == ["b"]
    assert result.warnings == (
        "artifact a was left out: 20 bytes are more than 10 (limit `artifact_bytes`)",
        "artifact c was left out: more than 1 artifacts (limit `artifacts`)",
    )


def test_of_many_files_left_out_the_first_are_named_and_the_rest_counted(image: Image) -> None:
    with Sandbox(limits=ResourceLimits(artifacts=1), image=image) as sandbox:
        result = sandbox.run("for n in range(1000): open(f'/out/{n:04}', 'w').close()")
    assert len(result.warnings) == 51
    assert result.warnings[49] == "artifact 0050 was left out: more than 1 artifacts (limit `artifacts`)"
    assert result.warnings[50] == "949 more artifacts were left out"


def test_prints_stream_while_the_snippet_runs(sandbox: Sandbox) -> None:
    heard: list[tuple[str, str]] = []
    code = "import sys, time\nprint('µ', end='')\nt = time.monotonic()\nwhile time.monotonic() - t < 0.2: pass\n"
    result = sandbox.run(code + "print('late', file=sys.stderr)", on_output=lambda *piece: heard.append(piece))
    assert heard[0] == ("stdout", "µ")
    assert "".join(text for stream, text in heard if stream == "stderr") == "late\n"
    assert (result.stdout, result.stderr) == ("µ", "late\n")


def test_runs_repeat(image: Image) -> None:
    code = "import random\n[random.random(), hash('serial'), list({'a', 'b', 'c'})]"
    with Sandbox(image=image) as one, Sandbox(image=image) as two:
        assert one.run(code).value == two.run(code).value


def test_sleep_is_explained(sandbox: Sandbox) -> None:
    result = sandbox.run("import time\ntime.sleep(60)\n1")
    assert result.value == 1
    assert result.warnings == ("time.sleep() returned at once: nothing in the sandbox changes while a snippet waits",)


def test_a_time_limit_keeps_the_state_where_the_interpreter_listens(image: Image) -> None:
    with Sandbox(limits=ResourceLimits(wall_time_s=0.3), image=image) as sandbox:
        result = sandbox.run("kept = 41\nwhile True: pass")
        assert (result.status, result.state) == ("time_limit", "kept")
        assert sandbox.run("kept + 1").value == 42
