"""The registry: which formats there are, which one a file is in, and how a site adds its own.

A package offers a format through an entry point in the group `bench_analyze.readers` that names a `Format`. Formats
are asked in order, those of entry points first, so that a site can do better than what is built in. Nothing of a
format is imported before a file is in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import PurePath

from bench.errors import EnvironmentProblem, ExportError, UsageError
from bench.export import Export
from bench.readers.content import Content
from bench.readers.nesting import is_nested
from bench.readers.options import ReadOptions
from bench.readers.ruled import is_ruled
from bench.source import Source

GROUP = "bench_analyze.readers"
Reader = Callable[[Source, ReadOptions, Content], Export]


@dataclass(frozen=True, slots=True)
class Format:
    """One format. `matches` gets the first 64 KiB and the file's name in lower case.

    `reader` is "module:function" with the signature of `Reader`; `needs` names the package, and module, that it cannot
    do without and that does not come with bench-analyze itself.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes, str], bool]
    reader: str
    needs: str | None = None

    @property
    def available(self) -> bool:
        """Whether what it needs is installed."""
        return self.needs is None or find_spec(self.needs) is not None

    def load(self) -> Reader:
        """Return the function that reads it."""
        module, _, function = self.reader.partition(":")
        found: Reader = getattr(import_module(module), function)
        return found


def _text_head(head: bytes) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if head.startswith(mark):
            return head[: len(head) // 2 * 2].decode(encoding, "ignore").lstrip()
    return head.decode("latin-1").lstrip()


def _drawn_head(head: bytes) -> str:
    """Return the head with its boxes, which are no ASCII."""
    return _text_head(head) if head[:2] in (b"\xff\xfe", b"\xfe\xff") else head.decode("utf-8", "replace")


def _is_xml(head: bytes, name: str) -> bool:
    text = _text_head(head)
    return text.startswith("<?xml") or (text.startswith("<") and name.endswith((".xml", ".atml")))


def _is_json(head: bytes, name: str) -> bool:
    text = _text_head(head)
    return text.startswith("{") or (text.startswith("[") and name.endswith((".json", ".wsjf")))


BUILT_IN = (
    Format("lvm", "LabVIEW measurement file", (".lvm",), lambda head, _: _text_head(head).startswith("LabVIEW Meas"),
           "bench.readers.lvm:read_lvm"),
    Format("atdf", "ATDF, the text form of STDF", (".atdf", ".atd"),
           lambda head, _: _text_head(head).startswith("FAR:A"), "bench.readers.atdf:read_atdf"),
    Format("stdf", "STDF V4 test data", (".stdf", ".std"),
           lambda head, _: head[2:4] == b"\x00\x0a" and head[:2] in (b"\x02\x00", b"\x00\x02"),
           "bench.readers.stdf:read_stdf"),
    Format("xml", "TestStand XML and ATML test reports", (".xml", ".atml"), _is_xml, "bench.readers.xml:read_xml"),
    Format("i3070", "Keysight i3070 in-circuit test log", (".log",), lambda head, _: _text_head(head).startswith("{@"),
           "bench.readers.i3070:read_i3070"),
    Format("json", "OpenHTF and WATS (WSJF) test reports", (".json", ".wsjf"), _is_json,
           "bench.readers.json:read_json"),
    Format("parquet", "Parquet", (".parquet", ".pq"), lambda head, _: head.startswith(b"PAR1"),
           "bench.readers.columnar:read_parquet"),
    Format("arrow", "Arrow IPC (Feather)", (".arrow", ".feather", ".ipc"),
           lambda head, _: head.startswith(b"ARROW1"), "bench.readers.columnar:read_arrow"),
    Format("xlsx", "Excel workbook, each sheet a table", (".xlsx", ".xlsm"),
           lambda head, _: head.startswith(b"PK\x03\x04"), "bench.readers.xlsx:read_xlsx", "openpyxl"),
    Format("tdms", "NI TDMS", (".tdms",), lambda head, _: head.startswith(b"TDSm"), "bench.readers.tdms:read_tdms",
           "nptdms"),
    Format("nested", "rows indented by empty cells: cycles, steps and records (Neware)", (".csv", ".txt"),
           lambda head, _: is_nested(_text_head(head)), "bench.readers.nested:read_nested"),
    Format("markdown", "a table drawn with pipes and rules, or as a box, as in Markdown and consoles", (".md", ".txt"),
           lambda head, _: is_ruled(_drawn_head(head)), "bench.readers.bordered:read_bordered"),
    Format("delimited", "delimited text: comma, semicolon, tab, pipe, spaces; with preamble, units row, comments",
           (".csv", ".tsv", ".txt", ".log", ".dat", ".prn"), lambda _, __: True,
           "bench.readers.parts:read_parts"),
)  # fmt: skip


@lru_cache(maxsize=1)
def formats() -> tuple[Format, ...]:
    """Return all formats, in the order in which they are asked.

    Raises:
        EnvironmentProblem: an installed package offers a format that cannot be loaded.
    """
    offered: list[Format] = []
    for point in entry_points(group=GROUP):
        try:
            found = point.load()
        except Exception as problem:
            raise EnvironmentProblem(
                f"the reader {point.name!r} of {point.value!r} cannot be loaded ({problem})",
                hint="repair or uninstall the package that offers it.",
            ) from problem
        if not isinstance(found, Format):
            raise EnvironmentProblem(
                f"the reader {point.name!r} of {point.value!r} is no bench.readers.Format",
                hint="repair or uninstall the package that offers it.",
            )
        offered.append(found)
    return (*offered, *BUILT_IN)


def choose(source: Source, content: Content, options: ReadOptions) -> Format:
    """Return the format of a file: the one that the user named, else the first that knows it.

    Raises:
        UsageError: no format has the name that the user gave.
        EnvironmentProblem: the format needs a package that is not installed.
    """
    head, name = content.head(), PurePath(content.name).name.lower()
    if not head:
        return BUILT_IN[-1]
    if options.reader is not None:
        found = next((known for known in formats() if known.name == options.reader), None)
        if found is None:
            names = ", ".join(known.name for known in formats())
            raise UsageError(f"no reader is called {options.reader!r}", hint=f"give one of {names}.")
    else:
        found = next(known for known in formats() if known.matches(head, name))
    if not found.available:
        raise EnvironmentProblem(
            f"this is {found.description}, and reading it needs the package {found.needs}",
            file=source.path,
            hint=f"`pip install {found.needs}`, or export as CSV.",
        )
    return found


def unreadable(source: Source, what: str, problem: object, *, line: int | None = None) -> ExportError:
    """Return the error for a file that is not what its head promises."""
    return ExportError(
        f"the file begins as {what} and cannot be read as that ({problem})",
        file=source.path,
        line=line,
        hint="export it again, or name another format with --reader; `bench-analyze formats` lists them.",
    )
