"""What is inside the file: gzip, zstd and zip around an export are taken off, whatever the export is.

The raw that is kept is the file as the bench wrote it, wrapping included. A small content stays in memory, a large
one goes to the scratch folder. A zip must hold one file, so that it is plain which export was read.
"""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import zstandard

from bench.errors import EnvironmentProblem, ExportError
from bench.source import WHOLE_BYTES, Source

_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_MOST_BYTES = 50 << 30  # more than that is no export but an archive made to fill a disk
_HEAD_BYTES = 1 << 16
# What the standard library and zstandard raise on cut or broken archives; a field of a broken zip may hold anything.
_BROKEN = (
    EOFError, OSError, ValueError, OverflowError, KeyError, NotImplementedError, RuntimeError, struct.error, zlib.error,
    zipfile.BadZipFile, zstandard.ZstdError,
)  # fmt: skip
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Content:
    """The export's own bytes, in memory (`data`) or in a file (`path`), and the `name` that it has."""

    name: str
    data: bytes | None
    path: Path | None
    wrapping: str | None = None

    def head(self, size: int = _HEAD_BYTES) -> bytes:
        """Return the first bytes."""
        if self.data is not None:
            return self.data[:size]
        assert self.path is not None
        with self.path.open("rb") as file:
            return file.read(size)

    def whole(self) -> bytes:
        """Return all bytes."""
        if self.data is not None:
            return self.data
        assert self.path is not None
        return self.path.read_bytes()


def unwrap(source: Source) -> Content:
    """Return what is in the file.

    Raises:
        ExportError: the wrapping is broken, or holds several files.
    """
    outer = Content(source.path.name, source.data, None if source.data is not None else source.path)
    head = outer.head(64)
    try:
        if head.startswith(_GZIP):
            with _open(outer) as file, gzip.GzipFile(fileobj=file) as stream:
                chunks = iter(lambda: stream.read(_CHUNK_BYTES), b"")
                return _unpacked(source, chunks, _inner_name(outer.name, (".gz", ".gzip")), "gzip")
        if head.startswith(_ZSTD):
            with _open(outer) as file:
                return _unpacked(source, _zstd_chunks(file), _inner_name(outer.name, (".zst", ".zstd")), "zstd")
        if head.startswith(_ZIP):
            return _unzipped(source, outer)
    except _BROKEN as problem:
        said = str(problem).partition("\n")[0] or type(problem).__name__
        raise ExportError(
            f"the file is compressed and cannot be unpacked ({said})",
            file=source.path,
            hint="it may be cut; copy it again, or unpack it yourself and give the export in it.",
        ) from problem
    return outer


def _unzipped(source: Source, outer: Content) -> Content:
    with zipfile.ZipFile(_open(outer)) as archive:
        members = [entry for entry in archive.infolist() if not entry.is_dir() and "__MACOSX" not in entry.filename]
        if any(entry.filename == "[Content_Types].xml" for entry in members):
            return outer  # an Office file
        if len(members) != 1:
            some = ", ".join(entry.filename for entry in members[:5]) + (", ..." if len(members) > 5 else "")
            raise ExportError(
                f"the zip holds {len(members)} files ({some}), and one export is wanted",
                file=source.path,
                hint="unpack it and give the exports by name.",
            )
        with archive.open(members[0]) as member:
            chunks = iter(lambda: member.read(_CHUNK_BYTES), b"")
            return _unpacked(source, chunks, Path(members[0].filename).name, "zip")


def _zstd_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what a zstd file holds, frame after frame. The library's own stream ends a cut frame without a word."""
    frame = zstandard.ZstdDecompressor().decompressobj()
    begun = False
    while block := file.read(_CHUNK_BYTES):
        while block:
            begun = True
            yield frame.decompress(block)
            block = frame.unused_data if frame.eof else b""
            if frame.eof:
                frame, begun = zstandard.ZstdDecompressor().decompressobj(), False
    if begun:
        raise EOFError("it ends within a frame")


def _open(outer: Content) -> IO[bytes]:
    if outer.data is not None:
        return io.BytesIO(outer.data)
    assert outer.path is not None
    return outer.path.open("rb")


def _inner_name(name: str, suffixes: tuple[str, ...]) -> str:
    return name[: name.rindex(".")] if name.lower().endswith(suffixes) and name.rindex(".") else name


def _unpacked(source: Source, chunks: Iterator[bytes], name: str, wrapping: str) -> Content:
    held = bytearray()
    for chunk in chunks:
        held += chunk
        if len(held) > WHOLE_BYTES:
            return Content(name, None, _spilled(source, bytes(held), chunks), wrapping)
    return Content(name, bytes(held), None, wrapping)


def _spilled(source: Source, first: bytes, chunks: Iterator[bytes]) -> Path:
    path = source.scratch() / "content"
    size = len(first)
    try:
        with path.open("wb") as file:
            file.write(first)
            for chunk in chunks:
                file.write(chunk)
                size += len(chunk)
                if size > _MOST_BYTES:
                    raise ExportError("the file unpacks to more than 50 GB", file=source.path, hint="unpack a part.")
    except gzip.BadGzipFile:
        raise
    except OSError as problem:
        raise EnvironmentProblem(
            f"the unpacked export could not be kept in {path.parent} ({problem.strerror})",
            hint="free space there, or point TMPDIR elsewhere.",
        ) from problem
    return path
