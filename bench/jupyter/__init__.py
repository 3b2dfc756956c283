"""Notebooks: what an analysis, a report, a run and an answer look like there, and the magics `%%snippet` and `%ask`.

    %load_ext bench

The guard and the runner know nothing of HTML: their results get their looks by formatters that are registered here,
when an analysis is made in IPython or the extension is loaded. IPython itself is imported only where it runs already.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["load_ipython_extension", "register"]


def load_ipython_extension(ipython: Any) -> None:
    """Register the looks and the magics; what `%load_ext bench` calls."""
    from bench.jupyter.magics import BenchMagics  # noqa: PLC0415 - needs IPython

    register(ipython)
    ipython.register_magics(BenchMagics(ipython))


def register(ipython: Any = None) -> None:
    """Register the looks in the shell that runs (or `ipython`); without one nothing happens."""
    shell = ipython if ipython is not None else running()
    if shell is not None:
        from bench.jupyter.looks import register_looks  # noqa: PLC0415 - only where somebody looks

        register_looks(shell.display_formatter.formatters)


def running() -> Any:
    """Return the IPython shell that runs, None without one; IPython is not imported for the question."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()
