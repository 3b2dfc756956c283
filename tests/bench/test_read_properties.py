"""Accounting holds for any text, and the two paths give the same answers."""

import csv
import io
import tempfile
from pathlib import Path

import polars as pl
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bench.errors import BenchError
from bench.export import Export
from bench.readers import ReadOptions, delimited, plain, read
from bench.readers.encoding import open_text
from bench.readers.plain import Shape
from bench.readers.records import Careful
from bench.source import Source

COMMON = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LINES = st.lists(
    st.text(alphabet=st.sampled_from(list('ab19.,;"\t|#- \r\0µ')), max_size=14)
    | st.sampled_from(["", "1,2,3", "a,b,c", '"x","y","z"']),
    max_size=14,
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def read_text(content: bytes, options: ReadOptions | None = None) -> Export:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(content)
        return read(path, options)


def line_count(text: str) -> int:
    return len(io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n")).readlines())


def check_accounts(export: Export) -> int:
    table = export.tables[0]
    kept = table.frame.collect()
    assert table.rows_read == kept.height + table.quarantine.height
    numbers = pl.concat([kept.get_column("_row"), table.quarantine.get_column("_row")]).sort()
    assert numbers.to_list() == list(range(1, table.rows_read + 1))
    assert kept.get_column("_line").is_sorted()
    assert not table.quarantine.get_column("reason").str.len_chars().eq(0).any()
    counts = export.dialect["lines"]
    assert isinstance(counts, dict)
    return sum(counts.values())


@COMMON
@given(LINES, ENDS, st.booleans())
@example(["", "1\x00"], "\r\n", False)
def test_every_line_of_any_text_is_accounted_for(lines: list[str], end: str, closed: bool) -> None:
    text = end.join(lines) + (end if closed else "")
    try:
        export = read_text(text.encode())
    except BenchError:
        return
    accounted = check_accounts(export)
    if "\r" not in text.replace("\r\n", ""):
        assert accounted == line_count(text)


@COMMON
@given(st.binary(max_size=300))
def test_any_bytes_read_or_are_refused(content: bytes) -> None:
    try:
        export = read_text(content)
    except BenchError:
        return
    check_accounts(export)


CELL = st.text(alphabet=st.sampled_from(list("ab19. -µ#'")), max_size=6)


@COMMON
@given(
    st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_the_fast_path_and_the_careful_one_agree(table: list[list[str]], end: str, closed: bool) -> None:
    text = end.join(";".join(row) for row in table) + (end if closed else "")
    shape = Shape(";", 3, ("x", "y", "z"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(text.encode())
        opened = open_text(Source(path))
        proof = plain.prove(opened, 0, shape)
        assert proof == plain.Proof(len(table), text.count("_"))
        fast = plain.scan(opened, 0, 1, shape).collect()
        careful = Careful(opened, 0, 1, shape)
        pieces = list(careful.pieces())
    slow = pl.concat([piece.kept for piece in pieces])
    assert_frame_equal(fast, slow)
    assert careful.tally.quarantined == 0
    assert fast.select("x", "y", "z").rows() == [tuple(cell or None for cell in row) for row in table]


@COMMON
@given(
    st.lists(
        st.lists(st.text(alphabet=st.sampled_from(list('ab1,"\n ;')), max_size=6), min_size=3, max_size=3),
        min_size=1,
        max_size=10,
    ),
    st.integers(1, 60),
)
def test_what_a_csv_writer_wrote_comes_back(table: list[list[str]], block: int) -> None:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(table)
    shape = Shape(",", 3, ("x", "y", "z"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(written.getvalue().encode())
        careful = Careful(open_text(Source(path)), 0, 1, shape)
        kept = pl.concat([piece.kept for piece in careful.pieces(block_bytes=block)])
    assert kept.select("x", "y", "z").rows() == [tuple(row) for row in table]
    assert kept.get_column("_row").to_list() == list(range(1, len(table) + 1))
    starts = [1]
    for row in table:
        starts.append(starts[-1] + 1 + sum(cell.count("\n") for cell in row))
    assert kept.get_column("_line").to_list() == starts[:-1]


@COMMON
@given(LINES, st.integers(1, 40))
def test_the_size_of_a_block_changes_nothing(lines: list[str], block: int) -> None:
    text = "\n".join(lines) + "\n"
    shape = Shape(",", 3, ("x", "y", "z"), comment="#")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(text.encode())
        try:
            opened = open_text(Source(path))
        except BenchError:
            return
        whole = Careful(opened, opened.start, 1, shape)
        first = list(whole.pieces())
        cut = Careful(opened, opened.start, 1, shape)
        second = list(cut.pieces(block_bytes=block))
    assert whole.tally == cut.tally
    for what in ("kept", "quarantine"):
        one, two = [[getattr(piece, what) for piece in pieces] for pieces in (first, second)]
        if one and two:
            assert_frame_equal(pl.concat(one), pl.concat(two))


def test_the_careful_path_spills_to_disk_and_stays_right(tmp_path: Path) -> None:
    body = "".join(f'{n},"{n / 8}",x\n' for n in range(300_000))
    path = tmp_path / "x.csv"
    path.write_text("n,v,k\n" + body)
    source = Source(path)
    text = open_text(source)
    shape = Shape(",", 3, ("n", "v", "k"))
    store = delimited._Store(source, shape, in_memory_bytes=1 << 20)
    store.take(Careful(text, 6, 2, shape).pieces(block_bytes=1 << 20))
    frame = store.frame().select("_row", "_line", "v").collect()
    assert frame.height == 300_000
    assert frame.row(299_999) == (300_000, 300_001, str(299_999 / 8))
    assert list(source.scratch().iterdir())


@COMMON
@given(
    st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=10),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.integers(0, 30),
)
def test_quoted_columns_read_alike_on_both_paths(
    table: list[list[str]], quoted: tuple[bool, bool, bool], end: str, closed: bool, stray: int
) -> None:
    lines = [";".join(f'"{cell}"' if q else cell for cell, q in zip(row, quoted, strict=True)) for row in table]
    text = end.join(lines) + (end if closed else "")
    if stray % 3 == 0 and '"' in text:
        at = text.index('"')
        text = text[:at] + "x" + text[at:]  # the quote no longer begins its field
    shape = Shape(";", 3, ("x", "y", "z"), quoted=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(text.encode())
        opened = open_text(Source(path))
        proof = plain.prove(opened, 0, shape)
        if proof is None:
            return
        fast = plain.scan(opened, 0, 1, shape).collect()
        pieces = list(Careful(opened, 0, 1, Shape(";", 3, ("x", "y", "z"))).pieces())
    assert proof.rows == fast.height == len(table)
    assert_frame_equal(fast, pl.concat([piece.kept for piece in pieces]))


def test_uniformly_quoted_columns_take_the_fast_path() -> None:
    export = read_text(b'n,"v"\n"a",1\n"b",2\n"",3\n')
    assert export.dialect["path"] == "plain"
    assert export.tables[0].frame.collect().rows() == [(1, 2, "a", "1"), (2, 3, "b", "2"), (3, 4, "", "3")]


def test_tables_of_one_export_that_spill_do_not_overwrite_each_other(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("n,v,k\n" + "".join(f'{n},"{n}",x\n' for n in range(60_000)))
    source = Source(path)
    shape = Shape(",", 3, ("n", "v", "k"))
    stores = [delimited._Store(source, shape, in_memory_bytes=1 << 16) for _ in range(2)]
    for store, start, line in zip(stores, (6, path.read_bytes().index(b"30000,")), (2, 30_002), strict=True):
        store.take(Careful(open_text(source), start, line, shape).pieces(block_bytes=1 << 18))
    assert [store.frame().select("n").collect().get_column("n")[0] for store in stores] == ["0", "30000"]


def test_what_the_named_encoding_cannot_read_is_said() -> None:
    export = read_text("n,v\n1,2\n".encode("utf-16-le") + b"\x00\xd8a\x00\n\x00", ReadOptions(encoding="utf-16-le"))
    assert "were read as the replacement character" in str(export.dialect["encoding_note"])
