"""read -> guard -> write: `analyze_exports()`, the order of the steps and nothing else.

Several exports become several tables of one file; a name that is taken gets `_2`. A sandbox that a front end has told
to start is handed through, so that it starts while the guard works.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from itertools import chain, repeat
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from bench import settings
from bench.analysis import Analysis, temporary_database, temporary_folder
from bench.approvals import Recorded, for_export, recorded
from bench.boards import board_for
from bench.building import Build
from bench.errors import UsageError
from bench.frames import reading
from bench.guarded import BoardFile, GuardedExport, GuardedTable, distinct
from bench.history import read_past
from bench.jupyter.progress import shown
from bench.readers import ReadOptions, read
from bench.releases import Word, release
from bench.sandboxes import SandboxSource
from bench.store.stores import is_delta, refuse_misspelt
from guards import Approval, Past, expected_kinds, guard, head_of

if TYPE_CHECKING:
    import polars as pl

    from bench.export import BeginLoad, Export, PlainText, RawTable
    from bench.source import Source
    from guards import ExportColumn
    from runner import ResourceLimits

Progress = Callable[[str, int, int], None]
# `raw.files` holds the exports' bytes, and a table has the same name in both files.
_RESERVED = frozenset({"files"})


def analyze_exports(
    paths: Sequence[Path],
    options: ReadOptions,
    *,
    board: Path | None = None,
    db: Path | None = None,
    history: Path | None = None,
    progress: Progress | None = None,
    limits: ResourceLimits | None = None,
    sandbox: SandboxSource | None = None,
    begun: Source | None = None,
) -> Analysis:
    """Do what `bench.analyze` does, and raise as it does."""
    with shown(progress) as progress, ExitStack() as undo:
        sandboxes = sandbox or SandboxSource(limits, progress)
        undo.callback(sandboxes.close)
        _check_number(paths, options)
        _check_files(db, history)
        inputs = Inputs(paths, [board_for(path, board) for path in paths], options, history=history, begun=begun)
        found = analyze_inputs(inputs, sandboxes, db=db, progress=progress)
        undo.pop_all()
    return found


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that an analysis depends on. `boards`: the profile of each export.

    `words` of each export (approvals, releases) replace those that this user has recorded, `names` those that the
    tables would get, and `past` of each what the database `history` would say: a receipt knows them. `begun`: the first
    export, where its reading has begun.
    """

    paths: Sequence[Path]
    boards: Sequence[BoardFile | None]
    options: ReadOptions
    words: Sequence[Sequence[Word]] | None = None
    names: Sequence[str] | None = None
    history: Path | None = None
    past: Sequence[Sequence[Past]] | None = None
    begun: Source | None = None


def analyze_inputs(
    inputs: Inputs, sandboxes: SandboxSource, *, db: Path | None = None, progress: Progress | None = None
) -> Analysis:
    """Do what `analyze` does, from inputs that are complete. `sandboxes` stays open when this fails."""
    with ExitStack() as undo:
        temporary = temporary_folder() if db is None else None
        if temporary is not None:
            undo.callback(shutil.rmtree, temporary, ignore_errors=True)
        target = db if db is not None else temporary_database(temporary)
        with Build(target) as build:
            guarded = _guard_all(inputs, progress, build=build)
            build.publish(guarded, now=datetime.now(UTC).replace(tzinfo=None), progress=progress)
        undo.pop_all()
    return Analysis(tuple(guarded), target, sandboxes, temporary, inputs.options)


def _check_number(paths: Sequence[Path], options: ReadOptions) -> None:
    if not paths:
        raise UsageError("no export was named", hint="bench-analyze EXPORT")
    if options.table is not None and len(paths) > 1:
        raise UsageError("one table name was given for several exports", hint="leave --table out, or name one export")


def _check_files(db: Path | None, history: Path | None) -> None:
    for name, path in (("--db", db), ("--history", history)):
        if path is None:
            continue
        refuse_misspelt(str(path))
        if is_delta(path):
            raise UsageError(
                f"{name} of an analysis is a DuckDB file",
                file=path,
                hint=f"bench-analyze ingest INBOX --db {path} fills Delta tables, and --from {path} reads them",
            )


