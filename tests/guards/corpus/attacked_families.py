"""Kinds of tables by which somebody with fresh eyes got a wrong unit, or a true column refused."""

from __future__ import annotations

from corpus.boards import bench, board, node
from corpus.cases import Sheet, around, between, family, rows, written

SENSOR = node("voltage", absolute=("-1 V", "12 V"), expected=("1 mV", "10 V"), columns=("sens_v",))
OUTPUT = node("current", absolute=("-0.1 A", "8 A"), expected=("0 A", "3.1 A"))


@family("refuse", "a sensor's range of four decades: readings above its top are findings, though mV fit as well")
def a_wide_range_with_some_above_it(rng):
    s = Sheet(rng, rows(rng, 10, 200))
    high = max(2, round(s.n * rng.uniform(0.12, 0.4)))
    values = between(rng, s.n - high, 2, 9.9) + between(rng, high, 12.5, 40)
    rng.shuffle(values)
    s.measured("sens_v", values, "V", "refuse", declared="V", also=("leave",))
    return s.case(board({"VS": SENSOR}))


@family("refuse", "one fixture's sensor saturates a little above the range")
def a_fixture_a_little_above_a_wide_range(rng):
    s = Sheet(rng, 2 * rows(rng, 4, 60))
    half = s.n // 2
    s.column("fixture", ["FIX-01"] * half + ["FIX-02"] * half)
    values = between(rng, half, 2, 9.9) + between(rng, half, 12.2, 30)
    s.measured("sens_v", values, "V", "refuse", declared="V", also=("leave",))
    return s.case(board({"VS": SENSOR}, segments=["fixture"]), decorate=False)


@family("refuse", "a name that the board leaves out, beside others that it knows, far above their range")
def an_unknown_name_beside_known_ones(rng):
    s = Sheet(rng, rows(rng))
    s.measured("vout_v", around(rng, s.n, 5.0), "V", "leave", declared="V")
    head, low, high, unit = rng.choice(
        [("Riso (Mohm)", 2000, 9000, "Mohm"), ("f_rf (MHz)", 433, 435, "MHz"), ("v_hipot (V)", 3000, 3600, "V")]
    )
    s.measured(head, between(rng, s.n, low, high), unit, "refuse", declared=unit, also=("leave",))
    known = {
        "VOUT": node("voltage", absolute=("-0.3 V", "6 V"), expected=("4.9 V", "5.1 V"), columns=("vout_v",)),
        "RIPPLE": node("voltage", absolute=("0 V", "7 V"), expected=("1 mV", "5 V")),
        "ROUT": node("resistance", absolute=("0 ohm", "1 Mohm"), expected=("500 ohm", "10 kohm")),
        "FSW": node("frequency", absolute=("10 kHz", "5 MHz"), expected=("350 kHz", "450 kHz")),
    }
    return s.case(board(known))


@family("clean", "the unit stands amid the header, where only mA is true and A would be in range as well")
def clean_unit_amid_a_header(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(
        ["Iout (mA) @ 25C", "Iout (mA) mean", "Iout (mA avg)", "Iout mA max", "Iout_mA_avg", "Iout <mA>", "IOUT_MA"]
    )
    s.measured(head, between(rng, s.n, 0.4, 2.9), "mA", "leave", declared="mA")
    return s.case(board({"IOUT": OUTPUT | {"columns": [head]}}))


@family("refuse", "a unit that nobody can read: taken for the board's ampere it would be wrong by a thousand")
def a_unit_that_is_not_understood(rng):
    s = Sheet(rng, rows(rng))
    head = rng.choice(["Iout milli-amps", "Iout_MA", "Iout (MA)", "Iout m A"])
    s.measured(head, between(rng, s.n, 0.4, 2.9), "mA", "refuse", declared="A")
    return s.case(board({"IOUT": OUTPUT | {"columns": [head]}}))


@family("decidable", "a letter behind each number multiplies the header's ohm")
def letters_behind_resistances(rng):
    s = Sheet(rng, rows(rng))
    texts = written(rng, between(rng, s.n, 1.1, 95), 4, "fixed")
    mark = rng.choice(["k", "K"])
    s.measured("R (ohm)", None, "kohm", "correct", texts=texts, cells=[f"{t}{mark}" for t in texts], declared="ohm")
    ohms = node("resistance", absolute=("0 ohm", "100 Mohm"), expected=("1 kohm", "100 kohm"), columns=("R (ohm)",))
    return s.case(board({"R": ohms}))


@family("decidable", "one cell carries a unit of its own, which says nothing of the others")
def one_cell_with_a_unit(rng):
    s = Sheet(rng, rows(rng, 12, 120))
    odd = rng.randrange(s.n)
    plain, other = written(rng, around(rng, s.n, 5.0), 5, "fixed"), written(rng, around(rng, s.n, 5000), 5, "fixed")
    texts = [other[i] if i == odd else plain[i] for i in range(s.n)]
    cells = [f"{text} mV" if i == odd else text for i, text in enumerate(texts)]
    name = s.column("vout_v", cells)
    s.truth(name, texts, "V", "leave", declared="V", rows=[i for i in range(s.n) if i != odd])
    s.truth(name, texts, "mV", "correct", declared="V", rows=[odd])
    output = node("voltage", absolute=("-0.3 V", "6 V"), expected=("4.9 V", "5.1 V"), columns=("vout_v",))
    return s.case(board({"VOUT": output}))


@family("clean", "boards that fail for another reason say nothing of the unit")
def clean_that_failed_for_another_reason(rng):
    s = Sheet(rng, rows(rng))
    s.measured("vout_v", around(rng, s.n, 5.0, 0.002), "V", "leave", declared="V")
    s.column(rng.choice(["result", "status", "verdict"]), [rng.choice(["FAIL", "FAIL", "fail"]) for _ in range(s.n)])
    output = node(
        "voltage", absolute=("-0.3 V", "6 V"), expected=("4.9 V", "5.1 V"), limits=("4.95 V", "5.05 V"),
        columns=("vout_v",),
    )  # fmt: skip
    return s.case(board({"VOUT": output}), decorate=False)


@family("clean", "minutes beside a clock, on a board with a start-up time")
def clean_minutes_beside_a_clock(rng):
    s = Sheet(rng, rng.randrange(12, 55))
    s.column("timestamp", [f"2026-10-05T08:{n:02d}:00" for n in range(s.n)])
    head = rng.choice(["elapsed_min", "Uptime (min)", "soak_time_min"])
    s.measured(head, None, "min", "leave", texts=[str(n) for n in range(s.n)], declared="min")
    start = node("time", absolute=("0 s", "2 s"), expected=("1 ms", "20 ms"), columns=("tstart_ms",))
    return s.case(bench(nodes={"TSTART": start}), decorate=False)
