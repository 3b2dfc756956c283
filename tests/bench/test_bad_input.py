"""Bad input: one paragraph that names it and the way out, the right exit code, no traceback, nothing half-written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]

EXPORTS: dict[str, tuple[bytes, str]] = {
    "empty.csv": (b"", "empty"),
    "blank.csv": (b"\n\n  \n", ""),
    "binary.csv": (bytes(range(256)) * 40, ""),
}
BOARDS = {
    "syntax.toml": ("[board\nname = 1\n", "is not TOML"),
    "quantity.toml": (
        '[board]\nname = "X"\n[nodes.VOUT]\nquantity = "volage"\ncolumns = ["value_v"]',
        "nodes.VOUT.quantity",
    ),
    "unit.toml": (
        '[board]\nname = "X"\n[nodes.VOUT]\nquantity = "voltage"\nabsolute = ["-0.3", "6 V"]\ncolumns = ["value_v"]',
        "nodes.VOUT.absolute",
    ),
    "contradiction.toml": (
        '[board]\nname = "X"\n[nodes.VOUT]\nquantity = "voltage"\nabsolute = ["6 V", "-0.3 V"]\ncolumns = ["value_v"]',
        "nodes.VOUT.absolute",
    ),
    "binary.toml": ("\udcff\udcfe", "is not UTF-8 text"),
}  # fmt: skip


def check(done: Any, name: str, *, exit_code: int = 2) -> None:
    assert done.exit_code == exit_code
    assert done.stdout == ""
    (paragraph,) = done.stderr.splitlines()
    assert paragraph.startswith("bench-analyze: ")
    assert name in paragraph
    assert "Hint: " in paragraph


@pytest.mark.parametrize(("name", "content", "words"), [(name, *rest) for name, rest in EXPORTS.items()])
def test_an_unreadable_export(cli: Cli, tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    done = cli(tmp_path / name, "--db", tmp_path / "x.duckdb")
    check(done, name)
    assert words in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_missing_export(cli: Cli, tmp_path: Path) -> None:
    check(cli(tmp_path / "nowhere.csv"), "nowhere.csv")
    document = cli(tmp_path / "nowhere.csv", "--json").document
    assert (document["export"], document["guard"], document["runs"], document["exit_code"]) == (None, None, [], 2)
    assert document["error"]["kind"] == "export_missing"
    assert document["error"]["file"] == str(tmp_path / "nowhere.csv")


def test_a_folder_as_export(here: Cli, tmp_path: Path) -> None:
    check(here(tmp_path), str(tmp_path))


def test_one_missing_export_of_several(here: Cli, export: Path, tmp_path: Path) -> None:
    done = here(export, tmp_path / "nowhere.csv", "--db", tmp_path / "x.duckdb")
    check(done, "nowhere.csv")
    assert not list(tmp_path.glob("*.duckdb"))


def test_a_header_and_no_rows(here: Cli, board: Path, tmp_path: Path) -> None:
    export, out = tmp_path / "retest.csv", tmp_path / "true.csv"
    export.write_text("serial,lot,measurement,value_v,result\n")
    done = here(export, "--board", board, "--db", tmp_path / "x.duckdb", "--out", out, "--json")
    assert done.exit_code == 0
    assert done.document["guard"]["tables"][0]["rows_read"] == 0
    assert out.read_text().splitlines()[0] == "serial,lot,measurement,value_v,result"


def test_no_measured_column(here: Cli, tmp_path: Path) -> None:
    export = tmp_path / "boards.csv"
    export.write_text("serial,lot,result\nA,L1,PASS\nB,L1,FAIL\n")
    done = here(export, "--json")
    assert done.exit_code == 0
    assert done.document["guard"]["outcome"] == "clean"


def test_duplicate_and_blank_column_names(here: Cli, tmp_path: Path) -> None:
    export = tmp_path / "soak.csv"
    export.write_text("serial,vin_v,vin_v,\nA,24.0,24.1,x\nB,24.0,24.1,y\n")
    names = [column["name"] for column in here(export, "--json").document["guard"]["tables"][0]["columns"]]
    assert names == ["serial", "vin_v", "vin_v_2", "column_4"]


def test_ragged_rows_are_quarantined_and_counted(here: Cli, tmp_path: Path) -> None:
    export = tmp_path / "soak.csv"
    export.write_text("serial,vin_v\nA,24.0\nB\nC,24.1,7\nD,24.2\n")
    (table,) = here(export, "--json").document["guard"]["tables"]
    assert (table["rows_read"], table["rows_kept"], table["rows_quarantined"]) == (4, 2, 2)


@pytest.mark.parametrize(("name", "text", "words"), [(name, *rest) for name, rest in BOARDS.items()])
def test_an_unusable_board_profile(here: Cli, export: Path, tmp_path: Path, name: str, text: str, words: str) -> None:
    board = tmp_path / name
    board.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = here(export, "--board", board, "--db", tmp_path / "x.duckdb")
    check(done, str(board))
    assert words in done.stderr
    assert here(export, "--board", board, "--json").document["error"]["kind"] == "profile"
    assert not list(tmp_path.glob("*.duckdb"))


def test_a_missing_board_profile(here: Cli, export: Path, tmp_path: Path) -> None:
    check(here(export, "--board", tmp_path / "none.toml"), "none.toml")
    check(here(export, "--board", tmp_path), str(tmp_path))


USAGE = [
    (["--nope"], "Unknown option: --nope"),
    (["--wall-time", "-1"], "--wall-time"),
    (["--memory-mb", "lots"], "--memory-mb"),
    (["-c", "1", "--snippet", "s.py"], "--snippet and -c were both given"),
    (["--out", "table.xlsx"], "neither CSV nor Parquet"),
    (["--snippet", "none.py"], "the snippet cannot be read"),
    (["--decimal", ";"], "decimal"),
    (["--reader", "no-such-format"], "no-such-format"),
]


@pytest.mark.parametrize(("arguments", "words"), USAGE, ids=lambda value: value[0] if isinstance(value, list) else None)
def test_wrong_usage(here: Cli, export: Path, arguments: list[str], words: str) -> None:
    done = here(export, *arguments)
    check(done, words)
    document = here(export, *arguments, "--json").document
    assert document["exit_code"] == 2
    assert document["error"]["kind"] in ("usage", "export")
    assert words in document["error"]["message"]


def test_no_export_at_all(cli: Cli) -> None:
    check(cli(), "EXPORT")


@pytest.mark.parametrize("option", ["--db", "--out", "--receipt"])
def test_an_output_never_replaces_an_input(here: Cli, tmp_path: Path, option: str) -> None:
    export = tmp_path / "retest.csv"
    export.write_text("serial,vin_v\nA,24.0\n")
    done = here(export, option, export)
    check(done, f"{option} names a file that is read")
    assert export.read_text() == "serial,vin_v\nA,24.0\n"


def test_two_outputs_never_share_a_file(here: Cli, export: Path, tmp_path: Path) -> None:
    check(here(export, "--out", tmp_path / "x.csv", "--receipt", tmp_path / "x.csv"), "another option writes")


def test_out_holds_one_table(here: Cli, export: Path, tmp_path: Path) -> None:
    check(here(export, export, "--out", tmp_path / "x.csv"), "--out holds one table")


def test_a_receipt_that_cannot_be_written_still_shows_what_was_found(here: Cli, export: Path, board: Path) -> None:
    done = here(export, "--board", board, "--receipt", "/proc/receipt.json")
    assert done.exit_code == 2
    assert "Divided by 1000." in done.stdout
    assert "/proc/receipt.json: the receipt could not be written" in done.stderr


@pytest.mark.parametrize("path", [".", "/", ""])
def test_a_path_without_a_name_is_a_directory_like_any_other(cli: Cli, path: str) -> None:
    done = cli(path)
    assert done.exit_code == 2
    assert "this is a directory, not an export" in done.stderr
    assert "fault in bench-analyze" not in done.stderr


def test_a_package_that_has_no_fitting_wheel_is_said_with_the_way_out(cli: Cli) -> None:
    done = cli("sandbox", "add", "numpy", "--from", ".")
    assert done.exit_code == 2
    assert "there is no wheel of numpy that is pure Python or built for pyemscripten" in done.stderr
    assert "give --from a folder or mirror" in done.stderr


@pytest.mark.parametrize("name", ["a\x00b", "^a$", "^vout_v$"])
def test_a_header_that_cannot_be_a_column_name_is_refused_by_position(cli: Cli, tmp_path: Path, name: str) -> None:
    rows = "".join(f"S{i},{i}.5,1\n" for i in range(12))
    (tmp_path / "odd.csv").write_text(f"serial,{name},vout_v\n{rows}")
    done = cli("odd.csv", "--json")
    assert done.exit_code == 2
    assert "the header of column 2" in done.document["error"]["message"]
    assert done.document["error"]["file"].endswith("odd.csv")
