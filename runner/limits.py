"""What a run may use. Values with their units in their names; each is one row of the README's table of limits."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from runner.errors import LimitsError

PAGE = 64 * 1024  # WebAssembly's unit of memory
INTERPRETER_MB = 48  # what the interpreter holds before a snippet allocates anything
ENGINE_MB = 256  # 4096 pages: below this DuckDB-Wasm fails while it starts
PROCESS_MB = 768  # Deno, V8 and compiled code: measured 0.75 GB of private writable memory

_MINIMUM = {"wall_time_s": 0.05, "cpu_time_s": 0.05, "memory_mb": 32}


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Bounds of one run; None stands for no bound.

    wall_time_s: seconds until the snippet is interrupted (its state is kept), and killed a second later if that did
    not help. cpu_time_s: processor seconds of one process of the sandbox, its start included.
    memory_mb: megabytes (2**20 bytes) that a snippet may allocate in Python; the engine has the same again for its
    tables. output_bytes: what a run may print. result_bytes: the value as JSON.
    artifacts, artifact_bytes, artifacts_bytes: how many files, bytes each, bytes in all.
    queries, rows: SQL statements of one run, and rows handed from SQL to Python.

    Raises:
        LimitsError: a limit is not a number, or below what anything can run with.
    """

    wall_time_s: float = 10.0
    cpu_time_s: float | None = None
    memory_mb: int = 1024
    output_bytes: int = 1_000_000
    result_bytes: int = 1_000_000
    artifacts: int = 20
    artifact_bytes: int = 10_000_000
    artifacts_bytes: int = 50_000_000
    queries: int | None = 10_000
    rows: int | None = 5_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is not None and field.name not in ("queries", "rows"):
                raise LimitsError(f"limit {field.name} is None", hint="give a number")
            if value is not None:
                _check(field.name, value)
        if self.memory_mb > 4096 - INTERPRETER_MB:
            raise LimitsError(
                f"limit memory_mb is {self.memory_mb}, WebAssembly has 4096 at most",
                hint=f"give {4096 - INTERPRETER_MB} or less",
            )

    def to_dict(self) -> dict[str, float | int | None]:
        """Return the limits as plain data."""
        return asdict(self)

    @property
    def wasm_pages(self) -> int:
        """Pages that each WebAssembly memory may grow to."""
        return max(self.memory_mb + INTERPRETER_MB, ENGINE_MB) * 2**20 // PAGE

    def data_bytes(self, database_bytes: int) -> int:
        """Private writable memory of the whole process: what bounds JavaScript's buffers too."""
        return (self.memory_mb + PROCESS_MB + INTERPRETER_MB + ENGINE_MB) * 2**20 + 3 * database_bytes

    @property
    def engine_mb(self) -> int:
        """What the engine may use for its tables."""
        return max(self.memory_mb, ENGINE_MB) - 64

    def check_database(self, size: int) -> None:
        """Raise when the database cannot be opened within the limits.

        Raises:
            LimitsError: names the smallest `memory_mb` that works.
        """
        needed = max(ENGINE_MB, ENGINE_MB + 2 * size // 2**20)
        if self.memory_mb < needed:
            raise LimitsError(
                f"the database of {size / 2**20:.1f} MB does not fit into a limit of memory_mb={self.memory_mb}",
                hint=f"give memory_mb={needed} or more",
            )


def _check(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LimitsError(f"limit {name} is {value!r}", hint="give a number")
    least = _MINIMUM.get(name, 0)
    if not least <= value < float("inf"):
        raise LimitsError(f"limit {name} is {value}", hint=f"give {least} or more, and a finite number")
