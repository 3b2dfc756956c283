"""Exports as instruments write them, short, with what a person reads in each."""

from pathlib import Path

import pytest

from bench.readers import read


def series(form: str, count: int = 30) -> str:
    return "".join(form.format(i=i, t=i * 1e-6, v=4.9 + i / 1000, w=i / 100) for i in range(count))


RIGOL_TRAILING = "X,CH1,CH2,\r\nSecond,Volt,Volt\r\n" + series("{t:.7e},{v:.5e},{w:.5e},\r\n")
RIGOL_PC = (
    'sep=,\r\n"Model","DS1104Z"\r\n"Time base","500us"\r\n"CH1 Scale (V/DIV)","2.00"\r\n"CH1 Probe","10X"\r\n'
    '"Time(s)","CH1V","CH2V"\r\n' + series("{t:.6e},{v:.3f},{w:.3f}\r\n")
)
TEKTRONIX_TDS = (
    "Record Length,2.5e+03,,-0.0005,0.04,\r\nSource,CH1,,-0.0004,0.05,\r\nVertical Units,V,,-0.0003,0.06,\r\n"
    "Horizontal Units,s,,-0.0002,0.06,\r\nProbe Atten,1.0e+01,,-0.0001,0.06,\r\n" + series(",,,{t:.6f},{w:.5f},\r\n")
)
PICO = "Time,Channel A,Channel B\n(ms),(V),(mV)\n\n" + series("{w:.4f},{v:.4f},{w:.4f}\n")
SIGLENT = (
    "Record Length,Analog:7000\nVertical Units,CH1:V\nVertical Scale,CH1:1.00\nHorizontal Units,s\n"
    "Model Number,SDS1104X-E\nSource,CH1\nSecond,Volt\n" + series("{t:.8f},{w:.5f}\n")
)
BENCHLINK = (
    "Name:,run 3\r\nOwner:,Ada\r\n\r\nInstrument,34970A,Scan Control\r\nTotal Channels:,2\r\n\r\n"
    "Channel,Name,Function,Range,Resolution,Scale,Gain,Label\r\n101,Vout,DC voltage,10 V,6.5,No,1,VDC\r\n"
    "102,T,Temp (Type J),,C,No,1,C\r\n\r\nScan,Time,101 <Vout> (VDC),Alarm 101,102 <T> (C),Alarm 102\r\n"
    + series("{i},8/31/2026 10:00:{i:02}:123,{v:.6f},0,{w:.2f},0\r\n")
)
LANDT = (
    "Name,x\nChannel,3\nStart Time,2026-08-31 10:00:00\nRemark,\nrecord,step,voltage_V,Pressure_Psi,T1_C,\n"
    + series("{i},1,{v:.4f},0,0,\n")
)
EC_LAB = (
    "EC-Lab ASCII FILE\r\nNb header lines : 6\r\n\r\nRun on channel : 5 (SN 1)\r\nElectrode area : 0,001 cm²\r\n"
    "mode\ttime/s\tEwe/V\t\r\n" + series("3\t{w:.6f}\t{v:.7E}\t\r\n").replace(".", ",")
)
HIOKI = '"HIOKI 8430","1.0"\n"Title","x"\n"Trigger Time","26-08-31 10:00:00"\n"Time","CH1-1[V]","CH1-2[mV]"\n' + series(
    '"{w:.2E}","{v:+.4E}","{w:+.4E}"\n'
)
INSTEK = "Format,1.0B\nMemory Length,10000\nSource,CH1\nVertical Units,V\nWaveform Data,\n" + series("{i},\n")
MACCOR_BYTES = (
    "Today's Date\t08/31/2026\tFilename:\tC:\\x\t\xff\xff\r\n\r\nRec#\tCyc#\tTest (Min)\tAmps\tVolts\tState\r\n"
    + series("{i}\t0\t{w:.4f}\t0.1\t{v:.4f}\tC\r\n")
)
GERMAN = "Messung;Wert;Einheit;Ergebnis\r\n" + series("VOUT;{v:.4f};V;OK\r\n").replace(".", ",")
THOUSANDS = 'n,"Reading","note, long"\n1,"1,234.50",x\n2,"2,001.25","y, z"\n3,"987.00",x\n'
FOOTER = "t,v,r\n" + series("{i},{v},PASS\n", 5) + "\nTotal,5\nEnd of file\n"
PPK2 = "Timestamp(ms),Current(uA)\n" + series("{w:.2f},{v:.3f}\n")

