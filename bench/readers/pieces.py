"""Some columns of a plain text, piece by piece: memory holds one piece, not the file's pages or a queue of batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import polars as pl

from bench.export import LINE, ROW, PlainText

PIECE_BYTES = 8 << 20


def ahead(found: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield the same pieces; while one is used the next is already made, by a thread of its own."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        coming = pool.submit(next, found, None)
        while (piece := coming.result()) is not None:
            coming = pool.submit(next, found, None)
            yield piece


def regrouped(found: Iterable[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """Yield the same rows in pieces of `rows` each, but for the last."""
    held: list[pl.DataFrame] = []
    for piece in found:
        held.append(piece)
        while sum(frame.height for frame in held) >= rows:
            whole = pl.concat(held, rechunk=False)
            yield whole.head(rows)
            held = [whole.slice(rows)]
    if any(frame.height for frame in held):
        yield pl.concat(held, rechunk=False)


def pieces(text: PlainText, columns: Sequence[str], *, size: int = PIECE_BYTES) -> Iterator[pl.DataFrame]:
    """Yield `_row`, `_line` and the texts of some columns, an empty cell as null, in the order of the file."""
    wanted = {text.columns.index(name): name for name in columns}
    row = 0
    with text.path.open("rb") as file:
        for _ in range(text.skip_lines):
            file.readline()
        rest = b""
        while block := file.read(size):
            block = rest + block
            end = block.rfind(b"\n") + 1
            rest = block[end:]
            if end:
                yield (piece := _read(block[:end], text, wanted, row))
                row += piece.height
        if rest:
            yield _read(rest, text, wanted, row)


def _read(block: bytes, text: PlainText, wanted: dict[int, str], row: int) -> pl.DataFrame:
    found = pl.read_csv(
        block, has_header=False, separator=text.delimiter, quote_char=None, infer_schema=False, columns=sorted(wanted)
    )
    found.columns = [wanted[number] for number in sorted(wanted)]
    numbers = pl.int_range(row + 1, row + 1 + found.height, dtype=pl.Int64, eager=True).alias(ROW)
    return found.select(numbers, (numbers + text.skip_lines).alias(LINE), *wanted.values())
