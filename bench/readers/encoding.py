"""Bytes to text without losing a sign: µ, Ω and ° are units, and a lossy decoder destroys them.

Order of belief: a byte order mark; zeros at every other byte (UTF-16 without mark); bytes that are valid UTF-8; pairs
of bytes as GBK has them; else cp1252, with latin-1 for its five holes. A file with both (log lines of two programs) is
read as UTF-8 where that is most of it or a byte order mark says so, its stray bytes as cp1252. What is not UTF-8 on
disk is written once as UTF-8 into the scratch folder, so that everything after this module sees one encoding.
"""

from __future__ import annotations

import codecs
import itertools
import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.errors import EnvironmentProblem, ExportEmpty, ExportError
from bench.readers.content import Content
from bench.source import Source

_BLOCK_BYTES = 1 << 20
_HEAD_BYTES = 1 << 16
_HEAD_OF_LARGE = 4 << 20
_RELEASE_BYTES = 64 << 20
_NUMBERS = itertools.count()
_FEWEST_PAIRS = 8  # fewer than so many characters show no pattern of zeros
_CONVINCING = 1000  # so many bytes that are not UTF-8, and no character that is, settle it
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_FEWEST_RUNS = 3
_GBK_NOTE = "bytes beyond ASCII stand in pairs only: read as Chinese (GBK); --encoding overrides"
_CUT_NOTE = (
    "its only bytes beyond ASCII are the last, which begin a character of UTF-8: the file may be cut; they were read "
    "as cp1252"
)
_CUT = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HTML = (b"<!doctype html", b"<html", b"<table")
_TEXT_CONTROLS = frozenset(b"\t\n\r\x0b\x0c\x1a\x1b\x08\x07")
_KNOWN_BINARY = (
    (b"\x89PNG", "a PNG picture"), (b"\xff\xd8\xff", "a JPEG picture"), (b"%PDF", "a PDF document"),
    (b"\x7fELF", "a program"), (b"MZ\x90", "a program"), (b"SQLite format 3", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old Office file (.xls)"), (b"\x89HDF", "an HDF5 file"),
    (b"7z\xbc\xaf", "a 7z archive"), (b"Rar!", "a RAR archive"), (b"BZh", "a bzip2 file"),
)  # fmt: skip


class NotUtf8(Exception):  # noqa: N818 (it sends the reader back, and is no fault)
    """Bytes beyond the first, which alone were looked at, are not UTF-8: all are to be looked at."""


class Utf8Check:
    """Looks at bytes that come block by block."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def see(self, block: bytes, *, final: bool = False) -> None:
        """Look at the next block; with `final` no more will come.

        Raises:
            NotUtf8: they are not.
        """
        if block.isascii() and not self._decoder.getstate()[0] and not final:
            return
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError:
            raise NotUtf8 from None


@dataclass(frozen=True, slots=True)
class Text:
    """The export as UTF-8. `data` is the whole text; `path` the file that holds the same bytes, if it is on disk.

    `start` is where text begins behind a byte order mark. `encoding` is that of the export itself, `note` what is odd
    about it. `checked` is how many of the bytes are known to be UTF-8, None where all are.
    """

    data: bytes | mmap.mmap
    path: Path | None
    start: int
    encoding: str
    note: str | None = None
    checked: int | None = None

    def blocks(self, start: int, size: int = _BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the bytes from `start` on in pieces of `size`."""
        for position in range(start, len(self.data), size):
            yield self.data[position : position + size]
            if position // _RELEASE_BYTES != (position + size) // _RELEASE_BYTES:
                self.release()
        self.release()

    def check(self) -> None:
        """Look at the bytes that nobody has looked at.

        Raises:
            NotUtf8: they are not.
        """
        if self.checked is not None and _stray_bytes(self.data, self.start)[0]:
            raise NotUtf8

    def unchecked(self, start: int) -> Utf8Check | None:
        """Return what is to look at the bytes from `start` on, the beginning of a character; None where all are known.

        Raises:
            NotUtf8: bytes before that, which nobody had looked at, are not.
        """
        if self.checked is None:
            return None
        if start > self.checked:
            self.check()
        return Utf8Check()

    def contains(self, needle: bytes, start: int) -> bool:
        """Return whether the bytes occur from `start` on."""
        for position in range(start, len(self.data), _RELEASE_BYTES):
            if self.data.find(needle, position, position + _RELEASE_BYTES + len(needle)) >= 0:
                return True
            self.release()
        return False

    def release(self) -> None:
        """Give the memory of a mapped file's pages back; they are read again when they are asked for."""
        if isinstance(self.data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            self.data.madvise(mmap.MADV_DONTNEED)


def _cp1252(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeDecodeError):
        raise problem
    stray = problem.object[problem.start : problem.end]
    return "".join(bytes([byte]).decode("cp1252" if byte not in _HOLES else "latin-1") for byte in stray), problem.end


_HOLES = frozenset(b"\x81\x8d\x8f\x90\x9d")
codecs.register_error("bench-cp1252", _cp1252)


def open_text(
    source: Source, *, encoding: str | None = None, content: Content | None = None, whole: bool = True
) -> Text:
    """Return a file's text. `content` is what was in the file's wrapping, if it had one.

    With `whole` false a large text whose beginning is UTF-8 is taken for it: a second pass over all bytes costs a fifth
    of what reading them does. Whoever reads it looks at the `unchecked` bytes, or calls `check`.

    Raises:
        ExportEmpty: no bytes.
        ExportError: bytes that are no text.
    """
    data, path = _bytes(source, content)
    if not len(data):
        raise ExportEmpty("the file is empty", file=source.path, hint="export it again from the bench.")
    head = bytes(data[:_HEAD_BYTES])
    mark = next(((bom, name) for bom, name in _MARKS if head.startswith(bom)), None)
    if encoding is None:
        _refuse_binary(source.path, head, marked=mark is not None and mark[1] != "utf-8")
    name = encoding or _guess_utf16(head) or "utf-8"
    if mark is not None and (encoding is None or codecs.lookup(encoding).name[:6] in mark[1]):
        start, name = len(mark[0]), mark[1]
    else:
        start = 0
    if codecs.lookup(name).name == "utf-8":
        large = not whole and len(data) > _HEAD_OF_LARGE and bool(head.strip())
        if large and not _stray_bytes(data, start, _HEAD_OF_LARGE)[0]:
            return Text(data, path, start, "utf-8", checked=_HEAD_OF_LARGE)
        problems, characters = _stray_bytes(data, start)
        if not problems:
            return _nonempty(source, Text(data, path, start, "utf-8"))
        if encoding is None and mark is None and problems > characters:
            cut = _CUT_NOTE if problems == _cut_bytes(data) else None
            name, note = ("gb18030", _GBK_NOTE) if _is_chinese(data, start) else ("cp1252", cut)
        else:
            name, note = "utf-8", f"{problems} bytes that are not UTF-8 were read as cp1252"
        return _nonempty(source, _transcoded(source, data, start, name, note))
    return _nonempty(source, _transcoded(source, data, start, name, None))


def _bytes(source: Source, content: Content | None) -> tuple[bytes | mmap.mmap, Path | None]:
    data, path = (source.data, source.path) if content is None else (content.data, content.path)
    if data is not None:
        return data, None
    assert path is not None
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), path


def _nonempty(source: Source, text: Text) -> Text:
    if not bytes(text.data[text.start : text.start + _HEAD_BYTES]).strip() and not any(
        block.strip() for block in text.blocks(text.start)
    ):
        raise ExportEmpty("the file holds blank lines only", file=source.path, hint="export it again from the bench.")
    return text


def _refuse_binary(path: Path, head: bytes, *, marked: bool) -> None:
    if head[8:12] == b"DUCK":
        raise ExportError(
            "the file is a DuckDB database, not an export", file=path,
            hint="a store that ingest fills is read with --from; the tables of one analysis open in DuckDB.",
        )  # fmt: skip
    known = next((what for magic, what in _KNOWN_BINARY if head.startswith(magic)), None)
    if head[:64].lower().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_HTML):
        known = "an HTML page, whatever its name says"
    if known is None:
        if marked or _guess_utf16(head):
            return
        controls = sum(head.count(byte) for byte in range(32) if byte not in _TEXT_CONTROLS)
        if controls * 20 < len(head) or (controls == head.count(0) == len(head) - len(head.rstrip(b"\0"))):
            return
        known = f"not text ({controls} of its first {len(head)} bytes are control characters)"
    raise ExportError(
        f"the file is {known}, not an export that can be read", file=path,
        hint="export as text (CSV) from the bench; `bench-analyze formats` lists what can be read.",
    )  # fmt: skip


