"""Where the table is in the head: preamble, header rows, first data row, and what each header row says.

`header.py` finds the header rows. Of them, names come first, and below or above them stand a units row, an aggregation
row or limit rows. What stands above is the preamble. With no column to tell by (text only) the first row of full width
is the header.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench.readers import cells, header, indexed, keyed, labels, naming, preambles
from bench.readers.head import Record

_COMMENT_MARKS = ("#", "%", "//", "!", ";", "~")
_FEWEST_NAMES = 3  # of a table whose rows may leave out the last column
_FEWEST_LEAN = 2
_FEWEST_SURPLUS = 2  # one delimiter behind the last field is usual, and is told by the names
_ASSIGNED = re.compile(r"^\s*([\w .]+?)\s*=\s*(\S.*?)\s*$")


@dataclass(frozen=True, slots=True)
class Layout:
    """What the head says. Lines are 1-based; `data_line` is the first line after the header.

    `names`, `units` and `others` (kind -> cells) are as wide as the table, which is `width` fields; `trailing` is the
    number of delimiters in which every line ends, so that the last fields are nobody's. `evidence` says why, for the
    dialect.
    `axes` are the positions of the columns that hold values, `numbers` of those that hold numbers. `lean`: rows leave
    out the last column, a text, behind one of numbers. `unsure`: names and a row, where it cannot be told which of its
    fields they are about.
    """

    width: int
    names: tuple[str, ...]
    data_line: int
    header_line: int | None = None
    header_lines: int = 0
    units: tuple[str, ...] | None = None
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    preamble_lines: int = 0
    comment: str | None = None
    header_texts: tuple[str, ...] = ()
    trailing: int = 0
    lean: bool = False
    evidence: str = ""
    axes: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    unsure: tuple[Record, Record] | None = None


def find(records: Sequence[Record], *, delimiter: str = ",", header_rows: int | None = None) -> Layout:
    """Return the layout of a head. At least one record is not blank."""
    everything = [record for record in records if not record.blank]
    comment = _comment_mark(everything, delimiter)
    rows = [row for row in everything if comment is None or not row.text.startswith(comment)]
    if header_rows is None:
        rows = rows[keyed.count_above(rows) :]
    rows, surplus = _without_surplus(rows)
    width = header.body_width(rows)
    typed = header.typed_columns(rows, width)
    first, count, evidence = (
        header.locate(rows, width, typed) if header_rows is None else header.told(rows, width, header_rows)
    )
    above, body = rows[first : first + count], rows[first + count :]
    if not above and comment is not None and body and header_rows is None:
        above = _commented_header(everything, body[0], comment, width)
    kinds = _kinds(above, typed)
    start = (above or body or everything)[0].line
    preamble = [row for row in everything if row.line < start]
    found = _layout(preamble, above, kinds, body, records, comment, evidence, delimiter)
    numbers = tuple(at for at in sorted(typed) if "number" in typed[at] and at < found.width)
    found = replace(found, numbers=numbers, trailing=found.trailing + surplus)
    codes = len(typed) == 1 and all(
        row.cells[at].strip().isdigit() for at in typed for row in body[:20] if at < len(row.cells)
    )
    axes = () if codes else tuple(sorted(typed))  # whole numbers in a single column are a digitizer's codes
    if above and delimiter == " " and not found.others and above[-1].width > found.width:
        # More words than columns: which of them belong together cannot be told.
        said = {f"line {above[-1].line}": above[-1].text}
        return replace(
            found, axes=axes, names=("",) * found.width, metadata={**preambles.metadata(preamble, " "), **said}
        )
    if len(above) == 1 and header_rows is None and above[0].width + 1 == found.width:
        where = indexed.alignment(above[0], body, delimiter)
        names = ("", *found.names[:-1]) if where == "right" else found.names
        return replace(found, axes=axes, names=names, unsure=(above[0], body[0]) if where == "unsure" else None)
    if above:
        return replace(found, axes=axes)
    beside, units = preambles.beside(body, sorted(typed))
    traces = preambles.trace_names(preamble, sorted(typed), found.width)
    traces = traces or preambles.ruled_names(preamble, found.width)
    return replace(
        found, axes=axes, metadata={**beside, **found.metadata}, names=traces or found.names,
        units=tuple(units.get(at, "") for at in range(found.width)) if units else None,
    )  # fmt: skip


def _commented_header(rows: Sequence[Record], data: Record, mark: str, width: int) -> list[Record]:
    """Return the comment lines just above the data that have a cell for each column: `# time,voltage`, `# s,V`."""
    above = [row for row in rows if row.line < data.line][-2:]
    found: list[Record] = []
    for row in reversed(above):
        names = (row.cells[0].removeprefix(mark).strip(), *row.cells[1:])
        names = names[1:] if not names[0] and len(names) == width + 1 else names
        if not row.text.startswith(mark) or len(names) != width or width < 2:
            break
        found.insert(0, replace(row, cells=names))
        if not labels.is_units(found[0]):
            break
    return found


def _comment_mark(rows: Sequence[Record], delimiter: str) -> str | None:
    for mark in _COMMENT_MARKS:
        if mark == delimiter:
            continue
        marked = [row for row in rows if row.text.startswith(mark)]
        plain = [row for row in rows if not row.text.startswith(mark)]
        if marked and plain and (rows[0].text.startswith(mark) or len(marked) > 1) and len(marked) < len(rows):
            return mark
    return None


def _layout(
    preamble: Sequence[Record], above: Sequence[Record], kinds: list[str], body: Sequence[Record],
    records: Sequence[Record], comment: str | None, evidence: str, delimiter: str,
) -> Layout:  # fmt: skip
    if above and "names" not in kinds:
        kinds[0] = "names"
    named = [row for row, what in zip(above, kinds, strict=True) if what == "names" and row.width]
    originals, named = named, naming.merged(named)
    names_row = named[-1] if named else None
    units_row = next((row for row, what in zip(above, kinds, strict=True) if what == "units"), None)
    lean = names_row is not None and _is_lean(names_row, body)
    width, trailing = (len(names_row.cells), 0) if names_row and lean else _table_width(names_row, units_row, body)
    others = {
        what: naming.padded(row.cells, width)
        for row, what in zip(above, kinds, strict=True) if what not in ("names", "units", "rule")
    }  # fmt: skip
    names = naming.padded(names_row.cells, width) if names_row else ("",) * width
    units = naming.padded(units_row.cells, width) if units_row else None
    names, units = naming.spanned(names, units, others.get("aggregation"))
    others |= naming.others(originals, names) if names_row else {}
    data_line = _data_line(above, body, records)
    names, units = naming.beside_units(names, units)
    units, said = _start_and_increment(names_row, units, units_row, body, width)
    return Layout(
        width=width, names=names, data_line=data_line,
        header_line=names_row.line if names_row else None, header_lines=sum(row.lines for row in above), units=units,
        others=others, metadata=preambles.metadata(preamble, delimiter, comment) | said,
        preamble_lines=above[0].line - 1 if above else data_line - 1, comment=comment,
        header_texts=tuple(row.text for row in above if any(map(str.isalpha, row.text))), trailing=trailing, lean=lean,
        evidence=evidence,
    )  # fmt: skip


def _kinds(above: Sequence[Record], typed: header.Typed) -> list[str]:
    """Return what each header row holds; a row of names without the first one, some of them units, is a units row."""
    kinds = [labels.row_kind(row, typed) for row in above]
    if any(map(labels.says_units, above)):  # what is said to be units is; `Date, Time, sec` above or below are names
        kinds = [
            "names" if what == "units" and not (labels.says_units(row) or labels.are_units(row)) else what
            for row, what in zip(above, kinds, strict=True)
        ]
    for at, (upper, lower) in enumerate(itertools.pairwise(above)):
        if kinds[at : at + 2] == ["names", "names"] and "units" not in kinds and labels.are_units_below(upper, lower):
            kinds[at + 1] = "units"
    return kinds


def _data_line(above: Sequence[Record], body: Sequence[Record], records: Sequence[Record]) -> int:
    if above:
        return above[-1].line + above[-1].lines
    return body[0].line if body else records[-1].line + records[-1].lines


def _is_lean(names: Record, body: Sequence[Record]) -> bool:
    """Return whether rows leave out the last column: where they have it, it is a text behind a column of numbers."""
    width = len(names.cells)
    short = [row for row in body if len(row.cells) == width - 1]
    last = [row.cells[-1] for row in body if len(row.cells) == width and row.cells[-1].strip()]
    if width < _FEWEST_NAMES or names.width < width or len(short) < _FEWEST_LEAN or not last:
        return False
    before = [row.cells[width - 2] for row in body if len(row.cells) in (width - 1, width)]
    numbers = sum(cells.kind(cell) in ("number", "sentinel") for cell in before)
    return numbers * 10 >= len(before) * 9 and all(cells.kind(cell) == "text" for cell in last)


def _without_surplus(rows: list[Record]) -> tuple[list[Record], int]:
    """Return the rows without the delimiters in which each ends, two or more too many, and how many these are.

    What is above the rows and ends in none of them is as long as it was.
    """
    full = header.body_width(rows)
    first = next(at for at, row in enumerate(rows) if len(row.cells) == full)
    longer = first == 0 or len(rows[first - 1].cells) > full  # a longer header says more than the rows
    looked_at = [row for row in rows if longer or len(row.cells) <= full]
    used = max(row.width if len(row.cells) >= full else len(row.cells) for row in looked_at)
    if full - used < _FEWEST_SURPLUS or not used:
        return rows, 0
    return [replace(row, cells=row.cells[:used]) if row.width <= used else row for row in rows], full - used


def _table_width(names: Record | None, units: Record | None, body: Sequence[Record]) -> tuple[int, int]:
    """Return the number of columns, and in how many delimiters each line ends behind its last field."""
    if not body:
        return (len(names.cells) if names else 1), 0
    full = header.body_width(body)
    widths = Counter(len(row.cells) for row in body)
    if names is not None and widths[len(names.cells)] * 2 >= max(widths.values()):
        full = len(names.cells)
    alike = [row for row in body if len(row.cells) == full]
    used = max(1, *(row.width for row in alike))
    if names is None:
        return used, full - used
    named, most = _named_width(names), len(alike) * 10 >= len(body) * 9
    used = max(named, used)
    if used < full and len(names.cells) <= full:
        return used, full - used  # "X,CH1," above "1,2,"
    beyond = units is not None and any(cells.kind(cell) == "number" for cell in units.cells[full:])
    if full < named and (beyond or len(body) > 4) and most:
        trailing = full > 1 and all(not row.cells[-1].strip() for row in alike)
        return full - trailing, int(trailing)  # Rigol's Start and Increment stand in the header only
    if named <= full < len(names.cells) and most:
        return used, full - used  # only the header ends in a delimiter
    return (full, 0) if full > len(names.cells) else (len(names.cells), 0)


def _named_width(names: Record) -> int:
    """Return the number of names, without what a last one says of the whole record: `t0 = -5E-5`."""
    width = names.width
    while width > 1 and _ASSIGNED.match(names.cells[width - 1]):
        width -= 1
    return width


def _start_and_increment(
    names: Record | None, units: tuple[str, ...] | None, units_row: Record | None, body: Sequence[Record], width: int
) -> tuple[tuple[str, ...] | None, dict[str, str]]:
    """Return the units without what is none, and what the header says of the whole record.

    That are names beyond the table or above a column without cells, with a number below (Rigol's Start and Increment)
    or in them (`t0 = -5E-5`).
    """
    if names is None:
        return units, {}
    below = units_row.cells if units_row else ()
    kept, said = list(units or ()), {}
    for at, name in enumerate(names.cells):
        value = below[at].strip() if at < len(below) else ""
        if not name.strip() or (at < width and any(row.cells[at].strip() for row in body if at < len(row.cells))):
            continue
        assigned = _ASSIGNED.match(name)
        if assigned:
            said[assigned[1]] = assigned[2]
        elif at >= width or (body and cells.kind(value) == "number"):
            said[name.strip()] = value
            kept[at : at + 1] = [""] * (at < len(kept))
    return (tuple(kept) if units is not None else None), said
