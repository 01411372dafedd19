"""The examples in the documentation run and show what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import fastmj

#: Kernels have no examples; running ``__main__`` is running the command; hooks are for PyInstaller.
SKIPPED = ("fastmj.kernels", "fastmj.__main__", "fastmj._pyinstaller.")
MODULES = [
    module.name
    for module in pkgutil.walk_packages(fastmj.__path__, "fastmj.")
    if not module.name.startswith(SKIPPED)
]


def examples_of(name: str) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("name", ["fastmj", *MODULES])
def test_examples(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_examples():
    assert {"fastmj.hands.batch", "fastmj.scoring.hand", "fastmj.reference.explanation"} <= set(
        MODULES
    )
    assert sum(len(examples_of(name)) for name in MODULES) > 25


def test_public_functions_and_classes_have_an_example():
    """Every public thing but plain numbers, errors and results of calls."""
    without = {"Fan", "FANS", "GB98", "WMO2006", "InvalidHand", "MeldKind", "Status", "ScoreBatch",
               "waits_scores"}  # fmt: skip
    for name in set(fastmj.__all__) - without:
        thing = getattr(fastmj, name)
        if callable(thing):
            assert ">>>" in (thing.__doc__ or ""), name
