"""Speed of data files against arrays in memory: ``python bench/bench_dataset.py [HANDS]``.

Scores the same hands from a file into a file and in memory, in turn and in one process, and prints
the medians of the speeds and of their ratios, and the peak of memory before anything was scored in
memory. On a busy machine the ratio of CPU times says more than that of the clock. ``first`` is the
ratio of the first file of a process, for which all memory is fresh. Where fans are counted, there
is a second ratio: to scoring in memory that counts them too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq

from fastmj import HandBatch, random_wins, score_batch
from fastmj.dataset import parse_hands, score_file

PIECE = 500_000
TIMES = 5


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


def timed(work, *arguments, **options) -> tuple[float, float]:
    """Seconds, on the clock and of the cores."""
    began, busy = time.perf_counter(), time.process_time()
    work(*arguments, **options)
    return time.perf_counter() - began, time.process_time() - busy


def in_memory(batch: HandBatch, hands: int, counted: bool = False) -> tuple[float, float]:
    """As ``timed``, for so many hands from arrays to arrays."""
    parts = [
        timed(score_batch, batch[: hands - start], fan_counts=counted)
        for start in range(0, hands, len(batch))
    ]
    wall, cpu = zip(*parts, strict=True)
    return sum(wall), sum(cpu)


def measure(small: str, source: str, output: str, hands: int, options: dict) -> dict:
    """All figures of one kind of output; in a process of its own, for the peak of memory."""
    path = Path(output)
    score_file(small, path, **options)
    path.unlink()
    first = timed(score_file, source, path, **options)
    size = path.stat().st_size
    # What the resource module says begins with the peak of the process that started this one.
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    batch = HandBatch.concat([random_wins(PIECE, seed=seed) for seed in (0, PIECE)])
    files, plain, counted = [], [], []
    in_memory(batch, PIECE)
    for _ in range(TIMES):
        plain.append(in_memory(batch, hands))
        path.unlink()  # giving an old file back to the disk would count
        files.append(timed(score_file, source, path, **options))
        plain.append(in_memory(batch, hands))
    if options["fans"] in ("list", "columns"):
        counted = [in_memory(batch, hands, counted=True) for _ in range(2)]
    return {"first": first, "size": size, "peak": peak, "files": files,
            "plain": plain, "counted": counted}  # fmt: skip


def show(hands: int, found: dict) -> str:
    (wall, cpu), (file_wall, file_cpu), counted = (
        [median(times) for times in zip(*found[kind], strict=True)]
        for kind in ("plain", "files", "counted")
    )
    line = (
        f"memory {hands / wall / 1e6:6.2f} M/s  file {hands / file_wall / 1e6:6.2f} M/s  "
        f"ratio {wall / file_wall:5.2f} (of CPU time {cpu / file_cpu:5.2f}, "
        f"first {wall / found['first'][0]:5.2f})  "
    )
    if counted:
        line += f"counted {counted[0] / file_wall:5.2f} ({counted[1] / file_cpu:5.2f})  "
    return f"{line}peak {found['peak']:.0f} MB  {found['size'] / 1e6:.0f} MB written"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("hands", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--fans", default="mask,list,columns")
    parser.add_argument("--compression", default="none,lz4")
    parser.add_argument("--keep", default="all,none")
    parser.add_argument(
        "--dictionary", action="store_true", help="write the input with dictionaries, as by default"
    )
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(**json.loads(given.measure))))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = folder / "small.parquet"
        write_hands(small, 1000, "none")
        for compression in given.compression.split(","):
            source = folder / f"hands-{compression}.parquet"
            write_hands(source, given.hands, compression, given.dictionary)
            print(f"{source.name}: {given.hands:,} hands, {source.stat().st_size / 1e6:.0f} MB")
            for fans, keep in product(given.fans.split(","), given.keep.split(",")):
                options = {"fans": fans, "compression": compression,
                           "keep": None if keep == "all" else []}  # fmt: skip
                wanted = {"small": str(small), "source": str(source), "hands": given.hands,
                          "output": str(folder / "out.parquet"), "options": options}  # fmt: skip
                done = subprocess.run(
                    [sys.executable, __file__, "--measure", json.dumps(wanted)],
                    capture_output=True, text=True, check=True,
                )  # fmt: skip
                print(
                    f"  fans={fans:<8} keep={keep:<5}{show(given.hands, json.loads(done.stdout))}"
                )
                (folder / "out.parquet").unlink()
            source.unlink()
    texts = pa.array([str(hand) for hand in random_wins(20_000, seed=1)] * 20)
    parse_hands(texts[:1000])
    began = time.perf_counter()
    parse_hands(texts, threads=1)
    print(f"hand texts: {len(texts) / (time.perf_counter() - began) / 1e6:.2f} M/s on one core")


if __name__ == "__main__":
    main()
