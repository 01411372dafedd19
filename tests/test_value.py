"""Distances to fans and to enough fan = naive searches over the reference and the scorer."""

from __future__ import annotations

import numpy as np
import pytest
import value_oracle as oracle

from fastmj import FANS, GB98, WMO2006, HandBatch, Meld, random_deals, random_wins, score_batch
from fastmj.hands.tiles import counts_of, parse_tiles, tiles_of
from fastmj.tables import store
from fastmj.tables.value import build as value_build
from fastmj.tables.value import load as value
from fastmj.value import fan_distance_batch, min_fan_shanten, min_fan_shanten_batch


def _taken_apart(wins: HandBatch, i: int, away: int, rng: np.random.Generator):
    """A complete hand less some tiles, most of them replaced by others."""
    counts, codes = wins.counts[i].astype(int), wins.melds[i]
    melds = [Meld.from_code(int(code)) for code in codes if code]
    shown = np.bincount([t for meld in melds for t in meld.tiles], minlength=34)
    tiles = tiles_of(counts.tolist())
    away = min(away, len(tiles) - 1)
    for place in rng.choice(len(tiles), away, replace=False):
        counts[tiles[place]] -= 1
    back = away - int(rng.random() < 0.5) if away else 0
    while back > 0:
        tile = int(rng.integers(34))
        if counts[tile] + shown[tile] < 4:
            counts[tile] += 1
            back -= 1
    return counts, codes, melds, int(wins.seat_wind[i]), int(wins.prevalent_wind[i])


def near_wins(n: int, seed: int, most: int):
    """Hands some tiles away from a complete one, with melds and winds."""
    rng = np.random.default_rng(seed)
    wins = random_wins(n, seed=seed)
    for i in range(n):
        yield _taken_apart(wins, i, int(rng.integers(0, most + 1)), rng)


def near_every_fan(seed: int, away: int):
    """For every fan that is looked at a hand some tiles away from a win that has it."""
    rng = np.random.default_rng(seed)
    wins = random_wins(30_000, seed=seed)
    held = fan_distance_batch(
        wins.counts, melds=wins.melds, seat_wind=wins.seat_wind,
        prevalent_wind=wins.prevalent_wind,
    ).distance == -1  # fmt: skip
    for fan in oracle.LOOKED_AT:
        yield _taken_apart(wins, int(rng.choice(np.flatnonzero(held[:, fan]))), away, rng)


def _compare(hands, draws: int) -> np.ndarray:
    """Compare with brute force; returns how often each fan was at each distance, from held on."""
    times = np.zeros((82, draws + 1), int)
    for counts, codes, melds, seat, prevalent in hands:
        expected = oracle.fan_distances(counts, melds, draws, seat, prevalent)
        found = fan_distance_batch(
            [counts], melds=[codes], seat_wind=seat, prevalent_wind=prevalent, threads=1
        )
        assert found.status[0] == 0
        near = {f: int(d) for f, d in enumerate(found.distance[0]) if -1 <= d < draws}
        assert near == expected, (tiles_of(counts.tolist()), melds, seat, prevalent)
        for fan, distance in near.items():
            times[fan, distance + 1] += 1
    return times


def test_fan_distances_by_brute_force():
    _compare(near_wins(40, seed=1, most=1), draws=1)


@pytest.mark.deep
def test_fan_distances_by_brute_force_farther():
    _compare(near_wins(300, seed=2, most=2), draws=2)
    _compare(near_wins(60, seed=3, most=3), draws=3)
    _compare(near_wins(12, seed=8, most=4), draws=4)


@pytest.mark.deep
@pytest.mark.parametrize("away", [1, 2, 3, 4])
def test_every_fan_by_brute_force(away):
    times = _compare(near_every_fan(10 + away, away), draws=away)
    # one tile from a hand of nine gates it is mostly more than that from winning with the last
    looked_at = [fan for fan in oracle.LOOKED_AT if fan != oracle.NINE_GATES]
    assert (times[looked_at].sum(1) > 0).all()


