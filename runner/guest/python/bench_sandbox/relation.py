"""Relations: a query with its result, to fetch, to iterate, to print and to build further queries on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from bench_sandbox import errors
from bench_sandbox.statements import literal
from bench_sandbox.values import FRAME_ROWS

if TYPE_CHECKING:
    from bench_sandbox.arrow import Result
    from bench_sandbox.engine import Engine

_SHOWN_ROWS = 40
_SHOWN_WIDTH = 32


class Relation:
    """The result of a query. Rows are fetched once, from the start to the end, as with DuckDB's own relations."""

    def __init__(self, engine: Engine, statement: str, result: Result, alias: str = "") -> None:
        self._engine = engine
        self._statement = statement
        self._result = result
        self.alias = alias or "query_relation"
        self.once = False  # of a connection: what was fetched is not there again
        self._rows: Iterator[tuple[Any, ...]] | None = None

    # ---- what it is
    @property
    def columns(self) -> list[str]:
        """The column names."""
        return [field.name for field in self._result.fields]

    @property
    def types(self) -> list[str]:
        """The columns' types by DuckDB's names."""
        return [field.type_name for field in self._result.fields]

    dtypes = types

    @property
    def description(self) -> list[tuple[Any, ...]]:
        """The columns as DB-API tuples: name, type, and five times None."""
        return [(field.name, field.type_name, None, None, None, None, None) for field in self._result.fields]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._result.rows, len(self._result.fields)

    @property
    def rowcount(self) -> int:
        """The number of rows."""
        return self._result.rows

    @property
    def type(self) -> str:
        """The kind of relation, as DuckDB's own says it."""
        return "QUERY_RELATION"

    def sql_query(self) -> str:
        """Return the SQL text."""
        return self._statement

    def __len__(self) -> int:
        return self._result.rows

    # ---- rows
    def _iterate(self) -> Iterator[tuple[Any, ...]]:
        for columns in self._result.batches():
            self._engine.account.fetched(len(columns[0]) if columns else 0)
            yield from zip(*columns, strict=True)

    def _open(self) -> Iterator[tuple[Any, ...]]:
        if self._rows is None:
            self._rows = self._iterate()
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, or None."""
        return next(self._open(), None)

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """Return the next rows, at most `size`."""
        return list(islice(self._open(), size))

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the rows that were not fetched yet."""
        rows = list(self._open())
        if not self.once:
            self._rows = None
        return rows

    def execute(self) -> Relation:
        """Begin at the first row again."""
        self._rows = None
        return self

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())

    def fetchnumpy(self) -> dict[str, Any]:
        """Return {column: numpy array}."""
        numpy = _package("numpy")
        return {name: numpy.array(column) for name, column in zip(self.columns, self._columns(), strict=True)}

    def df(self, **_: object) -> Any:
        """Return a pandas frame."""
        return _package("pandas").DataFrame(dict(zip(self.columns, self._columns(), strict=True)))

    def pl(self, **_: object) -> Any:
        """Return a polars frame."""
        return _package("polars").DataFrame(dict(zip(self.columns, self._columns(), strict=True)))

    to_df = fetchdf = fetch_df = df

    def fetch_arrow_table(self, *_: object) -> Any:
        """Return a pyarrow table."""
        return _package("pyarrow").table(dict(zip(self.columns, self._columns(), strict=True)))

    arrow = to_arrow_table = fetch_arrow_table

    def _columns(self) -> list[list[object]]:
        self._engine.account.fetched(self._result.rows)
        return self._result.columns()

    # ---- further queries
    def _derive(self, sql: str) -> Relation:
        return Relation(self._engine, sql, self._engine.run(sql))

    def _from(self) -> str:
        return f"({self._statement}) AS {_quoted(self.alias)}"

    def filter(self, condition: str) -> Relation:
        """Return the rows for which the SQL condition holds."""
        return self._derive(f"SELECT * FROM {self._from()} WHERE {condition}")

    def project(self, *columns: str) -> Relation:
        """Return the SQL expressions computed for each row."""
        return self._derive(f"SELECT {', '.join(columns)} FROM {self._from()}")

    select = project

    def aggregate(self, expressions: str, group_by: str = "") -> Relation:
        """Return aggregates, by group where one is named."""
        grouped = f"{group_by}, {expressions}" if group_by and group_by not in expressions else expressions
        tail = f" GROUP BY {group_by}" if group_by else ""
        return self._derive(f"SELECT {grouped if tail else expressions} FROM {self._from()}{tail}")

    def order(self, expressions: str) -> Relation:
        """Return the rows in this order."""
        return self._derive(f"SELECT * FROM {self._from()} ORDER BY {expressions}")

    def sort(self, *expressions: str) -> Relation:
        """Return the rows in the order of these expressions."""
        return self.order(", ".join(expressions))

    def limit(self, count: int, offset: int = 0) -> Relation:
        """Return `count` rows from `offset`."""
        return self._derive(f"SELECT * FROM {self._from()} LIMIT {int(count)} OFFSET {int(offset)}")

    def distinct(self) -> Relation:
        """Return each row once."""
        return self._derive(f"SELECT DISTINCT * FROM {self._from()}")

    def count(self, column: str = "*") -> Relation:
        """Return the number of rows (or of values of a column)."""
        return self._derive(f"SELECT count({column}) FROM {self._from()}")

    def describe(self) -> Relation:
        """Return DuckDB's summary of each column."""
        return self._derive(f"SUMMARIZE {self._statement}")

    def query(self, name: str, sql: str) -> Relation:
        """Return a query in which this relation has a name."""
        return self._derive(f"WITH {_quoted(name)} AS ({self._statement}) {sql}")

    def join(self, other: Relation, condition: str, how: str = "inner") -> Relation:
        """Return the join with another relation."""
        if how.lower() not in ("inner", "left", "right", "outer", "full", "semi", "anti"):
            raise errors.InvalidInputException(f"Invalid Input Error: unknown join {how!r}")
        clause = f"USING ({condition})" if condition.isidentifier() else f"ON {condition}"
        return self._derive(f"SELECT * FROM {self._from()} {how} JOIN {other._from()} {clause}")

    def union(self, other: Relation) -> Relation:
        """Return the rows of both."""
        return self._derive(f"({self._statement}) UNION ALL ({other._statement})")

    def except_(self, other: Relation) -> Relation:
        """Return the rows that the other relation has not."""
        return self._derive(f"({self._statement}) EXCEPT ({other._statement})")

    def intersect(self, other: Relation) -> Relation:
        """Return the rows that both have."""
        return self._derive(f"({self._statement}) INTERSECT ({other._statement})")

    def cross(self, other: Relation) -> Relation:
        """Return every row of this with every row of the other relation."""
        return self._derive(f"SELECT * FROM {self._from()}, ({other._statement}) AS other_relation")

    def unique(self, columns: str) -> Relation:
        """Return each combination of these columns once."""
        return self._derive(f"SELECT DISTINCT {columns} FROM {self._from()}")

    def value_counts(self, column: str, groups: str = "") -> Relation:
        """Return each value of a column with how often it occurs."""
        return self.aggregate(f"{column}, count({column})", ", ".join(filter(None, (groups, column))))

    def quantile_cont(self, column: str, q: float = 0.5) -> Relation:
        """Return a quantile of a column, interpolated."""
        return self._derive(f"SELECT quantile_cont({column}, {q!r}) FROM {self._from()}")

    def string_agg(self, column: str, sep: str = ",") -> Relation:
        """Return the values of a column as one text."""
        return self._derive(f"SELECT string_agg({column}, {literal(sep)}) FROM {self._from()}")

    def __getitem__(self, name: str) -> Relation:
        if name not in self.columns:
            raise AttributeError(f"this relation has no column {name!r}: it has {', '.join(self.columns)}")
        return self._derive(f"SELECT {_quoted(name)} FROM {self._from()}")

    def set_alias(self, alias: str) -> Relation:
        """Return the relation under a name."""
        return Relation(self._engine, self._statement, self._result, alias)

    def create(self, name: str) -> None:
        """Make a table of it."""
        self._engine.run(f"CREATE TABLE {_quoted(name)} AS {self._statement}")

    to_table = create

    def create_view(self, name: str, replace: bool = True) -> Relation:
        """Make a view of it."""
        self._engine.run(f"CREATE {'OR REPLACE ' if replace else ''}VIEW {_quoted(name)} AS {self._statement}")
        return self

    def __getattr__(self, name: str) -> Any:
        if name in _AGGREGATES:
            return lambda column: self._derive(f"SELECT {name}({column}) FROM {self._from()}")
        if not name.startswith("_") and name in self.columns:
            return self[name]
        raise AttributeError(f"a relation has no {name!r} in the sandbox; say it in SQL: con.sql('...')")

    # ---- shown
    def __bench_frame__(self) -> tuple[list[str], Iterator[tuple[Any, ...]], int]:
        batches = (zip(*columns, strict=True) for columns in self._result.batches())
        return self.columns, islice((row for batch in batches for row in batch), FRAME_ROWS), self._result.rows

    def show(self, **_: object) -> None:
        """Print the first rows."""
        print(self)

    def __repr__(self) -> str:
        return _box(*self.__bench_frame__())

    __str__ = __repr__


_AGGREGATES = frozenset(
    ["sum", "min", "max", "avg", "mean", "median", "mode", "stddev", "std", "var", "variance", "product"]
)


def frame(relation: Relation) -> tuple[Sequence[str], Iterator[tuple[Any, ...]], int]:
    """Return the column names, the first rows and the number of rows."""
    return relation.__bench_frame__()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name) from None


def _cell(value: object) -> str:
    text = "NULL" if value is None else str(value)
    text = text.replace("\n", "\\n")
    return text if len(text) <= _SHOWN_WIDTH else text[: _SHOWN_WIDTH - 1] + "…"


def _box(columns: Sequence[str], rows: Iterator[tuple[Any, ...]], total: int) -> str:
    cells = [[_cell(value) for value in row] for row in islice(rows, _SHOWN_ROWS)]
    widths = [max(map(len, column)) for column in zip([_cell(name) for name in columns], *cells, strict=True)]
    lines = [" │ ".join(name.ljust(width) for name, width in zip(map(_cell, columns), widths, strict=True))]
    lines.append("─┼─".join("─" * width for width in widths))
    lines += [" │ ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in cells]
    if total > len(cells):
        lines.append(f"({total} rows, {len(cells)} shown)")
    return "\n".join(lines)
