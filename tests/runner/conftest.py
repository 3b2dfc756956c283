from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from runner import Image, Sandbox, install_image


@pytest.fixture(scope="session")
def image() -> Image:
    """The image of this version, in the user's own cache: made once on a machine."""
    return install_image()


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corrected retest table with what the guard wrote beside it."""
    path = tmp_path_factory.mktemp("database") / "retest.duckdb"
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{path}' AS made (STORAGE_VERSION 'v1.4.0')")
        con.execute("USE made")
        con.execute(
            "CREATE TABLE retest AS SELECT range AS _row, 'SN' || range AS serial, (4900 + range) / 1000 AS value_v, "
            "CASE WHEN range < 15 THEN 'pass' ELSE 'fail' END AS result FROM range(18)"
        )
        con.execute("CREATE VIEW good AS SELECT serial, value_v FROM retest WHERE result = 'pass'")
        con.execute("CREATE MACRO doubled(x) AS x * 2")
        con.execute("CREATE SCHEMA guard")
        con.execute(
            "CREATE TABLE guard.units AS SELECT * FROM (VALUES ('retest', 'value_v', NULL, NULL, 'V', 'corrected'), "
            "('soak', 'value', 'RIPPLE', NULL, 'mV', 'kept'), ('soak', 'value', 'VOUT', NULL, 'V', 'kept')) "
            "AS t(table_name, column_name, measurement, segment, unit, verdict)"
        )
        con.execute(
            "CREATE TABLE guard.limits AS "
            "SELECT 'retest' AS table_name, 'VOUT' AS node, 4.95 AS lower, 5.05 AS upper, 'V' AS unit"
        )
    return path


@pytest.fixture(scope="module")
def sandbox(image: Image) -> Iterator[Sandbox]:
    """A sandbox without tables that the tests of one module share; they must not depend on each other's variables."""
    with Sandbox(image=image) as made:
        yield made


@pytest.fixture(scope="module")
def tables(image: Image, database: Path) -> Iterator[Sandbox]:
    """A sandbox with the database, shared like `sandbox`."""
    with Sandbox(database, image=image) as made:
        yield made


@pytest.fixture
def value(tables: Sandbox) -> Callable[[str], object]:
    """Run a snippet that must succeed and give its value."""

    def run(code: str) -> object:
        result = tables.run(code)
        assert result.status == "ok", result.error
        return result.value

    return run
