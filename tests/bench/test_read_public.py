"""Public exports against what a person read in them: names, units, rows, first and last values, decimal mark."""

from datetime import date, datetime
from pathlib import Path

import pytest

import bench
from bench.readers import read

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "public"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the public exports are not beside this repository")

# file: (columns, rows kept, rows quarantined, first data line, decimal mark)
SHAPES = {
    "bdf_slash_units.csv": (9, 399, 0, 2, "."),
    "current_3dec_source.csv": (3, 11, 0, 1, "."),
    "current_thousands_mangled_some_rows.tsv": (3, 10, 0, 1, ","),
    "fluke289_overload_sentinel.tsv": (11, 10, 0, 1, "."),
    "keithley_dmm6500_current_perrow_unit.csv": (19, 691, 0, 10, "."),
    "keysight_34972a_scan_vdc.csv": (6, 1499, 0, 2, "."),
    "maccor_aux_units_column_open_tc.txt": (61, 116, 0, 5, "."),
    "maccor_decimal_comma.txt": (28, 213, 1, 16, ","),  # line 15 is blank, line 229 is cut
    "maccor_s4000_mV_under_Volts.txt": (13, 1495, 0, 6, "."),
    "neware_flat.csv": (26, 399, 0, 2, "."),
    "owon_prefix_lost_after.txt": (4, 3, 0, 1, "."),
    "owon_prefix_lost_before.txt": (4, 3, 0, 1, "."),
    "pec_long_preamble.csv": (36, 19, 0, 47, "."),
    "rigol_ds1074z_start_increment.csv": (4, 1200, 0, 3, "."),
    "rigol_ds1102e_units_row.csv": (2, 600, 0, 3, "."),
    "rigol_ds2072a_mV_level_signal.csv": (2, 1400, 0, 3, "."),
    "rigolwfm_10x_probe_units_row.csv": (2, 4, 0, 3, "."),
    "rohde_rtp_headerless.csv": (1, 1500, 0, 1, "."),
    "semicolon_nan_inf.csv": (10, 60, 0, 21, "."),
    "semicolon_preamble_log.csv": (10, 380, 0, 21, "."),
    "tektronix_mso3012_head.csv": (3, 13, 0, 22, "."),
    "wats_long_format_per_row_unit.csv": (11, 2, 1, 2, "."),
}

# file: (column, position, its units row or preamble unit, first value, last value)
COLUMNS = [
    ("bdf_slash_units.csv", "Voltage / V", 3, None, "3.31121478737747", "3.32019036014186"),
    ("current_3dec_source.csv", "column_3", 3, None, "0.619", "0.598"),
    ("current_thousands_mangled_some_rows.tsv", "column_3", 3, None, "606", "598"),
    ("fluke289_overload_sentinel.tsv", "column_2", 2, None, "656.8", "9.99999999e+37"),
    ("keithley_dmm6500_current_perrow_unit.csv", "Reading", 2, None, "-1.375788873379e-10", "-1.367427154807e-10"),
    ("keithley_dmm6500_current_perrow_unit.csv", "Unit", 3, None, "Amp DC", "Amp DC"),
    ("keithley_dmm6500_current_perrow_unit.csv", "CH Label", 19, None, None, None),
    ("keysight_34972a_scan_vdc.csv", "Ch 102 (VDC)", 4, None, "4.998316", "4.998271"),
    ("maccor_aux_units_column_open_tc.txt", "Volts", 9, None, "3.46250", "3.08881"),
    ("maccor_aux_units_column_open_tc.txt", " Units_2", 18, None, " C  ", " C  "),
    ("maccor_decimal_comma.txt", "Voltage [V]", 10, None, "0,1377", "0,1490"),
    ("maccor_s4000_mV_under_Volts.txt", "Volts", 9, None, "1853.8186", "3799.9542"),
    ("neware_flat.csv", "Voltage(V)", 8, None, "2.9170", "2.9495"),
    ("owon_prefix_lost_after.txt", "column_4", 4, None, "µA", "A"),
    ("owon_prefix_lost_before.txt", "column_2", 2, None, "005.8", "0.000"),
    ("pec_long_preamble.csv", "Voltage (V)", 17, None, "3.5690308", "3.568858"),
    ("pec_long_preamble.csv", "Station Temperature (°C)", 36, None, None, None),
    ("rigol_ds1074z_start_increment.csv", "CH1", 2, "Volt", "0.00e+00", "5.80e-02"),
    ("rigol_ds1102e_units_row.csv", "X", 1, "Second", "-5.9999998e-06", None),
    ("rigol_ds2072a_mV_level_signal.csv", "CH2", 2, "Volt", "1.600000e-02", None),
    ("rigolwfm_10x_probe_units_row.csv", "CH 1", 2, "V", "2.88", "2.88"),
    ("rohde_rtp_headerless.csv", "column_1", 1, None, "-0.031620555", "1.0434783"),
    ("semicolon_nan_inf.csv", "voltage", 8, None, "1.14", "1.54"),
    ("semicolon_preamble_log.csv", "voltage", 8, None, None, "3.30"),
    ("tektronix_mso3012_head.csv", "TIME", 1, "s", "-2.0000e-04", "-1.9952e-04"),
    ("tektronix_mso3012_head.csv", "CH1", 2, "V", "-0.00190625", "-0.00096875"),
    ("tektronix_mso3012_head.csv", "CH2", 3, None, "0.00609375", "-0.0221875"),
    ("wats_long_format_per_row_unit.csv", "Value", 7, None, "5.02", None),
]

