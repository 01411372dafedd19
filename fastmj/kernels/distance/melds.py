"""Melds as the distance kernels need them: how many there are, and their tiles."""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, inner_kernel, step

#: Number of melds of a row with a code that names none: more than any hand has.
IMPOSSIBLE = 255
#: Instead of a number where a tile of the melds has five copies; one number is quicker to tell than
#: two, of which acceptance as a whole took a third longer.
FIFTH_COPY = -1
#: The last code that there is, and codes up to 34 that are no chow, as bits.
_LAST, _NO_CHOWS = 4 * 34, sum(1 << tile + 1 for tile in range(34) if tile > 26 or tile % 9 > 6)


@step
def number_of_melds(codes, i):
    """How many melds a row of codes has."""
    number = 0
    for place in range(4):
        code = int(codes[i, place])
        if code:
            if code > _LAST or (code < 35 and _NO_CHOWS >> code & 1):
                return IMPOSSIBLE
            number += 1
    return number


@step
def meld_planes(codes, i):
    """Kinds of which one, two, three, four and five copies at least lie in melds, 34 bits each."""
    one = two = three = four = five = np.int64(0)
    for place in range(4):
        code = np.int64(codes[i, place])
        if code:
            kind, tile = (code - 1) // 34, (code - 1) % 34
            tiles = np.int64(7 if kind == 0 else 1) << tile
            if kind == 0:
                five |= four & tiles
                four |= three & tiles
                three |= two & tiles
                two |= one & tiles
            else:
                five |= (one if kind > 1 else two) & tiles
                four |= tiles if kind > 1 else one & tiles
                three |= tiles
                two |= tiles
            one |= tiles
    return one, two, three, four, five


@step
def copies_in(planes, tile):
    """How many copies of a tile lie in melds, five for more."""
    one, two, three, four, five = planes
    return (
        (one >> tile & 1) + (two >> tile & 1) + (three >> tile & 1) + (four >> tile & 1)
        + (five >> tile & 1)
    )  # fmt: skip


@inner_kernel
def read_melds(counts, i, seen, j, codes):
    """How many melds a row has; ``FIFTH_COPY`` where a tile of theirs has five, with all others."""
    number, planes = number_of_melds(codes, i), meld_planes(codes, i)
    if number == IMPOSSIBLE:
        return number
    if planes[4]:
        return FIFTH_COPY
    for place in range(4):
        code = int(codes[i, place])
        if code:
            first = (code - 1) % 34
            for tile in range(first, first + (3 if code <= 34 else 1)):
                copies = int(counts[i, tile]) + int(seen[j, tile])
                if copies and copies + copies_in(planes, tile) > 4:
                    return FIFTH_COPY
    return number


@bare_kernel
def meld_rows(codes, number, seen, start, stop):
    """Count the melds of ``codes`` uint8 (N, 4) and add their tiles to ``seen`` uint8 (N, 34)."""
    for i in range(start, stop):
        number[i] = number_of_melds(codes, i)
        if number[i] == IMPOSSIBLE:
            continue
        for place in range(4):
            code = int(codes[i, place])
            if code:
                kind, first = (code - 1) // 34, (code - 1) % 34
                copies = 1 if kind == 0 else 3 if kind == 1 else 4
                for tile in range(first, first + (3 if kind == 0 else 1)):
                    seen[i, tile] = min(255, int(seen[i, tile]) + copies)