# name: (text, encoding, columns, units by column, rows, quarantined, decimal, some metadata)
CASES: dict[str, tuple[str, str, list[str], dict[str, str], int, int, str, dict[str, str]]] = {
    "rigol trailing": (
        RIGOL_TRAILING, "ascii", ["X", "CH1", "CH2"], {"X": "Second", "CH1": "Volt", "CH2": "Volt"}, 30, 0, ".", {},
    ),
    "rigol pc": (RIGOL_PC, "ascii", ["Time(s)", "CH1V", "CH2V"], {}, 30, 0, ".", {"CH1 Probe": "10X"}),
    "tektronix tds": (
        TEKTRONIX_TDS, "ascii", ["column_1", "column_2", "column_3", "column_4", "column_5"],
        {"column_4": "s", "column_5": "V"}, 35, 0, ".", {"Probe Atten": "1.0e+01"},
    ),
    "pico": (
        PICO, "ascii", ["Time", "Channel A", "Channel B"], {"Time": "(ms)", "Channel A": "(V)", "Channel B": "(mV)"},
        30, 0, ".", {},
    ),
    "siglent": (SIGLENT, "ascii", ["Source", "CH1"], {"Source": "Second", "CH1": "Volt"}, 30, 0, ".",
                {"Model Number": "SDS1104X-E"}),
    "benchlink": (
        BENCHLINK, "utf-16", ["Scan", "Time", "101 <Vout> (VDC)", "Alarm 101", "102 <T> (C)", "Alarm 102"], {}, 30, 0,
        ".", {"Owner": "Ada", "Total Channels": "2"},
    ),
    "landt": (LANDT, "ascii", ["record", "step", "voltage_V", "Pressure_Psi", "T1_C"], {}, 30, 0, ".", {"Remark": ""}),
    "ec-lab": (EC_LAB, "cp1252", ["mode", "time/s", "Ewe/V"], {}, 30, 0, ",", {"Electrode area": "0,001 cm²"}),
    "hioki": (HIOKI, "ascii", ["Time", "CH1-1[V]", "CH1-2[mV]"], {}, 30, 0, ".", {"Title": "x"}),
    "instek": (INSTEK, "ascii", ["Waveform Data"], {}, 30, 0, ".", {"Vertical Units": "V"}),
    "maccor": (MACCOR_BYTES, "latin-1", ["Rec#", "Cyc#", "Test (Min)", "Amps", "Volts", "State"], {}, 30, 0, ".", {}),
    "german": (GERMAN, "cp1252", ["Messung", "Wert", "Einheit", "Ergebnis"], {}, 30, 0, ",", {}),
    "thousands": (THOUSANDS, "ascii", ["n", "Reading", "note, long"], {}, 3, 0, ".", {}),
    "footer": (FOOTER, "ascii", ["t", "v", "r"], {}, 5, 2, ".", {}),
    "ppk2": (PPK2, "ascii", ["Timestamp(ms)", "Current(uA)"], {}, 30, 0, ".", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_instrument(tmp_path: Path, name: str) -> None:
    text, encoding, columns, units, kept, quarantined, decimal, metadata = CASES[name]
    path = tmp_path / "export.csv"
    path.write_bytes(text.encode(encoding))
    export = read(path)
    table = export.tables[0]
    assert [column.name for column in table.columns] == columns
    found = {column.name: column.units_row or column.preamble for column in table.columns}
    assert {column: unit for column, unit in found.items() if unit is not None} == units
    assert (table.frame.collect().height, table.quarantine.height) == (kept, quarantined)
    assert table.decimal == decimal
    assert metadata.items() <= export.metadata.items()
    lines = export.dialect["lines"]
    assert isinstance(lines, dict)
    assert sum(lines.values()) == text.count("\n")
