"""IEEE 1671 ATML test results: `Test`, `TestResult`, data and limits as `Datum` with value and unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bench.readers.reports import Measurement, bounds
from bench.readers.xmltree import Element

_STEPS = ("Test", "TestGroup", "SessionAction")


def measurements(root: Element) -> tuple[list[Measurement], dict[str, str]]:
    """Return a row for each value of each test result and each step without one, and what the report says of itself."""
    found: list[Measurement] = []
    metadata: dict[str, str] = {}
    for report in [root] if root.tag == "TestResults" else list(root.all("TestResults")):
        base = _head(report)
        metadata = metadata or {
            key: value
            for key, value in (("serial", base.serial), ("station", base.station), ("start", base.timestamp))
            if value
        }
        for results in report.all("ResultSet"):
            for step in results.children:
                found.extend(_steps(step, replace(base, timestamp=base.timestamp)))
    return found, metadata


def _head(report: Element) -> Measurement:
    uut = next(report.all("UUT"), None)
    station = next(report.all("TestStation"), None)
    results = next(report.all("ResultSet"), None)
    number = next((item.attributes.get("number") for item in report.all("IdentificationNumber")), None)
    return Measurement(
        serial=uut.value("SerialNumber") if uut is not None else None,
        part_number=number,
        station=station.value("SerialNumber") if station is not None else None,
        timestamp=results.attributes.get("startDateTime") if results is not None else None,
    )


def _steps(step: Element, base: Measurement) -> Iterator[Measurement]:
    if step.tag not in _STEPS:
        return
    outcome = step.first("Outcome")
    row = replace(
        base,
        line=step.line,
        step_type=step.tag,
        measurement=step.attributes.get("name") or step.attributes.get("callerName"),
        timestamp=step.attributes.get("startDateTime") or base.timestamp,
        result=outcome.attributes.get("value") if outcome is not None else None,
    )
    results = [child for child in step.children if child.tag == "TestResult"]
    inner = [child for child in step.children if child.tag in _STEPS]
    if results:
        for found in results:
            yield from _result(found, row, alone=len(results) == 1)
    else:
        yield row
    for child in inner:
        yield from _steps(child, replace(base, step_group=row.measurement))


def _result(found: Element, row: Measurement, *, alone: bool) -> Iterator[Measurement]:
    """Yield a row for each value of a result; one that holds none is a row as well."""
    own = found.attributes.get("name") or found.attributes.get("ID")
    outcome = found.first("Outcome")
    low, high, comparison = _limits(found)
    row = replace(
        row,
        line=found.line,
        measurement=row.measurement if alone or not own else f"{row.measurement}/{own}",
        lower_limit=low,
        upper_limit=high,
        comparison=comparison,
        result=(outcome.attributes.get("value") if outcome is not None else None) or row.result,
    )
    values = [held for data in found.all("TestData") for held in _values(data, "")]
    for own, datum, kind, unit in values:
        value = datum.attributes.get("value") or datum.value("Value")
        numeric = kind not in ("string", "boolean", "Boolean", "stringArray", "booleanArray")
        yield replace(
            row,
            line=row.line if len(values) == 1 else datum.line,
            measurement=row.measurement if len(values) == 1 else f"{row.measurement}{own}",
            value=value if numeric else None,
            text_value=None if numeric else value,
            unit=unit,
        )
    if not values:
        yield row


def _values(data: Element, path: str) -> Iterator[tuple[str, Element, str, str | None]]:
    """Yield the values in some test data: where in it (an item's name, an element's position), value, type, unit."""
    for child in data.children:
        kind = child.attributes.get("type", "").rpartition(":")[2]
        if child.tag == "Datum":
            yield path, child, kind, _unit(child)
        elif child.tag == "IndexedArray":
            for element in child.all("Element"):
                yield path + element.attributes.get("position", ""), element, kind, _unit(element) or _unit(child)
        elif child.tag == "Item":
            yield from _values(child, f"{path}/{child.attributes.get('name', '')}")
        else:
            yield from _values(child, path)


def _unit(datum: Element) -> str | None:
    return datum.attributes.get("nonStandardUnit") or datum.attributes.get("unit")


def _limits(found: Element) -> tuple[str | None, str | None, str | None]:
    bound: dict[str, str | None] = {}
    for limits in found.all("TestLimits"):
        for limit in [*limits.all("Limit"), *limits.all("SingleLimit"), *limits.all("Expected")]:
            datum = next(limit.all("Datum"), None)
            if datum is not None:
                bound[limit.attributes.get("comparator", "EQ")] = datum.attributes.get("value")
    low = next((bound[key] for key in ("GE", "GT") if key in bound), None)
    high = next((bound[key] for key in ("LE", "LT") if key in bound), None)
    if "EQ" in bound:
        low, high = bounds("EQ", bound["EQ"], None)
    return low, high, "".join(sorted(bound)) or None
