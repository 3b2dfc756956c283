"""What the main command is asked to do, checked, with the sandbox already starting where a snippet is given.

This module loads before polars, DuckDB and the guard do (0.3 s): the sandbox's process starts meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.ask.messages import Model
from bench.ask.models import Connection, model_of
from bench.cli.options import Options, check, snippet_code
from bench.errors import UsageError
from bench.progress import Progress
from bench.sandboxes import SandboxSource
from bench.source import Source, begin_reading
from bench.store.stores import is_delta
from runner import LAYERS, ResourceLimits, RunnerError


@dataclass(frozen=True, slots=True)
class Job:
    """The exports and options of one command. `code`: the snippet's text, or None; `model`: who answers a
    question; `begun`: the first export, if it is large."""

    exports: list[Path]
    options: Options
    progress: Progress | None
    code: str | None
    sandbox: SandboxSource
    model: Model | None = None
    begun: Source | None = None


def begin(exports: list[Path], options: Options, progress: Progress | None) -> Job:
    """Check the command and begin to start the sandbox if it will be needed.

    Raises:
        UsageError: options that exclude each other, a limit that cannot be, a snippet that cannot be read, no such
            model.
    """
    check(exports, options)
    _check_layers(options)
    code = snippet_code(options)
    model = None if options.ask is None else model_of(options.model, _connection(options))
    seed = None if options.fresh_random else 0
    sandbox = SandboxSource(_limits(options), progress, seed=seed, require_layers=options.require_layer)
    there = options.source is not None and (is_delta(options.source) or Path(options.source).is_file())
    if (code is not None or model is not None) and (there or (exports and all(path.is_file() for path in exports))):
        sandbox.start()
    begun = begin_reading(exports[0]) if exports else None
    return Job(exports, options, progress, code, sandbox, model, begun)


def _connection(options: Options) -> Connection:
    return Connection(options.base_url, min(120.0, options.seconds), options.stream, options.otel)


def _check_layers(options: Options) -> None:
    for name in options.require_layer:
        if name not in LAYERS:
            raise UsageError(f"--require-layer {name}: there is no such layer", hint=f"there are {', '.join(LAYERS)}")


def _limits(options: Options) -> ResourceLimits:
    default = ResourceLimits()
    try:
        return ResourceLimits(
            wall_time_s=default.wall_time_s if options.wall_time is None else options.wall_time,
            memory_mb=default.memory_mb if options.memory_mb is None else options.memory_mb,
        )
    except RunnerError as error:
        raise UsageError(error.message, hint=error.hint) from error
