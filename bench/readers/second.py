"""A second header among the rows: names where the columns hold numbers. What stands below it has other columns.

Taken for a row it would cost one flagged cell a column, while every value below it would be filed under the wrong
name. Names are told from readings that failed (`ERR1`, `not fitted`) by the columns of text: a header has there what
none of the rows above looks like. A bench that gives a unit for each number does so in a second header as well.

On the fast path no line is looked at alone. There a header betrays itself by a letter that the first rows have not:
`unseen` are those letters, and a text that has nearly all of them is looked through column by column.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from bench.readers import cells, labels
from bench.readers.head import Record

_LETTERS = string.ascii_letters
_FEW = 13  # of 26 letters of one case: fewer than so many unseen may all be missing from a header
_WORD = r"""^\s*["'(\[]?[A-Za-z°µμΩ_]"""


@dataclass(frozen=True, slots=True)
class Expected:
    """What the first rows are like: the columns of numbers (`axes`), the forms of the others' texts, the names above.

    `unseen`: the ASCII letters that none of those rows has.
    """

    axes: tuple[int, ...]
    names: tuple[str, ...]
    forms: frozenset[tuple[int, str]]
    unseen: bytes

    @property
    def wordy(self) -> bool:
        """Whether a header may be made of letters that the rows have as well."""
        lower = sum(byte in self.unseen for byte in string.ascii_lowercase.encode())
        return lower < _FEW or len(self.unseen) - lower < _FEW

    def is_header(self, row: Sequence[str]) -> bool:
        """Return whether a record holds names: no value at all, and another text in each of the columns of numbers."""
        if any(
            at < len(row) and row[at].strip()[-1:].isdigit() and cells.kind(row[at]) == "number" for at in self.axes
        ):
            return False  # nearly every row
        filled = [(at, cell.strip()) for at, cell in enumerate(row[: len(self.names)]) if cell.strip()]
        kinds = {at: cells.kind(cell) for at, cell in filled}
        if not kinds or not {"number", "time"}.isdisjoint(kinds.values()):
            return False
        typed = [cell for at, cell in filled if at in self.axes]
        words = sum(kinds[at] == "text" for at, _ in filled if at in self.axes)
        if not words or len(typed) * 2 < len(self.axes) or len(set(typed)) < len(typed):
            return False
        if all(map(labels.names_unit, (self.names[at] for at in self.axes))) and not any(map(labels.names_unit, typed)):
            return False
        others = [(at, cell) for at, cell in filled if at not in self.axes]
        if any((at, form) in self.forms for at, cell in others for form in (cells.form(cell), cells.code_form(cell))):
            return False
        return words > 1 or any(cell.lower() == self.names[at].strip().lower() for at, cell in filled)

    def maybe(self, columns: Sequence[str]) -> pl.Expr:
        """Return whether a row of these columns could be a header: the columns of numbers begin with a letter, and no
        word (`ERR`, `ERR`) stands in both of the first two."""
        typed = [pl.col(columns[at]) for at in self.axes]
        words = pl.all_horizontal(cell.str.contains(_WORD).fill_null(value=True) for cell in typed)
        words = words & pl.any_horizontal(cell.is_not_null() for cell in typed)
        return words & (typed[0] != typed[1]).fill_null(value=True) if len(typed) > 1 else words

    def found_in(self, rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """Return the rows that are headers. Rows that differ in their digits only are looked at once."""
        masked = pl.col(columns).fill_null("").str.replace_all(r"\d+", "9")
        rows = rows.filter(self.maybe(columns)).with_columns(pl.concat_str(masked, separator="\0").alias("\0form"))
        each = rows.unique("\0form", keep="first", maintain_order=True)
        cells_of = each.select(columns).rows()
        forms = [
            form for form, row in zip(each.get_column("\0form"), cells_of, strict=True)
            if self.is_header([cell or "" for cell in row])
        ]  # fmt: skip
        return rows.filter(pl.col("\0form").is_in(forms)).drop("\0form")


def expected(body: Sequence[Record], axes: Sequence[int], names: Sequence[str]) -> Expected | None:
    """Return what rows like these lead to expect, None where no column holds numbers."""
    if not axes:
        return None
    found = Expected(tuple(axes), tuple(names), frozenset(), b"")
    rows = [record for record in body if not found.is_header(record.cells)]
    seen = set("".join(record.text for record in rows))
    others = [at for at in range(len(names)) if at not in axes]
    forms = {
        (at, form) for row in rows for at in others if at < len(row.cells)
        for form in (cells.form(row.cells[at]), cells.code_form(row.cells[at])) if form
    }  # fmt: skip
    return replace(found, forms=frozenset(forms), unseen="".join(c for c in _LETTERS if c not in seen).encode())
