"""Measure the distance functions against the peer, on the same hands in the same run.

``python scripts/compare_distance.py`` prints a table; ``--write`` puts it into
fastmj/distance/README.md. Every figure is the best of several rounds in which both sides take
turns, on one thread. The peer is called as a Python user calls it, its tuples made beforehand; it
is given fewer hands, because it is slower.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fastmj.distance import (
    acceptance_batch,
    discards_batch,
    regular_shanten_batch,
    shanten_batch,
    waits_batch,
)
from fastmj.hands.notation import write_botzone_tile
from fastmj.hands.tiles import tiles_of
from fastmj.samples.deals import random_deals

sys.path.insert(0, str(Path(__file__).parent))
import pages

ROUNDS = 7
_CODES = [write_botzone_tile(tile) for tile in range(34)]


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _rates(ours: Callable[[], Any], n: int, theirs: Callable[[], Any], m: int) -> tuple[float, ...]:
    """Hands a second of both sides, each the best of several rounds in turn."""
    ours()
    times = [(_seconds(ours), _seconds(theirs)) for _ in range(ROUNDS)]
    return n / min(a for a, _ in times), m / min(b for _, b in times)


def _key_time(deals: np.ndarray) -> float:
    """Nanoseconds to read 34 counts and form the four suit keys: the floor of any such function."""
    import numba

    @numba.njit(nogil=True)
    def keys(counts: Any) -> int:
        total = 0
        for i in range(len(counts)):
            for first in (0, 9, 18):
                key = np.int64(counts[i, first + 8])
                for rank in range(7, -1, -1):
                    key = 5 * key + np.int64(counts[i, first + rank])
                total ^= key
            key = np.int64(counts[i, 33])
            for rank in range(5, -1, -1):
                key = 5 * key + np.int64(counts[i, 27 + rank])
            total ^= key
        return total

    keys(deals)
    return min(_seconds(lambda: keys(deals)) for _ in range(ROUNDS)) / len(deals) * 1e9


def _peer_jobs(hands: list[tuple[str, ...]]) -> dict[str, Callable[[], Any]]:
    """Do what a user of the peer does for the same answers."""
    import MahjongGB

    forms = (
        MahjongGB.RegularShanten,
        MahjongGB.SevenPairsShanten,
        MahjongGB.ThirteenOrphansShanten,
        MahjongGB.HonorsAndKnittedTilesShanten,
        MahjongGB.KnittedStraightShanten,
    )

    def accepted(hand: tuple[str, ...]) -> tuple[int, set[str]]:
        found = [form(hand) for form in forms]
        best = min(shanten for shanten, _ in found)
        return best, {tile for shanten, useful in found if shanten == best for tile in useful}

    def every_discard(hand: tuple[str, ...]) -> dict[str, tuple[int, set[str]]]:
        result = {}
        for tile in set(hand):
            rest = list(hand)
            rest.remove(tile)
            result[tile] = accepted(tuple(rest))
        return result

    def waits(hand: tuple[str, ...]) -> set[str]:
        if MahjongGB.MahjongShanten((), hand) > 0:
            return set()
        return accepted(hand)[1]

    return {
        "shanten": lambda: [MahjongGB.MahjongShanten((), hand) for hand in hands],
        "regular": lambda: [MahjongGB.RegularShanten(hand) for hand in hands],
        "acceptance": lambda: [accepted(hand) for hand in hands],
        "discards": lambda: [every_discard(hand) for hand in hands],
        "waits": lambda: [waits(hand) for hand in hands],
    }


def measure(n: int = 200_000, seed: int = 1) -> list[dict[str, Any]]:
    """Rows of the comparison: ``task``, ``hands``, ``fastmj`` and ``peer`` in hands/s, ``ratio``.

    Parameters
    ----------
    n : int
        Hands for the fast functions; the discards take a tenth of them, the peer a hundredth or
        less.
    seed : int
        Of the deals, which are uniform.
    """
    deals = random_deals(n, seed=seed)
    drawn = random_deals(max(1, n // 10), tiles=14, seed=seed)

    def tuples(rows: np.ndarray) -> list[tuple[str, ...]]:
        return [tuple(_CODES[tile] for tile in tiles_of(row)) for row in rows.tolist()]

    some, few = tuples(deals[: max(1, n // 100)]), tuples(deals[: max(1, n // 400)])
    fourteen = tuples(drawn[: max(1, n // 8000)])
    tasks: tuple[tuple[str, str, Callable[[], Any], int, list[tuple[str, ...]]], ...] = (
        ("Shanten, all five forms", "shanten", lambda: shanten_batch(deals, threads=1), n, some),
        (
            "Shanten, regular form (peer: with tiles)",
            "regular",
            lambda: regular_shanten_batch(deals, threads=1),
            n,
            few,
        ),
        (
            "Accepted tiles, all forms",
            "acceptance",
            lambda: acceptance_batch(deals, threads=1),
            n,
            few,
        ),
        (
            "Every discard with its accepted tiles",
            "discards",
            lambda: discards_batch(drawn, threads=1),
            len(drawn),
            fourteen,
        ),
        ("Waits, all forms", "waits", lambda: waits_batch(deals, threads=1), n, some),
    )
    rows = []
    for task, job, ours, number, hands in tasks:
        fastmj, peer = _rates(ours, number, _peer_jobs(hands)[job], len(hands))
        rows.append(
            {"task": task, "hands": number, "fastmj": fastmj, "peer": peer, "ratio": fastmj / peer}
        )
    return rows


def table(n: int) -> list[str]:
    """Lines of the table, with the floor of any such function above it."""
    keys = _key_time(random_deals(n, seed=1))
    lines = [
        f"Measured on {pages.machine('PyMahjongGB')}; reading 34 counts and forming the four keys "
        f"of a hand, which any such function must, takes {keys:.1f} ns there.",
        "",
        "| one thread, uniform deals | fastmj | peer | ratio |",
        "|---|---:|---:|---:|",
    ]
    for row in measure(n):
        lines.append(
            f"| {row['task']} | {row['fastmj'] / 1e6:.2f} M/s | {row['peer'] / 1e3:.1f} k/s "
            f"| {row['ratio']:,.0f} |"
        )
    return lines


def main(given: Sequence[str] | None = None) -> None:
    """Print the comparison, and write it into the page of the room on request."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("hands", nargs="?", type=int, default=200_000, help="by default 200,000")
    parser.add_argument(
        "--write",
        action="store_true",
        help="put the table into fastmj/distance/README.md, and from there the README",
    )
    options = parser.parse_args(given)
    lines = table(options.hands)
    sys.stdout.write("\n".join(lines) + "\n")
    if options.write:
        pages.write(pages.DISTANCE, "distance", lines)


if __name__ == "__main__":
    main()
