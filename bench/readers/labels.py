"""What a row beside the data says of itself: limits and units by their label, units, aggregation words, a rule.

Benches label such rows in one of the first three cells: `LSL`, `Upper Limit----->`, `Units`, `Nominal`. A table of
statistics has rows called min and max too, so words that are no certain label count only beside one that is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bench.readers import cells
from bench.readers.head import Record
from guards.headers import header_unit

_END = r"\s*:?\s*(?:-+>)?\s*$"
_LIMIT_WORDS = re.compile(
    r"(?i)^\s*(?:lsl|usl|lcl|ucl|(?:measurement[ _])?units?|einheit(?:en)?|(?:untere?|obere?)[ _]?grenze|"
    r"(?:lower|low|upper|high|hi|lo|min|max)[ _]?(?:spec(?:ification)?[ _]?)?(?:limit|lim)s?|"
    r"spec[ _](?:min|max|low|high|lower|upper)|limite[ _](?:inf[ée]rieure|sup[ée]rieure|min|max)|[上下]限|"
    rf"limit[ _](?:low|lower|min|high|upper|max))(?:\s*[(\[](?:lsl|usl|ll|ul|min|max)[)\]])?{_END}"
)
_BESIDE_LIMITS = re.compile(
    r"(?i)^\s*(?:min(?:imum)?|max(?:imum)?|nominal|nom|target|typ(?:ical)?|spec|upper|lower|high|low|hi|lo|ll|ul)"
    rf"{_END}|^\s*[\w ]+-{{2,}}>\s*$"
)
_PAIRS = ({"upper", "lower"}, {"high", "low"}, {"hi", "lo"}, {"ll", "ul"})
_UNIT_WORDS = re.compile(rf"(?i)^\s*(?:(?:measurement[ _])?units?|einheit(?:en)?|\[units?\]){_END}")
_AGGREGATIONS = frozenset("smp avg min max std tot totalize sample average samples med median mean count".split())
_AGGREGATE = re.compile(
    r"(?i)^\s*(?:min(?:imum)?|max(?:imum)?|avg|average|mean|median|std(?:[ ._]?dev(?:iation)?)?|st\.?dev(?:iation)?|"
    rf"sigma|range|sum|total|count|cpk?|ppk?|variance|mittelwert){_END}"
)
_QUALIFIER = re.compile(r"(?i)[\s,]+(?:avg|mean|rms|min|max|peak|pk|typ|dc|ac)\.?\s*$")
_RULE = re.compile(r"^\s*:?(?:-{3,}|={3,}|[─━═]{3,}|_{3,}|\*{3,}|[-=]+\+[-=+]+):?\s*$")
# Heads of index and time columns that instruments repeat in their units row.
_NO_UNIT_BUT_NO_NAME = frozenset(("no", "no.", "#", "time", "date", "date&time", "index", "-"))
_FORMAT = re.compile(r"(?i)^(?:[dmyhsfx]{1,6}[-/:., T]+)+[dmyhsfx]{1,6}$")  # dd/mm/yyyy, hh:mm:ss.xxx
_TYPES = frozenset(
    """string str text char varchar double float float32 float64 real int integer int32 int64 i32 i64 f32 f64 number
    numeric decimal bool boolean date datetime timestamp bigint smallint tinyint hugeint int8 int16 i8 i16 u8 u16 u32
    u64 uint8 uint16 uint32 uint64 uinteger ubigint cat enum object time duration interval""".split()
)
_ARGUMENTS = re.compile(r"[\[(].*$| with time zone$")  # datetime[μs], decimal(18,3)
LABEL_CELLS = 3


def label(row: Record) -> str | None:
    """Return the cell that names the row a limit, a nominal value or units, None without one."""
    return next(
        (cell for cell in row.cells[:LABEL_CELLS] if _LIMIT_WORDS.match(cell) or _BESIDE_LIMITS.match(cell)), None
    )


def aggregate(row: Record) -> str | None:
    """Return the word by which a row is the minimum, mean or the like of the rows above, None without one."""
    return next((cell.strip() for cell in row.cells[:LABEL_CELLS] if _AGGREGATE.match(cell)), None)


def summary(row: Record) -> str | None:
    """Return the word by which a row below the data is a limit of it or sums it up, None without one."""
    limit = next((cell.strip() for cell in row.cells[:LABEL_CELLS] if _LIMIT_WORDS.match(cell)), None)
    return limit or aggregate(row)


def limit_rows(rows: Sequence[Record]) -> int:
    """Return how many of these rows, from the first on, hold limits or units by their label."""
    count = 0
    while count < len(rows) and label(rows[count]) is not None:
        count += 1
    found = [label(row) or "" for row in rows[:count]]
    words = {_bare(text) for text in found}
    certain = any(map(_LIMIT_WORDS.match, found)) or any(pair <= words for pair in _PAIRS)
    if not certain and {"min", "max"} <= words:  # of limits, where no table of statistics goes on
        certain = len(rows) > count + 2 and not any(map(aggregate, rows[count:]))
    again = any(label(row) in found for row in rows[count:])
    return count if certain and not again else 0


def is_rule(row: Record) -> bool:
    """Return whether a row only draws a line: `----- -----`."""
    filled = [cell for cell in row.cells if cell.strip()]
    return bool(filled) and all(map(_RULE.match, filled))


def is_units(row: Record, typed: Mapping[int, frozenset[str]] | None = None) -> bool:
    """Return whether most cells, of the typed columns if they are given, are units."""
    positions = range(len(row.cells)) if typed is None else [p for p in typed if p < len(row.cells)]
    filled = [row.cells[p] for p in positions if row.cells[p].strip()]
    telling = [cell for cell in filled if not _says_nothing(cell.strip())] or filled
    return bool(telling) and sum(map(cells.is_unit, telling)) * 5 >= len(telling) * 3


def are_types(row: Sequence[str]) -> bool:
    """Return whether each cell names the type of a column: `varchar`, `f64`, `datetime[us]`."""
    filled = [_ARGUMENTS.sub("", cell.strip().lower()) for cell in row if cell.strip()]
    return len(filled) > 1 and all(cell in _TYPES for cell in filled)


def says_units(row: Record) -> bool:
    """Return whether a row says of itself that it holds units."""
    return any(map(_UNIT_WORDS.match, row.cells[:LABEL_CELLS]))


def are_units(row: Record) -> bool:
    """Return whether each cell of a row is a unit."""
    return all(cells.is_unit(cell) for cell in row.cells if cell.strip())


def names_unit(cell: str) -> bool:
    """Return whether a cell is a name with its unit: `Vout (V)`, `vout_v`."""
    found = header_unit(cell)
    return found is not None and found[0] != ""


def is_units_label(cell: str) -> bool:
    """Return whether a cell says that units stand beside it."""
    return _UNIT_WORDS.match(cell) is not None


def is_bare_unit(cell: str) -> bool:
    """Return whether a name is its unit and nothing else: `V`, `Volts`."""
    found = header_unit(cell)
    return found is not None and found[0] == ""


def are_units_below(names: Record, row: Record) -> bool:
    """Return whether a row just below names holds their units, some of them unknown words: `,V,mA avg`.

    It has no cell of its own in the first column, and none without a name above it.
    """
    pairs = list(zip(names.cells, (*row.cells, *[""] * len(names.cells)), strict=False))
    filled = [cell for _, cell in pairs if cell.strip()]
    first_name, first_cell = pairs[0]
    if not first_name.strip() or first_cell.strip() or not any(map(_is_unit_or_qualified, filled)):
        return False
    named = all(cells.kind(name) == "text" for name, cell in pairs if cell.strip())
    return named and all(cells.kind(cell) == "text" or cells.is_unit(cell) for cell in filled)


def _is_unit_or_qualified(cell: str) -> bool:
    return any(map(str.isalpha, cell)) and cells.is_unit(_QUALIFIER.sub("", cell))


def _says_nothing(cell: str) -> bool:
    return cell.lower() in _NO_UNIT_BUT_NO_NAME or _FORMAT.match(cell) is not None


def row_kind(row: Record, typed: Mapping[int, frozenset[str]]) -> str:
    """Return what a header row holds: names, units, aggregation, types, rule, or a limit row's label in lower case."""
    if sum(bool(cell.strip()) for cell in row.cells) > 1 and are_units(row):
        return "units"  # `min,V`: minutes, and no minimum
    if is_rule(row):
        return "rule"
    filled = [cell.strip().lower() for cell in row.cells if cell.strip()]
    first = row.cells[0] if row.cells else ""
    found = first if _LIMIT_WORDS.match(first) or _BESIDE_LIMITS.match(first) else None
    found = found or (label(row) if any(cells.kind(cell) == "number" for cell in row.cells) else None)
    if found is None and _UNIT_WORDS.match(label(row) or ""):
        found = label(row)
    if found is not None and not _UNIT_WORDS.match(found):
        return _bare(found)
    if filled and sum(cell in _AGGREGATIONS for cell in filled) * 3 >= len(filled) * 2:
        return "aggregation"
    if are_types(row.cells):
        return "types"
    return "units" if found is not None or is_units(row, typed or None) else "names"


def _bare(text: str) -> str:
    return re.sub(r"\s*:?\s*(?:-+>)?\s*$", "", text).strip().lower()
