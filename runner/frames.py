"""Frames: bytes to (header, payload) and back. No I/O, and nothing is parsed before its size was checked.

A frame is u32 body length, u32 header length (both big-endian), the header as JSON in UTF-8, the payload. The
precedent is h11's limit on an incomplete event: what never becomes a whole frame must not fill the memory either.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping

from runner.errors import ProtocolError

PREFIX = struct.Struct(">II")
HEADER_BYTES = 4096

Frame = tuple[dict[str, object], bytes]


def encode(header: Mapping[str, object], payload_bytes: int = 0) -> bytes:
    """Return the start of a frame; the payload of `payload_bytes` follows it."""
    head = json.dumps(header).encode()
    return PREFIX.pack(4 + len(head) + payload_bytes, len(head)) + head


class Decoder:
    """Collects bytes in chunks of any size and gives whole frames; the answer does not depend on the chunks."""

    def __init__(self, frame_bytes: int) -> None:
        self.frame_bytes = frame_bytes
        self._buffer = bytearray()

    @property
    def incomplete(self) -> bool:
        """Whether a frame has begun and not ended."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take bytes and give the frames that are whole now.

        Raises:
            ProtocolError: a length is impossible or above the cap, or a header is not a JSON object.
        """
        self._buffer += data
        while len(self._buffer) >= PREFIX.size:
            body, head = PREFIX.unpack_from(self._buffer)
            if not 4 + head <= body <= self.frame_bytes or head > HEADER_BYTES:
                raise ProtocolError(f"a frame of {body} bytes with a header of {head}")
            end = 4 + body
            if len(self._buffer) < end:
                return
            header = bytes(self._buffer[PREFIX.size : PREFIX.size + head])
            payload = bytes(self._buffer[PREFIX.size + head : end])
            del self._buffer[:end]
            yield parse_object(header), payload


def parse_object(data: bytes) -> dict[str, object]:
    """Return a JSON object from the sandbox.

    Raises:
        ProtocolError: it is none, or nested so deeply that parsing it would exhaust the stack.
    """
    try:
        found = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not a JSON object: {type(error).__name__}") from None
    if not isinstance(found, dict):
        raise ProtocolError(f"a JSON {type(found).__name__} in the place of an object")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(constant)
