"""The same snippet with the same clock gives the same figures, in Python and in SQL, unless chance is asked for."""

from __future__ import annotations

import pytest

from runner import Image, ResourceLimits, Sandbox

NOON = 1_700_000_000_000
CHANCE = """
import random, secrets, time, uuid
sql = con.sql("select random(), uuid(), now()::varchar, list(range) from (from range(9) using sample 3)").fetchone()
words = list({"vin", "vout", "tcase", "iin"})
[random.random(), secrets.token_hex(4), str(uuid.uuid4()), time.time(), time.perf_counter(), str(sql), words]
"""


def values(image: Image, *, seed: int | None = 0, clock_ms: int | None = NOON) -> list[object]:
    with Sandbox(image=image, seed=seed) as sandbox:
        runs = [sandbox.run(code, clock_ms=clock_ms) for code in (CHANCE, CHANCE, "__import__('random').random()")]
    assert [run.status for run in runs] == ["ok"] * 3, runs
    return [run.value for run in runs]


def test_runs_repeat_and_differ_from_each_other(image: Image) -> None:
    first = values(image)
    assert values(image) == first
    assert first[0] != first[1]


def test_another_seed_and_no_seed_give_other_figures(image: Image) -> None:
    found = [values(image, seed=seed) for seed in (0, 1, None, None)]
    for position in range(6):
        assert len({str(each[0][position]) for each in found}) >= 2, position  # type: ignore[index]
    assert len({str(each[0][0]) for each in found}) == 4  # type: ignore[index]


def test_the_clock_is_the_one_that_was_given_and_moves(image: Image) -> None:
    code = """
import datetime, time
began = time.time()
while time.time() < began + 0.005:
    pass
[str(datetime.datetime.now())[:19], time.tzname[0][:3], time.time() - began < 0.1]
"""
    with Sandbox(image=image) as sandbox:
        run = sandbox.run(code, clock_ms=NOON)
        assert run.value == ["2023-11-14 22:13:20", "UTC", True], run.error
        assert (run.seed, run.clock_ms) == (0, NOON)
        later = sandbox.run("import datetime\nstr(datetime.datetime.now())[:10]", clock_ms=NOON + 86_400_000)
        assert later.value == "2023-11-15"


@pytest.mark.parametrize("seed", [0, None])
def test_without_a_clock_it_is_the_true_time(image: Image, seed: int | None) -> None:
    with Sandbox(image=image, seed=seed) as sandbox:
        run = sandbox.run("import time\nround(time.time() * 1000)")
        other = sandbox.run("import time\nround(time.time() * 1000)")
    assert 0 <= other.value - run.value < 10_000
    if seed is None:
        assert run.clock_ms is None
    else:
        assert run.clock_ms is not None
        assert 0 <= run.value - run.clock_ms < 1000


def test_a_time_limit_stays_a_true_one(image: Image) -> None:
    with Sandbox(image=image, limits=ResourceLimits(wall_time_s=0.5)) as sandbox:
        assert sandbox.run("while True: pass", clock_ms=NOON).status == "time_limit"
