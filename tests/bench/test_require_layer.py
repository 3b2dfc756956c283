from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

RETEST = Path(__file__).parents[2] / "fixtures" / "retest_mv" / "retest-2026-10-30.csv"


def test_a_layer_that_is_none_is_a_usage_error_with_the_names(cli: Any) -> None:
    done = cli(RETEST, "-c", "1", "--require-layer", "selinux")
    assert done.exit_code == 2
    assert "--require-layer selinux: there is no such layer" in done.stderr
    assert "rlimits" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="rlimits hold on Linux")
def test_a_layer_that_holds_lets_the_snippet_run_and_is_named(cli: Any) -> None:
    done = cli(RETEST, "-c", "1 + 1", "--require-layer", "rlimits", "--require-layer", "deno", "--json")
    (run,) = done.document["runs"]
    assert run["value"] == 2
    assert {"deno", "rlimits"} <= set(run["layers"])
