"""Benchmarks of features, on one thread."""

from __future__ import annotations

import pytest

from fastmj import features, random_deals, random_wins

N = 100_000


@pytest.mark.parametrize("tiles", [13, 14])
def test_features_of_deals(benchmark, tiles):
    deals = random_deals(N, tiles=tiles, seed=1)
    benchmark.extra_info["hands"] = N
    benchmark(features, deals, threads=1)


def test_features_of_wins(benchmark):
    batch = random_wins(N, seed=1)
    benchmark.extra_info["hands"] = N
    benchmark(features, batch, threads=1)


def test_features_with_fan_distances(benchmark):
    deals = random_deals(N // 10, seed=1)
    benchmark.extra_info["hands"] = N // 10
    benchmark(features, deals, fan_distances=True, threads=1)
