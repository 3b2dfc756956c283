"""Names that others build on (design.md, "The DuckDB file"): a table's from its file, a column's from its header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bench.errors import ExportError
from bench.export import RESERVED

_DATE = re.compile(r"[-_. ]*(?:\d{4}[-_.]\d{2}(?:[-_.]\d{2})?|\d{8})$")
_OTHER = re.compile(r"[^\w]+")


def table_name(path: Path) -> str:
    """Return a table's name: the stem in lower case, a trailing date dropped, other characters `_`.

    >>> table_name(Path("retest-2026-08-31.csv"))
    'retest'
    """
    name = path.name
    stem = (Path(name).stem or name).lower()
    return _identifier(_DATE.sub("", stem)) or _identifier(stem) or "export"


def _identifier(text: str) -> str:
    name = _OTHER.sub("_", text).strip("_")
    return f"t_{name}" if name[:1].isdigit() else name


def column_names(cells: Sequence[str]) -> tuple[str, ...]:
    """Return unique column names: verbatim, blanks `column_N`, duplicates `_2`, `_3`. Case counts as no difference.

    DuckDB compares names without regard to case, so `V` beside `v` would collide there.

    Raises:
        ExportError: a header holds a NUL, which no table can hold, or is of the form `^...$`, which polars takes for a
            pattern of names.
    """
    for position, cell in enumerate(cells, start=1):
        if "\x00" in cell or (cell.startswith("^") and cell.endswith("$")):
            raise ExportError(
                f"the header of column {position}, {cell!r}, cannot be the name of a column",
                hint="rename it in the export: without NUL bytes, and not between ^ and $",
            )
    taken = {name.lower() for name in RESERVED}
    wanted = {cell.lower() for cell in cells}
    names: list[str] = []
    for position, cell in enumerate(cells, start=1):
        base = cell if cell.strip() else f"column_{position}"
        name, number = base, 2
        while name.lower() in taken or (name != base and name.lower() in wanted):
            name, number = f"{base}_{number}", number + 1
        taken.add(name.lower())
        names.append(name)
    return tuple(names)
