"""Bytes in hexadecimal digits, as protocol decoders write them: of `00`, `0A`, `1E05` one would be amperes, and one a
number with an exponent.
"""

from __future__ import annotations

import polars as pl


def hexes(head: pl.DataFrame) -> list[str]:
    """Return the columns of which every cell is hexadecimal, all of one length, with leading zeros or several letters.

    One letter at the end of each alone may be a unit.
    """
    if not head.width:
        return []
    text = pl.all().str.strip_chars().str.to_uppercase().drop_nulls()
    letters = text.str.replace_all(r"[0-9]", "")
    written = text.str.contains(r"^[0-9A-F]{2,}$").all() & (text.str.len_chars().n_unique() == 1)
    among = (letters != "").any() & text.str.contains(r"[0-9]").any()
    zeros = text.str.contains(r"^0[0-9A-F]").any()
    several = letters.filter(letters != "").n_unique() > 2
    found = head.select(written & among & (zeros | several)).row(0, named=True)
    return [name for name, is_hex in found.items() if is_hex]
