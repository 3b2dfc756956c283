"""What the cells of each column are: numbers, dates, or text, counted over the whole export in one streaming pass.

A column becomes numbers when nearly all its cells are (nine in ten; half where its header names a unit or a node claims
it), so that one number in a column of remarks stays a remark and one "OL" in a column of volts stays a reading that is
missing. The head of the export only rules out casts that cannot succeed; every count comes from every row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from guards.quantities import SENTINEL_TEXTS, cell_text, finite, number, unit_suffix
from guards.units import find_unit

_HEAD_ROWS = 2_000
_SHARE_UNLABELLED = 0.9
_SHARE_LABELLED = 0.5
_DATETIME_FORMATS = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f")
_DATE_FORMAT = "%Y-%m-%d"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a column's cells are. `kind`: "number", "integer", "datetime", "date" or "text". `cells`: not empty ones;
    `numbers`: of those, numbers by the grammar; `readings`: of those, finite ones that are no overflow code.
    `odd`: distinct texts that are no number, with their counts (empty for text columns). `suffixes`: units' texts found
    behind numbers, with counts. `lower` and `upper`: extremes of the finite raw values.
    """

    kind: str
    cells: int
    numbers: int = 0
    readings: int = 0
    format: str | None = None
    odd: Mapping[str, int] = field(default_factory=dict)
    suffixes: Mapping[str, int] = field(default_factory=dict)
    lower: float | None = None
    upper: float | None = None


def count_kinds(
    frame: pl.LazyFrame, names: Sequence[str], *, decimal: str, labelled: frozenset[str], text: frozenset[str],
    integers: frozenset[str],
) -> tuple[int, dict[str, Kind]]:  # fmt: skip
    """Return the number of rows and the kind of each named String column.

    `labelled`: columns whose header names a unit or that a node claims; `text`: columns that stay text whatever they
    hold (serials, remarks); `integers`: columns that become Int64 if every cell is one.
    """
    head = frame.select(names).head(_HEAD_ROWS).collect()
    guesses = {name: "text" if name in text else _guess(head[name], decimal) for name in names}
    aggregates = [pl.len().alias("rows")]
    for name in names:
        aggregates += _aggregates(name, guesses[name], decimal, name in integers)
    counts = frame.select(aggregates).collect(engine="streaming").row(0, named=True)
    odd = _odd_texts(
        frame, [n for n in names if guesses[n] == "number" and counts[f"{n}|n"] > counts[f"{n}|ok"]], decimal
    )
    kinds = {
        name: _decide(name, guesses[name], counts, odd.get(name, {}), decimal, labelled=name in labelled,
                      integer=name in integers)
        for name in names
    }  # fmt: skip
    return int(counts["rows"]), kinds


def _guess(head: pl.Series, decimal: str) -> str:
    cells = head.drop_nulls()
    if not len(cells):
        return "number"
    frame = pl.DataFrame({"t": cells}).select(t=cell_text(pl.col("t"), decimal))
    text = pl.col("t")
    numeric = number(text).is_not_null() | unit_suffix(text).is_not_null()
    sentinel = text.str.to_lowercase().is_in(list(SENTINEL_TEXTS))
    moments = {form: text.str.to_datetime(form, strict=False).is_not_null().all() for form in _DATETIME_FORMATS}
    days = text.str.to_date(_DATE_FORMAT, strict=False).is_not_null().all()
    checks = frame.select(number=(numeric | sentinel).mean(), date=days, **moments).row(0, named=True)
    for form in (*_DATETIME_FORMATS, "date"):
        if checks[form]:
            return form
    return "number" if checks["number"] >= 0.02 else "text"


def _aggregates(name: str, guess: str, decimal: str, integer: bool) -> list[pl.Expr]:
    column = pl.col(name)
    text = cell_text(column, decimal)
    if guess == "text":
        return [column.count().alias(f"{name}|n")]
    if guess == "date":
        parsed: pl.Expr = text.str.to_date(_DATE_FORMAT, strict=False)
    elif guess in _DATETIME_FORMATS:
        parsed = text.str.to_datetime(guess, strict=False)
    else:
        value = number(text)
        readings = finite(value)
        found = [readings.min().alias(f"{name}|min"), readings.max().alias(f"{name}|max"),
                 readings.count().alias(f"{name}|fin")]  # fmt: skip
        if integer:
            found.append(text.cast(pl.Int64, strict=False).count().alias(f"{name}|int"))
        return [column.count().alias(f"{name}|n"), value.count().alias(f"{name}|ok"), *found]
    return [column.count().alias(f"{name}|n"), parsed.count().alias(f"{name}|ok")]


def _odd_texts(frame: pl.LazyFrame, names: Sequence[str], decimal: str) -> dict[str, dict[str, int]]:
    """Return, for each column, its cells that are no number by the grammar, as distinct texts with counts."""
    found: dict[str, dict[str, int]] = {}
    for name in names:
        text = cell_text(pl.col(name), decimal)
        odd = (
            frame.select(t=text).filter(pl.col("t").is_not_null() & number(pl.col("t")).is_null())
            .group_by("t").len().collect(engine="streaming")
        )  # fmt: skip
        found[name] = dict(zip(odd["t"].to_list(), odd["len"].to_list(), strict=True))
    return found


def _decide(
    name: str,
    guess: str,
    counts: Mapping[str, object],
    odd: dict[str, int],
    decimal: str,
    *,
    labelled: bool,
    integer: bool,
) -> Kind:
    def count(key: str) -> int:
        value = counts.get(f"{name}|{key}", 0)
        assert isinstance(value, int)
        return value

    cells = count("n")
    if guess == "text":
        return Kind("text", cells)
    if guess != "number":
        whole = count("ok") == cells
        return Kind(
            ("date" if guess == "date" else "datetime") if whole else "text", cells, format=guess if whole else None
        )
    suffixes = _suffixes(odd)
    sentinels = sum(n for text, n in odd.items() if text.lower() in SENTINEL_TEXTS)
    numbers = count("ok") + sum(suffixes.values())
    share = numbers / max(1, cells - sentinels)
    if (not numbers and cells) or (cells and share < (_SHARE_LABELLED if labelled else _SHARE_UNLABELLED)):
        return Kind("text", cells, numbers)
    lower, upper = (counts.get(f"{name}|{edge}") for edge in ("min", "max"))
    assert lower is None or isinstance(lower, float)
    assert upper is None or isinstance(upper, float)
    kind = "integer" if integer and cells and count("int") == cells else "number"
    return Kind(kind, cells, numbers, count("fin") + sum(suffixes.values()), None, odd, suffixes, lower, upper)


def _suffixes(odd: Mapping[str, int]) -> dict[str, int]:
    if not odd:
        return {}
    frame = pl.DataFrame({"t": list(odd), "n": list(odd.values())}).select(u=unit_suffix(pl.col("t")), n=pl.col("n"))
    grouped = frame.drop_nulls("u").group_by("u").agg(pl.col("n").sum()).sort("n", descending=True)
    return {text: n for text, n in grouped.iter_rows() if find_unit(text)}
