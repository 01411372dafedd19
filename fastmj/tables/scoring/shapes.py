"""Tables of suit shapes: which split into sets, how, and what they wait for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernels.scoring import layout as at

#: Sizes that a test and the loader hold the tables to (DESIGN).
SUIT_SHAPES, HONOR_SHAPES, SPLITS = 21_743, 498, 23_533

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
    """Build the shape tables: entries of the shapes, displacement of their slots, ``splits``."""
    entries: list[int] = []
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
            entries.append(
                first
                | len(ways) << at.INFO_NUMBER
                | (shape in paired) << at.INFO_PAIR
                | _waits(shape, bare, paired)
                | key_of(shape) + honors * at.HONOR_KEYS << at.INFO_KEY
            )
    shapes = np.array(entries, np.int64)
    return {
        "shape_entries": shapes,
        "displacement": _displace(shapes >> at.INFO_KEY),
        "splits": np.array(words, np.int64),
    }


def _hash(keys: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Bucket and slot before displacement of some keys."""
    mixed = keys * at.HASH_FACTOR
    return mixed >> at.BUCKET_SHIFT & at.BUCKETS - 1, mixed >> at.SLOT_SHIFT & at.SLOTS - 1


def _displace(keys: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Displacement of each bucket that leaves no two keys in one slot: fullest buckets first."""
    buckets, slots = _hash(keys)
    displacement = np.zeros(at.BUCKETS, np.uint16)
    taken = np.zeros(at.SLOTS, np.bool_)
    candidates = np.arange(at.SLOTS)
    sizes = np.bincount(buckets, minlength=at.BUCKETS)
    for bucket in np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]:
        own = slots[buckets == bucket]
        free = ~taken[own[:, None] ^ candidates].any(axis=0)
        if len(set(own.tolist())) < len(own) or not free.any():
            raise AssertionError("another HASH_FACTOR is needed")
        displacement[bucket] = free.argmax()
        taken[own ^ displacement[bucket]] = True
    return displacement


def shape_slots(entries: npt.NDArray[Any], displacement: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Entries of the shapes in their slots; empty slots hold a key that no suit has."""
    table = np.full(at.SLOTS, -1, np.int64)
    buckets, slots = _hash(entries >> at.INFO_KEY)
    table[slots ^ displacement[buckets]] = entries
    return table
