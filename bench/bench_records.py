"""Benchmarks of records, on one thread.

``games``, ``lines``, ``events`` or ``rows`` a call stand in the extra information.
"""

from __future__ import annotations

import pytest

from fastmj.records import (
    decisions,
    differences,
    read_log,
    replay,
    statistics,
    wins,
    write_log,
)
from fastmj.records.play import play_game


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


def test_bench_statistics(benchmark, games):
    benchmark.extra_info["games"] = len(games)
    benchmark(statistics, games, threads=1)
