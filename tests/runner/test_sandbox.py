from __future__ import annotations

from pathlib import Path

import pytest

from runner import Image, ResourceLimits, Sandbox


def test_last_expression_is_the_value(sandbox: Sandbox) -> None:
    result = sandbox.run("1 + 1")
    assert (result.status, result.value, result.error, result.state) == ("ok", 2, None, "kept")


def test_variable_result_outranks_the_last_expression(sandbox: Sandbox) -> None:
    assert sandbox.run("result = {'mean': 4.98}\n'something else'").value == {"mean": 4.98}
    assert sandbox.run("'another run'").value == "another run"


def test_state_lives_from_run_to_run(sandbox: Sandbox) -> None:
    sandbox.run("total = 40")
    assert sandbox.run("total + 2").value == 42


def test_a_query_on_the_attached_tables(tables: Sandbox) -> None:
    result = tables.run("con.sql('select count(*), max(value_v) from retest').fetchone()")
    assert result.value == [18, pytest.approx(4.917)]
    assert result.reads == ({"table": "retest", "column": "value_v"},)
    assert result.image == tables._image.id  # type: ignore[union-attr]


def test_units_and_limits_are_those_of_the_guard(tables: Sandbox) -> None:
    assert tables.run("units").value == {"retest": {"value_v": "V"}, "soak": {"value": {"RIPPLE": "mV", "VOUT": "V"}}}
    assert tables.run("limits['VOUT']").value == {"lower": 4.95, "upper": 5.05, "unit": "V"}


def test_traceback_shows_the_snippets_own_lines_only(sandbox: Sandbox) -> None:
    result = sandbox.run("def ratio(a, b):\n    return a / b\n\nratio(1, 0)")
    assert result.status == "error"
    assert result.error is not None
    assert (result.error.type, result.error.message) == ("ZeroDivisionError", "division by zero")
    assert result.error.traceback is not None
    assert result.error.traceback.splitlines() == [
        "Traceback (most recent call last):",
        '  File "<snippet>", line 4, in <module>',
        "    ratio(1, 0)",
        "    ~~~~~^^^^^^",
        '  File "<snippet>", line 2, in ratio',
        "    return a / b",
        "           ~~^~~",
        "ZeroDivisionError: division by zero",
    ]


def test_a_package_that_the_image_lacks_names_the_command_that_adds_it(sandbox: Sandbox) -> None:
    result = sandbox.run("import numpy as np")
    assert result.error is not None
    assert result.error.message == (
        "No module named 'numpy': it is not in this sandbox image. To add it: bench-analyze sandbox add numpy"
    )


def test_a_lost_process_is_replaced(image: Image) -> None:
    with Sandbox(image=image) as sandbox:
        sandbox.run("kept = 1")
        lost = sandbox.run("import os; os._exit(3)")
        assert (lost.status, lost.state) == ("crashed", "lost")
        assert sandbox.run("'kept' in globals()").value is False


def test_without_an_image_the_answer_names_the_command(tmp_path: Path) -> None:
    with Sandbox(image=Image(tmp_path, "none")) as sandbox:
        result = sandbox.run("1")
    assert result.status == "sandbox_unavailable"


@pytest.mark.parametrize(
    "code", ["while True: pass", "while True:\n    try:\n        pass\n    except BaseException:\n        pass"]
)
def test_time_limit(image: Image, code: str) -> None:
    with Sandbox(limits=ResourceLimits(wall_time_s=0.5), image=image) as sandbox:
        result = sandbox.run(code)
        assert result.status == "time_limit"
        assert result.duration_s < 2.5
        assert sandbox.run("1 + 1").value == 2
