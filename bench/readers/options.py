"""What a user may say about an export instead of letting the reader find out."""

from __future__ import annotations

from dataclasses import dataclass

from bench.errors import UsageError

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|", "space": " ", "spaces": " "}


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Overrides; None means that the reader finds out.

    `table`: the table's name. `reader`: a format's name. `delimiter`: one character, or comma, semicolon, tab, pipe,
    space. `decimal`: "." or ",". `encoding`: a name that Python knows. `header_rows`: 0 for a file without header.

    Raises:
        UsageError: a value that cannot be.
    """

    table: str | None = None
    reader: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header_rows: int | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", _delimiter(self.delimiter))
        if self.decimal not in (None, ".", ","):
            raise UsageError(f"the decimal mark is {self.decimal!r}", hint="give --decimal . or --decimal ,")
        if self.delimiter is not None and self.delimiter == self.decimal:
            raise UsageError("delimiter and decimal mark are the same character", hint="change one of them.")
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except LookupError:
                raise UsageError(
                    f"no encoding is called {self.encoding!r}", hint="try utf-8, utf-16, cp1252 or latin-1."
                ) from None
        if self.header_rows is not None and not 0 <= self.header_rows <= 4:
            raise UsageError(f"{self.header_rows} header rows", hint="give a number from 0 to 4.")
        if self.table is not None and not self.table.strip():
            raise UsageError("the table's name is empty", hint="give --table a name.")


def _delimiter(text: str) -> str:
    found = _DELIMITERS.get(text.lower(), text)
    if len(found) != 1 or found in '"\r\n\0' or not found.isascii() or found.isalnum():
        raise UsageError(
            f"{text!r} cannot be a delimiter",
            hint="give one character such as ; or a word: comma, semicolon, tab, pipe, space.",
        )
    return found
