"""Columns of a plain text come piece by piece as they would at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from bench.export import PlainText
from bench.readers.pieces import ahead, pieces, regrouped


@pytest.mark.parametrize("size", [1, 7, 16, 1 << 20])
@pytest.mark.parametrize("ending", ["\n", ""])
def test_pieces_of_any_size_are_the_whole(tmp_path: Path, size: int, ending: str) -> None:
    rows = [("SN-1", "4.99", "µ"), ("SN-2", "", "a b"), ("", "5.01", ""), ("", "", ""), ("SN-5", "-1e-3", '"')]
    path = tmp_path / "plain.csv"
    path.write_text("title\na;b;c\n" + "\n".join(";".join(row) for row in rows) + ending)
    text = PlainText(path, 2, ("a", "b", "c"), ";")
    found = pl.concat(ahead(pieces(text, ["c", "b"], size=size)))
    assert found.columns == ["_row", "_line", "c", "b"]
    assert found.rows() == [(n, n + 2, c or None, b or None) for n, (_, b, c) in enumerate(rows, 1)]


def test_a_failure_within_comes_to_who_waits() -> None:
    def failing() -> Iterator[pl.DataFrame]:
        yield pl.DataFrame({"a": [1]})
        raise OSError("gone")

    found = ahead(failing())
    assert next(found).height == 1
    with pytest.raises(OSError, match="gone"):
        next(found)


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 100])
def test_pieces_are_put_together_to_whole_groups(rows: int) -> None:
    frames = [pl.DataFrame({"a": list(range(first, last))}) for first, last in [(0, 3), (3, 3), (3, 4), (4, 11)]]
    found = list(regrouped(frames, rows))
    assert [frame.height for frame in found] == [rows] * (11 // rows) + ([11 % rows] if 11 % rows else [])
    assert pl.concat(found)["a"].to_list() == list(range(11))
