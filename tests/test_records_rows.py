"""Decisions of recorded games as rows, and the command that replays logs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from record_writers import TWO_WINNERS
from typer.testing import CliRunner

from fastmj import FANS, GB98, HandBatch, parse_hand, score_hand
from fastmj.cli.records import register
from fastmj.hands.melds import Meld, MeldKind
from fastmj.hands.tiles import format_tiles
from fastmj.records import (
    BadRecord,
    Event,
    EventKind,
    action_of,
    decision_batches,
    decisions,
    fan_masks,
    read_pmn,
    tables,
    write_judge,
    write_log,
)
from fastmj.records import replay as replay_of
from fastmj.records.play import play_game
from fastmj.records.rows import (
    ACTIONS,
    ADDED_KONG,
    CHOW,
    CONCEALED_KONG,
    HIDDEN_KONG,
    KONG,
    NO_TILE,
    PASS,
    PLAY,
    PUNG,
    WIN,
)

LOW = GB98.replace(min_fan=1)


@pytest.fixture(scope="module")
def games():
    return [
        *(play_game(seed) for seed in range(20)),
        *(play_game(seed, bias=0.3, rules=LOW) for seed in range(20)),
        *(play_game(seed, flowers=True) for seed in range(5)),
        *(play_game(seed, bias=0) for seed in (74, 116)),
        *(play_game(seed, bias=0.0, rules=GB98.replace(min_fan=64)) for seed in (1, 5)),
    ]


@pytest.fixture(scope="module")
def rows(games):
    return decisions(games, rules=LOW)


def slow_actions(table, player, wins):
    """Actions of a player, one by one from the state of the table."""
    hand, tile = table.hands[player], table.tile
    replaceable = table.left(player) > 0 and not table.is_last
    found = {WIN} if wins else set()
    if player == table.turn:
        found |= {PLAY + t for t in range(34) if hand[t]}
        if table.phase == 0 and replaceable:
            found |= {CONCEALED_KONG + t for t in range(34) if hand[t] == 4}
            found |= {
                ADDED_KONG + m.tile
                for m in table.melds[player]
                if m.kind == MeldKind.PUNG and hand[m.tile]
            }
        return found
    found.add(PASS)
    if table.phase == 3 or table.is_last:
        return found
    found |= {PUNG + tile} if hand[tile] >= 2 else set()
    found |= {KONG + tile} if hand[tile] >= 3 and replaceable else set()
    if player == (table.turn + 1) % 4 and tile < 27:
        for middle in (tile - 1, tile, tile + 1):
            chow = [middle - 1, middle, middle + 1]
            if chow[0] >= 0 and chow[0] // 9 == chow[2] // 9 == tile // 9 and chow[2] < 27:
                rest = [t for t in chow if t != tile]
                if all(hand[t] for t in rest):
                    found.add(action_of(Event(EventKind.CHOW, player, middle), tile))
    return found


def test_rows_are_the_states_of_the_table(games, rows):
    """Every row against the table at that moment, and no choice left out."""
    at = 0
    for number, game in enumerate(games):
        for table, position in tables(game):
            if table.phase > 3 or (table.phase < 2 and position == len(game.events)):
                continue
            players = [table.turn] if table.phase < 2 else [p for p in range(4) if p != table.turn]
            for player in players:
                wins = False
                if table.tile >= 0:
                    try:
                        score = score_hand(table.hand(player), rules=LOW)
                    except ValueError:
                        score = None
                    wins = score is not None and score.wins
                actions = slow_actions(table, player, wins)
                if len(actions) == 1:
                    continue
                assert (rows.game[at], rows.player[at]) == (number, player)
                assert set(np.flatnonzero(rows.legal[at]).tolist()) == actions
                assert rows.counts[at].tolist() == list(table.hands[player])
                assert rows.visible[at].tolist() == list(table.visible)
                assert rows.phase[at] == table.phase
                assert rows.tile[at] == (NO_TILE if table.tile < 0 else table.tile)
                assert rows.total[at] == (score.total if table.tile >= 0 and score else 0)
                for step in range(4):
                    other = (player + step) % 4
                    assert rows.walls[at, step] == table.left(other)
                    assert rows.flowers[at, step] == table.flowers[other]
                    river = rows.rivers[at, step]
                    assert river[river != NO_TILE].tolist() == list(table.rivers[other])
                    codes = [
                        HIDDEN_KONG if step and meld.kind == MeldKind.CONCEALED_KONG else meld.code
                        for meld in table.melds[other]
                    ]
                    assert rows.melds[at, step].tolist() == codes + [0] * (4 - len(codes))
                if table.tile >= 0:
                    assert (player + rows.giver[at]) % 4 == table.giver
                assert rows.score[at] == game.scores[player]
                assert rows.prevalent_wind[at] == game.prevalent_wind
                at += 1
    assert at == len(rows) > 1500


def test_a_player_without_a_wall_claims_but_a_kong(rows):
    """As long as the next player has a tile to draw, the game goes on."""
    which = (rows.phase == 2) & (rows.walls[:, 0] == 0) & rows.legal[:, CHOW:KONG].any(axis=1)
    assert which.any()
    assert (rows.walls[which].max(axis=1) > 0).all()
    assert not rows.legal[which, KONG:CONCEALED_KONG].any()


def test_what_was_done_is_legal(rows):
    assert rows.legal[np.arange(len(rows)), rows.action].all()
    assert (rows.legal.sum(axis=1) > 1).all()
    starts = np.array([PASS, WIN, PLAY, CHOW, PUNG, KONG, CONCEALED_KONG, ADDED_KONG])
    kinds = np.searchsorted(starts, rows.action, side="right") - 1
    assert set(kinds.tolist()) == set(range(8))


def test_every_claim_is_a_row(games, rows):
    """Claims, ignored ones too, are what the rows say was done."""
    for number, game in enumerate(games):
        mine = rows[rows.game == number]
        claimed = sum(
            1 + len(event.ignored)
            for event in game.events
            if event.kind in (EventKind.CHOW, EventKind.PUNG, EventKind.KONG)
        )
        claimed += sum(
            1 + len(event.ignored)
            for before, event in zip(game.events, game.events[1:], strict=False)
            if event.kind == EventKind.WIN and before.kind != EventKind.DRAW
        )
        assert ((mine.phase >= 2) & (mine.action != PASS)).sum() == claimed


def test_totals_are_those_of_the_batch(rows):
    own = rows[(rows.phase == 0) & (rows.action == WIN)]
    batch = HandBatch.from_columns(
        own.counts, own.melds[:, 0], own.tile, own.circumstances, own.player, own.prevalent_wind,
        own.flowers[:, 0],
    )  # fmt: skip
    assert [score_hand(hand, rules=LOW).total for hand in batch] == own.total.tolist()


def test_numbers_of_actions():
    chows = {
        action_of(Event(EventKind.CHOW, 0, 9 * suit + low + 1), 9 * suit + low + k)
        for suit in range(3)
        for low in range(7)
        for k in range(3)
    }
    assert chows == set(range(CHOW, PUNG))
    kinds = (EventKind.PLAY, EventKind.PUNG, EventKind.KONG, EventKind.CONCEALED_KONG,
             EventKind.ADDED_KONG)  # fmt: skip
    others = {action_of(Event(kind, 0, tile), -1) for kind in kinds for tile in range(34)}
    assert chows | others | {PASS, WIN} == set(range(ACTIONS))


def test_no_games():
    none = decisions([])
    assert len(none) == 0
    assert none.rivers.shape == (0, 4, 40)
    assert repr(none) == "<DecisionBatch of 0 decisions>"


def test_columns_go_into_a_file(rows, tmp_path):
    np.savez(tmp_path / "rows.npz", **rows.columns)
    with np.load(tmp_path / "rows.npz", allow_pickle=False) as file:
        for name, column in rows.columns.items():
            assert np.array_equal(file[name], column)


def test_threads_do_not_matter(games):
    one, two = (decisions(games[:5], threads=threads) for threads in (1, 2))
    for name, column in one.columns.items():
        assert np.array_equal(column, two.columns[name])


def test_a_meld_knows_who_gave_its_tile():
    game = next(
        game
        for game in map(play_game, range(100))
        if any(event.kind == EventKind.ADDED_KONG for event in game.events)
    )
    table = None
    for table, position in tables(game):
        event = game.events[position - 1] if position else None
        if event is not None and event.kind == EventKind.PUNG:
            giver = game.events[position - 2].player
            meld = table.melds[event.player][-1]
            assert meld == Meld(MeldKind.PUNG, event.tile)
            assert (event.player - meld.source) % 4 == giver
        if event is not None and event.kind == EventKind.ADDED_KONG:
            assert any(meld.source in (5, 6, 7) for meld in table.melds[event.player])


# --- streams, Arrow, the tiles behind the fans


def test_batches_are_the_whole(games, rows):
    batches = list(decision_batches(iter(games), rows=300, rules=LOW))
    assert len(batches) > 5
    for name, column in rows.columns.items():
        assert np.array_equal(np.concatenate([getattr(b, name) for b in batches]), column), name
    (one,) = decision_batches(games, rules=LOW, first=7)
    assert np.array_equal(one.game, rows.game + 7)
    assert list(decision_batches([])) == []


def test_a_bad_game_leaves_no_rows(games):
    """Found out in the middle, with rows written: they are taken back."""
    bad = replace(games[1], events=(*games[1].events[:-2], games[1].events[-1]))
    with pytest.raises(BadRecord):
        decisions([bad])
    errors = []
    (found,) = decision_batches([games[0], bad, games[2]], on_error=errors.append)
    wanted = decisions([games[0], games[2]])
    assert len(errors) == 1
    assert set(found.game.tolist()) == {0, 2}
    for name, column in found.columns.items():
        assert name == "game" or np.array_equal(column, getattr(wanted, name)), name
    with pytest.raises(BadRecord):
        list(decision_batches([bad]))


def test_a_false_win_is_no_decision(games):
    game = games[0]
    at = next(i for i, e in enumerate(game.events) if e.kind == EventKind.PLAY)
    wrong = Event(EventKind.FALSE_WIN, 3, 0)
    events = (*game.events[:at], wrong, *game.events[at : at + 1], wrong, *game.events[at + 1 :])
    found, wanted = decisions([replace(game, events=events)]), decisions([game])
    for name, column in wanted.columns.items():
        assert name == "line" or np.array_equal(column, getattr(found, name)), name


def test_all_winners_of_a_tile_decide():
    (game,) = read_pmn(TWO_WINNERS.splitlines())
    rows = decisions([game])
    assert rows.player[rows.action == WIN].tolist() == [1, 3]


def test_tiles_behind_the_fans(games):
    rows = decisions(games[:20], rules=LOW, fan_tiles=True)
    assert decisions(games[:1]).fan_tiles is None
    won = np.flatnonzero(rows.action == WIN)
    assert not rows.fan_tiles[rows.action != WIN].any()
    for row, win in zip(won, filter(None, map(replay_of, games[:20])), strict=True):
        fans = [fan for fan in FANS if rows.fan_tiles[row, fan.id]]
        flowers = {"花牌"} if win.hand.flowers else set()
        assert {fan.zh for fan in fans} | flowers == set(win.score(LOW).fans)
        held = {*win.hand.concealed, *(t for meld in win.hand.melds for t in meld.tiles)}
        for fan in fans:
            mask = int(rows.fan_tiles[row, fan.id])
            assert {tile for tile in range(34) if mask >> tile & 1} <= held


def test_masks_of_sets():
    masks = fan_masks(parse_hand("123123m789p99s78s9s|EE1000"))
    tiles = {FANS[fan].zh: format_tiles([t for t in range(34) if m >> t & 1])
             for fan, m in masks.items()}  # fmt: skip
    assert tiles["一般高"] == "123m"
    assert tiles["喜相逢"] == "789p789s"
    assert tiles["全带幺"] == "123m789p789s"
    assert fan_masks(parse_hand("123456789m1235p9s")) == {}


def test_arrow(rows, games):
    pa = pytest.importorskip("pyarrow")
    batch = rows.to_arrow()
    assert batch.num_rows == len(rows)
    assert set(batch.schema.names) == set(rows.columns)
    for name in ("action", "score", "total", "tile"):
        assert batch.column(name).to_pylist() == getattr(rows, name).tolist()
    hands = HandBatch.from_arrow(
        pa.table({"counts": batch.column("counts"), "win_tile": batch.column("tile")})
    )
    assert np.array_equal(hands.counts, rows.counts)
    assert batch.column("melds").type == pa.binary(16)
    some = rows[5:9].to_arrow()
    assert some.num_rows == 4
    fans = decisions(games[:3], fan_tiles=True).to_arrow().column("fan_tiles")
    assert str(fans.type) == "list<item: struct<fan: uint8, tiles: int64>>"
    assert decisions([], fan_tiles=True).to_arrow().num_rows == 0


# --- the command


@pytest.fixture(scope="module")
def run():
    app = typer.Typer()
    register(app)
    app.command("other")(lambda: None)  # so that the name of the command is wanted
    return lambda *arguments, **more: CliRunner().invoke(
        app, ["replay", *map(str, arguments)], **more
    )


def test_replay_of_a_right_log(run, games, tmp_path):
    log = tmp_path / "log.txt"
    log.write_text(write_log(games[:20]), encoding="utf-8")
    result = run(log)
    assert (result.exit_code, result.stderr) == (0, "")
    won = sum(game.end == "win" for game in games[:20])
    assert (
        result.stdout == f"20 games: {won} won, {20 - won} drawn; {won} as declared, 0 different\n"
    )
    shown = run(log, "--all").stdout.splitlines()
    assert len(shown) == won + 1
    assert shown[0].startswith(f"{log}:")
    assert shown[0].endswith(" as declared")


def test_replay_checks_false_wins(run, tmp_path):
    document = write_judge(play_game(1))
    logs = document["logs"][:11]
    end = {"action": "WH", "player": 2, "score": [10, 10, -30, 10]}
    logs[10] = {"output": {"display": end}}
    log = tmp_path / "log.json"
    log.write_text(json.dumps({"_id": "right", "logs": logs}), encoding="utf-8")
    result = run(log)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "1 games: 0 won, 0 drawn, 1 ended by a mistake; 0 as declared, 0 different\n"
    )
    end["score"] = [0, 0, -40, 0]
    log.write_text(json.dumps({"_id": "other", "logs": logs}), encoding="utf-8")
    result = run(log)
    assert result.exit_code == 1
    line, summary = result.stdout.splitlines()
    said = "score: declared 0 0 -40 0, computed 10 10 -30 10"
    assert line == f"{log}:0: other: player 2 false win: {said}"
    assert summary.endswith("; 1 false wins with another penalty")
    record = json.loads(run(log, "--json").stdout)
    assert record["false_win"]
    assert record["differences"]["score"]["computed"] == "10 10 -30 10"


def test_replay_lists_differences(run, games, tmp_path):
    log = tmp_path / "log.txt"
    text = write_log(games[:20])
    game = next(game for game in games[:20] if "清一色" in game.fans)
    declared = f"Fan {game.total} "
    log.write_text(text.replace(declared, f"Fan {game.total + 1} ", 1), encoding="utf-8")
    result = run(log)
    assert result.exit_code == 1
    line, summary = result.stdout.splitlines()
    assert f"total: declared {game.total + 1}, computed {game.total}" in line
    assert summary.endswith("1 different")
    record = json.loads(run(log, "--json").stdout.splitlines()[0])
    assert set(record) == {
        "match", "line", "player", "discarder", "hand", "declared", "names_lost", "differences",
    }  # fmt: skip
    assert not record["names_lost"]


def test_replay_of_a_log_without_names(run, games, tmp_path):
    log = tmp_path / "log.txt"
    log.write_text(write_log(games[:20]).encode("ascii", "replace").decode(), encoding="utf-8")
    won = sum(game.end == "win" for game in games[:20])
    lost = f"the fan names of {won} are lost and were not compared"
    result = run(log, "--all")
    assert result.exit_code == 0
    first, *_, summary = result.stdout.splitlines()
    assert first.endswith(" as declared, fan names lost")
    assert summary.endswith(f"{won} as declared, 0 different; {lost}")
    assert all(json.loads(line)["names_lost"] for line in run(log, "--json").stdout.splitlines())
    log.write_text(log.read_text(encoding="utf-8").replace("*1\n", "*2\n", 1), encoding="utf-8")
    result = run(log)
    assert result.exit_code == 1
    line, summary = result.stdout.splitlines()
    assert re.search(r": fans: declared (\?\S* )*\?×2, computed \w+.*, fan names lost$", line)
    assert summary.endswith(f"1 different; {lost}")


def test_replay_goes_on_after_errors(run, games, tmp_path):
    log = tmp_path / "log.txt"
    log.write_text(write_log(games[:3]).replace("Wind", "Wand", 1), encoding="utf-8")
    document = tmp_path / "judge.json"
    document.write_text(json.dumps(write_judge(games[0])), encoding="utf-8")
    result = run(log, tmp_path / "none", document)
    assert result.exit_code == 2
    first, second = result.stderr.splitlines()
    assert first.startswith(f"error: {log}: line 2: 'Wand ")
    assert second == f"error: cannot read {tmp_path / 'none'}: No such file or directory"
    assert result.stdout.startswith("3 games: ")
    assert "2 could not be read or replayed" in result.stdout


def test_replay_reads_standard_input_and_rules(run, games):
    result = run("-", "--rules", "WMO2006", input=write_log(games[:3]))
    assert result.exit_code in (0, 1)
    assert result.stdout.splitlines()[-1].startswith("3 games")
    result = run("-", input=write_log(games[:3]).encode("gb18030"))
    assert result.stdout.endswith(", 0 different\n")
    assert run("-", "--rules", "other", input="").exit_code == 2
    assert run("-", input="Match\n").stderr.startswith("error: stdin: line 1: the match ends")


def test_the_log_of_the_documentation(run):
    """It is what its script writes; its last game declares 自摸 beside 不求人."""
    folder = Path(__file__).parent / "records"
    names: dict = {"__file__": str(folder / "make_games.py"), "__name__": "make_games"}
    exec((folder / "make_games.py").read_text(encoding="utf-8"), names)
    assert (folder / "games.txt").read_text(encoding="utf-8") == names["text"]()
    result = run(folder / "games.txt")
    assert result.exit_code == 1
    first, second = result.stdout.splitlines()
    assert "fans: declared 自摸, computed -" in first
    assert second == "4 games: 4 won, 0 drawn; 3 as declared, 1 different"
