"""What a lazy frame's failure means: the text of an export was not what its head promised."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from bench.errors import ExportError


@contextmanager
def reading(export: Path) -> Iterator[None]:
    """Turn what polars raises while a frame of this export is collected into an `ExportError` that names the file."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise ExportError(f"could not be read to its end: {first_line(error)}", file=export) from error


def first_line(error: Exception) -> str:
    """Return the first line of an error's text, or its class's name."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
