"""Exact chances to win of hands that are ready or one from ready, by self-draws alone.

The roll-outs of ``simulate`` with policy ``shanten`` are held to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..distance.batches import acceptance_batch, discards_batch
from ..distance.reading import AnyHand, AnyMelds, read_row
from ..distance.results import tiles_of_mask
from ..hands.batch import HandBatch
from ..hands.tiles import Honors
from ..rules import GB98, NationalRulesLike, Rules, national_rules
from ..samples.arguments import MOST_DRAWS, whole_between
from ..scoring.batch import score_batch
from .targets import resolve_minimum

Ints = npt.NDArray[np.int64]


def exact_chances(
    hand: AnyHand,
    *,
    melds: AnyMelds = None,
    draws: int = 18,
    visible: Any = "",
    rules: NationalRulesLike = GB98,
    min_fan: int | None = None,
    honors: Honors = "chinese",
) -> npt.NDArray[np.float64]:
    """Chance of a hand that is ready or one from ready to have won after so many self-draws.

    Parameters
    ----------
    hand, melds
        As for ``waits``: a text, a ``Hand`` (its winning tile left out), or counts with melds.
    draws, visible, rules, min_fan, honors
        As for ``simulate``.

    Returns
    -------
    ndarray of float64, shape (draws,)
        Chance after 1, 2, ... draws, the hand being played by the policy ``shanten``.

    Raises
    ------
    InvalidHand
        When a text cannot be read or the hand is impossible.
    ValueError
        When the hand is farther away, or fewer tiles are left than would be drawn.

    Examples
    --------
    >>> exact_chances("123456789m1234p", draws=3).round(3)
    array([0.049, 0.096, 0.14 ])

    Notes
    -----
    Until a tile brings the hand nearer the drawn ones are thrown away. What was thrown away may
    decide the discard after it and leaves fewer tiles to win with, so all numbers of drawn copies
    of the tiles that matter are gone through. A tile may win only as the last of its kind (和绝张):
    then all its other copies must be drawn and thrown away before.
    """
    row = read_row(hand, visible, honors, (0,), melds)
    draws = whole_between("draws", draws, 1, MOST_DRAWS)
    rules = national_rules(rules)
    game = _Chances(row, resolve_minimum(min_fan, rules), rules)
    if draws > game.size:
        raise ValueError(f"{draws} tiles would be drawn, but only {game.size} are unseen")
    if game.shanten > 1:
        raise ValueError(f"{row.text} is {game.shanten} from ready; exact chances want 0 or 1")
    if game.shanten == 0:
        wins = game.wins(game.winning(game.held, game.accepted), game.left)
        return np.array([wins.chance(game.size, turn) for turn in range(1, draws + 1)])
    return game.one_away(draws)


@dataclass(frozen=True)
class _Wins:
    """Copies of tiles that win, and those of tiles that win only as the last of their kind."""

    good: int
    last: tuple[int, ...]

    def chance(self, size: int, draws: int) -> float:
        """Chance to win with so many draws out of so many tiles."""
        others = size - self.good - sum(self.last)
        missed = 0
        for drawn in product(*(range(copies) for copies in self.last)):
            ways = prod(comb(copies, n) for copies, n in zip(self.last, drawn, strict=True))
            left = draws - sum(drawn)
            missed += ways * comb(others, left) if left >= 0 else 0
        return 1 - missed / comb(size, draws)


class _Chances:
    """A hand with the unseen tiles."""

    def __init__(self, row: Any, minimum: int, rules: Rules):
        self.codes, self.minimum, self.rules = row.columns["melds"], minimum, rules
        self.held: Ints = row.columns["counts"][0].astype(np.int64)
        self.seen: Ints = row.visible[0].astype(np.int64)
        self.winds = row.winds
        self.left: Ints = np.array(row.left(tuple(range(34))))
        self.size = int(self.left.sum())
        found = acceptance_batch(self.held[None], melds=self.codes, visible=self.seen, threads=1)
        self.shanten, self.accepted = int(found.shanten[0]), int(found.mask[0])

    def winning(self, held: Ints, mask: int) -> dict[int, bool]:
        """Tiles of a mask with which a ready hand scores enough, and whether only as the last."""
        tiles = list(tiles_of_mask(mask))
        if not tiles:
            return {}
        enough = [self.scores(held, tiles, False), self.scores(held, tiles, True)]
        return {
            tile: not plain
            for tile, plain, last in zip(tiles, *enough, strict=True)
            if plain or (last and not held[tile])
        }

    def scores(self, held: Ints, tiles: list[int], last: bool) -> list[bool]:
        """Whether each tile, self-drawn, makes enough; a tile that is held is never the last."""
        whole = held + np.eye(34, dtype=np.int64)[tiles]
        scores = score_batch(
            HandBatch(
                whole, melds=np.repeat(self.codes, len(tiles), 0), win_tile=tiles, self_drawn=True,
                last_of_kind=last & (held[tiles] == 0), **self.winds,
            ),
            rules=self.rules, threads=1,
        )  # fmt: skip
        return [bool(good) for good in (scores.status == 0) & (scores.base >= self.minimum)]

    @staticmethod
    def wins(winning: dict[int, bool], left: Any) -> _Wins:
        """Copies that win, of what is left of each tile: of one copy that is the last one."""
        good = sum(int(left[k]) for k, last in winning.items() if not last or left[k] == 1)
        lasts = (int(left[k]) for k, last in winning.items() if last and left[k] > 1)
        return _Wins(good, tuple(lasts))

    def one_away(self, draws: int) -> npt.NDArray[np.float64]:
        """Chances of a hand that is one from ready, by turn."""
        helping = [tile for tile in tiles_of_mask(self.accepted) if self.left[tile]]
        idle = self.size - int(self.left[helping].sum())
        chances = np.zeros(draws)
        for tile in helping:
            hand = self.held.copy()
            hand[tile] += 1
            found = discards_batch(hand[None], melds=self.codes, visible=self.seen, threads=1)
            outs = [o for o in np.flatnonzero(hand).tolist() if found.shanten[0, o] == 0]
            masks = {out: int(found.mask[0, out]) for out in outs}
            # Copies as the policy counts them: the discarded tile itself is not seen yet.
            waits = {out: set(tiles_of_mask(mask)) for out, mask in masks.items()}
            rest = {out: hand - np.eye(34, dtype=np.int64)[out] for out in outs}
            wins = {out: self.winning(rest[out], masks[out]) for out in outs}
            kinds = sorted(
                k for k in set().union(*waits.values()) if self.left[k] and k not in helping
            )
            copies = {out: int(found.copies[0, out]) for out in outs}
            others = idle - int(self.left[kinds].sum())
            for drawn in product(*(range(int(self.left[k]) + 1) for k in kinds)):
                gone = dict(zip(kinds, drawn, strict=True))
                live = {o: copies[o] - sum(gone.get(k, 0) for k in waits[o]) for o in outs}
                out = min(outs, key=lambda o: (-live[o], o))
                rest_left = {k: int(self.left[k]) - gone.get(k, 0) - (k == tile) for k in wins[out]}
                won = self.wins(wins[out], rest_left)
                ways = prod(comb(int(self.left[k]), n) for k, n in gone.items())
                number = sum(drawn)
                for turn in range(number + 1, draws + 1):
                    before = ways * comb(others, turn - 1 - number) / comb(self.size, turn - 1)
                    now = before * int(self.left[tile]) / (self.size - turn + 1)
                    for end in range(turn + 1, draws + 1):
                        chances[end - 1] += now * won.chance(self.size - turn, end - turn)
        return chances
