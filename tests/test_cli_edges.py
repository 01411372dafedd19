"""The command at its edges: encodings, control characters, tables, long lines."""

from __future__ import annotations

import ast
import json
import re
import time
from pathlib import Path

import pytest
from record_writers import DICE, TziakchaWriter

from fastmj import cli
from fastmj.quoting import escaped, quoted, shown
from fastmj.records import write_game
from fastmj.records.play import play_game

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
