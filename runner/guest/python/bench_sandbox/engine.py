"""`con`: the part of DuckDB's Python connection that snippets use, on the sandbox's own engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from bench_sandbox import errors, statements
from bench_sandbox.arrow import Result
from bench_sandbox.relation import Relation, frame

Parameters = Sequence[object] | Mapping[str, object]


class Bridge(Protocol):
    """What the host script offers (`bridge` in host.mjs)."""

    def query(self, sql: str) -> Any:
        """Return the Arrow bytes of one statement's result, or the error text."""

    def tokenize(self, sql: str) -> str:
        """Return the engine's tokens of an SQL text as JSON."""


@dataclass
class Account:
    """What one run read and used; `queries` and `rows` count up to the limits, None for no limit."""

    queries_limit: int | None = None
    rows_limit: int | None = None
    queries: int = 0
    rows: int = 0
    reads: set[tuple[str, str]] = field(default_factory=set)

    def reset(self) -> None:
        """Begin a run."""
        self.queries = self.rows = 0
        self.reads = set()

    def query(self) -> None:
        """Count a statement."""
        self.queries += 1
        if self.queries_limit is not None and self.queries > self.queries_limit:
            raise errors.QueryLimitError(
                f"more than {self.queries_limit} SQL statements in one run (limit `queries`): "
                "ask for many rows in one statement instead of one row in many"
            )

    def fetched(self, rows: int) -> None:
        """Count rows handed to Python."""
        self.rows += rows
        if self.rows_limit is not None and self.rows > self.rows_limit:
            raise errors.QueryLimitError(
                f"more than {self.rows_limit} rows handed to Python in one run (limit `rows`): aggregate in SQL first"
            )


