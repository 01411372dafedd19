"""Distance kernels = the definition: every hand of small suits, random hands, hands near a win."""

from __future__ import annotations

import distance_oracle as oracle
import numpy as np
import pytest

from fastmj import random_wins, score_batch
from fastmj.distance import FORMS, acceptance_batch, discards_batch, shanten_batch, waits_batch
from fastmj.hands.batch import HandBatch
from fastmj.kernels.distance import layout as at
from fastmj.samples.deals import random_deals
from fastmj.tables.distance.build import needed_tiles
from fastmj.tables.distance.load import distance_tables

BIASES = (None, "one_suit", "honors")


def all_shapes(ranks: int, most: int) -> np.ndarray:
    """Every shape of a suit with so many tiles at most."""
    shapes = np.zeros((1, 0), np.uint8)
    for _ in range(ranks):
        shapes = np.concatenate(
            [np.column_stack([shapes, np.full(len(shapes), count, np.uint8)]) for count in range(5)]
        )
        shapes = shapes[shapes.sum(1) <= most]
    return shapes


def brute_force_alone(shapes: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Tiles missing when a hand is one suit: what it does not hold in another suit costs all."""
    best = np.full(len(shapes), 99)
    for (k, pair), targets in oracle.targets(shapes.shape[1]).items():
        need = np.full(len(shapes), 99)
        for target in targets:
            need = np.minimum(need, np.maximum(target - shapes.astype(np.int8), 0).sum(1))
        total = need + 3 * (sets - k) + 2 * (1 - pair)
        best = np.minimum(best, np.where(sets >= k, total, 99))
    return best


@pytest.mark.parametrize(("first", "ranks", "most"), [(27, 7, 7), (0, 9, 4)])
def test_every_hand_of_one_suit(first, ranks, most):
    shapes = all_shapes(ranks, most)
    shapes = shapes[shapes.sum(1) % 3 > 0]
    hands = np.zeros((len(shapes), 34), np.uint8)
    hands[:, first : first + ranks] = shapes
    melds = (14 - shapes.sum(1, dtype=int)) // 3
    expected = brute_force_alone(shapes, 4 - melds) - 1
    np.testing.assert_array_equal(shanten_batch(hands, melds=melds).regular, expected)


@pytest.mark.deep
def test_every_suit_and_honor_shape():
    """The distance rows of all 405,350 and 43,130 shapes against every target, compiled."""
    import numba

    @numba.njit(nogil=True)
    def nearest(shapes, targets):
        found = np.empty(len(shapes), np.uint8)
        for i in range(len(shapes)):
            best = 99
            for j in range(len(targets)):
                missing = 0
                for rank in range(shapes.shape[1]):
                    missing += max(0, np.int64(targets[j, rank]) - np.int64(shapes[i, rank]))
                best = min(best, missing)
            found[i] = best
        return found

    for ranks in (9, 7):
        shapes = all_shapes(ranks, 14)
        assert len(shapes) == {9: 405_350, 7: 43_130}[ranks]
        rows = needed_tiles(ranks, ranks == 9)
        for (k, pair), targets in oracle.targets(ranks).items():
            row = rows[2 * k + pair][tuple(shapes.T[::-1])]
            np.testing.assert_array_equal(row, nearest(shapes, targets))


def test_shanten_is_the_number_of_exchanges():
    """Breadth first from the complete hands, one exchange of a tile a step.

    Hands of 5 and 4 tiles beside three melds, of one suit and honours; those that are compared use
    two kinds of honours, so that a hand never wants tiles from outside.
    """
    kinds = [*range(9), *range(27, 34)]
    level = {
        tuple(sorted([*block, eyes, eyes]))
        for block in oracle.SETS
        for eyes in kinds
        if set(block) <= set(kinds) and [*block, eyes, eyes].count(eyes) <= 4
    }
    distance = dict.fromkeys(level, 0)
    while level:
        following = set()
        for hand in level:
            for place in range(5):
                rest = hand[:place] + hand[place + 1 :]
                for tile in kinds:
                    if rest.count(tile) < 4:
                        following.add(tuple(sorted((*rest, tile))))
        steps = distance[next(iter(level))] + 1
        level = following - distance.keys()
        distance.update(dict.fromkeys(level, steps))
    compared = [hand for hand in distance if not set(hand) & set(range(29, 34))]
    hands = np.array([np.bincount(hand, minlength=34) for hand in compared])
    expected = np.array([distance[hand] - 1 for hand in compared])
    np.testing.assert_array_equal(shanten_batch(hands, melds=3).regular, expected)

    ready = {}
    for hand, steps in distance.items():
        for place in range(5):
            rest = hand[:place] + hand[place + 1 :]
            ready[rest] = min(ready.get(rest, 99), steps)
    compared = [hand for hand in ready if not set(hand) & set(range(29, 34))]
    hands = np.array([np.bincount(hand, minlength=34) for hand in compared])
    expected = np.array([ready[hand] for hand in compared])
    np.testing.assert_array_equal(shanten_batch(hands, melds=3).regular, expected)
    assert len(compared) > 1000


def near_wins(n: int, seed: int, melds: int, form: str, tiles: int) -> np.ndarray:
    """Concealed tiles of complete hands with up to three of them exchanged; 13 or 14 less melds."""
    wins = random_wins(n, seed=seed, forms=form, melds=melds, circumstances=False)
    rng = np.random.default_rng(seed)
    hands = wins.counts.copy()
    for row in range(n):
        for _ in range(rng.integers(4)):
            hands[row, rng.choice(np.flatnonzero(hands[row]))] -= 1
            hands[row, rng.choice(np.flatnonzero(hands[row] < 4))] += 1
        if tiles == 13:
            hands[row, rng.choice(np.flatnonzero(hands[row]))] -= 1
    return hands


def corpora(n: int, seed: int):
    """Hands with their number of melds: deals of every bias, and hands near every form."""
    for melds in range(5):
        for tiles in (13, 14):
            for bias in BIASES:
                yield random_deals(n, tiles=tiles - 3 * melds, seed=seed, bias=bias), melds
    for form, most in (("one_suit", 4), *((form, oracle.MISSING[form][1]) for form in FORMS)):
        for melds in range(most + 1):
            for tiles in (13, 14):
                yield near_wins(n, seed, melds, form, tiles), melds


def _compare_shanten(n: int, seed: int) -> None:
    for hands, melds in corpora(n, seed):
        found = shanten_batch(hands, melds=melds)
        expected = {form: [oracle.shanten(h, form, melds) for h in hands] for form in FORMS}
        for form in FORMS:
            np.testing.assert_array_equal(getattr(found, form), expected[form])
        np.testing.assert_array_equal(found.best, np.min(list(expected.values()), axis=0))


def test_shanten_of_random_hands():
    _compare_shanten(12, seed=1)


@pytest.mark.deep
def test_shanten_of_many_random_hands():
    _compare_shanten(1000, seed=2)


def test_accepted_tiles_by_definition():
    for hands, melds in corpora(1, seed=3):
        for form in FORMS:
            if melds <= oracle.MISSING[form][1]:
                found = acceptance_batch(hands, melds=melds, form=form)
                expected = [oracle.accepted(hand, form, melds) for hand in hands]
                np.testing.assert_array_equal(found.mask, expected)


@pytest.mark.parametrize("form", ["best", *FORMS])
def test_accepted_tiles_are_those_that_lower_the_shanten(form):
    """Shanten is known to be right: every tile is added to very many hands."""
    for hands, melds in corpora(100, seed=4):
        if form != "best" and melds > oracle.MISSING[form][1]:
            continue
        found = acceptance_batch(hands, melds=melds, form=form)
        now = getattr(shanten_batch(hands, melds=melds), form)
        np.testing.assert_array_equal(found.shanten, now)
        over = hands.sum(1)[0] % 3 == 2
        expected = np.zeros(len(hands), np.int64)
        for tile in range(34):
            more = hands.copy()
            more[:, tile] += 1
            if over:  # 15 tiles: the best of the discards
                nearer = np.full(len(hands), 99)
                for out in range(34):
                    rest = more.copy()
                    rest[:, out] -= more[:, out] > 0
                    after = getattr(shanten_batch(rest, melds=melds), form)
                    usable = (more[:, out] > 0) & (rest.max(1) <= 4)
                    nearer = np.where(usable & (after < nearer), after, nearer)
            else:
                nearer = getattr(shanten_batch(more, melds=melds), form)
            lowered = (hands[:, tile] < 4) & (nearer < now)
            expected |= lowered.astype(np.int64) << tile
        np.testing.assert_array_equal(found.mask, expected)


def test_discards_are_the_acceptance_of_what_they_leave():
    rng = np.random.default_rng(5)
    for form in ("best", *FORMS):
        for hands, melds in corpora(60, seed=6):
            if hands.sum(1)[0] % 3 != 2:
                continue
            seen = np.minimum(rng.integers(0, 3, hands.shape), 4 - hands)
            found = discards_batch(hands, melds=melds, visible=seen, form=form)
            for tile in range(34):
                held = hands[:, tile] > 0
                rest, gone = hands[held].copy(), seen[held].copy()
                rest[:, tile] -= 1
                gone[:, tile] += 1
                left = acceptance_batch(rest, melds=melds, visible=gone, form=form)
                np.testing.assert_array_equal(found.shanten[held, tile], left.shanten)
                np.testing.assert_array_equal(found.mask[held, tile], left.mask)
                np.testing.assert_array_equal(found.copies[held, tile], left.copies)
                np.testing.assert_array_equal(found.forms[held, tile], left.forms)
                assert (found.shanten[~held, tile] == -1).all()
                assert (found.copies[~held, tile] == -1).all()
                assert not found.mask[~held, tile].any()


def test_best_discard_keeps_the_shanten():
    for hands, melds in corpora(200, seed=7):
        if hands.sum(1)[0] % 3 == 2:
            whole = shanten_batch(hands, melds=melds).best
            found = discards_batch(hands, melds=melds)
            after = np.where(hands > 0, found.shanten, 99).min(1)
            np.testing.assert_array_equal(after, np.maximum(whole, 0))
            accepted = acceptance_batch(hands, melds=melds)
            kept = (hands > 0) & (found.shanten == whole[:, None])
            union = np.bitwise_or.reduce(np.where(kept, found.mask, 0), axis=1)
            np.testing.assert_array_equal(accepted.mask, np.where(whole < 0, 0, union))


def _ready_hands(n: int, seed: int):
    """13 tiles that wait for one at least, with their melds."""
    for form, most in (("one_suit", 4), *((form, oracle.MISSING[form][1]) for form in FORMS)):
        for melds in range(most + 1):
            wins = random_wins(n, seed=seed, forms=form, melds=melds, circumstances=False)
            hands = wins.counts.copy()
            hands[np.arange(n), wins.win_tile] -= 1
            yield hands, wins, melds


def test_waits_by_definition():
    for hands, wins, melds in _ready_hands(15, seed=8):
        found = waits_batch(hands, melds=melds)
        np.testing.assert_array_equal(found.mask, [oracle.waits(h, melds) for h in hands])
        assert (found.mask >> wins.win_tile & 1).all()
    for hands, melds in corpora(6, seed=9):
        if hands.sum(1)[0] % 3 == 1:
            found = waits_batch(hands, melds=melds)
            np.testing.assert_array_equal(found.mask, [oracle.waits(h, melds) for h in hands])


def test_a_fifth_copy_is_a_wait_but_does_not_make_a_hand_ready():
    quads = np.zeros((34, 34), np.uint8)
    np.fill_diagonal(quads, 4)
    found = waits_batch(quads, melds=3)
    np.testing.assert_array_equal(found.mask, 1 << np.arange(34))
    assert not found.live.any()
    assert (shanten_batch(quads, melds=3).best == 1).all()


def test_waits_are_what_ready_hands_accept():
    for hands, _, melds in _ready_hands(400, seed=10):
        found = waits_batch(hands, melds=melds)
        accepted = acceptance_batch(hands, melds=melds)
        full = ((hands == 4) * (1 << np.arange(34))).sum(1)
        np.testing.assert_array_equal(found.mask & ~full, found.live)
        np.testing.assert_array_equal(found.live, np.where(accepted.shanten == 0, accepted.mask, 0))
        ready = accepted.shanten == 0
        np.testing.assert_array_equal(found.forms[ready] & accepted.forms[ready],
                                      accepted.forms[ready])  # fmt: skip


def test_waits_are_the_tiles_that_the_scorer_accepts():
    for hands, wins, melds in _ready_hands(300, seed=11):
        found = waits_batch(hands, melds=wins.melds)
        for tile in range(34):
            more = hands.copy()
            more[:, tile] += 1
            scores = score_batch(HandBatch(more, melds=wins.melds, win_tile=tile))
            valid = scores.status <= 1
            complete = scores.status == 0
            np.testing.assert_array_equal(complete[valid], (found.mask[valid] >> tile & 1) > 0)
            np.testing.assert_array_equal(valid, (found.live >> tile & 1 > 0) | ~complete & valid)
        assert melds == 0 or (found.status == 0).all()


def test_numbers_of_shapes_are_a_bijection():
    tables = distance_tables()
    for first, ranks, most in ((0, 9, 405_350), (27, 7, 43_130)):
        shapes = all_shapes(ranks, 14)
        low = shapes[:, :4] @ 5 ** np.arange(4)
        high = shapes[:, 4:] @ 5 ** np.arange(ranks - 4)
        starts = (at.HONOR_LOW, at.HONOR_HIGH) if first else (0, at.SUIT_HIGH)
        words = tables.parts[starts[0] + low] + tables.parts[starts[1] + high]
        np.testing.assert_array_equal(words >> at.TILES, shapes.sum(1))
        numbers = np.sort(words & at.SHAPE)
        np.testing.assert_array_equal(numbers, np.arange(most) + (405_350 if first else 0))
