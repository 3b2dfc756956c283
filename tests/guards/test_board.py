"""A board profile that cannot be used is named by key, value and what was expected."""

import pytest

from guards import BoardError, parse_board


def node(**changes):
    body = {"quantity": "voltage", "absolute": ["-0.3 V", "40 V"], "columns": ["vin_v"]} | changes
    return {"nodes": {"VIN": {key: value for key, value in body.items() if value is not None}}}


def test_a_board_keeps_ranges_exactly_and_the_unit_they_were_written_in():
    board = parse_board(
        {"nodes": {"RIPPLE": {"quantity": "voltage", "limits": ["", "50 mV"], "measurements": ["RIPPLE"]}}}
    )
    (ripple,) = board.nodes
    assert (ripple.unit.symbol, float(ripple.limits.upper), ripple.limits.lower) == ("mV", 0.05, None)
    assert board.claiming("value", "RIPPLE") is ripple
    assert ripple.limits.text() == "at most 50 mV"


def test_the_widest_node_spans_all_nodes_of_a_quantity():
    board = parse_board(
        {
            "nodes": {
                "A": {"quantity": "voltage", "absolute": ["-0.3 V", "6 V"]},
                "B": {"quantity": "voltage", "absolute": ["-15 V", "0.3 V"]},
            }
        }
    )
    widest = board.widest("voltage")
    assert (float(widest.lower), float(widest.upper)) == (-15.0, 6.0)
    assert board.widest("current") is None


def test_a_measurement_outranks_a_column():
    board = parse_board(
        {
            "nodes": {
                "A": {"quantity": "voltage", "columns": ["value_v"]},
                "B": {"quantity": "voltage", "measurements": ["VOUT"]},
            }
        }
    )
    assert board.claiming("value_v", "VOUT").name == "B"
    assert board.claiming("value_v", "OTHER").name == "A"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (node(absolut=["0 V", "1 V"]), "nodes.VIN.absolut = ['0 V', '1 V']: expected a known key: 'absolute'?"),
        (node(quantity="volts"), "nodes.VIN.quantity = 'volts': expected one of "),
        (node(absolute=["-0.3", "40 V"]), "nodes.VIN.absolute[0] = '-0.3': expected a number and a unit, such as"),
        (node(absolute=[-0.3, 40]), 'nodes.VIN.absolute[0] = -0.3: expected a quantity with its unit, such as "5.1 V"'),
        (node(absolute=["40 V", "-0.3 V"]), "expected the lower bound first: it is above the upper one"),
        (node(absolute=["-0.3 A", "40 A"]), "expected a voltage, but A is a unit of current"),
        (node(absolute="40 V"), "nodes.VIN.absolute = '40 V': expected a list of two quantities"),
        (
            node(expected=["9 V", "50 V"]),
            "nodes.VIN.expected = '9..50 V': expected a range inside absolute, -0.3..40 V",
        ),
        (node(columns="vin_v"), "nodes.VIN.columns = 'vin_v': expected a list of texts"),
        (node() | {"colums": {}}, "colums = {}: expected a known key: 'columns'?"),
        (node() | {"columns": {"x": {"role": "mesured"}}}, "columns.x.role = 'mesured': expected one of measured"),
        (node() | {"columns": {"x": {"correct": "no"}}}, "columns.x.correct = 'no': expected true or false"),
        (node() | {"columns": {"x": {"unit": "volty"}}}, "columns.x.unit = 'volty': expected a unit such as"),
        (
            node() | {"sentinels": {"overload": 9.9e37}},
            "sentinels.overload = 9.9e+37: expected a list of numbers or texts",
        ),
        (
            node() | {"identities": [{"expresion": "a"}]},
            "identities[0].expresion = 'a': expected a known key: 'expression'?",
        ),
        (
            node() | {"identities": [{"expression": "__import__('os')"}]},
            "identities[0].expression = \"__import__('os')\": expected one comparison of columns, such as",
        ),
        (node() | {"board": {"segments": "lot"}}, "board.segments = 'lot': expected a list of texts"),
        (
            {"nodes": {n: {"quantity": "voltage", "columns": ["v"]} for n in "AB"}},
            "nodes.B.columns = 'v': expected a name that nodes.A does not claim too",
        ),
    ],
)
def test_a_mistake_is_named_with_key_value_and_expectation(document, message):
    with pytest.raises(BoardError) as caught:
        parse_board(document, source="srb.toml")
    assert str(caught.value).startswith("srb.toml: ")
    assert message in str(caught.value)
