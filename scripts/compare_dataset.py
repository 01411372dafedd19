"""Data files against the plainest program that does the same, in turn, in one process.

``python scripts/compare_dataset.py [HANDS ...]`` makes files of random hands in a temporary folder,
scores each by ``score_file`` and by ``plain``, and prints medians, ratios and the highest memory.
``--write`` puts the table into fastmj/dataset/README.md.
"""

from __future__ import annotations

import argparse
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fastmj import HandBatch, random_wins, score_batch, score_file
from fastmj.scoring.arrow import Fans

sys.path.insert(0, str(Path(__file__).parent))
import pages

DATASET = "fastmj/dataset/README.md"
FANS: tuple[Fans, ...] = ("mask", "list", "columns")
#: File, and what is said of it.
FILES = {
    "default.parquet": "Parquet, as pyarrow writes it",
    "plain.parquet": "Parquet, plain",
    "hands.arrow": "Arrow IPC",
}


def plain(source: Path, output: Path, fans: Fans) -> None:
    """Score a file with one reading thread, two that score, and one that writes."""

    def read() -> None:
        if source.suffix == ".parquet":
            batches = pq.ParquetFile(source).iter_batches(1 << 17)
        else:
            reader = pa.ipc.open_file(pa.OSFile(str(source)))
            batches = map(reader.get_batch, range(reader.num_record_batches))
        for batch in batches:
            waiting.put(pool.submit(score, batch))
        waiting.put(None)

    def score(batch: pa.RecordBatch) -> pa.Table:
        hands = HandBatch.from_arrow(batch)
        found = score_batch(hands, threads=1, fan_counts=fans != "mask").to_arrow(fans)
        names = [*batch.schema.names, *found.schema.names]
        return pa.table([*batch.columns, *found.columns], names=names)

    waiting: queue.Queue = queue.Queue(4)
    with ThreadPoolExecutor(2) as pool, output.open("wb") as file:
        threading.Thread(target=read).start()
        writer = None
        while (future := waiting.get()) is not None:
            table = future.result()
            if writer is None:
                made = pq.ParquetWriter if output.suffix == ".parquet" else pa.ipc.new_file
                writer = made(file, table.schema)
            writer.write_table(table)
        writer.close()
        file.flush()
        os.fsync(file.fileno())


def make_files(folder: Path, hands: int) -> None:
    """Write the same hands in every form."""
    table = random_wins(hands, seed=1).to_arrow()
    pq.write_table(table, folder / "default.parquet")
    pq.write_table(table, folder / "plain.parquet", compression="none", use_dictionary=False)
    with pa.ipc.new_file(str(folder / "hands.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=1 << 17)
    pq.write_table(table, folder / "one_group.parquet", row_group_size=hands)


def seconds(call: Callable[..., object], *arguments: object, **options: object) -> float:
    """Time of a call."""
    begun = time.perf_counter()
    call(*arguments, **options)
    return time.perf_counter() - begun


def in_turn(folder: Path, rounds: int) -> list[str]:
    """Rows of the table: one a kind of file and of fans."""
    batch = HandBatch.from_arrow(pq.read_table(folder / "plain.parquet"))
    in_memory = {
        fans: statistics.median(
            seconds(score_batch, batch, fan_counts=fans != "mask") for _ in range(3)
        )
        for fans in FANS
    }
    rows = []
    for name, said in FILES.items():
        for fans in FANS:
            output = folder / f"out{Path(name).suffix}"
            pairs = []
            for _ in range(rounds):
                theirs = seconds(plain, folder / name, output, fans)
                ours = seconds(score_file, folder / name, output, fans=fans, overwrite=True)
                pairs.append((ours, theirs))
            ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
            ratio = statistics.median(a / b for a, b in pairs)
            share = in_memory[fans] / ours
            rows.append(
                f"| {said} | `{fans}` | {ours:.2f} s | {theirs:.2f} s | {ratio:.2f} | {share:.0%} |"
            )
            sys.stdout.write(rows[-1] + "\n")
            sys.stdout.flush()
    return rows


def memory(folder: Path, name: str) -> float:
    """Highest memory of a process that scores a file, in GB."""
    # What the kernel has seen of this very process: its maximum otherwise begins with the parent's.
    code = (
        "import re, sys; from fastmj import score_file;"
        "score_file(sys.argv[1], sys.argv[2], overwrite=True);"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    output = folder / f"out{Path(name).suffix}"
    done = subprocess.run([sys.executable, "-c", code, folder / name, output], check=True,
                          capture_output=True, text=True)  # fmt: skip
    return int(done.stdout) * 1024 / 1e9


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hands", nargs="*", type=int, default=[5_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help=f"into {DATASET}")
    arguments = parser.parse_args()
    score_batch(random_wins(1000, seed=1), fan_counts=True)
    lines = [f"Measured on {pages.machine('pyarrow')}."]
    for hands in arguments.hands:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_files(folder, hands)
            lines += [
                "", f"{hands:,} hands:", "",
                "| files | fans | `score_file` | plain program | ratio | of the speed in memory |",
                "|---|---|---:|---:|---:|---:|",
                *in_turn(folder, arguments.rounds), "",
                "Highest memory of the process: "
                + ", ".join(f"{memory(folder, file):.2f} GB {said}" for file, said in
                            (*FILES.items(), ("one_group.parquet", "Parquet in one row group")))
                + ".",
            ]  # fmt: skip
    sys.stdout.write("\n".join(lines) + "\n")
    if arguments.write:
        pages.write(DATASET, "dataset", lines)


if __name__ == "__main__":
    main()
