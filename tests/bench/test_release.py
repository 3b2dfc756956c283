"""`bench-analyze approve --line`: a quarantined line is a row after all, by a person's word."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bench

Cli = Callable[..., Any]
BOARD = '[board]\nname = "B"\n[nodes.VOUT]\nquantity = "voltage"\nabsolute = ["-0.3 V", "6 V"]\ncolumns = ["vout_v"]\n'
BEN = ("--who", "Ben", "--why", "the operator left the note out", "--yes")


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Rows of serial, vout_v and note; line 4 has no note, line 6 has a field too many."""
    rows = [f"SN-{n},4.9{n},ok" for n in range(6)]
    rows[2], rows[4] = "SN-2,4.92", "SN-4,4,94,ok"
    (tmp_path / "board.toml").write_text(BOARD)
    path = tmp_path / "final.csv"
    path.write_text("serial,vout_v,note\n" + "\n".join(rows) + "\n")
    return path


def counts(table: dict[str, Any]) -> tuple[int, int, int]:
    return table["rows_read"], table["rows_kept"], table["rows_quarantined"]


def test_a_released_line_is_a_row_from_then_on(here: Cli, export: Path) -> None:
    before = here(export, "--json").document["guard"]["tables"][0]
    assert counts(before) == (6, 4, 2)
    done = here("approve", export, "--line", 4, *BEN)
    assert done.exit_code == 0, done.said
    assert "release: line 4, as the row\n  serial = SN-2\n  vout_v = 4.92\n  note = (empty)\n" in done.stdout
    assert "released by: Ben, because: the operator left the note out" in done.stdout
    again = here(export, "--json").document
    assert counts(again["guard"]["tables"][0]) == (6, 5, 1)
    assert again["export"]["dialect"]["lines"]["rows"] == before["rows_kept"] + 1
    assert again["export"]["dialect"]["lines"]["quarantined"] == 1
    said = {"line": 4, "row": 3, "who": "Ben", "why": "the operator left the note out"}
    assert again["export"]["dialect"]["released"] == [said]
    assert "released: line 4 is row 3 (Ben: the operator left the note out)" in here(export).stdout
    with bench.analyze(export) as analysis:
        assert analysis.table().rows()[2] == (3, "SN-2", 4.92, None)
        assert analysis.table()["_row"].to_list() == [1, 2, 3, 4, 6]


def test_the_guard_judges_a_released_row_like_any_other(here: Cli, export: Path) -> None:
    export.write_text(export.read_text().replace("SN-2,4.92", "SN-2,49.2"))
    assert here("approve", export, "--line", 4, *BEN).exit_code == 0
    (column,) = (c for c in here(export, "--json").document["guard"]["tables"][0]["columns"] if c["name"] == "vout_v")
    assert (column["verdict"], column["faults"]) == ("kept", 1)


def test_a_release_is_bound_to_the_bytes_and_can_be_taken_back(here: Cli, export: Path, tmp_path: Path) -> None:
    here("approve", export, "--line", 4, *BEN)
    other = tmp_path / "other.csv"
    other.write_text(export.read_text() + "SN-6,4.96,ok\n")
    assert here(other, "--json").document["guard"]["tables"][0]["rows_quarantined"] == 2
    done = here("approve", export, "--line", 4, "--withdraw", "--who", "Ann", "--why", "it was another board", "--yes")
    assert "withdraw: line 4, released by Ben" in done.stdout
    assert here(export, "--json").document["guard"]["tables"][0]["rows_quarantined"] == 2
    words = [json.loads(line) for line in (tmp_path / "data" / "approvals.jsonl").read_text().splitlines()]
    assert [(word["who"], word["line"], word.get("withdrawn")) for word in words] == [
        ("Ben", 4, None),
        ("Ann", 4, True),
    ]
    done = here("approve", export, "--line", 4, "--withdraw", *BEN)
    assert (done.exit_code, "line 4 was not released in this export" in done.stderr) == (2, True)


def test_a_receipt_knows_what_was_released(here: Cli, export: Path, tmp_path: Path) -> None:
    here("approve", export, "--line", 4, *BEN)
    receipt = tmp_path / "receipt.json"
    done = here(export, "-c", "con.sql('select count(*) from final').fetchone()[0]", "--receipt", receipt, "--json")
    assert done.document["runs"][0]["value"] == 5
    here("approve", export, "--line", 4, "--withdraw", *BEN)
    assert here("replay", receipt).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--line", 6), "final.csv:6: it has 4 fields, and the table has 3 columns"),
        (("--line", 3), "line 3 is not in quarantine. Hint: quarantined here: 4, 6"),
        (("--line", 4, "--column", "vout_v"), "one of --column and --line says what it is about"),
        ((), "one of --column and --line says what it is about"),
        (("--line", 4, "--unit", "mV"), "a line has no unit, measurement or segment"),
    ],
)
def test_what_cannot_be_released_is_told(
    here: Cli, export: Path, tmp_path: Path, arguments: tuple[object, ...], said: str
) -> None:
    done = here("approve", export, *arguments, *BEN)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (tmp_path / "data" / "approvals.jsonl").exists()


def test_nobody_to_ask_releases_nothing(here: Cli, export: Path, tmp_path: Path) -> None:
    done = here("approve", export, "--line", 4, "--why", "x", "--who", "Ben")
    assert (done.exit_code, "a release is asked for on a terminal, and here is none" in done.stderr) == (2, True)
    assert not (tmp_path / "data" / "approvals.jsonl").exists()


def test_a_line_that_is_no_longer_in_quarantine_is_told(here: Cli, export: Path) -> None:
    here("approve", export, "--line", 4, *BEN)
    said = here(export, "--delimiter", ";").stdout
    assert "released: line 4 is not in quarantine as the export is read now (Ben: the operator" in said
