"""The report: one HTML file with what an export is, what the guard did and why, and what each run and answer gave.

It is for people who were not there: it opens from a mail or a share, without a network, and prints. Its size does not
grow with the rows: DuckDB counts them together, and lists are cut with a word on how much is missing.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bench import publishing
from bench.errors import EnvironmentProblem
from bench.reporting.page import Contents, page

if TYPE_CHECKING:
    from bench.analysis import Analysis
    from bench.progress import Progress

__all__ = ["Contents", "page", "write_report"]


def write_report(analysis: Analysis, path: Path, contents: Contents, progress: Progress | None = None) -> Path:
    """Write the report, whole or not at all, and return its path.

    Raises:
        EnvironmentProblem: the file cannot be written.
    """
    text = page(analysis, contents, progress)
    building = publishing.building(path)
    try:
        building.write_text(text, encoding="utf-8", newline="\n")
        building.replace(path)
    except OSError as error:
        message = f"the report could not be written: {error.strerror or error}"
        raise EnvironmentProblem(message, file=path, hint="name another --report") from error
    finally:
        with suppress(OSError):
            building.unlink(missing_ok=True)
    return path
