"""Tables by which somebody with fresh eyes got a wrong unit, or a true column refused; each must stay settled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

import bench
from bench.outputs import write_table
from guards.headers import header_unit
from guards.spelling import unread_unit
from guards.units import find_unit

BOARD = """
[board]
name = "T"
segments = ["fixture"]

[nodes.VOUT]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
expected = ["4.9 V", "5.1 V"]
limits = ["4.95 V", "5.05 V"]
columns = ["vout_v", "Vout"]
measurements = ["VOUT"]

[nodes.IOUT]
quantity = "current"
absolute = ["-0.1 A", "8 A"]
expected = ["0 A", "3.1 A"]
columns = [{currents}]
measurements = ["IOUT"]
"""
SENSOR = """
[board]
name = "T"

[nodes.VS]
quantity = "voltage"
absolute = ["-1 V", "12 V"]
expected = ["1 mV", "10 V"]
columns = ["sens_v"]

[nodes.ILEAK]
quantity = "current"
absolute = ["-1 uA", "10 mA"]
expected = ["1 pA", "500 nA"]
limits = ["", "1 uA"]
columns = ["ileak_na", "ILEAK"]

[nodes.R]
quantity = "resistance"
absolute = ["0 ohm", "100 Mohm"]
expected = ["1 kohm", "100 kohm"]
columns = ["R (ohm)"]

[nodes.TSTART]
quantity = "time"
absolute = ["0 s", "2 s"]
expected = ["1 ms", "20 ms"]
columns = ["tstart_ms"]

