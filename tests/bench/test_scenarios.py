"""The kinds of mislabel that benches produce, each from a file: read, guarded and written as a user would have it done.

The board is a converter with five rails (the widest voltage node is -15..30 V) and currents up to 3 A.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import bench
from guards import ColumnReport

BOARD = """
[board]
name = "five rails"
segments = ["fixture", "lot"]
[nodes.VIN]
quantity = "voltage"
absolute = ["-0.3 V", "30 V"]
expected = ["9 V", "28 V"]
[nodes.5V0]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
nominal = "5 V"
columns = ["CH1"]
[nodes.3V3]
quantity = "voltage"
nominal = "3.3 V"
[nodes.1V8]
quantity = "voltage"
nominal = "1.8 V"
[nodes.VNEG]
quantity = "voltage"
absolute = ["-15 V", "0.3 V"]
nominal = "-12 V"
[nodes.INPUT]
quantity = "current"
absolute = ["-3 A", "3 A"]
expected = ["0.1 A", "2 A"]
[nodes.SLEEP]
quantity = "current"
expected = ["5 uA", "500 uA"]
[nodes.R]
quantity = "resistance"
absolute = ["0 ohm", "2 Mohm"]
[nodes.T]
quantity = "temperature"
absolute = ["-40 degC", "125 degC"]
expected = ["15 degC", "110 degC"]
[nodes.RF]
quantity = "power level"
absolute = ["-90 dBm", "20 dBm"]
[nodes.POUT]
quantity = "power"
absolute = ["0 W", "50 W"]
expected = ["2 W", "5 W"]
columns = ["Pout (W)", "P (W)"]
[nodes.EFF]
quantity = "ratio"
absolute = ["0 %", "100 %"]
expected = ["70 %", "98 %"]
columns = ["efficiency (%)", "efficiency"]
"""

Analyse = Callable[..., bench.Analysis]


@pytest.fixture
def analyse(tmp_path: Path) -> Iterator[Analyse]:
    """Write an export (and the board, with more TOML behind it) and analyse it."""
    opened: list[bench.Analysis] = []

    def run(text: str, more: str = "", board: str = BOARD) -> bench.Analysis:
        export, profile = tmp_path / "export.csv", tmp_path / "profile.toml"
        export.write_text(text, encoding="utf-8")
        profile.write_text(board + more, encoding="utf-8")
        opened.append(bench.analyze(export, board=profile))
        return opened[-1]

    yield run
    for analysis in opened:
        analysis.close()


def table(**columns: Sequence[object]) -> str:
    """Return CSV text of columns; a comma in a cell is quoted."""
    lines = [",".join(columns)]
    lines += [
        ",".join(f'"{c}"' if "," in str(c) else str(c) for c in row) for row in zip(*columns.values(), strict=True)
    ]
    return "\n".join(lines) + "\n"


def ramp(start: float, stop: float, n: int = 40, digits: int = 6) -> list[float]:
    return [round(start + (stop - start) * i / (n - 1), digits) for i in range(n)]


def parts(analysis: bench.Analysis, name: str) -> list[ColumnReport]:
    return [c for table in analysis.guard.tables for c in table.columns if c.name == name]


def only(analysis: bench.Analysis, name: str) -> ColumnReport:
    (report,) = parts(analysis, name)
    return report


def values(analysis: bench.Analysis, name: str) -> list[float | None]:
    return list(analysis.table("export")[name].to_list())


N = 40
MACCOR = """Today's Date\t08/31/2026
Rec#\tCyc#\tTestTime\tmAmp-hr\tmAmps\tVolts\tState
"""
RATIO = '[nodes.GAIN]\nquantity = "ratio"\nabsolute = ["0 ratio", "1 ratio"]\ncolumns = ["gain"]\n'
SCOPE = """Model,MSO3012
Horizontal Units,s,
Sample Interval,4e-08,
Probe Attenuation,{attenuation},
Vertical Units,V,
Vertical Offset,0,
,,
TIME,CH1,CH2
"""


def scope(attenuation: int, low: float, high: float) -> str:
    """Return what a scope writes, with the probe that it was told of."""
    rows = "".join(f"{i * 4e-8:.4e},{value:.5f},{i / 2000:.5f}\n" for i, value in enumerate(ramp(low, high)))
    return SCOPE.format(attenuation=attenuation) + rows


# number and kind: (header, values as written, factor to the header's unit, unit that they are in)
CORRECTED: dict[str, tuple[str, list[float], str, str]] = {
    "1 millivolts under volts": ("volts", ramp(4987, 5013, 200), "e-3", "mV"),
    "10 a negative rail": ("V", ramp(-12031, -11960), "e-3", "mV"),
    "23 microvolts under volts": ("V", ramp(4_990_000, 5_010_000), "e-6", "uV"),
    "32 per cent under a ratio": ("gain", ramp(87, 93), "e-2", "%"),
}


@pytest.mark.parametrize("name", CORRECTED)
def test_corrected(analyse: Analyse, name: str) -> None:
    header, raw, power, unit = CORRECTED[name]
    analysis = analyse(table(**{header: raw}), RATIO)
    report = only(analysis, header)
    assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", unit, float("1" + power))
    assert values(analysis, header) == [float(f"{value}{power}") for value in raw]
    assert analysis.guard.outcome == "corrected"


LEFT: dict[str, dict[str, list[float]]] = {
    "5 a rail at its nominal": {"V": ramp(3.29, 3.31)},
    "8 zeros carry no scale": {"V": [0.0] * N},
    "18 amps that could be milliamps": {"A": ramp(0.41, 0.93)},
    "22 microvolts under their own header": {"uV": ramp(4_990_000, 5_010_000)},
    "28 a level in dBm": {"Pout (dBm)": ramp(-62, 14)},
    "31 line regulation in per cent": {"line regulation (%)": ramp(0.07, 0.93)},
    "37 a device hotter than its ambient": {"T (C)": ramp(68, 77), "chamber (C)": ramp(23.9, 24.1)},
    "43 a rail that is merely low": {"CH1": ramp(3.9, 4.1)},
}


@pytest.mark.parametrize("name", LEFT)
def test_left(analyse: Analyse, name: str) -> None:
    analysis = analyse(table(**LEFT[name]))
    for header, raw in LEFT[name].items():
        report = only(analysis, header)
        assert report.verdict in ("kept", "unverified"), report.reason
        assert (report.factor, report.offset) == (1.0, 0.0)
        assert values(analysis, header) == raw


# number and kind: (columns, the refused one, proposed unit and factor)
REFUSED: dict[str, tuple[dict[str, list[float]], str, tuple[str, float | None] | None]] = {
    "6 limits of no unit": ({"mV": ramp(4.98, 5.02), "LoLim": [4900] * N, "HiLim": [5100] * N}, "mV", ("V", 1e3)),
    "14 two scales and no label": ({"V": [5010, 5.01] * 20}, "V", None),
    "17 a locale's thousands mark": (
        {"A": [606, 606, 636, 645, 650, 655, 660, 664, 673, 0.62]}, "A", None,
    ),
    "29 negative watts": ({"Pout (W)": ramp(-62, 14)}, "Pout (W)", ("dBm", None)),
    "31 an efficiency as a fraction": ({"efficiency (%)": ramp(0.87, 0.93)}, "efficiency (%)", ("1", 100.0)),
    "34 limits of no unit in kilohm": (
        {"R (ohm)": ramp(4.98, 5.02), "LSL": [4750] * N, "USL": [5250] * N}, "R (ohm)", ("kohm", 1e3),
    ),
    "37 fahrenheit beside its thermostat": (
        {"T (C)": [round(x * 1.8 + 32, 2) for x in ramp(20.1, 24.9)], "thermostat (C)": ramp(20.1, 24.9)}, "T (C)",
        ("degF", 5 / 9),
    ),
    "38 kelvin": ({"T (C)": ramp(295, 298)}, "T (C)", ("K", 1.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(analyse: Analyse, name: str) -> None:
    columns, header, proposed = REFUSED[name]
    analysis = analyse(table(**columns))
    report = only(analysis, header)
    assert (report.verdict, report.factor, report.resolved_unit) == ("refused", None, None)
    assert (report.proposal and (report.proposal.unit, report.proposal.factor)) == proposed
    assert values(analysis, header) == [None] * len(columns[header])
    assert "withheld" in report.reason


def test_2_a_cycler_with_millivolts_under_volts_beside_milliamps(analyse: Analyse) -> None:
    rows = "".join(f"{i}\t0\t0d 00:{i:02}:00.00\t{i / 10}\t500.0\t{1800 + i % 5}\tC\n" for i in range(N))
    analysis = analyse(MACCOR + rows)
    report = only(analysis, "Volts")
    assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", "mV", 1e-3)
    assert only(analysis, "mAmps").verdict == "kept"


def test_3_one_overvoltage_in_1500_rows_is_the_finding(analyse: Analyse) -> None:
    analysis = analyse(table(V=[4.998] * 1499 + [45.0]))
    report = only(analysis, "V")
    assert (report.verdict, report.faults, analysis.guard.outcome) == ("kept", 1, "clean")
    assert max(x or 0 for x in values(analysis, "V")) == 45.0


def test_6_limits_whose_unit_the_profile_knows(analyse: Analyse) -> None:
    export = table(mV=ramp(4.98, 5.02), LoLim=[4900] * N, HiLim=[5100] * N)
    report = only(analyse(export, '[columns.mV]\nlimits_unit = "mV"\n'), "mV")
    assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", "V", 1e3)


def test_13_five_rows_under_a_units_row(analyse: Analyse) -> None:
    rows = "".join(f"SN{i},{3300 + i}\n" for i in range(1, 6))
    analysis = analyse("serial,V\nUnits,mV\n" + rows)
    report = only(analysis, "V")
    assert (report.verdict, report.rule, report.resolved_unit) == ("corrected", "b", "mV")
    assert values(analysis, "V") == [3.301, 3.302, 3.303, 3.304, 3.305]


@pytest.mark.parametrize("line", ["Voltage Units,mV", "Voltage unit: mV"])
def test_13_a_label_in_the_preamble_is_the_unit_of_a_header_without_one(analyse: Analyse, line: str) -> None:
    rows = "".join(f"SN{i},{3300 + i}\n" for i in range(1, 6))
    analysis = analyse(f"Operator: Ada\n{line}\n\nserial,Voltage\n{rows}")
    report = only(analysis, "Voltage")
    assert (report.verdict, report.declared_unit, report.unit) == ("kept", "mV", "mV")
    assert values(analysis, "Voltage")[0] == 3301.0


def test_15_a_unit_column_separates_the_scales_row_by_row(analyse: Analyse) -> None:
    analysis = analyse(table(V=[5010, 5.01] * 20, Unit=["mV", "V"] * 20))
    assert {(r.verdict, r.factor, r.rows) for r in parts(analysis, "V")} == {
        ("corrected", 1e-3, 20), ("kept", 1.0, 20),
    }  # fmt: skip
    assert values(analysis, "V") == [5.01] * N
    assert analysis.table("export")["Unit"].to_list() == ["V"] * N


def test_a_column_that_only_has_the_name_of_a_unit_column_labels_nothing(analyse: Analyse) -> None:
    analysis = analyse(table(unit=["U-17", "U-18"] * 20, V=ramp(4987, 5013)))
    assert only(analysis, "V").verdict == "corrected"


@pytest.mark.parametrize("cells", [["005.8", "00.01", "0.000"], ["002.8", "00.01", "0.000", "0.000"]])
def test_16_an_autoranging_log_that_lost_its_prefix(analyse: Analyse, cells: list[str]) -> None:
    report = only(analyse(table(A=cells * 5)), "A")
    assert (report.verdict, report.proposal) == ("refused", None)
    assert "autoranging meter" in report.reason


def test_16_a_changing_resolution_without_redundant_zeros_is_no_damage(analyse: Analyse) -> None:
    report = only(analyse(table(mA=["656.8", "650.2", "0.0488", "0.0502"] * 5)), "mA")
    assert "autoranging" not in report.reason
    assert report.verdict == "kept"


def test_17_the_damage_is_named(analyse: Analyse) -> None:
    report = only(analyse(table(A=[606, 606, 636, 645, 650, 655, 660, 664, 673, 0.62])), "A")
    assert "thousands mark" in report.reason


@pytest.mark.parametrize("power_is_known", [True, False])
def test_21_milliamps_that_power_and_voltage_call_amps(analyse: Analyse, power_is_known: bool) -> None:
    amps = ramp(0.41, 0.93)
    name = "P (W)" if power_is_known else "Pin [W]"
    export = table(mA=amps, **{name: [round(5 * x, 6) for x in amps]}, V=[5.0] * N)
    analysis = analyse(export) if power_is_known else analyse(export, board=BOARD.partition("[nodes.POUT]")[0])
    report = only(analysis, "mA")
    if power_is_known:
        assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", "A", 1e3)
    else:
        assert report.verdict == "refused"
        assert report.proposal is not None
        assert "power == voltage * current" in report.reason


def test_25_overflow_codes_are_no_readings(analyse: Analyse) -> None:
    analysis = analyse(table(V=[5.01] * 990 + ["9.9E+37"] * 10))
    report = only(analysis, "V")
    assert (report.verdict, report.sentinels, report.nulls) == ("kept", 10, 10)
    assert analysis.table("export")["V"].mean() == pytest.approx(5.01)


def test_27_text_for_no_reading_is_null_with_a_flag_and_its_row_stays(analyse: Analyse) -> None:
    analysis = analyse(table(V=[5.01] * 30 + ["OL", "----", "#N/A", "1.#INF"]))
    report = only(analysis, "V")
    assert (report.verdict, report.rows, report.sentinels, report.nulls) == ("kept", 34, 4, 4)
    assert values(analysis, "V")[30:] == [None] * 4
    assert analysis.guard.tables[0].rows_kept == 34


@pytest.mark.parametrize("header", ["I (A)", "CH1"])
def test_27_a_column_of_nothing_but_overloads_is_measured_and_empty(analyse: Analyse, header: str) -> None:
    analysis = analyse(table(**{"V": [5.0] * 5, header: ["OL", "----", "OL", "OL", "OL"]}))
    report = only(analysis, header)
    assert (report.role, report.verdict, report.sentinels, report.nulls) == ("measured", "unverified", 5, 5)
    assert values(analysis, header) == [None] * 5


def test_36_resistor_codes_and_a_lone_m(analyse: Analyse) -> None:
    analysis = analyse(table(R=["4k99", "0R1", "1M", "10M"]))
    assert values(analysis, "R") == [4990.0, 0.1, 1e6, 1e7]
    lone = analyse(table(**{"R (ohm)": ["100"] * 20 + ["1M"]}))
    report = only(lone, "R (ohm)")
    assert (report.verdict, report.nulls) == ("kept", 1)
    assert values(lone, "R (ohm)")[-2:] == [100.0, None]


def test_38_kelvin_where_the_engineer_allows_offsets(analyse: Analyse) -> None:
    report = only(analyse(table(**{"T (C)": ramp(295, 298)}), '[columns."T (C)"]\noffsets = true\n'), "T (C)")
    assert (report.verdict, report.factor, report.offset) == ("corrected", 1.0, -273.15)


def test_40_elapsed_milliseconds_under_seconds_beside_a_clock(analyse: Analyse) -> None:
    clock = [(datetime(2026, 8, 31) + timedelta(seconds=10 * i)).isoformat() for i in range(30)]
    analysis = analyse(table(**{"DateTime": clock, "t (s)": [10_000 * i for i in range(30)], "V": [5.0] * 30}))
    report = only(analysis, "t (s)")
    assert (report.verdict, report.resolved_unit, report.factor) == ("corrected", "ms", 1e-3)
    assert values(analysis, "t (s)")[:3] == [0.0, 10.0, 20.0]


@pytest.mark.parametrize("claimed", [True, False])
def test_43_a_scope_that_was_not_told_of_its_probe(analyse: Analyse, claimed: bool) -> None:
    board = BOARD if claimed else BOARD.replace('columns = ["CH1"]\n', "")
    report = only(analyse(scope(1, 0.49, 0.51), board=board), "CH1")
    assert (report.verdict, report.proposal and report.proposal.factor) == ("refused", 10.0)
    assert any(w.name == "probe attenuation" and w.candidate == "x10" and w.supports for w in report.witnesses)


def test_43_a_probe_that_the_scope_knew_of_is_no_reason(analyse: Analyse) -> None:
    report = only(analyse(scope(10, 4.9, 5.1)), "CH1")
    assert report.verdict == "kept"


SUFFIXED = ["4.99V", "4990mV", "5.01 V", "4995 mV"]


@pytest.mark.parametrize(("header", "expected"), [
    ("V", [4.99, 4.99, 5.01, 4.995]), ("vout", [4.99, 4.99, 5.01, 4.995]),
    ("vout_mv", [4990.0, 4990.0, 5010.0, 4995.0]),
])  # fmt: skip
def test_units_that_differ_from_cell_to_cell_become_one(analyse: Analyse, header: str, expected: list[float]) -> None:
    analysis = analyse(table(**{header: SUFFIXED}))
    assert values(analysis, header) == expected
    found = {r.declared_unit: (r.verdict, r.rows) for r in parts(analysis, header)}
    assert sorted(verdict for verdict, _ in found.values()) == ["corrected", "kept"]
    assert {r.unit for r in parts(analysis, header)} == {"mV" if header == "vout_mv" else "V"}


def test_cells_without_a_unit_among_cells_with_two_are_withheld(analyse: Analyse) -> None:
    analysis = analyse(table(vout=[*SUFFIXED, "5.00"]))
    refused = [r for r in parts(analysis, "vout") if r.verdict == "refused"]
    assert [r.rows for r in refused] == [1]
    assert "cells without a unit stand beside cells with one" in refused[0].reason
    assert values(analysis, "vout")[-1] is None


def test_a_typographic_minus_is_a_minus(analyse: Analyse) -> None:
    analysis = analyse(table(V=["\u221212.01", "\u221212.02", "\u221211.98"]))
    assert values(analysis, "V") == [-12.01, -12.02, -11.98]


def test_a_result_beside_several_measured_columns_is_said_to_be_nobodys(analyse: Analyse) -> None:
    columns = {"vout (V)": ramp(4.9, 5.1, 20), "iout (A)": ramp(0.4, 0.5, 20), "result": ["PASS"] * 20}
    (witness,) = [w for w in only(analyse(table(**columns)), "iout (A)").witnesses if w.name == "result column"]
    assert witness.supports is None
    assert "several measured columns" in witness.detail
