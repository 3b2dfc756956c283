"""The evaluation's answers, worked out a second time by polars from the raw exports, without the code that is judged.

Units are put right by hand here: what the README of the fixtures says of each export is all that is used.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from bench.evaluate.questions import PACKAGED, load_questions

ROOT = Path(__file__).parents[2] / "fixtures"
QUESTIONS = {question.id: question for question in load_questions()}
col = pl.col


def raw(name: str, separator: str = ",") -> pl.DataFrame:
    """Return an export as text."""
    folder = ROOT / name if (ROOT / name).is_dir() else PACKAGED
    path = next(folder.glob("*.csv" if folder != PACKAGED else f"{name}-*.csv"))
    return pl.read_csv(path, infer_schema=False, separator=separator, truncate_ragged_lines=True)


def numbers(name: str, *columns: str, separator: str = ",") -> pl.DataFrame:
    """Return an export with some columns as numbers; what is none, or above 1e37, is null."""
    frame = raw(name, separator)
    cast = [col(each).str.replace(",", ".").str.strip_suffix("V").str.strip_suffix(" A").cast(float, strict=False)
            for each in columns]  # fmt: skip
    frame = frame.with_columns(cast)
    return frame.with_columns(pl.when(col(each).abs() < 1e37).then(col(each)) for each in columns)


RETEST = numbers("retest_mv", "value_v").with_columns(col("value_v") / 1000)
GOOD = RETEST.filter(col("result") == "PASS")["value_v"]
PRODUCTION = numbers("production_run", "value", "step")
BOARDS = PRODUCTION.group_by("serial", maintain_order=True).agg(
    col("lot").first(), col("fixture").first(), (col("result") == "PASS").all().alias("ok")
)
VOUT = PRODUCTION.filter(col("measurement") == "VOUT").select("serial", col("value").alias("vout"), "result")
MIXED = numbers("mixed_fixtures", "vin_v", "vout_v", "iin_a").with_columns(
    pl.when(col("fixture") == "FIX-03").then(col(each) / 1000).otherwise(col(each)).alias(each)
    for each in ("vout_v", "iin_a")
)
CHECKS = numbers("unit_column", "value").with_columns(
    pl.when((col("measurement") == "VOUT") & (col("unit") == "mV")).then(col("value") / 1000)
    .when((col("measurement") == "IQ_NL") & (col("unit") == "A")).then(col("value") * 1000)
    .otherwise(col("value")).alias("value")
)  # fmt: skip
SOAK = numbers("soak", "elapsed_min", "vout_v", "tcase_c")
SWEEP = numbers("sweep_impossible", "vin_v", "iout_a", "vout_v", "iin_a", "meter_range_v")
BURN = numbers("overvoltage", "vout_v")
RAIL = numbers("negative_rail", "vneg_v").with_columns(col("vneg_v") / 1000)
METER = numbers("overloads", "vout_v", "iin_a")
COMMA = numbers("decimal_comma", "vout_v", "tcase_c", "fsw_khz", separator=";")
SUFFIX = numbers("suffix_in_cell", "vout", "iin")
RAGGED = [line.split(",") for line in next((ROOT / "ragged_rows").glob("*.csv")).read_text().splitlines()[1:]]
STEP = [float(fields[4]) for fields in RAGGED if len(fields) == 6]
THERMAL = numbers("kelvin", "vout_v")
LINE = numbers("two_scales", "tcase_c")
REMARKS = numbers("remarks", "vout_v")
HEADERS = numbers("headers", "vout_v", "vin_v")


def of(frame: pl.DataFrame, name: str, value: str) -> pl.Series:
    """Return a column's values of one serial, fixture, lot or measurement."""
    for column in ("serial", "fixture", "lot", "measurement"):
        if column in frame.columns and name in frame[column].to_list():
            return frame.filter(col(column) == name)[value]
    raise AssertionError(name)


def serial(number: int) -> str:
    return f"SRB5030-2610-{number:04}"


def means(frame: pl.DataFrame, by: str, value: str) -> list[float]:
    return frame.group_by(by).agg(col(value).mean()).sort(by)[value].to_list()


def first(frame: pl.DataFrame, board: int, wanted: pl.Expr) -> float:
    """Return the first elapsed time at which a soaked board fulfils a condition."""
    return float(frame.filter((col("serial") == serial(board)) & wanted)["elapsed_min"][0])


def drop(board: int) -> float:
    values = of(SOAK, serial(board), "vout_v")
    return (values.max() - values.min()) * 1000  # type: ignore[operator]


def longest_streak() -> int:
    best = run = 0
    for ok in BOARDS.sort("serial")["ok"]:
        run = run + 1 if ok else 0
        best = max(best, run)
    return best


