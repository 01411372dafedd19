"""Build the distance tables: ``python -m fastmj.tables.distance.build`` writes the data file.

The tiles that a shape still needs for k sets, with or without a pair, are the fewest that any
target of that many sets (no tile more than four times) has beyond it. Over the grid of all shapes
this is a distance transform that works one axis at a time: first from the targets down to every
part of a target, a step costing a tile, then up to every shape that contains such a part, at no
cost. That is exact, also where a fifth copy would be wanted, and takes a fifth of a second; a
search for every shape on its own took minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernels.distance import layout as at
from ..scoring.shapes import all_splits
from ..store import digest
from .load import DATA_FILE

Ints = npt.NDArray[Any]

MOST_TILES = 14
SUIT_SHAPES, HONOR_SHAPES = 405_350, 43_130
SUIT_ROWS, HONOR_ROWS, ROWS, GROUP_ROWS = 126, 55, 180, 13
#: More than any shape needs: what cannot be made at all (a chow of honours).
NEVER = 60
GROUPS = ((0, 3, 6), (1, 4, 7), (2, 5, 8))


def _grid(ranks: int) -> tuple[int, ...]:
    """Shape of a grid over all keys; axis 0 is the highest rank, so that rank 1 varies fastest."""
    return (5,) * ranks


def _targets(ranks: int, chows: bool, copies: int) -> dict[tuple[int, bool], set[tuple[int, ...]]]:
    """Shapes made of exactly k sets without and with a pair."""
    found: dict[tuple[int, bool], set[tuple[int, ...]]] = {}
    for shape, (starts, pungs, pair) in all_splits(ranks, chows, copies):
        found.setdefault((len(starts) + len(pungs), pair is not None), set()).add(shape)
    return found


def fewest_tiles(targets: Iterable[tuple[int, ...]], ranks: int) -> Ints:
    """Tiles missing for the nearest of some shapes from every key, as a grid over all keys."""
    grid = np.full(_grid(ranks), NEVER, np.uint8)
    for shape in targets:
        grid[shape[::-1]] = 0
    for axis in range(ranks):
        layers = np.moveaxis(grid, axis, 0)
        for count in (3, 2, 1, 0):
            np.minimum(layers[count], layers[count + 1] + 1, out=layers[count])
    for axis in range(ranks):
        layers = np.moveaxis(grid, axis, 0)
        for count in (1, 2, 3, 4):
            np.minimum(layers[count], layers[count - 1], out=layers[count])
    return grid


def needed_tiles(ranks: int, chows: bool) -> Ints:
    """Tiles needed by every key for k sets (entry 2k) and for k sets and a pair (2k + 1)."""
    targets = _targets(ranks, chows, 4)
    return np.stack(
        [
            fewest_tiles(targets.get((k, pair), ()), ranks)
            for k in range(5)
            for pair in (False, True)
        ]
    )


def _lowering(grid: Ints) -> Ints:
    """For every key the tiles that make it need less, as bits."""
    mask = np.zeros(grid.shape, np.int64)
    ranks = grid.ndim
    for rank in range(ranks):
        layers = np.moveaxis(grid, ranks - 1 - rank, 0)
        bits = np.moveaxis(mask, ranks - 1 - rank, 0)
        for count in range(4):
            bits[count] |= (layers[count + 1] < layers[count]).astype(np.int64) << rank
    return mask.ravel()


def _digits(ranks: int) -> Ints:
    """Every key's counts, one row a key, rank 1 first."""
    return np.indices(_grid(ranks), np.uint8).reshape(ranks, -1)[::-1].T


