"""Parquet and Arrow: typed columns, given as the text that they would have had.

Units come from the file's own metadata where it has a `units` entry (a JSON object of column -> unit), which is also
what this package writes.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import polars as pl

from bench.export import LINE, ROW, Export, RawTable, no_quarantine
from bench.readers import names
from bench.readers.content import Content
from bench.readers.formats import unreadable
from bench.readers.options import ReadOptions
from bench.source import Source
from guards import ExportColumn

_EAGER_BYTES = 256 << 20
_T = TypeVar("_T")


def read_parquet(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a Parquet file's table.

    Raises:
        ExportError: it is cut or broken.
    """
    metadata = _guarded(source, "Parquet", lambda: dict(pl.read_parquet_metadata(_where(content))))
    frame = _guarded(source, "Parquet", lambda: _scanned(content, pl.scan_parquet))
    return _export(source, options, content, "parquet", frame, metadata)


def read_arrow(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return an Arrow IPC file's table.

    Raises:
        ExportError: it is cut or broken.
    """
    frame = _guarded(source, "Arrow IPC", lambda: pl.read_ipc(_where(content)).lazy())
    return _export(source, options, content, "arrow", frame, {})


def _where(content: Content) -> io.BytesIO | Path:
    if content.data is not None:
        return io.BytesIO(content.data)
    assert content.path is not None
    return content.path


def _scanned(content: Content, scan: Callable[..., pl.LazyFrame]) -> pl.LazyFrame:
    frame = scan(_where(content))
    if content.path is None or content.path.stat().st_size <= _EAGER_BYTES:
        return frame.collect().lazy()  # a broken page is found here, not when the guard is at work
    frame.select(pl.len()).collect()
    return frame


def _guarded(source: Source, what: str, step: Callable[[], _T]) -> _T:
    try:
        with _quiet_stderr():
            return step()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as problem:
        raise unreadable(source, what, str(problem).partition("\n")[0]) from problem


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Keep polars' Rust panics, which a broken file can cause, from writing a backtrace past Python to stderr."""
    try:
        kept = os.dup(2)
    except OSError:  # there is no stderr
        yield
        return
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)


def _export(
    source: Source, options: ReadOptions, content: Content, kind: str, frame: pl.LazyFrame, metadata: dict[str, str]
) -> Export:
    schema = frame.collect_schema()
    unique = names.column_names(schema.names())
    units = _units(metadata.get("units"))
    cells = [_text(pl.col(old), dtype).alias(new) for (old, dtype), new in zip(schema.items(), unique, strict=True)]
    rows = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias(ROW)
    height = int(frame.select(pl.len()).collect().item())
    table = RawTable(
        name=options.table or names.table_name(Path(content.name)),
        frame=frame.select(rows, pl.lit(None, pl.Int64).alias(LINE), *cells),
        columns=tuple(
            ExportColumn(new, old, units.get(old, "s" if isinstance(dtype, pl.Duration) else None))
            for (old, dtype), new in zip(schema.items(), unique, strict=True)
        ),
        rows_read=height,
        quarantine=no_quarantine(),
    )
    plain = {key: value for key, value in metadata.items() if key != "ARROW:schema"}
    return Export(
        path=source.path, format=kind, tables=(table,), source=source, metadata=plain,
        dialect={"types": {name: str(dtype) for name, dtype in schema.items()}},
    )  # fmt: skip


def _units(text: str | None) -> dict[str, str]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _text(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if isinstance(dtype, pl.Struct):
        return column.struct.json_encode()
    if isinstance(dtype, pl.Array):
        return _text(column.arr.to_list(), pl.List(dtype.inner))
    if isinstance(dtype, pl.List):
        inner = dtype.inner
        assert isinstance(inner, pl.DataType)
        return column.list.eval(_text(pl.element(), inner)).list.join(" ", ignore_nulls=True)
    if isinstance(dtype, pl.Datetime):
        return column.dt.to_string("iso:strict")
    if isinstance(dtype, pl.Duration):
        return (column.dt.total_nanoseconds() / 1e9).cast(pl.String)  # seconds, as the unit of the column says
    if isinstance(dtype, pl.Binary):
        return column.bin.encode("hex")
    return column.cast(pl.String)
