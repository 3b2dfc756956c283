"""`analyze()`: the first export is being read while the rest of the package, polars and DuckDB are imported.

The bytes of a large export are hashed and compressed without the interpreter's lock (0.6 s for 348 MB), and the imports
keep one core busy (0.4 s): side by side they cost the longer of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from bench.progress import Progress
from bench.source import Source, begin_reading

if TYPE_CHECKING:
    from bench.analysis import Analysis
    from bench.sandboxes import SandboxSource
    from runner import ResourceLimits

PathText = str | PathLike[str]


def analyze(
    exports: PathText | Sequence[PathText],
    *,
    board: PathText | None = None,
    db: PathText | None = None,
    progress: Progress | None = None,
    limits: ResourceLimits | None = None,
    sandbox: SandboxSource | None = None,
    history: PathText | None = None,
    begun: Source | None = None,
    table: str | None = None,
    reader: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header_rows: int | None = None,
) -> Analysis:
    """Read one or several exports, judge and correct them, and write the DuckDB file.

    `board`: a profile (TOML) for all of them; without it `board.toml` beside each export is used if it is there.
    `db`: the file to keep; without it the database is temporary. `progress(label, done, total)` is called at times.
    `limits` bound each later `run`; `sandbox` is one that was told to start earlier (its own limits hold), and is
    closed with the analysis, or when this fails. `begun`: the first export, if somebody has begun to read it.
    `history`: a database of earlier exports (`db` of an earlier call, or a store), whose values are a witness for those
    of the same tables. `table` names the table of a single export. The other options are those of the readers.

    Raises:
        ExportError: an export cannot be read. ProfileError: the profile cannot be used.
        UsageError: `db` exists and is not ours, or the options contradict each other.
        EnvironmentProblem: the database cannot be written.
    """
    paths = [Path(fspath(path)) for path in ([exports] if isinstance(exports, str | PathLike) else exports)]
    begun = begun or (begin_reading(paths[0]) if paths else None)
    from bench.pipeline import analyze_exports  # noqa: PLC0415 - while the first export is being read
    from bench.readers import ReadOptions  # noqa: PLC0415

    return analyze_exports(
        paths,
        ReadOptions(table, reader, delimiter, decimal, encoding, header_rows),
        board=_path(board),
        db=_path(db),
        history=_path(history),
        progress=progress,
        limits=limits,
        sandbox=sandbox,
        begun=begun,
    )


def _path(text: PathText | None) -> Path | None:
    return None if text is None else Path(fspath(text))
