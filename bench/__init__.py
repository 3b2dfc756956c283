"""Bench exports made true, and snippets run on them: the package behind `bench-analyze`.

    import bench

    with bench.analyze("export.csv", board="board.toml") as analysis:
        print(analysis.guard.outcome)
        print(analysis.table("retest"))
        print(analysis.run("con.sql('select count(*) from retest').fetchone()").value)

Names are loaded on first use, so that `import bench` (and `bench-analyze --help`) costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.analysis import Analysis
    from bench.ask.figures import Verification
    from bench.ask.verify import verify
    from bench.entry import analyze
    from bench.errors import (
        BenchError,
        EnvironmentProblem,
        ExportAmbiguous,
        ExportChanged,
        ExportEmpty,
        ExportError,
        ExportMissing,
        ProfileError,
        UsageError,
    )
    from bench.store.opened import open

_ERRORS = (
    "BenchError", "EnvironmentProblem", "ExportAmbiguous", "ExportChanged", "ExportEmpty", "ExportError",
    "ExportMissing", "ProfileError", "UsageError",
)  # fmt: skip
_HOMES = {
    "Analysis": "bench.analysis",
    "analyze": "bench.entry",
    "open": "bench.store.opened",
    "Verification": "bench.ask.figures",
    "verify": "bench.ask.verify",
} | dict.fromkeys(_ERRORS, "bench.errors")

__all__ = [
    "Analysis",
    "BenchError",
    "EnvironmentProblem",
    "ExportAmbiguous",
    "ExportChanged",
    "ExportEmpty",
    "ExportError",
    "ExportMissing",
    "ProfileError",
    "UsageError",
    "Verification",
    "analyze",
    "open",
    "verify",
]


def load_ipython_extension(ipython: Any) -> None:
    """Register what `%load_ext bench` gives a notebook: how results look, `%%snippet`, `%ask`."""
    from bench.jupyter import load_ipython_extension as load  # noqa: PLC0415 - only notebooks pay for it

    load(ipython)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
