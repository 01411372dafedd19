"""Distance of single hands as text, and the commands."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from fastmj import WMO2006, Hand, InvalidHand, Status
from fastmj.cli.command import main
from fastmj.cli.distance import register
from fastmj.distance import (
    FORMS,
    acceptance,
    acceptance_batch,
    discards,
    discards_batch,
    regular_shanten_batch,
    shanten,
    shanten_batch,
    waits,
    waits_batch,
    waits_scores_batch,
)
from fastmj.hands.tiles import format_tiles, parse_tiles, tiles_of
from fastmj.samples.deals import random_deals
from fastmj.samples.wins import random_wins
from fastmj.value import (
    exact_chances,
    fan_distance_batch,
    min_fan_shanten,
    min_fan_shanten_batch,
    routes,
    simulate,
)


def test_shanten_of_a_text():
    found = shanten("123456789m1234p")
    assert found.best == 0
    assert found.forms == dict(zip(FORMS, (0, 6, 10, 8, 5), strict=True))
    assert str(found).startswith("123456789m1234p: ready (regular 0, seven pairs 6, ")
    assert list(shanten("[123m][555p][7777s,2]EENC").forms) == ["regular"]
    assert list(shanten("[123m]456789m55pEN").forms) == ["regular", "knitted_straight"]
    assert str(shanten("[123m]456789m55pNN1s")).startswith("[123m]456789m55p1sNN: ready")
    assert str(shanten("[123m]456789m55pNNN")).startswith("[123m]456789m55pNNN: complete")


def test_the_order_of_the_dragons():
    assert acceptance("11m1122334455s5z", honors="riichi").tiles == tuple(parse_tiles("P"))
    assert acceptance("11m1122334455s5z").tiles == tuple(parse_tiles("C"))


def test_acceptance_of_a_text():
    found = acceptance("123m456m8m4p6p2s3s4s7s", visible="5555p7s")
    assert format_tiles(found.tiles) == "8m5p7s"
    assert found.left == (3, 0, 2) and found.copies == 5
    assert found.shanten == 1 and found.forms == ("regular",)
    assert str(found) == "1 from ready (regular), accepts 8m5p7s (5 copies)"
    pairs = acceptance("123m456m8m4p6p2s3s4s7s", form="seven_pairs")
    assert pairs.shanten == 6 and len(pairs.tiles) == 13
    assert str(acceptance("[123m]456789m55pNNN")).endswith("accepts nothing (0 copies)")
    with pytest.raises(ValueError, match="rule it out"):
        acceptance("[123m]456789m55pNE", form="seven_pairs")


def test_waits_of_a_text():
    found = waits("[666s]23m678m345p55s|ES", visible="111m", rules=WMO2006)
    assert format_tiles(found.tiles) == "14m" and len(found) == 2
    first, second = found
    assert (first.left, second.left) == (1, 4)
    assert first.by_discard is not None and second.by_discard is not None
    assert first.by_discard >= second.by_discard + 3  # the last of its kind
    assert str(found).splitlines()[0] == "[666s]23678m345p55s: waits for 14m (WMO2006)"
    gone = waits("[666s]23m678m345p55s", visible="1111m").waits[0]
    assert gone.by_discard is None and gone.verdict == "no copy left"
    assert str(gone) == "1m: no copy left"
    assert str(waits("147m258p369sEEE1p")).count("\n") == 1
    assert str(waits("1112m456p789sENC")).endswith("not ready")
    flowers = waits("234m567m345p678s5s|EE|2")
    assert [wait.by_discard for wait in flowers] == [9, 10]


def test_a_wait_on_a_fifth_copy():
    found = waits("[123p][456p][789p]1111m")
    assert found.tiles == (0,)
    assert found.waits[0].left == 0 and found.waits[0].verdict == "no copy left"


def test_verdicts():
    verdicts = {wait.verdict for wait in waits("234m567m345p678s5s")}
    assert verdicts == {"wins only self-drawn", "wins"}
    assert waits("[123m]789p123s33s78s").waits[0].verdict == "below the minimum"


def test_discards_of_a_text():
    found = discards("123m456m8m4p6p2s3s4s7sE")
    assert found.shanten == 1 and len(found) == 14
    assert [format_tiles([row.tile]) for row in found][:3] == ["8m", "7s", "E"]
    assert [row.shanten for row in found] == sorted(row.shanten for row in found)
    assert str(found[2]) == "E: 1 from ready (regular), accepts 8m5p7s (10 copies)"
    assert str(found).splitlines()[0] == "1234568m46p2347sE: 1 from ready; discards"
    with pytest.raises(ValueError, match="rule it out"):
        discards("[123m]456789m55pNEC", form="thirteen_orphans")


def test_texts_and_batches_agree():
    for melds in (0, 1):
        deals = random_deals(30, tiles=14 - 3 * melds, seed=1, bias="one_suit")
        prefix = "[CCC]" * melds
        for deal in deals:
            if deal[31] > 4 - 3 * melds:
                continue
            text = prefix + format_tiles(tiles_of(deal.tolist()))
            rows, codes = deal[None], [[1 + 34 + 31 if i < melds else 0 for i in range(4)]]
            assert shanten(text).best == shanten_batch(rows, melds=codes).best[0]
            found, batch = acceptance(text), acceptance_batch(rows, melds=codes)
            assert sum(1 << tile for tile in found.tiles) == batch.mask[0]
            assert found.copies == batch.copies[0]
            every = discards_batch(rows, melds=codes)
            for row in discards(text):
                assert row.shanten == every.shanten[0, row.tile]
                assert row.copies == every.copies[0, row.tile]
            assert len(discards(text)) == np.count_nonzero(deal)


@pytest.mark.parametrize(
    ("function", "text", "status", "message"),
    [
        (shanten, "123m", Status.TILE_COUNT, "3 concealed tiles, 13 or 14 are wanted"),
        (shanten, "", Status.TILE_COUNT, "0 concealed tiles, 13 or 14 are wanted"),
        (shanten, "[EEE]123456m", Status.TILE_COUNT, "6 concealed tiles beside 1 meld, 10 or 11"),
        (acceptance, "123456789m12344p1s", Status.TILE_COUNT, "15 concealed tiles"),
        (waits, "123456789m12344p", Status.TILE_COUNT, "leave the drawn tile out"),
        (discards, "123456789m1234p", Status.TILE_COUNT, "the drawn tile belongs to the hand"),
        (waits, "11111m22233344p", Status.FIVE_OF_A_KIND, "5 copies of 1m: there are four"),
        (waits, "[1111m]123m456789p5s", Status.FIVE_OF_A_KIND, "5 copies of 1m"),
        (shanten, "[1m][2m]1m", Status.BAD_MELD, "no meld"),
        (shanten, "[EEE][SSS][WWW][NNN][CCC]1m", Status.BAD_MELD, "5 melds"),
        (waits, "0m", Status.BAD_TILE, "no red fives"),
        (waits, "123456789m1234p|EE1000", Status.BAD_CIRCUMSTANCES, "self_drawn"),
    ],
)  # fmt: skip
def test_bad_texts(function, text, status, message):
    with pytest.raises(InvalidHand, match=message) as caught:
        function(text)
    assert caught.value.status == status
    assert "\n" not in str(caught.value)


def test_bad_visible_tiles():
    with pytest.raises(InvalidHand, match="5 copies of 1m with the visible ones"):
        acceptance("1123456789m123p", visible="111m")
    with pytest.raises(InvalidHand, match="no tile"):
        waits("1123456789m123p", visible="x")


def test_answers_can_be_pickled_and_compared():
    found = discards("123m456m8m4p6p2s3s4s7sE")
    assert pickle.loads(pickle.dumps(found)) == found
    assert hash(found[0]) != hash(found[1])


# --- texts, hands, counts


def test_a_hand_may_be_given_in_any_way():
    hand = Hand("123m456p78999s", "9s", ["EEE"], seat_wind="S", self_drawn=True, flowers=1)
    counts, melds = np.array(hand.counts), hand.melds
    before = counts - np.eye(34, dtype=int)[hand.win_tile]
    for function in (shanten, acceptance, discards, routes):
        expected = function("[EEE]123m456p78999s|ES")
        assert function(hand) == expected
        if function is not routes:  # counts have no winds
            assert function(counts, melds=melds) == expected
            assert function(counts.tolist(), melds=["EEE"]) == expected
            assert function(counts, melds=[melds[0].code, 0, 0, 0]) == expected
            assert function(counts, melds=np.array([melds[0].code, 0, 0, 0], np.uint8)) == expected
    expected = waits("[EEE]123m456p7899s9s"[:-2] + "|ES|1")
    assert waits(hand) == expected  # before the win
    assert waits(before, melds=melds).tiles == expected.tiles
    assert hash(shanten(hand)) == hash(shanten(counts, melds=melds))
    simulated = simulate(hand, samples=50, seed=1)
    assert simulated == simulate("[EEE]123m456p78999s|ES|1", samples=50, seed=1)
    assert simulate(counts, melds=melds, samples=50, seed=1).hand == simulated.hand
    assert min_fan_shanten(hand) == min_fan_shanten("[EEE]123m456p78999s|ES")
    assert (exact_chances(hand, draws=3) == exact_chances("[EEE]123m456p7899s|ES", draws=3)).all()


def test_visible_tiles_may_be_counts():
    seen = np.bincount(parse_tiles("111p"), minlength=34)
    assert acceptance("123456789m1234p", visible=seen) == acceptance(
        "123456789m1234p", visible="111p"
    )


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([1, 2, 3],), {}, TypeError, "a text, a Hand or 34 counts are wanted, got list of shape"),
        ((None,), {}, TypeError, "a text, a Hand or 34 counts are wanted, got NoneType"),
        ((np.full(34, 0.5),), {}, TypeError, "34 counts are wanted"),
        (([5] + [0] * 33,), {}, InvalidHand, "5 copies of 1m"),
        (([-1] + [0] * 33,), {}, InvalidHand, "-1 copies of 1m"),
        (([1] * 13 + [0] * 21,), {"melds": 1}, TypeError, "melds: a list"),
        (([1] * 13 + [0] * 21,), {"melds": "EEE"}, TypeError, "melds: a list"),
        (([1] * 10 + [0] * 24,), {"melds": [137]}, InvalidHand, "137 is no meld code"),
        (([1] * 10 + [0] * 24,), {"melds": [0.5]}, TypeError, "melds must be a whole number"),
        (("123456789m1234p",), {"melds": ["EEE"]}, TypeError, "its own"),
    ],
)
def test_what_is_no_hand_is_told(arguments, options, error, message):
    with pytest.raises(error, match=message):
        shanten(*arguments, **options)


def test_rows_of_batches():
    deals = random_deals(50, tiles=14, seed=3)
    codes = np.zeros((50, 4), np.uint8)
    wins = random_wins(50, seed=3, melds=0)
    ready = wins.counts.copy()
    ready[np.arange(50), wins.win_tile] -= 1
    batches = [
        shanten_batch(deals), regular_shanten_batch(deals), waits_batch(ready),
        acceptance_batch(deals), discards_batch(deals), waits_scores_batch(ready),
        fan_distance_batch(deals, melds=codes), min_fan_shanten_batch(deals),
    ]  # fmt: skip
    for found in batches:
        assert found == found[:] == found[np.arange(50)] == pickle.loads(pickle.dumps(found))
        assert found[[]] != found and len(found[[]]) == 0
        assert found != found[::-1] and found != "text"
        assert len(found[found.status == 0]) == 50
        rows = list(found)
        assert rows == [found[place] for place in range(50)] and rows[-1] == found[-1]
        assert len(set(rows)) > 1  # they can be hashed
        assert repr(rows[0]).startswith(f"{type(found).__name__.removesuffix('Batch')}Row(")
        for name, value in rows[7]._asdict().items():
            column = getattr(found, name)
            assert np.array_equal(column[7], value), name
            assert np.array_equal(getattr(found[5:9], name)[2], value)
        with pytest.raises(IndexError):
            found[50]
        with pytest.raises(TypeError):
            hash(found)


def test_simulations_are_values():
    """Hands that never win have no mean, and are equal all the same."""
    for text in ("12357m458p2467sEC", "123456789m1234p"):
        one, same, other = (
            simulate(text, samples=50, draws=3, seed=seed, policy="shanten") for seed in (1, 1, 2)
        )
        assert one == same == copy.deepcopy(one) and hash(one) == hash(same)
        assert one != other and one.choices[0] == same.choices[0] != "text"


# --- commands


@pytest.fixture(scope="module")
def run():
    app = typer.Typer()
    register(app)

    def call(*arguments: str):
        return CliRunner().invoke(app, arguments)

    return call


def test_command_shanten(run):
    result = run("shanten", "123m456m8m4p6p2s3s4s7s")
    assert result.exit_code == 0
    assert "1 from ready" in result.output and "8m5p7s" in result.output
    record = json.loads(run("shanten", "--json", "[EEE]", "456m8m4p6p2s3s4s7s").output)
    assert record["hand"] == "[EEE]4568m46p2347s"
    assert list(record["forms"]) == ["regular", "knitted_straight"]
    assert record["forms"]["regular"]["accepts"] == ["8m", "5p", "7s"]


def test_command_waits(run):
    result = run("waits", "234m567m345p678s5s")
    assert result.exit_code == 0
    assert "5s" in result.output and "wins only self-drawn" in result.output
    record = json.loads(run("waits", "--json", "--rules", "wmo2006", "234m567m345p678s5s").output)
    assert record["rules"] == "WMO2006" and record["waits"][0]["left"] == 3
    assert "not ready" in run("waits", "1112m456p789sENC").output
    assert "no copy left" in run("waits", "[123p][456p][789p]1111m").output


def test_command_discards(run):
    result = run("discards", "123m456m8m4p6p2s3s4s7sE", "-v", "8m")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert "discard" in lines[1] and len(lines) >= 16
    arguments = ("discards", "--json", "--form", "SEVEN_pairs", "11223344m5566p7sE")
    record = json.loads(run(*arguments).output)
    assert record["discards"][0]["shanten"] == 0
    assert {row["discard"] for row in record["discards"] if row["shanten"] == 0} == {"7s", "E"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("shanten", "123m"),
        ("shanten", "--honors", "thai", "123456789m1234p"),
        ("waits", "123456789m12344p"),
        ("waits", "--rules", "riichi", "123456789m1234p"),
        ("discards", "123456789m12344q"),
        ("discards", "--form", "pairs", "123456789m12344p"),
        ("discards", "--form", "seven_pairs", "[EEE]456789m12344p"),
    ],
)
def test_commands_refuse_in_one_line(capsys, arguments):
    code = main(arguments)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
