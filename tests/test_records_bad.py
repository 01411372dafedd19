"""Game records that are wrong: a clear error with the place, and the other games all the same."""

from __future__ import annotations

import io
import json
from dataclasses import replace as changed

import pytest

from fastmj.records import (
    BadRecord,
    EventKind,
    decisions,
    false_win_due,
    read_games,
    read_judge,
    read_log,
    replay,
    wins,
    write_judge,
    write_log,
)
from fastmj.records.play import play_game

GAME = """\
Match a
Wind 0
Player 0 Deal W1 W2 W3 W4 W5 W6 W7 W8 W9 B1 B2 B3 F1
Player 1 Deal B3 B3 B4 B4 B5 B6 T1 T1 T2 T2 T3 T3 T4
Player 2 Deal B7 B7 B8 B8 B9 B9 T5 T5 T6 T6 T7 T7 T8
Player 3 Deal F2 F2 F2 F3 F3 F3 J1 J1 J1 J2 J2 J3 J3
Player 0 Draw W9
Player 0 Play W9
Player 1 Draw J1
Player 1 Play B4
Player 2 Draw F1
Player 2 Play F1
Player 0 Hu F1
Fan 21 清龙*1+门前清*1+喜相逢*1+缺一门*1+单钓将*1
Score 45 -8 -29 -8
""".splitlines()
#: What is wrong: lines changed or inserted (number, new line), and the line and words of the error.
BAD_TEXTS = {
    "no beginning": ({1: "Player 0 Draw W9"}, 1, "begins with a line Match"),
    "unknown word": ({8: "Spieler 0 Play W9"}, 8, "a line begins with Match, Wind, Player"),
    "unknown event": ({8: "Player 0 Throw W9"}, 8, "'Throw' is none of Draw, Play"),
    "player": ({8: "Player 4 Play W9"}, 8, "after Player comes 0-3"),
    "no tile": ({8: "Player 0 Play"}, 8, "a player 0-3, a word and a tile"),
    "two tiles": ({8: "Player 0 Play W9 W8"}, 8, "a player 0-3, a word and a tile"),
    "bad tile": ({8: "Player 0 Play W0"}, 8, "'W0' is no Botzone tile"),
    "flower played": ({8: "Player 0 Play H1"}, 8, "H1 is no tile for Play"),
    "wind": ({2: "Wind E"}, 2, "a wind is 0-3"),
    "two winds": ({3: "Wind 1"}, 3, "has a wind already"),
    "no wind": ({2: "Player 0 Draw W9"}, 2, "no Wind line yet"),
    "deal of 12": ({3: "Player 0 Deal W1 W2 W3 W4 W5 W6 W7 W8 W9 B1 B2 B3"}, 3, "12 tiles"),
    "two deals": ({4: "Player 0 Deal" + " W1" * 13}, 4, "player 0 has been dealt"),
    "early event": ({6: "Player 0 Draw W9"}, 6, "not all players have been dealt"),
    "fan": ({14: "Fan many"}, 14, "after Fan come the points"),
    "times": ({14: "Fan 21 清龙*x"}, 14, "NAME[*]TIMES"),
    "early fan": ({13: "Fan 8 平和"}, 13, "after a win"),
    "early score": ({13: "Score 0 0 0 0"}, 13, "the game is not over"),
    "no fan": ({14: "Score 0 0 0 0"}, 14, "a Fan line is wanted"),
    "score": ({15: "Score 45 -8 -29"}, 15, "four whole numbers"),
    "score of words": ({15: "Score a b c d"}, 15, "four whole numbers"),
    "after the win": ({14: "Player 0 Draw W1"}, 14, "the game is over"),
    "truncated": ({15: ""}, 14, "without a Score line"),
    "draw after win": ({14: "Huang"}, 14, "ends a game that nobody has won"),
    "ignored draw": ({12: "Player 2 Play F1 Ignore Player 0 Peng F1"}, 12, "only claims take"),
    "ignored play": ({13: "Player 0 Hu F1 Ignore Player 3 Play F1"}, 13, "only claims are ignored"),
}
BAD_GAMES = {
    "tile not held": ({8: "Player 0 Play T1"}, 8, "player 0 holds 0 T1"),
    "turn": ({9: "Player 2 Draw J1"}, 9, "it is the turn of player 1"),
    "no draw": ({7: "Player 0 Play W9"}, 7, "player 0 is to draw"),
    "two draws": ({8: "Player 0 Draw W9"}, 8, "player 0 has drawn and is to play"),
    "fifth": ({9: "Player 1 Draw F2", 10: "Player 1 Play F2", 11: "Player 2 Draw F2",
               12: "Player 2 Play F2"}, 11, "a fifth F2"),
    "fifth dealt": ({4: "Player 1 Deal F2 F2 B4 B4 B5 B6 T1 T1 T2 T2 T3 T3 T4"}, 1, "a fifth F2"),
    "own claim": ({9: "Player 0 Peng W9"}, 9, "nobody claims an own discard"),
    "chow of another": ({9: "Player 2 Chi W8"}, 9, "only player 1 can make a chow"),
    "chow without": ({11: "Player 2 Chi B6"}, 11, "the discard B4 is not in that chow"),
    "chow not held": ({11: "Player 2 Chi B5"}, 11, "player 2 holds 0 B5"),
    "chow of honours": ({11: "Player 2 Chi F2"}, 11, "no chow has F2 in its middle"),
    "pung of another": ({9: "Player 1 Peng B4"}, 9, "the discard is W9"),
    "pung not held": ({9: "Player 3 Peng W9"}, 9, "player 3 holds 0 W9, 2 are wanted"),
    "kong not held": ({11: "Player 3 Gang B4"}, 11, "player 3 holds 0 B4, 3 are wanted"),
    "concealed kong": ({8: "Player 0 AnGang W9"}, 8, "player 0 holds 2 W9, 4 are wanted"),
    "added kong": ({8: "Player 0 BuGang W9"}, 8, "player 0 has no pung of W9"),
    "claim of nothing": ({8: "Player 1 Peng W9"}, 8, "no discard can be claimed"),
    "win of another tile": ({13: "Player 0 Hu F2"}, 13, "the tile to win on is F1"),
    "own win": ({13: "Player 2 Hu F1"}, 13, "nobody wins on an own discard"),
    "win before": (dict.fromkeys(range(7, 13), ""), 13, "there is no tile to win on"),
    "draw too early": ({13: "Huang", 14: ""}, 12, "the wall has tiles left"),
}  # fmt: skip