def _parts(low_ranks: int, ranks: int, first: int) -> tuple[Ints, Ints, Ints]:
    """Words of the lower and the upper part (see the layout), and the keys in order of number."""
    low_tiles = _digits(low_ranks).sum(1, dtype=np.int64)
    high_tiles = _digits(ranks - low_ranks).sum(1, dtype=np.int64)
    order = np.argsort(high_tiles, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    fitting = np.searchsorted(high_tiles[order], MOST_TILES - low_tiles, side="right")
    starts = first + np.cumsum(fitting) - fitting
    keys = np.concatenate(
        [low + len(low_tiles) * order[:number] for low, number in enumerate(fitting)]
    )
    return starts | low_tiles << at.TILES, place | high_tiles << at.TILES, keys


def _planes(ranks: int, first: int) -> Ints:
    """Of every key of some ranks those held and those held in odd numbers, ``first`` bits up."""
    digits, weights = _digits(ranks), 1 << (first + np.arange(ranks))
    planes: Ints = ((digits > 0) * weights).sum(1) | ((digits & 1) * weights).sum(1) << at.ODD
    planes |= ((digits > 2) * weights).sum(1) << at.THREE
    return planes


def _unit_keys() -> Ints:
    """For each kind what a tile adds to the numbers of the eight parts; in the last row nothing."""
    table = np.zeros((35, 8), np.int32)
    for tile in range(34):
        suit, rank = divmod(tile, 9)
        table[tile, 2 * suit + (rank > 3)] = 5 ** (rank if rank < 4 else rank - 4)
    return table


def _join(rows: Ints, others: Ints) -> Ints:
    """Rows of two suits together, for every pair of rows: how the sets and the pair are shared."""
    a = rows.reshape(-1, 1, 5, 2).astype(np.int64)
    b = others.reshape(1, -1, 5, 2).astype(np.int64)
    joined = np.full((len(a), b.shape[1], 5, 2), NEVER)
    for k in range(5):
        for j in range(5 - k):
            none, one = joined[:, :, k + j, 0], joined[:, :, k + j, 1]
            np.minimum(none, a[:, :, k, 0] + b[:, :, j, 0], out=none)
            np.minimum(one, a[:, :, k, 0] + b[:, :, j, 1], out=one)
            np.minimum(one, a[:, :, k, 1] + b[:, :, j, 0], out=one)
    return joined.reshape(len(a), -1, 10)


def _packed(rows: Ints) -> Ints:
    """Each row as one number that sorts as the row does: a third of the time of sorting rows."""
    words = np.zeros(len(rows), np.int64)
    for column in rows.T:
        words = words << 6 | column
    return words


def _distinct(rows: Ints) -> Ints:
    """Distinct rows in ascending order."""
    return rows[np.unique(_packed(rows), return_index=True)[1]]


def _number(rows: Ints, table: Ints) -> Ints:
    """Position of each row in a table of distinct rows."""
    known = _packed(table)
    place = np.searchsorted(known, _packed(rows))
    assert np.array_equal(known[place], _packed(rows))
    return place


def _useful(rows: Ints) -> Ints:
    """For k sets in all, a rest and a row: the row's entries on a shortest way (see the layout)."""
    useful = np.zeros((5, len(rows), len(rows)), np.uint16)
    table = rows.reshape(-1, 5, 2).astype(np.int64)
    for sets in range(5):
        sums = {
            (k, pair): table[:, None, sets - k, 1 - pair] + table[None, :, k, pair]
            for k in range(sets + 1)
            for pair in (0, 1)
        }
        least = np.minimum.reduce(list(sums.values()))
        for (k, pair), total in sums.items():
            useful[sets] |= (total == least).astype(np.uint16) << np.uint16(5 * pair + k)
    return useful


def _waits(ranks: int, chows: bool) -> Ints:
    """For every key the tiles that complete it, the flags, and the tiles modulo 3."""
    entries = np.zeros(5**ranks, np.int64)
    weights = 5 ** np.arange(ranks)
    for shapes in _targets(ranks, chows, 5).values():
        for shape in shapes:
            key = int(np.dot(shape, weights))
            if max(shape) <= 4:
                entries[key] |= at.COMPLETE
            for rank in range(ranks):
                if shape[rank] and max(shape[:rank] + shape[rank + 1 :]) <= 4:
                    entries[key - weights[rank]] |= 1 << rank
    over = _digits(ranks).sum(1, dtype=np.int64) % 3
    # A suit of 3n tiles has no wait of its own: the tile would be one too many.
    entries[over == 0] &= at.COMPLETE
    entries[over == 1] &= at.WAIT_TILES
    entries[entries == 0] = at.DEAD
    entries |= np.array([0, at.ONE_OVER, at.TWO_OVER])[over]
    return entries


def _special(digits: Ints, orphans: list[int], rests: Ints) -> Ints:
    """Words of some shapes for the other forms (see the layout)."""
    kinds = digits[:, orphans]
    words: Ints = (digits // 2).sum(1, dtype=np.int64) << at.PAIRS
    words |= (kinds > 0).sum(1, dtype=np.int64) << at.ORPHANS
    words |= (kinds > 1).sum(1, dtype=np.int64) << at.ORPHAN_PAIRS
    for group, classes in enumerate(rests):
        words |= classes << (at.GROUPS + at.GROUP_BITS * group)
        if len(rests) == len(GROUPS):
            held = (digits[:, GROUPS[group]] > 0).sum(1, dtype=np.int64)
            words |= held << (at.GROUPS + at.GROUP_BITS * group + at.GROUP_HELD)
    return words


def _taken() -> Ints:
    """By group of ranks and ranks held: what taking one of each out of a suit subtracts."""
    table = np.zeros((3, 512), np.int32)
    for group, ranks in enumerate(GROUPS):
        for held in range(512):
            for rank in ranks:
                if held >> rank & 1:
                    low, high = (5**rank, 0) if rank < 4 else (0, 5 ** (rank - 4))
                    table[group, held] += low | high << at.TAKEN_HIGH
    return table


def _knitted(rows: Ints) -> Ints:
    """Tiles needed for set and pair, and (4 bits up) for the pair, by four classes of the rest."""
    table = np.full((16, 4), NEVER)
    table[: len(rows)] = rows
    joined = table
    for _ in range(3):
        a, b = joined[..., None, :], table
        none, pair, one, both = (a[..., i] for i in range(4))
        joined = np.stack(
            [
                none + b[:, 0],
                np.minimum(none + b[:, 1], pair + b[:, 0]),
                np.minimum(none + b[:, 2], one + b[:, 0]),
                np.minimum(
                    np.minimum(none + b[:, 3], both + b[:, 0]),
                    np.minimum(pair + b[:, 2], one + b[:, 1]),
                ),
            ],
            axis=-1,
        )
    best = np.minimum(joined, 15)
    packed: Ints = best[..., 3] << at.KNITTED_BOTH | best[..., 1] << at.KNITTED_PAIR
    return packed.astype(np.uint8).ravel()


def _lower(suits: tuple[Ints, Ints], honors: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """``lower`` and ``lower_words``, from both grids and the keys of the shapes in order."""
    numbers: list[Ints] = []
    words: list[Ints] = []
    for pair in (0, 1):
        packed = np.zeros(SUIT_SHAPES + HONOR_SHAPES, np.int64)
        for k in range(5):
            parts = [_lowering(grid[2 * k + pair])[keys] for grid, keys in (suits, honors)]
            packed |= np.concatenate(parts) << 9 * k
        distinct, which = np.unique(packed, return_inverse=True)
        numbers.append(which.ravel() + sum(len(earlier) for earlier in words))
        words.append(distinct)
    return np.stack(numbers, 1).astype(np.uint16), np.concatenate(words)


def _rests(digits: Ints, keys: Ints, classes: Ints) -> Ints:
    """By group of ranks the class of every suit shape when one of each is taken out."""
    weights = 5 ** np.arange(9)
    taken = [((digits[:, group] > 0) * weights[list(group)]).sum(1) for group in GROUPS]
    return np.array([classes[keys - each] for each in taken])


def build() -> dict[str, Ints]:
    """Every array of the data file, from the code alone."""
    suit_low, suit_high, suit_keys = _parts(4, 9, 0)
    honor_low, honor_high, honor_keys = _parts(4, 7, SUIT_SHAPES)
    suit_grid, honor_grid = needed_tiles(9, True), needed_tiles(7, False)
    suit_rows = suit_grid.reshape(10, -1)[:, suit_keys].T
    honor_rows = honor_grid.reshape(10, -1)[:, honor_keys].T
    suit_kinds, honor_kinds = _distinct(suit_rows), _distinct(honor_rows)
    rows = _distinct(_join(suit_kinds, suit_kinds).reshape(-1, 10)).astype(np.uint8)
    group_rows = _distinct(rows[:, :4])
    sizes = tuple(
        map(len, (suit_keys, honor_keys, suit_kinds, honor_kinds, rows, group_rows)),
    )
    assert sizes == (SUIT_SHAPES, HONOR_SHAPES, SUIT_ROWS, HONOR_ROWS, ROWS, GROUP_ROWS), sizes

    join = _number(_join(rows, rows).reshape(-1, 10), rows).reshape(ROWS, ROWS)
    lower, lower_words = _lower((suit_grid, suit_keys), (honor_grid, honor_keys))
    suit_digits = _digits(9)[suit_keys]
    suit_classes = _number(suit_grid.reshape(10, -1)[:4].T, group_rows)
    honor_classes = _number(honor_rows[:, :4], group_rows)
    special = (
        _special(suit_digits, [0, 8], _rests(suit_digits, suit_keys, suit_classes)),
        _special(_digits(7)[honor_keys], list(range(7)), honor_classes[None]),
    )
    planes = [_planes(4, 0), _planes(5, 4), _planes(4, 0), _planes(3, 4)]
    spread = np.zeros(32, np.int64)
    for k in range(5):
        spread |= (np.arange(32) >> k & 1) * (at.SUIT_TILES << 9 * k)
    waits = np.concatenate([_waits(9, True)[suit_keys], _waits(7, False)[honor_keys]])
    return {
        "parts": np.concatenate([suit_low, suit_high, honor_low, honor_high]).astype(np.int32),
        "planes": np.concatenate(planes).astype(np.int32),
        "unit_keys": _unit_keys(),
        "classes": _number(np.concatenate([suit_rows, honor_rows]), rows).astype(np.uint8),
        "join": join.astype(np.uint8),
        "need": np.ascontiguousarray(rows.T),
        "lower": lower,
        "lower_words": lower_words,
        "useful": _useful(rows),
        "spread": spread,
        "special": np.concatenate(special).astype(np.int32),
        "knitted": _knitted(group_rows),
        "taken": _taken(),
        "waits": waits.astype(np.uint16),
    }


if __name__ == "__main__":
    arrays = build()
    np.savez_compressed(str(DATA_FILE), **arrays)  # type: ignore[arg-type]
    sys.stdout.write(f"{DATA_FILE.name}: put DATA_DIGEST = {digest(arrays)!r} into load.py\n")
