"""Exact chances to win of hands that are ready or one from ready, by self-draws and on discards.

The roll-outs of ``simulate`` with policy ``shanten`` are held to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
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
from .model import resolve_model
from .targets import resolve_minimum

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
#: How a tile comes: drawn by the hand, discarded by another; with it a wait wins never, always, or
#: only when it is the last of its kind.
_DRAWN, _SHOWN = 0, 1
_NEVER, _ALWAYS, _AS_LAST = range(3)
#: Most numbers that are kept of what may have come.
_MOST = 4_000_000


def exact_chances(
    hand: AnyHand,
    *,
    melds: AnyMelds = None,
    draws: int = 18,
    visible: Any = "",
    rules: NationalRulesLike = GB98,
    min_fan: int | None = None,
    claims: float = 0.0,
    honors: Honors = "chinese",
) -> Floats:
    """Chance of a hand that is ready or one from ready to have won after so many rounds.

    Parameters
    ----------
    hand, melds
        As for ``waits``: a text, a ``Hand`` (its winning tile left out), or counts with melds.
    draws, visible, rules, min_fan, honors
        As for ``simulate``.
    claims : float
        Probability 0-1 that a tile which another player draws is discarded, so that the hand may
        win with it; else it stays hidden. 0 for self-draws alone.

    Returns
    -------
    ndarray of float64, shape (draws,)
        Chance after 1, 2, ... rounds, the hand being played by the policy ``shanten``: that of
        ``simulate`` with these ``claims``, ``others=0`` and ``melding=False``.

    Raises
    ------
    InvalidHand
        When a text cannot be read or the hand is impossible.
    ValueError
        When the hand is farther away, when fewer tiles are left than would be drawn, or when what
        it may wait for is too much to be gone through.

    Examples
    --------
    >>> exact_chances("123456789m1234p", draws=3).round(3)
    array([0.049, 0.096, 0.14 ])
    >>> exact_chances("123456789m1234p", draws=3, claims=0.9).round(3)
    array([0.17 , 0.316, 0.44 ])

    Notes
    -----
    Until the hand draws a tile that brings it nearer, what it draws is thrown away. What lies open
    by then may decide the discard after it and leaves fewer tiles to win with, so all numbers of
    open copies of the tiles that matter are gone through, tile by tile of the wall. A tile that
    stays hidden is as if it had not been drawn: any unseen one may be that. A tile may win only as
    the last of its kind (和绝张): then all its other copies must come to lie open before.
    """
    model = resolve_model(claims, 0, False, 0)
    row = read_row(hand, visible, honors, (0,), melds)
    draws = whole_between("draws", draws, 1, MOST_DRAWS)
    rules = national_rules(rules)
    game = _Chances(row, resolve_minimum(min_fan, rules), rules, model.claims)
    if draws * model.a_round > game.size:
        raise ValueError(
            f"{draws * model.a_round} tiles would be drawn, but only {game.size} are unseen"
        )
    if game.shanten > 1:
        raise ValueError(f"{row.text} is {game.shanten} from ready; exact chances want 0 or 1")
    return game.by_round(draws)


class _Stage:
    """A hand that stays as it is, and the chance of everything that may have come by now.

    ``chances[k, a, b, ...]`` is the chance that the hand is at this stage, others have shown k
    tiles, and a, b, ... copies of some groups of tiles are not seen yet. ``ends`` says of each
    group when a tile of it, drawn and shown, ends the stage.
    """

    def __init__(self, shown: int, copies: list[int], ends: list[tuple[int, int]]):
        shape = (shown + 1, *(number + 1 for number in copies))
        if prod(shape) > _MOST:
            raise ValueError("the hand may wait for too many tiles to go through all of them")
        self.chances: Floats = np.zeros(shape)
        self.left = [_along(1 + g, len(shape), range(n + 1)) for g, n in enumerate(copies)]
        self.ends = [
            [(left > 0) & ((end == _ALWAYS) | ((end == _AS_LAST) & (left == 1))) for end in pair]
            for left, pair in zip(self.left, ends, strict=True)
        ]

    def take(self, way: int, rate: float, size: int) -> list[Floats]:
        """Let a tile come at a rate; returns for each group the chances that one ended the stage.

        ``size`` tiles are unseen, less those that others have shown.
        """
        rest, after = self.chances.copy(), np.zeros_like(self.chances)
        ended = []
        unseen = _along(0, rest.ndim, np.maximum(size - np.arange(len(rest)), 1))
        for group, left in enumerate(self.left):
            part = self.chances * (left / unseen)
            rest -= part
            end = self.ends[group][way]
            ended.append(rate * part * end)
            after += _one_less(part * ~end, group + 1)
        after += rest
        if way == _SHOWN:
            after = np.concatenate([np.zeros_like(after[:1]), after[:-1]])
        self.chances = (1 - rate) * self.chances + rate * after
        return ended


def _along(axis: int, axes: int, values: Any) -> Any:
    """Values along one of so many axes."""
    return np.asarray(values).reshape([-1 if other == axis else 1 for other in range(axes)])


def _grouped(signs: dict[int, tuple[Any, ...]]) -> list[tuple[tuple[Any, ...], list[int]]]:
    """Tiles of the same sign together, but for those that win as the last of their kind."""
    groups: dict[Any, list[int]] = {}
    for kind, sign in signs.items():
        alone = any(ways and _AS_LAST in ways for ways in sign if isinstance(ways, tuple))
        groups.setdefault((sign, kind if alone else None), []).append(kind)
    return [(sign, kinds) for (sign, _), kinds in groups.items()]


def _one_less(chances: Floats, axis: int) -> Floats:
    """Chances with one copy less of a group."""
    less = np.zeros_like(chances)
    moved = np.moveaxis(chances, axis, 0)
    np.moveaxis(less, axis, 0)[:-1] = moved[1:]
    return less


class _Chances:
    """A hand with the unseen tiles."""

    def __init__(self, row: Any, minimum: int, rules: Rules, claims: float):
        self.codes, self.minimum, self.rules = row.columns["melds"], minimum, rules
        self.claims = claims
        self.held: Ints = row.columns["counts"][0].astype(np.int64)
        self.seen: Ints = row.visible[0].astype(np.int64)
        self.winds = row.winds
        self.left: Ints = np.array(row.left(tuple(range(34))))
        self.size = int(self.left.sum())
        found = acceptance_batch(self.held[None], melds=self.codes, visible=self.seen, threads=1)
        self.shanten, self.accepted = int(found.shanten[0]), int(found.mask[0])

    def places(self, draws: int) -> Iterator[tuple[int, int, float, int]]:
        """The wall: round of each tile, how and how often it comes, and the unseen tiles."""
        for round_ in range(draws):
            yield round_, _DRAWN, 1.0, self.size - round_
            for _ in range(3 if self.claims else 0):
                yield round_, _SHOWN, self.claims, self.size - round_ - 1

    def by_round(self, draws: int) -> Floats:
        """Chance to have won after each round."""
        won, shown = np.zeros(draws), 3 * draws if self.claims else 0
        if self.shanten == 0:
            waits = self.waits(self.held, self.accepted)
            groups = _grouped({kind: (ways,) for kind, ways in waits.items()})
            copies = [int(self.left[kinds].sum()) for _, kinds in groups]
            ready = _Stage(shown, copies, [ways for (ways,), _ in groups])
            ready.chances[(0, *copies)] = 1
            for round_, way, rate, size in self.places(draws):
                won[round_] += sum(map(np.sum, ready.take(way, rate, size)))
        else:
            for tile in tiles_of_mask(self.accepted):
                if self.left[tile]:
                    self.one_away(tile, shown, won)
        return np.asarray(won.cumsum())

    def one_away(self, tile: int, shown: int, won: Floats) -> None:
        """Add the chances of a hand that is one from ready when this tile is the first to help."""
        hand = self.held + (np.arange(34) == tile)
        found = discards_batch(hand[None], melds=self.codes, visible=self.seen, threads=1)
        outs = [out for out in np.flatnonzero(hand).tolist() if found.shanten[0, out] == 0]
        waits = [self.waits(hand - (np.arange(34) == out), int(found.mask[0, out])) for out in outs]
        signs: dict[int, tuple[Any, ...]] = {}
        for kind in np.flatnonzero(self.left).tolist():
            helps, ways = bool(self.accepted >> kind & 1), [each.get(kind) for each in waits]
            if helps or any(ways):
                signs[kind] = (kind == tile, helps, *ways)
        groups = _grouped(signs)
        copies = [int(self.left[kinds].sum()) for _, kinds in groups]
        first = _Stage(
            shown, copies, [(_ALWAYS if helps else _NEVER, _NEVER) for (_, helps, *_), _ in groups]
        )
        first.chances[(0, *copies)] = 1
        mine = next(group for group, (sign, _) in enumerate(groups) if sign[0])
        kept = [[g for g, (sign, _) in enumerate(groups) if sign[2 + p]] for p in range(len(outs))]
        # Copies as the policy counts them: the discarded tile itself is not seen yet.
        live = np.zeros((len(outs), *first.chances.shape[1:]))
        for place, out in enumerate(outs):
            live[place] = int(found.copies[0, out])
            for group in kept[place]:
                live[place] -= copies[group] - first.left[group][0]
        chosen = live.argmax(0)
        ready = [
            _Stage(shown, [copies[g] for g in kept[p]], [groups[g][0][2 + p] for g in kept[p]])
            for p in range(len(outs))
        ]
        for round_, way, rate, size in self.places(len(won)):
            helped = first.take(way, rate, size)[mine]
            for place, stage in enumerate(ready):
                won[round_] += sum(map(np.sum, stage.take(way, rate, size)))
                if way == _DRAWN:
                    came = _one_less(helped * (chosen == place), 1 + mine)
                    others = [1 + g for g in range(len(groups)) if g not in kept[place]]
                    stage.chances += came.sum(tuple(others))

    def waits(self, held: Ints, mask: int) -> dict[int, tuple[int, int]]:
        """How a ready hand wins with each tile of a mask, drawn and shown."""
        tiles = [tile for tile in tiles_of_mask(mask) if self.left[tile]]
        if not tiles:
            return {}
        ways = []
        for drawn in (True, False):
            plain, last = (self.scores(held, tiles, drawn, last) for last in (False, True))
            ways.append(np.where(plain, _ALWAYS, np.where(last, _AS_LAST, _NEVER)).tolist())
        return dict(zip(tiles, zip(*ways, strict=True), strict=True))

    def scores(
        self, held: Ints, tiles: list[int], drawn: bool, last: bool
    ) -> npt.NDArray[np.bool_]:
        """Whether each tile makes enough; a tile that is held is never the last of its kind."""
        whole = held + np.eye(34, dtype=np.int64)[tiles]
        scores = score_batch(
            HandBatch(
                whole, melds=np.repeat(self.codes, len(tiles), 0), win_tile=tiles,
                self_drawn=drawn, last_of_kind=last & (held[tiles] == 0), **self.winds,
            ),
            rules=self.rules, threads=1,
        )  # fmt: skip
        return np.asarray((scores.status == 0) & (scores.base >= self.minimum))
