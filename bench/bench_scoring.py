"""Benchmarks of scoring, the one-thread ones by form of hand.

``scripts/compare_peers.py`` measures the same against the peer; these are for watching one's own
changes (``--benchmark-compare``).
"""

from __future__ import annotations

import numpy as np
import pytest

from fastmj import (
    GB98,
    Hand,
    parse_hand,
    random_deals,
    random_wins,
    score_batch,
    score_botzone,
    score_hand,
    settle,
    validate,
)
from fastmj.hands.batch import HandBatch
from fastmj.samples.wins import WIN_FORMS

N = 200_000
TEXT = "[EEE]123m456p7899s9s|ES0000"


@pytest.mark.parametrize("form", [None, *WIN_FORMS], ids=["all", *WIN_FORMS])
def test_score_batch(benchmark, form):
    batch = random_wins(N, seed=1, forms=form)
    benchmark.extra_info["hands"] = N
    scores = benchmark(score_batch, batch, threads=1)
    assert (scores.status == 0).all()


@pytest.mark.parametrize("rows", [1, 32, 1024])
def test_score_batch_of_few(benchmark, rows):
    columns = [column.copy() for column in random_wins(rows, seed=1).columns]
    benchmark.extra_info["hands"] = rows
    scores = benchmark(lambda: score_batch(HandBatch.from_columns(*columns)))
    assert (scores.status == 0).all()


def test_score_batch_into_results(benchmark):
    batch = random_wins(32, seed=1)
    scores = score_batch(batch)
    benchmark.extra_info["hands"] = len(batch)
    assert benchmark(score_batch, batch, out=scores) is scores


def test_score_batch_that_does_not_win(benchmark):
    deals = random_deals(N, tiles=14, seed=1)
    batch = HandBatch(deals, win_tile=(deals > 0).argmax(axis=1))
    benchmark.extra_info["hands"] = N
    scores = benchmark(score_batch, batch, threads=1)
    assert np.mean(scores.status == 1) > 0.99


def test_score_batch_with_counts(benchmark):
    batch = random_wins(N, seed=1)
    benchmark.extra_info["hands"] = N
    benchmark(score_batch, batch, threads=1, fan_counts=True)


def test_score_batch_all_threads(benchmark):
    batch = random_wins(N, seed=1)
    benchmark.extra_info["hands"] = N
    benchmark(score_batch, batch)


def test_validate(benchmark):
    batch = random_wins(N, seed=1)
    benchmark.extra_info["hands"] = N
    assert not benchmark(validate, batch, threads=1).any()


@pytest.fixture
def hand() -> Hand:
    return parse_hand(TEXT)


def test_score_hand_again(benchmark, hand):
    assert benchmark(score_hand, hand, rules=GB98).total == 10


def test_score_hand_made_fresh(benchmark, hand):
    found = benchmark(
        lambda: score_hand(Hand(hand.concealed, hand.win_tile, hand.melds, seat_wind=1))
    )
    assert found.total == 10


def test_score_text(benchmark):
    assert benchmark(score_hand, TEXT).total == 10


CODES = (
    (("PENG", "F1", 1),), ("W1", "W2", "W3", "B4", "B5", "B6", "T7", "T8", "T9", "T9"), "T9",
    0, False, False, False, False, 1, 0,
)  # fmt: skip


def test_score_botzone(benchmark):
    assert benchmark(score_botzone, *CODES).total == 10


def test_peer_call(benchmark):
    benchmark(pytest.importorskip("MahjongGB").MahjongFanCalculator, *CODES)


def test_settle(benchmark):
    totals, winners = np.full(N, 30), np.arange(N) % 4
    benchmark.extra_info["hands"] = N
    benchmark(settle, totals, winners, (winners + 1) % 4)
