"""Counting what samples came to: memory does not grow with their number."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.value import layout as at
from ..rules import FANS, Rules
from ..scoring.settlement import BASIC_POINTS, settle
from .model import POINTS
from .play import Answers

Floats = npt.NDArray[np.float64]
#: What hands are compared by.
WINS, PAYMENTS = 0, 1
#: Where the bit of each fan lies in the two words of a mask, and the fans of six points and more.
_BITS = np.array([64 * (fan.id // 48) + fan.id % 48 for fan in FANS])
_LARGE = np.array(
    [sum(1 << fan.id % 48 for fan in FANS if fan.points >= 6 and fan.id // 48 == word)
     for word in range(2)]
)  # fmt: skip
_ENDS, _MELDS = 6, 5


class Tally:
    """Sums over the samples of C hands.

    ``sums`` and ``squares`` (2, C, C) are those of the differences in wins and in payments between
    two hands over the samples that both have played, of which there are ``common`` (C, C); on the
    diagonal those of the hands themselves.
    """

    def __init__(self, hands: int, draws: int, flowers: int, rules: Rules):
        self.flowers = flowers * rules.points("花牌")
        self.common = np.zeros((hands, hands))
        self.sums, self.squares = np.zeros((2, hands, hands)), np.zeros((2, hands, hands))
        self.ends = np.zeros((hands, _ENDS), np.int64)
        self.base: list[Counter[int]] = [Counter() for _ in range(hands)]
        self.gains = np.zeros((hands, 2))  # sum and squares of what wins pay
        self.melds = np.zeros((hands, _MELDS), np.int64)
        self.fans = np.zeros((hands, len(FANS)), np.int64)
        self.plain = np.zeros(hands, np.int64)
        self.turns = np.zeros((3, hands, draws + 2), np.int64)

    @property
    def samples(self) -> npt.NDArray[np.int64]:
        """Samples of each hand."""
        return np.asarray(self.ends.sum(1))

    def add(self, places: npt.NDArray[np.int64], answers: Answers) -> None:
        """Count samples of some hands; all have played the same ones."""
        won = (answers.how == at.BY_DRAW) | (answers.how == at.BY_CLAIM)
        payments = self.payments(answers, won)
        values = np.stack([won.astype(np.float64), payments])
        block = np.ix_(places, places)
        self.common[block] += won.shape[1]
        own = values.sum(2)
        squares = (values**2).sum(2)
        products = values @ values.transpose(0, 2, 1)
        for which in (WINS, PAYMENTS):
            differences = own[which][:, None] - own[which]
            spread = squares[which][:, None] + squares[which] - 2 * products[which]
            np.fill_diagonal(differences, own[which])
            np.fill_diagonal(spread, squares[which])
            self.sums[which][block] += differences
            self.squares[which][block] += spread
        for row, place in enumerate(places):
            self._add_one(int(place), answers.part(row), won[row], payments[row])

    def payments(self, answers: Answers, won: npt.NDArray[np.bool_]) -> Floats:
        """What the hand gets or pays at the end of each sample."""
        lost = np.array([0, 0, 0, BASIC_POINTS + POINTS, BASIC_POINTS, BASIC_POINTS + POINTS])
        found = -lost[answers.how]
        totals = answers.base[won].astype(np.int64) + self.flowers
        drawn = answers.how[won] == at.BY_DRAW
        found[won] = settle(totals, 0, np.where(drawn, -1, 1))[:, 0]
        return found

    def _add_one(self, place: int, answers: Answers, won: Any, payments: Floats) -> None:
        self.ends[place] += np.bincount(answers.how, minlength=_ENDS)
        for base, times in zip(*np.unique(answers.base[won], return_counts=True), strict=True):
            self.base[place][int(base)] += int(times)
        self.gains[place] += payments[won].sum(), (payments[won] ** 2).sum()
        self.melds[place] += np.bincount(answers.melds[won], minlength=_MELDS)
        masks = answers.fans[won]
        bits = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little")
        self.fans[place] += bits.sum(0, dtype=np.int64)[_BITS]
        self.plain[place] += int((masks & _LARGE == 0).all(1).sum())
        most = self.turns.shape[2] - 1
        # to wait before round 2 is to have waited after round 1
        waits = [np.where(x > 0, np.maximum(x - 1, 1), 0) for x in (answers.ready, answers.waiting)]
        for which, turns in enumerate((answers.turn[won], *waits)):
            self.turns[which, place] += np.bincount(
                np.minimum(turns, most), minlength=self.turns.shape[2]
            )

    def mean(self, which: int, place: int) -> tuple[float, float]:
        """Mean of the wins or payments of a hand, and its standard error."""
        number = self.common[place, place]
        if which == WINS:
            wins = self.sums[WINS, place, place]
            # as if one more had won and one more had not: no error of 0 where none has won yet
            likely = (wins + 1) / (number + 2)
            return float(wins / number), float(np.sqrt(likely * (1 - likely) / number))
        return _mean(number, self.sums[which, place, place], self.squares[which, place, place])

    def mean_gain(self, place: int) -> tuple[float, float]:
        """Mean of what a win pays, and its standard error."""
        wins = self.sums[WINS, place, place]
        return _mean(wins, self.gains[place, 0], self.gains[place, 1])

    def behind(self, which: int, place: int, best: int) -> tuple[float, float]:
        """How far a hand is behind another one, and the standard error of that (paired)."""
        if place == best:
            return 0.0, 0.0
        number = self.common[place, best]
        if number == 0:
            return float("nan"), float("nan")
        return _mean(number, self.sums[which, best, place], self.squares[which, best, place])

    def order(self, which: int) -> list[int]:
        """Hands, the best first."""
        means = [self.mean(which, place)[0] for place in range(len(self.common))]
        return sorted(range(len(means)), key=lambda place: -means[place])


def mean_of(values: Counter[int]) -> tuple[float, float]:
    """Mean of values that came so many times, and its standard error; NaN of too few."""
    return _mean(
        values.total(), sum(value * n for value, n in values.items()),
        sum(value * value * n for value, n in values.items()),
    )  # fmt: skip


def _mean(number: float, total: float, squares: float) -> tuple[float, float]:
    if number == 0:
        return float("nan"), float("nan")
    mean = total / number
    if number == 1:
        return float(mean), float("nan")
    spread = max(squares - total * mean, 0.0) / (number - 1)
    return float(mean), float(np.sqrt(spread / number))
