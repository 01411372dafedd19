"""Features against a plain twin that looks at one hand at a time."""

from __future__ import annotations

import numpy as np
import pytest

from fastmj import (
    HandBatch,
    Meld,
    MeldKind,
    Status,
    acceptance_batch,
    random_deals,
    random_wins,
    score_batch,
    shanten_batch,
    waits_batch,
)
from fastmj.features import FORMS, PLANES, features
from fastmj.records import decisions
from fastmj.records.play import play_game
from fastmj.value import fan_distance_batch

AT = {name: place for place, name in enumerate(PLANES)}


def slow_planes(counts, melds, win_tile, seen, seat, prevalent, accepted, waits, live):
    """Planes of one hand but by their names."""
    planes = {name: np.zeros(34, int) for name in PLANES}
    chows, gone = np.zeros(34, int), counts.astype(int) + seen
    for meld in melds:
        for tile in meld.tiles:
            gone[tile] += 1
            chows[tile] += meld.kind == MeldKind.CHOW
        if meld.kind != MeldKind.CHOW:
            planes[meld.kind.name.lower()][meld.tile] = 1
    for tile in range(34):
        for n in (1, 2, 3, 4):
            planes[f"held_{n}"][tile] = counts[tile] >= n
            planes[f"chow_{n}"][tile] = chows[tile] >= n
            planes[f"seen_{n}"][tile] = seen[tile] >= n
            planes[f"left_{n}"][tile] = 4 - gone[tile] >= n
        for name, mask in (("accepted", accepted), ("waits", waits), ("live_waits", live)):
            planes[name][tile] = mask >> tile & 1
    if win_tile < 34:
        planes["win_tile"][win_tile] = 1
    planes["seat_wind"][27 + seat] = 1
    planes["prevalent_wind"][27 + prevalent] = 1
    return np.array([planes[name] for name in PLANES])


@pytest.fixture(scope="module")
def batch():
    return random_wins(600, seed=11)


def melds_of(batch, row):
    return [Meld.from_code(code) for code in batch.melds[row].tolist() if code]


def test_hands(batch):
    found = features(batch)
    ready = batch.counts.copy()
    ready[np.arange(len(batch)), batch.win_tile] -= 1
    waits = waits_batch(ready, melds=batch.melds)
    accepted = acceptance_batch(batch.counts, melds=batch.melds)
    shanten = shanten_batch(batch.counts, melds=batch.melds)
    assert (found.status == Status.OK).all()
    assert (found.shanten[:, 5] == -1).all()
    assert np.array_equal(found.waits, waits.mask)
    assert np.array_equal(found.live, waits.live)
    assert np.array_equal(found.accepted, accepted.mask)
    assert np.array_equal(found.copies, accepted.copies)
    for place, form in enumerate((*FORMS, "best")):
        assert np.array_equal(found.shanten[:, place], getattr(shanten, form))
    assert (found.waits >> batch.win_tile & 1).all()
    for row in range(len(batch)):
        expected = slow_planes(
            batch.counts[row], melds_of(batch, row), batch.win_tile[row], np.zeros(34, int),
            batch.seat_wind[row], batch.prevalent_wind[row], accepted.mask[row], waits.mask[row],
            waits.live[row],
        )  # fmt: skip
        assert np.array_equal(found.planes[row], expected)
        kongs = sum(meld.kind == MeldKind.CONCEALED_KONG for meld in melds_of(batch, row))
        assert found.context[row].tolist() == [
            batch.counts[row].sum(), len(melds_of(batch, row)), kongs, batch.flowers[row],
            batch.circumstances[row],
        ]  # fmt: skip


@pytest.mark.parametrize("tiles", [13, 14])
def test_counts(tiles):
    counts = random_deals(300, tiles=tiles, seed=4)
    rng = np.random.default_rng(1)
    visible = np.minimum(rng.integers(0, 3, counts.shape), 4 - counts)
    found = features(counts, visible=visible, seat_wind=2, prevalent_wind=1, flowers=3)
    accepted = acceptance_batch(counts, visible=visible)
    assert np.array_equal(found.copies, accepted.copies)
    waits = waits_batch(counts, visible=visible) if tiles == 13 else None
    for row in range(len(counts)):
        expected = slow_planes(
            counts[row], [], 255, visible[row], 2, 1, accepted.mask[row],
            waits.mask[row] if waits else 0, waits.live[row] if waits else 0,
        )  # fmt: skip
        assert np.array_equal(found.planes[row], expected)
    assert found.context[0].tolist() == [tiles, 0, 0, 3, 0]
    once = features(counts, visible=np.zeros(34, int), seat_wind=2, prevalent_wind=1, flowers=3)
    none = features(counts, seat_wind=2, prevalent_wind=1, flowers=3)
    assert np.array_equal(once.planes, none.planes)


def test_the_tile_drawn_last():
    hand = HandBatch.from_hands(["123456789m1234p4p"])
    own = features(hand)
    counts = features(hand.counts, win_tile=hand.win_tile)
    assert np.array_equal(own.planes, counts.planes)
    assert own.waits[0] == 1 << 9 | 1 << 12
    assert features(hand.counts).waits[0] == 0


