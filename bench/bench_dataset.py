"""Speed of data files against arrays in memory: ``python bench/bench_dataset.py [HANDS]``.

Scores the same hands in memory (before and after) and from a file into a file, and prints both,
their ratio and the peak of memory of the process that reads and writes the files. On a busy machine
the ratio of CPU times says more than that of the clock. Where fans are counted, there is a second
ratio: to scoring in memory that counts them too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fastmj import HandBatch, random_wins, score_batch
from fastmj.dataset import parse_hands

PIECE = 500_000
FILE_RUN = """
import json, sys, time
from fastmj.dataset import score_file
small, output, source, fans, compression, keep = sys.argv[1:]
options = {"fans": fans, "compression": compression, "overwrite": True,
           "keep": None if keep == "all" else []}
score_file(small, output, **options)
began, busy = time.perf_counter(), time.process_time()
score_file(source, output, **options)
wall, cpu = time.perf_counter() - began, time.process_time() - busy
# What the resource module says begins with the peak of the process that started this one.
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak / 1024}))
"""


def write_hands(path: Path, hands: int, compression: str, dictionary: bool = False) -> None:
    writer = None
    for start in range(0, hands, PIECE):
        table = random_wins(min(PIECE, hands - start), seed=start).to_arrow()
        writer = writer or pq.ParquetWriter(
            path, table.schema, compression=compression, use_dictionary=dictionary
        )
        writer.write_table(table)
    assert writer is not None
    writer.close()


def in_memory(hands: int, counted: bool = False) -> tuple[float, float]:
    """Seconds, on the clock and of the cores, to score as many hands from arrays to arrays."""
    batch = HandBatch.concat([random_wins(PIECE, seed=seed) for seed in (0, PIECE)])
    score_batch(batch[:1000], fan_counts=counted)
    wall = cpu = 0.0
    for start in range(0, hands, len(batch)):
        part = batch[: hands - start]
        began, busy = time.perf_counter(), time.process_time()
        score_batch(part, fan_counts=counted)
        wall += time.perf_counter() - began
        cpu += time.process_time() - busy
    return wall, cpu


def from_file(*arguments: object) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", FILE_RUN, *map(str, arguments)],
        capture_output=True, text=True, check=True, env=dict(os.environ),
    )  # fmt: skip
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("hands", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--fans", default="mask,list,columns")
    parser.add_argument("--compression", default="none,lz4")
    parser.add_argument("--keep", default="all,none")
    parser.add_argument(
        "--dictionary", action="store_true", help="write the input with dictionaries, as by default"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, output = folder / "small.parquet", folder / "out.parquet"
        write_hands(small, 1000, "none")
        for compression in given.compression.split(","):
            source = folder / f"hands-{compression}.parquet"
            write_hands(source, given.hands, compression, given.dictionary)
            print(f"{source.name}: {given.hands:,} hands, {source.stat().st_size / 1e6:.0f} MB")
            for fans, keep in product(given.fans.split(","), given.keep.split(",")):
                before = in_memory(given.hands)
                file = from_file(small, output, source, fans, compression, keep)
                after = in_memory(given.hands)
                wall, cpu = ((x + y) / 2 for x, y in zip(before, after, strict=True))
                line = (
                    f"  fans={fans:<8} keep={keep:<5}"
                    f"memory {given.hands / wall / 1e6:6.2f} M/s  "
                    f"file {given.hands / file['wall'] / 1e6:6.2f} M/s  "
                    f"ratio {wall / file['wall']:5.2f} (of CPU time {cpu / file['cpu']:5.2f})  "
                )
                if fans in ("list", "columns"):
                    wall, cpu = in_memory(given.hands, counted=True)
                    line += f"counted {wall / file['wall']:5.2f} ({cpu / file['cpu']:5.2f})  "
                size = output.stat().st_size / 1e6
                print(f"{line}peak {file['peak']:.0f} MB  {size:.0f} MB written")
                output.unlink()
            source.unlink()
    texts = pa.array([str(hand) for hand in random_wins(20_000, seed=1)] * 20)
    parse_hands(texts[:1000])
    began = time.perf_counter()
    parse_hands(texts, threads=1)
    print(f"hand texts: {len(texts) / (time.perf_counter() - began) / 1e6:.2f} M/s on one core")


if __name__ == "__main__":
    main()
