"""Records of tziakcha and PMN, and files told by content: what was played is what is read."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from dataclasses import replace

import pytest
from record_writers import (
    DICE,
    TWO_WINNERS,
    TziakchaWriter,
    as_read,
    encode,
    ids_of_tiles,
    write_pmn,
)

from fastmj import FANS, GB98
from fastmj.records import (
    BadRecord,
    Event,
    EventKind,
    Game,
    check,
    decision_batches,
    holds_records,
    numberings,
    read_games,
    read_pmn,
    read_tziakcha,
    replay,
    statistics,
    tables,
    write_game,
    write_judge,
    write_log,
)
from fastmj.records.format import fan_name, read_tile
from fastmj.records.play import play_game
from fastmj.records.replays import play_out

LOW = GB98.replace(min_fan=1)


@pytest.fixture(scope="module")
def shared():
    """Games from one wall of 144: fair ones, with everything that happens in such."""
    return [
        play_game(seed, bias=0, flowers=True, rules=GB98 if seed % 3 else LOW) for seed in range(45)
    ]


@pytest.fixture(scope="module")
def scripts(shared):
    return [TziakchaWriter(game, DICE[at % 3]).script() for at, game in enumerate(shared)]


# --- tziakcha


def test_tziakcha_round_trip(shared, scripts):
    kinds = set()
    for game, step in zip(shared, scripts, strict=True):
        found, wanted = read_tziakcha(step), as_read(game)
        assert found.events == wanted.events
        assert list(map(sorted, found.deals)) == list(map(sorted, wanted.deals))
        for name in ("prevalent_wind", "total", "fans", "scores", "end", "wall"):
            assert getattr(found, name) == getattr(wanted, name)
        assert found.players == ("Ada", "Ben", "Cy", "Di")
        win, played = replay(found), replay(game)
        assert (win and win.hand) == (played and played.hand)
        kinds |= {event.kind for event in found.events}
    assert kinds == set(EventKind) - {EventKind.FALSE_WIN}
    assert {game.end for game in shared} == {"win", "draw"}


def test_tziakcha_is_as_declared(shared, scripts):
    found = list(check(map(read_tziakcha, scripts)))
    assert len(found) == len(shared)
    assert not any(differing for game in found for _, differing in game.wins)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda step: step,
        lambda step: {"step": step},
        lambda step: {"id": "x", "script": "<Decoded>", "step": step},
        lambda step: {"id": "x", "script": encode(step)},
        encode,
    ],
)
def test_forms_of_a_record(scripts, wrap, tmp_path):
    wanted = read_tziakcha(scripts[0])
    record = wrap(scripts[0])
    assert replace(read_tziakcha(record), name="") == wanted
    path = tmp_path / "record"
    path.write_text(record if isinstance(record, str) else json.dumps(record), encoding="utf-8")
    assert [replace(game, name="") for game in read_games(path)] == [wanted]
    assert holds_records(path)


def test_a_session(scripts):
    """Records of a session: the seats turn, players are known by their names."""
    records = []
    for hand, step in enumerate(scripts[:8]):
        names = ["Ada", "Ben", "Cy", "Di"]
        names = names[hand % 4 :] + names[: hand % 4]
        players = [{"n": name} for name in names]
        records.append({"id": str(hand), "step": {**step, "p": players, "i": hand}})
    (wanted,) = ([read_tziakcha(record) for record in records],)
    assert [game.prevalent_wind for game in wanted] == [0] * 4 + [1] * 4
    for document in (records, {"session": "s", "records": records}):
        assert list(read_games(io.StringIO(json.dumps(document)))) == wanted
        assert list(read_games(io.StringIO(json.dumps(document, indent=2)))) == wanted
    assert wanted[1].players == ("Ben", "Cy", "Di", "Ada")


def test_copies_do_not_matter(scripts):
    """Bits 10-15 of a claim say which copies were used."""
    for step in scripts[:10]:
        actions = [
            [code, data ^ 0xA800 if data and code & 15 in (3, 4) else data, time]
            for code, data, time in step["a"]
        ]
        assert read_tziakcha({**step, "a": actions}) == read_tziakcha(step)


def by_hand():
    """A record made by hand of the examples in the description of the format.

    Seat 3 shows a flower and gets id 50, seat 2 pungs East from seat 0, seat 1 chows 456p by the 4,
    seat 2 wins with 12 points, two flowers among them.
    """
    free = set(range(144))

    def hand(*ids):
        free.difference_update(ids)
        return list(ids)

    west = hand(109, 110, 0, 4, 8, 88, 92, 60, 64, 68, 32, 139, 140)
    north, south, east = hand(138), hand(85, 90, 95), hand(108, 84)
    back = hand(50, 16, 17)
    others = sorted(free - set(range(136, 144)))
    north += [others.pop() for _ in range(12)]
    south += [others.pop(0) for _ in range(10)]
    east += [others.pop(len(others) // 2) for _ in range(12)]
    order = [-1] * 144
    for seat, tiles in enumerate((east, south, west, north)):
        for number in range(12):
            order[16 * (number // 4) + 4 * seat + number % 4] = tiles[number]
        order[48 + seat] = tiles[12]
    order[52] = east[13]
    for place, tile in zip((142, 143, 140), back, strict=True):
        order[place] = tile
    drawn, next_drawn = others.pop(0), others.pop(0)
    order[53], order[54] = drawn, next_drawn
    rest = [*others, *sorted(set(range(136, 144)) - {138, 139, 140})]
    order = [rest.pop() if tile < 0 else tile for tile in order]
    start = (36 * (-(1 + 2 - 1) % 4) + 2 * 10) % 144
    wall = order[144 - start :] + order[: 144 - start]
    return {
        "g": {"l": 8, "b": 8, "z": 1}, "p": [{"n": name} for name in "ESWN"], "i": 0,
        "w": bytes(wall).hex(), "d": 1 | 2 << 4 | 3 << 8 | 4 << 12,
        "a": [
            [49, 4658, 900], [33, 16 | 3 << 8, 950], [33, 17 | 4 << 8, 990], [0, 0, 1000],
            [2, 108 | 0x100, 5000], [24, 2, 5500], [36, 411, 7000], [34, 32 | 0x100, 7100],
            [55, drawn, 7200], [50, drawn, 7300], [7, next_drawn, 7400], [2, 84 | 0x100, 7500],
            [52, 0, 7600], [19, 57430, 8000], [18, 85 | 0x100, 8500], [57, 0, 8600],
            [38, 24, 9000],
        ],
        "b": 1 << 2 | 1 << 5, "s": [-8, -20, 36, -8],
        "y": [{}, {}, {"f": 12, "t": {"41": 8, "62": 2, "83": 257}}, {}],
    }  # fmt: skip


def test_examples_of_the_format():
    game = read_tziakcha(by_hand())
    win = replay(game)
    assert str(win.hand) == "[EEE,2]12355m56p789s4p|EW0000|2"
    assert (win.player, win.discarder, win.line) == (2, 1, 17)
    assert game.fans == {"花龙": 1, "圈风刻": 1, "花牌": 2} == win.score().fans
    ((_, found),) = next(check([game])).wins
    assert found == []
    assert 34 + 2 in game.deals[3]  # flower 138, for which seat 3 has got id 50
    assert read_tile("T4") in game.deals[3]
    chow = next(event for event in game.events if event.kind == EventKind.CHOW)
    assert (chow.player, chow.tile) == (1, read_tile("B5"))


def test_a_false_win():
    """The play goes on; what it costs is part of the scores."""
    step = by_hand()
    step["a"].insert(5, [22, 0, 5200])  # seat 1 would win on the first discard
    step["a"].insert(12, [6, 1, 7450])  # East by self-draw
    for mode, lost, won in ((1, 30, 10), (0, 40, 0)):
        step["g"]["z"] = mode
        step["s"] = [-8 - lost + won, -20 - lost + won, 36 + 2 * won, -8 + 2 * won]
        game = read_tziakcha(step)
        assert game.penalties == (won - lost, won - lost, 2 * won, 2 * won)
        assert sum(event.kind == EventKind.FALSE_WIN for event in game.events) == 2
        assert replay(game) is not None
        ((_, found),) = next(check([game])).wins
        assert found == []
        ((_, found),) = next(check([replace(game, penalties=(0, 0, 0, 0))])).wins
        assert [one.what for one in found] == ["score"]
        text, missing = write_game(game, "log")
        assert missing == ["names of the players", "false wins and what they cost"]
        (back,) = read_games(io.StringIO(text))
        assert back.scores == (-8, -20, 36, -8)
        assert not next(check([back])).wins[0][1]


@pytest.mark.parametrize("other", [False, True])
def test_a_win_on_the_deal(other):
    """East's fourteenth tile is the one drawn, unless the record says that another was."""
    hand = [*range(9), 9, 10, 11, 33]
    others = [[12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, tile] for tile in (18, 19, 20)]
    events = (Event(EventKind.DRAW, 0, 33), Event(EventKind.WIN, 0, 33))
    deals = tuple(map(tuple, (hand, others[0], [*range(18, 27), 27, 28, 29, 30], others[1])))
    game = Game("", 0, deals, events, None, {}, (0, 0, 0, 0), "win", wall=144)
    total, fans = replay(game).score().total, replay(game).score().fans
    game = replace(game, total=total, fans=fans, scores=(3 * (8 + total), *[-8 - total] * 3))
    step = TziakchaWriter(game).script()
    assert step["y"][0]["h"]["s"][-1] in ids_of_tiles()[33]
    if other:
        step["y"][0]["h"]["s"].append(ids_of_tiles()[4][0])
    win = replay(read_tziakcha(step))
    assert win.hand.win_tile == (4 if other else 33)
    assert win.hand.self_drawn


