"""In-circuit logs in braces: values, implied units, limits in their order, and what is broken about a log."""

from pathlib import Path

from bench.readers import read

LOG = """{@BATCH|SRB-5030|02|17|1|0||b7|ada||plan||
{@BTEST|SN123|00|260831100000|000010|0|all||n|n|260831100010|
{@BLOCK|r1|00
{@A-RES|0|+1.001E+03{@LIM2|+1.050E+03|+9.500E+02}}
}
{@BLOCK|c3|01
{@A-CAP|1|+1.200E-07|sub{@LIM3|+1.0E-07|+1.1E-07|+9.0E-08}}
{@RPT|c3 HAS FAILED}
}
{@BLOCK|u4|00
{@D-T|0|0|0|14|u4}
}
{@A-JUM|0|-4.67E+04|w1{@LIM2|+1.0E+01|+0.0E+00}}
}
}
"""


def test_measurements_take_their_unit_from_their_type(tmp_path: Path) -> None:
    path = tmp_path / "board.log"
    path.write_bytes(LOG.replace("\n", "\r\n").encode("cp1252"))
    export = read(path)
    assert export.format == "i3070"
    frame = export.tables[0].frame.collect()
    shown = ["_line", "serial", "measurement", "value", "unit", "lower_limit", "upper_limit", "result"]
    assert frame.select(shown).rows() == [
        (4, "SN123", "r1", "+1.001E+03", "ohm", "+9.500E+02", "+1.050E+03", "PASS"),
        (7, "SN123", "c3/sub", "+1.200E-07", "F", "+9.0E-08", "+1.1E-07", "FAIL"),
        (11, "SN123", "u4", None, None, None, None, "PASS"),
        (13, "SN123", "u4/w1", "-4.67E+04", "ohm", "+0.0E+00", "+1.0E+01", "PASS"),
    ]
    assert frame.get_column("timestamp")[0] == "2026-08-31T10:00:00"
    assert export.metadata == {
        "UUT type": "SRB-5030", "revision": "02", "fixture": "17", "testhead": "1", "batch": "b7", "operator": "ada",
    }  # fmt: skip
    assert export.dialect["other_records"] == {"@RPT": 1}
    assert export.tables[0].rows_read == 4


def test_what_is_no_record_is_quarantined(tmp_path: Path) -> None:
    path = tmp_path / "board.log"
    path.write_text(LOG + "stray\n}\n")
    table = read(path).tables[0]
    assert table.rows_read == 6
    assert table.quarantine.select("_row", "_line", "reason", "text").rows() == [
        (5, 16, "text outside of a record", "stray"), (6, 17, "a brace closes that was not opened", "}"),
    ]  # fmt: skip
