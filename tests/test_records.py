"""Game records: logs are read as they were written, and replayed as they were played."""

from __future__ import annotations

import io
import json
import pickle
from collections import Counter
from dataclasses import replace as changed

import pytest

from fastmj import GB98, WMO2006, MeldKind, records
from fastmj.hands.hand import KONG, LAST_OF_KIND, LAST_TILE, SELF_DRAWN
from fastmj.records import (
    BadRecord,
    Event,
    EventKind,
    differences,
    read_games,
    read_judge,
    read_log,
    replay,
    wins,
    write_judge,
    write_log,
)
from fastmj.records.format import read_fans, read_tile, write_tile
from fastmj.records.play import play_game, play_with_hand

#: Games of every kind: fair and biased walls, low and ordinary minima, with flowers and without.
SETTINGS = [
    {"bias": 0.9},
    {"bias": 0.6, "rules": GB98.replace(min_fan=0)},
    {"bias": 0.0, "rules": GB98.replace(min_fan=2)},
    {"bias": 0.9, "flowers": True, "rules": GB98.replace(min_fan=1)},
    {"bias": 0.5, "rules": WMO2006},
    {"bias": 0.0, "rules": GB98.replace(min_fan=64)},
]
#: Seeds of games that are won on a last tile or with a kong.
RARE = {
    (0.0, False): (9, 32, 74, 78, 108, 112, 116),
    (0.3, False): (22, 35, 39, 95, 116),
    (0.5, True): (10, 31, 111, 146),
}


@pytest.fixture(scope="module")
def played():
    return [play_with_hand(seed, **setting) for setting in SETTINGS for seed in range(10)] + [
        play_with_hand(seed, bias=bias, flowers=flowers)
        for (bias, flowers), seeds in RARE.items()
        for seed in seeds
    ]


@pytest.fixture(scope="module")
def games(played):
    return [game for game, _ in played]


def ignored(game):
    return [sorted(map(str, event.ignored)) for event in game.events]


# --- reading what was written


def test_text_round_trip(games):
    found = list(read_log(write_log(games).splitlines()))
    assert found == games
    assert [ignored(game) for game in found] == [ignored(game) for game in games]


def test_judge_round_trip(games):
    for game in games:
        document = write_judge(game)
        for form in (document, json.dumps(document), document["logs"], {"log": document["logs"]}):
            found = read_judge(form)
            assert changed(found, name=game.name) == game
            assert ignored(found) == ignored(game)


def test_displays_may_be_text():
    game = play_game(seed=3)
    document = write_judge(game)
    for entry in document["logs"][::2]:
        entry["output"]["display"] = json.dumps(entry["output"]["display"])
    assert read_judge(document) == game


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
@pytest.mark.parametrize("form", ["text", "crlf", "bom", "lines", "document", "list"])
def test_files(tmp_path, games, form, encoding):
    some = games[:4]
    documents = [write_judge(game) for game in some]
    text = {
        "text": write_log(some),
        "crlf": write_log(some).replace("\n", "\r\n"),
        "bom": "\ufeff\n" + write_log(some),
        "lines": "\n".join(json.dumps(one, ensure_ascii=False) for one in documents) + "\n\n",
        "document": json.dumps(documents[0], indent=1, ensure_ascii=False),
        "list": json.dumps(documents, indent=1, ensure_ascii=False),
    }[form]
    path = tmp_path / "games"
    path.write_text(text, encoding=encoding, newline="")
    expected = some[:1] if form == "document" else some
    assert list(read_games(path)) == list(read_games(str(path))) == expected
    assert list(read_games(io.StringIO(text))) == expected
    assert list(read_games(io.BytesIO(path.read_bytes()))) == expected


def test_an_empty_file_has_no_games():
    assert list(read_games(io.StringIO(""))) == list(read_games(io.StringIO("\n \n"))) == []


