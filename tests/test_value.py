"""Distances to fans and to enough fan = naive searches over the reference and the scorer."""

from __future__ import annotations

import numpy as np
import pytest
import value_oracle as oracle

from fastmj import FANS, GB98, HandBatch, Meld, random_deals, random_wins, score_batch
from fastmj.hands.tiles import counts_of, parse_tiles, tiles_of
from fastmj.tables import store
from fastmj.tables.value import build as value_build
from fastmj.tables.value import load as value
from fastmj.value import fan_distance_batch, min_fan_shanten_batch


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
    assert (times[oracle.LOOKED_AT].sum(1) > 0).all()


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
