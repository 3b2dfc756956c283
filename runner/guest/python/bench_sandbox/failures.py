"""A failed snippet's answer: its kind, its message and a traceback that shows the snippet's own lines only."""

from __future__ import annotations

import linecache
import sys
import traceback
from typing import Any

SNIPPETS = "<snippet"
_DISTRIBUTIONS = {"PIL": "pillow", "dateutil": "python-dateutil", "sklearn": "scikit-learn", "yaml": "pyyaml"}
MAX_TEXT = 20_000
MAX_NAME = 200


def remember(name: str, code: str) -> None:
    """Let tracebacks show the snippet's lines."""
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)


def outcome(error: BaseException, why: str, limits: dict[str, Any]) -> dict[str, Any]:
    """Return status and error of a snippet that raised; `why` tells what an interrupt was for."""
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return {"status": "ok"}
    if isinstance(error, KeyboardInterrupt) and why == "output":
        message = f"the snippet printed more than {limits['output_bytes']} bytes (limit `output_bytes`): print less"
        return {"status": "output_limit", "error": _named("OutputLimit", message, error)}
    if isinstance(error, KeyboardInterrupt) and why == "time":
        message = f"the snippet took longer than {limits['wall_time_s']:g} s (limit `wall_time_s`)"
        return {"status": "time_limit", "error": _named("TimeLimit", message, error)}
    if isinstance(error, MemoryError) or "RangeError: Array buffer allocation failed" in _message(error):
        message = f"the snippet needs more than {limits['memory_mb']} MB (limit `memory_mb`)"
        return {"status": "memory_limit", "error": _named("MemoryError", message, error)}
    return {"status": "error", "error": _named(_name(error), _message(error), error)}


def too_large(value: object, limit: int) -> dict[str, Any]:
    """Return the answer for a value above `result_bytes`."""
    message = (
        f"the value ({type(value).__name__}) takes more than {limit} bytes as JSON (limit `result_bytes`): "
        "return a summary, or write it to a file in /out"
    )
    return {"status": "output_limit", "error": {"type": "ResultLimit", "message": message, "traceback": None}}


def _name(error: BaseException) -> str:
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{_module(kind)}.{kind.__qualname__}"
    return name if len(name) <= MAX_NAME else name[:MAX_NAME] + "..."


def _module(kind: type) -> str:
    return "duckdb" if kind.__module__ == "bench_sandbox.errors" else kind.__module__


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException as failure:  # noqa: BLE001 (the snippet's own class)
        text = f"<its message raised {type(failure).__name__}>"
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        if package not in sys.stdlib_module_names:
            text = f"No module named {error.name!r}: it is not in this sandbox image. "
            text += f"To add it: bench-analyze sandbox add {_DISTRIBUTIONS.get(package, package)}"
    return _clean(text)


def _clean(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + f"... ({len(text)} characters)"


def _named(name: str, message: str, error: BaseException) -> dict[str, Any]:
    return {"type": name, "message": message, "traceback": _trace(error, f"{name}: {message}")}


def _trace(error: BaseException, last_line: str) -> str:
    try:
        shown = traceback.TracebackException.from_exception(error, limit=200)
        _keep_own_lines(shown, 0)
        text = "".join(shown.format(chain=True))
        if not isinstance(error, SyntaxError):
            text = text.removesuffix("".join(shown.format_exception_only())) + last_line
    except BaseException:  # noqa: BLE001 (a broken exception must not hide that there was one)
        return last_line
    return _clean(text.replace("bench_sandbox.errors.", "duckdb.").rstrip())


def _keep_own_lines(shown: traceback.TracebackException, depth: int) -> None:
    own = [frame for frame in shown.stack if frame.filename.startswith(SNIPPETS)]
    shown.stack = traceback.StackSummary.from_list(own)
    for cause in (shown.__cause__, shown.__context__):
        if cause is not None and depth < 20:
            _keep_own_lines(cause, depth + 1)
