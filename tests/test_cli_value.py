"""The commands ``routes`` and ``analyze``: what they print, draw and refuse, and how they end."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fastmj import FANS, cli, fan_distance_batch, routes, simulate
from fastmj.hands.tiles import counts_of, parse_tiles

FOURTEEN = "[123m]456p13789s9pEE"


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


# --- analyze


def test_analyze_as_a_table(run):
    code, out, err = run("analyze", FOURTEEN, "--samples", 300)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].endswith("18 draws, 300 roll-outs a discard")
    assert lines[1].split() == ["discard", "wins", "±", "ready", "points", "distance", "aims", "at"]
    chances = [float(line.split()[1].rstrip("%")) for line in lines[2:]]
    assert chances == sorted(chances, reverse=True)
    assert len(chances) == 10
    assert "花龙" in lines[2]
    assert all(len(line) <= 80 for line in lines)


def test_analyze_as_json_is_what_the_library_says(run):
    options = ("--samples", 200, "--seed", 7, "--claims", 0.2, "--draws", 9, "--threads", 2)
    code, out, _ = run("analyze", FOURTEEN, "--json", "--min-fan", 6, *options)
    assert code == 0
    answer = json.loads(out)
    found = simulate(FOURTEEN, samples=200, seed=7, claims=0.2, draws=9, min_fan=6)
    assert (answer["policy"], answer["min_fan"], answer["seed"]) == ("fan", 6, 7)
    assert [row["win_by_turn"] for row in answer["choices"]] == [
        choice.win_by_turn.tolist() for choice in found.choices
    ]
    assert [row["fans"] for row in answer["choices"]] == [c.fans for c in found.choices]
    assert answer["complete"] is True


def test_analyze_of_thirteen_tiles(run):
    _, out, _ = run("analyze", "123456789m1234p", "--samples", 200, "--policy", "shanten")
    assert len(out.splitlines()) == 3
    assert out.splitlines()[2].split()[0] == "-"


def test_analyze_plays_until_it_knows_enough(run):
    _, out, _ = run("analyze", "123456789m1234p", "--error", 0.7, "--json")
    (choice,) = json.loads(out)["choices"]
    assert choice["win_error"] <= 0.007
    assert 2000 < choice["samples"] < 20_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("routes", "123m"), "13 or 14"),
        (("routes", "123456789m1234p", "--rules", "house"), "house"),
        (("analyze", "123456789m12p"), "13 or 14"),
        (("analyze", "123456789m1234p", "--visible", "1111m"), "visible"),
        (("analyze", "123456789m1234p", "--draws", 200), "only 123"),
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
    code, _, err = run("analyze", FOURTEEN, "--samples", 200, "--plot", file)
    assert (code, err) == (0, "")
    assert file.read_bytes().startswith(b"\x89PNG")
    code, out, err = run("analyze", FOURTEEN, "--samples", 200, "--plot", tmp_path / "a.what")
    assert (code, out) == (2, "")
    assert "a.what" in err
    code, _, err = run("analyze", FOURTEEN, "--samples", 200, "--plot", tmp_path / "no" / "a.png")
    assert code == 2
    assert "no" in err


def test_the_picture_without_the_library(run, monkeypatch, tmp_path):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    code, out, err = run("analyze", FOURTEEN, "--plot", tmp_path / "a.png")
    assert (code, out) == (2, "")
    assert err == "error: --plot needs matplotlib: pip install 'fastmj[plot]'\n"


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
    first = done.stdout.splitlines()[0]
    assert first.endswith(" roll-outs a discard, stopped early")
    assert 0 < int(first.split()[3]) < 200_000
