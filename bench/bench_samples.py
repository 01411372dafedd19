"""Benchmarks of random hands and deals."""

from __future__ import annotations

import pytest

from fastmj import random_deals, random_wins

N = 200_000


@pytest.mark.parametrize("forms", [None, "regular", "one_suit"])
def test_random_wins(benchmark, forms):
    benchmark.extra_info["hands"] = N
    benchmark(random_wins, N, seed=1, forms=forms, threads=1)


@pytest.mark.parametrize("bias", [None, "one_suit", "honors"])
def test_random_deals(benchmark, bias):
    benchmark.extra_info["hands"] = N
    benchmark(random_deals, N, seed=1, bias=bias, threads=1)
