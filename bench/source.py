"""The export's exact bytes: hashed, and compressed where they will be kept, while the reader and the guard work.

The promise is that raw is kept (design.md, 4) and that a receipt's hash belongs to the rows it was taken from. So one
pass in the background gives both, and it notices a file that something still writes to: size, time and inode must be
the same after the pass as before it. hashlib and zstandard release the GIL, so the pass costs another core, not time.
A small file is read once, whole, and everything else works on those bytes.
"""

from __future__ import annotations

import builtins
import contextlib
import hashlib
import io
import mmap
import os
import select
import shutil
import stat
import tempfile
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

import zstandard

from bench.errors import BenchError, EnvironmentProblem, ExportChanged, ExportError, ExportMissing

if TYPE_CHECKING:
    from bench.export import BeginLoad

WHOLE_BYTES = 8 << 20  # a file up to this size is held in memory
SPOOL_BYTES = 32 << 20  # compressed bytes beyond this go to a temporary file
_BLOCK_BYTES = 8 << 20  # large: the thread waits for the interpreter between two blocks
_TURN_MS = 100
_LEVEL = 1  # measured on a 372 MB export: level 1 keeps pace with the load, threads did not help on two cores


class Source:
    """The bytes of one file. Reading starts at once; `sha256`, `bytes` and `compressed` wait for its end.

    `keep`: `compressed` will be asked for, so that it is made in the same pass. `data` holds the whole file when it is
    small or no regular file (a pipe), else None. `begin_load` is for the reader.

    Raises:
        ExportMissing: there is no such file, or it is a directory.
        ExportError: it may not be read.
        ExportChanged: from the properties, when the file changed while it was read.
    """

    def __init__(self, path: Path, *, keep: bool = False) -> None:
        self.path = path
        self._keep = keep
        self.begin_load: BeginLoad | None = None
        self._before = _stat(path)
        self._scratch: Path | None = None
        self._spool = _Spool(self)
        self._problem: Exception | None = None
        self._sha256 = ""
        self._bytes = 0
        self._thread: threading.Thread | None = None
        self.data: builtins.bytes | None = None
        regular = stat.S_ISREG(self._before.st_mode)
        try:
            if not regular or self._before.st_size <= WHOLE_BYTES:
                self.data = path.read_bytes() if regular else _read_pipe(path)
            else:
                self._thread = threading.Thread(target=self._read, name=f"source {path.name}", daemon=True)
                self._thread.start()
        except OSError as problem:
            raise _unreadable(path, problem) from problem
        if self.data is not None:
            self._sha256 = hashlib.sha256(self.data).hexdigest()
            self._bytes = len(self.data)
            if regular:
                self.check()

    @property
    def sha256(self) -> str:
        """SHA-256 of the file, in hex."""
        self._wait()
        return self._sha256

    @property
    def bytes(self) -> int:
        """Size of the file in bytes."""
        self._wait()
        return self._bytes

    def compressed(self) -> builtins.bytes:
        """Return the file as one zstd frame."""
        self._wait()
        if self.data is not None:
            return zstandard.ZstdCompressor(level=_LEVEL).compress(self.data)
        if not self._keep:
            self._keep = True
            self._pass(None)
            self._wait()
        return self._spool.content()

    def check(self) -> None:
        """Raise ExportChanged if the file on disk is no longer the one that was read."""
        if self.data is not None and not stat.S_ISREG(self._before.st_mode):
            return
        now = _stat(self.path)
        same = (now.st_size, now.st_mtime_ns, now.st_ino) == (
            self._before.st_size, self._before.st_mtime_ns, self._before.st_ino,
        )  # fmt: skip
        if not same or (self._bytes and self._bytes != now.st_size):
            raise ExportChanged(
                f"the file changed while it was read (it had {self._before.st_size} bytes, now {now.st_size})",
                file=self.path,
                hint="wait until the bench has finished writing, or copy the file, and read it again.",
            )

    def scratch(self) -> Path:
        """Return a folder for the reader's own files. It lasts as long as this object."""
        if self._scratch is None:
            try:
                self._scratch = Path(tempfile.mkdtemp(prefix="bench-analyze-"))
            except OSError as problem:
                raise EnvironmentProblem(
                    f"no temporary folder could be made ({problem.strerror})",
                    hint="free space, or point TMPDIR at a folder that can be written.",
                ) from problem
            weakref.finalize(self, shutil.rmtree, self._scratch, ignore_errors=True)
        return self._scratch

    def _wait(self) -> None:
        if self._thread is not None:
            self._thread.join()
        if self._problem is not None:
            raise self._problem

    def _read(self) -> None:
        digest = hashlib.sha256()
        self._pass(digest.update)
        self._sha256 = digest.hexdigest()

    def _pass(self, tell: Callable[[memoryview], None] | None) -> None:
        """Read the file once, block by block; what goes wrong is kept for whoever waits."""
        found = 0
        try:
            compressor = zstandard.ZstdCompressor(level=_LEVEL).compressobj(size=self._before.st_size)
            with self.path.open("rb", buffering=0) as file, self._spool as spool:
                # One for all blocks: new memory costs page faults. Mapped, as filling it would hold the interpreter.
                memory = memoryview(mmap.mmap(-1, _BLOCK_BYTES if self._keep else 4 * _BLOCK_BYTES))
                while size := file.readinto(memory):
                    block = memory[:size]
                    if tell:
                        tell(block)
                    if self._keep:
                        spool.write(compressor.compress(block))
                    found += size
                if self._keep:
                    spool.write(compressor.flush())
            self._bytes = found
            self.check()
        except OSError as problem:
            self._problem = _unreadable(self.path, problem)
        except zstandard.ZstdError:
            # zstd refuses more or fewer bytes than it was told to expect: the file grew or shrank.
            self._problem = ExportChanged(
                f"the file changed while it was read (it had {self._before.st_size} bytes)",
                file=self.path,
                hint="wait until the bench has finished writing, or copy the file, and read it again.",
            )
        except BenchError as problem:
            self._problem = problem


