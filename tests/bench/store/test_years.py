"""Years of one test in one table: columns that come, go, change type or unit; alerts; versions judged again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bench
from bench import tables
from bench.store.columns import Extent, Incoming, Stored, place_all
from bench.store.history import History

from .conftest import BOARD, asked, entries

Cli = Callable[..., Any]


@pytest.fixture
def year(here: Cli, inbox: Path, store: Path) -> Cli:
    """Ingest one export of the table `final`, whose text is given."""
    years: list[int] = []

    def run(text: str, *arguments: object) -> Any:
        years.append(2001 + len(years))
        (inbox / f"final-{years[-1]}-01-01.csv").write_text(text)
        return here("ingest", inbox, "--db", store, "--settle", 0, "--json", *arguments)

    return run


def columns(store: Path, table: str = "final") -> dict[str, str]:
    return dict(asked(store, f"SELECT column_name, column_type FROM (DESCRIBE {table})"))


def test_columns_come_and_go(year: Cli, store: Path) -> None:
    year("serial,vout_v\nA,4.99\n")
    year("serial,vout_v,operator\nB,5.01,kim\n")
    year("operator,serial\nlee,C\n")
    assert columns(store) == {
        "_export": "BIGINT", "_row": "BIGINT", "serial": "VARCHAR", "vout_v": "DOUBLE", "operator": "VARCHAR",
    }  # fmt: skip
    assert asked(store, "SELECT serial, vout_v, operator FROM final ORDER BY _export") == [
        ("A", 4.99, None), ("B", 5.01, "kim"), ("C", None, "lee"),
    ]  # fmt: skip


def test_another_unit_of_a_column_gets_a_column_of_its_own(year: Cli, here: Cli, store: Path) -> None:
    year("serial,ripple\n,mV\nA,12.5\nB,13.5\n")
    year("serial,ripple\n,V\nC,0.0125\nD,0.0135\n")
    year("serial,ripple\n,mV\nE,14.5\nF,15\n")
    assert asked(store, 'SELECT serial, ripple, "ripple [V]" FROM final ORDER BY _export, _row') == [
        ("A", 12.5, None), ("B", 13.5, None), ("C", None, 0.0125), ("D", None, 0.0135), ("E", 14.5, None),
        ("F", 15, None),
    ]  # fmt: skip
    truth = "SELECT export, column_name, unit FROM guard.units WHERE column_name LIKE 'ripple%' ORDER BY export"
    assert asked(store, truth) == [(1, "ripple", "mV"), (2, "ripple [V]", "V"), (3, "ripple", "mV")]
    assert asked(store, "SELECT source_name FROM guard.columns WHERE column_name = 'ripple [V]'") == [("ripple",)]
    with bench.open(store) as analysis:
        assert analysis.units("final") == {"serial": None, "ripple": "mV", "ripple [V]": "V"}
    document = here("--from", store, "--tables", "final", "--json").document
    assert {each["name"]: each["unit"] for each in document["guard"]["tables"][0]["columns"]}["ripple [V]"] == "V"


def test_a_measurement_with_another_unit_gets_a_column_of_its_own(year: Cli, store: Path) -> None:
    head = "serial,measurement,value,unit\n"
    year(head + "A,VOUT,4.99,V\nA,RIPPLE,12,mV\n")
    year(head + "B,VOUT,5.01,V\nB,IQ,7,mA\n")
    year(head + "C,VOUT,4.98,V\nC,RIPPLE,0.012,V\n")
    rows = 'SELECT serial, measurement, value, "value [V]" FROM final ORDER BY _export, _row'
    assert asked(store, rows) == [
        ("A", "VOUT", 4.99, None), ("A", "RIPPLE", 12.0, None), ("B", "VOUT", 5.01, None), ("B", "IQ", 7.0, None),
        ("C", "VOUT", None, 4.98), ("C", "RIPPLE", None, 0.012),
    ]  # fmt: skip


def test_types_widen_without_loss_or_part(year: Cli, store: Path) -> None:
    year("serial,count\n17,3\n")
    year("serial,count\nSN-18,4.5\n")
    year("serial,count\n19,6\n")
    assert columns(store)["serial"] == "VARCHAR"
    found = asked(store, "FROM final ORDER BY _export")
    assert [row[2] for row in found] == ["17", "SN-18", "19"]
    numbers = [[value for value in row[3:] if value is not None] for row in found]
    assert numbers == [[3], [4.5], [6]]


def test_text_in_a_column_of_numbers_gets_a_column_of_its_own(year: Cli, store: Path) -> None:
    year("serial,vout_v\nA,4.99\nB,5\n")
    year("serial,vout_v\nC,pass\nD,fail\n")
    found = columns(store)
    assert found["vout_v"] == "DOUBLE"
    with_text = [name for name, type_ in found.items() if name.startswith("vout_v (") and type_ == "VARCHAR"]
    assert with_text or asked(store, "SELECT count(vout_v) FROM final WHERE _export = 2") == [(0,)]


def test_names_that_differ_by_case_only_are_one_column(year: Cli, store: Path) -> None:
    year("Serial,VOUT_V\nA,4.99\n")
    year("serial,vout_v\nB,5.01\n")
    assert list(columns(store)) == ["_export", "_row", "Serial", "VOUT_V"]
    assert asked(store, "SELECT serial, vout_v FROM final ORDER BY ALL") == [("A", 4.99), ("B", 5.01)]


def test_a_column_without_values_waits_for_its_type(year: Cli, store: Path) -> None:
    year("serial,reading\nA,\nB,\n")
    year("serial,reading\nC,1.5\n")
    year("serial,reading\nD,\n")
    assert asked(store, "SELECT serial, reading FROM final ORDER BY _export, _row") == [
        ("A", None), ("B", None), ("C", 1.5), ("D", None),
    ]  # fmt: skip


VOLTS = "serial,vout_v\n" + "".join(f"SN-{{0}}{n},{4.98 + n / 200:.3f}\n" for n in range(8))
MILLIVOLTS = "serial,vout_v\n" + "".join(f"SN-{{0}}{n},{4980 + n * 5}\n" for n in range(8))


def test_a_tester_that_starts_to_log_millivolts_is_one_alert(year: Cli, here: Cli, store: Path) -> None:
    assert year(VOLTS.format(1), "--strict").exit_code == 0
    assert year(VOLTS.format(2), "--strict").exit_code == 0
    done = year(MILLIVOLTS.format(3), "--strict")
    assert done.exit_code == 3
    (alert,) = entries(done.stdout)[-1]["alerts"]
    assert alert["message"] == "final.vout_v was kept in V, and now is corrected from mV to V (factor 0.001)"
    assert year(MILLIVOLTS.format(4), "--strict").exit_code == 0
    status = here("status", "--db", store, "--json").document
    assert [each["message"] for each in status["alerts"]] == [alert["message"]]
    assert status["last_run"]["alerts"] == 0
    assert "alerts: 1" in here("status", "--db", store).stdout
    assert asked(store, "SELECT export, alerts FROM guard.runs, guard.alerts ORDER BY started_at")[-2:] == [
        (3, 1),
        (3, 0),
    ]


def test_an_alert_stands_in_the_summary_and_is_no_error_by_itself(
    year: Cli, here: Cli, inbox: Path, store: Path
) -> None:
    year(VOLTS.format(1))
    (inbox / "final-2002-01-01.csv").write_text(MILLIVOLTS.format(2))
    done = here("ingest", inbox, "--db", store, "--settle", 0)
    assert done.exit_code == 0
    assert "alerts: 1\n  final.vout_v was kept in V, and now is corrected" in done.stdout


def test_judged_again_under_another_profile(year: Cli, here: Cli, inbox: Path, store: Path, tmp_path: Path) -> None:
    year(VOLTS.format(1)), year(MILLIVOLTS.format(2))
    receipt = tmp_path / "receipt.json"
    code = "con.sql('select sum(vout_v), count(*) from final').fetchone()"
    assert here("--from", store, "-c", code, "--receipt", receipt).exit_code == 0
    before = asked(store, "SELECT sum(vout_v) FROM final")
    assert {entry["ingest"] for entry in entries(year(VOLTS.format(3), "--reguard").stdout)} == {"skipped", "added"}
    (inbox / "board.toml").write_text(BOARD.replace('absolute = ["-0.3 V", "6 V"]', 'absolute = ["-0.3 V", "6000 V"]'))
    assert [
        each["ingest"] for each in entries(here("ingest", inbox, "--db", store, "--settle", 0, "--json").stdout)
    ] == ["skipped"] * 3
    done = here("ingest", inbox, "--db", store, "--settle", 0, "--reguard", "--json")
    assert [each["ingest"] for each in entries(done.stdout)] == ["added"] * 3
    assert entries(done.stdout)[0]["reason"] == "judged again, in place of version 1"
    current = "SELECT export, superseded_by FROM guard.exports ORDER BY export"
    assert asked(store, current) == [(1, 4), (2, 5), (3, 6), (4, None), (5, None), (6, None)]
    assert asked(store, "SELECT count(*), count(vout_v), count(DISTINCT _export), min(_export) FROM final") == [
        (24, 16, 3, 4)
    ]
    assert asked(store, "SELECT sum(vout_v) FROM superseded.final WHERE _export < 3") == before
    assert asked(tables.raw_path(store), "SELECT count(*), count(DISTINCT sha256) FROM files") == [(3, 3)]
    again = here("replay", receipt)
    assert again.exit_code == 0, again.said
    status = here("status", "--db", store, "--json").document
    assert (status["counts"]["exports"], status["counts"]["versions"], status["counts"]["rows_kept"]) == (3, 6, 24)
    same = here("ingest", inbox, "--db", store, "--settle", 0, "--reguard", "--json")
    assert {each["ingest"] for each in entries(same.stdout)} == {"skipped"}


def test_an_approval_is_taken_up_by_judging_again(here: Cli, inbox: Path, store: Path) -> None:
    path = inbox / "log.csv"
    (inbox / "board.toml").unlink()
    path.write_text("serial,tcase_c\n" + "".join(f"SN-{n},{298 + n / 10}\n" for n in range(12)))
    assert here("ingest", inbox, "--db", store, "--settle", 0).exit_code == 0
    done = here("approve", path, "--column", "tcase_c", "--unit", "K", "--why", "the logger is in K", "--yes")
    assert done.exit_code == 0, done.said
    done = here("ingest", inbox, "--db", store, "--settle", 0, "--reguard", "--json")
    assert entries(done.stdout)[0]["reason"] == "judged again, in place of version 1"
    ((approvals,),) = asked(store, "SELECT approvals FROM guard.exports WHERE superseded_by IS NULL")
    assert json.loads(approvals)[0]["unit"] == "K"
    assert asked(store, "SELECT round(min(tcase_c), 2) FROM log") == [(24.85,)]


V, NONE = {None: "V"}, {None: None}
FULL, EMPTY, HUGE = Extent(9, 7), Extent(0), Extent(9, 2**60)


@pytest.mark.parametrize(
    ("name", "incoming", "stored", "place"),
    [
        ("v", ("DOUBLE", V, FULL), ("DOUBLE", V, FULL), ("v", "DOUBLE")),
        ("V", ("DOUBLE", {}, EMPTY), ("DOUBLE", V, FULL), ("v", "DOUBLE")),
        ("v", ("DOUBLE", {None: "mV"}, FULL), ("DOUBLE", V, FULL), ("v [mV]", "DOUBLE")),
        ("v", ("DOUBLE", NONE, FULL), ("DOUBLE", V, FULL), ("v (number)", "DOUBLE")),
        ("v", ("BIGINT", NONE, FULL), ("DOUBLE", NONE, FULL), ("v", "DOUBLE")),
        ("v", ("BIGINT", NONE, HUGE), ("DOUBLE", NONE, FULL), ("v (integer)", "BIGINT")),
        ("v", ("DOUBLE", NONE, FULL), ("BIGINT", NONE, FULL), ("v", "DOUBLE")),
        ("v", ("DOUBLE", NONE, FULL), ("BIGINT", NONE, HUGE), ("v (number)", "DOUBLE")),
        ("v", ("VARCHAR", NONE, FULL), ("DOUBLE", NONE, FULL), ("v (text)", "VARCHAR")),
        ("v", ("VARCHAR", NONE, FULL), ("BIGINT", NONE, FULL), ("v", "VARCHAR")),
        ("v", ("BIGINT", NONE, FULL), ("VARCHAR", NONE, FULL), ("v", "VARCHAR")),
        ("v", ("VARCHAR", NONE, FULL), ("TIMESTAMP", NONE, EMPTY), ("v", "VARCHAR")),
        ("v", ("DOUBLE", {"A": "V"}, FULL), ("DOUBLE", {"B": "mV"}, FULL), ("v", "DOUBLE")),
        ("v", ("DOUBLE", {"A": "V"}, FULL), ("DOUBLE", {"A": "mV"}, FULL), ("v [V]", "DOUBLE")),
    ],
)
def test_where_a_column_goes(
    name: str, incoming: tuple[Any, ...], stored: tuple[Any, ...], place: tuple[str, str]
) -> None:
    (found,) = place_all([Incoming(name, *incoming)], [Stored("v", "v", *stored[:2])], lambda _: stored[2])
    assert (found.stored.name, found.stored.type) == place


TYPES = st.sampled_from(["BIGINT", "DOUBLE", "VARCHAR", "TIMESTAMP", "BOOLEAN"])
UNITS = st.dictionaries(st.sampled_from([None, "A", "B"]), st.sampled_from([None, "V", "mV"]), max_size=3)
EXTENTS = st.builds(Extent, st.integers(0, 3), st.sampled_from([0, 7, 2**60]))
EXPORTS = st.lists(
    st.lists(st.builds(Incoming, st.sampled_from(["v", "V [mV]", "v (text)", "w"]), TYPES, UNITS, EXTENTS), max_size=4,
             unique_by=lambda column: column.name), max_size=6,
)  # fmt: skip
LOSSLESS = {("BIGINT", "DOUBLE"), ("BIGINT", "VARCHAR")}


@settings(deadline=None)
@given(EXPORTS)
def test_whatever_comes_no_column_holds_two_units_or_loses_a_value(exports: list[list[Incoming]]) -> None:
    stored: dict[str, Stored] = {}
    held: dict[str, list[Incoming]] = {}

    def extent_of(column: Stored) -> Extent:
        there = [each.extent for each in held.get(column.name, [])]
        return Extent(sum(each.values for each in there), max((each.magnitude for each in there), default=0))

    for incoming in exports:
        places = place_all(incoming, list(stored.values()), extent_of)
        names = [place.stored.name.lower() for place in places]
        assert len(set(names)) == len(names)
        assert [place.name for place in places] == [column.name for column in incoming]
        for column, place in zip(incoming, places, strict=True):
            assert place.new == (place.stored.name not in stored)
            stored[place.stored.name] = place.stored
            held.setdefault(place.stored.name, []).append(column)
    assert len({name.lower() for name in stored}) == len(stored)
    for name, columns in held.items():
        units: dict[str | None, set[str | None]] = {}
        for column in columns:
            for measurement, unit in column.units.items():
                units.setdefault(measurement, set()).add(unit)
            filled = column.extent.values > 0 and column.type != stored[name].type
            assert not filled or (column.type, stored[name].type) in LOSSLESS
            assert not filled or stored[name].type != "DOUBLE" or column.extent.magnitude <= 2**53
        assert all(len(found) == 1 for found in units.values())


def test_no_two_columns_of_an_export_go_to_one_place() -> None:
    incoming = [Incoming(name, "DOUBLE", {None: "V"}, Extent(1)) for name in ("v", "v [V]", "v (number)")]
    stored = [Stored("v", "v", "DOUBLE", {None: "mV"})]
    names = [each.stored.name for each in place_all(incoming, stored, lambda _: Extent(1))]
    assert len({name.lower() for name in names} | {"v"}) == 4


def test_history_forgets_what_is_long_ago() -> None:
    history, kept = History(), ("kept", "V", "V", 1.0)
    part = ("t", "v", None)
    corrected = ("corrected", "mV", "V", 0.001)
    assert history.add([(part, kept)]) == []
    assert len(history.add([(part, corrected)])) == 1
    assert history.add([(part, kept)]) == []
    for _ in range(20):
        assert history.add([(part, kept)]) == []
    (alert,) = history.add([(part, corrected)])
    assert alert.message == "t.v was kept in V, and now is corrected from mV to V (factor 0.001)"
    assert history.add([(("T", "V", None), corrected)]) == []


def test_what_the_inbox_no_longer_holds_is_judged_again_from_raw(
    year: Cli, here: Cli, inbox: Path, store: Path
) -> None:
    year(MILLIVOLTS.format(1)), year(VOLTS.format(2))
    modified = asked(store, "SELECT modified_at FROM guard.exports ORDER BY export")
    alone = inbox.parent / "alone.toml"
    alone.write_text(BOARD.replace("6 V", "6000 V"))
    gone = inbox / "final-2001-01-01.csv"
    gone.rename(inbox.parent / "away.csv")
    done = here("ingest", inbox, "--db", store, "--settle", 0, "--json", "--reguard", "--board", alone)
    found = entries(done.stdout)
    assert [(entry["ingest"], entry["export"]["path"]) for entry in found] == [
        ("added", str(inbox / "final-2002-01-01.csv")), ("added", str(gone)),
    ]  # fmt: skip
    assert found[1]["guard"]["outcome"] == "refused"
    current = "FROM guard.exports WHERE superseded_by IS NULL ORDER BY path"
    assert asked(store, f"SELECT path {current}") == [(str(gone),), (str(inbox / "final-2002-01-01.csv"),)]
    assert asked(store, f"SELECT modified_at {current}") == modified
    assert asked(store, "SELECT count(*), count(DISTINCT _export) FROM final") == [(16, 2)]
    again = here("ingest", inbox, "--db", store, "--settle", 0, "--json", "--reguard", "--board", alone)
    assert [entry["ingest"] for entry in entries(again.stdout)] == ["skipped"]
