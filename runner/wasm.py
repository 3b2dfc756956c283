"""Trims a WebAssembly module's exports. Pure: bytes in, bytes out.

DuckDB-Wasm exports 75,011 names, nearly all of them C++ functions for extensions that the sandbox never loads, and its
start script walks every one. The script itself names 58 of them, and those suffice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_EXPORT = 7
_MAGIC = b"\0asm\1\0\0\0"
_NAMED = re.compile(r"\bwasmExports\.([A-Za-z_$][\w$]*)")


def trim_exports(module: bytes, script: str) -> bytes:
    """Return the module with only the exports that its start script names.

    Raises:
        ValueError: the bytes are no WebAssembly module.
    """
    if module[:8] != _MAGIC:
        raise ValueError("not a WebAssembly module")
    wanted = {name.encode() for name in _NAMED.findall(script)}
    parts = [_MAGIC]
    for kind, body in _sections(module):
        kept = _trimmed(body, wanted) if kind == _EXPORT else body
        parts += [bytes([kind]), _leb(len(kept)), kept]
    return b"".join(parts)


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(module):
        size, start = _read(module, at + 1)
        yield module[at], module[start : start + size]
        at = start + size


def _read(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _leb(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _name(data: bytes, at: int) -> tuple[bytes, int]:
    size, at = _read(data, at)
    return data[at : at + size], at + size


def _trimmed(body: bytes, wanted: set[bytes]) -> bytes:
    count, at = _read(body, 0)
    kept = []
    for _ in range(count):
        start = at
        name, at = _name(body, at)
        at = _read(body, at + 1)[1]
        if name in wanted:
            kept.append(body[start:at])
    return _leb(len(kept)) + b"".join(kept)
