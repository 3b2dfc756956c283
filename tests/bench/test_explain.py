"""`--explain COLUMN`: every witness of a column, with its numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
FIXTURES = Path(__file__).parents[2] / "fixtures"
LIMITS = FIXTURES / "limits_disagree" / "output-check-2026-10-30.csv"
MIXED = FIXTURES / "mixed_fixtures" / "final-test-2026-10-29.csv"


def explained(stdout: str, start: str) -> list[str]:
    """Return the lines of one part."""
    lines = stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(start))
    end = next((i for i, line in enumerate(lines[first + 1 :], first + 1) if not line.startswith("  ")), len(lines))
    return lines[first:end]


def test_every_witness_is_printed_with_hardness_candidate_side_and_numbers(here: Cli) -> None:
    done = here(LIMITS, "--explain", "VOUT (mV)", "--json")
    (column,) = [c for c in done.document["guard"]["tables"][0]["columns"] if c["name"] == "VOUT (mV)"]
    text = here(LIMITS, "--explain", "VOUT (mV)")
    lines = explained(text.stdout, "output_check.VOUT (mV): ")
    assert column["verdict"] in lines[0]
    assert f"by rule {column['rule']}" in lines[0]
    assert len(lines) == 3 + len(column["witnesses"])
    for witness, line in zip(column["witnesses"], lines[3:], strict=True):
        words = line.split()
        assert words[0] in ("hard", "soft")
        side = {True: "for", False: "against", None: "silent"}[witness["supports"]]
        said = " ".join(words[1:])
        assert said == " ".join(f"{witness['name']} as {witness['candidate']} {side} {witness['detail']}".split())


def test_the_absolute_range_of_the_board_is_named_hard(here: Cli, export: Path, board: Path) -> None:
    done = here(export, "--board", board, "--explain", "value_v")
    (line,) = [line for line in done.stdout.splitlines() if "absolute range" in line and " as V " in line
               and line.startswith("  hard")]  # fmt: skip
    assert "against" in line
    assert "outside -0.3..6 V of VOUT as V" in line


def test_every_segment_of_a_column_is_explained(here: Cli) -> None:
    done = here(MIXED, "--explain", "iin_a")
    for fixture in ("FIX-01", "FIX-02", "FIX-03"):
        assert f"iin_a (fixture {fixture}): " in done.stdout


def test_it_may_be_asked_for_several_columns(here: Cli) -> None:
    done = here(MIXED, "--explain", "serial", "--explain", "vin_v")
    assert ".serial: kept by rule n" in done.stdout
    assert "no witness spoke" in done.stdout
    assert ".vin_v: kept by rule d" in done.stdout


@pytest.mark.parametrize(
    ("asked", "hint"),
    [("vot_v", "did you mean vout_v"), ("VIN_V", "did you mean vin_v"), ("humidity", "the columns are serial, lot")],
)
def test_an_unknown_column_is_a_usage_error_that_names_the_close_ones(here: Cli, asked: str, hint: str) -> None:
    done = here(MIXED, "--explain", asked)
    assert done.exit_code == 2
    assert f"column '{asked}': no table has such a column" in done.stderr
    assert hint in done.stderr
