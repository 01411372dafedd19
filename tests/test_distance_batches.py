"""The batch functions as a user meets them: any input, any thread count, any neighbour."""

from __future__ import annotations

import os
import subprocess
import sys

import distance_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastmj
from fastmj import Meld, Status, random_wins
from fastmj.distance import (
    FORMS,
    NO_HAND,
    RULED_OUT,
    acceptance_batch,
    discards_batch,
    forms_of_bits,
    regular_shanten_batch,
    shanten_batch,
    tiles_of_mask,
    waits_batch,
    waits_scores_batch,
)
from fastmj.hands.tiles import counts_of, parse_tiles
from fastmj.kernels.distance import layout as at
from fastmj.samples.deals import random_deals
from fastmj.tables.distance import load as tables
from fastmj.tables.distance.build import build
from fastmj.tables.store import digest
from fastmj.threads import CHUNK

FUNCTIONS = [shanten_batch, regular_shanten_batch, waits_batch, acceptance_batch, discards_batch]


def columns(result) -> dict[str, np.ndarray]:
    """Every column of a result by name."""
    return {name: getattr(result, name) for name in result.names()}


def assert_same(a, b, rows=slice(None)) -> None:
    for name, column in columns(a).items():
        np.testing.assert_array_equal(column[rows], columns(b)[name], err_msg=name)


def hand(text: str) -> np.ndarray:
    return np.array([counts_of(parse_tiles(text))], np.uint8)


# --- tables


def test_tables_are_what_their_code_builds():
    arrays = build()
    assert digest(arrays) == tables.DATA_DIGEST
    loaded = tables.distance_tables()
    assert sum(table.nbytes for table in loaded) < 6_000_000
    for name, array in arrays.items():
        table = getattr(loaded, name)
        np.testing.assert_array_equal(table, array)
        assert table.flags.c_contiguous and not table.flags.writeable


def test_damaged_tables_are_refused(monkeypatch):
    monkeypatch.setattr(tables, "DATA_DIGEST", "0" * 64)
    tables.distance_tables.cache_clear()
    with pytest.raises(RuntimeError, match="damaged"):
        tables.distance_tables()
    monkeypatch.undo()
    tables.distance_tables()


def test_codes_of_the_kernels_are_those_of_the_package():
    for name in ("OK", "BAD_TILE", "BAD_MELD", "TILE_COUNT", "FIVE_OF_A_KIND"):
        assert getattr(at, name) == Status[name]
    assert [getattr(at, form.upper()) for form in FORMS] == list(range(5))
    assert (at.RULED_OUT, at.NO_HAND) == (RULED_OUT, NO_HAND)


# --- single facts that people know


@pytest.mark.parametrize(
    ("text", "melds", "expected"),
    [
        ("123456789m1234p", 0, [0, 6, 10, 8, 5]),
        ("1111222233334m", 0, [0, 0, 11, 11, 6]),
        ("11122345678999m", 0, [-1, 3, 10, 10, 5]),
        ("19m19p19sESWNCFP", 0, [8, 6, 0, 4, 9]),
        ("19m19p19sESWNCFPP", 0, [7, 5, -1, 4, 8]),
        ("147m258p369sESWN", 0, [8, 6, 7, 0, 2]),
        ("147m258p369sESWNC", 0, [8, 6, 6, -1, 2]),
        ("147m258p369sEEE11m", 0, [4, 4, 9, 3, -1]),
        ("147m258p369sE", 1, [6, 127, 127, 127, 0]),
        ("1111m", 3, [1, 127, 127, 127, 127]),
        ("E", 4, [0, 127, 127, 127, 127]),
        ("EE", 4, [-1, 127, 127, 127, 127]),
    ],
)
def test_known_shanten(text, melds, expected):
    found = shanten_batch(hand(text), melds=melds)
    assert [int(getattr(found, form)[0]) for form in FORMS] == expected
    assert found.best[0] == min(expected)


