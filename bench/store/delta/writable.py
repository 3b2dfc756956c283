"""Whether a store on a disk of this machine may be written, asked before anything is: Delta's own writer tells it late
and, where its log may not be written, with a panic on stderr."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from bench.errors import EnvironmentProblem


def refuse_read_only(root: Path, names: Iterable[str]) -> None:
    """Raise EnvironmentProblem if a folder of a store may not be written; `names`: its tables, there or not."""
    nearest = next(folder for folder in (root, *root.parents) if os.path.lexists(folder))
    tables = [root / name for name in names]
    for folder in [nearest, root / "tables", *tables, *(table / "_delta_log" for table in tables)]:
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            raise EnvironmentProblem(
                f"the folder cannot be written: {_reason(folder)}",
                file=folder,
                hint="mend its permissions, or name another --db",
            )


def _reason(folder: Path) -> str:
    read_only = hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY
    return "Read-only file system" if read_only else "Permission denied"
