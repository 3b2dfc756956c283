"""The final check: pandera schemas built from the board and the verdicts validate the corrected values.

Their failure cases *are* the faults of the report: values that lie outside the absolute range under the resolved unit.
They stay in the table. pandera's polars backend checks data only in eager frames, so a first schema judges the extremes
of every column, one row a column, and only the columns that fail there are fetched and checked row by row, in batches
(0.05 s and 55 MB on 5M x 7, against 0.2 s and 400 MB for the whole frame at once).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandera.polars as pa
import polars as pl
from pandera.api.polars.types import PolarsData
from pandera.errors import SchemaErrors

from guards.parts import Part

_BATCH_ROWS = 250_000
Bounds = tuple[float, float]


def bounds_of(part: Part) -> Bounds | None:
    """Return the absolute range of a part's corrected values in its target unit, None where it has none."""
    if part.absolute is None or part.target is None or part.quantity != part.target.quantity:
        return None
    lower, upper = (
        None if edge is None else float((edge - part.target.offset) / part.target.scale)
        for edge in (part.absolute.lower, part.absolute.upper)
    )
    return (-math.inf if lower is None else lower), (math.inf if upper is None else upper)


def build_schema(bounds: Mapping[str, Bounds]) -> pa.DataFrameSchema:
    """Return the schema of a table whose columns are named as in `bounds`: Float64, nulls allowed, in range."""
    return pa.DataFrameSchema(
        {
            name: pa.Column(pl.Float64, pa.Check.in_range(low, high, name="absolute_range"), nullable=True)
            for name, (low, high) in bounds.items()
        }
    )


def _extremes_within_bounds(data: PolarsData) -> pl.LazyFrame:
    return data.lazyframe.select((pl.col("least") >= pl.col("low")) & (pl.col("most") <= pl.col("high")))


def extremes_schema() -> pa.DataFrameSchema:
    """Return the schema of the extremes, one row a column: none reaches outside its own bounds."""
    numbers = {name: pa.Column(pl.Float64) for name in ("least", "most", "low", "high")}
    return pa.DataFrameSchema(numbers, checks=pa.Check(_extremes_within_bounds, name="absolute_range"))


def columns_out_of_bounds(extremes: Mapping[str, Bounds], bounds: Mapping[str, Bounds]) -> list[str]:
    """Return the names whose extremes (least, most) reach outside their bounds (low, high)."""
    names = list(bounds)
    rows = [(*extremes[name], *bounds[name]) for name in names]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(("least", "most", "low", "high"), pl.Float64), orient="row")
    failing = failing_rows(extremes_schema(), frame) if names else {}
    return [names[i] for i in sorted({row for rows in failing.values() for row in rows})]


def failing_rows(schema: pa.DataFrameSchema, frame: pl.DataFrame) -> dict[str, list[int]]:
    """Return, for each column of the frame (or the schema as a whole) that fails, the positions of its failing rows."""
    failing: dict[str, list[int]] = {}
    for start in range(0, max(1, frame.height), _BATCH_ROWS):
        try:
            schema.validate(frame.slice(start, _BATCH_ROWS), lazy=True)
        except SchemaErrors as errors:
            cases = errors.failure_cases.filter(pl.col("index").is_not_null())
            for name, rows in cases.group_by("column").agg("index").iter_rows():
                failing.setdefault(name, []).extend(start + row for row in rows)
    return failing
