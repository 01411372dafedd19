"""Roll-outs played by a function of the user's: all samples at once, turn by turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..distance.batches import shanten_batch
from ..hands.batch import HandBatch
from ..rules import Rules
from ..scoring.batch import score_batch
from .results import Answers

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Turn:
    """What a policy sees: many hands that have each drawn a tile and did not win with it.

    Attributes
    ----------
    counts : ndarray of uint8, shape (N, 34)
        Concealed tiles, the drawn one among them.
    drawn : ndarray of uint8, shape (N,)
        The tile that was drawn.
    visible : ndarray of uint8, shape (N, 34)
        Copies seen in discards and others' melds, as ``discards_batch`` takes them.
    melds : ndarray of uint8, shape (N, 4)
        Meld codes as in a ``HandBatch``.
    number, draws : int
        Which draw this is, from 0 on, and how many there are.
    seat_wind, prevalent_wind : int
        Winds as in a ``HandBatch``.
    min_fan : int
        What a win must score.
    rules : Rules
        Rule profile.
    """

    counts: Bytes
    drawn: Bytes
    visible: Bytes
    melds: Bytes
    number: int
    draws: int
    seat_wind: int
    prevalent_wind: int
    min_fan: int
    rules: Rules


#: A policy: takes a ``Turn`` of N hands, returns the tile that each discards, shape (N,).
PolicyFunction = Callable[[Turn], Any]


@dataclass(frozen=True, eq=False)
class Start:
    """Hands to play on, and against what.

    ``held`` and ``visible`` are uint8 (C, 34), ``shown`` (the tiles of the melds) uint8 (34,),
    ``codes`` uint8 (1, 4).
    """

    held: Bytes
    visible: Bytes
    shown: Bytes
    codes: Bytes
    winds: dict[str, int]
    draws: int
    minimum: int
    rules: Rules


class _Players:
    """All samples of all hands: C hands times S samples are rows, hand by hand."""

    def __init__(self, start: Start, samples: int):
        self.start, self.samples = start, samples
        self.counts = np.repeat(start.held, samples, 0)
        self.visible = np.repeat(start.visible, samples, 0)
        self.alive = np.ones(len(self.counts), np.bool_)
        self.found = Answers.empty(len(start.held), samples)
        self.shanten = self._shanten(np.arange(len(self.counts)))
        self.found.ready.reshape(-1)[self.shanten <= 0] = 1

    def _shanten(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        melds = np.repeat(self.start.codes, len(rows), 0)
        return shanten_batch(self.counts[rows], melds=melds, threads=1).best

    def win(self, rows: npt.NDArray[np.int64], tiles: Bytes, self_drawn: bool, now: int) -> None:
        """End the rows whose tile completes a hand that scores enough; the tile is in the hand."""
        rows, tiles = rows[self.shanten[rows] == 0], tiles[self.shanten[rows] == 0]
        done = self._shanten(rows) < 0 if len(rows) else np.zeros(0, np.bool_)
        rows, tiles = rows[done], tiles[done]
        if not len(rows):
            return
        opened = self.visible[rows, tiles] + self.start.shown[tiles]
        scores = score_batch(
            HandBatch(
                self.counts[rows], melds=np.repeat(self.start.codes, len(rows), 0),
                win_tile=tiles, self_drawn=self_drawn,
                last_of_kind=(opened == 3) & (self.counts[rows, tiles] == 1), **self.start.winds,
            ),
            rules=self.start.rules, threads=1,
        )  # fmt: skip
        enough = (scores.status == 0) & (scores.base >= self.start.minimum)
        rows = rows[enough]
        self.alive[rows] = False
        self.found.turn.reshape(-1)[rows] = now + 1
        self.found.by_self.reshape(-1)[rows] = self_drawn
        self.found.base.reshape(-1)[rows] = scores.base[enough]
        self.found.fans.reshape(-1, 2)[rows] = scores.fan_mask[enough]

    def discard(self, policy: PolicyFunction, drawn: Bytes, now: int) -> None:
        """Ask the policy, and do what it says."""
        start = self.start
        rows = np.flatnonzero(self.alive)
        turn = Turn(
            self.counts[rows], drawn[rows], self.visible[rows],
            np.repeat(start.codes, len(rows), 0), now, start.draws, start.winds["seat_wind"],
            start.winds["prevalent_wind"], start.minimum, start.rules,
        )  # fmt: skip
        out = np.asarray(policy(turn))
        if out.shape != (len(rows),) or out.dtype.kind not in "iu":
            raise ValueError(
                f"policy must return {len(rows)} tiles as integers, got shape {out.shape} of "
                f"{out.dtype}"
            )
        if ((out < 0) | (out > 33)).any() or (self.counts[rows, out] == 0).any():
            bad = next(
                i for i, tile in enumerate(out)
                if not 0 <= tile <= 33 or not self.counts[rows[i], tile]
            )  # fmt: skip
            raise ValueError(f"policy discards tile {out[bad]}, which hand {bad} does not hold")
        self.counts[rows, out] -= 1
        self.visible[rows, out] += 1
        changed = rows[out != drawn[rows]]
        if len(changed):
            self.shanten[changed] = self._shanten(changed)
            ready = self.found.ready.reshape(-1)
            ready[changed[(self.shanten[changed] == 0) & (ready[changed] == 0)]] = now + 2


def play_by(
    policy: PolicyFunction, start: Start, order: Bytes, offered: npt.NDArray[np.bool_]
) -> Answers:
    """Play samples of every hand.

    Parameters
    ----------
    policy : callable
        What to discard.
    start : Start
        The hands.
    order : ndarray of uint8, shape (S, draws, 1 or 4)
        The tile drawn each turn, and the three that others may discard.
    offered : ndarray of bool, shape (S, draws, 3)
        Which of these they do discard.

    Returns
    -------
    Answers
    """
    hands = len(start.held)
    players = _Players(start, len(order))
    for now in range(start.draws):
        if not players.alive.any():
            break
        drawn = np.tile(order[:, now, 0], hands)
        rows = np.flatnonzero(players.alive)
        players.counts[rows, drawn[rows]] += 1
        players.win(rows, drawn[rows], True, now)
        if players.alive.any():
            players.discard(policy, drawn, now)
        for other in range(order.shape[2] - 1):
            tile = np.tile(order[:, now, 1 + other], hands)
            rows = np.flatnonzero(players.alive & np.tile(offered[:, now, other], hands))
            players.counts[rows, tile[rows]] += 1
            players.win(rows, tile[rows], False, now)
            rows = rows[players.alive[rows]]
            players.counts[rows, tile[rows]] -= 1
            players.visible[rows, tile[rows]] += 1
    return players.found
