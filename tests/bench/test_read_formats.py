"""Formats other than delimited text: what their rows hold, how they are recognised, and how they fail."""

import gzip
import importlib
import io
import json
import struct
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path

import polars as pl
import pytest
import zstandard

import bench
from bench.errors import EnvironmentProblem, ExportError, UsageError
from bench.export import Export
from bench.readers import Format, ReadOptions, formats, read
from bench.readers import formats as formats_function

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "public"
needs_public = pytest.mark.skipif(not FOLDER.is_dir(), reason="the public exports are not beside this repository")
CSV = b"serial,vout_v\nS1,4.99\nS2,5.01\nS3,5.00\n"


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def records(export: Export, table: int = 0) -> list[dict[str, object]]:
    return export.tables[table].frame.collect().to_dicts()


def pick(rows: list[dict[str, object]], *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row.get(column) for column in columns) for row in rows]


# --- wrappings ---


def zipped(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # made at one time, always
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "wrapping", "table"),
    [
        ("retest-2026-08-31.csv.gz", gzip.compress(CSV, mtime=0), "gzip", "retest"),
        ("retest.csv.zst", zstandard.compress(CSV), "zstd", "retest"),
        ("outer.zip", zipped(("inner/retest.csv", CSV), ("__MACOSX/x", b"")), "zip", "retest"),
        ("mislabelled.csv", gzip.compress(CSV, mtime=0), "gzip", "mislabelled"),
    ],
)
def test_wrapped(tmp_path: Path, name: str, content: bytes, wrapping: str, table: str) -> None:
    export = read(write(tmp_path, name, content))
    assert export.dialect["wrapping"] == wrapping
    assert export.tables[0].name == table
    assert pick(records(export), "serial", "vout_v") == [("S1", "4.99"), ("S2", "5.01"), ("S3", "5.00")]
    assert export.bytes == len(content)  # raw is the file as it is on disk


