"""The proof of a plain text, whatever its blocks: what it watches for shows wherever it first stands."""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.readers import plain
from bench.readers.encoding import NotUtf8, Text
from bench.readers.plain import Proof, Shape
from bench.readers.second import Expected

NAMES = ("Serial", "VOUT", "IOUT")
SHAPE = Shape(
    ",", 3, NAMES, comment="#", header_texts=("Serial,VOUT,IOUT",),
    expected=Expected((1, 2), NAMES, frozenset(), b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRTUVWXYZ"),
)  # fmt: skip
ROWS = ["S1,5.01,0.2", "S_2,,", "S3,5.02,-1e-3", "Sμ,4.99,0.1", "S5,NaN,0.3", "S6, 5.0 ,0.1"]
ODD = ["Serial,VOUT,IOUT", "# paused", "Vin,Iin,Pin", "S7,5.01", "S8,5.01,1,", 'S"9,1,2', "", "S\0,1,2", "S\r,1,2"]


def proved(lines: Sequence[str], block: int, end: bytes = b"\n", stray: bytes = b"") -> Proof | None:
    """Return the proof of a text of which nobody has looked at the bytes, read in blocks of this size."""
    data = end.join(line.encode() for line in lines) + end + stray
    with tempfile.TemporaryDirectory() as folder, patch.object(plain, "_BLOCK_BYTES", block):
        path = Path(folder) / "x.csv"
        path.write_bytes(data)
        return plain.prove(Text(data, path, 0, "utf-8", checked=0), 0, SHAPE)


@given(st.lists(st.sampled_from(ROWS), min_size=1, max_size=30), st.integers(1, 70))
def test_rows_alone_are_proved_and_their_underscores_counted(rows: list[str], block: int) -> None:
    assert proved(rows, block) == Proof(len(rows), "".join(rows).count("_"))


@given(
    st.lists(st.sampled_from(ROWS), min_size=1, max_size=20), st.lists(st.sampled_from(ROWS), max_size=20),
    st.sampled_from(ODD), st.integers(1, 70),
)  # fmt: skip
def test_no_line_that_is_no_row_is_passed_over(before: list[str], after: list[str], odd: str, block: int) -> None:
    assert proved([*before, odd, *after], block) is None


@given(
    st.lists(st.sampled_from(ROWS), min_size=1, max_size=20), st.integers(1, 70), st.sampled_from([b"\xff", b"\xce"])
)
def test_bytes_that_are_no_utf8_are_seen_wherever_they_stand(rows: list[str], block: int, stray: bytes) -> None:
    with pytest.raises(NotUtf8):
        proved(rows, block, stray=b"S" + stray + b",1,2\n" if stray == b"\xff" else b"S1,1," + stray)


def test_a_character_across_two_blocks_is_no_fault() -> None:
    rows = ["S1,5.01,0.2"] * 3 + ["Sμ,4.99,0.1"]
    cut = len("\n".join(rows[:3]).encode()) + 1 + len(b"S\xce")
    assert codecs.encode("μ", "utf-8") == b"\xce\xbc"
    assert proved(rows, cut) == Proof(4, 0)