def text_of(changes):
    return [changes.get(number, line) for number, line in enumerate(GAME, 1)]


def test_the_game_itself_is_right():
    game = next(read_log(GAME))
    assert game.total == replay(game).score().total == 21


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_bad_texts(case):
    changes, line, words = BAD_TEXTS[case]
    with pytest.raises(BadRecord, match=f"^line {line}: .*{words}") as caught:
        list(read_log(text_of(changes)))
    assert caught.value.line == line


@pytest.mark.parametrize("case", BAD_GAMES)
def test_games_that_cannot_have_happened(case):
    changes, line, words = BAD_GAMES[case]
    (game,) = read_log(text_of(changes))
    for reader in (replay, lambda game: decisions([game])):
        with pytest.raises(BadRecord, match=f"^line {line}: .*{words}"):
            reader(game)


def test_a_bad_game_leaves_the_others_alone():
    good, errors = play_game(3), []
    text = write_log([good]) + "\n".join([*text_of({8: "Player 0 Throw W9"}), *text_of({}), ""])
    found = list(read_games(io.StringIO(text), errors.append))
    assert [game.name for game in found] == ["seed-3", "a"]
    start = len(write_log([good]).splitlines())
    assert [error.line for error in errors] == [start + 8]
    bad = next(read_log(text_of({8: "Player 0 Play T1"})))
    assert len(list(wins([bad, good], errors.append))) == 1
    assert errors[-1].line == 8


def test_every_truncated_log_is_noticed():
    text = write_log([play_game(3)])
    for end in range(7, len(text) - 2, 7):
        with pytest.raises(BadRecord):
            for game in read_log(text[:end].splitlines()):
                replay(game)


def test_every_left_out_line_is_noticed():
    lines = write_log([play_game(3)]).splitlines()
    for place in range(len(lines)):
        with pytest.raises(BadRecord):
            for game in read_log(lines[:place] + lines[place + 1 :]):
                replay(game)


def test_ignored_claims_of_another_tile():
    log = text_of({13: "Player 0 Hu F1 Ignore Player 3 Peng F3"})
    (game,) = read_log(log)
    assert replay(game) is not None  # what was ignored does not matter for the win
    with pytest.raises(BadRecord, match=r"line 13: .* no claim of this tile"):
        decisions([game])


def test_a_wall_has_21_tiles_after_the_deal():
    game = next(
        game
        for game in (play_game(seed, bias=0) for seed in range(200))
        if game.end == "draw" or len(game.events) > 160
    )
    draws = [event for event in game.events if event.kind == EventKind.DRAW]
    assert max(sum(e.player == p for e in draws) for p in range(4)) <= 21


# --- JSON


