"""Benchmarks of the distance functions, on one thread, by kind of deal.

``scripts/compare_distance.py`` puts the same beside the peer.
"""

from __future__ import annotations

import pytest

from fastmj.distance import (
    acceptance_batch,
    discards_batch,
    regular_shanten_batch,
    shanten,
    shanten_batch,
    waits_batch,
)
from fastmj.samples.deals import random_deals

N = 50_000
BIASES = pytest.mark.parametrize("bias", [None, "one_suit", "honors"])


@BIASES
@pytest.mark.parametrize(
    "function",
    [shanten_batch, regular_shanten_batch, acceptance_batch, waits_batch],
    ids=lambda function: function.__name__,
)
def test_bench_13_tiles(benchmark, function, bias):
    deals = random_deals(N, seed=1, bias=bias)
    benchmark.extra_info["hands"] = N
    found = benchmark(function, deals, threads=1)
    assert not found.status.any()


@pytest.mark.parametrize("melds", range(5))
def test_bench_shanten_beside_melds(benchmark, melds):
    deals = random_deals(N, tiles=13 - 3 * melds, seed=1)
    benchmark.extra_info["hands"] = N
    benchmark(shanten_batch, deals, melds=melds, threads=1)


@BIASES
def test_bench_discards(benchmark, bias):
    deals = random_deals(N // 10, tiles=14, seed=1, bias=bias)
    benchmark.extra_info["hands"] = N // 10
    benchmark(discards_batch, deals, threads=1)


def test_bench_single_hand(benchmark):
    benchmark(shanten, "123456789m1234p")
