"""Which exports stand in a Delta store: what the ledger claims against the rows that are there. Pure.

A claim stands in a table when its rows are there, or when it has none to be there. An export counts when each of its
tables stands, under its newest claim or an earlier one: a run that was killed while it judged again has replaced the
rows of some tables, and each has the ledger of the rows that it holds.
"""

from __future__ import annotations

import polars as pl

_TABLE = ["sha256", "table_name"]


def standing(claims: pl.DataFrame, present: pl.DataFrame) -> pl.DataFrame:
    """Return `claims` (`export`, `sha256`, `table_name`, `rows_kept`) that stand or stood, with `superseded_by`.

    `present`: `table_name` and `export` of the rows that are there. A claim whose rows are still to come is left out,
    and all of an export that has never been whole.
    """
    known = _current(claims, present)
    newest = pl.col("export") == pl.col("export").max().over("sha256")
    whole = (~newest | pl.col("current").is_not_null()).all().over("sha256")
    seen = known.filter(whole, pl.col("export") <= pl.col("current"))
    taken = pl.when(pl.col("export") < pl.col("current")).then(pl.col("current"))
    return seen.select(*claims.columns, taken.alias("superseded_by"))


def unfinished(claims: pl.DataFrame, present: pl.DataFrame) -> list[int]:
    """Return the keys of the newest claims that do not stand whole, ascending."""
    known = _current(claims, present).filter(pl.col("export") == pl.col("export").max().over("sha256"))
    missing = known.filter(pl.col("current").is_null() | (pl.col("current") != pl.col("export")))
    return sorted(missing["export"].unique())


def _current(claims: pl.DataFrame, present: pl.DataFrame) -> pl.DataFrame:
    """Return the claims with the key that stands in each table of each export as `current`."""
    there = present.with_columns(pl.lit(True).alias("there"))
    known = claims.join(there, on=["table_name", "export"], how="left")
    rows = pl.col("export").filter(pl.col("there")).max().over(_TABLE)
    none = pl.col("export").filter(pl.col("rows_kept") == 0).max().over(_TABLE)
    return known.with_columns(pl.coalesce(rows, none).alias("current"))
