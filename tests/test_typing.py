"""What type checkers make of the package, in a user's place."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import typed_user

from fastmj.hands.hand import Hand, HandChanges
from fastmj.rules import REGIONAL, DoublingRules, Rules
from fastmj.rules.doubling import DoublingChanges
from fastmj.rules.profiles import RulesChanges
from fastmj.samples.wins import WinOptions, random_wins

ROOT = Path(__file__).parent.parent


def test_the_script_runs(capsys):
    assert typed_user.single().rules == REGIONAL
    assert typed_user.many().shape == (100,)
    typed_user.distances()
    assert typed_user.games() > 0
    assert "Mixed Straight" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "kind"),
    [(HandChanges, Hand), (RulesChanges, Rules), (DoublingChanges, DoublingRules)],
)
def test_typed_keywords_are_the_fields(changes, kind):
    assert set(changes.__optional_keys__) == {item.name for item in fields(kind)}


def test_options_passed_on_are_those_of_the_function():
    given = inspect.signature(random_wins).parameters.keys() - {"n"}
    assert set(WinOptions.__optional_keys__) == given


def test_mypy_passes_a_user_script(tmp_path):
    """Marks without an error are errors, so that misspelt names must be found."""
    pytest.importorskip("mypy")
    found = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir",
            str(tmp_path), str(ROOT / "tests" / "typed_user.py"),
        ],
        env={**os.environ, "MYPYPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
