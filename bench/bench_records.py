"""Benchmarks of records, features and pictures: ``pytest bench/bench_records.py``.

With ``--benchmark-enable``; one thread. ``games``, ``rows`` or ``hands`` a call stand in the extra
information. ``python bench/bench_records.py`` prints games a second that are read, replayed and
checked from each format.
"""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path

import pytest

from fastmj import GB98, random_deals, random_wins
from fastmj.features import features
from fastmj.pictures.hand import hand_svg
from fastmj.records import (
    check,
    decisions,
    read_games,
    read_log,
    replay,
    statistics,
    write_judge,
    write_log,
)
from fastmj.records.play import play_game

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from record_writers import TziakchaWriter, encode, with_shown, write_pmn

N = 100_000
GAMES = 100


def texts(number: int = GAMES) -> dict[str, str]:
    """The same kind of games in every format: fair walls, a minimum that ends most of them."""
    rules = GB98.replace(min_fan=4)
    games = [play_game(seed, bias=0.3, rules=rules) for seed in range(number)]
    shared = [play_game(seed, bias=0, rules=rules, flowers=True) for seed in range(number)]
    scripts = [TziakchaWriter(game).script() for game in shared]
    return {
        "log": write_log(games),
        "judge": "".join(json.dumps(write_judge(game)) + "\n" for game in games),
        "judge with canHu": "".join(
            json.dumps(write_judge(with_shown(game))) + "\n" for game in games
        ),
        "tziakcha": "".join(json.dumps({"script": encode(step)}) + "\n" for step in scripts),
        "tziakcha, decoded": "".join(json.dumps({"step": step}) + "\n" for step in scripts),
        "pmn": "\n".join(map(write_pmn, games)),
    }


def checked(text: str) -> int:
    found = list(check(read_games(io.StringIO(text)), threads=1))
    return sum(len(game.game.events) for game in found)


@pytest.fixture(scope="module")
def games():
    return [play_game(seed, bias=0.3) for seed in range(GAMES)]


@pytest.fixture(scope="module")
def written():
    return texts()


def test_bench_reading(benchmark, games):
    lines = write_log(games).splitlines()
    benchmark.extra_info.update(games=len(games), lines=len(lines))
    assert benchmark(lambda: list(read_log(lines))) == games


def test_bench_replay(benchmark, games):
    benchmark.extra_info.update(games=len(games), events=sum(len(game.events) for game in games))
    benchmark(lambda: [replay(game) for game in games])


@pytest.mark.parametrize(
    "form", ["log", "judge", "judge with canHu", "tziakcha", "tziakcha, decoded", "pmn"]
)
def test_bench_checking(benchmark, written, form):
    benchmark.extra_info["games"] = GAMES
    benchmark(checked, written[form])


def test_bench_decisions(benchmark, games):
    benchmark.extra_info.update(games=len(games), rows=len(decisions(games)))
    benchmark(decisions, games, threads=1)


def test_bench_statistics(benchmark, games):
    benchmark.extra_info["games"] = len(games)
    benchmark(statistics, games, threads=1)


@pytest.mark.parametrize("tiles", [13, 14])
def test_bench_features_of_deals(benchmark, tiles):
    deals = random_deals(N, tiles=tiles, seed=1)
    benchmark.extra_info["hands"] = N
    benchmark(features, deals, threads=1)


def test_bench_features_of_wins(benchmark):
    batch = random_wins(N, seed=1)
    benchmark.extra_info["hands"] = N
    benchmark(features, batch, threads=1)


def test_bench_picture(benchmark):
    benchmark(hand_svg, "[123m,1][5555p]456s78s99m9s|EE1000|2")


if __name__ == "__main__":
    for form, text in texts(500).items():
        checked(text)
        times = []
        for _ in range(5):
            begun = time.process_time()
            events = checked(text)
            times.append(time.process_time() - begun)
        rate = 500 / min(times)
        print(f"{form:<18} {rate:>7,.0f} games/s of one core, {events / 500:.0f} events a game")
