"""Write ``games.txt``, a small log for the documentation: four games, the last declared wrongly.

``python tests/records/make_games.py`` writes it anew.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fastmj.records import write_log
from fastmj.records.play import play_game

TARGET = Path(__file__).with_name("games.txt")


def text() -> str:
    """The log."""
    games = [play_game(seed, bias=0.5, name=f"sample-{seed}") for seed in range(1, 5)]
    last = games[-1]
    assert last.total is not None
    games[-1] = replace(last, total=last.total + 1, fans={**last.fans, "自摸": 1})
    return write_log(games)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
