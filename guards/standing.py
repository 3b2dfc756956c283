"""What the board knows of a column's name: a node of it, its quantity only, or less."""

from __future__ import annotations

import re
from dataclasses import replace

from guards.board import Board
from guards.headers import header_unit
from guards.parts import Part

_GENERIC = re.compile(
    r"[a-z]?\d*|volts?|voltages?|currents?|amps?|powers?|watts?|resistances?|ohms?|temps?|temperatures?|efficiency|eff|ratio"
    r"|values?|reading|meas|measured|measurement|data|result|test|dut|uut|signal|rail|dmm|supply|output|input|out|in"
    r"|[vuip](?:in|out)|(?:ch|channel|tp|ai)\d*|avg|mean|rms|dc|ac|time"
)
"""Words of names that say no more than the quantity."""
_HIGH_VOLTAGE = re.compile(
    r"(?i)hi-?pot|(^|[^a-z])v?hv|esd|iso|surge|break|withstand|insul|flash|dielectric|burst|(^|_)ht"
)
"""A board lists its rails, so that a voltage of no name is one of them, but for what is tested beyond them."""


def with_standing(part: Part, name: str, board: Board | None, *, claims: bool) -> Part:
    """Return the part with what the board knows of its name: its quantity only (`generic`), or less (`stranger`).

    `claims`: whether nodes of the board claim some column or measurement of the table.
    """
    parsed = header_unit(name)
    stem = name if parsed is None else parsed[0]
    generic = all(_GENERIC.fullmatch(word) for word in re.split(r"[^a-z0-9]+", stem.lower()))
    names = board is not None and any(node.columns or node.measurements for node in board.nodes)
    if part.quantity == "voltage":
        left_out = names and _HIGH_VOLTAGE.search(stem) is not None
    else:
        left_out = claims or (names and not generic)
    return replace(part, generic=generic, stranger=part.node is None and left_out)
