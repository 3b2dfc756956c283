import json
import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.render.values import dumps, json_safe


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, None),
        (-math.inf, None),
        ([1, (2.5, math.inf)], [1, [2.5, None]]),
        ({"a": {"b": math.nan}, 3: b"\x00\xff"}, {"a": {"b": None}, "3": "AP8="}),
        (datetime(2026, 8, 31, 13, 40, tzinfo=UTC), "2026-08-31T13:40:00+00:00"),
        (date(2026, 8, 31), "2026-08-31"),
        (timedelta(minutes=1.5), 90.0),
        (Decimal("4.950"), "4.950"),
        (Path("a/b.csv"), "a/b.csv"),
        ("\ud800", "\\ud800"),
        (True, True),
    ],
)
def test_every_value_has_a_strict_json_form(value: object, expected: object) -> None:
    assert json_safe(value) == expected


@given(
    st.recursive(
        st.none() | st.floats() | st.text() | st.integers() | st.binary(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_a_document_is_one_line_of_strict_json(value: object) -> None:
    def refuse(name: str) -> object:
        raise AssertionError(name)

    text = dumps(value)
    assert "\n" not in text
    json.loads(text, parse_constant=refuse)