def _guess_utf16(head: bytes) -> str | None:
    pairs = len(head) // 2
    if pairs < _FEWEST_PAIRS or b"\r\n" in head:  # in UTF-16 a zero stands between
        return None
    even, odd = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    feeds = head.count(b"\n")  # nearly all have a zero of their own in UTF-16; else the zeros are NULs in plain text
    if odd > pairs * 0.4 and even < pairs * 0.05:
        return "utf-16-le" if head.count(b"\n\0") * 4 >= feeds * 3 else None
    found = even > pairs * 0.4 and odd < pairs * 0.05 and head.count(b"\0\n") * 4 >= feeds * 3
    return "utf-16-be" if found else None


def _stray_bytes(data: bytes | mmap.mmap, start: int, end: int | None = None) -> tuple[int, int]:
    """Return how many bytes up to `end` are not UTF-8, and how many non-ASCII characters are. A character that `end`
    cuts is neither."""
    stray = [0]

    def count(problem: UnicodeError) -> tuple[str, int]:
        assert isinstance(problem, UnicodeDecodeError)
        stray[0] += problem.end - problem.start
        return "", problem.end

    codecs.register_error("bench-count", count)
    decoder = codecs.getincrementaldecoder("utf-8")("bench-count")
    characters = 0
    stop = len(data) if end is None else end
    for position in range(start, stop, _BLOCK_BYTES):
        block = data[position : min(position + _BLOCK_BYTES, stop)]
        if (position - start) % _RELEASE_BYTES == 0:
            Text(data, None, start, "utf-8").release()
        if block.isascii() and not decoder.getstate()[0]:
            continue
        text = decoder.decode(block)
        characters += len(text) - len(text.encode("ascii", "ignore"))
        if stray[0] > _CONVINCING and not characters:
            break
    decoder.decode(b"", final=end is None)
    return stray[0], characters