def begin_reading(path: Path) -> Source | None:
    """Return the source of a large file that will be kept, which reads from now on.

    None for any other: whoever reads that says why it cannot be read.
    """
    with contextlib.suppress(OSError, ValueError, ExportError):
        found = path.stat()
        return Source(path, keep=True) if stat.S_ISREG(found.st_mode) and found.st_size > WHOLE_BYTES else None
    return None


def _read_pipe(path: Path) -> bytes:
    """Return what a pipe or device gives until its end.

    polars installs an interrupt handler that restarts a blocked read, so Ctrl-C would wait for the writer. Waiting in
    short turns lets Python see it.
    """
    if not hasattr(select, "poll"):
        return path.read_bytes()
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        waiting = select.poll()
        waiting.register(file, select.POLLIN)
        pieces: list[bytes] = []
        while True:
            if not waiting.poll(_TURN_MS):
                continue
            with contextlib.suppress(BlockingIOError):
                piece = os.read(file, _BLOCK_BYTES)
                if not piece:
                    return b"".join(pieces)
                pieces.append(piece)
    finally:
        os.close(file)


class _Spool:
    """Compressed bytes: in memory while they are few, in a scratch file beyond that."""

    def __init__(self, source: Source) -> None:
        self._scratch = weakref.WeakMethod(source.scratch)
        self._memory = io.BytesIO()
        self._path: Path | None = None
        self._file: IO[bytes] | None = None

    def __enter__(self) -> _Spool:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, block: bytes) -> None:
        scratch = self._scratch()
        try:
            (self._file or self._memory).write(block)
            if self._file is None and self._memory.tell() > SPOOL_BYTES and scratch is not None:
                self._path = scratch() / "source.zst"
                self._file = self._path.open("wb")
                self._file.write(self._memory.getbuffer())
                self._memory = io.BytesIO()
        except OSError as problem:
            raise EnvironmentProblem(
                f"the export's bytes could not be kept in {self._path} ({problem.strerror})",
                hint="free space there, or point TMPDIR elsewhere.",
            ) from problem

    def content(self) -> bytes:
        return self._memory.getvalue() if self._path is None else self._path.read_bytes()


def decompress(content: bytes) -> bytes:
    """Return what `Source.compressed` was given."""
    return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content)).read()


def _stat(path: Path) -> os.stat_result:
    try:
        found = path.stat()
    except FileNotFoundError:
        raise ExportMissing(
            "there is no such file", file=path, hint="check the path; `ls` its folder to see what is there."
        ) from None
    except (OSError, ValueError) as problem:
        raise _unreadable(path, problem) from problem
    if stat.S_ISDIR(found.st_mode):
        raise ExportMissing(
            "this is a directory, not an export",
            file=path,
            hint=f"name the exports inside it, or take all into a store: bench-analyze ingest {path} --db STORE.duckdb",
        )
    return found


def _unreadable(path: Path, problem: Exception) -> ExportError:
    reason = getattr(problem, "strerror", None) or str(problem)
    return ExportError(
        f"the file cannot be read ({reason})",
        file=path,
        hint="check its permissions, or copy it to where you may read it.",
    )
