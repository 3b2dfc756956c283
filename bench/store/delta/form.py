"""The form of a store's table while exports come: which columns it has, of what type, and what their metadata says."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from bench.bulk import POLARS
from bench.store.columns import Place, Stored
from bench.store.delta.rows import KEYS, metadata_of, places, stored_of, verdicts, verdicts_of
from bench.store.delta.tables import Lake, Table, add_columns, describe, described
from bench.store.judging import JudgedTable
from bench.store.schema import PARTITIONS


class Form:
    """What a table (None where it is still to be made) has, and what it will need. `title`: how the store spells it."""

    def __init__(self, table: Table | None) -> None:
        self._table, self.title = table, ""
        found = {} if table is None else described(table)
        keys = [Stored(name, "", "") for name in KEYS]
        self._stored = {each.name: each for each in (stored_of(found) or keys)}
        self._verdicts = verdicts_of(found)
        self._new: set[str] = set()
        self._changed: set[str] = set()

    def take(self, table: JudgedTable) -> Sequence[Place]:
        """Return the places of an export's columns, and note what the table will need."""
        found = places(table, list(self._stored.values()))
        told = verdicts(table, found)
        for place in found:
            name = place.stored.name
            fresh = told[name] - self._verdicts.get(name, set())
            if place.new:
                self._new.add(name)
            elif place.units or fresh:
                self._changed.add(name)
            self._stored[name] = place.stored
            self._verdicts.setdefault(name, set()).update(fresh)
        return found

    def settle(self, lake: Lake, name: str) -> None:
        """Make the table, or add its new columns, and describe those of which there is something new to say.

        Raises:
            Conflict: another writer changed it meanwhile.
        """
        metadata = {
            each: metadata_of(self._stored[each], self._verdicts.get(each, set())) for each in self._new | self._changed
        }
        types = {each: POLARS[stored.type] for each, stored in self._stored.items() if each in self._new}
        if self._table is None:
            lake.make(name, KEYS | types, metadata, title=self.title, partition_by=PARTITIONS)
            return
        if self._new:
            add_columns(self._table, types, metadata)
        for column in sorted(self._changed - self._new):
            describe(self._table, column, metadata[column])


def form_schema(table: Table) -> pl.Schema:
    """Return the types of a table's columns, in its order."""
    stored = stored_of(described(table))
    return pl.Schema({each.name: KEYS[each.name] if each.name in KEYS else POLARS[each.type] for each in stored})