[nodes.TCASE]
quantity = "temperature"
absolute = ["-40 degC", "150 degC"]
expected = ["15 degC", "110 degC"]
columns = ["tcase_c"]
"""
LONG = "serial,measurement,value,unit,lower_limit,upper_limit,result\n"
MILLIAMPERES = ("0.81", "1.22", "2.05", "1.94")


@dataclass(frozen=True)
class Said:
    """What the guard answers about a column, or one measurement or segment of it."""

    verdict: str
    reason: str
    factor: float | None = 1.0


def judged(tmp_path: Path, text: str, board: str) -> dict[str, Said]:
    export, profile = tmp_path / "x.csv", tmp_path / "board.toml"
    export.write_text(text, encoding="utf-8")
    profile.write_text(board)
    with bench.analyze(export, board=profile) as analysis:
        (table,) = analysis.guard.tables
        return {
            each.measurement or "".join((each.segment or {}).values()) or each.name: Said(
                each.verdict, each.reason, each.factor
            )
            for each in table.columns
            if each.role == "measured" or each.verdict != "kept"
        }


def column(header: str, cells: list[str]) -> str:
    return f"serial,{header}\n" + "".join(f"S{n},{cell}\n" for n, cell in enumerate(cells))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            column("sens_v", "2.1 3.4 5.5 6.1 7.2 4.4 8.8 9.1 13.2 14.1".split()),
            "2 of 10 are above 12 V of VS as V; 8 of 10 lie in the expected range as V, too",
        ),
        (
            "serial,ileak_na,result\n"
            + "".join(f"S{n},{n + 3.2},PASS\n" for n in range(8))
            + "S8,25000000,FAIL\nS9,31000000,FAIL\n",
            "8 of 10 lie in the expected range as nA, too",
        ),
    ],
)
def test_a_wide_range_that_a_few_leave_is_no_other_unit(tmp_path: Path, text: str, said: str) -> None:
    (found,) = judged(tmp_path, text, SENSOR).values()
    assert (found.verdict, found.factor) == ("refused", None)
    assert said in found.reason


def test_a_fixture_a_little_out_of_range_is_no_other_unit(tmp_path: Path) -> None:
    cells = ["2.1", "3.4", "5.5", "6.1", "7.2", "13.2", "14.1", "12.9", "13.9"]
    rows = "".join(f"S{n},FX{1 + (n > 4)},{cell}\n" for n, cell in enumerate(cells))
    board = SENSOR.replace('name = "T"', 'name = "T"\nsegments = ["fixture"]')
    found = judged(tmp_path, "serial,fixture,sens_v\n" + rows, board)
    assert {name: each.verdict for name, each in found.items()} == {"FX1": "kept", "FX2": "refused"}
    assert "a real fault of the board could be as large" in found["FX2"].reason


def test_names_that_the_board_leaves_out_are_not_brought_into_its_ranges(tmp_path: Path) -> None:
    rows = [
        f"S{n},VOUT,5.0{n}1,V,4.9,5.1,PASS\nS{n},RISO,{7000 + n * 300},Mohm,100,,PASS\nS{n},TIME,{12 + n}.5,s,,,PASS\n"
        for n in range(5)
    ]
    board = BOARD + '[nodes.ROUT]\nquantity = "resistance"\nabsolute = ["0 ohm", "1 Mohm"]\n'
    board += 'expected = ["500 ohm", "10 kohm"]\nmeasurements = ["ROUT"]\n'
    board += '[nodes.TPD]\nquantity = "time"\nabsolute = ["0 s", "1 ms"]\nexpected = ["5 ns", "60 ns"]\n'
    found = judged(tmp_path, LONG + "".join(rows), board.format(currents='"iout_a"'))
    assert found["VOUT"].verdict == "kept"
    assert found["RISO"].verdict == "refused"
    assert "the board names others here, and nothing by this name" in found["RISO"].reason
    assert "Proposal: the values are ohm" in found["RISO"].reason
    assert found["TIME"].verdict == "unverified"


@pytest.mark.parametrize(
    "header",
    [
        "Iout (mA) @ 25C", "Iout (mA) mean", "Iout (mA) CH1", "Iout (mA avg)", "Iout [mA, DC]", "Iout mA max",
        "Iout_mA_avg", "Iout <mA>", "mA Iout", "Iout - mA", "I_out.mA", "Iout(mA)[DUT1]", "IOUT_MA",
    ],
)  # fmt: skip
def test_a_unit_anywhere_in_a_header_is_read(tmp_path: Path, header: str) -> None:
    quoted = f'"{header}"' if "," in header else header
    board = BOARD.format(currents=f'"{header}"')
    (found,) = judged(tmp_path, column(quoted, list(MILLIAMPERES)), board).values()
    assert found.verdict == "kept"
    assert found.reason.startswith("header says mA; 4 of 4 lie in the expected range")


@pytest.mark.parametrize("header", ["Iout (MA)", "Iout_MA", "Iout milli-amps", "Iout m A", "Iout UA"])
def test_a_unit_that_is_not_understood_is_not_taken_for_the_board_s(tmp_path: Path, header: str) -> None:
    (found,) = judged(tmp_path, column(header, list(MILLIAMPERES)), BOARD.format(currents=f'"{header}"')).values()
    assert found.verdict == "refused"
    assert "which is no unit the guard knows. The values are withheld" in found.reason


def test_what_stands_behind_a_number_is_no_unit(tmp_path: Path) -> None:
    board = BOARD.format(currents='"iout_a"').replace('"Vout"', '"Vout at 500 mA"')
    (found,) = judged(tmp_path, column("Vout at 500 mA", ["5.001", "4.998", "5.003"]), board).values()
    assert found.verdict == "kept"
    assert found.reason.startswith("no unit in the file, taken as the board's V")


@pytest.mark.parametrize("unit", ["(mA)", "[mA]", "mA avg", "mA DC rms"])
def test_a_unit_cell_is_read_as_it_is_written(tmp_path: Path, unit: str) -> None:
    rows = [f"S{n},VOUT,5.0{n},V,,,PASS\nS{n},IOUT,{cell},{unit},,,PASS\n" for n, cell in enumerate(MILLIAMPERES)]
    found = judged(tmp_path, LONG + "".join(rows), BOARD.format(currents='"iout_a"'))
    assert found["IOUT"].verdict == "kept"
    assert found["IOUT"].reason.startswith("unit column says mA; 4 of 4")


@pytest.mark.parametrize("unit", ["ma", "m A", "milli-amps", "MA", "na"])
def test_a_unit_cell_that_is_not_understood_refuses_its_rows(tmp_path: Path, unit: str) -> None:
    rows = [f"S{n},VOUT,5.0{n},V,,,PASS\nS{n},IOUT,{cell},{unit},,,PASS\n" for n, cell in enumerate(MILLIAMPERES)]
    found = judged(tmp_path, LONG + "".join(rows), BOARD.format(currents='"iout_a"'))
    assert found["VOUT"].verdict == "kept"
    assert found["IOUT"].verdict == "refused"
    assert f"the unit column says {unit!r}, which is no unit the guard knows" in found["IOUT"].reason


@pytest.mark.parametrize("cells", [["4.7K", "10K", "47K", "22K"], ["4.7k", "10k", "47k", "22k"]])
def test_a_letter_behind_a_number_multiplies(tmp_path: Path, cells: list[str]) -> None:
    export, board = tmp_path / "x.csv", tmp_path / "board.toml"
    export.write_text(column("R (ohm)", cells))
    board.write_text(SENSOR)
    with bench.analyze(export, board=board) as analysis:
        assert analysis.guard.outcome in ("clean", "corrected")
        assert analysis.table()["R (ohm)"].to_list() == [4700, 10000, 47000, 22000]


def test_a_letter_that_multiplies_a_prefix_is_refused(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, column("ileak_na", ["4.7m", "10m", "47m"]), SENSOR).values()
    assert found.verdict == "refused"
    assert "the cells say m, and the column is in nA: nothing tells what that means" in found.reason


def test_one_cell_with_a_unit_speaks_for_itself_alone(tmp_path: Path) -> None:
    text = column("vout_v", [f"5.0{n:02d}" for n in range(30)] + ["4990 mV"])
    export, board = tmp_path / "x.csv", tmp_path / "board.toml"
    export.write_text(text)
    board.write_text(BOARD.format(currents='"iout_a"'))
    with bench.analyze(export, board=board) as analysis:
        assert analysis.guard.outcome == "corrected"
        assert analysis.table()["vout_v"].to_list() == [float(f"5.0{n:02d}") for n in range(30)] + [4.99]


def test_readings_of_a_meter_that_changes_its_range_stay(tmp_path: Path) -> None:
    export, board = tmp_path / "x.csv", tmp_path / "board.toml"
    export.write_text(column("ILEAK", ["3.2 nA", "45 nA", "120 nA", "8 nA", "1.2 uA", "2.5 uA", "3.1 uA"]))
    board.write_text(SENSOR)
    with bench.analyze(export, board=board) as analysis:
        assert analysis.guard.outcome != "refused"
        assert analysis.table()["ILEAK"].to_list() == [0.0032, 0.045, 0.12, 0.008, 1.2, 2.5, 3.1]


def test_words_among_the_values_do_not_hide_the_readings(tmp_path: Path) -> None:
    rows = [f"S{n},VOUT,{4990 + n * 4}.5,V,4.95,5.05,PASS\nS{n},LED,green,,,,PASS\n" for n in range(6)]
    found = judged(tmp_path, LONG + "".join(rows), BOARD.format(currents='"iout_a"'))
    assert (found["VOUT"].verdict, found["VOUT"].factor) == ("corrected", 0.001)
    assert "6 of 6 cells could not be read as numbers and are null" in found["LED"].reason


def test_a_value_column_of_words_with_some_numbers_is_not_clean(tmp_path: Path) -> None:
    rows = [f"S{n},VOUT,4990,V,,,PASS\nS{n},LED,green,,,,PASS\nS{n},FW,v1.2,,,,PASS\n" for n in range(3)]
    found = judged(tmp_path, LONG + "".join(rows), BOARD.format(currents='"iout_a"'))
    assert found["value"].verdict == "unverified"
    assert found["value"].reason == "its cells are text, not numbers; 3 of 9 cells are numbers."


def test_a_clock_outranks_the_board_s_times(tmp_path: Path) -> None:
    rows = "".join(f"2026-10-05T08:{n * 5:02d}:00,{n * 5},{40 + n}\n" for n in range(12))
    found = judged(tmp_path, "timestamp,elapsed_min,tcase_c\n" + rows, SENSOR)
    assert {each.verdict for each in found.values()} == {"kept"}
    rows = "".join(f"2026-10-05T08:{n * 5:02d}:00,{n * 300_000},{40 + n}\n" for n in range(12))
    wrong = judged(tmp_path, "timestamp,elapsed_s,tcase_c\n" + rows, SENSOR)
    assert (wrong["elapsed_s"].verdict, wrong["elapsed_s"].factor) == ("corrected", 0.001)


def test_a_rise_in_kelvin_is_no_temperature(tmp_path: Path) -> None:
    text = "serial,tcase_c,Trise (K)\n" + "".join(f"S{n},6{n}.0,3{n}.0\n" for n in range(8))
    found = judged(tmp_path, text, SENSOR)
    assert (found["tcase_c"].verdict, found["Trise (K)"].verdict) == ("kept", "unverified")


def test_boards_that_fail_for_another_reason_prove_no_unit(tmp_path: Path) -> None:
    text = "serial,vout_v,result\n" + "".join(f"S{n},5.00{n},FAIL\n" for n in range(8))
    (found,) = judged(tmp_path, text, BOARD.format(currents='"iout_a"')).values()
    assert found.verdict == "kept"


def test_a_fixture_of_few_rows_is_withheld_alone(tmp_path: Path) -> None:
    text = "serial,fixture,vout_v\n" + "".join(f"S{n},FX{1 + n % 2},5.0{n}1\n" for n in range(9))
    found = judged(tmp_path, text + "S20,FX3,4998.2\nS21,FX3,5003.2\n", BOARD.format(currents='"iout_a"'))
    assert {name: each.verdict for name, each in found.items()} == {"FX1": "kept", "FX2": "kept", "FX3": "refused"}
    assert "Proposal: the values are mV" in found["FX3"].reason


def table(tmp_path: Path, text: str, board: str | None) -> pl.DataFrame:
    """Return the corrected table."""
    export, profile = tmp_path / "x.csv", tmp_path / "board.toml"
    export.write_text(text, encoding="utf-8")
    if board is not None:
        profile.write_text(board)
    with bench.analyze(export, board=profile if board is not None else None) as analysis:
        return analysis.table()


@pytest.mark.parametrize(
    ("header", "cells", "base"),
    [
        ("R (ohm)", ["4.7k", "10 kohm", "22k"], [4700, 10000, 22000]),
        ("R (ohm)", ["4k7", "10 kohm", "22k", "470"], [4700, 10000, 22000, 470]),
        ("Resistance", ["4.7k", "10k", "2.2 Mohm"], [4700, 10000, 2_200_000]),
        ("f (Hz)", ["100k", "200k", "1 MHz"], [100e3, 200e3, 1e6]),
        ("t1 (C)", ["25 C", "26 C", "300 K"], [25, 26, 26.85]),
    ],
)
def test_a_letter_counts_once(tmp_path: Path, header: str, cells: list[str], base: list[float]) -> None:
    assert table(tmp_path, column(header, cells), None)[header].to_list() == base


@pytest.mark.parametrize("blank", [True, False])
def test_cells_of_a_long_table_carry_the_unit_of_each_measurement(tmp_path: Path, blank: bool) -> None:
    unit = ",{unit}" if blank else ""
    rows = [
        f"S{n},VOUT,5.0{n}{unit.format(unit='V') or ' V'}\nS{n},IOUT,0.8{n} mA{unit.format(unit='')}\n"
        for n in range(4)
    ]
    header = "serial,measurement,value" + (",unit" if blank else "") + "\n"
    board = BOARD.format(currents='"iout_a"')
    found = judged(tmp_path, header + "".join(rows), board)
    assert {name: each.verdict for name, each in found.items()} == {"VOUT": "kept", "IOUT": "kept"}
    assert found["IOUT"].reason.startswith("cells say mA")
    wrong = judged(tmp_path, "serial,measurement,value,unit\nS0,VOUT,5.0,V\nS0,IOUT,0.8mA,A\n", board)
    assert wrong["IOUT"].reason.startswith("the cells say 'mA beside A', which is no unit the guard knows")


def test_what_is_not_judged_keeps_the_units_in_its_cells(tmp_path: Path) -> None:
    text = "serial,t_on (s),elapsed,LowLimit,soak (s)\nS1,12ms,10s,4900mV,5 s\nS2,450us,1min,4900mV,6 s\n"
    found = table(tmp_path, text, None)
    assert found["t_on (s)"].to_list() == ["12ms", "450us"]
    assert found["elapsed"].to_list() == ["10s", "1min"]
    assert found["LowLimit"].to_list() == ["4900mV", "4900mV"]
    assert found["soak (s)"].to_list() == [5, 6]


@pytest.mark.parametrize(
    ("header", "unit", "node"),
    [
        ("Ripple Vpp", "V", "mV"), ("ripple_vpp", "V", "mV"), ("Ripple (Vp-p)", "V", "mV"), ("Ripple Volts", "V", "mV"),
        ("Iq Amps", "A", "uA"), ("Iout mArms", "mA", "A"), ("iout_marms", "mA", "A"), ("Tcase °F", "degF", "degC"),
        ("Tcase Fahrenheit", "degF", "degC"), ("L nH", "nH", "uH"), ("startup usec", "us", "ms"),
        ("Rds(on) mΩ", "mohm", "ohm"),        ("Line reg ppm", "ppm", "%"), ("line_reg fraction", "1", "%"),
    ],
)  # fmt: skip
def test_a_unit_as_a_word_of_the_header_is_read(header: str, unit: str, node: str) -> None:
    parsed = header_unit(header)
    assert parsed is not None
    assert parsed[2].symbol == unit
    assert parsed[2] != find_unit(node)


@pytest.mark.parametrize(
    ("header", "node", "seen"),
    [
        ("Ripple V", "mV", "V"), ("Iq A", "uA", "A"), ("IoutmA", "A", "mA"), ("Iout m.A.", "A", "m.A"),
        ("Iout (A/1000)", "A", "/1000"), ("Iout (1e-3 A)", "A", "1e-3"), ("Iout x1000", "A", "x1000"),
        ("Tcase F", "degC", "F"), ("TCASE K", "degC", "K"), ("Ripple volt", "mV", "volt"), ("Iq A rms", "uA", "A"),
        ("Iq Amp DC", "uA", "Amp"), ("ioutma", "A", "ma"), ("Run (min)", "s", "min"),
    ],
)  # fmt: skip
def test_what_looks_like_a_unit_is_seen(header: str, node: str, seen: str) -> None:
    own = find_unit(node)
    assert own is not None
    assert header_unit(header) is None
    assert unread_unit(header, own) == seen


@pytest.mark.parametrize("header", ["V_min", "Amp gain", "T_amb", "Vout at 10k load", "turns ratio"])
def test_words_of_other_meanings_are_no_units(header: str) -> None:
    assert header_unit(header) is None


def test_a_cell_s_own_unit_outranks_the_profile(tmp_path: Path) -> None:
    board = BOARD.format(currents='"iout_a"') + '[columns.iout_a]\nunit = "A"\n'
    assert table(tmp_path, column("iout_a", ["0.81", "950mA", "0.5mA"]), board)["iout_a"].to_list() == [
        0.81,
        0.95,
        5e-4,
    ]


def test_a_remark_behind_a_number_is_no_unit(tmp_path: Path) -> None:
    cells = ["5.01", "4.89 F", "5.02", "5.00", "4.99 m", "4.98 K", "5.03"]
    found = judged(tmp_path, column("vout_v", cells), BOARD.format(currents='"iout_a"'))
    assert found["vout_v"].verdict == "kept"
    assert "3 of 7 cells could not be read as numbers and are null" in found["vout_v"].reason
    (every,) = judged(tmp_path, column("vout_v", ["5.01 F", "4.9 F"]), BOARD.format(currents='"iout_a"')).values()
    assert every.verdict == "refused"
    assert "the header says V, the cells say F: no value is both" in every.reason


QUIESCENT = """
[board]
name = "T"

