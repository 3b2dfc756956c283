"""What is said on stderr while somebody waits: a progress bar, only on a terminal, and why a store is waited for."""

# ruff: noqa: PLC0415 - imports inside functions keep `--help` and usage errors fast
from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench.progress import Progress
from bench.render.values import lines_text


@contextmanager
def progress_bar(*, color: bool) -> Iterator[Progress | None]:
    """Yield a callback that draws (label, done, total), or None when stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True, no_color=not color), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def show(label: str, done: int, total: int) -> None:
            if label not in tasks:
                tasks[label] = bar.add_task(lines_text([label]), total=total or None)
            bar.update(tasks[label], completed=done, total=total or None)

        yield show


def note(text: str) -> None:
    """Tell a person, while they wait, why."""
    print(f"bench-analyze: {lines_text([text])}", file=sys.stderr, flush=True)
