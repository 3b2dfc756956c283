"""Progress in a notebook: one line that changes, only for what takes more than a second, gone when it is done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bench.jupyter import running
from bench.progress import Progress

AFTER_S = 1.0
EVERY_S = 0.2


class NotebookProgress:
    """A callback (label, done, total) that draws in the cell's output. `display`: IPython's; `clock`: seconds."""

    def __init__(self, display: Callable[..., Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._display, self._clock = display, clock
        self._handle: Any = None
        self._began = clock()
        self._drawn = float("-inf")

    def __call__(self, label: str, done: int, total: int) -> None:
        """Draw, if it has been going on for a second and the last picture is old."""
        now = self._clock()
        if now - self._began < AFTER_S or now - self._drawn < EVERY_S:
            return
        self._drawn = now
        from bench.render.values import lines_text  # noqa: PLC0415 - see below
        from bench.reporting.markup import tag  # noqa: PLC0415 - loaded by those who wait only

        counted = {"value": done, "max": total} if total else {}
        share = f" {done:,} of {total:,}" if total else ""
        self._show(
            tag("div", tag("progress", aria_label=label, **counted), f" {label}{share}"),
            lines_text([f"{label}{share}"]),
        )

    def close(self) -> None:
        """Take the line away; a later call draws a new one."""
        if self._handle is not None:
            self._show("", "")
        self._handle = None
        self._began, self._drawn = self._clock(), float("-inf")

    def _show(self, html: str, plain: str) -> None:
        bundle = {"text/html": html, "text/plain": plain}
        if self._handle is None:
            self._handle = self._display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


@contextmanager
def shown(progress: Progress | None) -> Iterator[Progress | None]:
    """Yield the callback that is given; without one, a notebook's own where a kernel runs."""
    shell = running()
    if progress is not None or shell is None or "ipykernel" not in sys.modules or not hasattr(shell, "kernel"):
        yield progress
        return
    from IPython.display import display  # noqa: PLC0415 - it runs already

    drawn = NotebookProgress(display)
    try:
        yield drawn
    finally:
        drawn.close()
