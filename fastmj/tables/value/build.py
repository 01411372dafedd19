"""Build the value tables: ``python -m fastmj.tables.value.build`` writes the data file.

The tiles that a suit needs for some of its sets only, found as ``distance_build`` finds them for
all; and what each fan of several sets wants.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernels.distance import layout as shapes_at
from ...kernels.value import layout as at
from ...rules import FANS
from ..distance.build import HONOR_SHAPES, NEVER, SUIT_SHAPES, fewest_tiles, needed_tiles
from ..distance.load import distance_tables
from ..scoring.shapes import Split, all_splits
from ..store import digest
from .load import DATA_FILE

Ints = npt.NDArray[Any]
#: A row of ``needs`` before it is packed: fan, sets, pair, arrangement, what stands beside, tile.
Need = tuple[int, tuple[int, ...], int, int, int, int]

_WINDS, _DRAGONS, _HONORS = range(27, 31), range(31, 34), range(27, 34)
_ORPHANS = (0, 8, 9, 17, 18, 26, *_HONORS)


def _fewest(targets: list[tuple[int, ...]], ranks: int) -> Ints:
    """Tiles missing for the nearest target from every key, as words hold them."""
    return np.minimum(fewest_tiles(targets, ranks).ravel(), at.NEVER).astype(np.int64)


def _targets(
    ranks: int, chows: bool, key: Callable[[Split], Any]
) -> dict[Any, list[tuple[int, ...]]]:
    """Shapes by what ``key`` says of a way to lay them; None leaves the way out."""
    found: dict[Any, set[tuple[int, ...]]] = {}
    for shape, split in all_splits(ranks, chows, 4):
        name = key(split)
        if name is not None:
            found.setdefault(name, set()).add(shape)
    return {name: sorted(shapes) for name, shapes in found.items()}


def _family(ranks: tuple[int, ...], starts: tuple[int, ...], pungs: tuple[int, ...]) -> Ints:
    """Words of a family by the key of its ranks."""

    def key(split: Split) -> tuple[int, bool] | None:
        chows, threes, pair = split
        allowed = set(chows) <= set(starts) and {*threes, *([] if pair is None else [pair])} <= set(
            pungs
        )
        return (len(chows) + len(threes), pair is not None) if allowed else None

    targets = _targets(9, bool(starts), key)
    words = np.zeros(5 ** len(ranks), np.int64)
    for k, e in product(range(at.SETS_MOST + 1), (0, 1)):
        shapes = [tuple(shape[rank] for rank in ranks) for shape in targets.get((k, bool(e)), [])]
        words |= _fewest(shapes, len(ranks)) << 8 * k + 4 * e
    return words


def _shape_keys() -> tuple[Ints, Ints]:
    """Base-5 keys of the suit shapes and of the honour shapes, in the order of their numbers."""
    parts = distance_tables().parts
    keys = []
    for low, high, upper, first, number in (
        (0, shapes_at.SUIT_HIGH, 5**5, 0, SUIT_SHAPES),
        (shapes_at.HONOR_LOW, shapes_at.HONOR_HIGH, 5**3, SUIT_SHAPES, HONOR_SHAPES),
    ):
        word = parts[low : low + 625, None] + parts[None, high : high + upper]
        fits = word >> shapes_at.TILES <= 14
        found = np.zeros(number, np.int64)
        where = np.nonzero(fits)
        found[(word[fits] & shapes_at.SHAPE) - first] = where[0] + 625 * where[1]
        keys.append(found)
    return keys[0], keys[1]


def _split_rows(keys: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Class of every shape by chows and pungs apart, and the two words of each class."""

    def key(split: Split) -> tuple[int, int, bool] | None:
        chows, pungs, pair = len(split[0]), len(split[1]), split[2] is not None
        return (chows, pungs, pair) if chows <= at.SPLIT_CHOWS and pungs <= at.SPLIT_PUNGS else None

    words = []
    for ranks, shape_keys in zip((9, 7), keys, strict=True):
        targets = _targets(ranks, ranks == 9, key)
        both = np.zeros((len(shape_keys), 2), np.int64)
        for c, p, e in product(range(at.SPLIT_CHOWS + 1), range(at.SPLIT_PUNGS + 1), (0, 1)):
            cells = _fewest(targets.get((c, p, bool(e)), []), ranks)[shape_keys]
            both[:, e] |= cells << 4 * (4 * c + p)
        words.append(both)
    distinct, number = np.unique(np.concatenate(words), axis=0, return_inverse=True)
    return number.ravel().astype(np.uint16), distinct


