"""Judge the guard: `python tests/guards/corpus/run.py [--seeds 50] [--family NAME] [--ablate] [--json FILE]`.

Prints, by family and in all, wrong corrections, wrong factors, missed corrections, needless refusals and what else the
report got wrong, and the same for three simpler methods. Exit code 1 when anything was corrected wrongly.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[3])]

from corpus import families  # noqa: E402, F401 - registers every family
from corpus.ablation import ablate  # noqa: E402
from corpus.cases import FAMILIES, Family  # noqa: E402
from corpus.methods import METHODS  # noqa: E402
from corpus.scoring import BAD, Score, score  # noqa: E402

SHOWN = (
    "wrong correction", "wrong factor", "missed correction", "needless refusal", "kept as it lies", "lost values",
    "no reason", "no proposal", "sentinel kept", "unit untrue", "faults not flagged", "inexact", "crashed",
)  # fmt: skip


def judge(family: Family, seeds: int, method: str = "guard") -> Score:
    """Return the score of one family over its seeds."""
    total = Score()
    for seed in range(seeds):
        case = family.case(seed)
        label = f"{family.name}:{seed}"
        started = time.perf_counter()
        try:
            result = METHODS[method](case)
        except Exception as error:  # noqa: BLE001 - a crash is a finding, and the other cases go on
            total.outcomes["crashed"] += 1
            total.notes.append(f"{label}: crashed: {type(error).__name__}: {error}")
            continue
        total.seconds += time.perf_counter() - started
        total.add(score(case, result, label, words=method == "guard"))
    return total


def judge_all(names: list[str], seeds: int, method: str = "guard") -> dict[str, Score]:
    """Return the scores of many families."""
    return {name: judge(FAMILIES[name], seeds, method) for name in names}


def total_of(scores: dict[str, Score]) -> Score:
    """Return all scores as one."""
    total = Score()
    for one in scores.values():
        total.add(one)
    return total


def _print(scores: dict[str, Score], seeds: int, *, verbose: int) -> None:
    print(f"{'family':44} {'kind':9} {'right':>6}  {'s':>5}  otherwise")
    for name, one in scores.items():
        good = one.outcomes["right"] + one.outcomes["accepted"]
        other = ", ".join(f"{n} {what}" for what in SHOWN if (n := one.outcomes[what]))
        print(f"{name:44} {FAMILIES[name].kind:9} {good:>3}/{one.of['truths']:<4} {one.seconds:5.1f}  {other}")
        for note in one.notes[:verbose]:
            print(f"      {note}")
    total = total_of(scores)
    print(f"\n{len(scores)} families x {seeds} seeds, {total.of['truths']} columns: {total.of['clean']} clean, "
          f"{total.of['decidable']} decidable")  # fmt: skip


def _summary(name: str, total: Score) -> str:
    o = total.outcomes
    missed, needless = total.rate("missed correction", "decidable"), total.rate("needless refusal", "clean")
    return (
        f"{name:14} wrong corrections {o['wrong correction']:>5}  wrong factor {o['wrong factor']:>5}  "
        f"missed {o['missed correction']:>5} ({missed:6.2%})  needless refusals {o['needless refusal']:>5} "
        f"({needless:6.2%})  lies kept {o['kept as it lies']:>5}  without reason {o['no reason']:>3}  "
        f"{total.seconds:6.1f} s"
    )


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--family", action="append", help="only families whose name holds this text")
    parser.add_argument("--verbose", type=int, default=1, help="how many notes to print for each family")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-baselines", action="store_true")
    parser.add_argument("--ablate", action="store_true", help="switch each witness off, show whose verdicts change")
    options = parser.parse_args()
    names = [n for n in FAMILIES if not options.family or any(part in n for part in options.family)]
    if options.ablate:
        return ablate(names, min(options.seeds, 3))
    scores = judge_all(names, options.seeds)
    _print(scores, options.seeds, verbose=options.verbose)
    totals = {"guard": total_of(scores)}
    if not options.no_baselines:
        totals |= {m: total_of(judge_all(names, options.seeds, m)) for m in METHODS if m != "guard"}
    for method, total in totals.items():
        print(_summary(method, total))
    if options.json:
        document = {
            "families": {
                n: {"kind": FAMILIES[n].kind, **s.of, **s.outcomes, "notes": s.notes} for n, s in scores.items()
            },
            "totals": {m: {**t.of, **t.outcomes, "seconds": round(t.seconds, 3)} for m, t in totals.items()},
        }
        options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return int(any(totals["guard"].outcomes[bad] for bad in (*BAD, "crashed")))


if __name__ == "__main__":
    sys.exit(main())
