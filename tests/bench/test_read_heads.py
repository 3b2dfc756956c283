"""Heads of instruments and test executives that were once read wrong, each with what a person reads in it."""

from pathlib import Path

import pytest

from bench.errors import ExportError
from bench.readers import read


def rows(form: str, count: int = 12) -> str:
    return "".join(form.format(i=i, j=i + 1, t=i * 1e-6, v=4.9 + i / 1000, w=i / 100) for i in range(count))


# name: (text, columns, units by column, data line, rows, some metadata)
Case = tuple[str, list[str], dict[str, str], int, int, dict[str, str]]
CASES: dict[str, Case] = {
    "infiniium": (
        "Type:,raw\nXInc:,5.0E-11\nXOrg:,-5.0E-07\nXUnits:,second\nYUnits:,Volt\nFrame:,MSO\nData:,\n"
        + rows("{v:.6E}\n"),
        ["Data:"], {"Data:": "Volt"}, 8, 12, {"XInc": "5.0E-11", "YUnits": "Volt"},
    ),
    "tektronix, a unit for each channel": (
        "Model,MSO44\n\nHorizontal Units,s,\nHorizontal Scale,4e-05,\nSample Interval,4e-08,\nProbe Attenuation,10,1\n"
        "Vertical Units,V,A\nVertical Offset,0,0\nVertical Scale,0.05,0.1\nVertical Position,-0.02,0\n,,\n,,\n"
        "Label,VOUT,IOUT\nTIME,CH1,CH2\n" + rows("{t:.4e},{v:.6f},{w:.5f}\n"),
        ["TIME", "CH1", "CH2"], {"TIME": "s", "CH1": "V", "CH2": "A"}, 15, 12,
        {"Probe Attenuation": "10, 1", "Sample Interval": "4e-08", "Vertical Units": "V, A"},
    ),
    "tektronix tds, two traces": (
        "Record Length,2.5e+03,,-5e-4,0.04,Record Length,2.5e+03,,-5e-4,1.2,\n"
        "Sample Interval,4e-07,,-4e-4,0.05,Sample Interval,4e-07,,-4e-4,1.3,\n,,,-3e-4,0.05,,,,-3e-4,1.2,\n"
        "Source,CH1,,-2e-4,0.04,Source,CH2,,-2e-4,1.2,\nVertical Units,V,,-1e-4,0.06,Vertical Units,A,,-1e-4,1.2,\n"
        "Horizontal Units,s,,0,0.06,Horizontal Units,s,,0,1.2,\nProbe Atten,1e+01,,1e-6,0.06,Probe Atten,1,,1e-6,1.2,\n"
        + rows(",,,{t:.7f},{w:.2f},,,,{t:.7f},{v:.2f},\n"),
        [f"column_{at}" for at in range(1, 11)],
        {"column_4": "s", "column_5": "V", "column_9": "s", "column_10": "A"}, 1, 19,
        {"Probe Atten": "1e+01", "Probe Atten (2)": "1", "Source (2)": "CH2"},
    ),
    "rigol, start and increment above rows as wide": (
        "X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,-6.0e-04,1.0e-06\n" + rows("{i},{v:.2e},{w:.2e},,\n"),
        ["X", "CH1", "CH2", "Start", "Increment"], {"X": "Sequence", "CH1": "Volt", "CH2": "Volt"}, 3, 12,
        {"Start": "-6.0e-04", "Increment": "1.0e-06"},
    ),
    "rigol, start and increment in the header": (
        "Time(s),CH1(V),CH2(A),t0 =-2.5e-4, tInc = 0.00000005\n" + rows("{t:.8e},{v:.5e},{w:.5e}\n"),
        ["Time(s)", "CH1(V)", "CH2(A)"], {}, 2, 12, {"t0": "-2.5e-4", "tInc": "0.00000005"},
    ),
    "rohde analyser, keys down to the values": (
        "Type;FSV-7;\nMode;ANALYZER;\nCenter Freq;1000000000;Hz\nRBW;3000;Hz\nTrace Mode;CLR/WRITE;\nx-Unit;Hz;\n"
        "y-Unit;dBm;\nValues;12;\n" + rows("99{i:02}00000;-{v:.5f};\n"),
        ["column_1", "column_2"], {"column_1": "Hz", "column_2": "dBm"}, 9, 12,
        {"RBW": "3000, Hz", "y-Unit": "dBm", "Values": "12"},
    ),
    "yokogawa, names in the preamble": (
        '"Header Size",16,""\n"Model Name","DL850E",""\n"TraceName","CH1","CH2"\n"BlockSize",30,30\n"VUnit","V","A"\n'
        '"HOffset",-5.0E-03,-5.0E-03\n"HUnit","s","s"\n"Date","2026/08/31","2026/08/31"\n"Time","10:00:00","10:00:00"\n'
        '"","",""\n' + rows(",{v:.5E},{w:.5E}\n"),
        ["column_1", "CH1", "CH2"], {"CH1": "V", "CH2": "A"}, 11, 12, {"HOffset": "-5.0E-03, -5.0E-03"},
    ),
    "graphtec": (
        "Vendor,Graphtec\nModel,GL840-M\nAMP settings\nCH,Signal name,Input,Range\nCH1,VOUT,DC,10V\nData\n"
        "Number,Date&Time,ms,CH1,CH2,Alarm\nNO.,Time,ms,V,degC,A123\n"
        + rows("{j},2026/08/31 10:00:{i:02},000,+{v:.3f},+{w:.1f},LLLL\n"),
        ["Number", "Date&Time", "ms", "CH1", "CH2", "Alarm"],
        {"Number": "NO.", "Date&Time": "Time", "ms": "ms", "CH1": "V", "CH2": "degC", "Alarm": "A123"}, 9, 12, {},
    ),
    "joulescope, names and units in comments": (
        "#time,current,voltage\n#s,A,V\n" + rows("{t:.7f},{w:.6g},{v:.5f}\n"),
        ["time", "current", "voltage"], {"time": "s", "current": "A", "voltage": "V"}, 3, 12, {},
    ),
    "basytec, comments between spaces": (
        "~Resultfile from Basytec\n~Date of Converting: 31.08.2026 10:00:00\n~Kap: 5,0\n~\n~Time[h] DataSet U[V] I[A]\n"
        + rows("{w:.5f} {j} {v:.4f} {w:.3f}\n"),
        ["Time[h]", "DataSet", "U[V]", "I[A]"], {}, 6, 12,
        {"Date of Converting": "31.08.2026 10:00:00", "Kap": "5,0"},
    ),
    "ec-lab, a column called error": (
        "EC-Lab ASCII FILE\nNb header lines : 3\nmode\terror\ttime/s\tEwe/V\n" + rows("1\t0\t{t:.6E}\t{v:.6E}\n"),
        ["mode", "error", "time/s", "Ewe/V"], {}, 4, 12, {"Nb header lines": "3"},
    ),
    "limits above the names": (
        "Upper Limit,,5.1,20,\nLower Limit,,4.9,10,\nUnits,,V,mA,\nSerial,Date,VOUT,IOUT,Result\n"
        + rows("SN{j},2026-08-31,{v:.3f},{w:.2f},PASS\n"),
        ["Serial", "Date", "VOUT", "IOUT", "Result"], {"Serial": "Units", "VOUT": "V", "IOUT": "mA"}, 5, 12, {},
    ),
    "limits with arrows": (
        "Site,Serial,R1,R2\nDisplay Name ----->,,r one,r two\nUpper Limit ----->,,1050,2200\n"
        "Lower Limit ----->,,950,2000\nMeasurement Unit ----->,,Ohm,Ohm\n" + rows("A,SN{j},10{i:02}.5,20{i:02}.5\n"),
        ["Site", "Serial", "R1", "R2"], {"Site": "Measurement Unit ----->", "R1": "Ohm", "R2": "Ohm"}, 6, 12, {},
    ),
    "limits called upper and lower": (
        "PASS/FAIL,Serial,Time,R1,C3\n,,Upper,1050,1.1E-7\n,,Lower,950,9E-8\n,,Units,Ohm,F\n"
        + rows("PASS,SN{j},10:00:{i:02},10{i:02},1.0E-7\n"),
        ["PASS/FAIL", "Serial", "Time", "R1", "C3"], {"Time": "Units", "R1": "Ohm", "C3": "F"}, 5, 12, {},
    ),
    "names in two rows, each leaving out the other's": (
        ",,VOUT,IOUT\n,USL,5.1,20\n,LSL,4.9,10\nSerial,Date,,\n" + rows("SN{j},2026-08-31,{v:.3f},{w:.2f}\n"),
        ["Serial", "Date", "VOUT", "IOUT"], {}, 5, 12, {},
    ),
    "names that are numbers": (
        "Freq,1000,2000,5000\n" + rows("SN{j},{v:.3f},{w:.2f},{w:.3f}\n"),
        ["Freq", "1000", "2000", "5000"], {}, 2, 12, {},
    ),
    "a column called NaN": (
        "Serial,NaN,VOUT\n" + rows("SN{j},{w:.3f},{v:.2f}\n"), ["Serial", "NaN", "VOUT"], {}, 2, 12, {},
    ),
    "units and no rows": (
        "Serial,VOUT,IOUT\n,V,mA\n", ["Serial", "VOUT", "IOUT"], {"VOUT": "V", "IOUT": "mA"}, 3, 0, {},
    ),
    "a rule below the names": (
        "Serial    VOUT     IOUT\n--------  -------  -------\n" + rows("SN{j:<6}  {v:7.3f}  {w:7.2f}\n"),
        ["Serial", "VOUT", "IOUT"], {}, 3, 12, {},
    ),
    "keys above one column": (
        "Sample Interval,0.001,s\nUnits,V\nVOUT\n" + rows("{v:.3f}\n"), ["VOUT"], {"VOUT": "V"}, 4, 12,
        {"Sample Interval": "0.001, s", "Units": "V"},
    ),
    "units by column in a comment": (
        "# Units: VOUT=mV, IOUT=A\nSerial,VOUT,IOUT\n" + rows("SN{j},49{i:02},{w:.2f}\n"),
        ["Serial", "VOUT", "IOUT"], {"VOUT": "mV", "IOUT": "A"}, 3, 12, {"Units": "VOUT=mV, IOUT=A"},
    ),
    "names of several words between spaces": (
        "Serial No  Output Voltage  Output Current\n" + rows("SN{j:<8}  {v:14.3f}  {w:14.2f}\n"),
        ["Serial No", "Output Voltage", "Output Current"], {}, 2, 12, {},
    ),
    "more words than columns": (
        "Serial No Output Voltage\n" + rows("SN{j} {v:.3f} {w:.2f}\n"), ["column_1", "column_2", "column_3"], {}, 2, 12,
        {"line 1": "Serial No Output Voltage"},
    ),
    "easyexpert": (
        "SetupTitle,I/V Sweep\nTestParameter,Channel.UnitType,SMU,SMU\nMetaData,TestRecord.Remarks,\n"
        "AnalysisSetup,Analysis.Setup.Vector.Graph.XAxis.Name,Vd\nDimension1,12,12,12\nDimension2,1,1,1\n"
        "DataName, Vd, Id, Ig\n" + rows("DataValue, {w:.2f}, {v:.6E}, {t:.6E}\n"),
        ["DataName", " Vd", " Id", " Ig"], {}, 8, 12, {"SetupTitle": "I/V Sweep", "Dimension1": "12, 12, 12"},
    ),
    "a table of limits above": (
        "Limits\nName,Low,High\nVOUT,4.9,5.1\nIOUT,0.1,0.2\n\nSerial,VOUT,IOUT,Result\n"
        + rows("SN{j},{v:.3f},{w:.2f},PASS\n"),
        ["Serial", "VOUT", "IOUT", "Result"], {}, 7, 12, {"VOUT": "4.9, 5.1"},
    ),
    "maccor, keys without colons": (
        "Today's Date 08/31/2026  Date of Test 08/27/2026\nFilename C:\\data\\c.001  Tester Channel 12\n"
        "Procedure capacity.000  Description \n\nRec#\tStep\tTestTime\tmAmps\tVolts\tState\n"
        + rows("{j}\t1\t  0d 00:00:{i:02}.00\t{w:.2f}\t{v:.4f}\tC\n"),
        ["Rec#", "Step", "TestTime", "mAmps", "Volts", "State"], {}, 6, 12,
        {"Today's Date": "08/31/2026", "Date of Test": "08/27/2026", "Filename": "C:\\data\\c.001",
         "Tester Channel": "12", "Procedure": "capacity.000", "Description": ""},
    ),
    "maccor, keys between tabs": (
        "Today''s Date\t08/31/2026\tDate of Test\t08/27/2026 10:00:00 AM\nProcedure\tcap.000\tDescription\tsoak\n"
        "Rec#\tVolts\tState\n" + rows("{j}\t{v:.4f}\tC\n"),
        ["Rec#", "Volts", "State"], {}, 4, 12,
        {"Today's Date": "08/31/2026", "Date of Test": "08/27/2026 10:00:00 AM", "Description": "soak"},
    ),
    "maccor, keys in one cell above commas": (
        "Today's Date 08/31/2026  Date of Test 08/27/2026 Filename Procedure cap.000 \n"
        "Rec,Cycle P,TestTime,Current [A],Voltage [V],Md\n" + rows('{j},0,"0d 00:00:{i:02}.00",{w:.3f},{v:.4f},R\n'),
        ["Rec", "Cycle P", "TestTime", "Current [A]", "Voltage [V]", "Md"], {}, 3, 12,
        {"Date of Test": "08/27/2026", "Filename": "", "Procedure": "cap.000"},
    ),
    "tektronix, each trace with a time of its own": (
        "Model,MSO54\nWaveform Type,ANALOG,,ANALOG,\nHorizontal Units,s,,s,\nVertical Units,V,,A,\n"
        "Probe Attenuation,10,,1,\nLabel,,,,\nTIME,CH1,TIME,CH2\n" + rows("{t:.6e},{v:.4f},{t:.6e},{w:.4f}\n"),
        ["TIME", "CH1", "TIME_2", "CH2"], {"TIME": "s", "CH1": "V", "TIME_2": "s", "CH2": "A"}, 8, 12,
        {"Probe Attenuation": "10, 1"},
    ),
    "tektronix, seconds written as S": (
        "Model,TBS1052B\n\nHorizontal Units,S,\nVertical Units,V,\nLabel,,\nTIME,CH1,CH1 Peak Detect\n"
        + rows("{t:.6e},{v:.4f},\n"),
        ["TIME", "CH1", "CH1 Peak Detect"], {"TIME": "s", "CH1": "V"}, 7, 12, {},
    ),
    "infiniium, time and voltage below a marker": (
        "Type:,raw\nXOrg:,-5.0E-07\nXUnits:,second\nYUnits:,Volt\nFrame:,MSO\nData:,\n" + rows("{t:.8E},{v:.6E}\n"),
        ["column_1", "column_2"], {"column_1": "second", "column_2": "Volt"}, 7, 12, {"XOrg": "-5.0E-07"},
    ),
    "units for some of the columns are nobody's": (
        "DAQami\n\nDevice,USB-1608\nUnits,Volts,Volts\nSample,Time (s),AI0 (V),AI1 (V)\n"
        + rows("{i},{w:.3f},{v:.3f},1.5\n"),
        ["Sample", "Time (s)", "AI0 (V)", "AI1 (V)"], {}, 6, 12, {"Units": "Volts, Volts"},
    ),
    "formats of date and time among the units": (
        "Title,Soak\n\nDate,Time,Ch1 Temp,Ch2 Volt\ndd/mm/yyyy,hh:mm:ss,degC,mV\n"
        + rows("31/08/2026,10:00:{i:02},{v:.2f},{w:.2f}\n"),
        ["Date", "Time", "Ch1 Temp", "Ch2 Volt"],
        {"Date": "dd/mm/yyyy", "Time": "hh:mm:ss", "Ch1 Temp": "degC", "Ch2 Volt": "mV"}, 5, 12, {"Title": "Soak"},
    ),
    "types below the names": (
        "serial,vout,iout\nstring,double,double\n" + rows("SN{j},{v:.3f},{w:.2f}\n"),
        ["serial", "vout", "iout"], {}, 3, 12, {},
    ),
    "texts without a header": (
        rows("VOUT={v:.3f}V IOUT={w:.2f}A\n"), ["column_1"], {}, 1, 12, {},
    ),
    "serials and results without a header": (rows("SN{i:03},PASS\n"), ["column_1", "column_2"], {}, 1, 12, {}),
    "logic analyser, channels by number": (
        "; CSV, generated by a logic analyser\n; Sample rate: 1 MHz\nTime(s), 0, 1\n" + rows("0.0000{i:02},1,0\n"),
        ["Time(s)", " 0", " 1"], {}, 4, 12, {"Sample rate": "1 MHz"},
    ),
    "a header that alone ends in a delimiter": (
        "Serial,VOUT,IOUT,\n" + rows("SN{j},{v:.3f},{w:.2f}\n"), ["Serial", "VOUT", "IOUT"], {}, 2, 12, {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_head(tmp_path: Path, name: str) -> None:
    text, columns, units, data_line, count, metadata = CASES[name]
    path = tmp_path / "export.csv"
    path.write_text(text, encoding="utf-8", newline="")
    export = read(path)
    table = export.tables[0]
    assert [column.name for column in table.columns] == columns
    found = {column.name: column.units_row or column.preamble for column in table.columns}
    assert {column: unit for column, unit in found.items() if unit is not None} == units
    frame = table.frame.collect()
    assert (frame.height, table.quarantine.height) == (count, 0)
    assert frame.get_column("_line").to_list()[:1] == [data_line][:count]
    assert metadata.items() <= export.metadata.items()
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert sum(lines.values()) == text.count("\n")


def test_digitizer_codes_take_no_unit_from_the_preamble(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text("Source,CH1\nVertical Units,V\nVertical Scale,0.5\nWaveform Data,\n" + rows("{i},\n"))
    assert read(path).tables[0].columns[0].preamble is None


def test_limit_rows_above_the_names_are_kept_in_the_dialect(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text(CASES["limits above the names"][0])
    assert read(path).dialect["header_rows"] == {
        "upper limit": ["Upper Limit", "", "5.1", "20", ""], "lower limit": ["Lower Limit", "", "4.9", "10", ""],
    }  # fmt: skip


def test_a_labview_file_separated_by_commas(tmp_path: Path) -> None:
    path = tmp_path / "export.lvm"
    path.write_text(
        "LabVIEW Measurement,\nWriter_Version,2\nSeparator,Comma\nDecimal_Separator,.\nX_Columns,One\n"
        "***End_of_Header***,\n,\nChannels,2,,\nSamples,12,12,\nY_Unit_Label,Volts,mA\nX_Dimension,Time,Time\n"
        "***End_of_Header***,,,\nX_Value,Voltage,Current,Comment\n" + rows("{t:.6f},{v:.6f},{w:.6f}\n")
    )
    export = read(path)
    table = export.tables[0]
    assert [(column.name, column.units_row) for column in table.columns] == [
        ("X_Value", "s"), ("Voltage", "Volts"), ("Current", "mA"), ("Comment", None),
    ]  # fmt: skip
    assert (table.frame.collect().height, table.quarantine.height) == (12, 0)
    assert export.metadata["Separator"] == "Comma"


LVM = (
    "LabVIEW Measurement\t\nWriter_Version\t2\nSeparator\tTab\nDecimal_Separator\t.\nX_Columns\t{columns}\n"
    "***End_of_Header***\t\n\t\nChannels\t2\t\t\t\n{block}***End_of_Header***\t\t\t\n"
)
LVM_CASES = {
    "Multi": (
        "Y_Unit_Label\tVolts\t\tAmps\t\nX_Dimension\tTime\t\tTime\t\n",
        "X_Value\tU\tX_Value\tI\tComment\n0\t4.9\t0\t0.1\n",
        [("X_Value", "s"), ("U", "Volts"), ("X_Value_2", "s"), ("I", "Amps"), ("Comment", None)],
    ),
    "No": (
        "Y_Unit_Label\tV\tmA\t\n", "\tU\tI\tComment\n\t4.9\t10\n",
        [("column_1", None), ("U", "V"), ("I", "mA"), ("Comment", None)],
    ),
    "One": (
        "Y_Unit_Label\t\tmA\t\nX_Dimension\tTime\tTime\n", "X_Value\tU\tI\tComment\n0\t4.9\t10\n",
        [("X_Value", "s"), ("U", None), ("I", "mA"), ("Comment", None)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("columns", LVM_CASES)
def test_labview_units_stand_in_the_channel_s_own_column(tmp_path: Path, columns: str) -> None:
    block, body, expected = LVM_CASES[columns]
    path = tmp_path / "export.lvm"
    path.write_text(LVM.format(columns=columns, block=block) + body)
    (table,) = read(path).tables
    assert [(column.name, column.units_row) for column in table.columns] == expected
    assert (table.rows_read, table.quarantine.height) == (1, 0)


@pytest.mark.parametrize(
    "text", ["<!DOCTYPE html>\n<html><table></table></html>", "  <HTML>\n", "<table><tr><td>1</td></tr></table>"]
)
def test_a_page_that_is_called_an_export_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "export.csv"
    path.write_text(text)
    with pytest.raises(ExportError, match="the file is an HTML page, whatever its name says, not an export"):
        read(path)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("Spec Min", "Spec Max"), ("LL", "UL"), ("Lower Limit (LSL)", "Upper Limit (USL)"), ("Min", "Max"),
        ("Untere Grenze", "Obere Grenze"), ("Limite inf\u00e9rieure", "Limite sup\u00e9rieure"),
        ("\u4e0b\u9650", "\u4e0a\u9650"),
    ],
)  # fmt: skip
def test_limits_below_the_header_are_no_boards(tmp_path: Path, low: str, high: str) -> None:
    path = tmp_path / "x.csv"
    body = "".join(f"A{n:04},5.00{n},85.{n},PASS\n" for n in range(9))
    path.write_text(f"Serial,VOUT (V),IIN (mA),Result\n{high},5.05,120,\n{low},4.95,50,\n{body}")
    export = read(path)
    assert export.tables[0].frame.collect().height == 9
    found = export.dialect["header_rows"]
    assert isinstance(found, dict)
    assert found[low.lower()] == [low, "4.95", "50", ""]


@pytest.mark.parametrize(
    "above",
    ["", "Name:,Soak\nOperator:,me\n\n", "Channel,Function,Range,Units\n101,VDC,Auto,V\n102,TEMP,Auto,C\n\n"],
    ids=["nothing", "preamble", "channel list"],
)
def test_names_and_numbers_of_channels_are_a_header(tmp_path: Path, above: str) -> None:
    path = tmp_path / "x.csv"
    body = "".join(f"{n},8/31/2026 10:05:{n:02} AM,5.00{n % 10},25.{n % 10},4.70{n % 9}\n" for n in range(20))
    path.write_text(f"{above}Scan,Time,101,102,103\n{body}")
    table = read(path).tables[0]
    assert [column.name for column in table.columns] == ["Scan", "Time", "101", "102", "103"]
    assert table.frame.collect().height == 20