[nodes.IQ]
quantity = "current"
absolute = ["-1 mA", "10 mA"]
expected = ["5 uA", "500 uA"]
limits = ["", "500 uA"]
columns = ["iq_a", "iq_ua"]
"""


def test_a_failed_population_is_not_made_good(tmp_path: Path) -> None:
    rows = "".join(f"S{n},{cell},FAIL\n" for n, cell in enumerate((0.211, 0.352, 0.284, 0.265)))
    (found,) = judged(tmp_path, "serial,iq_a,result\n" + rows, QUIESCENT).values()
    assert (found.verdict, found.factor) == ("refused", None)


def test_a_short_to_another_rail_is_no_other_unit(tmp_path: Path) -> None:
    board = '[board]\nname = "T"\n[nodes.SHUNT]\nquantity = "voltage"\nabsolute = ["-80 mV", "80 mV"]\n'
    board += 'expected = ["10 mV", "60 mV"]\ncolumns = ["vshunt_v"]\n[nodes.VIN]\nquantity = "voltage"\n'
    board += 'absolute = ["-0.3 V", "40 V"]\nexpected = ["9 V", "36 V"]\ncolumns = ["vin_v"]\n'
    (found,) = judged(tmp_path, column("vshunt_v", ["12.01", "11.98", "12.04"]), board).values()
    assert found.verdict == "refused"
    assert "a real fault of the board could be as large" in found.reason


def test_few_rows_in_range_prove_no_unit(tmp_path: Path) -> None:
    cells = [str(40 + 2 * n) for n in range(20)] + ["4950", "5000", "5050"]
    (found,) = judged(tmp_path, column("vout_v", cells), BOARD.format(currents='"iout_a"')).values()
    assert found.verdict == "refused"


@pytest.mark.parametrize("passed", [0, 1, 2])
def test_what_failed_elsewhere_and_few_that_passed_prove_no_unit(tmp_path: Path, passed: int) -> None:
    rows = "".join(f"S{n},{4 + n / 5},{'PASS' if n < passed else 'FAIL'}\n" for n in range(21))
    board = QUIESCENT.replace('"500 uA"]\nlimits', '"10 mA"]\nlimits').replace('["", "500 uA"]', '["", "100 uA"]')
    (found,) = judged(
        tmp_path, "serial,iq_ua,result\n" + rows, board.replace('"10 mA"]\nexp', '"0.1 A"]\nexp')
    ).values()
    assert found.verdict == "kept"


def test_two_labels_and_a_fault_between_them_are_refused(tmp_path: Path) -> None:
    text = "serial,vout_v\n,mV\nS1,12.1\nS2,11.9\nS3,12.0\n"
    (found,) = judged(tmp_path, text, BOARD.format(currents='"iout_a"')).values()
    assert found.verdict == "refused"
    assert "a fault of the board could be as large as either" in found.reason


def test_small_values_under_a_name_that_the_board_leaves_out_stay(tmp_path: Path) -> None:
    board = '[board]\nname = "T"\n[nodes.VIN]\nquantity = "voltage"\nabsolute = ["-0.3 V", "40 V"]\n'
    board += 'expected = ["9 V", "36 V"]\ncolumns = ["vin_v"]\n'
    rows = "".join(f"12.{n},{10 + n}\n" for n in range(9))
    found = judged(tmp_path, "vin_v,ripple (mV)\n" + rows, board)
    assert found["ripple (mV)"].verdict == "kept"


def test_an_engineer_settles_a_name_that_the_board_leaves_out(tmp_path: Path) -> None:
    ratio = '[nodes.EFF]\nquantity = "ratio"\nabsolute = ["0 ratio", "1 ratio"]\nexpected = ["0.7 ratio", "1 ratio"]\n'
    board = BOARD.format(currents='"iout_a"') + ratio
    text = "vout_v,Load (%)\n" + "".join(f"5.0{n},{120 + n}\n" for n in range(9))
    assert judged(tmp_path, text, board)["Load (%)"].verdict == "refused"
    settled = judged(tmp_path, text, board + '[columns."Load (%)"]\nunit = "%"\n')
    assert settled["Load (%)"].verdict == "kept"


def test_a_node_that_says_nothing_of_where_it_is_may_explain_the_values(tmp_path: Path) -> None:
    board = BOARD.format(currents='"iout_a"') + '[nodes.VIN]\nquantity = "voltage"\nabsolute = ["-0.3 V", "40 V"]\n'
    (found,) = judged(tmp_path, column("vin (V)", ["11.4", "17.6", "24.0"]), board).values()
    assert found.verdict == "kept"


WRITTEN = (
    BOARD
    + """
