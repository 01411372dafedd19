"""Games a second that one core reads, replays and checks, from each format.

``python scripts/compare_records.py [GAMES]`` prints; ``--write`` puts the table into
fastmj/records/README.md.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from pathlib import Path

from fastmj import GB98
from fastmj.records import check, read_games, write_judge, write_log
from fastmj.records.play import play_game

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]
import pages  # noqa: E402 - both lie beside
from record_writers import TziakchaWriter, encode, with_shown, write_pmn  # noqa: E402


def texts(number: int) -> dict[str, str]:
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
    """Read, replay and check games; how many events they have."""
    found = list(check(read_games(io.StringIO(text)), threads=1))
    return sum(len(game.game.events) for game in found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="?", type=int, default=500)
    parser.add_argument("--write", action="store_true", help="into fastmj/records/README.md")
    arguments = parser.parse_args()
    lines = [f"Measured on {pages.machine()}.", "", "| format | games/s | events a game |",
             "|---|---:|---:|"]  # fmt: skip
    for form, text in texts(arguments.games).items():
        checked(text)
        times = []
        for _ in range(5):
            begun = time.process_time()
            events = checked(text)
            times.append(time.process_time() - begun)
        rate = arguments.games / min(times)
        lines.append(f"| {form} | {rate:,.0f} | {events / arguments.games:.0f} |")
        sys.stdout.write(lines[-1] + "\n")
    if arguments.write:
        pages.write("fastmj/records/README.md", "records", lines)


if __name__ == "__main__":
    main()
