"""DuckDB's exceptions by the names that its Python API has, so that `except duckdb.CatalogException` works."""

# ruff: noqa: N818 (the names are those of DuckDB's Python API)
from __future__ import annotations


class Error(Exception):
    """Base of all errors of the engine."""


class DatabaseError(Error):
    """The engine refused or failed."""


class OperationalError(DatabaseError):
    """The engine could not work."""


class ProgrammingError(DatabaseError):
    """The statement is wrong."""


class DataError(DatabaseError):
    """A value is wrong."""


class IntegrityError(DatabaseError):
    """A constraint is broken."""


class InternalError(DatabaseError):
    """The engine is at fault."""


class NotSupportedError(DatabaseError):
    """The engine or the sandbox has no such thing."""


class BinderException(ProgrammingError):
    """A name or type does not fit."""


class CatalogException(ProgrammingError):
    """No such table, column or function."""


class ParserException(ProgrammingError):
    """Not SQL."""


class SyntaxException(ProgrammingError):
    """Not SQL."""


class InvalidInputException(ProgrammingError):
    """An argument is wrong."""


class InvalidTypeException(ProgrammingError):
    """A type is wrong."""


class PermissionException(DatabaseError):
    """Files, network and settings are closed."""


class ConversionException(DataError):
    """A value cannot be cast."""


class OutOfRangeException(DataError):
    """A number is too large."""


class TypeMismatchException(DataError):
    """Types differ."""


class ConstraintException(IntegrityError):
    """A constraint is broken."""


class IOException(OperationalError):
    """There are no files here."""


class TransactionException(OperationalError):
    """A transaction cannot go on."""


class OutOfMemoryException(OperationalError):
    """The engine's memory is used up."""


class InternalException(InternalError):
    """The engine is at fault."""


class NotImplementedException(NotSupportedError):
    """The engine has no such thing."""


class QueryLimitError(OperationalError):
    """The run's limit on queries or on rows handed to Python was reached; the message names it."""


_BY_PREFIX: dict[str, type[Error]] = {
    "Binder": BinderException,
    "Catalog": CatalogException,
    "Parser": ParserException,
    "Syntax": SyntaxException,
    "Invalid Input": InvalidInputException,
    "Invalid type": InvalidTypeException,
    "Permission": PermissionException,
    "Conversion": ConversionException,
    "Out of Range": OutOfRangeException,
    "Mismatch Type": TypeMismatchException,
    "Constraint": ConstraintException,
    "IO": IOException,
    "TransactionContext": TransactionException,
    "Out of Memory": OutOfMemoryException,
    "INTERNAL": InternalException,
    "Not implemented": NotImplementedException,
    "Missing Extension": NotImplementedException,
}
_MISSING = {
    "json": "The sandbox's DuckDB has no JSON extension: read the text in Python with json.loads.",
    "parquet": "The sandbox has no files of the host; the tables are in `con`.",
    "icu": "Time zones are not in the sandbox's DuckDB: compute with TIMESTAMP (UTC) or in Python with datetime.",
}


def error_from(text: str) -> Error:
    """Return the engine's error text as the exception of its kind."""
    kind = _BY_PREFIX.get(text.partition(" Error:")[0], Error)
    for extension, hint in _MISSING.items():
        if f'"{extension}"' in text and "extension" in text:
            return kind(text.partition("\n")[0] + "\n" + hint)
    if kind is PermissionException and "disabled by configuration" in text:
        text += (
            "\nThe sandbox has no files and no network of the host; the tables are in `con`: con.sql('show tables')."
        )
    return kind(_once(text))


def _once(text: str) -> str:
    """The engine repeats its LINE block: keep the first."""
    head, mark, block = text.partition("\n\nLINE ")
    first, _, _ = block.partition("\n\nLINE ")
    return head + mark + first.rstrip()