@pytest.mark.parametrize(
    ("text", "melds", "expected", "forms"),
    [
        ("1112345678999m", 0, "123456789m", ["regular"]),
        ("2345678m", 2, "258m", ["regular"]),
        ("1133557799m11p2s", 0, "2s", ["seven_pairs"]),
        ("2233445566778m", 0, "258m", ["regular", "seven_pairs"]),
        ("19m19p19sESWNCFP", 0, "19m19p19sESWNCFP", ["thirteen_orphans"]),
        ("19m19p19sESWNCFF", 0, "P", ["thirteen_orphans"]),
        ("147m258p369sESWN", 0, "CFP", ["honors_knitted"]),
        ("147m258p36sEEE11p", 0, "9s", ["knitted_straight"]),
        ("147m258p369sEEE1m", 0, "1m", ["knitted_straight"]),
        ("147m258p369s23m11p", 0, "14m", ["knitted_straight"]),
        ("123456789m1245p", 0, "", []),
    ],
)
def test_known_waits(text, melds, expected, forms):
    counts = hand(text)
    found = waits_batch(counts, melds=melds)
    assert tiles_of_mask(int(found.mask[0])) == tuple(parse_tiles(expected))
    assert list(forms_of_bits(int(found.forms[0]))) == forms


def test_copies_left():
    counts = hand("123456789m1234p")
    visible = np.zeros(34, int)
    visible[[9, 12, 0]] = 3, 1, 2
    found = acceptance_batch(counts, visible=visible)
    assert found.copies[0] == 0 + 2
    live = waits_batch(counts, visible=visible)
    assert tiles_of_mask(int(live.mask[0])) == (9, 12)
    assert tiles_of_mask(int(live.live[0])) == (12,)


def test_tiles_in_the_own_melds_are_not_left():
    counts = hand("23m11p")
    codes = [[Meld.parse(meld).code for meld in ("111m", "4444m", "789m")] + [0]]
    assert tiles_of_mask(int(waits_batch(counts, melds=3).live[0])) == (0, 3)
    found = waits_batch(counts, melds=codes)
    assert tiles_of_mask(int(found.mask[0])) == (0, 3)
    assert tiles_of_mask(int(found.live[0])) == (0,)
    assert acceptance_batch(counts, melds=codes).copies[0] == 1
    assert discards_batch(hand("23m119p"), melds=codes).copies[0, 17] == 1


# --- input


def test_every_layout_gives_the_same():
    deals = random_deals(50, seed=1)
    melds = np.zeros((50, 4), int)
    for function in FUNCTIONS[:4]:
        expected = function(deals)
        for counts in (
            deals.tolist(),
            deals.astype(np.int64),
            deals.astype(">u2"),
            np.asfortranarray(deals),
            np.repeat(deals, 2, axis=0)[::2],
            deals[::-1][::-1],
        ):
            assert_same(expected, function(counts))
        assert_same(expected, function(deals, melds=melds))
        assert_same(expected, function(deals, melds=np.zeros(50, bool)))
        assert_same(expected, function(deals, melds=[0] * 50))


def test_arguments_do_not_change(tmp_path):
    deals = random_deals(20, tiles=14, seed=2)
    visible = np.zeros((20, 34), np.uint8)
    before = deals.copy()
    for function in (shanten_batch, regular_shanten_batch):
        function(deals, melds=np.zeros((20, 4), np.uint8))
    for function in (acceptance_batch, discards_batch, waits_batch):
        function(deals, visible=visible, melds=np.zeros((20, 4), np.uint8))
    np.testing.assert_array_equal(deals, before)
    assert not visible.any() and deals.flags.writeable
    deals.flags.writeable = False
    path = tmp_path / "deals.npy"
    np.save(path, deals)
    for function in FUNCTIONS:
        assert_same(function(deals), function(np.load(path, mmap_mode="r")))


def test_batches_of_none():
    for function in FUNCTIONS:
        for counts in ([], np.zeros((0, 34), np.uint8)):
            assert len(function(counts)) == 0
        assert len(function(np.zeros((0, 34)), melds=np.zeros((0, 4)))) == 0
    assert len(waits_scores_batch([])) == 0


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (ValueError, {"counts": np.zeros(34, int)}),
        (ValueError, {"counts": np.zeros((3, 33), int)}),
        (ValueError, {"counts": [[1, 2], [3]]}),
        (TypeError, {"counts": np.zeros((3, 34))}),
        (TypeError, {"counts": np.full((1, 34), np.nan)}),
        (TypeError, {"counts": np.array([["1"] * 34])}),
        (ValueError, {"counts": np.zeros((3, 34), int), "melds": [1, 2]}),
        (ValueError, {"counts": np.zeros((3, 34), int), "melds": np.zeros((3, 3), int)}),
        (TypeError, {"counts": np.zeros((3, 34), int), "melds": 1.0}),
        (ValueError, {"counts": np.zeros((3, 34), int), "threads": 0}),
    ],
)
def test_wrong_arguments(error, arguments):
    for function in FUNCTIONS:
        with pytest.raises(error):
            function(**arguments)


