"""Displays of judges held to the scorer, and statistics of games, against slow counts."""

from __future__ import annotations

import io
import json
import math
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import typer
from record_writers import TziakchaWriter, encode, flat, with_shown, write_pmn
from typer.testing import CliRunner

from fastmj import FANS, GB98, HandBatch, score_hand, shanten_batch
from fastmj.cli import records as records_cli
from fastmj.cli import stats as stats_cli
from fastmj.records import (
    BadRecord,
    EventKind,
    Phase,
    Statistics,
    Tally,
    check,
    decisions,
    read_games,
    read_judge,
    replay,
    statistics,
    statistics_of_files,
    tables,
    write_game,
    write_judge,
    write_log,
)
from fastmj.records import tallies as tallies_module
from fastmj.records.play import play_game

LOW = GB98.replace(min_fan=1)
NAMES = ("Ada", "Ben", "Cy", "Di")


@pytest.fixture(scope="module")
def games():
    return [
        *(play_game(seed, bias=0.3, rules=LOW) for seed in range(12)),
        *(play_game(seed, bias=0.8) for seed in range(8)),
        *(play_game(seed, bias=0, flowers=True) for seed in (10, 31)),
        *(play_game(seed, bias=0.0, rules=GB98.replace(min_fan=64)) for seed in (1, 5)),
        *(play_game(seed, bias=0.3) for seed in (22, 35, 39)),  # last tiles and kongs
    ]


@pytest.fixture(scope="module")
def shown(games):
    return [with_shown(game, own=at % 2 == 0) for at, game in enumerate(games)]


# --- canHu


def test_shown_round_trip(shown):
    for game in shown:
        assert read_judge(json.dumps(write_judge(game))).shown == game.shown


def test_all_displays_are_right(shown):
    """Of the reference and of the kernels, at every event, also below the minimum."""
    found = list(check(shown, rules=GB98))
    assert not any(game.wrong for game in found)
    for game in found:
        asked = sum(value != -4 for _, values in game.game.shown for value in values)
        assert game.displays == asked
    assert sum(game.displays for game in found) > 100 * len(found)
    values = Counter(value for game in shown for _, row in game.shown for value in row)
    assert values[-4] > 1000
    assert values[-3] > 1000
    assert sum(times for value, times in values.items() if 0 <= value < 8) > 15
    assert sum(times for value, times in values.items() if value >= 8) > 15


def test_wrong_displays_are_listed(shown):
    game, at, (position, values) = next(
        (game, at, one)
        for game in shown
        for at, one in enumerate(game.shown)
        if max(one[1]) > 0 and min(one[1]) == -3
    )
    wins, fails = values.index(max(values)), values.index(-3)
    wrong = list(values)
    wrong[wins], wrong[fails] = -3, 24
    shows = (*game.shown[:at], (position, tuple(wrong)), *game.shown[at + 1 :])
    (found,) = check([replace(game, can_hu=flat(shows))])
    assert {(one.player, one.declared, one.computed) for one in found.wrong} == {
        (wins, -3, max(values)), (fails, 24, -3),
    }  # fmt: skip
    (one,) = (one for one in found.wrong if one.player == wins)
    assert str(one) == f"canHu: declared -3, computed {max(values)}"
    assert score_hand(one.hand).total == max(values)
    assert one.line == game.line_of(position - 1)


def test_displays_of_bad_games_are_left_out(shown):
    broken = replace(shown[0], events=shown[0].events[:-3] + shown[0].events[-1:])
    errors = []
    found = list(check([shown[1], broken, shown[2]], on_error=errors.append))
    assert [game.game for game in found] == [shown[1], shown[2]]
    assert len(errors) == 1
    assert not any(game.wrong for game in found)
    with pytest.raises(BadRecord):
        list(check([broken]))


def test_a_display_after_a_flower_has_no_tile_to_win_on():
    game = play_game(5, bias=0, flowers=True)
    events = game.events
    position = next(
        number
        for number in range(1, len(events))
        if events[number].kind == EventKind.FLOWER and events[number - 1].kind == EventKind.PLAY
    )
    (found,) = check([replace(game, can_hu=flat([(position + 1, (88, 88, 88, 88))]))])
    assert (found.displays, found.wrong) == (0, [])


