"""Tables of suit shapes: which split into sets, how, and what they wait for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...kernels.scoring import layout as at
from .hashing import displace, slots_of
from .words import pack_sums

Shape = tuple[int, ...]
#: Key, sums, sets and waits of a way to lay a shape.
Entry = tuple[int, int, int, int]
HONOR_RANKS = 7
NINE_GATES: Shape = (3, 1, 1, 1, 1, 1, 1, 1, 3)
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
    """Key of a suit of nine ranks, or of the seven honours."""
    if len(shape) == HONOR_RANKS:
        return at.HONOR_MARK | sum(count << 8 * (rank + 1) for rank, count in enumerate(shape))
    return sum(count << 8 * rank for rank, count in enumerate(shape[:8])) | shape[8] << at.RANK_9


def _plus(shape: Shape, rank: int, number: int) -> Shape:
    return (*shape[:rank], shape[rank] + number, *shape[rank + 1 :])


class _Known(NamedTuple):
    """Shapes that can be laid, without and with a pair, up to five copies of a tile.

    A fifth copy counts as a wait (RULES section 6).
    """

    bare: set[Shape]
    paired: set[Shape]

    def takes_tile(self, shape: Shape) -> bool:
        """Whether one more tile makes sets alone of it."""
        return any(_plus(shape, rank, 1) in self.bare for rank in range(len(shape)))


def _sums(shape: Shape, split: Split, ways: int, known: _Known) -> int:
    """What a way to lay a shape adds to the sums of a hand."""
    honors = len(shape) == HONOR_RANKS
    starts, pungs, pair = split
    blocks = [{rank, rank + 1, rank + 2} for rank in starts] + [{rank} for rank in pungs]
    if pair is not None:
        blocks.append({pair})
    fields = {
        "no_terminal": any(not honors and not block & {0, 8} for block in blocks),
        "no_five": any(honors or 4 not in block for block in blocks),
        "chows": len(starts),
        "suit_pair": pair is not None and not honors,
        "pungs": len(pungs),
        "takes_tile": pair is not None and known.takes_tile(shape),
        "odd": sum(count & 1 for count in shape),
        "sets": len(starts) + len(pungs),
        "pairs": pair is not None,
        "several": ways > 1,
    }
    if honors:
        fields["honor_pungs"] = sum(1 << rank for rank in pungs)
        fields["honor_pair"] = at.NO_PAIR if pair is None else pair
    return pack_sums(fields)


def _leaves_gates(shape: Shape, win: int) -> bool:
    return shape[win] > 0 and _plus(shape, win, -1) == NINE_GATES


def _waits(shape: Shape, split: Split, known: _Known) -> int:
    """Wait bits of a way to lay a shape, for each rank of the winning tile (RULES section 6)."""
    starts, pungs, pair = split
    in_chows = {rank + step for rank in starts for step in range(3)}
    complete = known.bare if pair is None else known.paired
    word = 0
    for win in range(len(shape)):
        before = _plus(shape, win, -1)
        known_before = shape[win] > 0
        bits = {
            at.EDGE: (win == 2 and 0 in starts) or (win == 6 and 6 in starts),
            at.CLOSED: win - 1 in starts,
            at.SINGLE: win == pair,
            at.PUNG_ONLY: win in pungs and win not in in_chows,
            at.ONLY_WAIT: known_before
            and sum(_plus(before, rank, 1) in complete for rank in range(len(shape))) == 1,
            at.PAIR_LEFT: known_before and pair is None and before in known.paired,
            at.GATES_LEFT: _leaves_gates(shape, win),
        }
        word |= sum(int(held) << bit for bit, held in bits.items()) << at.WAIT_BITS * win
    return word


def _sets(split: Split, honors: bool) -> int:
    """Suit sets of a way to lay a shape, as they stand in its entry."""
    starts, pungs, _ = split
    if honors:
        return 0
    return sum(1 << rank for rank in pungs) | sum(at.CHOW_WEIGHTS[rank] for rank in starts) << (
        at.PUNG_BITS
    )


def _entries(shape: Shape, ways: list[Split], known: _Known, behind: int) -> Iterator[Entry]:
    """Entries of a shape, each with the number of the next, which stands further on."""
    for number, split in enumerate(ways):
        following = behind + number if number + 1 < len(ways) else 0
        yield (
            key_of(shape),
            _sums(shape, split, len(ways), known),
            _sets(split, len(shape) == HONOR_RANKS) | following << at.NEXT,
            _waits(shape, split, known),
        )


def build_shapes() -> dict[str, npt.NDArray[Any]]:
    """Build the first entries of the shapes, the further ones, displacement of the slots."""
    first: list[Entry] = []
    further: list[Entry] = []
    for ranks in (9, HONOR_RANKS):
        splits: dict[Shape, list[Split]] = {}
        known = _Known(set(), set())
        for shape, split in all_splits(ranks, ranks == 9, copies=5):
            (known.bare if split[2] is None else known.paired).add(shape)
            if max(shape) <= 4:
                splits.setdefault(shape, []).append(split)
        _check_several(splits)
        for shape in sorted(splits):
            entry, *others = _entries(shape, sorted(splits[shape]), known, at.SLOTS + len(further))
            first.append(entry)
            further += others
    keys = np.array([key for key, _, _, _ in first], np.uint64)
    return {
        "entries": np.array(first, np.int64),
        "further": np.array(further, np.int64),
        "displacement": displace(keys, at.SUIT_HASH),
    }


def _check_several(splits: dict[Shape, list[Split]]) -> None:
    """At most one suit of a hand can be laid in several ways, as ``kernels`` take for granted."""
    sizes = {sum(shape) for shape, ways in splits.items() if len(ways) > 1}
    sizes = {size for size in sizes for other in sizes if size + other <= 14}
    if sizes:
        raise AssertionError(f"two suits may have several ways: {sizes}")


def entry_table(
    entries: npt.NDArray[Any], further: npt.NDArray[Any], displacement: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Entries in their slots; empty slots hold a key that no suit has. Behind them the further."""
    table = np.zeros((at.SLOTS, at.ENTRY_WIDTH), np.int64)
    table[:, at.KEY] = -1
    table[slots_of(entries[:, at.KEY], displacement, at.SUIT_HASH)] = entries
    return np.concatenate([table, further])