def test_wrong_options():
    deals = random_deals(3, tiles=14, seed=3)
    for function in (acceptance_batch, discards_batch):
        with pytest.raises(ValueError, match="seven_pairs"):
            function(deals, form="pairs")
    for function in (acceptance_batch, discards_batch, waits_batch, waits_scores_batch):
        with pytest.raises(ValueError, match="visible"):
            function(deals, visible=np.zeros((2, 34), int))
        with pytest.raises(ValueError, match="visible"):
            function(deals, visible=np.zeros(33, int))
    with pytest.raises(ValueError, match="codes"):
        waits_scores_batch(random_deals(3, tiles=10, seed=3), melds=1)


def _broken(**changes: int) -> np.ndarray:
    counts = hand("123456789m1234p").astype(int)
    for tile, count in changes.items():
        counts[0, int(tile[1:])] = count
    return counts


@pytest.mark.parametrize(
    ("counts", "melds", "status"),
    [
        (hand("123456789m123p"), 0, Status.TILE_COUNT),
        (hand("123456789m12344p1s"), 0, Status.TILE_COUNT),
        (hand("123456789m1234p"), 1, Status.TILE_COUNT),
        (np.zeros((1, 34), int), 0, Status.TILE_COUNT),
        (np.zeros((1, 34), int), 4, Status.TILE_COUNT),
        (hand("123456789m1234p"), 5, Status.BAD_MELD),
        (hand("123456789m1234p"), 255, Status.BAD_MELD),
        (hand("123456789m1234p"), -1, Status.BAD_MELD),
        (np.full((1, 34), 255), 0, Status.BAD_TILE),
        (np.full((1, 34), -1), 0, Status.BAD_TILE),
        (_broken(t0=300), 0, Status.BAD_TILE),
        (_broken(t0=15), 0, Status.BAD_TILE),
        (hand("11111m23456p123s"), 0, Status.FIVE_OF_A_KIND),
        (hand("EEEEEEEEEEEEE"), 0, Status.FIVE_OF_A_KIND),
        (hand("11111m"), 0, Status.TILE_COUNT),
        (hand("1m"), [[1 + 34, 1 + 34 + 2, 1 + 102 + 3, 200]], Status.BAD_MELD),
        (hand("1m"), [[8, 35, 36, 37]], Status.BAD_MELD),
        (hand("1m"), [[28, 35, 36, 37]], Status.BAD_MELD),
        (hand("1m"), [[1, 69, 36, 37]], Status.FIVE_OF_A_KIND),
        (hand("123m1p"), [[35, 69, 0, 0]], Status.TILE_COUNT),
        (hand("123m4p"), [[35, 36, 37, 0]], Status.OK),
        (hand("1234m"), [[69, 36, 37, 0]], Status.FIVE_OF_A_KIND),
    ],
)
def test_each_cause_has_its_status(counts, melds, status):
    """The bad row stands between good ones, which it does not harm."""
    good = hand("123456789m1234p")
    rows = np.concatenate([good, counts, good])
    many = np.ndim(melds) == 2
    all_melds = np.array([[0] * 4, melds[0], [0] * 4]) if many else [0, melds, 0]
    assert not shanten_batch(good).status.any()
    for function in FUNCTIONS[:4]:
        found = function(rows, melds=all_melds)
        assert found.status.tolist() == [0, status, 0]
        alone = function(good)
        for row in (0, 2):
            assert_same(found, alone, slice(row, row + 1))
        if status:
            for name, column in columns(found).items():
                if name != "status":
                    assert column[1] == (
                        0 if name in ("mask", "live", "copies", "forms") else NO_HAND
                    )


