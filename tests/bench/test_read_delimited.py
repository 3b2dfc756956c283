from pathlib import Path

import polars as pl
import pytest

from bench.errors import ExportAmbiguous, ExportEmpty, ExportError, ExportMissing, UsageError
from bench.export import Export
from bench.readers import ReadOptions, read
from bench.source import WHOLE_BYTES

ROWS = ["serial,t_s,vout_v,result", "S1,0,4.99,PASS", "S2,1,5.01,PASS", "S3,2,0.02,FAIL"]
PLAIN = "\n".join(ROWS) + "\n"


def write(folder: Path, content: str | bytes, name: str = "retest-2026-08-31.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(export: Export) -> list[tuple[object, ...]]:
    return export.tables[0].frame.collect().rows()


def cells(export: Export) -> list[tuple[object, ...]]:
    return [row[2:] for row in rows(export)]


def lines_accounted(export: Export) -> int:
    counts = export.dialect["lines"]
    assert isinstance(counts, dict)
    return sum(counts.values())


EXPECTED = [
    (1, 2, "S1", "0", "4.99", "PASS"),
    (2, 3, "S2", "1", "5.01", "PASS"),
    (3, 4, "S3", "2", "0.02", "FAIL"),
]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (PLAIN.encode(), "utf-8"),
        (PLAIN.rstrip("\n").encode(), "utf-8"),
        (PLAIN.replace("\n", "\r\n").encode(), "utf-8"),
        (PLAIN.replace("\n", "\r").encode(), "utf-8"),
        (b"\xef\xbb\xbf" + PLAIN.encode(), "utf-8"),
        (PLAIN.replace(",", ";").encode(), "utf-8"),
        (PLAIN.replace(",", "\t").encode(), "utf-8"),
        (PLAIN.replace(",", "|").encode(), "utf-8"),
        (PLAIN.encode("utf-16"), "utf-16-le"),
        (PLAIN.encode("utf-16-le"), "utf-16-le"),
        (PLAIN.encode("utf-16-be"), "utf-16-be"),
        (b"\xfe\xff" + PLAIN.encode("utf-16-be"), "utf-16-be"),
        ("\n".join(",".join(f'"{cell}"' for cell in row.split(",")) for row in ROWS).encode(), "utf-8"),
        (("\n\n".join(ROWS) + "\n\n\n").encode(), "utf-8"),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_one_table_in_many_dialects(tmp_path: Path, content: bytes, encoding: str) -> None:
    export = read(write(tmp_path, content))
    table = export.tables[0]
    assert [column.name for column in table.columns] == ["serial", "t_s", "vout_v", "result"]
    assert cells(export) == [row[2:] for row in EXPECTED]
    assert [row[0] for row in rows(export)] == [1, 2, 3]
    assert (table.name, table.rows_read, table.quarantine.height, table.decimal) == ("retest", 3, 0, ".")
    assert export.dialect["encoding"] == encoding
    assert table.frame.collect_schema() == pl.Schema(
        {"_row": pl.Int64, "_line": pl.Int64} | dict.fromkeys(["serial", "t_s", "vout_v", "result"], pl.String)
    )


def test_rows_carry_their_line(tmp_path: Path) -> None:
    assert rows(read(write(tmp_path, PLAIN))) == EXPECTED
    blank = read(write(tmp_path, "\n".join([ROWS[0], "", ROWS[1], ROWS[2], "  ", ROWS[3]])))
    assert [row[:2] for row in rows(blank)] == [(1, 3), (2, 4), (3, 6)]
    assert lines_accounted(blank) == 6


def test_quoted_cells_hold_delimiters_line_ends_and_quotes(tmp_path: Path) -> None:
    text = (
        'n,v,note\n1,2.5,"a, b"\n2,2.6,"two\r\nlines, and ""quotes"""\n3,2.7,""\n4,2.8,\n'
        '5,2.9,plain 2.5" fan\n6,3,"x"y\n'
    )
    export = read(write(tmp_path, text))
    assert rows(export) == [
        (1, 2, "1", "2.5", "a, b"),
        (2, 3, "2", "2.6", 'two\r\nlines, and "quotes"'),
        (3, 5, "3", "2.7", ""),
        (4, 6, "4", "2.8", None),
        (5, 7, "5", "2.9", 'plain 2.5" fan'),
        (6, 8, "6", "3", '"x"y'),
    ]
    assert export.tables[0].rows_read == 6
    assert lines_accounted(export) == 8


@pytest.mark.parametrize("unit", ["µV", "Ω", "°C", "kΩ"])
def test_unit_signs_survive_every_encoding(tmp_path: Path, unit: str) -> None:
    text = f"n,reading ({unit})\n1,5\n2,6\n3,7\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        if encoding == "cp1252" and "Ω" in unit:
            continue
        export = read(write(tmp_path, text.encode(encoding)))
        assert export.tables[0].columns[1].name == f"reading ({unit})", encoding


def test_stray_bytes_in_a_utf8_file_are_read_as_cp1252_and_said(tmp_path: Path) -> None:
    export = read(write(tmp_path, "n,v (µV),note\n1,5,Ω\n2,6,Ω\n".encode() + b"3,7,\xb5\n"))
    assert cells(export) == [("1", "5", "Ω"), ("2", "6", "Ω"), ("3", "7", "µ")]
    assert export.dialect["encoding_note"] == "1 bytes that are not UTF-8 were read as cp1252"


def test_ragged_rows_go_to_quarantine_with_text_line_and_reason(tmp_path: Path) -> None:
    text = PLAIN + "S4,3\nS5,4,5.0,PASS,extra,\nS6,5,5.0,PASS\nS7,6,5.0,PASS,,\n"
    export = read(write(tmp_path, text))
    table = export.tables[0]
    assert table.quarantine.rows() == [
        (4, 5, "2 fields where the table has 4", "S4,3"),
        (5, 6, "6 fields where the table has 4", "S5,4,5.0,PASS,extra,"),
    ]
    assert [row[0] for row in rows(export)] == [1, 2, 3, 6, 7]
    assert rows(export)[-1] == (7, 8, "S7", "6", "5.0", "PASS")
    assert table.rows_read == 7
    assert export.dialect["rows_trimmed"] == 1
    assert lines_accounted(export) == 8


def test_one_long_and_one_short_row_do_not_cancel_out(tmp_path: Path) -> None:
    export = read(write(tmp_path, PLAIN + "S4,3,5.0\nS5,4,5.0,PASS,x\n"))
    assert export.tables[0].quarantine.get_column("text").to_list() == ["S4,3,5.0", "S5,4,5.0,PASS,x"]
    assert export.tables[0].rows_read == 5


def test_a_quote_that_never_closes_costs_one_line(tmp_path: Path) -> None:
    export = read(write(tmp_path, 'n,v,note\n1,2,ok\n2,3,"open\n3,4,ok\n4,5,"fine, it is"\n5,6,ok\n'))
    table = export.tables[0]
    assert table.quarantine.rows() == [
        (2, 3, "a quote opens and does not close where a field ends", '2,3,"open'),
    ]
    assert cells(export) == [("1", "2", "ok"), ("3", "4", "ok"), ("4", "5", "fine, it is"), ("5", "6", "ok")]
    assert table.rows_read == 5


def test_many_quotes_that_never_close_still_end(tmp_path: Path) -> None:
    text = "n,v,note\n" + "".join(f'{n},{n}.5,"open {n}\n' for n in range(200))
    export = read(write(tmp_path, text))
    assert export.tables[0].rows_read == 200
    assert export.tables[0].frame.collect().height + export.tables[0].quarantine.height == 200


def test_a_repeated_header_is_no_row(tmp_path: Path) -> None:
    export = read(write(tmp_path, PLAIN + PLAIN))
    assert export.tables[0].quarantine.rows() == [(4, 5, "repeats the header", ROWS[0])]
    assert len(rows(export)) == 6


def test_column_names_are_verbatim_and_unique(tmp_path: Path) -> None:
    export = read(write(tmp_path, "V (V),V (V),,v (v),_row,A_2,A,A\n1,2,3,4,5,6,7,8\n1,2,3,4,5,6,7,8\n"))
    assert [column.name for column in export.tables[0].columns] == [
        "V (V)", "V (V)_2", "column_3", "v (v)_3", "_row_2", "A_2", "A", "A_3",
    ]  # fmt: skip
    assert [column.text for column in export.tables[0].columns] == [
        "V (V)",
        "V (V)",
        "",
        "v (v)",
        "_row",
        "A_2",
        "A",
        "A",
    ]
    assert cells(export)[0] == ("1", "2", "3", "4", "5", "6", "7", "8")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("retest-2026-08-31.csv", "retest"),
        ("production-run-2026-08.csv", "production_run"),
        ("Soak Run (3).CSV", "soak_run_3"),
        ("log_20260831.txt", "log"),
        ("2026-08-31.csv", "t_2026_08_31"),
        ("Ω-lauf.csv", "ω_lauf"),
        ("---.csv", "export"),
        ("5v rail.csv", "t_5v_rail"),
    ],
)
def test_table_names(tmp_path: Path, file: str, name: str) -> None:
    assert read(write(tmp_path, PLAIN, file)).tables[0].name == name


