"""Which columns of a query a number comes from, and which units it may therefore be read in."""

from __future__ import annotations

import time
from typing import Any

import pytest

from bench.ask.figures import Context
from bench.ask.lineage import items_of, lineage
from bench.ask.verify import verify

UNITS = {
    ("sweep", "vin_v"): ["V"], ("sweep", "iin_a"): ["A"], ("sweep", "vout_v"): ["V"], ("sweep", "eff"): ["%"],
    ("run", "value"): ["V", "mV", "A", "ohm", "%"], ("run", "measurement"): [],
}  # fmt: skip
MEASURED = {"VOUT": ["V"], "RIPPLE": ["mV"], "R_OUT": ["ohm"]}


@pytest.mark.parametrize(
    ("sql", "labels", "columns"),
    [
        ("select a, avg(b) from t", ["a", "avg b"], [{"a"}, {"b"}]),
        ("select avg(a * b) as power_w, count(*) from t", ["power_w", "count"], [{"a", "b"}, set()]),
        ("select 1000 * (max(t.v) - min(v)), 'x, from' from t", ["", ""], [{"v"}, set()]),
        ('select distinct "VOUT (mV)" from t', [""], [{"vout (mv)"}]),
        ("select * from t", [], []),
        ("from t", [], []),
    ],
)
def test_items_of_a_select_list(sql: str, labels: list[str], columns: list[set[str]]) -> None:
    found = list(items_of(sql))
    assert [item.label for item in found] == labels
    assert [set(item.columns) for item in found] == columns


@pytest.mark.parametrize(
    ("code", "places"),
    [
        ("con.sql('select a, b from t').fetchall()", {"value[][0]": "a", "value[][1]": "b"}),
        ("result = con.sql('select a, b from t').fetchone()", {"value[0]": "a", "value[1]": "b"}),
        ("con.execute('select a, b from t', [1]).fetchone()[1]", {"value": "b"}),
        ("x, y = con.sql('select a, b from t').fetchone()\nresult = {'p': y}", {"value['p']": "b"}),
        ("x = con.sql('select a from t').fetchone()[0]\nresult = {'p': x}", {"value['p']": "a"}),
        ("con.sql(f'select {a} from t').fetchall()", {}),
        ("sum(row[0] for row in con.sql('select a from t').fetchall())", {}),
        ("not python(", {}),
    ],
)
def test_places_of_a_result(code: str, places: dict[str, str]) -> None:
    assert {place: item.label for place, item in lineage(code).items()} == places


def marks(text: str, code: str, value: Any, *reads: str) -> list[str | None]:
    read = [dict(zip(("table", "column"), name.split("."), strict=True)) for name in reads]
    run = {"status": "ok", "value": value, "stdout": "", "snippet": code, "reads": read, "warnings": []}
    context = Context("", None, UNITS, measured=MEASURED)
    return [figure.mark for figure in verify(text, [run], context=context).figures]


@pytest.mark.parametrize(
    ("text", "mark"),
    [("It is 8.08 W.", None), ("It is 8080 mW.", None), ("It is 8.08 mW.", "untraced"), ("It is 8.08 V.", "untraced")],
)
def test_a_product_of_columns_is_in_neither_s_unit(text: str, mark: str | None) -> None:
    code = "con.sql('select avg(vin_v * iin_a) from sweep').fetchone()[0]"
    assert marks(text, code, 8.08, "sweep.vin_v", "sweep.iin_a") == [mark]


@pytest.mark.parametrize(
    ("text", "mark"), [("It is 24.4 mV.", None), ("It is 0.0244 V.", None), ("It is 24.4 V.", "untraced"),
                       ("It is 24.4 A.", "untraced"), ("It is 24.4 %.", "untraced")]
)  # fmt: skip
def test_a_measurement_s_unit_is_its_own(text: str, mark: str | None) -> None:
    where = "con.sql(\"select avg(value) from run where measurement = 'RIPPLE'\").fetchone()[0]"
    assert marks(text, where, 24.4, "run.value", "run.measurement") == [mark]
    rows = "con.sql('select measurement, avg(value) from run group by measurement').fetchall()"
    value = [["VOUT", 4.98], ["RIPPLE", 24.4]]
    assert marks(f"RIPPLE: {text}", rows, value, "run.value", "run.measurement") == [mark]


@pytest.mark.parametrize(("text", "mark"), [("It drops 72.1 mV.", None), ("It drops 72.1 V.", "untraced")])
def test_a_converted_number_is_in_the_unit_that_it_was_converted_to(text: str, mark: str | None) -> None:
    code = "con.sql('select 1000 * (max(vout_v) - min(vout_v)) from sweep').fetchone()[0]"
    assert marks(text, code, 72.1, "sweep.vout_v") == [mark]
    where = "con.sql('select avg(vout_v) from sweep where vout_v * 1000 > 4950').fetchone()[0]"
    assert marks("It is 4.98 V.", where, 4.98, "sweep.vout_v") == [None]


@pytest.mark.parametrize(
    ("text", "mark"), [("It is 92.8 %.", None), ("It is 92.8 ppm.", "untraced"), ("It rose by 7.0 %.", "untraced")]
)
def test_percent_needs_a_ratio_or_a_hundred(text: str, mark: str | None) -> None:
    if "rose" in text:
        assert marks(text, "con.sql('select max(vout_v) from sweep').fetchone()[0]", 7.0, "sweep.vout_v") == [mark]
    else:
        assert marks(text, "con.sql('select max(eff) from sweep').fetchone()[0]", 92.8, "sweep.eff") == [mark]


def test_a_whole_number_is_no_limit_unless_it_is_called_one() -> None:
    limits = {"I_LIM": {"lower": 3.7, "upper": 5.0, "unit": "A"}}
    laundered = {"status": "ok", "value": 5, "stdout": "", "snippet": "result = 5", "reads": [], "warnings": []}
    found = [verify("5 boards pass.", runs, limits=limits).figures[0].mark for runs in ([], [laundered])]
    assert found == ["untraced", "literal"]
    assert verify("The upper limit is 5 A.", [], limits=limits).figures[0].traced_to == "limits: I_LIM upper"


def test_members_in_one_unit_name_their_source() -> None:
    run = {"status": "ok", "value": {"burn_in_v": 4.9887, "soak_v": 4.9921}, "stdout": ""}
    true = "4.9887 V in the burn-in and 4.9921 V at the start of the soak."
    assert verify(true, [run]).status == "traced"
    assert verify(true.replace("4.9887", "x").replace("4.9921", "4.9887").replace("x", "4.9921"), [run]).marked


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("con.sql('select " + " " * 100_000 + "a from t').fetchall()", "It is 15 V."),
        ("con.sql('select " + "a, " * 30_000 + "b from t').fetchall()", "It is 15 V."),
        ("1000 *" + " " * 100_000 + "x", "It is 15 mV."),
        ("x", "15" + " " * 100_000 + "V"),
    ],
    ids=["blanks", "items", "factor", "text"],
)
def test_no_snippet_or_text_takes_long_to_judge(code: str, text: str) -> None:
    began = time.process_time()
    marks(text, code, 15.0, "sweep.vin_v")
    assert time.process_time() - began < 5
