"""Benchmarks of scoring: ``pytest bench --benchmark-enable``.

``scripts/compare_peers.py`` measures the same against the peer; these are for watching one's own
changes (``--benchmark-compare``).
"""

from __future__ import annotations

import pytest

from fastmj import GB98, Hand, parse_hand, random_wins, score_batch, score_hand
from fastmj.reference import explain
from fastmj.samples.wins import WIN_FORMS

N = 200_000
_CLASSES = {"all": None, **{form: form for form in WIN_FORMS}}


@pytest.mark.parametrize("form", _CLASSES.values(), ids=_CLASSES.keys())
def test_score_batch(benchmark, form: str | None) -> None:
    batch = random_wins(N, seed=1, forms=form)
    scores = benchmark(score_batch, batch, threads=1)
    assert (scores.status == 0).all()


def test_score_batch_with_counts(benchmark) -> None:
    batch = random_wins(N, seed=1)
    benchmark(score_batch, batch, threads=1, fan_counts=True)


def test_score_batch_all_threads(benchmark) -> None:
    batch = random_wins(N, seed=1)
    benchmark(score_batch, batch)


def test_random_wins(benchmark) -> None:
    benchmark(random_wins, N, seed=1, threads=1)


@pytest.fixture
def hand() -> Hand:
    return parse_hand("[EEE]123m456p7899s9s|ES0000")


def test_score_hand(benchmark, hand: Hand) -> None:
    assert benchmark(score_hand, hand, rules=GB98).total == 4


def test_peer_call(benchmark, hand: Hand) -> None:
    peer = pytest.importorskip("MahjongGB")
    packs = (("PENG", "F1", 1),)
    tiles = ("W1", "W2", "W3", "B4", "B5", "B6", "T7", "T8", "T9", "T9")
    benchmark(
        peer.MahjongFanCalculator, packs, tiles, "T9", 0, False, False, False, False, 1, 0
    )  # fmt: skip


def test_explain(benchmark, hand: Hand) -> None:
    benchmark(explain, hand)


def test_parse_hand(benchmark) -> None:
    benchmark(parse_hand, "[EEE]123m456p7899s9s|ES0000")