def test_other_basic_points():
    step = by_hand()
    step["g"]["b"] = 5
    step["s"] = [-5, -17, 27, -5]
    ((_, found),) = next(check([read_tziakcha(step)])).wins
    assert found == []


def test_fans_by_name():
    """All of the 82 have a number, and every number but those of luck has one of the 82."""
    for names, unknown in (
        (numberings.TZIAKCHA, {"天和", "地和", "人和"}),
        (numberings.PMN, set()),
    ):
        found = {fan_name(name) for name in names}
        assert found - unknown == {fan.zh for fan in FANS}
    assert len(numberings.TZIAKCHA) == 88
    assert numberings.TZIAKCHA[82 - 1] == "自摸"
    assert (numberings.PMN[48 - 1], numberings.PMN[49 - 1]) == ("双暗杠", "碰碰和")
    assert fan_name("一色四连环") == "一色四步高"
    assert fan_name("一色三连环") == "一色三步高"


START = by_hand()["a"][:4]
BAD_STEPS = {
    "no wall": ({"w": None}, "the wall w is not 288"),
    "short wall": ({"w": "00" * 143}, "the wall w is not 144 different tiles"),
    "a tile twice": ({"w": "00" * 144}, "the wall w is not 144 different tiles"),
    "dice": ({"d": "x"}, "d is 'x'"),
    "no actions": ({"a": 3}, "there are no actions a"),
    "an action": ({"a": [*START, [2]]}, "action 5: an action is"),
    "an action of words": ({"a": [*START, ["a", 1, 1]]}, "action 5: an action is"),
    "data of words": ({"a": [*START, [2, "1", 1]]}, "action 5: an action is"),
    "type": ({"a": [*START, [15, 0, 1]]}, "action 5: no action has the type 15"),
    "no start": ({"a": []}, "the record has no start"),
    "another draw": ({"a": [*START, [23, 1, 1]]}, "action 5: tile 1 (W1) is drawn, the wall has"),
    "no tile": ({"a": [*START, [2, 140, 1]]}, "action 5: 140 is no tile to play"),
    "winners": ({"b": 3}, "b says that 0011 won (players 3-0), the actions say another"),
    "giver": ({"b": 4 | 16}, "b says that player 0 gave the winning tile, the actions player 1"),
    "self-drawn": ({"b": 4 | 64}, "b says that nobody gave the winning tile, the actions player 1"),
    "flags": ({"b": -1}, "b is -1"),
    "scores": ({"s": [1, 2]}, "the scores s are not four numbers"),
    "settled": ({"y": []}, "y does not say what player 2 won"),
    "fan number": ({"y": [{}, {}, {"f": 9, "t": {"x": 1}}]}, "y does not say what player 2 won"),
    "total": ({"y": [{}, {}, {"f": "9", "t": {}}]}, "y does not say what player 2 won"),
    "wind": ({"i": None}, "i is None"),
}


