"""Exports into a store: raw first, then one transaction that decides.

What each export holds was settled when it was judged; here it gets its key, its tables' columns find their places, and
everything is written in a few statements for all exports that are ready. One that cannot be written is found by trying
each alone, and fails alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from bench.errors import BenchError
from bench.frames import first_line
from bench.store.database import REFUSED, Connection, sweep_above, transaction
from bench.store.entries import readings, write_alerts, write_ledger
from bench.store.history import Alert
from bench.store.judging import Failed, Judged
from bench.store.raw import write_raw
from bench.store.rows import supersede, write_rows
from bench.store.state import Held, Known


@dataclass(frozen=True, slots=True)
class Added:
    """An export that the store now holds. `superseded`: the key of the version before, if there was one."""

    judged: Judged
    export: int
    alerts: Sequence[Alert] = ()
    superseded: int | None = None


@dataclass(frozen=True, slots=True)
class HeldAlready:
    """An export that another job, or another file of this run, brought first."""

    judged: Judged
    path: str


Committed = Added | HeldAlready | Failed
_UNFIT: tuple[type[Exception], ...] = (*REFUSED, pl.exceptions.PolarsError)


def commit(con: Connection, known: Known, batch: Sequence[Judged]) -> list[Committed]:
    """Write exports into an open store, and return what became of each. `known` is kept up to date."""
    known.refresh(con)
    fresh, held = apart(known, batch)
    if not fresh:
        return list(held)
    try:
        return [*held, *_commit(con, known, fresh)]
    except _UNFIT as error:
        sweep_above(con, known.last)
        known.refresh(con, force=True)
        if len(fresh) == 1:
            return [*held, refused(fresh[0], error)]
        return [*held, *(found for judged in fresh for found in commit(con, known, [judged]))]


def apart(known: Known, batch: Sequence[Judged]) -> tuple[list[Judged], list[HeldAlready]]:
    """Return what the store has not yet, and what it or the batch itself already has."""
    fresh: dict[str, Judged] = {}
    held = []
    for judged in batch:
        there = known.held.get(judged.identity.sha256)
        if there is not None and there.identity == judged.identity:
            held.append(HeldAlready(judged, there.path))
        elif judged.identity.sha256 in fresh:
            held.append(HeldAlready(judged, fresh[judged.identity.sha256].found.name))
        else:
            fresh[judged.identity.sha256] = judged
    return list(fresh.values()), held


def refused(judged: Judged, error: Exception) -> Failed:
    """Return what is said of an export that the store cannot take: a fault of ours, which stops no other."""
    problem = BenchError(
        f"the store cannot take it: {first_line(error)}", file=judged.found.name, hint="please report it"
    )
    return Failed(judged.found, judged.identity.sha256, problem.to_dict())


def _commit(con: Connection, known: Known, fresh: Sequence[Judged]) -> list[Added]:
    batch = list(enumerate(fresh, known.last + 1))
    old = {key: held.export for key, judged in batch if (held := known.held.get(judged.identity.sha256))}
    with transaction(con):
        write_raw(con, known, batch)
    with transaction(con):
        for key, before in old.items():
            supersede(con, before, key)
        places = write_rows(con, known, batch)
        write_ledger(con, known, batch, places)
        news = {key: known.history.add(readings(judged)) for key, judged in batch}
        # Who judges again by other rules expects other verdicts.
        alerts: dict[int, Sequence[Alert]] = {key: () if key in old else found for key, found in news.items()}
        write_alerts(con, alerts)
    known.last += len(batch)
    for key, judged in batch:
        known.held[judged.identity.sha256] = Held(key, judged.identity, judged.found.name)
    return [Added(judged, key, alerts[key], old.get(key)) for key, judged in batch]
