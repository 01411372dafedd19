"""Distances beside melds that are known: the copies in them are gone, in every function."""

from __future__ import annotations

from functools import cache

import distance_oracle as oracle
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from fastmj.cli.distance import register
from fastmj.distance import (
    FORMS,
    acceptance,
    acceptance_batch,
    discards_batch,
    regular_shanten_batch,
    shanten,
    shanten_batch,
    waits,
)
from fastmj.distance.reading import read_row
from fastmj.hands.tiles import format_tiles
from fastmj.value import fan_distance_batch

CODES = [
    code
    for code in range(1, 137)
    if (code - 1) // 34 or ((code - 1) % 34 < 27 and (code - 1) % 9 < 7)
]
LOCKED = {code: oracle.locked_of([code]) for code in CODES}


def choose(rng: np.random.Generator, gone: np.ndarray, wanted: np.ndarray) -> int:
    """A meld of tiles that are left, one that has a wanted tile if there is one; or 0."""
    fits = [code for code in CODES if (LOCKED[code] + gone <= 4).all()]
    good = [code for code in fits if (LOCKED[code] * wanted).any()]
    return int(rng.choice(good or fits or [0]))


def deal(rng: np.random.Generator, gone: np.ndarray, number: int, weights: np.ndarray):
    """Tiles drawn one by one from what is left of some kinds."""
    held = np.zeros(34, np.int8)
    for _ in range(number):
        chances = (4 - gone - held) * weights
        held[rng.choice(34, p=chances / chances.sum())] += 1
    return held


def hand(rng: np.random.Generator, over: int, greedy: bool) -> tuple[np.ndarray, list[int]]:
    """A hand beside 1-4 melds, half of them in one suit; ``greedy`` melds take what it needs."""
    melds = int(rng.integers(1, 5))
    suit = 9 * int(rng.integers(3))
    weights = np.where((np.arange(34) >= suit) & (np.arange(34) < suit + 9), rng.choice([1, 9]), 1)
    number = 13 - 3 * melds + over
    if not greedy:
        codes: list[int] = []
        for _ in range(melds):
            gone = oracle.locked_of(codes)
            codes.append(choose(rng, gone, (weights > 1).astype(int)))
        return deal(rng, oracle.locked_of(codes), number, weights), codes
    held, codes = deal(rng, oracle.FREE, number, weights), []
    for _ in range(melds):
        mask = int(acceptance_batch([held], melds=melds, threads=1).mask[0])
        wanted = np.array([mask >> tile & 1 for tile in range(34)])
        codes.append(choose(rng, held + oracle.locked_of(codes), wanted))
    return held, codes


@cache
def corpus(n: int, seed: int, over: int, greedy: bool) -> tuple[np.ndarray, np.ndarray]:
    """Hands by their counts and meld codes."""
    rng = np.random.default_rng(seed)
    found = [hand(rng, over, greedy) for _ in range(n)]
    counts = np.array([held for held, codes in found if 0 not in codes], np.uint8)
    melds = [codes + [0] * (4 - len(codes)) for _, codes in found if 0 not in codes]
    return counts, np.array(melds, np.uint8)


def _compare(counts: np.ndarray, melds: np.ndarray) -> int:
    """Every function against the search; how many hands the melds set back."""
    number = (melds > 0).sum(1)
    found, regular = shanten_batch(counts, melds=melds), regular_shanten_batch(counts, melds=melds)
    assert not found.status.any()
    np.testing.assert_array_equal(found.regular, regular.regular)
    accepted = {
        form: acceptance_batch(counts, melds=melds, form=form)
        for form in ("regular", "knitted_straight", "best")
    }
    for row, (held, codes) in enumerate(zip(counts.astype(np.int8), melds, strict=True)):
        locked, count = oracle.locked_of(codes), int(number[row])
        shantens, masks = [], []
        for form in FORMS:
            expected = oracle.shanten(held, form, count, locked)
            assert getattr(found, form)[row] == expected, (row, form, held, codes)
            shantens.append(expected)
            masks.append(0)
            if form in accepted and expected < 127:
                masks[-1] = oracle.accepted(held, form, count, locked) if expected >= 0 else 0
                assert accepted[form].mask[row] == masks[-1], (row, form, held, codes)
        best = min(shantens)
        mask = 0
        for number_of, helping in zip(shantens, masks, strict=True):
            mask |= helping if number_of == best else 0
        assert found.best[row] == accepted["best"].shanten[row] == best
        assert accepted["best"].mask[row] == mask
    return int((found.best > shanten_batch(counts, melds=number).best).sum())


@pytest.mark.parametrize(
    ("text", "best", "accepted"),
    [
        ("[2222m]13m456p789sEE", 1, None),  # its only wait lies in the kong
        ("[222m]13m456p789sEE", 0, "2m"),
        ("[999p][999s]234m567p9p", 1, None),  # the pair's second lies in the pung
        ("123456789m1111p", 1, None),
        ("[345m]33m45m678p999s", 0, "36m"),
        ("[5555p]147m28p369s99m", 5, None),  # the straight's 5p is gone
    ],
)
def test_hands_that_wait_for_their_own_melds(text, best, accepted):
    found = acceptance(text)
    assert shanten(text).best == found.shanten == best
    if accepted:
        assert format_tiles(found.tiles) == accepted
    row = read_row(text, "", "chinese", (0, 1))
    assert fan_distance_batch(**row.columns).shanten[0] == best
    held = row.columns["counts"][0] + oracle.locked_of(row.columns["melds"][0])
    assert not any(held[tile] == 4 for tile in found.tiles)


