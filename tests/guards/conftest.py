"""What every guard test needs: the board of the scenarios, and a table of texts from CSV text."""

import io
import tomllib
from collections.abc import Callable

import polars as pl
import pytest

from guards import Board, ExportColumn, Guarded, guard, parse_board

SCENARIO_BOARD = """
[board]
name = "five rails"
segments = ["fixture", "lot"]
[nodes.VIN]
quantity = "voltage"
absolute = ["-0.3 V", "30 V"]
expected = ["9 V", "28 V"]
[nodes.5V0]
quantity = "voltage"
absolute = ["-0.3 V", "6 V"]
nominal = "5 V"
columns = ["five"]
[nodes.3V3]
quantity = "voltage"
nominal = "3.3 V"
[nodes.1V8]
quantity = "voltage"
nominal = "1.8 V"
[nodes.VNEG]
quantity = "voltage"
absolute = ["-15 V", "0.3 V"]
nominal = "-12 V"
[nodes.INPUT]
quantity = "current"
absolute = ["-3 A", "3 A"]
expected = ["0.1 A", "2 A"]
[nodes.SLEEP]
quantity = "current"
expected = ["5 uA", "500 uA"]
[nodes.R]
quantity = "resistance"
absolute = ["0 ohm", "2 Mohm"]
[nodes.T]
quantity = "temperature"
absolute = ["-40 degC", "125 degC"]
expected = ["15 degC", "110 degC"]
[nodes.RF]
quantity = "power level"
absolute = ["-90 dBm", "20 dBm"]
[nodes.POUT]
quantity = "power"
absolute = ["0 W", "50 W"]
columns = ["Pout (W)"]
[nodes.EFF]
quantity = "ratio"
absolute = ["0 %", "100 %"]
expected = ["70 %", "98 %"]
columns = ["efficiency (%)", "efficiency"]
"""


@pytest.fixture(scope="session")
def board() -> Board:
    """The board of the scenarios: VIN 9..28 V, 5V0, 3V3, 1V8, VNEG -12 V, currents to 3 A, R to 2 Mohm."""
    return parse_board(tomllib.loads(SCENARIO_BOARD))


def table(text: str, separator: str = ",") -> tuple[pl.LazyFrame, list[ExportColumn]]:
    """Return the frame of texts and the columns of a CSV text, as a reader would."""
    frame = pl.read_csv(io.StringIO(text), infer_schema=False, separator=separator, truncate_ragged_lines=False)
    names = frame.columns
    return frame.with_row_index("_row", 1).with_columns(pl.col("_row").cast(pl.Int64)).lazy(), [
        ExportColumn(name, name) for name in names
    ]


@pytest.fixture(scope="session")
def judge(board: Board) -> Callable[..., Guarded]:
    """Guard a CSV text against the scenarios' board, or the one given."""

    def run(text: str, profile: Board | None = board, *, separator: str = ",", **options: str) -> Guarded:
        frame, columns = table(text, separator)
        return guard(frame, columns, profile, table="t", **options)

    return run


@pytest.fixture(scope="session")
def profile() -> Callable[[str], Board]:
    """The scenarios' board with more TOML behind it."""
    return lambda more: parse_board(tomllib.loads(SCENARIO_BOARD + more))
