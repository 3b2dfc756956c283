"""NI TDMS: each group is a table, each channel a column with its `unit_string`; scaled values, as LabVIEW shows them.

Channels of one group may differ in length: the short ones end in nulls. A waveform's time (or frequency) is not stored
but follows from its start and increment, and is given as a column of its own when all channels of the group share it.
DAQmx describes the unit once more (`NI_UnitDescription`): that is a second label, which the guard compares.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from bench.errors import ExportEmpty
from bench.export import Export, RawTable
from bench.readers import names
from bench.readers.content import Content
from bench.readers.formats import unreadable
from bench.readers.options import ReadOptions
from bench.readers.reports import text_table
from bench.source import Source


def read_tdms(source: Source, options: ReadOptions, content: Content) -> Export:
    """Return a file's tables, one a group with channels.

    Raises:
        ExportEmpty: no group has channels.
        ExportError: it is cut or no TDMS.
    """
    nptdms: Any = import_module("nptdms")  # formats.py has made sure that it is there
    warned = _Warned()
    try:
        with warned:
            file = nptdms.TdmsFile.read(io.BytesIO(content.whole()))
        groups = [group for group in file.groups() if group.channels()]
        base = options.table or names.table_name(Path(content.name))
        tables = tuple(
            _table(base if len(groups) == 1 else f"{base}_{names.table_name(Path(group.name + '.x'))}", group)
            for group in groups
        )
    except Exception as problem:
        # The library raises what its parts raise (KeyError, struct.error, numpy's own) on a broken file.
        raise unreadable(source, "TDMS", str(problem).partition("\n")[0] or type(problem).__name__) from problem
    if not tables:
        raise ExportEmpty("the file holds no channels", file=source.path, hint="export it again from the bench.")
    metadata = {str(key): str(value) for key, value in file.properties.items()}
    scaled = sorted(
        channel.path for group in groups for channel in group.channels() if "NI_Number_Of_Scales" in channel.properties
    )
    dialect: dict[str, object] = {"groups": len(groups), "scaled_channels": scaled}
    if warned.messages:
        dialect["warnings"] = warned.messages  # a recording that was cut says so here
    return Export(source.path, "tdms", dialect, tables, source, metadata)


class _Warned(logging.Handler):
    """Collects what the library warns of, which would else go to stderr."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []
        self._before: list[tuple[logging.Logger, list[logging.Handler], bool]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message, shortened: it may quote bytes of the file."""
        self.messages.append(record.getMessage()[:200])

    def __enter__(self) -> None:
        names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "nptdms"]
        self._before = [(log, log.handlers, log.propagate) for log in map(logging.getLogger, names)]
        for log, _, _ in self._before:
            log.handlers, log.propagate = [self], False

    def __exit__(self, *_: object) -> None:
        for log, handlers, propagate in self._before:
            log.handlers, log.propagate = handlers, propagate


def _table(name: str, group: Any) -> RawTable:
    channels = group.channels()
    columns = [_texts(channel[:]) for channel in channels]
    headers = [channel.name for channel in channels]
    units = [_said(channel, "unit_string") for channel in channels]
    others = [_said(channel, "NI_UnitDescription") for channel in channels]
    height = max(map(len, columns))
    axis = _axis(channels)
    if axis is not None:
        start, step, title, unit = axis
        columns.insert(0, (start + pl.int_range(height, eager=True) * step).cast(pl.String).to_list())
        headers.insert(0, title)
        units.insert(0, unit)
        others.insert(0, None)
    padded = [column + [None] * (height - len(column)) for column in columns]
    table = text_table(name, headers, padded, units=units)
    labelled = zip(table.columns, others, strict=True)
    return replace(table, columns=tuple(replace(column, preamble=other) for column, other in labelled))


def _said(channel: Any, key: str) -> str | None:
    return str(channel.properties.get(key, "")).strip() or None


def _axis(channels: Sequence[Any]) -> tuple[float, float, str, str | None] | None:
    """Return start, increment, name and unit of the X axis that all channels share, None where they share none."""
    keys = ("wf_start_offset", "wf_increment", "wf_xname", "wf_xunit_string")
    found = {tuple(channel.properties.get(key) for key in keys) for channel in channels}
    start, step, title, unit = found.pop()
    if found or not step:
        return None
    title = str(title or "time").strip()
    timed = title.lower() == "time"
    return (
        float(start or 0.0),
        float(step),
        "time" if timed else title,
        str(unit or "").strip() or ("s" if timed else None),
    )


def _texts(values: Any) -> list[str | None]:
    return pl.Series(values.tolist(), strict=False).cast(pl.String).to_list() if len(values) else []
