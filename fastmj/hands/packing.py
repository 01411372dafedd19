"""One hand as a row of bytes, which the scorer reads without more ado, and a quick look at it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .columns import Bytes
from .melds import Meld, MeldKind
from .notation import BOTZONE_TILES, read_botzone_pack
from .status import InvalidHand
from .tiles import KINDS

#: Columns of a row: 34 counts, 4 melds, winning tile, circumstances, seat and prevalent wind,
#: flowers.
PACKED = 43
_MOST_MELDS = _MOST_COPIES = 4


def packed_row(
    counts: tuple[int, ...], melds: tuple[Meld, ...], numbers: tuple[int, int, int, int, int]
) -> Bytes:
    """Row of a possible hand, uint8 (1, ``PACKED``); ``numbers`` are its last five columns."""
    return _row(counts, [meld.code for meld in melds], numbers)


def packed_botzone(
    packs: Sequence[Any],
    tiles: Sequence[str],
    win_tile: str,
    *,
    self_drawn: Any,
    last_of_kind: Any,
    last_tile: Any,
    kong: Any,
    seat_wind: Any,
    prevalent_wind: Any,
    flowers: Any,
) -> Bytes | None:
    """Row of a hand in Botzone's codes, not judged; ``None`` where something in it is unusual."""
    flags = self_drawn, last_of_kind, last_tile, kong
    try:
        codes = [read_botzone_pack(pack).code for pack in packs]
        counts = [0] * KINDS
        for tile in tiles:
            counts[BOTZONE_TILES[tile]] += 1
        win = BOTZONE_TILES[win_tile]
        if len(tiles) == 13 - 3 * len(codes):
            counts[win] += 1
        if not all(flag is True or flag is False for flag in flags) or len(codes) > _MOST_MELDS:
            return None
        bits = self_drawn | last_of_kind << 1 | last_tile << 2 | kong << 3
        numbers = (win, bits, seat_wind, prevalent_wind, flowers)
        return _row(counts, codes, numbers)
    except (InvalidHand, KeyError, TypeError, ValueError):
        return None


def _row(counts: Iterable[int], codes: list[int], numbers: tuple[int, ...]) -> Bytes:
    empty = (0,) * (_MOST_MELDS - len(codes))
    return np.ndarray((1, PACKED), np.uint8, bytearray((*counts, *codes, *empty, *numbers)))


def quick_counts(tiles: tuple[int, ...], win: int, melds: tuple[Meld, ...]) -> list[int] | None:
    """Copies of each kind among sorted tiles, or ``None`` where something may be wrong with them.

    Who wants to know what it is looks closer.
    """
    if len(tiles) != 14 - 3 * len(melds) or win not in tiles:
        return None
    counts = [0] * KINDS
    for tile in tiles:
        counts[tile] += 1
    copies = counts
    if melds:
        copies = counts.copy()
        for meld in melds:
            tile = meld.tile
            if meld.kind == MeldKind.CHOW:
                copies[tile] += 1
                copies[tile + 1] += 1
                copies[tile + 2] += 1
            else:
                copies[tile] += 3 if meld.kind == MeldKind.PUNG else 4
    return counts if max(copies) <= _MOST_COPIES else None
