from __future__ import annotations

from pathlib import Path

import pytest

from runner import LimitsError, ResourceLimits
from runner.policy import launch


def test_command_line_and_environment_are_these() -> None:
    found = launch(Path("/opt/deno"), Path("/cache/image"), Path("/dev/shm/own"), wasm_pages=17152)
    assert " ".join(found.argv) == (
        "/opt/deno run --quiet --no-prompt --no-remote --no-npm --cached-only --no-config --no-lock --allow-read=. "
        "--deny-write --deny-net --deny-env --deny-run --deny-sys --deny-ffi --deny-import "
        "--v8-flags=--wasm-max-mem-pages=17152 host.mjs"
    )
    assert dict(found.environment) == {
        "DENO_DIR": "/dev/shm/own", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1",
        "SQLITE_TMPDIR": "/dev/shm/own", "TZ": "UTC",
    }  # fmt: skip
    assert found.cwd == Path("/cache/image")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"memory_mb": 8}, "limit memory_mb is 8. give 32 or more"),
        ({"memory_mb": 8000}, "WebAssembly has 4096 at most"),
        ({"wall_time_s": 0}, "limit wall_time_s is 0"),
        ({"wall_time_s": float("inf")}, "a finite number"),
        ({"output_bytes": "many"}, "limit output_bytes is 'many'. give a number"),
        ({"memory_mb": True}, "limit memory_mb is True"),
    ],
)
def test_limits_that_nothing_can_run_with(limits: dict[str, object], message: str) -> None:
    with pytest.raises(LimitsError, match=message):
        ResourceLimits(**limits)  # type: ignore[arg-type]


def test_a_database_too_large_names_the_limit_that_works() -> None:
    limits = ResourceLimits(memory_mb=300)
    limits.check_database(10 * 2**20)
    with pytest.raises(
        LimitsError, match=r"70.0 MB does not fit into a limit of memory_mb=300. give memory_mb=396 or more"
    ):
        limits.check_database(70 * 2**20)