def guard_exports(
    paths: Sequence[Path],
    options: ReadOptions,
    boards: Sequence[BoardFile | None],
    *,
    trial: Word | None = None,
    said: Sequence[Recorded] | None = None,
    keep: bool = False,
) -> list[GuardedExport]:
    """Read and judge exports, and write nothing. Raises as `analyze` does.

    `boards` holds the profile of each. `trial`: a word to judge by as if it had been recorded for them all; `said`:
    what counts as recorded, where that is not what this user's data folder holds. `keep`: the exports' compressed bytes
    will be asked for.
    """
    return _guard_all(Inputs(paths, boards, options), None, trial=trial, said=said, keep=keep)


def _guard_all(
    inputs: Inputs,
    progress: Progress | None,
    *,
    trial: Word | None = None,
    said: Sequence[Recorded] | None = None,
    build: Build | None = None,
    keep: bool = False,
) -> list[GuardedExport]:
    exports = [
        read(begun or path, inputs.options, _begin_load(build, board), keep=keep or build is not None)
        for path, board, begun in zip(inputs.paths, inputs.boards, chain([inputs.begun], repeat(None)), strict=False)
    ]
    if build is not None:
        build.keep(exports)
    words = [(*each, *([trial] if trial else [])) for each in inputs.words or _recorded_words(exports, said)]
    exports = [release(export, said) for export, said in zip(exports, words, strict=True)]
    past = inputs.past or _past(exports, inputs.history)
    names = iter(_table_names(exports, inputs.names))
    found = []
    for number, (export, board, given, known) in enumerate(zip(exports, inputs.boards, words, past, strict=True)):
        if progress:
            progress(f"Checking {export.path.name}", number, len(exports))
        with reading(export.path):
            approved = [word for word in given if isinstance(word, Approval)]
            judged = tuple(
                _guard_table(raw, next(names), board, approved, known, build, export.metadata) for raw in export.tables
            )
            found.append(GuardedExport(export, board, judged, given, tuple(known)))
    return found


def _past(exports: Sequence[Export], history: Path | None) -> list[tuple[Past, ...]]:
    """Return what the database says of each export's tables."""
    names = [{raw.name.lower() for raw in export.tables} for export in exports]
    known = () if history is None else read_past(history, set().union(*names))
    return [tuple(past for past in known if past.table.lower() in own) for own in names]


def _begin_load(build: Build | None, board: BoardFile | None) -> BeginLoad | None:
    """Return what lets DuckDB load an export's rows, typed as the guard expects them, while the reader goes on."""
    if build is None:
        return None

    def begin(text: PlainText, head: pl.DataFrame, columns: Sequence[ExportColumn]) -> Callable[[], int | None]:
        wait = build.begin(text, head, expected_kinds(head, columns, board.board if board else None))
        Thread(target=import_module, args=("guards.schema",), daemon=True).start()  # the guard's slowest import
        return wait

    return begin


def _recorded_words(exports: Sequence[Export], said: Sequence[Recorded] | None) -> list[tuple[Word, ...]]:
    found = recorded(settings.load().approvals) if said is None else said
    return [for_export(found, export) for export in exports]


def _table_names(exports: Sequence[Export], given: Sequence[str] | None) -> list[str]:
    found = [raw.name for export in exports for raw in export.tables]
    return list(given) if given is not None and len(given) == len(found) else distinct(found, _RESERVED)


def _guard_table(
    raw: RawTable,
    name: str,
    board: BoardFile | None,
    approvals: Sequence[Approval],
    past: Sequence[Past],
    build: Build | None,
    metadata: Mapping[str, str],
) -> GuardedTable:
    profile = board.board if board else None
    typed = None
    if build and raw.plain:
        if not build.began(raw.plain):
            head = head_of(raw.frame, raw.columns)
            build.begin(raw.plain, head, expected_kinds(head, raw.columns, profile))
        typed = build.loaded(raw.plain, name, raw.rows_read)
    guarded = guard(
        raw.frame, raw.columns, profile,
        table=name, decimal=raw.decimal, approvals=approvals, typed=typed, metadata=metadata,
        past=[each for each in past if each.table.lower() == raw.name.lower()],
    )  # fmt: skip
    return GuardedTable(name, raw, guarded)