[nodes.EFF]
quantity = "ratio"
absolute = ["0 %", "100 %"]
expected = ["70 %", "98 %"]
columns = ["efficiency_ratio"]
"""
)


@pytest.mark.parametrize(
    ("head", "row", "outcomes", "units_row"),
    [
        ("serial,efficiency_ratio,vout_v", "S{n},0.8{n},5.0{n}", ("clean", "clean"), ",fraction,V"),
        ("serial,efficiency_ratio,vout_v", "S{n},8{n},5.0{n}", ("corrected", "clean"), ",fraction,V"),
        ("serial,duty_ratio", "S{n},0.8{n}", ("clean", "clean"), ",fraction"),
        ("serial,measurement,value,unit", "S{n},VOUT,5.0{n},V\nS{n},IOUT,1.{n},A", ("clean", "clean"), None),
        ("serial,measurement,value,unit", "S{n},VOUT,500{n},V\nS{n},IOUT,1.{n},A", ("corrected", "clean"), None),
        ("serial,vout_v,iout_a", "S{n},5{n}.3,1.{n}", ("refused", "unverified"), ",,A"),
        ("serial,vout_v", "S{n},5{n}.3", ("refused", "unverified"), None),
        ("serial,note", "S{n},seen{n}", ("clean", "clean"), None),
        ("serial,shock (g_0)", "S{n},1.{n}", ("unverified", "unverified"), ",g_0"),
    ],
)
def test_a_written_table_is_read_back_as_it_is(
    tmp_path: Path, head: str, row: str, outcomes: tuple[str, str], units_row: str | None
) -> None:
    export, board, written = tmp_path / "x.csv", tmp_path / "board.toml", tmp_path / "out.csv"
    export.write_text(head + "\n" + "".join(row.format(n=n) + "\n" for n in range(8)))
    board.write_text(WRITTEN.format(currents='"iout_a"'))
    with bench.analyze(export, board=board) as first:
        write_table(first, written)
        table, outcome, units = first.table(), first.guard.outcome, first.units(first.tables[0])
    lines = written.read_text().splitlines()
    assert (lines[1] == units_row) if units_row else (len(lines) == 1 + table.height)
    with bench.analyze(written, board=board) as again:
        assert (outcome, again.guard.outcome) == outcomes
        assert again.units(again.tables[0]) == units
        found = again.table()
    assert found.height == table.height
    assert [tuple(cell or None for cell in line) for line in found.rows()] == table.rows()


def test_a_value_that_was_cleared_keeps_its_row_in_a_table_of_one_column(tmp_path: Path) -> None:
    export, written = tmp_path / "x.csv", tmp_path / "out.csv"
    export.write_text("vout_v\n5.01\n9.91E37\n5.02\n")
    with bench.analyze(export) as first:
        write_table(first, written)
    with bench.analyze(written) as again:
        assert again.table()["vout_v"].to_list() == [5.01, None, 5.02]