@pytest.mark.parametrize("named", ["F1", "J3"])
def test_a_log_by_hand(named):
    """What the documentation of the format shows.

    A self-drawn win names the tile drawn, or, in older logs, the discard before.
    """
    text = """
        Match 61602cb45ddc087351c04367
        Wind 3
        Player 0 Deal W1 W2 W3 W4 W5 W6 W7 W8 W9 B1 B2 B3 F1
        Player 1 Deal B3 B3 B4 B4 B5 B6 T1 T1 T2 T2 T3 T3 T4
        Player 2 Deal B7 B7 B8 B8 B9 B9 T5 T5 T6 T6 T7 T7 T8
        Player 3 Deal F2 F2 F2 F3 F3 F3 J1 J1 J1 J2 J2 J3 J3
        Player 0 Draw W9
        Player 0 Play W9
        Player 1 Draw F2
        Player 1 Play F2
        Player 3 Gang F2
        Player 3 Draw T9
        Player 3 Play T9
        Player 0 Draw B3
        Player 0 Play B3
        Player 1 Peng B3 Ignore Player 2 CHI B8
        Player 1 Play T4
        Player 2 Draw T9
        Player 2 Play T9
        Player 3 Draw J2
        Player 3 Play J3
        Player 0 Draw F1
        Player 0 Hu NAMED
        Fan 26 清龙*1+不求人*1+平和*1
        Score 102 -34 -34 -34
    """
    game = next(read_log(text.replace("NAMED", named).splitlines()))
    assert (game.name, game.prevalent_wind, game.end, game.total) == (
        "61602cb45ddc087351c04367", 3, "win", 26,
    )  # fmt: skip
    claim = next(event for event in game.events if event.ignored)
    assert claim.ignored == (Event(EventKind.CHOW, 2, read_tile("B8")),)
    win = replay(game)
    assert str(win.hand) == "123456789m123pEE|NE1000"
    assert (win.player, win.discarder, win.line) == (0, -1, 24)
    assert win.hand.win_tile == read_tile("F1")


def test_names_of_fans():
    fans = {"坎张": 1, "无番和": 1, "一般高": 2, "门前清": 1}
    assert read_fans("嵌张*1+无番和*1+一般高*2+门前清") == (fans, ())
    assert read_fans("新番*1") == ({"新番": 1}, ())
    assert read_fans("") == ({}, ())
    assert read_fans("??*1+平和*1+\ufffd\ufffd*2+???") == ({"平和": 1}, (1, 2, 1))
    with pytest.raises(BadRecord, match="NAME\\*TIMES"):
        read_fans("平和*x")


def test_codes_of_tiles():
    assert [read_tile(write_tile(tile)) for tile in range(42)] == list(range(42))
    for bad in ("H9", "H0", "X1", "", "W", "F5"):
        with pytest.raises(BadRecord):
            read_tile(bad)


# --- replaying what was played


def test_the_winner_holds_what_the_winner_held(played):
    """Played and replayed apart: tiles, melds and where they came from, every circumstance."""
    for game, hand in played:
        win = replay(game)
        assert (win and win.hand) == hand
        if hand is not None:
            assert [m.source for m in win.hand.melds] == [m.source for m in hand.melds]
            assert game.scores[win.player] == max(game.scores) > 0
            if win.discarder >= 0:
                assert game.scores[win.discarder] == min(game.scores)
                assert not hand.self_drawn


@pytest.mark.parametrize("wind", range(4))
@pytest.mark.parametrize("player", range(4))
def test_winds_are_numbered_east_south_west_north(wind, player):
    """A pung of F1-F4 by player 0-3 in a game of wind 0-3."""
    pungs = "W1 W1 W1 B9 B9 B9 T1 T1 T1 J1"
    for pung in range(4):
        deals = ["B1 B4 B7 T3 T6 T9 W2 W5 W8 J2 J2 J3 J3"] * 4
        deals[player] = f"{pungs}{f' F{pung + 1}' * 3}"
        deals[(player + 1) % 4] = deals[player - 1].replace("J2 J2 J3 J3", "B2 B5 B8 T2")
        lines = [f"Match m\nWind {wind}", *(f"Player {p} Deal {d}" for p, d in enumerate(deals))]
        for drawing in range(player):
            tile = ("B3", "B6", "T4")[drawing]
            lines += [f"Player {drawing} Draw {tile}", f"Player {drawing} Play {tile}"]
        lines += [f"Player {player} Draw J1", f"Player {player} Hu J1", "Fan 0", "Score 0 0 0 0"]
        fans = replay(next(read_log("\n".join(lines).splitlines()))).score().fans
        assert ("圈风刻" in fans, "门风刻" in fans) == (pung == wind, pung == player)


def test_a_win_names_its_tile(played):
    for game, hand in played:
        if hand is not None:
            assert game.events[-1].tile == hand.win_tile


