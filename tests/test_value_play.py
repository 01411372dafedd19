"""How well ``weigh`` plays: against the best play of small hands, and against keeping a wait."""

from __future__ import annotations

import numpy as np
import pytest
import value_dp as dp

from fastmj import Meld, random_wins, score_batch
from fastmj.hands.batch import HandBatch
from fastmj.hands.tiles import counts_of, parse_tiles, tiles_of
from fastmj.value import exact_chances, simulate

#: Nobody else wins, and everybody discards as a rule.
OPEN = {"claims": 0.9, "others": 0}
ALONE = {"claims": 0, "others": 0, "melding": False}


# --- three melds: the best play worked out


def _melds(text: str) -> list[Meld]:
    return [Meld.parse(each) for each in text.split()]


def _three_melds(number: int, seed: int):
    """Three melds of a random win with three of its other tiles, and a random one."""
    rng = np.random.default_rng(seed)
    wins = random_wins(number, seed=seed, melds=3)
    for codes, counts in zip(wins.melds, wins.counts, strict=True):
        melds = [Meld.from_code(int(code)) for code in codes if code]
        shown = np.bincount([tile for meld in melds for tile in meld.tiles], minlength=34)
        kept = rng.permutation(np.repeat(np.arange(34), counts))[:3]
        free = 4 - shown - np.bincount(kept, minlength=34)
        yield melds, (*kept.tolist(), int(rng.choice(np.repeat(np.arange(34), free))))


def _against_the_best(number: int, seed: int) -> np.ndarray:
    """Values of the best play and of the policy, of hands that can win at least once in 100."""
    found = []
    for melds, tiles in _three_melds(4 * number, seed):
        best, value, _ = dp.compare(melds, tiles)
        if best >= 0.01:
            found.append((best, value))
        if len(found) == number:
            break
    return np.array(found)


def test_three_melds_are_played_almost_as_well_as_can_be():
    best, value = _against_the_best(12, seed=2).T
    assert (value <= best + 1e-9).all()
    assert value.mean() >= 0.97 * best.mean()


@pytest.mark.deep
def test_many_hands_of_three_melds_are_played_almost_as_well_as_can_be():
    best, value = _against_the_best(200, seed=1).T
    share = value / best
    print(
        f"\n{value.mean() / best.mean():.4f} of the best, worst {share.min():.3f}, "
        f"above 0.95 {(share >= 0.95).mean():.3f}"
    )
    assert value.mean() >= 0.97 * best.mean()


@pytest.mark.parametrize(
    ("melds", "tiles", "least"),
    [
        ("[123p] [789p] [123s]", "45pWW", 0.99),
        ("[222m] [456m] [678m]", "13mFF", 0.98),
        ("[CCC] [123s] [456m]", "7799m", 0.95),
        ("[234m] [345p] [678s]", "2389p", 0.95),
    ],
)
def test_a_hand_that_must_claim_its_fourth_set(melds, tiles, least):
    best, value, more = dp.compare(_melds(melds), parse_tiles(tiles))
    assert best + 1e-12 >= value >= least * best > 0
    assert more < 0.01 * best


@pytest.mark.parametrize("wall", [4, 8])
@pytest.mark.parametrize(
    ("melds", "tiles"),
    [
        ("[123p] [789p] [123s]", "45pWW"),
        ("[222m] [456m] [678m]", "13mFF"),
        ("[CCC] [123s] [456m]", "7799m"),
        ("[444m] [234m] [PPP]", "FF1p9s"),
    ],
)
def test_simulate_plays_what_was_worked_out(melds, tiles, wall):
    """Of few tiles it hardly matters that they do not come again."""
    melds = _melds(melds)
    weighed = dp.Weighed(melds, parse_tiles(tiles), 0.9, wall)
    value, more = weighed.value(wall, weighed.best(wall))
    found = simulate(
        counts_of(parse_tiles(tiles)), melds=melds, draws=wall // 4, samples=20_000, seed=1, **OPEN
    ).choices[0]
    assert abs(found.win_chance - value) <= 4 * found.win_error + more + 0.03 * value


# --- ready hands: keeping the wait


def _ready(number: int, seed: int):
    """Hands that wait for a tile with which they score enough, drawn and discarded."""
    wins = random_wins(8 * number, seed=seed, circumstances=False)
    enough = np.ones(len(wins), bool)
    for drawn in (False, True):
        batch = HandBatch(wins.counts, melds=wins.melds, win_tile=wins.win_tile, self_drawn=drawn)
        found = score_batch(batch)
        enough &= (found.status == 0) & (found.base >= 8)
    rows = np.flatnonzero(enough)[:number]
    assert len(rows) == number
    for row in rows:
        counts = wins.counts[row].astype(int)
        counts[wins.win_tile[row]] -= 1
        yield counts, [Meld.from_code(int(code)) for code in wins.melds[row] if code]


def _compare_with_keeping(number: int, seed: int) -> None:
    """Every hand is played at least as well as by keeping its wait."""
    melds_met = set()
    for counts, melds in _ready(number, seed):
        kept = exact_chances(counts, melds=melds, claims=0.9, draws=12)[-1]
        found = simulate(counts, melds=melds, draws=12, samples=2000, seed=seed, **OPEN).choices[0]
        assert found.win_chance >= kept - 4 * found.win_error, (tiles_of(counts.tolist()), melds)
        melds_met.add(len(melds))
    assert melds_met == {0, 1, 2, 3, 4}


def test_a_scoring_wait_is_not_given_up():
    _compare_with_keeping(50, seed=1)


@pytest.mark.deep
def test_many_scoring_waits_are_not_given_up():
    _compare_with_keeping(2000, seed=2)


@pytest.mark.parametrize("options", [ALONE, OPEN])
def test_a_scoring_wait_is_not_turned_into_a_dead_one(options):
    """Without 1p the hand waits for 6 and 7 points."""
    found = simulate("[345s][234m][678p]13488p", samples=2000, draws=12, seed=1, **options)
    assert found.choices[0].discard == counts_of(parse_tiles("4p")).index(1)
    kept = exact_chances("[345s][234m][678p]1388p", claims=options["claims"], draws=12)[-1]
    assert found.choices[0].win_chance >= kept - 4 * found.choices[0].win_error


def test_a_wait_of_few_tiles_is_kept_when_it_is_all_there_is():
    text = "22p566778888sWW"
    kept = exact_chances(text)[-1]
    choice = simulate(text, samples=4000, draws=18, seed=1, **ALONE).choices[0]
    assert choice.win_chance >= kept - 4 * choice.win_error


def test_more_chances_do_not_hurt():
    few, none = (
        simulate(
            "234m345p45s778899s", samples=4000, draws=18, seed=1, **{**ALONE, "claims": q}
        ).choices[0]
        for q in (0.001, 0)
    )
    assert few.win_chance >= none.win_chance - 4 * np.hypot(few.win_error, none.win_error)
