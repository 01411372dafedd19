"""How the other three players are modelled: a few numbers, each of which can be set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

#: Own draws of a whole game: 83 tiles are left when all hands are dealt.
ROUNDS = 20
#: Chance a round that one of the others wins: it rises by so much a round from this round on, up to
#: this chance; and the share of self-drawn wins among them. With these a hand as it is dealt wins
#: as often as a seat, and as many games are drawn as in real ones; ``scripts/play_games.py`` holds
#: games of four such players to both.
ONSET, RISE, HIGHEST, SELF_DRAWN = 4.0, 0.0064, 0.12, 0.3
#: Chance that a tile which another player draws is discarded so that the hand may have it.
CLAIMS = 0.9
#: Points of another player's win.
POINTS = 12.5


@dataclass(frozen=True)
class Model:
    """The other players.

    Attributes
    ----------
    claims : float
        Probability 0-1 that a tile which another player draws is discarded so that the hand may
        win with it or claim it; else it stays hidden.
    others : float
        How often others win: 1 as often as players of real games, 0 never.
    melding : bool
        Whether the hand claims chows, pungs and kongs, and declares kongs.
    turn : int
        Own turns that have been played: others win more often later.
    """

    claims: float
    others: float
    melding: bool
    turn: int

    @property
    def a_round(self) -> int:
        """Tiles of the wall a round: one when only self-draws matter."""
        return 4 if self.claims or self.others or self.melding else 1

    def win_rates(self, rounds: int) -> npt.NDArray[np.float64]:
        """Chance of each of the others to win in each round to come, (R,)."""
        number = self.turn + np.arange(1, rounds + 1)
        return np.asarray(self.others * np.clip(RISE * (number - ONSET), 0, HIGHEST))

    def fates(self, rounds: int, certain: int) -> npt.NDArray[np.int64]:
        """Chances as the kernels take them, (R, 3) parts of ``certain``.

        That the player who draws has won; that he has, or one of two others by his discard; that
        one of three wins by a discard of the hand. In a round each player may win by a draw of his
        own and by three discards.
        """
        rate = self.win_rates(rounds)
        draw, discard = SELF_DRAWN * rate, (1 - SELF_DRAWN) / 3 * rate
        chances = np.stack([draw, draw + 2 * discard, 3 * discard], axis=1)
        return np.asarray(np.minimum(chances, 1) * certain, np.int64)


def resolve_model(claims: Any, others: Any, melding: bool, turn: int) -> Model:
    """A model of what is given, checked."""
    for name, value, most in (("claims", claims, 1), ("others", others, 10)):
        if isinstance(value, (bool, str)) or not 0 <= value <= most:
            raise ValueError(f"{name} must be a number from 0 to {most}, got {value!r}")
    return Model(float(claims), float(others), melding, turn)