@pytest.fixture
def document():
    return write_judge(play_game(3))


def display(document, action):
    shown = [entry["output"]["display"] for entry in document["logs"][::2]]
    return next(one for one in shown if one["action"] == action)


@pytest.mark.parametrize(
    ("action", "key", "value", "words"),
    [
        ("INIT", "quan", 4, "entry 0: INIT: quan is 4"),
        ("INIT", "quan", None, "entry 0: INIT: quan is None"),
        ("DEAL", "hand", [["W1"]] * 4, "entry 2: 1 tiles are dealt"),
        ("DEAL", "hand", [["W1"]], "entry 2: four hands"),
        ("DEAL", "hand", 3, "entry 2: four hands"),
        ("DEAL", "hand", ["W1", "W2", "W3", "W4"], "entry 2: a hand is a list"),
        ("DRAW", "tile", "X1", "entry 4: 'X1' is no Botzone tile"),
        ("DRAW", "tile", 4, "entry 4: '4' is no Botzone tile"),
        ("DRAW", "player", "0", "entry 4: DRAW: player is '0'"),
        ("DRAW", "action", "INIT", "entry 4: INIT: quan"),
        ("DRAW", "action", "PENG", "entry 4: there is no discard"),
        ("PLAY", "action", "OOPS", "the game is over"),
        ("HU", "fanCnt", "many", "HU: fanCnt is 'many'"),
        ("HU", "fan", [{"cnt": 1}], "a fan has a name"),
        ("HU", "fan", [{"name": "平和", "cnt": "1"}], "a fan counts a number of times"),
        ("HU", "score", [1, 2], "a score is four numbers"),
    ],
)
def test_bad_documents(document, action, key, value, words):
    display(document, action)[key] = value
    with pytest.raises(BadRecord, match=words):
        read_judge(document)


@pytest.mark.parametrize("bad", [[], {}, 3, "null", {"logs": 3}, {"logs": []}, [1], [{}], "[[]]"])
def test_no_documents(bad):
    with pytest.raises(BadRecord):
        read_judge(bad)


def test_documents_that_end_early(document):
    for end in range(0, len(document["logs"]) - 1, 2):
        with pytest.raises(BadRecord):
            read_judge(document["logs"][:end])
    del document["logs"][2]["output"]["display"]
    with pytest.raises(BadRecord, match="entry 2: the judge's output has no display"):
        read_judge(document)
    document["logs"][2]["output"]["display"] = "{"
    with pytest.raises(BadRecord, match="entry 2: the display is no JSON"):
        read_judge(document)


def test_a_game_may_end_by_a_mistake(document):
    logs = document["logs"][:11]
    logs[10] = {"output": {"display": {"action": "WA", "player": 2, "score": [10, 10, -30, 10]}}}
    game = read_judge(logs)
    assert (game.end, game.scores, game.total) == ("WA", (10, 10, -30, 10), None)
    assert replay(game) is None
    assert len(decisions([game])) > 0
    with pytest.raises(ValueError, match="no line for a game that ended by WA"):
        write_log([game])


def test_a_game_may_end_by_a_false_win(document):
    logs = document["logs"][:11]
    end = {"action": "WH", "player": 2, "score": [10, 10, -30, 10]}
    logs[10] = {"output": {"display": end}}
    assert false_win_due(read_judge(logs)) == (2, [10, 10, -30, 10])
    end["score"] = [0, -40, 0, 0]
    assert false_win_due(read_judge(logs)) == (1, [10, -30, 10, 10])
    del end["score"]
    assert false_win_due(read_judge(logs)) is None
    assert false_win_due(changed(read_judge(logs), end="WA", scores=(10, 10, -30, 10))) is None


def test_lines_of_json(document):
    good = json.dumps(document)
    broken = json.dumps({"logs": [{"output": {"display": {"action": "INIT", "quan": 9}}}]})
    errors = []
    found = list(read_games(io.StringIO(f"{good}\n{{\n{broken}\n\n{good}\n"), errors.append))
    assert len(found) == 2
    assert [str(error) for error in errors] == [
        "line 2: no JSON: Expecting property name enclosed in double quotes",
        "line 3, entry 0: INIT: quan is 9",
    ]
    with pytest.raises(BadRecord, match="line 3: no JSON"):
        list(read_games(io.StringIO('[\n{"a": 1},\n}')))


def test_a_wrong_end():
    game = play_game(3)
    lost = changed(game, events=game.events[:-1])
    with pytest.raises(BadRecord, match="the game ends without a win"):
        replay(lost)
    with pytest.raises(BadRecord, match="the game was won"):
        replay(changed(game, end="draw"))