def test_the_games_have_everything(played):
    kinds = Counter(event.kind for game, _ in played for event in game.events)
    kinds[EventKind.FALSE_WIN] = 11  # players here never do
    assert min(kinds[kind] for kind in EventKind) > 10
    hands = [hand for _, hand in played if hand is not None]
    bits = Counter(hand.circumstances for hand in hands)
    for bit in (SELF_DRAWN, LAST_OF_KIND, LAST_TILE, KONG):
        assert sum(times for key, times in bits.items() if key & bit) > 1
    assert bits[KONG] > 0  # a robbed kong
    assert Counter(game.end for game, _ in played)["draw"] >= 10
    assert sum(len(event.ignored) for game, _ in played for event in game.events) > 10
    melds = Counter(meld.kind for hand in hands for meld in hand.melds)
    assert min(melds[kind] for kind in MeldKind) > 0


def test_players_are_the_same_for_the_same_seed():
    assert play_game(5) == play_game(5) != play_game(6)
    assert play_game(5, bias=0.5) != play_game(5)
    with pytest.raises(ValueError, match="bias"):
        play_game(1, bias=2)


def test_all_is_as_declared(played):
    for setting in SETTINGS:
        rules = setting.get("rules", GB98)
        some = [play_game(seed, **setting) for seed in range(10)]
        found = list(differences(wins(some), rules=rules))
        assert len(found) == sum(game.end == "win" for game in some)
        assert not any(differing for _, differing in found)


def test_differences():
    game = next(g for g in (play_game(seed) for seed in range(50)) if "自摸" in g.fans)
    wrong = changed(game, total=game.total + 1, fans={**game.fans, "自摸": 2, "平胡": 1})
    ((win, found),) = differences(wins([wrong]))
    assert win.game is wrong
    assert [one.what for one in found] == ["total", "fans"]
    assert found[0].declared == str(game.total + 1)
    assert str(found[1]) == "fans: declared 自摸×2 平胡, computed 自摸"
    ((_, found),) = differences(wins([changed(game, scores=(1, 2, 3, -6))]))
    assert [one.what for one in found] == ["score"]
    assert found[0].computed == " ".join(map(str, game.scores))
    ((_, found),) = differences(wins([changed(game, total=game.total + 1)]))
    assert [one.what for one in found] == ["total"]
    ((_, found),) = differences(wins([changed(game, fans={})]))  # names are not always logged
    assert not found


@pytest.mark.parametrize("write", [write_log, lambda games: json.dumps(write_judge(games[0]))])
def test_names_may_be_lost(write):
    """Question marks in place of characters: what is left of the fans is compared all the same."""
    game = next(g for g in (play_game(seed) for seed in range(50)) if 2 in g.fans.values())
    lost = changed(game, fans={}, unnamed=tuple(game.fans.values()))
    assert list(read_games(io.StringIO(write([lost])))) == [lost]
    (first, times), *others = game.fans.items()
    for same in (lost, changed(game, fans=dict(others), unnamed=(times,))):
        ((_, found),) = differences(wins([same]))
        assert not found
    ((_, found),) = differences(wins([changed(lost, unnamed=lost.unnamed[1:])]))
    assert [one.what for one in found] == ["fans"]
    assert found[0].declared.split() == [f"?×{n}" if n > 1 else "?" for n in lost.unnamed[1:]]
    assert found[0].computed.count(" ") == len(game.fans) - 1
    ((_, found),) = differences(wins([changed(game, fans={first: times + 1}, unnamed=(1,))]))
    assert found[0].declared == f"{first}×{times + 1} ?"
    ((_, found),) = differences(wins([changed(lost, total=lost.total + 1)]))
    assert [one.what for one in found] == ["total", "fans"]  # so that what was counted is seen


# --- the walls


def test_the_last_tile_is_that_of_the_next_wall(played):
    for game, hand in played:
        if hand is None or not hand.last_tile or game.has_flowers:
            continue
        drawn = Counter(e.player for e in game.events if e.kind == EventKind.DRAW)
        last = next(
            e.player for e in reversed(game.events) if e.kind in (EventKind.DRAW, EventKind.PLAY)
        )
        assert drawn[(last + 1) % 4] == 21


def test_errors_cross_processes():
    error = pickle.loads(pickle.dumps(BadRecord("so", 3, "entry")))
    assert (str(error), error.line) == ("entry 3: so", 3)


def test_public_names():
    assert set(records.__all__) <= set(dir(records))
