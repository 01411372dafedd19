"""Benchmarks of doubling rules, beside the national ones on the same hands."""

from __future__ import annotations

import pytest

from fastmj import GB98, REGIONAL, parse_hand, random_wins, score_batch, score_hand
from fastmj.reference import explain

N = 400_000


@pytest.mark.parametrize("rules", [GB98, REGIONAL], ids=lambda rules: rules.name)
@pytest.mark.parametrize("fan_counts", [False, True], ids=["masks", "counts"])
def test_score_batch(benchmark, rules, fan_counts: bool) -> None:
    batch = random_wins(N, seed=1)
    benchmark(score_batch, batch, rules=rules, threads=1, fan_counts=fan_counts)
    benchmark.extra_info["hands_per_second"] = N / benchmark.stats["min"]


@pytest.mark.parametrize("score", [score_hand, explain], ids=lambda score: score.__name__)
def test_one_hand(benchmark, score) -> None:
    benchmark(score, parse_hand("[111m,1][555p,2][999s,3]33p77s7s|EE0010"), rules=REGIONAL)
