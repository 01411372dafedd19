"""Measure fastmj against the Python peer on the same hands in the same run.

``python scripts/compare_peers.py`` prints the tables; ``--write`` puts them into the README. Both
sides take turns in every round, so that a ratio holds on a machine whose speed drifts; the ratio is
the median over the rounds, the rates are medians too. The peer is charged what a Python user pays:
a row's numbers to arguments, the call, the sum of the fans.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from MahjongGB import MahjongFanCalculator

import fastmj
from fastmj.hands.notation import write_botzone_tile
from fastmj.samples.wins import WIN_FORMS
from fastmj.threads import usable_cores

sys.path.insert(0, str(Path(__file__).parent))
import compare_distance

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- performance:begin -->", "<!-- performance:end -->"
CODES = [write_botzone_tile(tile) for tile in range(34)]
ROUNDS = 9
OURS, THEIRS = 400_000, 4_000


def peer_total(row: tuple[Any, ...]) -> int:
    """Total of a row of plain numbers by the peer, from its columns to the sum of its fans."""
    counts, melds, win, flags, seat, prevalent, flowers = row
    packs = []
    for code in melds:
        if code:
            kind, tile = divmod(code - 1, 34)
            if kind == 0:
                packs.append(("CHI", CODES[tile + 1], 1))
            elif kind == 1:
                packs.append(("PENG", CODES[tile], 1))
            else:
                packs.append(("GANG", CODES[tile], 1 if kind == 2 else 0))
    hand = []
    for tile, count in enumerate(counts):
        if count:
            hand += [CODES[tile]] * count
    hand.remove(CODES[win])
    fans = MahjongFanCalculator(
        tuple(packs), tuple(hand), CODES[win], flowers, bool(flags & 1), bool(flags & 2),
        bool(flags & 8), bool(flags & 4), seat, prevalent,
    )  # fmt: skip
    return sum(points for points, _ in fans)


def seconds(work: Callable[[], Any]) -> float:
    """Time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare_class(batch: fastmj.HandBatch, threads: int) -> tuple[float, float, float]:
    """Hands a second of ours and of the peer, and the median ratio."""
    rows = list(zip(*(column[:THEIRS].tolist() for column in batch.columns), strict=True))
    totals = fastmj.score_batch(batch, threads=threads).total
    assert [peer_total(row) for row in rows] == totals[:THEIRS].tolist()
    ours, theirs, ratios = [], [], []
    for _ in range(ROUNDS):
        mine = min(seconds(lambda: fastmj.score_batch(batch, threads=threads)) for _ in range(3))
        other = seconds(lambda: [peer_total(row) for row in rows])
        ours.append(len(batch) / mine)
        theirs.append(len(rows) / other)
        ratios.append(ours[-1] / theirs[-1])
    return statistics.median(ours), statistics.median(theirs), statistics.median(ratios)