@pytest.mark.parametrize("case", BAD_STEPS)
def test_bad_scripts(case):
    changes, words = BAD_STEPS[case]
    bad, good = {**by_hand(), **changes}, by_hand()
    with pytest.raises(BadRecord) as caught:
        read_tziakcha(bad)
    assert words in str(caught.value)
    errors = []
    lines = "\n".join(json.dumps({"step": step}) for step in (good, bad, good))
    assert len(list(read_games(io.StringIO(lines), errors.append))) == 2
    assert [str(error).startswith("line 2") for error in errors] == [True]
    assert words in str(errors[0])
    errors = []
    document = json.dumps([{"step": step} for step in (good, bad, good)])
    assert len(list(read_games(io.StringIO(document), errors.append))) == 2
    assert str(errors[0]).startswith("line 1, record 2")


@pytest.mark.parametrize("script", ["eJ!", "eJwDAAAAAAE=", "", "eJw", encode([1])])
def test_scripts_that_cannot_be_decoded(script):
    with pytest.raises(BadRecord):
        read_tziakcha(script)
    errors = []
    lines = f"{encode(by_hand())}\n{script or 'e'}\n{encode(by_hand())}\n"
    assert len(list(read_games(io.StringIO(lines), errors.append))) == 2
    assert [str(error)[:6] for error in errors] == ["line 2"]