def test_bad_rows_of_discards():
    good = hand("123456789m12345p")
    bad = hand("123456789m1234p")
    found = discards_batch(np.concatenate([good, bad, good]))
    assert found.status.tolist() == [0, Status.TILE_COUNT, 0]
    assert (found.shanten[1] == NO_HAND).all() and (found.copies[1] == -1).all()
    assert not found.mask[1].any() and not found.forms[1].any()
    assert_same(found, discards_batch(good), slice(2, 3))


def test_a_fifth_copy_among_visible_tiles():
    counts = hand("123456789m1234p")
    for visible, status in (
        (3, Status.OK),
        (4, Status.FIVE_OF_A_KIND),
        (254, Status.FIVE_OF_A_KIND),
    ):
        seen = np.zeros((1, 34), int)
        seen[0, 9] = visible
        for function in (acceptance_batch, waits_batch, waits_scores_batch):
            for given_seen in (seen, seen[0]):
                assert function(counts, visible=given_seen).status[0] == status


def test_fuzz():
    """Any bytes at all: nothing is raised, and valid rows are as they are alone."""
    rng = np.random.default_rng(12)
    for most in (2, 3, 5, 6, 16, 256):
        counts = rng.integers(0, most, (3000, 34)).astype(np.uint8)
        counts[rng.random(counts.shape) < rng.choice([0.3, 0.7])] = 0
        melds = rng.integers(0, 7, 3000)
        codes = np.where(rng.random((3000, 4)) < 0.5, 0, rng.integers(0, 256, (3000, 4)))
        visible = rng.integers(0, most, (3000, 34)) * (rng.random((3000, 34)) < 0.1)
        for number in (melds, codes):
            for function in FUNCTIONS:
                found = function(counts, melds=number)
                valid = np.flatnonzero(found.status == 0)[:20]
                for name, column in columns(found).items():
                    if name == "shanten" or name in FORMS:
                        assert (column[found.status > 0] == NO_HAND).all()
                if len(valid):
                    assert_same(
                        function(counts[valid], melds=number[valid]), found, slice(None)
                    ) if (len(valid) == len(counts)) else assert_rows(
                        function(counts[valid], melds=number[valid]), found, valid
                    )
            for function in (waits_batch, acceptance_batch, discards_batch):
                found = function(counts, melds=number, visible=visible)
                assert (found.mask[found.status > 0] == 0).all()


def assert_rows(part, whole, rows) -> None:
    for name, column in columns(part).items():
        np.testing.assert_array_equal(column, columns(whole)[name][rows], err_msg=name)


# --- properties


def test_threads_and_chunks_do_not_matter():
    length = 2 * CHUNK + 5
    deals = random_deals(length, tiles=14, seed=4)
    deals[CHUNK, 3] = 200  # one bad row sends its chunk the careful way
    for function in (shanten_batch, acceptance_batch):
        whole = function(deals, threads=1)
        assert_same(whole, function(deals, threads=3))
        for rows in (slice(CHUNK - 2, CHUNK + 3), slice(2 * CHUNK, length)):
            assert_same(whole, function(deals[rows]), rows)
        assert np.count_nonzero(whole.status) == 1


