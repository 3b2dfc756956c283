"""What a snippet changed of the interpreter itself, undone before the next run.

A snippet's variables live on; what it did to builtins, to `sys`, to the standard library and to the sandbox's own
modules does not: a later run would fail for a reason that stands in another snippet. What cannot be put back (a file of
the library that is gone, a list emptied in place) is found by a rehearsal of a run; the process is replaced then.

What is not looked for: code changed within a function of the library (`__code__`), classes and settings of modules that
no run of ours needs, and garbage whose finalizer runs when it is collected. A snippet that goes that far misleads the
later runs of its own session, no more.

The functions that this needs are taken before the first snippet, because it runs on an interpreter that may be broken.
"""

from __future__ import annotations

import decimal
import gc
import io
import os
import signal
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

LIBRARY = f"/lib/python{sys.version_info.major}{sys.version_info.minor}.zip"
_GUARDED = (
    "bench_sandbox",
    "duckdb",
    "json",
    "traceback",
    "linecache",
    "pathlib",
    "enum",
    "re",
    "codeop",
    "dataclasses",
)
_OWN_STATE = frozenset(  # of `sys`: changes from run to run by itself, or is looked after below
    [
        "stdin",
        "stdout",
        "stderr",
        "__stdout__",
        "__stderr__",
        "last_exc",
        "last_type",
        "last_value",
        "last_traceback",
        "modules",
        "path",
        "ps1",
        "ps2",
    ]
)
_STREAMS = ("stdout", "stderr", "__stdout__", "__stderr__")
_all, _bool, _len = all, bool, len
_dict, _list, _set, _zip, _setattr, _delattr = dict, list, set, zip, setattr, delattr
_BaseException, _MISSING = BaseException, object()
_TYPES = (
    object,
    type,
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    list,
    tuple,
    dict,
    set,
    frozenset,
    BaseException,
    Exception,
)


class Baseline:
    """The interpreter as it was before the first snippet."""

    def __init__(self, rehearse: Callable[[], object]) -> None:
        self._rehearse = rehearse
        self._modules = _dict(sys.modules)
        self._contents = [(name, module.__dict__, _dict(module.__dict__)) for name, module in _real_modules()]
        self._classes = [(kind, _dict(kind.__dict__)) for kind in _own_classes()]
        self._lists: list[tuple[list[Any], list[Any]]] = [
            (found, _list(found)) for found in (sys.meta_path, sys.path_hooks, gc.callbacks)
        ]
        self._types = [(kind, _dict(kind.__dict__)) for kind in _TYPES]  # by ctypes or gc even these can be changed
        self._finders = (sys.path_importer_cache, _dict(sys.path_importer_cache))
        self._digits = (sys.set_int_max_str_digits, sys.get_int_max_str_digits())
        monitoring: Any = sys.__dict__["monitoring"]  # of Python 3.12 and later; the type checker's may be older
        self._tools = (monitoring.get_tool, monitoring.set_events, monitoring.free_tool_id)
        self._path = _list(sys.path)
        self._recursion = sys.getrecursionlimit()
        self._collecting = gc.get_threshold()
        self._descriptors = (os.dup(1), os.dup(2))
        self._library = _library()
        self._hooks = ((sys.gettrace, sys.settrace), (sys.getprofile, sys.setprofile))
        self._set_recursion = sys.setrecursionlimit
        self._os = (os.dup2, os.fstat, io.FileIO, io.TextIOWrapper)
        self._signal = (signal.signal, signal.SIGINT, signal.default_int_handler)
        self._gc = (gc.enable, gc.set_threshold, gc.set_debug)
        self._decimal = (decimal.setcontext, decimal.getcontext().copy())
        self._chdir, self._folder = os.chdir, os.getcwd()  # noqa: PTH109 (less of the interpreter is needed)
        self._is_stable = True
        self._streams = (self.stream(1), self.stream(2))
        self._expected = rehearse()

    def restore(self) -> tuple[list[str], bool]:
        """Put back what can be put back. Return the public names that had been changed, and whether anything had.

        What is taken out may run a snippet's code when it goes: it goes at the end of a round, and another round looks
        again.
        """
        changed: list[str] = []
        touched = False
        for _ in (1, 2, 3):
            held = self._round(changed)
            if not held:
                self._is_stable = True
                return changed, touched
            touched = True
            held.clear()
        self._is_stable = False
        return changed, touched

    def _round(self, changed: list[str]) -> list[object]:
        """Put back what is not as it was, and return what stood in its place."""
        held: list[object] = []
        for get, unset in self._hooks:
            if get() is not None:  # unsetting what is not set costs a millisecond
                held.append(get())
                unset(None)
        get_tool, set_events, free = self._tools
        for tool in (0, 1, 2, 3, 4, 5):
            if get_tool(tool) is not None:
                set_events(tool, 0)
                free(tool)
        self._set_recursion(self._recursion)
        set_digits, digits = self._digits
        set_digits(digits)
        enable, set_threshold, set_debug = self._gc
        enable()
        set_threshold(*self._collecting)
        set_debug(0)
        handler, interrupt, default = self._signal
        handler(interrupt, default)
        set_context, context = self._decimal
        set_context(context.copy())
        self._restore_streams(held)
        self._restore_imports(held)
        changed += self._restore_contents(held)
        for kind, saved in self._classes:
            changed += _mend_class(kind, saved, held)
        return held

    def _restore_contents(self, held: list[object]) -> list[str]:
        changed = []
        for name, current, saved in self._contents:
            if not _same(current, saved):
                changed += _mend(name, current, saved, held)
        return changed

    def _restore_imports(self, held: list[object]) -> None:
        modules = sys.modules
        for name, module in self._modules.items():
            if modules.get(name, _MISSING) is not module:
                held.append(modules.get(name))
                modules[name] = module
        for found, saved in self._lists:
            same = _len(found) == _len(saved) and _all(one is other for one, other in _zip(found, saved, strict=True))
            if not same:
                held.append(_list(found))
                found[:] = saved
        finders, kept = self._finders
        for entry in [entry for entry, finder in finders.items() if finder is None and entry not in kept]:
            del finders[entry]
        for entry, finder in kept.items():
            if finders.get(entry, _MISSING) is not finder:
                held.append(finders.get(entry))
                finders[entry] = finder
        known = _set(sys.path)
        sys.path += [entry for entry in self._path if entry not in known]
        try:
            self._chdir(self._folder)
        except OSError:
            held.append(None)

    def _restore_streams(self, held: list[object]) -> None:
        dup2 = self._os[0]
        for kept, descriptor in _zip(self._descriptors, (1, 2), strict=True):
            dup2(kept, descriptor)
        if not _all(_is_sound(stream) for stream in self._streams):
            held.append(self._streams)
            self._streams = (self.stream(1), self.stream(2))
        names = sys.__dict__
        for name, stream in _zip(_STREAMS, self._streams * 2, strict=True):
            if names.get(name, _MISSING) is not stream:
                held.append(names.get(name))
                names[name] = stream

    def stream(self, descriptor: int) -> io.TextIOWrapper:
        """Return a text stream without a buffer: the host script collects what is printed."""
        _, _, raw, text = self._os
        return text(
            raw(descriptor, "w", closefd=False), encoding="utf-8", errors="backslashreplace", write_through=True
        )

    def holds(self) -> bool:
        """Whether a run would work as the first one did."""
        if not self._is_stable:
            return False
        try:
            for kind, saved in self._types:
                if kind.__dict__ != saved:
                    return False
            return _library() == self._library and self._rehearse() == self._expected
        except _BaseException:
            return False


