"""The distance functions once more, naively: from the definition, and from the independent peer.

The definition: the fewest tiles that any complete hand of the form has beyond the hand, with at
most four copies of a tile, those that lie in melds (``locked``, where they are known) counted in.
Nothing here looks at the tables of the package.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import chain, combinations, combinations_with_replacement, permutations

import numpy as np

from fastmj.hands.notation import write_botzone_tile
from fastmj.hands.tiles import tiles_of

ORPHANS = [0, 8, 9, 17, 18, 26, *range(27, 34)]
NINES = [
    [9 * suit + 3 * step + first for suit, first in enumerate(order) for step in range(3)]
    for order in permutations(range(3))
]
CHOWS = [[t, t + 1, t + 2] for t in range(27) if t % 9 < 7]
SETS = CHOWS + [[t] * 3 for t in range(34)]
FREE = np.zeros(34, np.int8)


def locked_of(codes) -> np.ndarray:
    """Copies that lie in melds, from their codes."""
    locked = np.zeros(34, np.int8)
    for code in codes:
        if code:
            kind, tile = divmod(int(code) - 1, 34)
            locked[tile] += (1, 3, 4, 4)[kind]
            if kind == 0:
                locked[tile + 1 : tile + 3] += 1
    return locked


def _counts(tiles: list[int]) -> np.ndarray:
    return np.bincount(tiles, minlength=34)


@cache
def targets(ranks: int) -> dict[tuple[int, int], np.ndarray]:
    """By number of sets and pairs every shape of a suit (9 ranks) or of the honours (7)."""
    sets = [[rank] * 3 for rank in range(ranks)]
    if ranks == 9:
        sets += [[rank, rank + 1, rank + 2] for rank in range(7)]
    found: dict[tuple[int, int], np.ndarray] = {}
    for k in range(5):
        for pair in (0, 1):
            shapes = set()
            for chosen in combinations_with_replacement(sets, k):
                for eyes in [[r, r] for r in range(ranks)] if pair else [[]]:
                    shape = np.bincount([*chain(*chosen), *eyes], minlength=ranks)
                    if shape.max(initial=0) <= 4:
                        shapes.add(tuple(shape.tolist()))
            found[k, pair] = np.array(sorted(shapes), np.int8)
    return found


@cache
def suit_missing(shape: tuple[int, ...], locked: tuple[int, ...]) -> np.ndarray:
    """Tiles missing for k sets and a pair or none, [k, pair], by trying every target."""
    held, most = np.array(shape, np.int8), 4 - np.array(locked, np.int8)
    found = np.full((5, 2), 99)
    for (k, pair), wanted in targets(len(shape)).items():
        wanted = wanted[(wanted <= most).all(1)]
        found[k, pair] = np.maximum(wanted - held, 0).sum(1).min(initial=99)
    return found


def regular(counts: np.ndarray, sets: int = 4, locked: np.ndarray = FREE) -> int:
    """Sets and a pair: every way to share them among the suits."""
    suits = [
        suit_missing(tuple(counts[a:b].tolist()), tuple(locked[a:b].tolist()))
        for a, b in ((0, 9), (9, 18), (18, 27), (27, 34))
    ]
    best = 99
    for bars in combinations(range(sets + 3), 3):
        edges = (-1, *bars, sets + 3)
        numbers = [edges[i + 1] - edges[i] - 1 for i in range(4)]
        for eyes in range(4):
            best = min(
                best, sum(int(suit[numbers[i], int(i == eyes)]) for i, suit in enumerate(suits))
            )
    return best


def seven_pairs(counts: np.ndarray, sets: int = 4, locked: np.ndarray = FREE) -> int:
    """Seven pairs, two of which may be the same: the cheapest by dynamic programming."""
    cost = [0] + [99] * 7
    for held in counts.tolist():
        for pairs in range(7, 0, -1):
            for number in (1, 2):
                if pairs >= number:
                    more = cost[pairs - number] + max(0, 2 * number - held)
                    cost[pairs] = min(cost[pairs], more)
    return cost[7]


def thirteen_orphans(counts: np.ndarray, sets: int = 4, locked: np.ndarray = FREE) -> int:
    """One of each orphan and a second one of any."""
    return min(int(np.maximum(_counts([*ORPHANS, double]) - counts, 0).sum()) for double in ORPHANS)


def honors_knitted(counts: np.ndarray, sets: int = 4, locked: np.ndarray = FREE) -> int:
    """14 of the 16 kinds of an arrangement with the honours."""
    return min(
        sum(sorted(int(counts[tile] == 0) for tile in [*nine, *range(27, 34)])[:14])
        for nine in NINES
    )


@cache
def straights(sets: int) -> np.ndarray:
    """Every complete knitted straight with one set, or with none beside a meld."""
    found = []
    for nine in NINES:
        for block in SETS if sets else [[]]:
            for eyes in range(34):
                shape = _counts([*nine, *block, eyes, eyes])
                if shape.max() <= 4:
                    found.append(shape)
    return np.array(found, np.int8)


def knitted_straight(counts: np.ndarray, sets: int = 4, locked: np.ndarray = FREE) -> int:
    """Missing tiles of the nearest one."""
    wanted = straights(sets - 3)
    wanted = wanted[(wanted <= 4 - locked).all(1)]
    return int(np.maximum(wanted - counts.astype(np.int8), 0).sum(1).min())


#: Tiles missing by form, and the most melds that the form allows.
MISSING: dict[str, tuple[Callable[..., int], int]] = {
    "regular": (regular, 4),
    "seven_pairs": (seven_pairs, 0),
    "thirteen_orphans": (thirteen_orphans, 0),
    "honors_knitted": (honors_knitted, 0),
    "knitted_straight": (knitted_straight, 1),
}


def shanten(counts: np.ndarray, form: str, melds: int = 0, locked: np.ndarray = FREE) -> int:
    """Shanten of one form, 127 where the melds rule it out."""
    missing, most = MISSING[form]
    return missing(counts, 4 - melds, locked) - 1 if melds <= most else 127


def accepted(counts: np.ndarray, form: str, melds: int = 0, locked: np.ndarray = FREE) -> int:
    """Mask of the tiles that lower the shanten of a form: each is added and tried."""
    missing, _ = MISSING[form]
    now = missing(counts, 4 - melds, locked)
    mask = 0
    for tile in range(34):
        if counts[tile] + locked[tile] < 4:
            more = counts.copy()
            more[tile] += 1
            mask |= int(missing(more, 4 - melds, locked) < now) << tile
    return mask


def splits(counts: np.ndarray) -> bool:
    """Whether tiles are sets and a pair, however many copies there are of a tile."""

    def sets_only(rest: list[int]) -> bool:
        first = next((tile for tile, count in enumerate(rest) if count), None)
        if first is None:
            return True
        for block in ([first] * 3, [first, first + 1, first + 2]):
            if block[0] != block[1] and (first > 26 or first % 9 > 6):
                continue
            left = rest.copy()
            for tile in block:
                left[tile] -= 1
            if min(left) >= 0 and sets_only(left):
                return True
        return False

    for tile in np.flatnonzero(counts >= 2):
        rest = counts.astype(int).tolist()
        rest[tile] -= 2
        if sets_only(rest):
            return True
    return False


def completes(counts: np.ndarray, melds: int) -> bool:
    """Whether tiles are a complete hand of some form, however many copies there are of a tile."""
    if splits(counts):
        return True
    if melds <= 1:
        for nine in NINES:
            rest = counts.astype(int) - _counts(nine)
            if rest.min() >= 0 and splits(rest):
                return True
    if melds:
        return False
    return (
        int((counts // 2).sum()) == 7
        or bool((counts[ORPHANS] > 0).all() and counts[ORPHANS].sum() == 14)
        or any(counts.max() == 1 and counts[[*nine, *range(27, 34)]].sum() == 14 for nine in NINES)
    )


def waits(counts: np.ndarray, melds: int) -> int:
    """Mask of the tiles that complete a hand, fifth copies among them: each is added and tried."""
    mask = 0
    for tile in range(34):
        more = counts.copy()
        more[tile] += 1
        mask |= int(completes(more, melds)) << tile
    return mask


_CODES = [write_botzone_tile(tile) for tile in range(34)]
_TILES = {code: tile for tile, code in enumerate(_CODES)}


def peer(counts: np.ndarray, form: str) -> tuple[int, int]:
    """The peer's shanten and the mask of its useful tiles."""
    import MahjongGB

    function = {
        "regular": MahjongGB.RegularShanten,
        "seven_pairs": MahjongGB.SevenPairsShanten,
        "thirteen_orphans": MahjongGB.ThirteenOrphansShanten,
        "honors_knitted": MahjongGB.HonorsAndKnittedTilesShanten,
        "knitted_straight": MahjongGB.KnittedStraightShanten,
    }[form]
    number, useful = function(tuple(_CODES[tile] for tile in tiles_of(counts.tolist())))
    return number, sum(1 << _TILES[code] for code in useful)