tiles_of_hands = st.lists(st.integers(0, 135), min_size=14, max_size=14, unique=True).map(
    lambda physical: np.bincount([tile // 4 for tile in physical], minlength=34).astype(np.uint8)
)
few_kinds = st.lists(st.integers(0, 55), min_size=14, max_size=14, unique=True).map(
    lambda physical: np.bincount([tile // 4 for tile in physical], minlength=34).astype(np.uint8)
)


@settings(max_examples=60, deadline=None)
@given(st.one_of(tiles_of_hands, few_kinds), st.permutations(range(3)), st.booleans())
def test_suits_and_ranks_can_be_exchanged(counts, order, mirror):
    """No form names a suit, and 1 and 9 are alike."""
    where = np.concatenate(
        [9 * suit + (np.arange(9)[::-1] if mirror else np.arange(9)) for suit in order]
        + [np.arange(27, 34)]
    )
    other = counts[where][None]
    a, b = shanten_batch(counts[None]), shanten_batch(other)
    for form in (*FORMS, "best"):
        assert getattr(a, form)[0] == getattr(b, form)[0]
    for form in ("best", *FORMS):
        mask = int(acceptance_batch(counts[None], form=form).mask[0])
        moved = sum((mask >> int(tile) & 1) << place for place, tile in enumerate(where))
        assert moved == int(acceptance_batch(other, form=form).mask[0])
    found, moved_found = discards_batch(counts[None]), discards_batch(other)
    np.testing.assert_array_equal(found.shanten[0, where], moved_found.shanten[0])
    np.testing.assert_array_equal(found.copies[0, where], moved_found.copies[0])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(tiles_of_hands, few_kinds), min_size=1, max_size=6), st.randoms())
def test_a_batch_is_its_hands(hands, random):
    rows = np.array(hands)
    for function in (shanten_batch, acceptance_batch, discards_batch):
        whole = function(rows)
        for row in range(len(rows)):
            assert_same(whole, function(rows[row : row + 1]), slice(row, row + 1))
        order = list(range(len(rows)))
        random.shuffle(order)
        assert_rows(function(rows[order]), whole, order)


@settings(max_examples=60, deadline=None)
@given(st.one_of(tiles_of_hands, few_kinds))
def test_one_exchange_changes_shanten_by_one_at_most(counts):
    now = shanten_batch(counts[None])
    rng = np.random.default_rng(int(counts.sum() + counts @ np.arange(34)))
    other = counts.copy()
    other[rng.choice(np.flatnonzero(other))] -= 1
    other[rng.choice(np.flatnonzero(other < 4))] += 1
    after = shanten_batch(other[None])
    for form in (*FORMS, "best"):
        assert abs(int(getattr(now, form)[0]) - int(getattr(after, form)[0])) <= 1


def test_regular_alone_is_the_regular_column():
    for melds in range(5):
        deals = random_deals(2000, tiles=14 - 3 * melds, seed=5, bias="one_suit")
        whole = shanten_batch(deals, melds=melds)
        alone = regular_shanten_batch(deals, melds=melds)
        np.testing.assert_array_equal(whole.regular, alone.regular)
        if melds > 1:
            assert (whole.seven_pairs == RULED_OUT).all() and (
                whole.knitted_straight == RULED_OUT
            ).all()
            ruled_out = acceptance_batch(deals, melds=melds, form="seven_pairs")
            assert (ruled_out.shanten == RULED_OUT).all()
            assert not (ruled_out.mask | ruled_out.copies | ruled_out.forms).any()


def test_mixed_numbers_of_melds():
    batches = [random_deals(40, tiles=13 - 3 * melds, seed=6) for melds in range(5)]
    rows = np.concatenate(batches)
    melds = np.repeat(np.arange(5), 40)
    order = np.random.default_rng(1).permutation(len(rows))
    for function in FUNCTIONS[:4]:
        mixed = function(rows[order], melds=melds[order])
        for number, batch in enumerate(batches):
            assert_rows(
                function(batch, melds=number),
                mixed,
                np.argsort(order)[40 * number : 40 * number + 40],
            )


def test_results_say_what_they_are():
    found = shanten_batch(np.concatenate([hand("123456789m1234p"), hand("1m")]))
    assert repr(found) == "<ShantenBatch of 2 hands, 1 invalid>"
    assert len(found) == 2


# --- scores of waits


def test_scores_of_waits():
    wins = random_wins(3000, seed=7)
    rows = np.arange(len(wins))
    hands = wins.counts.copy()
    hands[rows, wins.win_tile] -= 1
    found = waits_scores_batch(
        hands,
        melds=wins.melds,
        seat_wind=wins.seat_wind,
        prevalent_wind=wins.prevalent_wind,
        flowers=wins.flowers,
        rules=fastmj.WMO2006,
    )
    assert not found.status.any()
    waits = waits_batch(hands, melds=wins.melds)
    np.testing.assert_array_equal(found.mask, waits.mask)
    np.testing.assert_array_equal(found.live, waits.live)
    live = (waits.live[:, None] >> np.arange(34) & 1) > 0
    np.testing.assert_array_equal(found.by_discard >= 0, live)
    np.testing.assert_array_equal(found.self_drawn >= 0, live)
    for self_drawn, total in ((False, found.by_discard), (True, found.self_drawn)):
        batch = fastmj.HandBatch(
            wins.counts, melds=wins.melds, win_tile=wins.win_tile, self_drawn=self_drawn,
            seat_wind=wins.seat_wind, prevalent_wind=wins.prevalent_wind, flowers=wins.flowers,
        )  # fmt: skip
        scores = fastmj.score_batch(batch, rules=fastmj.WMO2006)
        np.testing.assert_array_equal(total[rows, wins.win_tile], scores.total)
        mask = found.wins_self_drawn if self_drawn else found.wins_by_discard
        np.testing.assert_array_equal((mask >> wins.win_tile & 1) > 0, scores.wins)
    assert found.only_self_drawn.any()


def test_the_last_of_its_kind_scores_as_such():
    counts = hand("23m456m345p678s55s")
    seen = np.zeros(34, int)
    plain = waits_scores_batch(counts, visible=seen)
    seen[0] = 3
    found = waits_scores_batch(counts, visible=seen)
    assert found.by_discard[0, 0] == plain.by_discard[0, 0] + 4
    assert found.by_discard[0, 3] == plain.by_discard[0, 3]
    seen[0] = 4
    gone = waits_scores_batch(counts, visible=seen)
    assert gone.by_discard[0, 0] == -1 and gone.mask[0] == plain.mask[0]


def test_bad_rows_of_scored_waits():
    counts = np.repeat(hand("23m456m345p678s55s"), 5, axis=0)
    counts[1, 33] = 1
    found = waits_scores_batch(
        counts, seat_wind=[0, 0, 4, 0, 0], prevalent_wind=[0, 0, 0, 9, 0], flowers=[0, 0, 0, 0, 9]
    )
    assert found.status.tolist() == [
        Status.OK, Status.TILE_COUNT, Status.BAD_WIND, Status.BAD_WIND, Status.BAD_FLOWERS,
    ]  # fmt: skip
    assert (found.by_discard[1:] == -1).all() and not found.live[1:].any()
    assert found.by_discard[0, 0] > 0


# --- compilation


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_each_kernel_is_compiled_once():
    from fastmj.kernels.distance import acceptance as distance_acceptance
    from fastmj.kernels.distance import melds as distance_melds
    from fastmj.kernels.distance import shanten as distance_shanten
    from fastmj.kernels.distance import waits as distance_waits

    kernels = (
        distance_shanten.shanten_rows,
        distance_shanten.regular_rows,
        distance_acceptance.acceptance_rows,
        distance_waits.wait_rows,
        distance_melds.meld_rows,
    )
    deal = random_deals(1, seed=0)
    for function in (shanten_batch, regular_shanten_batch, acceptance_batch, waits_batch):
        function(deal, melds=np.zeros((1, 4), np.uint8))
    before = [len(kernel.signatures) for kernel in kernels]  # other kernels may call them too
    test_every_layout_gives_the_same()
    test_mixed_numbers_of_melds()
    assert [len(kernel.signatures) for kernel in kernels] == before


_LANE = """
import sys
import numpy as np
from fastmj.distance import *
from fastmj.samples.deals import random_deals
found = []
for bias in (None, "one_suit", "honors"):
    for melds in range(5):
        for tiles in (13, 14):
            hands = random_deals(int(sys.argv[1]), tiles=tiles - 3 * melds, seed=3, bias=bias)
            hands[::7, 5] = 77
            codes = np.zeros((len(hands), 4), np.uint8)
            codes[:, :melds] = np.array([1, 70, 27 + 35, 120])[:melds]
            for part in (shanten_batch(hands, melds=codes), waits_batch(hands, melds=melds),
                         acceptance_batch(hands, melds=melds), discards_batch(hands, melds=melds)):
                names = set(part.names())
                found += [getattr(part, name).astype(np.int64).ravel() for name in sorted(names)]
print(hash(np.concatenate(found).tobytes()))
"""


def _lane(hands: int, **environment: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", _LANE, str(hands)],
        env={**os.environ, "PYTHONHASHSEED": "0", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def test_without_compilation():
    assert _lane(3, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore") == _lane(3)


@pytest.mark.deep
def test_with_bounds_checks(tmp_path):
    checked = _lane(20_000, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))
    assert checked == _lane(20_000)


def test_oracle_is_independent():
    """The oracle's targets are counted another way than the tables' (DESIGN: 21,743 and 498)."""
    for ranks, number in ((9, 21_743), (7, 498)):
        shapes = {tuple(row) for rows in oracle.targets(ranks).values() for row in rows.tolist()}
        assert len(shapes) == number
