"""What an export's preamble says that bears on units: the probe's attenuation that a scope was told of.

A scope multiplies its readings by the attenuation that it was told of. Where it was told 1 and the values are a tenth
of a node's, a x10 probe was on the input (RigolWFM issue 11: 2.88 V for 28.8 V). No label records a wrong probe, so
this can only ever refuse with a proposal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PROBE = re.compile(
    r"(?i)^(?:(?P<channel>ch(?:annel)?\s*\d+)[ _]?)?(?:probe(?:[ _](?:atten(?:uation)?|ratio|factor))?)$"
)
_FACTOR = re.compile(r"(?i)^[x×]?\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?)\s*[x×]?(?:\s*:\s*1)?$")


def attenuations(metadata: Mapping[str, str]) -> dict[str | None, float]:
    """Return the attenuation by channel name in lower case ("ch1"), under None where it names no channel."""
    found: dict[str | None, float] = {}
    for name, text in metadata.items():
        about, factor = _PROBE.match(name.strip()), _FACTOR.match(text.split(",")[0].strip())
        if about and factor and float(factor[1]) > 0:
            channel = about["channel"]
            found.setdefault(re.sub(r"\s|annel", "", channel.lower()) if channel else None, float(factor[1]))
    return found


def attenuation_of(column: str, said: Mapping[str | None, float]) -> float | None:
    """Return the attenuation for a column: its channel's, else the one that names no channel."""
    name = re.sub(r"\s|annel", "", column.lower())
    return next((factor for channel, factor in said.items() if channel and name.startswith(channel)), said.get(None))