def test_bad_rows_are_empty_and_harm_no_other(batch):
    counts = batch.counts[:8].copy()
    melds, seat, flowers = batch.melds[:8].copy(), batch.seat_wind[:8].copy(), batch.flowers.copy()
    counts[1, 0] += 1
    counts[2] = 0
    counts[2, 0] = 200
    melds[3, 0] = 250
    seat[4] = 4
    flowers[5] = 9
    bad = HandBatch.from_columns(
        counts, melds, batch.win_tile[:8], batch.circumstances[:8], seat, batch.prevalent_wind[:8],
        flowers[:8],
    )  # fmt: skip
    found, right = features(bad), features(batch[:8])
    assert (found.status[1:6] != Status.OK).all()
    assert found.status[3] == Status.BAD_MELD
    assert found.status[4] == Status.BAD_WIND
    assert found.status[5] == Status.BAD_FLOWERS
    assert not found.planes[1:6].any()
    assert not found.context[1:6].any()
    assert (found.shanten[1:6] == -128).all()
    for row in (0, 6, 7):
        assert np.array_equal(found.planes[row], right.planes[row])
        assert np.array_equal(found.shanten[row], right.shanten[row])


def test_threads_and_pieces_do_not_matter():
    batch = random_wins(40_000, seed=2)
    whole = features(batch, threads=2)
    for name in ("planes", "shanten", "waits", "live", "accepted", "copies", "context", "status"):
        assert np.array_equal(getattr(whole, name), getattr(features(batch, threads=1), name))
    piece = features(batch[20_000:20_010])
    assert np.array_equal(piece.planes, whole.planes[20_000:20_010])


def test_fan_distances(batch):
    deals = random_deals(150, seed=8)
    seat, prevalent = np.arange(150) % 4, np.arange(150) // 4 % 4
    found = features(deals, seat_wind=seat, prevalent_wind=prevalent, fan_distances=True)
    fans = fan_distance_batch(deals, seat_wind=seat, prevalent_wind=prevalent)
    assert found.fan_distances.shape == (150, 82)
    assert found.fan_distances.dtype == np.int8
    assert np.array_equal(found.fan_distances, fans.distance)
    assert features(deals).fan_distances is None
    some = batch[:150]
    melded = features(some, fan_distances=True, threads=2)
    fans = fan_distance_batch(some.counts, melds=some.melds, seat_wind=some.seat_wind,
                              prevalent_wind=some.prevalent_wind)  # fmt: skip
    assert np.array_equal(melded.fan_distances, fans.distance)
    # What a hand has been scored for is there, as far as it is about tiles to draw.
    scored = score_batch(some, fan_counts=True).fan_counts > 0
    about_tiles = melded.fan_distances != -128
    assert (melded.fan_distances[scored & about_tiles] == -1).mean() > 0.95
    assert np.array_equal(features(some).planes, melded.planes)


def test_bad_rows_have_no_fan_distances():
    counts, winds = random_deals(4, seed=9), np.array([0, 4, 200, 1])
    counts[0, 0] += 2
    found = features(counts, seat_wind=winds, fan_distances=True)
    assert (found.fan_distances[:3] == -128).all()
    assert (found.fan_distances[3] != -128).any()
    assert features(counts[:0], fan_distances=True).fan_distances.shape == (0, 82)


def test_nothing():
    none = features(HandBatch.from_hands([]))
    assert none.planes.shape == (0, len(PLANES), 34)
    assert repr(none) == "<FeatureBatch of 0 hands>"
    assert len(set(PLANES)) == len(PLANES) == 25


def test_wrong_arguments(batch):
    with pytest.raises(TypeError, match="has its own"):
        features(batch, melds=batch.melds)
    with pytest.raises(ValueError, match="shape"):
        features(np.zeros((3, 33), int))
    with pytest.raises(ValueError, match="visible"):
        features(batch, visible=np.zeros((3, 34), int))
    with pytest.raises(TypeError, match="whole numbers"):
        features(np.zeros((3, 34)))


def test_decisions_have_features():
    """Rows of recorded games go in as they are; no tile is seen a fifth time."""
    rows = decisions([play_game(seed, bias=0.3) for seed in range(5)])
    elsewhere = rows.elsewhere
    found = features(
        rows.counts, melds=rows.melds[:, 0], win_tile=rows.tile, visible=elsewhere,
        seat_wind=rows.player, prevalent_wind=rows.prevalent_wind, flowers=rows.flowers[:, 0],
    )  # fmt: skip
    assert (found.status == Status.OK).all()
    drawn = rows.phase == 0
    wins = drawn & rows.legal[:, 1]
    assert (found.shanten[wins, 5] == -1).all()
    claims = rows.phase == 2
    offered = rows.tile[claims]
    waiting = found.waits[claims] >> offered & 1
    assert (waiting[rows.legal[claims, 1]] == 1).all()
    assert (rows.total[claims][waiting == 0] == 0).all()
