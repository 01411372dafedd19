"""Measure two versions of this repository against each other, in alternation.

``python scripts/compare_versions.py f86bda4`` compares a commit with HEAD, ``... OLD NEW`` two
commits; a folder stands for the checkout in it (``.`` for what is not committed yet). Each commit
gets a git worktree in a temporary directory, removed afterwards, and a process of its own with its
own compiled code; the two take turns corpus by corpus, so that a ratio holds on a machine whose
speed drifts. Only the public functions are called, which all versions have; their results are
compared too.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FORMS = ("mixed", "regular", "one_suit", "seven_pairs", "thirteen_orphans", "honors_knitted",
         "knitted_straight")  # fmt: skip
HANDS = ("[CCC,2][1111s]123789p9p9p|EE1000|2", "123456789m1235p5p")
CALLS = 2000
_WORKER = """
import hashlib, sys, time
from functools import cache
import fastmj

rows = int(sys.argv[1])
hands = [fastmj.parse_hand(text) for text in sys.argv[2:]]

@cache
def corpus(name):
    return fastmj.random_wins(rows, seed=1, forms=None if name == "mixed" else name)

def same(name):
    scores = fastmj.score_batch(corpus(name), fan_counts=True)
    state = hashlib.sha256()
    for part in ("total", "base", "fan_mask", "fan_counts", "wins", "status"):
        state.update(getattr(scores, part).tobytes())
    return state.hexdigest()

def bulk(name, threads):
    batch = corpus(name)
    start = time.perf_counter()
    fastmj.score_batch(batch, threads=int(threads))
    return time.perf_counter() - start

def single(number, calls):
    hand = hands[int(number)]
    start = time.perf_counter()
    for _ in range(int(calls)):
        fastmj.score_hand(hand)
    return (time.perf_counter() - start) / int(calls)

fastmj.score_hand(hands[0])
for line in sys.stdin:
    task, *given = line.split()
    print({"same": same, "bulk": bulk, "single": single}[task](*given), flush=True)
"""


class Version:
    """A process that has one version of the package, and answers one question at a time."""

    def __init__(self, folder: Path, cache: Path, rows: int):
        environment = {
            **os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(cache),
            "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-c", _WORKER, str(rows), *HANDS], cwd=folder, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ask(self, *question: Any) -> str:
        """Answer to one question, as text."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(map(str, question)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise SystemExit(f"a version failed at {question}; what it said is above")
        return answer

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def _take_turns(versions: list[Version], rounds: int, *question: Any) -> list[list[float]]:
    """Seconds of each version in each round; which one begins alternates."""
    seconds: list[list[float]] = [[] for _ in versions]
    for number in range(rounds):
        order = range(len(versions)) if number % 2 else reversed(range(len(versions)))
        for which in order:
            seconds[which].append(float(versions[which].ask(*question)))
    return seconds


def _row(name: str, seconds: list[list[float]], scale: Any, unit: str) -> str:
    ratio = statistics.median(a / b for a, b in zip(*seconds, strict=True))
    cells = [
        f"{scale(min(one)):.2f} ({scale(statistics.median(one)):.2f}) {unit}" for one in seconds
    ]
    return f"| {name} | " + " | ".join(cells) + f" | {ratio:.2f} |"


def compare(versions: list[Version], names: list[str], rows: int, rounds: int) -> None:
    """Print the table."""
    print(f"{rows:,} hands, best (median) of {rounds} rounds in alternation; ratio: their median\n")
    print(f"| corpus | {names[0]} | {names[1]} | ratio |\n|---|---:|---:|---:|")
    differ = []
    for form in FORMS:
        if len({version.ask("same", form) for version in versions}) > 1:
            differ.append(form)
        for threads in (1, 2):
            seconds = _take_turns(versions, rounds, "bulk", form, threads)
            name = f"{form.replace('_', ' ')}, {threads} thread" + "s" * (threads > 1)
            print(_row(name, seconds, lambda s: rows / s / 1e6, "M/s"), flush=True)
    for number, text in enumerate(HANDS):
        seconds = _take_turns(versions, rounds, "single", number, CALLS)
        print(_row(f"score_hand, {text}", seconds, lambda s: s * 1e6, "µs"), flush=True)
    print(f"\nResults differ: {', '.join(differ)}" if differ else "\nThe results are the same.")


def _checkout(version: str, folder: Path) -> Path:
    """Folder of a version: a checkout that is there, or a new worktree of a commit."""
    if Path(version).is_dir():
        return Path(version).resolve()
    subprocess.run(
        ["git", "worktree", "add", "--quiet", "--detach", str(folder), version], cwd=ROOT,
        check=True,
    )  # fmt: skip
    return folder


def main() -> None:
    """Compare two versions."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old", help="commit, or folder of a checkout")
    parser.add_argument("new", nargs="?", default="HEAD", help="the same (default HEAD)")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=25)
    given = parser.parse_args()
    names = [given.old, given.new]
    with tempfile.TemporaryDirectory() as temporary:
        made: list[Path] = []
        versions: list[Version] = []
        try:
            for number, name in enumerate(names):
                folder = _checkout(name, Path(temporary) / f"version{number}")
                if folder.is_relative_to(Path(temporary).resolve()):
                    made.append(folder)
                versions.append(Version(folder, Path(temporary) / f"cache{number}", given.rows))
            compare(versions, names, given.rows, given.rounds)
        finally:
            for version in versions:
                version.close()
            for folder in made:
                subprocess.run(
                    ["git", "worktree", "remove", "--force", str(folder)], cwd=ROOT, check=True
                )


if __name__ == "__main__":
    main()
