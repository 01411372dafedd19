"""Tables of sets: the key of a choice of chows or pungs, and which fans it makes.

At most four chows of 21 kinds are 12,650 multisets, at most four pungs of the 27 suit kinds 20,854
sets. Either is found by its part of the sets word, by a hash without collisions. The fans come from
``fastmj.reference``, the readable rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from ...hands.tiles import DRAGONS_FROM, HONORS_FROM, KINDS, rank_of
from ...kernels.scoring import layout as at
from ...reference.combine import choose
from ...reference.readings import Block, BlockKind
from ...rules import COMBINATION_FANS, FANS

HONOR_INDICES = 1 << 14

Array = npt.NDArray[Any]
#: Times that each fan holds, by number; chows also name the pair that makes another fan of them.
Fans = tuple[tuple[int, int], ...]
Points = tuple[int, ...]


def _by_suit(choices: Callable[[int], Iterator[tuple[int, ...]]]) -> Iterator[tuple[int, ...]]:
    """All choices of at most four sets over three suits, by how many lie in each."""
    for split in product(range(5), repeat=3):
        if sum(split) <= 4:
            for parts in product(*(list(choices(n)) for n in split)):
                yield tuple(9 * suit + rank for suit, part in enumerate(parts) for rank in part)


def chow_multisets() -> Iterator[tuple[int, ...]]:
    """Lowest tiles of at most four chows."""
    return _by_suit(lambda n: combinations_with_replacement(range(7), n))


def pung_sets() -> Iterator[tuple[int, ...]]:
    """Tiles of at most four suit pungs."""
    return _by_suit(lambda n: combinations(range(9), n))


def chow_keys() -> Array:
    """What tells the choices of ``chow_multisets`` apart in the sets word."""
    weights = {
        9 * suit + rank: weight << at.PUNG_BITS + at.SUIT_BITS * suit
        for suit in range(3)
        for rank, weight in enumerate(at.CHOW_WEIGHTS)
    }
    return _sums_of(chow_multisets(), weights)


def pung_keys() -> Array:
    """What tells the choices of ``pung_sets`` apart in the sets word."""
    weights = {tile: 1 << tile % 9 + at.SUIT_BITS * (tile // 9) for tile in range(27)}
    return _sums_of(pung_sets(), weights)


def _sums_of(choices: Iterator[tuple[int, ...]], weights: dict[int, int]) -> Array:
    sums = np.array([sum(weights[tile] for tile in tiles) for tiles in choices], np.int64)
    if len(np.unique(sums)) < len(sums):
        raise AssertionError("two choices of sets have one key")
    return sums


def _chow(tile: int) -> Block:
    return Block(BlockKind.CHOW, (tile, tile + 1, tile + 2))


def _pung(tile: int) -> Block:
    return Block(BlockKind.PUNG, (tile,) * 3)


def _pair(tile: int) -> Block:
    return Block(BlockKind.PAIR, (tile,) * 2)


def _count(fans: list[int]) -> Fans:
    return tuple((fan, fans.count(fan)) for fan in sorted(set(fans)))


def _any_suit(tiles: tuple[int, ...]) -> tuple[int, ...]:
    """The first of the six ways to rename the suits: what fans do not tell apart is done once."""
    return min(
        tuple(sorted(9 * order[tile // 9] + tile % 9 for tile in tiles))
        for order in permutations(range(3))
    )


def _chosen(blocks: tuple[Block, ...], points: Points) -> Fans:
    return _count([candidate.fan for candidate in choose(blocks, points)])


def _double_dragon_pair(starts: tuple[int, ...]) -> int | None:
    """The pair with which four chows are 一色双龙会 or 三色双龙会 (one of the suit fives)."""
    if sorted(rank_of(start) for start in starts) != [1, 1, 7, 7]:
        return None
    for pair in (4, 13, 22):
        fans = choose((*map(_chow, starts), _pair(pair)), tuple(fan.points for fan in FANS))
        if any(FANS[candidate.fan].zh.endswith("双龙会") for candidate in fans):
            return pair
    return None


def chow_fans(points: Points) -> tuple[list[tuple[Fans, int, Fans]], Array]:
    """Fans of chows: the classes (fans, pair that changes them, fans with it), class by choice."""

    @cache
    def fans(starts: tuple[int, ...]) -> Fans:
        return _chosen(tuple(map(_chow, starts)), points)

    classes: dict[tuple[Fans, int, Fans], int] = {}
    index = []
    for starts in chow_multisets():
        pair = _double_dragon_pair(starts)
        with_pair: Fans = ()
        if pair is not None:
            with_pair = _chosen((*map(_chow, starts), _pair(pair)), points)
        key = (fans(_any_suit(starts)), KINDS if pair is None else pair, with_pair)
        index.append(classes.setdefault(key, len(classes)))
    return list(classes), np.array(index, np.uint16)


def pung_fans(points: Points) -> tuple[list[Fans], Array]:
    """Fans of suit pungs, their 幺九刻 with them: the classes, and the class by choice."""
    terminal = FANS["幺九刻"].id

    @cache
    def fans(tiles: tuple[int, ...]) -> Fans:
        chosen = [candidate.fan for candidate in choose(tuple(map(_pung, tiles)), points)]
        return _count(chosen + [terminal for tile in tiles if tile % 9 in (0, 8)])

    classes: dict[Fans, int] = {}
    index = [classes.setdefault(fans(_any_suit(tiles)), len(classes)) for tiles in pung_sets()]
    return list(classes), np.array(index, np.uint16)


def honor_index(pungs: int, pair: int, seat: int, prevalent: int) -> int:
    """Index of honour pungs (7 bits), honour pair (0-6, 7 none) and the winds."""
    return pungs | pair << 7 | seat << 10 | prevalent << 12


def honor_fans(points: Points) -> tuple[list[Fans], Array]:
    """Fans of honour pungs and pair: the classes, and the class by ``honor_index``."""
    classes: dict[Fans, int] = {(): 0}
    index = np.zeros(HONOR_INDICES, np.uint16)
    for number in range(5):
        for pungs in combinations(range(7), number):
            for pair in (pair for pair in range(8) if pair not in pungs):
                tiles = [HONORS_FROM + rank for rank in pungs]
                blocks = tuple(map(_pung, tiles))
                if pair < 7:
                    blocks = (*blocks, _pair(HONORS_FROM + pair))
                chosen = [
                    (candidate.fan, frozenset(blocks[i].tile for i in candidate.blocks))
                    for candidate in choose(blocks, points)
                ]
                mask = sum(1 << rank for rank in pungs)
                for seat, prevalent in product(range(4), repeat=2):
                    fans = _honor_fans(tiles, chosen, seat, prevalent)
                    number_of_class = classes.setdefault(fans, len(classes))
                    index[honor_index(mask, pair, seat, prevalent)] = number_of_class
    return list(classes), index


def _honor_fans(
    tiles: list[int], chosen: list[tuple[int, frozenset[int]]], seat: int, prevalent: int
) -> Fans:
    """Fans of honour pungs for given winds, without the 幺九刻 of pungs that make a larger fan."""
    fans = list(chosen)
    for tile in tiles:
        own = frozenset([tile])
        if tile >= DRAGONS_FROM:
            fans.append((FANS["箭刻"].id, own))
        if tile == HONORS_FROM + prevalent:
            fans.append((FANS["圈风刻"].id, own))
        if tile == HONORS_FROM + seat:
            fans.append((FANS["门风刻"].id, own))
    taken = {t for fan, group in fans if "幺九刻" in FANS[fan].implies_own for t in group}
    terminal = FANS["幺九刻"].id
    return _count([fan for fan, _ in fans] + [terminal for tile in tiles if tile not in taken])


def combination_points(points: Points) -> Points:
    """Points that the choice of set-combination fans looks at; the others are irrelevant to it."""
    return tuple(p if fan in COMBINATION_FANS else 0 for fan, p in enumerate(points))
