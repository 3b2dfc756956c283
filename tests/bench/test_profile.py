"""`bench-analyze profile`: the draft parses, says what the export says, and corrects nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from guards import parse_board

Cli = Callable[..., Any]
FIXTURES = Path(__file__).parents[2] / "fixtures"
EXPORTS = sorted(FIXTURES.glob("*/*.csv"))


def verdicts(document: dict[str, Any]) -> list[tuple[object, ...]]:
    names = ("name", "role", "measurement", "segment", "verdict", "unit", "factor", "offset")
    return [tuple(str(c[n]) for n in names) for table in document["guard"]["tables"] for c in table["columns"]]


@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.parent.name)
def test_a_draft_used_as_it_is_changes_no_verdict(here: Cli, export: Path, tmp_path: Path) -> None:
    bare = tmp_path / export.name  # away from the board.toml beside it
    bare.write_bytes(export.read_bytes())
    drafted = here("profile", bare)
    assert (drafted.exit_code, drafted.stderr) == (0, "")
    board = parse_board(tomllib.loads(drafted.stdout))
    assert board.nodes
    assert all(node.absolute is None and node.expected is None and node.limits is None for node in board.nodes)
    path = tmp_path / "draft.toml"
    path.write_text(drafted.stdout)
    without, with_draft = here(bare, "--json").document, here(bare, "--board", path, "--json").document
    assert verdicts(with_draft) == verdicts(without)


@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.parent.name)
def test_every_commented_range_is_one_that_can_be_used(here: Cli, export: Path) -> None:
    text = here("profile", export).stdout
    active = "\n".join(
        line.removeprefix("# ") if line.startswith(("# absolute", "# expected")) else line for line in text.splitlines()
    )
    board = parse_board(tomllib.loads(active))
    assert all(node.absolute and node.expected for node in board.nodes)


def test_measurements_segments_and_ranges_are_found(here: Cli, make_export: Callable[..., Path]) -> None:
    document = tomllib.loads(here("profile", make_export("retest.csv", unit="V")).stdout)
    assert document["board"] == {"name": "retest", "segments": ["lot"]}
    assert document["nodes"] == {"VOUT": {"quantity": "voltage", "unit": "V", "measurements": ["VOUT"]}}


def test_what_was_seen_is_a_comment_in_the_unit_of_the_header(here: Cli, make_export: Callable[..., Path]) -> None:
    text = here("profile", make_export("retest.csv", unit="V")).stdout
    assert "# seen: -0.0061 V .. 5.0077 V; replace from the datasheet:" in text
    assert '# absolute = ["-0.0061 V", "5.0077 V"]' in text


def test_roles_that_a_name_gives_are_written_down(here: Cli) -> None:
    document = tomllib.loads(here("profile", FIXTURES / "kelvin" / "thermal-2026-10-29.csv").stdout)
    assert document["columns"]["serial"] == {"role": "identifier"}
    assert document["columns"]["elapsed_min"] == {"role": "time"}
    assert document["nodes"]["tcase_c"]["quantity"] == "temperature"


def test_headers_of_any_text_stay_toml(here: Cli, tmp_path: Path) -> None:
    export = tmp_path / "odd.csv"
    export.write_text('"a ""b"" [x] (V)",Größe # (mA),plain\n1.5,2,3\n1.6,3,4\n')
    board = parse_board(tomllib.loads(here("profile", export).stdout))
    assert [node.columns for node in board.nodes] == [('a "b" [x] (V)',), ("Größe # (mA)",)]
    assert '# "plain": ' in here("profile", export).stdout


def test_out_writes_a_file_and_overwrites_none(here: Cli, export: Path, tmp_path: Path) -> None:
    out = tmp_path / "draft.toml"
    done = here("profile", export, "--out", out)
    assert (done.exit_code, done.stdout) == (0, "")
    assert f"profile: {out}" in done.stderr
    written = out.read_bytes()
    again = here("profile", export, "--out", out)
    assert again.exit_code == 2
    assert "overwrites none" in again.stderr
    assert out.read_bytes() == written


def test_a_missing_export_is_one_message(here: Cli) -> None:
    done = here("profile", "nowhere.csv")
    assert done.exit_code == 2
    assert "nowhere.csv" in done.stderr


def test_what_a_profile_names_and_an_export_lacks_is_said(here: Cli, tmp_path: Path) -> None:
    export, board = tmp_path / "log.csv", tmp_path / "b.toml"
    export.write_text("vout_v\n5.0\n5.01\n4.99\n")
    node = '[nodes.VOUT]\nquantity = "voltage"\nabsolute = ["0 V", "6 V"]\ncolumns = ["vout_w"]\n'
    board.write_text(node + '[columns.iin_a]\nunit = "A"\n')
    shown = here(export, "--board", board)
    err = shown.stdout + shown.stderr
    assert "profile: nothing in the export is named by VOUT (vout_w); did it mean vout_v?" in err
    assert "profile: the export has no column iin_a" in err


def test_a_profile_that_says_nothing_keeps_the_hint(here: Cli, tmp_path: Path) -> None:
    export, board = tmp_path / "log.csv", tmp_path / "b.toml"
    export.write_text("vout_v\n5000\n5010\n4990\n")
    board.write_text("")
    shown = here(export, "--board", board)
    err = shown.stdout + shown.stderr
    assert "it has no nodes and no columns" in err
    assert "--board BOARD.toml" in err


def test_a_profile_of_which_an_export_holds_a_part_is_one_short_line(cli: Cli, export: Path, board: Path) -> None:
    board.write_text(
        board.read_text() + '[nodes.FAN]\nquantity = "voltage"\nabsolute = ["0 V", "14 V"]\ncolumns = ["fan"]\n'
    )
    lines = [line for line in cli(export, "--board", board).stdout.splitlines() if line.startswith("profile:")]
    assert lines == [next(line for line in lines if line.endswith("name something in this export"))]
