"""Identities flag the rows that break physics, and nothing else."""

import pytest

from guards import dimensions
from guards.errors import BoardError, UnitError
from guards.identities import parse_identity

POWER = """[[identities]]
expression = "vin * iin >= vout * iout"
"""


def test_a_row_with_more_power_out_than_in_is_flagged_and_stays(judge, profile):
    table = "vin,iin,vout,iout\n24,0.7,5,3\n12,0.6729,4.98,3\n24,,5,3\n"
    guarded = judge(table, profile(POWER))
    assert guarded.flags.select("_row", "kind", "column").rows() == [(2, "identity", "vin * iin >= vout * iout")]
    assert guarded.corrected.collect()["iin"].to_list() == [0.7, 0.6729, None]


@pytest.mark.parametrize(("tolerance", "rows"), [(0.001, [2, 3]), (0.02, [3])])
def test_an_equality_holds_within_its_tolerance(judge, profile, tolerance, rows):
    board = profile(f'[[identities]]\nexpression = "p == u * i"\ntolerance = {tolerance}\n')
    guarded = judge("p,u,i\n10,5,2\n10.1,5,2\n20,5,2\n", board)
    assert guarded.flags["_row"].to_list() == rows


def test_an_identity_over_columns_that_a_table_lacks_says_nothing(judge, profile):
    assert judge("vin,iin\n1,1\n", profile(POWER)).flags.height == 0


@pytest.mark.parametrize(
    "text", ["a", "a >= b >= c", "f(a) > b", "a[0] > b", "a > 'x'", "a ** b > c", "a > True or b", "(" * 600]
)
def test_what_is_no_comparison_of_columns_is_refused(text):
    with pytest.raises(UnitError, match="expected one comparison of columns"):
        parse_identity(text)


def test_sides_of_different_dimensions_are_refused_when_the_profile_is_read(profile):
    with pytest.raises(BoardError, match="one dimension on both sides") as raised:
        profile('[[identities]]\nexpression = "vin_v * iin_a >= vout_v"\n')
    assert "vin_v * iin_a is" in str(raised.value)
    assert "[mass]" in str(raised.value)


@pytest.mark.parametrize("text", [
    "power_w == voltage_v * current_a", "power_w == voltage_v * current_ma * 0.001", "vin_v >= 3",
    "vin_v - 0.5 >= vout_mv",
    "efficiency_pct == pout_w / pin_w * 100", "level_dbm >= vin_v", "anything >= vin_v", "gain == vout_v / vin_v",
])  # fmt: skip
def test_what_can_hold_is_read(profile, text):
    assert profile(f'[[identities]]\nexpression = "{text}"\n').identities[0].expression == text


def test_a_sum_of_volts_and_amps_is_no_sum(profile):
    with pytest.raises(BoardError, match="vin_v \\+ iin_a"):
        profile('[[identities]]\nexpression = "vin_v + iin_a >= 3"\n')


def test_a_node_says_what_its_column_is(profile):
    node = '[nodes.LOAD]\nquantity = "current"\nabsolute = ["0 A", "5 A"]\ncolumns = ["load"]\n'
    with pytest.raises(BoardError, match="load is"):
        profile(node + '[[identities]]\nexpression = "load >= vin_v"\n')


@pytest.mark.parametrize("symbol", dimensions.EXACT)
def test_the_dimensions_that_need_no_registry_are_those_of_pint(symbol):
    assert dimensions.by_pint(symbol) == dimensions.EXACT[symbol]
