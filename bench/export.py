"""What a reader gives: an export as text, before anything is believed.

Nothing here is typed, scaled or cleaned: a cell is the text that the file holds, so that the guard judges what was
written and a corrected value can be traced to its row and line. `rows_read` counts every data record; those whose
fields could not be assigned to columns are in `quarantine`, and `_row` numbers both in file order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from bench.source import Source
    from guards import ExportColumn

ROW = "_row"
LINE = "_line"
RESERVED = (ROW, LINE)
QUARANTINE_SCHEMA = pl.Schema({ROW: pl.Int64, LINE: pl.Int64, "reason": pl.String, "text": pl.String})


def no_quarantine() -> pl.DataFrame:
    """Return an empty quarantine table."""
    return pl.DataFrame(schema=QUARANTINE_SCHEMA)


def path_text(path: Path) -> str:
    """Return a path as text that every file can hold: a byte that is no UTF-8 becomes \\udcXX, spelled out."""
    return str(path).encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, slots=True)
class PlainText:
    """Rows as they stand in a file of UTF-8: behind `skip_lines` lines, each line is one record of exactly `columns`.

    No cell is quoted, none is the comment of a line, and numbers use a decimal point. All lines end alike.
    `underscores`: how many the rows have, None before that was counted.
    """

    path: Path
    skip_lines: int
    columns: tuple[str, ...]
    delimiter: str
    underscores: int | None = field(default=None, compare=False)


BeginLoad = Callable[[PlainText, pl.DataFrame, Sequence["ExportColumn"]], Callable[[], int | None]]
"""Begins to load rows that look plain while the reader still proves that they are. Given the text, its first rows and
its columns; what it returns waits, and gives how many rows there were, None where a line was not what it should be."""


@dataclass(frozen=True, slots=True)
class RawTable:
    """One table of an export, as text.

    `frame` has `_row` and `_line` (Int64, both 1-based) and one String column for each of `columns`, in their order;
    an empty unquoted cell is null. Rows are in file order. `rows_read` = rows of `frame` + height of `quarantine`
    (`_row`, `_line`, `reason`, `text`: the record as the file holds it). `decimal` is the mark that numbers use.
    `plain`: where the same rows can be read by something faster, None where only the reader can.
    """

    name: str
    frame: pl.LazyFrame
    columns: tuple[ExportColumn, ...]
    rows_read: int
    quarantine: pl.DataFrame
    decimal: str = "."
    plain: PlainText | None = None


@dataclass(frozen=True, slots=True)
class Export:
    """One file that a bench wrote.

    `dialect` says what the reader took and why; `metadata` holds a preamble's keys and values. `sha256` and `bytes`
    belong to the file as it is on disk; `source` gives those bytes again, compressed.
    """

    path: Path
    format: str
    dialect: Mapping[str, object]
    tables: tuple[RawTable, ...]
    source: Source
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """SHA-256 of the file's bytes, in hex. Waits for the background pass."""
        return self.source.sha256

    @property
    def bytes(self) -> int:
        """Size of the file in bytes. Waits for the background pass."""
        return self.source.bytes
