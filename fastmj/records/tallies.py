"""What is counted of recorded games: for all, by seat and by player."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.named import same_values
from ..rules import FANS

#: Walls are told apart by so many bits of a digest at first, and a player's games on each are kept
#: apart; with more than so many entries in all, walls are joined by pairs.
WALL_BITS, _MOST_WALLS = 16, 1 << 20


@dataclass
class Tally:
    """Games of one seat, or of one player.

    A turn is one of the player's own: the first before the first discard. Melds are those that are
    exposed; being ready is being one tile from a complete hand, whatever it scores, and 0 turns
    are a hand that was dealt so.

    Attributes
    ----------
    games, wins, self_drawn, deal_ins, draws, false_wins : int
        Games; those that were won, self-drawn, lost by the own discard (or the added kong that
        was robbed), and drawn; and false wins.
    points : int
        What was won and lost in all.
    ready, ready_turns : int
        Games in which the player became ready, and the sum of the turns.
    win_turns : int
        Sum of the turns of the wins.
    melds, meld_turns : list of 4 int
        Games with a first, second, third, fourth exposed meld, and the sums of the turns.
    melds_at_win : list of 5 int
        Wins with 0 to 4 of them.
    walls : dict
        Games and points on each wall.
    """

    games: int = 0
    wins: int = 0
    self_drawn: int = 0
    deal_ins: int = 0
    draws: int = 0
    false_wins: int = 0
    points: int = 0
    ready: int = 0
    ready_turns: int = 0
    win_turns: int = 0
    melds: list[int] = field(default_factory=lambda: [0] * 4)
    meld_turns: list[int] = field(default_factory=lambda: [0] * 4)
    melds_at_win: list[int] = field(default_factory=lambda: [0] * 5)
    walls: dict[int, tuple[int, int]] = field(default_factory=dict)

    def play(self, wall: int, points: int) -> None:
        """Count a game and its points."""
        self.games += 1
        self.points += points
        games, before = self.walls.get(wall, (0, 0))
        self.walls[wall] = games + 1, before + points

    def merge(self, other: Tally) -> None:
        """Add what another has counted."""
        for item in fields(self):
            mine, theirs = getattr(self, item.name), getattr(other, item.name)
            if isinstance(mine, int):
                setattr(self, item.name, mine + theirs)
            elif isinstance(mine, list):
                mine[:] = [a + b for a, b in zip(mine, theirs, strict=True)]
        for wall, (games, points) in other.walls.items():
            had = self.walls.get(wall, (0, 0))
            self.walls[wall] = had[0] + games, had[1] + points

    def coarsen(self) -> None:
        """Join walls by pairs."""
        before, self.walls = self.walls, {}
        for wall, (games, points) in before.items():
            had = self.walls.get(wall >> 1, (0, 0))
            self.walls[wall >> 1] = had[0] + games, had[1] + points

    @property
    def mean(self) -> float:
        """Points a game."""
        return self.points / self.games if self.games else math.nan

    @property
    def error(self) -> float:
        """Standard error of the mean.

        Games on the same wall are taken together, so that in duplicate games the luck of the walls,
        which all seats share, is left out as far as the player has played all of them.
        """
        number = len(self.walls)
        if number < 2:
            return math.nan
        mean = self.mean
        squares = sum((points - games * mean) ** 2 for games, points in self.walls.values())
        return math.sqrt(squares * number / (number - 1)) / self.games

    def as_dict(self) -> dict[str, Any]:
        """Rates and means, ready for JSON; what there is nothing of is ``None``."""
        return {
            "games": self.games,
            "win": _share(self.wins, self.games),
            "self_drawn": _share(self.self_drawn, self.games),
            "deal_in": _share(self.deal_ins, self.games),
            "draw": _share(self.draws, self.games),
            "false_wins": self.false_wins,
            "points": self.points,
            "mean": _known(self.mean),
            "error": _known(self.error),
            "walls": len(self.walls),
            "ready": _share(self.ready, self.games),
            "ready_turn": _share(self.ready_turns, self.ready),
            "win_turn": _share(self.win_turns, self.wins),
            "meld": [_share(melds, self.games) for melds in self.melds],
            "meld_turn": list(map(_share, self.meld_turns, self.melds)),
            "melds_at_win": [_share(wins, self.wins) for wins in self.melds_at_win],
        }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)


class Statistics:
    """What was counted of games.

    Attributes
    ----------
    games, wins, draws, mistakes, bad : int
        Games; winning hands; games without one; games that a player's mistake ended; records that
        could not be read or replayed.
    seats : list of 4 Tally
        By seat, east first.
    players : dict of Tally
        By the names that records have.
    totals : Counter
        Winning hands by what they score.
    ready_turns, win_turns : Counter
        Players who became ready, and wins, by turn.
    fan_hands, fan_times, fan_turns : ndarray of int64, shape (82,)
        Winning hands with each fan, times that it counted, sum of the turns of those hands.
    """

    def __init__(self) -> None:
        self.games = self.wins = self.draws = self.mistakes = self.bad = 0
        self.seats = [Tally() for _ in range(4)]
        self.players: dict[str, Tally] = {}
        self.totals: Counter[int] = Counter()
        self.ready_turns: Counter[int] = Counter()
        self.win_turns: Counter[int] = Counter()
        self.fan_hands: npt.NDArray[np.int64] = np.zeros(len(FANS), np.int64)
        self.fan_times: npt.NDArray[np.int64] = np.zeros(len(FANS), np.int64)
        self.fan_turns: npt.NDArray[np.int64] = np.zeros(len(FANS), np.int64)
        self.wall_bits = WALL_BITS

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Statistics):
            return NotImplemented
        return same_values(self, other)

    __hash__ = None  # type: ignore[assignment]

    def tallies(self) -> Iterator[Tally]:
        """All tallies, by seat and by player."""
        yield from self.seats
        yield from self.players.values()

    def of(self, seat: int, player: str) -> tuple[Tally, ...]:
        """Tallies that a seat's game counts in."""
        if not player:
            return (self.seats[seat],)
        return self.seats[seat], self.players.setdefault(player, Tally())

    def merge(self, other: Statistics) -> None:
        """Add what another has counted; the other is used up."""
        while other.wall_bits > self.wall_bits:
            other.coarsen()
        while self.wall_bits > other.wall_bits:
            self.coarsen()
        for name in ("games", "wins", "draws", "mistakes", "bad"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for mine, theirs in zip(self.seats, other.seats, strict=True):
            mine.merge(theirs)
        for player, tally in other.players.items():
            self.players.setdefault(player, Tally()).merge(tally)
        for name in ("totals", "ready_turns", "win_turns"):
            getattr(self, name).update(getattr(other, name))
        for name in ("fan_hands", "fan_times", "fan_turns"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.bound()

    def coarsen(self) -> None:
        """Join walls by pairs."""
        self.wall_bits -= 1
        for tally in self.tallies():
            tally.coarsen()

    def bound(self) -> None:
        """Keep the memory of walls bounded."""
        while self.wall_bits > 3 and sum(len(t.walls) for t in self.tallies()) > _MOST_WALLS:
            self.coarsen()

    @property
    def mean_total(self) -> float:
        """Mean of what winning hands score."""
        wins = sum(self.totals.values())
        return sum(total * hands for total, hands in self.totals.items()) / wins if wins else 0.0

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        numbers = zip(
            FANS, self.fan_hands.tolist(), self.fan_times.tolist(), self.fan_turns.tolist(),
            strict=True,
        )  # fmt: skip
        return {
            "games": self.games, "wins": self.wins, "draws": self.draws,
            "mistakes": self.mistakes, "bad": self.bad, "mean_total": round(self.mean_total, 6),
            "totals": {str(total): self.totals[total] for total in sorted(self.totals)},
            "ready_turns": {str(turn): n for turn, n in sorted(self.ready_turns.items())},
            "win_turns": {str(turn): n for turn, n in sorted(self.win_turns.items())},
            "seats": [tally.as_dict() for tally in self.seats],
            "players": {name: self.players[name].as_dict() for name in sorted(self.players)},
            "fans": {
                fan.key: {
                    "hands": hands, "times": times, "share": _share(hands, self.wins),
                    "turn": _share(turns, hands),
                }
                for fan, hands, times, turns in numbers
            },
        }  # fmt: skip
