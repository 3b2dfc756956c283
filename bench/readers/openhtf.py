"""OpenHTF's JSON: test records with phases, and single measurements as its callbacks write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bench.export import RawTable
from bench.readers.reports import Measurement, text_table

_RANGE = re.compile(r"^(?:(?P<low>\S+) <= )?x(?: <= (?P<high>\S+))?$")


def measurements(document: Any) -> tuple[list[Measurement], dict[str, str]]:
    """Return a row for each scalar measurement and each phase without one, and what the record says of itself."""
    records = [item for item in _listed(document) if isinstance(item, dict)]
    found: list[Measurement] = []
    metadata: dict[str, str] = {}
    for record in records:
        base = Measurement(
            serial=_text(record.get("dut_id")), station=_text(record.get("station_id")),
            timestamp=_time(record.get("start_time_millis")),
        )  # fmt: skip
        if isinstance(record.get("metadata"), dict):
            metadata |= {str(key): str(value) for key, value in record["metadata"].items() if not _nested(value)}
        if record.get("outcome") is not None and "phases" in record:
            metadata.setdefault("outcome", str(record["outcome"]))
        found.extend(row for phase, one in _measured(record) if (row := _row(phase, one, base)) is not None)
    return found, metadata


def dimensioned(document: Any, name: str, *, alone: bool) -> list[RawTable]:
    """Return a table for each measurement with dimensions; `alone` gives the first one the export's name."""
    tables: list[RawTable] = []
    for record in _listed(document):
        if not isinstance(record, dict):
            continue
        for _, one in _measured(record):
            dimensions, rows = one.get("dimensions"), one.get("value", one.get("measured_value"))
            if not (isinstance(dimensions, list) and dimensions and isinstance(rows, list)):
                continue
            own = name if alone and not tables else f"{name}_{one.get('name', len(tables) + 1)}"
            tables.append(_table(own, dimensions, rows, str(one.get("name") or "value"), _unit(one.get("units"))))
    return tables


def _listed(document: Any) -> Sequence[Any]:
    return document if isinstance(document, list) else [document]


def _nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _text(value: Any) -> str | None:
    return None if value is None or _nested(value) else str(value)


def _time(millis: Any) -> str | None:
    try:
        return datetime.fromtimestamp(float(millis) / 1000, UTC).isoformat(timespec="milliseconds")
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _measured(record: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Yield phase and measurement, a phase without measurements as a measurement of its own name."""
    phases = record.get("phases")
    if not isinstance(phases, list):
        if "outcome" in record and ("value" in record or "measured_value" in record):
            yield None, record
        return
    for phase in phases:
        if not isinstance(phase, dict):
            continue
        name = _text(phase.get("name"))
        held = phase.get("measurements") or {}
        items = list(held.items()) if isinstance(held, dict) else [(None, one) for one in held]
        for own, one in items:
            if isinstance(one, dict):
                yield name, {"name": own, **one}
        if not items:
            yield name, {"name": name, "outcome": phase.get("outcome")}


def _row(phase: str | None, one: dict[str, Any], base: Measurement) -> Measurement | None:
    value = one.get("measured_value", one.get("value"))
    if _nested(value) and one.get("dimensions"):
        return None
    low, high = _limits(one.get("validators"))
    number = type(value).__name__ == "Number"
    return replace(
        base, step_group=phase, measurement=_text(one.get("name")), value=str(value) if number else None,
        text_value=None if number or value is None else str(value), unit=_unit(one.get("units")) or _suffix(one),
        lower_limit=low, upper_limit=high, result=_text(one.get("outcome")),
    )  # fmt: skip


def _unit(units: Any) -> str | None:
    """Return the suffix of a UNECE unit, which the record holds as an object or as [name, code, suffix]."""
    if isinstance(units, dict):
        return _text(units.get("suffix")) or _text(units.get("uom_suffix")) or _text(units.get("name"))
    if isinstance(units, list) and len(units) > 2:
        return _text(units[2]) or _text(units[0])
    return _text(units)


def _suffix(one: dict[str, Any]) -> str | None:
    return _text(one.get("uom_suffix")) or None


def _limits(validators: Any) -> tuple[str | None, str | None]:
    for text in validators if isinstance(validators, list) else []:
        found = _RANGE.match(str(text).strip("'\" "))
        if found:
            return found["low"], found["high"]
    return None, None


def _dimension(item: dict[str, Any]) -> str:
    return _text(item.get("name")) or _text(item.get("description")) or ""


def _table(name: str, dimensions: list[Any], rows: list[Any], value: str, unit: str | None) -> RawTable:
    headers = [_dimension(item) if isinstance(item, dict) else str(item) for item in dimensions]
    units = [(_suffix(item) or _text(item.get("suffix")) if isinstance(item, dict) else None) for item in dimensions]
    width = max([len(headers), *(len(row) for row in rows if isinstance(row, list))])
    while len(headers) < width:  # the dimensions leave out the value itself in some versions
        headers.append(value if len(headers) == width - 1 else "")
        units.append(unit if len(headers) == width else None)
    cells = [
        [_text(row[at]) if isinstance(row, list) and at < len(row) else None for row in rows]
        for at in range(len(headers))
    ]
    return text_table(name, headers, cells, units=units)
