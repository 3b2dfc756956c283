"""What is said beside a figure, from what a run read and what the guard found."""

from __future__ import annotations

from bench import caveats
from guards import ColumnReport, TableReport

TABLE = TableReport(
    "Retest",
    rows_kept=18,
    rows_changed=18,
    rows_quarantined=1,
    columns=(
        ColumnReport("serial", "identifier", verdict="kept"),
        ColumnReport("vin_v", "measured", unit="V", verdict="kept", faults=1, sentinels=2),
        ColumnReport("vout_v", "measured", unit="V", verdict="corrected", reason="Values are mV. Divided by 1000."),
        ColumnReport("iin_a", "measured", segment={"fixture": "FIX-01"}, unit="A", verdict="kept"),
        ColumnReport("iin_a", "measured", segment={"fixture": "FIX-03"}, verdict="refused", rows=6, reason="mixed."),
        ColumnReport("tcase_c", "measured", unit="degC", verdict="unverified"),
    ),
)  # fmt: skip
OTHER = TableReport(
    "soak", rows_kept=3, rows_changed=0, columns=(ColumnReport("vin_v", "measured", verdict="refused"),)
)


def read(*columns: str | None, table: str = "retest") -> list[caveats.ReadColumn]:
    return caveats.columns_read([TABLE, OTHER], [{"table": table, "column": column} for column in columns])


def test_reads_meet_reports_whatever_their_letter_case() -> None:
    assert [column.name for column in read("SERIAL", "vin_v")] == ["Retest.serial", "Retest.vin_v"]
    assert read("vin_v", table="elsewhere") == []


def test_a_read_of_unknown_columns_counts_for_all() -> None:
    assert len(read("serial", None)) == len(read("*", "serial")) == len(TABLE.columns)


def test_a_refused_segment_is_named_with_its_missing_rows() -> None:
    refused, quarantine = caveats.warnings(read("iin_a"))
    assert refused == (
        "Retest.iin_a (fixture FIX-03) was refused and is null: 6 rows missing from every figure that uses it (mixed)."
    )
    assert quarantine.startswith("1 row of Retest is in quarantine and in no figure")


def test_an_unverified_column_says_so() -> None:
    (unverified, _) = caveats.warnings(read("tcase_c"))
    assert unverified.startswith("Retest.tcase_c is unverified:")
    assert "(degC)" in unverified


def test_corrections_that_apply_are_those_of_the_columns_read() -> None:
    assert list(caveats.corrections(read("serial", "iin_a"))) == []
    assert list(caveats.corrections(read("vin_v", "vout_v"))) == [
        "Retest.vin_v: 2 overload or sentinel readings cleared to null, "
        "1 value out of range flagged as a fault and kept.",
        "Retest.vout_v: Values are mV. Divided by 1000.",
    ]