def test_header_only_reads_as_a_table_without_rows(tmp_path: Path) -> None:
    export = read(write(tmp_path, ROWS[0] + "\n"))
    assert [column.name for column in export.tables[0].columns] == ["serial", "t_s", "vout_v", "result"]
    assert export.tables[0].rows_read == 0
    assert rows(export) == []


def test_units_row(tmp_path: Path) -> None:
    export = read(write(tmp_path, "Time,CH1,CH2\nms,Volt,(mV)\n0,1.5,20\n1,1.6,21\n2,1.7,22\n"))
    assert [(column.name, column.units_row) for column in export.tables[0].columns] == [
        ("Time", "ms"), ("CH1", "Volt"), ("CH2", "(mV)"),
    ]  # fmt: skip
    assert export.tables[0].rows_read == 3
    assert rows(export)[0] == (1, 3, "0", "1.5", "20")


def test_preamble_is_metadata(tmp_path: Path) -> None:
    text = "Instrument,DMM6500\nOperator:,Ada\n\n" + PLAIN + "S4,3,5.00,PASS\n"
    export = read(write(tmp_path, text))
    assert export.metadata == {"Instrument": "DMM6500", "Operator": "Ada"}
    assert rows(export)[0] == (1, 5, "S1", "0", "4.99", "PASS")
    assert lines_accounted(export) == 8


