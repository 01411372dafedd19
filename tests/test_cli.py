"""The command: what it prints where, what it reads, what it refuses and how it ends."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import fastmj
from fastmj import FANS, GB98, WMO2006, cli, random_wins, score_batch, score_hand
from fastmj.cli import common as cli_common
from fastmj.cli import hand_files
from fastmj.cli import score as cli_score

SAMPLE = "[123m,1][5555p]456s78s99m9s|EE1000|2"
CIRCLE = "[123m][789m]123p79pCC8p"
CHICKEN = "[123m][345m]678p56sWW7s"
PLAIN = "123456789m12355p"
HANDS = Path(__file__).parent / "data" / "hands.txt"


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")


def lines_of(text):
    return text.splitlines()


# --- one hand


def test_shows_tiles_fans_sets_and_verdict(run):
    code, out, err = run("score", SAMPLE)
    assert (code, err) == (0, "")
    lines = lines_of(out)
    assert lines[0] == "🀇 🀈 🀉   🀫 🀝 🀝 🀫   🀏 🀏 🀓 🀔 🀕 🀖 🀗   🀘"
    assert lines[1] == "[123m,1]  [5555p]  99m45678s  9s"
    assert lines[2] == "won on 9s, self-drawn; East round, seat East; 2 flowers"
    rows = [line.split() for line in lines[4:]]
    assert ["暗杠", "Concealed", "Kong", "1", "2", "[5555p]"] in rows
    assert ["连六", "Short", "Straight", "1", "1", "456s", "789s"] in rows
    assert ["花牌", "Flower", "Tiles", "2", "2"] in rows
    assert ["Total", "7"] in rows
    assert lines[-1] == "No win: 5 without flowers is below the minimum of 8 (GB98)."


def test_says_who_pays(run):
    assert "The discarder pays 31, the others 8 each: 47 in all." in run("score", PLAIN)[1]
    out = run("score", PLAIN, "--self-drawn")[1]
    assert "A win: 25 reaches the minimum of 8 (GB98)." in out
    assert "Each of the others pays 33: 99 in all." in out


def test_tiles_that_do_not_win_are_no_error(run):
    code, out, err = run("score", "123456789m1235pE")
    assert (code, err) == (0, "")
    assert "Not a winning hand" in out


def test_repeated_fans_show_their_groups(run):
    assert "[123m] 123p; [789m] 789p" in run("score", CIRCLE)[1]


def test_explain_gives_reasons_and_other_readings(run):
    out = run("score", "--explain", CIRCLE)[1]
    assert "read as [123m] [789m] 123p 789p CC, won in 789p" in out
    assert "Not counted" in out
    assert "its sets are already connected, it would close a circle" in out
    out = run("score", "--explain", "111222333m55789p")[1]
    assert "Other readings" in out
    assert "123m 123m 123m 789p 55p, won in 789p" in out


def test_several_hands_are_separated(run):
    code, out, _ = run("score", SAMPLE, PLAIN)
    assert code == 0
    assert out.count("Total") == 2
    assert "\n\n🀇" in out


@pytest.mark.parametrize(
    ("options", "circumstances"),
    [
        (["--self-drawn"], {"self_drawn": True}),
        (["--last-tile"], {"last_tile": True}),
        (["--last-of-kind"], {"last_of_kind": True}),
        (["--seat", "S", "--prevalent", "n"], {"seat_wind": "S", "prevalent_wind": "N"}),
        (["--seat", "west", "--prevalent", "东"], {"seat_wind": "W", "prevalent_wind": "E"}),
        (["--flowers", "3"], {"flowers": 3}),
        (["--kong"], {"kong": True}),
        (["--rules", "wmo2006", "--self-drawn"], {"rules": WMO2006, "self_drawn": True}),
    ],
)
def test_options_set_the_circumstances(run, options, circumstances):
    text = "[2222s][SSS]123m78pNN9p"
    record = json.loads(run("score", "--json", text, *options)[1])
    expected = score_hand(text, **circumstances)
    assert record["total"] == expected.total
    assert {fan["zh"]: fan["times"] for fan in record["fans"]} == expected.fans
    assert record["hand"] == str(expected.hand)


@pytest.mark.parametrize(
    "option", ["--discard", "--no-last-tile", "--no-last-of-kind", "--flowers=0", "--seat=E"]
)
def test_options_override_the_text(run, option):
    text = "[SSS]123456m78pNN9p|SS1110|4"
    changes = {
        "--discard": {"self_drawn": False},
        "--no-last-tile": {"last_tile": False},
        "--no-last-of-kind": {"last_of_kind": False},
        "--flowers=0": {"flowers": 0},
        "--seat=E": {"seat_wind": "E"},
    }[option]
    record = json.loads(run("score", "--json", text, option)[1])
    expected = score_hand(text, **changes)
    assert record["hand"] == str(expected.hand)
    assert {fan["zh"]: fan["times"] for fan in record["fans"]} == expected.fans
    assert expected.fans != score_hand(text).fans


def test_options_can_mend_a_contradiction_in_the_text(run):
    text = f"{PLAIN}|EE1001"
    assert run("score", text)[0] == 2
    assert run("score", text, "--no-kong")[0] == 0


def test_riichi_order_of_dragons(run):
    text = "123456789m55777z"
    for order, last in (("chinese", "CCPPP"), ("riichi", "PPCCC")):
        record = json.loads(run("score", "--json", "--honors", order, text)[1])
        assert record["hand"] == str(fastmj.parse_hand(text, order))
        assert sorted(record["hand"].removeprefix("123456789m")) == sorted(last)


# --- files and standard input


def test_reads_a_file_of_hands(run):
    code, out, err = run("score", "--file", str(HANDS))
    assert (code, err) == (0, "")
    totals = [int(line.split()[0]) for line in lines_of(out)]
    assert totals == [8, 8, 9, 8, 7, 26, 60, 39, 88, 28, 89, 76, 6, 137, 32, 8, 64]
    assert out.count(" win ") == 14
    assert lines_of(out)[1].split() == [
        "8", "low", "[345p][678m]34789sNN5s|EE0000|7", "喜相逢", "花牌×7"
    ]  # fmt: skip


def test_bad_lines_are_named_and_the_others_scored(run, tmp_path):
    file = tmp_path / "hands.txt"
    file.write_text(f"# heading\n\n{PLAIN}\n123m\n  {CHICKEN}  # comment\nqq\n", encoding="utf-8")
    code, out, err = run("score", "--file", str(file))
    assert code == 2
    assert [line.split()[:2] for line in lines_of(out)] == [["23", "win"], ["8", "win"]]
    problems = lines_of(err)
    assert len(problems) == 2
    assert problems[0].startswith(f"error: {file}:4: 3 concealed tiles")
    assert problems[1].startswith(f"error: {file}:6: 'q' is no tile")


def test_a_file_of_one_hand_is_shown_in_full(run, tmp_path):
    file = tmp_path / "hand.txt"
    file.write_text(PLAIN)
    assert "Total" in run("score", "--file", str(file))[1]
    assert len(lines_of(run("score", "--brief", "--file", str(file))[1])) == 1
    assert run("score", "--full", "--file", str(HANDS))[1].count("Total") == 17


def test_byte_order_mark_line_ends_and_missing_last_line_end(run):
    data = f"\ufeff{PLAIN}\r\n\r\n{CHICKEN}".encode()
    code, out, err = run("score", "-", stdin=data)
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in lines_of(out)] == ["23", "8"]
    assert run("score", "--file", "-", stdin=data)[1] == out


def test_lines_may_fall_across_reads(run, monkeypatch):
    data = HANDS.read_bytes()
    expected = run("score", "--json", "-", stdin=data)[1]
    for size in (1, 7, 64):
        monkeypatch.setattr(hand_files, "_BLOCK", size)
        assert run("score", "--json", "-", stdin=data)[1] == expected
    assert [json.loads(line)["line"] for line in lines_of(expected)][:3] == [3, 4, 5]


def test_bytes_that_are_no_text(run):
    code, out, err = run("score", "-", stdin=b"\xff\xfd\n" + PLAIN.encode())
    assert code == 2
    assert err.startswith("error: stdin:1: ")
    assert "Total" in out


def test_a_file_without_hands(run, tmp_path):
    file = tmp_path / "none.txt"
    file.write_text("# nothing\n\n")
    assert run("score", "--file", str(file)) == (0, "", f"{file}: no hands\n")


def test_hands_and_files_together(run):
    out = run("score", CHICKEN, "-", stdin=PLAIN)[1]
    assert [line.split()[0] for line in lines_of(out)] == ["8", "23"]


@pytest.mark.parametrize("rules", [GB98, WMO2006], ids=lambda rules: rules.name)
def test_kernels_and_reference_give_the_same_lines(run, monkeypatch, rules):
    batch = random_wins(300, seed=9)
    data = "\n".join(map(str, batch))
    arguments = ("score", "--json", "--rules", rules.name.lower(), "-")
    monkeypatch.setattr(cli_score, "_FEW", 0)
    by_kernels = run(*arguments, stdin=data)[1]
    monkeypatch.setattr(cli_score, "_FEW", 1000)
    monkeypatch.delitem(sys.modules, "fastmj.kernels.scoring.batch", raising=False)
    by_reference = run(*arguments, stdin=data)[1]
    assert by_kernels == by_reference
    totals = [json.loads(line)["total"] for line in lines_of(by_kernels)]
    assert totals == score_batch(batch, rules=rules).total.tolist()


def test_incomplete_hands_in_a_file(run, monkeypatch):
    data = f"123456789m1235pE\n{PLAIN}\n"
    for few in (0, 1000):
        monkeypatch.setattr(cli_score, "_FEW", few)
        out = run("score", "-", stdin=data)[1]
        assert lines_of(out)[0].split(None, 3) == [
            "0", "none", "123456789m1235pE", "not a winning hand"
        ]  # fmt: skip


# --- JSON

KEYS = ["hand", "line", "rules", "status", "wins", "total", "base", "flowers", "min_fan", "fans"]
FAN_KEYS = ["id", "key", "zh", "en", "times", "points"]


def test_json_of_a_score(run):
    record = json.loads(run("score", "--json", SAMPLE)[1])
    assert list(record) == KEYS
    assert [list(fan) for fan in record["fans"]] == [FAN_KEYS] * 5
    assert record["hand"] == "[123m,1][5555p]99m45678s9s|EE1000|2"
    assert (record["line"], record["rules"], record["status"]) == (None, "GB98", "OK")
    assert (record["wins"], record["total"], record["base"], record["flowers"]) == (False, 7, 5, 2)
    assert record["fans"][0] == {
        "id": 66, "key": "concealed_kong", "zh": "暗杠", "en": "Concealed Kong",
        "times": 1, "points": 2,
    }  # fmt: skip
    assert sum(fan["points"] for fan in record["fans"]) == record["total"]


def test_json_with_reasons(run):
    record = json.loads(run("score", "--json", "--explain", CIRCLE)[1])
    assert list(record) == [*KEYS, "reading", "not_counted", "other_readings"]
    assert record["reading"] == {
        "form": "regular", "sets": ["[123m]", "[789m]", "123p", "789p", "CC"], "won_in": "789p",
    }  # fmt: skip
    links = next(fan for fan in record["fans"] if fan["key"] == "mixed_double_chow")
    assert links["sets"] == [["[123m]", "123p"], ["[789m]", "789p"]]
    assert record["not_counted"][0]["sets"] == ["123p", "789p"]
    lower = json.loads(run("score", "--json", "--explain", "111222333m55789p")[1])
    assert lower["other_readings"][0]["base"] <= lower["base"]
    assert list(lower["other_readings"][0]) == ["form", "sets", "won_in", "base", "fans"]


def test_json_of_tiles_that_do_not_win(run):
    record = json.loads(run("score", "--json", "--explain", "123456789m1235pE")[1])
    assert (record["status"], record["total"], record["wins"]) == ("NOT_COMPLETE", 0, False)
    assert (record["fans"], record["reading"], record["other_readings"]) == ([], None, [])


def test_json_of_many_is_one_object_a_line(run):
    code, out, err = run("score", "--json", "--file", str(HANDS))
    assert (code, err) == (0, "")
    assert [list(json.loads(line)) for line in lines_of(out)] == [KEYS] * 17


# --- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score"], "no hand: give one in quotes"),
        (["score", "123m"], "3 concealed tiles, 14 are wanted"),
        (["score", "11111m123456789p"], "5 copies of 1m: there are four"),
        (["score", "[124m]123456789p55s"], "[124m] is no meld"),
        (["score", f"{PLAIN}|XX"], "after the first bar come"),
        (["score", f"{PLAIN}|EE0000|9"], "9 flowers: there are 8 flowers"),
        (["score", PLAIN, "--flowers", "9"], "9 flowers: there are 8 flowers"),
        (["score", PLAIN, "--seat", "Q"], "'Q' is no wind"),
        (["score", PLAIN, "--self-drawn", "--kong"], "needs a kong in the hand"),
        (["score", "--file", "/no/such/file"], "cannot read /no/such/file"),
        (["score", "--file", os.devnull + "/x"], "cannot read"),
        (["score", "--brief", "--explain", PLAIN], "--explain does not fit"),
        (["score", "--rules", "gb2050", PLAIN], "gb2050"),
        (["score", "--no-such-option"], "--no-such-option"),
        (["no-such-command"], "no-such-command"),
        (["fans", "no such fan"], "no fan is called 'no such fan'"),
        (["fans", "82"], "no fan is called '82'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert len(lines_of(err)) == 1
    assert err.startswith("error: ")
    assert message in err


def test_bad_hands_among_good_ones(run):
    code, out, err = run("score", "--brief", "1m", PLAIN, "xx")
    assert code == 2
    assert len(lines_of(out)) == 1
    assert [line.split(":")[1] for line in lines_of(err)] == [" hand 1", " hand 3"]


# --- fans


def test_fan_table_has_every_fan_in_tiers(run):
    for rules in (GB98, WMO2006):
        code, out, err = run("fans", "--rules", rules.name.lower())
        assert (code, err) == (0, "")
        tier, seen, names = 0, {}, {fan.zh for fan in FANS}
        for line in lines_of(out)[4:]:
            points, name = line[:6].strip(), line[6:].split(maxsplit=1)[:1]
            tier = int(points) if points.isdecimal() else tier
            seen |= dict.fromkeys(names.intersection(name), tier)
        assert seen == {fan.zh: rules.points(fan.id) for fan in FANS}


def test_wide_fan_table_shows_what_is_implied(run, monkeypatch):
    assert "Implies" not in run("fans")[1]
    monkeypatch.setenv("COLUMNS", "160")
    assert "Implies (not counted beside it)" in run("fans")[1]


@pytest.mark.parametrize("name", ["清龙", "Pure Straight", "pure straight", "pure_straight", "27"])
def test_fan_page_by_any_name(run, name):
    code, out, _ = run("fans", name)
    assert code == 0
    assert lines_of(out)[0] == "清龙  Pure Straight  16 points"
    assert "连六 老少副 (made of its sets)" in out
    assert run("fans", *name.split())[1] == out


def test_fan_page_tells_relations_and_profiles(run):
    out = run("fans", "四归一")[1]
    assert "as often as it occurs" in out
    assert "not counted beside 绿一色 清幺九 as seven pairs" in out
    assert "一色四同顺; 绿一色 清幺九 (as seven pairs)" in run("fans", "四归一", "-r", "wmo2006")[1]
    assert "幺九刻 (one of them)" in run("fans", "九莲宝灯")[1]
    assert "8 points" in run("fans", "双暗杠")[1]
    assert "(if made of their sets)" in " ".join(run("fans", "幺九刻")[1].split())


@pytest.mark.parametrize(
    ("wanted", "suggested"),
    [
        ("Half Flus", "混一色 Half Flush"),
        ("清一", "清一色 Full Flush"),
        ("龙", "清龙 Pure Straight"),
        ("kong", "四杠 Four Kongs"),
        ("seven", "七对 Seven Pairs"),
    ],
)
def test_near_names_are_suggested(run, wanted, suggested):
    code, _, err = run("fans", wanted)
    assert code == 2
    assert suggested in err


def test_fan_json(run):
    rows = [json.loads(line) for line in lines_of(run("fans", "--json")[1])]
    assert [row["id"] for row in rows] == list(range(82))
    one = json.loads(run("fans", "--json", "-r", "wmo2006", "双暗杠")[1])
    assert one == {
        "id": 52, "key": "two_concealed_kongs", "zh": "双暗杠", "en": "Two Concealed Kongs",
        "rules": "WMO2006", "points": 8, "condition": "exactly 2 kongs, both concealed",
        "repeats": False, "implies": ["two_concealed_pungs", "concealed_kong"],
        "implies_own": [], "implies_one": [], "implied_by": [],
        "implied_own_by": [], "implied_one_by": [],
    }  # fmt: skip
    by_key = {row["key"]: row for row in rows}
    for row in rows:
        for other in row["implies"]:
            assert row["key"] in by_key[other]["implied_by"]


# --- places that can show less


@pytest.mark.parametrize(
    "encoding", ["ascii", "cp1252", "gbk", "big5", "utf-8", "utf-16", "koi8-r"]
)
@pytest.mark.parametrize("width", [40, 100])
def test_every_encoding_and_width(monkeypatch, encoding, width):
    monkeypatch.setenv("COLUMNS", str(width))
    pages = FANS if encoding == "ascii" else FANS[::9]
    commands = [
        ["score", "--explain", SAMPLE, CIRCLE, "123456789m1235pE", "111222333m55789p"],
        ["score", "--brief", SAMPLE, "123456789m1235pE"],
        ["score", "--json", "--explain", SAMPLE],
        ["fans"],
        ["fans", "--json"],
        *(["fans", fan.key, "-r", rules] for fan in pages for rules in ("gb98", "wmo2006")),
        ["fans", "清x"],
        *([["--help"], ["score", "--help"]] if width == 100 else []),  # typer cuts narrow ones
    ]
    for command in commands:
        out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
        err = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        code = cli.main(command)
        text = out.buffer.getvalue().decode(encoding)
        monkeypatch.undo()
        monkeypatch.setenv("COLUMNS", str(width))
        assert code == (2 if command == ["fans", "清x"] else 0)
        assert "?" not in text, (command, text)  # what replaces a letter that cannot be written
        if encoding == "ascii" and "--json" in command:
            assert json.loads(text.splitlines()[0])


@pytest.mark.parametrize("terminal", ["dumb", "linux"])
def test_terminals_without_tile_glyphs_get_letters(run, monkeypatch, terminal):
    monkeypatch.setenv("TERM", terminal)
    out = run("score", SAMPLE)[1]
    assert lines_of(out)[0] == "[123m,1]  [5555p]  99m45678s  9s"


def test_languages(run):
    assert "暗杠" not in run("score", "--names", "en", SAMPLE)[1]
    assert "Concealed Kong" not in run("score", "--names", "zh", SAMPLE)[1]
    out = run("score", "--names", "en", "--brief", SAMPLE)[1]
    assert out.rstrip().endswith(
        "Concealed Kong, Short Straight, No Honors, Self-Drawn, Flower Tiles ×2"
    )


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
@pytest.mark.parametrize(
    ("settings", "coloured"),
    [({"TERM": "xterm-256color"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False),
     ({"TERM": "dumb"}, False)],
)  # fmt: skip
def test_colours_come_and_go_with_the_terminal(settings, coloured):
    for command in (["score", SAMPLE], ["score", "--brief", SAMPLE, PLAIN], ["fans"]):
        master, slave = os.openpty()
        code = f"import sys; from fastmj.cli import main; sys.exit(main({command!r}))"
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **settings}
        process = subprocess.Popen([sys.executable, "-c", code], stdout=slave, env=environment)
        os.close(slave)
        output = b""
        try:
            while data := os.read(master, 65536):
                output += data
        except OSError:  # the other end is closed
            pass
        os.close(master)
        assert process.wait() == 0
        styles = set(re.findall(rb"\x1b\[([0-9;]*)m", output))
        if coloured:
            assert styles
        else:
            assert styles <= ({b"0", b"1", b"2"} if "NO_COLOR" in settings else set())


# --- beginning and end


def test_version_and_help(run):
    assert run("--version") == (0, f"fastmj {fastmj.__version__}\n", "")
    for arguments in ([], ["--help"], ["-h"]):
        code, out, _ = run(*arguments)
        assert code == 0
        for command in ("score", "fans", "warmup"):
            assert command in out
    assert "[123m,1][5555p]456s78s99m9s|EE1000|2" in run("score", "--help")[1]


@pytest.mark.parametrize("command", [["--help"], ["fans"], ["fans", "清龙"], ["score", SAMPLE]])
def test_no_compiler_is_loaded_for(command):
    code = (
        "import sys; from fastmj.cli import main; "
        f"assert main({command!r}) == 0; assert 'numba' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL,
                   env=environment)  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
@pytest.mark.parametrize("option", ["--brief", "--json", "--full"])
def test_quiet_when_the_reader_goes_away(tmp_path, option):
    file = tmp_path / "hands.txt"
    file.write_text(f"{PLAIN}\n" * 3000)
    command = ["score", option, "-f", str(file)]
    code = f"import sys; from fastmj.cli import main; sys.exit(main({command!r}))"
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.readline()
    process.stdout.close()
    notes = process.stderr.read().splitlines()
    assert not notes or (notes[0] == _NOTICE and len(notes) <= 2)
    process.stderr.close()
    assert process.wait() == 141


_NOTICE = b"compiling kernels, once on this machine ..."


def test_interrupted(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_score, "score_view", interrupt)
    assert run("score", SAMPLE) == (130, "", "")


def test_invalid_hands_of_other_commands_are_caught(run, monkeypatch):
    def refuse(*_, **__):
        raise fastmj.InvalidHand(fastmj.Status.BAD_TILE, "no\nsuch tile")

    monkeypatch.setattr(cli_score, "score_view", refuse)
    assert run("score", SAMPLE) == (2, "", "error: no such tile\n")


def test_compilation_is_announced_only_when_there_is_some(capsys):
    event = pytest.importorskip("numba.core.event")
    with cli_common.compilation_notice():
        pass
    assert capsys.readouterr() == ("", "")
    from fastmj.kernels.distance.melds import meld_rows

    with cli_common.compilation_notice():
        for _ in range(2):
            event.start_event("numba:compile", data={"dispatcher": meld_rows})
            event.end_event("numba:compile")
    out, err = capsys.readouterr()
    assert out == ""
    assert lines_of(err)[0].startswith("compiling kernels")
    assert lines_of(err)[1].startswith("compiled in ")
    assert ": 2 of distance" in lines_of(err)[1]
    assert len(lines_of(err)) == 2


def test_warmup_names_its_steps(run):
    code, out, err = run("warmup")
    assert (code, err) == (0, "")
    labels = [line[:24].strip() for line in lines_of(out)]
    assert labels[:5] == ["tables", "one hand", "many hands", "validation", "random hands"]
    assert labels[-1] == "in all"
    assert all(line.endswith(" s") for line in lines_of(out))


@pytest.mark.parametrize(("hand", "code"), [(PLAIN, 0), ("123m", 2)])
def test_the_module_ends_with_the_exit_code_of_the_command(hand, code):
    done = subprocess.run(
        [sys.executable, "-m", "fastmj", "score", "--brief", hand], capture_output=True
    )
    assert done.returncode == code


# --- an output that cannot be written

COMMANDS = (
    ["fans"], ["fans", "--json"], ["score", PLAIN], ["score", PLAIN, "--json"], ["--help"],
    ["score", "--file", str(HANDS)], ["waits", "123456789m1235p"],
    ["stats", str(HANDS.parent.parent / "records" / "games.txt")],
)  # fmt: skip


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("output", ["full", "closed"])
def test_an_output_that_cannot_be_written_is_one_line(output, arguments):
    if output == "full" and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    script = ">/dev/full" if output == "full" else ">&-"
    command = shlex.join([sys.executable, "-m", "fastmj", *arguments])
    done = subprocess.run(["sh", "-c", f"{command} {script}"], stderr=subprocess.PIPE, text=True,
                          timeout=200, check=False)  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if not line.startswith("compil")]
    assert done.returncode == 1, done.stderr
    assert len(lines) == 1, done.stderr
    assert "standard output" in lines[0]
