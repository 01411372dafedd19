"""Pictures: well-formed, every tile in its place, nothing from outside."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from fastmj import InvalidHand, cli, parse_hand, random_wins
from fastmj.hands.tiles import NAMES
from fastmj.pictures.faces import STROKES, face
from fastmj.pictures.hand import hand_svg

NS = "{http://www.w3.org/2000/svg}"
HANDS = [
    "123456789m12355p",
    "[123m,1][5555p]456s78s99m9s|EE1000|2",
    "[EEE,1][SSS,2][WWW,3][NNNN,6]CC|EE1000",
    "19m19p19sESWNCFPP",
    "1112345678999s1s",
    "[9999m,7][2222p,2][5555s,3][FFFF]SS|SE1001|5",
    "147m258p369sESWCF",
    "2233445566778p8p|EE1010|8",
    "[1111m,5][PPPP,1][9999s,3][234p,2]8p8p",
    "[123m][EEE][5555p]99s99p9p",
]


def drawn(text):
    return ET.fromstring(hand_svg(text))


def titles(element):
    return [title.text for title in element.iter(f"{NS}title")]


def places(group):
    """Title, x, y and whether it lies sideways, of each tile of a group."""
    for tile in group:
        x, y = map(float, re.findall(r"-?[0-9.]+", tile.get("transform"))[:2])
        title = tile.find(f"{NS}title")
        turn = tile.find(f"{NS}g")
        sideways = turn is not None and "rotate" in (turn.get("transform") or "")
        yield (title.text if title is not None else None), x, y, sideways


@pytest.mark.parametrize("text", HANDS)
def test_every_tile_is_drawn(text):
    hand = parse_hand(text)
    root = drawn(text)
    shown = titles(root)
    hidden = 2 * sum(meld.kind.name == "CONCEALED_KONG" for meld in hand.melds)
    number = len(hand.concealed) + sum(len(meld.tiles) for meld in hand.melds)
    assert len(shown) == number - hidden + hand.flowers
    assert shown.count("flower") == hand.flowers
    *groups, last = root if not hand.flowers else root[:-1]
    assert titles(last) == [NAMES[hand.win_tile]]
    rest = list(hand.concealed)
    rest.remove(hand.win_tile)
    assert titles(groups[-1]) == [NAMES[tile] for tile in rest]
    for meld, group in zip(hand.melds, groups, strict=False):
        expected = [NAMES[tile] for tile in meld.tiles]
        assert titles(group) == (expected[:2] if meld.kind.name == "CONCEALED_KONG" else expected)


@pytest.mark.parametrize("text", HANDS)
def test_nothing_is_drawn_outside_or_over_another(text):
    root = drawn(text)
    left, top, width, height = map(float, root.get("viewBox").split())
    assert float(root.get("height")) > 0
    end = -100.0
    for group in root:
        gx, gy = map(float, re.findall(r"-?[0-9.]+", group.get("transform")))
        flowers = titles(group)[:1] == ["flower"]
        boxes = []
        for _, x, y, sideways in places(group):
            w, h = (80, 60) if sideways else (60, 80)
            if flowers:
                w, h = 60 * 0.62, 80 * 0.62
            boxes.append((gx + x, gy + y, gx + x + w, gy + y + h))
        assert min(box[0] for box in boxes) >= max(end + 10, left)
        end = max(box[2] for box in boxes)
        assert end <= left + width
        assert min(box[1] for box in boxes) >= top
        assert max(box[3] for box in boxes) <= top + height
        for one in boxes:
            for other in boxes:
                apart = one[2] <= other[0] or other[2] <= one[0]
                apart |= one[3] <= other[1] or other[3] <= one[1]
                assert apart or one is other


@pytest.mark.parametrize(
    ("meld", "sideways"),
    [
        ("[123m,1]", [0]), ("[123m,2]", [1]), ("[123m,3]", [2]), ("[123m]", []),
        ("[EEE,1]", [0]), ("[EEE,2]", [1]), ("[EEE,3]", [2]), ("[EEE]", []),
        ("[EEEE,1]", [0]), ("[EEEE,2]", [1]), ("[EEEE,3]", [3]), ("[EEEE]", []),
        ("[EEEE,5]", [0, 1]), ("[EEEE,6]", [1, 2]), ("[EEEE,7]", [2, 3]),
    ],
)  # fmt: skip
def test_the_claimed_tile_lies_sideways(meld, sideways):
    group = drawn(f"{meld}12345678s99p9p")[0]
    found = list(places(group))
    assert [place for place, tile in enumerate(found) if tile[3]] == sideways
    if meld == "[EEEE]":
        assert [tile[0] for tile in found] == [None, "E", "E", None]
    if len(sideways) == 2:  # one on the other
        low, high = found[sideways[0]], found[sideways[1]]
        assert low[1] == high[1]
        assert high[2] < low[2] - 59


def test_pictures_need_nothing():
    """No fonts, links, scripts, and no ids that could meet those of another picture in a page."""
    for text in HANDS:
        svg = hand_svg(text)
        for word in ("<text", "href", "<script", "<style", "<use", "url(", "<image", "font"):
            assert word not in svg
        assert not re.search(r"\bid=", svg)
        assert svg.isascii()
        assert len(svg) < 40_000


def test_every_face_is_another():
    faces = [face(tile) for tile in range(34)]
    assert len(set(faces)) == 34
    for one in faces:
        ET.fromstring(f"<g>{one}</g>")
    dots = [len(re.findall("<circle", face(9 + rank))) // 3 for rank in range(1, 9)]
    assert dots == list(range(2, 10))
    sticks = [face(18 + rank).count("<g fill=") for rank in range(1, 9)]
    assert sticks == list(range(2, 10))
    with pytest.raises(ValueError, match="no tile id"):
        face(34)


def test_strokes_stay_in_their_box():
    for path in STROKES.values():
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", path)]
        assert min(numbers) >= 4
        assert max(numbers) <= 96


def test_height_and_hands():
    small, large = (drawn_at(height) for height in (40, 80))
    assert small.get("viewBox") == large.get("viewBox")
    assert int(large.get("height")) == 2 * int(small.get("height"))
    with pytest.raises(ValueError, match="above 0"):
        hand_svg(HANDS[0], height=0)
    with pytest.raises(InvalidHand):
        hand_svg("123m")
    assert hand_svg(parse_hand(HANDS[1])) == hand_svg(HANDS[1])


def drawn_at(height):
    return ET.fromstring(hand_svg(HANDS[0], height=height))


def test_many_random_hands_can_be_drawn():
    for hand in random_wins(300, seed=5):
        root = drawn(hand)
        assert root.get("aria-label") == str(hand)


# --- the command


def test_command_draws(tmp_path, capsys):
    target = tmp_path / "hand.svg"
    assert cli.main(["score", HANDS[1], "--svg", str(target)]) == 0
    assert target.read_text(encoding="utf-8") == hand_svg(HANDS[1]) + "\n"
    plain = capsys.readouterr().out
    cli.main(["score", HANDS[1]])
    assert capsys.readouterr().out == plain


@pytest.mark.parametrize("hands", [HANDS[:2], [*HANDS[:1], "123m"]])
def test_command_draws_one_hand(tmp_path, capsys, hands):
    target = tmp_path / "hand.svg"
    assert cli.main(["score", *hands, "--svg", str(target)]) == 2
    assert "--svg draws one hand, 2 are given" in capsys.readouterr().err
    assert not target.exists()


def test_command_says_what_is_wrong(tmp_path, capsys):
    target = tmp_path / "none" / "hand.svg"
    assert cli.main(["score", HANDS[0], "--svg", str(target)]) == 2
    assert f"cannot write {target}: No such file" in capsys.readouterr().err
    assert cli.main(["score", "123m", "--svg", str(tmp_path / "hand.svg")]) == 2
    assert not (tmp_path / "hand.svg").exists()


def test_the_picture_of_the_documentation():
    """Drawn anew by ``fastmj score "..." --svg tests/pictures/hand.svg``."""
    picture = Path(__file__).parent / "pictures" / "hand.svg"
    expected = hand_svg("[234p,2][EEEE,6][5555s]77m66p6p|EE1001|2")
    assert picture.read_text(encoding="utf-8") == expected + "\n"