def test_a_large_wrapped_file_goes_to_the_scratch_folder(tmp_path: Path) -> None:
    body = "".join(f"S{n},{n / 8}\n" for n in range(900_000))
    export = read(write(tmp_path, "big.csv.gz", gzip.compress(b"serial,v\n" + body.encode(), 1)))
    assert export.tables[0].rows_read == 900_000
    assert export.tables[0].frame.tail(1).collect().rows() == [(900_000, 900_001, "S899999", str(899_999 / 8))]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv.gz", gzip.compress(CSV * 1000, mtime=0)[:60], "cannot be unpacked"),
        ("x.csv.zst", zstandard.compress(CSV * 1000)[:20] + b"garbage", "cannot be unpacked"),
        ("x.zip", zipped(("a.csv", CSV), ("b.csv", CSV)), r"holds 2 files \(a\.csv, b\.csv\)"),
        ("x.zip", zipped(("a.csv", CSV))[:70], "cannot be unpacked"),
    ],
)
def test_broken_wrappings(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    with pytest.raises(ExportError, match=message):
        read(write(tmp_path, name, content))


# --- reports ---


@needs_public
def test_public_teststand_report() -> None:
    export = read(FOLDER / "teststand_report_2021.xml")
    rows = records(export)
    assert export.format == "teststand"
    assert len(rows) == (FOLDER / "teststand_report_2021.xml").read_text("latin-1").count("<Prop Type='TEResult'")
    wanted = ("measurement", "value", "unit", "lower_limit", "upper_limit", "comparison", "result")
    assert pick([row for row in rows if row["value"]], *wanted) == [
        ("Video Test", "5", "microseconds", "0", "10", "GTLT", "Passed"),
        ("Keyboard Test", "6", None, "5", None, "GT", "Passed"),
    ]
    assert {(row["serial"], row["station"], row["timestamp"]) for row in rows} == {
        ("2342343", "TS-2021-BETA", "2022-07-01T15:47:48.927")
    }
    assert next(row["_line"] for row in rows if row["measurement"] == "Video Test") == 1016


TESTSTAND = """<?xml version="1.0"?>
<Reports><Report Type='UUT' UUTResult='Failed'>
<Prop Name='UUT' Type='Obj'><Prop Name='SerialNumber' Type='String'><Value>S7</Value></Prop></Prop>
<Prop Type='TEResult'>
 <Prop Name='Status' Type='String'><Value>Failed</Value></Prop>
 <Prop Name='Measurement' Type='Array'>
  <Value ID='[0]'><Prop Name='VOUT' Type='Obj' TypeName='NI_LimitMeasurement'>
   <Prop Name='Data' Type='Number'><Value>4,99</Value></Prop>
   <Prop Name='Units' Type='String'><Value>V</Value></Prop>
   <Prop Name='Limits' Type='Obj'><Prop Name='Low' Type='Number'><Value>4,95</Value></Prop>
    <Prop Name='High' Type='Number'><Value>5,05</Value></Prop></Prop>
   <Prop Name='Comp' Type='String'><Value>GELE</Value></Prop>
   <Prop Name='Status' Type='String'><Value>Passed</Value></Prop></Prop></Value>
  <Value ID='[1]'><Prop Name='RIPPLE' Type='Obj' TypeName='NI_LimitMeasurement'>
   <Prop Name='Data' Type='Number'><Value>61</Value></Prop>
   <Prop Name='Units' Type='String'><Value>mV</Value></Prop>
   <Prop Name='Limits' Type='Obj'><Prop Name='Low' Type='Number'><Value>50</Value></Prop></Prop>
   <Prop Name='Comp' Type='String'><Value>LT</Value></Prop>
   <Prop Name='Status' Type='String'><Value>Failed</Value></Prop></Prop></Value>
 </Prop>
 <Prop Name='TS' Type='Obj'><Prop Name='StepName' Type='String'><Value>Rails</Value></Prop></Prop>
</Prop>
<Prop Type='TEResult'>
 <Prop Name='String' Type='String'><Value>v2.1.5</Value></Prop>
 <Prop Name='TS' Type='Obj'><Prop Name='StepName' Type='String'><Value>Firmware</Value></Prop></Prop>
</Prop>
</Report></Reports>
"""


def test_teststand_step_with_several_measurements_and_a_text(tmp_path: Path) -> None:
    export = read(write(tmp_path, "report.xml", TESTSTAND))
    wanted = ("serial", "measurement", "value", "text_value", "unit", "lower_limit", "upper_limit", "result")
    assert pick(records(export), *wanted) == [
        ("S7", "Rails/VOUT", "4,99", None, "V", "4,95", "5,05", "Passed"),
        ("S7", "Rails/RIPPLE", "61", None, "mV", None, "50", "Failed"),  # "less than" keeps its bound in Low
        ("S7", "Firmware", None, "v2.1.5", None, None, None, None),
    ]
    assert export.tables[0].decimal == ","
    assert export.dialect["results"] == {"steps": 3, "with_value": 2, "with_text": 1}


ATML = """<?xml version="1.0" encoding="UTF-8"?>
<tr:TestResults xmlns:tr="urn:IEEE-1636.1:2011:01:TestResults" xmlns:c="urn:IEEE-1671:2010:Common"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
 <tr:ResultSet ID="1" name="main" startDateTime="2026-08-31T10:00:00">
  <tr:TestGroup ID="2" name="Power"><tr:Outcome value="Passed"/>
   <tr:Test ID="3" name="VOUT"><tr:Outcome value="Passed"/>
    <tr:TestResult ID="4" name="Numeric">
     <tr:TestData><c:Datum xsi:type="c:double" value="4.99" nonStandardUnit="V"/></tr:TestData>
     <tr:TestLimits><tr:Limits><c:LimitPair operator="AND">
      <c:Limit comparator="GE"><c:Datum xsi:type="c:double" value="4.95"/></c:Limit>
      <c:Limit comparator="LE"><c:Datum xsi:type="c:double" value="5.05"/></c:Limit>
     </c:LimitPair></tr:Limits></tr:TestLimits>
    </tr:TestResult></tr:Test>
   <tr:Test ID="5" name="FW"><tr:Outcome value="Failed"/>
    <tr:TestResult ID="6"><tr:TestData><c:Datum xsi:type="c:string"><c:Value>v1</c:Value></c:Datum></tr:TestData>
    </tr:TestResult></tr:Test>
  </tr:TestGroup>
 </tr:ResultSet>
 <tr:UUT><c:SerialNumber>S9</c:SerialNumber></tr:UUT>
</tr:TestResults>
"""


def test_atml_report(tmp_path: Path) -> None:
    export = read(write(tmp_path, "report.xml", ATML))
    wanted = (
        "serial",
        "step_group",
        "measurement",
        "value",
        "text_value",
        "unit",
        "lower_limit",
        "upper_limit",
    )
    assert export.format == "atml"
    assert pick(records(export), *wanted) == [
        ("S9", None, "Power", None, None, None, None, None),
        ("S9", "Power", "VOUT", "4.99", None, "V", "4.95", "5.05"),
        ("S9", "Power", "FW", None, "v1", None, None, None),
    ]
    assert pick(records(export), "result") == [("Passed",), ("Passed",), ("Failed",)]


@needs_public
def test_public_openhtf_measurement_with_dimensions() -> None:
    export = read(FOLDER / "openhtf_multidim_uom.json")
    table = export.tables[0]
    assert [(column.name, column.units_row) for column in table.columns] == [
        ("ms", "ms"), ("assembly", None), ("zone", None), ("degree Celsius", "°C"),
    ]  # fmt: skip
    frame = table.frame.collect()
    assert frame.height == table.rows_read == 90
    assert frame.row(0)[2:] == ("0", "A", "0", "0")


def test_openhtf_record(tmp_path: Path) -> None:
    record = {
        "dut_id": "S1", "station_id": "B4", "start_time_millis": 1788170400000, "outcome": "FAIL",
        "metadata": {"test_name": "rails"},
        "phases": [
            {"name": "power", "outcome": "PASS", "measurements": {
                "vout": {"name": "vout", "outcome": "PASS", "measured_value": 4.990, "units": ["volt", "VLT", "V"],
                         "validators": ["4.95 <= x <= 5.05"]},
                "fw": {"name": "fw", "outcome": "PASS", "measured_value": "v1"}}},
            {"name": "teardown", "outcome": "CONTINUE", "measurements": {}},
        ],
    }  # fmt: skip
    text = json.dumps(record).replace("4.99,", "4.990,")
    export = read(write(tmp_path, "record.json", text))
    wanted = (
        "serial",
        "station",
        "step_group",
        "measurement",
        "value",
        "text_value",
        "unit",
        "lower_limit",
        "upper_limit",
    )
    assert pick(records(export), *wanted) == [
        ("S1", "B4", "power", "vout", "4.990", None, "V", "4.95", "5.05"),
        ("S1", "B4", "power", "fw", None, "v1", None, None, None),
        ("S1", "B4", "teardown", "teardown", None, None, None, None, None),
    ]
    assert export.metadata == {"test_name": "rails", "outcome": "FAIL"}


def test_wats_report(tmp_path: Path) -> None:
    report = {
        "type": "T", "sn": "S1", "pn": "P", "start": "2026-08-31T10:00:00+00:00", "machineName": "B4", "result": "F",
        "root": {"stepType": "SequenceCall", "name": "Main", "status": "F", "steps": [
            {"stepType": "ET_NLT", "name": "VOUT", "status": "P", "numericMeas": [
                {"compOp": "GELE", "status": "P", "unit": "V", "value": 4.99, "lowLimit": 4.95, "highLimit": 5.05}]},
            {"stepType": "ET_MNLT", "name": "Rails", "status": "F", "numericMeas": [
                {"name": "A", "compOp": "LT", "status": "F", "unit": "mV", "value": 61, "lowLimit": 50},
                {"name": "B", "compOp": "LOG", "status": "P", "unit": "mV", "value": 1}]},
            {"stepType": "ET_SVT", "name": "FW", "status": "P", "stringMeas": [{"value": "v1", "status": "P"}]}]},
    }  # fmt: skip
    export = read(write(tmp_path, "report.json", json.dumps(report)))
    wanted = ("measurement", "value", "text_value", "unit", "lower_limit", "upper_limit", "result")
    assert export.format == "wsjf"
    assert pick(records(export), *wanted) == [
        ("Main", None, None, None, None, None, "Failed"),
        ("VOUT", "4.99", None, "V", "4.95", "5.05", "Passed"),
        ("Rails/A", "61", None, "mV", None, "50", "Failed"),
        ("Rails/B", "1", None, "mV", None, None, "Passed"),
        ("FW", None, "v1", None, None, None, "Passed"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xml", TESTSTAND[:700], r"a\.xml:\d+: the file begins as XML and cannot be read as that"),
        ("a.xml", "<?xml version='1.0'?>\n<svg/>", r"a\.xml:2: this is XML with the root element <svg>"),
        ("a.xml", "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><Reports/>", "declares an entity of its own"),
        ("a.xml", "<?xml version='1.0'?><Reports/>", "holds no step results"),
        ("a.json", '{"a": [1, 2\n', r"a\.json:2: the file begins as JSON"),
        ("a.json", '{"a": 1}', "neither an OpenHTF nor a WATS"),
        ("a.json", "[" * 100_000, "nested too deep|JSON"),
        ("a.lvm", "LabVIEW Measurement\nSeparator\tTab\n", "no line says"),
        ("a.atdf", "FAR:A", "its first record is no FAR"),
        ("a.parquet", b"PAR1" + bytes(50), "begins as Parquet"),
        ("a.arrow", b"ARROW1" + bytes(50), "begins as Arrow"),
        ("a.stdf", b"\x02\x00\x00\x0a\x02\x04\x0a\x00\x05\x0a", "cut in the record at byte 6"),
    ],
)
def test_broken_files_say_where(tmp_path: Path, name: str, content: bytes | str, message: str) -> None:
    with pytest.raises(ExportError, match=message) as caught:
        read(write(tmp_path, name, content))
    assert "\n" not in str(caught.value)


# --- LabVIEW ---


@needs_public
def test_public_lvm_files() -> None:
    comma = read(FOLDER / "labview_decimal_comma.lvm")
    assert [column.name for column in comma.tables[0].columns] == [
        "X_Value", "Untitled", "Untitled 1", "Untitled 2", "Untitled 3", "Comment",
    ]  # fmt: skip
    assert comma.tables[0].decimal == ","
    assert pick(records(comma), "_line", "Untitled 1")[0] == (23, "0,055544")
    assert comma.tables[0].rows_read == 6
    empty = read(FOLDER / "labview_empty_channels.lvm")
    assert empty.tables[0].rows_read == 7
    assert pick(records(empty), "X_Value", "Dev0/Ai0", "Untitled 1", "Dev0/Ai0 1")[0] == (
        "0.000000", "-0.011923", None, "-0.011923",
    )  # fmt: skip
    assert empty.metadata["X_Columns"] == "One"


def test_lvm_with_several_headers_comments_and_units(tmp_path: Path) -> None:
    block = (
        "Channels\t2\nSamples\t2\t2\nY_Unit_Label\tVolts\tg\nX_Dimension\tTime\tTime\n***End_of_Header***\n"
        "X_Value\tA\tB\tComment\n0.0\t1.5\t2\tfirst\n0.1\t1.6\t3\n\n"
    )
    head = "LabVIEW Measurement\nSeparator\tTab\nDecimal_Separator\t.\n***End_of_Header***\n\n"
    export = read(write(tmp_path, "run.lvm", head + block + block))
    assert [table.name for table in export.tables] == ["run", "run_2"]
    first = export.tables[0]
    assert [(column.name, column.units_row) for column in first.columns] == [
        ("X_Value", "s"), ("A", "Volts"), ("B", "g"), ("Comment", None),
    ]  # fmt: skip
    assert records(export)[1] == {"_row": 2, "_line": 13, "X_Value": "0.1", "A": "1.6", "B": "3", "Comment": None}
    assert records(export, 1)[0]["_line"] == 21


# --- semiconductor ---


@needs_public
def test_public_atdf() -> None:
    export = read(FOLDER / "atdf_ptr_scaled_units.atdf")
    wanted = ("_line", "serial", "test_number", "measurement", "value", "unit", "lower_limit", "upper_limit", "result")
    assert pick(records(export), *wanted) == [
        (13, "PART1", "10", "Supply", "1000", "mV", "900", "1100", "PASS"),
        (14, "PART1", "10", "Supply", "1010", "mV", "900", "1100", "FAIL"),  # unit and limits of the first record
        (15, "PART1", "11", "Pins[1]", "1", "mA", "0", "3", "PASS"),
        (15, "PART1", "11", "Pins[2]", "2", "mA", "0", "3", "PASS"),
        (16, "PART1", "12", "DIGITAL", None, None, None, None, "FAIL"),
    ]
    assert export.dialect["scaling"] == "U"
    assert export.dialect["contradictions"] == [
        {"test_number": "10", "results": 1010.0, "synopsis": "1.01", "power_of_ten": 3}
    ]


def test_atdf_continuation_and_garbage(tmp_path: Path) -> None:
    export = read(
        write(tmp_path, "x.atdf", "FAR:A|4|2|S\nPIR:1|1\nPTR:1|1|1|2.5|P||Na\n me|||V|1|3\n???\nPRR:1|1|7|1\n")
    )
    assert pick(records(export), "serial", "measurement", "value", "unit") == [("7", "Name", "2.5", "V")]
    assert export.tables[0].quarantine.rows() == [(2, 5, "no ATDF record", "???")]
    assert export.tables[0].rows_read == 2


def stdf(kind: int, sub: int, body: bytes, order: str = "<") -> bytes:
    return struct.pack(order + "HBB", len(body), kind, sub) + body


def text(value: str) -> bytes:
    return bytes([len(value)]) + value.encode()


@pytest.mark.parametrize("order", ["<", ">"])
def test_stdf(tmp_path: Path, order: str) -> None:
    def pack(code: str, *values: float) -> bytes:
        return struct.pack(order + code, *values)

    first = (
        pack("IBBBBf", 10, 1, 1, 0, 0, 4.99) + text("VOUT") + text("") + b"\x00\x00\x00\x00" + pack("ff", 4.95, 5.05)
    )
    content = (
        stdf(0, 10, bytes([2 if order == "<" else 1, 4]), order)
        + stdf(1, 10, pack("IIB", 0, 1788170400, 1) + b"P  " + pack("H", 0) + b" " + text("LOT7") + text("SRB"), order)
        + stdf(5, 10, pack("BB", 1, 1), order)
        + stdf(15, 10, first + text("V"), order)
        + stdf(15, 10, pack("IBBBBf", 10, 1, 1, 0x80, 0, 5.2), order)
        + stdf(15, 20, pack("IBBB", 20, 1, 1, 0), order)
        + stdf(5, 20, pack("BBBHHHhhI", 1, 1, 0, 2, 1, 1, 0, 0, 5) + text("PART9"), order)
        + stdf(50, 30, text("a note"), order)
    )
    export = read(write(tmp_path, "x.stdf", content))
    wanted = ("serial", "lot", "test_number", "measurement", "value", "unit", "lower_limit", "upper_limit", "result")
    assert pick(records(export), *wanted) == [
        ("PART9", "LOT7", "10", "VOUT", "4.99", "V", "4.95", "5.05", "PASS"),
        ("PART9", "LOT7", "10", "VOUT", "5.2", "V", "4.95", "5.05", "FAIL"),
        ("PART9", "LOT7", "20", "FTR 20", None, None, None, None, "PASS"),
    ]
    assert export.dialect["other_records"] == {"0.10": 1, "50.30": 1}
    assert export.metadata["part type"] == "SRB"
    with pytest.raises(ExportError, match=r"cut in the record at byte \d+"):
        read(write(tmp_path, "cut.stdf", content[:-3]))


# --- columnar and extras ---


def test_parquet_and_arrow(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"n": [1, 2], "v": [4.99, None], "ok": [True, False], "when": pl.Series([0, 1], dtype=pl.Datetime("ms")),
         "many": [[1, 2], []], "both": [{"a": 1}, {"a": 2}]}
    )  # fmt: skip
    frame.write_parquet(tmp_path / "a.parquet", metadata={"units": json.dumps({"v": "V"}), "operator": "Ada"})
    frame.write_ipc(tmp_path / "a.arrow")
    for name in ("a.parquet", "a.arrow"):
        export = read(tmp_path / name)
        assert pick(records(export), "_row", "n", "v", "ok", "many", "both") == [
            (1, "1", "4.99", "true", "1 2", '{"a":1}'),
            (2, "2", None, "false", "", '{"a":2}'),
        ]
        assert str(records(export)[0]["when"]).startswith("1970-01-01T00:00:00")
    parquet = read(tmp_path / "a.parquet")
    assert parquet.tables[0].columns[1].units_row == "V"
    assert parquet.metadata["operator"] == "Ada"


