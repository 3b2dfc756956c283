"""What holds for every table: order, units and sentinels do not change what the guard knows."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from guards import ExportColumn, guard

volts = st.lists(st.integers(-30_000, 30_000).map(lambda mv: f"{mv / 1000:.3f}"), min_size=1, max_size=60)
any_cells = st.lists(
    st.one_of(
        st.none(),
        st.sampled_from(
            ["OL", "9.9E+37", "-9.9e37", "nan", "inf", "1e308", "5e-324", "x", "", " 5.01 ", "5.0V", "4990mV", "0"]
        ),
        st.floats(-1e6, 1e6).map(repr),
    ),
    max_size=60,
)


def run(cells, header="V", board=None):
    frame = pl.DataFrame(
        {"_row": range(1, len(cells) + 1), header: cells}, schema={"_row": pl.Int64, header: pl.String}
    )
    return guard(frame.lazy(), [ExportColumn(header, header)], board, table="t")


def verdict(guarded):
    return [(c.verdict, c.rule, c.resolved_unit, c.factor) for c in guarded.report.columns]


@settings(max_examples=60, deadline=None)
@given(volts, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(board, cells, random):
    shuffled = random.sample(cells, len(cells))
    assert verdict(run(cells, board=board)) == verdict(run(shuffled, board=board))


@settings(max_examples=60, deadline=None)
@given(volts)
def test_adding_sentinels_changes_no_verdict(board, cells):
    with_codes = [*cells, "9.9E+37", "OL", "nan"]
    before, after = run(cells, board=board), run(with_codes, board=board)
    assert verdict(before) == verdict(after)
    assert after.report.columns[0].sentinels == before.report.columns[0].sentinels + 3


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(4_900_000, 5_100_000), min_size=3, max_size=40))
def test_the_same_values_under_another_unit_give_the_same_floats_bit_for_bit(board, microvolts):
    as_written = {"V": 6, "mV": 3, "uV": 0}
    read = {}
    for unit, digits in as_written.items():
        cells = [f"{n // 10**digits}.{n % 10**digits:0{digits}d}" if digits else str(n) for n in microvolts]
        mislabelled = run(cells, "V", board)
        read[unit] = mislabelled.corrected.collect()["V"]
        assert mislabelled.report.columns[0].resolved_unit == unit
    assert read["mV"].equals(read["V"])
    assert read["uV"].equals(read["V"])


@settings(max_examples=100, deadline=None)
@given(any_cells)
def test_every_row_stays_and_every_cleared_cell_is_counted(board, cells):
    guarded = run(cells, board=board)
    reports = guarded.report.columns  # several where cells carry different units
    nulls = sum(report.nulls for report in reports)
    frame = guarded.corrected.collect()
    assert frame["_row"].to_list() == list(range(1, len(cells) + 1))
    assert sum(report.rows for report in reports) == len(cells) == guarded.report.rows_read
    if frame["V"].dtype == pl.Float64:
        assert nulls == frame["V"].null_count()
        assert not frame["V"].is_nan().any()
        assert frame["V"].is_infinite().sum() == 0
        cleared = guarded.flags.filter(pl.col("kind") != "fault").height
        withheld = sum(report.nulls for report in reports if report.verdict == "refused")
        assert nulls - cleared <= sum(cell is None or cell == "" for cell in cells) + withheld


@settings(max_examples=40, deadline=None)
@given(volts)
def test_a_corrected_table_guarded_again_changes_nothing(board, cells):
    first = run([f"{float(c) * 1000:g}" for c in cells], board=board)
    if first.report.columns[0].verdict == "refused":
        return
    values = first.corrected.collect()
    again = run([repr(v) if v is not None else None for v in values["V"]], board=board)
    assert again.report.columns[0].factor in (1.0, None)
    if again.report.columns[0].verdict != "refused":
        assert_frame_equal(again.corrected.collect(), values)


def test_one_check_out_of_the_schema_changes_the_faults(board, monkeypatch):
    cells = ["5.0"] * 50 + ["45.0"]
    assert run(cells, board=board).report.columns[0].faults == 1
    monkeypatch.setattr("guards.schema.bounds_of", lambda part: None)
    assert run(cells, board=board).report.columns[0].faults == 0


def test_exponents_are_shifted_in_the_text(board):
    cells = ["5.1E+03", "5100", "+5100.0", "0.51e4"]
    assert run(cells, board=board).corrected.collect()["V"].to_list() == [5.1] * 4


def test_no_column_name_shadows_what_the_guard_names_itself(board):
    names = ["V", "V|cell", "fixture", "fixture|key", "value|0", "row", "odd", "flag", "text", "empty", "refused"]
    cells = {name: ["5.0", "9.9E+37", "OL"] for name in names} | {"fixture": ["A", "B", "B"]}
    frame = pl.DataFrame({"_row": [1, 2, 3]} | cells).lazy()
    guarded = guard(frame, [ExportColumn(name, name) for name in names], board, table="t")
    corrected = guarded.corrected.collect()
    assert corrected.columns == ["_row", *names]
    assert corrected["V"].to_list() == corrected["flag"].to_list() == [5.0, None, None]
