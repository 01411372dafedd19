"""Random deals: reproducible, valid, and of the distribution that they promise."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from fastmj.samples.deals import random_deals
from fastmj.samples.wins import random_wins
from fastmj.threads import CHUNK

BIASES = (None, "one_suit", "honors")
ALL_ONES = 2**64 - 1


def mix(state: int) -> tuple[int, int]:
    """One step of splitmix64."""
    state = (state + 0x9E3779B97F4A7C15) & ALL_ONES
    z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & ALL_ONES
    z = (z ^ z >> 27) * 0x94D049BB133111EB & ALL_ONES
    return state, z ^ z >> 31


def deal(seed: int, row: int, tiles: int, bias: str | None) -> list[int]:
    """One row of a deal."""
    _, state = mix(seed ^ row * 0x94D049BB133111EB & ALL_ONES)

    def below(limit: int) -> int:
        nonlocal state
        state, z = mix(state)
        return (z >> 32) * limit >> 32

    first, kinds, share = {
        None: lambda: (0, 0, 0),
        "one_suit": lambda: (9 * below(3), 9, 7),
        "honors": lambda: (27, 7, 4),
    }[bias]()
    counts = [0] * 34
    while sum(counts) < tiles:
        favoured = share and below(8) < share
        tile, copy = divmod(below(4 * kinds) + 4 * first if favoured else below(136), 4)
        counts[tile] += copy >= counts[tile]
    return counts


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("tiles", [1, 2, 4, 5, 7, 8, 10, 11, 13, 14])
def test_deals_are_hands(bias, tiles):
    deals = random_deals(500, tiles=tiles, seed=1, bias=bias)
    assert deals.dtype == np.uint8 and deals.shape == (500, 34)
    assert (deals.sum(1) == tiles).all() and deals.max() <= 4


def test_the_same_on_every_machine():
    """Against the generator in whole numbers, without overflow."""
    for bias in BIASES:
        for seed in (0, 17, 2**63 - 1):
            expected = [deal(seed, row, 14, bias) for row in range(50)]
            deals = random_deals(50, tiles=14, seed=seed, bias=bias)
            np.testing.assert_array_equal(deals, expected)


def test_a_row_depends_on_its_number_alone():
    long = random_deals(2 * CHUNK + 7, seed=3, threads=3)
    np.testing.assert_array_equal(long, random_deals(2 * CHUNK + 7, seed=3, threads=1))
    np.testing.assert_array_equal(long[:10], random_deals(10, seed=3))
    assert (long[:1000] != random_deals(1000, seed=4)).any(1).all()
    assert len(random_deals(0, seed=3)) == 0


def test_uniform_deals_are_uniform():
    n = 100_000
    deals = random_deals(n, seed=5)
    expected = np.array([comb(4, k) * comb(132, 13 - k) / comb(136, 13) for k in range(5)])
    for tile in (0, 13, 33):
        share = np.bincount(deals[:, tile], minlength=5) / n
        assert np.abs(share - expected).max() < 5 * np.sqrt(expected.max() / n)
    mean = deals.mean(0)
    assert np.abs(mean - 13 / 34).max() < 5 * np.sqrt(0.35 / n)
    together = np.cov(deals[:, :3].T)
    assert (np.abs(together[np.triu_indices(3, 1)]) < 0.02).all()


def test_biased_deals_are_biased():
    suits = random_deals(20_000, seed=6, bias="one_suit").reshape(-1, 34)
    per_suit = np.stack([suits[:, 9 * s : 9 * s + 9].sum(1) for s in range(3)], 1)
    assert 0.2 < (per_suit.max(1) == 13).mean() < 0.25
    assert np.abs(per_suit.mean(0) - per_suit.mean()).max() < 0.15
    honors = random_deals(20_000, seed=6, bias="honors")[:, 27:].sum(1)
    assert 7 < honors.mean() < 8


@pytest.mark.parametrize(
    "arguments",
    [
        {"n": -1}, {"n": 1.5}, {"n": True}, {"tiles": 12}, {"tiles": 15}, {"tiles": 0},
        {"seed": -1}, {"seed": 2**63}, {"seed": 0.5}, {"bias": "winds"}, {"threads": 0},
    ],
)  # fmt: skip
def test_bad_arguments(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        random_deals(**{"n": 3, "seed": 1, **arguments})


def test_any_seed_will_do():
    for function in (random_deals, lambda n, seed: random_wins(n, seed=seed).counts):
        expected = function(50, seed=7)
        for seed in (np.uint8(7), np.int64(7)):
            assert np.array_equal(function(50, seed=seed), expected)
        assert not np.array_equal(function(50, seed=None), function(50, seed=None))
        generator = np.random.default_rng(1)
        first, second = function(50, seed=generator), function(50, seed=generator)
        assert not np.array_equal(first, second)
        assert np.array_equal(first, function(50, seed=np.random.default_rng(1)))
        for bad in (2**69, -1, 1.5, "x", True):
            with pytest.raises(ValueError, match=r"^seed must be a whole number from 0 to 2"):
                function(50, seed=bad)
        for bad in (10**40, -1, 1.5, "x"):
            with pytest.raises(ValueError, match=r"^n must be a whole number from 0 to"):
                function(bad, seed=1)
