"""Boards for the cases, as a TOML file would give them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any


def board(nodes: dict[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return a board profile; `segments`, `columns`, `sentinels`, `identities` by name."""
    head: dict[str, Any] = {"name": "board"}
    if "segments" in more:
        head["segments"] = more.pop("segments")
    return {"board": head, "nodes": nodes, **more}


def node(quantity: str, **body: Any) -> dict[str, Any]:
    """Return one node; ranges as pairs of texts with units."""
    return {"quantity": quantity} | {k: list(v) if isinstance(v, tuple) else v for k, v in body.items()}


@dataclass(frozen=True)
class Rails:
    """A board with an input and some supply rails. `widest`: the largest size any voltage on it may have."""

    nodes: dict[str, dict[str, Any]]
    rails: dict[str, float]
    widest: float

    def toml(self, *, claims: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
        """Return the profile; `claims` maps a node to the column or measurement that it claims (both are written)."""
        nodes = {name: dict(body) for name, body in self.nodes.items()}
        for name, column in (claims or {}).items():
            nodes[name]["columns"] = [column]
            nodes[name]["measurements"] = [column]
        return board(nodes, **more)


_SETS = (
    # input node (expected, absolute), rails
    ((9, 28, -0.3, 30), {"5V0": 5.0, "3V3": 3.3, "1V8": 1.8}, -12.0),
    ((9, 36, -0.3, 40), {"VOUT": 5.0, "AUX": 3.3}, None),
    ((10.8, 13.2, -0.3, 18), {"P5V": 5.0, "P3V3": 3.3, "VCORE": 1.2}, None),
    ((36, 60, -0.3, 80), {"12V": 12.0, "5V": 5.0}, -5.0),
    ((340, 420, 0, 500), {"V24": 24.0, "V5": 5.0, "V15": 15.0}, -15.0),
    ((4.5, 5.5, -0.3, 6), {"VDD": 3.3, "VIO": 1.8, "VREF": 2.5}, None),
)


def rails(rng: random.Random) -> Rails:
    """Return one of six power boards, its nodes written with ranges or a nominal."""
    (low, high, least, most), outputs, negative = rng.choice(_SETS)
    nodes = {"VIN": node("voltage", absolute=(f"{least} V", f"{most} V"), expected=(f"{low} V", f"{high} V"))}
    for name, volts in outputs.items():
        body = _rail(rng, volts)
        nodes[name] = node("voltage", **body)
    if negative:
        nodes["VNEG"] = node("voltage", absolute=(f"{negative * 1.25:g} V", "0.3 V"), nominal=f"{negative} V")
    nodes["IIN"] = node("current", absolute=("-3 A", "3 A"), expected=("0.1 A", "2 A"))
    all_rails = outputs | ({"VNEG": negative} if negative else {})
    return Rails(nodes, all_rails, float(most))


def _rail(rng: random.Random, volts: float) -> dict[str, Any]:
    absolute = ("-0.3 V", f"{volts * 1.2:g} V")
    tight = (f"{volts * 0.95:g} V", f"{volts * 1.05:g} V")
    return rng.choice(
        [
            {"absolute": absolute, "nominal": f"{volts:g} V"},
            {"absolute": absolute, "expected": tight},
            {"absolute": absolute, "expected": tight, "limits": tight},
            {"nominal": f"{volts * 1000:g} mV"},
        ]
    )


BENCH: dict[str, dict[str, Any]] = {
    "VIN": node("voltage", absolute=("-0.3 V", "30 V"), expected=("9 V", "28 V")),
    "5V0": node("voltage", absolute=("-0.3 V", "6 V"), nominal="5 V"),
    "3V3": node("voltage", nominal="3.3 V"),
    "1V8": node("voltage", nominal="1.8 V"),
    "VNEG": node("voltage", absolute=("-15 V", "0.3 V"), nominal="-12 V"),
    "INPUT": node("current", absolute=("-3 A", "3 A"), expected=("0.1 A", "2 A")),
    "SLEEP": node("current", expected=("5 uA", "500 uA")),
    "R": node("resistance", absolute=("0 ohm", "2 Mohm")),
    "T": node("temperature", absolute=("-40 degC", "125 degC"), expected=("15 degC", "110 degC")),
    "RF": node("power level", absolute=("-90 dBm", "20 dBm")),
}
"""The board of the written scenarios."""


def bench(**more: Any) -> dict[str, Any]:
    """Return the scenarios' board; `nodes` adds or replaces nodes."""
    return board({**BENCH, **more.pop("nodes", {})}, **more)


def cell(**more: Any) -> dict[str, Any]:
    """Return a battery cell under test: 0..5 V, charge and discharge up to 10 A, 3 Ah."""
    nodes = {
        "VCELL": node("voltage", absolute=("0 V", "5 V"), expected=("2.5 V", "4.25 V")),
        "ICELL": node("current", absolute=("-10 A", "10 A"), expected=("-6 A", "6 A")),
        "QCELL": node("charge", absolute=("0 Ah", "5 Ah"), expected=("0 Ah", "3.4 Ah")),
        "TCELL": node("temperature", absolute=("-20 degC", "80 degC"), expected=("15 degC", "60 degC")),
    }
    return board({**nodes, **more.pop("nodes", {})}, **more)
