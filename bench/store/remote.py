"""What a task does on a worker of a cluster: see that the worker is like the machine that asks, then judge one export.

`task` travels by value, imports what it needs itself, and so also runs where nothing of ours is installed: it then says
so. `judged` is found there by its name, as the package has it.
"""

from __future__ import annotations

import pickle
import threading
import types
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.store.inbox import look
from guards import RULES_VERSION

Answer = tuple[str, Any]
"""`done` with a pickled result (None for a mere question), or what is wrong: `lacks`, `differs`, `blind`; details."""
_PACKAGES = ("bench-analyze", "polars", "pint", "distributed")


def versions() -> dict[str, str]:
    """Return what must be the same on this machine and on every worker."""
    return {**{name: version(name) for name in _PACKAGES}, "rules of the guard": RULES_VERSION}


_ONE_AT_A_TIME = threading.Lock()  # a worker may have several threads; pint's registry and our caches know of none


def judged(payload: bytes, worker: str) -> Answer:
    """Judge what a task brought; runs on the worker whose address is given."""
    judge, found, sha256, around, data = pickle.loads(payload)
    with _ONE_AT_A_TIME:
        if data is None:
            if problem := _unseen(found.path):
                return "blind", {"worker": worker, "file": found.name, "problem": problem}
            return "done", pickle.dumps(judge(found, sha256, around))
        with TemporaryDirectory(prefix="bench-analyze-") as folder:
            path = Path(folder) / found.path.name
            path.write_bytes(data)
            return "done", pickle.dumps(judge(replace(found, path=path), sha256, around))


def _unseen(path: Path) -> str | None:
    """Return why this machine cannot read a file that the one that asks could, None where it can."""
    if problem := look(path).problem:
        return problem
    try:
        path.open("rb").close()
    except OSError as error:
        return error.strerror or str(error)
    return None


def task(payload: bytes | None, expected: dict[str, Any]) -> Answer:
    """Judge on a worker, or say what it lacks. It travels by value: everything that it needs it imports itself."""
    import os  # noqa: PLC0415
    from importlib import metadata  # noqa: PLC0415

    from distributed import get_worker  # noqa: PLC0415

    try:
        worker = get_worker().address
    except ValueError:  # asked outside of a task
        worker = "a worker"
    try:
        from bench.store import remote  # noqa: PLC0415, PLW0406 - here is another machine
        from guards import RULES_VERSION  # noqa: PLC0415

        found = {name: metadata.version(name) for name in expected["versions"] if name != "rules of the guard"}
    except (ImportError, metadata.PackageNotFoundError) as error:
        return "lacks", {"worker": worker, "what": str(error)}
    found["rules of the guard"] = RULES_VERSION
    other = {name: (found[name], mine) for name, mine in expected["versions"].items() if found[name] != mine}
    if other:
        return "differs", {"worker": worker, "differences": other}
    if not os.path.exists(expected["inbox"]):  # noqa: PTH110 - travels light
        return "blind", {"worker": worker, "inbox": expected["inbox"]}
    return ("done", None) if payload is None else remote.judged(payload, worker)


def by_value(function: Any) -> Any:
    """Return a copy of a function that is pickled whole, so that a worker without our package can run it."""
    copy = types.FunctionType(function.__code__, {"__builtins__": __builtins__}, function.__name__)
    copy.__module__ = "__main__"
    return copy
