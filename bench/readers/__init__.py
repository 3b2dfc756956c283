"""Readers: one module a format family; `read` chooses by content and name."""

from __future__ import annotations

from pathlib import Path

from bench.export import Export
from bench.readers.delimited import read_delimited
from bench.readers.options import ReadOptions
from bench.source import Source

__all__ = ["ReadOptions", "read"]


def read(path: Path | str, options: ReadOptions | None = None) -> Export:
    """Return an export as text, from whatever format the file is in.

    Raises:
        ExportError: the file is not there, is no export, or can be read two ways with different numbers.
        UsageError: an option that cannot be.
        EnvironmentProblem: no room for temporary files.
    """
    source = Source(Path(path))
    return read_delimited(source, options or ReadOptions())
