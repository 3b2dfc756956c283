"""Receipts: canonical, whole or absent, and found out when one byte of them was altered."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench
from bench import fingerprints, receipts

CODE = "import random\n[con.sql('select max(value_v) from retest').fetchone()[0], random.random()]"


@given(st.dictionaries(st.text(), st.floats() | st.text() | st.none()))
def test_canonical_json_does_not_depend_on_order(value: dict[str, object]) -> None:
    assert receipts.canonical(value) == receipts.canonical(dict(reversed(value.items())))


def test_canonical_json_holds_no_nan() -> None:
    assert receipts.canonical({"b": math.nan, "a": [1.5]}) == b'{"a":[1.5],"b":null}'


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A receipt of one run on a small export without a board."""
    folder = tmp_path_factory.mktemp("receipt")
    (folder / "log.csv").write_text("serial,vout_v\nA,4.99\nB,5.01\n")
    with bench.analyze(folder / "log.csv") as analysis:
        assert analysis.run("con.sql('select sum(vout_v) from log').fetchone()[0]").value == 10.0
        return receipts.write(analysis.receipt(), folder / "receipt.json")


def test_a_receipt_names_everything_a_figure_came_from(export: Path, board: Path) -> None:
    with bench.analyze(export, board=board, delimiter=",") as analysis:
        run = analysis.run(CODE)
        analysis.run("open('/out/note.txt', 'w').write('passed')\nprint('done')")
        receipt = analysis.receipt()
    assert run.status == "ok", run.error
    (source,) = receipt["exports"]  # type: ignore[misc]
    assert source["sha256"] == receipts.sha256(export.read_bytes())
    assert source["profile"] == {"path": str(board), "sha256": receipts.sha256(board.read_bytes())}
    assert receipt["options"]["delimiter"] == ","  # type: ignore[index]
    first, second = receipt["runs"]  # type: ignore[misc]
    assert first["snippet_sha256"] == receipts.sha256(CODE.encode())
    assert (first["value"], first["seed"], first["status"]) == (run.value, 0, "ok")
    assert abs(first["clock_ms"] - second["clock_ms"]) < 60_000
    assert {"image", "limits", "layers", "reads", "warnings", "error", "value_sha256"} <= first.keys()
    assert second["stdout_sha256"] == receipts.sha256(b"done\n")
    assert second["artifacts"] == [
        {"name": "note.txt", "media_type": "text/plain", "bytes": 6, "sha256": receipts.sha256(b"passed")}
    ]
    assert receipt["tables"].keys() == {"retest"}  # type: ignore[attr-defined]
    assert {"python", "polars", "duckdb"} <= receipt["versions"].keys()  # type: ignore[attr-defined]


def test_an_approval_that_was_used_stands_in_the_receipt(here: object, export: Path, board: Path) -> None:
    assert here("approve", export, "--column", "value_v", "--unit", "mV", "--why", "label", "--yes").exit_code == 0  # type: ignore[operator]
    with bench.analyze(export) as analysis:
        (source,) = analysis.receipt()["exports"]  # type: ignore[misc]
    assert [(each["column"], each["unit"], each["why"]) for each in source["approvals"]] == [("value_v", "mV", "label")]


def test_the_content_of_a_table_does_not_depend_on_its_batches_and_tells_null_from_empty() -> None:
    frame = pl.DataFrame({"a": [0.1, None, 5e-324], "b": ["x", "", None]})
    whole = fingerprints.of_frames([frame])
    assert fingerprints.of_frames([frame[:1], frame[1:]]) == whole
    others = [
        frame.with_columns(b=pl.Series(["x", None, None])),
        frame.rename({"a": "c"}),
        frame.cast({"a": pl.Float32}),
    ]
    assert len({whole, *(fingerprints.of_frames([other]) for other in others)}) == 4


def test_a_receipt_reads_back_as_it_was_written(written: Path) -> None:
    receipt = receipts.read(written)
    assert receipts.canonical(receipt) + b"\n" == written.read_bytes()
    assert receipts.default_path(Path("x"), receipt).name.endswith(f"-{receipt['id'][:12]}.json")
    assert [found.name for found in written.parent.iterdir() if found.name.startswith(".")] == []


def test_a_receipt_altered_in_any_byte_is_found_out(written: Path, tmp_path: Path) -> None:
    data = written.read_bytes()
    copy = tmp_path / "receipt.json"
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 1
        copy.write_bytes(changed)
        with pytest.raises((receipts.ReceiptError, bench.UsageError)):
            receipts.read(copy)


@pytest.mark.parametrize(
    "alter",
    [
        lambda data: data.replace(b'"value":10.0', b'"value":10.5'),
        lambda data: data.replace(b'"path":"', b'"path":"/other'),
        lambda data: data + b"\n",
        lambda data: json.dumps(json.loads(data)).encode(),
        lambda data: data.replace(b'"format":4,', b'"format":4,"format":4,'),
        lambda data: data[:-30],
    ],
    ids=["value", "path", "newline", "blanks", "key twice", "cut"],
)
def test_an_altered_receipt_says_so(written: Path, tmp_path: Path, alter: object) -> None:
    copy = tmp_path / "receipt.json"
    copy.write_bytes(alter(written.read_bytes()))  # type: ignore[operator]
    assert copy.read_bytes() != written.read_bytes()
    with pytest.raises(receipts.ReceiptError, match=r"receipt\.json: the receipt is not what was written: .*Hint"):
        receipts.read(copy)


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"a": 1}', "this is no receipt"), ('{"id": "x", "runs": [], "format": 99}', "its format is 99, expected 4")],
)
def test_what_is_no_receipt_of_this_version_is_usage(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(bench.UsageError, match=message):
        receipts.read(tmp_path / "x.json")
    with pytest.raises(bench.UsageError, match=r"none\.json: the receipt cannot be read: No such file"):
        receipts.read(tmp_path / "none.json")


def test_a_receipt_that_cannot_be_written_says_where_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(bench.EnvironmentProblem, match=r"receipt could not be written.*Hint: .*--receipt FILE"):
        receipts.write({"id": "x"}, tmp_path / "file" / "receipt.json")
