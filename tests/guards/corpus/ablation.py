"""Each witness switched off in turn: whose verdicts change? A witness that changes none is none.

A switch takes one witness's word away inside the guard and puts it back; nothing else of the guard is replaced.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from corpus.cases import FAMILIES, Case
from corpus.methods import by_guard

import guards.judging
import guards.parts
import guards.verdict
import guards.witnesses

Signature = tuple[tuple[Any, ...], ...]


@contextlib.contextmanager
def _replaced(module: Any, name: str, value: Any) -> Iterator[None]:
    kept = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, kept)


def _without_function(function: Callable[..., Any]) -> contextlib.AbstractContextManager[None]:
    rest = tuple(w for w in guards.witnesses.WITNESSES if w is not function)
    return _replaced(guards.witnesses, "WITNESSES", rest)


def _without_name(name: str) -> contextlib.AbstractContextManager[None]:
    ask = guards.verdict.testimony
    return _replaced(guards.verdict, "testimony", lambda *args: tuple(w for w in ask(*args) if w.name != name))


@contextlib.contextmanager
def _without_digits() -> Iterator[None]:
    with (
        _replaced(guards.judging, "digit_pattern", lambda *args: None),
        _replaced(guards.judging, "autoranged", lambda *args: {}),
    ):
        yield


def switches() -> dict[str, Callable[[], contextlib.AbstractContextManager[None]]]:
    """Return, by name, how to switch off each witness, each row check, and what acts beside the witnesses."""
    found: dict[str, Callable[[], contextlib.AbstractContextManager[None]]] = {}
    for function in guards.witnesses.WITNESSES:
        if function.__name__ not in ("row_checks", "expected_range"):
            found[function.__name__.replace("_", " ")] = lambda f=function: _without_function(f)
    for name in (
        "elapsed time",
        "identity",
        "instrument range",
        "thermostat",
        "history",
        "limits of known unit",
        "sibling prefixes",
    ):
        found[name] = lambda n=name: _without_name(n)
    found["expected range"] = lambda: _replaced(guards.parts, "_explaining", lambda node: None)
    found["second label"] = lambda: _replaced(guards.verdict, "_labels", lambda case, pattern: None)
    found["digit pattern"] = _without_digits
    found["segments"] = lambda: _replaced(guards.judging, "_segments", lambda cells, names: ())
    return found


def signature(case: Case) -> Signature:
    """Return the verdicts of a case."""
    reports = by_guard(case).columns
    return tuple(
        (r["name"], r["measurement"], str(r["segment"]), r["verdict"], r["resolved_unit"], bool(r["proposal"]))
        for r in reports
        if r["role"] in ("measured", "setpoint", "time")
    )


def changed_by(switch: Callable[[], contextlib.AbstractContextManager[None]], names: Iterable[str], seeds: int,
               plain: dict[tuple[str, int], Signature] | None = None) -> list[str]:  # fmt: skip
    """Return the families of which a case's verdicts change when the switch is off."""
    found = []
    for name in names:
        for seed in range(seeds):
            case = FAMILIES[name].case(seed)
            before = plain[name, seed] if plain else signature(case)
            with switch():
                after = signature(case)
            if before != after:
                found.append(name)
                break
    return found


def ablate(names: list[str], seeds: int) -> int:
    """Print the families that each switch changes; return 1 when a switch changes none."""
    plain = {(name, seed): signature(FAMILIES[name].case(seed)) for name in names for seed in range(seeds)}
    idle = []
    for what, switch in switches().items():
        found = changed_by(switch, names, seeds, plain)
        print(f"without {what:24} {len(found):>3} families change: {', '.join(found) or 'none'}", flush=True)
        if not found:
            idle.append(what)
    print("every witness changes a family" if not idle else "changes nothing: " + ", ".join(idle))
    return int(bool(idle))
