"""How often players of recorded games did what ``weigh`` and plain shanten would do.

``python scripts/compare_players.py LOG...`` reads logs of any format; ``--write`` puts the table
into fastmj/value/README.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fastmj.hands.melds import Meld
from fastmj.records import DecisionBatch, Game, decisions, read_games
from fastmj.records.rows import CHOW, CONCEALED_KONG, PASS, PLAY, PUNG, WIN
from fastmj.value.model import ROUNDS

sys.path.insert(0, str(Path(__file__).parent))
import pages
from play_games import PLAYERS, View

_PUNG = 35


def view_of(game: Game, found: DecisionBatch, row: int) -> View:
    """What the player sees."""
    codes = found.melds[row, 0]
    visible = found.visible[row].astype(np.int64)
    for code in codes[codes > 0]:
        meld = Meld.from_code(int(code))
        for tile in meld.tiles if meld.is_exposed else ():
            visible[tile] -= 1
    draws = int(found.walls[row, 0]) // (4 if game.wall else 1)
    return View(
        int(found.player[row]), found.counts[row], codes, visible, max(ROUNDS - draws, 0),
        int(found.prevalent_wind[row]),
    )  # fmt: skip


def meld_of(action: int) -> int:
    """Code of the meld that an action claims or declares, 0 for none."""
    if CHOW <= action < PUNG:
        place = (action - CHOW) // 3
        return 1 + 9 * (place // 7) + place % 7
    return _PUNG + action - PUNG if PUNG <= action < CONCEALED_KONG else 0


def agreement(games: Sequence[Game], found: DecisionBatch, name: str) -> Counter[str]:
    """Count the decisions of each kind, and those in which the player did the same."""
    players = {}
    counted: Counter[str] = Counter()
    for row, action in enumerate(found.action.tolist()):
        phase, legal = found.phase[row], found.legal[row]
        if action == WIN or phase == 3:
            continue
        key = int(found.game[row]), int(found.player[row])
        player = players.setdefault(key, PLAYERS[name]())
        view = view_of(games[key[0]], found, row)
        if phase < 2:
            if PLAY <= action < CHOW:
                counted["discards"] += 1
                kongs = bool(legal[CONCEALED_KONG:].any())
                counted["same discards"] += player.turn(view, kongs) == action - PLAY
        elif legal[CHOW:CONCEALED_KONG].any():
            claim = player.answer(view, int(found.tile[row]), int(found.giver[row]))
            done = meld_of(action)
            kind = "passes" if action == PASS else "claims"
            counted[kind] += 1
            counted[f"same {kind}"] += claim == done
            counted["own claims"] += claim > 0
    return counted


def table(games: Sequence[Game]) -> list[str]:
    """Rows of shares."""
    found = decisions(games)
    lines = [
        f"| {len(games)} games | decisions | as `weigh` | as plain shanten |",
        "|---|---:|---:|---:|",
    ]
    counts = [agreement(games, found, name) for name in ("weigh", "shanten")]
    for kind, name in (
        ("discards", "discards"), ("passes", "passes, where a claim was possible"),
        ("claims", "claims (chow, pung, kong)"),
    ):  # fmt: skip
        number = counts[0][kind]
        shares = " | ".join(_share(each[f"same {kind}"], number) for each in counts)
        lines.append(f"| {name} | {number} | {shares} |")
    claims = " | ".join(f"{each['own claims']}" for each in counts)
    lines.append(f"| claims it would make | {counts[0]['claims']} | {claims} |")
    return lines


def _share(part: int, whole: int) -> str:
    """A share with its standard error."""
    share = part / max(whole, 1)
    return f"{share:.0%} ± {np.sqrt(share * (1 - share) / max(whole, 1)):.0%}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, and write the table into the page of the room on request."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("logs", nargs="+")
    parser.add_argument(
        "--write", action="store_true", help="put the table into fastmj/value/README.md"
    )
    given = parser.parse_args(arguments)
    lines = table([game for log in given.logs for game in read_games(log)])
    sys.stdout.write("\n".join(lines) + "\n")
    if given.write:
        pages.write(pages.VALUE, "players", lines)


if __name__ == "__main__":
    main()
