"""Benchmarks of tables: what loading them and a new rule profile cost."""

from __future__ import annotations

from itertools import count

from fastmj import GB98
from fastmj.tables.scoring.load import load_tables
from fastmj.tables.scoring.profile import compile_rules


def test_load_scoring_tables(benchmark):
    load = getattr(load_tables, "__wrapped__", load_tables)
    benchmark.pedantic(load, rounds=3)


def test_new_profile(benchmark):
    load_tables()
    numbers = count(1)
    benchmark.pedantic(
        lambda: compile_rules(GB98.replace(values={"清龙": next(numbers) % 900})), rounds=10
    )
