"""Value analysis = naive searches over the reference and the scorer; roll-outs = exact chances."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
import value_oracle as oracle

from fastmj import FANS, HandBatch, InvalidHand, Meld, random_deals, random_wins, score_batch
from fastmj.tables import store, value, value_build
from fastmj.tiles import counts_of, parse_tiles, tiles_of
from fastmj.value import (
    exact_chances,
    fan_distance_batch,
    min_fan_shanten_batch,
    simulate,
)


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


@pytest.mark.parametrize("policy", ["shanten", "fan"])
def test_a_ready_hand_wins_as_often_as_it_must(policy):
    """Six winning tiles among 123 unseen ones, eighteen draws."""
    found = simulate("123456789m1234p", samples=4000, seed=1, policy=policy)
    choice = found.choices[0]
    for turn in (1, 6, 18):
        expected = 1 - comb(117, turn) / comb(123, turn)
        error = (expected * (1 - expected) / choice.samples) ** 0.5
        assert abs(choice.win_by_turn[turn - 1] - expected) < 4 * error
    assert choice.ready_by_turn[0] == 1
    assert sum(choice.totals.values()) == choice.wins


@pytest.mark.parametrize(
    "text", ["123456m78p1299s1s", "[EEE]111m23m78p99s5s|EE", "234m567m345p6778s"]
)
def test_one_from_ready_wins_as_often_as_it_must(text):
    expected = exact_chances(text)
    choice = simulate(text, samples=6000, seed=2, policy="shanten").choices[0]
    errors = np.sqrt(expected * (1 - expected) / choice.samples)
    assert expected[-1] > 0
    assert (np.abs(choice.win_by_turn - expected) <= 4 * errors + 1e-12).all()


def test_exact_chances_are_refused_farther_away():
    with pytest.raises(ValueError, match="from ready"):
        exact_chances("1359m2468p13579s")


def test_the_seed_is_all_that_matters():
    runs = [
        simulate("12399m456p78s99s1sE", samples=1200, seed=3, threads=threads, claims=0.5)
        for threads in (1, 2)
    ]
    assert str(runs[0]) == str(runs[1])
    assert [c.totals for c in runs[0].choices] == [c.totals for c in runs[1].choices]


def test_what_cannot_be_played_is_refused():
    with pytest.raises(InvalidHand, match="visible"):
        simulate("123456789m1234p", visible="1111m", seed=1)
    with pytest.raises(ValueError, match="only"):
        simulate("123456789m1234p", draws=40, claims=0.5, seed=1)
    for bad in ({"policy": "luck"}, {"claims": 2}, {"samples": 0}, {"standard_error": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            simulate("123456789m1234p", **{"seed": 1, **bad})


def test_stopping_keeps_what_is_done():
    def stop(done: int, wanted: int) -> None:
        raise KeyboardInterrupt

    found = simulate("123456789m1234p", samples=50_000, seed=1, threads=1, progress=stop)
    assert not found.complete
    assert 0 < found.choices[0].samples < 50_000
