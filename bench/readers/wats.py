"""WATS Standard JSON Format (WSJF): a tree of steps, each with numeric, string or boolean measurements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bench.readers.reports import Measurement, bounds

_RESULTS = {"P": "Passed", "F": "Failed", "D": "Done", "S": "Skipped", "E": "Error", "T": "Terminated"}
_KINDS = ("numericMeas", "stringMeas", "booleanMeas")


def is_report(document: Any) -> bool:
    """Return whether a document is a WSJF report or a list of them."""
    reports = document if isinstance(document, list) else [document]
    return bool(reports) and all(
        isinstance(report, dict) and isinstance(report.get("root"), dict) and ("sn" in report or "pn" in report)
        for report in reports
    )


def measurements(document: Any) -> tuple[list[Measurement], dict[str, str]]:
    """Return a row for each measurement and each step without one, and what the report says of itself."""
    found: list[Measurement] = []
    metadata: dict[str, str] = {}
    for report in document if isinstance(document, list) else [document]:
        base = Measurement(
            serial=_text(report.get("sn")), part_number=_text(report.get("pn")),
            station=_text(report.get("machineName")), timestamp=_text(report.get("start")),
        )  # fmt: skip
        kept = ("sn", "pn", "rev", "processCode", "processName", "result", "machineName", "location", "start")
        metadata = metadata or {key: str(report[key]) for key in kept if _text(report.get(key)) is not None}
        found.extend(_steps(report["root"], base, 0))
    return found, metadata


def _text(value: Any) -> str | None:
    return None if value is None or value == "" or isinstance(value, dict | list) else str(value)


def _steps(step: Any, base: Measurement, depth: int) -> Iterator[Measurement]:
    if not isinstance(step, dict) or depth > 200:
        return
    name = _text(step.get("name"))
    row = replace(
        base, step_type=_text(step.get("stepType")), measurement=name, test_number=_text(step.get("id")),
        result=_result(step.get("status")),
    )  # fmt: skip
    measured = [(kind, one) for kind in _KINDS for one in step.get(kind) or [] if isinstance(one, dict)]
    for kind, one in measured:
        yield _measured(row, kind, one, alone=len(measured) == 1)
    if not measured:
        yield row
    for inner in step.get("steps") or []:
        yield from _steps(inner, replace(base, step_group=name), depth + 1)


def _measured(row: Measurement, kind: str, one: dict[str, Any], *, alone: bool) -> Measurement:
    own, comparison = _text(one.get("name")), _text(one.get("compOp"))
    low, high = bounds(comparison, _text(one.get("lowLimit")), _text(one.get("highLimit")))
    value, numeric = _text(one.get("value")), kind == "numericMeas"
    return replace(
        row, measurement=row.measurement if alone or not own else f"{row.measurement}/{own}",
        value=value if numeric else None, text_value=None if numeric else value, unit=_text(one.get("unit")),
        lower_limit=low or (_text(one.get("limit")) if kind == "stringMeas" else None), upper_limit=high,
        comparison=comparison, result=_result(one.get("status")) or row.result,
    )  # fmt: skip


def _result(status: Any) -> str | None:
    text = _text(status)
    return _RESULTS.get(text, text) if text is not None else None
