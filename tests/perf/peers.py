"""The same four range rules by other tools, each in a process of its own: python tests/perf/peers.py TOOL EXPORT

Run by `suite.py` under the Python of an environment that holds the peers, so nothing of ours is imported here. Prints
one JSON object: seconds to load, seconds to check, peak megabytes, and for each column how many values failed.
"""

# ruff: noqa: PLC0415 - each tool is imported only where it is asked

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

RULES = {"vin_v": (-0.3, 40.0), "vout_v": (-0.3, 6.0), "iout_a": (0.0, 5.0), "tcase_c": (-55.0, 150.0)}
UNITS = {"vin_v": "V", "vout_v": "V", "iout_a": "A", "tcase_c": "kelvin"}  # pint refuses to compare offset units
Found = dict[str, int]


def by_pandera(export: str) -> tuple[float, Found]:
    """pandera on polars, all checks reported."""
    import pandera.polars as pa
    import polars as pl
    from pandera.errors import SchemaErrors

    frame = pl.read_csv(export)
    loaded = time.perf_counter()
    schema = pa.DataFrameSchema({name: pa.Column(float, pa.Check.in_range(*ends)) for name, ends in RULES.items()})
    try:
        schema.validate(frame, lazy=True)
    except SchemaErrors as errors:
        cases = errors.failure_cases.group_by("column").len()
        return loaded, dict(cases.iter_rows())
    return loaded, {}


def by_dataframely(export: str) -> tuple[float, Found]:
    """dataframely's filter, which counts the failures of each rule."""
    import dataframely as dy
    import polars as pl

    frame = pl.read_csv(export).select(list(RULES))
    loaded = time.perf_counter()
    columns = {name: dy.Float64(min=low, max=high, nullable=True) for name, (low, high) in RULES.items()}
    schema: Any = type("Export", (dy.Schema,), columns)
    _, failures = schema.filter(frame)
    counted = failures.counts()
    return loaded, {name: sum(n for rule, n in counted.items() if rule.startswith(f"{name}|")) for name in RULES}


def by_pointblank(export: str) -> tuple[float, Found]:
    """Pointblank's interrogation of a polars frame."""
    import pointblank as pb
    import polars as pl

    frame = pl.read_csv(export)
    loaded = time.perf_counter()
    asked = pb.Validate(frame)
    for name, (low, high) in RULES.items():
        asked = asked.col_vals_between(columns=name, left=low, right=high, na_pass=True)
    failed = asked.interrogate(collect_extracts=False).n_failed()
    return loaded, dict(zip(RULES, failed.values(), strict=True))


def by_great_expectations(export: str) -> tuple[float, Found]:
    """Great Expectations on pandas."""
    import great_expectations as gx
    import pandas as pd

    frame = pd.read_csv(export)
    loaded = time.perf_counter()
    context = gx.get_context(mode="ephemeral")
    source = context.data_sources.add_pandas("exports").add_dataframe_asset("export")
    batch = source.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})
    suite = gx.ExpectationSuite(name="ranges")
    for name, (low, high) in RULES.items():
        suite.add_expectation(gx.expectations.ExpectColumnValuesToBeBetween(column=name, min_value=low, max_value=high))
    found = batch.validate(suite, result_format="BASIC")
    return loaded, {each.expectation_config.kwargs["column"]: each.result["unexpected_count"] for each in found.results}


def by_pint_pandas(export: str) -> tuple[float, Found]:
    """pandas with pint-pandas: quantities compared with quantities."""
    import pandas as pd
    import pint
    import pint_pandas  # noqa: F401

    frame = pd.read_csv(export)
    loaded = time.perf_counter()
    found = {}
    for name, (low, high) in RULES.items():
        values = frame[name].astype(f"pint[{UNITS[name]}]")
        unit = pint.get_application_registry().Unit(UNITS[name])
        found[name] = int(((values < low * unit) | (values > high * unit)).sum())
    return loaded, found


TOOLS: dict[str, Callable[[str], tuple[float, Found]]] = {
    "pandera": by_pandera, "dataframely": by_dataframely, "pointblank": by_pointblank,
    "great_expectations": by_great_expectations, "pint_pandas": by_pint_pandas,
}  # fmt: skip


def main(tool: str, export: str) -> None:
    """Print what the tool found and what it took. The time of its imports counts as loading."""
    began = time.perf_counter()
    loaded, found = TOOLS[tool](export)
    ended = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    failed = {name: int(n) for name, n in found.items() if n}
    sys.stdout.write(
        json.dumps({"load_s": loaded - began, "check_s": ended - loaded, "peak_mb": peak, "failed": failed}) + "\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
