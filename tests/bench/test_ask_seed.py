"""The example's questions by scripted models: figures exact and traced, the correction named in what is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROFILE = Path(__file__).parents[2] / "fixtures" / "srb5030.toml"
Cli = Callable[..., Any]
QUESTIONS = {
    "retest-2026-08-31.csv": (
        "Do the retested boards pass?",
        "passed, mean, low, high = con.sql(\"select count(*), avg(value_v), min(value_v), max(value_v) from retest "
        "where result = 'PASS'\").fetchone()\nfailed = con.sql(\"select serial, value_v from retest where result = "
        "'FAIL'\").fetchall()\ntotal = passed + len(failed)\nresult = {'passed': passed, 'total': total, "
        "'mean_v': mean, 'min_v': low, 'max_v': high, 'failed': failed}",
        "15 of 18 boards pass, with a mean of 4.98405 V (4.9678 to 5.0077 V, limits 4.95 V to 5.05 V). 3 boards fail: "
        "SRB5030-2608-0052 (4.9449 V), -0063 (-0.0061 V) and -0178 (0.5 mV). value_v was in mV and divided by 1000.",
        ["15", "18", "4.98405 V", "4.9678", "5.0077 V", "4.95 V", "5.05 V", "3", "4.9449 V", "-0.0061 V", "0.5 mV",
         "1000"],
    ),
    "soak-2026-08-27.csv": (
        "Which board drops?",
        "con.sql('select serial, 1000 * (arg_min(vout_v, elapsed_min) - arg_max(vout_v, elapsed_min)) as drop_mv, "
        "max(tcase_c) - min(tcase_c) as rise_c from soak group by serial order by drop_mv desc').fetchall()",
        "SRB5030-2608-0121 drops 75.5 mV; SRB5030-2608-0044 drops 2.5 mV and -0166 1.2 mV.",
        ["75.5 mV", "2.5 mV", "1.2 mV"],
    ),
    "characterization-2026-09.csv": (
        "Is any block impossible?",
        "con.sql('select serial, tamb_c, avg(vin_v * iin_a), avg(vout_v * iout_a) from characterization group by "
        "serial, tamb_c, vin_v, iout_a having avg(vout_v * iout_a) > avg(vin_v * iin_a)').fetchall()",
        "Yes: SRB5030-2609-0001 takes 8.08 W and gives 14.95 W at 25 degC.",
        ["8.08 W", "14.95 W", "25 degC"],
    ),
    "production-run-2026-08.csv": (
        "What is the yield?",
        "good, total = con.sql(\"select count(*) filter (where ok), count(*) from (select serial, bool_and(result = "
        "'PASS') as ok from production_run group by serial)\").fetchone()\nresult = [good, total, good / total]",
        "184 of 200 boards pass: 92.0 %.",
        ["184", "200", "92.0 %"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_example_s_questions(here: Cli, seed: Path, tmp_path: Path, name: str) -> None:
    question, code, text, figures = QUESTIONS[name]
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"tool": "run_python", "code": code}) + "\n" + json.dumps({"text": text}) + "\n")
    done = here(seed / name, "--board", PROFILE, "--ask", question, "--model", f"scripted:{script}", "--json")
    answer = done.document["answer"]
    assert (answer["status"], done.exit_code) == ("traced", 0), (answer["figures"], done.document["runs"][0]["value"])
    assert [figure["text"] for figure in answer["figures"]] == figures