def test_a_panic_of_the_library_stays_off_stderr(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pl.DataFrame({"n": [1, 2], "s": ["a", "b"]}).write_ipc(tmp_path / "a.arrow")
    whole = (tmp_path / "a.arrow").read_bytes()
    broken = 0
    for at in range(8, len(whole), 16):
        try:
            read(write(tmp_path, "cut.arrow", whole[:at] + whole[at + 16 :]))
        except ExportError:
            broken += 1
    assert broken > 5
    assert capfd.readouterr().err == ""


def test_xlsx(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl, the package for Excel workbooks, is not installed")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Run 1"
    for row in (
        ["Operator:", "Ada"],
        [],
        ["n", "Voltage (V)", "note"],
        [1, 4.99, "a, b"],
        [2, 5.0, None],
        [3, "OL", ""],
    ):
        sheet.append(row)
    other = book.create_sheet("Limits")
    other.append(["name", "low"])
    other.append(["VOUT", 4.95])
    book.create_sheet("empty")
    book.save(tmp_path / "soak.xlsx")
    export = read(tmp_path / "soak.xlsx")
    assert [table.name for table in export.tables] == ["soak_run_1", "soak_limits"]
    assert pick(records(export), "_line", "n", "Voltage (V)", "note") == [
        (4, "1", "4.99", "a, b"), (5, "2", "5", None), (6, "3", "OL", None),
    ]  # fmt: skip
    assert export.metadata == {"Run 1: Operator": "Ada"}
    with pytest.raises(ExportError, match="cannot be unpacked"):
        read(write(tmp_path, "cut.xlsx", (tmp_path / "soak.xlsx").read_bytes()[:-30]))
    with pytest.raises(ExportError, match="begins as an Excel workbook"):
        read(write(tmp_path, "bad.xlsx", zipped(("[Content_Types].xml", b"<x/>"))))


def test_tdms(tmp_path: Path) -> None:
    nptdms = pytest.importorskip("nptdms", reason="nptdms, the package for TDMS files, is not installed")
    np = pytest.importorskip("numpy")
    waveform = {"wf_increment": 0.5}
    with nptdms.TdmsWriter(tmp_path / "x.tdms") as writer:
        writer.write_segment([
            nptdms.RootObject({"operator": "Ada"}),
            nptdms.ChannelObject("g", "V", np.array([4.99, 5.0]), {"unit_string": "V", **waveform}),
            nptdms.ChannelObject("g", "I", np.array([1.0, 2.0, 3.0]), {"unit_string": "A", **waveform}),
        ])  # fmt: skip
    export = read(tmp_path / "x.tdms")
    assert [(column.name, column.units_row) for column in export.tables[0].columns] == [
        ("time", "s"), ("V", "V"), ("I", "A"),
    ]  # fmt: skip
    assert pick(records(export), "time", "V", "I")[2] == ("1.0", None, "3.0")
    assert export.metadata == {"operator": "Ada"}
    cut = read(write(tmp_path, "short.tdms", (tmp_path / "x.tdms").read_bytes()[:-8]))
    assert "less data than expected" in str(cut.dialect["warnings"])
    with pytest.raises(ExportError, match="holds no channels"):
        read(write(tmp_path, "cut.tdms", b"TDSm" + bytes(20)))


@pytest.mark.parametrize(
    ("first", "second", "axis"),
    [
        ({"wf_increment": 2.0, "wf_xname": "Frequency", "wf_xunit_string": "Hz"}, None, ("Frequency", "Hz", "2.0")),
        ({"wf_increment": 2.0, "wf_xname": "Time"}, None, ("time", "s", "2.0")),
        ({"wf_increment": 2.0, "wf_start_offset": 1.0}, {"wf_increment": 2.0}, None),
        ({"wf_increment": 2.0}, {"wf_increment": 3.0}, None),
    ],
)
def test_tdms_channels_share_an_axis_or_none_is_given(
    tmp_path: Path, first: dict[str, object], second: dict[str, object] | None, axis: tuple[str, str, str] | None
) -> None:
    nptdms = pytest.importorskip("nptdms", reason="nptdms, the package for TDMS files, is not installed")
    np = pytest.importorskip("numpy")
    daqmx = {"unit_string": "mV", "NI_UnitDescription": "Volts", **(second or first)}
    with nptdms.TdmsWriter(tmp_path / "x.tdms") as writer:
        writer.write_segment([
            nptdms.ChannelObject("g", "a", np.array([4.99, 5.0]), first),
            nptdms.ChannelObject("g", "b", np.array([1.0, 2.0]), daqmx),
        ])  # fmt: skip
    (table,) = read(tmp_path / "x.tdms").tables
    found = [(column.name, column.units_row) for column in table.columns]
    assert found == ([axis[:2]] if axis else []) + [("a", None), ("b", "mV")]
    assert table.columns[-1].preamble == "Volts"
    assert axis is None or table.frame.collect().item(1, axis[0]) == axis[2]


# --- the registry ---


def test_formats_have_names_and_words() -> None:
    assert len({known.name for known in formats()}) == len(formats())
    assert all(known.description and known.suffixes for known in formats())
    assert formats()[-1].name == "delimited"


def test_an_unknown_reader_is_named_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no reader is called 'cvs'\. Hint: give one of .*delimited"):
        read(write(tmp_path, "x.csv", CSV), ReadOptions(reader="cvs"))


def test_the_user_names_the_reader(tmp_path: Path) -> None:
    path = write(tmp_path, "x.json", "{a,b\n1,2\n3,4\n")
    assert read(path, ReadOptions(reader="delimited")).format == "delimited"


def test_a_package_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nptdms", None)
    with pytest.raises(
        EnvironmentProblem, match=r"this is NI TDMS, and reading it needs the package nptdms\. Hint: `pip"
    ):
        read(write(tmp_path, "x.tdms", b"TDSm" + bytes(20)))


@pytest.fixture
def site_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """A package with an entry point, as a site would install it."""
    folder = tmp_path / "site"
    info = folder / "site_reader-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: site-reader\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[bench_analyze.readers]\nsite = site_reader:FORMAT\n")
    (folder / "site_reader.py").write_text(
        "from bench.readers import Format\n"
        "from bench.readers.delimited import read_delimited\n"
        "def own(source, options, content):\n    return read_delimited(source, options, content)\n"
        "FORMAT = Format('site', 'our tester', ('.o',), lambda head, name: name.endswith('.o'), 'site_reader:own')\n"
    )
    monkeypatch.syspath_prepend(folder)
    formats_function.cache_clear()
    yield folder
    formats_function.cache_clear()


def test_a_site_adds_its_own_reader(site_package: Path, tmp_path: Path) -> None:
    assert formats()[0].name == "site"
    assert isinstance(formats()[0], Format)
    assert read(write(tmp_path, "x.o", CSV)).tables[0].rows_read == 3
    (site_package / "site_reader.py").write_text("FORMAT = 1\n")
    for name in [name for name in sys.modules if name == "site_reader"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    formats_function.cache_clear()
    with pytest.raises(
        EnvironmentProblem, match=r"the reader 'site' of 'site_reader:FORMAT' is no bench\.readers\.Format"
    ):
        formats()


def test_durations_of_a_parquet_file_are_seconds(tmp_path: Path) -> None:
    path = tmp_path / "soak.parquet"
    frame = pl.DataFrame({"elapsed": [1500, None], "v": [4.9, 5.0]}, schema_overrides={"elapsed": pl.Duration("ms")})
    frame.write_parquet(path)
    table = read(path).tables[0]
    assert (table.columns[0].name, table.columns[0].units_row) == ("elapsed", "s")
    assert table.frame.select("elapsed", "v").collect().rows() == [("1.5", "4.9"), (None, "5.0")]


def test_openhtf_records_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    line = (
        '{"dut_id": "SN%s", "outcome": "PASS", "phases": [{"name": "p", '
        '"measurements": {"v": {"measured_value": 4.9}}}]}\n'
    )
    path.write_text(line % 1 + line % 2)
    frame = read(path).tables[0].frame.collect()
    assert frame.select("serial", "measurement", "value").rows() == [("SN1", "v", "4.9"), ("SN2", "v", "4.9")]


def test_durations_and_clocks_of_a_workbook_are_what_the_same_text_is(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra xlsx is not installed")
    book = openpyxl.Workbook()
    book.active.append(["Date", "Time", "Soak", "Rest (s)", "Rest (min)"])
    for n in range(3):
        lasts = timedelta(hours=30 * n, seconds=1.5)
        book.active.append([date(2026, 8, 31), time(10, 0, n), lasts, lasts, lasts])
    book.save(tmp_path / "soak.xlsx")
    with bench.analyze(tmp_path / "soak.xlsx") as analysis:
        table, units = analysis.table(), analysis.units("soak")
        assert table["Soak"].to_list() == table["Rest (s)"].to_list() == [1.5, 108001.5, 216001.5]
        assert (units["Soak"], units["Rest (s)"]) == ("s", "s")
        assert table["Rest (min)"].to_list() == ["0d 00:00:01.5", "1d 06:00:01.5", "2d 12:00:01.5"]  # not in min
        assert table["Date"][0] == date(2026, 8, 31)
        assert table["Time"].to_list() == [datetime(2026, 8, 31, 10, 0, n) for n in range(3)]
