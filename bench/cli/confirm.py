"""Asking a person, on stderr and only where there is one: both ends must be a terminal."""

# ruff: noqa: PLC0415 - imports inside functions keep `--help` and usage errors fast
from __future__ import annotations

import sys


def confirm(act: str) -> bool | None:
    """Show an act and return whether it was confirmed by "yes" or "y"; None where nobody can answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    from rich.console import Console

    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    console.print(act, soft_wrap=True)
    console.print("Approve this? [y/N] ", end="")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
