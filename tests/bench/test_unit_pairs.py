"""Several columns of units in one table: each speaks about the column of numbers just left of it."""

from pathlib import Path

import pytest

import bench

BOARD = """
[board]
name = "x"
[nodes.VOUT]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
expected = ["4.9 V", "5.1 V"]
columns = ["Value", "Reading", "Vout"]
[nodes.IOUT]
quantity = "current"
absolute = ["0 A", "3 A"]
expected = ["0.1 A", "1 A"]
columns = ["Math", "Iout"]
"""


def rows(form: str, count: int = 20) -> str:
    return "".join(form.format(v=4.95 + n / 500, mv=4950 + n, ma=200 + n, a=0.2 + n / 1000) for n in range(count))


def found(
    tmp_path: Path, text: str, board: str | None = None
) -> tuple[dict[str, tuple[str, str | None]], bench.Analysis]:
    """Return column -> verdict, unit of the judged columns."""
    path = tmp_path / "x.csv"
    path.write_text(text)
    if board is not None:
        (tmp_path / "board.toml").write_text(board)
    analysis = bench.analyze(path)
    columns = analysis.guard.to_dict()["tables"][0]["columns"]
    return {c["name"]: (c["verdict"], c["unit"]) for c in columns if c["role"] in ("measured", "setpoint")}, analysis


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Serial,Value,Unit,Limit,Unit\n" + rows("S1,{v:.3f},V,5.1,V\n"), {"Value": "V", "Limit": "V"}),
        ("Reading,Unit,Math,Unit\n" + rows("{v:.3f},V,{ma},mA\n"), {"Reading": "V", "Math": "mA"}),
        ("Setpoint,Unit,Reading,Unit\n" + rows("5,V,{mv},mV\n"), {"Setpoint": "V", "Reading": "mV"}),
        ("Vin,Unit,Vout,Unit\n" + rows("24.1,V,{mv},mV\n"), {"Vin": "V", "Vout": "mV"}),
        ("Vin,Units,Vout, Units,Temp,Units\n" + rows("24.1,V,{mv},mV,{v:.2f}, C \n"),
         {"Vin": "V", "Vout": "mV", "Temp": "degC"}),
        ("Vout,Unit,Iout\n" + rows("{mv},mV,{a:.3f}\n"), {"Vout": "mV", "Iout": None}),
        ("Value,LSL,USL,Unit,Temp,Unit\n" + rows("{mv},4900,5100,mV,{v:.2f},C\n"), {"Value": "mV", "Temp": "degC"}),
    ],
)  # fmt: skip
def test_each_unit_column_is_about_the_column_left_of_it(
    tmp_path: Path, text: str, units: dict[str, str | None]
) -> None:
    judged, analysis = found(tmp_path, text)
    analysis.close()
    assert {name: unit for name, (_, unit) in judged.items()} == units


def test_the_second_column_is_corrected_and_its_unit_with_it(tmp_path: Path) -> None:
    judged, analysis = found(tmp_path, "Reading,Unit,Math,Unit\n" + rows("{v:.3f},V,{ma},A\n"), BOARD)
    with analysis:
        table = analysis.table()
    assert judged == {"Reading": ("kept", "V"), "Math": ("corrected", "A")}
    assert table["Math"].to_list() == [(200 + n) / 1000 for n in range(20)]
    assert (set(table["Unit"]), set(table["Unit_2"])) == ({"V"}, {"A"})


def test_rows_of_two_units_in_the_second_column_are_brought_into_one(tmp_path: Path) -> None:
    text = "Reading,Unit,Math,Unit\n" + rows("{v:.3f},V,{ma},mA\n{v:.3f},V,{a:.3f},A\n", 10)
    judged, analysis = found(tmp_path, text, BOARD)
    with analysis:
        table = analysis.table()
    assert judged["Math"][1] == "A"
    assert table["Math"].to_list()[:4] == [0.2, 0.2, 0.201, 0.201]
    assert (set(table["Unit"]), set(table["Unit_2"])) == ({"V"}, {"A"})