def test_no_header(tmp_path: Path) -> None:
    export = read(write(tmp_path, "1,2.5\n2,2.6\n3,2.7\n"))
    assert [column.name for column in export.tables[0].columns] == ["column_1", "column_2"]
    assert len(rows(export)) == 3


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("n;v\n1;4,99\n2;5,01\n", ","),
        ("n;v\n1;4.99\n2;5.01\n", "."),
        ("n;v\n1;1.234,5\n2;2.345,25\n", ","),
        ("n;v\n1;1,234.5\n2;2,345.25\n", "."),
        ("n;v\n1;1,234\n2;2,345.25\n", "."),
        ("n;v\n1;1,234\n2;0,5\n", ","),
        ("n;v\n1;-1,5E-03\n2;2,5E-03\n", ","),
        ("n,v\n1,4.99\n2,5.01\n", "."),
        ('n,v\n1,"4,99"\n2,"5,01"\n', ","),
        ("n;v\n1;1\n2;2\n", "."),
        ("n;v\n1;1 234,5\n2;12 345,25\n3;0,5\n", ","),
    ],
)
def test_decimal_mark(tmp_path: Path, text: str, mark: str) -> None:
    export = read(write(tmp_path, text))
    assert export.tables[0].decimal == mark
    assert export.dialect["decimal"] == mark


def test_a_comma_that_can_be_either_mark_is_an_error_with_both_readings(tmp_path: Path) -> None:
    path = write(tmp_path, "n;v\n1;1,234\n2;2,345\n")
    with pytest.raises(ExportAmbiguous, match=r"'1,234' as 1\.234 \(decimal comma\) or as 1234 \(thousands mark\)"):
        read(path)
    assert read(path, ReadOptions(decimal=",")).tables[0].decimal == ","
    assert read(path, ReadOptions(decimal=".")).tables[0].decimal == "."


def test_an_ambiguous_comma_is_shown_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ExportAmbiguous, match=r"retest-2026-08-31\.csv:3: a comma in a number") as caught:
        read(write(tmp_path, "n;v\n1;12\n2;2,345\n"))
    assert "the line '2;2,345' reads 2 | 2.345 (--decimal ,) or 2 | 2345 (--decimal .)" in str(caught.value)


