"""`--reguard` of exports that are no longer in the inbox: raw has their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path, PurePath

import polars as pl

from bench.source import decompress
from bench.store.database import MAIN, RAW, Connection, asked
from bench.store.inbox import Found


def bring_back(con: Connection, keys: Sequence[int], folder: Path) -> list[tuple[Found, str]]:
    """Write the bytes of held exports below `folder`, each under its own name; return them with their hashes."""
    return written(
        asked(
            con,
            f"SELECT DISTINCT ON (e.export) e.export, e.sha256, e.path, e.modified_at, f.content "
            f"FROM {MAIN}.guard.exports e JOIN {RAW}.files f ON f.sha256 = e.sha256 "
            f"WHERE e.export IN ({', '.join(map(str, keys))}) ORDER BY e.export",
        ),
        folder,
    )


def written(exports: pl.DataFrame, folder: Path) -> list[tuple[Found, str]]:
    """Write exports (`export`, `sha256`, `path`, `modified_at`, `content`) as `bring_back` does."""
    given = []
    for key, sha256, path, modified, content in exports.iter_rows():
        place = folder / str(key) / PurePath(path).name
        place.parent.mkdir(parents=True)
        data = decompress(content)
        place.write_bytes(data)
        moment = int(modified.replace(tzinfo=UTC).timestamp() * 1_000_000_000)
        given.append((Found(place, len(data), moment, named=Path(path)), sha256))
    return given
