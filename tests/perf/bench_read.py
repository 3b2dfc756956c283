"""The reader against polars' own scan, in one run, so that the machine's mood cancels out.

    python tests/perf/bench_read.py [ROWS]

Plain: reading and writing the text as Parquet, at most 1.3 times polars' scan of the same file to Parquet (all text),
the same columns in both. A table in the database has `_row` as well, and a row's line is kept where its text is: the
lines below say what these two columns cost.
cp1252 with preamble and decimal commas: at most 2.5 times that.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import polars as pl

from bench.export import LINE, ROW, Export
from bench.readers import read

ROUNDS = 5


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
    """Seconds of wall clock and of processor time (all threads), of one round each."""

    walls: list[float]
    cpus: list[float]

    def over(self, other: "Cost") -> str:
        """The least of each, and how many times the other's that is; the median of the ratios within a round."""
        ratio = median(mine / theirs for mine, theirs in zip(self.walls, other.walls, strict=True))
        return (
            f"{min(self.walls):5.2f} s: {min(self.walls) / min(other.walls):.2f} times, median {ratio:.2f}; "
            f"cpu {min(self.cpus):.2f} s: {min(self.cpus) / min(other.cpus):.2f} times"
        )


def costs(steps: Mapping[str, Callable[[], Export | None]]) -> dict[str, Cost]:
    """Return the cost of each step, round by round in turn, so that what else the machine does meets all of them.

    What an export still hashes and compresses in the background has ended before the next step begins.
    """
    found = {name: Cost([], []) for name in steps}
    for _ in range(ROUNDS):
        for name, step in steps.items():
            wall, cpu = time.perf_counter(), time.process_time()
            export = step()
            found[name].walls.append(time.perf_counter() - wall)
            found[name].cpus.append(time.process_time() - cpu)
            if export is not None:
                export.source.compressed()
    return found


def main(rows: int) -> None:
    """Print times and ratios."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain, comma = make(folder, rows)
        out = folder / "out.parquet"

        def sink(path: Path, *without: str) -> Export:
            export = read(path)
            export.tables[0].frame.drop(without).sink_parquet(out)
            return export

        def sink_and_keep(path: Path) -> None:
            sink(path).source.compressed()

        found = costs({
            "polars scan to Parquet, as text": lambda: pl.scan_csv(plain, infer_schema=False).sink_parquet(out),
            "polars scan to Parquet, typed": lambda: pl.scan_csv(plain).sink_parquet(out),
            "reader alone (proof)": lambda: read(plain),
            "reader to Parquet, plain, the same columns": lambda: sink(plain, ROW, LINE),
            "with the number of each row": lambda: sink(plain, LINE),
            "with the number and the line of each row": lambda: sink(plain),
            "the same, until raw is kept (hash, zstd)": lambda: sink_and_keep(plain),
            "reader to Parquet, cp1252 with commas": lambda: sink(comma),
        })  # fmt: skip
        size = plain.stat().st_size / 1e6
    print(f"{rows:,} rows, {size:.0f} MB; processor time holds where other work shares the machine")
    first = next(iter(found.values()))
    for what, cost in found.items():
        print(f"{what + ':':45} {cost.over(first)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
