"""`bench.verify`: which figures of an answer a run produced."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench
from runner import RunResult

VOUT = {"VOUT": {"lower": 4.95, "upper": 5.05, "unit": "V"}}


def run(value: Any = None, stdout: str = "", **more: Any) -> dict[str, Any]:
    return {"status": "ok", "value": value, "stdout": stdout, "reads": [], "warnings": [], **more}


def marks(text: str, *runs: Any, **more: Any) -> dict[str, str | None]:
    return {figure.text: figure.mark for figure in bench.verify(text, runs, **more).figures}


@pytest.mark.parametrize(
    "text", ["4,984.0 mV", "4.984 V", "5.0 V (rounded)", "4.98 V", "4984 mV", "4984.046 mV", "about 5 V", "4.984046",
             "4.984e0 V", "4984.0 millivolts", "**4.984 V**", "`4.984`", "4 984.0 mV".replace(" ", "\u202f")],
)  # fmt: skip
def test_prefixes_and_rounding_trace_to_the_value(text: str) -> None:
    found = bench.verify(f"The mean is {text}.", [run(4.984046)])
    assert found.status == "traced", found.figures
    assert [figure.traced_to for figure in found.figures] == ["run 1: value"]


@pytest.mark.parametrize(
    "text", ["4.97 V", "4.985 V", "4.9841 V", "4984 V", "49.84 V", "-4.984 V", "5 V", "4.983 V", "0.4984 V", "4,970 mV",
             "4.984046666 V", "4985 mV", "five"],
)  # fmt: skip
def test_what_no_run_gave_is_marked(text: str) -> None:
    found = bench.verify(f"The mean is {text}.", [run(4.984046)])
    assert found.status == "marked"
    assert [figure.mark for figure in found.figures] == ["untraced"]
    assert found.figures[0]["traced_to"] is None
    assert found.marked_text.endswith("[not from a run].")


@pytest.mark.parametrize(
    "text",
    ["SRB5030-2608-0052 and FIX-03 of lot L2608B", "-0142 and 2608-0052", "on 2026-08-31 at 14:30", "31 August 2026",
     "August 31, 2026", "31.08.2026", "2026-08-31T14:30:05Z", "see retest-2026-08-31.csv", "run 1 and step 2",
     "the limit is 5.05 V", "limits of 4.95 V to 5.05 V", "within 4.95..5.05 V limits", "the 1st and 2nd",
     "the 3V3 rail",
     "Python 3.11.2", "1. Boards\n2. Fixtures", "https://example.org/15?n=18"],
)  # fmt: skip
def test_names_dates_and_limits_are_no_figures(text: str) -> None:
    assert bench.verify(text, [run(1.5)]).status == "no_figures"


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("15 of 18 pass", ["15", "18"]),
        ("from 4.9678 to 5.0077 V", ["4.9678", "5.0077 V"]),
        ("4.9678..5.0077 V", ["4.9678", "5.0077 V"]),
        ("4.9678-5.0077 V", ["4.9678", "5.0077 V"]),
        ("1,586 rows, 92 %", ["1,586", "92 %"]),
        ("fifteen boards, twenty-one rows", ["fifteen", "twenty-one"]),
        ("-0.0061 V and ±0.5 V", ["-0.0061 V", "±0.5 V"]),
        ("5×10⁻³ A, 4k7", ["5×10⁻³ A", "4k7"]),
        ("exceeds the limit by 0.3 V", ["0.3 V"]),
        ("| FIX-03 | 4.9640 |", ["4.9640"]),
    ],
)
def test_figures_are_found_whole(text: str, figures: list[str]) -> None:
    assert list(marks(text)) == figures


def test_an_answer_without_a_run() -> None:
    question = "What does random.seed(42); print(random.randint(1, 1000)) print?"
    assert bench.verify("The answer is 42.", [], question=question).status == "marked"
    assert bench.verify("I ran the code and it printed 42.", [], question=question).status == "claims_run"
    assert bench.verify("I executed the query.", [run(status="sandbox_unavailable")]).status == "claims_run"
    code = "import random; random.seed(42); print(random.randint(1, 1000))"
    ran = run(None, "655\n", snippet=code)
    assert bench.verify("I ran the code and it printed 655.", [ran], question=question).status == "traced"
    assert bench.verify("I ran it: 42.", [ran], question=question).status == "marked"


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("I ran the snippet.", True), ("After running the query, all pass.", True), ("We computed the mean.", True),
        ("The code returned nothing.", True), ("Executed the snippet.", True), ("My script printed it.", True),
        ("According to the query it is fine.", True), ("I've run it.", True), ("The snippet was executed.", True),
        ("I did not run anything.", False), ("If I ran it, it would fail.", False), ("I have never run it.", False),
        ("Nothing was executed.", False), ("The board runs hot.", False), ("The test run was in August.", False),
        ("To know, the query should be run.", False), ("Without running the code nobody knows.", False),
    ],
)  # fmt: skip
def test_claims_of_a_run(text: str, claims: bool) -> None:
    assert (bench.verify(text, []).status == "claims_run") is claims


@pytest.mark.parametrize(
    "text", ["These tables do not hold the efficiency.", "The export doesn't contain temperatures.",
             "This cannot be answered from these tables.", "None of the tables holds it."],
)  # fmt: skip
def test_declining_is_a_status_of_its_own(text: str) -> None:
    assert bench.verify(text, [run()]).status == "declined"
    assert bench.verify(text + " It is probably 4.97 V.", [run()]).status == "marked"


@pytest.mark.parametrize(
    "code", ["result = 15", "result = 7 + 8", "print('15 boards pass')", "result = int('15')", "f = 15\nresult = f",
             "con.sql('select 15').fetchone()", "result = 30 / 2", "result = len('x' * 15)"],
)  # fmt: skip
def test_a_number_that_its_own_snippet_held_is_a_literal(code: str) -> None:
    laundered = run(15, "15 boards pass\n", snippet=code)
    assert marks("15 boards pass", laundered) == {"15": "literal"}
    assert marks("15 boards pass", run(15, code="con.sql('select count(*) from t').fetchone()"), laundered) == {
        "15": None
    }
    assert marks("15 boards pass", laundered, question="Do 15 boards pass?") == {"15": None}


def test_numbers_that_reach_no_result_are_no_literals() -> None:
    code = "round(con.sql('select avg(v), 1 from t order by 1 limit 3').fetchall()[3][0], 3)"
    assert marks("3 boards", run(3, snippet=code)) == {"3": None}


def test_a_figure_of_refused_rows_is_marked() -> None:
    warning = "retest.value_v was refused and is null: 18 rows missing from every figure that uses it (in doubt)."
    assert marks("0 boards pass", run(0, warnings=[warning])) == {"0": "refused"}
    assert marks("18 boards", run(0, warnings=[warning]), run(18)) == {"18": None}


def test_limits_are_judged_where_they_are_known() -> None:
    assert marks("The limits are 4.95 V to 5050 mV.", run(), limits=VOUT) == {"4.95 V": None, "5050 mV": None}
    assert marks("The upper limit is 5.15 V.", run(), limits=VOUT) == {"5.15 V": "limit"}


def test_results_and_receipts_vouch_as_well_as_dicts() -> None:
    assert bench.verify("2 boards", [RunResult("ok", value=2)]).status == "traced"
    found = bench.verify("2 boards", [RunResult("ok", value=2).to_dict()])
    assert found.to_dict() == {
        "status": "traced",
        "figures": [{"text": "2", "value": 2.0, "traced_to": "run 1: value", "mark": None}],
    }


def test_units_of_what_was_read_hold() -> None:
    ran = run(4.984046, reads=[{"table": "retest", "column": "value_v"}])
    assert marks("4.984 V or 4984.0 mV", ran) == {"4.984 V": None, "4984.0 mV": None}
    assert marks("4.984 mV, 4.984 A", ran) == {"4.984 mV": "untraced", "4.984 A": "untraced"}
    assert marks("0.92 %", run({"yield_pct": 92.0})) == {"0.92 %": "untraced"}
    assert marks("92.0 %", run({"yield": 0.92}), run({"yield_pct": 92.0})) == {"92.0 %": None}
    converted = run(75.5, reads=[{"table": "soak", "column": "vout_v"}], snippet="1000 * drop")
    assert marks("It drops by 75.5 mV.", converted) == {"75.5 mV": None}


def test_labels_hold() -> None:
    counts = run({"passed": 15, "failed": 3, "total": 18, "mean_v": 4.984046, "min_v": 4.9678, "max_v": 5.0077})
    true = "15 of 18 boards pass, 3 fail; their mean is 4.984 V (4.9678 to 5.0077 V)."
    assert set(marks(true, counts).values()) == {None}
    assert marks("15 boards fail", counts) == {"15": "other_key"}
    assert marks("The maximum is 4.9678 V", counts) == {"4.9678 V": "other_key"}


FIXTURES = {"FIX-01": 4.9841, "FIX-02": 4.9853, "FIX-03": 4.9640}
ROWS = [run([[name, value] for name, value in FIXTURES.items()]), run(FIXTURES),
        run({"columns": ["fixture", "mean_v"], "rows": [list(item) for item in FIXTURES.items()], "truncated": False}),
        run(None, "".join(f"{name}: {value} V\n" for name, value in FIXTURES.items())),
        run([{"fixture": name, "mean_v": value} for name, value in FIXTURES.items()])]  # fmt: skip
FORMS = [
    "{0} reads {1:.4f} V.", "{1:.4f} V for {0}.", "The mean on {0} is {1:.4f} V.", "{0} ({1:.4f} V) stands out.",
    "- {0}: {1:.4f} V", "| {0} | {1:.4f} |", "{0} is odd. Its mean is {1:.4f} V.", "{0}:\n- mean {1:.4f} V",
    "With {1:.4f} V, {0} is the one.",
]  # fmt: skip
PAIRS = [
    "{0} reads {1:.4f} V, {2} {3:.4f} V.", "{1:.4f} V for {0} and {3:.4f} V for {2}.",
    "{0} and {2} read {1:.4f} and {3:.4f} V respectively.", "{0} ({1:.4f} V) is not {2} ({3:.4f} V).",
    "{0} has {1:.4f} V against {3:.4f} V on {2}.",
]  # fmt: skip


@pytest.mark.parametrize("ran", ROWS, ids=["rows", "mapping", "frame", "printed", "records"])
@pytest.mark.parametrize("form", FORMS)
def test_the_right_number_of_the_wrong_group_is_marked(form: str, ran: dict[str, Any]) -> None:
    for name in FIXTURES:
        for other, value in FIXTURES.items():
            found = bench.verify(form.format(name, value), [ran])
            assert found.status == ("traced" if name == other else "marked"), (form, name, other, found.figures)


@pytest.mark.parametrize("ran", ROWS, ids=["rows", "mapping", "frame", "printed", "records"])
@pytest.mark.parametrize("form", PAIRS)
def test_two_groups_in_a_sentence(form: str, ran: dict[str, Any]) -> None:
    (a, x), _, (b, y) = FIXTURES.items()
    assert bench.verify(form.format(a, x, b, y), [ran]).status == "traced"
    assert {figure.mark for figure in bench.verify(form.format(a, y, b, x), [ran]).figures} == {"other_key"}


def test_short_serials_name_their_board() -> None:
    rows = run([["SRB5030-2608-0121", 75.5], ["SRB5030-2608-0044", 2.5], ["SRB5030-2608-0166", 1.2]])
    assert set(marks("-0121 drops 75.5 mV, -0044 2.5 mV and -0166 1.2 mV.", rows).values()) == {None}
    assert marks("-0121 drops 2.5 mV.", rows) == {"2.5 mV": "other_key"}


def test_a_selection_in_the_snippet_names_the_group() -> None:
    ran = run(4.964, snippet="con.sql(\"select avg(v) from t where fixture = 'FIX-03'\").fetchone()")
    assert marks("FIX-03 reads 4.964 V", ran) == {"4.964 V": None}
    assert marks("FIX-01 reads 4.964 V", ran) == {"4.964 V": "other_key"}


def test_a_quoted_snippet_states_nothing_and_other_blocks_do() -> None:
    code = "result = con.sql('select count(*) from t limit 77').fetchone()"
    assert marks(f"```python\n{code}\n```\nIt is 15.", run(15, snippet=code)) == {"15": None}
    assert marks("```\n77\n```", run(15, snippet=code)) == {"77": "untraced"}


VALUES = st.floats(min_value=1e-3, max_value=1e4).filter(lambda value: len(f"{value:.4g}") < 12)


@given(VALUES, st.integers(2, 6), st.sampled_from([("V", 1.0), ("mV", 1e-3), ("µV", 1e-6), ("kV", 1e3)]))
def test_every_rounding_of_a_value_in_any_prefix_is_traced(value: float, digits: int, unit: tuple[str, float]) -> None:
    places = max(0, digits - 1 - int(f"{value / unit[1]:e}".partition("e")[2]))
    text = f"{value / unit[1]:,.{places}f}"
    if len(text.replace(",", "").replace(".", "").lstrip("0")) < 2:
        return
    ran = run(value, reads=[{"table": "t", "column": "value_v"}])
    assert bench.verify(f"It is {text} {unit[0]}.", [ran]).status == "traced"


def test_a_number_beyond_every_float_is_marked() -> None:
    assert set(marks("It is " + "9" * 400 + " V.", run(1.5)).values()) == {"untraced"}


@given(VALUES, st.integers(1, 9), st.integers(0, 3))
def test_a_digit_off_is_marked(value: float, off: int, place: int) -> None:
    stated = round(value, 3) + off * 10.0 ** (place - 3)
    ran = run(value, reads=[{"table": "t", "column": "value_v"}])
    assert bench.verify(f"It is {stated:.3f} V.", [ran]).status == "marked"


@given(st.text(max_size=200))
def test_any_text_is_judged_and_its_figures_stand_in_it(text: str) -> None:
    found = bench.verify(text, [run(1.5, text)])
    assert [text[figure.start : figure.end] for figure in found.figures] == [figure.text for figure in found.figures]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
                    max_leaves=12), st.text(max_size=80))  # fmt: skip
def test_any_value_and_snippet_can_vouch(value: Any, code: str) -> None:
    bench.verify("It is 15 V on FIX-03.", [run(value, snippet=code)])