@pytest.mark.parametrize(
    "value", [3, [1], ["a"] * 4, [None] * 4, {"0": 1}, [1, 2, 3, 10**30], [True] * 4]
)
def test_bad_displays(value):
    document = write_judge(play_game(3))
    document["logs"][4]["output"]["display"]["canHu"] = value
    with pytest.raises(BadRecord, match=r"entry 4: canHu (is|has)"):
        read_judge(document)


# --- statistics


def slow_statistics(games):
    """By seat: what is counted, one game after another."""
    found = [Counter() for _ in range(4)]
    for game in games:
        win = replay(game)
        for seat in range(4):
            mine = found[seat]
            mine["games"] += 1
            mine["points"] += game.scores[seat]
            mine["draws"] += win is None
            if win:
                mine["wins"] += win.player == seat
                mine["self_drawn"] += win.player == seat and win.discarder < 0
                mine["deal_ins"] += win.discarder == seat
            ready = None
            for table, position in tables(game):
                event = game.events[position - 1] if position else None
                played = sum(
                    e.kind == EventKind.PLAY and e.player == seat for e in game.events[:position]
                )
                mine_now = event is not None and event.player == seat
                claims = (EventKind.CHOW, EventKind.PUNG, EventKind.KONG)
                if mine_now and event.kind in claims:
                    melds = [m for m in table.melds[seat] if m.is_exposed]
                    mine[f"meld {len(melds)}"] += 1
                    mine[f"meld turn {len(melds)}"] += played + 1
                if mine_now and event.kind == EventKind.WIN:
                    mine["win_turns"] += played + 1
                    melds = [m for m in table.melds[seat] if m.is_exposed]
                    mine[f"win with {len(melds)}"] += 1
                discarded = mine_now and event.kind == EventKind.PLAY
                if ready is None and (position == 0 or discarded):
                    hand = [list(table.hands[seat])]
                    if shanten_batch(hand, melds=len(table.melds[seat])).best[0] == 0:
                        ready = played
            if ready is not None:
                mine["ready"] += 1
                mine["ready_turns"] += ready
    return found


def test_statistics_are_the_slow_ones(games):
    found = statistics(games)
    for tally, slow in zip(found.seats, slow_statistics(games), strict=True):
        for name in ("games", "points", "draws", "wins", "self_drawn", "deal_ins", "ready",
                     "ready_turns", "win_turns"):  # fmt: skip
            assert getattr(tally, name) == slow[name], name
        assert tally.melds == [slow[f"meld {number}"] for number in range(1, 5)]
        assert tally.meld_turns == [slow[f"meld turn {number}"] for number in range(1, 5)]
        assert tally.melds_at_win == [slow[f"win with {number}"] for number in range(5)]
    won = [win for win in map(replay, games) if win]
    assert (found.games, found.wins) == (len(games), len(won))
    assert found.draws == sum(game.end == "draw" for game in games) > 0
    assert found.totals == Counter(win.score().total for win in won)
    fans = Counter()
    for win in won:
        fans.update(win.score().fans)
    assert found.fan_times.tolist() == [fans[fan.zh] for fan in FANS]
    assert sum(found.win_turns.values()) == len(won)
    assert sum(tally.win_turns for tally in found.seats) == sum(
        turn * times for turn, times in found.win_turns.items()
    )
    record = found.as_dict()
    json.dumps(record)
    assert record["fans"]["self_drawn"]["hands"] == found.fan_hands[FANS["自摸"].id]


def test_mean_and_error():
    """Ordinary games: the standard error of a mean; duplicate games: that of the walls' sums."""
    rng = np.random.default_rng(1)
    points = rng.integers(-40, 60, 500)
    tally = Tally()
    for wall, score in enumerate(points.tolist()):
        tally.play(wall, score)
    assert tally.mean == pytest.approx(points.mean())
    assert tally.error == pytest.approx(points.std(ddof=1) / math.sqrt(500))
    # Four seats of a wall whose luck adds up to nothing: no error is left but that of skill.
    luck = rng.normal(0, 30, (300, 4)).round()
    luck -= luck.mean(axis=1, keepdims=True).round()
    skill = rng.normal(2, 1, (300, 1)).round()
    duplicate, plain = Tally(), Tally()
    for wall, scores in enumerate((luck + skill).astype(int).tolist()):
        for seat, score in enumerate(scores):
            duplicate.play(wall, score)
            plain.play(4 * wall + seat, score)
    assert duplicate.mean == plain.mean
    assert duplicate.error < plain.error / 5
    sums = (luck + skill).sum(axis=1)
    assert duplicate.error == pytest.approx(sums.std(ddof=1) / math.sqrt(300) / 4)
    assert math.isnan(Tally().error)
    assert math.isnan(Tally().mean)