def test_a_decimal_comma_far_below_the_head_is_found(tmp_path: Path) -> None:
    body = "".join(f"{n};0\n" for n in range(5000)) + "".join(f"{n};0,5\n" for n in range(5000))
    assert read(write(tmp_path, "n;v\n" + body)).tables[0].decimal == ","
    assert read(write(tmp_path, "n;v\n" + body.replace("0,5", "0.5"))).tables[0].decimal == "."


def test_a_preamble_longer_than_the_head(tmp_path: Path) -> None:
    preamble = "".join(f"Note {n}:,text\n" for n in range(5000))
    export = read(write(tmp_path, preamble + "t,v,w\n" + "".join(f"{n},{n},{n}\n" for n in range(6000))))
    assert [column.name for column in export.tables[0].columns] == ["t", "v", "w"]
    assert rows(export)[0] == (1, 5002, "0", "0", "0")
    assert export.metadata["Note 4999"] == "text"
    assert lines_accounted(export) == 11_001


def test_a_comma_as_both_marks_is_an_error(tmp_path: Path) -> None:
    text = "Time(s),CH1\n" + "".join(f"0,{n},1,{n + 3}\n" for n in range(10, 60))
    with pytest.raises(
        ExportError, match="a comma is both the delimiter and the decimal mark: '0,10,1,13' has 4 fields"
    ):
        read(write(tmp_path, text))


def test_a_comma_as_both_marks_is_an_error_below_numbered_channels(tmp_path: Path) -> None:
    text = "Time(s),0,1\n" + "".join(f"0,{n:06},1,0\n" for n in range(40))
    with pytest.raises(ExportError, match=r"csv:2: a comma is both .*: '0,000000,1,0' has 4 fields under 3 names"):
        read(write(tmp_path, text))


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (b"", ExportEmpty, "the file is empty"),
        (b"\n\n  \n", ExportEmpty, "blank lines only"),
        (b"\xef\xbb\xbf", ExportEmpty, "blank lines only"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), ExportError, "a PNG picture"),
        (bytes(range(256)) * 20, ExportError, "not text"),
        (b"\x7fELF\x02\x01" + bytes(100), ExportError, "a program"),
    ],
    ids=["empty", "blank", "bom", "png", "bytes", "elf"],
)
def test_no_export(tmp_path: Path, content: bytes, kind: type[ExportError], message: str) -> None:
    with pytest.raises(kind, match=rf"retest-2026-08-31\.csv: .*{message}.* Hint: ") as caught:
        read(write(tmp_path, content))
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_no_file_and_no_directory(tmp_path: Path) -> None:
    with pytest.raises(ExportMissing, match="no such file"):
        read(tmp_path / "absent.csv")
    with pytest.raises(ExportMissing, match="a directory"):
        read(tmp_path)


