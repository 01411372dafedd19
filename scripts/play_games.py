"""Whole games among four players, and whether the model of one hand agrees with them.

``python scripts/play_games.py`` lets four players that ``weigh`` play seeded games, and holds them
to real games and to the roll-outs of one hand; ``--against shanten`` lets one of them play three
that go by plain shanten, seats rotated, and ``--against weigh`` three of its like. ``--write`` puts
the table into fastmj/value/README.md.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fastmj import (
    InvalidHand,
    Meld,
    discards_batch,
    score_hand,
    settle,
    shanten_batch,
)
from fastmj.hands.tiles import NAMES, format_tiles, tiles_of
from fastmj.records import Event, EventKind, Game, Phase, Table
from fastmj.value import Advisor

sys.path.insert(0, str(Path(__file__).parent))

WALL = 136
_CHOW, _PUNG, _KONG, _CONCEALED = 1, 35, 69, 103
SOURCES = ("", "right", "across", "left")


@dataclass(frozen=True)
class View:
    """What a player sees: concealed tiles, melds, all that lies open, and the round, from 0 on."""

    player: int
    counts: Any
    codes: Any
    visible: Any
    round: int
    wind: int


def view_of(table: Table, player: int, round_: int) -> View:
    """What a player sees of a table; a tile that is offered lies nowhere yet."""
    codes = np.frombuffer(table.codes, np.uint8)[4 * player : 4 * player + 4].copy()
    visible = np.frombuffer(table.visible, np.uint8).astype(np.int64)
    for meld in table.melds[player]:
        for tile in meld.tiles if meld.is_exposed else ():
            visible[tile] -= 1
    counts = np.frombuffer(bytes(table.hands[player]), np.uint8)
    return View(player, counts, codes, visible, round_, table.game.prevalent_wind)


class Weighs:
    """A player that goes by ``Advisor``."""

    def __init__(self) -> None:
        self.advisor = Advisor()

    def hand(self, view: View) -> dict[str, Any]:
        """The position as the advisor takes it."""
        melds = "".join(str(Meld.from_code(int(code))) for code in view.codes if code)
        winds = "ESWN"[view.wind] + "ESWN"[view.player]
        text = f"{melds}{format_tiles(tiles_of(view.counts.tolist()))}|{winds}"
        return {"hand": text, "visible": view.visible, "turn": view.round}

    def turn(self, view: View, kongs: bool) -> int:
        """A tile to discard, or 34 and a kong's code."""
        advice = self.advisor.discard(**self.hand(view), kongs=kongs)
        return 34 + advice.meld.code if advice.meld else NAMES.index(advice.tile)

    def answer(self, view: View, tile: int, source: int) -> int:
        """Code of the meld to claim a tile for, or 0."""
        hand = self.hand(view)
        advice = self.advisor.answer(
            hand.pop("hand"), offered=NAMES[tile], source=SOURCES[source], **hand
        )
        return advice.meld.code if advice.meld else 0


class GoesByShanten:
    """A plain player: lowest shanten, then most tiles accepted; claims what lowers the shanten."""

    def turn(self, view: View, kongs: bool) -> int:
        """A tile to discard."""
        found = discards_batch(
            view.counts[None], melds=view.codes[None], visible=view.visible[None], threads=1
        )
        worth = 1000 * found.shanten[0].astype(int) - found.copies[0]
        return int(np.where(view.counts > 0, worth, 99_999).argmin())

    def answer(self, view: View, tile: int, source: int) -> int:
        """Code of the chow or pung to claim a tile for, or 0."""
        ways, hands = [0], [view.counts]
        if view.counts[tile] >= 2:
            ways.append(_PUNG + tile)
            hands.append(view.counts - 2 * np.eye(34, dtype=np.uint8)[tile])
        for low in range(tile - 2, tile + 1) if source == 3 and tile < 27 else ():
            others = [each for each in range(low, low + 3) if each != tile]
            if low // 9 == tile // 9 and low % 9 <= 6 and all(view.counts[others]):
                ways.append(_CHOW + low)
                hands.append(view.counts - np.eye(34, dtype=np.uint8)[others].sum(0, np.uint8))
        if len(ways) == 1 or view.codes[3]:
            return 0
        melds = (view.codes > 0).sum() + np.array([0] + [1] * (len(ways) - 1))
        best = shanten_batch(np.array(hands), melds=melds, threads=1).best
        return ways[int(best.argmin())]


PLAYERS: dict[str, Callable[[], Any]] = {"weigh": Weighs, "shanten": GoesByShanten}


