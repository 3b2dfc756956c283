"""NI TestStand XML reports: `Prop` trees, one `TEResult` a step, limits beside the value.

`Units` is a free text next to `Limits.Low` and `Limits.High`. A one-sided comparison "LT" keeps its only bound in
`Limits.Low`. A multiple-numeric step has its measurements in the array `Measurement`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bench.readers.reports import Measurement, bounds
from bench.readers.xmltree import Element

_TEXTS = ("String", "PassFail")


def measurements(root: Element) -> tuple[list[Measurement], dict[str, str]]:
    """Return a row for each measurement and each step without one, and the report's own properties."""
    reports = [root] if root.tag == "Report" else list(root.all("Report"))
    found: list[Measurement] = []
    metadata: dict[str, str] = {}
    for report in reports:
        uut = report.attributes.get("Type") == "UUT"
        base, said = _head(report)
        for result in _results(report):
            found.extend(_step(result, base))
        if uut or not metadata:
            metadata = metadata or said
    return found, metadata


def _props(element: Element) -> dict[str, Element]:
    return {child.attributes.get("Name", ""): child for child in element.children if child.tag == "Prop"}


def _text(element: Element, *path: str) -> str | None:
    """Return the value of the property at a path of names."""
    for name in path:
        following = _props(element).get(name)
        if following is None:
            return None
        element = following
    return element.value("Value")


def _head(report: Element) -> tuple[Measurement, dict[str, str]]:
    base = Measurement(
        serial=_text(report, "UUT", "SerialNumber"), part_number=_text(report, "UUT", "PartNumber"),
        station=_text(report, "StationInfo", "StationID"), timestamp=_timestamp(report),
    )  # fmt: skip
    said = {
        "UUT result": report.attributes.get("UUTResult"), "station": base.station, "serial": base.serial,
        "operator": _text(report, "StationInfo", "LoginName"),
        "localized decimal point": _text(report, "ReportOptions", "UseLocalizedDecimalPoint"),
    }  # fmt: skip
    return base, {key: value for key, value in said.items() if value}


def _timestamp(report: Element) -> str | None:
    date = [_text(report, "StartDate", part) for part in ("Year", "Month", "MonthDay")]
    clock = [_text(report, "StartTime", part) for part in ("Hours", "Minutes", "Seconds", "Milliseconds")]
    try:
        year, month, day = (int(float(part or "")) for part in date)
        hour, minute, second, milli = (int(float(part or "0")) for part in clock)
    except ValueError:
        return _text(report, "StartDate", "Text")
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}"


def _results(report: Element) -> Iterator[Element]:
    return (prop for prop in report.all("Prop") if prop.attributes.get("Type") == "TEResult")


def _step(result: Element, base: Measurement) -> Iterator[Measurement]:
    step = replace(
        base,
        line=result.line,
        step_group=_text(result, "TS", "StepGroup"),
        step_type=_text(result, "TS", "StepType"),
        measurement=_text(result, "TS", "StepName"),
        test_number=_text(result, "TS", "Index"),
        result=_text(result, "Status"),
    )
    array = _props(result).get("Measurement")
    several = [prop for prop in array.all("Prop") if "Data" in _props(prop)] if array is not None else []
    if several:
        yield from (_one_of_several(step, prop) for prop in several)
        return
    lower, upper = bounds(_text(result, "Comp"), _text(result, "Limits", "Low"), _text(result, "Limits", "High"))
    yield replace(
        step,
        value=_text(result, "Numeric"),
        text_value=next((found for name in _TEXTS if (found := _text(result, name))), None),
        unit=_text(result, "Units"),
        lower_limit=lower,
        upper_limit=upper,
        comparison=_text(result, "Comp"),
    )


def _one_of_several(step: Measurement, prop: Element) -> Measurement:
    own = prop.attributes.get("Name", "").strip()
    lower, upper = bounds(_text(prop, "Comp"), _text(prop, "Limits", "Low"), _text(prop, "Limits", "High"))
    return replace(
        step,
        line=prop.line,
        measurement=f"{step.measurement}/{own}" if own else step.measurement,
        value=_text(prop, "Data"),
        unit=_text(prop, "Units"),
        lower_limit=lower,
        upper_limit=upper,
        comparison=_text(prop, "Comp"),
        result=_text(prop, "Status") or step.result,
    )
