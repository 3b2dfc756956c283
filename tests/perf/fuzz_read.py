"""Mutated exports through the reader: no crash, no hang, and every line and row accounted for.

python tests/perf/fuzz_read.py [COUNT] [SEED]
"""

import random
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from bench.errors import BenchError
from bench.readers import read

LONGEST_S = 5.0
SEEDS = (
    b"serial,t_s,vout_v,result\nS1,0,4.99,PASS\nS2,1,5.01,PASS\nS3,2,0.02,FAIL\nS4,3,5.00,PASS\n",
    b'n;v;note\r\n1;4,99;"a; b"\r\n2;5,01;"two\r\nlines"\r\n3;5,02;plain\r\n4;5,00;\r\n',
    b"Model,MSO\nUnits,V,\n,,\nTIME,CH1,CH2\n-2.0e-04,-0.001,0.006\n-1.9e-04,-0.002,0.005\n-1.8e-04,0.001,0.004\n",
    b"X,CH1,Start,Increment,\nSequence,Volt,-3.5e-3,5e-6\n0,1.6e-2,\n1,-8e-3,\n2,8e-3,\n3,8e-3,\n",
    "# log\nZeit\tSpannung (µV)\tT (°C)\n10:00:00\t1,5\t20\n10:00:01\t1,6\t21\n10:00:02\t1,7\t22\n".encode("cp1252"),
    "n,v\n1,2\n3,4\n5,6\n".encode("utf-16"),
    b"1703541520.41 005.8 DC A\n1703541522.36 00.01 DC A\n1703541527.94 0.000 DC A\n",
    b"serial,vout_v,iout_a\nS1,4.99,0.1\nS2,5.01,0.2\nS3,5.02,0.3\nboard,vin_v,iin_a\nS1,12.1,0.1\nS2,12.2,0.2\n\nt,v\n1,2\n2,3\n",
    b"Retest:\n\n| n | v (V) | note |\n|---|------:|:-:|\n| 1 | 4.99 | a\\|b |\n| 2 | 5.01 | |\n\n"
    b"+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n",
    b"SetupTitle, a\nDimension1, 2\nDataName, V, I\nDataValue, 1, 2\nDataValue, 2, 3\nSetupTitle, b\n"
    b"DataName, V\nDataValue, 1\n",
)
SPLICES = (
    b'"',
    b'""',
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xb5",
    "µ".encode(),
    b"\n\n",
    b"sep=;\n",
    b"#",
    b" ",
    b"|",
    b"\n|---|---|\n",
    b"\nDataName, ",
    b"\nt_s,vin_v,iin_a\n",
)


def mutate(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    """Return the content after one to four mutations."""
    for _ in range(dice.randint(1, 4)):
        at, to = sorted((dice.randint(0, len(content)), dice.randint(0, len(content))))
        what = dice.randrange(9)
        if what == 0:
            content = content[:at] + content[to:]
        elif what == 1:
            content = content[:at] + dice.choice(SPLICES) * dice.randint(1, 3) + content[at:]
        elif what == 2 and content:
            flipped = bytearray(content)
            flipped[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
            content = bytes(flipped)
        elif what == 3:
            lines = content.split(b"\n")
            dice.shuffle(lines)
            content = b"\n".join(lines)
        elif what == 4:
            content = content.replace(dice.choice((b",", b";", b"\t")), dice.choice((b",", b";", b"|", b"\t", b" ")))
        elif what == 5:
            content = content[:at]
        elif what == 6:
            other = dice.choice(others)
            content = content[:at] + other[dice.randint(0, len(other)) :]
        elif what == 7:
            content = content[:at] + content[at:to] * 2 + content[to:]
        else:
            content = content.decode("latin-1").encode(
                dice.choice(("utf-8", "utf-16", "utf-16-le", "cp1252")), "replace"
            )
    return content


def check(path: Path) -> str:
    """Read one file and return how it went. Raises AssertionError when the accounting is wrong."""
    start = time.perf_counter()
    try:
        export = read(path)
    except BenchError as problem:
        outcome, message = type(problem).__name__, str(problem)
        if not message or "\n" in message:
            raise AssertionError(f"the message is no paragraph: {message!r}") from problem
    else:
        for table in export.tables:
            kept = table.frame.collect()
            assert table.rows_read == kept.height + table.quarantine.height
            rows = pl.concat([kept.get_column("_row"), table.quarantine.get_column("_row")]).sort()
            assert rows.equals(pl.int_range(1, table.rows_read + 1, eager=True).alias("_row"))
            assert kept.columns == ["_row", "_line", *(column.name for column in table.columns)]
        if export.format in ("delimited", "markdown") and "wrapping" not in export.dialect:
            check_lines(path.read_bytes(), export.dialect)
        outcome = export.format
    assert time.perf_counter() - start < LONGEST_S, "hangs"
    return outcome


def check_lines(content: bytes, dialect: Mapping[str, object]) -> None:
    """Raise AssertionError if the dialect's lines are not those of the file."""
    counts = dialect["lines"]
    assert isinstance(counts, dict)
    encoding = str(dialect["encoding"])
    text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding, "replace").removeprefix("\ufeff")
    if re.search(r"\r(?!\n)", text):
        return  # a lone CR ends a line, except within quotes
    assert sum(counts.values()) == text.count("\n") + (text[-1:] not in ("", "\n")), counts


def run(count: int, seed: int, corpus: Sequence[bytes], names: Sequence[str]) -> dict[str, int]:
    """Read `count` mutated files and return how many ended in which way."""
    dice = random.Random(seed)
    outcomes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            at = dice.randrange(len(corpus))
            content = mutate(corpus[at], corpus, dice)
            path = Path(folder) / names[at]
            path.write_bytes(content)
            try:
                outcome = check(path)
            except BaseException:
                kept = Path(tempfile.gettempdir()) / f"fuzz-{seed}-{number}-{names[at]}"
                kept.write_bytes(content)
                print(f"failing file kept as {kept}", file=sys.stderr)
                raise
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes


def corpus_of(folder: Path | None) -> tuple[list[bytes], list[str]]:
    """Return the seeds of this module and the small files of a folder, with a name for each."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file()] if folder and folder.is_dir() else []
    heads = [path.read_bytes()[:6000] for path in files]
    return [*SEEDS, *heads], [*(f"seed{at}.csv" for at in range(len(SEEDS))), *(path.name for path in files)]


if __name__ == "__main__":
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    chosen = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    begun = time.perf_counter()
    print(run(total, chosen, *corpus_of(Path(__file__).parents[3] / "shared" / "data" / "public")))
    print(f"{total} files in {time.perf_counter() - begun:.1f} s")
