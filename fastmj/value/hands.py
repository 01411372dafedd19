"""The fans that one hand is nearest to, and the tiles that lead there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distance.reading import AnyHand, AnyMelds, read_row
from ..hands.tiles import NAMES, Honors, tiles_of
from ..rules import FANS
from .fans import fan_distance_batch


@dataclass(frozen=True)
class Route:
    """A fan in reach.

    Attributes
    ----------
    fan : int
        Its number.
    distance : int
        -1 held already, 0 one tile away, as in ``fan_distance_batch``.
    tiles : tuple of int
        Tiles that bring the hand nearer to it.
    left : tuple of int
        Copies of each that are neither held nor in the melds nor visible.
    """

    fan: int
    distance: int
    tiles: tuple[int, ...]
    left: tuple[int, ...]

    def __str__(self) -> str:
        helping = " ".join(NAMES[tile] for tile in self.tiles)
        return f"{FANS[self.fan].zh} {self.distance}: {helping or 'held'}"


def routes(
    hand: AnyHand, *, melds: AnyMelds = None, visible: Any = "", honors: Honors = "chinese"
) -> tuple[Route, ...]:
    """Every fan in reach of a hand, nearest first.

    Parameters
    ----------
    hand, melds
        As for ``shanten``: a text, winds and flowers behind it, a ``Hand``, or counts with melds.
    visible : str or array_like of int
        Tiles seen elsewhere; they only lower the copies that are left.
    honors : {"chinese", "riichi"}
        As for ``parse_hand``.

    Returns
    -------
    tuple of Route

    Raises
    ------
    InvalidHand
        When a text cannot be read or the hand is impossible.

    Examples
    --------
    >>> for route in routes("12345678m4455pEE")[:2]:
    ...     print(route)
    清龙 1: 9m 3p 4p 5p 6p E
    不求人 1: 3m 6m 9m 3p 4p 5p 6p E

    Notes
    -----
    Of 14 tiles a tile helps when it does so after some discard that does not set the fan back.
    """
    row = read_row(hand, visible, honors, (0, 1), melds)
    counts = row.columns["counts"][0]
    codes = row.columns["melds"]
    now = fan_distance_batch(counts[None], melds=codes, threads=1, **row.winds).distance[0]
    taken = [tile for tile in range(34) if row.left((tile,))[0] + row.visible[0][tile] > 0]
    over = counts.sum() % 3 == 2
    nearer = np.zeros((34, len(FANS)), bool)
    for out in sorted(set(tiles_of(counts.tolist()))) if over else [None]:
        rest = counts.copy()
        if out is not None:
            rest[out] -= 1
        more = rest + np.eye(34, dtype=np.uint8)[taken]
        fits = [place for place, tile in enumerate(taken) if counts[tile] < 4]
        added = np.array(taken)[fits]
        found = fan_distance_batch(
            more[fits], melds=np.repeat(codes, len(fits), 0), threads=1, **row.winds
        ).distance
        nearer[added] |= found < now
    result = []
    for fan in sorted(range(len(FANS)), key=lambda fan: (int(now[fan]), fan)):
        if -1 <= now[fan] < 127:
            tiles = tuple(np.flatnonzero(nearer[:, fan]).tolist()) if now[fan] >= 0 else ()
            result.append(Route(fan, int(now[fan]), tiles, row.left(tiles)))
    return tuple(result)
