"""Distance of single hands as text, and the commands."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from fastmj import WMO2006, InvalidHand, Status
from fastmj.cli.command import main
from fastmj.cli.distance import register
from fastmj.distance import (
    FORMS,
    acceptance,
    acceptance_batch,
    discards,
    discards_batch,
    shanten,
    shanten_batch,
    waits,
)
from fastmj.hands.tiles import format_tiles, parse_tiles, tiles_of
from fastmj.samples.deals import random_deals


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
    arguments = ("discards", "--json", "--form", "seven-pairs", "11223344m5566p7sE")
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