def test_no_action_can_be_left_out(scripts):
    """What is left out is noticed by the reader or by the table, passes aside."""
    step = next(s for s in scripts if s["b"])
    for place, (code, _, _) in enumerate(step["a"]):
        if code & 15 == 8:
            continue
        with pytest.raises(BadRecord):
            replay(read_tziakcha({**step, "a": step["a"][:place] + step["a"][place + 1 :]}))


# --- PMN


@pytest.mark.parametrize("points", [True, False])
def test_pmn_round_trip(shared, points):
    own = [play_game(seed, bias=0.6) for seed in range(20)]
    for game in [*shared[:20], *own]:
        for letter in "HM":
            (found,) = read_pmn(write_pmn(game, points, letter=letter).splitlines())
            assert found.events == game.events
            assert list(map(sorted, found.deals)) == list(map(sorted, game.deals))
            for name in ("prevalent_wind", "total", "fans", "scores", "end", "wall"):
                assert getattr(found, name) == getattr(game, name)
        win, played = replay(found), replay(game)
        assert (win and win.hand) == (played and played.hand)


def test_two_winners():
    """Each is scored by itself; what they are paid is the site's own rule and not compared."""
    text = TWO_WINNERS
    (game,) = read_pmn(text.splitlines())
    assert [declared.total for declared in game.declared] == [17, 20]
    (found,) = check([game])
    assert [(win.player, win.discarder) for win, _ in found.wins] == [(1, 0), (3, 0)]
    assert [str(win.hand) for win, _ in found.wins] == [
        "123m456p78sNNNFF9s|ES0000", "123456789m78sWW9s|EN0000",
    ]  # fmt: skip
    assert not any(differing for _, differing in found.wins)
    (other,) = read_pmn(text.replace("28/1.62", "27/1.62").splitlines())
    first, second = next(check([other])).wins
    assert not first[1]
    assert [one.what for one in second[1]] == ["total", "fans"]
    assert str(second[1][1]) == "fans: declared 全小, computed 清龙"
    for target in ("log", "judge"):
        with pytest.raises(ValueError, match="one winner at most"):
            write_game(game, target)
    twice = text.replace("H1H3", "H1H1")
    (game,) = read_pmn(twice.splitlines())
    with pytest.raises(BadRecord, match="player 1 has won already"):
        replay(game)
    (game,) = read_pmn(text.splitlines())
    assert sum(table.phase == 5 for table, _ in tables(game)) == 2
    with pytest.raises(BadRecord, match="2 wins are declared, 1 were made"):
        play_out(replace(game, events=game.events[:-1]))


