"""Fans made of several sets, and the choice among them (RULES section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from ..hands.tiles import DRAGONS_FROM, HONORS_FROM, rank_of, suit_of
from ..rules import FANS
from .readings import Block, BlockKind


class Candidate(NamedTuple):
    """A fan and the positions of the blocks that make it."""

    fan: int
    blocks: frozenset[int]


Choice = tuple[Candidate, ...]


def _steps(tiles: list[int]) -> list[int]:
    return [high - low for low, high in pairwise(tiles)]


def _pair_of_chows(a: int, b: int) -> str | None:
    """Fan of two chows, given by their lowest tiles, a before b."""
    same_suit, apart = suit_of(a) == suit_of(b), rank_of(b) - rank_of(a)
    if same_suit and apart == 0:
        return "一般高"
    if not same_suit and apart == 0:
        return "喜相逢"
    if same_suit and apart == 3:
        return "连六"
    if same_suit and apart == 6:
        return "老少副"
    return None


def _three_chows(tiles: list[int]) -> str | None:
    suits, ranks = [suit_of(t) for t in tiles], sorted(rank_of(t) for t in tiles)
    steps = _steps(ranks)
    if len(set(suits)) == 1:
        if steps == [0, 0]:
            return "一色三同顺"
        if steps in ([1, 1], [2, 2]):
            return "一色三步高"
        if steps == [3, 3]:
            return "清龙"
    if len(set(suits)) == 3:
        mixed = {0: "三色三同顺", 1: "三色三步高", 3: "花龙"}
        return mixed.get(steps[0]) if steps[0] == steps[1] else None
    return None


def _four_chows(tiles: list[int], pair: int | None) -> str | None:
    suits, ranks = [suit_of(t) for t in tiles], sorted(rank_of(t) for t in tiles)
    if len(set(suits)) == 1:
        steps = _steps(ranks)
        if steps == [0, 0, 0]:
            return "一色四同顺"
        if steps in ([1, 1, 1], [2, 2, 2]):
            return "一色四步高"
    if pair is None or pair >= HONORS_FROM or rank_of(pair) != 5 or ranks != [1, 1, 7, 7]:
        return None
    by_suit = sorted(suits)
    if by_suit == [suit_of(pair)] * 4:
        return "一色双龙会"
    two_of_each = by_suit[0] == by_suit[1] != by_suit[2] == by_suit[3]
    paired = sorted(tiles)
    if two_of_each and suit_of(pair) not in by_suit and paired[1] - paired[0] == 6:
        return "三色双龙会"
    return None


def _two_pungs(a: int, b: int) -> str | None:
    if b < HONORS_FROM and rank_of(a) == rank_of(b):
        return "双同刻"
    return "双箭刻" if a >= DRAGONS_FROM and b >= DRAGONS_FROM else None


def _three_pungs(tiles: list[int], pair: int | None) -> list[str]:
    """Fans of three pungs; with the pair they may make a little one besides."""
    if all(tile >= HONORS_FROM for tile in tiles):
        if all(tile < DRAGONS_FROM for tile in tiles):
            return ["三风刻"]
        return ["大三元"] if all(tile >= DRAGONS_FROM for tile in tiles) else []
    if tiles[-1] >= HONORS_FROM:
        return []
    suits, ranks = [suit_of(t) for t in tiles], sorted(rank_of(t) for t in tiles)
    steps = _steps(ranks)
    if len(set(suits)) == 1 and steps == [1, 1]:
        return ["一色三节高"]
    if len(set(suits)) == 3:
        if steps == [0, 0]:
            return ["三同刻"]
        return ["三色三节高"] if steps == [1, 1] else []
    return []


def _four_pungs(tiles: list[int]) -> str | None:
    if all(HONORS_FROM <= tile < DRAGONS_FROM for tile in tiles):
        return "大四喜"
    same_suit = tiles[-1] < HONORS_FROM and suit_of(tiles[0]) == suit_of(tiles[-1])
    return "一色四节高" if same_suit and _steps(tiles) == [1, 1, 1] else None


def candidates(blocks: tuple[Block, ...]) -> list[Candidate]:
    """Every fan of several sets that some of the blocks make."""
    return [
        Candidate(FANS[name].id, frozenset(members)) for name, members in _candidates(blocks)
    ]  # fmt: skip


def _candidates(blocks: tuple[Block, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    pairs = [i for i, block in enumerate(blocks) if block.kind == BlockKind.PAIR]
    pair_at = pairs[0] if len(pairs) == 1 else None
    pair = None if pair_at is None else blocks[pair_at].tile
    chows = sorted(
        (i for i, block in enumerate(blocks) if block.kind == BlockKind.CHOW),
        key=lambda i: blocks[i].tile,
    )
    for size in (2, 3, 4):
        for members in combinations(chows, size):
            tiles = [blocks[i].tile for i in members]
            name: str | None
            if size == 2:
                name = _pair_of_chows(*tiles)
            elif size == 3:
                name = _three_chows(tiles)
            else:
                name = _four_chows(tiles, pair)
            if name in ("一色双龙会", "三色双龙会") and pair_at is not None:
                yield name, (*members, pair_at)
            elif name:
                yield name, members
    pungs = sorted(
        (i for i, b in enumerate(blocks) if b.kind in (BlockKind.PUNG, BlockKind.KONG)),
        key=lambda i: blocks[i].tile,
    )
    for members in combinations(pungs, 2):
        name = _two_pungs(*(blocks[i].tile for i in members))
        if name:
            yield name, members
        if name == "双箭刻" and pair_at is not None and pair is not None and pair >= DRAGONS_FROM:
            yield "小三元", (*members, pair_at)
    for members in combinations(pungs, 3):
        for name in _three_pungs([blocks[i].tile for i in members], pair):
            yield name, members
            wind_pair = pair is not None and HONORS_FROM <= pair < DRAGONS_FROM
            if name == "三风刻" and pair_at is not None and wind_pair:
                yield "小四喜", (*members, pair_at)
    for members in combinations(pungs, 4):
        name = _four_pungs([blocks[i].tile for i in members])
        if name:
            yield name, members


def would_close_circle(chosen: Choice, new: Candidate) -> bool:
    """Whether two of a fan's blocks are already connected through fans chosen before."""
    groups: list[set[int]] = []
    for fan in chosen:
        touching = [group for group in groups if group & fan.blocks]
        groups = [group for group in groups if not group & fan.blocks]
        groups.append(set(fan.blocks).union(*touching))
    return any(len(group & new.blocks) > 1 for group in groups)


