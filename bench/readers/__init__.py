"""Readers: one module a format family; `read` chooses by content, then by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.errors import ExportError
from bench.export import BeginLoad, Export
from bench.readers.content import unwrap
from bench.readers.formats import Format, choose, formats
from bench.readers.options import ReadOptions
from bench.source import Source

__all__ = ["Format", "ReadOptions", "formats", "read"]


def read(
    export: Path | str | Source, options: ReadOptions | None = None, begin_load: BeginLoad | None = None,
    *, keep: bool = False,
) -> Export:  # fmt: skip
    """Return an export as text, from whatever format the file is in.

    `export`: its path, or what has begun to read it. `begin_load` may load the rows of a large plain text while the
    reader proves them plain. `keep`: the export's compressed bytes will be asked for.

    Raises:
        ExportError: the file is not there, is no export, or can be read two ways with different numbers.
        UsageError: an option that cannot be.
        EnvironmentProblem: no room for temporary files, or a package that the format needs is not installed.
    """
    chosen = options or ReadOptions()
    source = export if isinstance(export, Source) else Source(Path(export), keep=keep)
    source.begin_load = begin_load
    content = unwrap(source)
    try:
        found = choose(source, content, chosen).load()(source, chosen, content)
    except ExportError as problem:
        problem.file = problem.file or str(source.path)
        raise
    if content.wrapping is None:
        return found
    return replace(found, dialect={**found.dialect, "wrapping": content.wrapping})