def test_a_second_unit_that_is_not_known_is_not_passed_over(tmp_path: Path) -> None:
    text = "Reading,Unit,Math,Unit\n" + rows("{v:.3f},V,{ma},foo\n")
    judged, analysis = found(tmp_path, text, BOARD)
    with analysis:
        reasons = {c["name"]: c["reason"] for c in analysis.guard.to_dict()["tables"][0]["columns"]}
    assert judged["Math"][0] == "refused"
    assert "the unit column says 'foo', which is no unit the guard knows" in reasons["Math"]


def test_limits_in_another_unit_are_compared_through_it(tmp_path: Path) -> None:
    text = "Value,Unit,LSL,Unit,USL,Unit,Result\n" + rows("{mv},mV,4.9,V,5.1,V,PASS\n")
    judged, analysis = found(tmp_path, text)
    analysis.close()
    assert judged == {"Value": ("kept", "mV")}


def test_limits_in_another_unit_keep_it_when_values_are_corrected(tmp_path: Path) -> None:
    text = "Value,Unit,LSL,Unit,USL,Unit,Result\n" + rows("{mv},V,4.9,V,5.1,V,PASS\n")
    judged, analysis = found(tmp_path, text, BOARD)
    with analysis:
        table = analysis.table()
    assert judged == {"Value": ("corrected", "V")}
    assert (set(table["LSL"]), set(table["Unit_2"])) == ({4.9}, {"V"})


def test_limits_in_units_that_differ_row_by_row_say_nothing(tmp_path: Path) -> None:
    text = "Value,Unit,LSL,Unit,USL,Unit\n" + rows("{mv},mV,4.9,V,5.1,V\n{mv},mV,4900,mV,5100,mV\n", 10)
    judged, analysis = found(tmp_path, text)
    analysis.close()
    assert judged == {"Value": ("unverified", "mV")}


@pytest.mark.parametrize(
    ("header", "row", "bounds"),
    [
        ("Test,Value,Unit,LSL (V),USL (V)", "VOUT,{v},{u},4.95,5.05", ["LSL (V)", "USL (V)"]),
        ("Test,Value,Unit,LSL,USL,Unit", "VOUT,{v},{u},4.95,5.05,V", ["LSL", "USL"]),
        ("Test,LSL,USL,Unit,Value,Unit", "VOUT,4.95,5.05,V,{v},{u}", ["LSL", "USL"]),
        ("Test,LSL,USL,Limit Unit,Value,Unit", "VOUT,4.95,5.05,V,{v},{u}", ["LSL", "USL"]),
        ("Test,Value,LSL,USL,Unit", "VOUT,{v},{low},{high},{u}", ["LSL", "USL"]),
        ("Test,Value,Min,Max,Unit", "VOUT,{v},{low},{high},{u}", ["Min", "Max"]),
        ("Test,Min,Value,Max,Unit", "VOUT,{low},{v},{high},{u}", ["Min", "Max"]),
        ("Test,Nominal,LowLimit,Value,Unit", "VOUT,{high},{low},{v},{u}", ["LowLimit", "Nominal"]),
    ],
)
def test_limits_go_with_the_rows_unit_or_with_their_own(
    tmp_path: Path, header: str, row: str, bounds: list[str]
) -> None:
    volts = {"u": "V", "low": "4.95", "high": "5.05"}
    millivolts = {"u": "mV", "low": "4950", "high": "5050"}
    texts = [row.format(v=4.99, **volts), row.format(v=4993, **millivolts), row.format(v=5.0, **volts)]
    _, analysis = found(tmp_path, "\n".join([header, *texts]) + "\n")
    with analysis:
        table = analysis.table()
        assert table["Value"].to_list() == [4.99, 4.993, 5.0]
        assert [table[name].to_list() for name in bounds] == [[4.95] * 3, [5.05] * 3]


def test_what_a_wrong_label_says_of_the_bounds_too_goes_with_the_values(tmp_path: Path) -> None:
    values = "".join(
        f"VOUT,{v},4950,5050,5000,V,{result}\n" for v, result in [(4993, "PASS"), (4910, "FAIL"), (4995, "PASS")]
    )
    _, analysis = found(tmp_path, "Test,Value,Min,Max,Nominal,Unit,Result\n" + values, BOARD)
    with analysis:
        table = analysis.table()
        assert table["Value"].to_list() == [4.993, 4.91, 4.995]
        assert [table[name][0] for name in ("Min", "Max", "Nominal", "Unit")] == [4.95, 5.05, 5.0, "V"]