def test_the_user_has_the_last_word(tmp_path: Path) -> None:
    path = write(tmp_path, "a;b,c\n1;2,3\n4;5,6\n")
    by_comma = read(path, ReadOptions(delimiter=",", table="mine"))
    assert by_comma.tables[0].name == "mine"
    assert [column.name for column in by_comma.tables[0].columns] == ["a;b", "c"]
    assert [column.name for column in read(path, ReadOptions(delimiter="semicolon")).tables[0].columns] == ["a", "b,c"]
    headless = read(path, ReadOptions(delimiter=";", header_rows=0))
    assert headless.tables[0].rows_read == 3
    latin = write(tmp_path, "n,µ\n1,2\n".encode("latin-1"), "l.csv")
    assert read(latin, ReadOptions(encoding="latin-1")).tables[0].columns[1].name == "µ"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "ab"}, "'ab' cannot be a delimiter"),
        ({"delimiter": '"'}, "cannot be a delimiter"),
        ({"decimal": ";"}, "the decimal mark is ';'"),
        ({"delimiter": ",", "decimal": ","}, "the same character"),
        ({"encoding": "klingon"}, "no encoding is called 'klingon'"),
        ({"header_rows": 9}, "9 header rows"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ReadOptions(**options)  # type: ignore[arg-type]


def test_a_large_file_stays_lazy_and_reads_the_same(tmp_path: Path) -> None:
    body = "".join(f"{n},{n / 8},x{n % 7}\n" for n in range(700_000))
    plain = read(write(tmp_path, "n,v,k\n" + body, "big.csv"))
    assert plain.dialect["path"] == "plain"
    careful = read(write(tmp_path, "n,v,k\n" + body + "short\n", "bad.csv"))
    assert careful.dialect["path"] == "careful"
    assert careful.tables[0].quarantine.rows() == [(700_001, 700_002, "1 fields where the table has 3", "short")]
    assert plain.tables[0].frame.collect().equals(careful.tables[0].frame.collect())
    cp1252 = read(write(tmp_path, ("n,µV,k\n" + body).encode("cp1252"), "cp.csv"))
    assert cp1252.dialect["path"] == "plain"
    assert cp1252.tables[0].frame.select("_row", "_line", "µV").tail(1).collect().rows() == [
        (700_000, 700_001, str(699_999 / 8))
    ]


def test_a_large_file_that_begins_with_blank_lines_is_refused_as_empty(tmp_path: Path) -> None:
    path = write(tmp_path, b"\n" * (5 << 20) + b"Time (s),T (\xb0C)\n1,2\n2,3\n", "blank.csv")
    with pytest.raises(ExportEmpty, match="holds no lines of text"):
        read(path)


def test_a_byte_order_mark_settles_the_encoding(tmp_path: Path) -> None:
    export = read(write(tmp_path, "\ufefft,Gr\u00f6\u00dfe (\u00b5A),k\n".encode() + b"1,2,M\xfcller\n" * 30))
    assert export.tables[0].columns[1].name == "Gr\u00f6\u00dfe (\u00b5A)"
    assert export.dialect["encoding_note"] == "30 bytes that are not UTF-8 were read as cp1252"


@pytest.mark.parametrize(
    ("last", "encoding", "note", "path", "text"),
    [
        ("1,\u00b5".encode(), "utf-8", None, "plain", "\u00b5"),
        (b"1,\xb5", "cp1252", None, "plain", "\u00b5"),
        ("1,\u2126".encode()[:-1], "cp1252", None, "plain", "\u00e2\u201e"),
        ("2,\u2126\n".encode() + b"1,\xb5", "utf-8", "1 bytes that are not UTF-8 were read as cp1252", "plain",
         "\u00b5"),
        ("3\n1,\u2126".encode(), "utf-8", None, "careful", "\u2126"),
        (b"3\n1,\xb5", "cp1252", None, "careful", "\u00b5"),
    ],
)  # fmt: skip
def test_what_the_bytes_are_may_show_in_the_last_of_them(
    tmp_path: Path, last: bytes, encoding: str, note: str | None, path: str, text: str
) -> None:
    body = b"n,k\n" + b"".join(b"%d,a text of some length\n" % n for n in range(400_000))
    assert len(body) > WHOLE_BYTES
    export = read(write(tmp_path, body + last + b"\n", "big.csv"))
    assert (export.dialect["encoding"], export.dialect.get("encoding_note")) == (encoding, note)
    assert export.dialect["path"] == path
    assert export.tables[0].frame.select("k").tail(1).collect().item() == text
    assert lines_accounted(export) == body.count(b"\n") + last.count(b"\n") + 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a" * (3 << 20), "its first line does not end within the first MB"),
        (b"," * 20_000 + b"\n" + b"1," * 20_000 + b"\n", "its lines have 20001 fields"),
    ],
    ids=["endless", "wide"],
)
def test_what_is_no_table_of_lines_is_refused_at_once(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(ExportError, match=message):
        read(write(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "read_rows"),
    [
        (b"\n" + b"\r" * 300_000 + b"n,v\n1,2\n3,4\n", 2),
        (b"n,v\n" + b'1,"x\n' * 50_000, 50_000),
        (b'n,v\n1,"' + b"a,b\n" * 500_000, 500_000),
        (b"n,v\n1,2\n3,4\n" + b"\0" * 300_000, 3),
    ],
    ids=["returns", "quotes", "one-quote", "nul"],
)
def test_hostile_texts_end_soon(tmp_path: Path, content: bytes, read_rows: int) -> None:
    export = read(write(tmp_path, content))
    assert export.tables[0].rows_read == read_rows
    assert export.tables[0].frame.collect().height + export.tables[0].quarantine.height == read_rows


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        ("n,电压(V),电流(mA),温度(℃)", "gb18030"),
        ("n,R(Ω)", "gb18030"),
        ("n,Größe (µV),°C", "cp1252"),
        ("n,T (°C)", "cp1252"),
    ],
)
def test_chinese_bytes_are_told_from_western_ones(tmp_path: Path, header: str, encoding: str) -> None:
    text = header + "\n" + f"1{',2' * header.count(',')}\n" * 3
    export = read(write(tmp_path, text.encode(encoding)))
    assert [column.name for column in export.tables[0].columns] == header.split(",")
    assert export.dialect["encoding"] == encoding


