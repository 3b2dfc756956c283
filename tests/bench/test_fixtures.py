"""Every fixture through the whole path: its report, its exit code, and the figures of its snippets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
ROOT = Path(__file__).parents[2]
FIXTURES = sorted(path.parent for path in ROOT.glob("fixtures/*/expected.json"))


def expected_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "expected.json").read_text())  # type: ignore[no-any-return]


SNIPPETS = [(folder, name) for folder in FIXTURES for name in expected_of(folder)["figures"]]


def same(expected: object, found: object) -> bool:
    """Whether the found column has every field that is expected; a proposal's reason is free."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return all(same(value, found.get(name)) for name, value in expected.items())
    return expected == found


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda folder: folder.name)
def test_the_report_is_the_one_expected(here: Cli, folder: Path) -> None:
    expected = expected_of(folder)
    done = here(folder / expected["export"], "--json")
    document = done.document
    assert done.exit_code == document["exit_code"] == expected["exit_code"]
    assert document["guard"]["outcome"] == expected["outcome"]
    (table,) = document["guard"]["tables"]
    assert (table["rows_read"], table["rows_quarantined"]) == (expected["rows_read"], expected["rows_quarantined"])
    assert table["rows_kept"] == table["rows_read"] - table["rows_quarantined"]
    missing = [wanted for wanted in expected["columns"] if not any(same(wanted, found) for found in table["columns"])]
    assert missing == []


@pytest.mark.parametrize(("folder", "name"), SNIPPETS, ids=lambda part: part.name if isinstance(part, Path) else part)
def test_a_snippet_gives_the_figures_expected(here: Cli, folder: Path, name: str) -> None:
    expected = expected_of(folder)
    done = here(folder / expected["export"], "--snippet", folder / "snippets" / name, "--json")
    (run,) = done.document["runs"]
    assert run["status"] == "ok", run["error"]
    assert run["value"] == close(expected["figures"][name])
    assert done.exit_code == expected["snippet_exit_codes"][name], run["warnings"]


def close(value: Any) -> Any:
    """Return the value with every float within 1e-12, relative."""
    if isinstance(value, dict):
        return {name: close(item) for name, item in value.items()}
    if isinstance(value, list):
        return [close(item) for item in value]
    return pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
