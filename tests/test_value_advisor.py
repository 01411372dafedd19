"""Advice move by move: what the weights say, whatever was asked before."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from fastmj import InvalidHand, random_deals
from fastmj.hands.tiles import NAMES, format_tiles, tiles_of
from fastmj.kernels.value.targets import TARGET_CLAIMED, TARGET_DRAWN, TARGET_KINDS
from fastmj.records import check
from fastmj.value import Advisor
from fastmj.value.lists import MOST_KEPT


def text_of(counts):
    return format_tiles(tiles_of(np.asarray(counts).tolist()))


def naive_weights(advisor, counts, turn=0):
    """Weight after each discard, goal by goal, as the notes of ``simulate`` say it."""
    lists = advisor.games.lists
    rows = lists.base.astype(float)
    last = rows[:, TARGET_DRAWN] + 3 * advisor.model.claims * rows[:, TARGET_CLAIMED]
    worth = (last / np.maximum(rows[:, TARGET_KINDS], 1)) ** 2
    left, unseen = 4 - counts.astype(int), 136 - int(counts.sum())
    draws, weights = min(20 - turn, unseen // 4), {}
    for out in np.flatnonzero(counts):
        held, weight = counts.astype(int), worth.copy()
        held[out] -= 1
        for tile in range(34):
            factors = np.ones(5)
            for wanted in range(held[tile] + 1, 5):
                place = wanted - held[tile] - 1
                chance = 1 - np.exp(-draws / unseen * max(left[tile] - place, 0))
                factors[wanted:] *= (chance * (0.5 if place else 1)) ** 2
            weight *= factors[rows[:, tile].astype(int)]
        weights[NAMES[out]] = weight.sum()
    return weights


def test_the_discard_is_the_one_that_leaves_the_largest_weight():
    told = 0
    for counts in random_deals(40, seed=11, tiles=14):
        advisor = Advisor()
        advice = advisor.discard(counts, kongs=False)
        if not 0 < len(advisor.games.lists.base) <= MOST_KEPT:
            continue
        weights = naive_weights(advisor, counts)
        assert weights[advice.tile] >= 0.999 * max(weights.values())
        told += len(weights) > 1
    assert told >= 3


def test_what_was_asked_before_does_not_matter_for_another_hand():
    advisor = Advisor()
    for counts in random_deals(8, seed=3, tiles=14):
        assert advisor.discard(counts) == Advisor().discard(counts)


def test_a_ready_hand_keeps_its_wait():
    assert Advisor().discard("123456789m1234p5s").tile == "5s"


def test_claims_kongs_and_passes():
    advisor = Advisor()
    claim = advisor.answer("2346m4588p6sWWCC", "C", "across")
    assert (claim.action, str(claim.meld)) == ("claim", "[CCC]") and claim.tile
    chow = {"hand": "[CCC][FFF]12m1237p8s", "offered": "3m"}
    assert str(advisor.answer(**chow, source="left").meld) == "[123m]"
    assert advisor.answer(**chow, source="right").action == "pass"
    assert advisor.answer("[CCC][FFF][123m][789s]7p", "7p", "left").action == "pass"
    kong = {"hand": "[CCC][FFF]C12m1237p8s"}
    assert advisor.discard(**kong).meld.code == 69 + 31
    assert advisor.discard(**kong, kongs=False).action == "discard"


def test_counts_with_melds_are_a_hand_too():
    counts = np.zeros(34, np.uint8)
    counts[[0, 1, 9, 10, 11]] = 1
    counts[15] = 3
    assert Advisor().discard(counts, melds=["[CCC]", "[FFF]"]) == Advisor().discard(
        "[CCC][FFF]12m123777p"
    )


def test_bad_questions():
    advisor = Advisor()
    with pytest.raises(InvalidHand, match="13 concealed tiles"):
        advisor.discard("123456789m1234p")
    with pytest.raises(ValueError, match="source must be"):
        advisor.answer("123456789m1234p", "5p", "above")
    with pytest.raises(ValueError, match="one tile"):
        advisor.answer("123456789m1234p", "55p", "left")
    with pytest.raises(InvalidHand, match="four"):
        advisor.answer("123456789m1114p", "1p", "left", visible="1p")
    with pytest.raises(ValueError, match="claims must be"):
        Advisor(claims=2)


def test_whole_games_are_legal_and_score_what_they_say(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "scripts"))
    play_games = importlib.import_module("play_games")
    games = play_games.games_of(["weigh", "shanten", "shanten", "shanten"], 0, 4)
    assert [game.players.index("weigh") for game in games] == [0, 1, 2, 3]
    assert len({game.deals for game in games}) == 1, "the seats rotate over one wall"
    for checked in check(games):
        assert not any(found for _, found in checked.wins)
    assert any(game.end == "win" for game in games)
    assert games[:2] == play_games.games_of(["weigh", "shanten", "shanten", "shanten"], 0, 2)
