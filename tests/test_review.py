"""Recorded games looked at again: what was asked, what is best, what it cost."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from fastmj import WMO2006, cli, settle, simulate
from fastmj.distance.reading import read_row
from fastmj.hands.tiles import counts_of, parse_tiles
from fastmj.records import decisions, read_games
from fastmj.records.play import play_game
from fastmj.review import Decision, Option, questions, review_game, review_page
from fastmj.review.journal import Journal

LOG = "tests/records/games.txt"
GAMES = [*read_games(LOG), *(play_game(seed=seed, flowers=seed % 2 == 0) for seed in range(12))]


@pytest.fixture(scope="module")
def reviewed():
    """The end of a game, which is quick: few draws are left."""
    return review_game(GAMES[0], 0, seconds=0.01, seed=5)


# --- what was asked


def test_every_decision_is_asked():
    for game in GAMES:
        rows = decisions([game])
        for player in range(4):
            asked = questions(game, player)
            mine = rows[np.flatnonzero(rows.player == player)]
            assert len(asked) == len(mine)
            for row, question in enumerate(asked):
                assert question.done in question.actions
                assert len(set(question.actions)) == len(question.actions)
                assert len(question.actions) == mine.legal[row].sum()


def test_what_is_seen_and_held_adds_up():
    """Of no tile there are five, and nothing is counted twice: checked by the tables' columns."""
    for game in GAMES:
        rows = decisions([game])
        for player in range(4):
            mine = rows[np.flatnonzero(rows.player == player)]
            for row, question in enumerate(questions(game, player)):
                visible = counts_of(parse_tiles(question.visible))
                read = read_row(question.hand, question.visible, "chinese", (0, 1))
                assert read.winds == {
                    "seat_wind": player, "prevalent_wind": game.prevalent_wind,
                }  # fmt: skip
                assert read.columns["counts"][0].tolist() == mine.counts[row].tolist()
                total = np.array(visible) + mine.counts[row]
                for code in read.columns["melds"][0]:
                    if 0 < code < 35:
                        total[code - 1 : code + 2] += 1
                    elif code:
                        total[(code - 1) % 34] += 3 if code < 69 else 4
                if question.offered:
                    total[mine.tile[row]] += 1
                # tiles in own concealed kongs are the only ones that are in no river or open meld
                assert (total <= 4).all()
                opened = mine.visible[row].sum()
                shown = [code for code in read.columns["melds"][0] if 0 < code < 103]
                exposed = sum(4 if code >= 69 else 3 for code in shown)
                assert len(parse_tiles(question.visible)) == opened - exposed - (
                    mine.phase[row] == 3
                )


def test_turns_count_up_and_draws_down():
    for game in GAMES:
        for player in range(4):
            asked = questions(game, player)
            turns = [question.turn for question in asked]
            assert turns == sorted(turns)
            assert all(question.turn + question.draws in (20, 21, 22) for question in asked)
            assert all(1 <= question.draws <= 22 for question in asked)


def test_offers_say_from_whom():
    found = [q for game in GAMES for player in range(4) for q in questions(game, player)]
    chow = re.compile(r"claim \[(?!(.)\1)\d{3}[mps]")
    chows = [q for q in found if any(map(chow.match, q.actions))]
    assert len(chows) > 20
    assert {q.source for q in chows} == {"left"}
    assert {q.source for q in found} == {"", "left", "across", "right"}
    assert all(bool(q.offered) == ("pass" in q.actions) for q in found)
    with pytest.raises(ValueError, match="player must be 0 to 3"):
        questions(GAMES[0], 4)


def test_rules_are_taken_by_name():
    game, winner = GAMES[0], next(p for p in range(4) if GAMES[0].scores[p] > 0)
    assert questions(game, winner, rules="wmo2006") == questions(game, winner, rules=WMO2006)
    found = review_game(game, winner, rules="wmo2006", seconds=0.01)
    assert (found.settings["rules"], found.settings["min_fan"]) == ("WMO2006", 8)
    for ask in (questions, review_game):
        with pytest.raises(ValueError, match="no rules are called 'mine'"):
            ask(game, winner, rules="mine")
        with pytest.raises(TypeError, match="doubling rules"):
            ask(game, winner, rules="regional")


# --- what it cost


