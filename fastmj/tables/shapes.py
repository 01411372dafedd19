"""Tables of suit shapes: which split into sets, how, and what they wait for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import layout as at

#: Sizes that a test and the loader hold the tables to (DESIGN).
SUIT_SHAPES, HONOR_SHAPES, SPLITS = 21_743, 498, 23_533
SUIT_KEYS, HONOR_KEYS = 5**9, 5**7

Shape = tuple[int, ...]
#: A decomposition: lowest ranks of the chows, ranks of the pungs, rank of the pair or None.
Split = tuple[tuple[int, ...], tuple[int, ...], int | None]


def all_splits(ranks: int, chows: bool, copies: int) -> Iterator[tuple[Shape, Split]]:
    """Every way to lay at most four sets and at most one pair, with so many copies of a tile."""
    sets = [("pung", rank) for rank in range(ranks)]
    if chows:
        sets += [("chow", rank) for rank in range(ranks - 2)]
    for number in range(5):
        for chosen in combinations_with_replacement(sets, number):
            counts = [0] * ranks
            for kind, rank in chosen:
                for step in range(3):
                    counts[rank + (step if kind == "chow" else 0)] += 1
            starts = tuple(sorted(rank for kind, rank in chosen if kind == "chow"))
            pungs = tuple(rank for kind, rank in chosen if kind == "pung")
            for pair in (None, *range(ranks)):
                shape = list(counts)
                if pair is not None:
                    shape[pair] += 2
                if max(shape) <= copies:
                    yield tuple(shape), (starts, pungs, pair)


def key_of(shape: Shape) -> int:
    """Base-5 key of a shape with at most four copies of a tile."""
    return sum(count * 5**rank for rank, count in enumerate(shape))


def _plus(shape: Shape, rank: int, number: int) -> Shape:
    return (*shape[:rank], shape[rank] + number, *shape[rank + 1 :])


def _pack_split(split: Split, honors: bool) -> tuple[int, int]:
    starts, pungs, pair = split
    blocks = [{rank, rank + 1, rank + 2} for rank in starts] + [{rank} for rank in pungs]
    if pair is not None:
        blocks.append({pair})
    no_five = any(honors or 4 not in block for block in blocks)
    no_terminal = not honors and any(not block & {0, 8} for block in blocks)
    sums = len(starts) | no_five << at.SUM_NO_FIVE | no_terminal << at.SUM_NO_TERMINAL
    added = sum(at.CHOW_WEIGHTS[rank] for rank in starts) | sums << at.SPLIT_SUMS
    if pair is not None:
        added |= 1 << at.SPLIT_PAIR + pair
    honor_pair = pair if honors and pair is not None else at.NO_PAIR
    joined = sum(1 << rank for rank in pungs)
    joined |= sum(1 << rank for rank in set(starts)) << at.SPLIT_STARTS
    return added | honor_pair << at.SPLIT_HONOR_PAIR, joined


def _waits(shape: Shape, bare: set[Shape], paired: set[Shape]) -> int:
    """Wait bits of a complete shape (RULES section 6).

    A fifth copy counts as a wait, so the sets hold shapes with five copies of a tile too.
    """
    ranks = range(len(shape))
    with_pair = shape in paired
    complete = paired if with_pair else bare
    bits = any(_plus(shape, rank, 1) in bare for rank in ranks) << at.INFO_TAKES_TILE
    for win in ranks:
        if shape[win]:
            before = _plus(shape, win, -1)
            only = sum(_plus(before, rank, 1) in complete for rank in ranks) == 1
            bits |= only << (at.INFO_ONLY_WAIT + win)
            bits |= (before in paired) << (at.INFO_PAIR_LEFT + win)
    return bits


def build_shapes() -> dict[str, npt.NDArray[Any]]:
    """Build the shape tables: keys of the shapes by number, ``shape_info`` and ``splits``."""
    keys: list[int] = []
    info: list[int] = [0]
    words: list[int] = []
    for ranks, honors in ((9, False), (7, True)):
        splits: dict[Shape, list[Split]] = {}
        bare: set[Shape] = set()
        paired: set[Shape] = set()
        for shape, split in all_splits(ranks, not honors, copies=5):
            (bare if split[2] is None else paired).add(shape)
            if max(shape) <= 4:
                splits.setdefault(shape, []).append(split)
        for shape in sorted(splits, key=key_of):
            ways = sorted(splits[shape])
            first = len(words) // 2
            words += [word for way in ways for word in _pack_split(way, honors)]
            keys.append(key_of(shape))
            info.append(
                first
                | len(ways) << at.INFO_NUMBER
                | (shape in paired) << at.INFO_PAIR
                | _waits(shape, bare, paired)
            )
    return {
        "shape_keys": np.array(keys, np.int32),
        "shape_info": np.array(info, np.int64),
        "splits": np.array(words, np.int64),
    }


def shape_ids(shape_keys: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Numbers of suit and honour shapes by key, 0 where a shape does not split."""
    suits = np.zeros(SUIT_KEYS, np.uint16)
    honors = np.zeros(HONOR_KEYS, np.uint16)
    numbers = np.arange(1, 1 + len(shape_keys), dtype=np.uint16)
    suits[shape_keys[:SUIT_SHAPES]] = numbers[:SUIT_SHAPES]
    honors[shape_keys[SUIT_SHAPES:]] = numbers[SUIT_SHAPES:]
    return suits, honors