def test_games_on_one_wall_are_one_wall(games):
    found = statistics([replace(games[0], players=NAMES), replace(games[0], players=NAMES[::-1])])
    assert [len(tally.walls) for tally in found.seats] == [1] * 4
    both = (2, games[0].scores[0] + games[0].scores[3])
    assert found.players["Ada"].walls == dict.fromkeys(found.seats[0].walls, both)


def test_parts_merge_to_the_whole(games, monkeypatch):
    whole = statistics(games)
    parts = Statistics()
    for game in games:
        parts.merge(statistics([game]))
    assert parts.as_dict() == whole.as_dict()
    assert [tally.walls for tally in parts.seats] == [tally.walls for tally in whole.seats]
    # With few walls allowed they are joined, the sums stay.
    monkeypatch.setattr(tallies_module, "_MOST_WALLS", 40)
    bounded = Statistics()
    for game in games:
        bounded.merge(statistics([game]))
    assert sum(len(tally.walls) for tally in bounded.tallies()) <= 40
    assert bounded.wall_bits < whole.wall_bits
    for tally, other in zip(bounded.seats, whole.seats, strict=True):
        assert (tally.mean, tally.games) == (other.mean, other.games)
        assert sum(points for _, points in tally.walls.values()) == other.points
    coarse = statistics(games)
    while coarse.wall_bits > bounded.wall_bits:
        coarse.coarsen()
    assert coarse.seats[2].walls == bounded.seats[2].walls


def test_bad_games_are_counted(games):
    broken = replace(games[0], events=games[0].events[:-1])
    errors = []
    found = statistics([games[1], broken, games[2]], on_error=errors.append)
    assert (found.games, found.bad, len(errors)) == (2, 1, 1)
    with pytest.raises(BadRecord):
        statistics([broken])


