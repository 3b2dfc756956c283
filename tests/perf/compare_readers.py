"""The public delimited exports through polars, DuckDB, clevercsv and this reader: right, raised, or silently wrong.

    python tests/perf/compare_readers.py

Right means the column names, the number of rows and the first value of a known column, as a person read them
(tests/bench/test_read_public.py). A reader that is not installed is left out.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from bench.readers import read

TESTS = Path(__file__).parents[1] / "bench" / "test_read_public.py"
Found = tuple[list[str], list[tuple[Any, ...]]]


def truth() -> Any:
    """Return the module with the hand-made table."""
    spec = importlib.util.spec_from_file_location("test_read_public", TESTS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_polars(path: Path) -> Found:
    frame = pl.read_csv(path)
    return frame.columns, frame.rows()


def by_duckdb(path: Path) -> Found:
    answer = duckdb.connect().execute("select * from read_csv(?)", [str(path)])
    assert answer.description is not None
    return [column[0] for column in answer.description], answer.fetchall()


def by_clevercsv(path: Path) -> Found:
    import clevercsv  # noqa: PLC0415 - it may not be installed

    table = clevercsv.read_table(str(path))
    return table[0], [tuple(row) for row in table[1:]]


def by_us(path: Path) -> Found:
    table = read(path).tables[0]
    frame = table.frame.select(column.name for column in table.columns).collect()
    return frame.columns, frame.rows()


READERS: dict[str, Callable[[Path], Found]] = {"polars": by_polars, "duckdb": by_duckdb, "clevercsv": by_clevercsv}


def same(found: Any, wanted: str) -> bool:
    """Return whether a value is the wanted text, or the number that it is."""
    try:
        return str(found) == wanted or float(found) == float(wanted.replace(",", "."))
    except (TypeError, ValueError):
        return False


def outcome(reader: Callable[[Path], Found], path: Path, module: Any) -> str:
    """Return right, raised or wrong."""
    width, kept, _, _, _ = module.SHAPES[path.name]
    known = [(at - 1, first) for file, _, at, _, first, _ in module.COLUMNS if file == path.name and first is not None]
    try:
        names, rows = reader(path)
    except Exception:  # noqa: BLE001 - whatever it raises is what is counted
        return "raised"
    right = len(names) == width and len(rows) == kept and all(same(rows[0][at], first) for at, first in known)
    return "right" if right else "wrong"


def main() -> None:
    """Print a line for each file and the totals."""
    module = truth()
    if importlib.util.find_spec("clevercsv") is None:
        del READERS["clevercsv"]
    READERS["bench-analyze"] = by_us
    totals = {name: {"right": 0, "raised": 0, "wrong": 0} for name in READERS}
    print(f"{'file':45}" + "".join(f"{name:>15}" for name in READERS))
    for file in module.SHAPES:
        said = {name: outcome(reader, module.FOLDER / file, module) for name, reader in READERS.items()}
        print(f"{file:45}" + "".join(f"{said[name]:>15}" for name in READERS))
        for name, word in said.items():
            totals[name][word] += 1
    for word in ("right", "raised", "wrong"):
        print(f"{word:45}" + "".join(f"{totals[name][word]:>15}" for name in READERS))


if __name__ == "__main__":
    main()