BAD_PMN = {
    "no tag": ("[East", "Spieler", "record 1, line 6: 'Spieler \"Ada\"]' is no"),
    "wind": ('PWind "E"', 'PWind "X"', "PWind is 'X'"),
    "deal": ("c1147d", "x1147d", "Deal is not four hands"),
    "deal of 14": ("c1147d", "c11147d", "14 tiles are dealt"),
    "tile": ("w123rf", "w125rf", "'w5' in Deal is no tile"),
    "token": ("T0b9", "T9b9", "record 1, event 1: 'T9b9' is no event"),
    "nothing taken": ("T0b9D0z1", "D0z1D0b9", "event 1: 'D0z1' is no event"),
    "length": ("T0b9D0z1", "T0b9D0z", "Play is not four characters an event"),
    "winner": ("H1H3", "H1H7", "Play is not four characters an event"),
    "fan": ("39/8/1", "99/8/1", "Fan says '99/8/1.52"),
    "fan of words": ("39/8/1", "x", "Fan says 'x.52"),
    "no fan": ("39/8/1.52/6/1.62/2/1.73/1/1", "None", "Fan says 'None' of player 1"),
    "fans": ("None 39", "39", "Fan has not four fields"),
    "result": ("-45 41 -8 44", "-45 41 -8", "Result is not four whole numbers"),
    "no play": ("[Play", "[Plays", "there is no tag Play"),
}


@pytest.mark.parametrize("case", BAD_PMN)
def test_bad_pmn(case):
    old, new, words = BAD_PMN[case]
    assert old in TWO_WINNERS
    bad = TWO_WINNERS.replace(old, new)
    with pytest.raises(BadRecord) as caught:
        list(read_pmn(bad.splitlines()))
    assert words in str(caught.value)
    good = write_pmn(play_game(3))
    errors = []
    found = list(read_games(io.StringIO(good + "\n" + bad + good), errors.append))
    assert len(found) == 2
    assert [str(error).startswith("record 2") for error in errors] == [True]


# --- files


@pytest.fixture(scope="module")
def forms(shared, scripts):
    game = play_game(3)
    return {
        "log": (write_log([game]), game),
        "judge": (json.dumps(write_judge(game)), game),
        "pmn": (write_pmn(game), replace(game, name="seed-3 board 1")),
        "tziakcha": (json.dumps({"id": "t", "script": encode(scripts[0])}),
                     replace(read_tziakcha(scripts[0]), name="t")),
        "script": (encode(scripts[0]), read_tziakcha(scripts[0])),
    }  # fmt: skip


@pytest.mark.parametrize("form", ["log", "judge", "pmn", "tziakcha", "script"])
def test_packed_files(forms, form, tmp_path):
    text, game = forms[form]

    def same(found):
        (one,) = found
        deals = list(map(sorted, one.deals)) == list(map(sorted, game.deals))
        return deals and replace(one, deals=game.deals) == game

    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(text.encode("gb18030")))
    archive = tmp_path / "b"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("folder/", "")
        file.writestr("folder/one.gz", gzip.compress(text.encode()))
    for path in (packed, archive):
        assert same(read_games(path))
        assert same(read_games(io.BytesIO(path.read_bytes())))
        assert holds_records(path)


def test_an_archive_of_all_kinds(forms):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, (text, _) in forms.items():
            file.writestr(name, text)
            file.writestr(f"{name}-bad", text.replace("Wind", "Wand").replace('"a":', '"b":')[:200])
    errors = []
    found = list(read_games(io.BytesIO(stream.getvalue()), errors.append))
    assert len(found) == len(forms)
    assert {str(error).partition(",")[0] for error in errors} == {f"{name}-bad" for name in forms}
    assert any(str(error).startswith("log-bad, line 2: 'Wand") for error in errors)


def test_what_cannot_be_unpacked(tmp_path):
    whole = gzip.compress(write_log([play_game(3), play_game(4)]).encode())
    errors = []
    assert list(read_games(io.BytesIO(whole[:-9]), errors.append)) == [play_game(3)] * 1 or errors
    assert any("cannot be unpacked" in str(error) for error in errors)
    errors = []
    assert not list(read_games(io.BytesIO(b"PK\x03\x04 nothing"), errors.append))
    assert "cannot be unpacked" in str(errors[0])
    with pytest.raises(BadRecord, match="cannot be unpacked"):
        list(read_games(io.BytesIO(b"\x1f\x8b\x08\x00 nothing")))