def test_a_hand_whose_waits_are_used_up_is_not_called_ready():
    for text, visible in (
        ("123456789m1111p", ""), ("[2222m]13m456p789sEE", ""), ("123456789m1234p", "111444p"),
    ):  # fmt: skip
        found = waits(text, visible=visible)
        assert len(found) > 0  # formal waits stay
        assert not found.ready
        assert ": not ready, its waits " in str(found)
        assert "not ready" in run_command("waits", text, "--visible", visible)
        assert ": ready" not in str(shanten(text)) or visible
        assert not str(acceptance(text, visible=visible)).startswith("ready")
    assert waits("123456789m1234p", visible="1114p").ready
    table = run_command("discards", "[999p][999s]234m5679p9s")
    assert "1 from ready" in table.splitlines()[0]
    assert "ready" not in [line.split()[-1] for line in table.splitlines()[2:]]


def run_command(*arguments: str) -> str:
    app = typer.Typer()
    register(app)
    return CliRunner().invoke(app, arguments).output


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("greedy", [False, True])
def test_beside_melds_every_function_is_the_search(over, greedy):
    set_back = _compare(*corpus(700, 11, over, greedy))
    assert set_back > (50 if greedy else 2)


@pytest.mark.deep
@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("greedy", [False, True])
def test_beside_melds_every_function_is_the_search_deep(over, greedy):
    _compare(*corpus(20_000, 12, over, greedy))


@pytest.mark.parametrize("greedy", [False, True])
def test_a_discard_leaves_what_the_rest_is(greedy):
    counts, melds = corpus(700, 13, 1, greedy)
    found = discards_batch(counts, melds=melds)
    rows, tiles = np.nonzero(counts)
    rest = counts[rows]
    rest[np.arange(len(rows)), tiles] -= 1
    gone = np.zeros_like(rest)
    gone[np.arange(len(rows)), tiles] = 1
    left = acceptance_batch(rest, melds=melds[rows], visible=gone)
    for column in ("shanten", "mask", "copies", "forms"):
        np.testing.assert_array_equal(getattr(found, column)[rows, tiles], getattr(left, column))


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("greedy", [False, True])
def test_fan_distances_mean_the_same_shanten(over, greedy):
    counts, melds = corpus(700, 14, over, greedy)
    expected = shanten_batch(counts, melds=melds).best
    np.testing.assert_array_equal(fan_distance_batch(counts, melds=melds).shanten, expected)


def _searched(counts: np.ndarray, melds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shanten and helping tiles of sets and a pair without the short way past the search."""
    import numba

    from fastmj.kernels.distance.locks import (
        MEMORY,
        locked_masks,
        locked_missing,
        locked_tiles,
        locked_words,
    )
    from fastmj.kernels.distance.rows import NO_TILE, Rows
    from fastmj.tables.distance.load import distance_tables

    @numba.njit
    def every(tables, rows, number, missing, mask):
        for i in range(len(missing)):
            locked = locked_masks(rows.codes, i)
            sets = 4 - number[i]
            words, shapes = locked_words(tables, rows, i, NO_TILE, sets, locked)
            missing[i] = locked_missing(words, sets)
            mask[i] = locked_tiles(tables, rows, i, NO_TILE, sets, locked, words, shapes)

    number = (melds > 0).sum(1)
    missing, mask = np.empty(len(counts), np.int64), np.empty(len(counts), np.int64)
    memory = np.empty(MEMORY, np.int64)
    seen = np.zeros((1, 34), np.uint8)
    rows = Rows(counts, number, 1, seen, 0, melds, 1, memory, 0, 1)
    every(distance_tables(), rows, number, missing, mask)
    return missing, mask


def many(n: int, seed: int, over: int) -> tuple[np.ndarray, np.ndarray]:
    """Hands of few kinds beside 1-4 melds, made by columns: those with five of a kind left out."""
    rng = np.random.default_rng(seed)
    number = rng.integers(1, 5, n)
    some = rng.choice(len(CODES), (n, 4))
    melds = np.where(np.arange(4) < number[:, None], np.array(CODES)[some], 0)
    # half of the melds lie in the characters, where three quarters of the tiles are
    low = [code for code in CODES if (code - 1) % 34 < 9]
    near = rng.random((n, 4)) < 0.5
    melds = np.where(near & (melds > 0), rng.choice(low, (n, 4)), melds).astype(np.uint8)
    table = np.zeros((137, 34), np.int8)
    for code, tiles in LOCKED.items():
        table[code] = tiles
    locked = table[melds].sum(1)
    good = locked.max(1) <= 4
    melds, number, locked = melds[good], number[good], locked[good]
    left = np.arange(136) // 34 < (4 - locked)[:, np.arange(136) % 34]
    weights = np.where(np.arange(136) % 34 < 9, 12.0, 1.0)
    keys = np.where(left, rng.random(left.shape) ** (1 / weights), -1)
    order = np.argsort(-keys, axis=1)[:, :11]
    counts = np.zeros((len(melds), 34), np.uint8)
    for place in range(11):
        which = np.flatnonzero(place < 13 - 3 * number + over)
        counts[which, order[which, place] % 34] += 1
    return counts, melds


def _shortcut(n: int, seed: int) -> None:
    for over in (0, 1):
        counts, melds = many(n, seed, over)
        found = acceptance_batch(counts, melds=melds, form="regular")
        assert not found.status.any()
        missing, mask = _searched(counts, melds)
        np.testing.assert_array_equal(found.shanten, missing - 1)
        np.testing.assert_array_equal(found.mask, np.where(missing > 0, mask, 0))
        alone = regular_shanten_batch(counts, melds=melds)
        np.testing.assert_array_equal(alone.regular, missing - 1)


def test_the_short_way_is_no_other_way():
    _shortcut(200_000, 15)


@pytest.mark.deep
def test_the_short_way_is_no_other_way_deep():
    for seed in range(20):
        _shortcut(1_000_000, 100 + seed)