class Engine:
    """Statements in, Arrow results out; keeps the account of the run."""

    def __init__(self, bridge: Bridge, account: Account) -> None:
        self._bridge = bridge
        self.account = account
        self._plans: dict[str, frozenset[tuple[str, str]]] = {}
        self._tables: dict[str, list[str]] = {}
        self._first: str | None = None  # the search path as it was handed in
        self._failed = self._changed = self._defined = False  # what this run's statements did: see `_begin`
        self._before: list[str] = []  # what stands before a guarded table or a function of that name

    def attached(self) -> None:
        """Learn the tables that were handed in: their columns are what `reads` tells of."""
        rows = self.internal(
            "select table_name, column_name from duckdb_columns() "
            "where database_name = 'analysis' and schema_name = 'main' order by table_name, column_index"
        )
        for table, column in rows:
            self._tables.setdefault(table, []).append(column)
        self._first = self._path()

    def internal(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement of our own, outside the account."""
        return list(zip(*self._run(sql).columns(), strict=True))

    def _run(self, sql: str) -> Result:
        found = self._bridge.query(sql)
        if isinstance(found, str):
            raise errors.error_from(found)
        return Result(found.to_bytes())

    def statements(self, sql: str) -> list[str]:
        """Return the statements of an SQL text."""
        return statements.split(sql, self._bridge.tokenize(sql))

    def note_reads(self, statement: str, asked: str) -> None:
        """Account for the columns that a statement reads, which is executed as `asked`."""
        if not self._tables or statements.is_plain_insert(statement):
            return
        known = self._plans.get(asked)
        if known is None:
            try:
                self._bridge.query("PRAGMA enable_optimizer")  # without it a plan names no columns
                plan = self.internal(f"EXPLAIN (FORMAT json) {asked}")[0][1]
            except errors.Error:
                plan = "[]"
            known = frozenset(statements.columns_read(statement, plan, self._tables))
            if statement == asked:
                self._plans[asked] = known
        self.account.reads |= known

    def settle(self) -> list[str]:
        """End a transaction that the run left aborted, and look for what later runs would meet; return what to warn of.

        Only an error aborts a transaction, and only a statement that is no query puts something before a table.
        """
        said = []
        if self._failed and isinstance(self._bridge.query("SELECT 1"), str):
            self._bridge.query("ROLLBACK")
            self._plans.clear()
            said.append("an aborted transaction was rolled back after the run")
        if self._changed and self._tables:
            self._before = self._standing_before()
        if self._before:
            said.append(
                f"what a query now calls {', '.join(self._before)} is this session's own, not the guarded table or the "
                "engine's function: drop it, or write analysis.main.NAME"
            )
        return said

    def _path(self) -> str:
        return str(self.internal("SELECT current_setting('search_path')")[0][0])

    def _standing_before(self) -> list[str]:
        """Return the names of guarded tables, and of functions, that something else would be taken for."""
        names = self.internal(
            "SELECT table_name FROM duckdb_tables() WHERE database_name <> 'analysis' AND NOT internal UNION "
            "SELECT view_name FROM duckdb_views() WHERE database_name <> 'analysis' AND NOT internal"
        )
        guarded = {table.lower() for table in self._tables}
        found = [name for (name,) in names if name.lower() in guarded]
        if self._defined:
            own = "FROM duckdb_functions() WHERE database_name"
            found += [
                name
                for (name,) in self.internal(
                    f"SELECT DISTINCT function_name {own} NOT IN ('system', 'analysis') AND function_name IN "
                    f"(SELECT function_name {own} = 'system')"
                )
            ]
        return sorted(found)

    def holds(self) -> bool:
        """Whether the next run finds the tables that were handed in where this one did."""
        changed, self._failed, self._changed = self._changed, False, False
        if not changed or not self._tables:
            return True
        there = self.internal("SELECT count(*) FROM duckdb_databases() WHERE database_name = 'analysis'")
        return bool(there[0][0]) and self._path() == self._first

    def _begin(self, statement: str) -> None:
        self.account.query()
        if statements.may_change_plans(statement):
            self._plans.clear()
            self._changed = True
            self._defined = self._defined or bool({"macro", "function"} & statements.identifiers(statement))

    def run(self, statement: str) -> Result:
        """Run one statement of the snippet."""
        self._begin(statement)
        self.note_reads(statement, statement)
        return self._ask(statement)

    def _ask(self, statement: str) -> Result:
        try:
            return self._run(statement)
        except errors.Error:
            self._failed = True
            raise

    def run_with(self, statement: str, parameters: Parameters) -> Result:
        """Run one statement with parameters."""
        self._begin(statement)
        self._ask(f"PREPARE snippet_statement AS {statement}")
        try:
            execute = f"EXECUTE snippet_statement({statements.arguments(parameters)})"
            self.note_reads(statement, execute)  # a plan without the values is refused
            return self._ask(execute)
        finally:
            self._run("DEALLOCATE snippet_statement")


class Connection:
    """`con`, and what `duckdb.connect()` returns: the same database each time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._result: Relation | None = None

    def execute(self, query: str, parameters: Parameters | None = None) -> Connection:
        """Run one or several statements; the rows of the last are fetched from the connection."""
        self._result = self._last(query, parameters)
        self._result.once = True
        return self

    def _last(self, query: str, parameters: Parameters | None) -> Relation:
        parts = self._engine.statements(query)
        if not parts:
            return Relation(self._engine, "", Result.empty())
        for part in parts[:-1]:
            self._engine.run(part)
        last = parts[-1]
        result = self._engine.run_with(last, parameters) if parameters else self._engine.run(last)
        return Relation(self._engine, last, result)

    def executemany(self, query: str, parameters: Sequence[Parameters]) -> Connection:
        """Run a statement once for each set of parameters."""
        for each in parameters:
            self.execute(query, each)
        return self

    def sql(self, query: str, *, alias: str = "", params: Parameters | None = None) -> Relation | None:
        """Return a query as a relation; a statement that gives no rows is run and returns None."""
        parts = self._engine.statements(query)
        if not parts:
            return None
        for part in parts[:-1]:
            self._engine.run(part)
        if params:
            return Relation(self._engine, parts[-1], self._engine.run_with(parts[-1], params))
        result = self._engine.run(parts[-1])
        return Relation(self._engine, parts[-1], result, alias) if statements.is_query(parts[-1]) else None

    query = sql
    from_query = sql

    def table(self, name: str) -> Relation | None:
        """Return a table as a relation."""
        return self.sql(f"SELECT * FROM {'.'.join(map(statements.quote, name.split('.')))}")

    view = table

    def values(self, *rows: Sequence[object]) -> Relation | None:
        """Return rows of Python values as a relation."""
        return self.sql("VALUES " + ", ".join(f"({statements.arguments(row)})" for row in rows))

    def cursor(self) -> Connection:
        """Return another connection to the same database."""
        return Connection(self._engine)

    def begin(self) -> Connection:
        """Begin a transaction."""
        return self.execute("BEGIN")

    def commit(self) -> Connection:
        """Commit the transaction."""
        return self.execute("COMMIT")

    def rollback(self) -> Connection:
        """Roll the transaction back."""
        return self.execute("ROLLBACK")

    def close(self) -> None:
        """Do nothing: the database lives as long as the sandbox's process."""

    def register(self, *_: object) -> None:
        """Explain that there is no registration here."""
        raise errors.NotSupportedError(
            "Python objects cannot be registered as tables here: "
            "CREATE TABLE ... and con.executemany('INSERT ...') instead"
        )

    def __getattr__(self, name: str) -> Any:
        if name in _OF_RESULT:
            if self._result is None:
                raise errors.InvalidInputException(
                    f"Invalid Input Error: No open result set: run con.execute(...) before {name}"
                )
            return getattr(self._result, name)
        hint = "read_" in name or name.startswith("from_")
        raise AttributeError(
            f"con has no {name!r} in the sandbox"
            + (
                "; the sandbox has no files of the host, the tables are in `con`: con.sql('show tables')"
                if hint
                else ""
            )
        )

    @property
    def description(self) -> list[tuple[Any, ...]] | None:
        """The columns of the last result as DB-API tuples, or None."""
        return None if self._result is None else self._result.description

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<DuckDB connection of the sandbox>"


_OF_RESULT = frozenset(
    "fetchone fetchall fetchmany fetchdf fetch_df df pl arrow fetch_arrow_table fetchnumpy".split()
    + "columns types rowcount shape show".split()
)
__all__ = ["Account", "Connection", "Engine", "frame"]