class Play:
    """One seeded game: a wall of 136, replaced from its back; kongs are not robbed."""

    def __init__(self, seed: int, names: Sequence[str]):
        self.players = [PLAYERS[name]() for name in names]
        random = np.random.default_rng([seed, 136])
        self.tiles = random.permutation(np.repeat(np.arange(34), 4)).tolist()
        deals = tuple(tuple(self.tiles[13 * seat : 13 * seat + 13]) for seat in range(4))
        self.front, self.back = 52, WALL
        names = tuple(names)
        self.game = Game(
            f"seed-{seed}", int(random.integers(4)), deals, (), None, {}, (0, 0, 0, 0), "draw",
            players=names, wall=WALL,
        )  # fmt: skip
        self.table, self.events = Table(self.game), []

    @property
    def round(self) -> int:
        """Rounds of the wall that have been drawn."""
        return max(self.front - 53, 0) // 4

    def do(self, kind: EventKind, player: int, tile: int) -> None:
        """Carry out an event."""
        self.events.append(Event(kind, player, tile))
        self.table.apply(self.events[-1])

    def wins(self, player: int) -> bool:
        """Whether a player wins now."""
        try:
            return bool(score_hand(self.table.hand(player)).wins)
        except InvalidHand:
            return False

    def play(self) -> Game:
        """Play the game to its end."""
        player, replaces = 0, False
        while self.front < self.back:
            self.draw(player, replaces)
            if self.wins(player):
                return self.ended(player, -1)
            out = self.move(player)
            if out >= 34:
                replaces = self.kong(player, out - 34)
                continue
            replaces = False
            while out >= 0:
                self.do(EventKind.PLAY, player, out)
                others = [(player + step) % 4 for step in (1, 2, 3)]
                winner = next((other for other in others if self.wins(other)), -1)
                if winner >= 0:
                    return self.ended(winner, player)
                claimer, code = self.claim(player, out)
                if code == 0:
                    player, out = (player + 1) % 4, -1
                    continue
                self.expose(claimer, code, out)
                player = claimer
                replaces = code >= _KONG
                out = -1 if replaces else self.move(player)
        return self.ended(-1, -1)

    def draw(self, player: int, replaces: bool) -> None:
        """Draw from the front, or from the back behind a kong."""
        self.back -= replaces
        tile = self.tiles[self.back if replaces else self.front]
        self.front += not replaces
        self.do(EventKind.DRAW, player, tile)

    def move(self, player: int) -> int:
        """What a player does on the own turn."""
        kongs = self.table.phase == Phase.TURN and self.front < self.back
        view = view_of(self.table, player, self.round)
        return int(self.players[player].turn(view, kongs))

    def kong(self, player: int, code: int) -> bool:
        """Declare a kong."""
        kind = EventKind.CONCEALED_KONG if code >= _CONCEALED else EventKind.ADDED_KONG
        self.do(kind, player, (code - _KONG) % 34)
        return True

    def claim(self, giver: int, tile: int) -> tuple[int, int]:
        """Who claims a discard for which meld: a pung or kong before a chow."""
        chow = -1, 0
        if self.front == self.back:
            return chow
        for step in (1, 2, 3):
            other = (giver + step) % 4
            view = view_of(self.table, other, self.round)
            code = self.players[other].answer(view, tile, 4 - step)
            if code >= _PUNG:
                return other, code
            if code:
                chow = other, code
        return chow

    def expose(self, player: int, code: int, tile: int) -> None:
        """Lay a claimed meld down."""
        if code < _PUNG:
            self.do(EventKind.CHOW, player, code - _CHOW + 1)
        else:
            self.do(EventKind.KONG if code >= _KONG else EventKind.PUNG, player, tile)

    def ended(self, winner: int, discarder: int) -> Game:
        """The game with its result."""
        if winner < 0:
            return replace(self.game, events=tuple(self.events))
        score = score_hand(self.table.hand(winner))
        scores = settle(score.total, winner, None if discarder < 0 else discarder).tolist()
        self.do(EventKind.WIN, winner, self.table.tile)
        return replace(
            self.game, events=tuple(self.events), total=score.total, fans=score.fans,
            scores=tuple(scores), end="win",
        )  # fmt: skip


def games_of(names: Sequence[str], first: int, stop: int) -> list[Game]:
    """Some games; the seats rotate, four games a wall, when not all players are alike."""
    found = []
    for number in range(first, stop):
        alike = len(set(names)) == 1
        seats = [names[(seat - number) % 4] for seat in range(4)]
        found.append(Play(number if alike else number // 4, names if alike else seats).play())
    return found


def played(names: Sequence[str], number: int, seconds: float, workers: int) -> list[Game]:
    """So many games, or as many as are played in the time."""
    begun, found = time.monotonic(), []
    step = 4
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        edges = iter(range(0, number, step))
        waiting = [pool.submit(games_of, names, at, min(at + step, number))
                   for at in islice(edges, 2 * workers)]  # fmt: skip
        while waiting:
            found += waiting.pop(0).result()
            if len(found) % 100 < step:
                sys.stderr.write(f"{len(found)} games, {time.monotonic() - begun:.0f} s\n")
            if time.monotonic() - begun < seconds and (at := next(edges, None)) is not None:
                waiting.append(pool.submit(games_of, names, at, min(at + step, number)))
    return found
