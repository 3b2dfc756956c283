"""Exit codes: what a command came to."""

from __future__ import annotations

import pytest

from bench import outcome
from guards import ColumnReport, GuardReport, TableReport
from runner import RunResult


def table(verdict: str, *, quarantined: int = 0, role: str = "measured") -> TableReport:
    column = ColumnReport("vin_v", role, verdict=verdict, reason="because.")  # type: ignore[arg-type]
    clean = ColumnReport("vout_v", "measured", verdict="kept")
    return TableReport("t", rows_kept=3, rows_changed=0, rows_quarantined=quarantined, columns=(column, clean))


def run(status: str = "ok", *reads: str) -> RunResult:
    return RunResult(status=status, reads=tuple({"table": "t", "column": name} for name in reads))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "strict", "exit_code"),
    [
        (table("kept"), True, 0),
        (table("corrected"), True, 0),
        (table("refused"), False, 3),
        (table("unverified"), False, 0),
        (table("unverified"), True, 3),
        (table("unverified", role="text"), True, 0),
        (table("kept", quarantined=1), False, 0),
        (table("kept", quarantined=1), True, 3),
    ],
)
def test_without_a_snippet_the_outcome_decides(found: TableReport, strict: bool, exit_code: int) -> None:
    assert outcome.of_guard([GuardReport((found,))], strict=strict).exit_code == exit_code


@pytest.mark.parametrize(
    ("status", "exit_code"),
    [
        ("ok", 0), ("error", 1), ("crashed", 1), ("protocol", 1), ("time_limit", 4), ("memory_limit", 4),
        ("output_limit", 4), ("sandbox_unavailable", 5),
    ],
)  # fmt: skip
def test_with_a_snippet_its_status_decides(status: str, exit_code: int) -> None:
    found = outcome.of_run(run(status), [table("kept")], strict=False, allow_partial=False)
    assert found.exit_code == exit_code
    assert (found.to_dict() is None) is (exit_code == 0)


@pytest.mark.parametrize(
    ("reads", "options", "exit_code"),
    [
        (["vout_v"], {}, 0),
        (["vin_v"], {}, 3),
        (["vin_v"], {"allow_partial": True}, 0),
        ([], {}, 0),
    ],
)
def test_a_snippet_is_refused_only_for_what_it_read(reads: list[str], options: dict[str, bool], exit_code: int) -> None:
    found = outcome.of_run(
        run("ok", *reads), [table("refused")], **({"strict": False, "allow_partial": False} | options)
    )
    assert found.exit_code == exit_code


def test_a_refusal_names_table_column_reason_and_the_way_out() -> None:
    found = outcome.of_guard([GuardReport((table("refused"),))], strict=False, hint="bench-analyze x --board B")
    assert (found.message, found.hint) == ("refused: t.vin_v (because)", "bench-analyze x --board B")