def _chow_rows(keys: Ints) -> tuple[Ints, Ints]:
    """Class of every suit shape by chows and a pair alone, and the word of each class."""

    def key(split: Split) -> tuple[int, bool] | None:
        return None if split[1] else (len(split[0]), split[2] is not None)

    targets = _targets(9, True, key)
    words = np.zeros(len(keys), np.int64)
    for k, e in product(range(at.SETS_MOST + 1), (0, 1)):
        words |= _fewest(targets.get((k, bool(e)), []), 9)[keys] << 8 * k + 4 * e
    distinct, number = np.unique(words, return_inverse=True)
    return number.ravel().astype(np.uint16), distinct


def _all_words(keys: tuple[Ints, Ints]) -> Ints:
    """Word of each of the classes that the distance tables know."""
    tables = distance_tables()
    rows = [
        needed_tiles(ranks, ranks == 9).reshape(10, -1)[:, each].T
        for ranks, each in zip((9, 7), keys, strict=True)
    ]
    known = np.full((len(tables.join), 10), NEVER, np.int64)
    known[tables.classes] = np.concatenate(rows)
    # Rows of two suits together come from those of single suits, until nothing is new.
    filled = np.zeros(len(known), bool)
    filled[tables.classes] = True
    single = np.flatnonzero(filled)
    for a, b in product(single, single):
        joined = int(tables.join[a, b])
        if not filled[joined]:
            for k, j in product(range(5), repeat=2):
                if k + j <= 4:
                    none, pair = 2 * (k + j), 2 * (k + j) + 1
                    sums = known[a, 2 * k] + known[b, 2 * j]
                    known[joined, none] = min(known[joined, none], sums)
                    pairs = min(
                        known[a, 2 * k] + known[b, 2 * j + 1], known[a, 2 * k + 1] + known[b, 2 * j]
                    )
                    known[joined, pair] = min(known[joined, pair], pairs)
            filled[joined] = True
    assert filled.all()
    shifts = np.array([8 * (i // 2) + 4 * (i % 2) for i in range(10)])
    words: Ints = (np.minimum(known, at.NEVER) << shifts).sum(1)
    return words


# --- what fans of several sets want


def _chow(suit: int, rank: int) -> int:
    return 9 * suit + rank - 1


def _pung(tile: int) -> int:
    return at.NO_PUNG + tile


def _of_sets(name: str, sets: tuple[int, ...], pair: int = -1) -> Need:
    return (FANS[name].id, sets, pair, -1, at.ANYTHING, -1)


def _one_suit() -> Iterator[Need]:
    for s in range(3):
        for r in range(1, 8):
            for name, times in (("一色四同顺", 4), ("一色三同顺", 3), ("一般高", 2)):
                yield _of_sets(name, (_chow(s, r),) * times)
        for step in (1, 2):
            for name, number in (("一色四步高", 4), ("一色三步高", 3)):
                for r in range(1, 8 - step * (number - 1)):
                    yield _of_sets(name, tuple(_chow(s, r + step * i) for i in range(number)))
        for name, number in (("一色四节高", 4), ("一色三节高", 3)):
            for r in range(1, 11 - number):
                yield _of_sets(name, tuple(_pung(_chow(s, r + i)) for i in range(number)))
        yield _of_sets("清龙", tuple(_chow(s, r) for r in (1, 4, 7)))
        yield _of_sets("一色双龙会", tuple(_chow(s, r) for r in (1, 1, 7, 7)), _chow(s, 5))
        yield _of_sets("老少副", (_chow(s, 1), _chow(s, 7)))
        for r in range(1, 5):
            yield _of_sets("连六", (_chow(s, r), _chow(s, r + 3)))
        a, b = (suit for suit in range(3) if suit != s)
        ends = tuple(_chow(suit, r) for suit in (a, b) for r in (1, 7))
        yield _of_sets("三色双龙会", ends, _chow(s, 5))


def _many_suits() -> Iterator[Need]:
    for r in range(1, 8):
        yield _of_sets("三色三同顺", tuple(_chow(s, r) for s in range(3)))
        for a, b in combinations(range(3), 2):
            yield _of_sets("喜相逢", (_chow(a, r), _chow(b, r)))
    for r in range(1, 10):
        yield _of_sets("三同刻", tuple(_pung(_chow(s, r)) for s in range(3)))
        for a, b in combinations(range(3), 2):
            yield _of_sets("双同刻", (_pung(_chow(a, r)), _pung(_chow(b, r))))
    for order in permutations(range(3)):
        yield _of_sets("花龙", tuple(_chow(s, 1 + 3 * i) for i, s in enumerate(order)))
        for r in range(1, 6):
            yield _of_sets("三色三步高", tuple(_chow(s, r + i) for i, s in enumerate(order)))
        for r in range(1, 8):
            sets = tuple(_pung(_chow(s, r + i)) for i, s in enumerate(order))
            yield _of_sets("三色三节高", sets)


def _of_honors() -> Iterator[Need]:
    winds, dragons = tuple(map(_pung, _WINDS)), tuple(map(_pung, _DRAGONS))
    yield _of_sets("大四喜", winds)
    yield _of_sets("大三元", dragons)
    for out in _WINDS:
        rest = tuple(_pung(tile) for tile in _WINDS if tile != out)
        yield _of_sets("三风刻", rest)
        yield _of_sets("小四喜", rest, out)
    for out in _DRAGONS:
        rest = tuple(_pung(tile) for tile in _DRAGONS if tile != out)
        yield _of_sets("双箭刻", rest)
        yield _of_sets("小三元", rest, out)
    for tile in _ORPHANS:
        yield (at.ONE_PUNG, (_pung(tile),), -1, -1, at.ANYTHING, -1)


def _chows_with(tile: int) -> list[int]:
    return [low for low in range(tile - 2, tile + 1)
            if tile < 27 and low // 9 == tile // 9 and 0 <= low % 9 <= 6 and low >= 0]  # fmt: skip


def _four_of_a_kind() -> Iterator[Need]:
    fan = FANS["四归一"].id
    for tile in range(27):
        chows = _chows_with(tile)
        for chow in chows:
            yield (fan, (_pung(tile), chow), -1, -1, at.ANYTHING, tile)
        for two in combinations_with_replacement(chows, 2):
            yield (fan, two, tile, -1, at.ANYTHING, tile)
        for four in combinations_with_replacement(chows, 4):
            yield (fan, four, -1, -1, at.ANYTHING, tile)


def _knitted() -> Iterator[Need]:
    for number, nine in enumerate(shapes_at.NINES):
        yield (FANS["组合龙"].id, (), -1, number, at.ANYTHING, -1)
        yield (FANS["无字"].id, (), -1, number, at.NO_HONORS, -1)
        yield (FANS["平和"].id, (), -1, number, at.CHOWS_ONLY, -1)
        for wind, dragon in product(_WINDS, _DRAGONS):
            for pung, pair in ((wind, dragon), (dragon, wind)):
                yield (FANS["五门齐"].id, (_pung(pung),), pair, number, at.ANYTHING, -1)
        for tile in _ORPHANS:
            yield (at.ONE_PUNG, (_pung(tile),), -1, number, at.ANYTHING, -1)
        fan = FANS["四归一"].id
        for tile in (tile for tile in range(27) if nine >> tile & 1):
            yield (fan, (_pung(tile),), -1, number, at.ANYTHING, tile)
            for chow in _chows_with(tile):
                yield (fan, (chow,), tile, number, at.ANYTHING, tile)


def all_needs() -> list[Need]:
    """Everything that makes a fan of several sets, group by group (see ``value_layout``)."""
    rows = [*_one_suit(), *_many_suits(), *_of_honors(), *_four_of_a_kind(), *_knitted()]
    return sorted(rows, key=lambda need: (need[5], need[3] >= 0, need[0], need[3], need[2] >= 0))


def wanted(need: Need) -> Ints:
    """How many of each kind a row of needs wants."""
    counts = np.zeros(34, np.int64)
    for each in need[1]:
        tiles = [each - at.NO_PUNG] * 3 if each >= at.NO_PUNG else [each, each + 1, each + 2]
        np.add.at(counts, tiles, 1)
    if need[2] >= 0:
        counts[need[2]] += 2
    if need[3] >= 0:
        counts += shapes_at.NINES[need[3]] >> np.arange(34) & 1
    return counts


def _needs() -> tuple[Ints, Ints, Ints]:
    """Rows of needs, their groups, and where the groups of four of a kind begin by tile."""
    rows = [need for need in all_needs() if wanted(need).max() <= 4]
    table = np.full((len(rows), at.NEED_WIDTH), -1, np.int64)
    groups: list[list[int]] = []
    fours = np.zeros(28, np.int64)
    before: tuple[int, ...] = ()
    for number, (row, need) in enumerate(zip(table, rows, strict=True)):
        fan, sets, pair, nine, beside, four = need
        row[:4] = [((wanted(need) > i) * (1 << np.arange(34))).sum() for i in range(4)]
        row[at.CHOWS] = sum({1 << each for each in sets if each < at.NO_PUNG})
        row[at.PUNGS_WANTED] = sum({1 << each - at.NO_PUNG for each in sets if each >= at.NO_PUNG})
        row[at.NUMBER] = len(sets)
        row[at.SETS : at.SETS + len(sets)] = sets
        row[at.PAIR], row[at.NINE], row[at.BESIDE] = pair, nine, beside
        if (fan, nine, four) != before:
            groups.append([number, number, fan, nine, four])
            fours[four + 1 :] = len(groups)
            before = (fan, nine, four)
        groups[-1][at.STOP] = number + 1
    return table, np.array(groups, np.int64), fours


def _plane_keys() -> Ints:
    """Base-5 numbers of masks of four and of five ranks."""
    return np.array(
        [sum(5**i for i in range(ranks) if mask >> i & 1)
         for ranks in (4, 5) for mask in range(1 << ranks)],
        np.int64,
    )  # fmt: skip


def build() -> dict[str, Ints]:
    """Every array of the data file, from the code alone."""
    keys = _shape_keys()
    split_class, split_words = _split_rows(keys)
    chow_class, chow_words = _chow_rows(keys[0])
    needs, need_groups, need_fours = _needs()
    words = np.concatenate([_family(*family[1:]) for family in at.FAMILIES])
    assert len(words) == at.WORDS
    return {
        "words": words,
        "all_words": _all_words(keys),
        "split_class": split_class,
        "split_words": split_words,
        "chow_class": chow_class,
        "chow_words": chow_words,
        "needs": needs,
        "need_groups": need_groups,
        "need_fours": need_fours,
        "plane_keys": _plane_keys(),
    }


if __name__ == "__main__":
    arrays = build()
    np.savez_compressed(str(DATA_FILE), **arrays)  # type: ignore[arg-type]
    sys.stdout.write(f"{DATA_FILE.name}: put DATA_DIGEST = {digest(arrays)!r} into load.py\n")
