"""The reader against polars' own scan, in one run, so that the machine's mood cancels out.

    python tests/perf/bench_read.py [ROWS]

Plain: reading and writing the text as Parquet, at most 1.3 times polars' scan of the same file to Parquet (all text).
cp1252 with preamble and decimal commas: at most 2.5 times that.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from bench.readers import read

ROUNDS = 3


def make(folder: Path, rows: int) -> tuple[Path, Path]:
    """Write the two files: `rows` rows of 7 columns."""
    plain, comma = folder / "plain.csv", folder / "comma.csv"
    n = pl.int_range(rows)
    frame = pl.select(
        serial=pl.lit("SRB5030-2608-") + (n % 10000).cast(pl.String).str.zfill(4),
        timestamp=(pl.datetime(2026, 8, 27) + pl.duration(seconds=n)).dt.strftime("%Y-%m-%dT%H:%M:%S"),
        elapsed_s=n,
        vin_v=(24 + n % 997 / 10000).round(4),
        iout_a=(3 + n % 991 / 100000).round(5),
        vout_v=(4.99 + n % 983 / 100000).round(5),
        tcase_c=(45 + n % 97 / 10).round(1),
    )
    frame.write_csv(plain)
    head = "Prüfstand:;3\r\nStart:;27.08.2026\r\n\r\n" + ";".join([*frame.columns[:-1], "tcase (°C)"]) + "\r\n"
    body = frame.write_csv(separator=";", decimal_comma=True, line_terminator="\r\n", include_header=False)
    comma.write_bytes(head.encode("cp1252") + body.encode("cp1252"))
    return plain, comma


@dataclass(frozen=True)
class Cost:
    """The least of three rounds, in seconds of wall clock and of processor time (all threads)."""

    wall: float
    cpu: float

    def over(self, other: "Cost") -> str:
        return (
            f"{self.wall:.2f} s ({self.cpu:.2f} s cpu): {self.wall / other.wall:.2f} times ({self.cpu / other.cpu:.2f})"
        )


def cost(step: Callable[[], object]) -> Cost:
    """Return the least wall time and the least processor time of three rounds."""
    walls, cpus = [], []
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        step()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return Cost(min(walls), min(cpus))


def main(rows: int) -> None:
    """Print times and ratios."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain, comma = make(folder, rows)
        out = folder / "out.parquet"
        size = plain.stat().st_size / 1e6
        text = cost(lambda: pl.scan_csv(plain, infer_schema=False).sink_parquet(out))
        typed = cost(lambda: pl.scan_csv(plain).sink_parquet(out))
        alone = cost(lambda: read(plain))
        ours = cost(lambda: read(plain).tables[0].frame.sink_parquet(out))
        commas = cost(lambda: read(comma).tables[0].frame.sink_parquet(out))
    print(f"{rows:,} rows, {size:.0f} MB; processor time holds where other work shares the machine")
    print(f"polars scan to Parquet, as text:       {text.over(text)}")
    print(f"polars scan to Parquet, typed:         {typed.over(text)}")
    print(f"reader alone (proof, hash, zstd):      {alone.over(text)}")
    print(f"reader to Parquet, plain:              {ours.over(text)}")
    print(f"reader to Parquet, cp1252 with commas: {commas.over(text)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
