"""How much more the policy ``fan`` wins than ``shanten``: ``python scripts/compare_value.py``.

Both policies play the same deals against the same draws.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from fastmj.deals import random_deals
from fastmj.tiles import format_tiles, tiles_of
from fastmj.value import simulate


def main() -> None:
    """Play all deals with both policies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--draws", type=int, default=18)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    deals = random_deals(given.deals, seed=given.seed)
    chances: dict[str, list[float]] = {"fan": [], "shanten": []}
    for policy, found in chances.items():
        begun = time.perf_counter()
        for number, deal in enumerate(deals):
            text = format_tiles(tiles_of(deal.tolist()))
            result = simulate(
                text, samples=given.samples, draws=given.draws, seed=number, policy=policy
            )
            found.append(result.choices[0].win_chance)
        seconds = time.perf_counter() - begun
        sys.stdout.write(f"{policy}: wins {np.mean(found):.3%}, {seconds:.0f} s\n")
    more = np.array(chances["fan"]) - np.array(chances["shanten"])
    error = more.std(ddof=1) / np.sqrt(len(more))
    sys.stdout.write(f"fan wins {more.mean():+.3%} ± {error:.3%} (paired over deals)\n")


if __name__ == "__main__":
    main()