def test_a_damaged_first_line_of_json():
    good = json.dumps(write_judge(play_game(3)))
    errors = []
    found = list(read_games(io.StringIO(f"{good[:-9]}\n{good}\n{good}\n"), errors.append))
    assert len(found) == 2
    assert str(errors[0]).startswith("line 1: no JSON")


def test_kinds_of_other_files(tmp_path):
    path = tmp_path / "x"
    for text in ("", "hand\n123456789m12355p\n", '{"hand": "123456789m12355p", "total": 3}\n',
                 "[1, 2]", "{", "PAR1", '{"script": 3, "log": 2}\n', "\x1f\x8b"):  # fmt: skip
        path.write_text(text, encoding="latin-1")
        assert not holds_records(path)
    assert not holds_records(tmp_path)


def test_deep_json_is_no_crash():
    errors = []
    assert not list(read_games(io.StringIO("[" * 100_000), errors.append))
    assert len(errors) == 1


# --- writing


@pytest.mark.parametrize("target", ["log", "judge"])
def test_converted_games_are_the_games(shared, scripts, target):
    for step, game in zip(scripts, shared, strict=True):
        text, lost = write_game(read_tziakcha(step), target)
        assert lost[0] == "names of the players"
        (found,) = read_games(io.StringIO(text))
        if "how many tiles the one wall has" not in lost:
            assert found == replace(read_tziakcha(step), name=found.name)
            win, played = replay(found), replay(game)
            assert (win and win.hand) == (played and played.hand)


def test_targets():
    with pytest.raises(ValueError, match="one of log, judge"):
        write_game(play_game(1), "pmn")
    assert len(ids_of_tiles()) == 42


# --- damage of any kind


ODD = (None, -1, 10**12, 10**30, "x", [], {}, True, 1.5, 255, 0x1FF)


def changed(value, rng):
    """A piece of JSON with something in it replaced."""
    if isinstance(value, (dict, list)) and value and rng.random() < 0.8:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = rng.choice(keys)
        copy = dict(value) if isinstance(value, dict) else list(value)
        copy[key] = changed(value[key], rng)
        return copy
    return rng.choice(ODD)


def damaged(text, rng):
    letters = list(text)
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(letters))
        kind = rng.randrange(4)
        if kind == 0:
            del letters[place]
        elif kind == 1:
            letters[place] = rng.choice('0123456789abcWBTFJ"{}[],:-. ')
        elif kind == 2:
            letters.insert(place, rng.choice('0123456789"{}[],:-'))
        else:
            del letters[place + 1 :]
    return "".join(letters)


def test_damage_is_told_and_nothing_crashes(forms, scripts):
    rng = random.Random(7)
    texts = [damaged(text, rng) for text, _ in forms.values() for _ in range(80)]
    documents = [*({"step": step} for step in scripts[:5]), write_judge(play_game(3))]
    for document in documents:
        texts += [json.dumps(changed(document, rng)) for _ in range(120)]
    told = kept = 0
    for text in texts:
        errors = []
        found = list(read_games(io.StringIO(text), errors.append))
        kept += len(list(check(found, threads=1, on_error=errors.append)))
        list(decision_batches(found, threads=1, on_error=errors.append))
        statistics(found, threads=1, on_error=errors.append)
        told += bool(errors)
        assert all(isinstance(error, BadRecord) for error in errors)
    assert told > 400
    assert kept > 100


def test_numbers_that_are_too_long():
    text = write_log([play_game(3)])
    for old, new in (("Score ", "Score 9"), ("Fan ", "Fan 9"), ("*1", "*9")):
        bad = text.replace(old, new + "9" * 5000, 1)
        with pytest.raises(BadRecord):
            list(read_games(io.StringIO(bad)))
    huge = json.dumps(write_judge(play_game(3))).replace('"quan": ', '"quan": 1' + "0" * 5000)
    with pytest.raises(BadRecord):
        list(read_games(io.StringIO(huge)))
    with pytest.raises(BadRecord, match="larger than any game"):
        replace(play_game(3), scores=(10**12, 0, 0, 0))