def repeats_a_set(chosen: Choice, new: Candidate) -> bool:
    """Whether a fan of the same type already uses one of its blocks."""
    return any(fan.fan == new.fan and fan.blocks & new.blocks for fan in chosen)


def preference(fans: Iterator[int] | list[int], points: tuple[int, ...]) -> tuple[object, ...]:
    """Order of equal totals (section 3): larger is preferred.

    The higher single fan, then the next, and so on; then more different types; then the fans that
    come first in the table.
    """
    numbers = sorted(fans)
    counts = [0] * len(points)
    for number in numbers:
        counts[number] += 1
    singles = sorted((points[number] for number in numbers), reverse=True)
    return tuple(singles), len(set(numbers)), tuple(counts)


@lru_cache(maxsize=100_000)
def choose(blocks: tuple[Block, ...], points: tuple[int, ...]) -> Choice:
    """The allowed choice of set-combination fans with the highest points."""
    best: Choice = ()
    best_key: tuple[object, ...] = (0, *preference([], points))
    possible = candidates(blocks)

    def extend(chosen: Choice, start: int) -> None:
        nonlocal best, best_key
        fans = [candidate.fan for candidate in chosen]
        key = (sum(points[fan] for fan in fans), *preference(fans, points))
        if key > best_key:
            best, best_key = chosen, key
        for index in range(start, len(possible)):
            new = possible[index]
            if not would_close_circle(chosen, new) and not repeats_a_set(chosen, new):
                extend((*chosen, new), index + 1)

    extend((), 0)
    return best
