"""Numbered channels beside each other: the one with another unit and the others' digits is refused, with theirs."""

from __future__ import annotations

import pytest


def table(headers, *columns):
    return "\n".join([",".join(headers), *(",".join(map(str, row)) for row in zip(*columns, strict=True))])


def reports(guarded):
    return {report.name: report for report in guarded.report.columns if report.judged}


CELL = [3700, 3705, 3712, 3699]


@pytest.mark.parametrize(
    ("headers", "odd", "values", "unit", "factor"),
    [
        (["Cell 1 (mV)", "Cell 2 (mV)", "Cell 3 (V)"], "Cell 3 (V)", CELL, "mV", 1e-3),
        (["i1_a", "i2_a", "i3_ma"], "i3_ma", [1.2, 1.21, 1.19, 1.22], "A", 1e3),
    ],
)
def test_the_odd_label_is_refused_with_its_siblings_unit(judge, headers, odd, values, unit, factor):
    found = reports(judge(table(headers, values, values[::-1], values), None))
    assert (found[odd].verdict, found[odd].rule) == ("refused", "f")
    assert (found[odd].proposal.unit, found[odd].proposal.factor) == (unit, pytest.approx(factor))
    spoken = [w for w in found[odd].witnesses if w.name == "sibling prefixes"]
    (said,) = [w for w in spoken if w.candidate == found[odd].declared_unit]
    assert (said.supports, said.hard) == (False, False)
    assert "0 of 4 rows fit the size of" in said.detail
    assert {found[name].verdict for name in headers if name != odd} == {"unverified"}


def test_a_channel_in_another_unit_with_the_same_size_is_supported(judge):
    volts = [v / 1000 for v in CELL]
    found = reports(judge(table(["Cell 1 (mV)", "Cell 2 (mV)", "Cell 3 (V)"], CELL, CELL, volts), None))
    assert found["Cell 3 (V)"].verdict == "kept"


@pytest.mark.parametrize(
    ("headers", "odd"),
    [
        (
            ["shunt 1 (mV)", "shunt 2 (mV)", "shunt 3 (V)"],
            [12.0, 12.1, 11.9, 12.0],
        ),  # neither their size nor their digits
        (["Cell 1 (mV)", "Cell 2 (V)", "Cell 3 (V)"], CELL),  # no two that agree against one
        (["Cell 1 (mV)", "Pack 1 (mV)", "Cell 2 (V)"], CELL),  # another name
    ],
)
def test_what_says_nothing(judge, headers, odd):
    small = [50.1, 49.8, 50.3, 50.0] if headers[0].startswith("shunt") else CELL
    found = reports(judge(table(headers, small, small, odd), None))
    assert "sibling prefixes" not in {w.name for report in found.values() for w in report.witnesses}


def test_a_node_that_claims_the_column_outranks_its_siblings(judge, profile):
    board = profile(
        '[nodes.C3]\nquantity = "voltage"\nabsolute = ["0 V", "6 V"]\n'
        'expected = ["2.5 V", "4.3 V"]\ncolumns = ["Cell 3 (V)"]\n'
    )
    found = reports(judge(table(["Cell 1 (mV)", "Cell 2 (mV)", "Cell 3 (V)"], CELL, CELL, CELL), board))
    assert (found["Cell 3 (V)"].verdict, found["Cell 3 (V)"].resolved_unit) == ("corrected", "mV")
