"""Benchmarks of records, features and pictures: ``pytest bench/bench_records.py``.

With ``--benchmark-enable``; one thread. ``games``, ``rows`` or ``hands`` a call stand in the extra
information.
"""

from __future__ import annotations

import pytest

from fastmj import random_deals, random_wins
from fastmj.features import features
from fastmj.pictures.hand import hand_svg
from fastmj.records import decisions, differences, read_log, replay, wins, write_log
from fastmj.records.play import play_game

N = 100_000


@pytest.fixture(scope="module")
def games():
    return [play_game(seed, bias=0.3) for seed in range(100)]


def test_bench_reading(benchmark, games):
    lines = write_log(games).splitlines()
    benchmark.extra_info.update(games=len(games), lines=len(lines))
    assert benchmark(lambda: list(read_log(lines))) == games


def test_bench_replay(benchmark, games):
    benchmark.extra_info.update(games=len(games), events=sum(len(game.events) for game in games))
    benchmark(lambda: [replay(game) for game in games])


def test_bench_checking(benchmark, games):
    lines = write_log(games).splitlines()
    benchmark.extra_info["games"] = len(games)
    found = benchmark(lambda: list(differences(wins(read_log(lines)), threads=1)))
    assert not any(differing for _, differing in found)


def test_bench_decisions(benchmark, games):
    benchmark.extra_info.update(games=len(games), rows=len(decisions(games)))
    benchmark(decisions, games, threads=1)


@pytest.mark.parametrize("tiles", [13, 14])
def test_bench_features_of_deals(benchmark, tiles):
    deals = random_deals(N, tiles=tiles, seed=1)
    benchmark.extra_info["hands"] = N
    benchmark(features, deals, threads=1)


def test_bench_features_of_wins(benchmark):
    batch = random_wins(N, seed=1)
    benchmark.extra_info["hands"] = N
    benchmark(features, batch, threads=1)


def test_bench_picture(benchmark):
    benchmark(hand_svg, "[123m,1][5555p]456s78s99m9s|EE1000|2")
