"""One hand, the quick ways: what they give and refuse is what the careful ways do."""

from __future__ import annotations

import pickle
import random
import re

import pytest
from test_dataset_texts import ODD, mutated

import fastmj
from fastmj import GB98, REGIONAL, WMO2006, Hand, InvalidHand, Meld, parse_hand, random_wins
from fastmj import score_botzone as botzone
from fastmj import score_hand as score
from fastmj.hands import hand as hands
from fastmj.hands.notation import write_botzone_tile
from fastmj.samples.wins import WIN_FORMS

PROFILES = (GB98, WMO2006, REGIONAL)
CODES = [write_botzone_tile(tile) for tile in range(34)]


def outcome_of(call):
    """What a call gives, or the error that it raises, to the letter."""
    try:
        return call()
    except (InvalidHand, TypeError) as error:
        return type(error), getattr(error, "status", None), str(error)


def corpus(number: int, seed: int) -> list[Hand]:
    return [hand for form in WIN_FORMS for hand in random_wins(number, seed=seed, forms=form)]


# --- texts


@pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.name)
def test_texts_are_scored_as_their_hands(rules):
    for hand in corpus(40, 31):
        found = score(str(hand), rules=rules)
        assert (found.total, found.base) == (score(hand, rules=rules).total, found.base)
        assert found == score(hand, rules=rules)
        assert found.flowers == score(hand, rules=rules).flowers
        assert found.hand == hand


@pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.name)
def test_odd_texts(rules):
    given = [*ODD, *mutated(1200, 32), "\0", "123456789m12355p\ud800", "1" * 300]
    for text in given:
        hand = outcome_of(lambda text=text: parse_hand(text))
        found = outcome_of(lambda text=text: score(text, rules=rules))
        assert found == (score(hand, rules=rules) if isinstance(hand, Hand) else hand), text


def test_the_hand_of_a_text_keeps_who_gave_the_tiles():
    found = score("[123m,1][5555p,6]456s78s99m9s|EE1000|2")
    assert str(found.hand) == "[123m,1][5555p,6]99m45678s9s|EE1000|2"
    assert found.hand is found.hand


def test_scores_of_texts_can_be_pickled():
    found = score("123456789m12355p|EE0000|1")
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(found)).hand == found.hand


@pytest.mark.parametrize("value", [None, 3, b"123456789m12355p", ["1m"]])
def test_what_is_neither_hand_nor_text(value):
    with pytest.raises(TypeError, match="a hand text is wanted"):
        score(value)


# --- Botzone's codes


def arguments_of(hand: Hand) -> tuple:
    packs = []
    for meld in hand.melds:
        kind = ("CHI", "PENG", "GANG", "GANG")[meld.kind]
        packs.append((kind, CODES[meld.tile + (kind == "CHI")], int(meld.is_exposed)))
    tiles = [CODES[tile] for tile in hand.concealed]
    tiles.remove(CODES[hand.win_tile])
    return (
        tuple(packs), tuple(tiles), CODES[hand.win_tile], hand.flowers, hand.self_drawn,
        hand.last_of_kind, hand.kong, hand.last_tile, hand.seat_wind, hand.prevalent_wind,
    )  # fmt: skip


@pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.name)
def test_codes_are_scored_as_their_hands(rules):
    for hand in corpus(40, 33):
        found = botzone(*arguments_of(hand), rules=rules)
        assert found == score(hand, rules=rules)
        assert found.hand == hand


def test_arguments_are_the_peers():
    peer = pytest.importorskip("MahjongGB").MahjongFanCalculator
    names = re.findall(r"^\s+(\w+) - ", peer.__doc__.partition("Returns")[0], re.MULTILINE)[:10]
    for hand in corpus(10, 34):
        given = arguments_of(hand)
        by_name = dict(zip(names, given, strict=True))
        fans = peer(**by_name)
        assert botzone(**by_name).total == botzone(*given).total == sum(n for n, _ in fans)


