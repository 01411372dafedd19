"""The README: its examples run, its output is what the command prints, its tables are complete."""

from __future__ import annotations

import doctest
import os
import re
import shlex
from pathlib import Path

import pytest

import fastmj
from fastmj import GB98, WMO2006, Status, cli
from fastmj.rules import OPTIONS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)


def test_python_examples_run():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    names = {}
    examples = blocks("python")
    assert len(examples) >= 5
    report = []
    for position, block in enumerate(examples):
        assert ">>>" in block
        test = parser.get_doctest(block, names, f"README block {position}", str(README), 0)
        runner.run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
    assert runner.failures == 0, "".join(report)


def outputs(command, capsys):
    arguments = shlex.split(command)
    assert arguments.pop(0) == "fastmj"
    cli.main(arguments)
    out, err = capsys.readouterr()
    return out + err


def test_console_examples_print_what_is_shown(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    expected = {}
    for block in blocks("console"):
        command = block.partition("\n")[0].removeprefix("$ ")
        expected[block] = f"$ {command}\n{outputs(command, capsys)}"
    if os.environ.get("FASTMJ_WRITE_README"):
        text = TEXT
        for block, new in expected.items():
            text = text.replace(f"```console\n{block}```", f"```console\n{new}```")
        README.write_text(text, encoding="utf-8")
    assert len(expected) >= 3
    for block, new in expected.items():
        assert block == new


@pytest.mark.parametrize(("purpose", "last"), [("score", "fastmj score "), ("test", "pytest")])
def test_each_set_up_is_one_command(purpose, last):
    found = re.findall(rf"^<!-- setup: {purpose} -->\n```sh\n([^\n]*)\n```$", TEXT, re.MULTILINE)
    assert len(found) == 1
    steps = found[0].split(" && ")
    assert len(steps) == 3
    assert steps[0] == "python3 -m venv .venv"
    assert steps[1].startswith(".venv/bin/pip install ")
    assert last in steps[2]


def test_the_hand_of_the_set_up_scores(capsys):
    text = re.search(r"fastmj score (\"[^\"]*\")", TEXT)[1].strip('"')
    assert fastmj.score_hand(text).wins


@pytest.mark.parametrize("section", ["performance", "verification"])
def test_sections_that_programs_write_have_their_marks(section):
    begin, end = f"<!-- {section}:begin -->", f"<!-- {section}:end -->"
    assert TEXT.count(begin) == TEXT.count(end) == 1
    assert TEXT.index(begin) < TEXT.index(end)


def test_profile_table_is_complete_and_true():
    words = {True: "yes", False: "no"}
    for option in OPTIONS:
        row = next(line for line in TEXT.splitlines() if line.startswith(f"| `{option}` |"))
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[1:3] == [words[getattr(rules, option)] for rules in (GB98, WMO2006)]
    assert f"| `min_fan` | {GB98.min_fan} | {WMO2006.min_fan} |" in TEXT
    values = ", ".join(f"{fastmj.FANS[fan].zh} {p}" for fan, p in WMO2006.values.items())
    assert f"| `values` | – | {values} |" in TEXT


def test_status_table_is_complete():
    for status in Status:
        assert f"| {status.value} | `{status.name}` |" in TEXT


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert target.startswith("https://") or (ROOT / target).exists()
