"""The commands ``routes``, ``targets``, ``analyze``: what they print, draw and refuse."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import fields

import pytest

from fastmj import (
    FANS,
    WMO2006,
    cli,
    fan_distance_batch,
    min_fan_shanten,
    routes,
    score_hand,
    simulate,
)
from fastmj.hands.tiles import counts_of, format_tiles, parse_tiles

FOURTEEN = "[123m]456p13789s9pEE"
#: What decides a result.
SETTINGS = (
    "hand", "policy", "draws", "min_fan", "seed", "complete", "by", "claims", "others", "melding",
    "turn", "seat_wind", "prevalent_wind", "winds_given", "rules", "offered", "source", "visible",
    "most_samples", "standard_error",
)  # fmt: skip


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command; gives (exit code, standard output, standard error)."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        code = cli.main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        notices = ("compiling", "compiled")  # of kernels, on the first run of all
        return code, out, "".join(x for x in err.splitlines(True) if not x.startswith(notices))

    return call


# --- routes


def test_routes_as_a_table(run):
    code, out, err = run("routes", "12345678m4455pEE", "--most", 4)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["fan", "points", "distance", "copies", "tiles"]
    assert len(lines) == 5
    assert lines[1].split()[:1] == ["清龙"]
    assert all(len(line) <= 80 for line in lines)


def test_routes_as_json_are_those_of_the_library(run):
    code, out, _ = run("routes", "12345678m4455pEE", "--json", "--least", 1, "--most", 100)
    assert code == 0
    found = {row["zh"]: row for row in json.loads(out)["routes"]}
    counts = counts_of(parse_tiles("12345678m4455pEE"))
    distance = fan_distance_batch([counts]).distance[0]
    assert {zh: row["distance"] for zh, row in found.items()} == {
        fan.zh: distance[fan.id] for fan in FANS if -1 <= distance[fan.id] < 127
    }
    expected = {FANS[route.fan].zh: route for route in routes("12345678m4455pEE")}
    assert found["清龙"]["left"] == list(expected["清龙"].left)


def test_routes_know_profiles_and_what_is_visible(run):
    _, out, _ = run("routes", "12345678m4455pEE", "--json", "--visible", "9m9m9m9m")
    assert next(r for r in json.loads(out)["routes"] if r["zh"] == "清龙")["left"][0] == 0
    assert run("routes", "12345678m4455pEE", "--rules", "wmo2006")[0] == 0


# --- targets


def test_targets_as_a_table(run):
    code, out, err = run("targets", "2346m4588p6sWWCC", "--most", 3)
    assert (code, err) == (0, "")
    title, head, *rows = out.splitlines()
    assert title == (
        "2346m4588p6sWWCC  distance to 8 fan (GB98) 2, won by a self-draw; 3 of 6 hands"
    )
    assert head.split() == ["missing", "left", "points", "hand", "fans"]
    assert rows[0].split()[:6] == ["3pWC", "4", "2", "2", "10", "234m34588pWWWCCC"]
    assert len(rows) == 3


def test_targets_as_json_are_those_of_the_library(run):
    options = ("--visible", "6p8p", "--rules", "wmo2006", "--min-fan", 9, "--most", 999)
    code, out, _ = run("targets", "2346m4588p6sWWCC", "--json", *options)
    assert code == 0
    answer = json.loads(out)
    found = min_fan_shanten("2346m4588p6sWWCC", visible="6p8p", rules=WMO2006, min_fan=9)
    assert (answer["distance"], answer["exact"]) == (found.distance, True)
    assert answer["number"] == len(answer["targets"]) == len(found.targets) > 3
    points = {each["hand"]: each["points"] for each in answer["targets"]}
    assert points == {format_tiles(score.hand.concealed): score.base for score in found.targets}
    held = counts_of(parse_tiles("2346m4588p6sWWCC"))
    for each in answer["targets"]:
        wanted = counts_of(parse_tiles(each["hand"]))
        missing = counts_of(parse_tiles("".join(t * n for t, n in each["missing"].items())))
        assert sum(missing) == found.distance + 1
        assert all(w <= h + m for w, h, m in zip(wanted, held, missing, strict=True))
        assert score_hand(each["hand"], self_drawn=True, rules=WMO2006).wins
        assert each["left"].get("8p") in (None, 1)
    ways = [each["ways"] for each in answer["targets"]]
    assert ways == sorted(ways, reverse=True)


def test_targets_of_a_win_by_discard_and_beside_melds(run):
    _, out, _ = run("targets", "123456m78p99s123s", "--discard", "--json", "--min-fan", 7)
    # fully concealed is a fan of self-draws
    (target, *_) = json.loads(out)["targets"]
    assert "不求人" not in target["fans"]
    _, out, _ = run("targets", "[CCC]123m45p78p123s", "--json", "--most", 1)
    assert json.loads(out)["targets"][0]["hand"].startswith("[CCC]")


def test_a_bound_is_said_to_be_one(run):
    code, out, _ = run("targets", "159m159p159s3m7mEE", "--min-fan", 60)
    found = min_fan_shanten("159m159p159s3m7mEE", min_fan=60)
    assert not found.exact
    assert code == 0
    assert " ".join(out.split()).endswith(
        f"at most {found.distance}: hands are searched up to distance 4, and there is none"
    )
    _, out, _ = run("targets", "159m159p159s3m7mEE", "--min-fan", 60, "--json")
    answer = json.loads(out)
    assert (answer["exact"], answer["searched"], answer["targets"]) == (False, 4, [])


# --- analyze


def test_analyze_as_a_table(run):
    code, out, err = run("analyze", FOURTEEN, "--samples", 100)
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    assert "[123m]4569p13789sEE: turn 1, 20 rounds to come;" in text
    assert "East round, seat East (none stated)" in text
    assert "100 roll-outs, seed 1" in text
    lines = out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("choice"))
    assert lines[head].split() == [
        "choice", "wins", "pays", "behind", "away", "ready", "drawn", "melds", "aims", "at",
    ]  # fmt: skip
    rows = [line.split() for line in lines[head + 1 :] if "%" in line and line[0] != " "]
    chances = [float(row[1].rstrip("%")) for row in rows]
    assert chances == sorted(chances, reverse=True)
    assert len(chances) == 10
    assert "花龙" in rows[0]
    assert rows[0][5] == "-"
    assert all(len(line) <= 80 for line in lines)


def test_analyze_as_json_is_what_the_library_says(run):
    options = ("--samples", 60, "--seed", 7, "--claims", 0.2, "--draws", 9, "--threads", 2)
    options += ("--others", 0.5, "--turn", 3, "--by", "points", "--visible", "1s")
    code, out, _ = run("analyze", FOURTEEN, "--json", "--min-fan", 6, *options)
    assert code == 0
    answer = json.loads(out)
    found = simulate(
        FOURTEEN, samples=60, seed=7, claims=0.2, draws=9, min_fan=6, others=0.5, turn=3,
        by="points", visible="1s",
    )  # fmt: skip
    told = {name: answer[name] for name in SETTINGS}
    assert told == {
        "hand": found.hand, "policy": "weigh", "draws": 9, "min_fan": 6, "seed": 7,
        "complete": True, "by": "points", "claims": 0.2, "others": 0.5, "melding": True,
        "turn": 3, "seat_wind": 0, "prevalent_wind": 0, "winds_given": False, "rules": "GB98",
        "offered": "", "source": "", "visible": "1s", "most_samples": 60, "standard_error": None,
    }  # fmt: skip
    assert [row["name"] for row in answer["choices"]] == [c.name for c in found.choices]
    for name in ("win_by_turn", "ready_by_turn", "waiting_by_turn"):
        assert [row[name] for row in answer["choices"]] == [
            getattr(choice, name).tolist() for choice in found.choices
        ]
    for name in ("fans", "plain", "win_behind", "payment_behind_error", "samples", "ends"):
        assert [row[name] for row in answer["choices"]] == [
            getattr(choice, name) for choice in found.choices
        ]


def test_the_whole_result_is_in_the_json(run):
    _, out, _ = run("analyze", "123456789m1234p", "--json", "--samples", 20, "--no-melding")
    answer = json.loads(out)
    found = simulate("123456789m1234p", samples=20, seed=1, melding=False)
    assert {field.name for field in fields(found)} <= answer.keys()
    assert {field.name for field in fields(found.choices[0])} <= answer["choices"][0].keys()


def test_analyze_of_an_offered_tile(run):
    options = ("--offered", "C", "--from", "left", "--samples", 100)
    code, out, _ = run("analyze", "2346m4588p6sWWCC", *options)
    assert code == 0
    assert ", C from the left: turn 1" in out
    rows = [line for line in out.splitlines() if line.startswith(("claim", "pass"))]
    assert rows[0].startswith("claim [CCC], ")
    assert [row.split()[0] for row in rows] == ["claim", "pass"]  # the best discard behind it alone
    _, out, _ = run("analyze", "2346m4588p6sWWCC", "--json", *options)
    names = [row["name"] for row in json.loads(out)["choices"]]
    assert sum(name.startswith("claim [CCC]") for name in names) == 9
    _, out, _ = run(
        "analyze", "123456m78p12399s", "--offered", "9p", "--from", "across", "--samples", 20
    )
    assert next(line for line in out.splitlines() if line.startswith("win")).split()[1] == "100.0%"


def test_analyze_of_thirteen_tiles(run):
    _, out, _ = run("analyze", "123456789m1234p", "--samples", 50, "--policy", "shanten")
    assert sum(line.startswith("as it stands") for line in out.splitlines()) == 1
    assert "no melds are claimed" in " ".join(out.split())


def test_analyze_plays_until_it_knows_enough(run):
    quick = ("--policy", "shanten", "--claims", 0, "--others", 0, "--no-melding")
    _, out, _ = run("analyze", "123456789m1234p", "--error", 0.7, "--json", *quick)
    (choice,) = json.loads(out)["choices"]
    assert choice["win_error"] <= 0.007
    assert 2000 < choice["samples"] < 20_000
    _, out, _ = run("analyze", "123456789m1234p", "--json", *quick)
    answer = json.loads(out)
    assert answer["standard_error"] == 0.005
    assert 0.004 < answer["choices"][0]["win_error"] <= 0.005


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("routes", "123m"), "13 or 14"),
        (("routes", "123456789m1234p", "--rules", "house"), "house"),
        (("analyze", "123456789m12p"), "13 or 14"),
        (("analyze", "123456789m1234p", "--visible", "1111m"), "visible"),
        (("analyze", "123456789m1234p", "--draws", 200), "only 123"),
        (("analyze", "123456789m1234p", "--draws", 0), "draws"),
        (("analyze", "123456789m1234p", "--others", -1), "others"),
        (("analyze", "123456789m1234p", "--turn", -1), "turn"),
        (("analyze", "123456789m1234p", "--seed", -1), "seed"),
        (("analyze", "123456789m1234p", "--error", 0), "standard_error"),
        (("analyze", "123456789m1234p", "--offered", "5p"), "source"),
        (("analyze", "123456789m1234p", "--offered", "56p", "--from", "left"), "one tile"),
        (("targets", "123456789m12p"), "13 or 14"),
        (("targets", "123456789m1234p", "--min-fan", -1), "min_fan"),
        (("analyze", "123456789m1234p", "--policy", "luck"), "luck"),
        (("analyze", "123456789m1234p", "--claims", 2), "claims"),
        (("analyze", "123456789m1234p", "--samples", 0), "samples"),
        (("analyze", "123456789m1234p", "--threads", 0), "threads"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_the_picture(run, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "chances.png"
    code, _, err = run("analyze", FOURTEEN, "--samples", 50, "--plot", file)
    assert (code, err) == (0, "")
    assert file.read_bytes().startswith(b"\x89PNG")
    code, out, err = run("analyze", FOURTEEN, "--samples", 50, "--plot", tmp_path / "a.what")
    assert (code, out) == (2, "")
    assert "a.what" in err
    code, _, err = run("analyze", FOURTEEN, "--samples", 50, "--plot", tmp_path / "no" / "a.png")
    assert code == 2
    assert "no" in err


def test_the_picture_without_the_library(run, monkeypatch, tmp_path):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    code, out, err = run("analyze", FOURTEEN, "--plot", tmp_path / "a.png")
    assert (code, out) == (2, "")
    assert err.startswith("error: cannot draw ")
    assert err.endswith("a.png: plots need matplotlib: pip install 'fastmj[plot]'\n")


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in the background
from rich.progress import Progress
from fastmj.cli import main
update = Progress.update
def interrupt(*arguments, **options):
    update(*arguments, **options)
    os.kill(os.getpid(), signal.SIGINT)
Progress.update = interrupt
sys.exit(main(sys.argv[1:]))
"""


def test_ctrl_c_shows_what_is_done():
    """After the first samples, as soon as their number is shown."""
    command = [sys.executable, "-c", INTERRUPTED, "analyze", FOURTEEN, "--samples", "200000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 130, done.stderr
    told = re.search(r"^([\d,]+) roll-outs, .*seed 1, stopped early$", done.stdout, re.MULTILINE)
    assert 0 < int(told[1].replace(",", "")) < 200_000
