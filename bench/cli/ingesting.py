"""The commands of a store: `ingest` and `status`.

Documents are printed as they come, one a line, because a run may take hours. A reader of stdout that has gone does not
stop the job: what it was to do is done, and nobody is told.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass

from bench.cli.progress import note
from bench.cli.reply import Reply
from bench.errors import UsageError
from bench.outcome import DONE
from bench.render.ingest import Summary, entry_document, entry_text, exit_code, lone_tables_note, status_text
from bench.render.values import dumps
from bench.store.ingest import Ingestion, Progress
from bench.store.locking import Patience
from bench.store.status import status
from bench.store.stores import folder_of, holds_store, store_of
from bench.store.told import Wish


@dataclass(frozen=True, slots=True)
class Manner:
    """How a run goes on, and how it tells what it does. `poll_s`: how often a watched folder is listed."""

    json: bool
    strict: bool
    progress: Progress | None
    watch: bool = False
    poll_s: float | None = None


def ingest_reply(wish: Wish, manner: Manner) -> Reply:
    """Take an inbox into a store. Raises as `Ingestion` does."""
    _check(wish)
    summary = Summary()
    with Ingestion(wish, manner.progress) as run:
        if manner.watch:
            _stop_when_asked(run)
        for entry in run.watch(manner.poll_s) if manner.watch else run.once():
            summary.add(entry)
            if manner.json:
                _print(dumps(entry_document(entry, strict=manner.strict)))
            elif manner.watch:
                _print(entry_text(entry))
        run.record()
    text = "" if manner.json else summary.text(run.counts, str(wish.store))
    note_ = lone_tables_note(run.counts, run.tables_before)
    notes = () if note_ is None else (note_,)
    return Reply(text=text, notes=notes, exit_code=exit_code(run.counts, strict=manner.strict))


def status_reply(store: str, timeout_s: float, *, json: bool) -> Reply:
    """Say what a store holds."""
    found = status(store_of(store, Patience(timeout_s, note)))
    if json:
        return Reply(document=found | {"error": None, "exit_code": DONE})
    return Reply(text=status_text(found))


def _stop_when_asked(run: Ingestion) -> None:
    """End after what is begun when the system or a person asks: by `systemctl stop`, or Ctrl-C."""
    for signal_ in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_, lambda *_: run.stop.set())


def _check(wish: Wish) -> None:
    if not wish.inbox.exists():
        raise UsageError("there is no such folder", file=wish.inbox, hint="name the folder that benches write to")
    if not wish.inbox.is_dir():
        raise UsageError(
            "this is a file, not the folder that benches write to",
            file=wish.inbox,
            hint=f"name its folder, or read it alone: bench-analyze {wish.inbox.name}",
        )
    _check_store(wish)
    if wish.cluster is not None and wish.jobs != 1:
        raise UsageError("--jobs and --cluster were both given", hint="give one of them: a cluster has its own workers")
    if wish.archive is not None and wish.archive.resolve() == wish.inbox.resolve():
        raise UsageError("--archive names the inbox itself", file=wish.archive, hint="name another folder")


def _check_store(wish: Wish) -> None:
    """Raise UsageError where the inbox is a store, or lies in one; a store that lies in the inbox is passed over."""
    inbox, place = wish.inbox.resolve(), folder_of(wish.store)
    stores = {folder for folder in (inbox, *inbox.parents) if holds_store(folder)}
    if place is not None and inbox.is_relative_to(place.resolve()):
        stores.add(place.resolve())
    for store in stores:
        raise UsageError(
            "this is the store itself, not an inbox" if store == inbox else f"this folder lies in the store {store}",
            file=wish.inbox,
            hint="name the folder that benches write to",
        )


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