def test_every_fan_is_found_held_and_near():
    wins = random_wins(20_000, seed=4)
    found = fan_distance_batch(
        wins.counts, melds=wins.melds, seat_wind=wins.seat_wind,
        prevalent_wind=wins.prevalent_wind,
    )  # fmt: skip
    assert (found.shanten == -1).all()
    held = (found.distance == -1).any(0)
    left_out = (found.distance == -128).all(0)
    assert sorted(np.flatnonzero(left_out)) == sorted(FANS[zh].id for zh in oracle.LEFT_OUT)
    assert [fan.zh for fan in FANS if not held[fan.id] and not left_out[fan.id]] == []


def test_bad_rows_get_a_status():
    good, bad = counts_of(parse_tiles("123456789m1234p")), [5] * 34
    found = fan_distance_batch([good, bad])
    assert found.status.tolist()[0] == 0
    assert found.status[1] > 0
    assert (found.distance[1] == -128).all()
    assert fan_distance_batch([good], seat_wind=7).status[0] > 0
    with pytest.raises(ValueError, match="codes"):
        fan_distance_batch([good], melds=[1])


def _enough(counts: np.ndarray, melds: list[Meld], codes: np.ndarray, draws: int) -> bool:
    """Whether some complete hand with exactly so many drawn tiles scores eight, self-drawn."""
    whole = oracle.complete_hands(counts, melds, draws)
    rows, tiles = np.nonzero(whole > counts)
    if not len(rows):
        return False
    table = np.repeat(codes[None], len(rows), 0)
    batch = HandBatch(whole[rows], melds=table, win_tile=tiles, self_drawn=True)
    return bool(score_batch(batch).wins.any())


def _compare_eight(hands, draws: int) -> list[int]:
    distances = []
    for counts, codes, melds, *_ in hands:
        if counts.sum() % 3 != 1:
            continue
        found = min_fan_shanten_batch([counts], melds=[codes])
        expected = next(
            (n - 1 for n in range(1, draws + 1) if _enough(counts, melds, codes, n)), None
        )
        if expected is None:
            assert found.distance[0] >= draws, (tiles_of(counts.tolist()), melds)
        else:
            assert (found.distance[0], found.exact[0]) == (expected, True), (
                tiles_of(counts.tolist()), melds,
            )  # fmt: skip
            distances.append(expected)
    return distances


def test_eight_fan_shanten_by_brute_force():
    assert set(_compare_eight(near_wins(60, 5, 2), draws=2)) == {0, 1}