def test_a_named_reader_and_decimal_mark_have_the_last_word(tmp_path: Path) -> None:
    path = write(tmp_path, '{"not": "a report"}\n1;1,234\n2;2,345\n', "log.json")
    with pytest.raises(ExportError, match="cannot be read as that"):
        read(path)
    export = read(path, ReadOptions(reader="delimited", delimiter=";", decimal=",", header_rows=0))
    assert export.format == "delimited"
    assert export.tables[0].decimal == ","
    with pytest.raises(UsageError, match=r"no reader is called 'cvs'.*delimited"):
        read(path, ReadOptions(reader="cvs"))


@pytest.mark.parametrize("content", [b"\r\n\r\n\r\n" + 2 * b"\x001\x001\r\n", b"\r\n11111\r\n\x001\x001\r\n\x001\x00"])
def test_nul_bytes_in_plain_text_do_not_make_it_utf_16(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(ExportError, match="control characters"):
        read(path)


def test_dotted_dates_between_semicolons_tell_that_a_comma_is_the_decimal_mark(tmp_path: Path) -> None:
    body = "".join(f"05.10.2026 08:0{n}:00;5,00{n}\n" for n in range(6))
    export = read(write(tmp_path, f"Datum;Vout (V)\n{body}"))
    assert export.tables[0].decimal == ","
    assert export.dialect["decimal_why"] == "dates such as 05.10.2026 between semicolons go with a decimal comma"


def test_a_dotted_date_above_the_table_tells_as_well(tmp_path: Path) -> None:
    export = read(write(tmp_path, "Datum;05.10.2026\nPrüfer;JK\n\nNr;Vout (V)\nS1;5,001\nS2;5,002\nS3;5,003\n"))
    assert export.tables[0].decimal == ","


@pytest.mark.parametrize(
    "text",
    [
        "Datum;Vout (V)\n2026-10-05;5,001\n2026-10-06;5,002\n",
        "Date;Vout (V)\n10.25.2026;5,001\n10.26.2026;5,002\n",
        'Datum,Vout (V)\n05.10.2026,"5,001"\n06.10.2026,"5,002"\n',
        "Firmware;Vout (V)\n1.10.26;5,001\n1.10.27;5,002\n",
    ],
    ids=["iso", "month first", "commas", "version"],
)
def test_other_dates_leave_a_comma_before_three_digits_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ExportAmbiguous, match="a comma in a number can be read two ways here: '5,001'"):
        read(write(tmp_path, text))


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f", "'"])
@pytest.mark.parametrize("digits", ["5", "500"])
def test_a_comma_behind_spaced_thousands_is_the_decimal_mark(tmp_path: Path, space: str, digits: str) -> None:
    body = "".join(f"S{n};4{space}98{n},{digits}\n" for n in range(6))
    assert read(write(tmp_path, f"serial;Vout (mV)\n{body}")).tables[0].decimal == ","
    late = "".join(f"S{n};4{space}980\n" for n in range(3000)) + body
    assert read(write(tmp_path, f"serial;Vout (mV)\n{late}")).tables[0].decimal == ","


@pytest.mark.parametrize("end", [b"\xc2", b"\xe2\x84"])
def test_a_text_cut_within_its_only_character_says_so(tmp_path: Path, end: bytes) -> None:
    export = read(write(tmp_path, PLAIN.encode().rstrip(b"\n") + end))
    assert "may be cut" in str(export.dialect["encoding_note"])


def test_a_sign_before_the_end_is_no_cut_character(tmp_path: Path) -> None:
    export = read(write(tmp_path, PLAIN.replace("4.99", "4.99 \xb5V").encode("cp1252")))
    assert (export.dialect["encoding"], "encoding_note" in export.dialect) == ("cp1252", False)
