"""Benchmarks of the value functions, on one thread."""

from __future__ import annotations

import pytest

from fastmj.samples.deals import random_deals
from fastmj.value import fan_distance_batch, min_fan_shanten_batch, simulate

#: Self-draws and nothing else.
ALONE = {"claims": 0, "others": 0, "melding": False}
HANDS = {"3 from ready": "12357m458p2467sEC", "ready": "123456789m1234p"}


def test_bench_fan_distances(benchmark):
    deals = random_deals(1000, seed=1)
    benchmark.extra_info["hands"] = len(deals)
    benchmark(fan_distance_batch, deals, threads=1)


def test_bench_eight_fan_shanten(benchmark):
    deals = random_deals(50, seed=1)
    benchmark.extra_info["hands"] = len(deals)
    benchmark(min_fan_shanten_batch, deals, threads=1)


@pytest.mark.parametrize("policy", ["shanten", "fan", "weigh"])
@pytest.mark.parametrize("hand", HANDS.values(), ids=HANDS)
def test_bench_roll_outs(benchmark, hand, policy):
    found = benchmark(
        simulate, hand, samples=1000, seed=1, policy=policy, threads=1, draws=18, **ALONE
    )
    benchmark.extra_info["roll-outs"] = 1000 * len(found.choices)


@pytest.mark.parametrize("hand", HANDS.values(), ids=HANDS)
def test_bench_games(benchmark, hand):
    """The whole model: others win, tiles are claimed."""
    found = benchmark(simulate, hand, samples=200, seed=1, threads=1)
    benchmark.extra_info["roll-outs"] = 200 * len(found.choices)
