"""Packing of the sums, and the small tables of melds, waits and tiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...hands.tiles import KINDS
from ...kernels.scoring import layout as at

Array = npt.NDArray[Any]


def pack_sums(fields: Mapping[str, int]) -> int:
    """Word of sums with some fields; each must have room."""
    word = 0
    for name, value in fields.items():
        first, width = at.SUM_FIELDS[name]
        if not 0 <= value < 1 << width:
            raise AssertionError(f"{name} is {value}, wider than {width} bits")
        word |= int(value) << first
    return word


def meld_table() -> Array:
    """Table of what each meld code adds to a hand, shape (256, 8): copies, sums, sets."""
    copies = np.zeros((256, 8 * at.MELD_WIDTH), np.uint8)
    copies[1:, 0] = at.IMPOSSIBLE_MELD
    table = copies.view(np.int64)
    table[0, at.MELD_VALID] = 1
    for code in range(1, 4 * KINDS + 1):
        kind, tile = divmod(code - 1, KINDS)
        suit, rank = divmod(tile, 9)
        if kind == 0 and (suit == 3 or rank > 6):
            continue
        copies[code, 0] = 0
        if kind == 0:
            copies[code, tile : tile + 3] = 1
        else:
            copies[code, tile] = 3 if kind == 1 else at.KONG
        table[code, at.MELD_SUMS] = _meld_sums(kind, suit, rank)
        table[code, at.MELD_SETS] = _meld_sets(kind, suit, rank)
        table[code, at.MELD_VALID] = 1
    return table


def _meld_sums(kind: int, suit: int, rank: int) -> int:
    ranks = {rank, rank + 1, rank + 2} if kind == 0 else {rank}
    return pack_sums({
        "no_terminal": suit < 3 and not ranks & {0, 8},
        "no_five": suit == 3 or 4 not in ranks,
        "chows": kind == 0,
        "pungs": kind == 3,
        "exposed": (1, 1, 5, 25)[kind],
        "honor_pungs": 1 << rank if suit == 3 else 0,
        "odd": 16,
        "sets": 1,
    })  # fmt: skip


def _meld_sets(kind: int, suit: int, rank: int) -> int:
    if suit == 3:
        return 0
    own: int = at.CHOW_WEIGHTS[rank] << at.PUNG_BITS if kind == 0 else 1 << rank
    return own << at.SUIT_BITS * suit


def wait_sums() -> Array:
    """What the winning tile adds to the sums: the waits it may take, and an open pung taken off."""
    table = np.zeros(256, np.int64)
    for index in range(256):
        bits = [index >> bit & 1 for bit in range(8)]
        # With a pair left in its suit, the tile that the pair's suit takes wins too.
        only = bits[at.ONLY_WAIT] and not (bits[at.PAIR_LEFT] and bits[at.TAKES])
        waits = index & (1 << at.PUNG_ONLY) - 1 if only else 0
        opened = bits[at.PUNG_ONLY] and not bits[at.DRAWN]
        table[index] = (waits << at.WAITED) - (opened << at.PUNGS)
    return table


def tile_table() -> Array:
    """Shifts to the entry of each tile's suit and to the waits of its rank, shape (34,)."""
    suits, ranks = np.divmod(np.arange(KINDS), 9)
    shifts: Array = at.ENTRY_BITS * suits | at.WAIT_BITS * ranks << at.TILE_ENTRY_BITS
    return shifts


def check_sums(entries: Array, melds: Array) -> None:
    """No row, however wrong, makes a field overflow that tells whether it is four sets and a pair.

    The others hold what they say once these are right.
    """
    honors = entries[:, at.KEY] & 255 == at.HONOR_MARK
    sources = (
        (3, entries[~honors, at.SUMS]),
        (1, entries[honors, at.SUMS]),
        (4, melds[:, at.MELD_SUMS]),
        (1, np.array([at.BIAS])),
    )
    begins = [first for first, _ in at.SUM_FIELDS.values()]
    rooms = dict(zip(at.SUM_FIELDS, np.diff([*begins, 63]), strict=True))
    for name in ("odd", "sets", "pairs", "several"):
        first, width = at.SUM_FIELDS[name]
        most = sum(n * int((word >> first & (1 << width) - 1).max()) for n, word in sources)
        if most >= 1 << rooms[name]:
            raise AssertionError(f"{name} can overflow")
