"""Small tables below keys and values, which are no table themselves."""

from pathlib import Path

import pytest

from bench.readers import read

KEYS = {
    "words": "Product,PSU-24\nOperator,JK\nVin,24\n",
    "units": "Product,PSU-24\nVin (V),24.0\nTemp (C),25\n",
    "numbers": "Batch,1234\nBoards,3\nVin,24\n",
    "times": "Date,2026-10-05\nTime,08:00:00\nOperator,JK\n",
    "filled up": "Product,PSU-24,,\nVin (V),24.0,,\n",
    "a blank row": "Product,PSU-24,,\nVin (V),24.0,,\n,,,\n",
    "title": "EOL test report,,\n",
    "many": "Product,PSU-24\nVin,24\nIin,1\nTemp,25\nRH,40\nLot,7\n",
}
TABLES = {
    "serials": ("serial,vout_v\n", "S{n},5.{n}\n", ["serial", "vout_v"]),
    "results": ("serial,vout_v,result\n", "S{n},5.{n},PASS\n", ["serial", "vout_v", "result"]),
    "numbers": ("n,vout_v\n", "{n},5.{n}\n", ["n", "vout_v"]),
    "times": ("time,vin,vout\n", "08:00:0{n},24.{n},5.{n}\n", ["time", "vin", "vout"]),
    "units": ("n,Vout\n,V\n", "{n},5.{n}\n", ["n", "Vout"]),
}


@pytest.mark.parametrize("blank", ["", "\n"])
@pytest.mark.parametrize("count", [1, 2, 3, 9])
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("keys", KEYS)
def test_keys_above_a_small_table_are_metadata(tmp_path: Path, keys: str, table: str, count: int, blank: str) -> None:
    header, form, names = TABLES[table]
    path = tmp_path / "x.csv"
    path.write_text(KEYS[keys] + blank + header + "".join(form.format(n=n + 1) for n in range(count)))
    export = read(path)
    (found,) = export.tables
    assert [column.text for column in found.columns] == names
    assert (found.frame.collect().height, found.rows_read, found.quarantine.height) == (count, count, 0)
    if keys != "title":
        pairs = [line.split(",")[:2] for line in KEYS[keys].splitlines() if line.strip(",")]
        assert dict(pairs).items() <= export.metadata.items()


@pytest.mark.parametrize(
    ("text", "names", "count"),
    [
        ("name,v_v\ngolden,5.0\nreference,n.m.\nS1,5.0\nS2,5.1\n", ["name", "v_v"], 4),
        ("what,vout\nMin,4.9\nMax,5.1\nAvg,5.0\nStd,0.1\n", ["what", "vout"], 4),
        ("serial,vout\nS1,n.m.\nS2,n.m.\nS3,5.0\nS4,5.1\n", ["serial", "vout"], 4),
        ("Relay,State\nK1,on\nK2,off\nK3,on\n", ["Relay", "State"], 3),
    ],
    ids=["references", "statistics", "readings that failed", "words"],
)
def test_rows_of_a_table_are_no_keys(tmp_path: Path, text: str, names: list[str], count: int) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    export = read(path)
    assert [column.text for column in export.tables[0].columns] == names
    assert export.tables[0].frame.collect().height == count
    assert export.metadata == {}


def test_values_by_name_above_a_table_are_a_table(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("name,value\nVOUT,5.0\nIIN,0.5\n\nserial,vout\nS1,5.0\nS2,5.1\nS3,5.2\n")
    assert [table.rows_read for table in read(path).tables] == [2, 3]
