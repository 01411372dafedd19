"""Impossible hands: each cause, all causes of a row, and what bad rows leave alone."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from fastmj import (
    GB98,
    WMO2006,
    Hand,
    HandBatch,
    InvalidHand,
    Meld,
    Status,
    parse_hand,
    random_wins,
    score_batch,
    score_hand,
    validate,
)
from fastmj.kernels.scoring import problems as kernel_problems
from fastmj.scoring import problems_of, require_valid

Columns = dict[str, np.ndarray]
NAMES = (
    "counts",
    "melds",
    "win_tile",
    "circumstances",
    "seat_wind",
    "prevalent_wind",
    "flowers",
)
SELF_DRAWN, LAST_OF_KIND, LAST_TILE, KONG = 1, 2, 4, 8


def columns_of(batch: HandBatch) -> Columns:
    return {name: getattr(batch, name).copy() for name in NAMES}


def batch_of(columns: Columns) -> HandBatch:
    return HandBatch.from_columns(*(columns[name] for name in NAMES))


# --- the judge: RULES section 6a and the limits of every column, in plain Python


def meld_tiles(code: int) -> list[int] | None:
    """Tiles of a meld code, or None when it names no meld."""
    if not 1 <= code <= 136:
        return None
    kind, tile = (code - 1) // 34, (code - 1) % 34
    if kind == 0:
        if tile >= 27 or tile % 9 > 6:
            return None
        return [tile, tile + 1, tile + 2]
    return [tile] * (3 if kind == 1 else 4)


def judge(
    counts: list[int],
    melds: list[int],
    win: int,
    circumstances: int,
    seat: int,
    prevalent: int,
    flowers: int,
) -> set[Status]:
    found = set()
    tiles = {code: meld_tiles(code) for code in melds if code}
    known = [tiles[code] for code in melds if code and tiles[code] is not None]
    copies = list(counts)
    for meld in known:
        for tile in meld:
            copies[tile] += 1
    if max(counts) > 14:
        found.add(Status.BAD_TILE)
    if any(meld is None for meld in tiles.values()):
        found.add(Status.BAD_MELD)  # and the number of tiles that belongs to it is not known
    elif sum(counts) != 14 - 3 * len(known):
        found.add(Status.TILE_COUNT)
    if max(copies) > 4:
        found.add(Status.FIVE_OF_A_KIND)
    if win > 33:
        found.add(Status.BAD_WIN_TILE)
    elif counts[win] == 0:
        found.add(Status.WIN_TILE_ABSENT)
    if seat > 3 or prevalent > 3:
        found.add(Status.BAD_WIND)
    if flowers > 8:
        found.add(Status.BAD_FLOWERS)
    if circumstances > 15:
        found.add(Status.BAD_CIRCUMSTANCES)
    self_drawn, kong = bool(circumstances & SELF_DRAWN), bool(circumstances & KONG)
    if kong and self_drawn and not any(len(meld) == 4 for meld in known):
        found.add(Status.REPLACEMENT_WITHOUT_KONG)
    if kong and not self_drawn:
        if win <= 33 and copies[win] > 1:
            found.add(Status.ROBBED_TILE_HELD)
        if circumstances & LAST_TILE:
            found.add(Status.ROBBED_LAST_TILE)
    if circumstances & LAST_OF_KIND and win <= 33 and counts[win] > 1:
        found.add(Status.LAST_OF_KIND_HELD)
    return found


def judge_rows(batch: HandBatch) -> list[set[Status]]:
    columns = (column.tolist() for column in batch.columns)
    return [judge(*row) for row in zip(*columns, strict=True)]


def lowest(found: set[Status]) -> Status:
    return min(found, default=Status.OK)


# --- one cause at a time

#: A complete hand with a claimed kong, and what makes it impossible, one cause each.
GOOD = "[5555p,1][EEE]456m78s77m9s|SW1000|2"


def _set(name: str, value: int) -> Callable[[Columns], None]:
    def change(columns: Columns) -> None:
        columns[name][0] = value

    return change


def _add(tile: int, number: int) -> Callable[[Columns], None]:
    def change(columns: Columns) -> None:
        columns["counts"][0, tile] = int(columns["counts"][0, tile]) + number

    return change


def _meld(place: int, code: int) -> Callable[[Columns], None]:
    def change(columns: Columns) -> None:
        columns["melds"][0, place] = code

    return change


def _all(*changes: Callable[[Columns], None]) -> Callable[[Columns], None]:
    def change(columns: Columns) -> None:
        for one in changes:
            one(columns)

    return change


ONE_CAUSE: list[tuple[str, Status, Callable[[Columns], None]]] = [
    ("bad meld code 137", Status.BAD_MELD, _meld(1, 137)),
    ("bad meld code 255", Status.BAD_MELD, _meld(3, 255)),
    ("chow from 8m", Status.BAD_MELD, _meld(1, 1 + 7)),
    ("chow from 9p", Status.BAD_MELD, _meld(1, 1 + 17)),
    ("chow of winds", Status.BAD_MELD, _meld(1, 1 + 27)),
    ("chow of dragons", Status.BAD_MELD, _meld(1, 1 + 31)),
    ("one tile more", Status.TILE_COUNT, _add(20, 1)),
    ("one tile less", Status.TILE_COUNT, _add(3, -1)),
    ("one meld more", Status.TILE_COUNT, _meld(2, 1 + 34 + 20)),
    ("one meld less", Status.TILE_COUNT, _meld(0, 0)),
    ("five concealed", Status.FIVE_OF_A_KIND, _all(_add(6, 3), *(_add(t, -1) for t in (3, 4, 5)))),
    ("a fifth beside a kong", Status.FIVE_OF_A_KIND, _all(_add(13, 1), _add(3, -1))),
    ("a fourth and fifth beside a pung", Status.FIVE_OF_A_KIND, _all(_add(27, 2), _add(6, -2))),
    ("five in melds", Status.FIVE_OF_A_KIND, _meld(1, 1 + 13)),
    ("eight in melds", Status.FIVE_OF_A_KIND, _meld(1, 1 + 3 * 34 + 13)),
    ("winning tile 34", Status.BAD_WIN_TILE, _set("win_tile", 34)),
    ("winning tile 63", Status.BAD_WIN_TILE, _set("win_tile", 63)),
    ("winning tile 64", Status.BAD_WIN_TILE, _set("win_tile", 64)),
    ("winning tile 90", Status.BAD_WIN_TILE, _set("win_tile", 64 + 26)),
    ("winning tile 255", Status.BAD_WIN_TILE, _set("win_tile", 255)),
    ("winning tile absent", Status.WIN_TILE_ABSENT, _set("win_tile", 0)),
    ("winning tile in a meld only", Status.WIN_TILE_ABSENT, _set("win_tile", 27)),
    ("seat wind 4", Status.BAD_WIND, _set("seat_wind", 4)),
    ("seat wind 255", Status.BAD_WIND, _set("seat_wind", 255)),
    ("prevalent wind 4", Status.BAD_WIND, _set("prevalent_wind", 4)),
    ("prevalent wind 128", Status.BAD_WIND, _set("prevalent_wind", 128)),
    ("nine flowers", Status.BAD_FLOWERS, _set("flowers", 9)),
    ("255 flowers", Status.BAD_FLOWERS, _set("flowers", 255)),
    ("circumstances 16", Status.BAD_CIRCUMSTANCES, _set("circumstances", 16)),
    ("circumstances 128", Status.BAD_CIRCUMSTANCES, _set("circumstances", 128)),
    ("circumstances 240", Status.BAD_CIRCUMSTANCES, _set("circumstances", 240)),
    (
        "replacement without kong",
        Status.REPLACEMENT_WITHOUT_KONG,
        _all(_meld(0, 1 + 34 + 13), _set("circumstances", SELF_DRAWN | KONG)),
    ),
    (
        "robbed tile held",
        Status.ROBBED_TILE_HELD,
        _all(_set("win_tile", 6), _set("circumstances", KONG)),
    ),
    (
        "robbed tile in a meld",
        Status.ROBBED_TILE_HELD,
        _all(_meld(1, 1 + 24), _set("circumstances", KONG)),
    ),
    ("robbed last tile", Status.ROBBED_LAST_TILE, _set("circumstances", KONG | LAST_TILE)),
    (
        "last of its kind held",
        Status.LAST_OF_KIND_HELD,
        _all(_set("win_tile", 6), _set("circumstances", LAST_OF_KIND)),
    ),
]  # fmt: skip
IDS = [name for name, _, _ in ONE_CAUSE]


def made(change: Callable[[Columns], None]) -> HandBatch:
    columns = columns_of(HandBatch.from_hands([GOOD]))
    change(columns)
    return batch_of(columns)


def hand_of(batch: HandBatch) -> Hand:
    """A row as a hand, given to ``Hand`` as a caller would."""
    bits = int(batch.circumstances[0])
    return Hand(
        [tile for tile in range(34) for _ in range(batch.counts[0, tile])],
        int(batch.win_tile[0]),
        [Meld.from_code(int(code)) for code in batch.melds[0] if code],
        self_drawn=bits & 1,
        last_of_kind=bits >> 1 & 1,
        last_tile=bits >> 2 & 1,
        kong=bits >> 3,
        seat_wind=int(batch.seat_wind[0]),
        prevalent_wind=int(batch.prevalent_wind[0]),
        flowers=int(batch.flowers[0]),
    )


def test_the_good_hand_is_good():
    batch = HandBatch.from_hands([GOOD])
    assert validate(batch).tolist() == [0]
    assert score_batch(batch).status.tolist() == [Status.OK]
    assert hand_of(batch) == parse_hand(GOOD)


def test_every_cause_is_here():
    assert {status for _, status, _ in ONE_CAUSE} | {Status.BAD_TILE} == {
        status for status in Status if status.is_invalid
    }


@pytest.mark.parametrize(("name", "status", "change"), ONE_CAUSE, ids=IDS)
def test_one_cause(name, status, change):
    batch = made(change)
    assert judge_rows(batch) == [{status}]
    found = validate(batch)
    assert found.dtype == np.uint16
    assert [problems_of(mask) for mask in found] == [(status,)]
    for rules in (GB98, WMO2006):
        scores = score_batch(batch, rules=rules, fan_counts=True)
        assert scores.status.tolist() == [status]
        assert_empty(scores, [0])


def test_a_count_that_no_hand_has():
    """A number of tiles beyond a whole hand is no count; it is too many tiles as well."""
    for number in (15, 16, 127, 128, 200, 255):
        batch = made(_set_count(33, number))
        assert judge_rows(batch) == [{Status.BAD_TILE, Status.TILE_COUNT, Status.FIVE_OF_A_KIND}]
        assert score_batch(batch).status.tolist() == [Status.BAD_TILE]
        with pytest.raises(InvalidHand) as caught:
            _ = batch[0]
        assert caught.value.status == Status.BAD_TILE


def _set_count(tile: int, number: int) -> Callable[[Columns], None]:
    def change(columns: Columns) -> None:
        columns["counts"][0, tile] = number

    return change


@pytest.mark.parametrize("number", range(5, 15))
def test_many_copies_are_five_of_a_kind(number):
    found = validate(made(_set_count(33, number)))[0]
    assert problems_of(found) == (Status.TILE_COUNT, Status.FIVE_OF_A_KIND)


def assert_empty(scores, rows) -> None:
    """Rows that are not complete, valid hands hold nothing."""
    for column in (scores.total, scores.base, scores.fan_mask, scores.wins, scores.fan_counts):
        assert not column[rows].any()


@pytest.mark.parametrize(
    ("status", "change"),
    [pytest.param(status, change, id=name) for name, status, change in ONE_CAUSE],
)
def test_a_single_hand_names_the_same_cause(status, change):
    batch = made(change)
    for single in (lambda: hand_of(batch), lambda: batch[0]):
        with pytest.raises(InvalidHand) as caught:
            single()
        assert caught.value.status == status
        assert len(str(caught.value)) > 10


def test_a_score_of_an_impossible_row_is_refused():
    batch = made(_set("flowers", 9))
    scores = score_batch(batch)
    with pytest.raises(InvalidHand) as caught:
        _ = scores[0]
    assert caught.value.status == Status.BAD_FLOWERS
    assert scores.fan_names(0) == ()


# --- melds


def test_all_256_meld_codes():
    """Beside a hand that shares no tile with the meld."""
    rows = []
    for code in range(256):
        tiles = meld_tiles(code) or []
        concealed = "EEESSSWWWNN" if all(tile < 27 for tile in tiles) else "123456789m11p"
        hand = _ids(concealed)
        rows.append([hand.count(tile) for tile in range(34)])
    melds = np.zeros((256, 4), np.uint8)
    for place in range(4):
        melds[:] = 0
        melds[:, place] = np.arange(256)
        win = [int(np.flatnonzero(row)[0]) for row in np.array(rows)]
        batch = HandBatch(np.array(rows), melds=melds, win_tile=win)
        status = score_batch(batch).status
        for code in range(256):
            if code == 0:
                expected = Status.TILE_COUNT
            else:
                expected = Status.OK if meld_tiles(code) else Status.BAD_MELD
            assert status[code] == expected, (code, place)
            if expected == Status.OK:
                meld = Meld.from_code(code)
                assert list(meld.tiles) == meld_tiles(code)
                assert meld.code == code
            else:
                with pytest.raises(InvalidHand) as caught:
                    _ = batch[code]
                assert caught.value.status == expected


def _ids(text: str) -> list[int]:
    return list(Hand(text, text[:1] if text[0] in "ESWN" else "1m", ["CCC"]).concealed)


def test_many_bad_melds_are_one_problem():
    batch = made(lambda columns: columns["melds"].fill(255))
    assert problems_of(validate(batch)[0]) == (Status.BAD_MELD,)
    assert score_batch(batch).status.tolist() == [Status.BAD_MELD]


def test_four_melds_and_a_pair():
    batch = HandBatch.from_hands(["[EEE][123m][444p][9999s]1m1m"])
    assert score_batch(batch).status.tolist() == [Status.OK]
    columns = columns_of(batch)
    columns["counts"][0, 5] += 3
    assert problems_of(validate(batch_of(columns))[0]) == (Status.TILE_COUNT,)


def test_kongs_take_three_places_of_the_hand():
    for kong in ("[1111m]", "[1111m,1]", "[1111m,5]"):
        assert parse_hand(f"{kong}456m456p456sE E").concealed
        with pytest.raises(InvalidHand) as caught:
            parse_hand(f"{kong}456m456p456s E")
        assert caught.value.status == Status.TILE_COUNT


# --- circumstances that contradict the hand (RULES section 6a)

CIRCUMSTANCES = [
    # out with a replacement tile needs a kong
    ("123456789m12355p|EE1001", Status.REPLACEMENT_WITHOUT_KONG),
    ("[EEE]123456m12355p|EE1001", Status.REPLACEMENT_WITHOUT_KONG),
    ("[123m]123456p12355s|EE1001", Status.REPLACEMENT_WITHOUT_KONG),
    ("[EEEE]123456m12355p|EE1001", Status.OK),
    ("[EEEE,2]123456m12355p|EE1001", Status.OK),
    ("[EEEE,6]123456m12355p|EE1001", Status.OK),
    ("[EEEE]123456m12355p|EE1011", Status.OK),
    ("[EEEE]123456m1255p3p|EE1111", Status.OK),
    # a robbed kong takes all four copies
    ("123456789m12355p|EE0001", Status.ROBBED_TILE_HELD),
    ("[333p]456789m1255p3p|EE0001", Status.ROBBED_TILE_HELD),
    ("[123p]456789m1255p3p|EE0001", Status.ROBBED_TILE_HELD),
    ("[456p]456789m1255p3p|EE0001", Status.OK),
    ("123456789m1255p3p|EE0001", Status.OK),
    ("[EEEE]123456m1255p3p|EE0001", Status.OK),
    ("[EEEE]1255pCCCFFF3p|EE0001", Status.OK),
    ("123456789m1255p3p|EE0011", Status.ROBBED_LAST_TILE),
    ("123456789m12355p|EE0011", Status.ROBBED_TILE_HELD),
    ("123456789m1255p3p|EE0101", Status.OK),
    # the last of its kind
    ("123456789m12355p|EE0100", Status.LAST_OF_KIND_HELD),
    ("123456789m12355p|EE1100", Status.LAST_OF_KIND_HELD),
    ("123456789m1255p3p|EE0100", Status.OK),
    ("123456789m1255p3p|EE1110", Status.OK),
    ("[333p]456789m1255p3p|EE0100", Status.OK),
    ("[123p]456789m1255p3p|EE0100", Status.OK),
    ("[123p]456789m123p3p3p|EE0100", Status.LAST_OF_KIND_HELD),
    # the wall's last tile goes with everything but a robbed kong
    ("123456789m12355p|EE0010", Status.OK),
    ("123456789m12355p|EE1010", Status.OK),
]


@pytest.mark.parametrize(("text", "status"), CIRCUMSTANCES)
def test_contradictions(text, status):
    tiles, _, rest = text.partition("|")
    bits = sum(1 << i for i, flag in enumerate(rest[2:6]) if flag == "1")
    columns = columns_of(HandBatch.from_hands([tiles]))
    columns["circumstances"][0] = bits
    batch = batch_of(columns)
    assert lowest(judge_rows(batch)[0]) == status
    assert score_batch(batch).status.tolist() == [status]
    if status == Status.OK:
        assert score_hand(text).status == Status.OK
        assert batch[0] == parse_hand(text)
        assert validate(batch).tolist() == [0]
        return
    for single in (lambda: parse_hand(text), lambda: batch[0]):
        with pytest.raises(InvalidHand) as caught:
            single()
        assert caught.value.status == status


def test_contradictions_name_the_tile():
    with pytest.raises(InvalidHand, match="5p"):
        parse_hand("123456789m12355p|EE0100")
    with pytest.raises(InvalidHand, match="5p"):
        parse_hand("123456789m12355p|EE0001")
    with pytest.raises(InvalidHand, match="copies of 5m"):
        parse_hand("[555m]55m123456p78s9s")
    with pytest.raises(InvalidHand, match="winning tile 5s is not among the concealed tiles"):
        Hand("123456789m12355p", "5s")
    with pytest.raises(InvalidHand, match="passed twice"):
        Hand("123456789m123555p", "5p")
    with pytest.raises(InvalidHand, match="left out"):
        Hand("123456789m1235p", "5p")


# --- combinations


@pytest.mark.parametrize("number", [2, 3])
def test_combined_causes_are_all_reported(number):
    one_each = {status: (name, change) for name, status, change in ONE_CAUSE}
    chosen = list(one_each.values())
    rows = []
    for changes in combinations(chosen, number):
        rows.append(made(_all(*(change for _, change in changes))))
    batch = HandBatch.concat(rows)
    assert_judged(batch)
    assert any(len(found) >= number + 1 for found in judge_rows(batch))


def assert_judged(batch: HandBatch) -> None:
    """Problems and status of every row are those of the judge."""
    masks, scores = validate(batch), score_batch(batch, fan_counts=True)
    expected = judge_rows(batch)
    for row, (mask, found) in enumerate(zip(masks.tolist(), expected, strict=True)):
        assert set(problems_of(mask)) == found, row
        assert mask == sum(1 << status for status in found)
        status = Status(scores.status[row])
        if found:
            assert status == lowest(found), row
        else:
            assert status in (Status.OK, Status.NOT_COMPLETE), row
    assert_empty(scores, np.flatnonzero(scores.status))


@pytest.mark.parametrize("bits", [SELF_DRAWN | KONG, KONG | LAST_TILE])
def test_causes_beside_a_bad_winning_tile(bits):
    columns = columns_of(HandBatch.from_hands(["123456789m12355p"]))
    columns["win_tile"][0] = 40
    columns["circumstances"][0] = bits
    batch = batch_of(columns)
    assert set(problems_of(validate(batch)[0])) == judge_rows(batch)[0]


def test_a_single_hand_names_the_lowest_of_several_causes():
    garbage = mutated(random_wins(3000, seed=31), np.random.default_rng(31), 4)
    for row in range(len(garbage)):
        one = garbage[row : row + 1]
        found = judge_rows(one)[0]
        if not found or Status.BAD_TILE in found or Status.BAD_WIN_TILE in found:
            continue
        with pytest.raises(InvalidHand) as caught:
            _ = garbage[row]
        assert caught.value.status == lowest(found), found


# --- garbage

EDGES = np.array([0, 1, 2, 3, 4, 5, 7, 8, 9, 14, 15, 16, 33, 34, 63, 64, 127, 128, 136, 137, 255])


def mutated(batch: HandBatch, rng: np.random.Generator, changes: int) -> HandBatch:
    """Rows with up to so many bytes replaced by others, mostly edges of the ranges."""
    table = np.hstack([column.reshape(len(batch), -1) for column in batch.columns])
    for _ in range(changes):
        rows = np.flatnonzero(rng.random(len(batch)) < 0.7)
        # Every other change in the nine columns beside the counts.
        tail = rng.random(len(rows)) < 0.5
        places = np.where(tail, rng.integers(34, 43, len(rows)), rng.integers(0, 34, len(rows)))
        new = np.where(
            rng.random(len(rows)) < 0.8,
            rng.choice(EDGES, len(rows)),
            rng.integers(0, 256, len(rows)),
        )
        table[rows, places] = new
    return batch_from_table(table)


def batch_from_table(table: np.ndarray) -> HandBatch:
    return HandBatch.from_columns(
        np.ascontiguousarray(table[:, :34]),
        np.ascontiguousarray(table[:, 34:38]),
        *(np.ascontiguousarray(table[:, place]) for place in range(38, 43)),
    )


def garbage_batches() -> dict[str, HandBatch]:
    rng = np.random.default_rng(2)
    length = 4000
    bytes_ = rng.integers(0, 256, (length, 43)).astype(np.uint8)
    few = rng.choice(np.array([0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 255], np.uint8), (length, 43))
    edges = rng.choice(EDGES.astype(np.uint8), (length, 43))
    columns = columns_of(random_wins(length, seed=33))
    for name in NAMES:  # columns of different hands
        columns[name] = columns[name][rng.permutation(length)]
    flags = columns_of(random_wins(length, seed=34))
    flags["circumstances"] = rng.integers(0, 20, length).astype(np.uint8)
    return {
        "bytes": batch_from_table(bytes_),
        "few": batch_from_table(few),
        "edges": batch_from_table(edges),
        "zeros": batch_from_table(np.zeros((3, 43), np.uint8)),
        "ones": batch_from_table(np.full((3, 43), 255, np.uint8)),
        "one change": mutated(random_wins(length, seed=30), rng, 1),
        "four changes": mutated(random_wins(length, seed=31), rng, 4),
        "shuffled columns": batch_of(columns),
        "any circumstances": batch_of(flags),
    }


GARBAGE = (
    "bytes",
    "few",
    "edges",
    "zeros",
    "ones",
    "one change",
    "four changes",
    "shuffled columns",
    "any circumstances",
)


@pytest.fixture(scope="module")
def garbage() -> dict[str, HandBatch]:
    return garbage_batches()


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_judged_as_the_rules_say(garbage, name):
    assert_judged(garbage[name])


def test_garbage_holds_every_cause(garbage):
    masks = np.concatenate([validate(batch) for batch in garbage.values()])
    for status in Status:
        if status.is_invalid:
            assert np.count_nonzero(masks & 1 << status) > 20, status
            alone = np.count_nonzero(masks == 1 << status)
            assert alone > 5 or status == Status.BAD_TILE, status
    assert np.count_nonzero(masks == 0) > 1000


@pytest.mark.parametrize("name", ["one change", "four changes", "any circumstances"])
def test_single_hands_are_refused_exactly_where_rows_are(garbage, name):
    batch = garbage[name][:1500]
    for row, mask in enumerate(validate(batch).tolist()):
        if mask:
            with pytest.raises(InvalidHand) as caught:
                _ = batch[row]
            # BAD_TILE: what a single hand says of a winning tile that is no tile.
            causes = {Status.BAD_TILE} if mask >> Status.BAD_WIN_TILE & 1 else set()
            assert caught.value.status in causes | set(problems_of(mask))
        else:
            hand = batch[row]
            assert HandBatch.from_hands([hand]).counts.tolist() == [batch.counts[row].tolist()]
            assert score_hand(hand).status in (Status.OK, Status.NOT_COMPLETE)


@pytest.mark.parametrize("threads", [1, 3])
def test_bad_rows_leave_the_others_alone(garbage, threads):
    good = random_wins(4000, seed=40)
    alone = score_batch(good, threads=1, fan_counts=True)
    for name in ("bytes", "edges", "four changes"):
        bad = garbage[name]
        order = np.random.default_rng(5).permutation(len(good) + len(bad))
        both = HandBatch.concat([good, bad])[order]
        scores = score_batch(both, threads=threads, fan_counts=True)
        back = np.argsort(order)[: len(good)]
        for column in ("total", "base", "fan_mask", "fan_counts", "wins", "status"):
            assert np.array_equal(getattr(scores, column)[back], getattr(alone, column)), column
        masks = validate(both)
        assert not masks[back].any()
        assert np.array_equal(np.sort(masks)[-len(bad) :], np.sort(validate(bad)))


def test_an_incomplete_hand_is_an_ordinary_answer():
    text = "123456789m1245p7s|SW1010|4"
    assert validate(HandBatch.from_hands([text])).tolist() == [0]
    scores = score_batch(HandBatch.from_hands([text]), fan_counts=True)
    assert scores.status.tolist() == [Status.NOT_COMPLETE]
    assert_empty(scores, [0])
    single = score_hand(text)
    assert (single.status, single.total, single.base, single.wins) == (1, 0, 0, False)
    assert (single.flowers, single.fans, single.points, single.sets) == (0, {}, {}, ())
    assert str(Status.NOT_COMPLETE.message) in str(single)


# --- the codes themselves


def test_numbers_of_the_causes_stay():
    """They are stored in arrays and files."""
    assert {status.name: int(status) for status in Status} == {
        "OK": 0,
        "NOT_COMPLETE": 1,
        "BAD_TILE": 2,
        "BAD_MELD": 3,
        "TILE_COUNT": 4,
        "FIVE_OF_A_KIND": 5,
        "BAD_WIN_TILE": 6,
        "WIN_TILE_ABSENT": 7,
        "BAD_WIND": 8,
        "BAD_FLOWERS": 9,
        "BAD_CIRCUMSTANCES": 10,
        "REPLACEMENT_WITHOUT_KONG": 11,
        "ROBBED_TILE_HELD": 12,
        "ROBBED_LAST_TILE": 13,
        "LAST_OF_KIND_HELD": 14,
    }


def test_the_kernels_use_the_same_numbers():
    for status in Status:
        if status != Status.OK:
            assert getattr(kernel_problems, status.name) == status, status


def test_every_cause_has_its_own_sentence():
    messages = [status.message for status in Status]
    assert len(set(messages)) == len(messages)
    assert all(message and message[0].islower() for message in messages)
    assert [status for status in Status if not status.is_invalid] == [
        Status.OK,
        Status.NOT_COMPLETE,
    ]


def test_invalid_hands_are_value_errors_that_travel():
    error = InvalidHand(Status.BAD_WIND)
    assert isinstance(error, ValueError)
    assert str(error) == Status.BAD_WIND.message
    back = pickle.loads(pickle.dumps(InvalidHand(9, "ten flowers")))
    assert (back.status, str(back)) == (Status.BAD_FLOWERS, "ten flowers")
    assert isinstance(back.status, Status)


def test_problems_of_a_mask():
    assert problems_of(0) == ()
    assert problems_of(0b11) == ()
    assert problems_of(np.uint16(1 << 5 | 1 << 2)) == (Status.BAD_TILE, Status.FIVE_OF_A_KIND)
    everything = (1 << len(Status)) - 1
    assert problems_of(everything) == tuple(status for status in Status if status.is_invalid)


def test_require_valid_names_the_first_bad_row():
    good = random_wins(50, seed=3)
    assert require_valid(good) is None
    assert require_valid(HandBatch.from_hands(["123456789m1245p7s"])) is None
    assert require_valid(good[:0]) is None
    columns = columns_of(good)
    columns["flowers"][[20, 30]] = 9
    columns["seat_wind"][30] = 4
    with pytest.raises(InvalidHand, match=r"^row 20: .*flowers") as caught:
        require_valid(batch_of(columns))
    assert caught.value.status == Status.BAD_FLOWERS


@pytest.mark.parametrize("name", ["bytes", "few", "edges", "one change", "four changes"])
def test_require_valid_never_lets_a_bad_row_pass(garbage, name):
    batch = garbage[name]
    for row in np.flatnonzero(validate(batch))[:300]:
        with pytest.raises(InvalidHand):
            require_valid(batch[row : row + 1])


def test_validate_takes_batches_only():
    with pytest.raises(TypeError, match="HandBatch"):
        validate("123456789m12355p")
    for threads in (0, -1, 1.5, True, "2"):
        with pytest.raises(ValueError, match="threads"):
            validate(random_wins(3, seed=1), threads=threads)
    batch = mutated(random_wins(40_000, seed=2), np.random.default_rng(1), 2)
    assert np.array_equal(validate(batch, threads=1), validate(batch, threads=4))