def _cut_bytes(data: bytes | mmap.mmap) -> int:
    """Return how many bytes at the end begin a character of UTF-8 that is not whole."""
    found = _CUT.search(bytes(data[-3:]))
    return len(found[0]) if found else 0


def _is_chinese(data: bytes | mmap.mmap, start: int) -> bool:
    """Return whether bytes beyond ASCII stand in pairs only, as GBK writes Chinese words and signs such as Ω and ℃.

    Western text has them single. A few pairs could be two umlauts in a row, unless they are signs (first byte A1 to
    A9), which as cp1252 would be `¦¸` and the like.
    """
    runs = set(_BEYOND_ASCII.findall(data[start : start + _BLOCK_BYTES]))
    paired = all(len(run) % 2 == 0 and min(run) > 0xA0 for run in runs)
    signs = all(0xA1 <= byte <= 0xA9 for run in runs for byte in run[::2])
    return bool(runs) and paired and (signs or len(runs) >= _FEWEST_RUNS)


def _transcoded(source: Source, data: bytes | mmap.mmap, start: int, name: str, note: str | None) -> Text:
    replaced = [0]

    def replace(problem: UnicodeError) -> tuple[str, int]:
        assert isinstance(problem, UnicodeDecodeError)
        replaced[0] += 1
        return "\ufffd", problem.end

    codecs.register_error("bench-replace", replace)
    errors = "bench-cp1252" if name in ("utf-8", "cp1252") else "bench-replace"
    decoder = codecs.getincrementaldecoder(name)(errors)
    blocks = (data[at : at + _BLOCK_BYTES] for at in range(start, len(data), _BLOCK_BYTES))
    if name == "cp1252":
        pieces = (block if block.isascii() else _encode(decoder.decode(block)) for block in blocks)
    else:
        pieces = (_encode(decoder.decode(block)) for block in blocks)
    said = f"{{}} places that are not {name} were read as the replacement character"
    if source.data is not None and not isinstance(data, mmap.mmap):
        whole = b"".join(pieces) + _encode(decoder.decode(b"", final=True))
        return Text(whole, None, 0, name, said.format(replaced[0]) if replaced[0] else note)
    path = source.scratch() / f"text-{next(_NUMBERS)}.utf8"
    try:
        with path.open("wb") as file:
            for piece in pieces:
                file.write(piece)
            file.write(_encode(decoder.decode(b"", final=True)))
    except OSError as problem:
        raise EnvironmentProblem(
            f"the text could not be kept in {path.parent} ({problem.strerror})",
            hint="free space there, or point TMPDIR elsewhere.",
        ) from problem
    with path.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    return Text(mapped, path, 0, name, said.format(replaced[0]) if replaced[0] else note)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")