def test_costs_are_those_of_the_roll_outs(reviewed):
    """The best has none; what was done is as far behind as simulate says."""
    assert reviewed.complete
    assert len(reviewed.decisions) == len(questions(GAMES[0], 0))
    for each in reviewed.decisions:
        assert each.best.win_cost == each.best.payment_cost == 0
        chances = [one.win_chance for one in each.options]
        assert chances == sorted(chances, reverse=True)
        assert {one.action for one in each.options} == set(each.question.actions)
    each = reviewed.decisions[0]
    again = simulate(
        each.question.hand, seed=5, samples=each.best.samples, turn=0, draws=20,
        visible=each.question.visible, only=each.question.actions,
    )  # fmt: skip
    for one in each.options:
        choice = next(c for c in again.choices if c.name == one.name)
        if one.samples == again.choices[0].samples:
            assert (one.win_chance, one.payment) == (choice.win_chance, choice.payment)
    assert reviewed.win_cost == sum(one.done.win_cost for one in reviewed.decisions)


def test_a_win_is_worth_what_it_pays():
    game = GAMES[0]
    winner = next(p for p in range(4) if game.scores[p] > 0)
    last = review_game(game, winner, seconds=0.01).decisions[-1]
    assert last.question.done == "win"
    assert last.best.name == "win"
    assert (last.best.win_chance, last.best.samples, last.verdict) == (1.0, 0, "best")
    assert last.best.payment == game.scores[winner]
    other = last.options[1]
    assert other.win_cost == 1 - other.win_chance
    assert other.win_cost_error == other.win_error
    assert last.question.win == game.total


def test_a_win_that_was_passed_by_costs():
    """The same decision, had it been declined; by points a cheap win may be worth less."""
    question = replace(
        questions(GAMES[0], 0)[-1], hand="123456m78p12399s|EE0000", offered="9p", source="left",
        actions=("pass", "win"), done="pass", win=8, visible="", drawn="", draws=5, turn=15,
    )  # fmt: skip
    from fastmj.review import games

    how = {"by": "wins", "seconds": 0.05, "seed": 1}
    options = games._options(question, "wins", how)
    decision = Decision(question, "wins", options)
    assert decision.best.name == "win"
    assert decision.verdict == "worse"
    assert decision.done.win_cost == pytest.approx(1 - decision.done.win_chance)
    assert decision.best.payment == settle(8, 0, 3)[0]


def test_verdicts():
    best = Option("5p", "5p", 100, 0.5, 0.05, 1.0, 1.0, 0, 0, 0, 0)
    near = replace(best, name="6p", action="6p", win_cost=0.05, win_cost_error=0.03,
                   payment_cost=3.0, payment_cost_error=1.0)  # fmt: skip
    question = replace(questions(GAMES[0], 0)[0], actions=("5p", "6p"), done="6p")
    assert Decision(question, "wins", (best, near)).verdict == "close"
    assert Decision(question, "points", (best, near)).verdict == "worse"
    assert Decision(replace(question, done="5p"), "wins", (best, near)).verdict == "best"


# --- only some choices


def test_only_some_choices_are_compared():
    asked = {"samples": 40, "seed": 1, "threads": 1}
    found = simulate("2346m4588p6sWWCC3s", only=["8p", "6m"], **asked)
    assert {choice.name for choice in found.choices} == {"8p", "6m"}
    every = simulate("2346m4588p6sWWCC3s", **asked)
    for choice in found.choices:
        same = next(each for each in every.choices if each.name == choice.name)
        assert (same.wins, same.payment) == (choice.wins, choice.payment)
    offered = {"offered": "C", "source": "left", **asked}
    found = simulate("2346m4588p6sWWCC", only=["claim [CCC]"], **offered)
    assert len(found.choices) == 9
    found = simulate("2346m4588p6sWWCC", only=["claim [CCC], 6m", "pass"], **offered)
    assert {choice.name for choice in found.choices} == {"claim [CCC], 6m", "pass"}
    with pytest.raises(ValueError, match=r"only: \['9s'\] cannot be done; there are \['2m'"):
        simulate("2346m4588p6sWWCC3s", only=["9s"])
    with pytest.raises(ValueError, match="names no choice"):
        simulate("2346m4588p6sWWCC3s", only=[])


def test_seconds_bound_the_time():
    found = simulate("2346m4588p6sWWCC3s", seconds=0.01, samples=10**9)
    assert found.complete
    assert {choice.samples for choice in found.choices} == {100}
    with pytest.raises(ValueError, match="seconds must be above 0"):
        simulate("2346m4588p6sWWCC3s", seconds=0)


# --- resuming


