"""The guard against labelled cases of every kind: it may refuse, and it may not be wrong.

The whole corpus is `python tests/guards/corpus/run.py`; here are a few seeds of each family, other ones than there.
"""

import ast
import importlib
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("corpus.families")
FAMILIES = importlib.import_module("corpus.cases").FAMILIES
methods = importlib.import_module("corpus.methods")
Score = importlib.import_module("corpus.scoring").Score
ablation = importlib.import_module("corpus.ablation")
scoring = importlib.import_module("corpus.scoring")
sys.path.remove(str(Path(__file__).parent))

CORPUS = Path(__file__).parent / "corpus"
SEEDS = (1000, 1001)


def scored(name, method="guard", seeds=SEEDS):
    total = Score()
    for seed in seeds:
        case = FAMILIES[name].case(seed)
        total.add(scoring.score(case, methods.METHODS[method](case), f"{name}:{seed}", words=method == "guard"))
    return total


@pytest.fixture(scope="module")
def scores():
    return {name: scored(name) for name in FAMILIES}


@pytest.fixture(scope="module")
def total(scores):
    whole = Score()
    for one in scores.values():
        whole.add(one)
    return whole


def notes(total, *outcomes):
    return [note for note in total.notes if any(f": {outcome};" in note for outcome in outcomes)]


def test_nothing_is_corrected_wrongly(total):
    assert notes(total, "wrong correction", "wrong factor") == []


def test_nearly_every_decidable_column_is_corrected(total):
    assert total.of["decidable"] > 100
    assert total.rate("missed correction", "decidable") <= 0.02, notes(total, "missed correction")


def test_hardly_any_clean_column_is_refused(total):
    assert total.of["clean"] > 250
    assert total.rate("needless refusal", "clean") <= 0.01, notes(total, "needless refusal")


def test_every_refusal_has_a_reason_and_the_expected_proposal(total):
    assert notes(total, "no reason", "no proposal") == []


def test_headers_tell_the_truth_and_overload_codes_are_no_readings(total):
    assert notes(total, "unit untrue", "sentinel kept", "kept as it lies", "inexact", "faults not flagged") == []


def test_the_corpus_is_what_it_claims_to_be():
    kinds = [family.kind for family in FAMILIES.values()]
    assert len(kinds) >= 60
    assert kinds.count("clean") >= len(kinds) / 3
    assert set(kinds) == {"clean", "decidable", "refuse", "open"}


KINDS = {
    "clean": lambda truths: all(t.clean for t in truths),
    "decidable": lambda truths: any(t.decidable for t in truths),
    "refuse": lambda truths: any(t.due == "refuse" for t in truths) and not any(t.decidable for t in truths),
    "open": lambda truths: not any(t.decidable for t in truths),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_of_its_kind_and_the_same_every_time(name):
    family = FAMILIES[name]
    case = family.case(SEEDS[0])
    assert KINDS[family.kind](case.truths)
    assert family.case(SEEDS[0]) == case


@pytest.mark.parametrize("module", sorted(CORPUS.glob("*.py")), ids=lambda path: path.stem)
def test_the_generator_and_the_scores_know_nothing_of_the_guard(module):
    tree = ast.parse(module.read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imports = any(name.split(".")[0] == "guards" for name in names)
    assert imports == (module.stem in ("methods", "ablation"))


@pytest.mark.parametrize("method", [m for m in methods.METHODS if m != "guard"])
def test_the_judge_sees_what_simpler_methods_get_wrong(method):
    names = ("millivolts_under_volts", "single_overvoltage", "microvolts_under_volts", "clean_rail")
    outcomes = {name: scored(name, method).outcomes for name in names}
    assert outcomes["clean_rail"]["right"] == len(SEEDS)
    if method == "pandera range":
        assert outcomes["millivolts_under_volts"]["missed correction"] == len(SEEDS)
        assert outcomes["single_overvoltage"]["needless refusal"] == len(SEEDS)
    else:
        assert outcomes["millivolts_under_volts"]["right"] == len(SEEDS)
        assert outcomes["microvolts_under_volts"]["wrong factor"] == len(SEEDS)


def verdicts(case):
    return sorted(ablation.signature(case))


SETTLED = "settled_by_profile"  # the profile's word is about the raw export
IN_TIME = {name for name in FAMILIES if "clock" in name or "elapsed" in name}


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - IN_TIME))
def test_the_order_of_rows_changes_no_verdict(name):
    case = FAMILIES[name].case(SEEDS[0])
    assert verdicts(methods.shuffled(case, random.Random(1))) == verdicts(case)


@pytest.mark.parametrize("name", [n for n, f in FAMILIES.items() if f.kind in ("clean", "decidable") and n != SETTLED])
def test_a_corrected_table_is_left_alone(name):
    again = methods.written_again(FAMILIES[name].case(SEEDS[0]))
    guarded = methods.guarded(again)
    assert [c.label for c in guarded.report.columns if c.verdict in ("corrected", "refused")] == []
    assert guarded.report.rows_changed == 0


WITNESS_FAMILIES = {
    "result column": "result_column_decides",
    "absolute range": "millivolts_under_volts",
    "limits of unknown unit": "kilohms_with_limits_in_ohms",
    "built in range": "millivolts_without_board",
    "elapsed time": "milliseconds_under_seconds_with_clock",
    "identity": "amps_under_milliamps_with_power_node",
    "instrument range": "meter_range_contradicts",
    "thermostat": "fahrenheit_beside_a_thermostat",
    "expected range": "millivolts_under_volts",
    "probe attenuation": "probe_unknown_to_the_scope",
    "second label": "units_row_against_header",
    "digit pattern": "autorange_log",
    "segments": "one_fixture_in_millivolts",
    "sibling prefixes": "odd_label_among_channels",
    "history": "millivolts_after_years_of_volts",
    "limits of known unit": "limits_of_known_unit",
}


@pytest.mark.parametrize("witness", ablation.switches())
def test_every_witness_is_needed_by_a_family(witness):
    name = WITNESS_FAMILIES[witness]
    assert ablation.changed_by(ablation.switches()[witness], [name], seeds=4) == [name]
