"""What the value functions cost and what looking at fan wins: ``python scripts/compare_value.py``.

Both policies play the same deals against the same draws; ``--speed`` measures times instead.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np

from fastmj import random_wins
from fastmj.hands.tiles import format_tiles, tiles_of
from fastmj.samples.deals import random_deals
from fastmj.value import Policy, fan_distance_batch, min_fan_shanten_batch, simulate

POLICIES: tuple[Policy, ...] = ("fan", "shanten")
#: A hand three from ready, with and without the tile to discard.
FOURTEEN, THIRTEEN = "12357m458p2467sEC", "12357m458p2467sE"


def say(text: str) -> None:
    """Write a line."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def seconds(call: Callable[[], object], times: int = 5) -> float:
    """Shortest time of some calls, after one that compiles."""
    call()
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        call()
        found.append(time.perf_counter() - begun)
    return min(found)


def speed() -> None:
    """Measure every value function, on one thread where it does not say otherwise."""
    deals, wins = random_deals(20_000, seed=1), random_wins(40_000, seed=4)
    melded = (wins.melds > 0).any(1)
    counts, codes = wins.counts[melded][:20_000], wins.melds[melded][:20_000]
    rate = len(deals) / seconds(lambda: fan_distance_batch(deals, threads=1))
    say(f"fan distances of deals: {rate:,.0f} hands/s")
    rate = len(counts) / seconds(lambda: fan_distance_batch(counts, melds=codes, threads=1))
    say(f"fan distances beside melds: {rate:,.0f} hands/s")
    times: dict[int, list[float]] = {}
    for deal in random_deals(400, seed=2):
        found = min_fan_shanten_batch([deal], threads=1)
        once = seconds(partial(min_fan_shanten_batch, [deal], threads=1), 1)
        if found.exact[0]:
            times.setdefault(int(found.distance[0]), []).append(1000 * once)
    for distance, spent in sorted(times.items()):
        say(
            f"eight-fan distance {distance}: median {np.median(spent):.2f} ms, most "
            f"{max(spent):.2f} ms ({len(spent)} deals)"
        )
    for policy, text in product(POLICIES, (FOURTEEN, THIRTEEN)):
        hands = len(simulate(text, samples=1, seed=1, policy=policy).choices)
        # Less what a run takes to begin.
        play = partial(simulate, text, seed=1, policy=policy, threads=1)
        most, least = (seconds(partial(play, samples=n)) for n in (6000, 1000))
        say(f"policy {policy}, {text}: {5000 * hands / (most - least):,.0f} roll-outs/s")
    wall = seconds(lambda: simulate(FOURTEEN, samples=10**5, seed=1, standard_error=0.005))
    say(f"all discards of {FOURTEEN} to 0.5 points, every core: {wall:.2f} s")


def compare(number: int, samples: int, draws: int, seed: int) -> None:
    """Play all deals with both policies."""
    deals = random_deals(number, seed=seed)
    chances: dict[Policy, list[float]] = {policy: [] for policy in POLICIES}
    for policy, found in chances.items():
        begun = time.perf_counter()
        for place, deal in enumerate(deals):
            text = format_tiles(tiles_of(deal.tolist()))
            result = simulate(text, samples=samples, draws=draws, seed=place, policy=policy)
            found.append(result.choices[0].win_chance)
        spent = time.perf_counter() - begun
        say(f"{policy}: wins {np.mean(found):.3%}, {spent:.0f} s")
    more = np.array(chances["fan"]) - np.array(chances["shanten"])
    error = more.std(ddof=1) / np.sqrt(len(more))
    say(f"fan wins {more.mean():+.3%} ± {error:.3%} (paired over deals)")
    say(f"it wins less on {(more < 0).sum()} deals, by more than 2 % on {(more < -0.02).sum()}")


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--draws", type=int, default=18)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.speed:
        speed()
    else:
        compare(given.deals, given.samples, given.draws, given.seed)


if __name__ == "__main__":
    main()
