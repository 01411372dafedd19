"""What the value functions cost, and what looking at fan wins.

``python scripts/compare_value.py`` lets both policies play the same deals against the same draws;
``--speed`` measures times instead. ``--write`` puts the table into fastmj/value/README.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from fastmj import random_wins
from fastmj.hands.tiles import format_tiles, tiles_of
from fastmj.samples.deals import random_deals
from fastmj.value import Policy, fan_distance_batch, min_fan_shanten_batch, simulate

sys.path.insert(0, str(Path(__file__).parent))
import pages

POLICIES: tuple[Policy, ...] = ("fan", "shanten")
#: The model in which ``fan`` and ``shanten`` are compared: self-draws and nothing else.
ALONE: dict[str, Any] = {"claims": 0, "others": 0, "melding": False}
#: A hand three from ready, with and without the tile to discard.
FOURTEEN, THIRTEEN = "12357m458p2467sEC", "12357m458p2467sE"


def seconds(call: Callable[[], object], times: int = 5) -> float:
    """Shortest time of some calls, after one that compiles."""
    call()
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        call()
        found.append(time.perf_counter() - begun)
    return min(found)


def speed() -> list[str]:
    """Measure every value function, on one thread where it does not say otherwise."""
    rows: dict[str, str] = {}
    deals, wins = random_deals(20_000, seed=1), random_wins(40_000, seed=4)
    melded = (wins.melds > 0).any(1)
    counts, codes = wins.counts[melded][:20_000], wins.melds[melded][:20_000]
    rate = len(deals) / seconds(lambda: fan_distance_batch(deals, threads=1))
    rows["fan distances of deals"] = f"{rate:,.0f} hands/s"
    rate = len(counts) / seconds(lambda: fan_distance_batch(counts, melds=codes, threads=1))
    rows["fan distances of hands with melds"] = f"{rate:,.0f} hands/s"
    times: dict[int, list[float]] = {}
    for deal in random_deals(400, seed=2):
        found = min_fan_shanten_batch([deal], threads=1)
        once = seconds(partial(min_fan_shanten_batch, [deal], threads=1), 1)
        if found.exact[0]:
            times.setdefault(int(found.distance[0]), []).append(1000 * once)
    for distance, spent in sorted(times.items()):
        rows[f"eight-fan distance of a deal at distance {distance}"] = (
            f"{np.median(spent):.1f} ms (median), {max(spent):.1f} ms (most of {len(spent)})"
        )
    for policy, (away, text) in product(POLICIES, (("", FOURTEEN), (" as it stands", THIRTEEN))):
        hands = len(simulate(text, samples=1, seed=1, policy=policy, **ALONE).choices)
        # Less what a run takes to begin.
        play = partial(simulate, text, seed=1, policy=policy, threads=1, draws=18, **ALONE)
        most, least = (seconds(partial(play, samples=n)) for n in (6000, 1000))
        rows[f'roll-outs of a hand three from ready{away}, `"{policy}"`'] = (
            f"{5000 * hands / (most - least):,.0f} /s"
        )
    wall = seconds(lambda: simulate(FOURTEEN, samples=10**5, seed=1, standard_error=0.005))
    rows["its best three discards to a standard error of 0.5 points, every core"] = f"{wall:.2f} s"
    command = [sys.executable, "-m", "fastmj", "analyze", FOURTEEN]
    wall = seconds(lambda: subprocess.run(command, check=True, capture_output=True))
    rows["the same by `fastmj analyze`, start of Python included"] = f"{wall:.1f} s"
    return [
        f"Measured on {pages.machine()}; one thread unless said otherwise.",
        "",
        "| | |",
        "|---|---:|",
        *(f"| {name} | {value} |" for name, value in rows.items()),
    ]


def compare(number: int, samples: int, draws: int, seed: int) -> list[str]:
    """Play all deals with both policies."""
    deals = random_deals(number, seed=seed)
    chances: dict[Policy, list[float]] = {policy: [] for policy in POLICIES}
    spent: dict[Policy, float] = {}
    for policy, found in chances.items():
        begun = time.perf_counter()
        for place, deal in enumerate(deals):
            text = format_tiles(tiles_of(deal.tolist()))
            result = simulate(
                text, samples=samples, draws=draws, seed=place, policy=policy, **ALONE
            )
            found.append(result.choices[0].win_chance)
        spent[policy] = time.perf_counter() - begun
    more = np.array(chances["fan"]) - np.array(chances["shanten"])
    error = more.std(ddof=1) / np.sqrt(len(more))
    return [
        f"| {number} seeded deals, {draws} draws, {samples} samples each | wins | time |",
        "|---|---:|---:|",
        *(f'| `"{p}"` | {np.mean(chances[p]):.1%} | {spent[p]:.0f} s |' for p in POLICIES),
        f"| the difference, paired over deals | {more.mean():+.1%} ± {error:.1%} | |",
        f"| deals on which looking at fan wins less; by more than 2 % "
        f"| {(more < 0).sum()}; {(more < -0.02).sum()} | |",
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the table into the page of the room on request."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--speed", action="store_true", help="measure times, not policies")
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--draws", type=int, default=18)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--write", action="store_true", help="put the table into fastmj/value/README.md"
    )
    given = parser.parse_args(arguments)
    name = "speed" if given.speed else "policies"
    lines = speed() if given.speed else compare(given.deals, given.samples, given.draws, given.seed)
    sys.stdout.write("\n".join(lines) + "\n")
    if given.write:
        pages.write(pages.VALUE, name, lines)


if __name__ == "__main__":
    main()
