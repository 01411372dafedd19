"""Hands as text and as Botzone codes: what is read, what is refused, and what comes back."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from fastmj import (
    Hand,
    HandBatch,
    InvalidHand,
    Meld,
    MeldKind,
    Status,
    parse_hand,
    random_wins,
    score_batch,
    validate,
)
from fastmj.hands.notation import read_botzone_tile, write_botzone_tile
from fastmj.hands.tiles import GLYPHS, NAMES, parse_tile, parse_tiles

PLAIN = "123456789m12355p"
FUZZ = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])


def names(tiles) -> str:
    return " ".join(NAMES[tile] for tile in tiles)


# --- tiles


def test_the_34_tiles():
    assert " ".join(NAMES) == (
        "1m 2m 3m 4m 5m 6m 7m 8m 9m 1p 2p 3p 4p 5p 6p 7p 8p 9p 1s 2s 3s 4s 5s 6s 7s 8s 9s "
        "E S W N C F P"
    )
    assert [parse_tile(name) for name in NAMES] == list(range(34))
    digits = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)]
    digits += [f"{rank}z" for rank in range(1, 8)]
    assert [parse_tile(name) for name in digits] == list(range(34))
    assert [parse_tile(glyph) for glyph in GLYPHS] == list(range(34))
    assert [parse_tile(name) for name in "东南西北中发白"] == list(range(27, 34))


def test_unicode_glyphs_are_the_right_ones():
    """By their names in the Unicode standard."""
    import unicodedata

    suits = {"CHARACTERS": 0, "CIRCLES": 9, "BAMBOOS": 18}
    digits = ["ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"]
    honors = ["EAST WIND", "SOUTH WIND", "WEST WIND", "NORTH WIND"]
    honors += ["RED DRAGON", "GREEN DRAGON", "WHITE DRAGON"]
    for name, first in suits.items():
        for rank, digit in enumerate(digits):
            glyph = unicodedata.lookup(f"MAHJONG TILE {digit} OF {name}")
            assert parse_tile(glyph) == first + rank
    for position, name in enumerate(honors):
        assert parse_tile(unicodedata.lookup(f"MAHJONG TILE {name}")) == 27 + position


def test_chinese_honors_in_both_scripts():
    assert names(parse_tiles("东南西北中发白")) == "E S W N C F P"
    assert names(parse_tiles("東南西北中發白")) == "E S W N C F P"


def test_riichi_order_of_the_dragons():
    assert names(parse_tiles("1234567z")) == "E S W N C F P"
    assert names(parse_tiles("1234567z", honors="riichi")) == "E S W N P F C"
    assert names(parse_tiles("CFP", honors="riichi")) == "C F P"
    hand = parse_hand("[777z]11122233344m", honors="riichi")
    assert names(hand.melds[0].tiles) == "C C C"
    assert parse_hand("[777z]11122233344m").melds[0].tile == 33
    assert names(parse_hand("11122233344m555z", honors="riichi").concealed[-3:]) == "P P P"
    assert parse_hand("11122233344m555z", "riichi") == parse_hand("11122233344mPPP")


@pytest.mark.parametrize("honors", ["x", "", None, "Riichi", 1])
def test_other_orders_of_honors_are_refused(honors):
    for text in (PLAIN, "[555z]11122233344m", ""):
        with pytest.raises(ValueError, match="honors must be"):
            parse_hand(text, honors=honors)


def test_blanks_between_tiles():
    expected = parse_hand(PLAIN)
    for text in (
        " 123456789m12355p ",
        "123m 456m 789m 123p 55p",
        "1 2 3 4 5 6 7 8 9 m 1 2 3 5 5 p",
        "123456789m\t12355p\n",
        "123m_456m_789m_123p_55p",
        "123m\u3000456m\u3000789m\u3000123p\u300055p",
    ):
        assert parse_hand(text) == expected, text


# --- whole hands


def test_the_form_in_common_use():
    hand = parse_hand("[123m,1][5555p]456s78s99m9s|EE1000|2")
    assert [(meld.kind.name, names(meld.tiles), meld.source) for meld in hand.melds] == [
        ("CHOW", "1m 2m 3m", 1),
        ("CONCEALED_KONG", "5p 5p 5p 5p", 0),
    ]
    assert names(hand.concealed) == "9m 9m 4s 5s 6s 7s 8s 9s"
    assert NAMES[hand.win_tile] == "9s"
    assert (hand.prevalent_wind, hand.seat_wind, hand.flowers) == (0, 0, 2)
    assert (hand.self_drawn, hand.last_of_kind, hand.last_tile, hand.kong) == (
        True,
        False,
        False,
        False,
    )
    assert str(hand) == "[123m,1][5555p]99m45678s9s|EE1000|2"


SAME_HANDS = [
    ("11122233344m555z", "11122233344mCCC", "111m222m333m44m中中中", "🀇🀇🀇🀈🀈🀈🀉🀉🀉🀊🀊🀄🀄🀄"),
    ("123m456p789sEEE44m", "1２3万四五六筒７８９索東东E44萬", "１2３ｍ４５6ｐ７８９ｓＥEＥ４４ｍ"),
    ("[123m,1][5555p]456789s99m|EE1000", "［一二三万，１］［5555餅］456789条99万｜東东1000"),
    ("123456789m12355p||2", "123456789m12355p ab", "🀢123456789m1235筒🀣5饼", "123456789m12355p||bh"),
    ("[EEE]123m456p7899s9s", "[1z1z1z]123m456p7899s9s", "[东东东]123m456p7899s9s"),
    ("[EEE]123m456p7899s9s", "[🀀🀀🀀]123m456p7899s9s", "[111z]123m456p78999s"),
    ("[123m]456m789p11122s", "[1m2m3m]456m789p11122s", "[321m]456m789p11122s"),
    ("[123m]456m789p11122s", "[🀇🀈🀉]456m789p11122s", "456m[231m]789p11122s"),
    ("11m99m11p99p11s99sPP", "1199m1199p1199s白白", "1199m1199p1199s7z7z", "1199m1199p1199s77z"),
    ("123456789m1235p5p", "123456789m1325p5p", "987654321m1532p5p"),
]  # fmt: skip


@pytest.mark.parametrize("texts", SAME_HANDS)
def test_the_same_hand_written_differently(texts):
    hands = [parse_hand(text) for text in texts]
    assert all(hand == hands[0] for hand in hands)
    assert len({str(hand) for hand in hands}) == 1
    assert len(set(hands)) == 1


def test_the_last_tile_written_is_the_winning_tile():
    for text, win in (
        ("123456789m12355p", "5p"),
        ("123456789m1255p3p", "3p"),
        ("23456789m12355p1m", "1m"),
        ("12355p123456789m", "9m"),
        ("9m12355p[EEE]12345678m", None),
        ("12355p12345m[EEE]6m", "6m"),
        ("[EEE]12355p123456m", "6m"),
        ("🀇🀈🀉🀊🀋🀌🀍🀎🀏🀙🀚🀛🀝🀝", "5p"),
        ("11122233344m555z", "C"),
    ):
        if win is None:
            with pytest.raises(InvalidHand):
                parse_hand(text)
        else:
            assert NAMES[parse_hand(text).win_tile] == win, text


@pytest.mark.parametrize(
    ("text", "kind", "source"),
    [
        ("[EEEE]", MeldKind.CONCEALED_KONG, 0),
        ("[EEEE,1]", MeldKind.MELDED_KONG, 1),
        ("[EEEE,2]", MeldKind.MELDED_KONG, 2),
        ("[EEEE,3]", MeldKind.MELDED_KONG, 3),
        ("[EEEE,5]", MeldKind.MELDED_KONG, 5),
        ("[EEEE,6]", MeldKind.MELDED_KONG, 6),
        ("[EEEE,7]", MeldKind.MELDED_KONG, 7),
        ("[EEE]", MeldKind.PUNG, 0),
        ("[EEE,1]", MeldKind.PUNG, 1),
        ("[EEE,3]", MeldKind.PUNG, 3),
        ("[789s]", MeldKind.CHOW, 0),
        ("[789s,1]", MeldKind.CHOW, 1),
        ("[978s,2]", MeldKind.CHOW, 2),
        ("[ 7 8 9 s , 2 ]", MeldKind.CHOW, 2),
    ],
)
def test_melds_of_each_kind(text, kind, source):
    hand = parse_hand(text + "123m456p111s22s")
    (meld,) = hand.melds
    assert (meld.kind, meld.source) == (kind, source)
    assert names(meld.tiles) in ("E E E", "E E E E", "7s 8s 9s")
    assert meld.is_kong == (len(meld.tiles) == 4)
    assert meld.is_exposed == (kind != MeldKind.CONCEALED_KONG)
    assert Meld.parse(str(meld)) == meld
    assert Meld.parse(str(meld)).source == source
    again = parse_hand(str(hand))
    assert again == hand
    assert again.melds[0].source == source


def test_who_gave_the_tile_makes_no_difference():
    hands = [parse_hand(f"[123m{source}]456p789s11122m") for source in ("", ",1", ",2", ",3")]
    assert len(set(hands)) == 1
    kongs = [parse_hand(f"[EEEE,{source}]456p789s11122m") for source in "123567"]
    assert len(set(kongs)) == 1
    assert kongs[0] != parse_hand("[EEEE]456p789s11122m")


def test_a_kong_whose_source_is_not_known_is_written_as_melded():
    assert str(Meld(MeldKind.MELDED_KONG, 27)) == "[EEEE,1]"
    assert Meld.parse("[EEEE,1]") == Meld(MeldKind.MELDED_KONG, 27)


def test_winds_and_circumstances():
    for winds in itertools.product("ESWN", repeat=2):
        hand = parse_hand(f"{PLAIN}|{''.join(winds)}")
        assert ("ESWN"[hand.prevalent_wind], "ESWN"[hand.seat_wind]) == winds
    assert parse_hand(f"{PLAIN}|南北") == parse_hand(f"{PLAIN}|SN0000")
    assert parse_hand(f"{PLAIN}|1") == parse_hand(f"{PLAIN}|EE1000")
    assert parse_hand(f"{PLAIN}|WN1") == parse_hand(f"{PLAIN}|WN1000")
    assert parse_hand(f"{PLAIN}|WN101") == parse_hand(f"{PLAIN}|WN1010")
    for empty in ("|", "||", "|EE", "|EE0000", "||0", "|EE0|0", "| ", "| | "):
        assert parse_hand(PLAIN + empty) == parse_hand(PLAIN), empty


def test_each_circumstance_by_its_place():
    text = "[EEEE]123456m1255p3p"
    for flags in itertools.product((0, 1), repeat=4):
        given_flags = "".join(map(str, flags))
        if flags[3] and not flags[0] and flags[2]:
            with pytest.raises(InvalidHand):
                parse_hand(f"{text}|SW{given_flags}")
            continue
        hand = parse_hand(f"{text}|SW{given_flags}")
        found = (hand.self_drawn, hand.last_of_kind, hand.last_tile, hand.kong)
        assert found == tuple(map(bool, flags))
        assert (hand.prevalent_wind, hand.seat_wind) == (1, 2)
        assert str(hand) == f"[EEEE]123456m1255p3p|SW{given_flags}"


def test_flowers_by_number_and_by_name():
    for number in range(9):
        assert parse_hand(f"{PLAIN}||{number}").flowers == number
        assert parse_hand(f"{PLAIN}||{'abcdefgh'[:number]}").flowers == number
        assert parse_hand(f"{PLAIN}|EE0000|{'hgfedcba'[:number]}").flowers == number
    assert parse_hand(f"{PLAIN}||\U0001f022\U0001f029").flowers == 2
    assert parse_hand(f"{PLAIN}||ah").flowers == 2
    assert parse_hand(f"{PLAIN}||08").flowers == 8


CANONICAL = [
    ("12355p987654321m", "23456789m12355p1m"),
    (PLAIN, "123456789m1235p5p"),
    (PLAIN + "|EE0000|0", "123456789m1235p5p"),
    (PLAIN + "|EE1", "123456789m1235p5p|EE1000"),
    (PLAIN + "||3", "123456789m1235p5p|EE0000|3"),
    (PLAIN + "|SE|", "123456789m1235p5p|SE0000"),
    ("123m[EEE]456p[1111s,6]9s9s", "[EEE][1111s,6]123m456p9s9s"),
    ("[9999s,2][EEE,3]NN123m456p", "[9999s,2][EEE,3]123m45pNN6p"),
    ("中中中发发发白白白东东南南南", "EESSCCCFFFPPPS"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_canonical_text(text, canonical):
    assert str(parse_hand(text)) == canonical
    assert str(parse_hand(canonical)) == canonical


# --- errors that say what is wrong

BAD_TEXTS = [
    ("", Status.TILE_COUNT, "no concealed tiles"),
    ("   ", Status.TILE_COUNT, "no concealed tiles"),
    ("|EE1000", Status.TILE_COUNT, "no concealed tiles"),
    ("[123m][456m][789m][EEE]", Status.TILE_COUNT, "no concealed tiles"),
    ("123456789m1235p", Status.TILE_COUNT, "13 concealed tiles, 14 are wanted.*left out"),
    ("123456789m123555p", Status.TILE_COUNT, "15 concealed tiles, 14 are wanted.*twice"),
    ("[EEE]123456789m55p5p", Status.TILE_COUNT, "12 concealed tiles beside 1 melds, 11"),
    ("[EEE]" * 4 + "1m", Status.TILE_COUNT, "1 concealed tiles? beside 4 melds, 2 are wanted"),
    ("123456789m12355", Status.BAD_TILE, "'12355' is no tile.*suit letter must follow"),
    ("123456789m12355p7", Status.BAD_TILE, "'7' is no tile.*suit letter must follow"),
    ("m123456789m12355p", Status.BAD_TILE, "'m' is no tile.*no digit before"),
    ("123456789m12E355p", Status.BAD_TILE, "'12E' is no tile"),
    ("103456789m12355p", Status.BAD_TILE, "'0m' is no tile.*no red fives"),
    ("123456789m12355p8z", Status.BAD_TILE, "'8z' is no tile"),
    ("123456789m12355p0z", Status.BAD_TILE, "'0z' is no tile"),
    ("123456789M12355P", Status.BAD_TILE, "'123456789M' is no tile"),
    ("123456789m12355x", Status.BAD_TILE, "'12355x' is no tile"),
    ("north123456789m55p", Status.BAD_TILE, "'n' is no tile"),
    ("١٢٣m456789m12355p", Status.BAD_TILE, "'١' is no tile"),
    ("²³m", Status.BAD_TILE, "'²' is no tile"),
    ("123456789m12355p🀪", Status.BAD_TILE, "'🀪' is no tile"),
    ("123456789m12355p🀫", Status.BAD_TILE, "'🀫' is no tile"),
    ("[123m456789m12355p", Status.BAD_MELD, "bracket is not closed"),
    ("123m]456789m12355p", Status.BAD_MELD, "bracket is not closed"),
    ("[[123m]]456789m12355p", Status.BAD_MELD, "bracket is not closed"),
    ("[]123456789m12355p", Status.BAD_MELD, "is no meld"),
    ("[12m]123456789m55p", Status.BAD_MELD, r"\[12m\] is no meld.*chow"),
    ("[124m]123456789m55p", Status.BAD_MELD, r"\[124m\] is no meld"),
    ("[1234m]123456789m55p", Status.BAD_MELD, r"\[1234m\] is no meld"),
    ("[891m]123456789m55p", Status.BAD_MELD, r"\[189m\] is no meld"),
    ("[89m1p]123456789m55p", Status.BAD_MELD, r"\[89m1p\] is no meld"),
    ("[ESW]123456789m55p", Status.BAD_MELD, r"\[ESW\] is no meld"),
    ("[CFP]123456789m55p", Status.BAD_MELD, r"\[CFP\] is no meld"),
    ("[9sES]123456789m55p", Status.BAD_MELD, r"\[9sES\] is no meld"),
    ("[11111m]123456789p55s", Status.BAD_MELD, r"is no meld"),
    ("[EEEE,4]123456789m55p", Status.BAD_MELD, "after the comma comes 1, 2 or 3"),
    ("[EEEE,0]123456789m55p", Status.BAD_MELD, "after the comma"),
    ("[EEEE,8]123456789m55p", Status.BAD_MELD, "after the comma"),
    ("[EEEE,]123456789m55p", Status.BAD_MELD, "after the comma"),
    ("[EEEE,x]123456789m55p", Status.BAD_MELD, "after the comma"),
    ("[EEEE,①]123456789m55p", Status.BAD_MELD, "after the comma"),
    ("[EEEE,1,1]123456789m55p", Status.BAD_MELD, "after the comma"),
    ("[EEEE,-1]123456789m55p", Status.BAD_MELD, "after the comma"),
    ("[EEE,5]123456789m55p", Status.BAD_MELD, "5, 6 and 7 are for a kong"),
    ("[123m,7]123456789p55s", Status.BAD_MELD, "5, 6 and 7 are for a kong"),
    ("[123x]123456789p55s", Status.BAD_TILE, "is no tile"),
    ("[123m][456m][789m][123p][456p]", Status.TILE_COUNT, "no concealed tiles"),
    ("[123m][456m][789m][123p][456p]1s", Status.BAD_MELD, "5 melds: a hand has at most 4"),
    ("11111m456789m123p", Status.FIVE_OF_A_KIND, "5 copies of 1m"),
    ("[111m]11234567899m", Status.FIVE_OF_A_KIND, "5 copies of 1m"),
    ("[1111m]123m456789p5s5s", Status.FIVE_OF_A_KIND, "5 copies of 1m"),
    (PLAIN + "|X", Status.BAD_CIRCUMSTANCES, "after the first bar"),
    (PLAIN + "|E", Status.BAD_CIRCUMSTANCES, "after the first bar"),
    (PLAIN + "|ESW", Status.BAD_CIRCUMSTANCES, "after the first bar"),
    (PLAIN + "|EC", Status.BAD_CIRCUMSTANCES, "after the first bar"),
    (PLAIN + "|es0000", Status.BAD_CIRCUMSTANCES, "after the first bar"),
    (PLAIN + "|EE2000", Status.BAD_CIRCUMSTANCES, "after the first bar"),
    (PLAIN + "|EE00000", Status.BAD_CIRCUMSTANCES, "after the first bar"),
    (PLAIN + "|1000EE", Status.BAD_CIRCUMSTANCES, "after the first bar"),
    (PLAIN + "|EE١000", Status.BAD_CIRCUMSTANCES, "after the first bar"),
    (PLAIN + "|EE1000|2|3", Status.BAD_CIRCUMSTANCES, "more than two bars"),
    (PLAIN + "||9", Status.BAD_FLOWERS, "9 flowers: there are 8"),
    (PLAIN + "||100", Status.BAD_FLOWERS, "100 flowers: there are 8"),
    (PLAIN + "||-1", Status.BAD_FLOWERS, "a number 0-8 or as letters a-h"),
    (PLAIN + "||1.5", Status.BAD_FLOWERS, "a number 0-8 or as letters a-h"),
    (PLAIN + "||²", Status.BAD_FLOWERS, "a number 0-8 or as letters a-h"),
    (PLAIN + "||٣", Status.BAD_FLOWERS, "a number 0-8 or as letters a-h"),
    (PLAIN + "||abi", Status.BAD_FLOWERS, "a number 0-8 or as letters a-h"),
    (PLAIN + "||ABC", Status.BAD_FLOWERS, "a number 0-8 or as letters a-h"),
    (PLAIN + "||aba", Status.BAD_FLOWERS, "one of each flower"),
    (PLAIN + "aa", Status.BAD_FLOWERS, "one of each flower"),
    (PLAIN + "ab||c", Status.BAD_FLOWERS, "'ab' among the tiles, .* one is enough"),
    (PLAIN + "a||", Status.BAD_FLOWERS, "one is enough"),
    ("[123ma]456789m12355p", Status.BAD_TILE, "'a' is no tile"),
    (PLAIN + "||2a", Status.BAD_FLOWERS, "a number 0-8 or as letters a-h"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "status", "message"), BAD_TEXTS)
def test_bad_texts(text, status, message):
    with pytest.raises(InvalidHand, match=message) as caught:
        parse_hand(text)
    assert caught.value.status == status
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("thing", [None, 5, 1.5, b"123456789m12355p", ["1m"], object()])
def test_only_texts_are_read(thing):
    with pytest.raises(TypeError, match="a hand text is wanted, got"):
        parse_hand(thing)


def test_a_very_long_number_of_flowers():
    with pytest.raises(InvalidHand):
        parse_hand(PLAIN + "||" + "9" * 5000)


def test_blanks_between_winds_and_circumstances():
    assert parse_hand(PLAIN + "|ES 1000|2") == parse_hand(PLAIN + "|ES1000|2")


# --- hands put together from their parts


def test_parts_as_texts_or_numbers():
    hand = Hand("123456789m12355p", "5p", seat_wind="S", prevalent_wind="西", self_drawn=1)
    assert hand == Hand(
        hand.concealed, hand.win_tile, seat_wind=1, prevalent_wind=2, self_drawn=True
    )
    assert hand == Hand([NAMES[tile] for tile in hand.concealed], "5p", seat_wind="南",
                        prevalent_wind="W", self_drawn=np.True_)  # fmt: skip
    assert hand == Hand(np.array(hand.concealed), np.int64(13), seat_wind=np.uint8(1),
                        prevalent_wind=2, self_drawn=np.int8(1))  # fmt: skip
    assert Hand("123m456p7899s9s", "9s", ["EEE"]).melds == (Meld.parse("EEE"),)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"seat_wind": 4}, Status.BAD_WIND),
        ({"seat_wind": -1}, Status.BAD_WIND),
        ({"prevalent_wind": "X"}, Status.BAD_WIND),
        ({"prevalent_wind": ""}, Status.BAD_WIND),
        ({"prevalent_wind": "ES"}, Status.BAD_WIND),
        ({"flowers": 9}, Status.BAD_FLOWERS),
        ({"flowers": -1}, Status.BAD_FLOWERS),
        ({"kong": 2}, Status.BAD_CIRCUMSTANCES),
        ({"self_drawn": "yes"}, Status.BAD_CIRCUMSTANCES),
        ({"last_tile": None}, Status.BAD_CIRCUMSTANCES),
        ({"win_tile": None}, Status.BAD_WIN_TILE),
        ({"win_tile": ""}, Status.BAD_WIN_TILE),
        ({"win_tile": "12m"}, Status.BAD_WIN_TILE),
        ({"win_tile": "5"}, Status.BAD_WIN_TILE),
        ({"concealed": [99] * 14}, Status.BAD_TILE),
        ({"concealed": ["1x"] * 14}, Status.BAD_TILE),
        ({"concealed": []}, Status.TILE_COUNT),
        ({"melds": ["12m"]}, Status.BAD_MELD),
        ({"melds": ["ESW"]}, Status.BAD_MELD),
    ],
)
def test_bad_parts(changes, status):
    with pytest.raises(InvalidHand) as caught:
        parse_hand(PLAIN).replace(**changes)
    assert caught.value.status == status


@pytest.mark.parametrize(
    "changes",
    [{"flowers": 1.5}, {"seat_wind": 1.5}, {"prevalent_wind": 0.9}, {"win_tile": 5.5}],
    ids=str,
)
def test_numbers_with_a_fraction_are_refused(changes):
    with pytest.raises((InvalidHand, TypeError)):
        parse_hand(PLAIN).replace(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"flowers": float("nan")},
        {"flowers": None},
        {"seat_wind": None},
        {"seat_wind": float("inf")},
        {"win_tile": float("nan")},
        {"melds": [5]},
        {"self_drawn": np.zeros(2)},
    ],
    ids=str,
)
def test_wrong_types_are_named(changes):
    (name,) = changes
    with pytest.raises((InvalidHand, TypeError), match=name.removesuffix("s").replace("_", ".")):
        parse_hand(PLAIN).replace(**changes)


def test_unknown_parts_are_refused():
    with pytest.raises(TypeError, match="riichi"):
        parse_hand(PLAIN).replace(riichi=True)


# --- Botzone

STANDING = "B4 B5 B6 T7 T8 T9 F1 F1 J1 J1"


def test_botzone_tiles():
    codes = [f"{suit}{rank}" for suit in "WBT" for rank in range(1, 10)]
    codes += ["F1", "F2", "F3", "F4", "J1", "J2", "J3"]
    assert [read_botzone_tile(code) for code in codes] == list(range(34))
    assert [write_botzone_tile(tile) for tile in range(34)] == codes


@pytest.mark.parametrize(
    ("pack", "text"),
    [
        (("CHI", "W2", 1), "[123m,1]"),
        (("CHI", "T8", 3), "[789s,3]"),
        (("PENG", "B5", 2), "[555p,2]"),
        (("PENG", "J3", 0), "[PPP]"),
        (("GANG", "F4", 0), "[NNNN]"),
        (("GANG", "F4", 1), "[NNNN,1]"),
        (("GANG", "F4", 3), "[NNNN,3]"),
        (("GANG", "W9", 5), "[9999m,5]"),
        (("GANG", "W9", 7), "[9999m,7]"),
        (["CHI", "W2", 1], "[123m,1]"),
    ],
)
def test_botzone_packs(pack, text):
    hand = Hand.from_botzone([pack], STANDING, "J1")
    assert str(hand) == f"{text}456p789sEECCC"
    assert parse_hand(str(hand)) == hand


def test_botzone_hands():
    packs = [("CHI", "W2", 1), ("GANG", "B5", 0)]
    circumstances = {"self_drawn": True, "seat_wind": "S", "flowers": 2}
    expected = parse_hand("[123m,1][5555p]789sEECCC|ES1000|2")
    for hand in ("T7 T8 T9 F1 F1 J1 J1", "T7 T8 T9 F1 F1 J1 J1 J1", STANDING.split()[3:]):
        assert Hand.from_botzone(packs, hand, "J1", **circumstances) == expected
    assert Hand.from_botzone([], "W1 W1 W1 " + STANDING, "J1") == parse_hand("111m456p789sEECCC")


@pytest.mark.parametrize(
    ("packs", "hand", "win", "status"),
    [
        ([("CHI", "W1", 1)], STANDING, "J1", Status.BAD_MELD),
        ([("CHI", "W9", 1)], STANDING, "J1", Status.BAD_MELD),
        ([("CHI", "F2", 1)], STANDING, "J1", Status.BAD_MELD),
        ([("CHOW", "W2", 1)], STANDING, "J1", Status.BAD_MELD),
        ([("chi", "W2", 1)], STANDING, "J1", Status.BAD_MELD),
        ([(None, "W2", 1)], STANDING, "J1", Status.BAD_MELD),
        ([("GANG", "W2", 8)], STANDING, "J1", Status.BAD_MELD),
        ([("GANG", "W2", -1)], STANDING, "J1", Status.BAD_MELD),
        ([("GANG", "W2", "1")], STANDING, "J1", Status.BAD_MELD),
        ([("GANG", "W2", 1.0)], STANDING, "J1", Status.BAD_MELD),
        ([("GANG", "W2")], STANDING, "J1", Status.BAD_MELD),
        (["CHI"], STANDING, "J1", Status.BAD_MELD),
        ([("CHI", "X2", 1)], STANDING, "J1", Status.BAD_TILE),
        ([("CHI", None, 1)], STANDING, "J1", Status.BAD_TILE),
        ([("PENG", "W0", 1)], STANDING, "J1", Status.BAD_TILE),
        ([("PENG", "W10", 1)], STANDING, "J1", Status.BAD_TILE),
        ([("PENG", "F5", 1)], STANDING, "J1", Status.BAD_TILE),
        ([("PENG", "J4", 1)], STANDING, "J1", Status.BAD_TILE),
        ([("PENG", "W2", 1)], STANDING, "j1", Status.BAD_TILE),
        ([("PENG", "W2", 1)], STANDING, None, Status.BAD_TILE),
        ([("PENG", "W2", 1)], STANDING + " 5m", "J1", Status.BAD_TILE),
        ([("PENG", "W2", 1)], [1, 2], "J1", Status.BAD_TILE),
        ([("PENG", "W2", 1)], STANDING + " J1 J1", "J1", Status.TILE_COUNT),
        ([("PENG", "W2", 1)], STANDING[3:], "J1", Status.TILE_COUNT),
        ([], STANDING, "J1", Status.TILE_COUNT),
        ([("PENG", "J1", 1)], STANDING, "J1", Status.FIVE_OF_A_KIND),
        ([("PENG", "W2", 1)], STANDING + " J2", "J3", Status.WIN_TILE_ABSENT),
        ([("PENG", "W2", 1)] * 5, STANDING, "J1", Status.BAD_MELD),
    ],
)
def test_bad_botzone_codes(packs, hand, win, status):
    with pytest.raises(InvalidHand) as caught:
        Hand.from_botzone(packs, hand, win)
    assert caught.value.status == status


@pytest.mark.parametrize(
    "pack",
    [
        ("CHI", "W2", 4),
        ("CHI", "W2", 5),
        ("PENG", "W2", 6),
        ("GANG", "W2", 4),
        ("PENG", "W2", True),
    ],
)
def test_offers_that_a_pack_cannot_have(pack):
    try:
        hand = Hand.from_botzone([pack], STANDING, "J1")
    except InvalidHand:
        return
    assert parse_hand(str(hand)) == hand


@pytest.mark.parametrize(
    ("kind", "source"),
    [(MeldKind.CONCEALED_KONG, 1), (MeldKind.PUNG, 9), (MeldKind.CHOW, 5), (MeldKind.PUNG, "x")],
)
def test_sources_that_a_meld_cannot_have(kind, source):
    try:
        meld = Meld(kind, 5, source)
    except (InvalidHand, ValueError, TypeError):
        return
    assert Meld.parse(str(meld)) == meld


# --- texts come back

SEEDS = st.integers(0, 2**63 - 1)


@settings(deadline=None, max_examples=60)
@given(SEEDS)
def test_texts_of_random_hands_round_trip(seed):
    for hand in random_wins(8, seed=seed):
        text = str(hand)
        again = parse_hand(text)
        assert again == hand
        assert hash(again) == hash(hand)
        assert str(again) == text
        assert HandBatch.from_hands([text]) == HandBatch.from_hands([hand])


@settings(deadline=None, max_examples=60)
@given(SEEDS, st.randoms(use_true_random=False))
def test_tiles_may_be_written_in_any_order_and_script(seed, random):
    for hand in random_wins(4, seed=seed):
        rest = list(hand.concealed)
        rest.remove(hand.win_tile)
        random.shuffle(rest)
        scripts = [
            lambda tile: NAMES[tile],
            lambda tile: GLYPHS[tile],
            lambda tile: "东南西北中发白"[tile - 27] if tile >= 27 else NAMES[tile],
            lambda tile: f"{tile - 26}z" if tile >= 27 else NAMES[tile] + " ",
        ]
        pieces = [str(meld) for meld in hand.melds]
        pieces += [random.choice(scripts)(tile) for tile in [*rest, hand.win_tile]]
        _, bar, tail = str(hand).partition("|")
        assert parse_hand("".join(pieces) + bar + tail) == hand


# --- anything at all


def is_hand_or_refused(text: str, **options) -> bool:
    """Whether a text is read as a hand, which then is a whole one; refusals name a cause."""
    try:
        hand = parse_hand(text, **options)
    except InvalidHand as error:
        assert error.status.is_invalid
        assert str(error)
        return False
    assert len(hand.concealed) + 3 * len(hand.melds) == 14
    assert parse_hand(str(hand)) == hand
    assert validate(HandBatch.from_hands([hand])).tolist() == [0]
    return True


@FUZZ
@given(st.text(max_size=60))
def test_random_texts(text):
    is_hand_or_refused(text)


@FUZZ
@given(st.binary(max_size=60))
def test_random_bytes(data):
    for encoding in ("latin-1", "utf-8", "utf-16"):
        is_hand_or_refused(data.decode(encoding, errors="surrogateescape" if encoding == "utf-8"
                                       else "replace"))  # fmt: skip


ALPHABET = "123456789123456789mpszmpsz0EESWNCFP[],|01abch 东南西北中发白🀀🀇🀢\ufe0e\n"


@FUZZ
@given(st.text(st.sampled_from(ALPHABET), max_size=40), st.sampled_from(["chinese", "riichi"]))
def test_random_texts_of_meaningful_characters(text, honors):
    is_hand_or_refused(text, honors=honors)


PIECES = [
    "[123m,1]", "[EEE]", "[5555p]", "[5555p,6]", "[", "]", "123m", "456p", "789s", "11s", "E", "CC",
    "|", "||", "|EE1000", "|2", "|abc", "5p5p", "\U0001f000", "9", "m", ",1",
]  # fmt: skip


@FUZZ
@given(st.lists(st.sampled_from(PIECES), max_size=9))
def test_random_texts_of_meaningful_pieces(pieces):
    is_hand_or_refused("".join(pieces))


@settings(deadline=None, max_examples=150)
@given(SEEDS, st.randoms(use_true_random=False))
def test_valid_texts_with_a_few_characters_changed(seed, random):
    for hand in random_wins(3, seed=seed):
        text = list(str(hand))
        for _ in range(random.randint(1, 3)):
            place = random.randrange(len(text) or 1)
            change = random.randrange(4)
            if change == 0:
                del text[place : place + 1]
            elif change == 1:
                text.insert(place, random.choice(ALPHABET))
            elif change == 2:
                text[place : place + 1] = [random.choice(ALPHABET)]
            else:
                other = random.randrange(len(text) or 1)
                text[place : place + 1], text[other : other + 1] = (
                    text[other : other + 1],
                    text[place : place + 1],
                )
        is_hand_or_refused("".join(text))


def test_changed_texts_are_sometimes_still_hands():
    """The test above would be idle if every change were refused, or none."""
    texts = [str(hand) for hand in random_wins(200, seed=5, circumstances=False)]
    read = [is_hand_or_refused(text.replace("1", "2", 1)) for text in texts]
    assert 0.05 < np.mean(read) < 0.95


INTEGERS = st.sampled_from(["u1", "i1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", "?"])
ANY_TYPE = INTEGERS | st.sampled_from(["f2", "f4", "f8", "O", "U2", "S2", "M8[s]"])


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_random_arrays_make_a_batch_with_a_status_for_each_row(data):
    rows = data.draw(st.integers(0, 4))
    dtype = data.draw(INTEGERS)
    counts = data.draw(npst.arrays(dtype, (rows, 34)))
    columns = {
        name: data.draw(npst.arrays(data.draw(INTEGERS), shape))
        for name, shape in (
            ("melds", (rows, 4)),
            ("win_tile", (rows,)),
            ("self_drawn", (rows,)),
            ("kong", (rows,)),
            ("seat_wind", (rows,)),
            ("flowers", (rows,)),
        )
    }
    before = {name: column.copy() for name, column in columns.items()}
    batch = HandBatch(counts, **columns)
    scores = score_batch(batch, fan_counts=True)
    masks = validate(batch)
    assert scores.status.shape == masks.shape == (rows,)
    for status, mask in zip(scores.status.tolist(), masks.tolist(), strict=True):
        assert Status(status)
        assert (Status(status).is_invalid) == bool(mask)
    for name, column in columns.items():
        assert np.array_equal(column, before[name])


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(npst.arrays(ANY_TYPE, npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=35)))
def test_arrays_of_any_type_and_shape_are_taken_or_refused(counts):
    try:
        batch = HandBatch(counts, win_tile=0)
    except (TypeError, ValueError) as error:
        assert "counts" in str(error)
        return
    assert counts.size == 0 or (counts.ndim == 2 and counts.shape[1] == 34)
    assert len(score_batch(batch)) == len(batch)


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(0, 42), st.integers(0, 255), st.integers(0, 42), st.integers(0, 255))
def test_hands_with_changed_bytes(seed, place, value, other_place, other_value):
    batch = random_wins(20, seed=seed)
    table = np.hstack([column.reshape(20, -1) for column in batch.columns])
    table[:10, place] = value
    table[5:15, other_place] = other_value
    changed = HandBatch.from_columns(
        table[:, :34].copy(), table[:, 34:38].copy(), *table[:, 38:].T.copy()
    )
    scores = score_batch(changed)
    masks = validate(changed)
    assert np.array_equal(scores.status > Status.NOT_COMPLETE, masks != 0)
    assert (scores.status[15:] == Status.OK).all()
