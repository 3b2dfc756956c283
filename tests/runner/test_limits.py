"""Each limit: hit, not hit, prompt, and the next run works."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from runner import Image, LimitsError, ResourceLimits, Sandbox

BUSY = "import itertools\nfor _ in itertools.count(): pass"

# name, limits, a snippet that stays below with its value, one that goes above, status, what the message names
LONG = "sum(range(10**11))"  # one call, which no interrupt reaches
LIMITS: list[tuple[str, dict[str, Any], tuple[str, object], str, str, str]] = [
    ("wall, soft", {"wall_time_s": 0.5}, ("sum(range(1000))", 499500), BUSY, "time_limit", "(limit `wall_time_s`)"),
    ("wall, hard", {"wall_time_s": 0.5}, ("1", 1), LONG, "time_limit", "0.5 s (limit `wall_time_s`)"),
    ("processor", {"cpu_time_s": 2, "wall_time_s": 30}, ("sum(range(1000))", 499500), LONG, "time_limit",
     "the limit `cpu_time_s`"),
    ("memory", {"memory_mb": 256}, (f"len(bytearray({int(0.9 * 256 * 2**20)}))", int(0.9 * 256 * 2**20)),
     f"bytearray({int(1.25 * 256 * 2**20)})", "memory_limit", "256 MB (limit `memory_mb`)"),
    ("memory in pieces", {"memory_mb": 256}, ("len([bytearray(2**20) for _ in range(230)])", 230),
     "[bytearray(2**20) for _ in range(320)]", "memory_limit", "256 MB (limit `memory_mb`)"),
    ("memory in JavaScript", {"memory_mb": 256}, ("1", 1),
     "from pyodide_js import runPython as f\nf.constructor('k=[]; for (;;) k.push(new Uint8Array(5e7).fill(1))')()",
     "memory_limit", "256 MB (limit `memory_mb`)"),
    ("output", {"output_bytes": 1000}, ("print('x' * 999)", None), "print('x' * 2000)", "output_limit",
     "1000 bytes (limit `output_bytes`)"),
    ("output without end", {"output_bytes": 1000}, ("1", 1), "while True: print('x')", "output_limit",
     "1000 bytes (limit `output_bytes`)"),
    ("result", {"result_bytes": 100}, ("'x' * 98", "x" * 98), "'x' * 99", "output_limit",
     "100 bytes as JSON (limit `result_bytes`)"),
    ("queries", {"queries": 3}, ("[con.execute('select 1').fetchone() for _ in range(3)]", [[1]] * 3),
     "for _ in range(4): con.execute('select 1')", "error", "3 SQL statements in one run (limit `queries`)"),
    ("queries in one text", {"queries": 3}, ("con.execute('select 1; select 2; select 3').fetchone()", [3]),
     "con.execute('select 1; select 2; select 3; select 4')", "error", "(limit `queries`)"),
    ("rows", {"rows": 100}, ("len(con.sql('from range(100)').fetchall())", 100),
     "con.sql('from range(101)').fetchall()", "error", "100 rows handed to Python in one run (limit `rows`)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("limits", "below", "above", "status", "names"), [case[1:] for case in LIMITS], ids=[c[0] for c in LIMITS]
)
def test_limit(
    image: Image, limits: dict[str, Any], below: tuple[str, object], above: str, status: str, names: str
) -> None:
    with Sandbox(limits=ResourceLimits(**limits), image=image) as sandbox:
        result = sandbox.run(below[0])
        assert (result.status, result.value) == ("ok", below[1]), result.error
        began = time.monotonic()
        result = sandbox.run(above)
        assert result.status == status, result.error
        assert result.error is not None
        assert names in result.error.message
        assert time.monotonic() - began < 15
        assert len(result.stdout) <= sandbox.limits.output_bytes
        assert sandbox.run("1 + 1").value == 2


@pytest.mark.parametrize(("code", "state"), [("while True: pass", "kept"), ("sum(range(10**11))", "lost")])
def test_wall_time_interrupts_softly_then_kills_promptly(image: Image, code: str, state: str) -> None:
    with Sandbox(limits=ResourceLimits(wall_time_s=0.5), image=image) as sandbox:
        sandbox.run("kept = 1")
        result = sandbox.run(code)
        assert (result.status, result.state) == ("time_limit", state)
        assert 0.5 <= result.duration_s < 2.0
        assert sandbox.run("'kept' in globals()").value is (state == "kept")


@pytest.mark.parametrize(
    ("limits", "sizes", "kept", "reason"),
    [
        ({"artifacts": 2}, [1, 1, 1], 2, "more than 2 artifacts (limit `artifacts`)"),
        ({"artifact_bytes": 10}, [10, 11], 1, "11 bytes are more than 10 (limit `artifact_bytes`)"),
        ({"artifacts_bytes": 15}, [10, 5, 1], 2, "more than 15 bytes in all (limit `artifacts_bytes`)"),
    ],
)
def test_artifacts(image: Image, limits: dict[str, Any], sizes: list[int], kept: int, reason: str) -> None:
    code = f"for i, n in enumerate({sizes}):\n    with open(f'/out/{{i}}.txt', 'w') as file: _ = file.write('x' * n)"
    with Sandbox(limits=ResourceLimits(**limits), image=image) as sandbox:
        result = sandbox.run(code)
        assert [len(artifact.data) for artifact in result.artifacts] == sizes[:kept]
        assert result.warnings == (f"artifact {kept}.txt was left out: {reason}",)
        assert sandbox.run("1").artifacts == ()


def test_too_little_memory_for_the_database_names_the_least_that_works(image: Image, database: Path) -> None:
    with pytest.raises(LimitsError, match=r"does not fit into a limit of memory_mb=100\. give memory_mb=258 or more"):
        Sandbox(database, ResourceLimits(memory_mb=100), image=image)
    with Sandbox(database, ResourceLimits(memory_mb=258), image=image) as sandbox:
        assert sandbox.run("con.sql('select count(*) from retest').fetchone()[0]").value == 18
