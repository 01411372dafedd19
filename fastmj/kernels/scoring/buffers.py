"""Tables as the kernels take them: three buffers, tables end to end.

Every array that is handed to a kernel costs a single call a tenth of a microsecond, so the tables
of one type lie in one array. Cutting them into named views inside the kernel was tried: the views
are counted references, and scoring took five times as long. So a table is its buffer and where it
begins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import layout as at


class Buffers(NamedTuple):
    """Tables by type: uint16, int32 and int64, each one-dimensional and read-only."""

    words: Any
    ints: Any
    longs: Any


def _begins(lengths):
    """Where each table of a buffer begins."""
    begins = []
    total = 0
    for length in lengths.values():
        begins.append(total)
        total += length
    return tuple(begins)


# Tables that do not depend on the rules: displacement of a shape's slot by bucket; number of sets
# in a suit and the rank of the choice among those of that number, by chow code and by mask of
# pungs; key of one copy of each rank of a mask; melds, tiles, shapes; offset and factors of the
# index of a choice of sets, by the numbers in the three suits; decompositions.
DISPLACEMENT, CHOW_RANK, PUNG_RANK = _begins(at.TABLE_WORDS)
(MASK_KEY,) = _begins(at.TABLE_INTS)
MELD_INFO, TILE_INFO, SHAPES, CHOW_INDEX, PUNG_INDEX, SPLITS = _begins(at.TABLE_LONGS)

# Tables of a profile: record by index of the chows, the suit pungs, the honours, the way of
# winning, the structure, the tiles; points by fan, fans by descending points, points of the fans in
# each 12 bits of the two mask words (repeating fans left out); numbers and records.
CHOW_CLASS, PUNG_CLASS, HONOR_CLASS, WAY_CLASS, MADE_CLASS, TILE_CLASS = _begins(at.PROFILE_WORDS)
POINTS, ORDER, MASK_POINTS = _begins(at.PROFILE_INTS)

# Single numbers at the beginning of a profile's longs. They take the place of the first records.
MIN_FAN, KNITTED_WAITS, CHICKEN, FLOWER, SPECIAL, FIRST_HOG = range(6)
REPEATING_POINTS = 8
#: The record that contributes nothing, the first behind the numbers.
NOTHING = 24
