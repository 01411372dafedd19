"""Measure scoring against the Python peer on the same hands in the same run.

``python scripts/compare_peers.py`` prints the tables; ``--write`` puts them into bench/README.md.
Both sides take turns in every round, so that a ratio holds on a machine whose speed drifts; the
ratio is the median over the rounds, the rates are medians too; single calls are the best of many
rounds. The peer is charged what a Python user pays: a row's numbers to arguments, the call, the sum
of the fans.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from MahjongGB import MahjongFanCalculator

import fastmj
from fastmj.hands.notation import write_botzone_tile
from fastmj.samples.wins import WIN_FORMS
from fastmj.threads import usable_cores

sys.path.insert(0, str(Path(__file__).parent))
import pages

CODES = [write_botzone_tile(tile) for tile in range(34)]
ROUNDS = 9
OURS, THEIRS = 400_000, 4_000
#: Hands of a round of single calls: so short that most rounds are not interrupted.
PIECE = 50


def peer_arguments(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of the peer's call, from the columns of a row as plain numbers."""
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
    return (
        tuple(packs), tuple(hand), CODES[win], flowers, bool(flags & 1), bool(flags & 2),
        bool(flags & 8), bool(flags & 4), seat, prevalent,
    )  # fmt: skip


def peer_total(row: tuple[Any, ...]) -> int:
    """Total of a row of plain numbers by the peer, from its columns to the sum of its fans."""
    return sum(points for points, _ in MahjongFanCalculator(*peer_arguments(row)))


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
    """Rows of the table of single calls: the best of many rounds in which all take turns."""
    hands = list(fastmj.random_wins(500, seed=2))
    texts = [str(hand) for hand in hands]
    given = [
        (hand.concealed, hand.win_tile, hand.melds, hand.self_drawn, hand.last_of_kind,
         hand.last_tile, hand.kong, hand.seat_wind, hand.prevalent_wind, hand.flowers)
        for hand in hands
    ]  # fmt: skip
    columns = [
        (hand.counts, [m.code for m in hand.melds], hand.win_tile, hand.circumstances,
         hand.seat_wind, hand.prevalent_wind, hand.flowers)
        for hand in hands
    ]  # fmt: skip
    arguments = [peer_arguments(row) for row in columns]
    totals = [fastmj.score_hand(hand).total for hand in hands]
    assert totals == [fastmj.score_hand(text).total for text in texts]
    assert totals == [fastmj.score_hand(_made(fields)).total for fields in given]
    assert totals == [fastmj.score_hand(_from_peer(one)).total for one in arguments]
    assert totals == [fastmj.score_botzone(*one).total for one in arguments]
    assert totals == [sum(n for n, _ in MahjongFanCalculator(*one)) for one in arguments]
    score = fastmj.score_hand
    jobs: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
        "a `Hand` scored again": (score, hands),
        "a `Hand` made fresh, scored": (lambda fields: score(_made(fields)), given),
        "the peer's arguments by `Hand.from_botzone`, scored": (
            lambda one: score(_from_peer(one)), arguments,
        ),
        "the peer's arguments by `score_botzone`": (
            lambda one: fastmj.score_botzone(*one), arguments,
        ),
        "a text read and scored": (score, texts),
        "the peer's call alone": (lambda one: MahjongFanCalculator(*one), arguments),
        "the peer's call, its tuples made": (
            lambda row: MahjongFanCalculator(*peer_arguments(row)), columns,
        ),
    }  # fmt: skip
    best = {name: [float("inf")] * (len(hands) // PIECE) for name in jobs}
    for _ in range(2 * ROUNDS):
        for name, (job, items) in jobs.items():
            for place in range(len(best[name])):
                piece = items[PIECE * place : PIECE * (place + 1)]
                # Again and again: the first time, its data are no longer in the cache.
                spent = min(seconds(lambda j=job, p=piece: [j(one) for one in p]) for _ in range(4))
                best[name][place] = min(best[name][place], spent / PIECE * 1e6)
    times = {name: statistics.mean(pieces) for name, pieces in best.items()}
    call = times["the peer's call alone"]
    return [
        "| one hand | time | × the peer's call |",
        "|---|---:|---:|",
        *(f"| {name} | {time:.1f} µs | {time / call:.2f} |" for name, time in times.items()),
    ]


def _few_jobs(size: int) -> dict[str, Callable[[], Any]]:
    """Calls for so many rows."""
    batch = fastmj.random_wins(size, seed=2)
    counts, melds, win, bits, seat, prevalent, flowers = (c.copy() for c in batch.columns)
    drawn = (bits & 1).astype(bool)
    deals, full = (fastmj.random_deals(size, tiles=tiles, seed=2) for tiles in (13, 14))
    scores, near, found = (
        fastmj.score_batch(batch),
        fastmj.shanten_batch(deals),
        fastmj.features(batch),
    )

    def made() -> fastmj.HandBatch:
        return fastmj.HandBatch(
            counts, melds=melds, win_tile=win, self_drawn=drawn, seat_wind=seat,
            prevalent_wind=prevalent, flowers=flowers,
        )  # fmt: skip

    return {
        "`HandBatch`, `score_batch`": lambda: fastmj.score_batch(made()),
        "`score_batch(out=...)`": lambda: fastmj.score_batch(batch, out=scores),
        "`shanten_batch`": lambda: fastmj.shanten_batch(deals),
        "`shanten_batch(out=...)`": lambda: fastmj.shanten_batch(deals, out=near),
        "`acceptance_batch`": lambda: fastmj.acceptance_batch(deals),
        "`discards_batch`": lambda: fastmj.discards_batch(full),
        "`features`": lambda: fastmj.features(batch),
        "`features(out=...)`": lambda: fastmj.features(batch, out=found),
    }


def few_calls() -> list[str]:
    """Rows of the table of calls for few hands: the best of many short rounds."""
    sizes = (1, 32, 1024)
    cells: dict[str, list[str]] = {}
    for size in sizes:
        for name, job in _few_jobs(size).items():
            spent = min(seconds(lambda j=job: [j() for _ in range(10)]) for _ in range(300))
            cells.setdefault(name, []).append(f"{spent / 10 * 1e6:.1f} µs")
    return [
        f"| rows, one thread | {' | '.join(f'{size:,}' for size in sizes)} |",
        "|---|---:|---:|---:|",
        *(f"| {name} | {' | '.join(times)} |" for name, times in cells.items()),
    ]


def _made(fields: tuple[Any, ...]) -> fastmj.Hand:
    """Hand from tiles and melds."""
    tiles, win, melds, drawn, last_of_kind, last, kong, seat, prevalent, flowers = fields
    return fastmj.Hand(
        tiles, win, melds, self_drawn=drawn, last_of_kind=last_of_kind, last_tile=last, kong=kong,
        seat_wind=seat, prevalent_wind=prevalent, flowers=flowers,
    )  # fmt: skip


def _from_peer(arguments: tuple[Any, ...]) -> fastmj.Hand:
    """Hand from the arguments of the peer's call."""
    packs, hand, win, flowers, drawn, last_of_kind, kong, last, seat, prevalent = arguments
    return fastmj.Hand.from_botzone(
        packs, hand, win, self_drawn=drawn, last_of_kind=last_of_kind, last_tile=last, kong=kong,
        seat_wind=seat, prevalent_wind=prevalent, flowers=flowers,
    )  # fmt: skip


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
        f"| first `score_hand` of a process, compiled | {warm:.2f} s |",
        f"| first `score_hand` of a process, not yet | {cold:.1f} s |",
        f"| then first `random_wins` and `score_batch`, not yet | {cold_batch:.1f} s |",
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


def start_table() -> list[str]:
    """Rows of the table of start, memory and growth."""
    return [
        "| | |",
        "|---|---:|",
        *start_up(),
        f"| scoring tables in memory, with one profile | {table_memory() / 2**20:.1f} MiB |",
        *growth(),
    ]


TABLES: dict[str, Callable[[], list[str]]] = {
    "scoring": scoring_table,
    "calls": single_calls,
    "few": few_calls,
    "start": start_table,
}


def main(given: Sequence[str] | None = None) -> None:
    """Print the tables, and write them into bench/README.md on request."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"{', '.join(TABLES)}; or all")
    parser.add_argument(
        "--write",
        action="store_true",
        help="put them into bench/README.md, and from there the README",
    )
    options = parser.parse_args(given)
    unknown = set(options.tables) - set(TABLES)
    if unknown:
        parser.error(f"no table is called {', '.join(sorted(unknown))}")
    for name in options.tables or TABLES:
        lines = [f"Measured on {pages.machine('PyMahjongGB')}.", "", *TABLES[name]()]
        sys.stdout.write("\n".join(lines) + "\n\n")
        if options.write:
            pages.write(pages.BENCH, name, lines)


if __name__ == "__main__":
    main()