METADATA = [
    ("keithley_dmm6500_current_perrow_unit.csv", "Base Time", "05/26/2023 16:20:00.645358344"),
    ("maccor_aux_units_column_open_tc.txt", "Tester Channel", "1"),
    ("maccor_decimal_comma.txt", "Ch. max. V", "6,00 V"),
    ("maccor_s4000_mV_under_Volts.txt", "Date of Test", "08/23/2021 6:04:18 PM"),
    ("pec_long_preamble.csv", "TestRegime CellSize", "1500 mAh"),
    ("pec_long_preamble.csv", "Test Description", ""),
    ("rigol_ds1074z_start_increment.csv", "Increment", "2.000000e-05"),
    ("semicolon_nan_inf.csv", "mass", "0.0012"),
    ("tektronix_mso3012_head.csv", "Probe Attenuation", "1"),
]


@pytest.mark.parametrize("file", SHAPES)
def test_shape(file: str) -> None:
    columns, kept, quarantined, first_line, decimal = SHAPES[file]
    export = read(FOLDER / file)
    table = export.tables[0]
    frame = table.frame.collect()
    assert (len(table.columns), frame.height, table.quarantine.height) == (columns, kept, quarantined)
    assert table.rows_read == kept + quarantined
    assert frame.get_column("_line")[0] == first_line
    assert table.decimal == decimal
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert sum(lines.values()) == len((FOLDER / file).read_bytes().splitlines())


@pytest.mark.parametrize(("file", "name", "position", "unit", "first", "last"), COLUMNS)
def test_column(file: str, name: str, position: int, unit: str | None, first: str | None, last: str | None) -> None:
    table = read(FOLDER / file).tables[0]
    column = table.columns[position - 1]
    assert column.name == name
    assert (column.units_row or column.preamble) == unit
    values = table.frame.select(name).collect().get_column(name)
    if first is not None:
        assert values[0] == first
    if last is not None:
        assert values[-1] == last


@pytest.mark.parametrize(("file", "key", "value"), METADATA)
def test_metadata(file: str, key: str, value: str) -> None:
    assert read(FOLDER / file).metadata[key] == value


def test_the_row_with_one_field_too_many_is_quarantined_whole() -> None:
    row = read(FOLDER / "wats_long_format_per_row_unit.csv").tables[0].quarantine.row(0, named=True)
    assert row == {
        "_row": 3, "_line": 4, "reason": "12 fields where the table has 11",
        "text": "SN12345,PN-001,2026-02-03 14:30:00,ICT,Firmware Version,StringValue,v2.1.5,,,,,PASS",
    }  # fmt: skip


AS_TIME = [
    ("keithley_dmm6500_current_perrow_unit.csv", "Date", date(2023, 5, 26)),
    ("keithley_dmm6500_current_perrow_unit.csv", "Time", datetime(2023, 5, 26, 16, 20, 0, 665_533)),
    ("maccor_aux_units_column_open_tc.txt", "TestTime", 5.0),
    ("maccor_s4000_mV_under_Volts.txt", "StepTime", 60.0),
    ("maccor_s4000_mV_under_Volts.txt", "DPt Time", datetime(2021, 8, 23, 18, 5, 18)),
    ("neware_flat.csv", "Cumulative Time", 60.0),
    ("neware_flat.csv", "Date", datetime(2022, 5, 18, 16, 28, 52)),
    ("pec_long_preamble.csv", "Total Time (Hours in hh:mm:ss.xxx)", 1.0),
    ("pec_long_preamble.csv", "Real Time", "01/06/2026 17:51:07"),
]


@pytest.mark.parametrize(("file", "name", "second"), AS_TIME)
def test_dates_times_and_durations_of_the_second_row(file: str, name: str, second: object) -> None:
    with bench.analyze(FOLDER / file) as analysis:
        assert analysis.table().get_column(name)[1] == second


REFUSED_WITHOUT_A_BOARD = {
    "current_thousands_mangled_some_rows.tsv": ("column_3", "a locale's thousands mark ate the decimal point"),
    "maccor_s4000_mV_under_Volts.txt": ("Volts", "Proposal: the values are mV."),
    "owon_prefix_lost_before.txt": ("column_2", "an autoranging meter whose prefix was lost row by row"),
}


@pytest.mark.parametrize("file", SHAPES)
def test_without_a_board_only_what_is_damaged_is_refused_and_nothing_is_rescaled(file: str) -> None:
    with bench.analyze(FOLDER / file) as analysis:
        columns = [column for table in analysis.table_reports for column in table.columns]
    found = {column.name: column.reason for column in columns if column.verdict == "refused"}
    assert not [column.name for column in columns if column.verdict == "corrected"]
    name, reason = REFUSED_WITHOUT_A_BOARD.get(file, (None, ""))
    assert set(found) == ({name} if name else set())
    assert reason in found.get(name or "", "")