def test_what_is_known_is_not_played_again(tmp_path, monkeypatch):
    path = tmp_path / "review.jsonl"
    first = review_game(GAMES[2], 0, seconds=0.01, journal=Journal(path))
    kept = path.read_bytes()
    assert kept.count(b"\n") == len(first.decisions)
    from fastmj.review import games

    played = []
    options = games._options
    monkeypatch.setattr(games, "_options", lambda *a: played.append(1) or options(*a))
    again = review_game(GAMES[2], 0, seconds=0.01, journal=Journal(path))
    assert (again, played, path.read_bytes()) == (first, [], kept)
    # a line that was cut when its writer was stopped is made anew
    path.write_bytes(kept[:-40])
    again = review_game(GAMES[2], 0, seconds=0.01, journal=Journal(path))
    assert len(played) == 1
    assert path.read_bytes().startswith(kept[:-40] + b"\n")
    review_game(GAMES[2], 0, seconds=0.01, journal=Journal(path))
    assert len(played) == 1
    # with other settings everything is asked anew
    review_game(GAMES[2], 0, seconds=0.01, seed=2, journal=Journal(path))
    assert len(played) == 1 + len(first.decisions)


@pytest.mark.parametrize("text", ["a letter\n", '{"a": 1}\n', "\x00\xff", "[]"])
def test_files_of_others_are_left_alone(tmp_path, text):
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine.txt, line 1: no line of a review"):
        Journal(path)
    code = cli.main(["review", LOG, "--player", "0", "--game", "1", "--resume", str(path)])
    assert code == 2
    assert path.read_text(encoding="utf-8") == text
    with pytest.raises(ValueError, match="no regular file"):
        Journal(tmp_path)


def test_stopping_keeps_what_is_done(tmp_path, monkeypatch):
    from fastmj.review import games

    options, played = games._options, []

    def stop(*arguments):
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(1)
        return options(*arguments)

    monkeypatch.setattr(games, "_options", stop)
    found = review_game(GAMES[0], 0, seconds=0.01, journal=Journal(tmp_path / "r.jsonl"))
    assert (len(found.decisions), found.complete) == (2, False)
    assert (tmp_path / "r.jsonl").read_bytes().count(b"\n") == 2
    assert "Stopped before the end" in review_page(found)


# --- the command and the page


@pytest.fixture(scope="module")
def journal(tmp_path_factory, reviewed):
    """A file in which all of a game is known, so that the command is quick."""
    path = tmp_path_factory.mktemp("review") / "known.jsonl"
    review_game(GAMES[0], 0, seconds=0.01, seed=5, journal=Journal(path))
    return path


def test_the_command(capsys, monkeypatch, tmp_path, journal):
    monkeypatch.setenv("COLUMNS", "120")
    page = tmp_path / "game.html"
    arguments = ["review", LOG, "--player", "0", "--game", "1", "--seconds", "0.01", "--seed", "5",
                 "--resume", str(journal)]  # fmt: skip
    assert cli.main([*arguments, "--html", str(page)]) == 0
    out = capsys.readouterr().out
    head = out.splitlines()
    assert head[0].startswith("sample-1, East: 17 decisions")
    assert re.search(r"^\d+ as preferred, \d+ not surely worse, \d+ worse; in all ", out, re.M)
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert cli.main([*arguments, "--html", str(page)]) == 2
    assert "--force" in capsys.readouterr().err
    assert cli.main([*arguments, "--json", "--html", str(page), "--force"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["settings"]["seconds"] == 0.01
    assert len(answer["decisions"]) == 17
    for each in answer["decisions"]:
        done = next(one for one in each["options"] if one["action"] == each["done"])
        assert done["win_cost"] == each["win_cost"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--player", "0"), "several games"),
        (("--player", "0", "--game", "9"), "no game 9"),
        (("--player", "4", "--game", "1"), "player"),
        (("--player", "0", "--game", "1", "--seconds", "0"), "seconds"),
        (("--player", "0", "--game", "1", "--html", "/no/such/folder/x.html"), "x.html"),
    ],
)
def test_what_cannot_be_done_is_said(capsys, arguments, message, journal):
    extra = () if "--seconds" in arguments else ("--seconds", "0.01", "--seed", "5")
    code = cli.main(["review", LOG, *arguments, *extra, "--resume", str(journal)])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert message in err


class Checker(HTMLParser):
    """Tags are closed in order, and nothing is fetched from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page(reviewed):
    game = replace(reviewed.game, name="<b>&", players=("<i>", "", "", ""))
    checker = Checker()
    text = review_page(replace(reviewed, game=game))
    checker.feed(text)
    assert checker.open == []
    tags = [tag for tag, _ in checker.seen]
    assert tags.count("section") == tags.count("svg") == len(reviewed.decisions)
    assert not {"script", "link", "img", "b", "i"} & set(tags)
    links = [attrs["href"] for tag, attrs in checker.seen if tag == "a"]
    ids = {"#" + attrs["id"] for tag, attrs in checker.seen if tag == "section"}
    assert set(links) <= ids
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
