from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from runner import Image, LimitsError, Pool, ResourceLimits, Sandbox, UnavailableError


def test_workers_serve_one_session_only(image: Image) -> None:
    with Pool(1, image=image) as pool:
        with pool.take() as one:
            one.run("secret = 1")
            pid = one._session._worker.pid  # type: ignore[union-attr]
        with pool.take() as two:
            assert two.run("'secret' in globals()").value is False
            assert two._session._worker.pid != pid  # type: ignore[union-attr]


def test_a_waiting_worker_takes_a_database(image: Image, database: Path) -> None:
    with Pool(1, image=image) as pool, pool.take(database) as sandbox:
        assert sandbox.run("con.sql('select count(*) from retest').fetchone()[0]").value == 18


def test_a_pool_gives_to_many_threads(image: Image) -> None:
    values: list[object] = []

    def use(number: int) -> None:
        with pool.take() as sandbox:
            values.append(sandbox.run(f"x = {number}\nx").value)

    with Pool(2, image=image) as pool:
        threads = [threading.Thread(target=use, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(values) == [0, 1, 2, 3]


def test_a_closed_pool_and_a_pool_of_nothing(image: Image) -> None:
    pool = Pool(1, image=image)
    pool.close()
    with pytest.raises(UnavailableError, match="the pool is closed"):
        pool.take()
    with pytest.raises(LimitsError, match=r"a pool of size 0\. give a whole number from 1"):
        Pool(0, image=image)


def test_a_database_that_does_not_fit_leaves_no_process(image: Image, database: Path) -> None:
    with Pool(1, image=image, limits=ResourceLimits(memory_mb=64)) as pool:
        with pytest.raises(LimitsError, match="give memory_mb=258 or more"):
            pool.take(database)
        with pool.take() as sandbox:
            assert sandbox.run("1").value == 1


def test_a_worker_above_the_bound_is_retired_and_the_result_says_so(image: Image) -> None:
    with Sandbox(image=image, retire_mb=500) as sandbox:
        assert sandbox.run("x = 1").state == "kept"
        result = sandbox.run("y = bytearray(400_000_000)\nlen(y)")
        if sandbox._session is not None:
            pytest.skip("this system does not tell how much a process holds")
        assert (result.value, result.state) == (400_000_000, "lost")
        assert "more than retire_mb=500" in result.warnings[0]
        assert sandbox.run("'x' in globals()").value is False


def test_runs_from_asyncio_go_on_side_by_side(image: Image) -> None:
    async def both() -> list[object]:
        with Sandbox(image=image) as one, Sandbox(image=image) as two:
            results = await asyncio.gather(one.arun("40 + 1"), two.arun("40 + 2"))
        return [result.value for result in results]

    assert asyncio.run(both()) == [41, 42]
