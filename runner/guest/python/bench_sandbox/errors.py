"""DuckDB's exceptions by the names that its Python API has, so that `except duckdb.CatalogException` works."""

from __future__ import annotations


class Error(Exception):
    """Base of all errors of the engine."""


class DatabaseError(Error): ...


class OperationalError(DatabaseError): ...


class ProgrammingError(DatabaseError): ...


class DataError(DatabaseError): ...


class IntegrityError(DatabaseError): ...


class InternalError(DatabaseError): ...


class NotSupportedError(DatabaseError): ...


class BinderException(ProgrammingError): ...


class CatalogException(ProgrammingError): ...


class ParserException(ProgrammingError): ...


class SyntaxException(ProgrammingError): ...


class InvalidInputException(ProgrammingError): ...


class InvalidTypeException(ProgrammingError): ...


class PermissionException(DatabaseError): ...


class ConversionException(DataError): ...


class OutOfRangeException(DataError): ...


class TypeMismatchException(DataError): ...


class ConstraintException(IntegrityError): ...


class IOException(OperationalError): ...


class TransactionException(OperationalError): ...


class OutOfMemoryException(OperationalError): ...


class InternalException(InternalError): ...


class NotImplementedException(NotSupportedError): ...


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
