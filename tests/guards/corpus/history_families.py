"""Earlier exports beside a new one: they refuse where a size is new, verify where it is the same, and never correct."""

from __future__ import annotations

from dataclasses import replace

from corpus.boards import bench
from corpus.cases import Case, Sheet, around, family, header, rows, written


def _remembering(case: Case, name: str, unit: str, low: float, high: float) -> Case:
    past = {"column": name, "measurement": None, "unit": unit, "low": low, "high": high, "rows": 4000}
    return replace(case, past=[past])


def _level(rng) -> float:
    return rng.choice([0.9, 1.8, 3.3, 5.0, 12.0])


@family("clean", "the size that the column always had, on a board that nobody described")
def as_ever_without_board(rng):
    s = Sheet(rng, rows(rng))
    level = _level(rng)
    head = header(rng, "V")
    name = s.column(head, texts := written(rng, around(rng, s.n, level, 0.01)))
    s.truth(name, texts, "V", "leave", declared="V")
    return _remembering(s.case(None), name, "V", level * 0.95, level * 1.05)


@family("refuse", "a thousand times what it was in years of exports, and no board")
def millivolts_after_years_of_volts(rng):
    s = Sheet(rng, rows(rng))
    level = rng.choice([0.4, 0.9, 1.2])  # in mV it is still no voltage that a bench cannot hold
    name = s.column(header(rng, "V"), texts := written(rng, around(rng, s.n, level * 1000, 0.01)))
    s.truth(name, texts, "mV", "refuse", declared="V", proposal="mV")
    return _remembering(s.case(None), name, "V", level * 0.95, level * 1.05)


@family("clean", "another product on the same bench: a rail of another size is no other unit")
def another_product_after_years(rng):
    s = Sheet(rng, rows(rng))
    old, new = rng.choice([(3.3, 12.0), (12.0, 1.8), (5.0, 48.0), (24.0, 0.9)])
    name = s.column(header(rng, "V"), texts := written(rng, around(rng, s.n, new, 0.01)))
    s.truth(name, texts, "V", "leave", declared="V")
    return _remembering(s.case(None), name, "V", old * 0.95, old * 1.05)


@family("decidable", "the board speaks, and history does not outrank it")
def board_against_history(rng):
    s = Sheet(rng, rows(rng))
    name = s.measured(header(rng, "V"), around(rng, s.n, 5000, 0.006), "mV", "correct", declared="V")
    return _remembering(s.case(bench()), name, "V", 4900, 5100)
