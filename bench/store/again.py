"""`--reguard` of exports that are no longer in the inbox: raw has their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path, PurePath

from bench.source import decompress
from bench.store.database import MAIN, RAW, asked, reading
from bench.store.inbox import Found
from bench.store.locking import Patience


def bring_back(store: Path, keys: Sequence[int], folder: Path, patience: Patience) -> list[tuple[Found, str]]:
    """Write the bytes of held exports below `folder`, each under its own name; return them with their hashes.

    Raises:
        UsageError, EnvironmentProblem: as `database.reading`.
    """
    with reading(store, patience, raw=True) as con:
        found = asked(
            con,
            f"SELECT DISTINCT ON (e.export) e.export, e.sha256, e.path, e.modified_at, f.content "
            f"FROM {MAIN}.guard.exports e JOIN {RAW}.files f ON f.sha256 = e.sha256 "
            f"WHERE e.export IN ({', '.join(map(str, keys))}) ORDER BY e.export",
        )
    given = []
    for key, sha256, path, modified, content in found.iter_rows():
        place = folder / str(key) / PurePath(path).name
        place.parent.mkdir(parents=True)
        data = decompress(content)
        place.write_bytes(data)
        moment = int(modified.replace(tzinfo=UTC).timestamp() * 1_000_000_000)
        given.append((Found(place, len(data), moment, named=Path(path)), sha256))
    return given
