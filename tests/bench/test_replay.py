"""`replay`: the same figures again, or what differs, or where to find what is missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import receipts

ROOT = Path(__file__).parents[2]
Cli = Callable[..., Any]
CHANCE = """
import random, time, uuid
mean, drawn = con.sql("select avg(value_v), random() from retest").fetchone()
result = [mean, drawn, random.random(), str(uuid.uuid4()), time.time()]
"""


@pytest.fixture
def receipt(here: Cli, export: Path, board: Path, tmp_path: Path) -> Path:
    path = tmp_path / "receipts" / "receipt.json"
    assert here(export, "--board", board, "-c", CHANCE, "--receipt", path).exit_code == 0
    return path


def test_a_receipt_replays_the_same_from_anywhere(here: Cli, receipt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(receipt.parent)
    done = here("replay", receipt.name)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"same: receipt {receipts.read(receipt)['id'][:12]}\nvalue: [")
    found = here("replay", receipt.name, "--json").document
    assert (found["same"], found["differences"], found["circumstances"]) == (True, [], [])
    assert found["runs"][0]["value"] == receipts.read(receipt)["runs"][0]["value"]


def test_two_runs_differ_in_the_clock_only_and_fresh_random_in_everything(
    here: Cli, export: Path, board: Path, tmp_path: Path
) -> None:
    def values(*options: str) -> list[Any]:
        return here(export, "--board", board, "-c", CHANCE, "--json", *options).document["runs"][0]["value"]  # type: ignore[no-any-return]

    first, second, fresh = values(), values(), values("--fresh-random")
    assert (first[:4], first[4] < second[4]) == (second[:4], True)
    assert all(one != other for one, other in zip(first[1:], fresh[1:], strict=True))


def test_a_receipt_of_fresh_random_says_why_it_differs(here: Cli, export: Path, board: Path, tmp_path: Path) -> None:
    path = tmp_path / "fresh.json"
    here(export, "--board", board, "-c", CHANCE, "--receipt", path, "--fresh-random")
    assert receipts.read(path)["repeatable"] is False
    done = here("replay", path)
    assert done.exit_code == 1
    assert "value: [" in done.stdout
    assert "made with --fresh-random" in done.stderr


def test_an_export_that_moved_is_asked_for_and_found_under_any_name(here: Cli, receipt: Path, export: Path) -> None:
    moved = export.rename(export.with_name("renamed.csv"))
    done = here("replay", receipt)
    assert done.exit_code == 2
    assert f"the export of this receipt is not there any more: {export}" in done.stderr
    assert f"bench-analyze replay {receipt} --export FILE" in done.stderr
    assert here("replay", receipt, "--export", moved).exit_code == 0
    shutil.move(moved, receipt.parent / export.name)
    assert here("replay", receipt).exit_code == 0


def test_a_profile_that_moved_is_asked_for(here: Cli, receipt: Path, board: Path, tmp_path: Path) -> None:
    moved = board.rename(tmp_path / "other.toml")
    done = here("replay", receipt)
    assert (done.exit_code, "the board profile of this receipt is not there any more" in done.stderr) == (2, True)
    assert here("replay", receipt, "--board", moved).exit_code == 0


def test_a_changed_export_tells_what_differs(here: Cli, receipt: Path, export: Path) -> None:
    export.write_text(export.read_text().replace("4973.5", "4983.5"))
    done = here("replay", receipt, "--json")
    assert done.exit_code == 1
    told = {each["what"]: each for each in done.document["differences"]}
    assert told.keys() == {
        f"export {export.name}", "content of the table retest", "raw text of the table retest", "value",
    } | (told.keys() & {"ledger of the guard"})  # fmt: skip
    assert told["value"]["then"][0] != told["value"]["now"][0]
    assert told["value"]["then"][1:] == told["value"]["now"][1:]


def test_a_changed_profile_tells_what_differs(here: Cli, receipt: Path, board: Path) -> None:
    board.write_text(board.read_text() + "\n# revised\n")
    done = here("replay", receipt)
    assert done.exit_code == 1
    assert done.stdout.startswith("differs: 1\n  board profile: ")


def test_a_board_that_came_beside_the_export_later_changes_nothing(here: Cli, tmp_path: Path, board: Path) -> None:
    export = tmp_path / "plain.csv"
    export.write_text("serial,vout_v\nA,4990\nB,5010\n")
    here(export, "-c", "con.sql('select count(*) from plain').fetchone()", "--receipt", tmp_path / "r.json")
    shutil.copy(board, tmp_path / "board.toml")
    assert here("replay", tmp_path / "r.json").exit_code == 0


def test_an_altered_receipt_is_not_replayed(here: Cli, receipt: Path) -> None:
    receipt.write_bytes(receipt.read_bytes().replace(b'"status":"ok"', b'"status":"no"'))
    done = here("replay", receipt, "--json")
    assert (done.exit_code, done.document["error"]["kind"]) == (1, "receipt")
    assert "the receipt is not what was written" in done.stderr


def test_approvals_options_and_table_names_come_from_the_receipt(
    here: Cli, cli: Cli, export: Path, tmp_path: Path
) -> None:
    assert here("approve", export, "--column", "value_v", "--unit", "mV", "--why", "label", "--yes").exit_code == 0
    path = tmp_path / "r.json"
    code = "con.sql('select max(value_v) from boards').fetchone()"
    assert here(export, "--table", "boards", "-c", code, "--receipt", path).exit_code == 0
    other = {"BENCH_ANALYZE_DATA": str(tmp_path / "another user")}
    done = cli("replay", path, "--json", environment=other)
    assert (done.exit_code, done.document["same"]) == (0, True), done.said


@pytest.mark.parametrize(
    "code", ["1 / 0", "import os\nos._exit(3)", "while True: pass", "print('x' * 2_000_000)"], ids=str
)
def test_runs_that_failed_replay_as_they_failed(here: Cli, export: Path, tmp_path: Path, code: str) -> None:
    path = tmp_path / "r.json"
    here(export, "-c", code, "--receipt", path, "--wall-time", "1")
    done = here("replay", path)
    assert done.exit_code == 0, done.said
    assert done.stdout.startswith("same")


def test_a_receipt_of_tables_without_a_run_replays_too(here: Cli, export: Path, board: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    assert here(export, "--board", board, "--receipt", path).exit_code == 0
    assert receipts.read(path)["tables"].keys() == {"retest"}
    assert here("replay", path).exit_code == 0


def test_several_exports_are_found_by_content(here: Cli, make_export: Callable[..., Path], board: Path) -> None:
    first, second = make_export("a.csv"), make_export("b.csv", unit="V")
    folder = first.parent
    code = "con.sql('select (select sum(value_v) from a), (select sum(value_v) from b)').fetchone()"
    assert here(first, second, "--board", board, "-c", code, "--receipt", folder / "r.json").exit_code == 0
    moved = [path.rename(folder / f"x-{path.name}") for path in (first, second)]
    done = here("replay", folder / "r.json", "--export", moved[1], "--export", moved[0])
    assert done.exit_code == 0, done.said
    done = here("replay", folder / "r.json", "--export", moved[1])
    assert (done.exit_code, str(first) in done.stderr) == (2, True)
    done = here("replay", folder / "r.json", *(f"--export={path}" for path in (*moved, board)))
    assert "3 exports were given, the receipt names 2" in done.stderr


@pytest.mark.parametrize("name", ["decimal_comma", "mixed_fixtures", "overloads", "two_scales"])
def test_fixtures_replay(here: Cli, name: str, tmp_path: Path) -> None:
    folder = ROOT / "fixtures" / name
    (export,) = [path for path in folder.iterdir() if path.suffix not in (".toml", ".json") and path.is_file()]
    snippet = sorted((folder / "snippets").glob("*.py"))[0]
    path = tmp_path / "r.json"
    here(export, "--snippet", snippet, "--allow-partial", "--receipt", path)
    done = here("replay", path)
    assert done.exit_code == 0, done.said
