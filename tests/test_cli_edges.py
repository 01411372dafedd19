"""The command at its edges: encodings, control characters, tables, long lines."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import time
from enum import EnumMeta
from importlib.util import find_spec
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from record_writers import DICE, TziakchaWriter
from typer.models import OptionInfo

from fastmj import cli
from fastmj.cli.examples import EXAMPLES
from fastmj.quoting import escaped, quoted, shown
from fastmj.records import write_game
from fastmj.records.play import play_game

MATPLOTLIB = find_spec("matplotlib") is not None
PLAIN = "123456789m12355p"
HANDS = f"# 手牌\n{PLAIN}\n[中中中]123m456p789s东东\n"
#: Sets the title of a terminal, and clears it by a control character of one byte.
TITLE = "\x1b]0;title\x07\x9b2J"
PACKAGE = Path(cli.__file__).parent


# --- encodings and other kinds of files


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_hands_in_other_encodings(run, tmp_path, encoding):
    file = tmp_path / "hands.txt"
    file.write_bytes(HANDS.encode(encoding))
    code, out, err = run("score", "--file", str(file), "--encoding", encoding)
    assert (code, err) == (0, "")
    assert [line.split()[2] for line in out.splitlines()] == [
        "123456789m1235p5p",
        "[CCC]123m456p789sEE",
    ]


def test_another_encoding_is_named(run, tmp_path):
    file = tmp_path / "hands.txt"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        file.write_bytes(HANDS.encode(encoding))
        code, out, err = run("score", "--file", str(file))
        assert (code, out) == (2, "")
        assert err.endswith(f"it is not utf-8 but {encoding}: give it as --encoding\n")
        assert err.count("\n") == 1
    file.write_bytes(HANDS.encode("gb18030"))
    code, out, err = run("score", "--brief", "--file", str(file))
    assert (code, out.count("\n")) == (2, 1)
    assert "hands.txt:3: it is not in the encoding (byte 0xd6): give its --encoding" in err
    code, _, err = run("score", "--file", str(file), "--encoding", "utf-16")
    assert code == 2
    assert "it is not utf-16: give its --encoding" in err
    for encoding in ("klingon", "hex", TITLE):
        code, _, err = run("score", "--file", str(file), "--encoding", encoding)
        assert code == 2
        assert "no encoding of texts is called" in err
        assert run("batch", "a.csv", "b.csv", "--encoding", encoding)[0] == 2


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("hands.csv", f"id,hand\n1,{PLAIN}\n" * 20_000),
        ("hands.tsv", f"id\thand\n1\t{PLAIN}\n"),
        ("hands", f"id,hand\n1,{PLAIN}\n"),
        ("hands", f"{PLAIN},1\n"),
        ("hands", '{"hand": "1m"}\n'),
        ("hands.txt", "PAR1\x15\x04\n"),
        ("hands.csv.gz", "\x1f\x08"),
    ],
)
def test_a_table_is_for_batch(run, tmp_path, name, data):
    file = tmp_path / name
    file.write_text(data)
    code, out, err = run("score", "--file", str(file))
    assert (code, out) == (2, "")
    said = "is a table, not hands one a line: fastmj batch"
    assert said in err
    assert err.count("\n") == 1
    if "." not in name:
        assert said in run("score", "-", stdin=data)[2]


def test_sources_of_melds_make_no_table(run):
    assert run("score", "-", stdin="[123m,1][555p,2]456s78s99m9s  # a, b\n")[::2] == (0, "")


def test_a_line_may_be_long(run, tmp_path):
    """Twice as long takes about twice the time, not four times; what it says is short."""
    took = []
    for size in (8, 32):
        file = tmp_path / "long.txt"
        file.write_bytes(b"1" * (size << 20))
        begun = time.perf_counter()
        code, out, err = run("score", "--file", str(file))
        took.append(time.perf_counter() - begun)
        assert (code, out) == (2, "")
        assert len(err) < 200 + len(str(file))
    assert took[1] < 12 * took[0] + 0.2


@pytest.mark.parametrize(
    "text",
    ["1" * 5000, "[" + "1" * 5000 + "m]", "1m|" + "E" * 5000, "1m||" + "x" * 5000,
     "[1m," + "9" * 5000 + "]", "x" * 50_000, "1m" * 3000],
)  # fmt: skip
def test_errors_quote_little(run, text):
    for command in ("score", "shanten", "waits", "discards"):
        code, out, err = run(command, text)
        assert (code, out) == (2, "")
        assert len(err) < 300, err
    assert len(run("fans", text)[2]) < 300


def test_quoting():
    assert quoted("abc") == "'abc'"
    assert len(quoted("a" * 10**6)) <= 80
    assert quoted(10**5000) == "a number of many digits"
    assert len(quoted(["a" * 1000] * 1000)) < 800
    assert len(shown("a" * 10**6)) == 80
    assert escaped("中发白 🀇 \u3000é") == "中发白 🀇 \u3000é"
    assert escaped("a\u202eb\udcff\n\x85") == r"a\u202eb\udcff\n\x85"


# --- what a terminal would obey


def is_plain(text):
    return all(line.isprintable() for line in text.split("\n"))


def test_nothing_of_arguments_is_obeyed(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("in.txt", "in.csv"):
        Path(TITLE + name).write_text("hand\n1m\n")
    text, table = TITLE + "in.txt", TITLE + "in.csv"
    for arguments in (
        [TITLE], ["--" + TITLE], ["score", TITLE], ["score", "--file", text],
        ["score", "--file", table], ["score", "--file", TITLE],
        ["score", PLAIN, "--svg", f"{TITLE}/x"], ["score", PLAIN, "--seat", TITLE],
        ["score", PLAIN, "--rules", TITLE], ["score", PLAIN, "--flowers", TITLE],
        ["fans", TITLE], ["shanten", TITLE], ["waits", TITLE], ["discards", TITLE],
        ["discards", PLAIN, "--form", TITLE], ["routes", TITLE], ["analyze", TITLE],
        ["replay", TITLE], ["replay", text], ["convert", text, TITLE + "out"],
        ["convert", text, TITLE + "out"], ["convert", text, TITLE + "/out"],
        ["decisions", text, TITLE + "out.parquet"], ["stats", TITLE], ["stats", table],
        ["stats", text, "--plot", TITLE], ["batch", TITLE, "out.csv"],
        ["batch", table, TITLE + "out.csv"], ["batch", table, TITLE + "out.csv", "--json"],
        ["batch", table, "b.csv", "--column", TITLE], ["batch", table, "c.csv", "--keep", TITLE],
        ["batch", table, "d." + TITLE], ["batch", table, "e.csv", "--delimiter", TITLE],
        ["batch", table, "f.parquet", "--compression", TITLE],
    ):  # fmt: skip
        _, out, err = run(*arguments)
        assert is_plain(out), (arguments, out)
        assert is_plain(err), (arguments, err)
        assert out + err, arguments
        assert err.count("error: ") <= 2, err


def test_nothing_of_files_is_obeyed(run, tmp_path):
    data = tmp_path / "hands.csv"
    data.write_text(f'"{TITLE}\n",hand\n1,{TITLE}\n1,{PLAIN}\n')
    for arguments in (
        ["score", "--brief", "-"], ["batch", str(data), str(tmp_path / "out.csv")],
        ["batch", str(data), str(tmp_path / "no.csv"), "--column", "x"],
        ["batch", str(data), str(tmp_path / "no.csv"), "--strict"],
    ):  # fmt: skip
        _, out, err = run(*arguments, stdin=f"{TITLE}\n{PLAIN}\n")
        assert is_plain(out), (arguments, out)
        assert is_plain(err), (arguments, err)
        err = re.sub("^compil.*\n", "", err, flags=re.MULTILINE)
        assert out.count("\n") + err.count("\n") <= 2


def test_nothing_of_records_is_obeyed(run, tmp_path):
    log, _ = write_game(play_game(seed=1), "log")
    head, _, rest = log.partition("\n")
    assert head.startswith("Match ")
    assert "Fan " in rest
    named = f"Match {TITLE}[red]\u2028x\n{rest}"
    wrong = re.sub(r"^Fan \d+", "Fan 99", named, flags=re.MULTILINE)
    file = tmp_path / "log.txt"
    file.write_text(wrong)
    for arguments in (["replay"], ["replay", "--json"], ["replay", "--all"], ["stats"]):
        code, out, err = run(*arguments, str(file))
        assert is_plain(out), out
        assert is_plain(err), err
        if arguments[0] == "replay":
            assert code == 1, (out, err)
            assert len(out.split("\n")) == (2 if "--json" in arguments else 3)
            assert "[red]" in out


def test_names_of_players_are_no_markup(run, tmp_path):
    step = TziakchaWriter(play_game(seed=1, bias=0, flowers=True), DICE[0]).script()
    names = (f"[red]{TITLE}", "a\nb", "[/bold]", "x" * 500)
    file = tmp_path / "games.json"
    file.write_text(json.dumps({"step": {**step, "p": [{"n": name} for name in names]}}))
    code, out, err = run("stats", str(file))
    assert (code, err) == (0, "")
    assert is_plain(out)
    assert "[red]" in out
    assert "[/bold]" in out
    assert "a\\nb" in out
    assert is_plain(run("stats", "--json", str(file))[1])


def test_one_file_writes_lines():
    """What goes to a terminal goes through ``render``, which escapes it."""
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and path.name != "render.py":
                called = ast.unparse(node.func)
                assert called not in ("print", "typer.echo", "json.dumps"), (path, node.lineno)


# --- options

COMMANDS = {
    one.name or one.callback.__name__: inspect.unwrap(one.callback)
    for one in cli.app.registered_commands
}
#: Options whose values are of another kind from command to command, as their help says.
OTHER = {"names", "target", "to_format", "threads", "prefix", "from_format"}


def test_the_same_option_means_the_same():
    """And lists its values, where it has some; --rules has one profile fewer where games are."""
    found: dict[str, dict] = {}
    for name, command in COMMANDS.items():
        for parameter, hint in get_type_hints(command, include_extras=True).items():
            kind, *more = get_args(hint) or (hint,)
            info = next((one for one in more if isinstance(one, OptionInfo)), None)
            if info is None or parameter in OTHER or name == "analyze":
                continue
            enums = [one for one in (kind, *get_args(kind)) if isinstance(one, EnumMeta)]
            values = tuple(one.value for enum in enums for one in enum if one != "regional")
            flags = tuple(info.param_decls or (parameter,))
            found.setdefault(parameter, {})[info.help, flags, values] = name
    assert {name: list(kinds) for name, kinds in found.items() if len(kinds) > 1} == {}
    for name in ("rules", "honors", "form", "compression", "fans", "engine"):
        ((_, _, values),) = found[name]
        assert len(values) > 1, name


def test_every_help_has_examples_that_run(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("hands.txt").write_text(f"{PLAIN}\n", encoding="utf-8")
    Path("hands.csv").write_text(f"id,hand\n1,{PLAIN}\n", encoding="utf-8")
    run("batch", "hands.csv", "hands.parquet", "--keep", "hand", "--fans", "none", "--prefix", "x")
    Path("games.txt").write_text(write_game(play_game(seed=1), "log")[0], encoding="utf-8")
    monkeypatch.setattr("fastmj.cli.command._clear", lambda: None)
    monkeypatch.setattr("fastmj.cli.command._warmup_steps", lambda: iter(()))
    assert EXAMPLES.keys() == COMMANDS.keys()
    for name, lines in EXAMPLES.items():
        shown_help = " ".join(run(name, "--help")[1].split())
        for line in lines:
            assert line in shown_help
            arguments, _, target = line.partition(" > ")
            program, *words = shlex.split(arguments)
            assert (program, words[0]) == ("fastmj", name)
            if "--plot" in words and not MATPLOTLIB:
                continue
            code, out, err = run(*words)
            assert code == 0, (line, err)
            assert out or "--plot" in line or words[0] == "warmup", line
            if target.endswith(".svg"):
                assert out.startswith("<svg")
    if MATPLOTLIB:
        assert Path("games.png").read_bytes().startswith(b"\x89PNG")


def test_completion_of_the_shell():
    environment = {**os.environ, "_FASTMJ_COMPLETE": "complete_bash"}
    for words, wanted in (
        ("fastmj sc", {"score"}),
        ("fastmj fans --ru", {"--rules"}),
        ("fastmj discards --form sev", {"seven_pairs"}),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "fastmj"], capture_output=True, text=True, check=False,
            env={**environment, "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))},
        )  # fmt: skip
        assert (set(done.stdout.split()), done.stderr) == (wanted, "")


def test_pictures_to_standard_output(run):
    assert run("score", "--svg", "-", PLAIN)[1].startswith("<svg")
    for arguments in (["score", "--svg", "-", PLAIN, PLAIN], ["score", "--svg", "-", "1m"]):
        assert run(*arguments)[:2] == (2, "")


def test_plots_to_standard_output(tmp_path):
    pytest.importorskip("matplotlib")
    games, table = tmp_path / "$games$_{.txt", tmp_path / "scored.csv"
    games.write_text(write_game(play_game(seed=1), "log")[0], encoding="utf-8")
    assert cli.main(["batch", str(write_hands(tmp_path)), str(table)]) == 0
    for file in (games, table):
        done = subprocess.run(
            [sys.executable, "-m", "fastmj", "stats", str(file), "--plot", "-"],
            capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(b"\x89PNG")
        assert done.stdout.endswith(b"IEND\xaeB`\x82")


@pytest.mark.parametrize("output", [">/dev/full", ">&-"])
@pytest.mark.parametrize(
    "command",
    ["score --svg - {plain}", "convert {games} {out}.json", "decisions {games} {out}.parquet",
     "batch {hands} {out}.csv", "stats {games}", "stats {games} --json", "stats {games} --plot -",
     "replay {games} --all", "replay --json {games}", "discards {plain}"],
)  # fmt: skip
def test_output_that_cannot_be_written(tmp_path, command, output):
    """One line and exit code 1, whatever writes."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    if "--plot" in command and not MATPLOTLIB:
        pytest.skip("matplotlib is not installed")
    games = tmp_path / "games.txt"
    games.write_text(write_game(play_game(seed=1), "log")[0], encoding="utf-8")
    hands, out = write_hands(tmp_path), tmp_path / "out"
    words = command.format(plain=PLAIN, games=games, hands=hands, out=out)
    done = subprocess.run(
        f"{sys.executable} -m fastmj {words} {output}", shell=True, capture_output=True, text=True,
        check=False, env={**os.environ, "SHELL": "/bin/bash"},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert len([line for line in done.stderr.splitlines() if "compil" not in line]) == 1
    assert "standard output" in done.stderr


def write_hands(folder):
    file = folder / "in.csv"
    file.write_text(f"hand\n{PLAIN}\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["no/a.png", "a.xyz", "a", ".", "read/a.png"])
def test_a_bad_place_for_a_plot_is_told_before_the_work(run, tmp_path, monkeypatch, name):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("fastmj.records.statistics_of_files", None)
    monkeypatch.setattr("fastmj.dataset.stats_of_file", None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "read").mkdir(mode=0o500)
    if name == "read/a.png" and os.access(tmp_path / "read", os.W_OK):
        pytest.skip("root writes everywhere")
    write_hands(tmp_path)
    code, out, err = run("stats", "in.csv", "--plot", name)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: cannot draw {name}: ")
    assert err.count("\n") == 1


def test_what_checks_values_is_not_named(run):
    for arguments in (["--rules", "x"], ["--honors", "x"], ["--names", "x"], ["--flowers", "x"]):
        code, out, err = run("score", PLAIN, *arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "alue error" not in err
        assert "'x'" in err or "--flowers" in err
    code, _, err = run("batch", "a.csv", "b.parquet", "--compression", "rar")
    assert (code, err.count("\n")) == (2, 1)
    assert "'rar' is not one of 'none', 'lz4', 'zstd', 'snappy'" in err


@pytest.mark.parametrize("settings", [{}, {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}])
def test_chinese_arguments_in_a_plain_locale(settings):
    environment = {**os.environ, "LC_ALL": "C", **settings}
    for arguments, wanted in (
        (["score", "--brief", "--seat", "南", "123456789万12355筒"], "123456789m1235p5p|ES0000"),
        (["fans", "平和"], "All Chows"),
        (["shanten", "123456789万1235筒", "--visible", "五筒"], "123456789m1235p"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "fastmj", *arguments], capture_output=True, check=False,
            env=environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert wanted.encode() in done.stdout


def test_without_standard_streams(tmp_path):
    """Closed standard input is told; a closed standard error takes nothing and ends nothing."""
    command = f"{sys.executable} -m fastmj"
    for script, code in (
        (f"{command} score - <&-", 2),
        (f"{command} score 1m 2>&-", 2),
        (f"{command} score 1m 2>/dev/full", 2),
        (f"{command} score --brief {PLAIN} 1m 2>/dev/full", 2),
    ):
        done = subprocess.run(script, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == code, (script, done.stderr)
        assert "Traceback" not in done.stderr
        assert done.stdout.count("\n") == ("--brief" in script)


# --- Ctrl-C

INTERRUPTED = """
import builtins, os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in the background
where, sys.argv = sys.argv[1], ["fastmj", *sys.argv[2:]]
import fastmj
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == where:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
runpy.run_module("fastmj", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("fastmj.cli.command", ["fans"]),
        ("typer", ["fans"]),
        ("fastmj.cli.score", ["score", PLAIN]),
        ("fastmj.cli.examples", ["--help"]),
        ("fastmj.dataset.run", ["batch", "a.csv", "b.csv"]),
        ("fastmj.kernels.places", ["warmup", "--clear"]),
    ],
)
def test_ctrl_c_while_importing(module, arguments):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module, *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


RUNNING = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
from fastmj import cli
threading.Timer(float(sys.argv[1]), os.kill, (os.getpid(), signal.SIGINT)).start()
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.parametrize("command", ["score", "replay", "convert", "decisions", "batch", "stats"])
def test_ctrl_c_while_working(command, tmp_path):
    """One exit code, no word about it, and no file that is half written."""
    games, hands, out = tmp_path / "games.txt", tmp_path / "hands.csv", tmp_path / "out.parquet"
    log = write_game(play_game(seed=1), "log")[0]
    games.write_text(log * (10_000 if command == "stats" else 1), encoding="utf-8")
    hands.write_text("hand\n" + f"{PLAIN}\n" * 4_000_000, encoding="utf-8")
    arguments = {
        "batch": ["batch", hands, out, "--threads", 1], "stats": ["stats", games],
        "convert": ["convert", "-", out], "decisions": ["decisions", "-", out],
    }.get(command, [command, "-"])  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNING, "0.4", *map(str, arguments)], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        process.wait()  # standard input stays open: what reads it waits for more
        err = process.stderr.read()
    assert process.returncode == 130
    assert re.sub("compil.*\n", "", err) == ""
    assert {file.name for file in tmp_path.iterdir()} == {"games.txt", "hands.csv"}
