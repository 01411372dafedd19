"""What roll-outs came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.tiles import NAMES
from ..pictures import hand_picture, page, table, tiles_pictures
from ..rules import FANS, Rules
from ..scoring.settlement import settle


@dataclass(frozen=True, eq=False)
class Choice:
    """What playing on from one hand of 13 tiles (less 3 a meld) came to.

    Attributes
    ----------
    discard : int or None
        Tile that was discarded; None when the hand had 13 tiles.
    samples, wins : int
        Roll-outs, and how many of them won.
    win_chance, win_error : float
        Share of the roll-outs that won within the draws, and its standard error.
    win_by_turn, ready_by_turn : ndarray of float64
        Chance to have won, or to be or have been ready, after so many draws, from 1 on.
    mean_fan, mean_fan_error : float
        Points of a win without flowers; NaN without wins.
    mean_points, mean_points_error : float
        What the winner gets of a win as it is settled; NaN without wins.
    totals : dict of int to int
        Wins by total, flowers included.
    fans : dict of str to int
        Wins by fan that counted, by Chinese name.
    distance : int
        Distance to a hand that scores enough (``min_fan_shanten``).
    exact : bool
        Whether that distance is exact; else an upper bound.
    """

    discard: int | None
    samples: int
    wins: int
    win_chance: float
    win_error: float
    win_by_turn: npt.NDArray[np.float64]
    ready_by_turn: npt.NDArray[np.float64]
    mean_fan: float
    mean_fan_error: float
    mean_points: float
    mean_points_error: float
    totals: dict[int, int]
    fans: dict[str, int]
    distance: int
    exact: bool

    def __eq__(self, other: object) -> bool:
        """Equal by value; where neither won, their means are as unknown."""
        if not isinstance(other, Choice):
            return NotImplemented
        return all(
            mine == theirs or (mine != mine and theirs != theirs)
            if isinstance(mine, float)
            else np.array_equal(mine, theirs)
            if isinstance(mine, np.ndarray)
            else mine == theirs
            for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.discard, self.samples, self.wins, self.distance))

    def __str__(self) -> str:
        name = "as it stands" if self.discard is None else NAMES[self.discard]
        return (
            f"{name}: wins {self.win_chance:.1%} ± {self.win_error:.1%}, "
            f"{self.mean_points:.0f} points a win"
        )


@dataclass(frozen=True)
class Simulation:
    """Roll-outs of a hand.

    Attributes
    ----------
    hand : str
        The hand, melds first.
    policy : str
        Its name.
    draws, min_fan, seed : int
        As they were asked for.
    complete : bool
        Whether all samples were played; else it was stopped.
    choices : tuple of Choice
        The discards, the highest chance to win first, or the hand as it stands.
    """

    hand: str
    policy: str
    draws: int
    min_fan: int
    seed: int
    complete: bool
    choices: tuple[Choice, ...]

    def _repr_html_(self) -> str:
        rows = []
        for choice in self.choices:
            name, _, said = str(choice).partition(": ")
            tiles = [] if choice.discard is None else [choice.discard]
            rows.append([tiles_pictures([tiles]), name, said])
        shown = table(["", "choice", ""], rows)
        return page(hand_picture(self.hand), str(self).splitlines()[0], shown)

    def __str__(self) -> str:
        lines = [f"{self.hand}: {self.draws} draws, policy {self.policy}"]
        return "\n".join([*lines, *(f"  {choice}" for choice in self.choices)])


@dataclass
class Answers:
    """Roll-outs of C hands, S samples of each, as the kernels write them.

    ``turn`` and ``ready`` int16 (C, S): the draw of the win and the first one before which the hand
    was ready, 0 never; ``by_self`` uint8 and ``base`` int16 (C, S): whether the win was drawn, and
    its points; ``fans`` int64 (C, S, 2): its fans as masks of 48.
    """

    turn: npt.NDArray[np.int16]
    ready: npt.NDArray[np.int16]
    by_self: npt.NDArray[np.uint8]
    base: npt.NDArray[np.int16]
    fans: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, hands: int, samples: int) -> Answers:
        """Answers to be filled."""
        shape = (hands, samples)
        return cls(
            np.zeros(shape, np.int16), np.zeros(shape, np.int16), np.zeros(shape, np.uint8),
            np.zeros(shape, np.int16), np.zeros((*shape, 2), np.int64),
        )  # fmt: skip

    def errors(self, done: int) -> npt.NDArray[np.float64]:
        """Standard error of each hand's chance to win after so many samples."""
        wins = (self.turn[:, :done] > 0).mean(1)
        errors: npt.NDArray[np.float64] = np.sqrt(wins * (1 - wins) / done)
        return errors

    def choice(
        self, place: int, done: int, discard: int | None, draws: int, flowers: int, rules: Rules,
        distance: int, exact: bool,
    ) -> Choice:  # fmt: skip
        """What the first samples of a hand came to."""
        turn, ready = self.turn[place, :done], self.ready[place, :done]
        won = turn > 0
        wins = int(won.sum())
        chance = wins / done
        turns = np.arange(1, draws + 1)
        base = self.base[place, :done][won]
        total = base.astype(np.int64) + flowers * rules.points("花牌")
        gain = settle(total, 0, np.where(self.by_self[place, :done][won] > 0, -1, 1))[:, 0]
        values, times = np.unique(total, return_counts=True)
        names: dict[str, int] = {}
        for fan in FANS:
            held = int((self.fans[place, :done][won, fan.id // 48] >> fan.id % 48 & 1).sum())
            if held:
                names[fan.zh] = held
        return Choice(
            discard, done, wins, chance, float(np.sqrt(chance * (1 - chance) / done)),
            (won[:, None] & (turn[:, None] <= turns)).mean(0),
            ((ready[:, None] > 0) & (ready[:, None] <= turns + 1)).mean(0),
            *_mean(base), *_mean(gain),
            dict(zip(values.tolist(), times.tolist(), strict=True)),
            dict(sorted(names.items(), key=lambda item: -item[1])),
            distance, exact,
        )  # fmt: skip


def _mean(values: npt.NDArray[Any]) -> tuple[float, float]:
    """Mean and its standard error; NaN where there are too few."""
    if not len(values):
        return float("nan"), float("nan")
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return float(values.mean()), error