BOTH = RETEST.join(VOUT, on="serial")
PASSED_TWICE = BOTH.filter((col("result") == "PASS") & (col("result_right") == "PASS"))
RIPPLE = PRODUCTION.filter((col("measurement") == "RIPPLE") & (col("value") > 0))
POWER = SWEEP.filter((col("vin_v") == 12) & (col("iout_a") == 3) & (col("serial") == serial(101)))
FAILURES = PRODUCTION.filter(col("result") != "PASS")
FLIPPED = BOTH.filter((col("result") == "FAIL") & (col("result_right") == "PASS"))
BEST_LOT = PRODUCTION.filter((col("lot") == "L2610C") & (col("measurement") == "EFF_FL")).sort("value")

WORKED: dict[str, Callable[[], list[float]]] = {
    "retest-passed": lambda: [len(GOOD), len(RETEST)],
    "retest-mean": lambda: [GOOD.mean()],  # type: ignore[list-item]
    "retest-lowest": lambda: [RETEST["value_v"].min()],  # type: ignore[list-item]
    "retest-volts-span": lambda: [GOOD.min(), GOOD.max()],  # type: ignore[list-item]
    "meter-mean": lambda: [METER["vout_v"].mean(), METER["vout_v"].count()],  # type: ignore[list-item]
    "meter-missing": lambda: [METER["iin_a"].null_count()],
    "burn-in-highest": lambda: [BURN["vout_v"].max()],  # type: ignore[list-item]
    "burn-in-median": lambda: [BURN["vout_v"].median()],  # type: ignore[list-item]
    "rail-mean": lambda: [RAIL["vneg_v"].mean()],  # type: ignore[list-item]
    "comma-mean": lambda: [COMMA["vout_v"].mean()],  # type: ignore[list-item]
    "comma-frequency": lambda: [COMMA["fsw_khz"].mean()],  # type: ignore[list-item]
    "suffix-highest": lambda: [SUFFIX["vout"].max()],  # type: ignore[list-item]
    "ragged-mean": lambda: [sum(STEP) / len(STEP), len(STEP)],
    "kelvin-output": lambda: [THERMAL["vout_v"].mean()],  # type: ignore[list-item]
    "fixtures-vout": lambda: means(MIXED, "fixture", "vout_v"),
    "fixtures-iin": lambda: [1000 * value for value in means(MIXED, "fixture", "iin_a")],
    "ripple-lots": lambda: means(RIPPLE, "lot", "value"),
    "yield-lots": BOARDS.group_by("lot").agg(col("ok").sum()).sort("lot")["ok"].to_list,
    "failures": lambda: [
        len(FAILURES.filter(col("measurement") == name))
        for name in ("EFF_FL", "IQ_NL", "I_LIM", "RIPPLE", "R_OUT", "VOUT")
    ],
    "checks-means": lambda: means(CHECKS, "measurement", "value"),
    "soak-hottest": SOAK.group_by("serial").agg(col("tcase_c").max()).sort("serial")["tcase_c"].to_list,
    "sweep-load": lambda: means(SWEEP, "iout_a", "vout_v"),
    "rail-fixtures": lambda: means(RAIL, "fixture", "vneg_v"),
    "both-tables": lambda: [len(BOTH)],
    "retest-of-good": lambda: [len(FLIPPED)],
    "largest-change": lambda: [(BOTH["value_v"] - BOTH["vout"]).abs().max()],  # type: ignore[list-item]
    "mean-change": lambda: [(PASSED_TWICE["value_v"] - PASSED_TWICE["vout"]).mean() * 1000],  # type: ignore[operator]
    "checked-too": lambda: [len(set(RETEST["serial"]) & set(CHECKS["serial"]))],
    "burn-in-unknown": lambda: [len(set(BURN["serial"]) - set(PRODUCTION["serial"]))],
    "soak-and-burn-in": lambda: [float(of(BURN, serial(23), "vout_v")[0]), float(of(SOAK, serial(23), "vout_v")[0])],
    "soak-below": lambda: [first(SOAK, 23, col("vout_v") < 4.95)],
    "soak-step": lambda: [1000 * max(abs(b - a) for a, b in pairwise(of(SOAK, serial(23), "vout_v").to_list()))],
    "streak": lambda: [longest_streak()],
    "noise": lambda: [
        float(SWEEP.filter(col("meter_range_v") == 100)["vout_v"].std()) * 1000  # type: ignore[arg-type]
    ],
    "margin": lambda: [1000 * min(min(value - 4.95, 5.05 - value) for value in GOOD)],
    "case-fifty": lambda: [first(SOAK, 11, col("tcase_c") > 50)],
    "soak-rises": lambda: [sum(b > a for a, b in pairwise(of(SOAK, serial(38), "vout_v").to_list()))],
    "tighten": lambda: [
        next(n for n in range(50) if any(v < 4.95 + n / 1000 or v > 5.05 - n / 1000 for v in GOOD)) - 1
    ],
    "ripple-failed": lambda: [float(FAILURES.filter(col("measurement") == "RIPPLE")["value"][0])],
    "lowest-resistance": lambda: [PRODUCTION.filter(col("measurement") == "R_OUT")["value"].min()],  # type: ignore[list-item]
    "hot-board-drop": lambda: [SOAK["tcase_c"].max(), drop(23)],  # type: ignore[list-item]
    "impossible": lambda: [
        (POWER["vin_v"] * POWER["iin_a"]).mean(),
        (POWER["vout_v"] * POWER["iout_a"]).mean(),  # type: ignore[list-item]
    ],
    "fails-most": lambda: [FAILURES["serial"].value_counts()["count"].max()],  # type: ignore[list-item]
    "current-limit": lambda: [float(FAILURES.filter(col("measurement") == "I_LIM")["value"][0]), 3.7],
    "best-lot": lambda: [float(BEST_LOT["value"][-1])],
    "bench-against-run": lambda: [
        float(of(PRODUCTION.filter(col("measurement") == "IQ_NL"), serial(7), "value")[0]),
        float(of(CHECKS.filter(col("measurement") == "IQ_NL"), serial(7), "value")[0]),
    ],
    "result-0004": lambda: [float(of(RETEST, serial(4), "value_v")[0]), float(of(VOUT, serial(4), "vout")[0])],
    "output-0012": lambda: [
        float(of(RETEST, serial(12), "value_v")[0]),
        float(of(CHECKS.filter(col("measurement") == "VOUT"), serial(12), "value")[0]),
    ],
    "output-0038": lambda: [float(of(BURN, serial(38), "vout_v")[0]), float(of(SOAK, serial(38), "vout_v")[0])],
    "two-scales-case": lambda: [LINE["tcase_c"].mean()],  # type: ignore[list-item]
    "limits-boards": lambda: [len(raw("limits_disagree"))],
    "remarks-passed": lambda: [(REMARKS["result"] == "PASS").sum()],
    "remarks-mean": lambda: [REMARKS.filter(col("result") == "PASS")["vout_v"].mean()],  # type: ignore[list-item]
    "remarks-limits": lambda: [REMARKS["vout_v"].is_between(4.95, 5.05).sum()],
    "remarks-written": lambda: [REMARKS["remark"].count()],
    "remarks-0603": lambda: [float(of(REMARKS, serial(603), "vout_v")[0])],
    "headers-mean": lambda: [HEADERS["vout_v"].mean()],  # type: ignore[list-item]
    "headers-input": lambda: [1000 * (HEADERS["vin_v"].max() - HEADERS["vin_v"].min())],  # type: ignore[operator]
}
NAMES: dict[str, Callable[[], list[str]]] = {
    "retest-lowest": lambda: RETEST.sort("value_v")["serial"].to_list()[:1],
    "burn-in-highest": lambda: BURN.sort("vout_v")["serial"].to_list()[-1:],
    "retest-of-good": FLIPPED["serial"].to_list,
    "largest-change": lambda: BOTH.sort((col("value_v") - col("vout")).abs())["serial"].to_list()[-1:],
    "margin": lambda: RETEST.filter(col("result") == "PASS").sort("value_v")["serial"].to_list()[:1],
    "ripple-failed": FAILURES.filter(col("measurement") == "RIPPLE")["serial"].to_list,
    "lowest-resistance": lambda: list(
        PRODUCTION.filter(col("measurement") == "R_OUT").sort("value").select("lot", "fixture").row(0)
    ),
    "hot-board-drop": lambda: SOAK.sort("tcase_c")["serial"].to_list()[-1:],
    "impossible": POWER["serial"].unique().to_list,
    "fails-most": lambda: FAILURES["serial"].value_counts(sort=True)["serial"].to_list()[:1],
    "short-time": FAILURES.filter(col("measurement") == "R_OUT")["serial"].to_list,
    "current-limit": FAILURES.filter(col("measurement") == "I_LIM")["serial"].to_list,
    "best-lot": lambda: BEST_LOT["serial"].to_list()[-1:],
    "lot-0031": lambda: [RETEST.filter(col("serial") == serial(31))["lot"][0],
                         BOARDS.filter(col("serial") == serial(31))["lot"][0]],
}  # fmt: skip


@pytest.mark.parametrize("name", WORKED)
def test_figures(name: str) -> None:
    worked = WORKED[name]()
    assert [figure.value for figure in QUESTIONS[name].figures] == pytest.approx(worked, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    assert sorted(QUESTIONS[name].names) == sorted(NAMES[name]())


def test_every_answer_is_worked_twice() -> None:
    answered = {name for name, question in QUESTIONS.items() if question.expect == "answer"}
    assert {name for name in answered if QUESTIONS[name].figures} == WORKED.keys()
    assert {name for name in answered if QUESTIONS[name].names} == NAMES.keys()