@pytest.fixture(scope="module")
def files(games, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stats")
    text = write_log(games)
    (folder / "log.txt").write_text(text, encoding="utf-8")
    (folder / "bad.txt").write_text(text.replace("Wind", "Wand", 1), encoding="utf-8")
    judge = "".join(json.dumps({**write_judge(game), "players": NAMES}) + "\n" for game in games)
    (folder / "judge.jsonl").write_text(judge, encoding="utf-8")
    (folder / "games.pmn").write_text("\n".join(map(write_pmn, games)), encoding="utf-8")
    steps = [TziakchaWriter(game).script() for game in games if game.wall == 144]
    (folder / "scripts").write_text("\n".join(map(encode, steps)), encoding="utf-8")
    (folder / "data.csv").write_text("hand\n123456789m12355p\n", encoding="utf-8")
    return folder


def test_files_by_several_processes(games, files):
    paths = [files / "log.txt", files / "bad.txt", files / "judge.jsonl", files / "games.pmn"]
    seen, errors, more = [], [], []
    one = statistics_of_files(
        paths, workers=1, on_error=errors.append, progress=lambda *now: seen.append(now)
    )
    two = statistics_of_files(paths, workers=2, on_error=more.append)
    assert one.as_dict() == two.as_dict()
    assert one.games == 4 * len(games) - 1
    assert one.bad == 1
    assert list(map(str, errors)) == list(map(str, more))
    assert str(errors[0]).startswith("line 2: 'Wand")
    assert seen[-1][0] == seen[-1][1] == sum(path.stat().st_size for path in paths)
    assert set(one.players) == set(NAMES)
    with pytest.raises(BadRecord, match="Wand"):
        statistics_of_files(paths, workers=1)
    with pytest.raises(FileNotFoundError):
        statistics_of_files([files / "none"])


# --- commands


@pytest.fixture(scope="module")
def run():
    app = typer.Typer()
    records_cli.register(app)
    stats_cli.register(app)

    def run(*arguments, **more):
        done = CliRunner().invoke(app, list(map(str, arguments)), **more)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done

    return run


def test_stats_command(run, games, files, tmp_path):
    done = run("stats", files / "judge.jsonl")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{len(games)} games: ")
    assert "Ada" in done.stdout
    assert "自摸 Self-Drawn" in done.stdout
    # Eighty columns are enough for every heading.
    assert "ready %  turn  win turn  turn of meld 1 " in done.stdout
    assert "% of the wins with 0 melds " in done.stdout
    done = run("stats", files / "log.txt", files / "scripts", "--json")
    record = json.loads(done.stdout)
    assert record["games"] == len(games) + 2
    assert set(record["players"]) == set(NAMES)
    done = run("stats", files / "bad.txt")
    assert done.exit_code == 2
    assert "error: " in done.stderr
    assert "1 could not be read or replayed" in done.stdout
    done = run("stats", files / "log.txt", files / "data.csv")
    assert done.exit_code == 2
    assert "no recorded games" in " ".join(done.stderr.replace("│", "").split())
    assert run("stats", files / "data.csv", files / "data.csv").exit_code == 2
    assert run("stats", files / "none").exit_code == 2
    (tmp_path / "empty.pmn").write_text('[Event "x"]\n', encoding="utf-8")
    done = run("stats", tmp_path / "empty.pmn")
    assert done.stdout.startswith("0 games")


def test_stats_plot(run, files, tmp_path):
    pytest.importorskip("matplotlib")
    assert run("stats", files / "log.txt", "--plot", tmp_path / "a.png").exit_code == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert run("stats", files / "log.txt", "--plot", tmp_path / "a.xyz").exit_code == 2


def test_replay_command_lists_displays(run, shown, tmp_path):
    game = next(game for game in shown if max(game.shown[0][1]) < 0)
    log = tmp_path / "judge.json"
    log.write_text(json.dumps(write_judge(game)), encoding="utf-8")
    done = run("replay", log)
    assert done.exit_code == 0
    number = sum(value != -4 for _, values in game.shown for value in values)
    assert done.stdout.endswith(f"; canHu {number} times, 0 different\n")
    values = [88 if value == -3 else value for value in game.shown[0][1]]
    wrong = replace(game, can_hu=flat([(game.shown[0][0], values), *game.shown[1:]]))
    log.write_text(json.dumps(write_judge(wrong)), encoding="utf-8")
    done = run("replay", log)
    assert done.exit_code == 1
    assert ": canHu: declared 88, computed -3" in done.stdout
    record = json.loads(run("replay", log, "--json").stdout.splitlines()[0])
    assert record["can_hu"] == {"declared": 88, "computed": -3}


def test_replay_command_reads_all_formats(run, files):
    names = ("log.txt", "judge.jsonl", "games.pmn", "scripts")
    done = run("replay", *(files / name for name in names), "--rules", "gb98")
    assert done.exit_code == 0
    assert "0 different" in done.stdout


def test_convert_command(run, games, files, tmp_path):
    for name, form in (("a.txt", "log"), ("a.json", "judge"), ("b.txt.gz", "log"),
                       ("c.jsonl.gz", "judge")):  # fmt: skip
        out = tmp_path / name
        done = run("convert", files / "games.pmn", out)
        assert done.exit_code == 0
        assert done.stdout == f"{out}: {len(games)} games\n".replace("\n", "\n")
        assert f"lost in {len(games)} games: names of the players" in done.stderr
        found = list(read_games(out))
        assert [game.events for game in found] == [game.events for game in games]
        text = out.read_bytes()
        assert (text[:2] == b"\x1f\x8b") == name.endswith(".gz")
        if form == "judge" and name == "a.json":
            assert text.startswith(b'{"_id"')
    assert run("convert", files / "log.txt", tmp_path / "a.txt").exit_code == 2  # it is there
    assert run("convert", files / "log.txt", tmp_path / "a.txt", "--force").exit_code == 0
    assert list(read_games(tmp_path / "a.txt")) == games
    done = run("convert", files / "bad.txt", tmp_path / "d.txt", "--to", "judge")
    assert done.exit_code == 2
    assert len(list(read_games(tmp_path / "d.txt"))) == len(games) - 1
    (tmp_path / "folder").mkdir()
    done = run("convert", files / "log.txt", tmp_path / "folder", "--force")
    assert done.exit_code == 2
    assert "no regular file" in done.stderr
    done = run("convert", tmp_path / "a.txt", tmp_path / "a.txt", "--force")
    assert done.exit_code == 2
    assert "it is in use" in done.stderr
    assert run("convert", files / "log.txt", tmp_path / "no" / "x.txt").exit_code == 2
    assert run("convert", files / "none", tmp_path / "e.txt").exit_code == 2
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_mistake_cannot_be_converted(run, tmp_path):
    document = write_judge(play_game(3))
    logs = document["logs"][:11]
    logs[10] = {"output": {"display": {"action": "WA", "player": 2, "score": [10, 10, -30, 10]}}}
    (tmp_path / "m.json").write_text(json.dumps(logs), encoding="utf-8")
    done = run("convert", tmp_path / "m.json", tmp_path / "m.txt")
    assert done.exit_code == 2
    assert "ended by WA" in done.stderr


def test_decisions_command(run, games, files, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "rows.parquet"
    done = run("decisions", files / "log.txt", files / "bad.txt", out, "--fan-tiles")
    assert done.exit_code == 2
    assert "Wand" in done.stderr
    table = parquet.read_table(out)
    rows = decisions([*games, *games[1:]], fan_tiles=True)
    assert table.num_rows == len(rows)
    assert table.column("action").to_pylist() == rows.action.tolist()
    assert table.column("game").to_pylist() == rows.game.tolist()
    counts = np.frombuffer(b"".join(table.column("counts").to_pylist()), np.uint8)
    assert np.array_equal(counts.reshape(-1, 34), rows.counts)
    legal = np.frombuffer(b"".join(table.column("legal").to_pylist()), np.uint8)
    assert np.array_equal(legal.reshape(-1, 235), rows.legal)
    for fans, masks in zip(table.column("fan_tiles").to_pylist(), rows.fan_tiles, strict=True):
        assert {one["fan"]: one["tiles"] for one in fans} == {
            int(fan): int(masks[fan]) for fan in np.flatnonzero(masks)
        }
    assert run("decisions", files / "log.txt", out).exit_code == 2
    assert run("decisions", files / "log.txt", out, "--force").exit_code == 0
    assert run("decisions", files / "log.txt", tmp_path / "x", "--compression", "y").exit_code == 2
    assert run("decisions", files / "log.txt").exit_code == 2
    assert not (tmp_path / "x").exists()


def test_the_same_rows_from_every_format(games, files):
    """Names, lines and the order of the deal aside."""
    own = [game for game in games if not game.wall]
    wanted = decisions(own)
    for target in ("log", "judge"):
        text = "".join(write_game(game, target)[0] for game in own)
        rows = decisions(read_games(io.StringIO(text)))
        for name, column in rows.columns.items():
            assert name == "line" or np.array_equal(column, getattr(wanted, name)), name
    rows = decisions(read_games(io.StringIO("\n".join(map(write_pmn, own)))))
    for name, column in rows.columns.items():
        same = np.array_equal(column, getattr(wanted, name))
        # PMN does not tell claims that came second.
        assert same or name in ("line", "action"), name


def test_phases_of_shown(shown):
    """The helper asks at every state in which somebody could win."""
    for game in shown[:3]:
        states = [
            position
            for table, position in tables(game)
            if table.phase in (Phase.TURN, Phase.CLAIM, Phase.ROB)
        ]
        assert [position for position, _ in game.shown] == states


# --- false wins


def ended_false(game, number, player):
    """A game that a false win of a player ends after so many events."""
    scores = tuple(-30 if seat == player else 10 for seat in range(4))
    return replace(
        game, events=game.events[:number], end="WH", total=None, fans={}, scores=scores, lines=()
    )


def bare(hand):
    """A hand's text without who gave its melds, which the table keeps as codes."""
    return str(HandBatch.from_hands([hand])[0])


def test_the_hand_of_a_false_win_is_computed(games):
    """A win that is called false is told with its hand and score; a false one is not."""
    wins = false = 0
    for game in games:
        win = replay(game)
        if win is None:
            continue
        (found,) = check([ended_false(game, len(game.events) - 1, win.player)], rules=LOW)
        (one,) = found.wrong
        assert one.called_false
        assert (one.player, one.hand, one.computed) == (win.player, bare(win.hand), game.total)
        assert str(one) == f"false win: it is a win of {game.total}"
        assert (found.wins, found.displays) == ([], 0)
        wins += 1
        # Below the minimum it is false, and so is every hand before.
        dear = GB98.replace(min_fan=game.total + 1)
        assert not next(
            check([ended_false(game, len(game.events) - 1, win.player)], rules=dear)
        ).wrong
        for table, number in tables(game):
            if number < len(game.events) - 1 and number % 7 == 0:
                (found,) = check([ended_false(game, number, table.turn)], rules=LOW)
                false += not found.wrong
                for one in found.wrong:
                    assert one.computed == score_hand(one.hand, rules=LOW).total
    assert wins > 15
    assert false > 50


def test_false_wins_within_a_game(games):
    """The play goes on after a false win: of each the hand is computed."""
    game = next(game for game in games if (game.total or 0) > 16)
    win, last = replay(game), game.events[-1]
    called = replace(last, kind=EventKind.FALSE_WIN)
    begun = replace(called, player=game.events[0].player, tile=game.events[0].tile)
    events = (game.events[0], begun, *game.events[1:-1], called, last)
    (found,) = check([replace(game, events=events, lines=(), can_hu=())])
    assert [(one.player, one.hand) for one in found.wrong] == [(win.player, bare(win.hand))]
    assert [differing for _, differing in found.wins] == [[]]


def test_replay_command_computes_false_wins(run, games, tmp_path):
    game = next(game for game in games if (game.total or 0) > 16)
    win, document = replay(game), write_judge(game)
    display = document["logs"][-1]["output"]["display"]
    assert display["action"] == "HU"
    scores = [-30 if seat == win.player else 10 for seat in range(4)]
    document["logs"][-1]["output"]["display"] = {"action": "WH", "score": scores}
    log = tmp_path / "judge.json"
    log.write_text(json.dumps(document), encoding="utf-8")
    done = run("replay", log)
    assert done.exit_code == 1
    first, last = done.stdout.splitlines()
    said = f"player {win.player} {bare(win.hand)}: false win: it is a win of {game.total}"
    assert first.endswith(said)
    assert last.endswith("; 1 false wins that are wins")
    record = json.loads(run("replay", log, "--json").stdout)
    assert record["false_win"] is True
    assert record["differences"] == {"total": {"declared": None, "computed": game.total}}


# --- bad lines


BAD_LINES = {
    "deep": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "a number of many digits": '{"a": ' + "1" * 5000 + "}",
    "a large score": 10**30,
    "a score of many digits": "9" * 5000,
    "infinite": "1e400",
    "no number": "NaN",
    "a fan": None,
    "nothing": "null",
    "a text": '"x"',
    "empty": "{}",
    "half a character": '{"a": "\\ud800"}',
    "cut": '{"logs": [',
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_LINES)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_one_bad_line_of_json(games, case, place):
    """It is a bad record by number; the others are read."""
    good = [game for game in games if game.end == "win"][:3]
    lines = [json.dumps(write_judge(game)) for game in good]
    bad = BAD_LINES[case]
    if case == "a fan":
        bad = re.sub(r'"cnt": 1\b', f'"cnt": {10**30}', lines[0], count=1)
        assert bad != lines[0]
    elif not str(bad).startswith(("{", "[", '"', "null")):
        bad = re.sub(r'"score": \[[^,]*,', f'"score": [{bad},', lines[0])
        assert bad != lines[0]
    lines.insert(place, bad)
    errors: list[BadRecord] = []
    found = list(read_games(io.StringIO("\n".join(lines)), errors.append))
    assert [game.events for game in found] == [game.events for game in good]
    assert [str(error).split(":")[0].split(",")[0] for error in errors] == [f"line {place + 1}"]
    assert len(str(errors[0])) < 200
