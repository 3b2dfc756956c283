"""Recorders and power analysers: channels, what the engineer called them, and units, each in a row of its own."""

from pathlib import Path

import pytest

from bench.readers import read


def rows(form: str, count: int = 12) -> str:
    return "".join(form.format(i=i, j=i + 1, t=i * 1e-6, v=4.9 + i / 1000, w=i / 100) for i in range(count))


TIMED = rows("2026/08/31,10:00:{i:02},{v:.3f},{w:.1f}\n")
SECONDS = rows('"2026/08/31","10:00:{i:02}","000",{v:.3f},{w:.1f}\n')

# name: (text, columns with their units, further rows of the header)
Case = tuple[str, list[str], dict[str, list[str]]]
CASES: dict[str, Case] = {
    "tags below channels": (
        '"Date","Time","sec","CH0001","CH0002"\n"","","","VOUT","TCASE"\n"","","","V","C"\n' + SECONDS,
        ["Date", "Time", "sec", "VOUT|V", "TCASE|C"],
        {"header in line 1": ["Date", "Time", "sec", "CH0001", "CH0002"]},
    ),
    "tags above channels": (
        '"","","Vout","Tcase"\n"Date","Time","CH001","CH002"\n"","","V","C"\n' + TIMED,
        ["Date", "Time", "Vout|V", "Tcase|C"], {"header in line 2": ["Date", "Time", "CH001", "CH002"]},
    ),
    "units between channels and tags": (
        "Date,Time,CH001,CH002\n,,V,C\n,,Vout,Tcase\n" + TIMED, ["Date", "Time", "Vout|V", "Tcase|C"],
        {"header in line 1": ["Date", "Time", "CH001", "CH002"]},
    ),
    "units, tags and channels, with labels": (
        '"Unit","","V","C"\n"Tag","","Vout","Tcase"\n"Date","Time","CH001","CH002"\n' + TIMED,
        ["Date|Unit", "Time", "Vout|V", "Tcase|C"],
        {"header in line 2": ["Tag", "", "Vout", "Tcase"], "header in line 3": ["Date", "Time", "CH001", "CH002"]},
    ),
    "a channel without a tag keeps its own name": (
        '"Date","Time","CH001","CH002","A001"\n"","","Vout","",""\n"","","V","C",""\n'
        + rows("2026/08/31,10:00:{i:02},{v:.3f},{w:.1f},{w:.1f}\n"),
        ["Date", "Time", "Vout|V", "CH002|C", "A001"],
        {"header in line 1": ["Date", "Time", "CH001", "CH002", "A001"]},
    ),
    "one tag for several channels is no name": (
        "Date,Time,CH001,CH002\n,,Temp,Temp\n,,C,C\n" + TIMED, ["Date", "Time", "CH001|C", "CH002|C"],
        {"header in line 2": ["", "", "Temp", "Temp"]},
    ),
    "a label in each row of the header": (
        "Device Type\tGX20\nMeas Ch\t2\nInterval\t1.000 sec\n\nCh\t\t\tCH0001\tCH0002\nTag No\t\t\tPT100\tTT1\n"
        "Tag\t\t\tVout\tTcase\nAlarm Status\t\t\t\t\nUnit\t\t\tV\tC\nDate\tTime\tsec\t\t\n"
        + rows("2026/08/31\t10:00:{i:02}\t000\t{v:.3f}\t{w:.1f}\n"),
        ["Date|Unit", "Time", "sec", "Vout|V", "Tcase|C"],
        {"header in line 5": ["Ch", "", "", "CH0001", "CH0002"], "header in line 6": ["Tag No", "", "", "PT100", "TT1"],
         "header in line 7": ["Tag", "", "", "Vout", "Tcase"], "header in line 8": ["Alarm Status", "", "", "", ""]},
    ),
    "minimum and maximum of each channel": (
        '"Date","Time","CH001","","CH002",""\n"","","MIN","MAX","MIN","MAX"\n"","","V","","C",""\n'
        + rows("2026/08/31,10:00:{i:02},{v:.3f},{v:.3f},{w:.1f},{w:.1f}\n"),
        ["Date", "Time", "CH001 MIN|V", "CH001 MAX|V", "CH002 MIN|C", "CH002 MAX|C"],
        {"header in line 1": ["Date", "Time", "CH001", "", "CH002", ""],
         "aggregation": ["", "", "MIN", "MAX", "MIN", "MAX"]},
    ),
    "a power analyser's elements and functions": (
        '"Model","WT1800E"\n"Data Count",12\n"Element","","E1","E1","E2"\n"Function","","Urms","Irms","Urms"\n'
        '"Unit","","V","A","V"\n"Index","Time","Urms1","Irms1","Urms2"\n'
        + rows("{j},10:00:{i:02},{v:.3f},{w:.1f},{v:.3f}\n"),
        ["Index|Unit", "Time", "Urms1|V", "Irms1|A", "Urms2|V"],
        {"header in line 3": ["Element", "", "E1", "E1", "E2"],
         "header in line 4": ["Function", "", "Urms", "Irms", "Urms"]},
    ),
    "a scope's keys, with numbers, above a time column": (
        '"Header Size",16,""\n"Model Name","DL850E",""\n"BlockNumber",1,1\n"TraceName","CH1","CH2"\n"BlockSize",12,12\n'
        '"VUnit","V","A"\n"SampleRate",1.0E+06,1.0E+06\n"HOffset",-5.0E-03,-5.0E-03\n"HUnit","s","s"\n'
        '"Date","2026/08/31","2026/08/31"\n"Time","10:00:00","10:00:00"\n"","",""\n'
        + rows("{t:.6E},{v:.5E},{w:.5E}\n"),
        ["column_1|s", "CH1|V", "CH2|A"], {},
    ),
    "the time is named among the units": (
        '"Start Time:","8/31/2026 10:00:00"\n"","Chan 1","Chan 2"\n"Time","VDC","C"\n'
        + rows('"10:00:{i:02}",{v:.4f},{w:.2f}\n'),
        ["Time", "Chan 1|VDC", "Chan 2|C"], {},
    ),
    "names between spaces above a rule and rows between tabs": (
        "Circuit: divider\n\nIndex   time            v(out)          \n----------------------------------------\n"
        + rows("{i}\t{t:.6e}\t{v:.6e}\t\n"),
        ["Index", "time", "v(out)"], {},
    ),
    "numbers for each trace among the keys": (
        "Memory Length,12\nTrigger Level,1.0\nSource,CH1,CH2\nVertical Units,V,A\nVertical Units Div,0,0\nLabel,,\n"
        "Probe Type,0,0\nProbe Ratio,1.0e+01,1.0e+00\nVertical Scale,1.0e+00,2.0e+00\nHorizontal Units,S\n"
        "Time,31-Aug-26 10:00:00\nWaveform Data,\n" + rows("{t:.6e},{v:.4f},{w:.4f},\n"),
        ["column_1|s", "CH1|V", "CH2|A"], {},
    ),
    "what is said of the whole record is no column": (
        "Time(s),CH1(V),CH2(V),t0 = -6.0e-03, tInc = 1.0e-06,\n" + rows("{t:.8e},{v:.4e},{w:.4e},,\n"),
        ["Time(s)", "CH1(V)", "CH2(V)"], {},
    ),
    "a unit among the keys above one column": (
        "Sample Rate,1000\nSamples,12\nUnits,V\n" + rows("{v:.8f}\n"), ["column_1|V"], {},
    ),
    "one word for several channels, and a name for the time": (
        "Model Number,SDS2104X\nSource,CH1,CH2\nTime,Ampl,Ampl\n" + rows("{t:.9f},{v:.4f},{w:.4f}\n"),
        ["Time", "CH1", "CH2"],
        {"header in line 2": ["Source", "CH1", "CH2"], "header in line 3": ["Time", "Ampl", "Ampl"]},
    ),
    "numbers apart from their signs": (
        "Vendor,GRAPHTEC\nDate&Time,CH1,CH2\nTime,V,degC\n" + rows("2026/08/31 10:00:{i:02},+  {v:.3f},- {w:.2f}\n"),
        ["Date&Time|Time", "CH1|V", "CH2|degC"], {},
    ),
    "a column for each date": (
        "Serial,2026-08-30,2026-08-31\n" + rows("S{j},{v:.3f},{w:.3f}\n"), ["Serial", "2026-08-30", "2026-08-31"], {},
    ),
    "words among the first column's numbers are rows": (
        "Index,VOUT,IOUT\nfirst,4.5,0\nsecond,5.5,1\nthird,5.0,1\n" + rows("{j},{v:.3f},{w:.3f}\n", 9),
        ["Index", "VOUT", "IOUT"], {},
    ),
    "a row of nothing below the names": (
        '"TIMESTAMP","RECORD","BattV"\n"","",""\n' + rows('"2026-08-31 10:00:{i:02}",{i},{v:.2f}\n'),
        ["TIMESTAMP", "RECORD", "BattV"], {},
    ),
    "units of the axes among the keys, and again as names": (
        "Record Length,Analog:12\nSample Interval,Analog:0.000001\nVertical Units,CH1:V\nSecond,Volt\n"
        + rows("{t:.8f},{v:.5f}\n"),
        ["Second", "Volt"], {},
    ),
    "numbers that are the same are no names": (
        '"CH","A1-1","A1-2"\n"Comment","VOUT","IOUT"\n"Ratio",1.0E+00,1.0E+01\n"Offset",0,0\n"Time[s]","[V]","[A]"\n'
        + rows("{t:.6E},{v:.5E},{w:.5E}\n"),
        ["Time[s]", "[V]", "[A]"], {},
    ),
    "what a scope has measured is no header": (
        "Unit:(mV)\n,CH1\nFrequency,F=1.000kHz\nPeriod,T=1.000ms\nPK-PK,Vp=5.00V\n" + rows("{j},{i}00.00\n"),
        ["column_1", "column_2"], {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_recorder(tmp_path: Path, name: str) -> None:
    text, columns, header_rows = CASES[name]
    path = tmp_path / "export.csv"
    path.write_text(text, encoding="utf-8")
    export = read(path)
    (table,) = export.tables
    units = [column.units_row or column.preamble for column in table.columns]
    assert [f"{c.name}|{unit}" if unit else c.name for c, unit in zip(table.columns, units, strict=True)] == columns
    assert (table.frame.collect().height, table.quarantine.height) == (12, 0)
    assert export.dialect.get("header_rows", {}) == header_rows
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert sum(lines.values()) == text.count("\n")


FOUR = rows("S{j},{v:.3f},{w:.3f},{v:.2f},{w:.2f}\n")
TWO = rows("{i},{v:.3f},{w:.3f}\n")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("Serial,Rail 1,,Rail 2,\n,U (V),I (A),U (V),I (A)\n" + FOUR,
         ["Serial", "Rail 1 U (V)", "Rail 1 I (A)", "Rail 2 U (V)", "Rail 2 I (A)"]),
        (",CH1,,CH2,\nSerial,U (V),I (A),U (V),I (A)\n" + FOUR,
         ["Serial", "CH1 U (V)", "CH1 I (A)", "CH2 U (V)", "CH2 I (A)"]),
        ("Serial,CH1,CH1,CH2,CH2\n,U (V),I (A),U (V),I (A)\n" + FOUR,
         ["Serial", "CH1 U (V)", "CH1 I (A)", "CH2 U (V)", "CH2 I (A)"]),
        (",-40C,,25C,\nSerial,U,I,U,I\n,V,A,V,A\n" + FOUR,
         ["Serial", "-40C U|V", "-40C I|A", "25C U|V", "25C I|A"]),
        (",Input,,Output,\nSerial,Vin (V),Iin (A),Vout (V),Iout (A)\n" + FOUR,
         ["Serial", "Vin (V)", "Iin (A)", "Vout (V)", "Iout (A)"]),
        ("Retest of lot 7,,,,\nSerial,VOUT,VOUT,IOUT,IOUT\n" + FOUR, ["Serial", "VOUT", "VOUT_2", "IOUT", "IOUT_2"]),
        ("Time,CH1,CH2\n,U (V),U (V)\n" + TWO, ["Time", "CH1 U (V)", "CH2 U (V)"]),
        (",U (V),U (V)\nTime,CH1,CH2\n" + TWO, ["Time", "CH1 U (V)", "CH2 U (V)"]),
        (",CH1,,CH2,\nSerial,V,A,V,A\n" + FOUR, ["Serial", "CH1 V|V", "CH1 A|A", "CH2 V|V", "CH2 A|A"]),
        ("Time,VOUT,\ns,V,A\n" + TWO, ["Time|s", "VOUT|V", "column_3|A"]),
        ("Time,CH1,CH2\n,U (V),I (A)\n" + TWO, ["Time", "U (V)", "I (A)"]),
    ],
)  # fmt: skip
def test_names_under_groups_lose_neither_unit_nor_group(tmp_path: Path, text: str, columns: list[str]) -> None:
    path = tmp_path / "export.csv"
    path.write_text(text)
    (table,) = read(path).tables
    assert [f"{c.name}|{c.units_row}" if c.units_row else c.name for c in table.columns] == columns
    assert (table.frame.collect().height, table.quarantine.height) == (12, 0)
