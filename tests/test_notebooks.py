"""What notebooks show: well-formed, every tile drawn, nothing from outside, texts escaped."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest

import fastmj
from fastmj import GB98, REGIONAL, HandBatch, parse_hand, random_wins, score_batch, score_hand
from fastmj.hands.tiles import NAMES, tiles_of
from fastmj.pictures.html import SHOWN, Html, page, table

WIDE = "[9999m,7][2222p,2][5555s,3][FFFF]SS|SE1001|5"
BATCH = random_wins(30, seed=4)
READY, DRAWN = "[EEE]123m456p5678s", "[111p][234p]45678m99sE"
BAD = np.full((1, 34), 5)
THINGS = {
    "hand": parse_hand(WIDE),
    "hands": BATCH,
    "no hands": BATCH[:0],
    "bad hands": HandBatch(np.vstack([BATCH.counts[:2], BAD]), win_tile=3),
    "score": score_hand(WIDE),
    "no win": score_hand("123456789m1235p9s"),
    "regional score": score_hand(WIDE, rules=REGIONAL),
    "scores": score_batch(BATCH),
    "bad scores": score_batch(HandBatch(np.vstack([BATCH.counts[:2], BAD]), win_tile=3)),
    "explanation": score_hand("[EEE]111999m11p99s9s||2").explain(),
    "several readings": score_hand("11223344556677s").explain(),
    "types": score_hand("[111m,1][555p,2][999s,3]33p77s7s", rules=REGIONAL).explain(),
    "nothing to explain": score_hand("123456789m1235p9s").explain(),
    "shanten": fastmj.shanten(READY),
    "waits": fastmj.waits(READY),
    "no waits": fastmj.waits("1133m258p369sEEC"),
    "waits used up": fastmj.waits("123456789m1111p"),
    "acceptance": fastmj.acceptance(READY),
    "discards": fastmj.discards(DRAWN),
    "a discard": fastmj.discards(DRAWN)[0],
    "simulation": fastmj.simulate(DRAWN, samples=50, draws=5, seed=1),
    "simulation of 13": fastmj.simulate(READY, samples=50, draws=5, seed=1),
}


def shown(thing):
    return ET.fromstring(thing._repr_html_())


def tiles(element):
    return Counter(title.text for title in element.iter("{http://www.w3.org/2000/svg}title"))


def cells(element):
    """Texts of the cells of a table, the heads first."""
    return [
        ["".join(text for text in cell.itertext()) for cell in row] for row in element.iter("tr")
    ]


@pytest.mark.parametrize("name", THINGS)
def test_it_is_well_formed_and_from_nowhere_else(name):
    html = THINGS[name]._repr_html_()
    root = ET.fromstring(html)
    assert root.get("class") == "fastmj"
    assert not {"script", "link", "img", "a"} & {element.tag for element in root.iter()}
    assert not re.search(r"(https?:)?//(?!www.w3.org/2000/svg)|url\(|\bid=", html)
    assert len(html) < 30_000 * SHOWN
    # The colours of text and ground are the page's.
    style = root.find("style").text
    assert not re.search(r"[^-]color:(?!inherit)|background:(?!none)", style)
    assert "prefers-color-scheme:dark" in style


def test_hands_are_drawn_in_parts_that_wrap():
    root = shown(THINGS["hand"])
    hand = THINGS["hand"]
    found = tiles(root)
    assert found["flower"] == hand.flowers
    drawn = Counter(NAMES[tile] for meld in hand.melds for tile in meld.tiles)
    drawn["F"] -= 2  # two tiles of a concealed kong lie face down
    drawn["S"] += 2
    assert found - Counter(flower=5) == drawn
    parts = root.find("span").findall("span")
    assert [len(part) for part in parts] == [1, 1, 1, 1, 1, 1, 1]
    assert root.find("span").get("class") == "hand"
    assert "flex-wrap:wrap" in root.find("style").text
    assert [p.text for p in root.findall("p")] == [WIDE]


@pytest.mark.parametrize("name", ["shanten", "waits"])
def test_hands_on_their_way_are_drawn(name):
    picture = shown(THINGS[name]).find("span")
    drawn = Counter(E=3) + Counter(["1m", "2m", "3m", "4p", "5p", "6p", "5s", "6s", "7s", "8s"])
    assert tiles(picture) == drawn


def test_batches_show_their_first_rows():
    for name in ("hands", "scores"):
        heads, *rows = cells(shown(THINGS[name]))
        assert [row[0] for row in rows] == [str(number) for number in range(SHOWN)]
        assert heads[1] == "hand"
        text = "".join(shown(THINGS[name]).itertext())
        assert f"30 hands, of which these are the first {SHOWN}" in text
    scores = THINGS["scores"]
    for row, line in enumerate(rows):
        assert line[2:4] == [str(scores.total[row]), "yes" if scores.wins[row] else "no"]
        assert line[4] == " ".join(scores.fan_names(row))
    assert not cells(shown(THINGS["no hands"]))
    assert cells(shown(THINGS["bad hands"]))[3][1] == "TILE_COUNT"
    assert "14 concealed tiles" in cells(shown(THINGS["bad scores"]))[3][4]


def test_tables_say_what_is_in_the_answers():
    waits = THINGS["waits"]
    rows = cells(shown(waits))[1:]
    assert [row[1:] for row in rows] == [
        [NAMES[w.tile], str(w.left), str(w.by_discard), str(w.self_drawn), w.verdict] for w in waits
    ]
    assert cells(shown(THINGS["waits used up"]))[1][2:] == ["0", "", "", "no copy left"]
    assert not cells(shown(THINGS["no waits"]))
    discards = THINGS["discards"]
    for row, line in zip(discards, list(shown(discards).iter("tr"))[1:], strict=True):
        held, name, _, accepted, copies = line
        assert tiles(held) == Counter([name.text])
        assert name.text == NAMES[row.tile]
        assert tiles(accepted) == Counter(NAMES[tile] for tile in row.tiles)
        assert copies.text == str(row.copies)
    explained = THINGS["explanation"]
    points = [row[0] for row in cells(shown(explained))[1:] if row[0] != "–"]
    assert sum(map(int, points)) == explained.total
    score = THINGS["score"]
    *_, last = cells(shown(score))
    assert last[0] == score.verdict
    assert last[3] == str(score.total)
    choices = THINGS["simulation"].choices
    assert [row[1] for row in cells(shown(THINGS["simulation"]))[1:]] == [
        str(choice).partition(":")[0] for choice in choices
    ]


def test_texts_are_escaped():
    house = GB98.replace(name="<b>&house")
    for thing in (score_hand(WIDE, rules=house), fastmj.waits(READY, rules=house)):
        assert "&lt;b&gt;&amp;house" in thing._repr_html_()
    shown_table = table(["<"], [["<i>", 1.5, True, Html("<br/>")]])
    assert shown_table == (
        "<table><tr><th>&lt;</th></tr><tr><td>&lt;i&gt;</td>"
        '<td class="n">1.5</td><td>yes</td><td><br/></td></tr></table>'
    )
    assert page("<i>", shown_table).endswith(f"<p>&lt;i&gt;</p>{shown_table}</div>")


def test_a_random_hand_shows_its_tiles():
    for hand in random_wins(100, seed=8):
        found = tiles(shown(hand))
        hidden = 2 * sum(meld.kind.name == "CONCEALED_KONG" for meld in hand.melds)
        number = len(hand.concealed) + sum(len(meld.tiles) for meld in hand.melds)
        assert sum(found.values()) == number - hidden + hand.flowers
        assert found.keys() >= {NAMES[tile] for tile in tiles_of(hand.counts)}