def _real_modules() -> list[tuple[str, ModuleType]]:
    return [
        (name, module)
        for name, module in sorted(sys.modules.items(), key=lambda item: item[0] != "builtins")
        if type(module) is ModuleType and name not in ("__main__", "js", "pyodide_js", __name__)
    ]


def _own_classes() -> list[type]:
    found: dict[int, type] = {}
    for name, module in _real_modules():
        if name.partition(".")[0] in _GUARDED:
            for value in vars(module).values():
                if isinstance(value, type) and value.__flags__ & 0x100 == 0:  # a mutable type
                    found[id(value)] = value
    return list(found.values())


def _library() -> tuple[int, float] | None:
    try:
        found = os.stat(LIBRARY)  # noqa: PTH116 (less of the interpreter is needed)
    except OSError:
        return None
    return found.st_size, found.st_mtime


def _same(current: Any, saved: dict[str, Any]) -> Any:
    try:
        return current == saved
    except _BaseException:  # a value's own __eq__
        return False


def _is_sound(stream: Any) -> bool:
    """Whether a stream of ours writes as it did: nothing set on it, not closed, taken apart or encoding otherwise."""
    try:
        buffer = stream.buffer
        plain = not stream.__dict__ and _list(buffer.__dict__) == ["name"]
        is_open = not stream.closed and not buffer.closed and stream.write_through
        return _bool(plain and is_open and (stream.encoding, stream.errors) == ("utf-8", "backslashreplace"))
    except _BaseException:
        return False


def _mend(name: str, current: dict[str, Any], saved: dict[str, Any], held: list[object]) -> list[str]:
    skipped = _OWN_STATE if name == "sys" else ()
    changed = [key for key in saved if key not in skipped and current.get(key, _MISSING) is not saved[key]]
    for key in changed:
        held.append(current.get(key))
        current[key] = saved[key]
    if name == "builtins":
        for key in _set(current) - _set(saved):
            held.append(current.pop(key))
    return [f"{name}.{key}" for key in changed if _public(name) and _public(key)]


def _mend_class(kind: type, saved: dict[str, Any], held: list[object]) -> list[str]:
    current = kind.__dict__
    if _same(current, saved):
        return []
    changed = [
        key for key in saved if current.get(key, _MISSING) is not saved[key] and key not in ("__dict__", "__weakref__")
    ]
    for key in changed:
        held.append(current.get(key))
        _setattr(kind, key, saved[key])
    for key in _set(current) - _set(saved):
        if key[:6] != "__abc_" and key not in ("__annotations_cache__", "__abstractmethods__"):
            held.append(current.get(key))
            _delattr(kind, key)
    return [f"{kind.__name__}.{key}" for key in changed if _public(key)]


def _public(name: str) -> bool:
    return name[:1] != "_" and "._" not in name