@pytest.mark.deep
@pytest.mark.parametrize(("hands", "draws"), [(150, 3), (50, 4)])
def test_eight_fan_shanten_by_brute_force_farther(hands, draws):
    distances = _compare_eight(near_wins(hands, 20 + draws, draws), draws)
    deals = ((deal, np.zeros(4, np.uint8), []) for deal in random_deals(hands // 4, seed=9))
    distances += _compare_eight(deals, draws)
    assert set(distances) == set(range(draws))


def test_farther_than_the_search_is_a_bound():
    deals = random_deals(60, seed=6)
    exact = min_fan_shanten_batch(deals)
    bound = min_fan_shanten_batch(deals, most_exact=0)
    assert exact.exact.any()
    assert (bound.distance >= exact.distance)[exact.exact].all()


@pytest.mark.parametrize(
    "rules", [GB98, WMO2006, GB98.replace(strict98_pairs=True, strict98_voided=True)]
)
@pytest.mark.parametrize("self_drawn", [False, True])
def test_beyond_the_search_there_is_a_bound(rules, self_drawn):
    """For every minimum, hands with melds among them: what search proves is never above it."""
    wins = random_wins(150, seed=7)
    rng = np.random.default_rng(8)
    hands = [_taken_apart(wins, i, 1, rng) for i in range(len(wins))]
    counts, codes = (np.array([hand[place] for hand in hands]) for place in (0, 1))
    near = 0
    for minimum in (1, 2, 3, 4, 6, 8, 12, 16, 24, 64):
        options = {"melds": codes, "rules": rules, "min_fan": minimum, "self_drawn": self_drawn}
        bound = min_fan_shanten_batch(counts, most_exact=0, **options)
        exact = min_fan_shanten_batch(counts, most_exact=1, **options)
        known = exact.exact & ~bound.exact
        assert (bound.distance >= exact.distance)[known].all(), minimum
        assert (bound.distance[~exact.exact] >= 2).all(), minimum
        near += int(known.sum())
    assert near > 50


def test_a_pung_won_by_discard_bounds_nothing():
    """双暗刻 is near, but the discard that makes the second pung makes it a melded one."""
    melds = [[Meld.parse(text).code for text in ("[789p]", "[345p]")] + [0, 0]]
    deal = [counts_of(parse_tiles("33344m6p77s"))]
    options = {"melds": melds, "min_fan": 2, "self_drawn": False}
    assert min_fan_shanten_batch(deal, **options).distance.tolist() == [1]
    assert min_fan_shanten_batch(deal, most_exact=0, **options).distance[0] >= 1


def test_nine_gates_are_won_with_the_last_tile():
    nine = FANS["九莲宝灯"].id
    for text, expected in (
        ("1112345678999m", 0), ("1112234567899m", 1), ("1112345678999m5m", -1),
        ("1112234567899m9m", -1), ("1112234567899mE", 1), ("1112345678999mE", 0),
    ):  # fmt: skip
        found = fan_distance_batch([counts_of(parse_tiles(text))])
        assert found.distance[0, nine] == expected, text


def test_the_last_of_its_kind_counts_towards_enough():
    melds = [[Meld.parse(text).code for text in ("[234m,1]", "[456p,1]", "[789s,1]")] + [0]]
    deal = [counts_of(parse_tiles("13s55p"))]
    visible = counts_of(parse_tiles("222s"))
    plain = min_fan_shanten_batch(deal, melds=melds)
    assert plain.distance[0] > 0
    last = min_fan_shanten_batch(deal, melds=melds, visible=visible)
    assert (last.distance[0], last.exact[0]) == (0, True)
    found = min_fan_shanten("[234m,1][456p,1][789s,1]13s55p", visible="222s")
    assert (found.distance, [score.base for score in found.targets], found.left) == (0, [9], (1,))
    assert found.targets[0].hand.last_of_kind


@pytest.mark.parametrize("melds", [None, 0, [0, 0]])
def test_no_melds_may_be_said_in_any_way(melds):
    deals = random_deals(2, seed=6)
    expected = min_fan_shanten_batch(deals).distance
    np.testing.assert_array_equal(min_fan_shanten_batch(deals, melds=melds).distance, expected)
    fans = fan_distance_batch(deals).distance
    np.testing.assert_array_equal(fan_distance_batch(deals, melds=melds).distance, fans)


@pytest.mark.parametrize("melds", [2, [1, 0]])
def test_melds_without_codes_are_told(melds):
    for function in (min_fan_shanten_batch, fan_distance_batch):
        with pytest.raises(ValueError, match=r"codes of the shape \(N, 4\)"):
            function(random_deals(2, seed=6), melds=melds)


@pytest.mark.parametrize("options", [
    {"min_fan": 2**70}, {"min_fan": -1}, {"min_fan": 2.5}, {"min_fan": "many"}, {"most_exact": 5},
])  # fmt: skip
def test_numbers_that_make_no_sense_are_told(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))} must be a whole number from 0 to"):
        min_fan_shanten_batch(random_deals(2, seed=6), **options)


def test_the_data_file_is_what_the_code_makes():
    assert store.digest(value_build.build()) == value.DATA_DIGEST


def test_a_bound_under_house_values_holds():
    """大于五 is not counted beside 全大, which a house may rate lower."""
    cheap = GB98.replace(values={"全大": 1})
    melds = [[Meld.parse(text).code for text in ("[777m]", "[888p]", "[789s]")] + [0]]
    deal = [counts_of(parse_tiles("99m88s"))]
    assert min_fan_shanten_batch(deal, melds=melds, most_exact=0).distance[0] == 0
    exact = min_fan_shanten_batch(deal, melds=melds, rules=cheap)
    bound = min_fan_shanten_batch(deal, melds=melds, rules=cheap, most_exact=0)
    assert exact.exact[0]
    assert exact.distance[0] > 0
    assert bound.distance[0] >= exact.distance[0]