PACKS, TILES = (("PENG", "F1", 1),), ["W1", "W2", "W3", "B4", "B5", "B6", "T7", "T8", "T9", "T9"]
BAD = {
    "a tile": (PACKS, [*TILES[:9], "W0"], "T9"),
    "no tile": (PACKS, [*TILES[:9], 7], "T9"),
    "no key": (PACKS, [*TILES[:9], ["W1"]], "T9"),
    "the winning tile": (PACKS, TILES, "T10"),
    "no winning tile": (PACKS, TILES, None),
    "number of tiles": (PACKS, TILES[1:], "T9"),
    "fifth": ((), ["W1"] * 5 + ["W2"] * 4 + ["W3"] * 4, "W3"),
    "hundreds": ((), ["W1"] * 400, "W3"),
    "five packs": ([("PENG", code, 1) for code in ("W1", "W2", "W3", "W4", "W5")], [], "T9"),
    "a pack's name": ([("PUNG", "F1", 1)], TILES, "T9"),
    "a pack's tile": ([("PENG", "F5", 1)], TILES, "T9"),
    "a pack's middle": ([["CHI", "F1", 1]], TILES, "T9"),
    "a pack's offer": ([("PENG", "F1", True)], TILES, "T9"),
    "a pack's other offer": ([("PENG", "F1", 4)], TILES, "T9"),
    "a pack's length": ([("PENG", "F1")], TILES, "T9"),
    "a pack's text": (["CHI"], TILES, "T9"),
    "a pack's list": ([("PENG", ["F1"], 1)], TILES, "T9"),
    "flowers": (PACKS, TILES, "T9", 9),
    "many flowers": (PACKS, TILES, "T9", 300),
    "half a flower": (PACKS, TILES, "T9", 0.5),
    "a flag": (PACKS, TILES, "T9", 0, 2),
    "another flag": (PACKS, TILES, "T9", 0, "yes"),
    "a kong": (PACKS, TILES, "T9", 0, True, False, True),
    "a robbed kong": (PACKS, TILES, "T9", 0, False, False, True),
    "a last tile": (PACKS, TILES, "W1", 0, False, True, True, True),
    "a wind": (PACKS, TILES, "T9", 0, False, False, False, False, 4),
    "another wind": (PACKS, TILES, "T9", 0, False, False, False, False, 0, -1),
    "a wind's name": (PACKS, TILES, "T9", 0, False, False, False, False, "X"),
}


@pytest.mark.parametrize("name", BAD)
def test_errors_are_those_of_the_hand(name):
    given = BAD[name]
    flags = dict(zip(
        ("flowers", "self_drawn", "last_of_kind", "kong", "last_tile", "seat_wind",
         "prevalent_wind"), given[3:], strict=False))  # fmt: skip
    wanted = outcome_of(lambda: Hand.from_botzone(*given[:3], **flags))
    assert isinstance(wanted, tuple)
    for rules in PROFILES:
        assert outcome_of(lambda rules=rules: botzone(*given, rules=rules)) == wanted


def test_what_is_passed_may_change_afterwards():
    packs, tiles = [["PENG", "F1", 1]], list(TILES)
    found = botzone(packs, tiles, "T9", seatWind="S", isSelfDrawn=1)
    packs[0][1] = "F2"
    packs.clear()
    tiles.clear()
    assert str(found.hand) == "[EEE,1]123m456p7899s9s|ES1000"
    assert found == score(found.hand)
    assert botzone(iter(PACKS), iter(TILES), "T9") == botzone(PACKS, [*TILES, "T9"], "T9")


# --- a `Hand`


def random_fields(rng: random.Random, good: list[Hand]) -> tuple[tuple, dict]:
    """Fields of a hand, some of them changed to something that may be impossible."""
    hand = rng.choice(good)
    tiles, melds = list(hand.concealed), list(hand.melds)
    win: object = hand.win_tile
    flags = {name: getattr(hand, name) for name in (
        "self_drawn", "last_of_kind", "last_tile", "kong", "seat_wind", "prevalent_wind",
        "flowers")}  # fmt: skip
    for _ in range(rng.randrange(3)):
        change = rng.randrange(8)
        if change == 0:
            tiles[rng.randrange(len(tiles))] = rng.choice((*range(34), 34, -1, 300, "5p", "x", 1.0))
        elif change == 1:
            tiles.append(rng.randrange(34))
        elif change == 2:
            tiles.pop()
        elif change == 3:
            melds.append(Meld.from_code(rng.choice((1, 36, 70, 104, 105))))
        elif change == 4 and melds:
            melds[0] = Meld.from_code(1 + rng.randrange(34, 136))
        elif change == 5:
            win = rng.choice((*range(34), 34, -1, "9s", "", None, 1.5))
        else:
            name = rng.choice(list(flags))
            flags[name] = rng.choice((True, False, 0, 1, 2, 3, 4, 8, 9, -1, "S"))
    return (tiles, win, melds), flags


def test_a_quick_look_sees_what_the_careful_one_does(monkeypatch):
    rng = random.Random(35)
    good = corpus(20, 35)
    given = [random_fields(rng, good) for _ in range(3000)]
    quick = [outcome_of(lambda a=a, b=b: Hand(*a, **b)) for a, b in given]
    monkeypatch.setattr(hands, "quick_counts", lambda *_: None)
    careful = [outcome_of(lambda a=a, b=b: Hand(*a, **b)) for a, b in given]
    assert quick == careful
    made = [(mine, other) for mine, other in zip(quick, careful, strict=True) if type(mine) is Hand]
    assert 1000 < len(made) < 2500
    for mine, other in made:
        assert mine.counts == other.counts
        assert all(type(tile) is int for tile in mine.concealed)
        assert mine.packed.tolist() == other.packed.tolist()
        assert mine.packed.shape == (1, 43)
        row = fastmj.HandBatch.from_hands([mine])
        assert mine.packed[0].tolist() == [n for c in row.columns for n in c.ravel().tolist()]