def scoring_table() -> list[str]:
    """Rows of the scoring table."""
    cores = usable_cores()
    lines = [
        f"| hands | fastmj, 1 thread | peer | ratio | fastmj, {cores} threads | × 1 thread |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name in ("all", *WIN_FORMS):
        batch = fastmj.random_wins(OURS, seed=1, forms=None if name == "all" else name)
        ours, theirs, ratio = compare_class(batch, 1)
        scaling = statistics.median(
            min(seconds(lambda b=batch: fastmj.score_batch(b, threads=1)) for _ in range(3))
            / min(seconds(lambda b=batch: fastmj.score_batch(b)) for _ in range(3))
            for _ in range(ROUNDS)
        )
        lines.append(
            f"| {name.replace('_', ' ')} | {ours / 1e6:.1f} M/s | {theirs / 1e6:.3f} M/s "
            f"| {ratio:.0f} | {ours * scaling / 1e6:.1f} M/s | {scaling:.2f} |"
        )
    return lines


def single_calls() -> list[str]:
    """Latency of one call on hands made beforehand."""
    hands = list(fastmj.random_wins(500, seed=2))
    arguments = []
    for hand in hands:
        row = (hand.counts, [m.code for m in hand.melds], hand.win_tile, hand.circumstances,
               hand.seat_wind, hand.prevalent_wind, hand.flowers)  # fmt: skip
        arguments.append(_peer_arguments(row))
    for hand in hands:
        fastmj.score_hand(hand)
    ours, theirs = [], []
    for _ in range(5 * ROUNDS):
        ours.append(seconds(lambda: [fastmj.score_hand(hand) for hand in hands]))
        theirs.append(seconds(lambda: [MahjongFanCalculator(*given) for given in arguments]))
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    scale = 1e6 / len(hands)
    return [
        f"| one hand: `score_hand` on a `Hand` | {statistics.median(ours) * scale:.1f} µs |",
        f"| one hand: the peer's call, its arguments made beforehand | "
        f"{statistics.median(theirs) * scale:.1f} µs ({ratio:.2f} × for ours) |",
    ]


def _peer_arguments(row: tuple[Any, ...]) -> tuple[Any, ...]:
    captured: list[tuple[Any, ...]] = []

    def capture(*given: Any) -> list[tuple[int, str]]:
        captured.append(given)
        return []

    real = globals()["MahjongFanCalculator"]
    globals()["MahjongFanCalculator"] = capture
    try:
        peer_total(row)
    finally:
        globals()["MahjongFanCalculator"] = real
    return captured[0]


def _in_fresh_process(code: str, **environment: str) -> float:
    """Seconds that a snippet reports from a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"import time; start = time.perf_counter()\n{code}\n"
         "print(time.perf_counter() - start)"],
        env={**os.environ, **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return float(done.stdout)


def start_up() -> list[str]:
    """Import, and the first score with a cold and with a warm compiler cache."""
    first = 'import fastmj; fastmj.score_hand("123456789m12355p")'
    batch = "import fastmj; fastmj.score_batch(fastmj.random_wins(1, seed=1))"
    with tempfile.TemporaryDirectory() as folder:
        cold = _in_fresh_process(first, NUMBA_CACHE_DIR=folder)
        cold_batch = _in_fresh_process(batch, NUMBA_CACHE_DIR=folder)
        warm = statistics.median(_in_fresh_process(first, NUMBA_CACHE_DIR=folder) for _ in range(5))
    import_time = statistics.median(_in_fresh_process("import fastmj") for _ in range(5))
    return [
        f"| `import fastmj` | {import_time:.2f} s |",
        f"| import and first `score_hand`, compiled before | {warm:.2f} s |",
        f"| import and first `score_hand`, compiling | {cold:.1f} s |",
        f"| then first `random_wins` and `score_batch`, compiling | {cold_batch:.1f} s |",
    ]


def table_memory() -> int:
    """Bytes of all scoring tables, one profile with them."""
    from fastmj.tables.scoring.load import load_tables
    from fastmj.tables.scoring.profile import compile_rules

    return sum(
        array.nbytes for buffers in (load_tables(), compile_rules(fastmj.GB98)) for array in buffers
    )


def growth() -> list[str]:
    """Cost and extra memory of a large batch."""
    code = """
import resource, fastmj, numpy as np
small = fastmj.random_wins(100_000, seed=1)
fastmj.score_batch(small)
batch = fastmj.HandBatch.from_columns(*(np.tile(c, (100, 1)) if c.ndim == 2 else np.tile(c, 100)
                                        for c in small.columns))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
scores = fastmj.score_batch(batch, threads=1)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
outputs = sum(a.nbytes for a in (scores.total, scores.base, scores.fan_mask, scores.wins,
                                 scores.status))
large = min(_timed(lambda: fastmj.score_batch(batch, threads=1)) for _ in range(3))
small_time = min(_timed(lambda: fastmj.score_batch(small, threads=1)) for _ in range(5))
print(large / small_time, (after - before) / 1024, outputs / 2**20)
"""
    helper = (
        "import time\ndef _timed(work):\n    start = time.perf_counter()\n    work()\n"
        "    return time.perf_counter() - start\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", helper + code], capture_output=True, text=True, check=True
    )
    ratio, extra, outputs = map(float, done.stdout.split())
    return [
        f"| 10 million hands against 100,000, one thread | {ratio:.0f} × the time |",
        f"| memory that scoring 10 million hands adds | {extra:.0f} MiB, "
        f"{outputs:.0f} MiB of them the results |",
    ]


def distance_table() -> list[str]:
    """Rows of the table of distances."""
    lines = ["| one thread, uniform deals | fastmj | peer | ratio |", "|---|---:|---:|---:|"]
    for row in compare_distance.measure(200_000):
        lines.append(
            f"| {row['task']} | {row['fastmj'] / 1e6:.2f} M/s | {row['peer'] / 1e3:.1f} k/s "
            f"| {row['ratio']:.0f} |"
        )
    return lines


def machine() -> str:
    """The machine and the versions, in one line."""
    model = platform.processor() or platform.machine()
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        names = [li.split(":")[1] for li in cpu_info.read_text().splitlines() if "model name" in li]
        model = names[0].strip() if names else model
    return (
        f"{model}, {usable_cores()} cores, Python {platform.python_version()}, "
        f"numpy {np.__version__}, numba {version('numba')}, PyMahjongGB {version('PyMahjongGB')}"
    )


def report() -> str:
    """The whole section of the README."""
    lines = [
        f"Measured by `python scripts/compare_peers.py` in one run on: {machine()}. Rates are "
        "hands a second; the peer is charged what a Python user pays, from a row of numbers to the "
        "sum of its fans. Ratios are medians over rounds in which both take turns, on the same "
        "hands, whose totals are equal.",
        "",
        *scoring_table(),
        "",
        "| | |",
        "|---|---:|",
        *single_calls(),
        *start_up(),
        f"| scoring tables in memory, with one profile | {table_memory() / 2**20:.1f} MiB |",
        *growth(),
        "",
        *distance_table(),
    ]
    return "\n".join(lines)


def main() -> None:
    """Print the report, and write it into the README on request."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into the README")
    options = parser.parse_args()
    section = report()
    sys.stdout.write(section + "\n")
    if options.write:
        text = README.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN)
        tail = rest.split(END)[1]
        README.write_text(f"{head}{BEGIN}\n{section}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
