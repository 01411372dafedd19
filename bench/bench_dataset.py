"""Speed of data files against arrays in memory: ``python bench/bench_dataset.py [HANDS]``.

Scores the same hands in memory and from a file into a file, in turn, and prints both, their ratio
and the peak of memory of the process that reads and writes the files. The ratio means something on
a busy machine too, the speeds do not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fastmj import HandBatch, random_wins, score_batch
from fastmj.dataset import parse_hands

PIECE = 500_000
FILE_RUN = """
import json, resource, sys, time
from fastmj.dataset import score_file
score_file(sys.argv[1], sys.argv[2], fans=sys.argv[4])
began = time.perf_counter()
report = score_file(sys.argv[3], sys.argv[2], fans=sys.argv[4], compression=sys.argv[5],
                    overwrite=True)
print(json.dumps({"seconds": time.perf_counter() - began, "rows": report.rows,
                  "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def write_hands(path: Path, hands: int, compression: str) -> None:
    writer = None
    for start in range(0, hands, PIECE):
        table = random_wins(min(PIECE, hands - start), seed=start).to_arrow()
        writer = writer or pq.ParquetWriter(
            path, table.schema, compression=compression, use_dictionary=False
        )
        writer.write_table(table)
    assert writer is not None
    writer.close()


def in_memory(hands: int, fans: str) -> float:
    """Seconds to score as many hands from arrays to arrays, all cores, in pieces."""
    counted = fans in ("list", "columns")
    batch = HandBatch.concat([random_wins(PIECE, seed=seed) for seed in (0, PIECE)])
    score_batch(batch[:1000], fan_counts=counted)
    seconds = 0.0
    for start in range(0, hands, len(batch)):
        part = batch[: hands - start]
        began = time.perf_counter()
        score_batch(part, fan_counts=counted)
        seconds += time.perf_counter() - began
    return seconds


def from_file(small: Path, source: Path, output: Path, fans: str, compression: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", FILE_RUN, str(small), str(output), str(source), fans, compression],
        capture_output=True, text=True, check=True, env=dict(os.environ),
    )  # fmt: skip
    output.unlink()
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("hands", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--fans", default="mask,none,list,columns")
    parser.add_argument("--compression", default="none,lz4")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = folder / "small.parquet"
        write_hands(small, 1000, "none")
        for compression in given.compression.split(","):
            source = folder / f"hands-{compression}.parquet"
            write_hands(source, given.hands, compression)
            print(f"{source.name}: {given.hands:,} hands, {source.stat().st_size / 1e6:.0f} MB")
            for fans in given.fans.split(","):
                memory = in_memory(given.hands, fans)
                file = from_file(small, source, folder / "out.parquet", fans, compression)
                print(
                    f"  fans={fans:<8} memory {given.hands / memory / 1e6:6.2f} M/s   file "
                    f"{given.hands / file['seconds'] / 1e6:6.2f} M/s   ratio "
                    f"{memory / file['seconds']:5.2f}   peak {file['peak']:.0f} MB"
                )
            source.unlink()
    texts = pa.array([str(hand) for hand in random_wins(20_000, seed=1)] * 20)
    parse_hands(texts[:1000])
    began = time.perf_counter()
    parse_hands(texts, threads=1)
    print(f"hand texts: {len(texts) / (time.perf_counter() - began) / 1e6:.2f} M/s on one core")


if __name__ == "__main__":
    main()
