from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from runner import Image, ResourceLimits, Sandbox, install_image

sys.path.insert(0, str(Path(__file__).parent))  # attacks.py and attacks_data.py are data beside their tests
from attacks_data import HOSTILE


@pytest.fixture(scope="session")
def image() -> Image:
    return install_image()


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What must stay untouched: a canary file, an empty folder, and a listener that nobody may call."""
    folder = tmp_path_factory.mktemp("watched")
    canary = tmp_path_factory.mktemp("canary") / "secret.txt"
    canary.write_text("the secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield {"canary": str(canary), "folder": str(folder), "port": str(listener.getsockname()[1])}
        assert canary.read_text() == "the secret"
        assert list(folder.iterdir()) == []
        with pytest.raises(BlockingIOError):
            listener.accept()


LIMITS = ResourceLimits(wall_time_s=5, memory_mb=384, queries=50, rows=100_000)


@pytest.fixture(scope="session")
def retest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("database") / "retest.duckdb"
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{path}' AS made (STORAGE_VERSION 'v1.4.0')")
        con.execute("CREATE TABLE made.retest AS SELECT 4.98 AS value_v FROM range(3)")
        con.execute(f"CREATE TABLE made.hostile AS {HOSTILE}")
    return path


@pytest.fixture(scope="module")
def victim(image: Image, retest: Path) -> Iterator[Sandbox]:
    """A sandbox with a table. Each attack may end its process; the next run gets a new one."""
    with Sandbox(retest, LIMITS, image=image) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def deno_alone(image: Image, retest: Path) -> Iterator[Sandbox]:
    """The same without the layers of the system below; the limits of memory stay, for the machine's sake."""
    with Sandbox(retest, LIMITS, image=image, layers=("deno", "rlimits")) as sandbox:
        yield sandbox
