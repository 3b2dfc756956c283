"""Receipts: canonical, whole or absent, and equal for equal figures."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench
from bench import receipts
from runner import RunResult

NOON = datetime(2026, 10, 30, 12, tzinfo=UTC)


@given(st.dictionaries(st.text(), st.floats() | st.text() | st.none()))
def test_canonical_json_does_not_depend_on_order(value: dict[str, object]) -> None:
    assert receipts.canonical(value) == receipts.canonical(dict(reversed(value.items())))


def test_canonical_json_holds_no_nan() -> None:
    assert receipts.canonical({"b": math.nan, "a": [1.5]}) == b'{"a":[1.5],"b":null}'


def test_equal_figures_have_equal_ids_and_other_figures_others(export: Path, board: Path) -> None:
    with bench.analyze(export, board=board) as analysis:

        def made(code: str, value: object, when: datetime) -> dict[str, object]:
            run = RunResult(status="ok", value=value)
            return receipts.make(analysis.exports, code=code, run=run, made_at=when)

        first = made("1 + 1", 2, NOON)
        assert made("1 + 1", 2, NOON.replace(hour=13))["id"] == first["id"]
        assert len({first["id"], made("1 + 1", 3, NOON)["id"], made("1 +  1", 2, NOON)["id"]}) == 3


def test_a_receipt_names_everything_a_figure_came_from(export: Path, board: Path) -> None:
    with bench.analyze(export, board=board) as analysis:
        run = RunResult(status="ok", value=4.98)
        receipt = receipts.make(analysis.exports, code="x", run=run, made_at=NOON)
    (source,) = receipt["exports"]  # type: ignore[misc]
    assert source["sha256"] == receipts.sha256(export.read_bytes())
    assert source["profile"] == {"path": str(board), "sha256": receipts.sha256(board.read_bytes())}
    found = receipt["run"]
    assert isinstance(found, dict)
    assert found["snippet_sha256"] == receipts.sha256(b"x")
    assert found["value"] == 4.98
    assert {"image", "limits", "layers", "reads", "warnings", "status", "value_sha256", "stdout_sha256"} <= found.keys()
    assert {"python", "polars", "duckdb"} <= receipt["versions"].keys()  # type: ignore[attr-defined]


def test_a_receipt_is_written_whole(tmp_path: Path) -> None:
    receipt = {"id": "abcdef0123456789", "made_at": NOON.isoformat()}
    path = receipts.default_path(tmp_path / "deep" / "receipts", receipt)
    assert path.name == "2026-10-30T120000Z-abcdef012345.json"
    assert receipts.write(receipt, path) == path
    assert json.loads(path.read_text()) == receipt
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_receipt_that_cannot_be_written_says_where_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(bench.EnvironmentProblem, match=r"receipt could not be written.*Hint: .*--receipt FILE"):
        receipts.write({"id": "x"}, tmp_path / "file" / "receipt.json")
