"""What the value functions cost, and how often the policies win.

``python scripts/compare_value.py`` lets the policies play the same deals, those of a model against
the same walls; ``--speed`` measures times instead. ``--write`` puts the table into
fastmj/value/README.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fastmj import random_wins
from fastmj.samples.deals import random_deals
from fastmj.value import fan_distance_batch, min_fan_shanten_batch, simulate

sys.path.insert(0, str(Path(__file__).parent))
import pages

Options = dict[str, Any]
#: The models, in words and as ``simulate`` takes them, and what is compared in each: the first of
#: a model with the others.
ALONE: Options = {"claims": 0, "others": 0, "melding": False}
MODELS: dict[str, tuple[Options, dict[str, Options]]] = {
    "self-draws alone": (
        ALONE,
        {'`"weigh"`': {}, '`"fan"`': {"policy": "fan"}, '`"shanten"`': {"policy": "shanten"}},
    ),
    "the default model": (
        {},
        {
            '`"weigh"`': {},
            '`"weigh"` without melds': {"melding": False},
            '`"fan"`': {"policy": "fan"},
            '`"shanten"`': {"policy": "shanten"},
        },
    ),
}
#: A hand three from ready, with and without the tile to discard.
FOURTEEN, THIRTEEN = "12357m458p2467sEC", "12357m458p2467sE"
#: What is timed.
PLAYED = (
    ("the default model", "weigh"), ("self-draws alone", "weigh"), ("self-draws alone", "fan"),
    ("self-draws alone", "shanten"),
)  # fmt: skip


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
    for away, text in (("", FOURTEEN), (" as it stands", THIRTEEN)):
        for model, policy in PLAYED:
            options = {**MODELS[model][0], "policy": policy}
            hands = len(simulate(text, samples=1, seed=1, **options).choices)
            # Less what a run takes to begin.
            play = partial(simulate, text, seed=1, threads=1, **options)
            most, least = (seconds(partial(play, samples=n), 3) for n in (3000, 500))
            rows[f'roll-outs of a hand three from ready{away}, `"{policy}"`, {model}'] = (
                f"{2500 * hands / (most - least):,.0f} /s"
            )
    for model, policy in PLAYED:
        play = partial(
            simulate, FOURTEEN, samples=10**6, seed=1, standard_error=0.005, threads=2,
            policy=policy, **MODELS[model][0],
        )  # fmt: skip
        rows[
            f'its best three discards to a standard error of 0.5 points, `"{policy}"`, {model}, '
            "two threads"
        ] = f"{seconds(play, 3):.2f} s"
    command = [sys.executable, "-m", "fastmj", "analyze", FOURTEEN, "--error", "0.5"]
    wall = seconds(lambda: subprocess.run(command, check=True, capture_output=True))
    rows["`fastmj analyze … --error 0.5` of it, every core, start of Python included"] = (
        f"{wall:.1f} s"
    )
    return [
        f"Measured on {pages.machine()}; one thread unless said otherwise.",
        "",
        "| | |",
        "|---|---:|",
        *(f"| {name} | {value} |" for name, value in rows.items()),
    ]


def compare(number: int, samples: int, draws: int, seed: int) -> list[str]:
    """Play all deals with every policy of every model."""
    deals = random_deals(number, seed=seed)
    lines = [
        f"| {number} seeded deals, {draws} rounds, {samples} samples each | wins "
        "| less than the first, paired over deals | the first has |",
        "|---|---:|---:|---:|",
    ]
    for model, (shared, variants) in MODELS.items():
        first: Any = None
        for name, options in variants.items():
            begun = time.perf_counter()
            wins = np.array([
                simulate(
                    deal, samples=samples, draws=draws, seed=place, **{**shared, **options}
                ).choices[0].win_chance
                for place, deal in enumerate(deals)
            ])  # fmt: skip
            cells = [f"{model}: {name}", f"{wins.mean():.1%} ± {_error(wins):.1%}", "", ""]
            if first is None:
                first = wins
            else:
                less = first - wins
                cells[2] = f"{less.mean():.1%} ± {_error(less):.1%}"
                cells[3] = f"{first.mean() / wins.mean():.2f} × as many"
            lines.append(f"| {' | '.join(cells)} |")
            sys.stderr.write(f"{lines[-1]} {time.perf_counter() - begun:.0f} s\n")
    return lines


def _error(values: Any) -> float:
    """Standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the table into the page of the room on request."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--speed", action="store_true", help="measure times, not policies")
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--samples", type=int, default=100)
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
