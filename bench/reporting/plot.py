"""One column as a picture: raw and corrected values against the node's ranges and limits, as SVG made by hand.

Vega-Lite could draw this too, and each picture would be ten times as large: a mark here is eight characters of one
path. Colours come from the page's style sheet, so that light, dark and paper have their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.reporting.markup import Markup, joined, tag
from bench.reporting.ranges import Bounds, Ranges
from bench.reporting.scale import Scale, number_text, scale_for
from bench.reporting.series import Mark, Series, short

if TYPE_CHECKING:
    from guards import ColumnReport

WIDTH, HEIGHT = 720, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 10, 22, 24
_LETTERS = 9  # pixels that a character of a group's name takes, at most


def figure(column: ColumnReport, series: Series, ranges: Ranges, number: int) -> Markup:
    """Return the figure of one part: a picture for raw values where they differ, and one for the corrected values."""
    drawn = []
    if series.raw and (column.verdict in ("corrected", "refused") or not series.corrected):
        title = f"{column.label} as the export has it, read in {column.declared_unit or 'no unit'}"
        drawn.append(_picture(title, series.raw, series, Ranges() if _other_unit(column) else ranges, f"p{number}r"))
    if series.corrected:
        done = {"corrected": " after correction", "refused": ", refused rows left out"}.get(column.verdict, "")
        title = f"{column.label}{done}, in {column.unit or 'no unit'}"
        drawn.append(_picture(title, series.corrected, series, ranges, f"p{number}c"))
    if not drawn:
        return tag("p", "There is no value to draw.")
    seen = tag("div", drawn, class_="scroll", tabindex=0, role="group", aria_label=f"Plots of {column.label}")
    return tag("figure", seen, tag("figcaption", _caption(column, series, ranges)))


def _other_unit(column: ColumnReport) -> bool:
    """Whether the column's own label is another unit than that of the ranges' numbers."""
    return column.declared_unit is not None and column.declared_unit != column.unit


def _picture(title: str, marks: Sequence[Mark], series: Series, ranges: Ranges, name: str) -> Markup:
    scale = scale_for((edge for mark in marks for edge in (mark.low, mark.high)), ranges.edges())
    inner = [
        _band(scale, ranges.expected),
        _grid(scale),
        _groups(series),
        _rules(scale, ranges.absolute, "absolute"),
        _rules(scale, ranges.limits, "limit"),
        _marks(scale, [mark for mark in marks if not _outside(mark, ranges)], "inside"),
        _marks(scale, [mark for mark in marks if _outside(mark, ranges)], "outside"),
        tag("text", short(title, 90) + (" (logarithmic)" if scale.log else ""), x=_LEFT, y=14, class_="title"),
    ]
    low, high = min(mark.low for mark in marks), max(mark.high for mark in marks)
    described = f"{len(marks)} marks from {number_text(low)} to {number_text(high)}."
    return tag(
        "svg", tag("title", title, id=f"{name}t"), tag("desc", described, id=f"{name}d"), inner,
        viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_labelledby=f"{name}t {name}d", class_="plot",
    )  # fmt: skip


def _outside(mark: Mark, ranges: Ranges) -> bool:
    for lower, upper in (ranges.limits, ranges.absolute):
        if (lower is not None and mark.low < lower) or (upper is not None and mark.high > upper):
            return True
    return False


def _x(share: float) -> float:
    return _LEFT + share * (WIDTH - _LEFT - _RIGHT)


def _y(scale: Scale, value: float) -> float:
    share = min(max(scale.at(value), 0.0), 1.0)
    return HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM)


def _marks(scale: Scale, marks: Sequence[Mark], kind: str) -> Markup | None:
    """A dot for the mean of each mark (round line ends make one of a line without a length), a line for its extent."""
    if not marks:
        return None
    dots, extents = [], []
    for mark in marks:
        x, top, bottom = _short(_x(mark.x)), _y(scale, mark.high), _y(scale, mark.low)
        dots.append(f"M{x} {_short(_y(scale, mark.mean))}v0")
        if bottom - top > 1:
            extents.append(f"M{x} {_short(top)}v{_short(bottom - top)}")
    extent = tag("path", d="".join(extents), class_=f"extent {kind}") if extents else None
    return joined([extent, tag("path", d="".join(dots), class_=f"marks {kind}")])


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _band(scale: Scale, bounds: Bounds) -> Markup | None:
    if bounds == (None, None):
        return None
    top = _TOP if bounds[1] is None else _y(scale, bounds[1])
    bottom = HEIGHT - _BOTTOM if bounds[0] is None else _y(scale, bounds[0])
    if bottom - top < 0.5:
        return None
    return tag("rect", x=_LEFT, y=_short(top), width=WIDTH - _LEFT - _RIGHT, height=_short(bottom - top),
               class_="expected")  # fmt: skip


def _rules(scale: Scale, bounds: Bounds, kind: str) -> Markup:
    seen = [edge for edge in bounds if edge is not None and scale.shows(edge)]
    return joined(
        tag("path", d=f"M{_LEFT} {_short(_y(scale, edge))}H{WIDTH - _RIGHT}", class_=f"rule {kind}") for edge in seen
    )


def _grid(scale: Scale) -> Markup:
    ticks = scale.ticks()
    lines = "".join(f"M{_LEFT} {_short(_y(scale, tick))}H{WIDTH - _RIGHT}" for tick in ticks)
    words = (
        tag("text", number_text(tick), x=_LEFT - 6, y=_short(_y(scale, tick) + 4), class_="tick") for tick in ticks
    )
    return joined([tag("path", d=lines, class_="grid"), *words])


def _groups(series: Series) -> Markup:
    if not series.groups:
        return tag("text", "rows in the order of the export →", x=_LEFT, y=HEIGHT - 7, class_="axis")
    share = 1 / len(series.groups)
    longest = max(int((WIDTH - _LEFT) * share / _LETTERS), 3)
    lines = "".join(f"M{_short(_x(n * share))} {_TOP}V{HEIGHT - _BOTTOM}" for n in range(1, len(series.groups)))
    words = (
        tag("text", short(name, longest), x=_short(_x((n + 0.5) * share)), y=HEIGHT - 7, class_="group")
        for n, name in enumerate(series.groups)
    )
    return joined([tag("path", d=lines, class_="grid"), *words])


def _caption(column: ColumnReport, series: Series, ranges: Ranges) -> str:
    unit = f" {column.unit}" if column.unit else ""
    parts = []
    if series.low is not None and series.high is not None and series.mean is not None:
        parts.append(
            f"{series.rows:,} values from {number_text(series.low)} to {number_text(series.high)}{unit}, "
            f"mean {number_text(series.mean)}{unit}."
        )
    words = (("Limits", ranges.limits, "dashed"), ("Absolute range", ranges.absolute, "dotted"),
             ("Expected range", ranges.expected, "shaded"))  # fmt: skip
    parts += [f"{name} {_interval(pair)}{unit} ({look})." for name, pair, look in words if pair != (None, None)]
    if series.by:
        parts.append(f"Side by side: {series.by}.")
    if ranges.limits != (None, None) or ranges.absolute != (None, None):
        parts.append("Thick marks are outside limits or absolute range.")
    if len(series.corrected) < series.rows:
        parts.append("Each mark is the mean of neighbouring rows, with a line from the lowest to the highest.")
    return " ".join(parts)


def _interval(bounds: Bounds) -> str:
    lower, upper = bounds
    if lower is None:
        return f"up to {number_text(upper or 0.0)}"
    if upper is None:
        return f"from {number_text(lower)}"
    return f"{number_text(lower)} to {number_text(upper)}"
